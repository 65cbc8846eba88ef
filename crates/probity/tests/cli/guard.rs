//! The write guard's decisions: by the program, and by the JavaScript that stands in the browser.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

const VECTORS: &str = include_str!("../../../core/fixtures/gate/guard-decisions.json");

fn ask(file: &Path) -> (Option<i32>, String, String) {
    let program = env!("CARGO_BIN_EXE_probity");
    let output = Command::new(program).args(["guard", "decide"]).arg(file).env("NO_COLOR", "1").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn by_program(questions: &Value) -> Vec<Value> {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("questions.json");
    std::fs::write(&file, questions.to_string()).unwrap();
    let (code, said, talk) = ask(&file);
    assert_eq!((code, talk.as_str()), (Some(0), ""), "{said}");
    serde_json::from_str::<Value>(&said).unwrap().as_array().unwrap().clone()
}

fn by_browser(questions: &Value) -> Vec<Value> {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("questions.json"), questions.to_string()).unwrap();
    std::fs::write(
        folder.path().join("ask.mjs"),
        "import { readFileSync } from 'node:fs';\nimport { pathToFileURL } from 'node:url';\n\
         const { decideAll } = await import(pathToFileURL(process.argv[2]));\n\
         process.stdout.write(JSON.stringify(decideAll(JSON.parse(readFileSync(process.argv[3], 'utf8')))));\n",
    )
    .unwrap();
    let guard = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/playwright/write-guard.mjs");
    let mut node = Command::new("node");
    node.arg(folder.path().join("ask.mjs")).arg(guard).arg(folder.path().join("questions.json"));
    let output = node.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice::<Value>(&output.stdout).unwrap().as_array().unwrap().clone()
}

/// Each answer has what was observed of the reference.
fn as_observed(answers: &[Value]) {
    let vectors: Vec<Value> = serde_json::from_str(VECTORS).unwrap();
    assert_eq!((vectors.len(), answers.len()), (135, 135));
    for (vector, answer) in vectors.iter().zip(answers) {
        let observed = vector["observed"].as_object().unwrap();
        if observed.contains_key("throws") {
            assert!(answer["throws"].as_str().is_some_and(|text| !text.is_empty()), "{vector} {answer}");
        } else {
            observed.iter().for_each(|(key, value)| assert_eq!(&answer[key], value, "{vector} {answer}"));
        }
    }
}

#[test]
fn every_vector_by_the_program() {
    as_observed(&by_program(&serde_json::from_str(VECTORS).unwrap()));
}

#[test]
fn needs_node_every_vector_by_the_browsers_guard() {
    as_observed(&by_browser(&serde_json::from_str(VECTORS).unwrap()));
}

