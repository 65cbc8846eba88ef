//! `run` beyond one plan: what would be run, runs that are repeated.

use serde_json::json;

use crate::place::{PASSES, Place, fails};

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

#[test]
fn repeated_runs_are_attempts_of_one_series_and_the_worst_decides() {
    let place = Place::with_service().plan(PASSES);
    let ran = place.probity("run --repeat 3 --format json");
    assert_eq!(ran.code, 0, "{ran}");
    let answer = ran.json();
    assert_eq!((&answer["schema"], &answer["status"]), (&json!("probity/runs/1"), &json!("passed")));
    assert_eq!(answer["counts"]["passed"], 3);
    let runs = answer["runs"].as_array().unwrap();
    let attempts: Vec<&serde_json::Value> = runs.iter().map(|run| &run["attempt"]["n"]).collect();
    assert_eq!(attempts, [1, 2, 3]);
    let folders: std::collections::BTreeSet<&str> = runs.iter().map(|run| run["dir"].as_str().unwrap()).collect();
    assert_eq!(folders.len(), 3);

    // Two plans, one of which fails: each is run as often as was asked.
    place.write("other.probity.yaml", &fails());
    let ran = place.probity("run --repeat 2");
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.stdout.ends_with("\nFAILED  4 runs: 2 passed, 2 failed\nexit 1\n"), "{ran}");
    for refused in ["--repeat 0", "--repeat x", "--repeat 2 --challenge c", "--repeat 2 --plan-only"] {
        assert_eq!(place.probity(&format!("run {refused}")).code, 2, "{refused}");
    }
}

#[test]
fn one_budget_serves_repeated_runs() {
    let place = Place::with_service().plan(PASSES);
    let settings = std::fs::read_to_string(place.path().join("probity.yaml")).unwrap();
    place.write("probity.yaml", &format!("{settings}limits: {{probes: 5}}\n"));
    let ran = place.probity("run --repeat 2 --format json");
    assert_eq!(ran.code, 5, "{ran}");
    let answer = ran.json();
    assert_eq!(answer["counts"]["passed"], 1);
    assert_eq!(answer["runs"][0]["first"]["code"], "budget_exceeded");
    assert_eq!(place.server.as_ref().unwrap().hits().len(), 5);
}
