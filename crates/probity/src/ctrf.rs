//! ctrf.json from a judged run (Common Test Report Format). Blocked, inconclusive and untested are `other`, with their own
//! word as `rawStatus`. Many readers count `failed` alone, so a run that did not pass and has no failed test gets one
//! `verdict` that failed: blocked, inconclusive and capped are never green (threats.md D9).

use jiff::Timestamp;
use probity_core::inert::inert_lines;
use probity_core::json::{Json, Map};
use probity_core::judged::{Judged, JudgedTest};
use probity_core::matrix::Test;
use probity_core::verdict::Status;

use crate::answer::ASSURANCE;
use crate::answer::facts::test_ms;

/// The version of the format that is written.
const VERSION: &str = "1.0.0";

/// The file.
pub(crate) fn ctrf(judged: &Judged) -> String {
    let audited = judged.audited();
    let recorded = audited.recorded();
    let matrix = audited.checked().matrix();
    let mut statuses: Vec<&'static str> = judged.tests().iter().map(|test| status(test.status)).collect();
    let mut tests: Vec<Json> =
        judged.tests().iter().zip(&matrix.tests).map(|(test, planned)| row(judged, test, planned)).collect();
    if !judged.can_claim_pass() && !statuses.contains(&"failed") {
        statuses.push("failed");
        tests.push(verdict(judged));
    }
    let count = |word: &str| statuses.iter().filter(|status| **status == word).count();
    let counts = ["passed", "failed", "skipped", "pending", "other"].map(|word| (word, Json::from(count(word))));
    let ms = |at: &str| at.parse::<Timestamp>().map_or(0, Timestamp::as_millisecond);
    let times = [("start", ms(recorded.opened_at())), ("stop", ms(recorded.last_at()))];
    let summary = [("tests", Json::from(tests.len()))].into_iter().chain(counts);
    let summary = summary.chain(times.map(|(name, ms)| (name, Json::from(ms))));
    let weakenings = judged.weakenings().iter().map(|weakening| weakening.name.as_str());
    let extra = Json::map([
        ("run", Json::from(recorded.run())),
        ("seal", recorded.seal().to_string().into()),
        ("status", judged.status().as_str().into()),
        ("canClaimPass", judged.can_claim_pass().into()),
        ("assurance", ASSURANCE.into()),
        ("weakenings", Json::list(weakenings)),
    ]);
    let environment = audited.checked().environment().name.as_ref();
    let results = Json::map([
        ("tool", Json::map([("name", Json::from("probity")), ("version", recorded.opened().tool.as_str().into())])),
        ("summary", Json::map(summary)),
        ("tests", Json::List(tests)),
        ("environment", Json::map(environment.map(|name| ("testEnvironment", drawn(name))))),
        ("extra", extra),
    ]);
    let document = [("reportFormat", Json::from("CTRF")), ("specVersion", VERSION.into()), ("results", results)];
    Json::map(document).pretty()
}

const fn status(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        Status::Blocked | Status::Inconclusive | Status::Untested => "other",
    }
}

fn drawn(text: &str) -> Json {
    Json::from(inert_lines(text).into_owned())
}

fn row(judged: &Judged, test: &JudgedTest, planned: &Test) -> Json {
    let checked = judged.audited().checked();
    let mut row: Map = [
        ("name", Json::from(&test.id)),
        ("status", status(test.status).into()),
        ("duration", test_ms(judged, test).into()),
        ("rawStatus", test.status.as_str().into()),
        ("suite", Json::list([checked.title()].map(drawn))),
        ("type", drawn(&planned.kind)),
        ("tags", Json::list(planned.requirement_ids.iter().map(ToString::to_string))),
    ]
    .into_iter()
    .collect();
    if test.status != Status::Passed {
        let word = || test.status.as_str().to_owned();
        row.push("message", drawn(&test.notes.first().cloned().unwrap_or_else(word)));
        row.push("trace", drawn(&test.notes.join("\n")));
    }
    if checked.is_written() && planned.place.line > 0 {
        row.push("filePath", checked.file());
        row.push("line", planned.place.line);
    }
    Json::Map(row)
}

/// The row that keeps a run without a failed test from being taken for green.
fn verdict(judged: &Judged) -> Json {
    let first = judged.reasons().first();
    let message = first.map_or_else(String::new, |reason| format!("{}: {}", reason.code, reason.message));
    Json::map([
        ("name", Json::from("verdict")),
        ("status", "failed".into()),
        ("duration", 0.into()),
        ("rawStatus", judged.status().as_str().into()),
        ("message", drawn(&message)),
    ])
}
