//! Reads a command line with the grammar of bash and collects its commands.
//!
//! Only node kinds that are named here are understood; everything else, and every byte that no node accounts for,
//! makes the line not understood. The parser is made per call: nothing is shared.

mod expansion;
mod here;
mod redirect;
mod statement;
mod test;
mod tree;
mod word;

use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use self::tree::{Node, Text};
use super::facts::{Analysis, Assignment, Commands, Folder, Inside, Place, Redirect, Role, SimpleCommand, Word};
use super::not_understood::NotUnderstood;
use super::wrapper::{self, Inner};

/// The longest line that is read.
pub const MAX_LINE_BYTES: usize = 16 * 1024;
/// The most commands in a line, wrappers and what they run counted each.
pub const MAX_COMMANDS: usize = 128;
/// The deepest nesting of statements, expansions, wrappers and `sh -c`.
pub const MAX_DEPTH: usize = 48;

/// The most hundreds of steps of the parser.
const MAX_STEPS: usize = 160;

/// Reads a line as `bash --noprofile --norc -c` would run it.
#[must_use]
pub fn analyse(line: &str) -> Analysis {
    let mut reader = Reader::default();
    reader.code(line, &Around::default(), 0);
    reader.finish()
}

/// What stands around the commands that are read.
#[derive(Clone, Debug, Default)]
struct Around {
    place: Place,
    inside: Vec<Inside>,
    assignments: Vec<Assignment>,
    redirects: Vec<Redirect>,
}

/// What was collected so far.
#[derive(Default)]
struct Reader {
    commands: Vec<SimpleCommand>,
    variables: Vec<Assignment>,
    folder: FolderUse,
    /// The line is one chain of `&&`: what follows its first command runs only where that succeeded.
    chain: bool,
    /// The line is one simple command.
    alone: bool,
    /// How many texts were read: the line, and code within it.
    texts: usize,
    why: Option<NotUnderstood>,
}

/// How the line changes its folder.
#[derive(Default, PartialEq)]
enum FolderUse {
    #[default]
    Never,
    /// By `cd PATH` as the first command of a line that is one chain of `&&`.
    First(String),
    /// Otherwise.
    Somewhere,
}

impl Reader {
    /// Keeps the first reason.
    fn object(&mut self, why: NotUnderstood) {
        self.why.get_or_insert(why);
    }

    fn syntax(&mut self, node: &Node<'_>) {
        let shown: String = node.text().chars().take(60).collect();
        self.object(NotUnderstood::Syntax(shown));
    }

    /// Reads shell text: the line itself, or the code that a wrapper is given.
    fn code(&mut self, line: &str, around: &Around, depth: usize) {
        self.texts += 1;
        if let Some(character) = line.chars().find(|character| hides(*character)) {
            self.object(NotUnderstood::Character(character));
        }
        let (tree, bound) = match () {
            () if line.len() > MAX_LINE_BYTES => (None, "16 KiB of text"),
            () if self.texts > MAX_COMMANDS => (None, "128 texts of code"),
            () => (parse(line), "what the parser does in a short time"),
        };
        let Some(tree) = tree else {
            self.object(NotUnderstood::TooLarge(bound));
            return self.unread(line, around);
        };
        let root = tree.root_node();
        if root.has_error() {
            self.object(NotUnderstood::Syntax("it is not valid, or not read as bash would read it".to_owned()));
        }
        let root = Text::new(line).root(root);
        if depth == 0 {
            self.chain = is_chain(&root) && !line.contains("<<");
            self.alone = root.children().iter().all(|child| matches!(child.kind(), "command" | "comment" | ";"));
            // Bash would take the line for an option of its own.
            if line.starts_with(['-', '+']) {
                self.syntax(&root);
            }
        }
        self.statements(&root, around, depth);
    }

    /// Text that is not read: any word of it may be a program, for the rules that deny.
    fn unread(&mut self, text: &str, around: &Around) {
        self.commands.push(SimpleCommand {
            program: String::new(),
            arguments: vec![Word::Literal(text.to_owned())],
            assignments: around.assignments.clone(),
            redirects: Vec::new(),
            place: around.place,
            inside: around.inside.clone(),
            role: Role::RunsUnseen,
            folder: Folder::Unknown,
        });
    }

