//! `ask_user`: a question to the person, with answers to choose from. It asks no permission: the question itself is
//! what the person sees.
//!
//! What the person said is a result; that nobody said anything is a failure of the call.

use std::sync::LazyLock;

use futures_util::future::BoxFuture;
use lodger_protocol::{
    Answer, Effect, Mode, QuestionAnswer, QuestionChoice, QuestionRequest, RequestBody, Target, TargetKind, ToolSpec,
};
use lodger_tools::{Patience, Tool, ToolContext, ToolFailure, ToolOutput, ToolRun, input};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

const NAME: &str = "ask_user";

const MAX_QUESTION_BYTES: usize = 4 * 1024;
const MAX_OPTIONS: usize = 16;
const MAX_LABEL_BYTES: usize = 256;
const MAX_DESCRIPTION_BYTES: usize = 1024;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Input {
    /// The question.
    question: String,
    /// 1 to 16 answers, the one you would choose first.
    options: Vec<Choice>,
    /// More than one may be chosen. Default false.
    #[serde(default)]
    multi_select: bool,
    /// The user may write an answer of their own. Default false.
    #[serde(default)]
    allow_other: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Choice {
    /// The answer, in a few words.
    label: String,
    /// What it means.
    #[serde(default)]
    description: Option<String>,
}

static SPEC: LazyLock<ToolSpec> = LazyLock::new(|| {
    input::spec::<Input>(NAME, "Asks the user a question. Only for what they alone can decide and you need to go on.")
});

/// Asks the person. Offered where the host can answer questions; elsewhere a call is told that nobody does.
pub struct AskUser {
    answered: bool,
}

impl AskUser {
    /// `answered`: this host answers questions.
    #[must_use]
    pub const fn new(answered: bool) -> Self {
        Self { answered }
    }
}

impl Tool for AskUser {
    fn spec(&self) -> &ToolSpec {
        &SPEC
    }

    fn is_offered(&self, _mode: Mode) -> bool {
        self.answered
    }

    fn parse(&self, input: &Value) -> Result<Box<dyn ToolRun>, ToolFailure> {
        let Input { question, options, multi_select, allow_other } = input::read(NAME, input)?;
        check_question(&question)?;
        check_options(&options)?;
        let options = options.into_iter().map(|Choice { label, description }| QuestionChoice { label, description });
        Ok(Box::new(Question(QuestionRequest { question, options: options.collect(), multi_select, allow_other })))
    }
}

fn check_question(question: &str) -> Result<(), ToolFailure> {
    if question.trim().is_empty() || question.len() > MAX_QUESTION_BYTES {
        let bytes = question.len();
        return Err(ToolFailure(format!(
            "question has {bytes} bytes; expected a text of at most {MAX_QUESTION_BYTES}"
        )));
    }
    Ok(())
}

fn check_options(options: &[Choice]) -> Result<(), ToolFailure> {
    if options.is_empty() || options.len() > MAX_OPTIONS {
        return Err(ToolFailure(format!("there are {} options; expected 1 to {MAX_OPTIONS}", options.len())));
    }
    for (index, Choice { label, description }) in options.iter().enumerate() {
        if label.trim().is_empty() || label.len() > MAX_LABEL_BYTES || label.contains(char::is_control) {
            return Err(ToolFailure(format!(
                "options[{index}].label has {} bytes; expected one line of at most {MAX_LABEL_BYTES}",
                label.len()
            )));
        }
        if options[..index].iter().any(|other| other.label == *label) {
            return Err(ToolFailure(format!("options[{index}].label is {label:?}, as another is; expected each once")));
        }
        let bytes = description.as_ref().map_or(0, String::len);
        if bytes > MAX_DESCRIPTION_BYTES {
            return Err(ToolFailure(format!(
                "options[{index}].description has {bytes} bytes; expected at most {MAX_DESCRIPTION_BYTES}"
            )));
        }
    }
    Ok(())
}

struct Question(QuestionRequest);

impl ToolRun for Question {
    fn target(&self) -> Target {
        Target {
            summary: format!("Ask: {}", input::first_line(&self.0.question)),
            effect: Effect::Read,
            kind: TargetKind::Other,
            paths: None,
            command: None,
            host: None,
        }
    }

    fn run(self: Box<Self>, context: ToolContext) -> BoxFuture<'static, ToolOutput> {
        Box::pin(async move {
            match context.host.ask(RequestBody::Question(self.0), Patience::AsConfigured).await {
                Answer::Question(QuestionAnswer::Answered { answers, other }) => {
                    ToolOutput::text(told(&answers, other.as_deref()))
                }
                Answer::Question(QuestionAnswer::Dismissed { .. }) => {
                    ToolOutput::text("dismissed: the user chose not to answer")
                }
                Answer::Refused { reason, .. } => ToolOutput::error(format!("dismissed: {reason}")),
                Answer::Permission(_) | Answer::Tool(_) | Answer::Plan(_) | Answer::Check(_) => {
                    ToolOutput::error("dismissed: the host answered something else than was asked")
                }
            }
        })
    }
}

/// What the person answered, in words that cannot be taken for one another.
fn told(answers: &[String], other: Option<&str>) -> String {
    let chosen = match answers {
        [] => None,
        answers => {
            let labels: Vec<String> = answers.iter().map(|label| format!("{label:?}")).collect();
            Some(format!("the user chose: {}", labels.join(", ")))
        }
    };
    let wrote = other.filter(|other| !other.trim().is_empty()).map(|other| format!("the user wrote: {other}"));
    match (chosen, wrote) {
        (Some(chosen), Some(wrote)) => format!("{chosen}\n{wrote}"),
        (Some(said), None) | (None, Some(said)) => said,
        (None, None) => "the user chose none of the options".to_owned(),
    }
}
