//! Typed dictionaries: `_types.py` is the JSON with the names that stand in it, `_inputs.py` is what a host hands
//! over, in snake_case.

use super::{alias, comment, docstring, keyed_fields, line};
use crate::names::snake;
use crate::vocabulary::{self, Field, Member, Shape, Ty, Type, Vocabulary};

const WIRE: &str = "\
\"\"\"The JSON that Lodger speaks, as typed dictionaries.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.

Keys that are `NotRequired` are absent when there is nothing to say; they are never null.
\"\"\"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

";

const INPUTS: &str = "\
\"\"\"What a host hands over: options, prompts and answers, as typed dictionaries in snake_case.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.
\"\"\"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from . import _types

if TYPE_CHECKING:
    from typing_extensions import NotRequired
";

/// What a host hands over.
const INPUT_DOORS: &[&str] =
    &["AgentOptions", "Prompt", "PermissionAnswer", "ToolAnswer", "QuestionAnswer", "PlanAnswer", "CheckAnswer"];

/// The JSON as it is.
pub(crate) fn emit(types: &Vocabulary) -> String {
    let mut emitter = Emitter::new(types, Style::Wire);
    for (name, ty) in types {
        emitter.named(name, ty);
    }
    format!("{WIRE}{}", emitter.finish())
}

/// What a host hands over.
pub(crate) fn emit_inputs(types: &Vocabulary) -> String {
    let mut emitter = Emitter::new(types, Style::Inputs);
    for name in vocabulary::reached(types, INPUT_DOORS) {
        emitter.named(name, &types[name]);
    }
    format!("{INPUTS}{}", emitter.finish())
}

#[derive(Clone, Copy, PartialEq)]
enum Style {
    /// Keys as in JSON; words and ids are defined here.
    Wire,
    /// Keys in snake_case; words come from `_types`.
    Inputs,
}

/// Words first, then dictionaries, then those that carry others, then what is made of those: the order in which
/// Python can read it.
struct Emitter<'a> {
    types: &'a Vocabulary,
    style: Style,
    words: String,
    dictionaries: String,
    carriers: String,
    unions: String,
}

impl<'a> Emitter<'a> {
    fn new(types: &'a Vocabulary, style: Style) -> Self {
        let [words, dictionaries, carriers, unions] = [const { String::new() }; 4];
        Self { types, style, words, dictionaries, carriers, unions }
    }

    fn finish(self) -> String {
        format!("{}{}{}\n\n{}", self.words, self.dictionaries, self.carriers, self.unions)
    }

    fn named(&mut self, name: &str, ty: &Type) {
        match &ty.shape {
            Shape::Text | Shape::Choice(_) if self.style == Style::Inputs => {}
            Shape::Text => {
                comment(&mut self.words, "#: ", &ty.doc);
                line(&mut self.words, &format!("{name}: TypeAlias = str"));
            }
            Shape::Choice(choices) => {
                comment(&mut self.words, "#: ", &ty.doc);
                line(&mut self.words, &format!("{name}: TypeAlias = Literal["));
                for choice in choices {
                    comment(&mut self.words, "    # ", &choice.doc);
                    line(&mut self.words, &format!("    \"{}\",", choice.word));
                }
                line(&mut self.words, "]");
            }
            Shape::Record(fields) => self.dictionary(name, &ty.doc, fields),
            Shape::Keyed { tag, base, bodies } => {
                self.dictionary(name, &ty.doc, &keyed_fields(self.types, tag, base, bodies));
            }
            Shape::Union { tag, base, members } => {
                let parent = format!("{name}Base");
                if !base.is_empty() {
                    self.dictionary(&parent, &format!("What every {} has.", name.to_lowercase()), base);
                }
                for member in members {
                    let parents: Vec<_> =
                        [&parent].into_iter().filter(|_| !base.is_empty()).chain(&member.carries).cloned().collect();
                    self.member(&parents.join(", "), Some(tag), member);
                }
                self.alias(name, &ty.doc, members);
            }
            Shape::Either(members) => {
                for member in members {
                    self.member("", None, member);
                }
                self.alias(name, &ty.doc, members);
            }
            Shape::Plain(choices) => {
                let choices: Vec<_> = choices.iter().map(|ty| self.ty_name(ty)).collect();
                alias(&mut self.unions, name, &ty.doc, &choices);
            }
        }
    }

    fn alias(&mut self, name: &str, about: &str, members: &[Member]) {
        let names: Vec<_> = members.iter().map(|member| member.name.clone()).collect();
        alias(&mut self.unions, name, about, &names);
    }

    fn dictionary(&mut self, name: &str, about: &str, fields: &[Field]) {
        let text = self.class(name, "", about, None, fields);
        self.dictionaries += &text;
    }

    fn member(&mut self, parents: &str, tag: Option<&str>, member: &Member) {
        let tag = tag.map(|tag| (tag, member.word.as_str()));
        let text = self.class(&member.name, parents, &member.doc, tag, &member.fields);
        if member.carries.is_some() {
            self.carriers += &text;
        } else {
            self.dictionaries += &text;
        }
    }

    fn class(&self, name: &str, parents: &str, about: &str, tag: Option<(&str, &str)>, fields: &[Field]) -> String {
        let mut out = String::new();
        let parents = if parents.is_empty() { "TypedDict" } else { parents };
        line(&mut out, &format!("\n\nclass {name}({parents}):"));
        docstring(&mut out, about);
        if tag.is_some() || !fields.is_empty() {
            out.push('\n');
        }
        if let Some((tag, word)) = tag {
            line(&mut out, &format!("    {tag}: Literal[\"{word}\"]"));
        }
        for field in fields {
            comment(&mut out, "    #: ", &field.doc);
            let ty = self.ty_name(&field.ty);
            let ty = if field.required { ty } else { format!("NotRequired[{ty}]") };
            let key = if self.style == Style::Inputs { snake(&field.name) } else { field.name.clone() };
            line(&mut out, &format!("    {key}: {ty}"));
        }
        out
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
                Some(Shape::Text) if self.style == Style::Inputs => "str".to_owned(),
                Some(Shape::Choice(_)) if self.style == Style::Inputs => format!("_types.{name}"),
                _ => name.clone(),
            },
        }
    }
}
