//! `run` beyond one plan: what would be run, runs that are repeated.

use serde_json::json;

use crate::place::{PASSES, Place};

#[test]
fn what_would_be_run_is_shown_and_nothing_is_sent() {
    let place = Place::with_service().plan(PASSES);
    let ran = place.probity("run --plan-only");
    assert_eq!(ran.code, 4, "{ran}");
    let sent = place.server.as_ref().unwrap().hits();
    assert!(sent.is_empty(), "{} requests", sent.len());
    assert!(!place.path().join("probity-runs").exists());
    let answer = place.probity("run --plan-only --only ORDER-2 --format json");
    assert_eq!(answer.code, 4);
    let answer = answer.json();
    assert_eq!(answer["schema"], "probity/plan-only/1");
    assert_eq!((&answer["status"], &answer["can_claim_pass"]), (&json!("untested"), &json!(false)));
    assert_eq!(answer["plans"][0]["preflight"], json!([{"code": null, "message": null, "origin": place.origin()}]));
    assert_eq!(
        answer["steps"][1],
        json!({
            "plan": "order.probity.yaml", "case": "ORDER-001", "step": "ORDER-001.2", "cleanup": false,
            "does": format!("GET {}/items/{{order}}", place.origin()), "idempotent": true, "checks": 3,
            "covers": ["ORDER-2"], "place": {"file": "order.probity.yaml", "line": 19, "column": 9},
        })
    );
}

#[test]
fn a_plan_that_would_not_run_says_why() {
    let place = Place::with_service().plan(
        &PASSES.replace("expect: {status: 200, json: {total: \"{shown}\", sku: MUG-1}}", "expect: {status: 200}"),
    );
    let ran = place.probity("run --plan-only");
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.stdout.contains("UNTESTED  Order total: the check found errors"), "{ran}");
    let away = Place::without_service().plan(PASSES);
    let ran = away.probity("run --plan-only --format json");
    assert_eq!(ran.code, 3, "{ran}");
    assert_eq!(ran.json()["plans"][0]["preflight"][0]["code"], "target_unreachable");
    assert_eq!(ran.json()["status"], "untested");
    let nothing = Place::with_service().plan(PASSES);
    assert_eq!(nothing.probity("run --plan-only --only ORDER-9").code, 4);
    assert!(!nothing.path().join("probity-runs").exists());
}
