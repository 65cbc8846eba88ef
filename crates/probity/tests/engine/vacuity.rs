//! Checks that cannot fail, through the whole program: a plan that proves nothing, and a twin that passes on the right
//! answer and fails on the wrong one.

use crate::lab::{Lab, Ran, outcome, reasons, steps};

fn case(steps: &str) -> String {
    format!("\ncases:\n  - id: CASE-1\n    title: a case\n    covers: [C-1]\n    steps:\n{steps}")
}

#[track_caller]
fn comes_to(lab: &Lab, args: &[&str], exit: i32, code: Option<&str>) -> Ran {
    let ran = lab.run(args);
    let dir = lab.runs().pop().unwrap();
    assert_eq!(ran.exit, exit, "{}", ran.said());
    let found = reasons(&dir);
    match code {
        Some(code) => assert!(found.iter().any(|found| found == code), "{found:?}\n{}", ran.said()),
        None => assert_eq!(found, Vec::<String>::new(), "{}", ran.said()),
    }
    ran
}

/// A plan whose checks ran and held, and which shows nothing all the same.
#[track_caller]
fn shows_nothing(steps_text: &str, code: &str) {
    let lab = Lab::new(&case(steps_text));
    let ran = comes_to(&lab, &[], 5, Some(code));
    assert_eq!(outcome(&lab.only()), "inconclusive");
    assert!(steps(&lab.only()).iter().all(|step| step.1 == "passed"), "{}", ran.said());
    let results = std::fs::read_to_string(lab.only().join("evidence-ledger.json")).unwrap();
    assert!(results.contains("Untested"), "{results}");
}

#[track_caller]
fn ends(steps_text: &str, exit: i32, code: Option<&str>) {
    comes_to(&Lab::new(&case(steps_text)), &[], exit, code);
}

