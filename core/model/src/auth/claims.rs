//! What a token says of itself, where it is a JWT. Read, never believed: the provider checks it.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use lodger_protocol::Secret;
use serde_json::Value;

/// The text that stands at that place of a token. `None` for a token that is no JWT, or says nothing there.
pub(crate) fn claim(token: &Secret, place: &[String]) -> Option<String> {
    let mut parts = token.expose().split('.');
    let (_, payload, _) = (parts.next()?, parts.next()?, parts.next()?);
    let payload: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).ok()?).ok()?;
    let found = place.iter().try_fold(&payload, |value, name| value.get(name))?;
    // What cannot stand in a header is nobody's name.
    found.as_str().filter(|text| text.bytes().all(|byte| byte.is_ascii_graphic())).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim_of(token: &str) -> Option<String> {
        claim(&token.into(), &["https://a.test/auth".to_owned(), "account".to_owned()])
    }

    fn token(payload: &str) -> String {
        format!("e30.{}.sig", URL_SAFE_NO_PAD.encode(payload))
    }

    #[test]
    fn a_claim_is_found_by_its_place() {
        assert_eq!(claim_of(&token(r#"{"https://a.test/auth": {"account": "acc-1"}}"#)).unwrap(), "acc-1");
    }

    #[test]
    fn a_token_without_it_says_nothing() {
        for odd in ["sk-plain", "a.b.c", "", "..", &token("{}"), &token(r#"{"https://a.test/auth": {"account": 7}}"#)] {
            assert_eq!(claim_of(odd), None, "{odd}");
        }
        assert_eq!(claim_of(&token(r#"{"https://a.test/auth": {"account": "a\r\nb: c"}}"#)), None);
    }
}
