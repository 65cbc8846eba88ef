//! The shortest change that would turn an outcome: how many runs more, and of which kind.

use super::chance::first;
use super::outcome::{Outcome, conclude, meets, settled};
use super::policy::Policy;
use super::state::State;

/// More runs than this are out of reach.
pub(super) const REACH: u64 = 1_000_000_000;

/// The fewest runs more that lead to another outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// To this outcome.
    pub to: Outcome,
    /// By these runs; `None` where no number of runs leads there.
    pub by: Option<More>,
}

/// Runs more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct More {
    /// So many must speak for the requirement.
    pub yes: u64,
    /// So many must speak against it.
    pub no: u64,
    /// So many only have to be judged, one way or the other. Where it matters when a run was recorded, these come first.
    pub any: u64,
}

impl More {
    /// How many runs there are in all.
    #[must_use]
    pub const fn runs(self) -> u64 {
        self.yes + self.no + self.any
    }
}

/// What would turn the outcome: for each other outcome that a policy can come to, satisfied first.
#[must_use]
pub fn turns(policy: &Policy, state: &State) -> Vec<Turn> {
    let now = conclude(policy, state).outcome();
    [Outcome::Satisfied, Outcome::Failed]
        .into_iter()
        .filter(|to| *to != now)
        .map(|to| Turn { to, by: if to == Outcome::Satisfied { satisfy(policy, state) } else { fail(policy, state) } })
        .collect()
}

fn satisfy(policy: &Policy, state: &State) -> Option<More> {
    let (yes, judged) = state.judged(policy);
    match policy {
        Policy::VerdictPass | Policy::Check { .. } | Policy::Threshold { .. } | Policy::Composite { .. } => {
            Some(More { yes: 1, ..More::default() })
        }
        Policy::Statistical { min_runs, min_pass_rate } => {
            let rate = min_pass_rate.float();
            let runs = first(min_runs.saturating_sub(judged), REACH, |k| meets(yes + k, judged + k, rate))?;
            // Where more runs are needed than passes, some of them may fail.
            let passes = first(0, runs, |k| meets(yes + k, judged + runs, rate))?;
            Some(More { yes: passes, no: 0, any: runs - passes })
        }
        Policy::Wilson { .. } | Policy::Sprt(_) | Policy::PassK { .. } => {
            let met = |yes: u64, runs: u64| settled(policy, (yes, runs - yes)) == Some(true);
            let runs = first(policy.least().saturating_sub(judged), REACH, |k| met(yes + k, judged + k))?;
            let passes = first(0, runs, |k| met(yes + k, judged + runs))?;
            Some(More { yes: passes, no: 0, any: runs - passes })
        }
        Policy::PlannedRuns { .. } => {
            let planned = state.planned(policy)?;
            let (yes, open) = planned.open();
            let left = planned.planned - open;
            let passes = planned.needed.saturating_sub(yes);
            // What the open series cannot reach any more the one after it can.
            if passes <= left {
                Some(More { yes: passes, no: 0, any: left - passes })
            } else {
                Some(More { yes: planned.needed, no: 0, any: left + planned.planned - planned.needed })
            }
        }
        Policy::AgentJudgment { min_runs, .. } => {
            let passes = u64::from(yes == 0);
            let runs = min_runs.saturating_sub(judged).max(passes);
            Some(More { yes: passes, no: 0, any: runs - passes })
        }
    }
}

fn fail(policy: &Policy, state: &State) -> Option<More> {
    let (yes, judged) = state.judged(policy);
    match policy {
        Policy::VerdictPass | Policy::Check { .. } | Policy::Threshold { .. } | Policy::Composite { .. } => {
            (yes == 0).then_some(More { no: 1, ..More::default() })
        }
        Policy::Statistical { min_runs, min_pass_rate } => {
            let rate = min_pass_rate.float();
            let runs = first(min_runs.saturating_sub(judged), REACH, |k| !meets(yes, judged + k, rate))?;
            let failures = first(0, runs, |k| !meets(yes + (runs - k), judged + runs, rate))?;
            Some(More { yes: 0, no: failures, any: runs - failures })
        }
        Policy::Wilson { .. } | Policy::Sprt(_) | Policy::PassK { .. } => {
            let missed = |yes: u64, no: u64| settled(policy, (yes, no)) == Some(false);
            let no = judged - yes;
            let runs = first(policy.least().saturating_sub(judged), REACH, |k| missed(yes, no + k))?;
            let failures = first(0, runs, |k| missed(yes + (runs - k), no + k))?;
            Some(More { yes: 0, no: failures, any: runs - failures })
        }
        Policy::PlannedRuns { .. } => {
            let planned = state.planned(policy)?;
            // A rate of nothing is always reached.
            let spare = planned.planned.checked_sub(planned.needed).filter(|_| planned.needed > 0)?;
            let (yes, open) = planned.open();
            let left = planned.planned - open;
            let failures = (spare + 1).saturating_sub(open - yes);
            if failures <= left {
                Some(More { yes: 0, no: failures, any: left - failures })
            } else {
                Some(More { yes: 0, no: spare + 1, any: left + planned.planned - (spare + 1) })
            }
        }
        // One look that is not a sure failure, and the judge will never have been sure of all.
        Policy::AgentJudgment { min_runs, .. } => {
            let open = yes == 0 && state.no() == judged;
            open.then(|| More { no: min_runs.saturating_sub(judged), ..More::default() })
        }
    }
}
