//! Statements: chains, pipes, groups, loops and branches, down to the simple commands in them.

use super::expansion::is_name;
use super::redirect::Redirects;
use super::tree::Node;
use super::word::Stands;
use super::{Around, Assignment, Reader, Word};
use crate::shell::NotUnderstood;

/// Words that begin a construct of bash, where the grammar at hand would read them as a program.
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "in",
    "select", "then", "until", "while", "{", "}",
];

impl Reader {
    /// Reads a row of statements: a whole text, a group, a body, a substitution.
    pub(super) fn statements(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if !node.accounts_for_all(true) || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        if depth > super::MAX_DEPTH {
            return self.object(NotUnderstood::TooLarge("48 levels of nesting"));
        }
        let children = node.children();
        if !opened_are_filled(&children) {
            self.syntax(node);
        }
        let mut ended: Option<usize> = None;
        for (at, child) in children.iter().enumerate() {
            if child.kind() == "comment" {
                self.comment(child);
                continue;
            }
            if !child.is_named() {
                // What ends a statement ends one in its own line.
                let ends = matches!(child.kind(), ";" | "&").then(|| at.checked_sub(1).and_then(|at| children.get(at)));
                let is_idle = ends.is_some_and(|before| {
                    before.is_none_or(|before| {
                        !before.is_named() || node.between(before.range().end, child.range().start).contains('\n')
                    })
                });
                if !is_mark(child.kind()) || is_idle {
                    self.syntax(child);
                }
                ended = None;
                continue;
            }
            if ended.is_some_and(|end| !node.between(end, child.range().start).contains('\n')) {
                self.syntax(child);
            }
            // These bring their own word to begin with, and end with a separator within them.
            let is_branch = matches!(children.get(at + 1).map(Node::kind), Some("elif_clause" | "else_clause"));
            ended = (!is_branch).then_some(child.range().end);
            let mut around = around.clone();
            around.place.background |= children.get(at + 1).is_some_and(|next| next.kind() == "&");
            self.statement(child, &around, depth + 1);
        }
    }

    /// A comment begins after a blank or an operator and ends with its line.
    fn comment(&mut self, node: &Node<'_>) {
        let before = node.between(0, node.range().start).chars().next_back();
        let after = node.whole().get(node.range().end..).and_then(|rest| rest.chars().next());
        let begins = before.is_none_or(|before| " \t\n;&|()".contains(before));
        if !begins || node.text().contains('\n') || after.is_some_and(|after| after != '\n') {
            self.syntax(node);
        }
    }

    pub(super) fn statement(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if depth > super::MAX_DEPTH {
            return self.object(NotUnderstood::TooLarge("48 levels of nesting"));
        }
        match node.kind() {
            "command" => self.simple(node, Redirects::default(), around, depth),
            "redirected_statement" => self.redirected(node, around, depth),
            "variable_assignment" | "variable_assignments" => self.variables_alone(node, around, depth),
            "declaration_command" | "unset_command" => self.declaration(node, around, depth),
            "test_command" => self.test(node, around, depth),
            "pipeline" => {
                // Bash takes it at the front only.
                if node.children().iter().skip(1).any(|child| child.kind() == "negated_command") {
                    self.syntax(node);
                }
                let mut around = around.clone();
                around.place.piped = true;
                self.statements(node, &around, depth);
            }
            "subshell" => {
                let mut around = around.clone();
                around.place.subshell = true;
                self.statements(node, &around, depth);
            }
            "compound_statement" if node.text().starts_with("((") => self.strange(node, around, depth),
            "list" | "negated_command" | "compound_statement" | "do_group" | "if_statement" | "elif_clause"
            | "else_clause" | "while_statement" => self.statements(node, around, depth),
            "for_statement" => self.for_each(node, around, depth),
            "case_statement" => self.case(node, around, depth),
            "file_redirect" => {
                let redirects = self.redirects(std::slice::from_ref(node), around, depth);
                self.bare_redirect(redirects, around, depth);
            }
            _ => self.strange(node, around, depth),
        }
    }

    /// What is not understood. The commands in it are looked for all the same, for the rules that deny.
    pub(super) fn strange(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        self.syntax(node);
        if depth > super::MAX_DEPTH {
            return;
        }
        for child in node.children().iter().filter(|child| !child.children().is_empty()) {
            self.statement(child, around, depth + 1);
        }
    }

