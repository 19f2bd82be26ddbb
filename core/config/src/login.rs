//! What is saved of a login.

use lodger_protocol::Secret;
use serde::{Deserialize, Serialize};

/// So long before its end a token is renewed, in milliseconds; a short-lived one in the last quarter of its life.
const AHEAD_MS: u64 = 120_000;

/// A login as it is saved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum SavedLogin {
    /// An API key.
    Key {
        /// The key.
        key: Secret,
    },
    /// An access token.
    Token {
        /// The token.
        token: Secret,
        /// Unix milliseconds when it was had.
        obtained_at: u64,
        /// Unix milliseconds after which it does not count any more, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        expires_at: Option<u64>,
        /// How another is had. Absent: by another login only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        renewal: Option<Renewal>,
    },
}

/// How a token is renewed. The place is kept with the login, so that no file that says something else of the provider
/// can send the refresh token elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Renewal {
    /// The refresh token.
    pub refresh_token: Secret,
    /// Where it is sent.
    pub token_url: String,
    /// As whom.
    pub client_id: String,
}

impl SavedLogin {
    /// The secret that requests carry.
    #[must_use]
    pub const fn secret(&self) -> &Secret {
        match self {
            Self::Key { key } => key,
            Self::Token { token, .. } => token,
        }
    }

    /// Whether it should be renewed by now.
    #[must_use]
    pub fn is_due(&self, now_ms: u64) -> bool {
        match self {
            Self::Token { obtained_at, expires_at: Some(end), .. } => {
                let life = end.saturating_sub(*obtained_at);
                now_ms >= end.saturating_sub(AHEAD_MS.min(life / 4))
            }
            Self::Key { .. } | Self::Token { expires_at: None, .. } => false,
        }
    }

    /// Whether it does not count any more.
    #[must_use]
    pub const fn is_over(&self, now_ms: u64) -> bool {
        match self {
            Self::Token { expires_at: Some(end), .. } => now_ms >= *end,
            Self::Key { .. } | Self::Token { expires_at: None, .. } => false,
        }
    }
}
