//! `_events.py`: what an agent hands out, as dataclasses, each read from its dictionary by `from_wire`.
//!
//! The classes are not frozen: a frozen dataclass takes more than twice as long to make, and a fast stream makes
//! one for each delta.

use super::{alias, comment, docstring, line};
use crate::names::snake;
use crate::vocabulary::{self, Field, Member, Shape, Ty, Type, Vocabulary};

const HEADER: &str = "\
\"\"\"What an agent hands out: events, requests and results, as objects.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.

Attributes have the names of the JSON, in snake_case; what is absent there is `None` here. An event or a block of a
type that this version does not know comes as `UnknownEvent` or `UnknownContent`: ignore it.
\"\"\"

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from . import _types
";

/// What a host receives; what it sends stays a dictionary.
const DOORS: &[&str] = &["Event", "Request", "TurnResult", "UsageReport", "Message", "Error"];

pub(crate) fn emit(types: &Vocabulary) -> String {
    let emitter = Emitter { types };
    let mut classes = String::new();
    let mut unions = String::new();
    for name in vocabulary::reached(types, DOORS) {
        emitter.named(name, &types[name], &mut classes, &mut unions);
    }
    format!("{HEADER}{classes}{unions}")
}

struct Emitter<'a> {
    types: &'a Vocabulary,
}

