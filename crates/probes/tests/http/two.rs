use probity_core::observe::FailureKind;
use probity_testkit::server::{Act, Server};

use super::*;

fn two(url: &str) -> HttpCall {
    HttpCall { version: HttpVersion::Two, ..get(url) }
}

fn trusting(server: &Server, version: HttpVersion) -> HttpCall {
    HttpCall { ca: Some(server.pem().into_bytes()), version, ..get(&server.url("/echo")) }
}

/// Frame type, flags, stream and payload.
fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

fn settings() -> Vec<u8> {
    frame(4, 0, 0, &[])
}

/// `:status: 200`, and nothing more of the answer.
const STATUS_200: u8 = 0x88;

#[tokio::test]
async fn tls_agrees_on_a_version() {
    let server = Server::start_tls();
    for (asked, seen) in [(HttpVersion::Auto, "2"), (HttpVersion::Two, "2"), (HttpVersion::One, "1.1")] {
        let hop = only(once(&trusting(&server, asked)).await);
        assert_eq!((hop.version.as_str(), hop.status), (seen, 200), "{asked:?}");
        assert!(hop.peer.tls.is_some() && hop.phases.tls_us > 0);
    }
    let old = Server::start_tls_offering(&["http/1.1"]);
    assert_eq!(only(once(&trusting(&old, HttpVersion::Auto)).await).version, "1.1");
    assert_fails(&once(&trusting(&old, HttpVersion::Two)).await, FailureKind::TlsFailed, "NoApplicationProtocol");
    let silent = Server::start_tls_offering(&[]);
    assert_eq!(only(once(&trusting(&silent, HttpVersion::Auto)).await).version, "1.1");
    assert_fails(&once(&trusting(&silent, HttpVersion::Two)).await, FailureKind::TlsFailed, "does not agree to HTTP/2");
    assert!(silent.hits().len() == 1 && old.hits().len() == 1, "nothing was asked in another version");
}

#[tokio::test]
async fn a_plain_connection_speaks_it_with_prior_knowledge() {
    let server = Server::start();
    let mut one = client();
    let mut call = two(&server.url("/echo?a=b"));
    call.headers = vec![text("X-Case", "kept"), text("Connection", "close")];
    let hop = only(send(&mut one, &call).await);
    assert_eq!((hop.version.as_str(), hop.status, hop.reason.as_str()), ("2", 200, ""));
    let sent: Vec<_> = hop.sent_headers.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(sent, ["x-case", "user-agent", "accept", ":authority"]);
    let hit = server.hits().pop().unwrap();
    assert_eq!(
        (hit.target.as_str(), hit.header("x-case"), hit.header("connection")),
        ("/echo?a=b", Some("kept"), None)
    );

    let posted = only(send(&mut one, &HttpCall { body: Some(b"body".to_vec()), ..call.clone() }).await);
    assert!(posted.peer.reused && server.connections() == 1);
    assert_eq!(server.hits().pop().unwrap().body, b"body");
    let plain = only(send(&mut one, &get(&server.url("/echo"))).await);
    assert_eq!((plain.version.as_str(), plain.peer.reused), ("1.1", false), "versions do not share connections");
}

#[tokio::test]
async fn bodies_redirects_codings_and_caps_are_the_same() {
    let server = Server::start();
    let hop = only(once(&HttpCall { max_body: 4 << 20, ..two(&server.url("/bytes?3000000")) }).await);
    assert_eq!(hop.wire.len(), 3_000_000, "more than a window");
    assert!(only(once(&two(&server.url("/gzip"))).await).decoded.is_some());
    let exchange = once(&HttpCall { follow_redirects: 3, ..two(&server.url("/redirect/1")) }).await;
    assert_eq!((exchange.failure, exchange.hops.len()), (None, 3));
    assert!(exchange.hops.iter().all(|hop| hop.version == "2"));
    let capped = once(&HttpCall { max_body: 10, ..two(&server.url("/bytes?100000")) }).await;
    assert_fails(&capped, FailureKind::CaptureCapped, "10 bytes");
    let slow = once(&HttpCall { timeout_ms: 100, ..two(&server.url("/slow?5000")) }).await;
    assert_fails(&slow, FailureKind::AnswerIncomplete, "waiting for the head");
}

