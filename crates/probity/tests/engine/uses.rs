//! Cases that start from others (plan.md rule 5).

use crate::lab::{Lab, bodies, reasons, steps};

/// A case that stands first and starts from the second, by its variables and its cookies.
const USES: &str = "
cases:
  - id: READ-1
    title: the item is found by whoever made it
    covers: [C-2]
    uses: [MAKE-1]
    steps:
      - {http: \"GET /items/{item}\", expect: {status: 200, json: {name: mug}}, shows: persistence}
      - {http: GET /cookie/show, covers: [], expect: {status: 200, text: who=me}}
  - id: OTHER-1
    title: a case of its own has no cookies
    covers: [C-1]
    steps:
      - {http: GET /cookie/show, expect: {status: 200, text: none}}
  - id: MAKE-1
    title: an item is made
    covers: [C-1]
    steps:
      - {http: POST /items, json: {name: mug}, expect: {status: 201, json: {name: mug}}, save: {item: id}}
      - {http: \"GET /cookie/set?who=me\", covers: [], expect: {status: 302}}
";

fn order(dir: &std::path::Path) -> Vec<String> {
    steps(dir).into_iter().map(|(step, ..)| step).collect()
}

#[test]
fn a_case_starts_from_what_another_left() {
    let lab = Lab::new(USES);
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(order(&dir), ["OTHER-1.1", "MAKE-1.1", "MAKE-1.2", "READ-1.1", "READ-1.2"]);
    assert_eq!(lab.command(&["verify"]).status().unwrap().code(), Some(0));
    // What is shown stands in the order of the plan.
    let results = std::fs::read_to_string(dir.join("results.json")).unwrap();
    let place = |text: &str| results.find(text).unwrap_or_else(|| panic!("{text} in {results}"));
    assert!(place("READ-1.1") < place("OTHER-1.1") && place("OTHER-1.1") < place("MAKE-1.1"));
}

#[test]
fn what_a_failed_case_would_have_left_is_not_started_from() {
    let lab = Lab::new(&USES.replace("status: 201", "status: 200"));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 1, "{}", ran.said());
    let said: Vec<_> =
        steps(&dir).into_iter().map(|(step, status, code, _)| format!("{step} {status} {code}")).collect();
    assert_eq!(
        said,
        [
            "OTHER-1.1 passed -",
            "MAKE-1.1 failed requirement_failed",
            "MAKE-1.2 skipped step_skipped",
            "READ-1.1 skipped step_skipped",
            "READ-1.2 skipped step_skipped"
        ]
    );
    let message = bodies(&dir, "action.commit")[3]["message"].as_str().unwrap().to_owned();
    assert_eq!(message, "MAKE-1 did not pass, and READ-1.1 comes after it");
    assert_eq!(lab.command(&["verify"]).status().unwrap().code(), Some(1));
}

#[test]
fn a_selection_runs_what_it_starts_from_and_is_still_a_part() {
    let lab = Lab::new(USES);
    let ran = lab.run(&["--only", "READ-1"]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    let dir = lab.only();
    assert_eq!(order(&dir), ["MAKE-1.1", "MAKE-1.2", "READ-1.1", "READ-1.2"]);
    assert!(reasons(&dir).contains(&"capped_partial_selection".to_owned()), "{:?}", reasons(&dir));
}

#[test]
fn a_lost_run_cleans_up_case_by_case_whatever_their_order() {
    let slow = USES
        .replace("{http: GET /cookie/show, covers: [], expect", "{http: GET /slow?8000, covers: [], expect")
        .replace(
            "text: who=me}}\n",
            "text: slow}}\n    cleanup: [{http: \"DELETE /items/{item}\", expect: {status: 204}}]\n",
        );
    let lab = Lab::new(&slow);
    let mut child = lab.start_until(&[], "/slow?8000");
    child.kill().unwrap();
    child.wait().unwrap();
    let run = lab.only().file_name().unwrap().to_str().unwrap().to_owned();
    let ran = lab.run(&["--resume", &run]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert_eq!(lab.server.hits().iter().filter(|hit| hit.method == "DELETE").count(), 1);
}
