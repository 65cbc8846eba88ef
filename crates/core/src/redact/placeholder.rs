//! What stands in the place of a secret, and where such a thing stands in a text.
//!
//! `secret.NAME.DIGITS`: of letters, digits, `.`, `-` and `_` alone, so that it goes through URLs, JSON, forms, headers
//! and arguments as it is. A number's digits begin with `n`: the placeholder is a text where a number stood.

use std::ops::Range;

use crate::ids::Digest;
use crate::json::Json;

/// How a placeholder begins.
const START: &str = "secret.";
/// How it began under the rules before the third derivation: `[secret:NAME:DIGITS]`.
const FORMER: &str = "[secret:";
/// The longest name.
const NAME: usize = 40;
/// Hexadecimal digits of the keyed digest.
const DIGITS: usize = 16;

/// The placeholder of a value. `key` is the run's: without it nobody can try out values.
pub(super) fn of(key: &[u8; 32], name: &str, value: &str, number: bool) -> String {
    let keyed = Digest::of(&[key.as_slice(), value.as_bytes()].concat()).to_string();
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).take(NAME).collect();
    let name = if name.is_empty() { "unnamed" } else { &name };
    format!("{START}{name}.{}{}", if number { "n" } else { "" }, &keyed[..DIGITS])
}

/// Where placeholders stand in a text, in order.
#[must_use]
pub fn spans(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some((at, former)) = next(text, from) {
        match if former { former_end(text, at) } else { end(text, at) } {
            Some(end) => {
                found.push(at..end);
                from = end;
            }
            None => from = at + 1,
        }
    }
    found
}

/// The next place where one may begin.
fn next(text: &str, from: usize) -> Option<(usize, bool)> {
    let rest = text.get(from..)?;
    let now = rest.find(START).map(|at| (from + at, false));
    let former = rest.find(FORMER).map(|at| (from + at, true));
    now.into_iter().chain(former).min()
}

fn end(text: &str, at: usize) -> Option<usize> {
    let start = at + START.len();
    let named = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let name = text.as_bytes()[start..].iter().take(NAME + 1).take_while(|b| named(b)).count();
    let rest = text.as_bytes()[start + name..].strip_prefix(b".").filter(|_| (1..=NAME).contains(&name))?;
    let typed = usize::from(rest.first() == Some(&b'n'));
    let digits = rest.get(typed..typed + DIGITS)?;
    digits.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f')).then_some(start + name + 1 + typed + DIGITS)
}

fn former_end(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at + FORMER.len()..];
    let (inside, _) = rest.split_once(']')?;
    let (_, digits) = inside.rsplit_once(':')?;
    let hex = digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit());
    hex.then_some(at + FORMER.len() + inside.len() + 1)
}

/// Whether a placeholder stands in a text.
#[must_use]
pub fn holds(text: &str) -> bool {
    !spans(text).is_empty()
}

/// Whether a placeholder stands in some bytes.
#[must_use]
pub fn in_bytes(bytes: &[u8]) -> bool {
    // What is no text has none of its letters changed by this.
    memchr::memmem::find(bytes, b"secret").is_some() && holds(&String::from_utf8_lossy(bytes))
}

/// How much of a value is hidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hidden {
    /// Nothing.
    Nothing,
    /// Whole texts: what they are equal to and that they are texts can still be seen.
    Texts,
    /// A part of a text, a number, or the name of a key.
    Parts,
}

