use probity_core::observe::FailureKind;
use probity_testkit::server::{Act, Server};

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = Server::start();
    let mut one = client();
    let first = only(send(&mut one, &get(&server.url("/version"))).await);
    let second = only(send(&mut one, &post(&server.url("/echo"), "x")).await);
    assert_eq!((first.peer.reused, second.peer.reused), (false, true));
    assert!(first.phases.connect_us > 0);
    assert_eq!((second.phases.dns_us, second.phases.connect_us, second.phases.tls_us), (0, 0, 0));
    assert_eq!(server.connections(), 1);
    only(once(&get(&server.url("/version"))).await);
    assert_eq!(server.connections(), 2, "another case has its own");
}

#[tokio::test]
async fn a_connection_that_the_server_closed_is_replaced_unasked() {
    let closing = Server::start();
    let mut one = client();
    only(send(&mut one, &get(&closing.url("/close"))).await);
    let next = only(send(&mut one, &post(&closing.url("/echo"), "x")).await);
    assert!(!next.peer.reused && !next.peer.resent);

    // It said nothing about closing, and did so in the meantime.
    let silent = Server::scripted(vec![vec![Act::Read, Act::say(OK)]]);
    only(send(&mut one, &get(&silent.url("/"))).await);
    tokio::time::sleep(Duration::from_millis(50)).await;
    let next = only(send(&mut one, &post(&silent.url("/"), "x")).await);
    assert!(!next.peer.reused && !next.peer.resent);
    assert_eq!(silent.hits().len(), 2, "the write went out once");
}

/// The server reads the second request on the kept connection and closes without an answer.
fn stale() -> Server {
    let first = vec![Act::Read, Act::say(OK), Act::Read, Act::Close];
    Server::scripted(vec![first, vec![Act::Read, Act::say(OK), Act::Hang]])
}

#[tokio::test]
async fn a_read_is_sent_again_once_and_the_hop_says_so() {
    let server = stale();
    let mut one = client();
    only(send(&mut one, &get(&server.url("/a"))).await);
    let hop = only(send(&mut one, &get(&server.url("/b"))).await);
    assert!(hop.peer.resent && !hop.peer.reused);
    assert!(hop.phases.connect_us > 0);
    assert_eq!(paths(&server), ["/a", "/b", "/b"]);
}

#[tokio::test]
async fn a_write_is_never_sent_again() {
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let server = stale();
        let mut one = client();
        only(send(&mut one, &get(&server.url("/a"))).await);
        let call = HttpCall { method: method.to_owned(), ..post(&server.url("/b"), "x") };
        let exchange = send(&mut one, &call).await;
        assert_fails(&exchange, FailureKind::TargetUnreachable, "not sent again");
        assert_eq!(paths(&server), ["/a", "/b"], "{method}");
    }
}

#[tokio::test]
async fn an_answer_that_has_begun_is_not_asked_for_again() {
    let first = vec![Act::Read, Act::say(OK), Act::Read, Act::say("HTTP/1.1 200"), Act::Close];
    let server = Server::scripted(vec![first, vec![Act::Read, Act::say(OK)]]);
    let mut one = client();
    only(send(&mut one, &get(&server.url("/a"))).await);
    let exchange = send(&mut one, &get(&server.url("/b"))).await;
    assert_fails(&exchange, FailureKind::AnswerIncomplete, "within its head");
    assert_eq!(paths(&server), ["/a", "/b"]);
}

#[tokio::test]
async fn bytes_left_on_a_connection_are_never_taken_for_an_answer() {
    let early = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfalse";
    let first = vec![Act::Read, Act::say(&format!("{OK}{early}")), Act::Hang];
    let server = Server::scripted(vec![first, vec![Act::Read, Act::say(OK), Act::Hang]]);
    let mut one = client();
    assert_eq!(wire(&only(send(&mut one, &get(&server.url("/a"))).await)), "ok");
    let next = only(send(&mut one, &get(&server.url("/b"))).await);
    assert_eq!(wire(&next), "ok");
    assert!(!next.peer.reused);
}

#[tokio::test]
async fn a_cut_answer_ends_its_connection() {
    let server = Server::start();
    let mut one = client();
    let capped = HttpCall { max_body: 10, ..get(&server.url("/bytes?100000")) };
    assert!(send(&mut one, &capped).await.failure.is_some());
    assert!(!only(send(&mut one, &get(&server.url("/version"))).await).peer.reused);
}
