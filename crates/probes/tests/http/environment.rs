//! Variables that other clients obey. They are set for a child that runs one test of this program.

use std::process::Command;

use probity_core::observe::FailureKind;
use probity_testkit::server::Server;

use super::*;

const PLAIN: &str = "PROBE_TEST_PLAIN";
const SECURE: &str = "PROBE_TEST_SECURE";

#[test]
fn proxies_and_anchors_of_the_environment_are_ignored() {
    let (plain, secure, proxy) = (Server::start(), Server::start_tls(), Server::start());
    let folder = tempfile::tempdir().unwrap();
    let pem = folder.path().join("ca.pem");
    std::fs::write(&pem, secure.pem()).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", "environment::child", "--nocapture"]);
    child.env(PLAIN, plain.url("/version")).env(SECURE, secure.url("/version"));
    for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(name, proxy.origin());
    }
    child.env("SSL_CERT_FILE", &pem).env("SSL_CERT_DIR", folder.path());
    let output = child.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    assert_eq!((plain.hits().len(), secure.hits().len(), proxy.connections()), (1, 0, 0));
    assert_eq!(secure.connections(), 1);
}

#[tokio::test]
#[ignore = "run by the test above, with variables set"]
async fn child() {
    let url = |name| std::env::var(name).unwrap();
    assert_eq!(only(once(&get(&url(PLAIN))).await).status, 200);
    assert_fails(&once(&get(&url(SECURE))).await, FailureKind::TlsFailed, "");
}

/// The counterpart of the refusal above: nothing but the missing trust stands in the way.
#[tokio::test]
async fn the_same_server_is_reached_when_the_plan_trusts_it() {
    let secure = Server::start_tls();
    let call = HttpCall { ca: Some(secure.pem().into_bytes()), ..get(&secure.url("/version")) };
    assert_eq!(only(once(&call).await).status, 200);
}
