//! The reader: RFC 8259, with a place for each fault and bounds on depth and size.

use super::{Json, Map, Number};

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
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Byte offset, from 0.
    pub offset: usize,
}

/// Reads one JSON document; white space may surround it, a byte-order mark may not.
///
/// # Errors
/// The first fault with its place.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Json, JsonError> {
    let text = std::str::from_utf8(bytes).map_err(|e| fault(bytes, e.valid_up_to(), "text that is not UTF-8"))?;
    let mut reader = Reader { bytes: text.as_bytes(), at: 0, nodes: 0, limits: *limits };
    let value = reader.document().map_err(|what| fault(bytes, reader.at.min(bytes.len()), &what))?;
    Ok(value)
}

pub(super) fn is_number(token: &[u8]) -> bool {
    let mut reader = Reader { bytes: token, at: 0, nodes: 0, limits: Limits::default() };
    reader.number().is_ok() && reader.at == token.len()
}

fn fault(bytes: &[u8], offset: usize, what: &str) -> JsonError {
    let before = &bytes[..offset];
    let line = before.iter().filter(|b| **b == b'\n').count() + 1;
    let start = before.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    JsonError { what: what.to_owned(), line, column, offset }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    nodes: usize,
    limits: Limits,
}

type Fault = String;

impl Reader<'_> {
    fn document(&mut self) -> Result<Json, Fault> {
        let value = self.value(0)?;
        self.space();
        if self.at < self.bytes.len() {
            return Err("text after the end of the document".into());
        }
        Ok(value)
    }

    fn space(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, Fault> {
        self.space();
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(format!("more than {} values", self.limits.nodes));
        }
        match self.bytes.get(self.at) {
            None => Err("the end of the text where a value should stand".into()),
            Some(b'{' | b'[') if depth >= self.limits.depth => {
                Err(format!("nesting deeper than {}", self.limits.depth))
            }
            Some(b'{') => self.map(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.text(),
            Some(b'-' | b'0'..=b'9') => {
                let token = self.number()?.to_owned();
                Ok(Json::Number(Number(token)))
            }
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => Err("a character that begins no JSON value".into()),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, Fault> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(value)
        } else {
            Err("a word that is not true, false or null".into())
        }
    }

    fn map(&mut self, depth: usize) -> Result<Json, Fault> {
        self.at += 1;
        let mut pairs = Vec::new();
        self.space();
        if self.eat(b'}') {
            return Ok(Json::Map(Map(pairs)));
        }
        loop {
            self.space();
            if self.bytes.get(self.at) != Some(&b'"') {
                return Err("something else where a key in quotes should stand".into());
            }
            let key = match self.text()? {
                Json::Text(key) | Json::BrokenText(key) => key,
                _ => unreachable!("text() yields text"),
            };
            self.space();
            if !self.eat(b':') {
                return Err("no `:` after a key".into());
            }
            pairs.push((key, self.value(depth + 1)?));
            self.space();
            if self.eat(b'}') {
                return Ok(Json::Map(Map(pairs)));
            }
            if !self.eat(b',') {
                return Err("neither `,` nor `}` after a value".into());
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Json, Fault> {
        self.at += 1;
        let mut items = Vec::new();
        self.space();
        if self.eat(b']') {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.space();
            if self.eat(b']') {
                return Ok(Json::List(items));
            }
            if !self.eat(b',') {
                return Err("neither `,` nor `]` after a value".into());
            }
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let hit = self.bytes.get(self.at) == Some(&byte);
        self.at += usize::from(hit);
        hit
    }

    fn number(&mut self) -> Result<&str, Fault> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') && self.digits() == 0 {
            return Err("a number without digits".into());
        }
        if self.eat(b'.') && self.digits() == 0 {
            return Err("a number with nothing after its point".into());
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            if self.digits() == 0 {
                return Err("a number with nothing after its exponent".into());
            }
        }
        std::str::from_utf8(&self.bytes[start..self.at]).map_err(|e| e.to_string())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.bytes.get(self.at), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn text(&mut self) -> Result<Json, Fault> {
        self.at += 1;
        let mut text = String::new();
        let mut broken = false;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = rest.iter().position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len());
            text.push_str(std::str::from_utf8(&rest[..plain]).map_err(|e| e.to_string())?);
            self.at += plain;
            match self.bytes.get(self.at) {
                None => return Err("a text without its closing quote".into()),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(if broken { Json::BrokenText(text) } else { Json::Text(text) });
                }
                Some(b'\\') => {
                    self.at += 1;
                    let c = self.escape()?;
                    broken |= c.is_none();
                    text.push(c.unwrap_or('\u{fffd}'));
                }
                Some(_) => return Err("a control character inside a text".into()),
            }
        }
    }

    /// The character of an escape; `None` for an unpaired surrogate.
    fn escape(&mut self) -> Result<Option<char>, Fault> {
        let c = *self.bytes.get(self.at).ok_or("an escape without its character")?;
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
            _ => return Err("an escape that JSON does not know".into()),
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
            .ok_or("`\\u` without four hex digits")?;
        let value = u32::from_str_radix(digits, 16).map_err(|e| e.to_string())?;
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
