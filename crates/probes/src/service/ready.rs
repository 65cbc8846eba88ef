//! Whether a service is ready, asked once.

use std::time::{Duration, Instant};

use probity_core::environment::Origin;
use probity_core::observe::HttpCall;
use probity_core::service::Ready;
use tokio::sync::watch;

use super::port::answers;
use crate::http::{Client, Secrets, Settings};

/// How long one question may take.
const QUESTION: Duration = Duration::from_secs(2);

/// Asks once. Only this machine is asked, and no redirect is followed.
///
/// # Errors
/// What came instead of an answer that shows it, in a few words.
pub async fn look(ready: &Ready, cancel: &watch::Receiver<bool>) -> Result<String, String> {
    match ready {
        Ready::Started => Ok("it runs".to_owned()),
        Ready::Tcp(port) if answers(*port).await => Ok(format!("port {port} takes connections")),
        Ready::Tcp(port) => Err(format!("port {port} takes no connection")),
        Ready::Http(url) => http(url, cancel).await,
    }
}

async fn http(url: &str, cancel: &watch::Receiver<bool>) -> Result<String, String> {
    let origins = Origin::of(url).into_iter().collect();
    let timeout_ms = u64::try_from(QUESTION.as_millis()).unwrap_or(u64::MAX);
    let call = HttpCall { timeout_ms, ..HttpCall::get(url, origins) };
    let mut client = Client::new(&Settings::default());
    let exchange = client.send(&call, &Secrets::new(), cancel, Instant::now() + QUESTION).await;
    match (exchange.failure, exchange.hops.last().map(|hop| hop.status)) {
        (None, Some(status @ (200..=399 | 401 | 403))) => Ok(format!("GET {url} was answered with {status}")),
        (None, Some(status)) => Err(format!("GET {url} was answered with {status}")),
        (Some(failure), _) => Err(format!("GET {url}: {}", failure.message)),
        (None, None) => Err(format!("GET {url} was not answered")),
    }
}
