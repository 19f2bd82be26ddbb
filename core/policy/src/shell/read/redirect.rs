//! Redirects: which file is read or written. A file that is not known makes the line not understood.

use super::tree::Node;
use super::word::Stands;
use super::{Around, Reader, Redirect, Word};
use crate::shell::NotUnderstood;
use crate::shell::facts::{Direction, RedirectTarget};

/// What stands in a row of redirects: they, and words of the command that stand behind one.
#[derive(Default)]
pub(super) struct Redirects {
    pub(super) redirects: Vec<Redirect>,
    pub(super) words: Vec<Word>,
}

impl Reader {
    pub(super) fn redirects(&mut self, nodes: &[Node<'_>], around: &Around, depth: usize) -> Redirects {
        let mut found = Redirects::default();
        let here = nodes.iter().filter(|node| node.kind() == "heredoc_redirect").count();
        for node in nodes {
            match node.kind() {
                "file_redirect" => self.file_redirect(node, &mut found, around, depth),
                "herestring_redirect" => self.here_string(node, &mut found, around, depth),
                "heredoc_redirect" if here == 1 => self.here_document(node, &mut found, around, depth),
                _ => self.syntax(node),
            }
        }
        found
    }

    /// The grammar takes words behind the file into the redirect: they are words of the command.
    pub(super) fn file_redirect(&mut self, node: &Node<'_>, found: &mut Redirects, around: &Around, depth: usize) {
        if !node.accounts_for_all(false) || !node.keeps_words_apart() || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        let mut operator = None;
        let mut target = None;
        for child in node.children() {
            match child.kind() {
                "file_descriptor" if operator.is_none() => {
                    let before = child.between(0, child.range().start).chars().next_back();
                    let stands_alone = before.is_none_or(|before| " \t\n;|&(".contains(before));
                    let joins = child.whole().get(child.range().end..).is_some_and(|rest| rest.starts_with(['<', '>']));
                    if !stands_alone || !joins || !child.text().bytes().all(|byte| byte.is_ascii_digit()) {
                        self.syntax(&child);
                    }
                }
                kind @ ("<" | ">" | ">|" | "&>" | ">>" | "&>>" | ">&" | "<&" | ">&-" | "<&-") if operator.is_none() => {
                    // Behind `>&` bash takes a dash for a whole word, whatever follows it.
                    let rest = child.whole().get(child.range().end..).unwrap_or_default();
                    let is_dash = kind.ends_with('&') && rest.trim_start().starts_with('-');
                    if is_dash || (kind.ends_with('-') && !child.ends_word()) {
                        self.syntax(&child);
                    }
                    operator = Some(kind);
                }
                _ if operator.is_none() || !child.is_named() => self.syntax(&child),
                _ => {
                    let word = self.word(&child, Stands::Free, around, depth + 1);
                    let closes = matches!(operator, Some(">&-" | "<&-"));
                    if target.is_none() && !closes { target = Some(word) } else { found.words.push(word) }
                }
            }
        }
        let direction = match operator {
            Some("<" | "<&" | "<&-") => Direction::Read,
            Some(">>" | "&>>") => Direction::Append,
            _ => Direction::Write,
        };
        let target = match (operator, target) {
            (Some(">&-" | "<&-"), None) => RedirectTarget::Stream,
            (Some(">&" | "<&"), Some(Word::Literal(stream))) if is_stream(&stream) => RedirectTarget::Stream,
            (Some("<&"), _) => return self.object(NotUnderstood::Redirect(node.text().to_owned())),
            (Some(_), Some(Word::Literal(path))) if !is_network(&path) && !path.is_empty() => {
                RedirectTarget::File(path)
            }
            _ => return self.object(NotUnderstood::Redirect(node.text().to_owned())),
        };
        found.redirects.push(Redirect { direction, target });
    }

    fn here_string(&mut self, node: &Node<'_>, found: &mut Redirects, around: &Around, depth: usize) {
        if !node.accounts_for_all(false) || !node.keeps_words_apart() || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        for child in node.children() {
            match child.kind() {
                "<<<" | "file_descriptor" => {}
                _ => {
                    let word = self.word(&child, Stands::Value, around, depth + 1);
                    found.redirects.push(Redirect { direction: Direction::Read, target: RedirectTarget::Text(word) });
                }
            }
        }
    }
}

/// The number of a stream, or the dash that closes one.
fn is_stream(word: &str) -> bool {
    let digits = word.strip_suffix('-').unwrap_or(word);
    digits.len() <= 2 && !word.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Bash opens connections by these names.
fn is_network(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.next() == Some("dev") && matches!(parts.next(), Some("tcp" | "udp"))
}
