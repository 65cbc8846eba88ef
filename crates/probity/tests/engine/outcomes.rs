//! One run for each way in which a run can end.

use probity_testkit::server::{Act, Server, closed_port};

use crate::lab::{Lab, Ran, bodies, done, outcome, reasons, runs_in, steps};

/// Everything that this build can show, in two cases.
pub(crate) const WHOLE: &str = "
cases:
  - id: ITEM-001
    title: an item is kept
    covers: [C-1, C-2]
    steps:
      - http: POST /items
        json: {name: mug, note: \"{qa_marker}\", at: \"{qa_started_at}\", by: \"{qa_run_id}\"}
        expect: {status: 201, json: {id: {type: string}, name: mug}}
        save: {item: id}
      - http: GET /items/{item}
        expect: {status: 200, json: {name: mug, note: \"{qa_marker}\"}}
        shows: [persistence, marker]
      - http: GET /bytes?6000
        expect: {status: 200, text: xxxx}
        covers: [C-1]
    cleanup:
      - {http: \"DELETE /items/{item}\", expect: {status: [204, 404]}}
      - {http: \"GET /items/{item}\", expect: {status: 404}, shows: absence}
  - id: ITEM-002
    title: a program counts
    covers: [C-3]
    steps:
      - run: [sh, tools/count.sh]
        expect: {exit: 0, text: \"1 line\"}
";

/// One request that passes.
pub(crate) const SIMPLE: &str = "
cases:
  - id: SIMPLE-1
    title: it answers
    covers: [C-1]
    steps:
      - {http: GET /version, expect: {status: 200, json: {build: \"1\"}}}
";

#[track_caller]
fn ends(ran: &Ran, dir: &std::path::Path, exit: i32, reason: &str) {
    assert_eq!(ran.exit, exit, "{}", ran.said());
    let found = reasons(dir);
    assert!(found.iter().any(|code| code == reason), "{found:?}\n{}", ran.said());
}

#[test]
fn passed() {
    let lab = Lab::new(WHOLE);
    lab.write("tools/count.sh", "echo '1 line'\n");
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(outcome(&dir), "passed");
    assert_eq!(reasons(&dir), Vec::<String>::new());
}

#[test]
fn failed() {
    let lab = Lab::new(&SIMPLE.replace("\"1\"", "\"2\""));
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 1, "requirement_failed");
    assert_eq!(outcome(&dir), "failed");
}

#[test]
fn a_port_that_nobody_serves_blocks_before_the_first_step() {
    let lab = Lab::new(SIMPLE);
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    let closed = format!("http://127.0.0.1:{}", closed_port());
    lab.write("probity.yaml", &settings.replace(&lab.server.origin(), &closed));
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 3, "preflight_blocked");
    assert!(bodies(&dir, "action.intent").is_empty());
    assert_eq!(outcome(&dir), "blocked");
}

#[test]
fn nothing_selected_is_no_run() {
    let lab = Lab::new(SIMPLE);
    let ran = lab.run(&["--only", "ABSENT-1"]);
    assert_eq!(ran.exit, 4, "{}", ran.said());
    assert!(lab.runs().is_empty());
}

#[test]
fn a_part_never_passes_the_whole() {
    let lab = Lab::new(WHOLE);
    lab.write("tools/count.sh", "echo '1 line'\n");
    let ran = lab.run(&["--only", "ITEM-002"]);
    ends(&ran, &lab.only(), 5, "capped_partial_selection");
    assert!(lab.server.hits().is_empty());
}

#[test]
fn an_environment_that_nobody_declared_confirms_nothing() {
    let lab = Lab::new(&SIMPLE.replace("GET /version", "\"GET {origin}/version\""));
    std::fs::remove_file(lab.dir.path().join("probity.yaml")).unwrap();
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 5, "environment_unconfirmed");
    assert!(steps(&dir).iter().all(|step| step.1 == "passed"));
}

#[test]
fn mock_data_is_capped() {
    let lab = Lab::new(SIMPLE);
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &settings.replace("disposable", "mock"));
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 5, "capped_mock_data");
}

#[test]
fn what_cannot_be_read_or_holds_a_secret_writes_nothing() {
    for (plan, code) in [
        (SIMPLE.replace("status: 200", "statsu: 200"), "unknown_field"),
        (format!("{SIMPLE}      - {{http: [GET"), "syntax_error"),
        (
            SIMPLE.replace("GET /version,", "GET /version, headers: {authorization: \"Bearer abcdefgh12345678ZYXW\"},"),
            "",
        ),
    ] {
        let lab = Lab::new(&plan);
        let ran = lab.run(&[]);
        assert!(ran.exit == 2 && ran.stderr.contains(code), "{code}: {}", ran.said());
        assert!(!lab.dir.path().join("probity-runs").exists());
        assert!(lab.server.hits().is_empty());
    }
}

#[test]
fn errors_of_the_plan_check_open_a_run_without_a_step() {
    for change in ["GET http://127.0.0.1:9/version", "GET /version, bodyFile: ../outside.json", "GET /{absent}"] {
        let lab =
            Lab::new(&SIMPLE.replace(
                "http: GET /version",
                &format!("http: {change}").replace("GET /{absent}", "\"GET /{absent}\""),
            ));
        std::fs::write(lab.dir.path().parent().unwrap().join("outside.json"), "{}").unwrap();
        let (ran, dir) = lab.one();
        ends(&ran, &dir, 3, "plan_validation_failed");
        assert!(bodies(&dir, "action.intent").is_empty() && lab.server.hits().is_empty(), "{change}");
    }
}

#[test]
fn a_link_that_leads_outside_is_refused_and_verifies() {
    let lab = Lab::new(&SIMPLE.replace("GET /version,", "POST /echo, bodyFile: body.json,"));
    let outside = tempfile::NamedTempFile::new().unwrap();
    std::os::unix::fs::symlink(outside.path(), lab.dir.path().join("body.json")).unwrap();
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 3, "plan_validation_failed");
}

#[test]
fn of_several_plans_the_worst_counts() {
    let lab = Lab::new(SIMPLE);
    lab.plan("b-fails", &SIMPLE.replace("\"1\"", "\"2\""));
    lab.write("more/x.txt", "");
    lab.plan("more/c-part", &SIMPLE.replace("/version", "/status/200").replace(", json: {build: \"1\"}", ""));
    let ran = lab.run(&["lab.probity.yaml", "b-fails.probity.yaml", "more"]);
    assert_eq!(ran.exit, 1, "{}", ran.said());
    assert_eq!(lab.runs().len(), 3);
    let ran = lab.run(&["lab.probity.yaml"]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    // A plan that cannot be read is worse than one that fails, and does not keep the others from running.
    lab.write("d.probity.yaml", "schemaVersion: 3");
    assert_eq!(lab.run(&["b-fails.probity.yaml", "d.probity.yaml"]).exit, 2);
    assert_eq!(lab.runs().len(), 5);
}

#[test]
fn a_folder_that_cannot_be_written_has_a_name() {
    let lab = Lab::new(SIMPLE);
    lab.write("taken", "a file");
    let ran = lab.run(&["--out", "taken/runs"]);
    assert!(ran.exit == 2 && ran.stderr.contains("folder_unwritable"), "{}", ran.said());
    assert!(lab.server.hits().is_empty());
    assert!(runs_in(lab.dir.path()).is_empty());
}

fn answer(body: &str) -> Vec<Act> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
    vec![Act::Read, Act::say(&format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()))]
}

#[test]
fn a_build_that_changes_during_the_run_blocks_it() {
    for (after, exit) in [("\"2\"", 3), ("\"1\"", 0)] {
        // The bare connection, the build before, the step, the build after.
        let builds = ["", "{\"build\":\"1\"}", "{\"build\":\"1\"}", &format!("{{\"build\":{after}}}")].map(answer);
        let lab = Lab::with(Server::scripted(builds.to_vec()), SIMPLE);
        let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
        let declared = "data: disposable, identity: {http: GET /version, json: build}";
        lab.write("probity.yaml", &settings.replace("data: disposable", declared));
        let (ran, dir) = lab.one();
        assert_eq!(ran.exit, exit, "{}", ran.said());
        assert_eq!(reasons(&dir).contains(&"subject_changed".to_owned()), exit == 3);
    }
}

#[test]
fn a_redirect_out_of_the_environment_is_not_followed() {
    let other = Server::start();
    let target = format!("GET /to?302,{}", other.url("/echo"));
    let lab = Lab::new(&SIMPLE.replace("http: GET /version,", &format!("http: \"{target}\", followRedirects: 3,")));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert_eq!(steps(&dir)[0].1, "refused");
    assert_eq!((lab.server.hits().len(), other.connections()), (1, 0));
}

#[test]
fn a_missing_value_fails_its_step_and_is_named() {
    let lab = Lab::new(&SIMPLE.replace("json: {build: \"1\"}}", "json: {build: \"1\"}}, save: {gone: absent}"));
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 1, "requirement_failed");
    assert!(bodies(&dir, "action.commit")[0]["message"].as_str().unwrap().contains("gone"));
}

const POLL: &str = "
cases:
  - id: POLL-1
    title: it becomes ready
    covers: [C-1]
    steps:
      - {http: GET /poll/3, poll: {every: 50ms, for: 2s}, expect: {status: 200, json: {state: ready}}}
";

#[test]
fn polls_ask_again_and_keep_every_answer() {
    let lab = Lab::new(POLL);
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let commit = &bodies(&dir, "action.commit")[0];
    assert_eq!((commit["probes"].as_u64(), commit["observation"]["tries"].as_array().unwrap().len()), (Some(3), 3));
    assert_eq!(bodies(&dir, "evidence.captured").len(), 2, "equal answers are kept once");
    // The time that the plan gives is over: that is the product's failure.
    let lab = Lab::new(&POLL.replace("for: 2s", "for: 300ms").replace("/poll/3", "/poll/300"));
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 1, "requirement_failed");
}

