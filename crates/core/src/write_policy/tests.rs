use super::*;
use crate::allow::FileFact;
use crate::checked::{Ask, Given, check};
use crate::codes::Code;
use crate::json::{Limits, read, read_placed};
use crate::step::{Judgement, StepStatus};
use crate::walk::{CaseWalk, EngineValues, Next, Walked};

fn json(text: &str) -> Json {
    read(text.as_bytes(), &Limits::default()).unwrap()
}

/// A plan of one case, with a policy and constants.
fn plan(policy: &str, vars: &str, kind: &str, steps: &str) -> CheckedPlan {
    let mutation = if policy.is_empty() { String::new() } else { format!("\"mutation\":{policy},") };
    let plan = format!(
        r#"{{"schemaVersion":2,{mutation}"vars":{vars},"requirement":{{"title":"t","criteria":[{{"id":"C","needs":"api","text":"x"}}]}},
            "environment":"e","cases":[{{"id":"A","title":"a","covers":["C"],"steps":[{steps}]}}]}}"#
    );
    let profile = format!(
        r#"{{"version":1,"environments":{{"e":{{"kind":"{kind}","url":"http://qa-1.test","data":"disposable"}}}},
            "commands":{{"allow":[{{"program":"tool","args":["read","*"],"reads":true}},{{"program":"tool","args":["**"]}}]}},
            "mutation":{{"allow_signatures":[{{"method":"POST","url":"^/search$"}}],
                "write_signatures":[{{"method":"GET","url":"/delete/7"}},{{"method":"*","url":"/rpc","body":"remove"}}]}}}}"#
    );
    let parse = |_: &str, bytes: &[u8]| Ok(read_placed(bytes, &Limits::default()).unwrap());
    check(&Ask {
        given: Given::Written("p.probity.yaml", plan.as_bytes()),
        profile: Some(("probity.yaml", profile.as_bytes())),
        environment: None,
        files: &|_| FileFact::Inside,
        parse: &parse,
    })
    .unwrap_or_else(|found| panic!("{found:?}"))
}

/// Walks the case: each step with what it saves, if it leaves. The codes of those that were stopped, by position.
fn walked(checked: &CheckedPlan, saves: &[(usize, &str, &str)]) -> Vec<(usize, Code)> {
    let engine = EngineValues { run: "r".into(), marker: "QA_MARKER_1".into(), started_at: "now".into() };
    let before = Walked::new(checked.plan());
    let scenario = &checked.plan().scenarios[0];
    let mut case = CaseWalk::begin(checked, scenario, &engine, &before, &|_| None);
    let mut stopped = Vec::new();
    for (at, step) in scenario.steps.iter().enumerate() {
        match case.next(step) {
            Next::Run(_) => {
                let saved = saves.iter().filter(|(of, ..)| *of == at);
                let saved = saved.map(|(_, name, value)| ((*name).to_owned(), json(value))).collect();
                let judgement = Judgement {
                    status: StepStatus::Passed,
                    reason: None,
                    checks: Vec::new(),
                    saved,
                    recorded: Vec::new(),
                };
                case.settle(step, &judgement);
            }
            Next::Leave(judgement) => {
                assert_eq!(judgement.status, StepStatus::Refused, "{judgement:?}");
                stopped.push((at, judgement.reason.unwrap().code));
            }
        }
    }
    stopped
}

const SCOPED: &str = r#"{"policy":"scoped-write","prefix":"qa-1"}"#;

