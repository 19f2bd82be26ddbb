//! One concept has one name; languages differ in case style only. These are the only renamings there are.

/// `text_delta`, `auto-edit` -> `TextDelta`, `AutoEdit`.
#[must_use]
pub fn pascal(name: &str) -> String {
    name.split(['_', '-', '.'])
        .map(|word| {
            let mut letters = word.chars();
            letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
        })
        .collect()
}

/// `toolCallId` -> `tool_call_id`.
#[must_use]
pub fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// The last word of a type's name: `PermissionAnswer` -> `Answer`. Members of a union carry it as their own last word.
#[must_use]
pub fn last_word(name: &str) -> &str {
    let start = name.rfind(char::is_uppercase).unwrap_or(0);
    &name[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_their_case_style_only() {
        assert_eq!(pascal("tool_input_delta"), "ToolInputDelta");
        assert_eq!(pascal("auto-edit"), "AutoEdit");
        assert_eq!(snake("parentToolCallId"), "parent_tool_call_id");
        assert_eq!(snake("costUsd"), "cost_usd");
        assert_eq!(last_word("PermissionAnswer"), "Answer");
        assert_eq!(last_word("Event"), "Event");
    }
}
