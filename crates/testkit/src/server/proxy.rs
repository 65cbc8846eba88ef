//! A proxy: tunnels for `CONNECT`, and requests by whole URL handed on. What it hands on is not looked at again.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::TcpStream;

use super::{Log, Request};

const WANTS: &[u8] = b"HTTP/1.1 407 Who\r\nProxy-Authenticate: Basic realm=\"p\"\r\nContent-Length: 0\r\n\r\n";

pub(super) async fn serve(mut stream: TcpStream, number: usize, authorization: Option<String>, log: Log) {
    let _ = forward(&mut stream, number, authorization.as_deref(), &log).await;
    let _ = stream.shutdown().await;
}

async fn forward(stream: &mut TcpStream, number: usize, authorization: Option<&str>, log: &Log) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let request = parse(&head, number)?;
    let refused = authorization.is_some() && request.header("proxy-authorization") != authorization;
    let (method, target) = (request.method.clone(), request.target.clone());
    log.note(request);
    if refused {
        return stream.write_all(WANTS).await.ok();
    }
    let authority = target.strip_prefix("http://").unwrap_or(&target).split('/').next()?;
    let Ok(mut next) = TcpStream::connect(authority).await else {
        return stream.write_all(b"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n").await.ok();
    };
    let _ = next.set_nodelay(true);
    if method == "CONNECT" {
        stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await.ok()?;
    } else {
        next.write_all(&head).await.ok()?;
    }
    copy_bidirectional(stream, &mut next).await.ok().map(drop)
}

fn parse(head: &[u8], connection: usize) -> Option<Request> {
    let head = String::from_utf8_lossy(head);
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ').map(str::to_owned);
    let (method, target) = (first.next()?, first.next()?);
    let headers = lines.filter_map(|line| line.split_once(": ")).map(|(n, v)| (n.to_owned(), v.to_owned())).collect();
    Some(Request { connection, method, target, headers, body: Vec::new() })
}
