//! Who holds a port of this machine.

use std::collections::BTreeSet;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use probity_core::journal::service::Holder;
use rustix::process::Pid;
use tokio::net::TcpStream;

/// How long a port of this machine may take to answer.
const ANSWER: Duration = Duration::from_millis(500);

/// Whether a port of this machine takes connections.
pub async fn answers(port: u16) -> bool {
    let here = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
    for ip in here {
        let connected = tokio::time::timeout(ANSWER, TcpStream::connect(SocketAddr::new(ip, port))).await;
        if matches!(connected, Ok(Ok(_))) {
            return true;
        }
    }
    false
}

/// Who listens on a port: one of these processes and nobody else, or somebody else.
pub(super) fn holder(port: u16, family: &[Pid]) -> Holder {
    let Some(listening) = sockets(port) else { return Holder::Unknown };
    if listening.is_empty() {
        return Holder::Nobody;
    }
    let held: Vec<Option<Vec<u64>>> = family.iter().map(|pid| sockets_of(*pid)).collect();
    // One of ours may run as somebody else, whose sockets are not shown.
    let hidden = held.iter().any(Option::is_none);
    let own: BTreeSet<u64> = held.into_iter().flatten().flatten().collect();
    match (listening.is_subset(&own), hidden) {
        (true, _) => Holder::Service,
        (false, true) => Holder::Unknown,
        (false, false) => Holder::Other,
    }
}

/// The sockets that listen on a port where this machine reaches itself; `None` where the system shows none at all.
fn sockets(port: u16) -> Option<BTreeSet<u64>> {
    let tables: Vec<String> =
        ["/proc/self/net/tcp", "/proc/self/net/tcp6"].iter().filter_map(|name| fs::read_to_string(name).ok()).collect();
    if tables.is_empty() {
        return None;
    }
    Some(tables.iter().flat_map(|table| table.lines().skip(1)).filter_map(|line| listener(line, port)).collect())
}

/// The socket of a line, where it listens on the port at an address that stands for this machine.
fn listener(line: &str, port: u16) -> Option<u64> {
    const LISTEN: &str = "0A";
    let mut fields = line.split_ascii_whitespace();
    let (address, state) = (fields.nth(1)?, fields.nth(1)?);
    let (ip, at) = address.rsplit_once(':')?;
    if state != LISTEN || u16::from_str_radix(at, 16).ok()? != port {
        return None;
    }
    // Four bytes each in the machine's own order; loopback is 127.0.0.0/8, ::1, or either of them mapped.
    let any = ip.bytes().all(|digit| digit == b'0');
    let bytes: Vec<u8> =
        (0..ip.len() / 2).filter_map(|i| u8::from_str_radix(ip.get(2 * i..2 * i + 2)?, 16).ok()).collect();
    let words: Vec<u8> = bytes.chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
    let loopback = match words.as_slice() {
        [127, ..] if words.len() == 4 => true,
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1] => true,
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, rest @ ..] => matches!(rest, [127, ..] | [0, 0, 0, 0]),
        _ => false,
    };
    // Fields 2 and 4 are taken; the socket's number is field 10.
    let inode = fields.nth(5)?.parse().ok()?;
    (any || loopback).then_some(inode)
}

/// The sockets that a process holds; none where it is gone, `None` where it does not show them.
fn sockets_of(pid: Pid) -> Option<Vec<u64>> {
    let open = match fs::read_dir(format!("/proc/{}/fd", pid.as_raw_nonzero())) {
        Ok(open) => open.flatten(),
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return None,
        Err(_) => return Some(Vec::new()),
    };
    let socket = |entry: fs::DirEntry| {
        let link = fs::read_link(entry.path()).ok()?;
        link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
    };
    Some(open.filter_map(socket).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_of_our_own_is_told_from_anothers() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let own = rustix::process::getpid();
        assert_eq!(holder(port, &[own]), Holder::Service);
        assert_eq!(holder(port, &[]), Holder::Other);
        drop(socket);
        assert_eq!(holder(port, &[own]), Holder::Nobody);
    }

    #[test]
    fn lines_of_the_table() {
        let line = |address: &str, state: &str| {
            format!(
                "   0: {address} 00000000:0000 {state} 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100"
            )
        };
        for (address, state, found) in [
            ("0100007F:1FBB", "0A", true),
            ("00000000:1FBB", "0A", true),
            ("0100007F:1FBB", "01", false),
            ("0100007F:1FBC", "0A", false),
            ("0100A8C0:1FBB", "0A", false),
            ("00000000000000000000000001000000:1FBB", "0A", true),
            ("00000000000000000000000000000000:1FBB", "0A", true),
            ("0000000000000000FFFF00000100007F:1FBB", "0A", true),
            ("B80D01200000000000000000010000FF:1FBB", "0A", false),
        ] {
            assert_eq!(listener(&line(address, state), 8123), found.then_some(4711), "{address} {state}");
        }
        assert_eq!(listener("", 8123), None);
    }

    #[tokio::test]
    async fn a_port_answers_or_does_not() {
        let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        assert!(answers(port).await);
        drop(socket);
        assert!(!answers(port).await);
    }
}
