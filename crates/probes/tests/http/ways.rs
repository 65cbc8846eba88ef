use probity_core::observe::{ClientIdentity, FailureKind, ProxyCall, SecretUse};
use probity_core::plan::KeySource;
use probity_testkit::server::{Act, Certificate, Server, closed_port};

use super::*;

const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

fn through(proxy: &Server, call: HttpCall) -> HttpCall {
    HttpCall { proxy: Some(Box::new(ProxyCall { origin: origin(&proxy.origin()), auth: None })), ..call }
}

fn trusting(server: &Server, path: &str) -> HttpCall {
    HttpCall { ca: Some(server.pem().into_bytes()), ..get(&server.url(path)) }
}

#[tokio::test]
async fn http_is_asked_of_the_proxy_by_its_whole_url() {
    let (server, proxy) = (Server::start(), Server::proxy(None));
    let mut one = client();
    let call = through(&proxy, get(&server.url("/echo?a=b")));
    let hop = only(send(&mut one, &call).await);
    assert_eq!((hop.status, hop.peer.proxy.as_deref()), (200, Some(proxy.origin().as_str())));
    assert_eq!(hop.peer.address, proxy.address().to_string());
    let asked = proxy.hits().pop().unwrap();
    assert_eq!((asked.method.as_str(), asked.target), ("GET", server.url("/echo?a=b")));
    assert!(only(send(&mut one, &call).await).peer.reused);
    let straight = only(send(&mut one, &get(&server.url("/echo"))).await);
    assert_eq!((straight.peer.proxy, straight.peer.reused), (None, false));
}

#[tokio::test]
async fn https_and_http2_go_through_a_tunnel() {
    let (server, plain, proxy) = (Server::start_tls(), Server::start(), Server::proxy(None));
    let hop = only(once(&through(&proxy, trusting(&server, "/echo"))).await);
    assert_eq!((hop.version.as_str(), hop.peer.proxy.as_deref()), ("2", Some(proxy.origin().as_str())));
    assert!(hop.peer.tls.is_some());
    let two = HttpCall { version: HttpVersion::Two, ..get(&plain.url("/echo")) };
    assert_eq!(only(once(&through(&proxy, two)).await).version, "2");
    let asked: Vec<_> = proxy.hits().into_iter().map(|hit| (hit.method, hit.target)).collect();
    let tunnel = |server: &Server| ("CONNECT".to_owned(), server.address().to_string());
    assert_eq!(asked, [tunnel(&server), tunnel(&plain)]);
    assert!(server.hits()[0].header("proxy-authorization").is_none());
}

#[tokio::test]
async fn credentials_go_to_the_proxy_alone() {
    let (server, plain) = (Server::start_tls(), Server::start());
    let proxy = Server::proxy(Some("Basic dXNlcjpwYXNz"));
    let secrets: Secrets = [("PROXY_LOGIN", "user:pass")].into_iter().collect();
    for call in [trusting(&server, "/echo"), get(&plain.url("/echo"))] {
        let refused = once(&through(&proxy, call.clone())).await;
        assert_fails(&refused, FailureKind::TargetUnreachable, "wants credentials (407)");
        let mut with = through(&proxy, call);
        with.proxy.as_mut().unwrap().auth = Some((SecretUse::Basic, "PROXY_LOGIN".to_owned()));
        let hop = only(send_with(&mut client(), &with, &secrets).await);
        assert!(!format!("{:?}", hop.sent_headers).contains("dXNl"), "{:?}", hop.sent_headers);
        assert_fails(&once(&with).await, FailureKind::CredentialMissing, "PROXY_LOGIN");
    }
    assert!(server.hits().iter().all(|hit| hit.header("proxy-authorization").is_none()));
    assert_eq!((server.hits().len(), plain.hits().len()), (1, 1));
}

#[tokio::test]
async fn a_proxy_that_fails_is_named() {
    let server = Server::start_tls();
    let gone = format!("http://127.0.0.1:{}", closed_port());
    let nowhere = HttpCall {
        proxy: Some(Box::new(ProxyCall { origin: origin(&gone), auth: None })),
        timeout_ms: 2_000,
        ..trusting(&server, "/echo")
    };
    assert_fails(&once(&nowhere).await, FailureKind::TargetUnreachable, "connection refused");
    let cases = [
        (vec![Act::Read, Act::say("HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n")], "it answered 403"),
        (vec![Act::Read, Act::say("SSH-2.0-x\r\n\r\n")], "not HTTP/1.1"),
        (vec![Act::Read], "it closed the connection"),
        (vec![Act::Read, Act::Flood(b"HTTP/1.1 100 Go\r\n\r\n".to_vec())], "more than 16384 bytes"),
        (vec![Act::Read, Act::Flood(b"X".to_vec())], "more than 16384 bytes"),
        (vec![Act::Read, Act::Hang], "waiting for a tunnel through the proxy"),
    ];
    for (acts, words) in cases {
        let proxy = Server::scripted(vec![acts]);
        let call = HttpCall { timeout_ms: 1_000, ..through(&proxy, trusting(&server, "/echo")) };
        assert_fails(&once(&call).await, FailureKind::TargetUnreachable, words);
    }
    assert!(server.hits().is_empty());
    let proxy = Server::proxy(None);
    let dead = get(&format!("http://127.0.0.1:{}/", closed_port()));
    assert_eq!(only(once(&through(&proxy, dead)).await).status, 502, "an answer of the proxy is an answer");
}

