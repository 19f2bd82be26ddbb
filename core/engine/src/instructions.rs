//! What the model is told before the conversation.

use lodger_protocol::AgentOptions;

/// The base prompt of an agent that has a folder and no `instructions` of its own.
pub const BASE_PROMPT: &str = include_str!("base_prompt.md");

/// The whole system prompt of an agent; empty: none.
#[must_use]
pub fn system_prompt(options: &AgentOptions) -> String {
    let base = match (&options.instructions, &options.cwd) {
        (Some(instructions), _) => instructions.joined(),
        (None, Some(cwd)) => format!("{BASE_PROMPT}\nWorking folder: {cwd}\n"),
        (None, None) => String::new(),
    };
    let more = options.append_instructions.as_ref().map(lodger_protocol::TextOrList::joined).unwrap_or_default();
    match (base.is_empty(), more.is_empty()) {
        (_, true) => base,
        (true, false) => more,
        (false, false) => format!("{}\n\n{more}", base.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::TextOrList;

    use super::*;

    #[test]
    fn a_folder_brings_the_base_prompt_and_names_itself() {
        let options = AgentOptions { cwd: Some("/w".to_owned()), ..AgentOptions::default() };
        let prompt = system_prompt(&options);
        assert!(prompt.starts_with(BASE_PROMPT) && prompt.contains("Working folder: /w"));
    }

    #[test]
    fn without_a_folder_there_is_no_hidden_prompt() {
        assert_eq!(system_prompt(&AgentOptions::default()), "");
    }

    #[test]
    fn an_empty_list_of_instructions_means_none() {
        let options = AgentOptions {
            cwd: Some("/w".to_owned()),
            instructions: Some(TextOrList::List(vec![])),
            append_instructions: Some(TextOrList::Text("more".to_owned())),
            ..AgentOptions::default()
        };
        assert_eq!(system_prompt(&options), "more");
    }
}
