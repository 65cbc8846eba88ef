//! What a check can bear, as far as the plan alone tells.

use super::index::variables;
use super::provenance::{Provenance, provenance};
use super::vacuous::{op_is_vacuous, size_is_vacuous};
use crate::expect::{Channel, Expect, Op, What};
use crate::json::Json;
use crate::path::Path;
use crate::plan::{ObligationKind, Scenario, Step};

/// What a check bears, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bearing {
    /// Nothing: it cannot fail for the answer's sake, or looks at the request.
    Nothing,
    /// A criterion that is about the status or exit code.
    Status,
    /// An absence, beside a positive control.
    Absence,
    /// Nothing, although it looks at the answer: it expects what the step itself sent.
    Echo,
    /// A test.
    Substance,
}

/// What a check of a step bears.
pub(super) fn bearing(what: &What, step: &Step, scenario: &Scenario) -> Bearing {
    let of_expect = |expect: &Expect| of_expect(expect, step, scenario);
    let of_pairs =
        |pairs: &[(Path, Expect)]| pairs.iter().map(|(_, expect)| of_expect(expect)).max().unwrap_or(Bearing::Nothing);
    match what {
        What::Status(_) | What::Exit(_) => Bearing::Status,
        What::Time(_) | What::HttpVersion(_) => Bearing::Nothing,
        What::Json(Channel::Request, _)
        | What::JsonAny(Channel::Request, _)
        | What::Contains(Channel::Request, ..)
        | What::Text(Channel::Request, _)
        | What::Schema(Channel::Request, _) => Bearing::Nothing,
        What::Header(_, expect) | What::Text(_, expect) => of_expect(expect),
        What::Json(_, pairs) => of_pairs(pairs),
        What::JsonAny(_, branches) => branches.iter().map(|pairs| of_pairs(pairs)).min().unwrap_or(Bearing::Nothing),
        What::Contains(_, _, false) => Bearing::Absence,
        What::Contains(_, items, true) => {
            let full = items.iter().filter(|item| item.as_text() != Some(""));
            full.map(|item| of_operands(&[item], step, scenario)).max().unwrap_or(Bearing::Nothing)
        }
        What::Redirect(value) => of_operands(&[value], step, scenario),
        What::Size(ops) if size_is_vacuous(ops) => Bearing::Nothing,
        What::Size(_) | What::Schema(..) => Bearing::Substance,
    }
}

fn of_expect(expect: &Expect, step: &Step, scenario: &Scenario) -> Bearing {
    expect.0.iter().map(|op| of_op(op, step, scenario)).max().unwrap_or(Bearing::Nothing)
}

fn of_op(op: &Op, step: &Step, scenario: &Scenario) -> Bearing {
    if op_is_vacuous(op) {
        return Bearing::Nothing;
    }
    match op {
        Op::Missing => Bearing::Absence,
        Op::AnyOf(branches) => {
            branches.iter().map(|branch| of_expect(branch, step, scenario)).min().unwrap_or(Bearing::Nothing)
        }
        Op::Any(inner) | Op::All(inner) => of_expect(inner, step, scenario).max(Bearing::Echo),
        _ => of_operands(&op.operands(), step, scenario),
    }
}

/// An operand that refers to variables of the step's own input alone is an echo.
fn of_operands(operands: &[&Json], step: &Step, scenario: &Scenario) -> Bearing {
    let names = variables(operands.iter().copied());
    let echo = !names.is_empty() && names.iter().all(|name| provenance(step, scenario, &[], name) == Provenance::Echo);
    if echo { Bearing::Echo } else { Bearing::Substance }
}

/// Whether a step can hold a test up: by a check with substance, by an absence that it declares, or by an
/// obligation that looks at received data itself.
pub(super) fn supports(step: &Step, scenario: &Scenario) -> bool {
    let declares = |kind| step.obligations.iter().any(|obligation| obligation.kind == kind);
    let bears = |least| step.checks.iter().any(|check| bearing(&check.what, step, scenario) == least);
    bears(Bearing::Substance)
        || declares(ObligationKind::Marker)
        || declares(ObligationKind::Terminal)
        || (declares(ObligationKind::Absence) && step.checks.iter().any(|check| looks_for_absence(&check.what)))
}

/// Whether a check would notice that something is there which should not be.
pub(crate) fn looks_for_absence(what: &What) -> bool {
    match what {
        What::Status(codes) => codes.iter().all(|code| matches!(code, 404 | 410)) && !codes.is_empty(),
        What::Contains(Channel::Request, ..) | What::Exit(_) => false,
        What::Contains(_, _, found) => !found,
        What::Header(_, expect) | What::Text(_, expect) => expect_absence(expect),
        What::Json(Channel::Request, _) | What::JsonAny(Channel::Request, _) => false,
        What::Json(_, pairs) => pairs.iter().any(|(_, expect)| expect_absence(expect)),
        What::JsonAny(_, branches) => {
            !branches.is_empty() && branches.iter().all(|pairs| pairs.iter().any(|(_, expect)| expect_absence(expect)))
        }
        What::Size(_) | What::Time(_) | What::Redirect(_) | What::HttpVersion(_) | What::Schema(..) => false,
    }
}

fn expect_absence(expect: &Expect) -> bool {
    let zero = |ops: &[Op]| ops.iter().any(|op| matches!(op, Op::Equals(Json::Number(n)) if n.as_i64() == Some(0)));
    expect.0.iter().any(|op| match op {
        Op::Missing | Op::Not(_) | Op::Contains(_, false) => true,
        Op::Count(ops) | Op::Length(ops) => zero(ops),
        Op::Equals(value) => match value {
            Json::Null | Json::Bool(false) => true,
            Json::List(items) => items.is_empty(),
            Json::Map(map) => map.is_empty(),
            Json::Number(number) => number.as_i64() == Some(0),
            Json::Bool(true) | Json::Text(_) | Json::BrokenText(_) => false,
        },
        Op::All(inner) | Op::Any(inner) => expect_absence(inner),
        Op::AnyOf(branches) => !branches.is_empty() && branches.iter().all(expect_absence),
        _ => false,
    })
}
