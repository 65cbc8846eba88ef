//! One result: expected and saw face each other.

use smol_str::{SmolStr, format_smolstr};

use super::hidden::depends;
use super::operands;
use super::operators::{Context, Target, elements, holds, length};
use super::render::{self, around, short, typed};
use super::{CheckResult, Outcome, Truth, Unknown, schema};
use crate::document::Place;
use crate::expect::{Channel, Op};
use crate::json::Json;
use crate::vars::variables;

/// What is known of a result before it is evaluated.
#[derive(Clone)]
pub(super) struct Leaf {
    pub(super) what: SmolStr,
    pub(super) channel: Option<Channel>,
    pub(super) path: Option<SmolStr>,
    pub(super) from: Option<SmolStr>,
}

impl Leaf {
    pub(super) fn new(what: impl Into<SmolStr>) -> Self {
        Self { what: what.into(), channel: None, path: None, from: None }
    }

    pub(super) fn of(channel: Channel, what: &str) -> Self {
        let prefix = match channel {
            Channel::Body => "",
            Channel::Stdout => "stdout ",
            Channel::Stderr => "stderr ",
            Channel::Log => "log ",
            Channel::Request => "request ",
        };
        Self { channel: Some(channel), ..Self::new(format_smolstr!("{prefix}{what}")) }
    }

    pub(super) fn from(self, operand: &Json) -> Self {
        Self { from: named(&variables(operand)), ..self }
    }

    pub(super) fn result(self, op: &str, expected: &str, saw: &str, outcome: Outcome) -> CheckResult {
        let (truth, unknown) = match outcome {
            Ok(holds) => (Truth::of(holds), None),
            Err(unknown) => (Truth::Unknown, Some(unknown)),
        };
        let (why, cause) = unknown.map_or((None, None), |unknown| (Some(unknown.why.into()), Some(unknown.cause)));
        CheckResult {
            what: self.what,
            op: op.into(),
            expected: short(&expected).into(),
            expected_from: self.from,
            saw: short(&saw).into(),
            truth,
            why,
            cause,
            channel: self.channel,
            path: self.path,
            alternative: None,
            hidden: false,
            check: 0,
            place: Place::default(),
        }
    }

    /// The result of one operator over one target.
    pub(super) fn operator(
        mut self,
        op: &Op,
        target: &Result<Target<'_>, Unknown>,
        context: Context<'_>,
    ) -> CheckResult {
        let mut names: Vec<&str> = Vec::new();
        op.each_operand(&mut |operand| names.extend(variables(operand)));
        names.dedup();
        self.from = named(&names);
        let filled = operands::filled(op, context);
        let name = render::name(op);
        match target {
            Err(unknown) => self.result(name, &render::operand(&filled), "nothing", Err(unknown.clone())),
            Ok(target) => {
                // The operator itself is evaluated as written: a filled operand is data and is not filled again.
                let outcome = holds(op, *target, context);
                let (expected, saw) = faced(&filled, *target, &outcome, context);
                let hidden = depends(&filled, *target, outcome == Ok(true));
                CheckResult { hidden, ..self.result(name, &expected, &saw, outcome) }
            }
        }
    }
}

fn named(names: &[&str]) -> Option<SmolStr> {
    (!names.is_empty()).then(|| names.join(", ").into())
}

/// What was expected and what was seen, in the same terms.
fn faced(op: &Op, target: Target<'_>, outcome: &Outcome, context: Context<'_>) -> (String, String) {
    let expected = render::operand(op);
    let value = match target {
        Target::Missing => return (expected, "nothing".to_owned()),
        Target::Partial(reading) => return (expected, around(&reading.shown(), 0)),
        Target::Many(nodes) => {
            let saw = if matches!(op, Op::Count(_)) { nodes.len().to_string() } else { render::values(nodes) };
            return (expected, saw);
        }
        Target::One(value) | Target::Lines(value) => value,
    };
    let saw = match op {
        Op::Equals(data) if outcome.is_ok() && data.kind() != value.kind() => return (typed(data), typed(value)),
        Op::OneOf(items) if outcome.is_ok() && items.iter().all(|item| item.kind() != value.kind()) => typed(value),
        Op::Type(_) | Op::Compare(..) | Op::StartsWith(_) | Op::EndsWith(_) | Op::Matches(_) => of_kind(value, outcome),
        Op::Contains(Json::Text(needle), _) => match value {
            Json::Text(text) => around(text, text.find(needle.as_str()).unwrap_or(0)),
            other => of_kind(other, outcome),
        },
        Op::Length(_) => length(value).map_or_else(|_| typed(value), |length| length.to_string()),
        Op::Count(_) => elements(target).map_or_else(|_| typed(value), |elements| elements.len().to_string()),
        Op::Any(_) | Op::All(_) => elements(target).map_or_else(|_| typed(value), |elements| render::values(&elements)),
        Op::Schema(file) if *outcome == Ok(false) => {
            schema::fault(value, file, context.files).ok().flatten().unwrap_or_default()
        }
        _ => short(value),
    };
    (expected, saw)
}

/// A value, with its type where that is what is wrong or asked.
fn of_kind(value: &Json, outcome: &Outcome) -> String {
    if matches!(outcome, Ok(true)) { short(value) } else { typed(value) }
}
