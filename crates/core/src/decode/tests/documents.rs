//! Plans and matrices as a whole.

use super::*;

#[test]
fn plans() {
    let (plan, diags) = decode_plan(
        r#"{"schemaVersion": 2, "environment": "qa", "baseUrl": "http://127.0.0.1:1", "runtimeVars": {"a": 1, "b": 2},
            "vars": {"b": 3}, "grants": ["shell"], "mutation": {"policy": "scoped-write", "prefix": {"$var": "qa_marker"}},
            "viewport": {"width": 1}, "headless": true, "metadata": {"adapter": "x"}, "contextOptions": {},
            "scenarios": [{"id": "A", "uses": ["B"], "continue_on_failure": true, "notClaimed":
                [{"criterion": "C-1", "kind": "persistence", "why": "read elsewhere"}],
                "steps": [{"id": "s1", "action": "api", "path": "/", "test_ids": ["T1"], "requirementIds": ["C-1"]}]}]}"#,
    );
    assert!(diags.is_empty(), "{:?}", diags.into_sorted());
    let plan = plan.unwrap();
    assert!(matches!(&plan.environment, EnvironmentRef::Named(name, _) if name == "qa"));
    assert_eq!(plan.vars, [("a".to_owned(), json("1")), ("b".to_owned(), json("3"))]);
    assert!(plan.grants.shell);
    assert_eq!(plan.mutation.unwrap().prefix.as_deref(), Some("{qa_marker}"));
    let case = &plan.scenarios[0];
    assert!(case.continue_on_failure && case.title == "A" && case.uses[0].case.as_str() == "B");
    assert_eq!(case.not_claimed[0].kind, ObligationKind::Persistence);
    assert_eq!((case.steps[0].id.as_str(), case.steps[0].test_ids[0].as_str()), ("s1", "T1"));
}

