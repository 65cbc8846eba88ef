//! `planned_runs`: the number of runs is declared beforehand, and runs beyond it open a new series instead of mending the
//! first (spec section 6, weakness 2; docs/decisions/0012-statistics.md).

use std::collections::BTreeMap;

use super::chance::fewest;
use super::policy::Bound;
use super::run::Time;

/// Runs by when they were recorded. Sums for each time, so parts add up to the whole in any order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log(BTreeMap<Option<Time>, (u64, u64)>);

/// As many runs as were declared, or fewer where the last series is not full yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Series {
    /// Passes.
    pub yes: u64,
    /// Everything else that was completed.
    pub no: u64,
    /// When the first of its runs was recorded.
    pub from: Option<Time>,
    /// When the last one was.
    pub to: Option<Time>,
}

impl Series {
    /// How many runs it has.
    #[must_use]
    pub const fn runs(&self) -> u64 {
        self.yes + self.no
    }
}

impl Log {
    pub(super) fn add(&mut self, at: Option<Time>, yes: bool) {
        let count = self.0.entry(at).or_default();
        if yes { count.0 += 1 } else { count.1 += 1 }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for (at, (yes, no)) in &other.0 {
            let count = self.0.entry(*at).or_default();
            count.0 += yes;
            count.1 += no;
        }
    }

    /// The series in the order of time; all but the last one are full. Of runs of one time those that did not pass come first:
    /// that rule needs no names, and whoever reads sees the same series whatever order the runs came in. `None` where there
    /// are more runs than one series takes, and one of them does not say when it was: nobody can tell where it belongs.
    #[must_use]
    pub fn series(&self, planned: u64) -> Option<Vec<Series>> {
        let all: u64 = self.0.values().map(|(yes, no)| yes + no).sum();
        if all > planned && self.0.contains_key(&None) {
            return None;
        }
        let mut found: Vec<Series> = Vec::new();
        for (at, (yes, no)) in &self.0 {
            for (mut left, passed) in [(*no, false), (*yes, true)] {
                while left > 0 {
                    let open = found.last_mut().filter(|last| last.runs() < planned);
                    let series = match open {
                        Some(series) => series,
                        None => {
                            found.push(Series { yes: 0, no: 0, from: *at, to: *at });
                            continue;
                        }
                    };
                    let taken = left.min(planned - series.runs());
                    *(if passed { &mut series.yes } else { &mut series.no }) += taken;
                    series.to = *at;
                    left -= taken;
                }
            }
        }
        Some(found)
    }
}

/// How the runs fall into series, and which of those counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// All series, the oldest first.
    pub series: Vec<Series>,
    /// How many of them are full.
    pub full: usize,
    /// Passes that a full series needs.
    pub needed: u64,
    /// Runs of a full series.
    pub planned: u64,
}

impl Planned {
    pub(super) fn of(log: &Log, planned: u64, rate: &Bound) -> Option<Self> {
        let series = log.series(planned)?;
        let full = series.iter().filter(|one| one.runs() == planned).count();
        Some(Self { series, full, needed: fewest(planned, rate.float()), planned })
    }

    /// The series that decides: the newest full one.
    #[must_use]
    pub fn counts(&self) -> Option<&Series> {
        self.full.checked_sub(1).and_then(|at| self.series.get(at))
    }

    /// Whether a full series is what the policy asks for.
    #[must_use]
    pub const fn is_met(&self, series: &Series) -> bool {
        series.yes >= self.needed
    }

    /// The series that is not full: its passes and its runs.
    #[must_use]
    pub fn open(&self) -> (u64, u64) {
        self.series.get(self.full).map_or((0, 0), |open| (open.yes, open.runs()))
    }

    /// Full series before the one that decides that were not what the policy asks for.
    #[must_use]
    pub fn missed_before(&self) -> usize {
        let before = self.full.saturating_sub(1);
        self.series.iter().take(before).filter(|series| !self.is_met(series)).count()
    }
}

#[cfg(test)]
mod tests;
