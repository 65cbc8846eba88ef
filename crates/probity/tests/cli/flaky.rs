//! `probity qa flaky` beside the block of docs/flaky.md: the JSON answer, run folders, refusals.

use serde_json::json;

use crate::place::{PASSES, Place};

const WEEK: &str = r#"{"requirement":"A","commit":"c1","verdict":"pass","performed_by":"ci","created_at":"2026-11-30T14:00:00Z"}
{"requirement":"A","commit":"c1","verdict":"fail","performed_by":"ci","created_at":"2026-11-30T14:05:00Z"}
{"requirement":"A","commit":"c1","verdict":"pass","judge":"j","confidence":0.75,"created_at":"2026-11-30T14:06:00Z"}
{"requirement":"A","verdict":"error","performed_by":null}
{"requirement":"B","commit":"c1","verdict":"pass","performed_by":"ci","created_at":"2026-11-30T14:00:00Z"}
{"requirement":"B","commit":"c1","verdict":"fail","judge":"j","confidence":0.75,"created_at":"2026-11-30T14:06:00Z"}
{"requirement":"B","commit":"c1","verdict":"fail","judge":"k","confidence":2,"created_at":"2026-11-30T14:06:00Z"}
"#;

#[test]
fn the_answer_in_json() {
    let place = Place::without_service();
    place.write("week.jsonl", WEEK);
    let ran = place.probity("qa flaky --runs week.jsonl --format json");
    let answer = ran.json();
    assert_eq!(
        (ran.code, &answer["schema"], &answer["flaky"], &answer["rows"]),
        (0, &json!("probity/qa-flaky/1"), &json!(1), &json!(7))
    );
    let one = &answer["requirements"][0];
    assert_eq!((&one["requirement"], &one["flaky"], &one["no_commit"]), (&json!("A"), &json!(true), &json!(1)));
    assert_eq!(one["pass_rate"], json!({"part": 2, "of": 3, "value": 0.6667, "low": 0.2077, "high": 0.9385}));
    assert_eq!(one["by_commit"][0]["transitions"], 1);
    // Nothing was measured twice: that is unknown, and not false.
    assert_eq!(answer["requirements"][1]["flaky"], json!(null));
    assert_eq!(answer["runners"][0]["error_rate"]["of"], 3);
    // The runs of A disagree, so the judge can be held against B alone, where it was wrong at 0.75.
    let judge = &answer["judges"][0];
    assert_eq!((&judge["compared"], &judge["without_truth"], &judge["brier"]), (&json!(1), &json!(1), &json!(0.5625)));
    assert_eq!(answer["judges"][1]["brier"], json!(null));
    assert_eq!(answer["agreements"][0]["kappa"], json!(null));
    let not_said = &answer["not_said"];
    assert_eq!(not_said["commit"], json!({"missing": 1, "null": 0, "unfit": 0}));
    assert_eq!(not_said["performed_by"], json!({"missing": 3, "null": 1, "unfit": 0}));
    assert_eq!(not_said["confidence"], json!({"missing": 0, "null": 0, "unfit": 1}));
    assert_eq!(not_said["created_at"], 1);
    let ran = place.probity("qa flaky --runs week.jsonl --requirement B --format json");
    assert_eq!((&ran.json()["rows"], &ran.json()["flaky"]), (&json!(3), &json!(0)));
}

#[test]
fn run_folders_are_rows_too() {
    let place = Place::with_service().plan(PASSES);
    place.probity("run");
    place.probity("run");
    let ran = place.probity("qa flaky --runs probity-runs --format json");
    let answer = ran.json();
    assert_eq!((ran.code, &answer["rows"], &answer["runners"][0]["performed_by"]), (0, &json!(2), &json!("probity")));
    // The folder of the test is in no repository: there is no commit to be flaky at.
    assert_eq!(
        (&answer["requirements"][0]["flaky"], &answer["not_said"]["commit"]["missing"]),
        (&json!(null), &json!(2))
    );
}

#[test]
fn what_cannot_be_read_is_refused() {
    let place = Place::without_service();
    place.write("bad.jsonl", "{\"verdict\":\"pass\"}\n{\"verdikt\":\"pass\"}\n");
    let ran = place.probity("qa flaky --runs bad.jsonl");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("bad.jsonl:2:") && ran.stderr.contains("missing_field"), "{}", ran.stderr);
    assert_eq!(place.probity("qa flaky --runs nowhere.jsonl").code, 2);
    assert_eq!(place.probity("qa flaky").code, 2);
    place.write("none.jsonl", "");
    assert_eq!(place.probity("qa flaky --runs none.jsonl").code, 0);
}
