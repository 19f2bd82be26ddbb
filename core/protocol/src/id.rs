//! Opaque identifiers. Cheap to clone; never parsed, never compared for order.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(Arc<str>);

        impl $name {
            /// A fresh id: a prefix that tells people what it is, then a version 7 UUID.
            #[must_use]
            pub fn fresh() -> Self {
                Self(format!(concat!($prefix, "{}"), uuid::Uuid::now_v7().simple()).into())
            }

            /// The id as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.into())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text.into())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

ids! {
    /// One conversation, kept or not.
    SessionId = "ses_";
    /// One prompt and all that follows from it, up to its `done`.
    TurnId = "turn_";
    /// A prompt, from the moment it was accepted; it may wait before its turn starts.
    PromptId = "prm_";
    /// One message of the conversation.
    MessageId = "msg_";
    /// One call of a tool by the model. Given by the provider where it gives one.
    ToolCallId = "call_";
    /// One open question to the host.
    RequestId = "req_";
    /// An agent inside a session: the main one, or a sub-agent.
    AgentId = "agt_";
}
