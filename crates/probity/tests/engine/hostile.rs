//! Peers that do their worst, each as a whole run: the outcome that is due by the table of plan.md, and a folder
//! that verifies.

use probity_testkit::server::{Act, Certificate, Server};

use crate::lab::{Lab, done, reasons, steps};

const OK: &str = "HTTP/1.1 200 OK\r\n";

const CASE: &str = "
cases:
  - id: PEER-1
    title: it answers
    covers: [C-1]
    steps:
      - {http: GET /, timeout: 1s, maxBody: 64KiB, followRedirects: 5, expect: {status: 200, text: right}}
";

/// A connection for the preflight, then the one that matters.
fn playing(acts: Vec<Act>) -> Server {
    Server::scripted(vec![vec![], [vec![Act::Read], acts].concat()])
}

fn answering(head: &str, body: &[u8]) -> Server {
    let all = [format!("{OK}{head}\r\n").as_bytes(), body].concat();
    playing(vec![Act::Send(all)])
}

/// Name, peer, exit code, status of the step, its code.
fn peers() -> Vec<(&'static str, Server, i32, &'static str, &'static str)> {
    let flood = |text: &str| Act::Flood(text.repeat(64).into_bytes());
    let say = |text: &str| Act::say(&format!("{OK}{text}"));
    let looping = Act::say("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
    let turns: Vec<Act> = (0..6).flat_map(|_| [Act::Read, looping.clone()]).collect();
    let named = |names: &[&str]| Server::start_tls_with(Certificate::self_signed(names));
    vec![
        ("endless headers", playing(vec![say(""), flood("X: y\r\n")]), 5, "error", "answer_incomplete"),
        ("endless body", playing(vec![say("\r\n"), flood("right")]), 5, "error", "capture_capped"),
        ("interim heads", playing(vec![flood("HTTP/1.1 103 E\r\n\r\n")]), 5, "error", "answer_incomplete"),
        (
            "slow body",
            playing(vec![say("Content-Length: 900\r\n\r\n"), Act::Drip(vec![b'x'; 900], 10)]),
            5,
            "error",
            "answer_incomplete",
        ),
        ("half-closed", playing(vec![]), 3, "error", "target_unreachable"),
        ("cut", answering("Content-Length: 9\r\n", b"right"), 5, "error", "answer_incomplete"),
        ("bad chunks", answering("Transfer-Encoding: chunked\r\n", b"zz\r\nright"), 5, "error", "answer_incomplete"),
        (
            "two lengths",
            answering("Content-Length: 5\r\nContent-Length: 6\r\n", b"right"),
            5,
            "error",
            "answer_incomplete",
        ),
        ("unknown coding", answering("Content-Encoding: x-new\r\n", b"right"), 5, "error", "answer_incomplete"),
        ("false coding", answering("Content-Encoding: br\r\n", b"right"), 5, "error", "answer_incomplete"),
        (
            "unknown charset",
            answering("Content-Type: text/plain; charset=x-new\r\n", b"\xff\xfe wrong"),
            5,
            "error",
            "check_not_evaluated",
        ),
        ("redirects in a circle", Server::scripted(vec![vec![], turns]), 1, "failed", "requirement_failed"),
        ("expired", Server::start_tls_with(Certificate::expired(&["127.0.0.1"])), 3, "error", "tls_failed"),
        ("another's name", named(&["other.test"]), 3, "error", "tls_failed"),
        ("self-signed", named(&["127.0.0.1"]), 3, "error", "tls_failed"),
    ]
}

#[test]
fn each_comes_to_what_is_due() {
    let mut wrong = Vec::new();
    for (name, server, exit, status, code) in peers() {
        let lab = Lab::with(server, CASE);
        let (ran, dir) = lab.one();
        let step = steps(&dir).into_iter().next().unwrap_or_default();
        if (ran.exit, step.1.as_str(), step.2.as_str()) != (exit, status, code) {
            wrong.push(format!("{name}: {step:?}\n{}", ran.said()));
        }
        if !reasons(&dir).iter().any(|reason| reason == code) {
            wrong.push(format!("{name}: the verdict does not name {code}"));
        }
        let verified = done(&lab.command(&["verify", "--integrity-only"]).output().unwrap());
        if verified.exit != 0 {
            wrong.push(format!("{name}: {}", verified.said()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A bomb of 256 MiB in a few hundred bytes, and a cap of 64 KiB: the program stays small.
#[test]
#[cfg(target_os = "linux")]
fn a_bomb_costs_no_memory() {
    let bomb = probity_testkit::server::routes::zstd(&vec![0; 256 << 20]);
    let lab = Lab::with(answering("Content-Encoding: zstd\r\nConnection: close\r\n", &bomb), CASE);
    // 192 MiB of address space would hold neither the body nor half of it.
    let mut command = std::process::Command::new("sh");
    let program = env!("CARGO_BIN_EXE_probity");
    command.args(["-c", &format!("ulimit -v {}; exec {program} run", 192 << 10)]).current_dir(lab.dir.path());
    let ran = done(&command.output().unwrap());
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert_eq!(steps(&lab.only())[0].2, "capture_capped");
}