#[tokio::test]
async fn a_unix_socket_is_spoken_to_and_the_url_stays_the_target() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("a".repeat(120));
    std::fs::create_dir(&deep).unwrap();
    let server = Server::start_at(&folder.path().join("s"));
    let mut one = Client::new(&Settings::within(folder.path().to_path_buf()));
    let call = HttpCall { unix_socket: Some("s".to_owned()), ..get("http://shop.test:80/echo") };
    let hop = only(send(&mut one, &call).await);
    assert_eq!((hop.status, hop.peer.address.as_str()), (200, "unix:s"));
    assert_eq!(server.hits()[0].header("host"), Some("shop.test"));
    assert!(only(send(&mut one, &call).await).peer.reused);
    let two = HttpCall { version: HttpVersion::Two, ..call.clone() };
    assert_eq!(only(send(&mut one, &two).await).version, "2");

    let name = format!("{}/s", "a".repeat(120));
    let gone = HttpCall { unix_socket: Some("gone".to_owned()), ..call.clone() };
    assert_fails(&send(&mut one, &gone).await, FailureKind::TargetUnreachable, "Unix socket gone");
    std::os::unix::fs::symlink(folder.path().join("s"), deep.join("s")).unwrap();
    let linked = HttpCall { unix_socket: Some(name), ..call.clone() };
    assert_eq!(only(send(&mut one, &linked).await).status, 200);
    let outside = HttpCall { origins: vec![], ..call };
    assert_fails(&send(&mut one, &outside).await, FailureKind::TargetRefused, "outside the environment");
}

#[tokio::test]
async fn a_socket_outside_the_project_is_not_spoken_to() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    std::fs::create_dir(&project).unwrap();
    let server = Server::start_at(&folder.path().join("s"));
    std::os::unix::fs::symlink(folder.path().join("s"), project.join("link")).unwrap();
    let mut one = Client::new(&Settings::within(project));
    for name in ["../s", "link"] {
        let call = HttpCall { unix_socket: Some(name.to_owned()), ..get("http://shop.test:80/echo") };
        assert_fails(&send(&mut one, &call).await, FailureKind::TargetRefused, "outside the project");
    }
    assert_eq!(server.connections(), 0);
}

fn showing(server: &Server, certificate: &Certificate) -> HttpCall {
    let client = ClientIdentity { cert: certificate.pem().as_bytes().to_vec(), key: KeySource::Env("KEY".to_owned()) };
    HttpCall { client: Some(Box::new(client)), ..trusting(server, "/version") }
}

#[tokio::test]
async fn a_client_certificate_is_shown() {
    let authority = Certificate::authority(&["clients.test"]);
    let mine = authority.issue(&["me.test"]);
    let server = Server::start_tls_asking(Certificate::self_signed(&NAMES), &authority);
    let secrets: Secrets = [("KEY", mine.private_pem())].into_iter().collect();
    for version in [HttpVersion::One, HttpVersion::Auto] {
        let call = HttpCall { version, ..showing(&server, &mine) };
        assert_eq!(only(send_with(&mut client(), &call, &secrets).await).status, 200);
        let bare = HttpCall { client: None, ..call };
        assert_fails(&once(&bare).await, FailureKind::TlsFailed, "CertificateRequired");
    }
    let stranger = Certificate::authority(&["others.test"]).issue(&["me.test"]);
    let strange: Secrets = [("KEY", stranger.private_pem())].into_iter().collect();
    let call = HttpCall { version: HttpVersion::One, ..showing(&server, &stranger) };
    assert_fails(&send_with(&mut client(), &call, &strange).await, FailureKind::TlsFailed, "alert");
    assert_eq!(server.hits().len(), 2);
}

#[tokio::test]
async fn a_key_that_does_not_fit_is_named_without_a_word_of_it() {
    let (mine, other) = (Certificate::self_signed(&["me.test"]), Certificate::self_signed(&["me.test"]));
    let server = Server::start_tls();
    let cases = [
        (Some(other.private_pem()), FailureKind::TlsFailed, "cannot be used with its key"),
        (Some("no key at all"), FailureKind::TlsFailed, "no private key in PEM"),
        (None, FailureKind::CredentialMissing, "the credential KEY is not set"),
    ];
    for (key, kind, words) in cases {
        let secrets: Secrets = key.into_iter().map(|key| ("KEY", key)).collect();
        let exchange = send_with(&mut client(), &showing(&server, &mine), &secrets).await;
        assert_fails(&exchange, kind, words);
        assert!(!format!("{exchange:?}").contains("no key at all"));
    }
    let mut bad = showing(&server, &mine);
    bad.client.as_mut().unwrap().cert = b"nothing".to_vec();
    let secrets: Secrets = [("KEY", mine.private_pem())].into_iter().collect();
    assert_fails(&send_with(&mut client(), &bad, &secrets).await, FailureKind::TlsFailed, "tls.cert");
    bad.client.as_mut().unwrap().key = KeySource::File("gone.key".to_owned());
    bad.client.as_mut().unwrap().cert = mine.pem().as_bytes().to_vec();
    assert_fails(&once(&bad).await, FailureKind::CredentialMissing, "gone.key");
    assert!(server.hits().is_empty());
}
