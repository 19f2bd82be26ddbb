//! Here-documents. Where one ends is found a second time by hand, since everything behind it depends on that.

use super::redirect::Redirects;
use super::statement::opened_are_filled;
use super::tree::Node;
use super::word::Stands;
use super::{Around, Reader, Redirect, Word};
use crate::shell::NotUnderstood;
use crate::shell::facts::{Direction, RedirectTarget};

impl Reader {
    pub(super) fn here_document(&mut self, node: &Node<'_>, found: &mut Redirects, around: &Around, depth: usize) {
        let mut tabs = false;
        let mut start: Option<Node<'_>> = None;
        let mut body = None;
        let mut end = None;
        if !node.has_marks_of_bash() {
            self.syntax(node);
        }
        let children = node.children();
        if !opened_are_filled(&children) {
            self.syntax(node);
        }
        for child in children {
            // What belongs to the command stands in one line with the mark; the grammar looks for it in the text as well.
            let is_text = matches!(child.kind(), "heredoc_body" | "heredoc_end");
            let goes_on =
                start.as_ref().is_some_and(|start| node.between(start.range().end, child.range().end).contains('\n'));
            if goes_on && !is_text {
                self.syntax(&child);
            }
            match child.kind() {
                "<<" | "<<-" if start.is_none() => tabs = child.kind() == "<<-",
                "file_descriptor" if start.is_none() => {}
                "heredoc_start" if start.is_none() => start = Some(child),
                "heredoc_body" if body.is_none() => body = Some(child),
                "heredoc_end" if body.is_some() => end = Some(child),
                _ if start.is_none() || body.is_some() => self.syntax(&child),
                "&&" | "||" | "|" | "|&" => {}
                "file_redirect" => self.file_redirect(&child, found, around, depth + 1),
                "word" | "string" | "raw_string" | "concatenation" | "number" => {
                    found.words.push(self.word(&child, Stands::Free, around, depth + 1));
                }
                _ => {
                    let mut around = around.clone();
                    around.redirects.clear();
                    self.statement(&child, &around, depth + 1);
                }
            }
        }
        let (Some(start), Some(body), Some(end)) = (start, body, end) else { return self.syntax(node) };
        let Some((mark, quoted)) = delimiter(start.text()) else { return self.syntax(&start) };
        match by_hand(node.whole(), start.range().end, mark, tabs) {
            Some((from, to)) if from <= body.range().start && to == end.range().start && end.text() == mark => {
                let text = node.between(from, to);
                let text = if tabs { without_tabs(text) } else { text.to_owned() };
                let word = if quoted { Word::Literal(text) } else { self.expanded(&body, text, around, depth + 1) };
                found.redirects.push(Redirect { direction: Direction::Read, target: RedirectTarget::Text(word) });
            }
            _ => self.syntax(node),
        }
    }

    /// A text in which the shell expands.
    fn expanded(&mut self, body: &Node<'_>, text: String, around: &Around, depth: usize) -> Word {
        for child in body.children() {
            if child.is_named() && !matches!(child.kind(), "heredoc_content" | "simple_expansion") {
                self.expansion(&child, around, depth);
            }
        }
        // A backslash at the end of a line joins it with the next, also where that makes or unmakes the end mark.
        if text.contains("\\\n") {
            self.object(NotUnderstood::Expansion("of a line that goes on, in a here-document".to_owned()));
        }
        self.backquoted(&text, around, depth);
        let mut varies = false;
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match (character, characters.peek()) {
                ('\\', Some(_)) => {
                    varies = true;
                    characters.next();
                }
                ('$', Some(next)) if next.is_ascii_alphanumeric() || "_?#!@*$-".contains(*next) => varies = true,
                ('$', Some('{' | '(' | '[')) | ('`', _) => {
                    self.object(NotUnderstood::Expansion("in a here-document".to_owned()));
                    varies = true;
                }
                _ => {}
            }
        }
        if varies { Word::Varying { text, stem: String::new(), splits: false } } else { Word::Literal(text) }
    }
}

fn without_tabs(text: &str) -> String {
    text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
}

/// The mark without its quotes, and whether it has any; only marks of plain letters are read.
fn delimiter(text: &str) -> Option<(&str, bool)> {
    let unquoted = ['\'', '"'].iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote));
    let mark = unquoted.unwrap_or(text);
    let is_plain = !mark.is_empty() && mark.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    is_plain.then_some((mark, unquoted.is_some()))
}

/// Where the text begins and where the mark that ends it stands, by the lines alone.
fn by_hand(text: &str, after: usize, mark: &str, tabs: bool) -> Option<(usize, usize)> {
    let first = after + text.get(after..)?.find('\n')? + 1;
    let mut from = first;
    for line in text.get(first..)?.split_inclusive('\n') {
        let bare = line.strip_suffix('\n').unwrap_or(line);
        let shown = if tabs { bare.trim_start_matches('\t') } else { bare };
        if shown == mark {
            return Some((first, from + bare.len() - shown.len()));
        }
        from += line.len();
    }
    None
}
