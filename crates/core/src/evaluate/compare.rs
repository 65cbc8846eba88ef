//! Equality of values: numbers as decimals, maps without order, and no answer where a value is flawed.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{Cause, Unknown};
use crate::json::{Json, Map};
use crate::number;

/// Whether two values are equal. Neither may be flawed, see [`flaw`].
pub(super) fn equal(a: &Json, b: &Json) -> bool {
    match (a, b) {
        (Json::Number(a), Json::Number(b)) => number::compare(a, b) == Ordering::Equal,
        (Json::List(a), Json::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Json::Map(a), Json::Map(b)) => equal_maps(a, b),
        (a, b) => a == b,
    }
}

fn equal_maps(a: &Map, b: &Map) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let sorted: BTreeMap<&str, &Json> = b.iter().collect();
    a.iter().all(|(key, value)| sorted.get(key).is_some_and(|other| equal(value, other)))
}

/// What keeps a value from being compared as a whole: a broken text or a repeated key at any depth.
pub(super) fn flaw(value: &Json) -> Option<Unknown> {
    match value {
        Json::BrokenText(_) => Some(broken()),
        Json::List(items) => items.iter().find_map(flaw),
        Json::Map(map) if map.has_repeated_key() => {
            Some(Unknown::new(Cause::RepeatedKey, "a key stands twice in the value, so two readers see two values"))
        }
        Json::Map(map) => map.iter().find_map(|(_, item)| flaw(item)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => None,
    }
}

pub(super) fn broken() -> Unknown {
    Unknown::new(Cause::BrokenText, "the text holds an unpaired surrogate, which is no character")
}

/// Both sides may be flawed: an answer only where there is one.
pub(super) fn compared(seen: &Json, wanted: &Json) -> Result<bool, Unknown> {
    flaw(seen).or_else(|| flaw(wanted)).map_or_else(|| Ok(equal(seen, wanted)), Err)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read};

    #[test]
    fn compares_values() {
        let json = |text: &str| read(text.as_bytes(), &Limits::default()).unwrap();
        for (a, b, same) in [
            ("10.0", "10", true),
            ("18446744073709551617", "18446744073709551616", false),
            (r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":1.0}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false),
            (r#"{"a":null}"#, r#"{"b":null}"#, false),
            ("[1,2]", "[2,1]", false),
            ("[1]", "[1,1]", false),
            ("null", "false", false),
            ("\"1\"", "1", false),
            ("[]", "{}", false),
        ] {
            assert_eq!(compared(&json(a), &json(b)), Ok(same), "{a} {b}");
            assert_eq!(compared(&json(b), &json(a)), Ok(same), "{b} {a}");
        }
        for flawed in [r#"[{"a":1,"a":1}]"#, r#"{"x":["\ud800"]}"#] {
            assert!(compared(&json(flawed), &json(flawed)).is_err(), "{flawed}");
            assert!(compared(&json("1"), &json(flawed)).is_err(), "{flawed}");
        }
    }
}
