//! A policy after it was read: everything in it is in range.

use std::cmp::Ordering;

use smol_str::SmolStr;

use super::statistics::{Level, Ratio};
use super::tables::{SEMANTICS, STATISTICS};
use crate::json::{Json, Number};
use crate::number;

/// A policy of one of the five types of version 1 (seed: success_policy; spec tables D, S, C, A), or of one of the four that
/// stand beside them (spec section 6).
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// `deterministic` by `criteria: verdict_pass`; also what an absent policy means (E1).
    VerdictPass,
    /// `deterministic` by the exact value of a check.
    Check {
        /// The key in `raw_result`, or `score`.
        name: SmolStr,
        /// The exact value.
        expected: Expected,
    },
    /// `threshold`
    Threshold {
        /// The key in `raw_result`, or `score`.
        metric: SmolStr,
        /// The boundary.
        threshold: Bound,
        /// How the value compares; `gte` where it is not said.
        operator: Option<Operator>,
    },
    /// `statistical`
    Statistical {
        /// Fewest runs that may be judged.
        min_runs: u64,
        /// Fraction that must pass, 0 to 1.
        min_pass_rate: Bound,
    },
    /// `composite`: at least one rule.
    Composite {
        /// All must hold of one run.
        rules: Vec<Rule>,
    },
    /// `agent_judgment`
    AgentJudgment {
        /// Confidence from which a pass counts, 0 to 1.
        confidence_pass: Bound,
        /// Chance of a pass up to which a fail counts, 0 to 1, at most `confidence_pass`.
        confidence_fail: Bound,
        /// Fewest runs that may be judged.
        min_runs: u64,
    },
    /// `wilson`: the lower end of an interval of the pass rate must reach a target.
    Wilson {
        /// Fewest runs that may be judged.
        min_runs: u64,
        /// The rate that the lower end must reach.
        target: Bound,
        /// How sure the interval is.
        level: Level,
    },
    /// `sprt`: a sequential probability ratio test.
    Sprt(Ratio),
    /// `pass_k`: how sure it is that so many tries in a row all pass.
    PassK {
        /// How many tries.
        k: u64,
        /// Fewest runs that may be judged; at least `k`.
        min_runs: u64,
        /// The chance that the lower end must reach.
        target: Bound,
        /// How sure the interval is.
        level: Level,
    },
    /// `planned_runs`: a part of exactly as many runs as were declared beforehand.
    PlannedRuns {
        /// How many runs a series has.
        planned: u64,
        /// Fraction that must pass, 0 to 1.
        min_pass_rate: Bound,
    },
}

/// A value that a check must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A number, compared by value.
    Number(Number),
    /// A text, compared code point by code point.
    Text(String),
    /// A truth value.
    Bool(bool),
}

/// A rule of a composite policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Rule {
    /// `metric` with `min`.
    Min(SmolStr, Bound),
    /// `metric` with `min_pct`, on a scale of 0 to 100 (C2).
    MinPct(SmolStr, Bound),
    /// `check`: the key must be there and true (C1).
    Check(SmolStr),
}

/// How a value compares with a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// At least.
    Gte,
    /// More than.
    Gt,
    /// At most.
    Lte,
    /// Less than.
    Lt,
    /// Exactly.
    Eq,
}

impl Operator {
    /// All, as tables write them.
    pub const ALL: [Self; 5] = [Self::Gte, Self::Gt, Self::Lte, Self::Lt, Self::Eq];
    /// Their words, in that order.
    pub const WORDS: [&'static str; 5] = ["gte", "gt", "lte", "lt", "eq"];

    /// As policies write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gte => "gte",
            Self::Gt => "gt",
            Self::Lte => "lte",
            Self::Lt => "lt",
            Self::Eq => "eq",
        }
    }

    /// As a sentence writes it.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Gte => ">=",
            Self::Gt => ">",
            Self::Lte => "<=",
            Self::Lt => "<",
            Self::Eq => "=",
        }
    }

    /// From the word of a policy; symbols and other cases are no words.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|operator| operator.as_str() == text)
    }

    /// Whether a value that compares so with the threshold meets it.
    #[must_use]
    pub const fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Gte => order.is_ge(),
            Self::Gt => order.is_gt(),
            Self::Lte => order.is_le(),
            Self::Lt => order.is_lt(),
            Self::Eq => order.is_eq(),
        }
    }
}

