//! How steady requirements are, over rows of QA runs from wherever they come (specs/success-policy.md section 6): what runs of one
//! commit say of each other, whose runs end in errors, whether judges agree, and whether they are right as often as they are sure.
//!
//! What is missing is named and never counted as nothing: a row without a commit is in no commit, one run of a commit shows
//! no steadiness, runs without a time have no order, and a judge that nothing can be held against has no score.

mod judges;

use std::collections::BTreeMap;

use smol_str::SmolStr;

use crate::success_policy::{Class, Given, Interval, Origin, Row, Time, interval};
use crate::verdict::QaVerdict;

pub use judges::{Agreement, BINS, Bin, Calibration};

/// Runs by verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// `pass`
    pub pass: u64,
    /// `fail`
    pub fail: u64,
    /// `undetermined`
    pub undetermined: u64,
    /// `error`, and every text that is no verdict.
    pub error: u64,
}

impl Tally {
    const fn add(&mut self, verdict: QaVerdict) {
        match verdict {
            QaVerdict::Pass => self.pass += 1,
            QaVerdict::Fail => self.fail += 1,
            QaVerdict::Undetermined => self.undetermined += 1,
            QaVerdict::Error => self.error += 1,
        }
    }

    /// Runs that passed or failed.
    #[must_use]
    pub const fn measured(&self) -> u64 {
        self.pass + self.fail
    }

    /// Runs that have a verdict.
    #[must_use]
    pub const fn completed(&self) -> u64 {
        self.measured() + self.undetermined + self.error
    }

    /// Where the pass rate of measured runs lies, at 95 %; `None` of none.
    #[must_use]
    pub fn pass_rate(&self) -> Option<Interval> {
        interval(self.pass, self.measured())
    }

    /// Where the rate of runs that end in an error lies, at 95 %; `None` of none.
    #[must_use]
    pub fn error_rate(&self) -> Option<Interval> {
        interval(self.error, self.completed())
    }
}

/// The completed runs of a requirement at one commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The commit.
    pub commit: SmolStr,
    /// Its runs.
    pub tally: Tally,
    /// Whether one voice, that of the runs without a judge or of one judge, said both pass and fail. `None` where no voice
    /// said anything twice. That two judges disagree is no flake; see [`Flakes::agreements`].
    pub flaky: Option<bool>,
    /// How often a voice said something else than the time before; `None` where a run without a time leaves the order open.
    pub transitions: Option<u64>,
    /// Whether the first completed run passed; `None` as above.
    pub first: Option<bool>,
}

/// A requirement over its commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its name; `None` for rows that say none.
    pub id: Option<SmolStr>,
    /// Its commits, by name; those that are flaky first.
    pub commits: Vec<Commit>,
    /// All completed runs, also those of no commit.
    pub tally: Tally,
    /// Completed runs that are in no commit, since they name none.
    pub no_commit: u64,
    /// Runs without a verdict.
    pub pending: u64,
}

impl Requirement {
    /// Commits that are flaky.
    #[must_use]
    pub fn flaky(&self) -> u64 {
        self.commits.iter().filter(|commit| commit.flaky == Some(true)).count() as u64
    }

    /// Whether it was found flaky or steady; `None` where no commit shows either.
    #[must_use]
    pub fn is_flaky(&self) -> Option<bool> {
        self.commits.iter().filter_map(|commit| commit.flaky).reduce(|a, b| a || b)
    }

    /// Commits whose first run passed, of those whose first run is known.
    #[must_use]
    pub fn first_tries(&self) -> (u64, u64) {
        let known = || self.commits.iter().filter_map(|commit| commit.first);
        (known().filter(|passed| *passed).count() as u64, known().count() as u64)
    }
}

/// How many rows lack a field, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gaps {
    /// It does not stand there.
    pub missing: u64,
    /// It is null.
    pub null: u64,
    /// It is something else than it must be.
    pub unfit: u64,
}

impl Gaps {
    fn count<T>(&mut self, given: &Given<T>) {
        match given {
            Given::Missing => self.missing += 1,
            Given::Null => self.null += 1,
            Given::Unfit => self.unfit += 1,
            Given::Value(_) => {}
        }
    }

    /// All of them.
    #[must_use]
    pub const fn all(&self) -> u64 {
        self.missing + self.null + self.unfit
    }
}

/// All of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Flakes {
    /// Rows that were read.
    pub rows: u64,
    /// Requirements: those with most flaky commits first, then by name.
    pub requirements: Vec<Requirement>,
    /// Who made runs, by name, and what they came to.
    pub runners: Vec<(SmolStr, Tally)>,
    /// Each two judges that judged the same.
    pub agreements: Vec<Agreement>,
    /// Each judge.
    pub calibrations: Vec<Calibration>,
    /// Rows without a commit.
    pub commit: Gaps,
    /// Rows that do not say who made them.
    pub performed_by: Gaps,
    /// Rows of a judge that do not say how sure it is.
    pub confidence: Gaps,
    /// Rows without a time.
    pub no_time: u64,
}

