//! More peers and programs that do their worst, each as a whole run: the outcome that is due, a verdict that names the
//! reason, a folder that `verify` gives the same answer for, and nothing left running.

use std::time::{Duration, Instant};

use probity_testkit::server::{Act, Server, routes};

use crate::lab::{Lab, bodies, done, outcome, reasons, steps};

const OK: &str = "HTTP/1.1 200 OK\r\n";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// One request whose answer is right where it holds this text.
fn asking(expect: &str) -> String {
    format!(
        "
cases:
  - id: PEER-1
    title: it answers
    covers: [C-1]
    steps:
      - {{http: GET /, timeout: 1s, maxBody: 64KiB, followRedirects: 5, expect: {{status: 200, {expect}}}}}
"
    )
}

/// A connection for the preflight, then the one that matters.
fn playing(acts: Vec<Act>) -> Server {
    Server::scripted(vec![vec![], [vec![Act::Read], acts].concat()])
}

fn saying(text: impl Into<Vec<u8>>) -> Server {
    playing(vec![Act::Send(text.into())])
}

/// An answer with a length, so that it is whole.
fn whole(head: &str, body: &[u8]) -> Server {
    saying([format!("{OK}{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat())
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// What a server does and what the step expects of it; exit code, status of the step, code of the reason.
type Peer = (&'static str, Server, &'static str, i32, &'static str, &'static str);

const TEXT: &str = "text: right";
const INCOMPLETE: (i32, &str, &str) = (5, "error", "answer_incomplete");

fn due(name: &'static str, server: Server, expect: &'static str, due: (i32, &'static str, &'static str)) -> Peer {
    (name, server, expect, due.0, due.1, due.2)
}

/// Heads and framing.
fn framing() -> Vec<Peer> {
    let flood = |text: &str| Act::Flood(text.repeat(64).into_bytes());
    let say = Act::say;
    let drip = |text: String| Act::Drip(text.into_bytes(), 20);
    let answers = |name, text: &str| due(name, saying(text), TEXT, INCOMPLETE);
    let plays = |name, acts| due(name, playing(acts), TEXT, INCOMPLETE);
    vec![
        plays("an endless header line", vec![say(OK), say("X: "), flood("yyyyyyyy")]),
        plays("an endless status line", vec![say("HTTP/1.1 200 "), flood("yyyyyyyy")]),
        plays("a head that comes byte by byte", vec![drip(format!("{OK}X: {}", "x".repeat(500)))]),
        plays("chunks that come byte by byte", vec![say(CHUNKED), say("1"), drip("0".repeat(500))]),
        plays("a head and no more", vec![say(OK), Act::Hang]),
        plays("a reset in the body", vec![say(OK), say("Content-Length: 9\r\n\r\nrig"), Act::Sleep(30), Act::Reset]),
        plays("endless trailers", vec![say(CHUNKED), say("5\r\nright\r\n0\r\n"), flood("X-T: y\r\n")]),
        plays("an endless extension of a chunk", vec![say(CHUNKED), say("5;"), flood("yyyyyyyy")]),
        due(
            "endless chunks",
            playing(vec![say(CHUNKED), flood("5\r\nright\r\n")]),
            TEXT,
            (5, "error", "capture_capped"),
        ),
        answers(
            "a length and chunks",
            &format!("{OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nright\r\n0\r\n\r\n"),
        ),
        answers(
            "chunks and a length",
            &format!("{OK}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nright\r\n0\r\n\r\n"),
        ),
        answers("a length of two numbers", &format!("{OK}Content-Length: 5, 6\r\n\r\nright")),
        answers("a length with a sign", &format!("{OK}Content-Length: +5\r\n\r\nright")),
        answers("a length below nothing", &format!("{OK}Content-Length: -5\r\n\r\nright")),
        answers("a length beyond every number", &format!("{OK}Content-Length: 99999999999999999999\r\n\r\nright")),
        answers("a length that is not kept", &format!("{OK}Content-Length: 9007199254740993\r\n\r\nright")),
        answers("a chunk size below nothing", &format!("{CHUNKED}-5\r\nright\r\n0\r\n\r\n")),
        answers("a chunk size beyond every number", &format!("{CHUNKED}fffffffffffffffff\r\nright\r\n0\r\n\r\n")),
        answers("a chunk that is longer than it says", &format!("{CHUNKED}2\r\nright\r\n0\r\n\r\n")),
        answers("chunks without an end", &format!("{CHUNKED}5\r\nright\r\n")),
        answers("a NUL in a header", &format!("{OK}X: a\0b\r\nContent-Length: 5\r\n\r\nright")),
        answers("a bare CR in a header", &format!("{OK}X: a\rb\r\nContent-Length: 5\r\n\r\nright")),
        answers("a name with a space", &format!("{OK}X y: a\r\nContent-Length: 5\r\n\r\nright")),
        answers("another protocol", "220 mail.test ESMTP\r\n"),
        due("a close before anything", playing(vec![Act::Close]), TEXT, (3, "error", "target_unreachable")),
        due("a reset before anything", playing(vec![Act::Reset]), TEXT, (3, "error", "target_unreachable")),
    ]
}

/// Bodies: bombs, encodings, what is no JSON.
fn contents() -> Vec<Peer> {
    const CAPPED: (i32, &str, &str) = (5, "error", "capture_capped");
    const UNREAD: (i32, &str, &str) = (5, "error", "check_not_evaluated");
    // A whole answer that is something else than was asked for is the product's.
    const WRONG: (i32, &str, &str) = (1, "failed", "requirement_failed");
    let json = "json: {a: right}";
    let mega = vec![0; 8 << 20];
    let gbk: &[u8] = b"\xb2\xe2\xca\xd4 and more";
    vec![
        due("a gzip bomb", whole("Content-Encoding: gzip\r\n", &routes::gzip(&mega)), TEXT, CAPPED),
        due("a brotli bomb", whole("Content-Encoding: br\r\n", &routes::brotli(&mega)), TEXT, CAPPED),
        due("a zstd bomb", whole("Content-Encoding: zstd\r\n", &routes::zstd(&mega)), TEXT, CAPPED),
        due(
            "a bomb in a bomb",
            whole("Content-Encoding: gzip, gzip\r\n", &routes::gzip(&routes::gzip(&mega))),
            TEXT,
            CAPPED,
        ),
        due("a gzip that was cut", whole("Content-Encoding: gzip\r\n", &routes::gzip(b"right")[..9]), TEXT, INCOMPLETE),
        due(
            "nine codings",
            whole("Content-Encoding: gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip, gzip\r\n", b"x"),
            TEXT,
            INCOMPLETE,
        ),
        due("GBK that says so", whole("Content-Type: text/plain; charset=gbk\r\n", gbk), "text: 测试", UNREAD),
        due("GBK that says nothing", whole("", gbk), "text: 测试", UNREAD),
        due("GBK, and a word that may not be there", whole("", gbk), "text: and, notText: 错误", UNREAD),
        due("UTF-16", whole("Content-Type: text/plain; charset=utf-16le\r\n", &utf16("right")), TEXT, UNREAD),
        due("UTF-16 that says nothing", whole("", &utf16("right")), "text: \"é\"", WRONG),
        due("JSON in UTF-16", whole("Content-Type: application/json\r\n", &utf16("{\"a\":\"right\"}")), json, WRONG),
        due("a lone surrogate", whole("", b"{\"a\":\"\\ud800\"}"), json, UNREAD),
        due("a repeated key", whole("", b"{\"a\":\"right\",\"a\":\"wrong\"}"), json, UNREAD),
        due("JSON that is very deep", whole("", "[".repeat(60_000).as_bytes()), json, UNREAD),
        due("JSON that ends early", whole("", b"{\"a\":\"right\""), json, WRONG),
        due("no body at all", whole("", b""), json, WRONG),
    ]
}

fn each_comes_to(peers: Vec<Peer>) {
    let mut wrong = Vec::new();
    for (name, server, expect, exit, status, code) in peers {
        let lab = Lab::with(server, &asking(expect));
        let begun = Instant::now();
        let (ran, dir) = lab.one();
        if begun.elapsed() > Duration::from_secs(15) {
            wrong.push(format!("{name}: it takes {:?}", begun.elapsed()));
        }
        let step = steps(&dir).into_iter().next().unwrap_or_default();
        if (ran.exit, step.1.as_str(), step.2.as_str()) != (exit, status, code) {
            wrong.push(format!("{name}: {step:?}\n{}", ran.said()));
        }
        if !reasons(&dir).iter().any(|reason| reason == code) {
            wrong.push(format!("{name}: the verdict does not name {code}"));
        }
        let verified = done(&lab.command(&["verify"]).output().unwrap());
        if verified.exit != exit {
            wrong.push(format!("{name}: verify says otherwise: {}", verified.said()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_broken_frame_is_an_answer() {
    each_comes_to(framing());
}

#[test]
fn no_bomb_and_no_strange_encoding_is_an_answer() {
    each_comes_to(contents());
}

/// What comes behind a whole answer is no part of it, and trailers are no headers.
#[test]
fn bytes_behind_an_answer_and_trailers_change_nothing() {
    let more = format!("{CHUNKED}5\r\nright\r\n0\r\nX-Sum: wrong\r\n\r\nHTTP/1.1 500 wrong\r\n\r\n");
    let lab = Lab::with(saying(more), &asking("text: right, notText: wrong, headers: {x-sum: missing}"));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let hop = bodies(&dir, "action.commit")[0]["observation"]["hops"][0].clone();
    assert_eq!((hop["trailers"][0][0].as_str(), hop["wire"]["bytes"].as_u64()), (Some("x-sum"), Some(5)), "{hop}");
    assert_eq!(done(&lab.command(&["verify"]).output().unwrap()).exit, 0);
}

/// A server that knows no TLS, where the plan asks for it.
#[test]
fn plain_text_on_the_port_of_tls_blocks() {
    let server = Server::scripted(vec![vec![], vec![Act::say("HTTP/1.1 400 Bad Request\r\n\r\n"), Act::Hang]]);
    let lab = Lab::with(server, &asking(TEXT));
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &settings.replace("http://", "https://"));
    let (ran, dir) = lab.one();
    assert_eq!((ran.exit, steps(&dir)[0].2.as_str()), (3, "tls_failed"), "{}", ran.said());
    assert_eq!(done(&lab.command(&["verify"]).output().unwrap()).exit, 3);
}

/// Loops of more than one place end as well.
#[test]
fn redirects_between_two_places_end() {
    let to = |path: &str| Act::say(&format!("HTTP/1.1 302 Found\r\nLocation: {path}\r\nContent-Length: 0\r\n\r\n"));
    let turns: Vec<Act> = (0..3).flat_map(|_| [Act::Read, to("/a"), Act::Read, to("/")]).collect();
    let lab = Lab::with(Server::scripted(vec![vec![], turns]), &asking(TEXT));
    let (ran, dir) = lab.one();
    assert_eq!((ran.exit, outcome(&dir).as_str()), (1, "failed"), "{}", ran.said());
    assert!(lab.server.hits().len() <= 6, "{}", lab.server.hits().len());
}

/// A run of a script; the word `NAP` in it is a command that no other process has.
fn of_script(script: &str, limit: &str, settings: &str) -> (Lab, i32, String, Vec<String>) {
    let lab = Lab::new(&format!(
        "\ncases:\n  - {{id: P-1, title: program, covers: [C-3], steps: [{{run: [sh, tools/it.sh]{limit}, expect: {{exit: 0, text: done}}}}]}}\n"
    ));
    let nap = nap(&lab);
    lab.write("tools/it.sh", &script.replace("NAP", &format!("sleep {nap}")));
    let text = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &format!("{text}{settings}"));
    let begun = Instant::now();
    let (ran, dir) = lab.one();
    assert!(begun.elapsed() < Duration::from_secs(40), "{:?}", begun.elapsed());
    assert_eq!(napping(&nap), Vec::<String>::new(), "left running: {}", ran.said());
    assert_eq!(done(&lab.command(&["verify"]).output().unwrap()).exit, ran.exit);
    let code = steps(&dir)[0].2.clone();
    let found = reasons(&dir);
    (lab, ran.exit, code, found)
}

/// A time to sleep that is this test's own: an hour and the port of its server.
fn nap(lab: &Lab) -> String {
    format!("3600.{}", lab.server.address().port())
}

/// Processes that sleep for this time.
fn napping(nap: &str) -> Vec<String> {
    let Ok(listing) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes = listing.filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    let lines = processes.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(nap)).collect()
}

#[test]
fn two_hundred_children_are_all_ended() {
    let script = "i=0\nwhile [ $i -lt 200 ]; do NAP >/dev/null 2>&1 & i=$((i+1)); done\necho done\n";
    let (_lab, exit, code, reasons) = of_script(script, ", timeout: 30s", "");
    assert_eq!((exit, code.as_str()), (5, "group_leftover"));
    assert!(reasons.contains(&"group_leftover".to_owned()), "{reasons:?}");
}

/// Each process makes two, seven deep, and all of them stay; at its time limit the whole tree is ended.
#[test]
fn a_tree_of_forks_ends_at_its_time_limit() {
    let script = "f() { if [ $1 -gt 0 ]; then f $(($1-1)) & f $(($1-1)) & fi; NAP; }\necho done\nf 6\nwait\n";
    let (_lab, exit, code, reasons) = of_script(script, ", timeout: 1500ms", "");
    assert_eq!(exit, 5, "{reasons:?}");
    assert!(["answer_incomplete", "group_leftover"].contains(&code.as_str()), "{code}");
}

#[test]
fn a_grandchild_that_keeps_the_output_open_does_not_hang_the_run() {
    let (_lab, exit, code, reasons) = of_script("NAP &\necho done\n", "", "");
    assert_eq!((exit, code.as_str()), (5, "group_leftover"), "{reasons:?}");
}

#[test]
fn a_child_that_leaves_its_session_is_ended_too() {
    let script = "setsid sh -c 'NAP' >/dev/null 2>&1 &\nsleep 0.2\necho done\n";
    let (_lab, exit, code, reasons) = of_script(script, "", "");
    assert_eq!((exit, code.as_str()), (5, "group_leftover"), "{reasons:?}");
}

#[test]
fn a_flood_on_either_stream_is_inconclusive() {
    for stream in ["1", "2"] {
        let script =
            format!("echo done\nwhile :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx >&{stream}; done\n");
        let (_lab, exit, code, reasons) = of_script(&script, "", "limits: {output: 64KiB}\n");
        assert_eq!((exit, code.as_str()), (5, "output_limit"), "{reasons:?}");
    }
}

#[test]
fn output_in_another_encoding_is_bytes() {
    // GBK: the text is there and cannot be read; what is ASCII in it can be found.
    let (_lab, exit, code, _) = of_script("printf '\\262\\342\\312\\324 done\\n'\n", "", "");
    assert_eq!((exit, code.as_str()), (0, "-"));
    let lab = Lab::new(
        "\ncases:\n  - {id: P-1, title: program, covers: [C-3], steps: [{run: [sh, tools/it.sh], expect: {exit: 0, text: done, notText: 错误}}]}\n",
    );
    lab.write("tools/it.sh", "printf '\\262\\342\\312\\324 done\\n'\n");
    let (ran, dir) = lab.one();
    assert_eq!((ran.exit, steps(&dir)[0].2.as_str()), (5, "check_not_evaluated"), "{}", ran.said());
}
