use probity_core::observe::{FailureKind, Field, SecretUse};
use probity_testkit::server::Server;

use super::*;

fn following(n: u8, call: HttpCall) -> HttpCall {
    HttpCall { follow_redirects: n, ..call }
}

#[tokio::test]
async fn a_redirect_is_an_answer_unless_followed() {
    let server = Server::start();
    let hop = only(once(&get(&server.url("/redirect/1"))).await);
    assert_eq!((hop.status, header(&hop, "location")), (302, Some("/redirect/0")));
    assert_eq!(server.hits().len(), 1);
}

#[tokio::test]
async fn each_hop_is_kept_and_the_count_bounds_the_chain() {
    let server = Server::start();
    let exchange = once(&following(5, get(&server.url("/redirect/2")))).await;
    let statuses: Vec<_> = exchange.hops.iter().map(|hop| hop.status).collect();
    assert_eq!(statuses, [302, 302, 302, 200]);
    assert_eq!(paths(&server), ["/redirect/2", "/redirect/1", "/redirect/0", "/echo"]);
    assert_eq!(server.connections(), 1, "a chain stays on its connection");
    assert!(exchange.hops[1].peer.reused && exchange.hops[1].phases.connect_us == 0);

    let around = once(&following(3, get(&server.url("/to?302,/to?302,/x")))).await;
    assert_eq!(around.failure, None);
    let short = once(&following(2, get(&server.url("/redirect/9")))).await;
    assert_eq!((short.failure, short.hops.len(), short.hops[2].status), (None, 3, 302));
}

#[tokio::test]
async fn loops_end() {
    let server = Server::answering("HTTP/1.1 307 X\r\nLocation: /\r\nContent-Length: 0\r\n\r\n");
    let exchange = once(&following(4, get(&server.url("/")))).await;
    assert_eq!((exchange.failure, exchange.hops.len()), (None, 5));
}

#[tokio::test]
async fn a_hop_outside_is_refused_before_it_leaves() {
    let (inside, outside) = (Server::start(), Server::start());
    let url = inside.url(&format!("/to?302,{}", outside.url("/version")));
    let exchange = once(&following(5, get(&url))).await;
    assert_fails(&exchange, FailureKind::TargetRefused, &outside.origin());
    assert_eq!((exchange.hops.len(), exchange.hops[0].status, exchange.hops[0].complete), (1, 302, true));
    assert_eq!(outside.connections(), 0);
    for target in ["http://169.254.169.254/latest", "file:///etc/passwd", "ftp://127.0.0.1/"] {
        let exchange = once(&following(5, get(&inside.url(&format!("/to?302,{target}"))))).await;
        assert_fails(&exchange, FailureKind::TargetRefused, "a redirect");
    }
}

#[tokio::test]
async fn credentials_do_not_cross_origins() {
    let (one, two) = (Server::start(), Server::start());
    let secrets: Secrets = [("KEY", "k3y")].into_iter().collect();
    let back = two.url(&format!("/to?302,{}", one.url("/echo")));
    let mut call = following(5, get(&one.url(&format!("/to?302,{back}"))));
    call.origins.push(origin(&two.origin()));
    call.headers = vec![
        text("Authorization", "Basic eA=="),
        ("X-Key".to_owned(), Field::Secret(SecretUse::Plain, "KEY".to_owned())),
        text("X-Plain", "1"),
    ];
    let exchange = send_with(&mut client(), &call, &secrets).await;
    assert_eq!((exchange.failure, exchange.hops.len()), (None, 3));
    let seen = [one.hits()[0].clone(), two.hits()[0].clone(), one.hits()[1].clone()];
    let has = |name| seen.clone().map(|hit| hit.header(name).is_some());
    assert_eq!(has("authorization"), [true, false, false]);
    assert_eq!(has("x-key"), [true, false, false]);
    assert_eq!(has("x-plain"), [true, true, true]);

    let mut near = following(5, get(&one.url("/to?307,/echo")));
    near.headers = vec![text("Authorization", "Basic eA==")];
    once(&near).await;
    assert!(one.hits().last().unwrap().header("authorization").is_some(), "the same origin gets it again");
}

#[tokio::test]
async fn a_cookie_of_a_redirect_goes_with_the_next_hop() {
    let server = Server::start();
    let exchange = once(&following(1, get(&server.url("/cookie/set?k=v")))).await;
    assert_eq!(wire(&exchange.hops[1]), "k=v");
    assert!(exchange.hops[1].sent_headers.contains(&("Cookie".to_owned(), "k=v".to_owned())));
    let without = HttpCall { cookies: false, ..following(1, get(&server.url("/cookie/set?k=v"))) };
    assert_eq!(wire(&once(&without).await.hops[1]), "none");
}

#[tokio::test]
async fn methods_and_bodies_follow_the_status() {
    let server = Server::start();
    for (status, method, body) in [(301, "GET", ""), (303, "GET", ""), (307, "POST", "b"), (308, "POST", "b")] {
        let exchange = once(&following(1, post(&server.url(&format!("/to?{status},/echo")), "b"))).await;
        assert_eq!((exchange.hops[1].method.as_str(), exchange.hops[1].sent_bytes), (method, body.len() as u64));
        let hit = server.hits().pop().unwrap();
        assert_eq!((hit.method.as_str(), hit.body.as_slice()), (method, body.as_bytes()), "{status}");
    }
}