    /// A simple command, with the redirects that stand around it.
    fn simple(&mut self, node: &Node<'_>, outer: Redirects, around: &Around, depth: usize) {
        if !node.accounts_for_all(false) || !node.keeps_words_apart() || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        let mut assignments = Vec::new();
        let mut words: Vec<Word> = Vec::new();
        let mut around = around.clone();
        let mut timed = false;
        for child in node.children() {
            // Behind `time` bash goes on reading its own words.
            let is_quoted_name = child.text().contains(['\\', '\'', '"']) && child.text().contains('=');
            if timed && (RESERVED.contains(&child.text()) || is_quoted_name) {
                self.syntax(&child);
            }
            match child.kind() {
                "variable_assignment" if words.is_empty() => {
                    assignments.extend(self.assignment(&child, &around, depth + 1));
                }
                "command_name" => {
                    timed = child.text() == "time";
                    if timed && node.text() == "time" {
                        self.syntax(node);
                    }
                    if RESERVED.contains(&child.text()) {
                        self.syntax(&child);
                    }
                    for part in child.children() {
                        words.push(self.word(&part, Stands::Free, &around, depth + 1));
                    }
                }
                "file_redirect" | "herestring_redirect" | "heredoc_redirect" => {
                    let found = self.redirects(&[child], &around, depth + 1);
                    around.redirects.extend(found.redirects);
                    words.extend(found.words);
                }
                _ if words.is_empty() => self.syntax(&child),
                _ => words.push(self.word(&child, Stands::Free, &around, depth + 1)),
            }
        }
        around.redirects.extend(outer.redirects);
        words.extend(outer.words);
        self.words(words, assignments, &around, depth);
    }

    fn redirected(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if !node.accounts_for_all(false) || !node.keeps_words_apart() || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        let is_redirect = |child: &Node<'_>| child.kind().ends_with("_redirect");
        let (redirects, bodies): (Vec<_>, Vec<_>) = node.children().into_iter().partition(is_redirect);
        let found = self.redirects(&redirects, around, depth + 1);
        match bodies.as_slice() {
            [] => self.bare_redirect(found, around, depth),
            [body] if body.kind() == "command" => self.simple(body, found, around, depth + 1),
            [body] => {
                if !found.words.is_empty() {
                    self.syntax(node);
                }
                let mut around = around.clone();
                around.redirects.extend(found.redirects);
                self.statement(body, &around, depth + 1);
            }
            _ => self.strange(node, around, depth + 1),
        }
    }

    /// A redirect without a command, or before the command.
    fn bare_redirect(&mut self, found: Redirects, around: &Around, depth: usize) {
        let mut around = around.clone();
        around.redirects.extend(found.redirects);
        self.words(found.words, Vec::new(), &around, depth);
    }

    /// `NAME=value`, in front of a command or alone.
    fn assignment(&mut self, node: &Node<'_>, around: &Around, depth: usize) -> Option<Assignment> {
        let children = node.children();
        match children.as_slice() {
            [name, equals, rest @ ..]
                if is_name(name.text())
                    && matches!(equals.kind(), "=" | "+=")
                    && node.is_seamless()
                    && node.is_whole_word() =>
            {
                let value = match rest {
                    [] => Word::Literal(String::new()),
                    [value] if value.kind() != "array" => self.word(value, Stands::Value, around, depth),
                    _ => {
                        self.strange(node, around, depth);
                        return None;
                    }
                };
                Some(Assignment { name: name.text().to_owned(), value })
            }
            _ => {
                self.strange(node, around, depth);
                None
            }
        }
    }

    /// Assignments that stand alone count for every command of the line: the shell may hand the variable on.
    fn variables_alone(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if node.kind() == "variable_assignment" {
            let found = self.assignment(node, around, depth + 1);
            return self.variables.extend(found);
        }
        if !node.accounts_for_all(false) {
            self.syntax(node);
        }
        for child in node.children() {
            let found = self.assignment(&child, around, depth + 1);
            self.variables.extend(found);
        }
    }

