//! Which protocol belongs to which kind of endpoint: the one place that knows all four.

use lodger_protocol::EndpointKind;

use crate::Protocol;
use crate::anthropic::Anthropic;
use crate::gemini::Gemini;
use crate::openai_chat::OpenaiChat;
use crate::openai_responses::OpenaiResponses;

/// The protocol of that kind.
#[must_use]
pub fn protocol(kind: EndpointKind) -> &'static dyn Protocol {
    match kind {
        EndpointKind::Anthropic => &Anthropic,
        EndpointKind::OpenaiResponses => &OpenaiResponses,
        EndpointKind::OpenaiChat => &OpenaiChat,
        EndpointKind::Gemini => &Gemini,
    }
}
