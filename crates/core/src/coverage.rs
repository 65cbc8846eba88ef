//! Whether every line of the requirement is claimed by a criterion, or put aside on purpose (harness-planning.md 5).
//!
//! Rows of expanded plans carry the byte span of their line and the digest of the text: for them coverage is exact. Rows
//! that people write beside a requirement of their own are matched by words, and each such match is a warning.

mod bind;
mod sentences;
mod split;
mod view;
mod words;

#[cfg(test)]
mod tests;

pub use split::{Aside, Ignored, Reason, SourceUnit, Split, split};

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Place;
use crate::ids::{Digest, Id};
use crate::inert::shortened;
use crate::matrix::{Criterion, Excluded, Matrix};

/// The name of the document that findings point into.
const FILE: &str = "requirement.md";

/// How a requirement is claimed by a matrix.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// The units that need a criterion, in order.
    pub units: Vec<UnitCoverage>,
    /// Units that are put aside, by a section of the text or by a row of the matrix. `Later` ones are ours and untested.
    pub excluded: Vec<SourceUnit>,
    /// Pieces that imply nothing, with the reason.
    pub ignored: Vec<Ignored>,
    /// How many criteria the matrix has.
    pub criteria: usize,
    /// Whether unclaimed units are let through (`--allow requirement_source_unmapped`): the run may go on, and still
    /// nothing passes.
    pub allow_unmapped: bool,
    /// What was noticed: errors for unclaimed units, warnings for weak matches.
    pub findings: Vec<Diagnostic>,
}

/// A unit with the rows that claim it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitCoverage {
    /// The unit.
    pub unit: SourceUnit,
    /// Rows that claim it.
    pub matches: Vec<Match>,
    /// Whether they claim all of it.
    pub covered: bool,
    /// A row that comes near, and what keeps it away.
    pub nearly: Option<String>,
}

/// A row that claims a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The criterion.
    pub requirement_id: Id,
    /// The status that the matrix gives it.
    pub requirement_status: String,
    /// How it was found.
    pub method: Method,
    /// How much of the unit it claims, in thousandths.
    pub score: u16,
}

/// How a row was found to claim a unit, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// By span and digest: exact.
    SourceSpan,
    /// The unit stands in the row, word by word.
    TextContains,
    /// The row names the unit's line or id, and shares words with it.
    Source,
    /// They share most words.
    TokenOverlap,
}

impl Method {
    /// As requirement-coverage.json has it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SourceSpan => "source_span",
            Self::TextContains => "text_contains",
            Self::Source => "source",
            Self::TokenOverlap => "token_overlap",
        }
    }
}

impl Match {
    fn new(criterion: &Criterion, method: Method, score: u16) -> Self {
        let requirement_status = criterion.planned_status.clone();
        Self { requirement_id: criterion.id.clone(), requirement_status, method, score }
    }
}

/// The units of a requirement that a criterion must claim, in order.
#[must_use]
pub fn units(requirement: &str) -> Vec<SourceUnit> {
    split(requirement).units
}

/// Works out which units the criteria of a matrix claim.
#[must_use]
pub fn coverage(requirement: &str, matrix: &Matrix) -> Coverage {
    let Split { mut units, mut excluded, ignored } = split(requirement);
    put_aside(&mut units, &mut excluded, matrix);
    let digest = Digest::of(requirement.as_bytes()).to_string();
    let bound = bind::bind(requirement, units, &matrix.criteria, &digest);
    let mut findings = Vec::new();
    if bound.units.is_empty() {
        findings.push(finding(Severity::Error, Code::SourceUncovered, None, "the requirement says nothing"));
    }
    if bound.too_large {
        let message = "the requirement is too large to match its lines by words; bind rows by source_span";
        findings.push(finding(Severity::Error, Code::SourceUncovered, None, message));
    }
    for (index, why) in bound.loose {
        if let Some(criterion) = matrix.criteria.get(index) {
            let message = format!("the row {} {why}, so it is matched by its words", criterion.id);
            let mut weak = finding(Severity::Warning, Code::SourceWeaklyMapped, None, message);
            weak.subject = Some(criterion.id.to_string());
            findings.push(weak);
        }
    }
    findings.extend(bound.units.iter().filter_map(unit_finding));
    let criteria = matrix.criteria.len();
    Coverage { units: bound.units, excluded, ignored, criteria, allow_unmapped: false, findings }
}

/// Moves units that a row of the matrix puts aside by their very text.
fn put_aside(units: &mut Vec<SourceUnit>, excluded: &mut Vec<SourceUnit>, matrix: &Matrix) {
    let holds = |rows: &[Excluded], unit: &SourceUnit| {
        rows.iter().any(|row| row.text.split_whitespace().eq(unit.text.split_whitespace()))
    };
    let (mut aside, rest): (Vec<_>, Vec<_>) = std::mem::take(units)
        .into_iter()
        .partition(|unit| holds(&matrix.out_of_scope, unit) || holds(&matrix.later, unit));
    for unit in &mut aside {
        let later = holds(&matrix.later, unit);
        unit.aside = Some(if later { Aside::Later } else { Aside::OutOfScope });
    }
    *units = rest;
    excluded.extend(aside);
    excluded.sort_by_key(|unit| unit.span);
}

/// What there is to say of a unit.
fn unit_finding(unit: &UnitCoverage) -> Option<Diagnostic> {
    let text = shortened(&unit.unit.text, 80);
    let best = unit.matches.iter().min_by_key(|found| (found.method, 1000 - found.score.min(1000)));
    let (severity, code, message) = match best {
        Some(best) if unit.covered && best.method == Method::SourceSpan => return None,
        Some(best) if unit.covered => {
            let by = best.method.as_str();
            let message = format!("`{text}` is mapped to {} by its words alone ({by})", best.requirement_id);
            (Severity::Warning, Code::SourceWeaklyMapped, message)
        }
        Some(best) => {
            let message = format!("a part of `{text}` maps to no criterion; {} claims the rest", best.requirement_id);
            (Severity::Error, Code::SourceUncovered, message)
        }
        None => {
            let nearly = unit.nearly.as_ref().map(|nearly| format!("; {nearly}")).unwrap_or_default();
            (Severity::Error, Code::SourceUncovered, format!("`{text}` maps to no criterion{nearly}"))
        }
    };
    Some(finding(severity, code, Some(&unit.unit), message))
}

fn finding(severity: Severity, code: Code, unit: Option<&SourceUnit>, message: impl Into<String>) -> Diagnostic {
    Diagnostic {
        code,
        severity,
        file: FILE.to_owned(),
        place: unit.map(|unit| Place::new(unit.span.0, unit.span.1, unit.line, unit.column)),
        subject: unit.map(|unit| unit.id.clone()),
        message: message.into(),
        help: Some(code.explanation().remedy.to_owned()),
    }
}

impl Coverage {
    /// Whether every unit is claimed, and there is one.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        !self.units.is_empty() && self.uncovered().next().is_none() && !self.has_errors()
    }

    /// Whether coverage lets the whole pass. Letting unclaimed units through does not.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.is_complete()
    }

    /// Whether steps may run.
    #[must_use]
    pub fn execution_allowed(&self) -> bool {
        self.allow_unmapped || self.is_complete()
    }

    /// Units that are not wholly claimed.
    pub fn uncovered(&self) -> impl Iterator<Item = &UnitCoverage> {
        self.units.iter().filter(|unit| !unit.covered)
    }

    fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }
}
