//! Short texts of values and expectations, for `expected` and `saw`. Nothing larger than the bound is ever built.

use std::fmt::{self, Display, Write};

use crate::expect::{Comparison, JsonType, Op};
use crate::json::Json;

/// The longest `expected` or `saw`, in characters, the ellipsis among them.
const BOUND: usize = 200;

/// A text that stops growing at the bound.
#[derive(Default)]
struct Short {
    text: String,
    chars: usize,
}

impl Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        // No text has more characters than bytes.
        if self.chars + text.len() < BOUND {
            self.text.push_str(text);
            self.chars += text.chars().count();
            return Ok(());
        }
        for c in text.chars() {
            if self.chars == BOUND {
                self.text.pop();
                self.text.push('…');
                return Err(fmt::Error);
            }
            self.text.push(c);
            self.chars += 1;
        }
        Ok(())
    }
}

/// Anything, cut at the bound.
pub(super) fn short(value: &dyn Display) -> String {
    let mut out = Short { text: String::with_capacity(48), chars: 0 };
    // An error means that the bound was reached, which is what it is for.
    let _ = write!(out, "{value}");
    out.text
}

/// A value with the name of its type: `"29.97" (text)`.
pub(super) fn typed(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        value => short(&format_args!("{} ({})", Brief(value, BOUND - 12), value.kind())),
    }
}

/// The first characters of a value, so that its type still fits behind it.
struct Brief<'a>(&'a Json, usize);

impl Display for Brief<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = short(self.0);
        if text.chars().count() <= self.1 {
            return f.write_str(&text);
        }
        text.chars().take(self.1 - 1).try_for_each(|c| f.write_char(c))?;
        f.write_char('…')
    }
}

/// Values side by side: `3 values: 1, 2, 3`.
pub(super) fn values(values: &[&Json]) -> String {
    struct Side<'a>(&'a [&'a Json]);
    impl Display for Side<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let noun = if self.0.len() == 1 { "value" } else { "values" };
            write!(f, "{} {noun}", self.0.len())?;
            for (i, value) in self.0.iter().enumerate() {
                write!(f, "{}{value}", if i == 0 { ": " } else { ", " })?;
            }
            Ok(())
        }
    }
    short(&Side(values))
}

/// The part of a text around a place, in quotes as JSON text.
pub(super) fn around(text: &str, at: usize) -> String {
    let mut start = at.saturating_sub(60);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mark = if start > 0 { "…" } else { "" };
    let end = text[start..].char_indices().nth(BOUND).map_or(text.len(), |(i, _)| start + i);
    short(&format_args!("{mark}{}", Json::from(&text[start..end])))
}

/// The name of an operator as plans write it.
pub(super) const fn name(op: &Op) -> &'static str {
    match op {
        Op::Equals(_) => "equals",
        Op::OneOf(_) => "oneOf",
        Op::Not(_) => "not",
        Op::AnyOf(_) => "anyOf",
        Op::Type(_) => "type",
        Op::Contains(_, true) => "contains",
        Op::Contains(_, false) => "notContains",
        Op::StartsWith(_) => "startsWith",
        Op::EndsWith(_) => "endsWith",
        Op::Matches(_) => "matches",
        Op::Compare(Comparison::Gt, _) => "gt",
        Op::Compare(Comparison::Gte, _) => "gte",
        Op::Compare(Comparison::Lt, _) => "lt",
        Op::Compare(Comparison::Lte, _) => "lte",
        Op::Length(_) => "length",
        Op::Schema(_) => "schema",
        Op::Exists => "exists",
        Op::Missing => "missing",
        Op::NotNull => "notNull",
        Op::Any(_) => "any",
        Op::All(_) => "all",
        Op::Count(_) => "count",
    }
}

/// The name of a type as plans write it.
pub(super) const fn type_name(name: JsonType) -> &'static str {
    match name {
        JsonType::Object => "object",
        JsonType::Array => "array",
        JsonType::String => "string",
        JsonType::Number => "number",
        JsonType::Integer => "integer",
        JsonType::Boolean => "boolean",
        JsonType::Null => "null",
    }
}

/// The operand of an operator; words have their own name.
pub(super) fn operand(op: &Op) -> String {
    short(&Operand(op))
}

struct Operand<'a>(&'a Op);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Op::Equals(data) | Op::Contains(data, _) | Op::StartsWith(data) | Op::EndsWith(data) => data.fmt(f),
            Op::Compare(_, data) => data.fmt(f),
            Op::OneOf(items) => items.iter().enumerate().try_for_each(|(i, item)| {
                f.write_str(if i == 0 { "" } else { ", " })?;
                item.fmt(f)
            }),
            Op::Not(inner) | Op::Any(inner) | Op::All(inner) => all(&inner.0, f),
            Op::AnyOf(alternatives) => alternatives.iter().enumerate().try_for_each(|(i, alternative)| {
                f.write_str(if i == 0 { "" } else { " or " })?;
                all(&alternative.0, f)
            }),
            Op::Length(ops) | Op::Count(ops) => all(ops, f),
            Op::Type(wanted) => f.write_str(type_name(*wanted)),
            Op::Matches(text) | Op::Schema(text) => f.write_str(text),
            Op::Exists | Op::Missing | Op::NotNull => f.write_str(name(self.0)),
        }
    }
}

fn all(ops: &[Op], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    ops.iter().enumerate().try_for_each(|(i, op)| {
        f.write_str(if i == 0 { "" } else { " and " })?;
        match op {
            Op::Equals(data) => data.fmt(f),
            Op::Exists | Op::Missing | Op::NotNull => f.write_str(name(op)),
            op => write!(f, "{} {}", name(op), Operand(op)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::Expect;

    #[test]
    fn is_bounded_and_says_so() {
        let long = Json::from("é".repeat(10_000));
        assert!(typed(&long).chars().count() <= BOUND && typed(&long).contains('…'));
        for text in [short(&long), values(&[&long, &long]), around(&"é".repeat(500), 600)] {
            assert_eq!(text.chars().count(), BOUND, "{text}");
            assert!(text.contains('…'));
        }
        assert!(typed(&long).ends_with(" (text)"));
        assert_eq!(short(&Json::from("x".repeat(BOUND - 2))).chars().count(), BOUND);
        assert!(!short(&Json::from("x".repeat(BOUND - 2))).contains('…'));
        assert_eq!(typed(&Json::from("29.97")), "\"29.97\" (text)");
        assert_eq!(around("no error here", 3), "\"no error here\"");
    }

    #[test]
    fn names_operands() {
        let n = |n: u64| Json::from(n);
        let inner = Expect(vec![Op::Equals(n(5))]);
        for (op, text) in [
            (Op::OneOf(vec![n(1), "a".into()]), "1, \"a\""),
            (Op::Not(Box::new(Expect(vec![Op::Contains("x".into(), true)]))), "contains \"x\""),
            (Op::AnyOf(vec![inner.clone(), Expect(vec![Op::Missing])]), "5 or missing"),
            (Op::All(Box::new(Expect(vec![Op::Compare(Comparison::Gt, n(1)), Op::NotNull]))), "gt 1 and notNull"),
            (Op::Count(vec![Op::Equals(n(2))]), "2"),
            (Op::Type(JsonType::Integer), "integer"),
            (Op::Exists, "exists"),
        ] {
            assert_eq!(operand(&op), text);
        }
    }
}
