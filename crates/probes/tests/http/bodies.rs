use probity_core::observe::FailureKind;
use probity_testkit::server::routes::gzip;
use probity_testkit::server::{Act, Server};

use super::*;

fn head(more: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{more}\r\n")
}

#[tokio::test]
async fn codings_are_undone_and_the_wire_is_kept() {
    let server = Server::start();
    for path in ["/gzip", "/deflate", "/br", "/zstd"] {
        let hop = only(once(&get(&server.url(path))).await);
        assert_eq!(hop.decoded.as_deref(), Some(&br#"{"coded":true}"#[..]), "{path}");
        assert_ne!(hop.wire, br#"{"coded":true}"#);
        let raw = only(once(&HttpCall { decompress: false, ..get(&server.url(path)) }).await);
        assert_eq!((raw.wire, raw.decoded), (hop.wire, None), "{path}");
    }
}

#[tokio::test]
async fn a_bomb_stops_at_the_cap_and_its_bytes_are_kept() {
    let server = Server::start();
    let exchange = once(&get(&server.url("/bomb?2"))).await;
    assert_fails(&exchange, FailureKind::CaptureCapped, "1048576 bytes");
    let hop = &exchange.hops[0];
    assert_eq!(hop.wire, gzip(&vec![0; 2 << 20]));
    assert!(!hop.complete && hop.decoded.is_none());
    for path in ["/bomb/br?2", "/bomb/zstd?2"] {
        let exchange = once(&get(&server.url(path))).await;
        assert_fails(&exchange, FailureKind::CaptureCapped, "1048576 bytes");
        assert!(!exchange.hops[0].complete && exchange.hops[0].wire.len() < 4096, "{path}");
    }
}

#[tokio::test]
async fn codings_that_are_unknown_or_broken_are_named() {
    for (coding, body, words) in [("compress", "x", "\"compress\""), ("gzip", "plain", "not whole gzip")] {
        let more = format!("Content-Encoding: {coding}\r\nContent-Length: {}\r\n", body.len());
        let server = Server::answering(head(&more) + body);
        let exchange = once(&get(&server.url("/"))).await;
        assert_fails(&exchange, FailureKind::AnswerIncomplete, words);
        assert_eq!(wire(&exchange.hops[0]), body);
        assert!(!exchange.hops[0].complete);
        let raw = HttpCall { decompress: false, ..get(&server.url("/")) };
        assert_eq!(wire(&only(once(&raw).await)), body);
    }
}

#[tokio::test]
async fn the_cap_counts_to_the_byte() {
    let server = Server::start();
    let capped = |n: u64| HttpCall { max_body: n, ..get(&server.url("/bytes?1000")) };
    assert_eq!(only(once(&capped(1000)).await).wire.len(), 1000);
    let exchange = once(&capped(999)).await;
    assert_fails(&exchange, FailureKind::CaptureCapped, "999 bytes");
    assert_eq!((exchange.hops[0].wire.len(), exchange.hops[0].complete), (999, false));
}

#[tokio::test]
async fn an_endless_body_ends_at_the_cap() {
    let chunk = format!("1000\r\n{}\r\n", "y".repeat(0x1000));
    let acts = vec![Act::Read, Act::say(&head("Transfer-Encoding: chunked\r\n")), Act::Flood(chunk.into_bytes())];
    let exchange = once(&get(&Server::scripted(vec![acts]).url("/"))).await;
    assert_fails(&exchange, FailureKind::CaptureCapped, "maxBody");
    assert_eq!(exchange.hops[0].wire.len(), 1 << 20);
}

#[tokio::test]
async fn trailers_are_kept_apart_and_later_bytes_are_no_part_of_the_body() {
    let body = "3\r\nabc\r\n0\r\nX-Sum: 7\r\nX-Two: b\r\n\r\nleft over";
    let server = Server::answering(head("Transfer-Encoding: chunked\r\nTrailer: X-Sum\r\n") + body);
    let hop = only(once(&get(&server.url("/"))).await);
    assert_eq!(wire(&hop), "abc");
    let trailers: Vec<_> = hop.trailers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(trailers, [("x-sum", "7"), ("x-two", "b")]);
    assert!(header(&hop, "x-sum").is_none() && header(&hop, "X-Sum").is_none());
}

#[tokio::test]
async fn cut_bodies_are_incomplete_and_what_came_is_kept() {
    let cases = [
        ("Content-Length: 10\r\n", "abc", "3 of 10 bytes"),
        ("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n", "3 bytes"),
        ("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n8\r\nde", "5 bytes"),
        ("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\nzz\r\n", "3 bytes"),
    ];
    for (more, body, words) in cases {
        let exchange = once(&get(&Server::answering(head(more) + body).url("/"))).await;
        assert_fails(&exchange, FailureKind::AnswerIncomplete, words);
        let hop = &exchange.hops[0];
        assert!(hop.wire.starts_with(b"abc"), "{:?}", wire(hop));
        assert!(!hop.complete && hop.status == 200 && hop.phases.body_us > 0);
    }
}

#[tokio::test]
async fn bytes_beyond_the_announced_length_do_not_count() {
    let server = Server::answering(head("Content-Length: 3\r\n") + "abcdef");
    assert_eq!(wire(&only(once(&get(&server.url("/"))).await)), "abc");
}

#[tokio::test]
async fn a_body_may_end_with_its_connection() {
    let server = Server::answering("HTTP/1.0 200 OK\r\n\r\nabc");
    let hop = only(once(&get(&server.url("/"))).await);
    assert_eq!((wire(&hop), hop.version.as_str()), ("abc", "1.0"));
}

#[tokio::test]
async fn head_204_and_304_have_no_body() {
    for (method, status) in [("HEAD", 200), ("GET", 204), ("GET", 304)] {
        let answer = format!("HTTP/1.1 {status} X\r\nContent-Length: 5\r\nContent-Encoding: gzip\r\n\r\n");
        let server = Server::answering(answer);
        let call = HttpCall { method: method.to_owned(), ..get(&server.url("/")) };
        let hop = only(once(&call).await);
        assert_eq!((hop.status, hop.wire.len(), hop.decoded), (status, 0, None), "{method} {status}");
    }
}