    /// `export`, `readonly`, `declare` and `unset`: a command, and variables that change.
    fn declaration(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if !node.accounts_for_all(false) || !node.keeps_words_apart() || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        let mut words = Vec::new();
        for child in node.children() {
            match child.kind() {
                "variable_assignment" => {
                    let found = self.assignment(&child, around, depth + 1);
                    let text = child.text().to_owned();
                    words.push(match found.as_ref().and_then(|found| Some((&found.name, found.value.literal()?))) {
                        Some((name, value)) => Word::Literal(format!("{name}={value}")),
                        None => Word::Varying { text, stem: String::new(), splits: false },
                    });
                    self.variables.extend(found);
                }
                "variable_name" | "word" | "number" if child.is_named() => {
                    words.push(self.word(&child, Stands::Free, around, depth + 1));
                }
                name if !child.is_named() && words.is_empty() => words.push(Word::Literal(name.to_owned())),
                _ => self.strange(&child, around, depth + 1),
            }
        }
        self.words(words, Vec::new(), around, depth);
    }

    fn for_each(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if !node.accounts_for_all(true) || !node.keeps_words_apart() || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        for child in node.children() {
            match child.kind() {
                "for" | "in" | ";" | "\n" => {}
                "variable_name" if is_name(child.text()) => {
                    let value = Word::Varying { text: child.text().to_owned(), stem: String::new(), splits: false };
                    self.variables.push(Assignment { name: child.text().to_owned(), value });
                }
                "do_group" => self.statement(&child, around, depth + 1),
                "comment" => self.comment(&child),
                _ if child.is_named() => {
                    self.word(&child, Stands::Free, around, depth + 1);
                }
                _ => self.syntax(&child),
            }
        }
    }

    fn case(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if !node.accounts_for_all(true) || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        for child in node.children() {
            match child.kind() {
                "case" | "in" | "esac" | ";" | "\n" => {}
                "case_item" => self.case_item(&child, around, depth + 1),
                "comment" => self.comment(&child),
                _ if child.is_named() => {
                    self.word(&child, Stands::Value, around, depth + 1);
                }
                _ => self.syntax(&child),
            }
        }
    }

    /// Patterns up to the parenthesis, then statements.
    fn case_item(&mut self, node: &Node<'_>, around: &Around, depth: usize) {
        if !node.accounts_for_all(true) || !node.has_marks_of_bash() {
            self.syntax(node);
        }
        let mut in_pattern = true;
        for child in node.children() {
            match child.kind() {
                ")" => in_pattern = false,
                "(" | "|" if in_pattern => {}
                ";" | ";;" | ";&" | ";;&" | "&" | "\n" if !in_pattern => {}
                "comment" => self.comment(&child),
                _ if !child.is_named() => self.syntax(&child),
                _ if in_pattern => {
                    self.word(&child, Stands::Value, around, depth + 1);
                }
                _ => self.statement(&child, around, depth + 1),
            }
        }
    }
}

/// A statement follows wherever bash wants one: the grammar is content with less.
pub(super) fn opened_are_filled(children: &[Node<'_>]) -> bool {
    let parts: Vec<_> = children.iter().filter(|child| !matches!(child.kind(), "comment" | "\n")).collect();
    parts.iter().enumerate().all(|(at, child)| {
        let wants = matches!(
            child.kind(),
            "&&" | "||" | "|" | "|&" | "!" | "(" | "{" | "if" | "then" | "elif" | "else" | "while" | "until" | "do"
        );
        let is_filled = parts
            .get(at + 1)
            .is_some_and(|next| next.is_named() && !matches!(next.kind(), "elif_clause" | "else_clause" | "do_group"));
        !wants || is_filled || (child.kind() == "!" && parts.get(at + 1).is_some_and(|next| next.kind() == "!"))
    })
}

/// Operators and words that stand between statements and change nothing in what they are.
fn is_mark(kind: &str) -> bool {
    matches!(
        kind,
        ";" | "&"
            | "\n"
            | "&&"
            | "||"
            | "|"
            | "|&"
            | "!"
            | "("
            | ")"
            | "{"
            | "}"
            | "$("
            | "<("
            | ">("
            | "`"
            | "if"
            | "then"
            | "elif"
            | "else"
            | "fi"
            | "while"
            | "until"
            | "do"
            | "done"
    )
}
