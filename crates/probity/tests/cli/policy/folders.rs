//! Run folders as QA runs: verdicts by the table, and no pass out of a folder that does not verify.

use insta::assert_snapshot;

use crate::place::{PASSES, Place, Ran, fails};

/// The series of all runs of a place, as a policy's answer names it.
fn explained(place: &Place, policy: &str, words: &str) -> Ran {
    place.write("policy.json", policy);
    place.probity(&format!("policy explain --policy policy.json {words} --format json"))
}

fn outcome(ran: &Ran) -> (String, String) {
    let answer = ran.json();
    let text = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
    (text("outcome"), text("reason"))
}

fn said(outcome: &str, reason: &str) -> (String, String) {
    (outcome.to_owned(), reason.to_owned())
}

#[test]
fn a_run_is_a_qa_run() {
    let record = PASSES.replace(
        "save: {order: id, shown: total}",
        "save: {order: id, shown: total}\n        record: {price: total, run: sku}",
    );
    let place = Place::with_service().plan(&record);
    assert_eq!(place.probity("run").code, 0);
    let status = |policy: &str| outcome(&explained(&place, policy, "--runs probity-runs"));
    assert_eq!(status(""), said("satisfied", "matched"));
    // The last step that is not cleanup answered 200; cleanup answered 204.
    let check =
        |name: &str, value: &str| format!("{{\"type\":\"deterministic\",\"check\":\"{name}\",\"expected\":{value}}}");
    assert_eq!(status(&check("http_status", "200")), said("satisfied", "matched"));
    assert_eq!(status(&check("http_status", "204")), said("failed", "no_match"));
    assert_eq!(status(&check("exit_code", "0")), said("undetermined", "no_measurement"));
    assert_eq!(status(&check("price", "29.960")), said("satisfied", "matched"));
    // What a step keeps does not take the place of what was seen.
    assert_eq!(status(&check("run", "\"MUG-1\"")), said("failed", "no_match"));
    let folder = place.run_folder();
    let id = folder.file_name().unwrap().to_str().unwrap();
    assert_eq!(status(&check("run", &format!("\"{id}\""))), said("satisfied", "matched"));
    for runs in [format!("probity-runs/{id}"), id[..16].to_owned()] {
        assert_eq!(outcome(&explained(&place, "", &format!("--runs {runs}"))), said("satisfied", "matched"), "{runs}");
    }
}

#[test]
fn a_failed_run_fails_and_a_blocked_one_is_an_error() {
    let failed = Place::with_service().plan(&fails());
    failed.probity("run");
    let ran = explained(&failed, "", "--runs probity-runs");
    assert_eq!(outcome(&ran), said("failed", "no_match"));
    failed.write("policy.json", "");
    let shown = failed.probity("policy explain --policy policy.json --runs probity-runs").out();
    let shown = shown.replace(ran.json()["requirement"].as_str().unwrap(), "5e71e55e71e55e71");
    let time = regex::Regex::new(r"\d\d-\d\d \d\d:\d\d").unwrap();
    assert_snapshot!(time.replace(&shown, "11-30 14:24"), @r"
    FAILED  5e71e55e71e55e71   deterministic, criteria verdict_pass   policy e3b0..55, v1
      reason      no_match   the one measured run is not what the policy asks for
      counted     0 for, 1 against   left out  0
      offered     1 run
        run                              verdict       at                counts
        20261130T142402Z-order-7f3a91c2  fail          11-30 14:24       against  requirement_failed
            expected json total equals 29.97, saw 29.96
      how sure    a product that works half the time gets to 1 of 1 50 times in 100
      would turn  to satisfied: 1 run more that is what the policy asks for
    next      product probity why 20261130T142402Z-order-7f3a91c2
    exit 1
    ");
    let blocked = Place::without_service().plan(PASSES);
    blocked.probity("run");
    let ran = explained(&blocked, "", "--runs probity-runs");
    assert_eq!(outcome(&ran), said("undetermined", "no_measurement"));
    assert_eq!(ran.json()["counts"]["error"], 1);
}

#[test]
fn nothing_that_does_not_verify_is_a_pass() {
    let place = Place::with_service().plan(PASSES);
    assert_eq!(place.probity("run").code, 0);
    let folder = place.run_folder();
    let broken = |what: &str| {
        let ran = explained(&place, "", "--runs probity-runs");
        assert_eq!(outcome(&ran), said("undetermined", "no_measurement"), "{what}");
        assert_eq!(ran.json()["counts"]["error"], 1, "{what}");
        assert_eq!(ran.json()["warnings"][0]["code"], "run_not_proved", "{what}");
    };
    // An edited view, an edited journal, a folder that is gone.
    let report = std::fs::read(folder.join("report.md")).unwrap();
    std::fs::write(folder.join("report.md"), "# edited\n").unwrap();
    broken("a view");
    std::fs::write(folder.join("report.md"), report).unwrap();
    assert_eq!(outcome(&explained(&place, "", "--runs probity-runs")), said("satisfied", "matched"));
    let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
    std::fs::write(folder.join("journal.jsonl"), journal.replacen("29.96", "29.97", 1)).unwrap();
    broken("the journal");
    std::fs::remove_dir_all(&folder).unwrap();
    broken("the folder");
}

#[test]
fn a_run_that_was_never_closed_is_pending() {
    let place = Place::with_service().plan(PASSES);
    place.probity("run");
    let journal = place.run_folder().join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    std::fs::write(&journal, lines[..lines.len() - 1].join("\n") + "\n").unwrap();
    std::fs::remove_file(place.path().join("probity-runs/index.jsonl")).unwrap();
    let ran = explained(&place, "", "--runs probity-runs");
    assert_eq!(outcome(&ran), said("undetermined", "no_runs"));
    assert_eq!(
        (&ran.json()["counts"]["pending"], &ran.json()["warnings"][0]["code"]),
        (&1.into(), &"run_pending".into())
    );
}

#[test]
fn runs_of_two_requirements_are_told_apart() {
    let place = Place::with_service().plan(PASSES);
    place.probity("run");
    let place = place.plan(&PASSES.replace("title: Order total", "title: Another"));
    place.probity("run");
    place.write("policy.json", "");
    let ran = place.probity("policy eval --policy policy.json --runs probity-runs --format json");
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (2, &"runs_mixed".into()));
    let help = ran.json()["error"]["help"].as_str().unwrap().to_owned();
    let one = help.strip_prefix("choose one: ").unwrap();
    let ran = place.probity(&format!("policy eval --policy policy.json --runs probity-runs {one} --format json"));
    assert_eq!(
        (ran.code, &ran.json()["counts"]["runs"], &ran.json()["explanation"]["other_requirements"]),
        (0, &1.into(), &1.into())
    );
}