/// A finite number of a policy: its token, for exact comparison, and the double nearest to it, for the two formulas
/// that are defined in doubles (S2, A2).
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    number: Number,
    float: f64,
}

impl Bound {
    /// `None` where a double cannot hold it (E6).
    #[must_use]
    pub fn of(number: &Number) -> Option<Self> {
        let float = float(number)?;
        Some(Self { number: number.clone(), float })
    }

    /// The number.
    #[must_use]
    pub const fn number(&self) -> &Number {
        &self.number
    }

    /// The nearest double.
    #[must_use]
    pub const fn float(&self) -> f64 {
        self.float
    }

    /// How a value compares with this bound, by value and without rounding (L10).
    #[must_use]
    pub fn order(&self, value: &Number) -> Ordering {
        order(value, &self.number)
    }
}

/// The nearest double; `None` for a number that no double holds.
pub(super) fn float(number: &Number) -> Option<f64> {
    number.token().parse().ok().filter(|float: &f64| float.is_finite())
}

/// Exact order of two numbers. Of up to 15 digits without an exponent the nearest doubles keep it, and that is quicker.
pub(super) fn order(a: &Number, b: &Number) -> Ordering {
    let short = |number: &Number| number.token().len() <= 15 && !number.token().contains(['e', 'E']);
    let quick = || if short(a) && short(b) { float(a)?.partial_cmp(&float(b)?) } else { None };
    quick().unwrap_or_else(|| number::compare(a, b))
}

