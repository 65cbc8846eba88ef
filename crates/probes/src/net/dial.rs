//! From a host's name to an open socket.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use probity_core::environment::Origin;
use probity_core::observe::{Failure, FailureKind};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};

use super::{failed, in_words};

/// At most this many addresses of one name are tried.
const MAX_ADDRESSES: usize = 16;

/// Tries of a preflight check.
const CHECK_TRIES: u32 = 3;

/// A preflight check never takes longer.
const MAX_CHECK: Duration = Duration::from_secs(60);

/// A host as a URL writes it is an address when it parses as one, brackets taken off.
pub(crate) fn literal(host: &str) -> Option<IpAddr> {
    host.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

/// Looks a name up. An address is its own answer.
///
/// # Errors
/// `target_unreachable` when the name has no address.
pub(crate) async fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, Failure> {
    if let Some(ip) = literal(host) {
        return Ok(vec![SocketAddr::new(ip, port)]);
    }
    let found: Vec<SocketAddr> = match lookup_host((host, port)).await {
        Ok(addresses) => addresses.take(MAX_ADDRESSES).collect(),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => return Err(denied(host, port)),
        Err(e) => return Err(failed(FailureKind::TargetUnreachable, format!("the name {host} was not found: {e}"))),
    };
    if found.is_empty() {
        return Err(failed(FailureKind::TargetUnreachable, format!("the name {host} has no address")));
    }
    Ok(found)
}

/// Connects to the first address that answers. An address that hangs may use its share of the time that is left,
/// so that the others get their turn; the last one is waited for until the caller gives up.
///
/// # Errors
/// `target_unreachable` with the reason of each address, `network_denied` when sockets are not allowed.
pub(crate) async fn connect(addresses: &[SocketAddr], until: Instant) -> Result<TcpStream, Failure> {
    let mut reasons = Vec::with_capacity(addresses.len());
    let mut left = u32::try_from(addresses.len()).unwrap_or(u32::MAX);
    for address in addresses {
        let share = until.saturating_duration_since(Instant::now()) / left;
        let connecting = TcpStream::connect(address);
        let tried = match left {
            1 => Ok(connecting.await),
            _ => timeout(share, connecting).await,
        };
        left -= 1;
        match tried {
            Ok(Ok(stream)) => {
                // Without it small requests wait for acknowledgements and the phases lie (crates.md 3.2).
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(e)) if e.kind() == io::ErrorKind::PermissionDenied => {
                return Err(denied(&address.ip().to_string(), address.port()));
            }
            Ok(Err(e)) => reasons.push(format!("{address}: {}", in_words(&e))),
            Err(_) => reasons.push(format!("{address}: no answer in {} ms", share.as_millis())),
        }
    }
    Err(failed(FailureKind::TargetUnreachable, format!("no connection to {}", reasons.join(", "))))
}

fn denied(host: &str, port: u16) -> Failure {
    // Sandboxes of agents say by a variable that they closed the network; its name is where to look.
    let switch = ["CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_SANDBOX"];
    let switch = switch.into_iter().find(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let switch = switch.map_or_else(String::new, |name| format!("; {name} is set"));
    let message = format!("this process may not open a connection to {host}:{port}: permission denied{switch}");
    failed(FailureKind::NetworkDenied, message)
}

/// Opens a connection and closes it, with up to three tries within `limit`.
///
/// # Errors
/// The failure of the last try.
pub(crate) async fn check(origin: &Origin, limit: Duration) -> Result<(), Failure> {
    let limit = limit.min(MAX_CHECK);
    let started = Instant::now();
    let until = started + limit;
    let mut last = failed(FailureKind::TargetUnreachable, String::new());
    for n in 1..=CHECK_TRIES {
        let attempt = async {
            let addresses = resolve(&origin.host, origin.port).await?;
            connect(&addresses, until).await
        };
        match timeout_at(until, attempt).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(failure)) => last = failure,
            Err(_) => {
                let message = format!("no connection to {}:{} in {} ms", origin.host, origin.port, limit.as_millis());
                last = failed(FailureKind::TargetUnreachable, message);
            }
        }
        let next = started + limit / CHECK_TRIES * n;
        if last.kind == FailureKind::NetworkDenied || n == CHECK_TRIES || Instant::now() >= until {
            break;
        }
        sleep_until(next).await;
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn each_address_gets_its_turn() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let open = listener.local_addr().unwrap();
        let closed = SocketAddr::from(([127, 0, 0, 1], probity_testkit::server::closed_port()));
        let until = Instant::now() + Duration::from_secs(5);
        assert_eq!(connect(&[closed, open], until).await.unwrap().peer_addr().unwrap(), open);
        let failure = connect(&[closed, closed], until).await.unwrap_err();
        assert_eq!(failure.message.matches("connection refused").count(), 2, "{}", failure.message);
        assert_eq!(failure.kind, FailureKind::TargetUnreachable);
    }

    #[test]
    fn addresses_are_told_from_names() {
        for address in ["127.0.0.1", "[::1]", "::1"] {
            assert!(literal(address).is_some(), "{address}");
        }
        for name in ["localhost", "127.1", "a.example", ""] {
            assert!(literal(name).is_none(), "{name}");
        }
    }
}