/// A server whose connections are: the bare one, then these answers in turn.
fn answering(answers: &[Vec<Act>]) -> Server {
    Server::scripted([&[answer("")], answers].concat())
}

fn cut(body: &str) -> Vec<Act> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
    vec![Act::Read, Act::say(&format!("{head}Content-Length: 99\r\n\r\n{body}"))]
}

#[test]
fn a_poll_is_decided_by_its_last_whole_answer() {
    let pending = || answer("{\"state\":\"pending\"}");
    let ready = || answer("{\"state\":\"ready\"}");
    let begun = || cut("{\"state\":\"rea");
    let table = [
        (vec![pending(), begun(), begun()], 1, "requirement_failed"),
        (vec![begun(), pending(), begun()], 1, "requirement_failed"),
        (vec![begun(), begun(), begun()], 5, "answer_incomplete"),
        (vec![pending(), begun(), ready()], 0, ""),
    ];
    for (answers, exit, reason) in table {
        let plan = POLL.replace("for: 2s", "for: 60s, tries: 3");
        let lab = Lab::with(answering(&answers), &plan);
        let (ran, dir) = lab.one();
        assert_eq!(ran.exit, exit, "{}", ran.said());
        assert!(exit == 0 || reasons(&dir).contains(&reason.to_owned()), "{}", ran.said());
        let commit = &bodies(&dir, "action.commit")[0];
        assert_eq!(commit["observation"]["tries"].as_array().unwrap().len(), 3);
        let shown = done(&lab.command(&["show", "POLL-1.1"]).output().unwrap());
        assert_eq!(shown.stdout.contains("3 tries, the last"), exit == 1, "{}", shown.said());
    }
}

