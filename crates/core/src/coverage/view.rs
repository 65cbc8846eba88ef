//! requirement-coverage.json, with the reference's field names (harness-planning.md 5.3) and ours behind them.

use super::{Coverage, Match, Reason, SourceUnit, UnitCoverage};
use crate::diagnostic::Severity;
use crate::json::{Json, Number};

impl Coverage {
    /// The view requirement-coverage.json.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let covered = self.units.len() - self.uncovered().count();
        let (errors, warnings) = self.messages();
        Json::map([
            ("schema_version", Json::from(1u8)),
            ("requirement_unit_count", self.units.len().into()),
            ("source_unit_audited_count", self.units.len().into()),
            ("source_unit_total_count", self.units.len().into()),
            ("source_unit_omitted_count", 0u8.into()),
            ("source_units_truncated", false.into()),
            ("max_units", 0u8.into()),
            ("matrix_requirement_count", self.criteria.into()),
            ("covered_count", covered.into()),
            ("uncovered_count", (self.units.len() - covered).into()),
            ("coverage_complete", self.is_complete().into()),
            ("allow_unmapped_source", self.allow_unmapped.into()),
            ("execution_allowed", self.execution_allowed().into()),
            ("passed", self.passed().into()),
            ("coverage", Json::list(self.units.iter().map(unit))),
            ("errors", Json::from(errors)),
            ("warnings", Json::from(warnings)),
            ("input_artifact_errors", Json::list::<Json>([])),
            ("excluded", Json::list(self.excluded.iter().map(excluded))),
            ("ignored", Json::list(self.ignored())),
        ])
    }

    /// Messages of errors and warnings. Errors that are let through count as warnings (5.4).
    fn messages(&self) -> (Vec<String>, Vec<String>) {
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        for finding in &self.findings {
            let place = finding.place.map(|place| format!("line {}: ", place.line)).unwrap_or_default();
            let message = format!("{place}{}", finding.message);
            match finding.severity {
                Severity::Error => errors.push(message),
                Severity::Warning => warnings.push(message),
            }
        }
        if self.allow_unmapped {
            warnings.extend(errors.iter().cloned());
        }
        (errors, warnings)
    }

    /// Ignored pieces but for white space.
    fn ignored(&self) -> impl Iterator<Item = Json> {
        self.ignored
            .iter()
            .filter(|piece| piece.reason != Reason::Blank)
            .map(|piece| Json::map([("reason", Json::from(piece.reason.as_str())), ("source_span", span(piece.span))]))
    }
}

fn unit(unit: &UnitCoverage) -> Json {
    Json::map([
        ("id", Json::from(&unit.unit.id)),
        ("source", (&unit.unit.source).into()),
        ("text", (&unit.unit.text).into()),
        ("covered", unit.covered.into()),
        ("matches", Json::list(unit.matches.iter().map(found))),
        ("source_span", span(unit.unit.span)),
    ])
}

fn found(found: &Match) -> Json {
    Json::map([
        ("requirement_id", Json::from(&found.requirement_id)),
        ("requirement_status", (&found.requirement_status).into()),
        ("method", found.method.as_str().into()),
        ("score", score(found.score)),
    ])
}

fn excluded(unit: &SourceUnit) -> Json {
    Json::map([
        ("id", Json::from(&unit.id)),
        ("source", (&unit.source).into()),
        ("text", (&unit.text).into()),
        ("reason", unit.aside.map(super::Aside::as_str).into()),
        ("source_span", span(unit.span)),
    ])
}

fn span((start, end): (usize, usize)) -> Json {
    Json::list([start, end])
}

/// Thousandths as a decimal number.
fn score(thousandths: u16) -> Json {
    let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    Number::parse(text.trim_end_matches('0').trim_end_matches('.')).map_or(Json::Null, Json::Number)
}
