//! What the index of QA runs holds (specs/success-policy.md section 1), as plain values: requirements with the versions
//! of what they ask for, runs, artifacts, waivers, decisions. [`gate`] says what blocks a phase; [`mod@line`] is the form in
//! which all of it leaves one index and enters another.

pub mod gate;
pub mod intake;
pub mod line;

use crate::ids::Digest;
use crate::json::Number;
use crate::verdict::QaVerdict;

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$item:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$item])* $variant,)*
        }

        impl $name {
            /// All.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// As columns and answers write it.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// From a column.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.as_str() == text)
            }
        }
    };
}

words! {
    /// When a requirement falls due.
    Phase {
        /// Before a change is taken in.
        Verification = "verification",
        /// After a release.
        PostDeploy = "post_deploy",
        /// A person accepts it.
        ManualAcceptance = "manual_acceptance",
    }
}

words! {
    /// Whether a requirement holds a phase up.
    Blocking {
        /// It does.
        Blocking = "blocking",
        /// It never does.
        NonBlocking = "non_blocking",
    }
}

words! {
    /// Where a requirement comes from.
    Origin {
        /// Somebody asked for it.
        Explicit = "explicit",
        /// A default that was set up.
        SeededDefault = "seeded_default",
        /// An acceptance criterion.
        AcDerived = "ac_derived",
        /// A flow.
        FlowDerived = "flow_derived",
    }
}

words! {
    /// Whose word a QA run is.
    Source {
        /// `probity run` made it, and its journal can be verified.
        Observed = "observed",
        /// Somebody says so.
        Reported = "reported",
    }
}

words! {
    /// What is known of the work tree of a QA run.
    Tree {
        /// It was the commit and nothing else.
        Clean = "clean",
        /// It differed, so the run says nothing of the commit.
        Dirty = "dirty",
        /// Whoever recorded the run named the commit, or there is none.
        Declared = "declared",
    }
}

/// An obligation; never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its id, unique without case.
    pub id: String,
    /// What is proved: `smoke`, `e2e`, `visual-regression`.
    pub kind: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Who entered it.
    pub by: String,
    /// When, in microseconds since 1970.
    pub at: i64,
}

/// What a requirement asks for, from one moment on. A change is a new version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The requirement.
    pub requirement: String,
    /// 1, 2, 3.
    pub version: i64,
    /// What it asks for.
    pub terms: Terms,
    /// Digest of the success policy's text; of no text where there is none.
    pub policy_sha256: Digest,
    /// Who set it.
    pub by: String,
    /// Why; every version but the first has one.
    pub reason: Option<String>,
    /// When, in microseconds since 1970.
    pub at: i64,
}

/// Everything about a requirement that may be changed, by a new version alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The success policy as text; without one a single pass is enough.
    pub policy: Option<String>,
    /// When it falls due.
    pub phase: Phase,
    /// Whether it holds the phase up.
    pub blocking: Blocking,
    /// The environment that its runs must name, if one.
    pub target_env: Option<String>,
    /// The plan whose runs are recorded for it, as `probity run` names it.
    pub plan: Option<String>,
    /// Whether runs that somebody reports count.
    pub accept_reported: bool,
}

impl Terms {
    /// Digest of the success policy's text.
    #[must_use]
    pub fn policy_sha256(&self) -> Digest {
        Digest::of(self.policy.as_deref().unwrap_or_default().as_bytes())
    }
}

/// What a QA run says, and the runs of one key say alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The verdict; `None` while there is none.
    pub verdict: Option<QaVerdict>,
    /// Why; an undetermined run has one.
    pub reason: Option<String>,
    /// The score, as it was written.
    pub score: Option<Number>,
    /// How sure the judge is of the verdict, from 0 to 1, as it was written.
    pub confidence: Option<Number>,
    /// The raw result.
    pub raw: Option<String>,
    /// The commit that was tested.
    pub commit: Option<String>,
    /// What is known of the work tree.
    pub tree: Tree,
    /// How long it took, in ms.
    pub duration_ms: Option<i64>,
    /// What it left behind.
    pub artifacts: Vec<Artifact>,
}

