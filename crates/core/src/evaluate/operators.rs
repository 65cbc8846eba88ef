//! The operators: each over a value, over nothing, over the nodes of a plural path, or over text that was cut.

use std::cmp::Ordering;

use regex::RegexBuilder;

use super::compare::{broken, compared};
use super::save::MAX_PATTERN;
use super::text::Reading;
use super::{Cause, Files, Outcome, Unknown, schema};
use crate::expect::{Comparison, JsonType, Op};
use crate::json::Json;
use crate::number::{self, is_integer};
use crate::vars::{self, Vars};

/// What an operator looks at.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// A value.
    One(&'a Json),
    /// Nothing: null is a value, this is none.
    Missing,
    /// The nodes of a plural path.
    Many(&'a [&'a Json]),
    /// The lines of a header that stands more than once, as a list of texts.
    Lines(&'a Json),
    /// Bytes of which there is no whole text.
    Partial(&'a Reading<'a>),
}

/// What operands are filled from.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) vars: &'a Vars,
    pub(super) files: &'a Files<'a>,
}

impl Context<'_> {
    /// An operand with its references filled.
    pub(super) fn filled(&self, operand: &Json) -> Result<Json, Unknown> {
        vars::resolve(operand, self.vars).map_err(|e| Unknown::new(Cause::Reference, e.to_string()))
    }

    fn text(&self, operand: &Json) -> Result<String, Unknown> {
        match self.filled(operand)? {
            Json::Text(text) => Ok(text),
            other => Err(wrong_operand(&other)),
        }
    }
}

/// All operators of an expectation: one that fails decides, before one that cannot be evaluated.
pub(super) fn all_hold(ops: &[Op], target: Target<'_>, context: Context<'_>) -> Outcome {
    if ops.is_empty() {
        return Err(Unknown::new(Cause::Plan, "the expectation is empty"));
    }
    every(ops.iter().map(|op| holds(op, target, context)))
}

fn every(outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let mut unknown = None;
    for outcome in outcomes {
        match outcome {
            Ok(true) => {}
            Ok(false) => return Ok(false),
            Err(reason) => unknown = unknown.or(Some(reason)),
        }
    }
    unknown.map_or(Ok(true), Err)
}

fn some(outcomes: impl Iterator<Item = Outcome>) -> Outcome {
    let mut unknown = None;
    for outcome in outcomes {
        match outcome {
            Ok(true) => return Ok(true),
            Ok(false) => {}
            Err(reason) => unknown = unknown.or(Some(reason)),
        }
    }
    unknown.map_or(Ok(false), Err)
}

/// One operator.
pub(super) fn holds(op: &Op, target: Target<'_>, context: Context<'_>) -> Outcome {
    match op {
        Op::Not(inner) => negated(all_hold(&inner.0, target, context), target),
        Op::AnyOf(alternatives) => some(alternatives.iter().map(|inner| all_hold(&inner.0, target, context))),
        Op::Any(inner) => some(elements(target)?.into_iter().map(|one| all_hold(&inner.0, Target::One(one), context))),
        Op::All(inner) => {
            let elements = elements(target)?;
            // Nothing is not a pass: all of nothing would hold whatever is expected.
            let nothing = elements.is_empty();
            every(elements.into_iter().map(|one| all_hold(&inner.0, Target::One(one), context)))
                .map(|all| all && !nothing)
        }
        Op::Count(ops) => {
            let count = Json::from(elements(target)?.len());
            all_hold(ops, Target::One(&count), context)
        }
        Op::Exists => single(target).map(|value| value.is_some()),
        Op::Missing => single(target).map(|value| value.is_none()),
        Op::NotNull => single(target).map(|value| value.is_some_and(|value| *value != Json::Null)),
        Op::Contains(data, wanted) => contains(&context.filled(data)?, *wanted, target),
        op => on_value(op, present(target)?, context),
    }
}

/// Not unknown is unknown. Nothing but `missing` holds on nothing, and no negation over what was cut.
fn negated(outcome: Outcome, target: Target<'_>) -> Outcome {
    match (outcome?, target) {
        (true, _) => Ok(false),
        (false, Target::Missing | Target::Many([])) => Err(missing()),
        (false, Target::Partial(reading)) => Err(reading.whole().err().unwrap_or_else(missing)),
        (false, _) => Ok(true),
    }
}

/// Operators over one value that is there.
fn on_value(op: &Op, value: &Json, context: Context<'_>) -> Outcome {
    match op {
        Op::Equals(data) => compared(value, &context.filled(data)?),
        Op::OneOf(items) => some(items.iter().map(|item| context.filled(item).and_then(|item| compared(value, &item)))),
        Op::Type(wanted) => is_type(value, *wanted),
        Op::StartsWith(data) => Ok(text(value)?.starts_with(&context.text(data)?)),
        Op::EndsWith(data) => Ok(text(value)?.ends_with(&context.text(data)?)),
        Op::Matches(pattern) => {
            let text = text(value)?;
            let pattern = RegexBuilder::new(pattern).size_limit(MAX_PATTERN).build();
            let pattern = pattern.map_err(|_| Unknown::new(Cause::Plan, "the pattern cannot be compiled"))?;
            Ok(pattern.is_match(text))
        }
        Op::Compare(comparison, data) => ordered(value, *comparison, &context.filled(data)?),
        Op::Length(ops) => all_hold(ops, Target::One(&length(value)?), context),
        Op::Schema(file) => schema::fault(value, file, context.files).map(|fault| fault.is_none()),
        op => Err(Unknown::new(Cause::Plan, format!("{} is not for one value", super::render::name(op)))),
    }
}

