//! What is refused, by name.

use super::*;

/// What each broken step is refused for, beside the same step made well.
#[test]
fn steps_are_refused_by_name() {
    let table = [
        (r#"{"http": "GET /a", "exptect": {}}"#, r#"{"http": "GET /a", "expect": {}}"#, "unknown_field"),
        (r#"{"http": "GET /a", "expect": {"exit": 0}}"#, r#"{"run": ["a"], "expect": {"exit": 0}}"#, "unknown_field"),
        (
            r#"{"http": "GET /a", "expect": {"stauts": 2}}"#,
            r#"{"http": "GET /a", "expect": {"status": 2}}"#,
            "unknown_field",
        ),
        (r#"{"htpp": "GET /a"}"#, r#"{"http": "GET /a"}"#, "unknown_verb"),
        (r#"{"http": "GET /a", "run": ["a"]}"#, r#"{"run": ["a"]}"#, "unknown_verb"),
        (r#"{"log": "shop", "save": {"a": "b"}}"#, r#"{"log": "shop"}"#, "unknown_field"),
        (r#"{"log": "shop", "expect": {"json": {}}}"#, r#"{"log": "shop", "expect": {"text": "a"}}"#, "unknown_field"),
        (r#"{"log": ["shop"]}"#, r#"{"log": "shop"}"#, "wrong_type"),
        (r#"{"log": "{s}"}"#, r#"{"log": "shop"}"#, "template_breakout"),
        (r#"{"goto": "/a"}"#, r#"{"http": "GET /a"}"#, "not_supported"),
        (
            r#"{"http": "GET /a", "proxy": "http://{p}:1"}"#,
            r#"{"http": "GET /a", "proxy": "http://p:1"}"#,
            "template_breakout",
        ),
        (r#"{"http": "GET /a", "unixSocket": "{s}"}"#, r#"{"http": "GET /a", "unixSocket": "s"}"#, "template_breakout"),
        (
            r#"{"http": "GET /a", "tls": {"cert": "{c}", "key": {"env": "K"}}}"#,
            r#"{"http": "GET /a", "tls": {"cert": "c", "key": {"env": "K"}}}"#,
            "template_breakout",
        ),
        (
            r#"{"http": "POST /a", "multipart": {"f": {"file": "{f}"}}}"#,
            r#"{"http": "POST /a", "multipart": {"f": {"file": "f"}}}"#,
            "template_breakout",
        ),
        (r#"{"http": "get /a"}"#, r#"{"http": "GET /a"}"#, "url_malformed"),
        (r#"{"http": "GET a"}"#, r#"{"http": "GET /a"}"#, "url_malformed"),
        (r#"{"http": "GET {base}/a"}"#, r#"{"http": "GET /{base}/a"}"#, "url_malformed"),
        (r#"{"http": "GET ftp://a/"}"#, r#"{"http": "GET https://a/"}"#, "url_malformed"),
        (r#"{"http": "GET /a b"}"#, r#"{"http": "GET /a%20b"}"#, "url_malformed"),
        (r#"{"http": "GET /{a b}"}"#, r#"{"http": "GET /{a}"}"#, "url_malformed"),
        (r#"{"http": "GET /{a-b}"}"#, r#"{"http": "GET /{a_b}"}"#, "reference_malformed"),
        (
            r#"{"http": "POST /a", "body": "{\"a\": 1}"}"#,
            r#"{"http": "POST /a", "body": "{{\"a\": 1}"}"#,
            "reference_malformed",
        ),
        (r#"{"http": "GET /a", "timeout": 5}"#, r#"{"http": "GET /a", "timeout": "5s"}"#, "unit_missing"),
        (r#"{"http": "GET /a", "timeout": "5"}"#, r#"{"http": "GET /a", "timeout": "5ms"}"#, "unit_missing"),
        (r#"{"http": "GET /a", "maxBody": 5}"#, r#"{"http": "GET /a", "maxBody": "5KiB"}"#, "unit_missing"),
        (
            r#"{"http": "GET /a", "expect": {"size": {"lt": 5}}}"#,
            r#"{"http": "GET /a", "expect": {"size": "5B"}}"#,
            "unit_missing",
        ),
        (
            r#"{"http": "GET /a", "poll": {"every": "soon"}}"#,
            r#"{"http": "GET /a", "poll": {"every": "1s"}}"#,
            "wrong_type",
        ),
        (
            r#"{"http": "POST /a", "json": {"n": {"order": "<unwritten>"}}}"#,
            r#"{"http": "POST /a", "json": {"n": "{order}"}}"#,
            "reference_unquoted",
        ),
        (
            r#"{"http": "GET /a", "expect": {"json": {"n": {"order": null}}}}"#,
            r#"{"http": "GET /a", "expect": {"json": {"n": {"equals": null}}}}"#,
            "reference_unquoted",
        ),
        (
            r#"{"http": "GET /a", "expect": {"json": {"n": {"env": "N"}}}}"#,
            r#"{"http": "GET /a", "headers": {"n": {"env": "N"}}}"#,
            "env_reference_misplaced",
        ),
        (
            r#"{"http": "POST /a", "json": {"p": {"env": "PASSWORD"}}}"#,
            r#"{"http": "POST /a", "json": {"p": {"env": "staging"}}}"#,
            "env_reference_misplaced",
        ),
        (
            r#"{"http": "GET /a", "query": {"p": {"$env": "P"}}}"#,
            r#"{"http": "GET /a", "auth": {"basic": {"env": "P"}}}"#,
            "env_reference_misplaced",
        ),
        (
            r#"{"http": "GET /a", "auth": {"bearer": "s3cret"}}"#,
            r#"{"http": "GET /a", "auth": {"bearer": {"env": "T"}}}"#,
            "auth_literal",
        ),
        (
            r#"{"http": "GET /a", "shows": "persistance"}"#,
            r#"{"http": "GET /a", "shows": "persistence"}"#,
            "value_out_of_range",
        ),
        (r#"{"http": "GET /a", "covers": ["C-2"]}"#, r#"{"http": "GET /a", "covers": ["C-1"]}"#, "step_ref_unknown"),
        (r#"{"http": "GET /a", "covers": 1}"#, r#"{"http": "GET /a", "covers": "C-1"}"#, "wrong_type"),
        (r#"{"run": "python3 a.py"}"#, r#"{"run": ["python3", "a.py"]}"#, "wrong_type"),
        (r#"{"run": []}"#, r#"{"run": ["a"]}"#, "wrong_type"),
        (r#"{"run": ["a"], "cwd": "{x}"}"#, r#"{"run": ["a"], "cwd": "x"}"#, "template_breakout"),
        (
            r#"{"run": ["a"], "save": {"x": {"header": "h"}}}"#,
            r#"{"http": "GET /a", "save": {"x": {"header": "h"}}}"#,
            "unknown_field",
        ),
        (r#"{"http": "GET /a", "save": {"x": {}}}"#, r#"{"http": "GET /a", "save": {"x": "x"}}"#, "wrong_type"),
        (r#""x""#, r#"{"run": ["a"]}"#, "wrong_type"),
    ];
    for (bad, good, code) in table {
        let found = codes(&plan(bad));
        assert!(found.iter().any(|c| c == code), "{bad}: {found:?}");
        assert_eq!(codes(&plan(good)), [""; 0], "{good}");
    }
}

/// What each broken plan is refused for: a piece of a sound one, and what it is replaced by.
#[test]
fn plans_are_refused_by_name() {
    let sound = r#"{"schemaVersion": 2, "vars": {"a": 1},
        "requirement": {"acceptsMock": true, "criteria": [{"id": "C-1", "needs": "api", "text": "It works.", "about": "status"}],
                        "later": [{"text": "More.", "why": "issue 1"}]},
        "cases": [{"id": "K", "covers": ["C-1"], "uses": "L", "steps": [{"http": "GET /a"}],
                   "notClaimed": [{"criterion": "C-1", "kind": "marker", "why": "no"}]}]}"#;
    assert_eq!(codes(sound), [""; 0]);
    let table = [
        ("\"schemaVersion\": 2", "\"schemaVersion\": 1", "schema_version"),
        ("\"schemaVersion\": 2,", "", "schema_version"),
        ("\"schemaVersion\": 2", "\"schemaVersion\": \"2\"", "schema_version"),
        ("\"vars\"", "\"var\"", "unknown_field"),
        ("\"a\": 1", "\"a\": \"x{b}\"", "reference_malformed"),
        ("\"criteria\"", "\"criterions\"", "missing_field"),
        ("\"requirement\": {", "\"requirement\": {}, \"x\": {", "missing_field"),
        ("\"cases\": [", "\"case\": [", "missing_field"),
        ("\"id\": \"C-1\", ", "", "missing_field"),
        ("\"needs\": \"api\", ", "", "missing_field"),
        ("\"text\": \"It works.\"", "\"text\": \" \"", "missing_field"),
        ("\"needs\": \"api\"", "\"needs\": []", "value_out_of_range"),
        ("\"needs\": \"api\"", "\"needs\": \"a p i\"", "needs_unknown"),
        ("\"about\": \"status\"", "\"about\": \"body\"", "value_out_of_range"),
        ("\"id\": \"C-1\"", "\"id\": \"C 1\"", "id_malformed"),
        ("\"id\": \"K\"", "\"id\": \"-K\"", "id_malformed"),
        ("\"text\": \"More.\", ", "", "missing_field"),
        (", \"why\": \"issue 1\"", "", "missing_field"),
        ("\"criterion\": \"C-1\"", "\"criterion\": \"C-2\"", "step_ref_unknown"),
        (", \"why\": \"no\"", "", "missing_field"),
        ("\"covers\": [\"C-1\"]", "\"covers\": [\"c-1\"]", "step_ref_unknown"),
        ("\"cases\": [", "\"cases\": [{\"id\": \"K\", \"steps\": []}, ", "id_duplicate"),
        ("\"cases\": [", "\"cases\": [{\"id\": \"k\", \"steps\": []}, ", "id_confusable"),
        ("\"cases\": [", "\"cases\": [{\"id\": \"J\"}, ", "missing_field"),
        ("\"criteria\": [", "\"criteria\": [{\"id\": \"C-1\", \"needs\": \"api\", \"text\": \"x\"}, ", "id_duplicate"),
        ("\"criteria\": [", "\"criteria\": [{\"id\": \"c-1\", \"needs\": \"api\", \"text\": \"x\"}, ", "id_confusable"),
        ("{\"http\": \"GET /a\"}", "{\"http\": \"GET /a\", \"covers\": \"D\"}", "step_ref_unknown"),
    ];
    for (piece, broken, code) in table {
        assert!(sound.contains(piece), "{piece}");
        let found = codes(&sound.replacen(piece, broken, 1));
        assert!(found.iter().any(|c| c == code), "{broken}: {found:?}");
    }
    assert_eq!(codes("[]"), ["wrong_type"]);
}

#[test]
fn every_error_is_told_and_slips_are_named() {
    let mut diags = Diagnostics::about("p");
    let text = plan(r#"{"http": "GET /a", "expect": {"stauts": 200}, "timeout": 5}, {"gotoo": 1}, {"click": "x"}"#);
    assert!(expand(&document(&text), &mut diags).is_some());
    let found = diags.into_sorted();
    let codes: Vec<_> = found.iter().map(|d| d.code).collect();
    assert_eq!(codes, [Code::UnknownField, Code::UnitMissing, Code::UnknownVerb, Code::NotSupported]);
    assert!(found[0].help.as_ref().unwrap().starts_with("did you mean `status`?"), "{:?}", found[0].help);
    assert_eq!(found[3].message, "this build does not perform `click` yet");
}

#[test]
fn a_plan_that_multiplies_is_refused() {
    let text = "x".repeat(20_000);
    let steps = vec![r#"{"http": "GET /a"}"#; 4_000].join(",");
    let found = codes(&plan(&steps).replace("It works.", &text));
    assert_eq!(found, ["document_too_large"]);
}