impl Policy {
    /// The name of its type.
    #[must_use]
    pub const fn type_name(&self) -> &'static str {
        match self {
            Self::VerdictPass | Self::Check { .. } => "deterministic",
            Self::Threshold { .. } => "threshold",
            Self::Statistical { .. } => "statistical",
            Self::Composite { .. } => "composite",
            Self::AgentJudgment { .. } => "agent_judgment",
            Self::Wilson { .. } => "wilson",
            Self::Sprt(_) => "sprt",
            Self::PassK { .. } => "pass_k",
            Self::PlannedRuns { .. } => "planned_runs",
        }
    }

    /// The name of the semantics that its outcome is worked out by.
    #[must_use]
    pub const fn semantics(&self) -> &'static str {
        if self.is_statistics() { STATISTICS } else { SEMANTICS }
    }

    /// Whether it is one of the types that stand beside version 1.
    #[must_use]
    pub const fn is_statistics(&self) -> bool {
        matches!(self, Self::Wilson { .. } | Self::Sprt(_) | Self::PassK { .. } | Self::PlannedRuns { .. })
    }

    /// Whether it matters when a run was recorded.
    #[must_use]
    pub const fn is_ordered(&self) -> bool {
        matches!(self, Self::PlannedRuns { .. })
    }

    /// The fewest runs that may be judged.
    #[must_use]
    pub const fn least(&self) -> u64 {
        match self {
            Self::VerdictPass
            | Self::Check { .. }
            | Self::Threshold { .. }
            | Self::Composite { .. }
            | Self::Sprt(_) => 1,
            Self::Statistical { min_runs, .. }
            | Self::AgentJudgment { min_runs, .. }
            | Self::Wilson { min_runs, .. }
            | Self::PassK { min_runs, .. } => *min_runs,
            Self::PlannedRuns { planned, .. } => *planned,
        }
    }

    /// Whether one run that holds is enough, so that more runs never take success away (D1).
    #[must_use]
    pub const fn is_existential(&self) -> bool {
        match self {
            Self::VerdictPass | Self::Check { .. } | Self::Threshold { .. } | Self::Composite { .. } => true,
            Self::Statistical { .. } | Self::AgentJudgment { .. } => false,
            Self::Wilson { .. } | Self::Sprt(_) | Self::PassK { .. } | Self::PlannedRuns { .. } => false,
        }
    }

    /// The operator of a threshold; the default is to meet or exceed.
    #[must_use]
    pub fn operator(operator: Option<Operator>) -> Operator {
        operator.unwrap_or(Operator::Gte)
    }

    /// Keys of `raw_result` that it looks at: nothing else of it matters.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        match self {
            Self::VerdictPass | Self::Statistical { .. } | Self::AgentJudgment { .. } => Vec::new(),
            Self::Wilson { .. } | Self::Sprt(_) | Self::PassK { .. } | Self::PlannedRuns { .. } => Vec::new(),
            Self::Check { name, .. } => vec![name],
            Self::Threshold { metric, .. } => vec![metric],
            Self::Composite { rules } => rules.iter().map(Rule::name).collect(),
        }
    }

    /// The policy as JSON, without notes under `x_`.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let mut pairs = vec![("type", Json::from(self.type_name()))];
        match self {
            Self::VerdictPass => pairs.push(("criteria", "verdict_pass".into())),
            Self::Check { name, expected } => {
                let value = match expected {
                    Expected::Number(number) => number.clone().into(),
                    Expected::Text(text) => text.into(),
                    Expected::Bool(b) => (*b).into(),
                };
                pairs.extend([("check", name.as_str().into()), ("expected", value)]);
            }
            Self::Threshold { metric, threshold, operator } => {
                pairs.extend([("metric", metric.as_str().into()), ("threshold", threshold.number().clone().into())]);
                pairs.extend(operator.map(|operator| ("operator", operator.as_str().into())));
            }
            Self::Statistical { min_runs, min_pass_rate } => {
                let rate = min_pass_rate.number().clone();
                pairs.extend([("min_runs", (*min_runs).into()), ("min_pass_rate", rate.into())]);
            }
            Self::Composite { rules } => pairs.push(("rules", Json::list(rules.iter().map(Rule::to_json)))),
            Self::AgentJudgment { confidence_pass, confidence_fail, min_runs } => pairs.extend([
                ("confidence_pass", confidence_pass.number().clone().into()),
                ("confidence_fail", confidence_fail.number().clone().into()),
                ("min_runs", (*min_runs).into()),
            ]),
            Self::Wilson { min_runs, target, level } => pairs.extend([
                ("min_runs", (*min_runs).into()),
                ("target", target.number().clone().into()),
                ("confidence", level.confidence().number().clone().into()),
            ]),
            Self::Sprt(Ratio { p0, p1, alpha, beta }) => {
                let fields = [("p0", p0), ("p1", p1), ("alpha", alpha), ("beta", beta)];
                pairs.extend(fields.map(|(name, bound)| (name, bound.number().clone().into())));
            }
            Self::PassK { k, min_runs, target, level } => pairs.extend([
                ("k", (*k).into()),
                ("min_runs", (*min_runs).into()),
                ("target", target.number().clone().into()),
                ("confidence", level.confidence().number().clone().into()),
            ]),
            Self::PlannedRuns { planned, min_pass_rate } => {
                let rate = min_pass_rate.number().clone();
                pairs.extend([("planned", (*planned).into()), ("min_pass_rate", rate.into())]);
            }
        }
        Json::map(pairs)
    }
}

impl Rule {
    /// The key that it looks at.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Min(name, _) | Self::MinPct(name, _) | Self::Check(name) => name,
        }
    }

    fn to_json(&self) -> Json {
        let bound = |name: &SmolStr, field: &'static str, bound: &Bound| {
            Json::map([("metric", Json::from(name.as_str())), (field, bound.number().clone().into())])
        };
        match self {
            Self::Min(name, min) => bound(name, "min", min),
            Self::MinPct(name, min) => bound(name, "min_pct", min),
            Self::Check(name) => Json::map([("check", name.as_str())]),
        }
    }
}
