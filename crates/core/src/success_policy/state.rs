//! What is counted of runs: sums and latest times, so that parts add up to the whole in any order (spec section 7).

use super::outcome::{Outcome, Reason, conclude};
use super::planned::{Log, Planned};
use super::policy::Policy;
use super::run::{Class, Run, Time};
use super::see::Seen;
use super::{Interval, interval};
use crate::codes::Code;
use crate::qa::Sums;
use crate::verdict::QaVerdict;

/// Counts of runs under one policy. Adding runs one by one, or merging counts of parts, comes to the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    counts: Counts,
    /// Runs that speak for the requirement; see [`Seen::holds`].
    pub(super) yes: u64,
    /// Runs that speak against it.
    pub(super) no: u64,
    contradictions: u64,
    scores_differ: u64,
    newest_yes: Option<Time>,
    newest_no: Option<Time>,
    /// Runs by time, under a policy that asks for it.
    log: Log,
}

/// Runs by what their verdict says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// `pass`
    pub pass: u64,
    /// `fail`
    pub fail: u64,
    /// `undetermined`
    pub undetermined: u64,
    /// `error`, and every text that is no verdict.
    pub error: u64,
    /// Of the errors, those whose text is no verdict.
    pub unknown: u64,
    /// Without a verdict yet.
    pub pending: u64,
}

impl State {
    /// Counts of runs.
    #[must_use]
    pub fn of<'a>(policy: &Policy, runs: impl IntoIterator<Item = &'a Run>) -> Self {
        let mut state = Self::default();
        runs.into_iter().for_each(|run| state.add(policy.see(run)));
        state
    }

    /// Adds one run. A run is added once, when it is completed; a pending one changes nothing that counts.
    pub fn add(&mut self, seen: Seen) {
        let counts = &mut self.counts;
        match seen.class {
            Class::Pending => counts.pending += 1,
            Class::Known(QaVerdict::Pass) => counts.pass += 1,
            Class::Known(QaVerdict::Fail) => counts.fail += 1,
            Class::Known(QaVerdict::Undetermined) => counts.undetermined += 1,
            Class::Known(QaVerdict::Error) => counts.error += 1,
            Class::Unknown => {
                counts.error += 1;
                counts.unknown += 1;
            }
        }
        self.scores_differ += u64::from(seen.scores_differ);
        if let Some(yes) = seen.holds.filter(|_| seen.ordered) {
            self.log.add(seen.at, yes);
        }
        match seen.holds {
            Some(true) => {
                self.yes += 1;
                self.contradictions += u64::from(seen.class == Class::Known(QaVerdict::Fail));
                self.newest_yes = self.newest_yes.max(seen.at);
            }
            Some(false) => {
                self.no += 1;
                self.newest_no = self.newest_no.max(seen.at);
            }
            None => {}
        }
    }

    /// Adds the counts of other runs under the same policy.
    pub fn merge(&mut self, other: &Self) {
        let (mine, others) = (&mut self.counts, &other.counts);
        mine.pass += others.pass;
        mine.fail += others.fail;
        mine.undetermined += others.undetermined;
        mine.error += others.error;
        mine.unknown += others.unknown;
        mine.pending += others.pending;
        self.yes += other.yes;
        self.no += other.no;
        self.contradictions += other.contradictions;
        self.scores_differ += other.scores_differ;
        self.newest_yes = self.newest_yes.max(other.newest_yes);
        self.newest_no = self.newest_no.max(other.newest_no);
        self.log.merge(&other.log);
    }

    /// Runs by verdict.
    #[must_use]
    pub const fn counts(&self) -> Counts {
        self.counts
    }

    /// Runs that speak for the requirement.
    #[must_use]
    pub const fn yes(&self) -> u64 {
        self.yes
    }

    /// Runs that speak against it.
    #[must_use]
    pub const fn no(&self) -> u64 {
        self.no
    }

    /// Runs that have a verdict.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.looks() + self.counts.error
    }

    /// Runs that a judge looked at: all completed ones but errors (A3).
    #[must_use]
    pub const fn looks(&self) -> u64 {
        self.counts.pass + self.counts.fail + self.counts.undetermined
    }

    /// All runs.
    #[must_use]
    pub const fn runs(&self) -> u64 {
        self.completed() + self.counts.pending
    }

    /// The runs that fill `min_runs`, and how many of them speak for the requirement.
    #[must_use]
    pub const fn judged(&self, policy: &Policy) -> (u64, u64) {
        match policy {
            Policy::AgentJudgment { .. } => (self.yes, self.looks()),
            _ => (self.yes, self.yes + self.no),
        }
    }

    /// The series of planned runs. `None` under another policy, and where nobody can tell which runs came first.
    #[must_use]
    pub fn planned(&self, policy: &Policy) -> Option<Planned> {
        match policy {
            Policy::PlannedRuns { planned, min_pass_rate } => Planned::of(&self.log, *planned, min_pass_rate),
            _ => None,
        }
    }

    /// Whether a run that speaks against the requirement is newer than every one that speaks for it (D4).
    #[must_use]
    pub fn is_contradicted(&self) -> bool {
        self.newest_yes.is_some() && self.newest_no > self.newest_yes
    }
}

