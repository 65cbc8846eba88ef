//! What steps say of answers: checks, commands, saved values, obligations.

use super::*;

#[test]
fn checks_of_answers() {
    use Channel::{Body, Request};
    let contains = |channel, text: &str, wanted| What::Contains(channel, vec![text.into()], wanted);
    for (fields, expected) in [
        (r#""expectStatus": 201"#, What::Status(vec![201])),
        (r#""expectStatus": [200, 204]"#, What::Status(vec![200, 204])),
        (r#""expect_status_any": [200, 204]"#, What::Status(vec![200, 204])),
        (r#""expectJson": {"a.b": 1}"#, What::Json(Body, vec![(p("a.b"), Expect(vec![equals("1")]))])),
        (
            r#""expectJson": {"$..id": {"any": 1}}"#,
            What::Json(Body, vec![(p("$..id"), Expect(vec![Op::Any(Box::new(Expect(vec![equals("1")])))]))]),
        ),
        (
            r#""expectJsonAny": [{"a": 1}, {"b": "exists"}]"#,
            What::JsonAny(
                Body,
                vec![vec![(p("a"), Expect(vec![equals("1")]))], vec![(p("b"), Expect(vec![Op::Exists]))]],
            ),
        ),
        (r#""expectResponseTextContains": "x""#, contains(Body, "x", true)),
        (r#""expectResponseTextNotContains": ["x"]"#, contains(Body, "x", false)),
        (r#""expectResponseText": {"matches": "x"}"#, What::Text(Body, Expect(vec![Op::Matches("x".into())]))),
        (r#""expectTimeMs": 500"#, What::Time(500)),
        (r#""expectSize": 10"#, What::Size(vec![equals("10")])),
        (r#""expectSize": {"lt": 10}"#, What::Size(vec![Op::Compare(Comparison::Lt, number("10"))])),
        (r#""expectRedirect": "/b""#, What::Redirect("/b".into())),
        (r#""expectHttpVersion": 1.1"#, What::HttpVersion("1.1".into())),
        (r#""expectHttpVersion": "2""#, What::HttpVersion("2".into())),
        (r#""expectSchema": "a.json""#, What::Schema(Body, "a.json".into())),
        (r#""expectRequestJson": {"a": 1}"#, What::Json(Request, vec![(p("a"), Expect(vec![equals("1")]))])),
        (r#""expectRequestTextContains": "x""#, contains(Request, "x", true)),
        (r#""expectRequestTextNotContains": "x""#, contains(Request, "x", false)),
        (
            r#""expectResponseHeaders": {"Content-Type": {"contains": "json"}}"#,
            What::Header("Content-Type".into(), Expect(vec![Op::Contains("json".into(), true)])),
        ),
        (r#""expectResponseHeader": {"a": "b"}"#, What::Header("a".into(), Expect(vec![equals("\"b\"")]))),
        (
            r#""expectResponseHeaders": {"a": ["b", "c"]}"#,
            What::Header("a".into(), Expect(vec![equals(r#"["b", "c"]"#)])),
        ),
        (
            r#""expectResponseHeaderContains": {"a": "b"}"#,
            What::Header("a".into(), Expect(vec![Op::Contains("b".into(), true)])),
        ),
        (
            r#""expectResponseHeaderMatches": {"a": "^b"}"#,
            What::Header("a".into(), Expect(vec![Op::Matches("^b".into())])),
        ),
    ] {
        assert_eq!(whats(&api(fields)), [expected], "{fields}");
    }
    let order = whats(&api(r#""expectJson": {"b": 1, "a": 2}, "expectStatus": 200"#));
    assert_eq!(order.len(), 3);
    assert!(matches!(&order[0], What::Json(_, pairs) if pairs[0].0.text == "b"));
    assert!(matches!(&order[2], What::Status(_)));
}

#[test]
fn checks_of_answers_are_refused() {
    for (fields, code) in [
        (r#""expectStatus": "200""#, Code::WrongType),
        (r#""expectStatus": 99"#, Code::ValueOutOfRange),
        (r#""expectStatus": []"#, Code::ValueOutOfRange),
        (r#""expectJson": {}"#, Code::ExpectationMalformed),
        (r#""expectJsonAny": []"#, Code::ValueOutOfRange),
        (r#""expectJsonAny": [{}]"#, Code::ExpectationMalformed),
        (r#""expectJson": {"a..b": 1}"#, Code::PathMalformed),
        (r#""expectJson": {"$..a": 1}"#, Code::PathNotSingular),
        (r#""expectJson": {"$[*]": "exists"}"#, Code::PathNotSingular),
        (r#""expectJson": {"$[*].a": {"any": 1, "type": "string"}}"#, Code::PathNotSingular),
        (r#""expectJson": {"a": {"$env": "X"}}"#, Code::ExpectationFromEnvironment),
        (r#""expectJson": {"a": {"env": "X"}}"#, Code::ExpectationFromEnvironment),
        (r#""expectResponseTextContains": {"$env": "X"}"#, Code::ExpectationFromEnvironment),
        (r#""expectRedirect": {"$env": "X"}"#, Code::ExpectationFromEnvironment),
        (r#""expectResponseTextContains": 1"#, Code::WrongType),
        (r#""expectResponseTextContains": {"matches": "x"}"#, Code::ExpectationMalformed),
        (r#""expectResponseText": 1"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"content-length": 12}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"a": {"gt": 12}}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"a": {"oneOf": ["1", 2]}}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"a b": "x"}"#, Code::ValueOutOfRange),
        (r#""expectResponseHeaders": {}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaderMatches": {"a": "("}"#, Code::PatternMalformed),
        (r#""expectHttpVersion": 3"#, Code::ValueOutOfRange),
        (r#""expectSize": {"above": 1}"#, Code::UnknownOperator),
        (r#""expectStauts": 200"#, Code::UnknownField),
    ] {
        let (_, diags) = decode_step(&api(fields));
        assert_eq!(codes(&diags), [code], "{fields}");
    }
}

#[test]
fn commands() {
    use Channel::{Stderr, Stdout};
    let step = step_of(
        r#"{"action": "command", "command": ["python3", "a.py", {"$var": "id"}], "cwd": "tools", "env": {"K": {"env": "K"}},
            "stdin": {"id": {"var": "id"}}, "shell": false, "expectExitCode": [0, 3], "expectStdoutJson": {"a": 1},
            "expectStdoutContains": "x", "expectStdoutNotContains": "x", "expectStderrContains": "x",
            "expectStderrNotContains": "x", "expectStdoutSchema": "a.json", "extractStdoutJson": {"n": "a"},
            "extractStdoutText": {"m": "id=(\\d+)"}, "record": {"total": "a"}}"#,
    );
    assert_eq!((step.timeout_ms, step.evidence_type.as_str()), (60_000, "command"));
    let Action::Command(command) = &step.action else { panic!("not a command") };
    assert_eq!(command.argv[2], json(r#"{"$var": "id"}"#));
    assert_eq!(command.env, [("K".to_owned(), json(r#"{"$env": "K"}"#))]);
    assert_eq!(command.stdin, Some(json(r#"{"id": {"$var": "id"}}"#)));
    let whats: Vec<What> = step.checks.into_iter().map(|check| check.what).collect();
    let contains = |channel, wanted| What::Contains(channel, vec!["x".into()], wanted);
    assert_eq!(
        whats,
        [
            What::Exit(vec![0, 3]),
            What::Json(Stdout, vec![(p("a"), Expect(vec![equals("1")]))]),
            contains(Stdout, true),
            contains(Stdout, false),
            contains(Stderr, true),
            contains(Stderr, false),
            What::Schema(Stdout, "a.json".into()),
        ]
    );
    assert_eq!(step.saves[0].from, SaveFrom::Json(p("a")));
    assert_eq!(step.saves[1].from, SaveFrom::Text("id=(\\d+)".into()));
    assert_eq!(step.records, [("total".to_owned(), p("a"))]);
    for (text, code) in [
        (r#"{"action": "command"}"#, Code::MissingField),
        (r#"{"action": "command", "command": "ls"}"#, Code::WrongType),
        (r#"{"action": "command", "command": []}"#, Code::ValueOutOfRange),
        (r#"{"action": "command", "command": ["a"], "cmd": ["a"]}"#, Code::UnknownField),
        (r#"{"action": "command", "command": [{"$var": "x"}]}"#, Code::TemplateBreakout),
        (r#"{"action": "command", "command": ["a", 1]}"#, Code::WrongType),
        (r#"{"action": "command", "command": ["a", {"$env": "X"}]}"#, Code::EnvReferenceMisplaced),
        (r#"{"action": "command", "command": ["a"], "env": {"A=B": "x"}}"#, Code::VarNameInvalid),
        (r#"{"action": "command", "command": ["a"], "expectStatus": 200}"#, Code::UnknownField),
        (r#"{"action": "command", "command": ["a"], "requiredFiles": ["x"]}"#, Code::NotSupported),
    ] {
        assert_eq!(codes(&decode_step(text).1), [code], "{text}");
    }
}

#[test]
fn saves() {
    let from = |fields: &str| step_of(&api(fields)).saves.remove(0).from;
    assert_eq!(from(r#""extractJson": {"a": "b.c"}"#), SaveFrom::Json(p("b.c")));
    assert_eq!(
        from(r#""extractJson": {"a": {"path": "b", "from": "first", "required": true}}"#),
        SaveFrom::Json(p("b"))
    );
    assert_eq!(from(r#""extractResponseHeader": {"a": "Location"}"#), SaveFrom::Header("Location".into()));
    assert_eq!(from(r#""extractText": {"a": "id=(\\d+)"}"#), SaveFrom::Text("id=(\\d+)".into()));
    for (fields, code) in [
        (r#""extractJson": {"1a": "b"}"#, Code::VarNameInvalid),
        (r#""extractJson": {"qa_marker": "b"}"#, Code::VarReserved),
        (r#""extractJson": {"a": "$[*]"}"#, Code::PathNotSingular),
        (r#""extractJson": {"a": "b."}"#, Code::PathMalformed),
        (r#""extractJson": {"a": {"paths": ["b"]}}"#, Code::NotSupported),
        (r#""extractJson": {"a": {"path": "b", "required": false}}"#, Code::NotSupported),
        (r#""extractJson": {"a": {}}"#, Code::MissingField),
        (r#""extractJson": {"a": "b"}, "extractText": {"a": "(c)"}"#, Code::DuplicateKey),
        (r#""extractText": {"a": "b"}"#, Code::PatternMalformed),
        (r#""extractText": {"a": "(b)(c)"}"#, Code::PatternMalformed),
        (r#""extractResponseHeader": {"a": "b c"}"#, Code::ValueOutOfRange),
        (r#""record": {"a b": "c"}"#, Code::VarNameInvalid),
        (r#""record": {"a": "$..c"}"#, Code::PathNotSingular),
    ] {
        assert_eq!(codes(&decode_step(&api(fields)).1), [code], "{fields}");
    }
}

#[test]
fn obligations() {
    let step = step_of(&api(
        r#""obligations": [{"kind": "marker"}, {"kind": "terminal", "path": "state", "values": ["ready"]},
            {"kind": "persistence", "of": ["order"]}, {"kind": "absence"}]"#,
    ));
    let kinds: Vec<ObligationKind> = step.obligations.iter().map(|o| o.kind).collect();
    assert_eq!(kinds, ObligationKind::ALL);
    assert_eq!(step.obligations[1].path, Some(p("state")));
    for (fields, code) in [
        (r#"{"kind": "marked"}"#, Code::ValueOutOfRange),
        (r#"{"kind": "terminal"}"#, Code::ObligationMisplaced),
        (r#"{"kind": "terminal", "path": "a", "values": []}"#, Code::ValueOutOfRange),
        (r#"{"kind": "marker", "path": "a"}"#, Code::ObligationMisplaced),
        (r#"{"kind": "absence", "of": ["a"]}"#, Code::ObligationMisplaced),
        (r#"{"kind": "persistence", "of": ["a b"]}"#, Code::VarNameInvalid),
        (r#"{"kind": "terminal", "path": "a", "values": [{"$env": "X"}]}"#, Code::ExpectationFromEnvironment),
    ] {
        let found = codes(&decode_step(&api(&format!(r#""obligations": [{fields}]"#))).1);
        assert_eq!(found.first(), Some(&code), "{fields}");
    }
}
