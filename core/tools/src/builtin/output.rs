//! Bytes of a command as text: bounded for the model, undivided for the reader.

use std::collections::VecDeque;

/// The head and the tail of an output, within a bound whatever the command prints.
pub(super) struct Kept {
    max_head: usize,
    max_tail: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: usize,
}

impl Kept {
    pub(super) fn new(max_bytes: usize) -> Self {
        let max_head = max_bytes / 2;
        Self { max_head, max_tail: max_bytes - max_head, head: Vec::new(), tail: VecDeque::new(), left_out: 0 }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        let into_head = bytes.len().min(self.max_head - self.head.len());
        self.head.extend_from_slice(&bytes[..into_head]);
        self.tail.extend(&bytes[into_head..]);
        let over = self.tail.len().saturating_sub(self.max_tail);
        self.tail.drain(..over);
        self.left_out += over;
    }

    /// Whether nothing is left out, with so many bytes more.
    pub(super) fn has_room_for(&self, more: usize) -> bool {
        self.left_out == 0 && self.head.len() + self.tail.len() + more <= self.max_head + self.max_tail
    }

    /// Whether something is neither in the head nor in the tail.
    pub(super) fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    /// How many bytes it was given.
    pub(super) fn taken(&self) -> usize {
        self.head.len() + self.tail.len() + self.left_out
    }

    /// What it holds: all that it was given, while it is not cut.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.head.iter().chain(&self.tail).copied().collect()
    }

    /// Takes away what may be the start of a character at the end.
    pub(super) fn take_divided(&mut self) -> Vec<u8> {
        let mut last: Vec<u8> = self.tail.iter().rev().chain(self.head.iter().rev()).take(3).copied().collect();
        last.reverse();
        let divided = divided_at_end(&last);
        let from_tail = divided.min(self.tail.len());
        self.tail.truncate(self.tail.len() - from_tail);
        self.head.truncate(self.head.len() - (divided - from_tail));
        last.split_off(last.len() - divided)
    }

    /// The text, with a line in the middle that says what is left out. No character is cut in half.
    pub(super) fn into_text(mut self) -> String {
        if self.left_out == 0 {
            self.head.extend(self.tail);
            return String::from_utf8_lossy(&self.head).into_owned();
        }
        let head = self.head.len() - divided_at_end(&self.head);
        let divided_at_start = self.tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
        let left_out = self.left_out + self.head.len() - head + divided_at_start;
        self.tail.drain(..divided_at_start);
        format!(
            "{}\n[... {left_out} bytes left out ...]\n{}",
            String::from_utf8_lossy(&self.head[..head]),
            String::from_utf8_lossy(self.tail.make_contiguous())
        )
    }
}

/// Puts characters together that two pieces of a stream share.
#[derive(Default)]
pub(super) struct Undivided(Vec<u8>);

impl Undivided {
    /// The text so far; what may be the start of a character waits for the next piece.
    pub(super) fn take(&mut self, bytes: Vec<u8>) -> String {
        let mut all = std::mem::take(&mut self.0);
        all.extend(bytes);
        self.0 = all.split_off(all.len() - divided_at_end(&all));
        String::from_utf8_lossy(&all).into_owned()
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// How many bytes at the end are the start of a character whose rest is missing.
fn divided_at_end(bytes: &[u8]) -> usize {
    for (index, byte) in bytes.iter().rev().take(3).enumerate() {
        let length = match byte {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            byte if is_continuation(*byte) => continue,
            _ => 1,
        };
        return if length > index + 1 { index + 1 } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Characters of one, two, three and four bytes.
    const TEXT: &str = "a\u{e4}\u{20ac}\u{1f600}z";

    fn kept(max_bytes: usize, output: &[u8], piece: usize) -> String {
        let mut kept = Kept::new(max_bytes);
        output.chunks(piece).for_each(|piece| kept.take(piece));
        kept.into_text()
    }

    #[test]
    fn output_within_the_bound_is_whole_wherever_head_and_tail_meet() {
        for max_bytes in TEXT.len()..3 * TEXT.len() {
            assert_eq!(kept(max_bytes, TEXT.as_bytes(), 1), TEXT);
        }
    }

    #[test]
    fn head_and_tail_of_long_output_hold_whole_characters_and_the_count_is_right() {
        let output = TEXT.repeat(9);
        for max_bytes in 2..40 {
            let text = kept(max_bytes, output.as_bytes(), 7);
            let (head, rest) = text.split_once("\n[... ").unwrap();
            let (count, tail) = rest.split_once(" bytes left out ...]\n").unwrap();
            assert!(output.starts_with(head) && output.ends_with(tail), "{text}");
            assert_eq!(head.len() + tail.len() + count.parse::<usize>().unwrap(), output.len());
        }
    }

    #[test]
    fn half_a_character_at_the_end_can_be_taken_away() {
        for (max_bytes, piece, whole) in [(10, &b"a\xe2\x82"[..], "a"), (2, b"\xf0\x9f", ""), (10, b"ab", "ab")] {
            let mut kept = Kept::new(max_bytes);
            kept.take(&piece[..1]);
            kept.take(&piece[1..]);
            let divided = kept.take_divided();
            assert_eq!([kept.bytes(), divided].concat().len(), piece.len().min(kept.max_head + kept.max_tail));
            assert_eq!(String::from_utf8(kept.bytes()).unwrap(), whole);
        }
    }

    #[test]
    fn pieces_of_a_stream_put_together_are_the_text() {
        for piece in 1..TEXT.len() {
            let mut undivided = Undivided::default();
            let shown: String = TEXT.as_bytes().chunks(piece).map(|piece| undivided.take(piece.to_vec())).collect();
            assert_eq!(shown, TEXT);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_as_such_and_never_held_back_for_long() {
        let mut undivided = Undivided::default();
        let shown: String = (0..10).map(|_| undivided.take(vec![0xFF, 0xE2])).collect();
        assert_eq!(shown.chars().filter(|c| *c == '\u{fffd}').count(), 19);
    }
}
