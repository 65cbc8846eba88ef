//! What a judge is asked, and what votes come to.

use insta::assert_snapshot;

use super::{Court, code, honest, script, votes};
use crate::place::{PASSES, Place};

#[test]
fn a_judge_that_notices_has_its_votes_counted() {
    let court = Court::new(&honest());
    assert_snapshot!(court.ask("--evidence cart.txt --votes 2 --requirement ORDER-2"), @r"
    exit 0
    --- stdout
    PASS  ORDER-2  The right total is shown.
      votes       2 of 2 count, confidence 0.9; 2 controls
        original    pass 0.9   x1
        original    pass 0.9   x1
        mutant      fail 0.8   x1
        mutant      fail 0.8   x1
      judge       look, by vision-3, not pinned, digest 7f3a91c2d4e8b016; isolation none
      made by     coder-7
      claim       reported: what a judge says is another program's word
    exit 0
    --- stderr
    ");
    let (exit, row) = court.row("--votes 3");
    assert_eq!((exit, row["verdict"].as_str(), code(&row)), (0, Some("pass"), ""));
    assert_eq!(row["confidence"], 0.9);
    let (votes, mutants) = (["original counts pass"; 3], ["mutant - fail"; 3]);
    assert_eq!(self::votes(&row), [mutants, votes].concat());
    // It fails what is wrong, and that is a result.
    let ran = court.ask("--evidence wrong.txt");
    assert_eq!((ran.code, ran.stdout.starts_with("FAIL  ")), (1, true), "{ran}");
}

#[test]
fn the_answer_is_one_document() {
    let ran = Court::new(&honest()).ask("--evidence cart.txt --format json");
    assert_eq!(ran.code, 0);
    assert_snapshot!(ran.answer().replace("mount_namespace", "none"), @r#"
    {
      "authors": [
        "coder-7"
      ],
      "class": "reported",
      "confidence": 0.9,
      "criterion": "The right total is shown.",
      "exit": 0,
      "isolation": "none",
      "judge": {
        "by": "vision-3",
        "digest": "0000000000000000000000000000000000000000000000000000000000000000",
        "name": "look",
        "pinned": false
      },
      "left_out": {
        "votes": 0
      },
      "mutation": "blank",
      "reason": null,
      "requirement": null,
      "schema": "probity/judge-run/1",
      "verdict": "pass",
      "void": false,
      "votes": [
        {
          "asked": "original",
          "code": null,
          "confidence": 0.9,
          "counts": true,
          "evidence": [
            "x1"
          ],
          "message": null,
          "reason": null,
          "verdict": "pass"
        },
        {
          "asked": "mutant",
          "code": null,
          "confidence": 0.8,
          "counts": false,
          "evidence": [
            "x1"
          ],
          "message": null,
          "reason": null,
          "verdict": "fail"
        }
      ],
      "written": null
    }
    "#);
}

#[test]
fn a_judge_that_passes_everything_has_no_vote() {
    let court = Court::new(&script("say pass 1", "say pass 1"));
    let (exit, row) = court.row("--votes 2");
    assert_eq!((exit, row["verdict"].as_str(), code(&row)), (3, Some("error"), "judge_control_failed"));
    assert_eq!(votes(&row), ["mutant - pass", "mutant - pass", "original - pass", "original - pass"]);
    assert!(row["confidence"].is_null());
    assert_eq!(row["raw_result"]["void"], "judge_control_failed");
}

#[test]
fn what_is_known_stands_in_the_place_of_what_is_judged() {
    let court = Court::new(&honest());
    court.0.write("other.txt", "total 29.97 of another cart\n");
    for (words, exit, why) in [
        ("--known-bad wrong.txt --known-good other.txt", 0, ""),
        // The judge passes this one, and refuses that one.
        ("--known-bad other.txt", 3, "judge_control_failed"),
        ("--known-good wrong.txt", 3, "judge_control_failed"),
    ] {
        let (code_is, row) = court.row(words);
        assert_eq!((code_is, code(&row)), (exit, why), "{words}");
    }
}

#[test]
fn where_nothing_bad_can_be_made_nothing_counts() {
    let court = Court::new(&honest());
    court.0.write("empty.txt", "");
    let ran = court.ask("--evidence empty.txt");
    assert_eq!((ran.code, ran.stdout.contains("judge_control_missing")), (3, true), "{ran}");
    let ran = court.ask("--evidence empty.txt --known-bad wrong.txt");
    assert_eq!(ran.code, 1, "{ran}");
}

#[test]
fn votes_that_differ_leave_it_open() {
    // Whether it has been asked about the cart before is all it goes by.
    let court =
        Court::new(&script("if [ -e seen ]; then say fail 0.9; else touch seen; say pass 0.9; fi", "say fail 1"));
    let (exit, row) = court.row("--votes 3");
    assert_eq!((exit, row["verdict"].as_str(), code(&row)), (5, Some("undetermined"), "judge_disagrees"));
    assert_eq!(row["verdict_reason"], "judge_disagrees the judge disagrees with itself: 1 pass, 2 fail");
    assert!(row["confidence"].is_null());
}

#[test]
fn a_qa_run_is_judged_by_a_success_policy() {
    let court = Court::new(&honest());
    court
        .0
        .write("policy.json", r#"{"type":"agent_judgment","min_runs":2,"confidence_pass":0.85,"confidence_fail":0.2}"#);
    let eval = |court: &Court| court.0.probity("policy eval --policy policy.json --runs runs.jsonl");
    assert_eq!(court.ask("--evidence cart.txt -o runs.jsonl").code, 0);
    assert_eq!(eval(&court).code, 5);
    assert_eq!(court.ask("--evidence cart.txt -o runs.jsonl").code, 0);
    let ran = eval(&court);
    assert_eq!((ran.code, ran.stdout.contains("confident_pass")), (0, true), "{ran}");
    assert_eq!(std::fs::read_to_string(court.0.path().join("runs.jsonl")).unwrap().lines().count(), 2);
    // A void judgement is no look at all.
    court.0.write("look.sh", &script("say pass 1", "say pass 1"));
    std::fs::remove_file(court.0.path().join("runs.jsonl")).unwrap();
    assert_eq!(court.ask("--evidence cart.txt -o runs.jsonl").code, 3);
    assert_eq!(court.ask("--evidence cart.txt -o runs.jsonl").code, 3);
    let ran = eval(&court);
    assert_eq!((ran.code, ran.stdout.contains("0 judged runs, 2 needed")), (5, true), "{ran}");
}

#[test]
fn evidence_and_criterion_come_out_of_a_run() {
    let place = Place::with_service().plan(&PASSES.replace("29.96", "29.97"));
    assert_eq!(place.probity("run").code, 0);
    place.write("look.sh", &honest());
    let settings = std::fs::read_to_string(place.path().join("probity.yaml")).unwrap();
    place.write("probity.yaml", &format!("{settings}judges: {{look: {{run: [sh, look.sh], by: vision-3}}}}\n"));
    let run = place.run_folder();
    let run = run.file_name().unwrap().to_str().unwrap();
    let ran =
        place.probity(&format!("judge run look --author coder-7 --run {run} --requirement order-2 --evidence e2 -o -"));
    assert_eq!(ran.code, 0, "{ran}");
    let row = ran.json();
    let raw = &row["raw_result"];
    assert_eq!(raw["criterion"], "The stored total equals the total that was shown.");
    assert_eq!((row["requirement"].as_str(), raw["run"]["id"].as_str()), (Some("ORDER-2"), Some(run)));
    assert_eq!(
        (raw["shown"][0]["from"].as_str(), raw["shown"][0]["media"].as_str()),
        (Some("e2"), Some("application/json"))
    );
    // Its digest is that of the evidence, which the run names as well.
    let shown = place.probity(&format!("show {run} e2 --format json")).stdout;
    assert!(shown.contains(raw["shown"][0]["sha256"].as_str().unwrap()), "{shown}");
    for (words, why) in
        [("--requirement ORDER-9 --evidence e2", "id_unknown"), ("--requirement ORDER-2 --evidence e99", "id_unknown")]
    {
        let ran = place.probity(&format!("judge run look --author coder-7 --run {run} {words}"));
        assert_eq!((ran.code, ran.stderr.contains(why)), (2, true), "{ran}");
    }
}
