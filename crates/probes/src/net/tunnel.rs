//! Tunnels through a proxy (CONNECT, RFC 9110 section 9.3.6).

use http::HeaderValue;
use probity_core::environment::Origin;
use probity_core::observe::{Failure, FailureKind};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{failed, in_words};

/// Bytes of all heads that a proxy sends before the tunnel is open.
const MAX_HEADS: usize = 16 << 10;

/// Asks a proxy for a tunnel to a target.
///
/// # Errors
/// `target_unreachable`: the proxy refused, or answered with something else.
pub(crate) async fn open(
    stream: &mut TcpStream,
    proxy: &Origin,
    target: &Origin,
    authorization: Option<&HeaderValue>,
) -> Result<(), Failure> {
    let refused = |why: String| {
        let message = format!("the proxy {proxy} gave no tunnel to {}:{}: {why}", target.host, target.port);
        failed(FailureKind::TargetUnreachable, message)
    };
    let authority = format!("{}:{}", target.host, target.port);
    let mut request = format!("CONNECT {authority} HTTP/1.1\r\nHost: {authority}\r\n").into_bytes();
    if let Some(value) = authorization {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(value.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    stream.write_all(&request).await.map_err(|e| refused(in_words(&e)))?;
    let mut left = MAX_HEADS;
    loop {
        let head = head(stream, &mut left).await.map_err(&refused)?;
        match status(&head) {
            Some(200..=299) => return Ok(()),
            // Something on the way.
            Some(100..=199) => {}
            Some(407) => return Err(refused("it wants credentials (407); name them under proxy.auth".to_owned())),
            Some(status) => return Err(refused(format!("it answered {status}"))),
            None => return Err(refused("its answer is not HTTP/1.1".to_owned())),
        }
    }
}

/// One head, byte by byte: what follows it belongs to the tunnel.
async fn head(stream: &mut TcpStream, left: &mut usize) -> Result<Vec<u8>, String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        *left = left.checked_sub(1).ok_or_else(|| format!("its answer has a head of more than {MAX_HEADS} bytes"))?;
        head.push(stream.read_u8().await.map_err(|e| match e.kind() {
            std::io::ErrorKind::UnexpectedEof => "it closed the connection".to_owned(),
            _ => in_words(&e),
        })?);
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|b| *b == b'\r').next()?;
    let mut words = line.split(|b| *b == b' ');
    words.next().filter(|version| version.starts_with(b"HTTP/1."))?;
    let code = words.next().filter(|code| code.len() == 3)?;
    std::str::from_utf8(code).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn status_lines_are_read() {
        for (line, expected) in [
            ("HTTP/1.1 200 Connection established\r\n\r\n", Some(200)),
            ("HTTP/1.0 407\r\n\r\n", Some(407)),
            ("HTTP/2 200\r\n\r\n", None),
            ("HTTP/1.1 20\r\n\r\n", None),
            ("SSH-2.0\r\n\r\n", None),
            ("\r\n\r\n", None),
        ] {
            assert_eq!(status(line.as_bytes()), expected, "{line:?}");
        }
    }
}