/// One row, as far as it is looked at.
struct Sight<'a> {
    requirement: Option<&'a SmolStr>,
    origin: &'a Origin,
    verdict: QaVerdict,
    at: Option<Time>,
}

/// Works it out. The order of rows matters only where two of one commit have the same time: the one read first is first.
#[must_use]
pub fn analyse(rows: &[Row]) -> Flakes {
    let nothing = Origin::default();
    let mut flakes = Flakes { rows: rows.len() as u64, ..Flakes::default() };
    let mut pending: BTreeMap<Option<&SmolStr>, u64> = BTreeMap::new();
    let mut sights: Vec<Sight<'_>> = Vec::new();
    for row in rows {
        let origin = row.origin.as_deref().unwrap_or(&nothing);
        flakes.commit.count(&origin.commit);
        flakes.performed_by.count(&origin.performed_by);
        flakes.no_time += u64::from(row.run.at.is_none());
        if matches!(origin.judge, Given::Value(_)) {
            flakes.confidence.count(&origin.confidence);
        }
        let waiting = pending.entry(row.requirement.as_ref()).or_default();
        match Class::verdict(row.run.class) {
            None => *waiting += 1,
            Some(verdict) => {
                sights.push(Sight { requirement: row.requirement.as_ref(), origin, verdict, at: row.run.at });
            }
        }
    }
    let mut runners: BTreeMap<&SmolStr, Tally> = BTreeMap::new();
    for sight in &sights {
        if let Given::Value(by) = &sight.origin.performed_by {
            runners.entry(by).or_default().add(sight.verdict);
        }
    }
    flakes.runners = runners.into_iter().map(|(by, tally)| (by.clone(), tally)).collect();
    let mut of: BTreeMap<Option<&SmolStr>, Vec<&Sight<'_>>> = BTreeMap::new();
    sights.iter().for_each(|sight| of.entry(sight.requirement).or_default().push(sight));
    let all = pending.iter().map(|(id, waiting)| requirement(*id, *waiting, of.remove(id).unwrap_or_default()));
    flakes.requirements = all.collect();
    flakes.requirements.sort_by_key(|one| std::cmp::Reverse(one.flaky()));
    (flakes.agreements, flakes.calibrations) = judges::analyse(&sights);
    flakes
}

fn requirement<'a>(id: Option<&SmolStr>, pending: u64, sights: Vec<&'a Sight<'a>>) -> Requirement {
    let mut commits: BTreeMap<&SmolStr, Vec<&'a Sight<'a>>> = BTreeMap::new();
    let (mut tally, mut no_commit) = (Tally::default(), 0);
    for sight in sights {
        tally.add(sight.verdict);
        match &sight.origin.commit {
            Given::Value(commit) => commits.entry(commit).or_default().push(sight),
            _ => no_commit += 1,
        }
    }
    let mut commits: Vec<Commit> = commits.into_iter().map(|(name, runs)| commit(name, runs)).collect();
    commits.sort_by_key(|commit| commit.flaky != Some(true));
    Requirement { id: id.cloned(), commits, tally, no_commit, pending }
}

fn commit(name: &SmolStr, mut runs: Vec<&Sight<'_>>) -> Commit {
    let ordered = runs.len() < 2 || runs.iter().all(|run| run.at.is_some());
    runs.sort_by_key(|run| run.at);
    let mut tally = Tally::default();
    // What each voice said, passes and failures alone.
    let mut voices: BTreeMap<Option<&SmolStr>, Vec<bool>> = BTreeMap::new();
    for run in &runs {
        tally.add(run.verdict);
        let said = match run.verdict {
            QaVerdict::Pass => true,
            QaVerdict::Fail => false,
            QaVerdict::Undetermined | QaVerdict::Error => continue,
        };
        voices.entry(run.origin.judge()).or_default().push(said);
    }
    let turns = |said: &Vec<bool>| said.windows(2).filter(|pair| pair[0] != pair[1]).count() as u64;
    let twice = || voices.values().filter(|said| said.len() > 1);
    Commit {
        commit: name.clone(),
        tally,
        flaky: twice().map(|said| said.contains(&true) && said.contains(&false)).reduce(|a, b| a || b),
        transitions: ordered.then(|| voices.values().map(turns).sum()),
        first: runs.first().filter(|_| ordered).map(|run| run.verdict == QaVerdict::Pass),
    }
}

#[cfg(test)]
mod tests;
