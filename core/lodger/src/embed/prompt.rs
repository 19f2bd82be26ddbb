//! From the host's JSON to a prompt. What is wrong names its block.

use lodger_protocol::{Content, Error, Prompt, Result};
use serde_json::Value;

use super::misfit;

pub(super) fn read(json: &str) -> Result<Prompt> {
    let expected = "expected a JSON text or a list of blocks ({type: 'text' | 'resource' | 'image' | 'document', ...})";
    match serde_json::from_str(json) {
        Ok(Value::String(text)) => Ok(Prompt::Text(text)),
        Ok(Value::Array(blocks)) => {
            blocks.into_iter().enumerate().map(block).collect::<Result<_>>().map(Prompt::Blocks)
        }
        Ok(_) => Err(Error::invalid_input(format!("the prompt is neither: {expected}"))),
        Err(error) => Err(Error::invalid_input(format!("the prompt is not JSON ({error}); {expected}"))),
    }
}

fn block((index, block): (usize, Value)) -> Result<Content> {
    serde_json::from_value(block).map_err(|error| {
        Error::invalid_input(format!("block {index} of the prompt: {}", misfit::in_words(&error, false)))
    })
}
