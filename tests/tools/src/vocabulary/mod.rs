//! The vocabulary as the emitters see it: the few shapes that our types take.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

mod read;

pub use read::read;

/// Every named type, by name.
pub type Vocabulary = BTreeMap<String, Type>;

/// A named type.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What it is.
    pub doc: String,
    /// How it is built.
    pub shape: Shape,
}

/// How a type is built.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Text under a name of its own, such as an id.
    Text,
    /// One of a few words.
    Choice(Vec<Choice>),
    /// Named fields.
    Record(Vec<Field>),
    /// One of several records, told apart by the word in `tag`; all of them have the `base` fields.
    Union {
        /// The field that tells them apart.
        tag: String,
        /// What they all have.
        base: Vec<Field>,
        /// The members.
        members: Vec<Member>,
    },
    /// Named fields, and exactly one of `bodies`: the one that the field `tag` names.
    Keyed {
        /// The field that names the body.
        tag: String,
        /// The other fields.
        base: Vec<Field>,
        /// The bodies, each under its own name.
        bodies: Vec<Field>,
    },
    /// One of several records that have no word to tell them apart.
    Either(Vec<Member>),
    /// One of several plain types.
    Plain(Vec<Ty>),
}

/// One word of a choice.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// As it stands in JSON.
    pub word: String,
    /// What it means.
    pub doc: String,
}

/// One record of a union.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The type's name in every language, such as `TextDeltaEvent`.
    pub name: String,
    /// The word in the tag; empty where there is no tag.
    pub word: String,
    /// What it is.
    pub doc: String,
    /// What it has beside tag and base.
    pub fields: Vec<Field>,
    /// A keyed type whose fields it carries too.
    pub carries: Option<String>,
    /// The type that the union took it from, where it is a union of unions: `Entry` or `Passing` for an event.
    pub group: Option<String>,
}

/// One field.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// As it stands in JSON.
    pub name: String,
    /// What it is.
    pub doc: String,
    /// What it holds.
    pub ty: Ty,
    /// It is always there.
    pub required: bool,
    /// What its absence means, where that is a plain value.
    pub default: Option<Value>,
}

/// What a field holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// Text.
    Text,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// True or false.
    Boolean,
    /// Any JSON.
    Any,
    /// A list.
    List(Box<Ty>),
    /// Names to values.
    Map(Box<Ty>),
    /// A named type.
    Named(String),
}

/// The names of the doors and of all that they are made of.
#[must_use]
pub fn reached<'a>(types: &'a Vocabulary, doors: &[&'a str]) -> BTreeSet<&'a str> {
    let mut names = BTreeSet::new();
    let mut open = doors.to_vec();
    while let Some(name) = open.pop() {
        let Some(ty) = types.get(name) else { continue };
        if !names.insert(name) {
            continue;
        }
        let mut held: Vec<&Ty> = Vec::new();
        match &ty.shape {
            Shape::Text | Shape::Choice(_) => {}
            Shape::Record(fields) => held.extend(fields.iter().map(|field| &field.ty)),
            Shape::Keyed { base, bodies, .. } => held.extend(base.iter().chain(bodies).map(|field| &field.ty)),
            Shape::Union { base, members, .. } => {
                held.extend(base.iter().chain(members.iter().flat_map(|member| &member.fields)).map(|field| &field.ty));
                open.extend(members.iter().filter_map(|member| member.carries.as_deref()));
            }
            Shape::Either(members) => {
                held.extend(members.iter().flat_map(|member| &member.fields).map(|field| &field.ty));
            }
            Shape::Plain(choices) => held.extend(choices),
        }
        open.extend(held.into_iter().filter_map(Ty::name));
    }
    names
}

impl Ty {
    /// The named type in it, through lists and maps.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Named(name) => Some(name),
            Self::List(inner) | Self::Map(inner) => inner.name(),
            Self::Text | Self::Integer | Self::Number | Self::Boolean | Self::Any => None,
        }
    }
}
