//! JSON within a bound: what is too long is cut, and says so.

use serde_json::{Map, Value, json};

/// An object with more members is not gone through.
const MAX_MEMBERS: usize = 64;
/// What is left for a member or an element in any case: enough to say how much was left out.
const LEAST: usize = 64;

/// Makes the value as small as `budget` bytes of JSON, about.
pub(super) fn shrink(value: &mut Value, budget: usize) {
    let size = size_of(value);
    if size <= budget {
        return;
    }
    match value {
        Value::String(text) => cut(text, budget),
        Value::Array(values) => keep_first(values, budget),
        Value::Object(members) if members.len() <= MAX_MEMBERS => share(members, budget),
        _ => {}
    }
    if size_of(value) > budget.max(LEAST) {
        *value = json!({ "leftOutBytes": size });
    }
}

fn size_of(value: &Value) -> usize {
    value.to_string().len()
}

fn cut(text: &mut String, budget: usize) {
    let whole = text.len();
    let mut keep = budget.saturating_sub(LEAST);
    loop {
        let end = text.floor_char_boundary(keep);
        let shown = format!("{}[... {} bytes left out]", &text[..end], whole - end);
        // Escapes may make it longer than it looks.
        if keep == 0 || Value::from(shown.as_str()).to_string().len() <= budget {
            *text = shown;
            return;
        }
        keep /= 2;
    }
}

fn keep_first(values: &mut Vec<Value>, budget: usize) {
    let whole = values.len();
    let mut taken = LEAST;
    let fits = values.iter().take_while(|value| {
        taken += size_of(value) + 1;
        taken <= budget
    });
    let kept = fits.count();
    values.truncate(kept);
    values.push(json!({ "leftOut": whole - kept }));
}

/// The small members stay whole; what is left goes to the others in equal parts.
fn share(members: &mut Map<String, Value>, budget: usize) {
    let names: usize = members.keys().map(|name| name.len() + 4).sum();
    let mut left = budget.saturating_sub(names + 2);
    let mut sizes: Vec<usize> = members.values().map(size_of).collect();
    sizes.sort_unstable();
    let mut part = left;
    for (index, size) in sizes.iter().enumerate() {
        part = left / (sizes.len() - index);
        if *size > part {
            break;
        }
        left -= size;
    }
    for value in members.values_mut() {
        shrink(value, part.max(LEAST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shrunk(mut value: Value, budget: usize) -> Value {
        shrink(&mut value, budget);
        value
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        let value = json!({ "a": [1, "two"], "b": { "c": null } });
        assert_eq!(shrunk(value.clone(), 100), value);
    }

    #[test]
    fn the_small_members_stay_whole_and_the_large_one_is_cut() {
        let value = shrunk(json!({ "type": "tool_call", "input": { "path": "f", "content": "é".repeat(5000) } }), 1000);
        assert_eq!((&value["type"], &value["input"]["path"]), (&json!("tool_call"), &json!("f")));
        let content = value["input"]["content"].as_str().unwrap();
        assert!(content.starts_with("éé") && content.ends_with(" bytes left out]"), "{content}");
    }

    #[test]
    fn whatever_it_is_it_comes_within_the_bound() {
        let many: Map<String, Value> = (0..1000).map(|n| (format!("member {n}"), json!(n))).collect();
        for value in [
            json!("\u{1}".repeat(10_000)),
            json!((0..10_000).collect::<Vec<_>>()),
            json!({ "targets": vec!["/some/path".repeat(10); 1000], "deep": [[["x".repeat(5000)]]] }),
            json!({ "input": many }),
            json!({ "k".repeat(5000): 1 }),
        ] {
            let shrunk = shrunk(value, 1000);
            assert!(size_of(&shrunk) <= 1000, "{}: {shrunk}", size_of(&shrunk));
        }
    }
}
