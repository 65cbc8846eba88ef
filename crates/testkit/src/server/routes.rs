//! The ordinary routes.
//!
//! | route | answer |
//! |---|---|
//! | any `/echo` | JSON: method, target, headers as a list of pairs, body as text |
//! | `/status/N` | status N with a short body (none for 204 and 304) |
//! | `/redirect/N` | 302 to `/redirect/N-1`, and so on to `/echo` |
//! | `/to?STATUS,URL` | STATUS with `Location: URL`, both taken as they stand |
//! | `/cookie/set?NAME=VALUE` | sets the cookie for `/` and answers 302 to `/cookie/show` |
//! | `/cookie/show` | the `Cookie` line as text |
//! | `/gzip`, `/deflate`, `/br`, `/zstd` | `{"coded":true}` in that coding |
//! | `/bomb?N`, `/bomb/br?N`, `/bomb/zstd?N` | N MiB of zeros as gzip, or in that coding |
//! | `/bytes?N` | N bytes |
//! | `/slow?MS` | `slow` after a pause |
//! | `/poll/N` | 200 `{"state":"ready"}` from the N-th request on, `{"state":"pending"}` before |
//! | `/basic?USER:PASSWORD` | 200 with these credentials (unpadded comparison of the base64 form), else 401 |
//! | `/close` | `closed`, and the connection is closed |
//! | POST `/items` | keeps the JSON body, answers 201 `{"id":"N", …}`: the body's members beside the id |
//! | GET, PUT, DELETE `/items/N` | the item, 204, 204; 404 when there is none |
//! | `/version` | `{"build":"1"}` |
//!
//! Everything else is 404.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::io::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use http::{HeaderMap, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::sleep;

use super::{Log, Request};

/// The items that were posted.
#[derive(Debug, Default)]
pub(super) struct State(Mutex<(u64, BTreeMap<String, String>)>);

type Answer = Response<Full<Bytes>>;

pub(super) async fn serve<S>(stream: S, number: usize, state: Arc<State>, log: Log)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = service_fn(move |request: http::Request<Incoming>| {
        let (state, log) = (Arc::clone(&state), log.clone());
        async move {
            let (head, body) = request.into_parts();
            let body = body.collect().await.map(|b| b.to_bytes().to_vec()).unwrap_or_default();
            let seen = Request {
                connection: number,
                method: head.method.to_string(),
                target: head.uri.path_and_query().map(ToString::to_string).unwrap_or_default(),
                headers: pairs(&head.headers),
                body,
            };
            let times = log.note(seen.clone());
            Ok::<_, Infallible>(answer(&seen, times, &state).await)
        }
    });
    let _ = auto::Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(n, v)| (n.to_string(), v.as_bytes().iter().map(|b| char::from(*b)).collect())).collect()
}