impl State {
    /// The counts as a row of the index.
    #[must_use]
    pub fn sums(&self) -> Sums {
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let Counts { pass, fail, undetermined, error, .. } = self.counts;
        let counts = [pass, fail, undetermined, error, self.yes, self.no, self.contradictions, self.scores_differ];
        let newest = [self.newest_yes, self.newest_no].map(|at| at.map_or(0, |at| whole(at.order())));
        Sums { counts: counts.map(whole), newest }
    }

    /// The counts of a row of the index. A verdict there is always one of the four, and never missing. They say nothing of
    /// the order of runs, which some policies ask for ([`Policy::is_ordered`]).
    #[must_use]
    pub fn of_sums(sums: &Sums) -> Self {
        let [pass, fail, undetermined, error, yes, no, contradictions, scores_differ] =
            sums.counts.map(|count| u64::try_from(count).unwrap_or(0));
        let [newest_yes, newest_no] =
            sums.newest.map(|at| u64::try_from(at).ok().filter(|at| *at > 0).map(Time::of_micros));
        let counts = Counts { pass, fail, undetermined, error, unknown: 0, pending: 0 };
        Self { counts, yes, no, contradictions, scores_differ, newest_yes, newest_no, log: Log::default() }
    }
}

/// Something about the runs that the outcome alone does not say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Its code.
    pub code: Code,
    /// What was noticed, as a sentence without a full stop.
    pub message: String,
}

/// What is worth saying beside an outcome.
#[must_use]
pub fn warnings(policy: &Policy, state: &State) -> Vec<Warning> {
    let reason = conclude(policy, state);
    let mut found = Vec::new();
    let mut add = |code, message: String| found.push(Warning { code, message });
    let satisfied = reason.outcome() == Outcome::Satisfied;
    if policy.is_existential() && satisfied && state.is_contradicted() {
        let message = "a newer run is not what the policy asks for; one that was is enough all the same";
        add(Code::NewerContradiction, message.to_owned());
    }
    if reason == Reason::ConfidentPass && state.no > 0 {
        let message = format!("{} of a failure that the judge is sure of stand beside a pass", runs(state.no));
        add(Code::Conflict, message);
    }
    if state.contradictions > 0 {
        let message =
            format!("{} called fail and what the policy asks for; the policy decides", runs(state.contradictions));
        add(Code::VerdictContradiction, message);
    }
    if state.scores_differ > 0 {
        let message = format!(
            "{} with a score that differs from the score of the raw result; the column counts",
            runs(state.scores_differ)
        );
        add(Code::MetricConflict, message);
    }
    if state.counts.unknown > 0 {
        let message = format!("{} with a text that is no verdict; it counts as an error", runs(state.counts.unknown));
        add(Code::VerdictUnknown, message);
    }
    if policy.is_statistics() {
        beside(policy, state, &mut add);
    }
    if let Policy::Statistical { min_runs, min_pass_rate } = policy {
        errors(state, *min_runs, &mut add);
        let low = interval(state.yes, state.yes + state.no).map(Interval::low);
        if let Some(low) = low.filter(|low| satisfied && *low < min_pass_rate.float()) {
            let rate = min_pass_rate.number().token();
            add(Code::WeakSample, format!("the lower end {low:.2} is under the {rate} that the policy asks for"));
        }
    }
    found
}

/// What is worth saying of the types beside version 1.
fn beside(policy: &Policy, state: &State, add: &mut impl FnMut(Code, String)) {
    errors(state, policy.least(), add);
    let missed = state.planned(policy).map_or(0, |planned| planned.missed_before());
    if missed > 0 {
        let them = if missed == 1 { "a full series".to_owned() } else { format!("{missed} full series") };
        add(Code::SeriesRepeated, format!("{them} before this one did not reach the rate"));
    }
}

/// Errors count as failures: what they do to the count is told.
fn errors(state: &State, min_runs: u64, add: &mut impl FnMut(Code, String)) {
    let (errors, judged) = (state.counts.error, state.yes + state.no);
    if errors == 0 {
        return;
    }
    let left = judged - errors;
    let without = if judged >= min_runs && left < min_runs { ": too few to judge" } else { "" };
    add(
        Code::ErrorCounts,
        format!("{} in error, which counts as a failure; without there would be {}{without}", runs(errors), runs(left)),
    );
}

fn runs(count: u64) -> String {
    if count == 1 { "1 run".to_owned() } else { format!("{count} runs") }
}
