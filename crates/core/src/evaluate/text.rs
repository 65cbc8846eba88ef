//! The text of captured bytes: what charset they are in, and what may be said of bytes that are no text.

use std::borrow::Cow;

use super::{Bytes, Cause, Outcome, Unknown};

/// Captured bytes, read as text where they are text.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    bytes: &'a [u8],
    complete: bool,
    /// The text; `None` when the bytes are none, or in a charset that is not read.
    text: Option<Cow<'a, str>>,
    /// The charset that is not read.
    foreign: Option<String>,
}

impl<'a> Reading<'a> {
    /// Reads the bytes in the charset that a content type names; without one, as UTF-8.
    pub(super) fn of(bytes: Bytes<'a>, charset: Option<&str>) -> Self {
        let mut reading = Self { bytes: bytes.kept, complete: bytes.complete, text: None, foreign: None };
        match charset.unwrap_or("utf-8") {
            "utf-8" | "utf8" | "us-ascii" | "ascii" => reading.text = utf8(bytes).map(Cow::Borrowed),
            "iso-8859-1" | "latin1" | "latin-1" | "iso8859-1" | "iso_8859-1" | "l1" => {
                reading.text = Some(Cow::Owned(latin1(bytes.kept)));
            }
            other => reading.foreign = Some(other.to_owned()),
        }
        reading
    }

    /// The bytes that were kept.
    pub(super) const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The text, however much of it was kept.
    pub(super) fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The whole text.
    pub(super) fn whole(&self) -> Result<&str, Unknown> {
        match (&self.text, self.complete) {
            (Some(text), true) => Ok(text),
            (_, false) => Err(cut()),
            (None, true) => Err(self.no_text()),
        }
    }

    /// Whether the text holds `needle` (`wanted`), or holds it nowhere.
    pub(super) fn contains(&self, needle: &str, wanted: bool) -> Outcome {
        if self.find(needle).is_some() {
            return Ok(wanted);
        }
        if !self.complete {
            return Err(cut());
        }
        // In bytes of an unknown charset other bytes may spell the same text; ASCII alone looks alike in nearly
        // all of them, except those of wide units, which are full of zeros.
        let readable = self.foreign.is_none() && needle.is_ascii() && !self.bytes.contains(&0);
        if self.text.is_none() && !readable {
            return Err(self.no_text());
        }
        Ok(!wanted)
    }

    /// Where `needle` stands first, in bytes.
    pub(super) fn find(&self, needle: &str) -> Option<usize> {
        match &self.text {
            Some(text) => text.find(needle),
            // One character a byte, so that the search of texts, which is linear, does for bytes too.
            None => latin1(self.bytes).find(&latin1(needle.as_bytes())),
        }
    }

    /// The bytes as people are shown them.
    pub(super) fn shown(&self) -> Cow<'_, str> {
        match &self.text {
            Some(text) => Cow::Borrowed(text),
            None => String::from_utf8_lossy(&self.bytes[..self.bytes.len().min(1024)]),
        }
    }

    fn no_text(&self) -> Unknown {
        let why = match &self.foreign {
            Some(charset) => format!("the charset {charset:?} is not read; utf-8, us-ascii and iso-8859-1 are"),
            None => "the bytes are no text in UTF-8".to_owned(),
        };
        Unknown::new(Cause::NotText, why)
    }
}

fn cut() -> Unknown {
    Unknown::new(Cause::Incomplete, "the bytes were cut, and what is missing cannot be judged")
}

fn utf8(bytes: Bytes<'_>) -> Option<&str> {
    match std::str::from_utf8(bytes.kept) {
        Ok(text) => Some(text),
        // Cut in the middle of a character.
        Err(e) if !bytes.complete && e.error_len().is_none() => {
            std::str::from_utf8(&bytes.kept[..e.valid_up_to()]).ok()
        }
        Err(_) => None,
    }
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// The charset that the content type lines name, lower case; lines that disagree name one that nobody reads.
pub(super) fn charset(headers: &[(String, String)]) -> Option<String> {
    let mut named =
        headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-type")).map(|(_, v)| parameter(v));
    let first = named.next()?;
    if named.all(|other| other == first) { first } else { Some("named twice".to_owned()) }
}

fn parameter(content_type: &str) -> Option<String> {
    content_type.split(';').skip(1).find_map(|part| {
        let (name, value) = part.split_once('=')?;
        let value = value.trim().trim_matches('"').to_ascii_lowercase();
        name.trim().eq_ignore_ascii_case("charset").then_some(value).filter(|value| !value.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading<'a>(kept: &'a [u8], complete: bool, charset: Option<&str>) -> Reading<'a> {
        Reading::of(Bytes { kept, complete }, charset)
    }

    #[test]
    fn reads_charsets() {
        for (content_type, wanted) in [
            ("text/html", None),
            ("text/html; charset=UTF-8", Some("utf-8")),
            ("text/html;x=y;Charset=\"ISO-8859-1\"", Some("iso-8859-1")),
            ("text/html; charset=", None),
        ] {
            let headers = [("Content-Type".to_owned(), content_type.to_owned())];
            assert_eq!(charset(&headers).as_deref(), wanted, "{content_type}");
        }
        let line = |value: &str| ("content-type".to_owned(), value.to_owned());
        let two = [line("a/b;charset=utf-8"), line("a/b;charset=utf-16")];
        assert!(reading(b"x", true, charset(&two).as_deref()).whole().is_err());
    }

    #[test]
    fn finds_in_texts_and_bytes() {
        assert_eq!(reading("naïve".as_bytes(), true, None).contains("ïv", true), Ok(true));
        assert_eq!(reading(b"na\xefve", true, Some("iso-8859-1")).contains("ïv", true), Ok(true));
        let broken = reading(b"\xffna\xc3\xafve", true, None);
        assert_eq!(broken.contains("ïv", true), Ok(true));
        assert_eq!(broken.contains("ïv", false), Ok(false));
        assert_eq!(broken.contains("error", false), Ok(true));
        assert_eq!(broken.contains("érror", false).unwrap_err().cause, Cause::NotText);
        assert_eq!(broken.whole().unwrap_err().cause, Cause::NotText);
        let wide = reading(b"\xff\xfee\0r\0r\0", true, None);
        assert_eq!(wide.contains("err", false).unwrap_err().cause, Cause::NotText);
        let foreign = reading(b"err", true, Some("utf-16"));
        assert_eq!(foreign.contains("no", false).unwrap_err().cause, Cause::NotText);
    }

    #[test]
    fn says_nothing_of_what_was_cut() {
        let cut = reading("abcé".as_bytes().split_last().unwrap().1, false, None);
        assert_eq!(cut.text(), Some("abc"));
        assert_eq!(cut.contains("bc", true), Ok(true));
        assert_eq!(cut.contains("bc", false), Ok(false));
        assert_eq!(cut.contains("d", true).unwrap_err().cause, Cause::Incomplete);
        assert_eq!(cut.contains("d", false).unwrap_err().cause, Cause::Incomplete);
        assert_eq!(cut.whole().unwrap_err().cause, Cause::Incomplete);
    }
}
