//! Expectations that every answer meets, as far as the plan alone tells (plan.md "Vacuity", threats.md A3). The
//! derivation tries what remains on mutants of the answer.

use regex::Regex;

use super::findings::{At, Findings};
use super::index::{Index, is_mapped};
use crate::codes::Code;
use crate::expect::{Comparison, Expect, JsonType, Op, What};
use crate::json::Json;
use crate::path::{Path, PathSteps};
use crate::plan::{Action, Step};
use crate::vars::is_literal;

/// `oracle_vacuous` on every step that belongs to a test; set-up and cleanup bear nothing.
pub(super) fn check(index: &Index<'_>, found: &mut Findings) {
    for at in index.steps.iter().filter(|at| is_mapped(at.step)) {
        for check in &at.step.checks {
            for message in reasons(&check.what, at.step) {
                found.error(Code::OracleVacuous, At::from((at.step, check)), message);
            }
        }
    }
}

/// Whether an expectation holds for every value that may stand at its place.
#[must_use]
pub fn is_vacuous(expect: &Expect) -> bool {
    expect.0.iter().all(op_is_vacuous)
}

fn reasons(what: &What, step: &Step) -> Vec<String> {
    let one = |vacuous: bool, message: &str| if vacuous { vec![message.to_owned()] } else { Vec::new() };
    match what {
        What::Status(codes) => one(covers_statuses(codes), "status accepts success, refusal and crash alike"),
        What::Exit(codes) => one(covers_exits(codes), "exit accepts success and failure alike"),
        What::Header(name, expect) => one(is_vacuous(expect), &format!("any value of header {name} meets this")),
        What::Text(_, expect) => one(is_vacuous(expect), "any text meets this"),
        What::Json(_, pairs) => pairs
            .iter()
            .filter(|(path, expect)| pair_is_vacuous(path, expect))
            .map(|(path, _)| format!("any answer meets what is expected at {}", path.text))
            .collect(),
        What::JsonAny(_, branches) => branches
            .iter()
            .enumerate()
            .filter(|(_, pairs)| pairs.iter().all(|(path, expect)| pair_is_vacuous(path, expect)))
            .map(|(i, _)| format!("any answer meets alternative {} of jsonAny", i + 1))
            .collect(),
        What::Contains(_, items, true) => {
            one(items.iter().any(|item| item.as_text() == Some("")), "every text contains the empty text")
        }
        What::Contains(_, _, false) => Vec::new(),
        What::Size(ops) => one(size_is_vacuous(ops), "any size meets this"),
        What::Time(ms) => {
            let limit = time_limit(step);
            one(*ms >= limit, &format!("time allows {ms} ms, and the step is given up after {limit} ms anyway"))
        }
        What::Redirect(_) | What::HttpVersion(_) | What::Schema(..) => Vec::new(),
    }
}

fn time_limit(step: &Step) -> u64 {
    match &step.action {
        Action::Http(http) => http.poll.map_or(step.timeout_ms, |poll| poll.for_ms.max(step.timeout_ms)),
        Action::Command(_) | Action::Log(_) => step.timeout_ms,
    }
}

fn covers_statuses(codes: &[u16]) -> bool {
    let class = |n: u16| codes.iter().any(|code| code / 100 == n);
    codes.is_empty() || (class(2) && class(4) && class(5))
}

fn covers_exits(codes: &[i32]) -> bool {
    codes.is_empty() || [0, 1, 2].iter().all(|code| codes.contains(code))
}

fn pair_is_vacuous(path: &Path, expect: &Expect) -> bool {
    let root = matches!(&path.steps, PathSteps::Names(names) if names.is_empty()) || path.text == "$";
    let counts = last_name(path).is_some_and(|name| {
        let name = name.to_ascii_lowercase();
        ["count", "length", "size"].iter().any(|word| name.ends_with(word))
    });
    expect.0.iter().all(|op| {
        op_is_vacuous(op)
            || (root && matches!(op, Op::Exists | Op::NotNull))
            || (counts && counts_anything(std::slice::from_ref(op)))
    })
}

