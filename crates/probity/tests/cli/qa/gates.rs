//! The gate of a phase: every way in which a requirement holds it up, or does not.

use insta::assert_snapshot;

use super::{calm, gate, must, qa, soon, with_r};
use crate::place::Place;

fn said(code: i32, why: &str) -> (i32, String) {
    (code, why.to_owned())
}

#[test]
fn from_undetermined_to_satisfied_and_stale() {
    let place = Place::without_service();
    // Nothing is required: nothing is not a pass.
    must(&place, 0, "require OTHER --non-blocking --phase post_deploy --by ann");
    assert_eq!(gate(&place, "--phase verification"), said(5, "no_requirement"));
    must(&place, 0, "require R --by ann");
    assert_eq!(gate(&place, "--phase verification"), said(5, "no_runs"));
    must(&place, 0, "record R --verdict pass --commit c1 --by bo");
    assert_eq!(gate(&place, "--phase verification"), said(5, "runs_reported_only"));
    must(&place, 0, "require R --accept-reported --by ann --reason manual");
    assert_eq!(gate(&place, "--phase verification"), said(0, ""));
    let other = qa(&place, "gate --commit c2 --phase verification --format json");
    assert_eq!((other.code, &other.json()["blocking"][0]["code"]), (5, &"runs_stale".into()), "{other}");
    assert_eq!(qa(&place, "gate --commit c2 c1 --phase verification").code, 0);
    // Without git and without --commit nobody says what is asked about.
    let nothing = qa(&place, "gate --phase verification --format json");
    assert_eq!((nothing.code, &nothing.json()["blocking"][0]["code"]), (5, &"commit_unknown".into()));
}

#[test]
fn the_newest_run_decides_where_one_is_enough() {
    let place = with_r("");
    must(&place, 0, "record R --verdict fail --commit c1 --by bo --reason boom");
    assert_eq!(gate(&place, ""), said(7, "no_match"));
    must(&place, 0, "record R --verdict pass --commit c1 --by bo");
    assert_eq!(gate(&place, ""), said(0, ""));
    assert_eq!(gate(&place, "--max-attempts 1"), said(7, "attempts_exceeded"));
    assert_eq!(gate(&place, "--max-attempts 2"), said(0, ""));
    must(&place, 0, "record R --verdict fail --commit c1 --by bo");
    assert_eq!(gate(&place, ""), said(7, "newest_contradicts"));
    assert_eq!(gate(&place, "--select any"), said(0, ""));
    // Another commit's run does not count here, and an undetermined one says nothing against it.
    must(&place, 0, "record R --verdict pass --commit c2 --by bo");
    assert_eq!(gate(&place, ""), said(7, "newest_contradicts"));
}

#[test]
fn attempts_are_those_that_count() {
    let place = Place::without_service();
    must(&place, 0, "require R --by ann");
    // Reported runs do not use up attempts where they do not count.
    for _ in 0..3 {
        must(&place, 0, "record R --verdict fail --commit c1 --by bo");
    }
    assert_eq!(gate(&place, "--max-attempts 1"), said(5, "runs_reported_only"));
}