#[test]
fn a_write_carries_the_prefix_where_it_leaves() {
    let cases: &[(&str, bool)] = &[
        (r#"{"http":"POST /items/qa-1"}"#, true),
        (r#"{"http":"POST /items","query":{"name":"qa-1"}}"#, true),
        (r#"{"http":"POST /items","json":{"name":"qa-1"}}"#, true),
        (r#"{"http":"POST /items","form":{"name":"qa-1"}}"#, true),
        (r#"{"http":"POST /items","body":"<qa-1>"}"#, true),
        (r#"{"http":"POST /items","json":{"name":"{own}"}}"#, true),
        (r#"{"http":"DELETE /items/{own}"}"#, true),
        (r#"{"http":"GET /items/1"}"#, true),
        (r#"{"http":"POST /search"}"#, true),
        (r#"{"run":["tool","write","qa-1"]}"#, true),
        (r#"{"run":["tool","write"],"stdin":{"name":"qa-1"}}"#, true),
        (r#"{"run":["tool","read","1"]}"#, true),
        (r#"{"http":"POST /items","json":{"name":"q-1"}}"#, false),
        (r#"{"http":"DELETE /items/{other}"}"#, false),
        // In the plan's text and not in path, query or body.
        (r#"{"http":"POST http://qa-1.test/items"}"#, false),
        (r#"{"http":"POST /items","headers":{"x-name":"qa-1"}}"#, false),
        (r#"{"http":"GET /delete/{seven}"}"#, false),
        (r#"{"http":"POST /search","json":{}}"#, false),
        (r#"{"run":["tool","write","1"]}"#, false),
        (r#"{"run":["tool","write"],"env":{"NAME":"qa-1"}}"#, false),
    ];
    let vars = r#"{"own":"qa-17","other":"7","seven":"7"}"#;
    for (step, allowed) in cases {
        let stopped = walked(&plan(SCOPED, vars, "local", step), &[]);
        assert_eq!(stopped.is_empty(), *allowed, "{step}: {stopped:?}");
        assert!(stopped.iter().all(|(_, code)| *code == Code::WriteRefused), "{step}: {stopped:?}");
    }
}

#[test]
fn an_object_is_ours_while_its_id_is() {
    let steps = r#"{"http":"POST /items","json":{"name":"qa-1"},"save":{"id":"id"}},
        {"http":"GET /items","save":{"found":"id"}},
        {"http":"PUT /items/{id}","json":{"a":1},"save":{"again":"id"}},
        {"http":"DELETE /items/{found}"},
        {"http":"DELETE /items/{again}"}"#;
    let checked = plan(SCOPED, "{}", "local", steps);
    let saves = [(0, "id", "\"17\""), (1, "found", "\"18\""), (2, "again", "17")];
    assert_eq!(walked(&checked, &saves), [(3, Code::WriteRefused)]);
    // An id that is nothing names no object.
    let empty = [(0, "id", "\"17\""), (1, "found", "\"18\""), (2, "again", "\"\"")];
    assert_eq!(walked(&checked, &empty).iter().map(|(at, _)| *at).collect::<Vec<_>>(), [3, 4]);
    // A name that a read takes over is no longer ours, in the plan and where it is sent.
    let taken = r#"{"http":"POST /items","json":{"name":"qa-1"},"save":{"id":"id"}},
        {"http":"GET /items","save":{"id":"0.id"}},
        {"http":"DELETE /items/{id}"}"#;
    let checked = plan(SCOPED, "{}", "local", taken);
    assert_eq!(walked(&checked, &[(0, "id", "\"17\""), (1, "id", "\"1\"")]), [(2, Code::WriteRefused)]);
    let undeclared = checked.findings().iter().filter(|found| found.code == Code::WriteUndeclared);
    assert_eq!(undeclared.map(|found| found.subject.as_deref()).collect::<Vec<_>>(), [Some("A.3")]);
}

#[test]
fn the_other_policies() {
    let steps = r#"{"http":"POST /items","json":{"name":"qa-1"}},{"http":"GET /items"},{"http":"PUT /items/1"},
        {"http":"PATCH /items/1"},{"http":"DELETE /items/1"},{"run":["tool","write","1"]},{"run":["tool","read","1"]},
        {"http":"POST /search"},{"http":"GET /rpc"},{"http":"OPTIONS /rpc","body":"remove"}"#;
    let writes = [0, 2, 3, 4, 5, 9];
    let stopped = |policy: &str, kind: &str| -> Vec<usize> {
        walked(&plan(policy, "{}", kind, steps), &[]).iter().map(|(at, _)| *at).collect()
    };
    assert_eq!(stopped(r#"{"policy":"read-only"}"#, "local"), writes);
    assert_eq!(stopped(r#"{"policy":"unrestricted"}"#, "production"), [0usize; 0]);
    assert_eq!(stopped("", "local"), [0usize; 0]);
    // Nobody has said which writes a production system takes.
    assert_eq!(stopped("", "production"), writes);
}

#[test]
fn a_prefix_is_made_of_what_nobody_else_chooses() {
    let steps = r#"{"http":"POST /items","json":{"name":"{qa_marker}"}},{"http":"POST /items/x{qa_marker}"},
        {"http":"POST /items","json":{"name":"{given}"}},{"http":"POST /items","json":{"name":"QA"}}"#;
    let of = |prefix: &str| {
        let checked = plan(
            &format!(r#"{{"policy":"scoped-write","prefix":"{prefix}"}}"#),
            r#"{"given":"QA_MARKER_1"}"#,
            "local",
            steps,
        );
        let stopped: Vec<usize> = walked(&checked, &[]).iter().map(|(at, _)| *at).collect();
        let found = checked.findings().iter().filter(|found| found.code == Code::WriteUndeclared);
        (stopped, found.map(|found| found.subject.clone().unwrap_or_default()).collect::<Vec<_>>())
    };
    // The plan cannot tell that a constant will hold the marker; what leaves can.
    assert_eq!(of("{qa_marker}"), (vec![3], vec!["A.3".to_owned(), "A.4".to_owned()]));
    for bad in ["{given}", "x/{qa_marker}", "a b c"] {
        assert_eq!(of(bad), (vec![0, 1, 2, 3], vec![String::new()]), "{bad}");
    }
}

#[test]
fn what_a_value_makes_of_a_reading_command() {
    let steps = r#"{"run":["tool","read","{a}"]}"#;
    let policy = r#"{"policy":"read-only"}"#;
    assert!(walked(&plan(policy, r#"{"a":"1"}"#, "local", steps), &[]).is_empty());
}

#[test]
fn a_redirect_is_decided_like_a_request() {
    let step = r#"{"http":"POST /items","json":{"name":"qa-1"},"save":{"id":"id"}},
        {"http":"PUT /items/{id}","json":{"of":"{id}"}}"#;
    let profiles = [
        (SCOPED, "local"),
        (r#"{"policy":"read-only"}"#, "local"),
        (r#"{"policy":"unrestricted"}"#, "production"),
        ("", "production"),
    ];
    let body = Some(r#"{"of":"17"}"#);
    // Method, URL, body that goes along; whether each of the four lets it through.
    let cases: &[(&str, &str, Option<&str>, [bool; 4])] = &[
        ("GET", "http://qa-1.test/elsewhere", None, [true, true, true, true]),
        ("PUT", "http://h/items/17", None, [true, false, true, false]),
        ("PUT", "http://h/items/1%37", None, [true, false, true, false]),
        ("PUT", "http://h/items?id=17", None, [true, false, true, false]),
        ("PUT", "http://h/qa-1x", None, [true, false, true, false]),
        ("PUT", "http://h/items", body, [true, false, true, false]),
        // Not the object: another one, a part of a segment, the host.
        ("PUT", "http://h/items/18", None, [false, false, true, false]),
        ("PUT", "http://h/items/170", None, [false, false, true, false]),
        ("DELETE", "http://qa-1.test/items", None, [false, false, true, false]),
        // Whoever answers cannot claim an allowance, and a write that looks harmless is one.
        ("POST", "http://h/search", None, [false, false, true, false]),
        ("GET", "http://h/delete/7", None, [false, false, true, false]),
    ];
    for (at, (policy, kind)) in profiles.into_iter().enumerate() {
        let checked = plan(policy, "{}", kind, step);
        let step = &checked.plan().scenarios[0].steps[1];
        let vars = Vars::new(&[("id".to_owned(), "17".into()), ("found".to_owned(), "18".into())]);
        let mut ours = Ours::default();
        ours.take(true, ["id"]);
        for (method, url, body, allowed) in cases {
            let to = Redirected { method, url, body: body.map(str::as_bytes) };
            let stopped = redirect_stopped(&checked, step, &to, &vars, &ours);
            assert_eq!(stopped.is_none(), allowed[at], "{policy} {kind}: {to:?}: {stopped:?}");
        }
    }
}
