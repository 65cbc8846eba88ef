//! The indented form of views, written part by part, so that a large one never stands in memory as a whole.

use std::fmt;

use super::{Json, write};

/// Text is handed on once so much of it has come together, in bytes.
const SPILL: usize = 32 << 10;

/// Somebody who takes pieces.
type Take<'a> = &'a mut dyn FnMut(&[u8]);

/// Text that is handed on in pieces; without somebody who takes them it stays together.
#[derive(Default)]
pub struct Spill<'a> {
    text: String,
    take: Option<Take<'a>>,
}

impl<'a> Spill<'a> {
    /// Hands its pieces to `take`.
    pub fn to(take: Take<'a>) -> Self {
        Self { text: String::with_capacity(SPILL + SPILL / 4), take: Some(take) }
    }

    /// Appends text.
    pub fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
        if self.text.len() >= SPILL {
            self.hand_on();
        }
    }

    /// Hands on what is left; what nobody took is given back.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.hand_on();
        self.text
    }

    fn hand_on(&mut self) {
        if let Some(take) = &mut self.take {
            take(self.text.as_bytes());
            self.text.clear();
        }
    }
}

impl fmt::Write for Spill<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push_str(text);
        Ok(())
    }
}

/// Writes indented JSON with a line end after it: two spaces a level, and an empty list or map on one line.
#[derive(Default)]
pub struct Pretty<'a> {
    out: Spill<'a>,
    /// For each list and map that is open, whether something stands in it.
    open: Vec<bool>,
    /// Whether a key waits for its value, which stands on its line.
    keyed: bool,
}

// Writing into a Spill cannot fail; the results of the writers are dropped for that reason.

impl<'a> Pretty<'a> {
    /// Hands the text to `take` in pieces.
    pub fn to(take: Take<'a>) -> Self {
        Self { out: Spill::to(take), ..Self::default() }
    }

    /// A map; `inside` writes its pairs.
    pub fn map(&mut self, inside: impl FnOnce(&mut Self)) {
        self.part(['{', '}'], inside);
    }

    /// A list; `inside` writes its items.
    pub fn list(&mut self, inside: impl FnOnce(&mut Self)) {
        self.part(['[', ']'], inside);
    }

    /// The key of the value that comes next.
    pub fn key(&mut self, key: &str) {
        self.next();
        let _ = write::quoted(key, &mut self.out);
        self.out.push_str(": ");
        self.keyed = true;
    }

    /// A pair of a map.
    pub fn pair(&mut self, key: &str, value: &Json) {
        self.key(key);
        self.value(value);
    }

    /// A pair of a map whose value is a text.
    pub fn pair_text(&mut self, key: &str, text: &str) {
        self.key(key);
        self.text(text);
    }

    /// A pair of a map whose value is a list of texts.
    pub fn pair_texts<T: AsRef<str>>(&mut self, key: &str, texts: impl IntoIterator<Item = T>) {
        self.key(key);
        self.list(|out| texts.into_iter().for_each(|text| out.text(text.as_ref())));
    }

    /// A value: an item of a list, or what stands under the key before it.
    pub fn value(&mut self, value: &Json) {
        match value {
            Json::List(items) => self.list(|out| items.iter().for_each(|item| out.value(item))),
            Json::Map(map) => self.map(|out| map.iter().for_each(|(key, item)| out.pair(key, item))),
            Json::Text(text) | Json::BrokenText(text) => self.text(text),
            Json::Number(number) => self.word(number.token()),
            Json::Bool(b) => self.word(if *b { "true" } else { "false" }),
            Json::Null => self.word("null"),
        }
    }

    /// A text.
    pub(crate) fn text(&mut self, text: &str) {
        self.next();
        let _ = write::quoted(text, &mut self.out);
    }

    /// A number by its token, or one of the three words.
    pub(crate) fn word(&mut self, word: &str) {
        self.next();
        self.out.push_str(word);
    }

    /// The end of the document; the text, where it was not handed on.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.out.push_str("\n");
        self.out.finish()
    }

    fn part(&mut self, [begin, end]: [char; 2], inside: impl FnOnce(&mut Self)) {
        self.next();
        self.out.text.push(begin);
        self.open.push(false);
        inside(self);
        if self.open.pop() == Some(true) {
            self.line();
        }
        self.out.text.push(end);
    }

    /// Goes to where the next value stands.
    fn next(&mut self) {
        if std::mem::take(&mut self.keyed) {
            return;
        }
        if let Some(begun) = self.open.last_mut() {
            if std::mem::replace(begun, true) {
                self.out.text.push(',');
            }
            self.line();
        }
    }

    fn line(&mut self) {
        self.out.text.push('\n');
        self.open.iter().for_each(|_| self.out.text.push_str("  "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read};

    #[test]
    fn pieces_make_up_the_whole() {
        let long =
            Json::list((0..9000u32).map(|n| Json::map([("n", Json::from(n)), ("none", Json::List(Vec::new()))])));
        let value = Json::map([("a", Json::map::<&str, Json>([])), ("long", long)]);
        let mut pieces = Vec::new();
        let mut take = |piece: &[u8]| pieces.push(piece.to_vec());
        let mut out = Pretty::to(&mut take);
        out.value(&value);
        assert_eq!(out.finish(), "");
        assert!(pieces.len() > 5 && pieces.iter().all(|piece| piece.len() < 2 * SPILL));
        assert_eq!(String::from_utf8(pieces.concat()).unwrap(), value.pretty());
        assert_eq!(read(value.pretty().as_bytes(), &Limits::default()).unwrap(), value);
    }
}
