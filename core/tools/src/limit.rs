//! No tool can forget the bound of its output: the engine passes every output through here.

use lodger_protocol::Content;

use crate::ToolOutput;

/// What a tool that keeps its output within the bound itself may say about it beyond.
const REMARKS: usize = 1024;

/// The output with its text cut in the middle to at most `max_bytes`: the head and the tail stay, since errors
/// stand at either end. Says how much was left out. What a tool kept within the bound itself is not cut for what it
/// says about it.
#[must_use]
pub fn limited(mut output: ToolOutput, max_bytes: usize) -> ToolOutput {
    let total: usize = output.content.iter().map(text_len).sum();
    let remarks = if output.bounded { REMARKS } else { 0 };
    if total <= max_bytes.saturating_add(remarks) {
        return output;
    }
    output.truncated = true;
    for block in &mut output.content {
        if let Content::Text { text } | Content::Resource { text, .. } = block {
            // Each block keeps its share of the whole. Neither factor is over 2^53 in any real output.
            let share = (text.len() as f64 / total as f64 * max_bytes as f64) as usize;
            *text = cut_middle(text, share);
        }
    }
    output
}

fn text_len(block: &Content) -> usize {
    match block {
        Content::Text { text } | Content::Resource { text, .. } => text.len(),
        _ => 0,
    }
}

fn cut_middle(text: &str, max_bytes: usize) -> String {
    if text.len() <= max_bytes {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(max_bytes / 2);
    let tail = text.ceil_char_boundary(text.len() - max_bytes / 2);
    let left_out = tail - head;
    format!("{}\n[... {left_out} bytes left out ...]\n{}", &text[..head], &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_within_the_bound_is_untouched() {
        let output = ToolOutput::text("short");
        assert_eq!(limited(output.clone(), 5), output);
    }

    #[test]
    fn long_output_keeps_head_and_tail_and_says_what_is_missing() {
        let output = limited(ToolOutput::text(format!("head{}tail", "x".repeat(1000))), 8);
        assert!(output.truncated);
        assert_eq!(output.content, [Content::text("head\n[... 1000 bytes left out ...]\ntail")]);
    }

    #[test]
    fn output_that_is_within_the_bound_already_may_say_so() {
        let output = ToolOutput { bounded: true, ..ToolOutput::text("12345678 [cut]") };
        assert_eq!(limited(output.clone(), 8), output);
        let forgot = ToolOutput { bounded: true, ..ToolOutput::text("x".repeat(5000)) };
        assert!(Content::joined_text(&limited(forgot, 8).content).contains("bytes left out"));
    }

    #[test]
    fn characters_are_never_cut_in_half() {
        let output = limited(ToolOutput::text("ä".repeat(100)), 9);
        assert!(Content::joined_text(&output.content).starts_with("ää\n"));
    }
}
