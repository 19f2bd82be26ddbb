//! From an answer to words for the model: how much is read, of what kind it may be, and in which characters it is written.

use encoding_rs::{Encoding, UTF_8};
use futures_util::StreamExt;
use lodger_net::HttpResponse;
use url::Url;

use super::super::text_file::blocking;
use super::readable;
use crate::{ToolFailure, ToolOutput};

/// A page says within so many bytes in which characters it is written.
const MAX_PREAMBLE_BYTES: usize = 1024;

/// How a body becomes text.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// Made readable.
    Html,
    /// As it stands.
    Plain,
}

/// Reads an answer and shows it. One that is no success is shown too, as a failure.
pub(super) async fn show(url: &Url, answer: HttpResponse, max_bytes: usize) -> Result<ToolOutput, ToolFailure> {
    let status = answer.status;
    let kind = answer.header("content-type").unwrap_or_default().to_owned();
    let form = form_of(&kind).ok_or_else(|| {
        ToolFailure(format!("{url} is of type {kind:?}; only pages and texts are read (HTTP status {status})"))
    })?;
    if let Some(packed) = answer.header("content-encoding").filter(|packed| !packed.eq_ignore_ascii_case("identity")) {
        return Err(ToolFailure(format!("{url} came packed as {packed:?}, though that was not asked for")));
    }
    let (bytes, is_cut) = read(answer, max_bytes).await?;
    let url = url.clone();
    Ok(blocking(move || {
        let text = decoded(&bytes, charset(&kind), form);
        let text = match form {
            Form::Html => readable::text_of(&text, &url, max_bytes),
            Form::Plain => text,
        };
        let cut = if is_cut { format!("; only its first {max_bytes} bytes were read") } else { String::new() };
        let head = format!("{url} (HTTP status {status}{cut})");
        ToolOutput {
            is_error: !(200..300).contains(&status),
            truncated: is_cut,
            ..ToolOutput::text(format!("{head}\n\n{}", text.trim()))
        }
    })
    .await)
}

/// The body, and whether there was more.
async fn read(mut answer: HttpResponse, max_bytes: usize) -> Result<(Vec<u8>, bool), ToolFailure> {
    let mut bytes = Vec::new();
    while let Some(piece) = answer.body.next().await {
        let piece = piece.map_err(|error| ToolFailure(error.message))?;
        let room = max_bytes - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if piece.len() > room {
            return Ok((bytes, true));
        }
    }
    Ok((bytes, false))
}

/// The form of a media type; none: what is not text is not read. Who says nothing means text.
fn form_of(kind: &str) -> Option<Form> {
    let media = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match media.as_str() {
        "text/html" | "application/xhtml+xml" => Some(Form::Html),
        ""
        | "application/json"
        | "application/xml"
        | "application/javascript"
        | "application/yaml"
        | "application/toml" => Some(Form::Plain),
        media if media.starts_with("text/") || media.ends_with("+json") || media.ends_with("+xml") => Some(Form::Plain),
        _ => None,
    }
}

/// The characters that a media type names.
fn charset(kind: &str) -> Option<&'static Encoding> {
    let named = kind.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(value)
    })?;
    Encoding::for_label(named.trim().trim_matches('"').as_bytes())
}

/// The characters that a page names itself.
fn charset_within(bytes: &[u8]) -> Option<&'static Encoding> {
    let preamble = bytes[..bytes.len().min(MAX_PREAMBLE_BYTES)].to_ascii_lowercase();
    let preamble = String::from_utf8_lossy(&preamble);
    let (_, rest) = preamble.split_once("charset=")?;
    let rest = rest.trim_start_matches(['"', '\'', ' ']);
    Encoding::for_label(rest.split(|c: char| !(c.is_ascii_alphanumeric() || "-_:".contains(c))).next()?.as_bytes())
}

/// A mark at its beginning wins over what is said of it. What is no character becomes U+FFFD.
fn decoded(bytes: &[u8], named: Option<&'static Encoding>, form: Form) -> String {
    let within = || if form == Form::Html { charset_within(bytes) } else { None };
    named.or_else(within).unwrap_or(UTF_8).decode(bytes).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_and_texts_are_read_and_nothing_else() {
        for (kind, form) in [
            ("text/html; charset=utf-8", Some(Form::Html)),
            ("TEXT/HTML", Some(Form::Html)),
            ("text/markdown", Some(Form::Plain)),
            ("application/json", Some(Form::Plain)),
            ("application/ld+json;x=y", Some(Form::Plain)),
            ("image/svg+xml", Some(Form::Plain)),
            ("", Some(Form::Plain)),
            ("image/png", None),
            ("application/pdf", None),
            ("application/octet-stream", None),
            ("multipart/form-data", None),
        ] {
            assert_eq!(form_of(kind), form, "{kind}");
        }
    }

    #[test]
    fn characters_are_those_of_the_header_else_of_the_page_and_a_mark_wins() {
        let text = |bytes: &[u8], kind: &str, form| decoded(bytes, charset(kind), form);
        assert_eq!(text(b"caf\xe9", "text/plain; charset=ISO-8859-1", Form::Plain), "caf\u{e9}");
        assert_eq!(text(b"caf\xe9", "text/plain; Charset=\"latin1\"", Form::Plain), "caf\u{e9}");
        assert_eq!(text("caf\u{e9}".as_bytes(), "text/plain", Form::Plain), "caf\u{e9}");
        assert_eq!(text("\u{feff}caf\u{e9}".as_bytes(), "text/plain; charset=latin1", Form::Plain), "caf\u{e9}");
        assert_eq!(text(b"<meta charset=\"latin1\">\xe9", "text/html", Form::Html), "<meta charset=\"latin1\">\u{e9}");
        assert_eq!(
            text(b"<META CharSet=windows-1252>\x80", "text/html", Form::Html),
            "<META CharSet=windows-1252>\u{20ac}"
        );
        assert_eq!(text(b"\xff", "text/plain; charset=nonsense", Form::Plain), "\u{fffd}");
    }
}
