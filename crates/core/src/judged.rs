//! Audited → Judged: tests, criteria, reasons, and the verdict that nobody can type in (harness-proof.md section 4).

mod reasons;
mod subject;
mod tests_and_criteria;
mod weakenings;

use crate::audit::{Audited, AuditedStep};
use crate::codes::{Code, Who};
use crate::document::Place;
use crate::ids::Id;
use crate::plan::{Scenario, Step};
use crate::step::Weight;
use crate::verdict::Status;

pub use subject::{Started, Subject};
pub use weakenings::{ALLOWED, Weakening};

/// Version of the derivation: which rules turn a journal into a verdict.
pub const DERIVATION: u64 = 3;

/// A judged run. Made by [`judge`] only.
///
/// ```compile_fail
/// fn forge(audited: probity_core::audit::Audited) -> probity_core::judged::Judged {
///     probity_core::judged::Judged { audited }
/// }
/// ```
pub struct Judged {
    audited: Audited,
    tests: Vec<JudgedTest>,
    criteria: Vec<JudgedCriterion>,
    reasons: Vec<Reason>,
    weakenings: Vec<Weakening>,
    conditions: Vec<String>,
    claims: Claims,
    status: Status,
}

/// A test with its status.
#[derive(Clone, Debug)]
pub struct JudgedTest {
    /// Its id.
    pub id: Id,
    /// Its status.
    pub status: Status,
    /// Positions of its steps among the audited ones.
    pub steps: Vec<usize>,
    /// Why it did not pass.
    pub notes: Vec<String>,
    /// Position of the step that decided, where it did not pass.
    pub decided_by: Option<usize>,
    /// The layer that no step showed, where everything else passed.
    pub unmet: Option<String>,
    /// Why the steps that showed its layer hold nothing up, and the position of the first of them.
    pub weak: Option<(Code, usize)>,
}

/// A criterion with its status.
#[derive(Clone, Debug)]
pub struct JudgedCriterion {
    /// Its id.
    pub id: Id,
    /// Its status.
    pub status: Status,
    /// Positions of its tests.
    pub tests: Vec<usize>,
    /// Positions of the steps that bear on it.
    pub steps: Vec<usize>,
    /// Why it did not pass.
    pub notes: Vec<String>,
    /// Everything that holds it up was seen live and cannot be replayed.
    pub witnessed_only: bool,
}

/// How many checks hold up the claims, by the class of their evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// probity held the socket.
    pub observed: u64,
    /// Seen live, not replayable.
    pub witnessed: u64,
    /// Another program's word.
    pub reported: u64,
}

/// One reason against the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The code.
    pub code: Code,
    /// `artifact`, `requirement`, `runtime`, `environment`, … as the reference sorts them.
    pub category: &'static str,
    /// Its weight.
    pub weight: Weight,
    /// What it is about: criteria, or the run itself.
    pub subjects: Vec<String>,
    /// Position of the step that it is about.
    pub step: Option<usize>,
    /// The check that decided, drawn: what, expected, where that came from, saw.
    pub check: Option<ReasonCheck>,
    /// What was noticed.
    pub message: String,
    /// Whose move it is.
    pub who: Who,
}

/// The two values that face each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReasonCheck {
    /// What was looked at.
    pub what: String,
    /// The operator and what it expected.
    pub expected: String,
    /// The variable that the expected value came from, if it did.
    pub expected_from: Option<String>,
    /// What was there.
    pub saw: String,
}

/// Judges a run.
#[must_use]
pub fn judge(audited: Audited) -> Judged {
    let tests = tests_and_criteria::tests(&audited);
    let criteria = tests_and_criteria::criteria(&audited, &tests);
    let claims = tests_and_criteria::claims(&audited, &tests);
    let weakenings = weakenings::of(&audited);
    let conditions = weakenings::conditions(&audited);
    let reasons = reasons::of(&audited, &tests, &criteria, &weakenings);
    let status = decide(&reasons);
    Judged { audited, tests, criteria, reasons, weakenings, conditions, claims, status }
}

