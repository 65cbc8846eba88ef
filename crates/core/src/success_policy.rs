//! What counts as success for a requirement, over all its QA runs: the semantics `success_policy-eval/v1`
//! (specs/success-policy.md section 2, design.md section 9).
//!
//! A policy is read once ([`Policy::read`]). Under it each run is one small thing ([`Policy::see`]); those are counted
//! ([`State`]), counts of parts add up to counts of the whole, and one total function turns counts into an outcome
//! ([`conclude`]). So the order of runs cannot matter, and [`evaluate`] is nothing but these three steps. Waivers and
//! freshness are no outcomes: freshness chooses which runs are handed in.
//!
//! Beside version 1 stand four types that say how sure they are (`success_policy-statistics/v1`, spec section 6,
//! docs/decisions/0012-statistics.md). They are counted the same way; under `planned_runs` alone it matters when a run was
//! recorded, and counts by time add up as well.

mod chance;
mod detail;
mod import;
mod lint;
mod of_run;
mod origin;
mod outcome;
mod planned;
mod policy;
mod quick;
mod read;
mod row;
mod run;
mod see;
mod state;
mod statistics;
mod tables;
mod turn;

pub use chance::{Interval, at_half, interval};
pub use detail::{Looked, detail};
pub use import::{Dialect, Imported, NotImported, import};
pub use lint::{WIDEST, lint};
pub use of_run::{qa_run, raw_result_of, unproved};
pub use origin::{Given, Origin};
pub use outcome::{Outcome, Reason, conclude};
pub use planned::{Log, Planned, Series};
pub use policy::{Bound, Expected, Operator, Policy, Rule};
pub use read::{Invalid, MAX_BYTES};
pub use row::{Row, RowFault, Want};
pub use run::{Class, Fact, Facts, Run, Time};
pub use see::Seen;
pub use state::{Counts, State, Warning, warnings};
pub use statistics::{Level, Ratio, all_pass};
pub use tables::{Field, Form, Kind, PREFIX, RULE, SEMANTICS, STATISTICS, TYPES, Type};
pub use turn::{More, Turn, turns};

/// What runs come to under a policy. Total, and the same in every order of the runs.
#[must_use]
pub fn evaluate<'a>(policy: &Policy, runs: impl IntoIterator<Item = &'a Run>) -> Reason {
    conclude(policy, &State::of(policy, runs))
}

#[cfg(test)]
mod tests;
