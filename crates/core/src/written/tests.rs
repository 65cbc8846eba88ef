//! The example of plan.md in full, and each field of a step; tables of what is refused, and what always holds, below.

mod any_plan;
mod refusals;

use super::*;
use crate::document::{Key, Place};
use crate::json::{Json, Limits, read};

/// Stands in test documents for a null that nobody wrote, as in `{name}`.
const UNWRITTEN: &str = "<unwritten>";

/// JSON as a document whose nodes have different places, line by line.
pub(crate) fn document(json: &str) -> Node {
    node(&read(json.as_bytes(), &Limits::default()).unwrap(), &mut 0)
}

fn node(json: &Json, line: &mut usize) -> Node {
    *line += 1;
    let place = Place::new(*line * 10, *line * 10 + 5, *line, 1);
    let value = match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(*b),
        Json::Number(number) => Value::Number(number.clone()),
        Json::Text(text) if text == UNWRITTEN => {
            return Node::new(Value::Null, Place { end: place.start, ..place });
        }
        Json::Text(text) | Json::BrokenText(text) => Value::Text(text.clone()),
        Json::List(items) => Value::List(items.iter().map(|item| node(item, line)).collect()),
        Json::Map(map) => Value::Map(
            map.iter()
                .map(|(name, value)| {
                    let value = node(value, line);
                    let place = Place { start: value.place.start - 5, end: value.place.start - 1, ..value.place };
                    (Key { name: name.into(), place }, value)
                })
                .collect(),
        ),
    };
    Node::new(value, place)
}

/// The example of plan.md, which other crates test by too.
const EXAMPLE: &str = include_str!("../../fixtures/order-total.json");

fn expanded(json: &str) -> Expanded {
    let mut diags = Diagnostics::about("order-total.probity.yaml");
    let expanded = expand(&document(json), &mut diags);
    let found = diags.into_sorted();
    assert!(found.is_empty(), "{found:#?}");
    expanded.unwrap()
}

fn same(node: &Node, expected: &str) {
    let expected = read(expected.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(node.to_json().pretty(), expected.pretty());
}

#[test]
fn the_example_becomes_requirement_md() {
    assert_eq!(
        expanded(EXAMPLE).requirement,
        "# Order total\n\n\
         Source: https://github.com/acme/shop/issues/42\n\n\
         - ORDER-1: Placing an order answers 201 with its id and total.\n\
         - ORDER-2: The stored total equals the total that was shown.\n\n\
         ## Out of scope\n\n\
         - Refunds come later. (issue 57)\n"
    );
}

#[test]
fn the_example_becomes_a_matrix() {
    let expanded = expanded(EXAMPLE);
    let text = &expanded.requirement;
    let start = text.find("- ORDER-1").unwrap();
    let middle = text.find("- ORDER-2").unwrap();
    let end = text.find("\n\n## Out").unwrap();
    let digest = crate::ids::Digest::of(text.as_bytes());
    let expected = r#"{
  "schemaVersion": 2,
  "title": "Order total",
  "source": "https://github.com/acme/shop/issues/42",
  "requirements": [
    {"id": "ORDER-1", "source": "requirement.md line 5",
     "text": "Placing an order answers 201 with its id and total.", "risk": "",
     "test_ids": ["ORDER-001.ORDER-1.api"], "status": "Untested", "needs": ["api"],
     "source_span": [START, MIDDLE], "source_sha256": "DIGEST"},
    {"id": "ORDER-2", "source": "requirement.md line 6",
     "text": "The stored total equals the total that was shown.", "risk": "",
     "test_ids": ["ORDER-001.ORDER-2.persistence"], "status": "Untested", "needs": ["persistence"],
     "source_span": [SECOND, END], "source_sha256": "DIGEST"}
  ],
  "tests": [
    {"id": "ORDER-001.ORDER-1.api", "requirement_ids": ["ORDER-1"], "type": "api",
     "steps": ["POST /api/orders", "GET /api/orders/{order}"],
     "expected": "Placing an order answers 201 with its id and total.",
     "required_evidence": ["api_response"], "status": "Untested"},
    {"id": "ORDER-001.ORDER-2.persistence", "requirement_ids": ["ORDER-2"], "type": "persistence",
     "steps": ["POST /api/orders", "run python3 tools/read_order.py"],
     "expected": "The stored total equals the total that was shown.",
     "required_evidence": ["persistence"], "status": "Untested"}
  ],
  "outOfScope": [{"text": "Refunds come later.", "why": "issue 57"}],
  "later": []
}"#;
    let expected = expected
        .replace("START", &start.to_string())
        .replace("MIDDLE", &(middle - 1).to_string())
        .replace("SECOND", &middle.to_string())
        .replace("END", &end.to_string())
        .replace("DIGEST", &digest.to_string());
    same(&expanded.matrix, &expected);
}

