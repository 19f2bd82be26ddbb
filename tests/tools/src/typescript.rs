//! TypeScript types. `Event` narrows on `type`, `Request` on `kind`.

use std::fmt::Write;

use crate::vocabulary::{Field, Member, Shape, Ty, Vocabulary};

const HEADER: &str = "\
// Generated from the Rust types in core/protocol by `make gen`. Do not edit.
//
// Optional members are absent when there is nothing to say; they are never null. A server or library newer than
// these types may send events, blocks and codes that are not listed here: ignore what you do not know.
";

pub(crate) fn emit(types: &Vocabulary) -> String {
    let mut out = HEADER.to_owned();
    for (name, ty) in types {
        out.push('\n');
        match &ty.shape {
            Shape::Text => {
                doc(&mut out, "", &ty.doc);
                line(&mut out, &format!("export type {name} = string;"));
            }
            Shape::Choice(choices) => {
                doc(&mut out, "", &ty.doc);
                line(&mut out, &format!("export type {name} ="));
                for (place, choice) in choices.iter().enumerate() {
                    doc(&mut out, "  ", &choice.doc);
                    line(&mut out, &format!("  | '{}'{}", choice.word, end(place, choices.len())));
                }
            }
            Shape::Record(fields) => {
                doc(&mut out, "", &ty.doc);
                interface(&mut out, name, fields);
            }
            Shape::Union { tag, base, members } => union(&mut out, name, &ty.doc, tag, base, members),
            Shape::Keyed { tag, base, bodies } => {
                line(&mut out, &format!("/** What every {} has. */", name.to_lowercase()));
                interface(&mut out, &format!("{name}Base"), base);
                out.push('\n');
                doc(&mut out, "", &ty.doc);
                line(&mut out, &format!("export type {name} = {name}Base &"));
                line(&mut out, "  (");
                for body in bodies {
                    doc(&mut out, "    ", &body.doc);
                    line(&mut out, &format!("    | {{ {tag}: '{0}'; {0}: {1} }}", body.name, ty_name(&body.ty)));
                }
                line(&mut out, "  );");
            }
            Shape::Either(members) => {
                doc(&mut out, "", &ty.doc);
                line(&mut out, &format!("export type {name} ="));
                for (place, member) in members.iter().enumerate() {
                    doc(&mut out, "  ", &member.doc);
                    line(&mut out, "  | {");
                    fields(&mut out, "      ", &member.fields);
                    line(&mut out, &format!("    }}{}", end(place, members.len())));
                }
            }
            Shape::Plain(choices) => {
                doc(&mut out, "", &ty.doc);
                let choices: Vec<_> = choices.iter().map(ty_name).collect();
                line(&mut out, &format!("export type {name} = {};", choices.join(" | ")));
            }
        }
    }
    out
}

fn union(out: &mut String, name: &str, about: &str, tag: &str, base: &[Field], members: &[Member]) {
    doc(out, "", about);
    line(out, &format!("export type {name} ="));
    for (place, member) in members.iter().enumerate() {
        line(out, &format!("  | {}{}", member.name, end(place, members.len())));
    }
    let base_name = format!("{name}Base");
    if !base.is_empty() {
        line(out, &format!("\n/** What every {} has. */", name.to_lowercase()));
        interface(out, &base_name, base);
    }
    for member in members {
        out.push('\n');
        doc(out, "", &member.doc);
        if let Some(carried) = &member.carries {
            let tagged = format!("{{ {tag}: '{}' }}", member.word);
            line(out, &format!("export type {} = {base_name} & {tagged} & {carried};", member.name));
            continue;
        }
        let extends = if base.is_empty() { String::new() } else { format!(" extends {base_name}") };
        line(out, &format!("export interface {}{extends} {{", member.name));
        line(out, &format!("  {tag}: '{}';", member.word));
        fields(out, "  ", &member.fields);
        line(out, "}");
    }
}

fn interface(out: &mut String, name: &str, members: &[Field]) {
    line(out, &format!("export interface {name} {{"));
    fields(out, "  ", members);
    line(out, "}");
}

fn fields(out: &mut String, indent: &str, fields: &[Field]) {
    for field in fields {
        doc(out, indent, &field.doc);
        let optional = if field.required { "" } else { "?" };
        line(out, &format!("{indent}{}{optional}: {};", field.name, ty_name(&field.ty)));
    }
}

fn ty_name(ty: &Ty) -> String {
    match ty {
        Ty::Text => "string".to_owned(),
        Ty::Integer | Ty::Number => "number".to_owned(),
        Ty::Boolean => "boolean".to_owned(),
        Ty::Any => "unknown".to_owned(),
        Ty::List(item) => format!("{}[]", ty_name(item)),
        Ty::Map(value) => format!("Record<string, {}>", ty_name(value)),
        Ty::Named(name) => name.clone(),
    }
}

fn end(place: usize, length: usize) -> &'static str {
    if place + 1 == length { ";" } else { "" }
}

fn doc(out: &mut String, indent: &str, text: &str) {
    if text.is_empty() {
        return;
    }
    match text.lines().collect::<Vec<_>>()[..] {
        [only] => line(out, &format!("{indent}/** {only} */")),
        ref lines => {
            line(out, &format!("{indent}/**"));
            for text in lines {
                line(out, format!("{indent} * {text}").trim_end());
            }
            line(out, &format!("{indent} */"));
        }
    }
}

fn line(out: &mut String, text: &str) {
    let _ = writeln!(out, "{text}");
}
