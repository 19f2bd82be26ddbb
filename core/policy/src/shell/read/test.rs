//! `[ ... ]` and `[[ ... ]]`: commands whose words are conditions. Conditions that do arithmetic on what a variable
//! holds can run code, and so can those that look a variable up by a name.

use super::tree::Node;
use super::word::Stands;
use super::{Around, Reader, Word};
use crate::shell::NotUnderstood;

/// Operators of `[[ ]]`. In `[ ]` most of them would end the command or be a redirect.
const DOUBLE: &[&str] = &["=", "==", "!=", "<", ">", "=~", "&&", "||", "!", "(", ")"];
const SINGLE: &[&str] = &["=", "==", "!=", "!"];
/// Operators that begin with a dash; bash takes no other.
const BEFORE_ONE: &[&str] = &[
    "-G", "-L", "-N", "-O", "-R", "-S", "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-n", "-o", "-p", "-r",
    "-s", "-t", "-u", "-v", "-w", "-x", "-z",
];
const BETWEEN_TWO: &[&str] = &["-ef", "-eq", "-ge", "-gt", "-le", "-lt", "-ne", "-nt", "-ot"];
const BETWEEN_TWO_IN_SINGLE: &[&str] = &["-a", "-o"];
/// What can run something, begin a quote or end the word in a pattern.
const OTHER_IN_PATTERNS: [char; 14] = ['$', '`', '\'', '"', '\\', '(', ')', '|', '&', ';', '<', '>', ' ', '\n'];
const ARITHMETIC: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge"];

impl Reader {
    pub(super) fn test(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        let double = node.text().starts_with("[[");
        if !node.text().starts_with('[') {
            return self.strange(node, around, depth + 1);
        }
        let mut words = vec![Word::Literal(if double { "[[" } else { "[" }.to_owned())];
        self.condition(node, double, &mut words, around, depth + 1);
        let has = |wanted: &[&str]| words.iter().filter_map(Word::literal).any(|word| wanted.contains(&word));
        let is_number = |word: &Word| match word {
            Word::Literal(text) => {
                text.bytes().all(|byte| byte.is_ascii_digit()) || ARITHMETIC.contains(&text.as_str())
            }
            Word::Varying { text, .. } => matches!(text.as_str(), "$#" | "$?"),
        };
        let evaluates = double && has(ARITHMETIC) && !words.iter().skip(1).all(is_number);
        if evaluates || has(&["-v", "-R"]) {
            self.object(NotUnderstood::Expansion(node.text().to_owned()));
        }
        self.words(words, Vec::new(), around, depth);
    }

    fn condition(&mut self, node: &Node<'_>, double: bool, words: &mut Vec<Word>, around: &Around, depth: usize) {
        if depth > super::MAX_DEPTH {
            return self.object(NotUnderstood::TooLarge("48 levels of nesting"));
        }
        if !node.accounts_for_all(double) || !node.keeps_words_apart() || !brackets_stand_alone(node) {
            self.syntax(node);
        }
        for child in node.children() {
            match child.kind() {
                "[" | "[[" | "]" | "]]" if !child.is_named() => {}
                "binary_expression" | "unary_expression" | "parenthesized_expression" | "negated_expression" => {
                    self.condition(&child, double, words, around, depth + 1);
                }
                "test_operator" if child.is_whole_word() && is_operator(child.text(), node.kind(), double) => {
                    words.push(Word::Literal(child.text().to_owned()))
                }
                "regex" | "extglob_pattern" => {
                    if child.text().contains(OTHER_IN_PATTERNS) {
                        self.syntax(&child);
                    }
                    words.push(Word::Varying { text: child.text().to_owned(), stem: String::new(), splits: false });
                }
                _ if child.is_named() => {
                    let stands = if double { Stands::Value } else { Stands::Free };
                    words.push(self.word(&child, stands, around, depth + 1));
                }
                operator if (if double { DOUBLE } else { SINGLE }).contains(&operator) => {
                    if operator.contains(['=', '!']) && !child.is_whole_word() {
                        self.syntax(&child);
                    }
                    words.push(Word::Literal(operator.to_owned()))
                }
                _ => self.syntax(&child),
            }
        }
    }
}

fn is_operator(text: &str, place: &str, double: bool) -> bool {
    match place {
        "binary_expression" => BETWEEN_TWO.contains(&text) || (!double && BETWEEN_TWO_IN_SINGLE.contains(&text)),
        _ => BEFORE_ONE.contains(&text),
    }
}

/// A bracket that a word touches is a part of that word.
fn brackets_stand_alone(node: &Node<'_>) -> bool {
    node.children().windows(2).all(|pair| match pair {
        [first, second] => {
            let touches = first.range().end == second.range().start;
            !(touches && (matches!(first.kind(), "[" | "[[") || matches!(second.kind(), "]" | "]]")))
        }
        _ => true,
    })
}