/// One failure fails, else one blocker blocks, else one gap loses the claim (harness-proof.md 4.3).
fn decide(reasons: &[Reason]) -> Status {
    match reasons.iter().map(|reason| reason.weight).min() {
        Some(Weight::Fail) => Status::Failed,
        Some(Weight::Blocker) => Status::Blocked,
        Some(Weight::Gap) => Status::Inconclusive,
        None => Status::Passed,
    }
}

impl Judged {
    /// The same verdict over the run with its last entry, a line of the journal. `None` where the line does not close
    /// this run right after what was judged.
    #[must_use]
    pub fn close(self, line: &[u8]) -> Option<Self> {
        Some(Self { audited: self.audited.close(line)?, ..self })
    }

    /// The run after everything in it was worked out again.
    #[must_use]
    pub const fn audited(&self) -> &Audited {
        &self.audited
    }

    /// The tests, in matrix order.
    #[must_use]
    pub fn tests(&self) -> &[JudgedTest] {
        &self.tests
    }

    /// The criteria, in matrix order.
    #[must_use]
    pub fn criteria(&self) -> &[JudgedCriterion] {
        &self.criteria
    }

    /// Every reason against the claim: the environment first, then by weight.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// What caps the claim.
    #[must_use]
    pub fn weakenings(&self) -> &[Weakening] {
        &self.weakenings
    }

    /// What is printed and caps nothing.
    #[must_use]
    pub fn conditions(&self) -> &[String] {
        &self.conditions
    }

    /// How many checks hold up the claims.
    #[must_use]
    pub const fn claims(&self) -> Claims {
        self.claims
    }

    /// The verdict.
    #[must_use]
    pub const fn status(&self) -> Status {
        self.status
    }

    /// True exactly when the status is passed.
    #[must_use]
    pub fn can_claim_pass(&self) -> bool {
        self.status == Status::Passed
    }

    /// The exit code of the run.
    #[must_use]
    pub fn exit(&self) -> u8 {
        if self.audited.recorded().cancelled().is_some() { 130 } else { self.status.exit() }
    }

    /// Criteria by status, in the order of [`Status::ALL`].
    #[must_use]
    pub fn counts(&self) -> [u64; 5] {
        Status::ALL.map(|status| self.criteria.iter().filter(|c| c.status == status).count() as u64)
    }

    /// Case and step of an audited step.
    #[must_use]
    pub fn step(&self, position: usize) -> (&Scenario, &Step) {
        step_of(&self.audited, &self.audited.steps()[position])
    }
}

pub(crate) fn step_of<'a>(audited: &'a Audited, step: &AuditedStep) -> (&'a Scenario, &'a Step) {
    let scenario = &audited.checked().plan().scenarios[step.scenario];
    (scenario, &scenario.steps[step.step])
}

/// The handle of a step's evidence: item N of the ledger is `EN`, and people write `eN`.
#[must_use]
pub fn evidence_id(position: usize) -> String {
    format!("E{}", position + 1)
}

/// The place of a step, if it has one.
#[must_use]
pub fn place_of(step: &Step) -> Option<Place> {
    (step.place.line > 0).then_some(step.place)
}

/// A step's action in a few words: `POST /api/orders`, `run: python3 tools/read.py`, `log: shop`.
#[must_use]
pub fn drawn_action(step: &Step) -> String {
    match &step.action {
        crate::plan::Action::Http(http) => format!("{} {}", http.method, http.target),
        crate::plan::Action::Command(command) => {
            let words: Vec<String> = command
                .argv
                .iter()
                .map(|word| match word.get("$var").and_then(crate::json::Json::as_text) {
                    Some(name) => format!("{{{name}}}"),
                    None => crate::vars::text_of(word),
                })
                .collect();
            format!("run: {}", words.join(" "))
        }
        crate::plan::Action::Log(log) => format!("log: {}", log.service),
    }
}
