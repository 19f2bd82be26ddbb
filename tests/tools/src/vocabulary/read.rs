//! Reads the vocabulary from its JSON Schema. A shape that the emitters have no form for is an error here, not a
//! guess in one of them.

use serde_json::{Map, Value};

use super::{Choice, Field, Member, Shape, Ty, Type, Vocabulary};
use crate::{Result, names};

/// Reads the vocabulary from the schema document.
pub fn read(document: &Value) -> Result<Vocabulary> {
    let definitions = document["$defs"].as_object().ok_or("the schema has no $defs")?;
    let mut types = Vocabulary::new();
    let mut merged = Vec::new();
    for (name, schema) in definitions {
        let reader = Reader { definitions, name };
        types.insert(name.clone(), Type { doc: doc(schema), shape: reader.shape(schema, &mut merged)? });
    }
    for name in merged {
        types.remove(&name);
    }
    Ok(types)
}

struct Reader<'a> {
    definitions: &'a Map<String, Value>,
    name: &'a str,
}

impl Reader<'_> {
    fn odd<T>(&self, what: &str) -> Result<T> {
        Err(format!("{}: {what}; teach `vocabulary` this shape, or change the type", self.name))
    }

    /// `merged` collects types that stand only inside a union and so get no name of their own.
    fn shape(&self, schema: &Value, merged: &mut Vec<String>) -> Result<Shape> {
        let branches = branches(schema);
        let own = schema.get("properties").is_some();
        if branches.is_empty() {
            return match (own, schema["type"].as_str()) {
                (true, _) => Ok(Shape::Record(self.fields(schema, None)?)),
                (false, Some("string")) if schema.get("enum").is_none() => Ok(Shape::Text),
                (false, Some("string")) => self.choice(&[schema]),
                _ => self.odd("neither a record nor text"),
            };
        }
        if own {
            if branches.iter().all(|branch| branch.get("$ref").is_some()) {
                return self.union_of_unions(schema, &branches, merged);
            }
            return match self.tag(branches[0]) {
                Some(tag) => {
                    let members = self.members(&branches, &tag, None)?;
                    Ok(Shape::Union { tag, base: self.fields(schema, None)?, members })
                }
                None => self.keyed(schema, &branches),
            };
        }
        if branches.iter().all(|branch| branch.get("const").is_some() || branch.get("enum").is_some()) {
            return self.choice(&branches);
        }
        if branches.iter().all(|branch| branch.get("properties").is_some()) {
            return match self.tag(branches[0]) {
                Some(tag) => {
                    let members = self.members(&branches, &tag, None)?;
                    Ok(Shape::Union { tag, base: Vec::new(), members })
                }
                None => self.either(&branches),
            };
        }
        Ok(Shape::Plain(branches.iter().map(|branch| self.ty(branch)).collect::<Result<_>>()?))
    }

    fn choice(&self, branches: &[&Value]) -> Result<Shape> {
        let mut words = Vec::new();
        for branch in branches {
            let listed = branch["enum"].as_array().into_iter().flatten();
            for word in listed.chain(branch.get("const")) {
                let Some(word) = word.as_str() else { return self.odd("a choice of something other than words") };
                words.push(Choice { word: word.to_owned(), doc: doc(branch) });
            }
        }
        Ok(Shape::Choice(words))
    }

    /// A record flattened over other unions: an envelope around what happened.
    fn union_of_unions(&self, schema: &Value, branches: &[&Value], merged: &mut Vec<String>) -> Result<Shape> {
        let mut members = Vec::new();
        let mut tag = None;
        for branch in branches {
            let Some(name) = branch["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) else {
                return self.odd("an unknown reference");
            };
            let inner = self::branches(&self.definitions[name]);
            let Some(inner_tag) = inner.first().and_then(|first| self.tag(first)) else {
                return self.odd("a part without a tag");
            };
            members.extend(self.members(&inner, &inner_tag, Some(name))?);
            tag = Some(inner_tag);
            merged.push(name.to_owned());
        }
        let Some(tag) = tag else { return self.odd("a union of nothing") };
        Ok(Shape::Union { tag, base: self.fields(schema, None)?, members })
    }

    fn keyed(&self, schema: &Value, branches: &[&Value]) -> Result<Shape> {
        let tag = "kind".to_owned();
        let base = self.fields(schema, Some(&tag))?;
        let mut bodies = Vec::new();
        for branch in branches {
            let mut fields = self.fields(branch, None)?;
            let Some(mut body) = fields.pop().filter(|_| fields.is_empty()) else {
                return self.odd("a body that is not one field");
            };
            body.doc = doc(branch);
            bodies.push(body);
        }
        Ok(Shape::Keyed { tag, base, bodies })
    }

    fn members(&self, branches: &[&Value], tag: &str, group: Option<&str>) -> Result<Vec<Member>> {
        branches
            .iter()
            .map(|branch| {
                let Some(word) = branch["properties"][tag]["const"].as_str() else {
                    return self.odd("a member without a tag");
                };
                let carries = self.carried(branch)?;
                let mut fields = self.fields(branch, Some(tag))?;
                if carries.is_some() {
                    fields.clear();
                }
                Ok(Member {
                    name: format!("{}{}", names::pascal(word), names::last_word(self.name)),
                    word: word.to_owned(),
                    doc: doc(branch),
                    fields,
                    carries,
                    group: group.map(str::to_owned),
                })
            })
            .collect()
    }

    /// The named type that a member carries flattened, found by its choice of bodies.
    fn carried(&self, branch: &Value) -> Result<Option<String>> {
        let Some(bodies) = branch.get("oneOf") else { return Ok(None) };
        match self.definitions.iter().find(|(_, other)| other.get("oneOf") == Some(bodies)) {
            Some((name, _)) => Ok(Some(name.clone())),
            None => self.odd("a member with bodies of its own"),
        }
    }

    fn either(&self, branches: &[&Value]) -> Result<Shape> {
        let mut members = Vec::new();
        for branch in branches {
            let fields = self.fields(branch, None)?;
            let Some(first) = fields.first() else { return self.odd("a member without fields") };
            members.push(Member {
                name: format!("{}{}", self.name, names::pascal(&first.name)),
                word: String::new(),
                doc: doc(branch),
                fields,
                carries: None,
                group: None,
            });
        }
        Ok(Shape::Either(members))
    }

    /// Fields in reading order: the required ones as they are declared, then the others by name.
    fn fields(&self, schema: &Value, without: Option<&str>) -> Result<Vec<Field>> {
        let Some(properties) = schema["properties"].as_object() else { return Ok(Vec::new()) };
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let optional = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
        required
            .iter()
            .copied()
            .chain(optional)
            .filter(|name| Some(*name) != without)
            .map(|name| {
                let property = &properties[name];
                Ok(Field {
                    name: name.to_owned(),
                    doc: doc(property),
                    ty: self.ty(property)?,
                    required: required.contains(&name),
                    default: property.get("default").filter(|value| value.is_boolean()).cloned(),
                })
            })
            .collect()
    }

    fn ty(&self, schema: &Value) -> Result<Ty> {
        if let Some(path) = schema["$ref"].as_str() {
            return Ok(Ty::Named(path.trim_start_matches("#/$defs/").to_owned()));
        }
        let branches: Vec<_> = branches(schema).into_iter().filter(|branch| branch["type"] != "null").collect();
        if let [only] = branches[..] {
            return self.ty(only);
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).find(|kind| *kind != "null"),
            kind => kind.as_str(),
        };
        match kind {
            Some("string") => Ok(Ty::Text),
            Some("integer") => Ok(Ty::Integer),
            Some("number") => Ok(Ty::Number),
            Some("boolean") => Ok(Ty::Boolean),
            Some("array") => Ok(Ty::List(Box::new(self.ty(&schema["items"])?))),
            Some("object") => Ok(Ty::Map(Box::new(self.ty(&schema["additionalProperties"])?))),
            None if branches.is_empty() => Ok(Ty::Any),
            _ => self.odd("a field of a shape that has no name"),
        }
    }

    fn tag(&self, branch: &Value) -> Option<String> {
        let properties = branch["properties"].as_object()?;
        properties.iter().find(|(_, property)| property.get("const").is_some()).map(|(name, _)| name.clone())
    }
}

fn branches(schema: &Value) -> Vec<&Value> {
    ["oneOf", "anyOf"].iter().filter_map(|key| schema[key].as_array()).flatten().collect()
}

/// The description, without the brackets of Rust's links.
fn doc(schema: &Value) -> String {
    schema["description"].as_str().unwrap_or_default().replace("[`", "`").replace("`]", "`")
}
