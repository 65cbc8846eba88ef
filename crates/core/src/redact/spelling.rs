//! The spellings in which a text goes through other formats, undone with the way back to the bytes that were read.

use std::borrow::Cow;
use std::ops::Range;

/// A spelling that can be undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// `%2F`
    Percent,
    /// `+` for a space, and `%2F`.
    Form,
    /// `\/`, `\n`, `\u002f`
    Json,
    /// `&amp;`, `&#x2f;`
    Html,
}

/// Bytes with a spelling undone.
pub(super) struct Plain<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    /// Where the way back changes: offset here, offset in what was read. Between them both run alike.
    breaks: Vec<(usize, usize)>,
}

impl Spelling {
    /// The spellings that something in the bytes may be in.
    pub(super) fn in_bytes(bytes: &[u8]) -> Vec<Self> {
        let has = |b| memchr::memchr(b, bytes).is_some();
        let mut found = Vec::new();
        if has(b'%') {
            found.push(Self::Percent);
        }
        if has(b'+') {
            found.push(Self::Form);
        }
        if has(b'\\') {
            found.push(Self::Json);
        }
        if has(b'&') {
            found.push(Self::Html);
        }
        found
    }

    /// Undoes it once. `None` where nothing is spelled so.
    pub(super) fn undone(self, bytes: &[u8]) -> Option<Plain<'static>> {
        let mut plain = Vec::with_capacity(bytes.len());
        let mut breaks = Vec::new();
        let mut at = 0;
        while let Some(jump) = self.next(&bytes[at..]) {
            plain.extend_from_slice(&bytes[at..at + jump]);
            at += jump;
            let (length, means) = match self.unit(&bytes[at..]) {
                Some(unit) => unit,
                None => (1, bytes[at..=at].to_vec()),
            };
            if means != bytes[at..at + length] {
                breaks.push((plain.len(), at));
                breaks.push((plain.len() + means.len(), at + length));
            }
            plain.extend_from_slice(&means);
            at += length;
        }
        plain.extend_from_slice(&bytes[at..]);
        (!breaks.is_empty()).then_some(Plain { bytes: Cow::Owned(plain), breaks })
    }

    /// Where something may be spelled next.
    fn next(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Self::Percent => memchr::memchr(b'%', bytes),
            Self::Form => memchr::memchr2(b'%', b'+', bytes),
            Self::Json => memchr::memchr(b'\\', bytes),
            Self::Html => memchr::memchr(b'&', bytes),
        }
    }

    /// The unit at the beginning: its length and what it means.
    fn unit(self, bytes: &[u8]) -> Option<(usize, Vec<u8>)> {
        match (self, bytes) {
            (Self::Form, [b'+', ..]) => Some((1, b" ".to_vec())),
            (Self::Percent | Self::Form, [b'%', high, low, ..]) => {
                Some((3, vec![hex(&[*high, *low])?.try_into().ok()?]))
            }
            (Self::Json, [b'\\', b'u', rest @ ..]) => escaped(rest).map(|(length, c)| (length + 2, utf8(c))),
            (Self::Json, [b'\\', c, ..]) => {
                let means = match c {
                    b'b' => 8,
                    b'f' => 12,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'"' | b'\\' | b'/' => *c,
                    _ => return None,
                };
                Some((2, vec![means]))
            }
            (Self::Html, [b'&', rest @ ..]) => entity(rest),
            _ => None,
        }
    }
}

fn utf8(c: char) -> Vec<u8> {
    c.to_string().into_bytes()
}

fn hex(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// The character of `XXXX`, or of `XXXX\uXXXX` where it takes two.
fn escaped(digits: &[u8]) -> Option<(usize, char)> {
    let first = hex(digits.get(..4)?)?;
    if let Some(c) = char::from_u32(first) {
        return Some((4, c));
    }
    let second = hex(digits.get(4..)?.strip_prefix(b"\\u")?.get(..4)?)?;
    let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
    let c = char::decode_utf16(pair).next()?.ok()?;
    Some((10, c))
}

/// The longest entity that is looked for, its semicolon included.
const ENTITY: usize = 10;

fn entity(rest: &[u8]) -> Option<(usize, Vec<u8>)> {
    let end = rest.iter().take(ENTITY).position(|b| *b == b';')?;
    let name = &rest[..end];
    let c = match name {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(hex(digits)?)?,
        [b'#', digits @ ..] => char::from_u32(std::str::from_utf8(digits).ok()?.parse().ok()?)?,
        _ => return None,
    };
    Some((end + 2, utf8(c)))
}

impl Plain<'_> {
    /// Where a range stands in what was read.
    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        self.offset(range.start)..self.offset(range.end)
    }

    fn offset(&self, at: usize) -> usize {
        match self.breaks.partition_point(|(here, _)| *here <= at).checked_sub(1) {
            Some(last) => {
                let (here, there) = self.breaks[last];
                there + (at - here)
            }
            None => at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spellings_are_undone_with_the_way_back() {
        for (spelling, read, plain, needle, source) in [
            (Spelling::Percent, "a%2fb%2Fc", "a/b/c", "b/c", "b%2Fc"),
            (Spelling::Percent, "a%zzb%41", "a%zzbA", "bA", "b%41"),
            (Spelling::Form, "x=a+b%2B", "x=a b+", "a b", "a+b"),
            (Spelling::Json, r#""a\/b\u0041\ud83d\ude00é""#, "\"a/bA😀é\"", "bA😀é", r"b\u0041\ud83d\ude00é"),
            (Spelling::Json, r"a\qb\n", "a\\qb\n", "b\n", r"b\n"),
            (Spelling::Html, "a&amp;b&#x2f;c&#47;d&nope;", "a&b/c/d&nope;", "b/c/d", "b&#x2f;c&#47;d"),
        ] {
            let undone = spelling.undone(read.as_bytes()).unwrap();
            assert_eq!(String::from_utf8_lossy(&undone.bytes), plain);
            let at = plain.find(needle).unwrap();
            assert_eq!(&read[undone.source(&(at..at + needle.len()))], source);
        }
        for (spelling, text) in [(Spelling::Percent, "100%"), (Spelling::Json, r"\u00"), (Spelling::Html, "a & b")] {
            assert!(spelling.undone(text.as_bytes()).is_none(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived_and_the_way_back_stays_inside(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            for spelling in [Spelling::Percent, Spelling::Form, Spelling::Json, Spelling::Html] {
                if let Some(undone) = spelling.undone(&bytes) {
                    for start in 0..=undone.bytes.len() {
                        let source = undone.source(&(start..undone.bytes.len()));
                        prop_assert!(source.start <= source.end && source.end == bytes.len());
                    }
                }
            }
        }
    }
}
