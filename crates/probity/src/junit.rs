//! junit.xml from a judged run. Blocked, inconclusive and capped are never green (design.md section 2, field.md).

use probity_core::judged::Judged;
use probity_core::verdict::Status;
use probity_formats::junit::{Case, Outcome, Report, Suite};

use crate::answer::ASSURANCE;
use crate::answer::facts::test_ms;

/// The file.
pub(crate) fn junit(judged: &Judged) -> String {
    let audited = judged.audited();
    let matrix = audited.checked().matrix();
    let recorded = audited.recorded();
    let cases = judged.tests().iter().zip(&matrix.tests).map(|(test, planned)| {
        let detail = test.notes.join("\n");
        let message = test.notes.first().cloned().unwrap_or_else(|| test.status.as_str().to_owned());
        let outcome = match test.status {
            Status::Passed => Outcome::Passed,
            Status::Failed => Outcome::Failed { code: "requirement_failed".to_owned(), message, detail },
            Status::Blocked | Status::Inconclusive | Status::Untested => {
                Outcome::Error { code: format!("requirement_{}", test.status.as_str()), message, detail }
            }
        };
        let requirements: Vec<String> = planned.requirement_ids.iter().map(ToString::to_string).collect();
        Case {
            name: test.id.to_string(),
            classname: requirements.join(" "),
            time_ms: Some(test_ms(judged, test)),
            outcome,
            stdout: None,
        }
    });
    let weakenings: Vec<String> = judged.weakenings().iter().map(|w| w.name.clone()).collect();
    let suite = Suite {
        name: recorded.opened().goal.clone(),
        timestamp: Some(recorded.opened_at().to_owned()),
        properties: vec![
            ("run".to_owned(), recorded.run().to_owned()),
            ("seal".to_owned(), recorded.seal().to_string()),
            ("status".to_owned(), judged.status().as_str().to_owned()),
            ("assurance".to_owned(), ASSURANCE.to_owned()),
            ("weakenings".to_owned(), weakenings.join(" ")),
        ],
        cases: cases.collect(),
    };
    let report = Report { name: "probity".to_owned(), suites: vec![suite] };
    let verdict = || {
        let first = judged.reasons().first()?;
        Some((first.code.as_str().to_owned(), first.message.clone()))
    };
    let report = report.with_verdict(|_| if judged.can_claim_pass() { None } else { verdict() });
    // Everything is drawn before it is written, so that only a fault of the writer itself could come here.
    report.to_xml().unwrap_or_else(|error| {
        format!("<testsuites name=\"probity\" errors=\"1\"><!-- {} --></testsuites>\n", error.reason)
    })
}
