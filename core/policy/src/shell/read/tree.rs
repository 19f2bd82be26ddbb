//! Nodes of the syntax tree together with their text, and the test that no byte between them is lost.

use std::ops::Range;

/// What ends a word in bash.
const METACHARACTERS: [char; 10] = [' ', '\t', '\n', ';', '|', '&', '(', ')', '<', '>'];
/// Operators of bash, the longer first: it always takes the longest that stands there.
const OPERATORS: [&str; 18] =
    ["&>>", "<<<", "<<-", ";;&", "&&", "||", "|&", ";;", ";&", "<<", ">>", "<&", ">&", "<>", ">|", "&>", "<(", ">("];

/// The text that a tree was made of.
#[derive(Clone, Copy)]
pub(super) struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// The root stands for the whole text, whatever it says itself.
    pub(super) fn root(self, node: tree_sitter::Node<'a>) -> Node<'a> {
        Node { node, text: self.0, range: 0..self.0.len() }
    }
}

/// A node with its text.
#[derive(Clone)]
pub(super) struct Node<'a> {
    node: tree_sitter::Node<'a>,
    text: &'a str,
    range: Range<usize>,
}

impl<'a> Node<'a> {
    /// The kind of the node. Errors and missing parts are of the kind `ERROR`.
    pub(super) fn kind(&self) -> &'a str {
        if self.node.is_error() || self.node.is_missing() { "ERROR" } else { self.node.kind() }
    }

    pub(super) fn is_named(&self) -> bool {
        self.node.is_named()
    }

    pub(super) fn text(&self) -> &'a str {
        self.text.get(self.range.clone()).unwrap_or_default()
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The whole text that the tree was made of.
    pub(super) fn whole(&self) -> &'a str {
        self.text
    }

    /// All children, named and not.
    pub(super) fn children(&self) -> Vec<Node<'a>> {
        let mut cursor = self.node.walk();
        self.node.children(&mut cursor).map(|node| Node { node, text: self.text, range: node.byte_range() }).collect()
    }

    /// What no child accounts for is only blanks, line continuations and, where they may stand, ends of lines.
    pub(super) fn accounts_for_all(&self, newlines: bool) -> bool {
        let mut from = self.range.start;
        for child in self.children() {
            if !is_blank(self.between(from, child.range.start), newlines) {
                return false;
            }
            from = from.max(child.range.end);
        }
        is_blank(self.between(from, self.range.end), newlines)
    }

    /// The children follow each other without a byte between them.
    pub(super) fn is_seamless(&self) -> bool {
        let mut from = self.range.start;
        for child in self.children() {
            if child.range.start != from {
                return false;
            }
            from = child.range.end;
        }
        from == self.range.end
    }

    /// Something stands between any two children that the shell would join otherwise. A redirect needs nothing before
    /// it; its parts are told apart here as well.
    pub(super) fn keeps_words_apart(&self) -> bool {
        let joins = |child: &Node<'_>| child.is_named() && !matches!(child.kind(), "file_descriptor");
        self.children().windows(2).all(|pair| match pair {
            [first, second] => {
                let free = second.kind().ends_with("_redirect") || !joins(first) || !joins(second);
                free || first.range.end < second.range.start
            }
            _ => true,
        })
    }

    /// Bash, too, begins and ends a word where the node does. The grammar often goes on with another word where nothing
    /// parts the two, and bash with the same.
    pub(super) fn is_whole_word(&self) -> bool {
        self.begins_word() && self.ends_word()
    }

    /// What stands before ends a word, or is the sign behind the name of a variable.
    pub(super) fn begins_word(&self) -> bool {
        // A continuation joins what stands on both sides of it.
        let mut before = self.between(0, self.range.start);
        while let Some(rest) = before.strip_suffix("\\\n") {
            before = rest;
        }
        before.chars().next_back().is_none_or(|before| before == '`' || METACHARACTERS.contains(&before))
    }

    /// What stands behind ends a word.
    pub(super) fn ends_word(&self) -> bool {
        let mut after = self.text.get(self.range.end..).unwrap_or_default();
        while let Some(rest) = after.strip_prefix("\\\n") {
            after = rest;
        }
        after.chars().next().is_none_or(|after| after == '`' || METACHARACTERS.contains(&after))
    }

    /// The words of the grammar itself are whole words, and its operators the ones that bash would see there.
    pub(super) fn has_marks_of_bash(&self) -> bool {
        self.children().iter().filter(|child| !child.is_named()).all(|child| {
            let kind = child.kind();
            if kind.starts_with(|it: char| it.is_ascii_alphabetic() || "!{}".contains(it)) {
                return child.is_whole_word();
            }
            let rest = self.text.get(child.range.start..).unwrap_or_default();
            let operator = OPERATORS.iter().find(|operator| rest.starts_with(**operator));
            !kind.starts_with([';', '&', '|', '<', '>']) || operator.is_none_or(|operator| kind.starts_with(operator))
        })
    }

    pub(super) fn between(&self, from: usize, to: usize) -> &'a str {
        self.text.get(from..to.max(from)).unwrap_or("?")
    }
}

/// Only blanks and line continuations, and ends of lines where they may stand. A continuation without a blank joins
/// what stands before and behind it.
fn is_blank(text: &str, newlines: bool) -> bool {
    let mut parts = false;
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' | '\t' => parts = true,
            '\n' if newlines => parts = true,
            '\\' if characters.next() == Some('\n') => {}
            _ => return false,
        }
    }
    parts || text.is_empty()
}