impl Emitter<'_> {
    fn named(&self, name: &str, ty: &Type, classes: &mut String, unions: &mut String) {
        match &ty.shape {
            Shape::Record(fields) => {
                let class = Class { name, about: &ty.doc, ..Class::default() };
                self.class(classes, &class, fields);
            }
            Shape::Keyed { base, bodies, .. } => {
                let class = Class { name, about: &ty.doc, ..Class::default() };
                self.class(classes, &class, &keyed_fields(base, bodies));
            }
            Shape::Union { tag, base, members } => self.union(name, ty, (tag, base, members), classes, unions),
            Shape::Text | Shape::Choice(_) | Shape::Either(_) | Shape::Plain(_) => {}
        }
    }

    fn union(
        &self,
        name: &str,
        ty: &Type,
        (tag, base, members): (&str, &[Field], &[Member]),
        classes: &mut String,
        unions: &mut String,
    ) {
        let base_name = format!("{name}Base");
        let parent = if base.is_empty() { "" } else { base_name.as_str() };
        if !base.is_empty() {
            let about = format!("What every {} has.", name.to_lowercase());
            line(classes, &format!("\n\n@dataclass(slots=True, kw_only=True)\nclass {base_name}:"));
            docstring(classes, &about);
            classes.push('\n');
            self.attributes(classes, base);
        }
        for member in members {
            let carried = member.carries.as_ref().and_then(|carried| self.types.get(carried));
            let fields = match carried.map(|carried| &carried.shape) {
                Some(Shape::Keyed { base, bodies, .. }) => keyed_fields(base, bodies),
                _ => member.fields.clone(),
            };
            let class = Class { name: &member.name, about: &member.doc, parent, base, tag: Some((tag, &member.word)) };
            self.class(classes, &class, &fields);
        }
        self.unknown(classes, name, tag, parent, base);
        let unknown = format!("Unknown{name}");
        let mut names: Vec<_> = members.iter().map(|member| member.name.clone()).collect();
        names.push(unknown.clone());
        unions.push_str("\n\n");
        alias(unions, name, &ty.doc, &names);
        let lower = snake(name);
        let table = format!("_{}", lower.to_uppercase());
        line(unions, &format!("\n{table}: dict[str, Callable[[Any], {name}]] = {{"));
        for member in members {
            line(unions, &format!("    \"{}\": {}.from_wire,", member.word, member.name));
        }
        line(unions, "}");
        line(unions, &format!("\n\ndef {lower}_from_wire(wire: Any) -> {name}:"));
        line(unions, &format!("    \"\"\"Reads any {lower}; one of a type that is not known too.\"\"\""));
        line(unions, &format!("    return {table}.get(wire[\"{tag}\"], {unknown}.from_wire)(wire)"));
    }

    fn unknown(&self, out: &mut String, name: &str, tag: &str, parent: &str, base: &[Field]) {
        let parents = if parent.is_empty() { String::new() } else { format!("({parent})") };
        line(out, &format!("\n\n@dataclass(slots=True)\nclass Unknown{name}{parents}:"));
        docstring(out, "Of a type that this version does not know: ignore it, or look into `wire`.");
        line(out, &format!("\n    {tag}: ClassVar[Literal[\"unknown\"]] = \"unknown\""));
        line(out, "    #: All of it, as it came.\n    wire: dict[str, Any]");
        line(out, &format!("\n    @classmethod\n    def from_wire(cls, wire: Any) -> Unknown{name}:"));
        line(out, "        return cls(\n            wire=wire,");
        for field in base {
            line(out, &format!("            {}={},", snake(&field.name), self.read(field)));
        }
        line(out, "        )");
    }

    fn class(&self, out: &mut String, class: &Class<'_>, fields: &[Field]) {
        let name = class.name;
        let parents = if class.parent.is_empty() { String::new() } else { format!("({})", class.parent) };
        line(out, &format!("\n\n@dataclass(slots=True)\nclass {name}{parents}:"));
        docstring(out, class.about);
        out.push('\n');
        if let Some((tag, word)) = class.tag {
            line(out, &format!("    {tag}: ClassVar[Literal[\"{word}\"]] = \"{word}\""));
        }
        self.attributes(out, fields);
        line(out, &format!("\n    @classmethod\n    def from_wire(cls, wire: _types.{name}) -> {name}:"));
        line(out, "        return cls(");
        for field in fields.iter().chain(class.base) {
            line(out, &format!("            {}={},", snake(&field.name), self.read(field)));
        }
        line(out, "        )");
    }

    fn attributes(&self, out: &mut String, fields: &[Field]) {
        for field in fields {
            comment(out, &field.doc);
            let ty = self.ty_name(&field.ty);
            let ty = match (field.required, &field.default, &field.ty) {
                (true, ..) | (false, None, Ty::Any) => ty,
                (false, Some(_), _) => ty,
                (false, None, _) => format!("{ty} | None"),
            };
            let default = match (field.required, &field.default) {
                (true, _) => String::new(),
                (false, default) => format!(" = {}", literal(default.as_ref())),
            };
            line(out, &format!("    {}: {ty}{default}", snake(&field.name)));
        }
    }

    /// The expression that reads a field from `wire`.
    fn read(&self, field: &Field) -> String {
        let key = format!("wire[\"{}\"]", field.name);
        let value = self.convert(&field.ty, &key);
        match (field.required, value == key, &field.default) {
            (true, ..) => value,
            (false, true, None) => format!("wire.get(\"{}\")", field.name),
            (false, true, default) => format!("wire.get(\"{}\", {})", field.name, literal(default.as_ref())),
            (false, false, default) => {
                format!("{value} if \"{}\" in wire else {}", field.name, literal(default.as_ref()))
            }
        }
    }

    fn convert(&self, ty: &Ty, value: &str) -> String {
        match ty {
            Ty::List(item) => match self.convert(item, "item") {
                same if same == "item" => value.to_owned(),
                read => format!("[{read} for item in {value}]"),
            },
            Ty::Named(name) => match self.types.get(name).map(|ty| &ty.shape) {
                Some(Shape::Record(_) | Shape::Keyed { .. }) => format!("{name}.from_wire({value})"),
                Some(Shape::Union { .. }) => format!("{}_from_wire({value})", snake(name)),
                _ => value.to_owned(),
            },
            _ => value.to_owned(),
        }
    }

    fn ty_name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Text => "str".to_owned(),
            Ty::Integer => "int".to_owned(),
            Ty::Number => "float".to_owned(),
            Ty::Boolean => "bool".to_owned(),
            Ty::Any => "Any".to_owned(),
            Ty::List(item) => format!("list[{}]", self.ty_name(item)),
            Ty::Map(value) => format!("dict[str, {}]", self.ty_name(value)),
            Ty::Named(name) => match self.types.get(name).map(|ty| &ty.shape) {
                Some(Shape::Text) => "str".to_owned(),
                Some(Shape::Record(_) | Shape::Keyed { .. } | Shape::Union { .. }) => name.clone(),
                _ => format!("_types.{name}"),
            },
        }
    }
}

#[derive(Default)]
struct Class<'a> {
    name: &'a str,
    about: &'a str,
    parent: &'a str,
    base: &'a [Field],
    tag: Option<(&'a str, &'a str)>,
}

fn keyed_fields(base: &[Field], bodies: &[Field]) -> Vec<Field> {
    let bodies = bodies.iter().cloned().map(|body| Field { required: false, ..body });
    let (required, optional): (Vec<_>, Vec<_>) = base.iter().cloned().partition(|field| field.required);
    required.into_iter().chain(bodies).chain(optional).collect()
}

fn literal(value: Option<&serde_json::Value>) -> &'static str {
    match value {
        Some(serde_json::Value::Bool(true)) => "True",
        Some(serde_json::Value::Bool(false)) => "False",
        _ => "None",
    }
}
