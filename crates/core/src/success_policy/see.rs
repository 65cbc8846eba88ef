//! One run under a policy: the few bits that are counted.

use std::cmp::Ordering;

use super::policy::{Bound, Expected, Operator, Policy, Rule, order};
use super::run::{Class, Fact, Run, Time};
use crate::json::Number;
use crate::verdict::QaVerdict;

/// What one run is under one policy. Two words: it can be kept for each run, and counted again at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// What its verdict column says.
    pub class: Class,
    /// Whether it speaks for the requirement or against it. For one of the single-run types: it was measured, and the
    /// result is or is not what the policy asks for. `statistical` and the types beside version 1: it passed, or failed or
    /// ended in an error; under `planned_runs` an undetermined run speaks against it as well.
    /// `agent_judgment`: the judge is sure of a pass, or of a failure. `None`: neither.
    pub holds: Option<bool>,
    /// Its score column differs from the score of its raw result (L3).
    pub scores_differ: bool,
    /// When it was recorded.
    pub at: Option<Time>,
    /// Whether it matters when it was.
    pub ordered: bool,
}

impl Policy {
    /// Looks at one run.
    #[must_use]
    pub fn see(&self, run: &Run) -> Seen {
        let (holds, scores_differ) = match self {
            Self::VerdictPass => (run.class.is_measured().then(|| run.class == Class::Known(QaVerdict::Pass)), false),
            Self::Check { name, expected } => (measured(run, |run| check(run, name, expected)), differ(run, name)),
            Self::Threshold { metric, threshold, operator } => {
                let operator = Self::operator(*operator);
                (measured(run, |run| meets(metric_of(run, metric), threshold, operator)), differ(run, metric))
            }
            Self::Composite { rules } => (measured(run, |run| all(rules.iter().map(|rule| rule.holds(run)))), false),
            Self::Statistical { .. } | Self::Wilson { .. } | Self::Sprt(_) | Self::PassK { .. } => {
                (passed(run.class), false)
            }
            // Every run that is completed takes a place that was planned: what did not pass can not be tried again unseen.
            Self::PlannedRuns { .. } => (run.class.verdict().map(|verdict| verdict == QaVerdict::Pass), false),
            Self::AgentJudgment { confidence_pass, confidence_fail, .. } => {
                (sure(run, confidence_pass, confidence_fail), false)
            }
        };
        Seen { class: run.class, holds, scores_differ, at: run.at, ordered: self.is_ordered() }
    }
}

fn measured(run: &Run, look: impl Fn(&Run) -> Option<bool>) -> Option<bool> {
    if run.class.is_measured() { look(run) } else { None }
}

/// Where a name is `score`, the column counts before the raw result (L2).
pub(super) fn value_of<'a>(run: &'a Run, name: &str) -> Option<Value<'a>> {
    match &run.score {
        Some(score) if name == SCORE => Some(Value::Number(score)),
        _ => run.facts.get(name).map(Value::of),
    }
}

const SCORE: &str = "score";

/// A value that a policy looks at.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'a> {
    Number(&'a Number),
    Bool(bool),
    Text(&'a str),
    Other,
}

impl<'a> Value<'a> {
    fn of(fact: &'a Fact) -> Self {
        match fact {
            Fact::Number(number) => Self::Number(number),
            Fact::Bool(b) => Self::Bool(*b),
            Fact::Text(text) => Self::Text(text),
            Fact::Other => Self::Other,
        }
    }
}

/// The typed equality of a check: what is missing is not measured, and another type is not equal (spec 2.4).
pub(super) fn check(run: &Run, name: &str, expected: &Expected) -> Option<bool> {
    Some(match (value_of(run, name)?, expected) {
        (Value::Number(value), Expected::Number(wanted)) => order(value, wanted) == Ordering::Equal,
        (Value::Bool(value), Expected::Bool(wanted)) => value == *wanted,
        (Value::Text(value), Expected::Text(wanted)) => value == wanted,
        _ => false,
    })
}

pub(super) fn metric_of<'a>(run: &'a Run, name: &str) -> Option<&'a Number> {
    match value_of(run, name) {
        Some(Value::Number(number)) => Some(number),
        _ => None,
    }
}

/// What is no number cannot be compared (spec 2.5).
pub(super) fn meets(value: Option<&Number>, bound: &Bound, operator: Operator) -> Option<bool> {
    value.map(|value| operator.holds(bound.order(value)))
}

impl Rule {
    /// Whether the rule holds of a run; the raw result alone is asked (L5).
    pub(super) fn holds(&self, run: &Run) -> Option<bool> {
        match (self, run.facts.get(self.name())) {
            (Self::Min(_, bound) | Self::MinPct(_, bound), Some(Fact::Number(value))) => {
                meets(Some(value), bound, Operator::Gte)
            }
            (Self::Check(_), Some(Fact::Bool(b))) => Some(*b),
            _ => None,
        }
    }
}

/// Kleene's conjunction: a known failure is a failure even where other data is absent (C3).
fn all(rules: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut all = Some(true);
    for rule in rules {
        match rule {
            Some(false) => return Some(false),
            None => all = None,
            Some(true) => {}
        }
    }
    all
}

const fn passed(class: Class) -> Option<bool> {
    match class.verdict() {
        Some(QaVerdict::Pass) => Some(true),
        Some(QaVerdict::Fail | QaVerdict::Error) => Some(false),
        Some(QaVerdict::Undetermined) | None => None,
    }
}

/// Whether a judge is sure. A fail counts from `1 - confidence_fail` on, added up in doubles: that form alone is right for
/// every pair of short decimals that make one (A2).
fn sure(run: &Run, pass: &Bound, fail: &Bound) -> Option<bool> {
    let confidence = run.confidence.as_ref().and_then(Bound::of).filter(is_unit)?;
    match run.class {
        Class::Known(QaVerdict::Pass) => pass.order(confidence.number()).is_ge().then_some(true),
        Class::Known(QaVerdict::Fail) => (confidence.float() + fail.float() >= 1.0).then_some(false),
        Class::Known(QaVerdict::Undetermined | QaVerdict::Error) | Class::Pending | Class::Unknown => None,
    }
}

/// Whether a confidence lies from 0 to 1: what lies outside is never sure (A6).
fn is_unit(confidence: &Bound) -> bool {
    let float = confidence.float();
    // What rounds to one of the ends may lie beyond it.
    let exact = |token: &str| Number::parse(token).map(|end| order(confidence.number(), &end));
    (float > 0.0 && float < 1.0) || (exact("0").is_some_and(Ordering::is_ge) && exact("1").is_some_and(Ordering::is_le))
}

fn differ(run: &Run, name: &str) -> bool {
    if name != SCORE {
        return false;
    }
    match (&run.score, run.facts.get(name)) {
        (Some(score), Some(Fact::Number(other))) => order(score, other) != Ordering::Equal,
        (Some(_), Some(_)) => true,
        _ => false,
    }
}
