use probity_core::observe::{FailureKind, Field, SecretUse};
use probity_testkit::server::{Act, Server};

use super::*;

#[tokio::test]
async fn an_answer_is_kept_with_its_phases() {
    let server = Server::start();
    let url = server.url("/bytes?5").replace("127.0.0.1", "localhost");
    let hop = only(once(&get(&url)).await);
    assert_eq!((hop.status, hop.reason.as_str(), hop.version.as_str()), (200, "OK", "1.1"));
    assert_eq!((hop.method.as_str(), hop.url.as_str()), ("GET", url.as_str()));
    assert_eq!(wire(&hop), "xxxxx");
    assert_eq!(hop.decoded, None);
    let phases = hop.phases;
    for (name, time) in [
        ("dns", phases.dns_us),
        ("connect", phases.connect_us),
        ("first byte", phases.first_byte_us),
        ("body", phases.body_us),
    ] {
        assert!(time > 0, "{name}");
    }
    assert_eq!(phases.tls_us, 0);
    assert_eq!(hop.peer.address, server.address().to_string());
    assert!(!hop.peer.reused && hop.peer.tls.is_none());
}

#[tokio::test]
async fn an_address_needs_no_lookup_and_a_bare_answer_has_no_body_phase() {
    let server = Server::start();
    let hop = only(once(&get(&server.url("/status/204"))).await);
    assert_eq!((hop.status, hop.wire.len()), (204, 0));
    assert_eq!((hop.phases.dns_us, hop.phases.body_us), (0, 0));
}

#[tokio::test]
async fn what_is_recorded_is_what_the_server_got() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let server = Server::scripted(vec![vec![Act::Read, Act::say(answer)]]);
    let mut call = post(&server.url("/p?q=1"), "héllo");
    call.headers =
        vec![text("X-Second", "2"), text("x-first", "1"), text("Accept", "text/plain"), text("X-SECOND", "3")];
    let hop = only(once(&call).await);
    let hit = &server.hits()[0];
    assert_eq!(hit.headers, hop.sent_headers);
    let names: Vec<_> = hop.sent_headers.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names, ["X-Second", "X-Second", "X-First", "Accept", "User-Agent", "Host", "Content-Length"]);
    assert_eq!((hit.method.as_str(), hit.target.as_str()), ("POST", "/p?q=1"));
    assert_eq!(hit.body, "héllo".as_bytes());
    assert_eq!(hop.sent_bytes, 6);
}

#[tokio::test]
async fn order_and_spelling_of_the_answer_stay() {
    let server = Server::answering(
        &b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 Very  Good\r\nset-COOKIE: a=1\r\nX-Odd: caf\xe9\r\n\
           Set-Cookie: b=2\r\ncontent-length: 2\r\n\r\nok"[..],
    );
    let hop = only(once(&get(&server.url("/"))).await);
    assert_eq!(hop.reason, "Very  Good");
    let pairs: Vec<_> = hop.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
    assert_eq!(pairs, [("set-COOKIE", "a=1"), ("X-Odd", "café"), ("Set-Cookie", "b=2"), ("content-length", "2")]);
}

#[tokio::test]
async fn a_post_without_body_says_so() {
    let server = Server::start();
    let call = HttpCall { body: None, ..post(&server.url("/echo"), "") };
    only(once(&call).await);
    assert_eq!(server.hits()[0].header("content-length"), Some("0"));
}

#[tokio::test]
async fn credentials_reach_the_server_and_no_record() {
    let server = Server::start();
    let secrets: Secrets = [("LOGIN", "al:s3cr3t")].into_iter().collect();
    let mut call = get(&server.url("/basic?al:s3cr3t"));
    call.headers = vec![("Authorization".to_owned(), Field::Secret(SecretUse::Basic, "LOGIN".to_owned()))];
    let hop = only(send_with(&mut client(), &call, &secrets).await);
    assert_eq!(hop.status, 200);
    assert_eq!(hop.sent_headers[0], ("Authorization".to_owned(), "Basic {env:LOGIN}".to_owned()));
    let unset = send_with(&mut client(), &call, &Secrets::new()).await;
    assert_fails(&unset, FailureKind::CredentialMissing, "LOGIN");
    assert_eq!(server.hits().len(), 1, "nothing left without the credential");
}

#[tokio::test]
async fn cookies_stay_with_the_case() {
    let server = Server::start();
    let mut one = client();
    send(&mut one, &get(&server.url("/cookie/set?k=v"))).await;
    assert_eq!(wire(&only(send(&mut one, &get(&server.url("/cookie/show"))).await)), "k=v");
    assert_eq!(wire(&only(once(&get(&server.url("/cookie/show"))).await)), "none");
    let without = HttpCall { cookies: false, ..get(&server.url("/cookie/show")) };
    assert_eq!(wire(&only(send(&mut one, &without).await)), "none");
}

#[tokio::test]
async fn polling_routes_count() {
    let server = Server::start();
    let mut one = client();
    let mut states = Vec::new();
    for _ in 0..3 {
        states.push(wire(&only(send(&mut one, &get(&server.url("/poll/3"))).await)).contains("ready"));
    }
    assert_eq!(states, [false, false, true]);
}

#[tokio::test]
async fn items_are_kept() {
    let server = Server::start();
    let made = only(once(&post(&server.url("/items"), r#"{"sku": "MUG"}"#)).await);
    assert_eq!((made.status, wire(&made)), (201, r#"{"id":"1","sku": "MUG"}"#));
    assert_eq!(only(once(&get(&server.url("/items/1"))).await).wire, made.wire);
    let gone = HttpCall { method: "DELETE".to_owned(), ..get(&server.url("/items/1")) };
    assert_eq!(only(once(&gone).await).status, 204);
    assert_eq!(only(once(&gone).await).status, 404);
}
