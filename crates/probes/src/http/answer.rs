//! Reading an answer: its head into a hop, its body up to the cap, and what a broken one is called.

use std::error::Error as _;
use std::io;

use http::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use http::{HeaderMap, Response, Version};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Incoming};
use probity_core::observe::{Failure, FailureKind, Hop};
use tokio::time::Instant;

use super::connection::lap;
use super::head::{Lines, Recorder, latin1};
use super::tap::TOO_MANY;
use super::{MAX_HEAD_KIB, MAX_HEADERS, MAX_INTERIM};
use crate::net::{failed, handshake, in_words};

/// At most this much room is made ahead for a body, whatever length it announces.
const MAX_AHEAD: u64 = 64 << 10;

/// Fills a hop from the head of an answer.
///
/// # Errors
/// `answer_incomplete` for a head whose body nobody can tell the end of, and for one that is too long.
pub(super) fn head(hop: &mut Hop, response: &Response<Incoming>, recorder: &Recorder) -> Result<(), Failure> {
    hop.status = response.status().as_u16();
    hop.version = match response.version() {
        Version::HTTP_10 => "1.0",
        Version::HTTP_2 => "2",
        _ => "1.1",
    }
    .to_owned();
    let parsed = response.headers();
    let two = response.version() == Version::HTTP_2;
    match recorder.lines().filter(|lines| !two && lines.headers.len() == parsed.len()) {
        Some(Lines { reason, headers }) => (hop.reason, hop.headers) = (reason, headers),
        None => hop.headers = pairs(parsed),
    }
    if parsed.len() > MAX_HEADERS {
        return Err(failed(FailureKind::AnswerIncomplete, too_large()));
    }
    // RFC 9112 section 6.3: it "ought to be handled as an error", for two readers may find two ends.
    if parsed.contains_key(TRANSFER_ENCODING) && parsed.contains_key(CONTENT_LENGTH) {
        let message = "the head of the answer is malformed: it has a Transfer-Encoding and a Content-Length";
        return Err(failed(FailureKind::AnswerIncomplete, message));
    }
    Ok(())
}

fn too_large() -> String {
    format!("the head of the answer has more than {MAX_HEADERS} headers or {MAX_HEAD_KIB} KiB; it was not read on")
}

fn pairs(headers: &HeaderMap) -> Vec<(String, String)> {
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), latin1(value.as_bytes()))).collect()
}

/// Reads the body into the hop, to its end or to the cap.
///
/// # Errors
/// `capture_capped` with the first `cap` bytes kept, `answer_incomplete` with what came.
pub(super) async fn body(hop: &mut Hop, mut body: Incoming, cap: u64) -> Result<(), Failure> {
    if body.is_end_stream() {
        hop.complete = true;
        return Ok(());
    }
    let announced = body.size_hint().exact();
    let ahead = announced.unwrap_or(0).min(cap).min(MAX_AHEAD);
    hop.wire.reserve(usize::try_from(ahead).unwrap_or(0));
    let cap = usize::try_from(cap).unwrap_or(usize::MAX);
    let mut clock = Instant::now();
    let result = loop {
        let Some(frame) = body.frame().await else { break Ok(()) };
        let frame = match frame {
            Ok(frame) => frame,
            Err(e) => break Err(cut(&e, hop.wire.len(), announced)),
        };
        match frame.into_data() {
            Ok(data) => {
                let room = cap - hop.wire.len();
                hop.wire.extend_from_slice(data.get(..room).unwrap_or(&data));
                if data.len() > room {
                    let message = format!("the answer's body is longer than {cap} bytes (maxBody)");
                    break Err(failed(FailureKind::CaptureCapped, message));
                }
            }
            Err(other) => {
                if let Ok(trailers) = other.into_trailers() {
                    hop.trailers.extend(pairs(&trailers));
                }
            }
        }
    };
    hop.phases.body_us = lap(&mut clock);
    hop.complete = result.is_ok();
    result
}

fn cut(error: &hyper::Error, came: usize, announced: Option<u64>) -> Failure {
    let of = announced.map(|n| format!(" of {n}")).unwrap_or_default();
    let why = match io_cause(error) {
        Some(io) if io.kind() == io::ErrorKind::UnexpectedEof => "the connection was closed".to_owned(),
        Some(io) => in_words(io),
        None if error.is_incomplete_message() => "the connection was closed".to_owned(),
        None => error.source().map_or_else(|| error.to_string(), ToString::to_string),
    };
    failed(FailureKind::AnswerIncomplete, format!("the answer's body broke off after {came}{of} bytes: {why}"))
}

pub(super) fn io_cause(error: &hyper::Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref() {
            return Some(io);
        }
        cause = inner.source();
    }
    None
}

/// hyper tells this kind of error by its words alone to clients.
fn is_too_large(error: &hyper::Error) -> bool {
    error.is_parse() && error.to_string().contains("too large")
}

/// What it is called when no head came, judged by the bytes that did.
pub(super) fn no_head(error: &hyper::Error, recorder: &Recorder, target: &str, host: &str, reused: bool) -> Failure {
    let io = io_cause(error);
    let incomplete = |message: String| failed(FailureKind::AnswerIncomplete, message);
    let came = recorder.bytes();
    if let Some(refusal) = recorder.refusal() {
        return handshake::told(host, refusal);
    }
    if recorder.interim() > MAX_INTERIM {
        return incomplete(TOO_MANY.to_owned());
    }
    if !recorder.any() {
        let how = match io {
            Some(io) => in_words(io),
            None => "the connection was closed".to_owned(),
        };
        let kind = match io.map(io::Error::kind) {
            Some(io::ErrorKind::PermissionDenied) => FailureKind::NetworkDenied,
            _ => FailureKind::TargetUnreachable,
        };
        let kept = if reused { "; it was a kept connection, and the request was not sent again" } else { "" };
        return failed(kind, format!("no answer from {target}: {how} before its first byte{kept}"));
    }
    let start = came.get(..came.len().min(5)).unwrap_or_default();
    if !b"HTTP/".starts_with(start) {
        let begins = latin1(came.get(..came.len().min(12)).unwrap_or_default());
        return incomplete(format!("the answer is not HTTP: it begins with {begins:?}"));
    }
    if is_too_large(error) {
        return incomplete(too_large());
    }
    if error.is_parse() || error.is_parse_status() {
        return incomplete(format!("the head of the answer is malformed: {error}"));
    }
    let how = io.map_or_else(|| "the connection was closed".to_owned(), in_words);
    incomplete(format!("the answer broke off within its head: {how}"))
}
