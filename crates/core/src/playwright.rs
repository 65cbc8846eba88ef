//! What a finished Playwright run comes to (report-and-gate section 4 and the seed page "Report and gate"). Verdicts come
//! from the attempts and never from what Playwright says of a test, so that no setting turns a flake green.

mod gather;
mod report;
mod summary;
mod title;
mod writes;

use crate::codes::Code;

pub use gather::Gathered;
pub use report::{Lookup, Report, report};
pub use writes::Record;

/// A spec: one `test()` in a file, with an entry for each project.
#[derive(Clone, Debug, Default)]
pub struct Spec {
    /// Its own title, without those of the groups around it.
    pub title: String,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// A spec in one project.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The project.
    pub project: String,
    /// What the spec says of itself: `passed`, `failed`, `skipped`.
    pub expected: String,
    /// Its attempts, in the order in which they stand.
    pub attempts: Vec<Attempt>,
}

/// An attempt: one `results[]` element.
#[derive(Clone, Debug, Default)]
pub struct Attempt {
    /// `passed`, `failed`, `timedOut`, `skipped`, `interrupted`.
    pub status: String,
    /// Milliseconds.
    pub duration: f64,
    /// What went wrong, in Playwright's words.
    pub message: Option<String>,
    /// What it attached.
    pub attachments: Vec<Attachment>,
}

/// An attachment.
#[derive(Clone, Debug, Default)]
pub struct Attachment {
    /// Its name.
    pub name: String,
    /// Where it lies, as Playwright wrote it. Blank is none.
    pub path: Option<String>,
    /// Whether it has a body in the report.
    pub body: bool,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseVerdict {
    /// Every project that ran it passed at once.
    Pass,
    /// A project never passed it.
    Fail,
    /// A project passed it and failed it.
    Flaky,
    /// Nothing ran it to an end, or the build changed under it.
    Blocked,
}

impl CaseVerdict {
    /// As files write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Flaky => "flaky",
            Self::Blocked => "blocked",
        }
    }

    /// Of the attempts of one entry; their order does not matter.
    #[must_use]
    pub fn of_attempts(attempts: &[Attempt]) -> Self {
        let any = |statuses: &[&str]| attempts.iter().any(|attempt| statuses.contains(&attempt.status.as_str()));
        match (any(&["passed"]), any(&["failed", "timedOut"])) {
            (true, true) => Self::Flaky,
            (false, true) => Self::Fail,
            (true, false) => Self::Pass,
            (false, false) => Self::Blocked,
        }
    }

    /// Of two projects, or two specs of one case: fail beats flaky beats pass beats blocked.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        [Self::Fail, Self::Flaky, Self::Pass].into_iter().find(|v| *v == self || *v == other).unwrap_or(Self::Blocked)
    }
}

/// A fact of Playwright's that does not change a verdict and caps what it shows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Annotation {
    /// The case.
    pub case: String,
    /// Which fact.
    pub code: Code,
}

#[cfg(test)]
mod tests;