/// Questions of every combination of a few values each.
fn questions() -> Value {
    let configs = [
        json!(null),
        json!({"deny_controls": {"text": ["wipe", "^go$", "\\bÄndern\\b"], "icons": ["fa-bomb"]}}),
        json!({"write_signatures": [{"method": "*", "url": "/api/"}, {"method": "POST", "url": "^https://h/rpc$", "body": "\"op\":\\s*\"set"}],
               "allow_signatures": [{"method": "POST", "url": "/api/search(?![a-z])"}]}),
        json!({"write_signatures": [{"method": "post", "url": "("}], "deny_controls": 1}),
        json!({"write_signatures": [1, null, {"method": "GET"}]}),
        json!({"write_signatures": [{"method": "GET", "url": format!("{}a{}", "(".repeat(33), ")".repeat(33))}]}),
        json!({"write_signatures": [{"method": "GET", "url": format!("{}a{}", "(".repeat(32), ")".repeat(32))}]}),
    ];
    let states = [
        json!({"policy": "read-only"}),
        json!({"policy": "scoped-write", "prefix": "QA_T_", "scopeUrl": "/orders/\\d+"}),
        json!({"policy": "scoped-write", "prefix": "", "scopeUrl": "("}),
        json!({"policy": "unrestricted"}),
        json!({"policy": 1}),
        json!(null),
    ];
    let labels = [
        "Save",
        "sAVE as",
        "go",
        "gone",
        "wipe it",
        "ändern",
        "Log\u{a0}out",
        "log out",
        "unsaved",
        "é save 😀",
        "",
        "pay_now",
        "update2",
    ];
    let icons =
        [json!([]), json!(["x", "fa-bomb-2"]), json!(["mdi-deleted"]), json!("mdi-delete"), json!([1, "mdi-share"])];
    let rows = [("https://h/orders/7", "none"), ("https://h/", "a QA_T_1"), ("https://h/ORDERS/7", "")];
    let calls = [
        ("post", "https://h/api/search", json!(null)),
        ("POST", "https://h/api/searches", json!("x")),
        ("POST", "https://h/rpc", json!("{\"op\": \"set\"}")),
        ("POST", "https://h/rpc", json!(7)),
        ("GET", "https://h/API/x", json!(null)),
        ("get", "https://h/api/\u{2028}x", json!("")),
    ];
    let mut all = Vec::new();
    for config in &configs {
        all.push(json!({"kind": "config", "config": config}));
        for state in &states {
            for label in labels {
                for icon in &icons {
                    for (page, row) in rows {
                        let input = json!({"label": label, "icons": icon, "pageUrl": page, "ownRowText": row});
                        all.push(json!({"kind": "control", "config": config, "input": input, "state": state}));
                    }
                }
            }
            for (method, url, body) in &calls {
                let input = json!({"method": method, "url": url, "body": body});
                all.push(json!({"kind": "request", "config": config, "input": input, "state": state}));
            }
        }
    }
    Value::Array(all)
}

#[test]
fn needs_node_program_and_browser_decide_alike() {
    let questions = questions();
    let (program, browser) = (by_program(&questions), by_browser(&questions));
    let mut actions = std::collections::BTreeSet::new();
    for ((question, program), browser) in questions.as_array().unwrap().iter().zip(&program).zip(&browser) {
        if program["throws"].is_string() {
            // What the parser of an engine says is its own.
            assert!(browser["throws"].is_string(), "{question} {browser}");
        } else {
            assert_eq!(program, browser, "{question}");
        }
        actions.insert(program["action"].as_str().unwrap_or("none").to_owned());
    }
    assert_eq!(program.len(), browser.len());
    assert_eq!(actions.into_iter().collect::<Vec<_>>(), ["allow", "block", "none", "observe"]);
}

#[test]
fn what_is_no_list_of_questions_is_refused() {
    let folder = TempDir::new().unwrap();
    let said = |text: &str| {
        let file = folder.path().join("q.json");
        std::fs::write(&file, text).unwrap();
        let (code, out, talk) = ask(&file);
        format!("exit {}\n{out}{}", code.unwrap(), talk.replace(&folder.path().display().to_string(), "DIR"))
    };
    insta::assert_snapshot!(said("{}"), @r"
    exit 2
    error[wrong_type]: DIR/q.json: a list of questions is expected: [{kind, config, input, state}]
     |
     = help: each question has kind, config, input and state; probity guard decide --help shows one
    ");
    insta::assert_snapshot!(said(r#"[{"kind": "page"}]"#), @r"
    exit 2
    error[wrong_type]: DIR/q.json: question 0 has no kind of control, request or config
     |
     = help: each question has kind, config, input and state; probity guard decide --help shows one
    ");
    insta::assert_snapshot!(said("[\n  {\"kind\": }\n]"), @r#"
    exit 2
    error[syntax_error]: a character that begins no JSON value
     --> DIR/q.json:2:12
      |
    2 |   {"kind": }
      |            ^
      |
      = help: remove the comma before it, or write the value that is missing
    "#);
    let (code, ..) = ask(&folder.path().join("none.json"));
    assert_eq!(code, Some(2));
}
