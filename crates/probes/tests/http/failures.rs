use probity_core::observe::FailureKind;
use probity_testkit::server::{Act, Server, closed_port};

use super::*;

const OK: &str = "HTTP/1.1 200 OK\r\n";

#[tokio::test]
async fn nobody_listens() {
    let url = format!("http://127.0.0.1:{}/", closed_port());
    let exchange = once(&get(&url)).await;
    assert_fails(&exchange, FailureKind::TargetUnreachable, "connection refused");
    assert!(exchange.hops.is_empty());
    let unknown = once(&get("http://name.invalid:80/")).await;
    assert_fails(&unknown, FailureKind::TargetUnreachable, "name.invalid");
}

#[tokio::test]
async fn the_connection_ends_before_an_answer() {
    for last in [Act::Close, Act::Reset] {
        let server = Server::scripted(vec![vec![Act::Read, last.clone()]]);
        let exchange = once(&get(&server.url("/"))).await;
        assert_fails(&exchange, FailureKind::TargetUnreachable, "before its first byte");
        assert!(exchange.hops.is_empty());
        assert_eq!(server.connections(), 1, "a fresh connection is not tried twice: {last:?}");
    }
}

#[tokio::test]
async fn the_answer_is_cut_within_its_head() {
    for last in [Act::Close, Act::Reset] {
        let acts = vec![Act::Read, Act::say("HTTP/1.1 200 OK\r\nX-A: 1\r\n"), Act::Sleep(20), last];
        let exchange = once(&get(&Server::scripted(vec![acts]).url("/"))).await;
        assert_fails(&exchange, FailureKind::AnswerIncomplete, "within its head");
    }
}

#[tokio::test]
async fn the_body_is_cut_by_a_reset() {
    let acts = vec![Act::Read, Act::say(OK), Act::say("Content-Length: 10\r\n\r\nabc"), Act::Sleep(30), Act::Reset];
    let exchange = once(&get(&Server::scripted(vec![acts]).url("/"))).await;
    assert_fails(&exchange, FailureKind::AnswerIncomplete, "connection reset");
    assert_eq!((wire(&exchange.hops[0]), exchange.hops[0].complete), ("abc", false));
}

#[tokio::test]
async fn a_server_that_hangs_is_left_in_time() {
    let cases = [
        (vec![Act::Read, Act::Hang], "waiting for the head", 0),
        (vec![Act::Read, Act::say(OK), Act::Hang], "waiting for the head", 0),
        (vec![Act::Read, Act::say(OK), Act::say("Content-Length: 9\r\n\r\nabc"), Act::Hang], "after 3 bytes", 1),
        (vec![Act::Read, Act::Drip(b"HTTP/1.1 200 OK\r\nX: aaaaaaaaaaaaaaaaaaaaa".to_vec(), 10)], "the head", 0),
    ];
    for (acts, words, hops) in cases {
        let server = Server::scripted(vec![acts]);
        let exchange = once(&HttpCall { timeout_ms: 150, ..get(&server.url("/")) }).await;
        assert_fails(&exchange, FailureKind::AnswerIncomplete, words);
        assert_eq!(exchange.hops.len(), hops);
        assert!((150_000..2_000_000).contains(&exchange.total_us), "{}", exchange.total_us);
    }
}

#[tokio::test]
async fn the_deadline_of_the_run_is_its_own_reason() {
    let body = Act::Drip(vec![b'x'; 500], 10);
    let acts = vec![Act::Read, Act::say(OK), Act::say("Content-Length: 500\r\n\r\n"), body];
    let server = Server::scripted(vec![acts]);
    let (_keep, cancel) = watch::channel(false);
    let deadline = Instant::now() + Duration::from_millis(150);
    let exchange = client().send(&get(&server.url("/")), &Secrets::new(), &cancel, deadline).await;
    assert_fails(&exchange, FailureKind::BudgetExceeded, "reading the body");
    let kept = exchange.hops[0].wire.len();
    assert!((1..500).contains(&kept), "{kept}");

    let late = client().send(&get(&server.url("/")), &Secrets::new(), &cancel, Instant::now()).await;
    assert_fails(&late, FailureKind::BudgetExceeded, "time was used up");
    assert_eq!(server.connections(), 1, "nothing leaves after the deadline");
}