#[test]
fn a_poll_that_the_budget_ends_has_not_failed_whatever_came_before() {
    let pending = answer("{\"state\":\"pending\"}");
    let lab = Lab::with(answering(&[pending, cut("{")]), &POLL.replace("for: 2s", "for: 60s"));
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &format!("{settings}limits: {{probes: 2}}\n"));
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 5, "budget_exceeded");
}

#[test]
fn the_write_policy_is_decided_on_what_leaves() {
    let plan = |policy: &str, saved: &str| {
        format!(
            "mutation: {policy}
vars: {{by: qa-lab-1}}
cases:
  - id: W-1
    title: writes
    covers: [C-1]
    steps:
      - {{http: GET /version, expect: {{json: {{build: \"1\"}}}}, save: {{{saved}: build}}, covers: []}}
      - {{http: \"POST /items\", query: {{by: \"{{by}}\"}}, json: {{name: x}}, expect: {{status: 201, json: {{id: exists}}}}, save: {{item: id}}}}
    cleanup:
      - {{http: \"DELETE /items/{{item}}\", expect: {{status: 204}}}}
"
        )
    };
    let scoped = "{policy: scoped-write, prefix: qa-lab}";
    let writes = |lab: &Lab| lab.server.hits().iter().filter(|hit| hit.method != "GET").count();
    let lab = Lab::new(&plan(scoped, "other"));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!((steps(&dir).len(), writes(&lab)), (3, 2));
    // By the plan the constant carries the prefix; when it is to leave, an answer has taken its place.
    let lab = Lab::new(&plan(scoped, "by"));
    let (ran, dir) = lab.one();
    ends(&ran, &dir, 5, "write_refused");
    assert_eq!(steps(&dir)[1], ("W-1.2".into(), "refused".into(), "write_refused".into(), false));
    assert_eq!(writes(&lab), 0);
    // What lets a plan run in spite of its errors lets no write through.
    let lab = Lab::new(&plan("{policy: read-only}", "other"));
    let ran = lab.run(&["--allow", "plan_errors"]);
    ends(&ran, &lab.only(), 5, "write_refused");
    assert_eq!(writes(&lab), 0);
}

#[test]
fn the_write_policy_is_decided_again_on_a_redirect() {
    let plan = "mutation: {policy: scoped-write, prefix: qa-lab}
cases:
  - id: W-1
    title: writes
    covers: [C-1]
    steps:
      - {http: \"POST /first?by=qa-lab-1\", json: {name: x}, followRedirects: 2, expect: {status: 200, json: {id: 1}}}
";
    let to = |location: &str| {
        let head = format!("HTTP/1.1 307 Go\r\nLocation: {location}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        vec![Act::Read, Act::say(&head)]
    };
    for (location, exit, sent) in [("/second?by=qa-lab-1", 0, 2), ("/second", 5, 1)] {
        let lab = Lab::with(answering(&[to(location), answer("{\"id\": 1}")]), plan);
        let (ran, dir) = lab.one();
        assert_eq!(ran.exit, exit, "{}", ran.said());
        assert_eq!(lab.server.hits().iter().filter(|hit| hit.method == "POST").count(), sent);
        if exit == 5 {
            ends(&ran, &dir, 5, "write_refused");
            assert_eq!(steps(&dir)[0], ("W-1.1".into(), "refused".into(), "write_refused".into(), true));
            let message = bodies(&dir, "action.commit")[0]["message"].as_str().unwrap().to_owned();
            assert!(message.starts_with("the redirect of W-1.1 to POST http://127.0.0.1:"), "{message}");
        }
    }
}

#[test]
fn a_poll_that_the_budget_ends_has_not_failed() {
    let lab = Lab::new(&POLL.replace("/poll/3", "/poll/300").replace("for: 2s", "for: 60s"));
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    for limits in ["limits: {time: 4s}", "limits: {probes: 2}"] {
        lab.write("probity.yaml", &format!("{settings}{limits}\n"));
        let ran = lab.run(&[]);
        let dir = lab.runs().pop().unwrap();
        ends(&ran, &dir, 5, "budget_exceeded");
        assert_eq!(steps(&dir)[0].1, "error");
        std::fs::remove_dir_all(dir).unwrap();
    }
}

/// What is sent is kept where the plan asks for it, and where it is too long for its entry.
#[test]
fn sent_bodies_are_kept() {
    let long = "x".repeat(5000);
    let lab = Lab::new(&format!(
        "
cases:
  - id: SENT-1
    title: two items
    covers: [C-1]
    steps:
      - {{http: POST /items, json: {{name: short}}, captureRequest: true, expect: {{json: {{name: short}}}}}}
      - {{http: POST /items, json: {{name: {long}}}, expect: {{status: 201, json: {{name: exists}}}}}}
      - {{http: POST /items, json: {{name: plain}}, expect: {{json: {{name: plain}}}}}}
"
    ));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let kept: Vec<String> = bodies(&dir, "evidence.captured")
        .iter()
        .filter(|body| body["role"] == "request")
        .map(|body| format!("{} {}", body["media"].as_str().unwrap(), body["bytes"]))
        .collect();
    assert_eq!(kept, ["application/json 16", "application/json 5011"]);
}