fn last_name(path: &Path) -> Option<&str> {
    match &path.steps {
        PathSteps::Names(names) => names.last().map(String::as_str),
        PathSteps::Query { .. } => None,
    }
}

/// Whether an operator holds for every value.
pub(super) fn op_is_vacuous(op: &Op) -> bool {
    match op {
        Op::Matches(pattern) => matches_anything(pattern),
        Op::Contains(value, true) | Op::StartsWith(value) | Op::EndsWith(value) => value.as_text() == Some(""),
        Op::OneOf(values) => [true, false].iter().all(|b| values.contains(&Json::Bool(*b))),
        Op::AnyOf(branches) => branches.iter().any(is_vacuous) || all_types(branches),
        Op::Not(inner) => is_impossible(inner),
        Op::Length(ops) | Op::Count(ops) => counts_anything(ops),
        Op::Equals(_)
        | Op::Contains(_, false)
        | Op::Type(_)
        | Op::Compare(..)
        | Op::Schema(_)
        | Op::Exists
        | Op::Missing
        | Op::NotNull
        | Op::Any(_)
        | Op::All(_) => false,
    }
}

/// Whether every size of a body meets the operators.
pub(super) fn size_is_vacuous(ops: &[Op]) -> bool {
    counts_anything(ops)
}

/// Whether every number from 0 on meets the operators.
fn counts_anything(ops: &[Op]) -> bool {
    ops.iter().all(|op| match op {
        Op::Compare(Comparison::Gte, value) => number(value).is_some_and(|n| n <= 0.0),
        Op::Compare(Comparison::Gt, value) => number(value).is_some_and(|n| n < 0.0),
        _ => false,
    })
}

/// A number near enough to compare with zero; never used to judge an answer.
fn number(value: &Json) -> Option<f64> {
    match value {
        Json::Number(number) => number.token().parse().ok(),
        _ => None,
    }
}

/// A pattern that accepts the empty text, or each of several texts that have nothing in common.
fn matches_anything(pattern: &str) -> bool {
    const SAMPLES: [&str; 6] = ["a", "0", " ", "Ω", "{\"error\":true}", "-_-"];
    Regex::new(pattern).is_ok_and(|regex| regex.is_match("") || SAMPLES.iter().all(|text| regex.is_match(text)))
}

fn all_types(branches: &[Expect]) -> bool {
    let has = |wanted: JsonType| branches.iter().any(|b| matches!(b.0.as_slice(), [Op::Type(t)] if *t == wanted));
    use JsonType::{Array, Boolean, Null, Number, Object, String};
    [Object, Array, String, Number, Boolean].into_iter().all(has)
        && (has(Null) || branches.iter().any(|b| matches!(b.0.as_slice(), [Op::Exists | Op::NotNull])))
}

/// Whether no value can meet an expectation, where that is plain: then its negation always holds.
fn is_impossible(expect: &Expect) -> bool {
    let equals: Vec<&Json> =
        expect.0.iter().filter_map(|op| if let Op::Equals(value) = op { Some(value) } else { None }).collect();
    let apart = equals.windows(2).any(|pair| {
        pair[0].kind() != pair[1].kind()
            || (pair[0].kind() == "text" && pair[0] != pair[1] && is_literal(pair[0]) && is_literal(pair[1]))
    });
    let missing = expect.0.contains(&Op::Missing);
    let there = expect.0.iter().any(|op| matches!(op, Op::Exists | Op::NotNull | Op::Equals(_) | Op::Type(_)));
    let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
    for op in &expect.0 {
        match op {
            Op::Compare(Comparison::Gt | Comparison::Gte, value) => low = low.max(number(value).unwrap_or(low)),
            Op::Compare(Comparison::Lt | Comparison::Lte, value) => high = high.min(number(value).unwrap_or(high)),
            _ => {}
        }
    }
    let empty = expect.0.iter().any(|op| match op {
        Op::OneOf(values) => values.is_empty(),
        Op::AnyOf(branches) => branches.iter().all(is_impossible),
        Op::Not(inner) => is_vacuous(inner),
        _ => false,
    });
    apart || (missing && there) || low > high || empty
}
