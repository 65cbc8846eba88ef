//! One run under a policy, in words: each value that was looked at, with its bound.

use super::policy::{Bound, Expected, Operator, Policy, Rule};
use super::run::{Class, Fact, Run};
use super::see::{Value, check, meets, metric_of, value_of};
use crate::inert::shortened;
use crate::json::{Json, Number};
use crate::verdict::QaVerdict;

/// A value that a policy looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Looked {
    /// What: `verdict`, `confidence`, a key of the raw result.
    pub what: String,
    /// The value; `None` where it is missing.
    pub value: Option<String>,
    /// What it must be: `= 0`, `>= 3.5`.
    pub bound: String,
    /// Whether it is; `None` where that cannot be told.
    pub holds: Option<bool>,
}

/// Everything that a policy looked at in a run. What comes of it is [`Policy::see`]'s to say.
#[must_use]
pub fn detail(policy: &Policy, run: &Run) -> Vec<Looked> {
    let holds = policy.see(run).holds;
    match policy {
        Policy::VerdictPass
        | Policy::Statistical { .. }
        | Policy::Wilson { .. }
        | Policy::Sprt(_)
        | Policy::PassK { .. }
        | Policy::PlannedRuns { .. } => vec![Looked {
            what: "verdict".to_owned(),
            value: Some(run.class.as_str().to_owned()),
            bound: "= pass".to_owned(),
            holds,
        }],
        Policy::Check { name, expected } => vec![Looked {
            what: name.to_string(),
            value: value_of(run, name).map(drawn),
            bound: format!("= {}", wanted(expected)),
            holds: check(run, name, expected),
        }],
        Policy::Threshold { metric, threshold, operator } => {
            let operator = Policy::operator(*operator);
            vec![Looked {
                what: metric.to_string(),
                value: value_of(run, metric).map(drawn),
                bound: at(operator, threshold),
                holds: meets(metric_of(run, metric), threshold, operator),
            }]
        }
        Policy::Composite { rules } => rules.iter().map(|one| rule(one, run)).collect(),
        Policy::AgentJudgment { confidence_pass, confidence_fail, .. } => {
            let bound = match run.class {
                Class::Known(QaVerdict::Pass) => at(Operator::Gte, confidence_pass),
                Class::Known(QaVerdict::Fail) => format!(">= 1 - {}", confidence_fail.number().token()),
                _ => "of a pass or a fail".to_owned(),
            };
            let value = run.confidence.as_ref().map(token);
            let sure = matches!(run.class, Class::Known(QaVerdict::Pass | QaVerdict::Fail));
            vec![Looked { what: "confidence".to_owned(), value, bound, holds: sure.then_some(holds.is_some()) }]
        }
    }
}

fn rule(rule: &Rule, run: &Run) -> Looked {
    let bound = match rule {
        Rule::Min(_, bound) | Rule::MinPct(_, bound) => at(Operator::Gte, bound),
        Rule::Check(_) => "= true".to_owned(),
    };
    let value = run.facts.get(rule.name()).map(|fact| match fact {
        Fact::Number(number) => token(number),
        Fact::Bool(b) => b.to_string(),
        Fact::Text(text) => quoted(text),
        Fact::Other => OTHER.to_owned(),
    });
    Looked { what: rule.name().to_owned(), value, bound, holds: rule.holds(run) }
}

fn at(operator: Operator, bound: &Bound) -> String {
    format!("{} {}", operator.sign(), token(bound.number()))
}

const OTHER: &str = "a list or a map";

fn drawn(value: Value<'_>) -> String {
    match value {
        Value::Number(number) => token(number),
        Value::Bool(b) => b.to_string(),
        Value::Text(text) => quoted(text),
        Value::Other => OTHER.to_owned(),
    }
}

fn wanted(expected: &Expected) -> String {
    match expected {
        Expected::Number(number) => token(number),
        Expected::Bool(b) => b.to_string(),
        Expected::Text(text) => quoted(text),
    }
}

fn token(number: &Number) -> String {
    shortened(number.token(), 40).into_owned()
}

fn quoted(text: &str) -> String {
    Json::from(shortened(text, 60).as_ref()).to_string()
}
