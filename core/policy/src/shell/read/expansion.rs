//! Expansions in words: what runs in them is taken in, what could run code by a variable's content is objected to.

use super::tree::Node;
use super::word::Stands;
use super::{Around, Reader};
use crate::shell::NotUnderstood;

impl Reader {
    /// Reads one expansion.
    pub(super) fn expansion(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if depth > super::MAX_DEPTH {
            return self.object(NotUnderstood::TooLarge("48 levels of nesting"));
        }
        match node.kind() {
            "simple_expansion" if is_simple(node.text()) => {}
            "expansion" => {
                if !is_plain(node.text()) {
                    self.object(NotUnderstood::Expansion(node.text().to_owned()));
                    self.deeper(node, around, depth);
                }
            }
            "arithmetic_expansion" => {
                if !is_number_work(node.text()) {
                    self.object(NotUnderstood::Expansion(node.text().to_owned()));
                    self.deeper(node, around, depth);
                }
            }
            "command_substitution" | "process_substitution" => {
                // Within backquotes a backslash is taken off before the text is read: such text is not what it seems.
                if node.text().starts_with('`') && node.text().contains('\\') {
                    self.syntax(node);
                    return self.backquoted(node.text(), around, depth);
                }
                let mut around = around.clone();
                around.place.substitution = true;
                around.place.piped = false;
                around.redirects.clear();
                self.statements(node, &around, depth);
            }
            _ => {
                self.syntax(node);
                self.deeper(node, around, depth);
            }
        }
    }

    /// Reads what stands in backquotes in a text, which the grammar does not read everywhere, for the rules that deny.
    pub(super) fn backquoted(&mut self, text: &str, around: &Around, depth: usize) {
        let whole = text.replace("\\\\", "\\").replace("\\$", "$");
        let mut around = around.clone();
        around.place.substitution = true;
        around.redirects.clear();
        let outer = whole.replace("\\`", "\u{0}");
        for code in outer.split('`').skip(1).step_by(2) {
            self.code(&code.replace('\u{0}', "`"), &around, depth + 1);
        }
    }

    /// Looks for commands further in, for the rules that deny.
    fn deeper(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        self.backquoted(node.text(), around, depth);
        for child in node.children() {
            if !child.children().is_empty() {
                self.word(&child, Stands::Value, around, depth + 1);
            }
        }
    }
}

/// `$name`, `$1` or `$?`.
fn is_simple(text: &str) -> bool {
    let Some(name) = text.strip_prefix('$') else { return false };
    is_name(name) || matches!(name, "?" | "#" | "@" | "*" | "$" | "!" | "-" | "_") || is_digit(name)
}

fn is_digit(text: &str) -> bool {
    text.len() == 1 && text.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn is_name(text: &str) -> bool {
    !text.starts_with(|first: char| first.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `${name}`, `${#name}`, or one with a default or a cut that is plain text: nothing in it runs or sets anything.
fn is_plain(text: &str) -> bool {
    let Some(inner) = text.strip_prefix("${").and_then(|text| text.strip_suffix('}')) else { return false };
    let inner = inner.strip_prefix('#').filter(|rest| is_name(rest)).unwrap_or(inner);
    let end = inner.find(|it: char| !it.is_ascii_alphanumeric() && it != '_').unwrap_or(inner.len());
    let (name, rest) = inner.split_at(end);
    if !is_name(name) && !is_digit(name) {
        return false;
    }
    let is_text = |text: &str| text.chars().all(|it| it.is_ascii_alphanumeric() || "_./-*, ".contains(it));
    rest.is_empty()
        || [":-", ":+", ":?", "-", "+", "?", "##", "#", "%%", "%"]
            .iter()
            .any(|operator| rest.strip_prefix(operator).is_some_and(is_text))
}

/// Numbers and operators only: names are evaluated, and what a variable holds can run commands.
fn is_number_work(text: &str) -> bool {
    let inner = text.strip_prefix("$((").and_then(|text| text.strip_suffix("))"));
    inner.is_some_and(|inner| inner.chars().all(|it| it.is_ascii_digit() || "+-*/%() ".contains(it)))
}