    /// Takes in one command: itself, and what it runs.
    fn command(&mut self, mut command: SimpleCommand, around: &Around, depth: usize) {
        if self.commands.len() >= MAX_COMMANDS || depth > MAX_DEPTH {
            return self.object(NotUnderstood::TooLarge("128 commands, 48 levels of nesting"));
        }
        if let Some(why) = wrapper::builtin_objection(&command) {
            self.object(why);
        }
        self.variables.extend(wrapper::variables_set_by(&command));
        let unwrapped = wrapper::unwrap(&command);
        if command.role == Role::Acts {
            command.role = unwrapped.role;
        }
        let index = self.commands.len();
        let name = command.name().to_owned();
        let inner = Around {
            place: command.place,
            inside: around.inside.iter().cloned().chain([Inside { name: name.clone(), index }]).collect(),
            assignments: command.assignments.clone(),
            redirects: Vec::new(),
        };
        if unwrapped.moves {
            self.folder = match command.arguments.as_slice() {
                [Word::Literal(path)] if self.chain && self.begins_with(&command) && !path.starts_with('-') => {
                    FolderUse::First(path.clone())
                }
                _ => FolderUse::Somewhere,
            };
        }
        self.commands.push(command);
        if let Some(why) = unwrapped.hides {
            self.object(NotUnderstood::Wrapper { program: name, why });
        }
        for run in unwrapped.inner {
            match run {
                Inner::Code(code) => self.code(&code, &inner, depth + 1),
                Inner::Words { assignments, words } => {
                    let mut around = inner.clone();
                    around.assignments.extend(assignments);
                    self.words(words, Vec::new(), &around, depth + 1);
                }
            }
        }
    }

    /// The command is `cd`, the first of the line, with nothing around it.
    fn begins_with(&self, command: &SimpleCommand) -> bool {
        let alone = command.inside.is_empty() && command.place == Place::default() && command.redirects.is_empty();
        self.commands.is_empty() && command.program == "cd" && alone && command.assignments.is_empty()
    }

    /// Takes in a command by its words, the program first.
    fn words(&mut self, words: Vec<Word>, assignments: Vec<Assignment>, around: &Around, depth: usize) {
        let mut words = words.into_iter();
        let mut role = Role::Acts;
        let program = match words.next() {
            None => String::new(),
            Some(Word::Literal(program)) => {
                if program.is_empty() {
                    self.object(NotUnderstood::Program("''".to_owned()));
                }
                program
            }
            // It may vanish, and the next word be the program: for the rules that deny.
            Some(Word::Varying { text, .. }) => {
                self.object(NotUnderstood::Program(text.clone()));
                role = Role::RunsUnseen;
                text
            }
        };
        let command = SimpleCommand {
            program,
            arguments: words.collect(),
            assignments: around.assignments.iter().cloned().chain(assignments).collect(),
            redirects: around.redirects.clone(),
            place: around.place,
            inside: around.inside.clone(),
            role,
            folder: Folder::Start,
        };
        self.command(command, around, depth);
    }

    fn finish(mut self) -> Analysis {
        for command in &mut self.commands {
            command.assignments.extend(self.variables.iter().cloned());
        }
        for command in self.commands.iter_mut().skip(usize::from(self.folder != FolderUse::Somewhere)) {
            command.folder = match &self.folder {
                FolderUse::Never => Folder::Start,
                FolderUse::First(path) => Folder::Moved(path.clone()),
                FolderUse::Somewhere => Folder::Unknown,
            };
        }
        if let Some(why) = self.why {
            return Analysis::NotUnderstood { why, seen: self.commands };
        }
        match Commands::new(self.commands, self.alone) {
            Some(commands) => Analysis::Understood(commands),
            None => Analysis::NotUnderstood { why: NotUnderstood::Nothing, seen: Vec::new() },
        }
    }
}

/// The tree of a text, unless it takes more steps than any line that is meant well: what the parser spends on mending a
/// text that is none grows with the square of its length.
fn parse(line: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    let mut steps = 0;
    let mut count = |_: &ParseState| {
        steps += 1;
        if steps > MAX_STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let bytes = line.as_bytes();
    parser.parse_with_options(&mut |from, _| bytes.get(from..).unwrap_or_default(), None, Some(options))
}

/// The text is one row of statements with `&&` between all of them, the first a simple command.
fn is_chain(node: &Node<'_>) -> bool {
    let children: Vec<_> = node.children().into_iter().filter(|child| child.kind() != "comment").collect();
    match children.as_slice() {
        [only] => only.kind() == "command" || (only.kind() == "list" && is_chain(only)),
        [first, and, _] if and.kind() == "&&" => {
            first.kind() == "command" || (first.kind() == "list" && is_chain(first))
        }
        _ => false,
    }
}

/// Control characters, blanks that only look like one, and marks that turn or hide text.
fn hides(character: char) -> bool {
    match character {
        ' ' | '\t' | '\n' => false,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{180E}' | '\u{FEFF}' => true,
        '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{E0000}'..='\u{E007F}' => true,
        character => character.is_control() || character.is_whitespace(),
    }
}
