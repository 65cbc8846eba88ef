//! Names and digests, parsed once and never passed around as bare strings.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

/// An id that people quote: `[A-Za-z0-9][A-Za-z0-9._-]{0,127}` (design.md section 2).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(Arc<str>);

/// Why a text is not an [`Id`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    /// Nothing was written.
    #[error("is empty")]
    Empty,
    /// More than 128 characters.
    #[error("has {0} characters, at most 128 are allowed")]
    TooLong(usize),
    /// A character outside the pattern, with its position counted from 1.
    #[error("has {0:?} at position {1}; letters, digits, `.`, `_` and `-` are allowed, the first a letter or digit")]
    Character(char, usize),
}

impl Id {
    /// Reads an id.
    ///
    /// # Errors
    /// Says which rule of the pattern the text breaks.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        if text.is_empty() {
            return Err(IdError::Empty);
        }
        for (i, c) in text.chars().enumerate() {
            let fine = c.is_ascii_alphanumeric() || (i > 0 && matches!(c, '.' | '_' | '-'));
            if !fine {
                return Err(IdError::Character(c, i + 1));
            }
        }
        if text.len() > 128 {
            return Err(IdError::TooLong(text.len()));
        }
        Ok(Self(text.into()))
    }

    /// The text of the id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form by which ids are unique: two ids that differ in case only are one.
    #[must_use]
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl AsRef<str> for Id {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A SHA-256 digest; written as 64 lower-case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of some bytes in parts.
    #[must_use]
    pub fn of_parts(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        parts.iter().for_each(|part| hasher.update(part));
        Self(hasher.finalize().into())
    }

    /// Wraps a digest that was worked out elsewhere.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest before the first entry of a journal: 64 zeros.
    #[must_use]
    pub const fn zero() -> Self {
        Self([0; 32])
    }

    /// Reads 64 lower-case hex digits; anything else is `None`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.as_bytes();
        if text.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = (hex(pair[0])? << 4) | hex(pair[1])?;
        }
        Some(Self(bytes))
    }

    /// The raw bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 16 hex digits, as seals and series show them.
    #[must_use]
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(16);
        text
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

const fn hex(c: u8) -> Option<u8> {
    match c {
        b'0'..=b'9' => Some(c - b'0'),
        b'a'..=b'f' => Some(c - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 64];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        f.write_str(std::str::from_utf8(&digits).unwrap_or_default())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_pattern() {
        for good in ["A", "0", "ORDER-1", "a.b_c-d", &"x".repeat(128)] {
            assert!(Id::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "-a", ".a", "a b", "a/b", "é", "a\u{2011}b", &"x".repeat(129)] {
            assert!(Id::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Id::parse("Order-1").unwrap().folded(), "order-1");
    }

    #[test]
    fn digests_read_what_they_write() {
        let digest = Digest::of(b"abc");
        assert_eq!(digest.short(), "ba7816bf8f01cfea");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse(&digest.to_string().to_uppercase()), None);
        assert_eq!(Digest::parse("00"), None);
    }
}
