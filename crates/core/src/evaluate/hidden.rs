//! Whether what a check comes to depends on characters that a placeholder hides (threats.md R13). Such a check was seen
//! by who was there and cannot be asked again.
//!
//! What a placeholder still shows: that something stands there, that it is a text, and what it is equal to.

use super::operators::{Target, elements};
use crate::expect::{Expect, Op};
use crate::json::Json;
use crate::redact::{Hidden, apart, hidden, in_bytes, is_number, shows};

/// Whether an operator over a target looks behind a placeholder. `op` is filled; `held`: whether it holds as it stands.
pub(super) fn depends(op: &Op, target: Target<'_>, held: bool) -> bool {
    match target {
        Target::Missing => false,
        Target::Partial(reading) => in_bytes(reading.bytes()),
        Target::Many(nodes) => match op {
            Op::Any(inner) | Op::All(inner) => nodes.iter().any(|node| within(inner, node)),
            _ => false,
        },
        Target::One(value) | Target::Lines(value) => {
            hidden(value) != Hidden::Nothing && on_value(op, target, value, held)
        }
    }
}

/// The same of operators inside of another: whether each holds is not known here.
fn within(inner: &Expect, value: &Json) -> bool {
    inner.0.iter().any(|op| depends(op, Target::One(value), false))
}

fn on_value(op: &Op, target: Target<'_>, value: &Json, held: bool) -> bool {
    match op {
        Op::Exists | Op::Missing | Op::NotNull | Op::Count(_) => false,
        Op::Type(_) => value.as_text().is_some_and(is_number),
        // Equal placeholders hide equal texts. A part of a text may be what the plan writes.
        Op::Equals(_) | Op::OneOf(_) => !held && hidden(value) == Hidden::Parts,
        Op::Contains(data, _) => !contained(data, target, value),
        Op::StartsWith(data) => !at_end(data, value, held, |needle, _| 0..needle),
        Op::EndsWith(data) => !at_end(data, value, held, |needle, text| text - needle..text),
        Op::Length(_) => value.as_text().is_some(),
        Op::Matches(_) | Op::Compare(..) | Op::Schema(_) => true,
        Op::Not(inner) => inner.0.iter().any(|op| depends(op, target, false)),
        Op::AnyOf(branches) => branches.iter().flat_map(|inner| &inner.0).any(|op| depends(op, target, false)),
        Op::Any(inner) | Op::All(inner) => {
            elements(target).is_ok_and(|elements| elements.into_iter().any(|one| within(inner, one)))
        }
    }
}

/// Whether it is seen that a value contains something, or that a list of whole texts does or does not.
fn contained(data: &Json, target: Target<'_>, value: &Json) -> bool {
    let shown = |text: &Json| match (text.as_text(), data.as_text()) {
        (Some(text), Some(needle)) => shows(text, needle),
        _ => false,
    };
    match (target, value) {
        (Target::Lines(_), Json::List(lines)) => lines.iter().any(shown),
        (_, Json::List(items)) => items.contains(data) || hidden(value) == Hidden::Texts,
        (_, text) => shown(text),
    }
}

fn at_end(data: &Json, value: &Json, held: bool, range: fn(usize, usize) -> std::ops::Range<usize>) -> bool {
    match (value.as_text(), data.as_text()) {
        (Some(text), Some(needle)) => held && apart(text, &range(needle.len(), text.len())),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expect::{Comparison, JsonType};

    const TEXT: &str = "secret.sid.0123456789abcdef";
    const NUMBER: &str = "secret.pin.n0123456789abcdef";

    #[test]
    fn what_looks_behind_a_placeholder() {
        let line = format!("sid={TEXT}; Path=/");
        let op = |op: Op| Box::new(Expect(vec![op]));
        for (target, ops, wanted) in [
            (Json::from("plain"), vec![Op::Matches("x".into()), Op::Length(vec![])], false),
            (TEXT.into(), vec![Op::Exists, Op::NotNull, Op::Missing, Op::Type(JsonType::String)], false),
            (TEXT.into(), vec![Op::Equals("other".into()), Op::Equals(TEXT.into()), Op::OneOf(vec![])], false),
            (TEXT.into(), vec![Op::Matches("^s".into()), Op::Length(vec![]), Op::Schema("s".into())], true),
            (TEXT.into(), vec![Op::Contains("secret".into(), true), Op::Contains("absent".into(), false)], true),
            (TEXT.into(), vec![Op::Compare(Comparison::Gt, 1.into()), Op::Not(op(Op::Matches("x".into())))], true),
            (TEXT.into(), vec![Op::Not(op(Op::Equals("x".into()))), Op::AnyOf(vec![*op(Op::Exists)])], false),
            (NUMBER.into(), vec![Op::Type(JsonType::Number)], true),
            (line.as_str().into(), vec![Op::Equals("sid=dark; Path=/".into())], true),
            (line.as_str().into(), vec![Op::Contains("Path=/".into(), true), Op::Contains(TEXT.into(), true)], false),
            (line.as_str().into(), vec![Op::Contains("HttpOnly".into(), false)], true),
            (Json::list([TEXT, "a"]), vec![Op::Contains("b".into(), false), Op::Length(vec![])], false),
            (Json::list([TEXT, "a"]), vec![Op::Any(op(Op::Matches("x".into())))], true),
            (Json::list([TEXT, "a"]), vec![Op::All(op(Op::Type(JsonType::String)))], false),
        ] {
            for op in ops {
                assert_eq!(depends(&op, Target::One(&target), false), wanted, "{target} {op:?}");
            }
        }
        let (text, start) = (Json::from(line), |needle: &str| Op::StartsWith(needle.into()));
        for (op, held, wanted) in [
            (start("sid="), true, false),
            (start("sid=secret"), true, true),
            (start("x"), false, true),
            (Op::EndsWith("Path=/".into()), true, false),
            (Op::Equals(text.clone()), true, false),
        ] {
            assert_eq!(depends(&op, Target::One(&text), held), wanted, "{op:?}");
        }
        let lines = Json::list([TEXT, "a; Path=/"]);
        assert!(!depends(&Op::Contains("Path".into(), true), Target::Lines(&lines), true));
        assert!(!depends(&Op::Matches("x".into()), Target::Missing, false));
        let node = Json::from(TEXT);
        assert!(!depends(&Op::Count(vec![]), Target::Many(&[&node]), true));
    }
}
