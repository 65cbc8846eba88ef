//! The reader of canonical JSON: what it reads has the bytes that the canonical writer gives (RFC 8785), so a line of
//! a journal need not be written again to be compared.

use std::cmp::Ordering;
use std::ops::Range;

use smol_str::SmolStr;

use super::read::{Fault, Make, Reader};
use super::write::{is_safe, quoted, utf16_order};
use super::{Json, JsonError, Limits, Map, read};

/// A value, and whether its text was its canonical form.
///
/// # Errors
/// Text that is no JSON within the limits.
pub(crate) fn read_canonical(bytes: &[u8], limits: &Limits) -> Result<(Json, bool), JsonError> {
    let text = read::decode(bytes)?;
    let mut reader = Reader::new(text, 0, limits, Exact { text, canonical: true });
    let value = reader.document().map_err(|fault| fault.at(text))?;
    Ok((value, reader.make.canonical && !reader.spaced))
}

/// Makes [`Json`] and compares each part with its only spelling.
struct Exact<'a> {
    text: &'a str,
    canonical: bool,
}

impl Exact<'_> {
    /// A text that nothing was escaped in stands as it must; others are written again.
    fn text(&mut self, text: &str, span: Range<usize>) {
        let raw = &self.text[span];
        if raw.contains('\\') {
            let mut again = String::with_capacity(raw.len());
            self.canonical &= quoted(text, &mut again).is_ok() && again == raw;
        }
    }
}

impl Make for Exact<'_> {
    type Value = Json;
    type Key = SmolStr;

    fn scalar(&mut self, value: Json, span: Range<usize>) -> Result<Json, Fault> {
        match &value {
            Json::Text(text) => self.text(text, span),
            Json::Number(number) => self.canonical &= is_safe(number),
            Json::BrokenText(_) => self.canonical = false,
            _ => {}
        }
        Ok(value)
    }

    fn key(&mut self, key: &str, broken: bool, span: Range<usize>) -> Result<SmolStr, Fault> {
        self.canonical &= !broken;
        self.text(key, span);
        Ok(key.into())
    }

    fn list(&mut self, items: Vec<Json>, _: Range<usize>) -> Json {
        Json::List(items)
    }

    fn map(&mut self, pairs: Vec<(SmolStr, Json)>, _: Range<usize>) -> Result<Json, Fault> {
        self.canonical &= pairs.windows(2).all(|pair| utf16_order(&pair[0].0, &pair[1].0) == Ordering::Less);
        Ok(Json::Map(Map(pairs)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::canonical;

    fn is_canonical(text: &str) -> bool {
        read_canonical(text.as_bytes(), &Limits::default()).is_ok_and(|(_, canonical)| canonical)
    }

    #[test]
    fn each_thing_has_one_spelling() {
        let good = [r#"{"a":1,"b":[]}"#, r#"{"\u0001":"\n"}"#, r#""\\""#, "\"\u{7f}\u{2028}\"", "-7", "[{}]", "null"];
        for text in good {
            assert!(is_canonical(text), "{text}");
        }
        let bad = [
            " 1",
            "1 ",
            "[1, 2]",
            "{\"a\" :1}",
            r#"{"b":1,"a":1}"#,
            r#"{"a":1,"a":1}"#,
            r#""\u0041""#,
            r#""\/""#,
            r#""\u000a""#,
            r#""\u001F""#,
            "1.0",
            "1e3",
            "-0",
            "9007199254740992",
            r#""\ud800""#,
            r#"{"\u0061":1}"#,
            r#"{"\ud800":1}"#,
            "{\"\u{fb33}\":1,\"\u{1f600}\":1}",
        ];
        for text in bad {
            assert!(!is_canonical(text), "{text}");
        }
    }

    proptest! {
        /// What the writer gives is canonical, and nothing else is: any text that is called so is what is written
        /// of its value.
        #[test]
        fn agrees_with_the_writer(text in r#"[{}\[\],:"a-c0-9 \\u/n.é-]{0,24}"#) {
            if let Ok((value, called)) = read_canonical(text.as_bytes(), &Limits::default()) {
                prop_assert_eq!(called, canonical(&value).is_ok_and(|bytes| bytes == text.as_bytes()));
                if let Ok(bytes) = canonical(&value) {
                    prop_assert!(read_canonical(&bytes, &Limits::default()).unwrap().1);
                }
            }
        }
    }
}
