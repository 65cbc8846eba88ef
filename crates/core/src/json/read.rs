//! The reader: RFC 8259, with a place for each fault and bounds on depth and size.

use std::borrow::Cow;
use std::ops::Range;

use smol_str::SmolStr;

use super::{Json, Map, Number};
use crate::document::{Lines, Place};

/// Bounds of one document. Depth counts nested lists and maps; nodes count every value.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Greatest nesting.
    pub depth: usize,
    /// Greatest number of values.
    pub nodes: usize,
}

impl Default for Limits {
    /// 128 deep, four million values: more than any answer that a person can read.
    fn default() -> Self {
        Self { depth: 128, nodes: 4_000_000 }
    }
}

/// A fault in a JSON text, with its place: line and column count from 1, `offset` from 0 in bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} at line {line}, column {column}")]
pub struct JsonError {
    /// What is wrong, as a fragment.
    pub what: String,
    /// Of which kind it is.
    pub kind: JsonFault,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Byte offset, from 0.
    pub offset: usize,
}

/// The kinds of faults in a JSON text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonFault {
    /// Not the grammar of RFC 8259.
    Syntax,
    /// Bytes that are not UTF-8.
    Encoding,
    /// Deeper or larger than the limits.
    TooLarge,
    /// An unpaired surrogate, where a document is read.
    Surrogate,
    /// A key that stands twice in one map, where a document is read.
    RepeatedKey {
        /// Where it stood first.
        first: Place,
    },
}

/// Reads one JSON document; white space may surround it, a byte-order mark may not.
///
/// # Errors
/// The first fault with its place.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Json, JsonError> {
    let text = decode(bytes)?;
    Reader::new(text, 0, limits, Plain).document().map_err(|fault| fault.at(text))
}

pub(super) fn is_number(token: &str) -> bool {
    let mut reader = Reader::new(token, 0, &Limits::default(), Plain);
    reader.number().is_ok() && reader.at == token.len()
}

/// The text, or the place of the first byte that is not UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<&str, JsonError> {
    std::str::from_utf8(bytes).map_err(|e| {
        let good = std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default();
        Fault { what: "text that is not UTF-8".into(), kind: JsonFault::Encoding, at: e.valid_up_to() }.at(good)
    })
}

/// What the reader makes of the values that it reads: plain values, or nodes with places.
pub(super) trait Make {
    /// A value.
    type Value;
    /// A key, kept until its value is read.
    type Key;
    /// A value without parts; `span` holds byte offsets.
    fn scalar(&mut self, value: Json, span: Range<usize>) -> Result<Self::Value, Fault>;
    /// A key; `broken` where an unpaired surrogate stood in it.
    fn key(&mut self, key: &str, broken: bool, span: Range<usize>) -> Result<Self::Key, Fault>;
    /// A list.
    fn list(&mut self, items: Vec<Self::Value>, span: Range<usize>) -> Self::Value;
    /// A map.
    fn map(&mut self, pairs: Vec<(Self::Key, Self::Value)>, span: Range<usize>) -> Result<Self::Value, Fault>;
}

/// Makes [`Json`], which has no places and keeps what it is given.
struct Plain;

impl Make for Plain {
    type Value = Json;
    type Key = SmolStr;

    fn scalar(&mut self, value: Json, _: Range<usize>) -> Result<Json, Fault> {
        Ok(value)
    }

    fn key(&mut self, key: &str, _: bool, _: Range<usize>) -> Result<SmolStr, Fault> {
        Ok(key.into())
    }

    fn list(&mut self, items: Vec<Json>, _: Range<usize>) -> Json {
        Json::List(items)
    }

    fn map(&mut self, pairs: Vec<(SmolStr, Json)>, _: Range<usize>) -> Result<Json, Fault> {
        Ok(Json::Map(Map(pairs)))
    }
}

/// A fault at a byte offset.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) what: String,
    pub(super) kind: JsonFault,
    pub(super) at: usize,
}

impl Fault {
    pub(super) fn at(self, text: &str) -> JsonError {
        let place = Lines::new(text).place(self.at, self.at);
        let (line, column) = (place.line as usize, place.column as usize);
        JsonError { what: self.what, kind: self.kind, line, column, offset: place.bytes().start }
    }
}

pub(super) struct Reader<'a, M: Make> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    nodes: usize,
    limits: Limits,
    /// Parts of the lists and maps that are open, the innermost last. One that closes takes its own, and so has exactly
    /// the room that it needs.
    items: Vec<M::Value>,
    pairs: Vec<(M::Key, M::Value)>,
    /// Whether there was white space between values.
    pub(super) spaced: bool,
    pub(super) make: M,
}

