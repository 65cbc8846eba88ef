//! From byte offsets to lines and columns.

use super::Place;

/// Bytes between two remembered character counts: what a look-up has to count at most.
const STRIDE: usize = 256;

/// Where the lines of a text begin, so that an offset has its line and column at once, on a line of a megabyte too.
///
/// A line ends with a line feed; a carriage return before it belongs to the line end. A byte-order mark at the
/// beginning has no column, since no editor shows it.
#[derive(Debug)]
pub struct Lines<'a> {
    text: &'a str,
    /// Offset of the first character of each line.
    starts: Vec<usize>,
    /// Characters before each multiple of [`STRIDE`].
    counted: Vec<usize>,
}

impl<'a> Lines<'a> {
    /// The lines of a text.
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let first = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let mut starts = vec![first];
        starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1));
        let mut seen = 0;
        let mut counted = Vec::with_capacity(text.len() / STRIDE + 1);
        for chunk in text.as_bytes().chunks(STRIDE) {
            counted.push(seen);
            seen += characters(chunk);
        }
        counted.push(seen);
        Self { text, starts, counted }
    }

    /// The place of the bytes from `start` to `end`; offsets outside of the text are moved into it.
    #[must_use]
    pub fn place(&self, start: usize, end: usize) -> Place {
        let start = start.clamp(self.starts[0].min(self.text.len()), self.text.len());
        let line = self.starts.partition_point(|s| *s <= start).max(1);
        let column = self.before(start).saturating_sub(self.before(self.starts[line - 1])) + 1;
        Place::new(start, end.clamp(start, self.text.len()), line, column)
    }

    /// How many characters begin before this offset.
    fn before(&self, offset: usize) -> usize {
        let chunk = offset / STRIDE;
        let bytes = &self.text.as_bytes()[chunk * STRIDE..offset];
        self.counted[chunk.min(self.counted.len() - 1)] + characters(bytes)
    }
}

/// Characters that begin in these bytes of a UTF-8 text.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|b| **b & 0xc0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str, offset: usize) -> (u32, u32) {
        let place = Lines::new(text).place(offset, offset);
        (place.line, place.column)
    }

    #[test]
    fn counts_characters_from_one() {
        assert_eq!(at("", 0), (1, 1));
        assert_eq!(at("äb\r\nc", 2), (1, 2));
        assert_eq!(at("äb\r\nc", 5), (2, 1));
        assert_eq!(at("\u{feff}ab", 0), (1, 1));
        assert_eq!(at("\u{feff}ab", 4), (1, 2));
        assert_eq!(at("a\n", 2), (2, 1));
        assert_eq!(at("a", 99), (1, 2));
        let long = "ä".repeat(100_000);
        assert_eq!(at(&long, 100_000), (1, 50_001));
    }

    proptest! {
        #[test]
        fn agrees_with_counting(text in "[aä\u{10000}\n]{0,600}", pick in any::<prop::sample::Index>()) {
            let offsets: Vec<usize> = text.char_indices().map(|(i, _)| i).chain([text.len()]).collect();
            let offset = offsets[pick.index(offsets.len())];
            let before = &text[..offset];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
            prop_assert_eq!(at(&text, offset), (u32::try_from(line).unwrap(), u32::try_from(column).unwrap()));
        }
    }
}