#[test]
fn a_series_needs_its_runs() {
    let place = with_r(r#"{"type": "statistical", "min_runs": 3, "min_pass_rate": 0.6}"#);
    for (verdict, expected) in
        [("pass", said(5, "insufficient_runs")), ("fail", said(5, "insufficient_runs")), ("pass", said(0, ""))]
    {
        must(&place, 0, &format!("record R --verdict {verdict} --commit c1 --by bo"));
        assert_eq!(gate(&place, ""), expected);
    }
    must(&place, 0, "record R --verdict error --commit c1 --by bo");
    assert_eq!(gate(&place, ""), said(7, "pass_rate_below"));
}

#[test]
fn what_holds_nothing_up_is_told_all_the_same() {
    let place = with_r("");
    must(&place, 0, "record R --verdict fail --commit c1 --by bo");
    must(&place, 0, "require R --non-blocking --by eve --reason nightly");
    let ran = must(&place, 0, "gate --commit c1");
    assert!(ran.stdout.contains("FAILED        R (holds nothing up)   no_match"), "{ran}");
    assert_eq!(qa(&place, "gate --commit c1 --format json").json()["not_blocking"], 1);
}

#[test]
fn a_waiver_is_said_each_time_and_void_when_terms_change() {
    let place = with_r("");
    must(&place, 0, "record R --verdict fail --reason boom --commit c1 --by bo");
    must(&place, 0, &format!("waive R --by ann --reason lab-is-moved --until {}", soon()));
    assert_snapshot!(calm(&must(&place, 0, "gate --commit c1").to_string()), @r"
    exit 0
    --- stdout
    OPENED  all phases on c1   open only because of 1 waiver
      WAIVED        R   no_match   0 of 1 measured run is what the policy asks for (1 fail)
          waiver    by ann until 2026-12-24T23:59:59Z: lab-is-moved
          warning   waiver_unsigned   it is open because of a waiver that bears no signature
      decision      decision-7f3a91c2   sha256 7f3a91c2d4e8b016..
    exit 0
    --- stderr
    ");
    let answer = qa(&place, "gate --commit c1 --format json").json();
    assert_eq!(
        (&answer["ok"], &answer["by_waiver"], answer["waived"][0]["waiver"]["by"].as_str()),
        (&true.into(), &true.into(), Some("ann"))
    );
    assert_eq!(answer["waived"][0]["warnings"][0]["code"], "waiver_unsigned");
    must(&place, 0, "require R --phase post_deploy --by ann --reason later");
    assert_eq!(gate(&place, ""), said(7, "no_match"));
    let void = qa(&place, "gate --commit c1 --format json").json();
    assert_eq!(void["blocking"][0]["warnings"][0]["code"], "waiver_void");
    // For another commit alone it does not count here.
    must(&place, 0, &format!("waive R --by ann --reason x --until {} --commit c2", soon()));
    assert_eq!(gate(&place, ""), said(7, "no_match"));
    assert_eq!(qa(&place, "gate --commit c2").code, 0);
}

#[test]
fn a_waiver_has_an_end_a_reason_and_an_author() {
    let place = with_r("");
    let refused = |words: &str, code: &str| {
        let ran = must(&place, 2, &format!("{words} --format json"));
        assert_eq!(ran.json()["error"]["code"], code, "{ran}");
    };
    refused("waive R --by ann --reason x --until 2020-01-01", "waiver_ends");
    refused("waive R --by ann --reason x --until 2999-01-01", "waiver_ends");
    refused("waive R --by ann --reason x --until tomorrow", "value_out_of_range");
    refused(&format!("waive S --by ann --reason x --until {}", soon()), "requirement_unknown");
    refused("waive R --by ann --until 2999-01-01", "usage_error");
}

#[test]
fn a_decision_is_kept_with_what_it_rests_on() {
    let place = with_r("");
    must(&place, 0, "record R --verdict pass --commit c1 --by bo");
    let told = qa(&place, "gate --commit c1 --format json").json();
    let export = must(&place, 0, "export").stdout;
    let line = export.lines().find(|line| line.contains(r#""row":"decision""#)).unwrap();
    let kept: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!((&kept["key"], &kept["sha256"]), (&told["decision"]["key"], &told["decision"]["sha256"]));
    let body = kept["body"].as_str().unwrap();
    assert_eq!(probity_core::ids::Digest::of(body.as_bytes()).to_string(), kept["sha256"].as_str().unwrap());
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["commits"], serde_json::json!(["c1"]));
    let one = &body["requirements"][0];
    assert_eq!(
        (&one["id"], &one["version"], &one["runs"], &one["code"]),
        (&"R".into(), &1.into(), &1.into(), &"matched".into())
    );
}

#[test]
fn a_refused_gate_and_a_status_as_people_read_them() {
    let place = with_r("");
    must(&place, 0, "require LOOK --kind visual-regression --plan look.probity.yaml --by ann");
    must(&place, 0, "require FINE --accept-reported --by ann");
    must(&place, 0, "record FINE --verdict pass --commit c1 --by bo");
    must(&place, 0, "record R --verdict fail --commit c1 --by bo --reason the-total-differs");
    assert_snapshot!(calm(&must(&place, 7, "gate --commit c1").to_string()), @r"
    exit 7
    --- stdout
    REFUSED  all phases on c1   2 of 3 requirements in the way
      FAILED        R   no_match   0 of 1 measured run is what the policy asks for (1 fail)
      UNDETERMINED  LOOK   no_runs   there is no run
      satisfied     FINE
      decision      decision-7f3a91c2   sha256 7f3a91c2d4e8b016..
    next      product probity qa list R                       its newest runs, with why
              yours   probity run look.probity.yaml           it is recorded by itself
    exit 7
    --- stderr
    ");
    assert_snapshot!(calm(&must(&place, 0, "status --commit c1").to_string()), @r"
    exit 0
    --- stdout
    UNMET  2 of 3 requirements on c1
      FAILED        R   no_match   0 of 1 measured run is what the policy asks for (1 fail)
      UNDETERMINED  LOOK   no_runs   there is no run
      satisfied     FINE   matched   1 of 1 measured run is what the policy asks for (1 pass)
    next      product probity qa list R                       its newest runs, with why
              yours   probity run look.probity.yaml           it is recorded by itself
    exit 0
    --- stderr
    ");
    assert_snapshot!(calm(&must(&place, 0, "status FINE --commit c1").to_string()), @r"
    exit 0
    --- stdout
    SATISFIED  1 requirement on c1
      satisfied     FINE   matched   1 of 1 measured run is what the policy asks for (1 pass)
    exit 0
    --- stderr
    ");
    let answer = must(&place, 0, "status R --commit c1 --format json").json();
    assert_eq!(answer["requirements"][0]["next"]["cmd"], "probity qa list R");
    must(&place, 2, "status NONE --commit c1");
}

#[test]
fn an_answer_with_many_requirements_fits() {
    let place = Place::without_service();
    let text: String = (0..60).fold(r#"{"row":"form","form":"probity/qa-export/1"}"#.to_owned() + "\n", |text, n| {
        text + &format!(
            "{{\"row\":\"requirement\",\"id\":\"R{n}\",\"kind\":\"smoke\",\"source\":\"explicit\",\"by\":\"ann\",\"at\":1}}\n\
             {{\"row\":\"version\",\"requirement\":\"R{n}\",\"version\":1,\"success_policy\":null,\"phase\":\"verification\",\"blocking_mode\":\"blocking\",\"target_env\":null,\"plan\":null,\"accept_reported\":false,\"by\":\"ann\",\"reason\":null,\"at\":1}}\n"
        )
    });
    place.write("many.jsonl", &text);
    must(&place, 0, "import many.jsonl");
    let ran = must(&place, 5, "gate --commit c1 --format json");
    assert!(ran.stdout.len() <= 8193, "{}", ran.stdout.len());
    let answer = ran.json();
    let shown = answer["blocking"].as_array().unwrap().len();
    assert!(shown > 3, "{shown}");
    assert_eq!(answer["left_out"]["blocking"], 60 - shown);
}
