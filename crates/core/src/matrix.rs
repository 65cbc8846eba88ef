//! The matrix: criteria, the tests that show them, and what is not claimed (harness-planning.md 1.2).

use crate::document::Place;
use crate::ids::Id;

/// The matrix of a plan.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    /// The requirement's title, where the document has one.
    pub title: Option<String>,
    /// Where the requirement comes from: a URL or a sentence.
    pub source: Option<String>,
    /// Whether mock data will do (`acceptsMock: true`).
    pub accepts_mock: bool,
    /// The criteria, in written order (`requirements` in the seed form).
    pub criteria: Vec<Criterion>,
    /// The tests, in written order.
    pub tests: Vec<Test>,
    /// Lines that are not ours, with the reason; printed as not claimed.
    pub out_of_scope: Vec<Excluded>,
    /// Lines that are ours and put off, with the reason; untested, so the whole cannot pass.
    pub later: Vec<Excluded>,
}

/// One checkable part of the requirement.
#[derive(Clone, Debug)]
pub struct Criterion {
    /// Its id.
    pub id: Id,
    /// Its text.
    pub text: String,
    /// Where the text stands: `requirement.md line 3`, or what the author says.
    pub source: String,
    /// Layers of evidence that must show it; empty in seed-form documents that do not say.
    pub needs: Vec<String>,
    /// `about: status`: a status alone is what it is about.
    pub about_status: bool,
    /// Tests that show it.
    pub test_ids: Vec<Id>,
    /// The status that the plan gives it before anything ran: `Untested` or `Blocked`.
    pub planned_status: String,
    /// Byte span of the source unit in requirement.md, where it is bound exactly.
    pub span: Option<(usize, usize)>,
    /// Digest of the requirement.md that the span was taken from, 64 hex digits.
    pub source_sha256: Option<String>,
    /// Where it was written.
    pub place: Place,
}

/// A row of the matrix: case × criterion × layer.
#[derive(Clone, Debug)]
pub struct Test {
    /// `<case>.<criterion>.<layer>` in written plans.
    pub id: Id,
    /// The criteria it shows.
    pub requirement_ids: Vec<Id>,
    /// Its type, which is the layer (`api`, `command`, `persistence`, …).
    pub kind: String,
    /// What is done, in words.
    pub steps: Vec<String>,
    /// What must come out, in words.
    pub expected: String,
    /// Layers of evidence that it needs.
    pub required_evidence: Vec<String>,
    /// The status that the plan gives it before anything ran.
    pub planned_status: String,
    /// Where it was written.
    pub place: Place,
}

impl Test {
    /// The layer that must show it. Seed-form documents have finer types, of which some are shown like a coarser one.
    #[must_use]
    pub fn layer(&self) -> &str {
        match self.kind.as_str() {
            "api_followup" | "api_poll" => "api",
            "database" | "db" => "persistence",
            other => other,
        }
    }
}

/// A line of the requirement that is not tested, on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excluded {
    /// The line.
    pub text: String,
    /// Why.
    pub why: String,
    /// Where it was written.
    pub place: Place,
}
