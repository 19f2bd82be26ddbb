//! `_events.py`: what an agent hands out, as views of its JSON.
//!
//! A fast stream makes one object for each delta, and a program loads all classes before its first prompt: an object is
//! no more than a hold on its dictionary, and a class no more than its read-only properties. See `_record.py`.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::{LINE_WIDTH, alias, docstring, keyed_fields, line};
use crate::names::snake;
use crate::vocabulary::{self, Field, Member, Shape, Ty, Type, Vocabulary};

const HEADER: &str = "\
\"\"\"What an agent hands out: events, requests and results, as objects.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.

Attributes have the names of the JSON, in snake_case; what is absent there is `None` here. They are read-only, and the
objects and lists in them are made when they are looked at. An event or a block of a type that this version does not
know comes as `UnknownEvent` or `UnknownContent`: ignore it.
\"\"\"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

from ._record import Record

if TYPE_CHECKING:
    from . import _types
";

/// What a host may hand over as well, so that it must be able to make it.
const MADE_BY_HOSTS: &str = "Prompt";

/// What a host receives; what it sends stays a dictionary.
const DOORS: &[&str] = &["Event", "Request", "TurnResult", "Diagnostic", "UsageReport", "Message", "Error"];

pub(crate) fn emit(types: &Vocabulary) -> String {
    let emitter = Emitter { types, made_by_hosts: vocabulary::reached(types, &[MADE_BY_HOSTS]) };
    let mut classes = String::new();
    let mut unions = String::new();
    for name in vocabulary::reached(types, DOORS) {
        emitter.named(name, &types[name], &mut classes, &mut unions);
    }
    format!("{HEADER}{classes}{unions}")
}

struct Emitter<'a> {
    types: &'a Vocabulary,
    made_by_hosts: BTreeSet<&'a str>,
}

