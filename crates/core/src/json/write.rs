//! The writers: compact, indented, and the canonical form of RFC 8785.

use std::cmp::Ordering;
use std::fmt;

use super::{Json, Number};

/// The largest integer that every JSON reader keeps exactly.
const SAFE: i64 = (1 << 53) - 1;

/// Why a value has no canonical form here: two different values must never share one (crates.md 3.5).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("has no canonical form: {0}")]
pub struct NotCanonical(String);

/// The canonical bytes of a value (RFC 8785), for values of texts, integers within ±(2^53−1), lists and maps.
///
/// # Errors
/// Fractions, larger numbers, repeated keys and broken texts are refused: canonicalizing would merge different values.
pub fn canonical(value: &Json) -> Result<Vec<u8>, NotCanonical> {
    let mut out = String::new();
    write_canonical(value, &mut out)?;
    Ok(out.into_bytes())
}

/// Whether a number is an integer that has one token only, and that every reader keeps exactly.
pub(super) fn is_safe(number: &Number) -> bool {
    number.as_i64().is_some_and(|n| (-SAFE..=SAFE).contains(&n)) && number.token() != "-0"
}

/// Appends the canonical form of a value.
///
/// # Errors
/// As [`canonical`].
pub(crate) fn write_canonical(value: &Json, out: &mut String) -> Result<(), NotCanonical> {
    let refuse = |what: String| Err(NotCanonical(what));
    match value {
        Json::Number(number) if is_safe(number) => out.push_str(number.token()),
        Json::Number(number) => return refuse(format!("the number {} is kept as text instead", number.token())),
        Json::BrokenText(_) => return refuse("a text with an unpaired surrogate".to_owned()),
        Json::List(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out)?;
            }
            out.push(']');
        }
        Json::Map(map) => {
            let mut pairs: Vec<(&str, &Json)> = map.iter().collect();
            let ordered = |pairs: &[(&str, &Json)]| pairs.windows(2).all(|p| utf16_order(p[0].0, p[1].0).is_lt());
            if !ordered(&pairs) {
                pairs.sort_by(|a, b| utf16_order(a.0, b.0));
                if !ordered(&pairs) {
                    return refuse("a key that stands twice".to_owned());
                }
            }
            out.push('{');
            for (i, (key, item)) in pairs.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                // Writing into a String cannot fail.
                let _ = quoted(key, out);
                out.push(':');
                write_canonical(item, out)?;
            }
            out.push('}');
        }
        plain @ (Json::Null | Json::Bool(_) | Json::Text(_)) => {
            let _ = compact(plain, out);
        }
    }
    Ok(())
}

/// RFC 8785 sorts keys by their UTF-16 units. That is the order of their bytes, but where surrogates meet what stands
/// behind them, which begins with the byte 0xEE.
pub(super) fn utf16_order(a: &str, b: &str) -> Ordering {
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        None => a.len().cmp(&b.len()),
        Some((a, b)) if a.max(b) < 0xee => a.cmp(&b),
        Some(_) => a.encode_utf16().cmp(b.encode_utf16()),
    }
}

pub(super) fn compact(value: &Json, out: &mut impl fmt::Write) -> fmt::Result {
    match value {
        Json::Null => out.write_str("null"),
        Json::Bool(b) => out.write_str(if *b { "true" } else { "false" }),
        Json::Number(number) => out.write_str(number.token()),
        Json::Text(text) | Json::BrokenText(text) => quoted(text, out),
        Json::List(items) => {
            out.write_char('[')?;
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.write_char(',')?;
                }
                compact(item, out)?;
            }
            out.write_char(']')
        }
        Json::Map(map) => {
            out.write_char('{')?;
            for (i, (key, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.write_char(',')?;
                }
                quoted(key, out)?;
                out.write_char(':')?;
                compact(item, out)?;
            }
            out.write_char('}')
        }
    }
}

pub(super) fn quoted(text: &str, out: &mut impl fmt::Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = text;
    // What is escaped is ASCII, so the text can be cut there.
    while let Some(at) = rest.bytes().position(|b| b < 0x20 || b == b'"' || b == b'\\') {
        out.write_str(&rest[..at])?;
        match rest.as_bytes()[at] {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            0x8 => out.write_str("\\b")?,
            0xc => out.write_str("\\f")?,
            control => write!(out, "\\u{control:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Limits, Map, Number, read};
    use super::*;

    #[test]
    fn canonical_sorts_and_refuses_what_would_merge() {
        let value = read(
            "{\"b\":1,\"a\":[true,null,\"é\\u0000\"],\"\u{10000}\":0,\"\u{e000}\":0}".as_bytes(),
            &Limits::default(),
        )
        .unwrap();
        let bytes = canonical(&value).unwrap();
        // RFC 8785 sorts by UTF-16 units: the surrogate pair of U+10000 comes before U+E000.
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "{\"a\":[true,null,\"é\\u0000\"],\"b\":1,\"\u{10000}\":0,\"\u{e000}\":0}"
        );
        for bad in ["1.5", "9007199254740992", "-0", "1e3", r#"{"a":1,"a":1}"#, r#""\ud800""#] {
            assert!(canonical(&read(bad.as_bytes(), &Limits::default()).unwrap()).is_err(), "{bad}");
        }
        assert!(canonical(&Json::from(SAFE)).is_ok());
    }

    proptest! {
        /// The library is the oracle: it agrees on every value that has a canonical form here.
        #[test]
        fn agrees_with_the_library(value in any_value()) {
            let mine = canonical(&value).unwrap();
            let theirs: serde_json::Value = serde_json::from_str(&value.to_string()).unwrap();
            prop_assert_eq!(String::from_utf8(mine).unwrap(), serde_json_canonicalizer::to_string(&theirs).unwrap());
        }
    }

    fn any_value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            (-SAFE..=SAFE).prop_map(Json::from),
            any::<String>().prop_map(Json::from),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::List),
                proptest::collection::btree_map(any::<String>(), inner, 0..6).prop_map(Json::map),
            ]
        })
    }

    #[test]
    fn pretty_reads_back() {
        let mut map = Map::new();
        map.push("empty", Json::List(vec![]));
        map.push("n", Number::parse("10.0").unwrap());
        map.push("l", vec![1, 2]);
        let text = Json::Map(map.clone()).pretty();
        assert_eq!(text, "{\n  \"empty\": [],\n  \"n\": 10.0,\n  \"l\": [\n    1,\n    2\n  ]\n}\n");
        assert_eq!(read(text.as_bytes(), &Limits::default()).unwrap(), Json::Map(map));
    }
}