#[test]
fn the_example_becomes_a_plan() {
    same(
        &expanded(EXAMPLE).plan,
        r#"{
  "schemaVersion": 2,
  "environment": "local",
  "scenarios": [{
    "id": "ORDER-001",
    "title": "the total survives storage",
    "steps": [
      {"id": "ORDER-001.1", "action": "api",
       "testIds": ["ORDER-001.ORDER-1.api", "ORDER-001.ORDER-2.persistence"],
       "requirementIds": ["ORDER-1", "ORDER-2"],
       "proves": "Placing an order answers 201 with its id and total. / The stored total equals the total that was shown.",
       "evidenceType": "api_response", "strategyDimensions": [],
       "method": "POST", "path": "/api/orders",
       "json": {"sku": "MUG-1", "qty": 3, "note": {"$var": "qa_marker"}},
       "idempotent": false,
       "expectStatus": 201,
       "expectResponseHeaders": {"content-type": {"contains": "json"}},
       "expectJson": {"id": {"type": "string"}, "total": 29.97},
       "extractJson": {"order": "id", "shown": "total"}},
      {"id": "ORDER-001.2", "action": "pollApi",
       "testIds": ["ORDER-001.ORDER-1.api"], "requirementIds": ["ORDER-1"],
       "proves": "Placing an order answers 201 with its id and total.",
       "evidenceType": "api_response", "strategyDimensions": ["marker"],
       "method": "GET", "pathTemplate": "/api/orders/{order}",
       "pollIntervalMs": 200, "pollTimeoutMs": 5000,
       "idempotent": true,
       "expectStatus": 200,
       "expectJson": {"state": "ready", "note": {"$var": "qa_marker"}},
       "obligations": [{"kind": "marker"}]},
      {"id": "ORDER-001.3", "action": "command",
       "testIds": ["ORDER-001.ORDER-2.persistence"], "requirementIds": ["ORDER-2"],
       "proves": "The stored total equals the total that was shown.",
       "evidenceType": "command", "strategyDimensions": ["persistence"],
       "command": ["python3", "tools/read_order.py"],
       "stdin": {"id": {"$var": "order"}},
       "expectExitCode": 0,
       "expectStdoutJson": {"total": {"$var": "shown"}},
       "obligations": [{"kind": "persistence"}]},
      {"id": "ORDER-001.4", "action": "cleanupApi",
       "testIds": [], "requirementIds": [], "proves": "",
       "evidenceType": "cleanup", "strategyDimensions": [], "alwaysRun": true, "skipIfMissingVars": true,
       "method": "DELETE", "pathTemplate": "/api/orders/{order}",
       "idempotent": true, "expectStatusAny": [204, 404]},
      {"id": "ORDER-001.5", "action": "api",
       "testIds": [], "requirementIds": [], "proves": "",
       "evidenceType": "cleanup", "strategyDimensions": ["absence"], "alwaysRun": true, "skipIfMissingVars": true,
       "method": "GET", "pathTemplate": "/api/orders/{order}",
       "idempotent": true, "expectStatus": 404,
       "obligations": [{"kind": "absence"}]}
    ]
  }]
}"#,
    );
}

#[test]
fn nodes_keep_the_places_of_what_they_were_made_from() {
    let written = document(EXAMPLE);
    let expanded = expand(&written, &mut Diagnostics::about("p")).unwrap();
    let step = |scenario: &Node, n: usize| scenario.get("steps").unwrap().as_list().unwrap()[n].clone();
    let case = &written.get("cases").unwrap().as_list().unwrap()[0];
    let scenario = &expanded.plan.get("scenarios").unwrap().as_list().unwrap()[0];
    assert_eq!(scenario.place, case.place);
    assert_eq!(step(scenario, 1).place, step(case, 1).place);
    let seen = step(scenario, 2).get("expectStdoutJson").unwrap().get("total").unwrap().place;
    let wrote = step(case, 2).get("expect").unwrap().get("json").unwrap().get("total").unwrap().place;
    assert_eq!(seen, wrote);
    let cleanup = &case.get("cleanup").unwrap().as_list().unwrap()[0];
    assert_eq!(step(scenario, 3).place, cleanup.place);
}