impl<'a, M: Make> Reader<'a, M> {
    /// A reader that begins at byte `at`.
    pub(super) fn new(text: &'a str, at: usize, limits: &Limits, make: M) -> Self {
        let (items, pairs) = (Vec::new(), Vec::new());
        Self { text, bytes: text.as_bytes(), at, nodes: 0, limits: *limits, items, pairs, spaced: false, make }
    }

    /// The whole text as one value.
    pub(super) fn document(&mut self) -> Result<M::Value, Fault> {
        let value = self.value(0)?;
        self.space();
        if self.at < self.bytes.len() {
            return Err(self.fault("text after the end of the document"));
        }
        Ok(value)
    }

    fn fault(&self, what: &str) -> Fault {
        Fault { what: what.into(), kind: JsonFault::Syntax, at: self.at.min(self.bytes.len()) }
    }

    fn too_large(&self, what: String) -> Fault {
        Fault { what, kind: JsonFault::TooLarge, at: self.at.min(self.bytes.len()) }
    }

    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
            self.spaced = true;
        }
    }

    fn value(&mut self, depth: usize) -> Result<M::Value, Fault> {
        self.space();
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(self.too_large(format!("more than {} values", self.limits.nodes)));
        }
        let start = self.at;
        let value = match self.bytes.get(self.at) {
            None => return Err(self.fault("the end of the text where a value should stand")),
            Some(b'{' | b'[') if depth >= self.limits.depth => {
                return Err(self.too_large(format!("nesting deeper than {}", self.limits.depth)));
            }
            Some(b'{') => return self.map(depth),
            Some(b'[') => return self.list(depth),
            Some(b'"') => {
                let (text, broken) = self.text()?;
                if broken { Json::BrokenText(text.into_owned()) } else { Json::Text(text.into_owned()) }
            }
            Some(b'-' | b'0'..=b'9') => Json::Number(Number(self.number()?.into())),
            Some(b't') => self.word("true", Json::Bool(true))?,
            Some(b'f') => self.word("false", Json::Bool(false))?,
            Some(b'n') => self.word("null", Json::Null)?,
            Some(_) => return Err(self.fault("a character that begins no JSON value")),
        };
        self.make.scalar(value, start..self.at)
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, Fault> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err(self.fault("a word that is not true, false or null"))
        }
    }

    fn map(&mut self, depth: usize) -> Result<M::Value, Fault> {
        let start = self.at;
        self.at += 1;
        let outer = self.pairs.len();
        self.space();
        if self.eat(b'}') {
            return self.make.map(Vec::new(), start..self.at);
        }
        loop {
            self.space();
            let key_start = self.at;
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err(self.fault("something else where a key in quotes should stand"));
            }
            let (key, broken) = self.text()?;
            let key = self.make.key(&key, broken, key_start..self.at)?;
            self.space();
            if !self.eat(b':') {
                return Err(self.fault("no `:` after a key"));
            }
            let value = self.value(depth + 1)?;
            self.pairs.push((key, value));
            self.space();
            if self.eat(b'}') {
                let pairs = self.pairs.drain(outer..).collect();
                return self.make.map(pairs, start..self.at);
            }
            if !self.eat(b',') {
                return Err(self.fault("neither `,` nor `}` after a value"));
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<M::Value, Fault> {
        let start = self.at;
        self.at += 1;
        let outer = self.items.len();
        self.space();
        if self.eat(b']') {
            return Ok(self.make.list(Vec::new(), start..self.at));
        }
        loop {
            let item = self.value(depth + 1)?;
            self.items.push(item);
            self.space();
            if self.eat(b']') {
                let items = self.items.drain(outer..).collect();
                return Ok(self.make.list(items, start..self.at));
            }
            if !self.eat(b',') {
                return Err(self.fault("neither `,` nor `]` after a value"));
            }
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(hit);
        hit
    }

    fn number(&mut self) -> Result<&'a str, Fault> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return Err(self.fault("a number without digits"));
        }
        if self.eat(b'.') && self.digits() == 0 {
            return Err(self.fault("a number with nothing after its point"));
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            if self.digits() == 0 {
                return Err(self.fault("a number with nothing after its exponent"));
            }
        }
        self.slice(start, self.at)
    }

    /// The text between two offsets that stand beside ASCII characters.
    fn slice(&self, start: usize, end: usize) -> Result<&'a str, Fault> {
        self.text.get(start..end).ok_or_else(|| self.fault("text that is not UTF-8"))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    /// A text, and whether an unpaired surrogate stood in it.
    fn text(&mut self) -> Result<(Cow<'a, str>, bool), Fault> {
        self.at += 1;
        let mut text = Cow::Borrowed("");
        let mut broken = false;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len());
            // Empty so far, it stays borrowed.
            text += self.slice(self.at, self.at + plain)?;
            self.at += plain;
            match self.bytes.get(self.at) {
                None => return Err(self.fault("a text without its closing quote")),
                Some(b'"') => {
                    self.at += 1;
                    return Ok((text, broken));
                }
                Some(b'\\') => {
                    self.at += 1;
                    let c = self.escape()?;
                    broken |= c.is_none();
                    text.to_mut().push(c.unwrap_or('\u{fffd}'));
                }
                Some(_) => return Err(self.fault("a control character inside a text")),
            }
        }
    }

    /// The character of an escape; `None` for an unpaired surrogate.
    fn escape(&mut self) -> Result<Option<char>, Fault> {
        let c = *self.bytes.get(self.at).ok_or_else(|| self.fault("an escape without its character"))?;
        self.at += 1;
        Ok(Some(match c {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unicode(),
            _ => {
                self.at -= 1; // the fault is the character, which may have more bytes than one
                return Err(self.fault("an escape that JSON does not know"));
            }
        }))
    }

    fn unicode(&mut self) -> Result<Option<char>, Fault> {
        let high = self.hex4()?;
        if !(0xd800..0xdc00).contains(&high) {
            return Ok(char::from_u32(high));
        }
        let after_high = self.at;
        if self.eat(b'\\') && self.eat(b'u') {
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)));
            }
        }
        self.at = after_high;
        Ok(None)
    }

    fn hex4(&mut self) -> Result<u32, Fault> {
        let digits = self
            .bytes
            .get(self.at..self.at + 4)
            .filter(|d| d.iter().all(u8::is_ascii_hexdigit))
            .and_then(|d| std::str::from_utf8(d).ok())
            .ok_or_else(|| self.fault("`\\u` without four hex digits"))?;
        let value = u32::from_str_radix(digits, 16).map_err(|_| self.fault("`\\u` without four hex digits"))?;
        self.at += 4;
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ok(text: &str) -> Json {
        read(text.as_bytes(), &Limits::default()).unwrap()
    }

    fn err(text: &str) -> String {
        read(text.as_bytes(), &Limits::default()).unwrap_err().to_string()
    }

    #[test]
    fn keeps_tokens_and_repeated_keys() {
        assert_eq!(ok("[18446744073709551617, 10.0, -0, 1e400]").to_string(), "[18446744073709551617,10.0,-0,1e400]");
        let map = ok(r#"{"total":99,"total":10}"#);
        assert_eq!(map.as_map().unwrap().lookup("total"), super::super::Lookup::Twice);
        assert_eq!(ok(r#""a\ud83d\ude00b""#), Json::Text("a😀b".into()));
        assert_eq!(ok(r#""a\ud83dx""#), Json::BrokenText("a\u{fffd}x".into()));
        assert_eq!(ok(r#""\ude00""#), Json::BrokenText("\u{fffd}".into()));
        assert_eq!(ok(r#""\ud83d\u0041""#), Json::BrokenText("\u{fffd}A".into()));
    }

    #[test]
    fn names_the_place() {
        assert_eq!(err("{\n  \"ä\": 1,\n  \"b\" 2}"), "no `:` after a key at line 3, column 7");
        assert_eq!(err(""), "the end of the text where a value should stand at line 1, column 1");
        for bad in
            ["01", "1.", ".5", "1e", "+1", "nul", "[1,]", "{,}", "\"\t\"", "\"\\x\"", "\"\\u12\"", "1 2", "\u{feff}1"]
        {
            assert!(read(bad.as_bytes(), &Limits::default()).is_err(), "{bad}");
        }
        assert!(read(b"\"\xff\"", &Limits::default()).is_err());
    }

    #[test]
    fn is_bounded() {
        let deep = "[".repeat(100_000);
        assert!(err(&deep).contains("nesting deeper than 128"));
        let limits = Limits { depth: 4, nodes: 3 };
        assert!(read(b"[1,2]", &limits).is_ok());
        assert!(read(b"[1,2,3]", &limits).is_err());
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(value in arbitrary_text()) {
            let mine = read(value.as_bytes(), &Limits::default());
            let theirs: Result<serde_json::Value, _> = serde_json::from_str(&value);
            if let Ok(theirs) = theirs {
                let again: serde_json::Value = serde_json::from_str(&mine.unwrap().to_string()).unwrap();
                prop_assert_eq!(again, theirs);
            }
        }

        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = read(&bytes, &Limits::default());
        }
    }

    fn arbitrary_text() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_owned()),
            any::<i64>().prop_map(|n| n.to_string()),
            any::<String>().prop_map(|s| serde_json::to_string(&s).unwrap()),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(|v| format!("[{}]", v.join(" , "))),
                proptest::collection::vec((any::<String>(), inner), 0..5).prop_map(|v| {
                    let pairs: Vec<String> =
                        v.iter().map(|(k, v)| format!("{}:{v}", serde_json::to_string(k).unwrap())).collect();
                    format!("{{{}}}", pairs.join(",\n"))
                }),
            ]
        })
    }
}
