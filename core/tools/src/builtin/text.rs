//! Text in the encodings that are taken in and given back byte for byte: UTF-8, with or without a byte order mark, and
//! UTF-16 with one.

use std::borrow::Cow;

/// How far a NUL byte makes a file binary, as for git.
const LOOK_FOR_NUL: usize = 8000;

/// How a text stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    Utf8Marked,
    Utf16Le,
    Utf16Be,
}

/// Why bytes are no text that is taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotText {
    Binary,
    /// Text perhaps, but not in one of the encodings.
    Otherwise,
}

/// The text of a file, without its byte order mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) text: String,
    pub(super) encoding: Encoding,
}

impl Text {
    pub(super) fn decode(bytes: Vec<u8>) -> Result<Self, NotText> {
        match bytes.as_slice() {
            [0xFF, 0xFE, rest @ ..] => Self::utf16(rest, u16::from_le_bytes, Encoding::Utf16Le),
            [0xFE, 0xFF, rest @ ..] => Self::utf16(rest, u16::from_be_bytes, Encoding::Utf16Be),
            [0xEF, 0xBB, 0xBF, rest @ ..] => match std::str::from_utf8(rest) {
                Ok(text) => Ok(Self { text: text.to_owned(), encoding: Encoding::Utf8Marked }),
                Err(_) => Err(NotText::Otherwise),
            },
            _ if bytes.iter().take(LOOK_FOR_NUL).any(|byte| *byte == 0) => Err(NotText::Binary),
            _ => match String::from_utf8(bytes) {
                Ok(text) => Ok(Self { text, encoding: Encoding::Utf8 }),
                Err(_) => Err(NotText::Otherwise),
            },
        }
    }

    fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, encoding: Encoding) -> Result<Self, NotText> {
        let (pairs, []) = bytes.as_chunks::<2>() else { return Err(NotText::Binary) };
        let units = pairs.iter().map(|pair| unit(*pair));
        let text: String = char::decode_utf16(units).collect::<Result<_, _>>().map_err(|_| NotText::Binary)?;
        if text.contains('\0') { Err(NotText::Binary) } else { Ok(Self { text, encoding }) }
    }
}

impl Encoding {
    /// The bytes that a text has in its file.
    pub(super) fn encode(self, text: &str) -> Cow<'_, [u8]> {
        let marked = || std::iter::once(0xFEFF).chain(text.encode_utf16());
        match self {
            Self::Utf8 => Cow::Borrowed(text.as_bytes()),
            Self::Utf8Marked => Cow::Owned([b"\xEF\xBB\xBF", text.as_bytes()].concat()),
            Self::Utf16Le => Cow::Owned(marked().flat_map(u16::to_le_bytes).collect()),
            Self::Utf16Be => Cow::Owned(marked().flat_map(u16::to_be_bytes).collect()),
        }
    }

    /// What it is called, where it is not the usual one.
    pub(super) const fn name(self) -> Option<&'static str> {
        match self {
            Self::Utf8 => None,
            Self::Utf8Marked => Some("UTF-8 with a byte order mark"),
            Self::Utf16Le => Some("UTF-16 LE"),
            Self::Utf16Be => Some("UTF-16 BE"),
        }
    }
}

/// How the lines of a text end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineEnds {
    /// In LF, or there is but one line.
    Lf,
    CrLf,
    Mixed,
}

impl LineEnds {
    pub(super) fn of(text: &str) -> Self {
        let all = text.bytes().filter(|byte| *byte == b'\n').count();
        match text.matches("\r\n").count() {
            0 => Self::Lf,
            with_cr if with_cr == all => Self::CrLf,
            _ => Self::Mixed,
        }
    }

    /// The text with CRLF wherever a line ends, where that is how the lines of its file end.
    pub(super) fn adapt(self, text: &str) -> Cow<'_, str> {
        if self != Self::CrLf || !text.contains('\n') {
            return Cow::Borrowed(text);
        }
        Cow::Owned(text.replace("\r\n", "\n").replace('\n', "\r\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(bytes).collect()
    }

    #[test]
    fn every_encoding_is_given_back_byte_for_byte() {
        let text = "a\r\n\u{e4}\u{20ac}\u{1f600}";
        let all = [
            (text.as_bytes().to_vec(), Encoding::Utf8),
            ([b"\xEF\xBB\xBF", text.as_bytes()].concat(), Encoding::Utf8Marked),
            (utf16(text, u16::to_le_bytes), Encoding::Utf16Le),
            (utf16(text, u16::to_be_bytes), Encoding::Utf16Be),
        ];
        for (bytes, encoding) in all {
            let decoded = Text::decode(bytes.clone()).unwrap();
            assert_eq!(decoded, Text { text: text.to_owned(), encoding });
            assert_eq!(encoding.encode(&decoded.text).as_ref(), bytes);
        }
    }

    #[test]
    fn bytes_that_are_no_such_text_are_told_apart() {
        for (bytes, why) in [
            (&b"a\0b"[..], NotText::Binary),
            (b"\xFF\xFE\0\0a\0\0\0", NotText::Binary),
            (b"\xFF\xFEa", NotText::Binary),
            (b"\xFF\xFE\x00\xD8a\0", NotText::Binary),
            (b"gr\xFCn", NotText::Otherwise),
        ] {
            assert_eq!(Text::decode(bytes.to_vec()), Err(why), "{bytes:?}");
        }
    }

    #[test]
    fn line_ends_are_named_and_only_crlf_is_adapted_to() {
        for (text, ends, adapted) in [
            ("a\nb\n", LineEnds::Lf, "x\ny"),
            ("a", LineEnds::Lf, "x\ny"),
            ("a\r\nb", LineEnds::CrLf, "x\r\ny"),
            ("a\r\nb\n", LineEnds::Mixed, "x\ny"),
        ] {
            assert_eq!(LineEnds::of(text), ends, "{text:?}");
            assert_eq!(ends.adapt("x\ny"), adapted);
        }
        assert_eq!(LineEnds::CrLf.adapt("x\r\ny\n"), "x\r\ny\r\n");
    }
}