async fn answer(request: &Request, times: usize, state: &State) -> Answer {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let number = || query.parse::<usize>().unwrap_or(0);
    match parts.as_slice() {
        ["echo"] => json(200, &echo(request)),
        ["status", code] => text(code.parse().unwrap_or(500), "status"),
        ["redirect", "0"] => located(302, "/echo"),
        ["redirect", n] => located(302, &format!("/redirect/{}", n.parse().unwrap_or(1u32).saturating_sub(1))),
        ["to"] => {
            let (status, target) = query.split_once(',').unwrap_or(("302", query));
            located(status.parse().unwrap_or(302), target)
        }
        ["cookie", "set"] => with(located(302, "/cookie/show"), header::SET_COOKIE, &format!("{query}; Path=/")),
        ["cookie", "show"] => text(200, request.header("cookie").unwrap_or("none")),
        ["gzip"] => coded("gzip", gzip(br#"{"coded":true}"#)),
        ["deflate"] => coded("deflate", zlib(br#"{"coded":true}"#)),
        ["br"] => coded("br", brotli(br#"{"coded":true}"#)),
        ["zstd"] => coded("zstd", zstd(br#"{"coded":true}"#)),
        ["bomb", "br"] => coded("br", brotli(&vec![0; number() << 20])),
        ["bomb", "zstd"] => coded("zstd", zstd(&vec![0; number() << 20])),
        ["bomb"] => coded("gzip", gzip(&vec![0; number() << 20])),
        ["bytes"] => text(200, &"x".repeat(number())),
        ["slow"] => {
            sleep(Duration::from_millis(number() as u64)).await;
            text(200, "slow")
        }
        ["poll", n] if times >= n.parse().unwrap_or(1) => json(200, r#"{"state":"ready"}"#),
        ["poll", _] => json(200, r#"{"state":"pending"}"#),
        ["basic"] => basic(request, query),
        ["close"] => with(text(200, "closed"), header::CONNECTION, "close"),
        ["version"] => json(200, r#"{"build":"1"}"#),
        ["items"] if request.method == "POST" => state.create(&request.body),
        ["items", id] => state.item(&request.method, id, &request.body),
        _ => text(404, "no such route"),
    }
}

impl State {
    fn create(&self, body: &[u8]) -> Answer {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 += 1;
        let id = state.0.to_string();
        let body = String::from_utf8_lossy(body).into_owned();
        let members = body.trim().strip_prefix('{').unwrap_or("}").trim_start();
        let comma = if members.starts_with('}') { "" } else { "," };
        let item = format!("{{\"id\":\"{id}\"{comma}{members}");
        state.1.insert(id, item.clone());
        json(201, &item)
    }

    fn item(&self, method: &str, id: &str, body: &[u8]) -> Answer {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(item) = state.1.get(id).cloned() else { return text(404, "no such item") };
        match method {
            "PUT" => {
                state.1.insert(id.to_owned(), String::from_utf8_lossy(body).into_owned());
                text(204, "")
            }
            "DELETE" => {
                state.1.remove(id);
                text(204, "")
            }
            _ => json(200, &item),
        }
    }
}

fn make(status: u16, kind: &str, body: impl Into<Bytes>) -> Answer {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let bare = matches!(status.as_u16(), 100..=199 | 204 | 304);
    let mut answer = Response::new(Full::new(if bare { Bytes::new() } else { body.into() }));
    *answer.status_mut() = status;
    with(answer, header::CONTENT_TYPE, kind)
}

fn text(status: u16, body: &str) -> Answer {
    make(status, "text/plain", body.to_owned())
}

fn json(status: u16, body: &str) -> Answer {
    make(status, "application/json", body.to_owned())
}

fn located(status: u16, target: &str) -> Answer {
    with(text(status, "elsewhere"), header::LOCATION, target)
}

fn coded(coding: &str, body: Vec<u8>) -> Answer {
    with(make(200, "application/json", body), header::CONTENT_ENCODING, coding)
}

fn with(mut answer: Answer, name: header::HeaderName, value: &str) -> Answer {
    let value = header::HeaderValue::from_bytes(value.as_bytes()).expect("a header's value");
    answer.headers_mut().append(name, value);
    answer
}

fn basic(request: &Request, expected: &str) -> Answer {
    let given = request.header("authorization").and_then(|v| v.strip_prefix("Basic ")).and_then(from_base64);
    match given {
        Some(given) if given == expected.as_bytes() => text(200, "welcome"),
        _ => with(text(401, "who are you?"), header::WWW_AUTHENTICATE, "Basic realm=\"test\""),
    }
}

fn from_base64(text: &str) -> Option<Vec<u8>> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(u32::from(c - b'A')),
        b'a'..=b'z' => Some(u32::from(c - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(c - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0u32, 0);
    for c in text.trim_end_matches('=').bytes() {
        (bits, count) = ((bits << 6) | value(c)?, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from((bits >> count) & 0xff).ok()?);
        }
    }
    Some(bytes)
}

fn echo(request: &Request) -> String {
    let headers: Vec<String> = request.headers.iter().map(|(n, v)| format!("[{},{}]", quoted(n), quoted(v))).collect();
    format!(
        "{{\"method\":{},\"target\":{},\"headers\":[{}],\"body\":{}}}",
        quoted(&request.method),
        quoted(&request.target),
        headers.join(","),
        quoted(&String::from_utf8_lossy(&request.body))
    )
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Bytes as gzip.
#[must_use]
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Bytes as zlib, which is what HTTP calls deflate.
#[must_use]
pub fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory");
    encoder.finish().expect("memory")
}

/// Bytes as brotli.
#[must_use]
pub fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let params = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &params).expect("memory");
    out
}

/// Bytes as one frame of zstd, with its checksum.
#[must_use]
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}
