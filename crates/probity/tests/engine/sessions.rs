//! Secrets that a target gives away: they are used, and what is kept of them are placeholders.

use probity_testkit::server::{Act, Server};
use serde_json::Value;

use crate::lab::{Lab, Ran, bodies, done, journal_text};
use crate::secrets::{files, forms};

const TOKEN: &str = "tok/en+0001=xyz~Q";
const COOKIE: &str = "4f9d2c7a11c0ffee";

fn answer(headers: &str, body: &str) -> Act {
    Act::say(&format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len()))
}

/// Answers, one after another, on each connection.
fn serving(answers: Vec<Act>) -> Server {
    Server::scripted(vec![answers.into_iter().flat_map(|answer| [Act::Read, answer]).chain([Act::Hang]).collect()])
}

fn login() -> Act {
    answer(
        &format!("Set-Cookie: sid={COOKIE}; Path=/; HttpOnly\r\nContent-Type: application/json\r\n"),
        &format!(r#"{{"access_token": "{}", "user": "qa"}}"#, TOKEN.replace('/', "\\/")),
    )
}

/// No file of the project's runs holds one of these, in whatever spelling.
#[track_caller]
fn nothing_of(secrets: &[&str], lab: &Lab) {
    let kept = files(&lab.dir.path().join("probity-runs"));
    assert!(kept.len() > 5);
    for (name, bytes) in kept {
        for form in secrets.iter().flat_map(|secret| forms(secret)) {
            let found = bytes.windows(form.len()).any(|window| window == form);
            assert!(!found, "{} in {name}", String::from_utf8_lossy(&form));
        }
    }
}

/// Runs the plan, and verifies what it left: to the same end.
#[track_caller]
fn run(lab: &Lab) -> Ran {
    let ran = lab.run(&[]);
    let verified = done(&lab.command(&["verify"]).output().unwrap());
    assert_eq!(ran.exit, verified.exit, "{}\n{}", ran.said(), verified.said());
    ran
}

#[test]
fn a_login_is_used_and_never_kept() {
    let echo = format!(r#"{{"name": "qa", "sent": "Bearer {TOKEN}", "sid": "{COOKIE}"}}"#);
    let page = format!("<p>welcome</p><!-- {} -->", TOKEN.replace('/', "%2F").replace('+', "%2b"));
    let lab = Lab::with(
        serving(vec![login(), answer("", &echo), answer("Content-Type: text/html\r\n", &page)]),
        r#"
cases:
  - id: LOGIN-1
    title: a session
    covers: [C-1]
    steps:
      - http: POST /login
        json: {user: qa}
        expect:
          status: 200
          headers: {set-cookie: {contains: HttpOnly}}
          json: {access_token: {type: string}, user: qa}
        save: {token: access_token}
      - http: GET /me
        headers: {authorization: "Bearer {token}"}
        expect: {json: {name: qa, sent: "Bearer {token}", sid: {notContains: admin}}}
      - http: GET /page/{token}
        query: {t: "{token}"}
        expect: {text: welcome}
"#,
    );
    let ran = run(&lab);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let hits = lab.server.hits();
    let asked = |path: &str| hits.iter().find(|hit| hit.target.starts_with(path)).unwrap();
    assert_eq!(asked("/me").header("authorization"), Some(format!("Bearer {TOKEN}").as_str()));
    assert_eq!(asked("/me").header("cookie"), Some(format!("sid={COOKIE}").as_str()));
    assert_eq!(asked("/page").target, "/page/tok%2Fen%2B0001%3Dxyz~Q?t=tok%2Fen%2B0001%3Dxyz%7EQ");
    nothing_of(&[TOKEN, COOKIE], &lab);
    // Equal secrets have equal placeholders, wherever they stand.
    let intents = bodies(&lab.only(), "action.intent");
    let token = intents[1]["call"]["headers"][0][1].as_str().unwrap().strip_prefix("Bearer ").unwrap().to_owned();
    assert!(token.starts_with("secret.access_token."), "{token}");
    assert!(intents[2]["call"]["url"].as_str().unwrap().ends_with(&format!("/page/{token}?t={token}")));
    // `sid` does not contain `admin`: only who was there has seen that.
    assert!(ran.stdout.contains("1 witnessed"), "{}", ran.said());
}

#[test]
fn a_check_behind_a_placeholder_is_asked_of_the_live_answer() {
    for (checks, exit, words) in [
        ("access_token: {matches: '^tok/'}", 5, "witnessed_only"),
        ("access_token: {matches: '^tok/'}, user: qa", 0, "1 witnessed"),
        ("access_token: {length: 17}, user: {length: 2}", 0, "1 witnessed"),
        ("access_token: {not: {startsWith: 'secret'}}, user: qa", 0, "1 witnessed"),
        ("access_token: {matches: '^secret'}, user: qa", 1, "requirement_failed"),
        ("access_token: {length: 99}, user: qa", 1, "requirement_failed"),
        // The size is that of the answer, not that of what is kept of it.
        ("user: qa}, size: {lt: 56B", 0, "1 witnessed"),
        ("user: qa}, size: {gt: 56B", 1, "requirement_failed"),
    ] {
        let lab = Lab::with(
            serving(vec![login()]),
            &format!(
                "
cases:
  - id: LOGIN-1
    title: a token
    covers: [C-1]
    steps:
      - {{http: POST /login, json: {{user: qa}}, expect: {{status: 200, json: {{{checks}}}}}}}
"
            ),
        );
        let ran = run(&lab);
        assert_eq!(ran.exit, exit, "{checks}: {}", ran.said());
        assert!(ran.stdout.contains(words), "{checks}: {}", ran.said());
        assert!(!ran.said().contains(TOKEN), "{checks}: {}", ran.said());
        // What was seen once and cannot be asked again says so.
        let shown = done(&lab.command(&["show", "LOGIN-1.1"]).output().unwrap());
        let hidden = ["matches", "length", "startsWith", "size"].iter().any(|word| checks.contains(word));
        assert!(hidden == shown.stdout.contains("witnessed:") && !shown.said().contains(TOKEN), "{}", shown.said());
        nothing_of(&[TOKEN, COOKIE], &lab);
    }
}

#[test]
fn a_field_of_a_page_is_found_by_a_pattern_and_sent_back() {
    let csrf = "Zk3u8QpLx0V7bTn2";
    let page = format!("<form><input type=hidden name=\"csrf_token\" value=\"{csrf}\"></form>");
    let lab = Lab::with(
        serving(vec![answer("Content-Type: text/html\r\n", &page), answer("", r#"{"ok": true}"#)]),
        r#"
cases:
  - id: FORM-1
    title: a form
    covers: [C-1]
    steps:
      - http: GET /form
        expect: {text: "<form>"}
        save: {field: {text: 'value="([A-Za-z0-9]{16})"'}}
        covers: []
      - http: POST /form
        form: {csrf_token: "{field}"}
        expect: {json: {ok: true}}
"#,
    );
    let ran = run(&lab);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let hits = lab.server.hits();
    let sent = hits.iter().find(|hit| hit.method == "POST").unwrap();
    assert_eq!(String::from_utf8_lossy(&sent.body), format!("csrf_token={csrf}"));
    nothing_of(&[csrf], &lab);
    let commit = &bodies(&lab.only(), "action.commit")[0];
    assert!(commit["witnessed"]["saved"]["field"].as_str().unwrap().starts_with("secret.csrf_token."), "{commit}");
}

#[test]
fn what_the_plan_puts_where_credentials_stand_is_hidden_from_the_first_answer_on() {
    let lab = Lab::with(
        serving(vec![answer("", r#"{"ticket": "TICKET-000001", "n": 1}"#), answer("", r#"{"ok": true}"#)]),
        r#"
cases:
  - id: KEY-1
    title: a key by another name
    covers: [C-1]
    steps:
      - {http: GET /ticket, expect: {json: {n: 1}}, save: {t: ticket}, covers: []}
      - {http: GET /x, headers: {x-api-key: "{t}"}, expect: {json: {ok: true}}}
"#,
    );
    let ran = run(&lab);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert!(lab.server.hits().iter().any(|hit| hit.header("x-api-key") == Some("TICKET-000001")));
    nothing_of(&["TICKET-000001"], &lab);
}

#[test]
fn what_turns_out_to_be_a_secret_too_late_is_told_and_no_pass() {
    let late = format!("Set-Cookie: sid={COOKIE}\r\n");
    let lab = Lab::with(
        serving(vec![answer("", &format!(r#"{{"ref": "{COOKIE}"}}"#)), answer(&late, r#"{"ok": true}"#)]),
        "
cases:
  - id: LATE-1
    title: told too late
    covers: [C-1]
    steps:
      - {http: GET /ref, expect: {json: {ref: exists}}, covers: []}
      - {http: GET /x, expect: {json: {ok: true}}}
",
    );
    let ran = run(&lab);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert!(ran.stdout.contains("secret_kept") && !ran.said().contains(COOKIE), "{}", ran.said());
    let seen = bodies(&lab.only(), "runtime.observed");
    let places = seen.iter().find(|body| body["what"] == "secret_kept").unwrap()["places"].as_array().unwrap().clone();
    let line = |place: &Value| place.as_str().unwrap().strip_prefix("entry ").unwrap().parse::<usize>().unwrap();
    let text = journal_text(&lab.only());
    let lines: Vec<&str> = text.lines().collect();
    assert!(!places.is_empty() && places.iter().all(|place| lines[line(place)].contains(COOKIE)), "{places:?}");
}

#[test]
fn a_password_of_the_environment_is_sent_in_a_form_and_named_in_what_is_kept() {
    let plan = r#"
cases:
  - id: FORM-1
    title: a form
    covers: [C-1]
    steps:
      - {http: POST /form, form: {user: qa, password: {$env: LAB_PASSWORD}}, expect: {json: {ok: true}}}
      - {http: POST /json, json: {login: {password: {$env: LAB_PASSWORD}}}, expect: {json: {ok: true}}}
      - {http: POST /parts, multipart: {password: {$env: LAB_PASSWORD}}, expect: {json: {ok: true}}}
"#;
    let (password, ok) = ("pass&word/0001", || answer("", r#"{"ok": true, "said": "pass&word/0001"}"#));
    let lab = Lab::with(serving(vec![ok(), ok(), ok()]), plan);
    let ran = done(&lab.command(&["run"]).env("LAB_PASSWORD", password).output().unwrap());
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let body = |path: &str| {
        let hits = lab.server.hits();
        String::from_utf8_lossy(&hits.iter().find(|hit| hit.target == path).unwrap().body).into_owned()
    };
    assert_eq!(body("/form"), "user=qa&password=pass%26word%2F0001");
    assert_eq!(body("/json"), r#"{"login":{"password":"pass&word/0001"}}"#);
    assert!(body("/parts").contains("\r\npass&word/0001\r\n"));
    let intents = bodies(&lab.only(), "action.intent");
    assert_eq!(intents[0]["call"]["body"]["text"], "user=qa&password=%7Benv%3ALAB_PASSWORD%7D");
    nothing_of(&[password], &lab);
    assert_eq!(done(&lab.command(&["verify"]).output().unwrap()).exit, 0);
    // Without it nothing is sent.
    let without = Lab::with(serving(vec![ok()]), plan);
    let ran = run(&without);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert!(ran.stdout.contains("credential_missing") && without.server.hits().is_empty(), "{}", ran.said());
}

#[test]
fn what_a_value_stands_for_keeps_to_the_rules_of_templates() {
    let plan = r#"
cases:
  - id: ARG-1
    title: as an argument
    covers: [C-3]
    steps:
      - {http: GET /token, expect: {json: {n: 1}}, save: {token: token}, covers: []}
      - {run: [sh, tools/length.sh, "{token}"], expect: {exit: 0, text: "13 characters"}}
"#;
    for (token, exit, words) in [("TICKET-000001", 0, "2 reported"), ("--output=/tmp", 5, "template_refused")] {
        let lab = Lab::with(serving(vec![answer("", &format!(r#"{{"token": "{token}", "n": 1}}"#))]), plan);
        lab.write("tools/length.sh", "echo ${#1} characters\n");
        let ran = run(&lab);
        assert_eq!(ran.exit, exit, "{token}: {}", ran.said());
        assert!(ran.stdout.contains(words) && !ran.said().contains(token), "{token}: {}", ran.said());
        nothing_of(&[token], &lab);
    }
}

#[test]
fn a_lost_run_sends_no_placeholder() {
    let lab = Lab::with(
        serving(vec![answer("", r#"{"token": "TICKET-000001", "n": 1}"#), Act::Sleep(30_000)]),
        r#"
cases:
  - id: LOST-1
    title: lost
    covers: [C-1]
    steps:
      - {http: GET /token, expect: {json: {n: 1}}, save: {token: token}}
      - {http: GET /slow, expect: {status: 200}}
    cleanup:
      - {http: POST /logout, json: {token: "{token}"}, expect: {status: 200}}
"#,
    );
    let mut child = lab.start_until(&[], "/slow");
    child.kill().unwrap();
    child.wait().unwrap();
    let name = lab.only().file_name().unwrap().to_str().unwrap().to_owned();
    let ran = lab.run(&["--resume", &name]);
    assert!(matches!(ran.exit, 3 | 5), "{}", ran.said());
    assert!(lab.server.hits().iter().all(|hit| hit.target != "/logout"), "{}", ran.said());
    let commits = bodies(&lab.only(), "action.commit");
    assert_eq!(commits.last().unwrap()["code"], "credential_missing", "{}", ran.said());
    nothing_of(&["TICKET-000001"], &lab);
}

#[test]
fn a_body_that_is_cut_hides_what_came_of_a_secret() {
    let body = format!(r#"{{"user": "qa", "access_token": "{TOKEN}"}}"#);
    let cut = &body[..body.len() - 6];
    let lab = Lab::with(
        serving(vec![Act::say(&format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{cut}", body.len())), Act::Close]),
        "
cases:
  - id: CUT-1
    title: cut
    covers: [C-1]
    steps:
      - {http: GET /x, timeout: 1s, expect: {json: {user: qa}}}
",
    );
    let ran = run(&lab);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    nothing_of(&[&TOKEN[..TOKEN.len() - 4]], &lab);
}

#[test]
fn a_lost_run_hides_nothing_that_the_plan_writes_out() {
    let lab = Lab::with(
        serving(vec![answer("", r#"{"token": "written-out-words"}"#), Act::Sleep(30_000)]),
        "
cases:
  - id: LOST-1
    title: lost
    covers: [C-1]
    steps:
      - {http: GET /token, expect: {json: {token: written-out-words}}}
      - {http: GET /slow, expect: {status: 200}}
    cleanup:
      - {http: GET /again, expect: {json: {token: written-out-words}}}
",
    );
    let mut child = lab.start_until(&[], "/slow");
    child.kill().unwrap();
    child.wait().unwrap();
    let name = lab.only().file_name().unwrap().to_str().unwrap().to_owned();
    let ran = lab.run(&["--resume", &name]);
    let commits = bodies(&lab.only(), "action.commit");
    assert_eq!(commits.last().unwrap()["status"], "passed", "{}", ran.said());
    assert!(bodies(&lab.only(), "runtime.observed").iter().all(|body| body["what"] != "secret_kept"), "{}", ran.said());
}
