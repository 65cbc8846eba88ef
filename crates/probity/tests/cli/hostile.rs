//! Hostile text never reaches a stream as it is: not from a plan, not from an answer.

use probity_testkit::server::{Act, Server};

use crate::place::{Place, Ran};

const ESCAPE: &str = "\u{1b}[2J\u{1b}]8;;http://evil.test\u{7}";
const BIDI: &str = "\u{202e}dessap\u{2066}";

/// Fails on whatever acts on a terminal, and on lines that a CI runner would obey.
fn inert(ran: &Ran, what: &str) {
    for (stream, text) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        let acting = text.chars().find(|c| *c != '\n' && probity_core::inert::is_unsafe(*c));
        assert_eq!(acting, None, "{what} {stream}: {text}");
        for line in text.lines() {
            assert!(!line.trim_start().starts_with("::"), "{what} {stream}: {line}");
            assert!(!line.contains("##["), "{what} {stream}: {line}");
        }
    }
}

/// A place whose service answers everything with this body.
fn answering(body: &str) -> (Place, Server) {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-note: ::error::head\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let server = Server::scripted(vec![vec![Act::Read, Act::Send((head + body).into_bytes())]]);
    let place = Place::undeclared();
    (place, server)
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

#[test]
fn a_hostile_title_and_body_are_drawn() {
    let body = format!("{{\"name\":{}}}", quoted(&format!("{ESCAPE}\n::error::owned {BIDI} ##[error]x")));
    let (place, server) = answering(&body);
    let title = quoted(&format!("::error::title {ESCAPE} {BIDI} ##[group]"));
    place.write(
        "order.probity.yaml",
        &format!(
            "schemaVersion: 2\nrequirement:\n  title: {title}\n  criteria:\n    - {{id: A-1, needs: api, text: {title}}}\n\
             environment: {{name: local, kind: local, url: \"{}\", data: disposable}}\ncases:\n  - id: C-1\n    title: {title}\n    \
             covers: [A-1]\n    steps:\n      - {{http: GET /x, expect: {{json: {{name: fine}}}}}}\n",
            server.origin()
        ),
    );
    let ran = place.probity("run");
    inert(&ran, "run");
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.stdout.contains("\\x1b[2J") && ran.stdout.contains("\\u{202e}"), "{ran}");
    for words in [
        "why",
        "verify",
        "show A-1",
        "show e1",
        "plan check",
        "plan expand",
        "report",
        "report --as junit",
        "report --as html",
        "report --as ctrf",
        "report --as json",
    ] {
        let ran = place.probity(words);
        inert(&ran, words);
        assert!(!ran.stdout.is_empty(), "{words}: {ran}");
        inert(&place.probity(&format!("{words} --format json")), words);
    }
    let answer = place.probity("show e1 --format json").json();
    let text = answer["steps"][0]["got"]["body"]["text"].as_str().unwrap();
    assert_eq!(text, body, "an answer keeps what was captured, escaped");
}

#[test]
fn hostile_names_on_the_command_line_are_drawn() {
    let place = Place::with_service();
    for words in ["run \u{1b}[2J\u{202e}.probity.yaml", "verify \u{1b}[2J", "explain \u{1b}[31mx", "show \u{202e}x"] {
        inert(&place.probity(words), words);
        inert(&place.probity(&format!("{words} --format json")), words);
    }
}
