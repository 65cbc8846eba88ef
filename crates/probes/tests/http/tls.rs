use probity_core::ids::Digest;
use probity_core::observe::{FailureKind, TlsFacts};
use probity_testkit::server::{Act, Certificate, Server};

use super::*;

fn trusting(server: &Server, path: &str) -> HttpCall {
    HttpCall { ca: Some(server.pem().into_bytes()), ..get(&server.url(path)) }
}

fn facts(hop: &Hop) -> &TlsFacts {
    hop.peer.tls.as_ref().unwrap()
}

#[tokio::test]
async fn a_certificate_of_the_plan_is_trusted_and_recorded() {
    let certificate = Certificate::self_signed(&["localhost", "127.0.0.1"]);
    let key = Digest::of(certificate.public_key());
    let server = Server::start_tls_with(certificate);
    let hop = only(once(&trusting(&server, "/version")).await);
    assert_eq!((facts(&hop).version.as_str(), facts(&hop).anchor.as_str(), facts(&hop).key), ("1.3", "file", key));
    assert!(facts(&hop).suite.starts_with("TLS13_"), "{}", facts(&hop).suite);
    assert!(hop.phases.tls_us > 0);
    let again = only(once(&trusting(&server, "/version")).await);
    assert_eq!(facts(&again).key, key, "the key is the same on every connection");
    let by_name =
        HttpCall { url: trusting(&server, "/version").url.replace("127.0.0.1", "localhost"), ..trusting(&server, "/") };
    let by_name = HttpCall { origins: vec![origin(&by_name.url)], ..by_name };
    assert_eq!(only(once(&by_name).await).status, 200);
}

#[tokio::test]
async fn a_self_signed_authority_is_its_own_anchor() {
    let server = Server::start_tls_with(Certificate::authority(&["127.0.0.1"]));
    assert_eq!(only(once(&trusting(&server, "/version")).await).status, 200);
}

#[tokio::test]
async fn nobody_vouches() {
    let (server, other) = (Server::start_tls(), Server::start_tls());
    let unknown = once(&get(&server.url("/version"))).await;
    assert_eq!(unknown.failure.as_ref().unwrap().kind, FailureKind::TlsFailed);
    let wrong = HttpCall { ca: Some(other.pem().into_bytes()), ..get(&server.url("/version")) };
    assert_eq!(once(&wrong).await.failure.unwrap().kind, FailureKind::TlsFailed);
    assert!(server.hits().is_empty());
    for bad in ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let call = HttpCall { ca: Some(bad.as_bytes().to_vec()), ..get(&server.url("/version")) };
        assert_eq!(once(&call).await.failure.unwrap().kind, FailureKind::TlsFailed, "{bad:?}");
    }
}

#[tokio::test]
async fn the_reason_is_named() {
    let wrong_name = Server::start_tls_with(Certificate::self_signed(&["other.example"]));
    let expired = Server::start_tls_with(Certificate::expired(&["127.0.0.1"]));
    let trusted = Server::start_tls();
    let stranger = Server::start_tls();
    let (plain, hanging) = (Server::start(), Server::scripted(vec![vec![Act::Hang]]));
    let talking = Server::scripted(vec![vec![Act::say("220 mail.example ESMTP\r\n"), Act::Hang]]);
    let closing = Server::scripted(vec![vec![Act::Sleep(10), Act::Close]]);
    let https = |server: &Server| {
        let url = server.url("/").replace("http:", "https:");
        HttpCall { ca: Some(trusted.pem().into_bytes()), timeout_ms: 500, ..get(&url) }
    };
    let cases = [
        (trusting(&wrong_name, "/"), "name mismatch"),
        (trusting(&expired, "/"), "expired"),
        (https(&stranger), "unknown issuer"),
        (https(&plain), "does not speak TLS"),
        (https(&hanging), "timed out after 500 ms while shaking hands"),
        (https(&talking), "does not speak TLS"),
        (https(&closing), "handshake"),
    ];
    for (call, words) in cases {
        let exchange = once(&call).await;
        assert_fails(&exchange, FailureKind::TlsFailed, words);
        assert!(exchange.hops.is_empty());
    }
}

#[tokio::test]
async fn unchecked_is_recorded_as_such() {
    let certificate = Certificate::expired(&["other.example"]);
    let key = Digest::of(certificate.public_key());
    let server = Server::start_tls_with(certificate);
    let hop = only(once(&HttpCall { insecure: true, ..get(&server.url("/version")) }).await);
    assert_eq!((facts(&hop).anchor.as_str(), facts(&hop).key), ("unchecked", key));
}

#[tokio::test]
async fn connections_are_not_shared_across_trusts() {
    let server = Server::start_tls();
    let mut one = client();
    only(send(&mut one, &HttpCall { insecure: true, ..get(&server.url("/version")) }).await);
    let checked = only(send(&mut one, &trusting(&server, "/version")).await);
    assert!(!checked.peer.reused);
    let again = only(send(&mut one, &trusting(&server, "/version")).await);
    assert!(again.peer.reused);
    assert_eq!(facts(&again), facts(&checked));
    assert_eq!(again.phases.tls_us, 0);
}

#[tokio::test]
async fn a_close_without_farewell_is_a_cut() {
    let acts = vec![Act::Read, Act::say("HTTP/1.1 200 OK\r\n\r\nabc"), Act::Close];
    let server = Server::scripted_tls(vec![acts]);
    let exchange = once(&trusting(&server, "/")).await;
    assert_fails(&exchange, FailureKind::AnswerIncomplete, "3 bytes");
    let polite = Server::scripted_tls(vec![vec![Act::Read, Act::say("HTTP/1.1 200 OK\r\n\r\nabc")]]);
    assert_eq!(wire(&only(once(&trusting(&polite, "/")).await)), "abc");
}
