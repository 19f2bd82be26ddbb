//! What a request carries to say who asks.

use lodger_protocol::Secret;

use crate::catalogue::KeyHeader;

/// A key or token, and how it travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// The key or token itself.
    pub secret: Secret,
    /// How it travels.
    pub carrier: Carrier,
    /// Unix milliseconds after which it does not count any more, where known.
    pub expires_at: Option<u64>,
}

/// How a credential travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carrier {
    /// In the header in which the protocol has its keys.
    Key,
    /// As `authorization: Bearer`, as OAuth has it.
    Bearer,
}

impl Credential {
    /// An API key.
    #[must_use]
    pub fn key(secret: Secret) -> Self {
        Self { secret, carrier: Carrier::Key, expires_at: None }
    }

    /// A token.
    #[must_use]
    pub fn bearer(secret: Secret, expires_at: Option<u64>) -> Self {
        Self { secret, carrier: Carrier::Bearer, expires_at }
    }

    /// The header, name and value, at a server that has its keys in `key_header`.
    pub(crate) fn header(&self, key_header: KeyHeader) -> (String, String) {
        let header = match self.carrier {
            Carrier::Key => key_header,
            Carrier::Bearer => KeyHeader::Authorization,
        };
        (header.name().to_owned(), header.value(self.secret.expose()))
    }
}

#[cfg(test)]
mod tests {
    use lodger_protocol::EndpointKind;

    use super::*;

    #[test]
    fn a_key_travels_as_the_protocol_has_it_and_a_token_as_oauth_has_it() {
        let header = |credential: Credential, kind| credential.header(KeyHeader::of(kind));
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let key = || Credential::key("k".into());
        assert_eq!(header(key(), EndpointKind::Anthropic), pair("x-api-key", "k"));
        assert_eq!(header(key(), EndpointKind::Gemini), pair("x-goog-api-key", "k"));
        assert_eq!(header(key(), EndpointKind::OpenaiChat), pair("authorization", "Bearer k"));
        let token = Credential::bearer("t".into(), None);
        assert_eq!(header(token, EndpointKind::Anthropic), pair("authorization", "Bearer t"));
    }

    #[test]
    fn a_credential_does_not_print_its_secret() {
        let printed = format!("{:?}", Credential::key("sk-very-secret".into()));
        assert!(printed.contains("hidden") && !printed.contains("sk-very"), "{printed}");
    }
}