#[test]
fn a_text_that_turned_out_empty_is_found_in_every_answer() {
    // The plan check sees a value that an earlier answer gave; that it was empty only the run shows.
    let steps = |note: &str| {
        format!(
            "      - {{http: POST /items, json: {{note: \"{note}\"}}, expect: {{status: 201}}, save: {{note: note, item: id}}, covers: []}}
      - {{http: \"GET /bytes?40\", expect: {{status: 200, text: \"{{note}}\"}}}}
    cleanup:
      - {{http: \"DELETE /items/{{item}}\", expect: {{status: 204}}}}\n"
        )
    };
    shows_nothing(&steps(""), "status_only");
    ends(&steps("xxxx"), 0, None);
    ends(&steps("yyyy"), 1, Some("requirement_failed"));
}

#[test]
fn a_bound_that_an_empty_answer_meets_shows_a_status_alone() {
    let steps = |size: &str| format!("      - {{http: GET /bytes?40, expect: {{status: 200, size: {size}}}}}\n");
    shows_nothing(&steps("{lt: 1MiB}"), "status_only");
    ends(&steps("{gte: 40B, lt: 1MiB}"), 0, None);
    ends(&steps("{gte: 41B, lt: 1MiB}"), 1, Some("requirement_failed"));
}

#[test]
fn a_step_that_an_empty_answer_and_an_error_meet_shows_nothing() {
    let steps = |status: &str| {
        format!("      - {{http: GET /bytes?40, expect: {{status: {status}, text: {{not: {{contains: error}}}}}}}}\n")
    };
    shows_nothing(&steps("[200, 500]"), "oracle_vacuous");
    shows_nothing(&steps("200"), "status_only");
    let right = "      - {http: GET /bytes?40, expect: {status: [200, 500], text: xxxx}}\n";
    ends(right, 0, None);
    ends(&right.replace("xxxx", "yyyy"), 1, Some("requirement_failed"));
}

#[test]
fn a_program_that_may_end_in_any_way_shows_nothing() {
    let lab = |exits: &str, says: &str| {
        let lab = Lab::new(&format!(
            "\ncases:\n  - id: CASE-1\n    title: a case\n    covers: [C-3]\n    steps:
      - {{run: [sh, tools/say.sh], expect: {{exit: {exits}, {says}}}}}\n"
        ));
        lab.write("tools/say.sh", "echo 'all is well'\n");
        lab
    };
    let quiet = "stderr: {text: {not: {contains: panic}}}";
    comes_to(&lab("[0, 1]", quiet), &[], 5, Some("oracle_vacuous"));
    comes_to(&lab("0", quiet), &[], 5, Some("status_only"));
    comes_to(&lab("[0, 1]", "text: well"), &[], 0, None);
    comes_to(&lab("[0, 1]", "text: ill"), &[], 1, Some("requirement_failed"));
}

#[test]
fn a_status_alone_is_enough_for_a_criterion_about_it() {
    let plan = |about: &str, status: u16| {
        format!(
            "schemaVersion: 2
requirement:
  title: Lab
  criteria:
    - {{id: C-1, needs: api, {about}text: \"The answer is right.\"}}
cases:
  - id: CASE-1
    title: a case
    covers: [C-1]
    steps:
      - {{http: GET /status/200, expect: {{status: {status}, size: {{lt: 1MiB}}}}}}
"
        )
    };
    for (about, status, exit, code) in [
        ("", 200, 5, Some("status_only")),
        ("about: status, ", 200, 0, None),
        ("about: status, ", 204, 1, Some("requirement_failed")),
    ] {
        let lab = Lab::new("");
        lab.write("lab.probity.yaml", &plan(about, status));
        comes_to(&lab, &[], exit, code);
    }
}

#[test]
fn one_step_that_can_fail_holds_a_test_up() {
    let weak = "      - {http: GET /bytes?40, expect: {status: 200, size: {lt: 1MiB}}}\n";
    let sound = "      - {http: GET /version, expect: {status: 200, json: {build: \"1\"}}}\n";
    ends(&format!("{weak}{sound}"), 0, None);
    ends(&format!("{weak}{}", sound.replace("\"1\"", "\"2\"")), 1, Some("requirement_failed"));
    // Set-up holds nothing up, however much it checks.
    shows_nothing(&format!("{weak}{}", sound.replace("}}}", "}}, covers: []}")), "status_only");
}

#[test]
fn an_absence_is_held_up_by_a_status_where_something_could_be_there() {
    let steps = |gone: &str| {
        format!(
            "      - {{http: POST /items, json: {{name: mug}}, expect: {{status: 201}}, save: {{item: id}}, covers: []}}
      - {{http: \"GET /items/{{item}}\", expect: {{status: 200, json: {{name: mug}}}}, covers: []}}
      - {{http: \"DELETE /items/{{item}}\", expect: {{status: 204}}, covers: []}}
      - {{http: \"GET /items/{{item}}\", expect: {{status: {gone}}}, shows: absence}}\n"
        )
    };
    ends(&steps("404"), 0, None);
    ends(&steps("410"), 1, Some("requirement_failed"));
}

#[test]
fn an_echo_supports_no_test() {
    // All that is looked at beside a bound is what the step itself sent.
    let steps = |name: &str| {
        format!(
            "      - {{http: POST /items, json: {{note: \"{{qa_marker}}\", name: mug}}, expect: {{status: 201, size: {{lt: 1MiB}}, json: {{{name}}}}}, save: {{item: id}}}}
    cleanup:
      - {{http: \"DELETE /items/{{item}}\", expect: {{status: 204}}}}\n"
        )
    };
    shows_nothing(&steps("note: \"{qa_marker}\""), "status_only");
    ends(&steps("note: \"{qa_marker}\", name: mug"), 0, None);
    ends(&steps("note: \"{qa_marker}\", name: cup"), 1, Some("requirement_failed"));
}

#[test]
fn a_failure_that_no_test_owns_is_no_pass() {
    let steps = |build: &str| {
        format!(
            "      - {{http: GET /version, expect: {{status: 200, json: {{build: \"{build}\"}}}}, covers: [], continue: true}}
      - {{http: GET /bytes?40, expect: {{status: 200, text: xxxx}}}}\n"
        )
    };
    ends(&steps("1"), 0, None);
    let lab = Lab::new(&case(&steps("2")));
    comes_to(&lab, &[], 5, Some("unmapped_step_failed"));
    assert_eq!(outcome(&lab.only()), "inconclusive");
}

#[test]
fn a_capped_capture_shows_no_absence() {
    let steps = |cap: &str, more: &str| {
        format!(
            "      - {{http: GET /bytes?40, expect: {{status: 200, text: xxxx}}, covers: []}}
      - {{http: GET /bytes?40, maxBody: {cap}, expect: {{status: 200, notText: y}}, shows: absence{more}}}\n"
        )
    };
    ends(&steps("1KiB", ""), 0, None);
    ends(&steps("10B", ""), 5, Some("capture_capped"));
    ends(&steps("1KiB", "").replace("notText: y", "notText: xx"), 1, Some("requirement_failed"));
}

#[test]
fn what_closes_the_gap_is_a_line_of_the_plan() {
    let lab = Lab::new(&case("      - {http: GET /bytes?40, expect: {status: 200, size: {lt: 1MiB}}}\n"));
    let ran = lab.run(&["--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let (finding, next) = (&answer["findings"][0], &answer["next"][0]);
    assert_eq!((&finding["code"], &finding["step"]), (&"status_only".into(), &"CASE-1.1".into()), "{answer}");
    assert!(finding["message"].as_str().unwrap().contains("hold on an empty answer too"), "{answer}");
    assert_eq!((&next["file"], &next["line"]), (&"lab.probity.yaml".into(), &finding["place"]["line"]), "{answer}");
    assert!(next["text"].as_str().unwrap().contains("Check the answer itself"), "{answer}");
}