/// The value of a singular place, or nothing.
fn single(target: Target<'_>) -> Result<Option<&Json>, Unknown> {
    match target {
        Target::Missing => Ok(None),
        target => present(target).map(Some),
    }
}

/// The value of a singular place, which must be there.
fn present(target: Target<'_>) -> Result<&Json, Unknown> {
    match target {
        Target::One(value) | Target::Lines(value) => Ok(value),
        Target::Missing => Err(missing()),
        Target::Many(_) => Err(Unknown::new(Cause::Plan, "the path may name many values; any, all or count take them")),
        Target::Partial(reading) => Err(reading.whole().err().unwrap_or_else(missing)),
    }
}

/// The nodes of a plural path, or the elements of the list at a singular one.
pub(super) fn elements(target: Target<'_>) -> Result<Vec<&Json>, Unknown> {
    match target {
        Target::Many(nodes) => Ok(nodes.to_vec()),
        target => match present(target)? {
            Json::List(items) => Ok(items.iter().collect()),
            other => Err(wrong_type(other, "a list")),
        },
    }
}

fn contains(data: &Json, wanted: bool, target: Target<'_>) -> Outcome {
    let needle = || data.as_text().ok_or_else(|| wrong_operand(data));
    match (target, target_value(target)) {
        (Target::Partial(reading), _) => reading.contains(needle()?, wanted),
        (Target::Lines(_), Some(Json::List(lines))) => {
            let needle = needle()?;
            Ok(lines.iter().any(|line| line.as_text().is_some_and(|line| line.contains(needle))) == wanted)
        }
        (_, Some(Json::List(items))) => Ok(some(items.iter().map(|item| compared(item, data)))? == wanted),
        (_, Some(Json::Text(text))) => Ok(text.contains(needle()?) == wanted),
        (_, Some(Json::BrokenText(_))) => Err(broken()),
        (_, Some(other)) => Err(wrong_type(other, "a text or list")),
        (target, None) => present(target).and_then(|value| Err(wrong_type(value, "a text or list"))),
    }
}

const fn target_value(target: Target<'_>) -> Option<&Json> {
    match target {
        Target::One(value) | Target::Lines(value) => Some(value),
        _ => None,
    }
}

fn is_type(value: &Json, wanted: JsonType) -> Outcome {
    Ok(match (wanted, value) {
        (_, Json::BrokenText(_)) => return Err(broken()),
        (JsonType::Object, Json::Map(_))
        | (JsonType::Array, Json::List(_))
        | (JsonType::String, Json::Text(_))
        | (JsonType::Number, Json::Number(_))
        | (JsonType::Boolean, Json::Bool(_))
        | (JsonType::Null, Json::Null) => true,
        (JsonType::Integer, Json::Number(number)) => is_integer(number),
        _ => false,
    })
}

fn ordered(value: &Json, comparison: Comparison, data: &Json) -> Outcome {
    let Json::Number(seen) = value else { return Err(wrong_type(value, "a number")) };
    let Json::Number(wanted) = data else { return Err(wrong_operand(data)) };
    let order = number::compare(seen, wanted);
    Ok(match comparison {
        Comparison::Gt => order == Ordering::Greater,
        Comparison::Gte => order != Ordering::Less,
        Comparison::Lt => order == Ordering::Less,
        Comparison::Lte => order != Ordering::Greater,
    })
}

/// The length of a text in characters, of a list or map in elements.
pub(super) fn length(value: &Json) -> Result<Json, Unknown> {
    match value {
        Json::Text(text) => Ok(text.chars().count().into()),
        Json::List(items) => Ok(items.len().into()),
        Json::Map(map) if map.has_repeated_key() => {
            Err(Unknown::new(Cause::RepeatedKey, "a key stands twice in the map, so two readers count two lengths"))
        }
        Json::Map(map) => Ok(map.len().into()),
        Json::BrokenText(_) => Err(broken()),
        other => Err(wrong_type(other, "a text, list or map")),
    }
}

fn text(value: &Json) -> Result<&str, Unknown> {
    match value {
        Json::Text(text) => Ok(text),
        Json::BrokenText(_) => Err(broken()),
        other => Err(wrong_type(other, "a text")),
    }
}

fn missing() -> Unknown {
    Unknown::new(Cause::Missing, "nothing stands there")
}

fn wrong_type(value: &Json, wanted: &str) -> Unknown {
    Unknown::new(Cause::WrongType, format!("it is {}, not {wanted}", a(value)))
}

fn wrong_operand(data: &Json) -> Unknown {
    Unknown::new(Cause::Plan, format!("the operand is {}, which the operator does not take", a(data)))
}

fn a(value: &Json) -> String {
    match value {
        Json::Null => "null".to_owned(),
        value => format!("a {}", value.kind()),
    }
}
