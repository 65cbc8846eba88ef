use super::*;
use crate::json::{Json, Limits, read};

fn json(text: &str) -> Json {
    read(text.as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn every_vector_is_answered_as_observed() {
    let vectors = json(include_str!("../../fixtures/gate/guard-decisions.json"));
    let answers = decide_all(&vectors).unwrap();
    let (vectors, answers) = (vectors.as_list().unwrap(), answers.as_list().unwrap());
    assert_eq!(vectors.len(), 135);
    for (n, (vector, answer)) in vectors.iter().zip(answers).enumerate() {
        let observed = vector.get("observed").unwrap();
        let same = match observed.get("throws") {
            Some(_) => answer.get("throws").is_some(),
            None => {
                ["action", "ok", "writes", "allows", "icons"].iter().all(|key| observed.get(key) == answer.get(key))
            }
        };
        assert!(same, "{n}: {vector:?} was answered with {answer:?}");
    }
}

#[test]
fn a_pattern_that_cannot_be_decided_matches_a_write_and_no_allowance() {
    let slow = r#"{"method": "*", "url": "^(?:(a+)+\\1)+$"}"#;
    let ask = |writes: &str, allows: &str| {
        let config = json(&format!(r#"{{"write_signatures": [{writes}], "allow_signatures": [{allows}]}}"#));
        let url = "a".repeat(60) + "!";
        let input = json(&format!(r#"{{"method": "GET", "url": "{url}", "body": null}}"#));
        Guard::read(Some(&config)).unwrap().request(&input, &json(r#"{"policy": "read-only"}"#)).action
    };
    assert_eq!(ask(slow, ""), Action::Block);
    assert_eq!(ask(r#"{"method": "GET", "url": "a"}"#, slow), Action::Block);
    assert_eq!(ask(r#"{"method": "GET", "url": "a"}"#, r#"{"method": "GET", "url": "a!"}"#), Action::Allow);
}

#[test]
fn an_empty_prefix_owns_nothing() {
    let input = json(r#"{"label": "Save", "ownRowText": "anything"}"#);
    let state = json(r#"{"policy": "scoped-write", "prefix": ""}"#);
    assert_eq!(Guard::read(None).unwrap().control(&input, &state).action, Action::Block);
}

#[test]
fn all_that_is_wrong_is_named() {
    let config = json(
        r#"{"deny_controls": {"text": ["("], "icons": [""]}, "write_signatures": [{"method": "post", "url": ""}], "allow_signatures": 1}"#,
    );
    let faults = Guard::read(Some(&config)).unwrap_err();
    let subjects: Vec<&str> = faults.iter().map(|fault| fault.subject.as_str()).collect();
    let expected = [
        "deny_controls.text[0]",
        "deny_controls.icons[0]",
        "write_signatures[0].method",
        "write_signatures[0].url",
        "allow_signatures",
    ];
    assert_eq!(subjects, expected);
}

#[test]
fn what_is_no_question_is_refused() {
    for text in ["{}", "[1]", r#"[{"kind": "page"}]"#] {
        assert!(decide_all(&json(text)).is_err(), "{text}");
    }
    assert_eq!(decide_all(&json("[]")).unwrap(), Json::List(Vec::new()));
}
