//! Every command that another parser of bash sees is among ours, or the line is not understood.

use brush_parser::ast::{
    AndOr, Assignment, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
    IoFileRedirectTarget, IoRedirect, Pipeline, Program, RedirectList, SimpleCommand, Word,
};
use brush_parser::word::{WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};
use lodger_policy::shell::{self, analyse};

use crate::shown::lines;

/// A command as the other parser sees it: its words, where they are literal.
type Seen = Vec<Option<String>>;

#[derive(Default)]
struct Walk {
    seen: Vec<Seen>,
}

/// What the other parser sees, or nothing where it does not understand the line.
pub(crate) fn seen(line: &str) -> Option<Vec<Seen>> {
    let mut walk = Walk::default();
    walk.code(line)?;
    Some(walk.seen)
}

fn options() -> ParserOptions {
    ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() }
}

impl Walk {
    fn code(&mut self, line: &str) -> Option<()> {
        let program: Program = Parser::new(line.as_bytes(), &options()).parse_program().ok()?;
        program.complete_commands.iter().try_for_each(|list| self.list(list))
    }

    fn list(&mut self, list: &CompoundList) -> Option<()> {
        for item in &list.0 {
            self.pipeline(&item.0.first)?;
            for next in &item.0.additional {
                match next {
                    AndOr::And(pipeline) | AndOr::Or(pipeline) => self.pipeline(pipeline)?,
                }
            }
        }
        Some(())
    }

    fn pipeline(&mut self, pipeline: &Pipeline) -> Option<()> {
        pipeline.seq.iter().try_for_each(|command| self.command(command))
    }

    fn command(&mut self, command: &Command) -> Option<()> {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound, redirects) => {
                self.compound(compound)?;
                self.redirects(redirects.as_ref())
            }
            Command::Function(function) => self.compound(&function.body.0),
            Command::ExtendedTest(_, redirects) => self.redirects(redirects.as_ref()),
        }
    }

    fn compound(&mut self, compound: &CompoundCommand) -> Option<()> {
        match compound {
            CompoundCommand::Arithmetic(_) => Some(()),
            CompoundCommand::ArithmeticForClause(each) => self.list(&each.body.list),
            CompoundCommand::BraceGroup(group) => self.list(&group.list),
            CompoundCommand::Subshell(subshell) => self.list(&subshell.list),
            CompoundCommand::ForClause(each) => {
                each.values.iter().flatten().try_for_each(|word| self.word(word).map(drop))?;
                self.list(&each.body.list)
            }
            CompoundCommand::CaseClause(case) => {
                self.word(&case.value)?;
                case.cases.iter().filter_map(|item| item.cmd.as_ref()).try_for_each(|list| self.list(list))
            }
            CompoundCommand::IfClause(branch) => {
                self.list(&branch.condition)?;
                self.list(&branch.then)?;
                for other in branch.elses.iter().flatten() {
                    other.condition.iter().try_for_each(|list| self.list(list))?;
                    self.list(&other.body)?;
                }
                Some(())
            }
            CompoundCommand::WhileClause(each) | CompoundCommand::UntilClause(each) => {
                self.list(&each.0)?;
                self.list(&each.1.list)
            }
            CompoundCommand::Coprocess(coprocess) => self.command(&coprocess.body),
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) -> Option<()> {
        let mut words = Vec::new();
        let prefix = simple.prefix.iter().flat_map(|prefix| &prefix.0);
        prefix.clone().try_for_each(|item| self.item(item, &mut Vec::new()))?;
        if let Some(program) = &simple.word_or_name {
            words.push(self.word(program)?);
        }
        let suffix = simple.suffix.iter().flat_map(|suffix| &suffix.0);
        suffix.clone().try_for_each(|item| self.item(item, &mut words))?;
        if !words.is_empty() {
            self.seen.push(words);
        }
        Some(())
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: &mut Seen) -> Option<()> {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(redirect) => self.redirect(redirect),
            CommandPrefixOrSuffixItem::Word(word) => {
                words.push(self.word(word)?);
                Some(())
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assignment, word) => {
                self.assignment(assignment)?;
                words.push(self.word(word)?);
                Some(())
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, subshell) => {
                words.push(None);
                self.list(&subshell.list)
            }
        }
    }

    fn assignment(&mut self, assignment: &Assignment) -> Option<()> {
        match &assignment.value {
            AssignmentValue::Scalar(word) => self.word(word).map(drop),
            AssignmentValue::Array(words) => words.iter().try_for_each(|(_, word)| self.word(word).map(drop)),
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>) -> Option<()> {
        redirects.into_iter().flat_map(|list| &list.0).try_for_each(|redirect| self.redirect(redirect))
    }

    fn redirect(&mut self, redirect: &IoRedirect) -> Option<()> {
        match redirect {
            IoRedirect::File(_, _, IoFileRedirectTarget::Filename(word) | IoFileRedirectTarget::Duplicate(word))
            | IoRedirect::HereString(_, word)
            | IoRedirect::OutputAndError(word, _) => self.word(word).map(drop),
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, subshell)) => self.list(&subshell.list),
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) => Some(()),
            IoRedirect::HereDocument(_, document) if document.requires_expansion => {
                let pieces = brush_parser::word::parse_heredoc(&document.doc.value, &options()).ok()?;
                self.pieces(&pieces).map(drop)
            }
            IoRedirect::HereDocument(..) => Some(()),
        }
    }

    /// The word, if it is literal; what runs in it is taken in.
    fn word(&mut self, word: &Word) -> Option<Option<String>> {
        let pieces = brush_parser::word::parse(&word.value, &options()).ok()?;
        self.pieces(&pieces)
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource]) -> Option<Option<String>> {
        let mut text = Some(String::new());
        let add = |text: &mut Option<String>, more: Option<&str>| match (text.as_mut(), more) {
            (Some(text), Some(more)) => text.push_str(more),
            _ => *text = None,
        };
        for piece in pieces {
            match &piece.piece {
                WordPiece::Text(it) if it.contains(['*', '?', '[', '{']) => add(&mut text, None),
                WordPiece::Text(it) | WordPiece::SingleQuotedText(it) => add(&mut text, Some(it)),
                WordPiece::EscapeSequence(it) => add(&mut text, it.strip_prefix('\\')),
                WordPiece::DoubleQuotedSequence(inner) | WordPiece::GettextDoubleQuotedSequence(inner) => {
                    let inner = self.pieces(inner)?;
                    add(&mut text, inner.as_deref());
                }
                WordPiece::CommandSubstitution(code) | WordPiece::BackquotedCommandSubstitution(code) => {
                    self.code(code)?;
                    add(&mut text, None);
                }
                _ => add(&mut text, None),
            }
        }
        Some(text)
    }
}

