//! The server of the benchmarks: small JSON answers and large bodies on a free port of the loopback interface. It prints
//! its address and ends when its standard input does, so that nothing is left over.
//!
//! * `GET /api/item/N`: an item as JSON.
//! * `GET /body/N/KIB`: KIB × 1,024 bytes that no coding shrinks, others for each N; `x-body: N`.

#![expect(clippy::print_stdout, reason = "the address is what whoever starts it reads")]

use std::convert::Infallible;
use std::io::Read as _;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// The largest body in KiB.
const MAX_KIB: usize = 10 * 1024;

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    std::thread::spawn(|| {
        // Whatever comes is dropped; the end of the input, or a fault, is the sign to leave.
        while matches!(std::io::stdin().read(&mut [0; 64]), Ok(1..)) {}
        std::process::exit(0);
    });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)),
        );
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let parts: Vec<&str> = request.uri().path().split('/').skip(1).collect();
    let number = |text: &str| text.parse::<usize>().ok();
    let answer = match parts[..] {
        ["api", "item", n] => number(n).map(item),
        ["body", n, kib] => number(n).zip(number(kib).filter(|kib| *kib <= MAX_KIB)).map(|(n, kib)| body(n, kib)),
        _ => None,
    };
    Ok(answer.unwrap_or_else(|| {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::NOT_FOUND;
        response
    }))
}

fn item(n: usize) -> Response<Full<Bytes>> {
    let history = r#"[{"state":"placed"},{"state":"packed"},{"state":"sent"}]"#;
    let text = format!(r#"{{"id":{n},"ok":true,"name":"item-{n}","history":{history}}}"#);
    with("content-type", "application/json", text.into())
}

/// Bytes of a small generator (xorshift), seeded with the number.
fn body(n: usize, kib: usize) -> Response<Full<Bytes>> {
    let mut state = (n as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut bytes = Vec::with_capacity(kib * 1024);
    while bytes.len() < kib * 1024 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    let mut response = with("content-type", "application/octet-stream", bytes.into());
    response.headers_mut().insert("x-body", n.into());
    response
}

fn with(name: &'static str, value: &'static str, body: Bytes) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body));
    response.headers_mut().insert(name, http::HeaderValue::from_static(value));
    response
}
