//! Peers that do their worst: each call ends in time, with the outcome that is due, and leaves nothing behind.

use probity_core::observe::FailureKind;
use probity_testkit::server::{Act, Server};

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\n";

fn playing(acts: Vec<Act>) -> Server {
    Server::scripted(vec![[vec![Act::Read], acts].concat()])
}

/// What a server does, how the call must fail, and in which words.
fn cases() -> Vec<(&'static str, Vec<Act>, FailureKind, &'static str)> {
    let say = |text: &str| Act::say(text);
    let flood = |text: &str| Act::Flood(text.as_bytes().to_vec());
    let drip = |text: &str| Act::Drip(text.as_bytes().to_vec(), 20);
    let (slow, long) = ("x".repeat(500), "x".repeat(8 << 10));
    let incomplete = FailureKind::AnswerIncomplete;
    vec![
        ("endless header lines", vec![say(OK), flood("X-A: y\r\n")], incomplete, "more than 200 headers"),
        ("an endless header line", vec![say(OK), flood(&long)], incomplete, "256 KiB"),
        ("an endless status line", vec![say("HTTP/1.1 200 "), flood(&long)], incomplete, "256 KiB"),
        ("endless interim heads", vec![flood("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")], incomplete, "interim"),
        ("endless empty lines", vec![flood("\r\n")], incomplete, ""),
        (
            "an endless body",
            vec![say(&format!("{OK}\r\n")), flood("yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy")],
            FailureKind::CaptureCapped,
            "maxBody",
        ),
        (
            "endless trailers",
            vec![say(&format!("{OK}Transfer-Encoding: chunked\r\n\r\n0\r\n")), flood("X-T: y\r\n")],
            incomplete,
            "broke off",
        ),
        (
            "an endless extension of a chunk",
            vec![say(&format!("{OK}Transfer-Encoding: chunked\r\n\r\n1;")), flood(&long)],
            incomplete,
            "broke off",
        ),
        ("a slow head", vec![drip(&format!("{OK}X: {slow}"))], incomplete, "timed out"),
        ("a slow body", vec![say(&format!("{OK}Content-Length: 500\r\n\r\n")), drip(&slow)], incomplete, "timed out"),
        (
            "slow chunks",
            vec![say(&format!("{OK}Transfer-Encoding: chunked\r\n\r\n1")), drip(&"0".repeat(500))],
            incomplete,
            "",
        ),
        (
            "a chunk size that is no number",
            vec![say(&format!("{OK}Transfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n"))],
            incomplete,
            "broke off after 0 bytes",
        ),
        (
            "a chunk size beyond every number",
            vec![say(&format!("{OK}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx\r\n"))],
            incomplete,
            "broke off after 0 bytes",
        ),
        (
            "a chunk that is longer than it says",
            vec![say(&format!("{OK}Transfer-Encoding: chunked\r\n\r\n1\r\nxyz\r\n0\r\n\r\n"))],
            incomplete,
            "broke off after 1 bytes",
        ),
        (
            "two lengths",
            vec![say(&format!("{OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxy"))],
            incomplete,
            "malformed",
        ),
        ("a length of two numbers", vec![say(&format!("{OK}Content-Length: 1, 2\r\n\r\nxy"))], incomplete, "malformed"),
        ("a length that is no number", vec![say(&format!("{OK}Content-Length: +1\r\n\r\nx"))], incomplete, "malformed"),
        (
            "a length beyond every number",
            vec![say(&format!("{OK}Content-Length: 99999999999999999999\r\n\r\nx"))],
            incomplete,
            "malformed",
        ),
        (
            "a length and chunks",
            vec![say(&format!("{OK}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))],
            incomplete,
            "a Transfer-Encoding and a Content-Length",
        ),
        (
            "a length that is promised and not kept",
            vec![say(&format!("{OK}Content-Length: 9007199254740993\r\n\r\nx"))],
            incomplete,
            "1 of 9007199254740993 bytes",
        ),
        ("a NUL in a header", vec![say(&format!("{OK}X: a\0b\r\n\r\n"))], incomplete, "malformed"),
        ("a close before anything", vec![Act::Close], FailureKind::TargetUnreachable, "before its first byte"),
        ("half a close before anything", vec![], FailureKind::TargetUnreachable, "before its first byte"),
    ]
}

#[tokio::test]
async fn each_ends_as_is_due() {
    let mut wrong = Vec::new();
    for (what, acts, kind, words) in cases() {
        let server = playing(acts);
        let begun = Instant::now();
        let exchange = once(&HttpCall { timeout_ms: 700, ..get(&server.url("/")) }).await;
        let fits = exchange.failure.as_ref().is_some_and(|f| f.kind == kind && f.message.contains(words));
        let kept: usize = exchange.hops.iter().map(|hop| hop.wire.len()).sum();
        if !fits || kept > 1 << 20 || begun.elapsed() > Duration::from_secs(3) {
            wrong.push(format!("{what}: {:?} after {:?}, {kept} bytes", exchange.failure, begun.elapsed()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The server has its answer before it has read the body.
#[tokio::test]
async fn an_early_answer_to_a_long_request_is_an_answer() {
    let answer = format!("{OK}Content-Length: 2\r\nConnection: close\r\n\r\nok");
    let server = Server::scripted(vec![vec![Act::ReadHead, Act::say(&answer), Act::Hang]]);
    let long = HttpCall { body: Some(vec![b'x'; 8 << 20]), timeout_ms: 3_000, ..post(&server.url("/"), "") };
    let exchange = once(&long).await;
    assert_eq!(exchange.failure, None);
    assert_eq!(wire(&exchange.hops[0]), "ok");
}

#[tokio::test]
async fn the_same_length_twice_is_one() {
    let server = Server::answering(format!("{OK}Content-Length: 2\r\nContent-Length: 2\r\n\r\nok"));
    assert_eq!(wire(&only(once(&get(&server.url("/"))).await)), "ok");
}

/// A dropped call closes its socket: the server sees the end of it, which it waits for.
#[tokio::test]
async fn nothing_is_left_running() {
    for version in [HttpVersion::One, HttpVersion::Two] {
        let server = Server::scripted(vec![vec![Act::Send(b"\0\0\0\x04\0\0\0\0\0".to_vec()), Act::Hang]]);
        let call = HttpCall { timeout_ms: 150, version, ..get(&server.url("/")) };
        assert!(once(&call).await.failure.is_some());
        let begun = Instant::now();
        while server.open() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(5), "the connection is still open ({version:?})");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