/// A QA run that is to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRun {
    /// The requirement.
    pub requirement: String,
    /// Two runs of one key are one run.
    pub key: String,
    /// Who made it.
    pub by: String,
    /// Whose word it is.
    pub source: Source,
    /// The run folder's name, where `probity run` made it.
    pub run: Option<String>,
    /// The seal of that run.
    pub seal: Option<String>,
    /// What it says.
    pub said: Said,
}

/// A QA run as the index holds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QaRun {
    /// What was recorded.
    pub new: NewRun,
    /// The n-th run of its requirement in this index.
    pub n: i64,
    /// The version of the requirement at that time.
    pub version: i64,
    /// When it was recorded, in microseconds since 1970; within a requirement no two are the same, and none goes back.
    pub at: i64,
}

/// A file that a run left behind, by its digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// The name that it had.
    pub name: String,
    /// `screenshot`, `log`, `trace`.
    pub kind: String,
    /// SHA-256 of its bytes.
    pub sha256: Digest,
    /// Its size in bytes.
    pub size: i64,
    /// Its media type.
    pub media: String,
}

/// Somebody's word that a requirement need not hold for a while.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    /// Two waivers of one key are one.
    pub key: String,
    /// The requirement.
    pub requirement: String,
    /// The version that it was given for; it is void for any other.
    pub version: i64,
    /// The commit that it is confined to, if one.
    pub commit: Option<String>,
    /// Until when, in microseconds since 1970.
    pub until: i64,
    /// Who.
    pub by: String,
    /// Why.
    pub reason: String,
    /// When it was given, in microseconds since 1970.
    pub at: i64,
}

/// What a gate decided, and on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Its key.
    pub key: String,
    /// The phase, or `all`.
    pub phase: String,
    /// Whether the gate opened.
    pub ok: bool,
    /// Digest of `body`.
    pub sha256: Digest,
    /// Commits, requirements with their versions, policies, number of runs, counts and outcomes; canonical JSON.
    pub body: String,
    /// When, in microseconds since 1970.
    pub at: i64,
}

/// A value that policies may look at: a top-level key of a raw result.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// The key.
    pub name: String,
    /// What it holds.
    pub value: Value,
}

/// What a top-level key of a raw result holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, as its token.
    Number(Number),
    /// `true` or `false`.
    Bool(bool),
    /// A text.
    Text(String),
    /// A list or a map.
    Other,
}

/// A completed run as far as counting goes.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// The n-th run of its requirement.
    pub n: i64,
    /// When it was recorded, in microseconds since 1970.
    pub at: i64,
    /// Its verdict.
    pub verdict: QaVerdict,
    /// Its score.
    pub score: Option<Number>,
    /// Its confidence.
    pub confidence: Option<Number>,
    /// Its commit.
    pub commit: Option<String>,
    /// Whose word it is.
    pub source: Source,
    /// The work tree.
    pub tree: Tree,
    /// The keys of its raw result.
    pub metrics: Vec<Metric>,
}

/// Counts of runs under one version of a requirement, as numbers: a row of the index. Rows add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Passes, failures, undetermined runs, errors; runs for and against the requirement; runs called fail that are for
    /// it; runs whose two scores differ.
    pub counts: [i64; 8],
    /// When the newest run for it was recorded, and the newest against it; 0 for none.
    pub newest: [i64; 2],
}

impl Sums {
    /// Adds the counts of other runs.
    pub fn merge(&mut self, other: &Self) {
        for (mine, others) in self.counts.iter_mut().zip(other.counts) {
            *mine = mine.saturating_add(others);
        }
        for (mine, others) in self.newest.iter_mut().zip(other.newest) {
            *mine = (*mine).max(others);
        }
    }
}
