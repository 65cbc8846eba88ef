//! The types beside version 1 through the program: their semantics, what JSON says of them, and what they refuse.

use serde_json::{Value, json};

use super::{Files, SEVEN_OF_TEN, runs};

/// Exit code and answer of `eval`.
fn eval(policy: &str, verdicts: &[(&str, usize)]) -> (i32, Value) {
    let ran = Files::new(policy, &runs(verdicts)).policy("eval JUDGED --format json");
    (ran.code, ran.json())
}

#[test]
fn every_answer_names_its_semantics() {
    let beside = "success_policy-statistics/v1";
    for (policy, reason, semantics) in [
        (SEVEN_OF_TEN, "pass_rate_met", "success_policy-eval/v1"),
        (r#"{"type":"wilson","min_runs":5,"target":0.4,"confidence":0.9}"#, "lower_bound_met", beside),
        (r#"{"type":"wilson","min_runs":5,"target":0.97,"confidence":0.9}"#, "upper_bound_below", beside),
        (r#"{"type":"wilson","min_runs":5,"target":0.8,"confidence":0.9}"#, "interval_open", beside),
        (r#"{"type":"wilson","min_runs":11,"target":0.8,"confidence":0.9}"#, "insufficient_runs", beside),
        (r#"{"type":"pass_k","k":3,"min_runs":5,"target":0.1,"confidence":0.9}"#, "lower_bound_met", beside),
        (r#"{"type":"pass_k","k":3,"min_runs":5,"target":0.9,"confidence":0.9}"#, "upper_bound_below", beside),
        (r#"{"type":"sprt","p0":0.3,"p1":0.8,"alpha":0.05,"beta":0.05}"#, "ratio_met", beside),
        (r#"{"type":"sprt","p0":0.6,"p1":0.8,"alpha":0.05,"beta":0.05}"#, "ratio_open", beside),
        (r#"{"type":"sprt","p0":0.9,"p1":0.999,"alpha":0.05,"beta":0.05}"#, "ratio_below", beside),
        (r#"{"type":"planned_runs","planned":10,"min_pass_rate":0.8}"#, "series_met", beside),
        (r#"{"type":"planned_runs","planned":10,"min_pass_rate":0.9}"#, "series_missed", beside),
        (r#"{"type":"planned_runs","planned":11,"min_pass_rate":0.9}"#, "insufficient_runs", beside),
        // Of an invalid policy too, once its type is known.
        (r#"{"type":"wilson","min_runs":5,"target":1.5,"confidence":0.9}"#, "out_of_range", beside),
        (r#"{"type":"wilsen"}"#, "unknown_type", "success_policy-eval/v1"),
    ] {
        let (code, answer) = eval(policy, &[("\"pass\"", 8), ("\"fail\"", 1), ("\"error\"", 1)]);
        assert_eq!((&answer["reason"], &answer["semantics"]), (&json!(reason), &json!(semantics)), "{policy}");
        let exit = match answer["outcome"].as_str().unwrap() {
            "satisfied" => 0,
            "failed" => 1,
            "undetermined" => 5,
            _ => 2,
        };
        assert_eq!((code, &answer["exit"]), (exit, &json!(exit)), "{policy}");
        // Version 1 answers as it always did.
        let more = answer["explanation"].get("statistics");
        assert_eq!(more.is_some(), semantics == beside && exit != 2, "{policy}");
    }
}

#[test]
fn what_json_says_more() {
    let verdicts = [("\"pass\"", 8), ("\"fail\"", 2)];
    let said = |policy: &str| eval(policy, &verdicts).1["explanation"].clone();
    let wilson = said(r#"{"type":"wilson","min_runs":5,"target":0.4,"confidence":0.9}"#);
    assert_eq!(wilson["interval"], json!({"low": 0.5408, "high": 0.9314, "level": 0.9}));
    assert_eq!((&wilson["bound"], &wilson["value"]), (&json!(0.4), &json!(0.8)));
    let all = said(r#"{"type":"pass_k","k":3,"min_runs":5,"target":0.1,"confidence":0.9}"#);
    assert_eq!(all["statistics"], json!({"tries": 3, "estimate": 0.466_667}));
    assert_eq!(all["interval"], json!({"low": 0.1582, "high": 0.8081, "level": 0.9}));
    let ratio = said(r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.05,"beta":0.05}"#);
    assert_eq!(ratio["statistics"], json!({"log_ratio": 1.4834, "good_from": 2.9957, "bad_from": -2.9957}));
    let planned = said(r#"{"type":"planned_runs","planned":4,"min_pass_rate":0.75}"#);
    assert_eq!(
        planned["statistics"],
        json!({"planned": 4, "needed": 3, "full": 2, "left_out": 0, "series": [
            {"series": 1, "passed": 4, "runs": 4, "standing": "met", "counts": false},
            {"series": 2, "passed": 4, "runs": 4, "standing": "met", "counts": true},
            {"series": 3, "passed": 0, "runs": 2, "standing": "open", "counts": false},
        ]})
    );
}

/// Green afterwards mends nothing; a whole series that is green counts, and the one before it is not kept silent about.
#[test]
fn a_series_that_was_missed_is_told() {
    let policy = r#"{"type":"planned_runs","planned":4,"min_pass_rate":1}"#;
    let (code, answer) = eval(policy, &[("\"pass\"", 3), ("\"fail\"", 1), ("\"pass\"", 3)]);
    assert_eq!((code, &answer["reason"], &answer["warnings"]), (1, &json!("series_missed"), &json!([])));
    let (code, answer) = eval(policy, &[("\"pass\"", 3), ("\"fail\"", 1), ("\"pass\"", 4)]);
    assert_eq!((code, &answer["reason"]), (0, &json!("series_met")));
    assert_eq!(answer["warnings"][0]["code"], "series_repeated");
    assert_eq!(answer["next"][0]["why"], "series_repeated");
    // A half-good product: one of two series of four, 1 - (15/16)^2.
    assert_eq!(answer["explanation"]["at_half"]["chance"], json!(0.1211));
}

#[test]
fn runs_that_are_added_come_after_those_there_are() {
    let files = Files::new(
        r#"{"type":"planned_runs","planned":4,"min_pass_rate":1}"#,
        &runs(&[("\"pass\"", 3), ("\"fail\"", 1)]),
    );
    let ran = files.policy("what-if JUDGED --add 4*pass --format json");
    let answer = ran.json();
    assert_eq!(
        (ran.code, &answer["then"]["reason"], &answer["now"]["reason"]),
        (0, &json!("series_met"), &json!("series_missed"))
    );
    let ran = files.policy("what-if JUDGED --instead policy.json --add 3*pass --format json");
    assert_eq!(ran.json()["then"]["reason"], "series_missed");
}
