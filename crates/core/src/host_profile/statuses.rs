//! The states that a case passes through, and their names in the tracker (report-and-gate section 1.5).

use crate::document::Node;

/// A state of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// A person is to look at how it is designed.
    CaseReview,
    /// It may be run.
    ApprovedForExecution,
    /// A person is to look at its result.
    UnderReview,
    /// A person has accepted its result.
    Approved,
    /// A person has refused it.
    Rejected,
    /// It is to be run again.
    Retest,
    /// It is known to be unsteady.
    Quarantined,
}

impl State {
    /// All of them, in the order of their keys.
    pub const ALL: [Self; 7] = [
        Self::CaseReview,
        Self::ApprovedForExecution,
        Self::UnderReview,
        Self::Approved,
        Self::Rejected,
        Self::Retest,
        Self::Quarantined,
    ];

    /// The key in `clickup.statuses`.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::CaseReview => "case_review",
            Self::ApprovedForExecution => "approved_for_execution",
            Self::UnderReview => "under_review",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Retest => "retest",
            Self::Quarantined => "quarantined",
        }
    }

    /// The name where the host profile declares none.
    #[must_use]
    pub const fn canonical(self) -> &'static str {
        match self {
            Self::CaseReview => "Case Review",
            Self::ApprovedForExecution => "Approved for Execution",
            Self::UnderReview => "Under Review",
            Self::Approved => "Approved",
            Self::Rejected => "Rejected",
            Self::Retest => "Retest",
            Self::Quarantined => "Quarantined",
        }
    }
}

/// Names of the states.
#[derive(Clone, Debug)]
pub struct Statuses {
    names: [String; 7],
}

impl Statuses {
    /// From the block of the host profile, or the canonical ones.
    pub(super) fn of(block: Option<&Node>) -> Self {
        let name = |state: State| block.map_or(Some(state.canonical()), |block| block.get(state.key())?.as_text());
        Self { names: State::ALL.map(|state| name(state).unwrap_or_default().to_owned()) }
    }

    /// The state of this name; case and spaces around it do not count.
    #[must_use]
    pub fn state(&self, name: &str) -> Option<State> {
        let plain = |name: &str| name.trim().to_lowercase();
        let name = plain(name);
        State::ALL.into_iter().zip(&self.names).find(|(_, known)| plain(known) == name).map(|(state, _)| state)
    }

    /// The name of a state.
    #[must_use]
    pub fn name(&self, state: State) -> &str {
        &self.names[state as usize]
    }
}