#[tokio::test]
async fn a_small_answer_is_quick() {
    let server = Server::start();
    let mut one = client();
    only(send(&mut one, &two(&server.url("/version"))).await);
    let mut times = Vec::new();
    for _ in 0..9 {
        times.push(only(send(&mut one, &two(&server.url("/version"))).await).phases.first_byte_us);
    }
    times.sort_unstable();
    assert!(times[4] < 30_000, "delayed acknowledgements take 40 ms: {times:?}");
}

#[tokio::test]
async fn peers_that_break_it_are_named() {
    // It stays: a close with our frames unread would be a reset, and what it said be lost.
    let old = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
    let old = Server::scripted(vec![vec![Act::Read, Act::say(old), Act::Hang]]);
    let garbage =
        Server::scripted(vec![vec![Act::say("this is no frame, and much longer than nine bytes"), Act::Hang]]);
    let closing = Server::scripted(vec![vec![Act::Close]]);
    let going = Server::scripted(vec![vec![
        Act::Send(settings()),
        Act::Send(frame(7, 0, 0, &[0, 0, 0, 0, 0, 0, 0, 1])),
        Act::Hang,
    ]]);
    let hanging = Server::scripted(vec![vec![Act::Send(settings()), Act::Hang]]);
    let reset = Server::scripted(vec![vec![
        Act::Send(settings()),
        Act::Sleep(50),
        Act::Send(frame(3, 0, 1, &[0, 0, 0, 2])),
        Act::Hang,
    ]]);
    let cases = [
        (&old, FailureKind::AnswerIncomplete, "speaks HTTP/1.1 and not HTTP/2"),
        (&garbage, FailureKind::AnswerIncomplete, "is not HTTP/2: it begins"),
        (&closing, FailureKind::TargetUnreachable, "before the head"),
        (&going, FailureKind::TargetUnreachable, "ended the connection"),
        (&hanging, FailureKind::AnswerIncomplete, "timed out after 400 ms while waiting for the head"),
        (&reset, FailureKind::TargetUnreachable, "ended the stream (INTERNAL_ERROR)"),
    ];
    for (server, kind, words) in cases {
        let exchange = once(&HttpCall { timeout_ms: 400, ..two(&server.url("/")) }).await;
        assert_fails(&exchange, kind, words);
        assert!(exchange.hops.is_empty(), "{words}");
    }
}

/// Heads without end, and heads that unfold beyond every bound: 100,000 fields of two bytes each.
#[tokio::test]
async fn floods_of_head_frames_are_refused() {
    let begun = |more: Act| vec![Act::Send(settings()), Act::Sleep(50), Act::Send(frame(1, 0, 1, &[STATUS_200])), more];
    let endless = Act::Flood(frame(9, 0, 1, &b"\x00\x01a\x01b".repeat(2_000)));
    let empty = Act::Flood(frame(9, 0, 1, &[]));
    // A field is added to the table once, and then named by one byte.
    let unfolding = [&b"\x40\x01a\x7f\x00"[..], &[b'x'; 127], &[0xbe; 12_000]].concat();
    let unfolding = Act::Send(frame(9, 4, 1, &unfolding));
    let pings = Act::Flood(frame(6, 0, 0, &[0; 8]));
    for flood in [endless, empty, unfolding, pings] {
        let server = Server::scripted(vec![begun(flood)]);
        let exchange = once(&HttpCall { timeout_ms: 1_000, ..two(&server.url("/")) }).await;
        let failure = exchange.failure.unwrap();
        let cut = matches!(failure.kind, FailureKind::AnswerIncomplete | FailureKind::TargetUnreachable);
        assert!(cut && exchange.hops.is_empty(), "{failure:?}");
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_keeps_what_came() {
    let begun = |last: Vec<u8>| {
        vec![
            Act::Send(settings()),
            Act::Sleep(50),
            Act::Send(frame(1, 4, 1, &[STATUS_200])),
            Act::Send(frame(0, 0, 1, b"abc")),
            Act::Sleep(50),
            Act::Send(last),
        ]
    };
    for (last, words) in [(frame(3, 0, 1, &[0, 0, 0, 2]), "3 bytes"), (Vec::new(), "3 bytes")] {
        let server = Server::scripted(vec![begun(last)]);
        let exchange = once(&two(&server.url("/"))).await;
        assert_fails(&exchange, FailureKind::AnswerIncomplete, words);
        assert_eq!((wire(&exchange.hops[0]), exchange.hops[0].complete), ("abc", false));
    }
}