/// A plan with one criterion and these steps.
fn plan(steps: &str) -> String {
    format!(
        r#"{{"schemaVersion": 2,
            "requirement": {{"criteria": [{{"id": "C-1", "needs": ["api", "command"], "text": "It works."}}]}},
            "cases": [{{"id": "K", "covers": "C-1", "steps": [{steps}]}}]}}"#
    )
}

/// The first step of a plan with this one.
fn first(step: &str) -> Node {
    let expanded = expanded(&plan(step));
    expanded.plan.get("scenarios").unwrap().as_list().unwrap()[0].get("steps").unwrap().as_list().unwrap()[0].clone()
}

/// The fields of the first step that are not in `without`.
fn step_is(step: &str, expected: &str) {
    let common = ["id", "action", "testIds", "requirementIds", "proves", "evidenceType", "strategyDimensions"];
    let node = first(step);
    let pairs = node.as_map().unwrap().iter().filter(|(key, _)| !common.contains(&key.name.as_str())).cloned();
    same(&Node::new(Value::Map(pairs.collect()), node.place), expected);
}

/// A step with every field.
const FULL_HTTP: &str = r#"{"http": "PUT https://shop.test/api/{K.order}?x=1", "title": "t", "continue": true, "timeout": "2m",
            "query": {"q": "{a}", "n": 1}, "headers": {"x-key": {"env": "KEY"}, "x-note": "n {a}"},
            "form": {"a": "{a}"}, "auth": {"bearer": {"env": "TOKEN"}}, "followRedirects": 3, "cookies": false,
            "decompress": false, "maxBody": "64KiB", "httpVersion": 1.1, "tls": {"ca": "ca.pem"},
            "captureRequest": true, "poll": {"every": "1s", "tries": 4}, "record": {"v": "a.b"},
            "expect": {"status": [200, 201], "text": {"matches": "^a{2}$"}, "notText": ["{a}", "b"], "size": {"lt": "2KiB"},
                       "time": "1s", "redirect": "/x/{a}", "httpVersion": 2, "schema": "s.json",
                       "jsonAny": [{"a": "{a}"}, {"a": {"not": {"equals": {"b": "{{a}"}}}}],
                       "request": {"json": {"a": 1}, "text": "x", "notText": "y"}},
            "save": {"a1": "a", "b1": {"header": "location"}, "c1": {"text": "id=([0-9]{3})"}}}"#;

/// A step with every field.
const FULL_RUN: &str = r#"{"run": ["jq", "{{id: .id}", "{a}"], "env": {"TOKEN": {"env": "T"}, "A": "{a}"}, "cwd": "tools",
            "stdin": "x {a}", "shell": false, "idempotent": true, "timeout": "1m",
            "expect": {"exit": [0, 1], "text": "{a}", "notText": "b", "stderr": {"text": {"equals": ""}, "json": {"a": 1}},
                       "schema": "s.json", "time": "10s", "jsonAny": [{"a": "exists"}]},
            "save": {"v": "$", "w": {"text": "(a)"}},
            "shows": [{"terminal": {"path": "state", "values": ["done", "{end}"]}}, {"persistence": {"of": "a"}}, "marker"]}"#;

#[test]
fn ways_and_parts_become_those_of_the_seed_form() {
    step_is(
        r#"{"http": "POST /a", "multipart": {"note": "n {a}", "id": "{a}", "n": 1, "doc": [{"file": "a.pdf", "type": "a/b"}, "x"],
            "meta": {"value": "{a}", "type": "c/d"}}, "tls": {"cert": "c.pem", "key": {"env": "K"}},
            "proxy": {"url": "http://p:1", "auth": {"basic": {"env": "P"}}}}"#,
        r#"{"method": "POST", "path": "/a", "multipart": {"note": {"$template": "n {a}"}, "id": {"$var": "a"}, "n": 1,
            "doc": [{"file": "a.pdf", "type": "a/b"}, "x"], "meta": {"value": {"$var": "a"}, "type": "c/d"}},
            "tls": {"cert": "c.pem", "key": {"$env": "K"}},
            "proxy": {"url": "http://p:1", "auth": {"basic": {"$env": "P"}}}, "idempotent": false}"#,
    );
}

