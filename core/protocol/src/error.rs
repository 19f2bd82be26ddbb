//! The one list of errors. Faces format it; none adds to it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// One row of the list of errors, for documentation and for C.
#[derive(Clone, Copy, Debug)]
pub struct ErrorEntry {
    /// The code.
    pub code: ErrorCode,
    /// As it stands in JSON.
    pub name: &'static str,
    /// The status number in C; never reused.
    pub number: i32,
    /// Whether the same call may succeed later, unchanged.
    pub retryable: bool,
    /// What it means and what to do.
    pub meaning: &'static str,
}

macro_rules! error_codes {
    ($($variant:ident $name:literal $number:literal $retryable:literal $meaning:literal;)*) => {
        /// What went wrong, as a stable name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum ErrorCode {
            $(#[doc = $meaning] #[serde(rename = $name)] $variant,)*
        }

        impl ErrorCode {
            /// Every code, in the order of their numbers.
            pub const ALL: &'static [ErrorEntry] = &[
                $(ErrorEntry { code: Self::$variant, name: $name, number: $number, retryable: $retryable, meaning: $meaning },)*
            ];

            /// The row of this code.
            #[must_use]
            pub const fn entry(self) -> ErrorEntry {
                match self {
                    $(Self::$variant => ErrorEntry { code: Self::$variant, name: $name, number: $number, retryable: $retryable, meaning: $meaning },)*
                }
            }
        }
    };
}

error_codes! {
    InvalidOptions "invalid_options" -1 false "An option is unknown, missing or malformed. The message names the option, what was expected and, for a misspelt name, the likely one.";
    InvalidInput "invalid_input" -2 false "An argument is malformed: a null pointer, text that is not UTF-8, JSON that does not parse, a prompt of the wrong shape or over a limit.";
    Closed "closed" -3 false "The agent, turn or runtime was closed. Create a new one.";
    Unsupported "unsupported" -4 false "This build, platform or agent cannot do that. The message says what is missing.";
    Forked "forked" -5 false "The handle was made before a fork and is used in the child. Create a new agent in the child.";
    Timeout "timeout" -6 true "Something took longer than its limit. The message names the limit.";
    Internal "internal" -7 false "A fault in Lodger. Please report it with the message.";
    InternalPanic "internal_panic" -8 false "A fault in Lodger that was contained: the turn ended, the agent can go on. Please report it with the message.";
    ConsumerStalled "consumer_stalled" -9 false "Nobody read a full event queue for `limits.stallTimeoutMs`. Read the turn, or await it.";
    SessionBusy "session_busy" -10 true "A prompt is still running. Wait for its `done`, or interrupt it.";
    SessionLocked "session_locked" -11 true "Another process has the session open.";
    SessionNotFound "session_not_found" -12 false "There is no such session.";
    RequestNotFound "request_not_found" -13 false "There is no open request with that id.";
    RequestSettled "request_settled" -14 false "The request was answered, cancelled or timed out before; the first outcome stands.";
    OutsideRoots "outside_roots" -15 false "A path lies outside the folders that the agent may use.";
    PathChanged "path_changed" -16 true "A file was replaced between the decision and its use. Read it again.";
    PermissionDenied "permission_denied" -17 false "The call was refused by a person, a rule or the absence of an answer.";
    LockedByPolicy "locked_by_policy" -18 false "Managed policy fixes this setting.";
    ModelNotAllowed "model_not_allowed" -19 false "Policy does not allow this model.";
    PolicyRejected "policy_rejected" -20 false "A policy bundle was not accepted: signature, age or form.";
    ProviderAuth "provider_auth" -21 false "The provider refused the credentials, or there are none. The message says where they are looked for.";
    ProviderRateLimited "provider_rate_limited" -22 true "The provider limits the rate of requests. Wait for `retryAfterMs` where it is given.";
    ProviderOverloaded "provider_overloaded" -23 true "The provider has too much load.";
    ProviderUnavailable "provider_unavailable" -24 true "The provider could not be reached or answered with a fault of its own.";
    ProviderRejected "provider_rejected" -25 false "The provider did not accept the request. Its own words are in the message.";
    ProviderStreamCut "provider_stream_cut" -26 true "The provider's stream ended before the reply was complete.";
    ProviderMalformed "provider_malformed" -27 false "The provider sent something that is not its protocol.";
    ContextOverflow "context_overflow" -28 false "The conversation no longer fits the model's context window.";
    CheckpointCorrupt "checkpoint_corrupt" -29 false "The checkpoint bytes are damaged.";
    CheckpointUnsupported "checkpoint_unsupported" -30 false "The checkpoint was written by a newer version.";
    CheckpointInvalid "checkpoint_invalid" -31 false "The checkpoint is whole but does not describe a conversation.";
    CheckpointTooLarge "checkpoint_too_large" -32 false "The checkpoint is over `limits.maxCheckpointBytes`.";
    ReaderBusy "reader_busy" -33 false "The turn has a reader already. A turn is read by one; open no second iterator.";
    WouldDeadlock "would_deadlock" -34 false "A call that waits was made from inside a callback. Call it from another thread.";
    AbiMismatch "abi_mismatch" -35 false "A sized struct is larger than this library knows and its extra bytes are not zero. Use a library at least as new as the header.";
    ModelNotFound "model_not_found" -36 false "The provider has no such model for this key, or nothing at that address. Its own words are in the message; a list of models says which there are.";
    ProviderQuota "provider_quota" -37 false "The account with the provider has nothing left to pay with. Waiting does not help.";
    OutputInvalid "output_invalid" -38 false "The model gave no answer that fits `outputSchema`, also when it was told what was wrong. `data.attempts` and `data.errors` say how often, and what was wrong last.";
}

impl ErrorCode {
    /// The code as it stands in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.entry().name
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An error as every face shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Error {
    /// Stable name of what went wrong.
    pub code: ErrorCode,
    /// What was expected, what was found, what to do. Never holds a secret.
    pub message: String,
    /// Whether the same call may succeed later, unchanged.
    pub retryable: bool,
    /// How long the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
    /// Details for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl Error {
    /// An error with the code's own answer to "may it be retried".
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: code.entry().retryable, retry_after_ms: None, data: None }
    }

    /// Adds details for programs.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// Adds how long to wait.
    #[must_use]
    pub fn with_retry_after_ms(mut self, wait: Option<u64>) -> Self {
        self.retry_after_ms = wait;
        self
    }

    /// `invalid_options` with a message.
    pub fn invalid_options(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidOptions, message)
    }

    /// `invalid_input` with a message.
    pub fn invalid_input(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidInput, message)
    }

    /// `internal` with a message.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Error {}
