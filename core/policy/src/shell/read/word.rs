//! Words: what the program gets, or that only the shell will know.

use super::tree::Node;
use super::{Around, Reader, Word};
use crate::shell::NotUnderstood;

/// A piece of a word.
#[derive(Clone, Copy)]
enum Piece {
    /// A character, and whether quotes keep the shell from reading more into it.
    Character(char, bool),
    /// An expansion, and whether it may become several words.
    Expansion { splits: bool },
}

/// Where a word stands: it decides what the shell expands in it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stands {
    /// Among the words of a command.
    Free,
    /// As the value of a variable: no globs, no braces, no splitting.
    Value,
}

impl Reader {
    /// Reads a word. Commands in its substitutions are taken in.
    pub(super) fn word(&mut self, node: &Node<'_>, stands: Stands, around: &Around, depth: usize) -> Word {
        // Right before a redirect, a number or a name in braces is the stream of that redirect.
        let text = node.text();
        let is_stream =
            text.bytes().all(|byte| byte.is_ascii_digit()) || (text.starts_with('{') && text.ends_with('}'));
        if is_stream && node.whole().get(node.range().end..).is_some_and(|rest| rest.starts_with(['<', '>'])) {
            self.syntax(node);
        }
        let is_value =
            stands == Stands::Value && node.whole().get(..node.range().start).is_some_and(|it| it.ends_with('='));
        if !node.ends_word() || !(is_value || node.begins_word()) {
            self.syntax(node);
        }
        let mut pieces = Vec::new();
        self.pieces(node, false, &mut pieces, around, depth);
        finish(&pieces, node.text(), stands)
    }

    fn pieces(&mut self, node: &Node<'_>, quoted: bool, to: &mut Vec<Piece>, around: &Around, depth: usize) {
        if depth > super::MAX_DEPTH {
            return self.object(NotUnderstood::TooLarge("48 levels of nesting"));
        }
        match node.kind() {
            "word" | "number" | "variable_name" | "extglob_pattern" | "{" | "}" | "[" | "]"
                if node.children().is_empty() =>
            {
                self.unquoted(node, to);
            }
            "raw_string" => match node.text().strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
                Some(text) if !text.contains('\'') => to.extend(text.chars().map(|it| Piece::Character(it, true))),
                _ => self.syntax(node),
            },
            "ansi_c_string" => match ansi_c(node.text()) {
                Some(text) => to.extend(text.chars().map(|it| Piece::Character(it, true))),
                None => self.syntax(node),
            },
            "string" => self.quoted(node, to, around, depth),
            "concatenation" => {
                if !node.is_seamless() {
                    self.syntax(node);
                }
                for child in node.children() {
                    // Few readers of bash agree on what touches these.
                    if child.kind() == "process_substitution" || child.text() == "$$" {
                        self.syntax(&child);
                    }
                    self.pieces(&child, quoted, to, around, depth + 1);
                }
            }
            "brace_expression" => {
                if node.text().contains(['$', '`', '\\', '\'', '"']) {
                    self.syntax(node);
                }
                to.push(Piece::Expansion { splits: false });
            }
            _ => {
                self.expansion(node, around, depth + 1);
                to.push(Piece::Expansion { splits: !quoted });
            }
        }
    }

    /// Text without quotes: a backslash takes the meaning of one character.
    fn unquoted(&mut self, node: &Node<'_>, to: &mut Vec<Piece>) {
        let mut characters = node.text().chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => match characters.next() {
                    Some('\n') => {}
                    Some(next) => to.push(Piece::Character(next, true)),
                    None => return self.syntax(node),
                },
                ' ' | '\t' | '\n' | '$' | '`' | '\'' | '"' | '|' | '&' | ';' | '(' | ')' | '<' | '>' => {
                    return self.syntax(node);
                }
                character => to.push(Piece::Character(character, false)),
            }
        }
    }

    /// Text in double quotes, with the expansions in it.
    fn quoted(&mut self, node: &Node<'_>, to: &mut Vec<Piece>, around: &Around, depth: usize) {
        let text = node.text();
        if text.len() < 2 || !text.starts_with('"') || !text.ends_with('"') {
            return self.syntax(node);
        }
        let range = node.range();
        let mut from = range.start + 1;
        for child in node.children() {
            if !child.is_named() || child.kind() == "string_content" {
                continue;
            }
            if !literal_in_quotes(node.between(from, child.range().start), to) {
                self.syntax(node);
            }
            from = child.range().end;
            self.pieces(&child, true, to, around, depth + 1);
        }
        if !literal_in_quotes(node.between(from, range.end - 1), to) {
            self.syntax(node);
        }
    }
}

/// Takes in the text between expansions in double quotes; false if there is more in it than text.
fn literal_in_quotes(text: &str, to: &mut Vec<Piece>) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek().copied()) {
            ('\\', Some('\n')) => {
                characters.next();
            }
            ('\\', Some(next @ ('$' | '`' | '"' | '\\'))) => {
                characters.next();
                to.push(Piece::Character(next, true));
            }
            ('\\', None) | ('"' | '`', _) => return false,
            ('$', Some(next)) if next.is_alphanumeric() || "_?!#@*$({[-'\"\\".contains(next) => return false,
            (character, _) => to.push(Piece::Character(character, true)),
        }
    }
    true
}

/// The text of `$'...'`, where its escapes are simple ones.
fn ansi_c(text: &str) -> Option<String> {
    let mut characters = text.strip_prefix("$'")?.strip_suffix('\'')?.chars();
    let mut out = String::new();
    while let Some(character) = characters.next() {
        match character {
            '\'' => return None,
            '\\' => out.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'v' => '\u{b}',
                'e' | 'E' => '\u{1b}',
                same @ ('\\' | '\'' | '"' | '?') => same,
                _ => return None,
            }),
            character => out.push(character),
        }
    }
    Some(out)
}

fn finish(pieces: &[Piece], text: &str, stands: Stands) -> Word {
    let braces = stands == Stands::Free && lists_in_braces(pieces);
    let mut stem = String::new();
    let mut varies = false;
    let mut splits = false;
    for (at, piece) in pieces.iter().enumerate() {
        let expands = match piece {
            Piece::Character('*' | '?' | '[', false) => stands == Stands::Free,
            Piece::Character('{', false) => braces,
            Piece::Character('~', false) => match at.checked_sub(1).and_then(|at| pieces.get(at)) {
                None | Some(Piece::Character('=' | ':', _)) => true,
                Some(_) => false,
            },
            Piece::Character(..) => false,
            Piece::Expansion { splits: more } => {
                splits |= *more && stands == Stands::Free;
                true
            }
        };
        varies |= expands;
        if let (Piece::Character(character, _), false) = (piece, varies) {
            stem.push(*character);
        }
    }
    if varies { Word::Varying { text: text.to_owned(), stem, splits } } else { Word::Literal(stem) }
}

/// There may be a brace list: `{a,b}` or `{1..3}`. `{}` is none.
fn lists_in_braces(pieces: &[Piece]) -> bool {
    let has = |wanted| pieces.iter().any(|piece| matches!(piece, Piece::Character(it, false) if *it == wanted));
    has('{') && has('}') && (has(',') || has('.'))
}