#[test]
fn http_fields_become_those_of_the_seed_form() {
    step_is(
        FULL_HTTP,
        r#"{"title": "t", "continueOnFailure": true, "timeoutMs": 120000,
            "method": "PUT", "urlTemplate": "https://shop.test/api/{K.order}?x=1",
            "query": {"q": {"$var": "a"}, "n": 1},
            "headers": {"x-key": {"$env": "KEY"}, "x-note": {"$template": "n {a}"}},
            "form": {"a": {"$var": "a"}}, "auth": {"bearer": {"$env": "TOKEN"}}, "followRedirects": 3, "cookies": false,
            "decompress": false, "httpVersion": 1.1, "tls": {"ca": "ca.pem"}, "maxBodyBytes": 65536,
            "captureRequestBody": true, "pollIntervalMs": 1000, "maxAttempts": 4, "idempotent": false,
            "expectStatusAny": [200, 201],
            "expectJsonAny": [{"a": {"$var": "a"}}, {"a": {"not": {"equals": {"b": "{a}"}}}}],
            "expectResponseText": {"matches": "^a{2}$"}, "expectResponseTextNotContains": [{"$var": "a"}, "b"],
            "expectSchema": "s.json", "expectSize": {"lt": 2048}, "expectTimeMs": 1000,
            "expectRedirect": {"$template": "/x/{a}"}, "expectHttpVersion": 2,
            "expectRequestJson": {"a": 1}, "expectRequestTextContains": "x", "expectRequestTextNotContains": "y",
            "extractJson": {"a1": "a"}, "extractResponseHeader": {"b1": "location"},
            "extractText": {"c1": "id=([0-9]{3})"}, "record": {"v": "a.b"}}"#,
    );
}

#[test]
fn run_fields_become_those_of_the_seed_form() {
    step_is(
        FULL_RUN,
        r#"{"timeoutMs": 60000, "command": ["jq", "{id: .id}", {"$var": "a"}], "cwd": "tools",
            "env": {"TOKEN": {"$env": "T"}, "A": {"$var": "a"}}, "stdin": {"$template": "x {a}"}, "shell": false,
            "idempotent": true, "expectExitCode": [0, 1],
            "expectStdoutJsonAny": [{"a": "exists"}], "expectStdoutContains": {"$var": "a"},
            "expectStdoutNotContains": "b", "expectStdoutSchema": "s.json", "expectStderrJson": {"a": 1},
            "expectStderrText": {"equals": ""}, "expectTimeMs": 10000,
            "extractStdoutJson": {"v": "$"}, "extractStdoutText": {"w": "(a)"},
            "obligations": [{"kind": "terminal", "path": "state", "values": ["done", {"$var": "end"}]},
                            {"kind": "persistence", "of": ["a"]}, {"kind": "marker"}]}"#,
    );
}

#[test]
fn log_fields_become_those_of_the_seed_form() {
    step_is(
        r#"{"log": "shop", "poll": {"every": "100ms", "for": "2s", "tries": 3},
            "expect": {"text": ["a", "{v}"], "notText": "ERROR"}, "title": "t"}"#,
        r#"{"title": "t", "service": "shop", "pollIntervalMs": 100,
            "pollTimeoutMs": 2000, "maxAttempts": 3, "expectLogContains": ["a", {"$var": "v"}],
            "expectLogNotContains": "ERROR"}"#,
    );
    step_is(
        r#"{"log": "shop", "expect": {"text": {"matches": "a+"}}}"#,
        r#"{"service": "shop", "expectLogText": {"matches": "a+"}}"#,
    );
    let step = first(r#"{"log": "shop", "expect": {"text": "a"}}"#);
    let is = |name: &str| step.get(name).and_then(Node::as_text).map(str::to_owned);
    assert_eq!((is("action"), is("evidenceType")), (Some("log".to_owned()), Some("log".to_owned())));
}

#[test]
fn bodies_are_templates_whatever_they_look_like() {
    step_is(
        r#"{"http": "POST /a", "body": "{{\"id\": \"{order}\"}"}"#,
        r#"{"method": "POST", "path": "/a", "body": {"$template": "{{\"id\": \"{order}\"}"}, "idempotent": false}"#,
    );
    step_is(
        r#"{"http": "POST /a", "json": {"a": null, "env": "prod", "n": 18446744073709551617, "l": ["{x}", {"{k}": "v"}]}}"#,
        r#"{"method": "POST", "path": "/a",
            "json": {"a": null, "env": "prod", "n": 18446744073709551617, "l": [{"$var": "x"}, {"{k}": "v"}]},
            "idempotent": false}"#,
    );
    step_is(
        r#"{"http": "POST /a", "json": {"a": null}}"#,
        r#"{"method": "POST", "path": "/a", "json": {"a": null}, "idempotent": false}"#,
    );
}

