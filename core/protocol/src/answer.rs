//! What a host answers. Every mapping from JSON is total: whatever is not understood is a refusal.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Content, Mode, Outcome, QuestionRequest, RequestBody, RequestKind};

/// Where an "always" is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Persist {
    /// For the life of the session.
    #[default]
    Session,
    /// In the project's settings.
    Project,
    /// In the user's settings.
    User,
}

/// Answer to a permission request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PermissionAnswer {
    /// Run it this time.
    AllowOnce {},
    /// Run it, and calls like it from now on.
    AllowAlways {
        /// The rule to keep, one of the request's `suggestedRules`; absent: exactly this call. Another refuses the
        /// call: nothing is allowed that nobody was shown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        /// Where to keep it. Only `session` is kept yet: another refuses the call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        persist: Option<Persist>,
    },
    /// Do not run it.
    Deny {
        /// Told to the model.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        feedback: Option<String>,
    },
}

/// Answer to a tool request: content, or an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ToolAnswer {
    /// The tool failed.
    Failed {
        /// Told to the model.
        error: String,
    },
    /// The tool ran.
    Ran {
        /// Text, images and documents for the model.
        content: Vec<Content>,
        /// It ran, and what it says is an error.
        #[serde(default, rename = "isError", skip_serializing_if = "is_false")]
        is_error: bool,
    },
}

/// Answer to a question. One that does not fit what was asked is a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum QuestionAnswer {
    /// The person did not want to answer.
    Dismissed {
        /// Always true.
        dismissed: bool,
    },
    /// The person answered.
    Answered {
        /// The chosen labels, as they were offered. Several, or none at all, only where the question allows several.
        answers: Vec<String>,
        /// Free text, beside a label or in place of one, only where the question allows it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        other: Option<String>,
    },
}

/// Answer to a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlanAnswer {
    /// Go ahead, or not. An approved plan ends plan mode.
    pub approved: bool,
    /// The mode to go on in once it is approved. Absent: `ask`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// Told to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
}

/// Answer to a request for a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckAnswer {
    /// The call must not run, whatever else allows it.
    pub blocking: bool,
    /// What was found, one line each: shown to whoever is asked for leave, and told to the model when it blocks. At most
    /// 64 of at most 1 KiB; what is longer is cut.
    #[serde(default)]
    pub findings: Vec<String>,
}

/// A settled request's answer, of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// To a permission request.
    Permission(PermissionAnswer),
    /// To a tool request.
    Tool(ToolAnswer),
    /// To a question.
    Question(QuestionAnswer),
    /// To a plan.
    Plan(PlanAnswer),
    /// To a check.
    Check(CheckAnswer),
    /// No answer of use: refused, with the reason.
    Refused {
        /// How the request ended.
        outcome: Outcome,
        /// Told to the model.
        reason: String,
    },
}

impl Answer {
    /// Reads an answer of the given kind. What does not fit is a refusal that says what was expected.
    #[must_use]
    pub fn from_json(kind: RequestKind, json: &str) -> Self {
        // An object and nothing else: serde would take a list of the values, such as `["allow_once"]`, as well.
        let Ok(fields) = serde_json::from_str(json) else { return Self::nonsense(kind) };
        let object = Value::Object(fields);
        let read = match kind {
            RequestKind::Permission => serde_json::from_value(object).map(Self::Permission),
            RequestKind::Tool => serde_json::from_value(object).map(Self::Tool),
            RequestKind::Question => serde_json::from_value(object).map(Self::Question),
            RequestKind::Plan => serde_json::from_value(object).map(Self::Plan),
            RequestKind::Check => serde_json::from_value(object).map(Self::Check),
        };
        match read {
            Ok(Self::Question(QuestionAnswer::Dismissed { dismissed: false })) | Err(_) => Self::nonsense(kind),
            Ok(answer) => answer,
        }
    }

    /// The answer, if it can be one to what was asked; otherwise a refusal that says why not.
    #[must_use]
    pub fn fitting(self, asked: &RequestBody) -> Self {
        let misfit = match (&self, asked) {
            (Self::Question(QuestionAnswer::Answered { answers, other }), RequestBody::Question(question)) => {
                misfit(question, answers, other.as_deref())
            }
            (
                Self::Permission(PermissionAnswer::AllowAlways { rule: Some(rule), .. }),
                RequestBody::Permission(asked),
            ) if !asked.suggested_rules.contains(rule) => {
                Some(format!("the rule {rule:?} is not one of its suggestedRules"))
            }
            (Self::Permission(_), RequestBody::Permission(_))
            | (Self::Tool(_), RequestBody::Tool(_))
            | (Self::Question(QuestionAnswer::Dismissed { dismissed: true }), RequestBody::Question(_))
            | (Self::Plan(_), RequestBody::Plan(_))
            | (Self::Check(_), RequestBody::Check(_))
            | (Self::Refused { .. }, _) => None,
            _ => return Self::nonsense(asked.kind()),
        };
        match misfit {
            None => self,
            Some(misfit) => Self::Refused {
                outcome: Outcome::Failed,
                reason: format!("the host's answer does not fit the {}: {misfit}", asked.kind().as_str()),
            },
        }
    }