#[tokio::test]
async fn floods_of_headers_are_refused() {
    let many: String = (0..300).map(|i| format!("X-{i}: y\r\n")).collect();
    let long = format!("X: {}\r\n", "y".repeat(400 << 10));
    for flood in [many, long] {
        let server = Server::answering(format!("{OK}{flood}Content-Length: 0\r\n\r\n"));
        let exchange = once(&get(&server.url("/"))).await;
        assert_fails(&exchange, FailureKind::AnswerIncomplete, "more than 200 headers or 256 KiB");
    }
    let fits: String = (0..199).map(|i| format!("X-{i}: y\r\n")).collect();
    let server = Server::answering(format!("{OK}{fits}Content-Length: 0\r\n\r\n"));
    assert_eq!(only(once(&get(&server.url("/"))).await).headers.len(), 200);
}

#[tokio::test]
async fn what_is_not_http_is_named() {
    let banner = Server::scripted(vec![vec![Act::say("SSH-2.0-OpenSSH_9.6\r\n"), Act::Hang]]);
    let reply = Server::answering("220 mail.example ESMTP\r\n");
    for server in [banner, reply] {
        assert_fails(&once(&get(&server.url("/"))).await, FailureKind::AnswerIncomplete, "not HTTP");
    }
    for bad in ["HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nbad header\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n"] {
        let exchange = once(&get(&Server::answering(bad).url("/"))).await;
        assert_fails(&exchange, FailureKind::AnswerIncomplete, "malformed");
    }
}

#[tokio::test]
async fn cancelling_keeps_what_came() {
    let acts = vec![Act::Read, Act::say(OK), Act::say("Content-Length: 9\r\n\r\nabc"), Act::Hang];
    let server = Server::scripted(vec![acts]);
    let (stop, cancel) = watch::channel(false);
    let (mut one, call, secrets) = (client(), get(&server.url("/")), Secrets::new());
    let (exchange, ()) =
        tokio::join!(one.send(&call, &secrets, &cancel, Instant::now() + Duration::from_secs(9)), async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            stop.send(true).unwrap();
        });
    assert_fails(&exchange, FailureKind::Cancelled, "after 3 bytes");
    assert_eq!((wire(&exchange.hops[0]), exchange.hops[0].complete), ("abc", false));
    let again = one.send(&call, &secrets, &cancel, Instant::now() + Duration::from_secs(9)).await;
    assert_fails(&again, FailureKind::Cancelled, "");
    assert_eq!(server.connections(), 1, "nothing leaves once it is cancelled");
}

#[tokio::test]
async fn a_target_outside_is_refused_before_it_leaves() {
    let server = Server::start();
    for origins in [vec![], vec![origin("http://127.0.0.1:1")], vec![origin(&server.origin().replace("http", "https"))]]
    {
        let exchange = once(&HttpCall { origins, ..get(&server.url("/version")) }).await;
        assert_fails(&exchange, FailureKind::TargetRefused, "outside the environment");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn preflight_connects_and_gives_up() {
    let server = Server::start();
    assert_eq!(Client::connect_check(&origin(&server.origin()), Duration::from_secs(2)).await, Ok(()));
    let closed = origin(&format!("http://127.0.0.1:{}", closed_port()));
    let started = Instant::now();
    let failure = Client::connect_check(&closed, Duration::from_millis(90)).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::TargetUnreachable);
    assert!((60..2000).contains(&started.elapsed().as_millis()), "three tries spread over the limit");
    assert!(server.hits().is_empty());
}
