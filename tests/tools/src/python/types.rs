//! `_types.py`: the JSON as typed dictionaries, with the names that stand in it.

use super::{alias, comment, docstring, line};
use crate::vocabulary::{Field, Member, Shape, Ty, Vocabulary};

const HEADER: &str = "\
\"\"\"The JSON that Lodger speaks, as typed dictionaries.

Generated from the Rust types in core/protocol by `make gen`. Do not edit.

Keys that are `NotRequired` are absent when there is nothing to say; they are never null.
\"\"\"

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from typing_extensions import NotRequired

";

/// Words first, then dictionaries, then those that carry others, then what is made of those: the order in which
/// Python can read it.
pub(crate) fn emit(types: &Vocabulary) -> String {
    let mut words = String::new();
    let mut dictionaries = String::new();
    let mut carriers = String::new();
    let mut unions = String::new();
    for (name, ty) in types {
        match &ty.shape {
            Shape::Text => {
                line(&mut words, &format!("#: {}\n{name}: TypeAlias = str", ty.doc));
            }
            Shape::Choice(choices) => {
                line(&mut words, &format!("#: {}\n{name}: TypeAlias = Literal[", ty.doc));
                for choice in choices {
                    line(&mut words, &format!("    # {}\n    \"{}\",", choice.doc, choice.word));
                }
                line(&mut words, "]");
            }
            Shape::Record(fields) => dictionary(&mut dictionaries, name, "TypedDict", &ty.doc, None, fields),
            Shape::Union { tag, base, members } => {
                let parent = format!("{name}Base");
                let about = format!("What every {} has.", name.to_lowercase());
                if !base.is_empty() {
                    dictionary(&mut dictionaries, &parent, "TypedDict", &about, None, base);
                }
                for member in members {
                    let parents = match (&member.carries, base.is_empty()) {
                        (_, true) => "TypedDict".to_owned(),
                        (None, false) => parent.clone(),
                        (Some(carried), false) => format!("{parent}, {carried}"),
                    };
                    let tagged = Some((tag.as_str(), member.word.as_str()));
                    let out = if member.carries.is_some() { &mut carriers } else { &mut dictionaries };
                    dictionary(out, &member.name, &parents, &member.doc, tagged, &member.fields);
                }
                alias(&mut unions, name, &ty.doc, &member_names(members));
            }
            Shape::Keyed { base, bodies, .. } => {
                let bodies = bodies.iter().cloned().map(|body| Field { required: false, ..body });
                let fields: Vec<_> = base.iter().cloned().chain(bodies).collect();
                dictionary(&mut dictionaries, name, "TypedDict", &ty.doc, None, &fields);
            }
            Shape::Either(members) => {
                for member in members {
                    dictionary(&mut dictionaries, &member.name, "TypedDict", &member.doc, None, &member.fields);
                }
                alias(&mut unions, name, &ty.doc, &member_names(members));
            }
            Shape::Plain(choices) => {
                alias(&mut unions, name, &ty.doc, &choices.iter().map(ty_name).collect::<Vec<_>>());
            }
        }
    }
    format!("{HEADER}{words}{dictionaries}{carriers}\n\n{unions}")
}

fn member_names(members: &[Member]) -> Vec<String> {
    members.iter().map(|member| member.name.clone()).collect()
}

fn dictionary(out: &mut String, name: &str, parents: &str, about: &str, tag: Option<(&str, &str)>, fields: &[Field]) {
    line(out, &format!("\n\nclass {name}({parents}):"));
    docstring(out, about);
    if tag.is_some() || !fields.is_empty() {
        out.push('\n');
    }
    if let Some((tag, word)) = tag {
        line(out, &format!("    {tag}: Literal[\"{word}\"]"));
    }
    for field in fields {
        comment(out, &field.doc);
        let ty = ty_name(&field.ty);
        let ty = if field.required { ty } else { format!("NotRequired[{ty}]") };
        line(out, &format!("    {}: {ty}", field.name));
    }
}

fn ty_name(ty: &Ty) -> String {
    match ty {
        Ty::Text => "str".to_owned(),
        Ty::Integer => "int".to_owned(),
        Ty::Number => "float".to_owned(),
        Ty::Boolean => "bool".to_owned(),
        Ty::Any => "Any".to_owned(),
        Ty::List(item) => format!("list[{}]", ty_name(item)),
        Ty::Map(value) => format!("dict[str, {}]", ty_name(value)),
        Ty::Named(name) => name.clone(),
    }
}