    /// The refusal for an answer that does not fit its request.
    #[must_use]
    pub fn nonsense(kind: RequestKind) -> Self {
        let expected = match kind {
            RequestKind::Permission => "{kind: 'allow_once'}, {kind: 'allow_always'} or {kind: 'deny', feedback?}",
            RequestKind::Tool => "{content: [...], isError?} or {error: '...'}",
            RequestKind::Question => "{answers: [...], other?} or {dismissed: true}",
            RequestKind::Plan => "{approved: true|false, mode?, feedback?}",
            RequestKind::Check => "{blocking: true|false, findings: [...]}",
        };
        Self::Refused {
            outcome: Outcome::Failed,
            reason: format!("the host's answer was not understood; expected {expected}"),
        }
    }

    /// How the request ended with this answer.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::Permission(PermissionAnswer::AllowOnce {}) => Outcome::AllowedOnce,
            Self::Permission(PermissionAnswer::AllowAlways { .. }) => Outcome::AllowedAlways,
            Self::Permission(PermissionAnswer::Deny { .. }) => Outcome::Denied,
            Self::Tool(ToolAnswer::Ran { .. }) | Self::Question(QuestionAnswer::Answered { .. }) | Self::Check(_) => {
                Outcome::Answered
            }
            Self::Tool(ToolAnswer::Failed { .. }) => Outcome::Failed,
            Self::Question(QuestionAnswer::Dismissed { .. }) => Outcome::Dismissed,
            Self::Plan(plan) if plan.approved => Outcome::Approved,
            Self::Plan(_) => Outcome::Rejected,
            Self::Refused { outcome, .. } => *outcome,
        }
    }

    /// The answer as JSON, where there is one.
    #[must_use]
    pub fn to_value(&self) -> Option<Value> {
        match self {
            Self::Permission(answer) => serde_json::to_value(answer).ok(),
            Self::Tool(answer) => serde_json::to_value(answer).ok(),
            Self::Question(answer) => serde_json::to_value(answer).ok(),
            Self::Plan(answer) => serde_json::to_value(answer).ok(),
            Self::Check(answer) => serde_json::to_value(answer).ok(),
            Self::Refused { .. } => None,
        }
    }
}

/// Why an answer cannot be one to that question.
fn misfit(question: &QuestionRequest, answers: &[String], other: Option<&str>) -> Option<String> {
    let offered = |answer: &String| question.options.iter().any(|option| option.label == *answer);
    if let Some(unknown) = answers.iter().find(|answer| !offered(answer)) {
        return Some(format!("{unknown:?} is not one of its options"));
    }
    if answers.len() > 1 && !question.multi_select {
        return Some("several options were chosen where one may be".to_owned());
    }
    if other.is_some() && !question.allow_other {
        return Some("`other` was given where only options may be".to_owned());
    }
    if answers.is_empty() && other.is_none_or(|other| other.trim().is_empty()) && !question.multi_select {
        return Some("nothing was chosen; the answer that leaves it open is {dismissed: true}".to_owned());
    }
    None
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PlanRequest, QuestionChoice};

    #[test]
    fn only_an_object_is_an_answer() {
        let kinds =
            [RequestKind::Permission, RequestKind::Tool, RequestKind::Question, RequestKind::Plan, RequestKind::Check];
        for kind in kinds {
            for json in [r#"["allow_once"]"#, "[true]", r#"[["yes"], null]"#, r#""allow_once""#, "true", "null", ""] {
                let answer = Answer::from_json(kind, json);
                assert_eq!(answer, Answer::nonsense(kind), "{kind:?} {json}");
            }
        }
    }

    fn question(multi_select: bool, allow_other: bool) -> RequestBody {
        let options = ["Red", "Blue"].map(|label| QuestionChoice { label: label.to_owned(), description: None }).into();
        RequestBody::Question(QuestionRequest { question: "Which?".to_owned(), options, multi_select, allow_other })
    }

    fn chose(labels: &[&str], other: Option<&str>) -> Answer {
        let answers = labels.iter().map(|label| (*label).to_owned()).collect();
        Answer::Question(QuestionAnswer::Answered { answers, other: other.map(str::to_owned) })
    }

    #[test]
    fn an_answer_to_another_kind_of_request_is_none() {
        let plan = RequestBody::Plan(PlanRequest { plan: "1.".to_owned() });
        let approved = Answer::Plan(PlanAnswer { approved: true, mode: None, feedback: None });
        assert_eq!(chose(&["Red"], None).fitting(&plan), Answer::nonsense(RequestKind::Plan));
        assert_eq!(approved.clone().fitting(&question(false, false)), Answer::nonsense(RequestKind::Question));
        assert_eq!(approved.clone().fitting(&plan), approved);
    }

    #[test]
    fn a_refusal_fits_every_request() {
        let refused = Answer::Refused { outcome: Outcome::Expired, reason: "late".to_owned() };
        assert_eq!(refused.clone().fitting(&question(false, false)), refused);
    }

    #[test]
    fn every_answer_to_a_question_is_held_against_what_it_allows() {
        let cases: [(&[&str], Option<&str>); 6] = [
            (&["Red"], None),
            (&["Red", "Blue"], None),
            (&[], None),
            (&[], Some("Green")),
            (&["Red"], Some("Green")),
            (&["Green"], None),
        ];
        for (multi_select, allow_other, fits) in [
            (false, false, [true, false, false, false, false, false]),
            (true, false, [true, true, true, false, false, false]),
            (false, true, [true, false, false, true, true, false]),
            (true, true, [true, true, true, true, true, false]),
        ] {
            let found = cases.map(|(labels, other)| {
                chose(labels, other).fitting(&question(multi_select, allow_other)).outcome() == Outcome::Answered
            });
            assert_eq!(found, fits, "several: {multi_select}, other: {allow_other}");
        }
    }
}
