//! What a scripted server does on the bare socket.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::time::sleep;

use super::{Log, Request};

/// One thing that a scripted server does. After the last one it closes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Waits for a request with its body and notes it. The body's length is taken from `Content-Length`.
    Read,
    /// Waits for the head of a request, and does not note it.
    ReadHead,
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends bytes one by one, with a pause in ms before each.
    Drip(Vec<u8>, u64),
    /// Sends the bytes over and over, until the other side has enough.
    Flood(Vec<u8>),
    /// Waits, in ms.
    Sleep(u64),
    /// Closes its sending side, without the farewell of TLS where there is any, and ends.
    Close,
    /// Ends with a reset.
    Reset,
    /// Keeps the connection open and does nothing until the other side leaves.
    Hang,
}

impl Act {
    /// Sends text.
    #[must_use]
    pub fn say(text: &str) -> Self {
        Self::Send(text.as_bytes().to_vec())
    }
}

pub(super) async fn play<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, number: usize, acts: Vec<Act>, log: &Log) {
    for act in acts {
        let went = match act {
            Act::Read => read(&mut stream, number, log).await.is_some(),
            Act::ReadHead => head(&mut stream).await.is_some(),
            Act::Send(bytes) => send(&mut stream, &bytes).await,
            Act::Drip(bytes, pause) => drip(&mut stream, &bytes, pause).await,
            Act::Flood(bytes) => {
                while send(&mut stream, &bytes).await {}
                false
            }
            Act::Sleep(ms) => {
                sleep(Duration::from_millis(ms)).await;
                true
            }
            Act::Close | Act::Reset => return,
            Act::Hang => {
                let mut rest = [0; 1024];
                while matches!(stream.read(&mut rest).await, Ok(n) if n > 0) {}
                false
            }
        };
        if !went {
            return;
        }
    }
    let _ = stream.shutdown().await;
}

async fn send<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> bool {
    stream.write_all(bytes).await.is_ok() && stream.flush().await.is_ok()
}

async fn drip<S: AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8], pause: u64) -> bool {
    for byte in bytes {
        sleep(Duration::from_millis(pause)).await;
        if !send(stream, &[*byte]).await {
            return false;
        }
    }
    true
}

async fn head<S: AsyncRead + Unpin>(stream: &mut S) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&head).into_owned())
}

async fn read<S: AsyncRead + Unpin>(stream: &mut S, number: usize, log: &Log) -> Option<()> {
    let head = head(stream).await?;
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ').map(str::to_owned);
    let (method, target) = (first.next()?, first.next()?);
    let headers: Vec<(String, String)> =
        lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    let mut request = Request { connection: number, method, target, headers, body: Vec::new() };
    let length = request.header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
    request.body = vec![0; length];
    stream.read_exact(&mut request.body).await.ok()?;
    log.note(request);
    Some(())
}
