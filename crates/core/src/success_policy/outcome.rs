//! What a policy comes to, and the one table that says which reason is which outcome.

use super::policy::Policy;
use super::state::State;
use super::statistics::beside;
use crate::codes::Code;

/// What the runs of a requirement come to. Only `satisfied` opens a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The policy is met.
    Satisfied,
    /// It is not; more runs may change that.
    Failed,
    /// Nothing can be said yet.
    Undetermined,
    /// The policy cannot be evaluated.
    InvalidPolicy,
}

impl Outcome {
    /// All.
    pub const ALL: [Self; 4] = [Self::Satisfied, Self::Failed, Self::Undetermined, Self::InvalidPolicy];

    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Satisfied => "satisfied",
            Self::Failed => "failed",
            Self::Undetermined => "undetermined",
            Self::InvalidPolicy => "invalid_policy",
        }
    }

    /// The exit code (design.md section 6).
    #[must_use]
    pub const fn exit(self) -> u8 {
        match self {
            Self::Satisfied => 0,
            Self::Failed => 1,
            Self::InvalidPolicy => 2,
            Self::Undetermined => 5,
        }
    }
}

macro_rules! reasons {
    ($($name:ident = $outcome:ident, $doc:literal;)*) => {
        /// Why an outcome is what it is (spec 2.1). Each reason belongs to one outcome.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason {
            $(#[doc = $doc] $name,)*
        }

        impl Reason {
            /// All, in the order of the spec.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The outcome that it is a reason of.
            #[must_use]
            pub const fn outcome(self) -> Outcome {
                match self { $(Self::$name => Outcome::$outcome,)* }
            }

            /// The code that `probity explain` knows it by.
            #[must_use]
            pub const fn code(self) -> Code {
                match self { $(Self::$name => Code::$name,)* }
            }

            /// As answers write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                self.code().as_str()
            }
        }
    };
}

reasons! {
    Matched = Satisfied, "A run is what the policy asks for.";
    PassRateMet = Satisfied, "Enough of enough runs passed.";
    ConfidentPass = Satisfied, "A judge is sure enough of a pass.";
    LowerBoundMet = Satisfied, "The lower end of the interval reaches the target.";
    SeriesMet = Satisfied, "Enough of the planned runs passed.";
    RatioMet = Satisfied, "The runs are so much likelier of a good product.";
    NoMatch = Failed, "Runs were measured and none is what the policy asks for.";
    PassRateBelow = Failed, "Too few of the runs passed.";
    AllConfidentFail = Failed, "The judge is sure of a failure each time.";
    UpperBoundBelow = Failed, "The upper end of the interval is below the target.";
    SeriesMissed = Failed, "Too few of the planned runs passed.";
    RatioBelow = Failed, "The runs are so much likelier of a bad product.";
    NoRuns = Undetermined, "No run is completed.";
    NoMeasurement = Undetermined, "Runs are completed and none could be measured.";
    InsufficientRuns = Undetermined, "Fewer runs than the policy wants.";
    Ambiguous = Undetermined, "The judge is neither sure of a pass nor always sure of a failure.";
    IntervalOpen = Undetermined, "The interval holds the target.";
    RatioOpen = Undetermined, "The runs fit a good product and a bad one.";
    UnorderedRuns = Undetermined, "It cannot be told which runs came first.";
    NotJson = InvalidPolicy, "The text is no JSON that every reader takes.";
    NotObject = InvalidPolicy, "It is JSON and no object.";
    DuplicateKey = InvalidPolicy, "A key stands twice.";
    MissingType = InvalidPolicy, "It does not say its type.";
    UnknownType = InvalidPolicy, "There is no such type.";
    UnknownField = InvalidPolicy, "A field that its type does not take.";
    MissingField = InvalidPolicy, "A field is missing.";
    ConflictingFields = InvalidPolicy, "Fields that exclude each other.";
    WrongType = InvalidPolicy, "A value of another type than its field takes.";
    UnknownValue = InvalidPolicy, "A word that its field does not take.";
    OutOfRange = InvalidPolicy, "A number outside of its range.";
    EmptyRules = InvalidPolicy, "A composite policy without rules.";
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Turns counts into the reason of an outcome. Total.
#[must_use]
pub fn conclude(policy: &Policy, state: &State) -> Reason {
    match policy {
        Policy::VerdictPass | Policy::Check { .. } | Policy::Threshold { .. } | Policy::Composite { .. } => {
            if state.yes > 0 {
                Reason::Matched
            } else if state.no > 0 {
                Reason::NoMatch
            } else if state.completed() > 0 {
                Reason::NoMeasurement
            } else {
                Reason::NoRuns
            }
        }
        Policy::Statistical { min_runs, min_pass_rate } => {
            let (passed, judged) = (state.yes, state.yes.saturating_add(state.no));
            if judged < *min_runs {
                Reason::InsufficientRuns
            } else if meets(passed, judged, min_pass_rate.float()) {
                Reason::PassRateMet
            } else {
                Reason::PassRateBelow
            }
        }
        Policy::Wilson { min_runs, .. } | Policy::PassK { min_runs, .. } => {
            if state.yes.saturating_add(state.no) < *min_runs {
                return Reason::InsufficientRuns;
            }
            match settled(policy, (state.yes, state.no)) {
                Some(true) => Reason::LowerBoundMet,
                Some(false) => Reason::UpperBoundBelow,
                None => Reason::IntervalOpen,
            }
        }
        Policy::Sprt(_) => match settled(policy, (state.yes, state.no)) {
            Some(true) => Reason::RatioMet,
            Some(false) => Reason::RatioBelow,
            None => Reason::RatioOpen,
        },
        Policy::PlannedRuns { .. } => match state.planned(policy) {
            None => Reason::UnorderedRuns,
            Some(planned) => match planned.counts() {
                None => Reason::InsufficientRuns,
                Some(series) if planned.is_met(series) => Reason::SeriesMet,
                Some(_) => Reason::SeriesMissed,
            },
        },
        Policy::AgentJudgment { min_runs, .. } => {
            let judged = state.looks();
            if judged < *min_runs {
                Reason::InsufficientRuns
            } else if state.yes > 0 {
                Reason::ConfidentPass
            } else if state.no == judged {
                Reason::AllConfidentFail
            } else {
                Reason::Ambiguous
            }
        }
    }
}

/// What passes and failures come to under one of the types that say how sure they are, whatever its fewest runs. More passes
/// only ever lead towards `Some(true)`, and more failures towards `Some(false)`.
pub(super) fn settled(policy: &Policy, counts: (u64, u64)) -> Option<bool> {
    match policy {
        Policy::Wilson { target, level, .. } => beside(target, 1, level, counts),
        Policy::PassK { k, target, level, .. } => beside(target, *k, level, counts),
        Policy::Sprt(ratio) => ratio.crossed(counts),
        _ => None,
    }
}

/// Whether so many of so many meet a rate. A division, never a product: it is rounded correctly, so it equals the
/// literal wherever the decimals are equal (S2).
#[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
pub(super) fn meets(passed: u64, judged: u64, rate: f64) -> bool {
    passed as f64 / judged as f64 >= rate
}
