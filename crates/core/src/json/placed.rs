//! The same reader, making nodes with places, for documents that people write.

use std::collections::HashMap;
use std::ops::Range;

use super::Json;
use super::read::{Fault, JsonError, JsonFault, Limits, Make, Reader, decode};
use crate::document::{Key, Lines, Node, Place, Value};

/// Reads one JSON document into nodes with places. Stricter than [`super::read`], since a person can repair what
/// they wrote: a key that stands twice in one map and an unpaired surrogate are refused. A byte-order mark is skipped.
///
/// # Errors
/// The first fault with its place.
pub fn read_placed(bytes: &[u8], limits: &Limits) -> Result<Node, JsonError> {
    let text = decode(bytes)?;
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let make = Placed { lines: Lines::new(text) };
    Reader::new(text, start, limits, make).document().map_err(|fault| fault.at(text))
}

struct Placed<'a> {
    lines: Lines<'a>,
}

impl Placed<'_> {
    fn place(&self, span: &Range<usize>) -> Place {
        self.lines.place(span.start, span.end)
    }
}

impl Make for Placed<'_> {
    type Value = Node;
    type Key = Key;

    fn scalar(&mut self, value: Json, span: Range<usize>) -> Result<Node, Fault> {
        let value = match value {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(b),
            Json::Number(number) => Value::Number(number),
            Json::Text(text) => Value::Text(text),
            Json::BrokenText(_) => return Err(surrogate(&span)),
            Json::List(_) | Json::Map(_) => Value::Null, // the reader hands lists and maps to the other two
        };
        Ok(Node::new(value, self.place(&span)))
    }

    fn key(&mut self, key: &str, broken: bool, span: Range<usize>) -> Result<Key, Fault> {
        if broken { Err(surrogate(&span)) } else { Ok(Key { name: key.into(), place: self.place(&span) }) }
    }

    fn list(&mut self, items: Vec<Node>, span: Range<usize>) -> Node {
        Node::new(Value::List(items), self.place(&span))
    }

    fn map(&mut self, pairs: Vec<(Key, Node)>, span: Range<usize>) -> Result<Node, Fault> {
        if let Some((key, first)) = repeated(&pairs) {
            let shown = crate::inert::shortened(&key.name, 60);
            let what = format!("the key `{}` for the second time in one map", shown.escape_debug());
            return Err(Fault { what, kind: JsonFault::RepeatedKey { first }, at: key.place.bytes().start });
        }
        Ok(Node::new(Value::Map(pairs), self.place(&span)))
    }
}

/// The first key that stands a second time, and where it stood before.
fn repeated(pairs: &[(Key, Node)]) -> Option<(&Key, Place)> {
    // Looking through a few keys is faster than making a set of them, and most maps have a few.
    if pairs.len() <= 16 {
        let before = |at: usize, key: &Key| pairs[..at].iter().find(|(other, _)| other.name == key.name);
        return pairs.iter().enumerate().find_map(|(at, (key, _))| Some((key, before(at, key)?.0.place)));
    }
    let mut seen: HashMap<&str, Place> = HashMap::with_capacity(pairs.len());
    pairs.iter().find_map(|(key, _)| Some((key, seen.insert(&key.name, key.place)?)))
}

fn surrogate(span: &Range<usize>) -> Fault {
    Fault { what: "a text with half of a surrogate pair".into(), kind: JsonFault::Surrogate, at: span.start }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::read;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits { depth: 64, nodes: 100 };

    #[test]
    fn every_node_and_key_has_its_place() {
        let text = "\u{feff}{\r\n  \"ä\": [1.10, \"x\"],\r\n  \"b\": {}}";
        let node = read_placed(text.as_bytes(), &LIMITS).unwrap();
        assert_eq!((node.place.line, node.place.column, node.place.bytes()), (1, 1, 3..text.len()));
        let (key, list) = &node.as_map().unwrap()[0];
        assert_eq!((key.place.line, key.place.column, &text[key.place.bytes()]), (2, 3, "\"ä\""));
        let number = &list.as_list().unwrap()[0];
        assert_eq!((number.place.column, &text[number.place.bytes()]), (9, "1.10"));
        assert_eq!(node.to_json().to_string(), r#"{"ä":[1.10,"x"],"b":{}}"#);
    }

    #[test]
    fn refuses_what_two_readers_could_read_two_ways() {
        let twice = read_placed(b"{\"a\": 1,\n \"b\": 2, \"\\u0061\": 3}", &LIMITS).unwrap_err();
        assert_eq!((twice.line, twice.column), (2, 10));
        assert!(matches!(twice.kind, JsonFault::RepeatedKey { first: Place { line: 1, column: 2, .. } }));
        for many in [3, 16, 17, 40] {
            let keys: Vec<String> = (0..many).map(|n| format!("\"{}\":0", n.min(many - 2))).collect();
            let twice = read_placed(format!("{{{}}}", keys.join(",")).as_bytes(), &LIMITS).unwrap_err();
            assert!(matches!(twice.kind, JsonFault::RepeatedKey { .. }), "{many}");
        }
        for broken in [r#"["\ud800"]"#, r#"{"\ud800": 1}"#] {
            assert_eq!(read_placed(broken.as_bytes(), &LIMITS).unwrap_err().kind, JsonFault::Surrogate);
        }
        assert_eq!(read_placed(b"\xff", &LIMITS).unwrap_err().kind, JsonFault::Encoding);
        assert_eq!(read_placed("[".repeat(65).as_bytes(), &LIMITS).unwrap_err().kind, JsonFault::TooLarge);
        assert_eq!(read_placed(b"[1", &LIMITS).unwrap_err().kind, JsonFault::Syntax);
        // A fault stands at a character, never inside one.
        assert_eq!(read_placed("\"\\ä\"".as_bytes(), &LIMITS).unwrap_err().offset, 2);
    }

    proptest! {
        #[test]
        fn agrees_with_the_plain_reader(text in r#"[\[\]{}:,"a1.eäu \\n-]{0,24}"#) {
            match read_placed(text.as_bytes(), &LIMITS) {
                Ok(node) => prop_assert_eq!(node.to_json(), read(text.as_bytes(), &LIMITS).unwrap()),
                Err(error) => prop_assert!(text.is_char_boundary(error.offset)),
            }
        }
    }
}
