//! A reply as far as it has come, whatever the protocol: what is whole, what may be run, and its one end.

use lodger_protocol::{Content, Error, StopReason, ToolCallId, Usage};
use serde_json::Value;

use crate::input::parse_input;
use crate::{ModelEvent, Reply};

/// Why a provider says that its reply is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It had said all.
    Said,
    /// The limit of output tokens was reached.
    Limit,
    /// It, or the model, declined.
    Refused,
}

/// A reply as far as it has come.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    blocks: Vec<Block>,
    usage: Usage,
    ended: bool,
}

/// A block as far as it has come.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) body: Body,
    /// It came to its own end.
    pub(crate) stopped: bool,
}

#[derive(Debug)]
pub(crate) enum Body {
    Text(String),
    Thinking {
        text: String,
        signature: Option<String>,
    },
    Redacted(String),
    Call {
        id: ToolCallId,
        name: String,
        /// The input where it came whole beside the text, which servers fill with `{}` or, rarely, with all of it.
        given: Option<Value>,
        text: String,
    },
    /// Of a kind that we did not ask for; left out.
    Other,
}

impl Draft {
    pub(crate) const fn is_ended(&self) -> bool {
        self.ended
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// How many blocks there are: the place of the next.
    pub(crate) const fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Starts a block. Returns its place.
    pub(crate) fn push(&mut self, body: Body) -> usize {
        self.insert(self.blocks.len(), body)
    }

    /// Starts a block before the one at `place`.
    pub(crate) fn insert(&mut self, place: usize, body: Body) -> usize {
        self.blocks.insert(place, Block { body, stopped: false });
        place
    }

    pub(crate) fn block(&mut self, place: usize) -> Option<&mut Block> {
        self.blocks.get_mut(place)
    }

    pub(crate) fn body(&self, place: usize) -> Option<&Body> {
        self.blocks.get(place).map(|block| &block.body)
    }

    pub(crate) fn last(&self) -> Option<&Body> {
        self.blocks.last().map(|block| &block.body)
    }

    /// All that is there came to its own end.
    pub(crate) fn stop_all(&mut self) {
        for block in &mut self.blocks {
            block.stopped = true;
        }
    }

    /// Adds text to the last block, or to a new one where that is not text or has come to its end.
    pub(crate) fn say(&mut self, more: String, out: &mut Vec<ModelEvent>) {
        let goes_on = matches!(self.blocks.last(), Some(Block { body: Body::Text(_), stopped: false }));
        if !goes_on && !more.is_empty() {
            self.push(Body::Text(String::new()));
        }
        self.append(self.blocks.len().wrapping_sub(1), more, out);
    }

    /// Adds thought to the last block, or to a new one where that is not thought or is signed already.
    pub(crate) fn think(&mut self, more: String, out: &mut Vec<ModelEvent>) {
        let goes_on = matches!(self.last(), Some(Body::Thinking { signature: None, .. }));
        if !goes_on && !more.is_empty() {
            self.push(Body::Thinking { text: String::new(), signature: None });
        }
        self.append(self.blocks.len().wrapping_sub(1), more, out);
    }

    /// Adds text to a block of any kind, and says so.
    pub(crate) fn append(&mut self, place: usize, more: String, out: &mut Vec<ModelEvent>) {
        if more.is_empty() {
            return;
        }
        match self.blocks.get_mut(place).map(|block| &mut block.body) {
            Some(Body::Text(text)) => {
                text.push_str(&more);
                out.push(ModelEvent::TextDelta(more));
            }
            Some(Body::Thinking { text, .. }) => {
                text.push_str(&more);
                out.push(ModelEvent::ThinkingDelta(more));
            }
            Some(Body::Call { id, name, text, .. }) => {
                text.push_str(&more);
                out.push(ModelEvent::ToolInputDelta { tool_call_id: id.clone(), tool_name: name.clone(), text: more });
            }
            Some(Body::Redacted(_) | Body::Other) | None => {}
        }
    }

    /// Takes over the usage so far, and says so where it is news.
    pub(crate) fn count(&mut self, usage: Usage, out: &mut Vec<ModelEvent>) {
        if usage != self.usage {
            self.usage = usage;
            out.push(ModelEvent::Usage(usage));
        }
    }

    /// Ends the reply with an error, and hands over what had arrived.
    pub(crate) fn fail(&mut self, error: Error) -> ModelEvent {
        self.ended = true;
        let content = std::mem::take(&mut self.blocks).into_iter().filter_map(Block::arrived).collect();
        ModelEvent::Failed { error, partial: Reply { content, stop_reason: StopReason::Error, usage: self.usage } }
    }

    /// Ends the reply as whole.
    pub(crate) fn finish(&mut self, ending: Ending) -> ModelEvent {
        self.ended = true;
        let blocks = std::mem::take(&mut self.blocks);
        let last = blocks.len().saturating_sub(1);
        let content: Vec<_> = blocks
            .into_iter()
            .enumerate()
            .filter_map(|(place, block)| block.complete(ending == Ending::Limit && place == last))
            .collect();
        let calls = content.iter().any(|block| matches!(block, Content::ToolCall { .. }));
        let stop_reason = match ending {
            Ending::Limit => StopReason::MaxOutputTokens,
            Ending::Refused => StopReason::Refused,
            // A reply with calls waits for their results, whatever a server calls that; one without does not.
            Ending::Said if calls => StopReason::ToolUse,
            Ending::Said => StopReason::EndTurn,
        };
        ModelEvent::Finished(Reply { content, stop_reason, usage: self.usage })
    }
}

impl Block {
    /// The block in a whole reply. `limited`: the output limit was reached inside of this block.
    fn complete(self, limited: bool) -> Option<Content> {
        match self.body {
            // No text is `{}` only when the input came to its own end.
            Body::Call { id, name, given, text } if text.is_empty() && (limited || !self.stopped) => {
                let input = given.filter(|given| !is_blank(given)).unwrap_or(Value::String(text));
                Some(Content::ToolCall { tool_call_id: id, tool_name: name, input })
            }
            body => body.into_content(),
        }
    }

    /// The block in a reply that was cut: a call is there only if all of its input is.
    fn arrived(self) -> Option<Content> {
        match (&self.body, self.stopped) {
            (Body::Call { .. }, false) => None,
            _ => match self.body.into_content()? {
                Content::ToolCall { input, .. } if !input.is_object() => None,
                content => Some(content),
            },
        }
    }
}

impl Body {
    fn into_content(self) -> Option<Content> {
        Some(match self {
            // Some servers open a text block and say nothing in it.
            Self::Text(text) if text.is_empty() => return None,
            Self::Text(text) => Content::Text { text },
            Self::Thinking { text, signature } => Content::Thinking { text, signature },
            Self::Redacted(data) => Content::RedactedThinking { data },
            Self::Call { id, name, given, text } => {
                let input = match given {
                    Some(given) if text.is_empty() && !is_blank(&given) => given,
                    _ => parse_input(text),
                };
                Content::ToolCall { tool_call_id: id, tool_name: name, input }
            }
            Self::Other => return None,
        })
    }
}

fn is_blank(input: &Value) -> bool {
    match input {
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        other => other.is_null(),
    }
}