/// Ours has the command: the words that both take as literal are the same.
pub(crate) fn has(ours: &[shell::SimpleCommand], theirs: &Seen) -> bool {
    let same = |ours: &shell::Word, theirs: &Option<String>| match (ours.literal(), theirs) {
        (Some(ours), Some(theirs)) => ours == theirs,
        _ => true,
    };
    ours.iter().any(|command| {
        let program = shell::Word::Literal(command.program.clone());
        let words: Vec<_> = [program].into_iter().chain(command.arguments.iter().cloned()).collect();
        // The closing bracket is no word of ours.
        let theirs = match theirs.as_slice() {
            [front @ .., Some(last)] if command.program == "[" && last == "]" => front,
            all => all,
        };
        words.len() == theirs.len() && words.iter().zip(theirs).all(|(ours, theirs)| same(ours, theirs))
    })
}

/// Fails where the other parser sees a command that is not among ours in a line that we say to understand.
pub(crate) fn compare(line: &str) -> bool {
    // It misreads what stands behind the mark of a here-document.
    if line.contains("<<") && !line.contains("<<<") {
        return false;
    }
    let analysis = analyse(line);
    let (Some(all), Some(theirs)) = (analysis.understood(), seen(line)) else { return false };
    for command in &theirs {
        // `time` is a word of the shell there, and no command.
        assert!(has(all.all(), command), "{line:?}: {command:?} is not among {:#?}", all.all());
    }
    true
}

#[test]
fn every_command_another_parser_sees_in_the_table_is_among_ours() {
    let compared = lines().iter().filter(|(line, _)| compare(line)).count();
    assert!(compared >= 150, "only {compared} lines were understood by both");
}
