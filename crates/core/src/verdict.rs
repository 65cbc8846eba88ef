//! The three result vocabularies and the one table that converts between them (design.md section 2).

/// Status of a test, a criterion or a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Directly verified with evidence.
    Passed,
    /// Tested, and contradicted.
    Failed,
    /// Could not be tested, for a concrete reason.
    Blocked,
    /// What was seen is not enough.
    Inconclusive,
    /// Not reached.
    Untested,
}

impl Status {
    /// All, in the order in which counts are given.
    pub const ALL: [Self; 5] = [Self::Passed, Self::Failed, Self::Blocked, Self::Inconclusive, Self::Untested];

    /// As journal, answers and terminal write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Blocked => "blocked",
            Self::Inconclusive => "inconclusive",
            Self::Untested => "untested",
        }
    }

    /// As the reference's views spell it.
    #[must_use]
    pub const fn reference(self) -> &'static str {
        match self {
            Self::Passed => "Passed",
            Self::Failed => "Failed",
            Self::Blocked => "Blocked",
            Self::Inconclusive => "Inconclusive",
            Self::Untested => "Untested",
        }
    }

    /// From either spelling.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(text))
    }

    /// The exit code of a run of this status (design.md section 6).
    #[must_use]
    pub const fn exit(self) -> u8 {
        match self {
            Self::Passed => 0,
            Self::Failed => 1,
            Self::Blocked => 3,
            Self::Untested => 4,
            Self::Inconclusive => 5,
        }
    }
}

/// Verdict of a Playwright case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaseVerdict {
    /// Every entry passed at once.
    Pass,
    /// An entry failed.
    Fail,
    /// An entry passed on a retry only.
    Flaky,
    /// Skipped or interrupted.
    Blocked,
    /// No test carries the id.
    NeverSeen,
}

/// Verdict of a QA run, as success policies count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QaVerdict {
    /// Success.
    Pass,
    /// The product failed.
    Fail,
    /// The run could not be done; counts as a failure.
    Error,
    /// Counts neither way.
    Undetermined,
}

impl QaVerdict {
    /// All.
    pub const ALL: [Self; 4] = [Self::Pass, Self::Fail, Self::Error, Self::Undetermined];

    /// As the verdict column holds it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Error => "error",
            Self::Undetermined => "undetermined",
        }
    }

    /// From a column; other case and blanks are not forgiven.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == text)
    }
}

impl CaseVerdict {
    /// Status of a requirement that this case decides, and the reason where the status alone does not say it.
    #[must_use]
    pub const fn status(self) -> (Status, Option<&'static str>) {
        match self {
            Self::Pass => (Status::Passed, None),
            Self::Fail => (Status::Failed, None),
            Self::Flaky => (Status::Failed, Some("flaky")),
            Self::Blocked => (Status::Blocked, None),
            Self::NeverSeen => (Status::Untested, None),
        }
    }
}

impl From<Status> for QaVerdict {
    fn from(status: Status) -> Self {
        match status {
            Status::Passed => Self::Pass,
            Status::Failed => Self::Fail,
            Status::Blocked => Self::Error,
            Status::Inconclusive | Status::Untested => Self::Undetermined,
        }
    }
}

/// Status of a criterion from those of its tests (harness-proof.md 2.2).
#[must_use]
pub fn of_tests(tests: &[Status]) -> Status {
    let any = |status| tests.contains(&status);
    if tests.is_empty() {
        Status::Untested
    } else if any(Status::Failed) {
        Status::Failed
    } else if tests.iter().all(|status| *status == Status::Passed) {
        Status::Passed
    } else if any(Status::Inconclusive) {
        Status::Inconclusive
    } else if any(Status::Blocked) {
        Status::Blocked
    } else {
        Status::Untested
    }
}

/// Exit codes, the worst first (design.md section 6).
pub const WORST_FIRST: [u8; 8] = [130, 6, 2, 1, 3, 5, 4, 0];

/// The exit code of several runs: the worst.
#[must_use]
pub fn worst_exit(exits: &[u8]) -> u8 {
    WORST_FIRST.into_iter().find(|code| exits.contains(code)).unwrap_or(4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_conversion_table() {
        let rows = [
            (CaseVerdict::Pass, Status::Passed, None, QaVerdict::Pass),
            (CaseVerdict::Fail, Status::Failed, None, QaVerdict::Fail),
            (CaseVerdict::Flaky, Status::Failed, Some("flaky"), QaVerdict::Fail),
            (CaseVerdict::Blocked, Status::Blocked, None, QaVerdict::Error),
            (CaseVerdict::NeverSeen, Status::Untested, None, QaVerdict::Undetermined),
        ];
        for (case, status, reason, qa) in rows {
            assert_eq!(case.status(), (status, reason));
            assert_eq!(QaVerdict::from(status), qa);
        }
        assert_eq!(QaVerdict::from(Status::Inconclusive), QaVerdict::Undetermined);
    }

    #[test]
    fn the_worst_of_several_runs() {
        assert_eq!(worst_exit(&[0, 4, 5]), 5);
        assert_eq!(worst_exit(&[0, 3, 1]), 1);
        assert_eq!(worst_exit(&[1, 6, 2]), 6);
        assert_eq!(worst_exit(&[]), 4);
    }

    proptest! {
        #[test]
        fn nothing_but_passes_is_a_pass(indexes in proptest::collection::vec(0..5usize, 0..6)) {
            let tests: Vec<Status> = indexes.iter().map(|i| Status::ALL[*i]).collect();
            let all = !tests.is_empty() && tests.iter().all(|s| *s == Status::Passed);
            prop_assert_eq!(of_tests(&tests) == Status::Passed, all);
            let mut reversed = tests.clone();
            reversed.reverse();
            prop_assert_eq!(of_tests(&tests), of_tests(&reversed));
        }
    }
}
