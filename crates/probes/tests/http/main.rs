//! The HTTP probe against servers that behave and servers that do not.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod basics;
mod bodies;
mod environment;
mod failures;
mod hostile;
mod redirects;
mod reuse;
mod tls;
mod two;
mod ways;

use std::time::{Duration, Instant};

use probity_core::environment::Origin;
use probity_core::observe::{Exchange, Failure, FailureKind, Field, Hop, HttpCall};
use probity_core::plan::HttpVersion;
use probity_probes::http::{Client, Secrets, Settings};
use probity_testkit::server::Server;
use tokio::sync::watch;

/// A GET of that URL, inside its own origin.
fn get(url: &str) -> HttpCall {
    HttpCall { headers: vec![], timeout_ms: 5_000, cookies: true, ..HttpCall::get(url, vec![origin(url)]) }
}

fn post(url: &str, body: &str) -> HttpCall {
    HttpCall { method: "POST".to_owned(), body: Some(body.as_bytes().to_vec()), ..get(url) }
}

/// The origin of a URL that names its port.
fn origin(url: &str) -> Origin {
    let (scheme, rest) = url.split_once("://").unwrap();
    let authority = rest.split('/').next().unwrap();
    let (host, port) = authority.rsplit_once(':').unwrap();
    Origin { scheme: scheme.to_owned(), host: host.to_owned(), port: port.parse().unwrap() }
}

fn text(name: &str, value: &str) -> (String, Field) {
    (name.to_owned(), Field::Text(value.to_owned()))
}

fn client() -> Client {
    Client::new(&Settings::default())
}

/// Sends without credentials, cancellation or a run's deadline.
async fn send(client: &mut Client, call: &HttpCall) -> Exchange {
    send_with(client, call, &Secrets::new()).await
}

async fn send_with(client: &mut Client, call: &HttpCall, secrets: &Secrets) -> Exchange {
    let (_keep, cancel) = watch::channel(false);
    client.send(call, secrets, &cancel, Instant::now() + Duration::from_secs(20)).await
}

async fn once(call: &HttpCall) -> Exchange {
    send(&mut client(), call).await
}

/// The only hop of an exchange that went well.
fn only(exchange: Exchange) -> Hop {
    assert_eq!(exchange.failure, None);
    assert_eq!(exchange.hops.len(), 1);
    let hop = exchange.hops.into_iter().next().unwrap();
    assert!(hop.complete);
    hop
}

/// Checks kind and words of a failure.
fn assert_fails(exchange: &Exchange, kind: FailureKind, words: &str) {
    let Some(Failure { kind: seen, message }) = &exchange.failure else {
        panic!("it did not fail, {} hops", exchange.hops.len())
    };
    assert_eq!(*seen, kind, "{message}");
    assert!(message.contains(words), "{message:?} does not contain {words:?}");
}

fn header<'a>(hop: &'a Hop, name: &str) -> Option<&'a str> {
    hop.headers.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
}

fn wire(hop: &Hop) -> &str {
    std::str::from_utf8(&hop.wire).unwrap()
}

fn paths(server: &Server) -> Vec<String> {
    server.hits().iter().map(|hit| hit.target.clone()).collect()
}