/// How much of a value is hidden, at any depth.
#[must_use]
pub fn hidden(value: &Json) -> Hidden {
    match value {
        Json::Text(text) | Json::BrokenText(text) => match spans(text).as_slice() {
            [] => Hidden::Nothing,
            [_] if is_one(text) && !is_number(text) => Hidden::Texts,
            _ => Hidden::Parts,
        },
        Json::List(items) => items.iter().map(hidden).max().unwrap_or(Hidden::Nothing),
        Json::Map(map) => {
            let key = |key: &str| if holds(key) { Hidden::Parts } else { Hidden::Nothing };
            map.iter().map(|(name, item)| key(name).max(hidden(item))).max().unwrap_or(Hidden::Nothing)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => Hidden::Nothing,
    }
}

/// Whether a text is a placeholder and nothing else.
fn is_one(text: &str) -> bool {
    matches!(spans(text).as_slice(), [one] if *one == (0..text.len()))
}

/// Whether a text is the placeholder of a number.
#[must_use]
pub fn is_number(text: &str) -> bool {
    let digits = text.rsplit('.').next().unwrap_or_default();
    digits.starts_with('n') && is_one(text)
}

/// Whether `needle` stands in a text in a way that no hidden character takes part in: placeholders are inside of it as a
/// whole or not at all.
#[must_use]
pub fn shows(text: &str, needle: &str) -> bool {
    let spans = spans(text);
    text.match_indices(needle).any(|(at, _)| is_apart(&spans, &(at..at + needle.len())))
}

/// The same of one range of a text.
#[must_use]
pub fn apart(text: &str, range: &Range<usize>) -> bool {
    is_apart(&spans(text), range)
}

fn is_apart(spans: &[Range<usize>], range: &Range<usize>) -> bool {
    spans.iter().all(|span| {
        span.end <= range.start || span.start >= range.end || (range.start <= span.start && span.end <= range.end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read};

    #[test]
    fn placeholders_are_found_and_nothing_else() {
        let one = of(&[1; 32], "access_token", "abcdefgh", false);
        let number = of(&[1; 32], "pin", "12345678", true);
        for (text, count) in [
            (one.clone(), 1),
            (format!("sid={one}; Path=/"), 1),
            (format!("{one}{one}"), 2),
            (format!("secret.{one}"), 1),
            (number, 1),
            ("[secret:TOKEN:0123abcd]".to_owned(), 1),
            ("secret.a.0123456789abcde".to_owned(), 0),
            ("secret.a.0123456789abcdeg".to_owned(), 0),
            ("secret..0123456789abcdef".to_owned(), 0),
            (format!("secret.{}.0123456789abcdef", "x".repeat(41)), 0),
            ("secret.ä.0123456789abcdef".to_owned(), 0),
            ("the secret. a word".to_owned(), 0),
            ("[secret:TOKEN]".to_owned(), 0),
            ("secret.".to_owned(), 0),
        ] {
            assert_eq!(spans(&text).len(), count, "{text}");
            assert_eq!(in_bytes(text.as_bytes()), count > 0, "{text}");
        }
    }

    #[test]
    fn names_are_made_harmless() {
        for (name, start) in [("a b.c", "secret.a-b-c."), ("", "secret.unnamed."), ("x\u{1b}[2J", "secret.x--2J.")] {
            let made = of(&[0; 32], name, "value", false);
            assert!(made.starts_with(start), "{made}");
            assert!(is_one(&made));
        }
    }

    #[test]
    fn what_is_hidden_of_a_value() {
        let text = of(&[1; 32], "t", "abcdefgh", false);
        let number = of(&[1; 32], "t", "12345678", true);
        for (json, wanted) in [
            (format!("\"{text}\""), Hidden::Texts),
            (format!("[1,{{\"a\":\"{text}\"}}]"), Hidden::Texts),
            (format!("\"x{text}\""), Hidden::Parts),
            (format!("\"{number}\""), Hidden::Parts),
            (format!("{{\"{text}\":1}}"), Hidden::Parts),
            ("[\"secret\",1,null]".to_owned(), Hidden::Nothing),
        ] {
            let value = read(json.as_bytes(), &Limits::default()).unwrap();
            assert_eq!(hidden(&value), wanted, "{json}");
        }
    }

    #[test]
    fn numbers_are_told_from_texts() {
        for (text, wanted) in [
            ("secret.a.n0123456789abcdef", true),
            ("secret.a.0123456789abcdef", false),
            ("x secret.a.n0123456789abcdef", false),
            ("name", false),
        ] {
            assert_eq!(is_number(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_needle_shows_where_no_hidden_character_takes_part() {
        let one = of(&[1; 32], "sid", "abcdefgh", false);
        let line = format!("sid={one}; HttpOnly");
        for (needle, shown) in [
            ("HttpOnly", true),
            ("sid=", true),
            (one.as_str(), true),
            (line.as_str(), true),
            ("secret", false),
            ("sid=secret", false),
            ("sid.", false),
            ("absent", false),
        ] {
            assert_eq!(shows(&line, needle), shown, "{needle}");
        }
        assert!(shows("the secret", "secret"));
    }
}
