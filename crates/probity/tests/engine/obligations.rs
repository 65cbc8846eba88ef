//! What a step must show beyond its checks, through the whole program.

use crate::lab::{Lab, outcome, reasons, steps};

fn case(steps: &str) -> String {
    format!("\ncases:\n  - id: CASE-1\n    title: a case\n    covers: [C-1]\n    steps:\n{steps}")
}

#[track_caller]
fn unmet(steps_text: &str, word: &str) {
    let lab = Lab::new(&case(steps_text));
    // Some of these the plan check refuses before; what the derivation says is asked here.
    let ran = lab.run(&["--allow", "plan_errors"]);
    let dir = lab.only();
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert!(reasons(&dir).contains(&"obligation_unmet".to_owned()), "{:?}\n{}", reasons(&dir), ran.said());
    let verdict = std::fs::read_to_string(dir.join("qa-verdict.json")).unwrap();
    assert!(verdict.contains(word), "{verdict}");
    // The case went on after it: an unmet obligation is no failed check.
    assert!(steps(&dir).iter().all(|step| step.1 == "passed"), "{:?}", steps(&dir));
}

const GO_ON: &str = "      - {http: GET /version, expect: {status: 200, json: {build: \"1\"}}}\n";

#[test]
fn a_marker_that_the_step_sent_itself_is_an_echo() {
    let sent = "      - {http: POST /echo, body: \"note {qa_marker}\", expect: {status: 200, json: {method: POST}}, shows: marker}\n";
    unmet(&format!("{sent}{GO_ON}"), "sent the marker itself");
}

#[test]
fn a_marker_in_a_cookie_is_an_echo_too() {
    let steps = "      - {http: \"GET /cookie/set?note={qa_marker}\", expect: {status: 302}}
      - {http: GET /cookie/show, expect: {status: 200, text: note}, shows: marker}\n";
    unmet(&format!("{steps}{GO_ON}"), "sent the marker itself");
}

#[test]
fn a_marker_that_does_not_come_back_fails() {
    let lab = Lab::new(&case(
        "      - {http: POST /items, json: {note: \"{qa_marker}\"}, expect: {status: 201}, save: {item: id}}
      - {http: GET /version, expect: {status: 200, json: {build: \"1\"}}, shows: marker}
    cleanup:
      - {http: \"DELETE /items/{item}\", expect: {status: 204}}\n",
    ));
    let (ran, dir) = lab.one();
    assert_eq!((ran.exit, outcome(&dir).as_str()), (1, "failed"), "{}", ran.said());
}

#[test]
fn the_same_request_again_proves_no_storage() {
    let steps = "      - {http: POST /items, json: {name: mug}, expect: {status: 201, json: {name: mug}}, save: {item: id}}
      - {http: POST /items, json: {name: mug, of: \"{item}\"}, expect: {status: 201, json: {name: mug}}, shows: persistence}
    cleanup:
      - {http: \"DELETE /items/{item}\", expect: {status: 204}}\n";
    unmet(steps, "same request");
}

#[test]
fn absence_needs_something_that_could_be_there() {
    let alone = "      - {http: GET /items/77, expect: {status: 404}, shows: absence}\n";
    unmet(&format!("{alone}{GO_ON}"), "complete answer");
    // An error that was expected is no sign of life either.
    let dead = "      - {http: DELETE /items/77, expect: {status: [204, 404]}}
      - {http: GET /items/77, expect: {status: 404}, shows: absence}\n";
    unmet(&format!("{dead}{GO_ON}"), "complete answer");
    let lab = Lab::new(&case(
        "      - {http: POST /items, json: {name: mug}, expect: {status: 201, json: {name: mug}}, save: {item: id}}
    cleanup:
      - {http: \"DELETE /items/{item}\", expect: {status: 204}}
      - {http: \"GET /items/{item}\", expect: {status: 404}, shows: absence}\n",
    ));
    let (ran, _) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
}