#[test]
fn plans_are_refused() {
    let plan = |fields: &str| {
        format!(
            r#"{{"schemaVersion": 2, {fields} "scenarios": [{{"id": "A", "steps": [{{"action": "api", "path": "/"}}]}}]}}"#
        )
    };
    let cases = |cases: &str| format!(r#"{{"schemaVersion": 2, "scenarios": {cases}}}"#);
    let step = r#"{"action": "api", "path": "/"}"#;
    for (text, code, usable) in [
        (plan(""), None, true),
        (plan("\"qaMarker\": \"x\","), Some(Code::VarReserved), true),
        (plan("\"qaRunId\": \"x\","), Some(Code::VarReserved), true),
        (plan("\"vars\": {\"qa_x\": 1},"), Some(Code::VarReserved), true),
        (plan("\"vars\": {\"a-b\": 1},"), Some(Code::VarNameInvalid), false),
        (plan("\"vars\": {\"a\": {\"env\": \"X\"}},"), Some(Code::EnvReferenceMisplaced), true),
        (plan("\"baseUrl\": \"http://a/?b\","), Some(Code::UrlMalformed), false),
        (plan("\"vars\": {\"a\": {\"$var\": \"qa_marker\"}},"), Some(Code::ReferenceMalformed), false),
        (plan("\"storageState\": \"s.json\","), Some(Code::NotSupported), true),
        (plan("\"defaultHeaders\": {\"a\": \"b\"},"), Some(Code::NotSupported), true),
        (plan("\"preflight\": {},"), Some(Code::NotSupported), true),
        (plan("\"grants\": [\"root\"],"), Some(Code::ValueOutOfRange), false),
        (plan("\"mutation\": {\"policy\": \"scoped-write\"},"), Some(Code::MissingField), false),
        (plan("\"mutation\": {\"policy\": \"scoped-write\", \"prefix\": \"a\"},"), Some(Code::ValueOutOfRange), false),
        (plan("\"environment\": {\"kind\": \"local\", \"url\": \"ftp://a\"},"), Some(Code::UrlMalformed), false),
        (plan("\"environment\": {\"kind\": \"local\", \"url\": \"http://a\"},"), None, true),
        (plan("\"scenario\": [],"), Some(Code::UnknownField), false),
        (cases("[]"), Some(Code::ValueOutOfRange), false),
        (cases(r#"[{"id": "A", "steps": []}]"#), Some(Code::ValueOutOfRange), false),
        (cases(&format!(r#"[{{"steps": [{step}]}}]"#)), Some(Code::MissingField), false),
        (cases(&format!(r#"[{{"id": "a b", "steps": [{step}]}}]"#)), Some(Code::IdMalformed), false),
        (
            cases(&format!(
                r#"[{{"id": "A", "steps": [{step}]}}, {{"id": "A", "steps": [{{"id": "x", {}]}}]"#,
                &step[1..]
            )),
            Some(Code::IdDuplicate),
            false,
        ),
        (
            cases(&format!(
                r#"[{{"id": "A", "steps": [{step}]}}, {{"id": "a", "steps": [{{"id": "x", {}]}}]"#,
                &step[1..]
            )),
            Some(Code::IdConfusable),
            true,
        ),
        (
            cases(&format!(r#"[{{"id": "A", "steps": [{step}, {{"id": "A.1", {}]}}]"#, &step[1..])),
            Some(Code::IdDuplicate),
            false,
        ),
        (cases(r#"[{"id": "A", "steps": [{"action": "goto", "url": "/"}]}]"#), Some(Code::NotSupported), false),
        (cases(r#"[{"id": "A", "steps": [{"action": "comand"}]}]"#), Some(Code::UnknownVerb), false),
        (cases(r#"[{"id": "A", "steps": [{"path": "/"}]}]"#), Some(Code::UnknownVerb), false),
        (cases(r#"[{"id": "A", "steps": [{"action": "api"}]}]"#), Some(Code::MissingField), false),
        (r#"{"scenarios": []}"#.to_owned(), Some(Code::ValueOutOfRange), false),
        ("[]".to_owned(), Some(Code::WrongType), false),
    ] {
        let (read, diags) = decode_plan(&text);
        assert_eq!(codes(&diags).first().copied(), code, "{text}");
        assert_eq!(read.is_some(), usable, "{text}");
    }
}

#[test]
fn diagnostics_name_their_step() {
    let (_, diags) = decode_step(&api(r#""expectJson": {"a": {"equal": 1}}"#));
    assert_eq!(diags.iter().next().unwrap().subject.as_deref(), Some("C.1"));
}

fn decode_matrix(text: &str) -> (Option<Matrix>, Diagnostics) {
    let mut diags = Diagnostics::about("test-matrix.json");
    let matrix = matrix(&node(text), &mut diags);
    (matrix, diags)
}

#[test]
fn matrices() {
    let digest = "a".repeat(64);
    let (matrix, diags) = decode_matrix(&format!(
        r#"{{"schemaVersion": 2, "title": "T", "source": "S", "acceptsMock": true,
            "requirements": [{{"id": "R1", "source": "requirement.md line 1", "text": "It works.", "risk": "api",
                "test_ids": ["T1"], "status": "Untested", "needs": ["api"], "about": "status", "source_span": [0, 9],
                "source_sha256": "{digest}", "inherited_api_method": "GET", "notes": "n"}}],
            "tests": [{{"id": "T1", "requirement_ids": ["R1"], "type": "api", "steps": ["GET /"], "expected": "200",
                "required_evidence": ["api_response"], "status": "Blocked", "notes": "n"}}],
            "outOfScope": [{{"text": "a", "why": "b"}}], "later": [{{"text": "c", "why": "d"}}]}}"#
    ));
    assert!(diags.is_empty(), "{:?}", diags.into_sorted());
    let matrix = matrix.unwrap();
    assert!(matrix.accepts_mock && matrix.title.as_deref() == Some("T"));
    let criterion = &matrix.criteria[0];
    assert_eq!((criterion.id.as_str(), criterion.span, criterion.about_status), ("R1", Some((0, 9)), true));
    assert_eq!((criterion.needs.as_slice(), criterion.planned_status.as_str()), (&["api".to_owned()][..], "Untested"));
    let test = &matrix.tests[0];
    assert_eq!((test.kind.as_str(), test.planned_status.as_str(), test.expected.as_str()), ("api", "Blocked", "200"));
    assert_eq!((matrix.out_of_scope[0].why.as_str(), matrix.later[0].text.as_str()), ("b", "c"));
}

#[test]
fn matrices_are_refused() {
    let rows = |requirements: &str, tests: &str| {
        format!(r#"{{"schemaVersion": 2, "requirements": [{requirements}], "tests": [{tests}]}}"#)
    };
    for (text, code) in [
        (r#"{"requirements": [], "tests": []}"#.to_owned(), Code::SchemaVersion),
        (r#"{"schemaVersion": 2, "tests": []}"#.to_owned(), Code::MissingField),
        (rows(r#"{"text": "a"}"#, ""), Code::MissingField),
        (rows(r#"{"id": "R"}, {"id": "R"}"#, ""), Code::IdDuplicate),
        (rows(r#"{"id": "R"}, {"id": "r"}"#, ""), Code::IdConfusable),
        (rows("", r#"{"id": "T"}, {"id": "T"}"#), Code::IdDuplicate),
        (rows(r#"{"id": "R", "status": "Fine"}"#, ""), Code::ValueOutOfRange),
        (rows(r#"{"id": "R", "source_span": [3, 3]}"#, ""), Code::ValueOutOfRange),
        (rows(r#"{"id": "R", "source_sha256": "abc"}"#, ""), Code::ValueOutOfRange),
        (rows(r#"{"id": "R", "test_id": ["a"]}"#, ""), Code::UnknownField),
    ] {
        let (_, diags) = decode_matrix(&text);
        assert_eq!(codes(&diags), [code], "{text}");
    }
    let why = r#"{"schemaVersion": 2, "requirements": [], "tests": [], "later": [{"text": "a", "why": " "}]}"#;
    assert_eq!(codes(&decode_matrix(why).1), [Code::MissingField]);
}