#[test]
fn steps_belong_to_the_tests_that_they_can_show() {
    let ids = |step: &str| first(step).get("testIds").unwrap().to_json().to_string();
    assert_eq!(ids(r#"{"http": "GET /a"}"#), r#"["K.C-1.api"]"#);
    assert_eq!(ids(r#"{"run": ["a"]}"#), r#"["K.C-1.command"]"#);
    assert_eq!(ids(r#"{"http": "GET /a", "covers": []}"#), "[]");
    assert_eq!(ids(r#"{"action": "screenshot"}"#), r#"["K.C-1.api"]"#, "a step that shows no layer still fails a test");
    assert_eq!(ids(r#"{"action": "api", "testIds": ["X"]}"#), r#"["X"]"#);
}

#[test]
fn seed_form_steps_pass_through() {
    let node = first(r#"{"action": "command", "command": ["a", "{x}"], "expectStdoutJson": {"a": {"$var": "b"}}}"#);
    same(
        &node,
        r#"{"action": "command", "command": ["a", "{x}"], "expectStdoutJson": {"a": {"$var": "b"}},
            "id": "K.1", "testIds": ["K.C-1.command"], "requirementIds": ["C-1"], "proves": "It works.",
            "evidenceType": "command"}"#,
    );
}

#[test]
fn seed_form_references_get_their_dollar_sign() {
    step_is(
        r#"{"action": "api", "method": "POST", "path": "/a", "headers": {"env": {"env": "T"}},
            "json": {"env": "A", "l": [{"var": "b"}], "m": {"template": "x"}},
            "expectJson": {"var": {"var": "b"}, "c": {"equals": {"var": "b"}}}, "expectJsonAny": [{"env": {"var": "b"}}],
            "extractJson": {"var": "a"}, "expectStatusAny": [1]}"#,
        r#"{"method": "POST", "path": "/a", "headers": {"env": {"$env": "T"}},
            "json": {"env": "A", "l": [{"$var": "b"}], "m": {"$template": "x"}},
            "expectJson": {"var": {"$var": "b"}, "c": {"equals": {"$var": "b"}}}, "expectJsonAny": [{"env": {"$var": "b"}}],
            "extractJson": {"var": "a"}, "expectStatusAny": [1]}"#,
    );
    let details = r#"{"action": "api", "path": "/a", "json": {"a": {"var": "b", "prefix": "c"}}}"#;
    assert_eq!(codes(&plan(details)), ["not_supported"]);
}

#[test]
fn a_case_without_covers_covers_what_its_steps_do() {
    let text = plan(r#"{"http": "GET /a"}, {"http": "GET /b", "covers": "C-1"}"#)
        .replace(r#""covers": "C-1", "steps""#, r#""steps""#);
    let expanded = expanded(&text);
    let tests = expanded.matrix.get("tests").unwrap().as_list().unwrap();
    let steps: Vec<_> = tests.iter().map(|test| test.get("steps").unwrap().to_json().to_string()).collect();
    assert_eq!(steps, [r#"["GET /b"]"#, "[]"]);
}

fn codes(json: &str) -> Vec<String> {
    let mut diags = Diagnostics::about("p");
    let _ = expand(&document(json), &mut diags);
    diags.into_sorted().iter().map(|d| d.code.to_string()).collect()
}

#[test]
fn the_expansion_decodes() {
    for json in [EXAMPLE.to_owned(), plan(FULL_HTTP), plan(FULL_RUN)] {
        let mut diags = Diagnostics::about("p");
        let expanded = expand(&document(&json), &mut diags).unwrap();
        let plan = crate::decode::plan_expanded(&expanded.plan, &mut diags);
        let matrix = crate::decode::matrix(&expanded.matrix, &mut diags);
        assert!(!diags.has_errors(), "{:#?}", diags.into_sorted());
        assert!(plan.is_some());
        let coverage = crate::coverage::coverage(&expanded.requirement, &matrix.unwrap());
        assert!(coverage.passed() && coverage.findings.is_empty());
    }
}