impl Emitter<'_> {
    fn named(&self, name: &str, ty: &Type, classes: &mut String, unions: &mut String) {
        let class = Class { name, about: &ty.doc, parent: "Record", ..Class::default() };
        match &ty.shape {
            Shape::Record(fields) => {
                self.class(classes, &class, fields);
            }
            Shape::Keyed { tag, base, bodies } => {
                self.class(classes, &class, &keyed_fields(self.types, tag, base, bodies));
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
        let parent = if base.is_empty() { "Record" } else { base_name.as_str() };
        if !base.is_empty() {
            let about = format!("What every {} has.", name.to_lowercase());
            self.class(classes, &Class { name: &base_name, about: &about, parent: "Record", ..Class::default() }, base);
        }
        for member in members {
            let carried = member.carries.as_ref().and_then(|carried| self.types.get(carried));
            let fields = match carried.map(|carried| &carried.shape) {
                Some(Shape::Keyed { tag, base, bodies }) => keyed_fields(self.types, tag, base, bodies),
                _ => member.fields.clone(),
            };
            let is_made_by_hosts = self.made_by_hosts.contains(name);
            let tag = Some((tag, member.word.as_str()));
            let class = Class { name: &member.name, about: &member.doc, parent, tag, is_made_by_hosts };
            self.class(classes, &class, &fields);
        }
        unknown(classes, name, tag, parent);
        let unknown = format!("Unknown{name}");
        let mut names: Vec<_> = members.iter().map(|member| member.name.clone()).collect();
        names.push(unknown.clone());
        unions.push_str("\n\n");
        alias(unions, name, &ty.doc, &names);
        let lower = snake(name);
        let table = format!("_{}", lower.to_uppercase());
        line(unions, &format!("\n{table}: dict[str, type[{name}]] = {{"));
        for member in members {
            line(unions, &format!("    \"{}\": {},", member.word, member.name));
        }
        line(unions, "}");
        line(unions, &format!("\n\ndef {lower}_from_wire(wire: Any) -> {name}:"));
        line(unions, &format!("    \"\"\"Reads any {lower}; one of a type that is not known too.\"\"\""));
        line(unions, &format!("    return {table}.get(wire[\"{tag}\"], {unknown}).from_wire(wire)"));
    }

    fn class(&self, out: &mut String, class: &Class<'_>, fields: &[Field]) {
        let Class { name, about, parent, tag, is_made_by_hosts } = class;
        open_class(out, name, parent, about);
        if !fields.is_empty() {
            let names: Vec<_> = fields.iter().map(|field| format!("\"{}\"", snake(&field.name))).collect();
            let comma = if names.len() == 1 { "," } else { "" };
            let one_line = format!("    __match_args__ = ({}{comma})", names.join(", "));
            if one_line.len() <= LINE_WIDTH {
                line(out, &one_line);
            } else {
                line(out, &format!("    __match_args__ = (\n        {},\n    )", names.join(",\n        ")));
            }
        }
        if let Some((tag, word)) = tag {
            line(out, &format!("    {tag}: ClassVar[Literal[\"{word}\"]] = \"{word}\""));
        }
        line(out, &format!("    _wire: _types.{name}"));
        if let Some(tag) = tag.filter(|_| *is_made_by_hosts) {
            self.constructor(out, tag, fields);
        }
        for field in fields {
            self.property(out, field);
        }
    }

    fn property(&self, out: &mut String, field: &Field) {
        line(out, &format!("\n    @property\n    def {}(self) -> {}:", snake(&field.name), self.attribute_type(field)));
        line(out, &format!("        \"\"\"{}\"\"\"", field.doc.replace('\n', "\n        ")));
        line(out, &format!("        return {}", self.read(field)));
    }

    /// Fields that must be given come first, each in the order of the JSON.
    fn constructor(&self, out: &mut String, (tag, word): (&str, &str), fields: &[Field]) {
        let (required, optional): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.required);
        let mut parameters = String::new();
        let mut wire = format!("\"{tag}\": \"{word}\"");
        for field in required.into_iter().chain(optional) {
            let name = snake(&field.name);
            let default = if field.required { "" } else { &format!(" = {}", literal(field.default.as_ref())) };
            let _ = write!(parameters, ", {name}: {}{default}", self.attribute_type(field));
            let _ = write!(wire, ", \"{}\": {name}", field.name);
        }
        line(out, &format!("\n    def __init__(self{parameters}) -> None:\n        self._fill({{{wire}}})"));
    }

    fn attribute_type(&self, field: &Field) -> String {
        let ty = self.ty_name(&field.ty);
        match (field.required, &field.default, &field.ty) {
            (true, ..) | (false, None, Ty::Any) | (false, Some(_), _) => ty,
            (false, None, _) => format!("{ty} | None"),
        }
    }

    /// The expression that reads a field.
    fn read(&self, field: &Field) -> String {
        let key = format!("self._wire[\"{}\"]", field.name);
        let value = self.convert(&field.ty, &key);
        match (field.required, value == key, &field.default) {
            (true, ..) => value,
            (false, true, None) => format!("self._wire.get(\"{}\")", field.name),
            (false, true, default) => format!("self._wire.get(\"{}\", {})", field.name, literal(default.as_ref())),
            (false, false, default) => {
                format!("{value} if \"{}\" in self._wire else {}", field.name, literal(default.as_ref()))
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
    tag: Option<(&'a str, &'a str)>,
    is_made_by_hosts: bool,
}

fn open_class(out: &mut String, name: &str, parent: &str, about: &str) {
    line(out, &format!("\n\nclass {name}({parent}):"));
    docstring(out, about);
    line(out, "\n    __slots__ = ()");
}

fn unknown(out: &mut String, name: &str, tag: &str, parent: &str) {
    let about = "Of a type that this version does not know: ignore it, or look into `wire`.";
    open_class(out, &format!("Unknown{name}"), parent, about);
    line(out, "    __match_args__ = (\"wire\",)");
    line(out, &format!("    {tag}: ClassVar[Literal[\"unknown\"]] = \"unknown\""));
    line(out, "\n    @property\n    def wire(self) -> dict[str, Any]:");
    line(out, "        \"\"\"All of it, as it came.\"\"\"\n        return self.to_wire()");
}

fn literal(value: Option<&serde_json::Value>) -> &'static str {
    match value {
        Some(serde_json::Value::Bool(true)) => "True",
        Some(serde_json::Value::Bool(false)) => "False",
        _ => "None",
    }
}
