//! What looks like a credential, for texts that people pass on: traces. Never for what a model or a host is told,
//! which must stay what it was.

use regex_lite::Regex;
use serde_json::Value;

use lodger_protocol::Secret;

/// What takes the place of what looks like a secret.
const HIDDEN: &str = "[hidden]";

/// Knows the forms that credentials of well-known services have, as those services document them.
#[derive(Debug)]
pub struct Redactor(Vec<Regex>);

impl Default for Redactor {
    fn default() -> Self {
        Self::new()
    }
}

impl Redactor {
    /// Ready to use.
    #[must_use]
    pub fn new() -> Self {
        let forms = [
            // OpenAI, Anthropic, OpenRouter, Stripe.
            r"\b[sprx]k[-_][A-Za-z0-9_-]{16,}",
            // GitHub.
            r"\bgh[pousr]_[A-Za-z0-9]{20,}",
            r"\bgithub_pat_[A-Za-z0-9_]{20,}",
            // AWS.
            r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
            // Google.
            r"\bAIza[A-Za-z0-9_-]{30,}",
            // Slack.
            r"\bxox[a-z]-[A-Za-z0-9-]{10,}",
            // Any bearer.
            r"(?i)\bbearer +[A-Za-z0-9._~+/=-]{8,}",
            // JSON Web Tokens.
            r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
            // Private keys, also with their line breaks escaped.
            r"-----BEGIN [A-Z ]*PRIVATE KEY-----[A-Za-z0-9+/=\\\s]*(?:-----END [A-Z ]*PRIVATE KEY-----)?",
        ];
        // The forms are constants: a test shows that each is a regular expression.
        Self(forms.iter().filter_map(|form| Regex::new(form).ok()).collect())
    }

    /// The same in every text of a value. Names and numbers stay: they are ours.
    pub(super) fn redact_all(&self, value: &mut Value, secrets: &[Secret]) {
        match value {
            Value::String(text) => *text = self.redact(std::mem::take(text), secrets),
            Value::Array(values) => values.iter_mut().for_each(|value| self.redact_all(value, secrets)),
            Value::Object(members) => members.values_mut().for_each(|value| self.redact_all(value, secrets)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text without our own secrets and without what looks like anybody's.
    #[must_use]
    pub fn redact(&self, text: String, secrets: &[Secret]) -> String {
        let ours = secrets.iter().fold(text, |text, secret| secret.hide_in(&text));
        self.0.iter().fold(ours, |text, form| form.replace_all(&text, HIDDEN).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: String, secrets: &[Secret]) -> String {
        Redactor::new().redact(text, secrets)
    }

    #[test]
    fn what_looks_like_a_credential_is_hidden() {
        for secret in [
            "sk-ant-api03-abcdefghijklmnop",
            "sk_live_abcdefghijklmnop",
            "ghp_abcdefghijklmnopqrstuv",
            "github_pat_abcdefghijklmnopqrst",
            "AKIAABCDEFGHIJKLMNOP",
            "AIzaabcdefghijklmnopqrstuvwxyz0123456",
            "xoxb-1234567890-abc",
            "Bearer abcdefgh.ijkl",
            "eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl",
            r"-----BEGIN RSA PRIVATE KEY-----\nMIIB\nabc\n-----END RSA PRIVATE KEY-----",
        ] {
            let hidden = redacted(format!("see \"{secret}\" there"), &[]);
            assert_eq!(hidden, "see \"[hidden]\" there", "{secret}");
        }
    }

    #[test]
    fn a_secret_of_ours_is_hidden_whatever_it_looks_like() {
        assert_eq!(redacted("key=hunter2".to_owned(), &[Secret::new("hunter2")]), "key=[hidden]");
    }

    #[test]
    fn plain_words_stay() {
        let text = "the bearer of this sk-1 letter reads eyJ and ghp_short";
        assert_eq!(redacted(text.to_owned(), &[]), text);
    }
}
