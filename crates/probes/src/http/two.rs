//! What is said when HTTP/2 brought no head of an answer.

use std::error::Error as _;

use probity_core::observe::{Failure, FailureKind};

use super::answer::io_cause;
use super::head::{Recorder, latin1};
use crate::net::{failed, handshake, in_words};

/// The type of a frame of settings.
const SETTINGS: u8 = 4;

fn cause(error: &hyper::Error) -> Option<&h2::Error> {
    error.source()?.downcast_ref()
}

/// Whether the connection was gone, or the server says that it has not looked at the request: then it may be sent
/// again where any request may.
pub(super) fn is_gone(error: &hyper::Error) -> bool {
    let refused = |e: &h2::Error| e.is_go_away() || e.reason() == Some(h2::Reason::REFUSED_STREAM) || e.is_io();
    error.is_canceled() || error.is_closed() || io_cause(error).is_some() || cause(error).is_some_and(refused)
}

/// What it is called when no head came.
pub(super) fn no_head(error: &hyper::Error, recorder: &Recorder, target: &str, host: &str, reused: bool) -> Failure {
    let incomplete = |message: String| failed(FailureKind::AnswerIncomplete, message);
    if let Some(refusal) = recorder.refusal() {
        return handshake::told(host, refusal);
    }
    match recorder.bytes() {
        came if came.starts_with(b"HTTP/1") => {
            return incomplete(format!("{target} speaks HTTP/1.1 and not HTTP/2, which the step asks for"));
        }
        // The first frame of a server is SETTINGS (RFC 9113 section 3.4).
        came if came.get(3).is_some_and(|kind| *kind != SETTINGS) => {
            return incomplete(format!("the answer is not HTTP/2: it begins with {:?}", latin1(came)));
        }
        _ => {}
    }
    let kept = if reused { "; it was a kept connection, and the request was not sent again" } else { "" };
    let unreachable =
        |how: String| failed(FailureKind::TargetUnreachable, format!("no answer from {target}: {how}{kept}"));
    match cause(error) {
        Some(e) if e.is_remote() => {
            let what = if e.is_go_away() { "connection" } else { "stream" };
            let reason = e.reason().map(|reason| format!(" ({reason:?})")).unwrap_or_default();
            unreachable(format!("it ended the {what}{reason} before the head"))
        }
        Some(e) if e.is_library() => incomplete(format!("the answer breaks the rules of HTTP/2: {e}")),
        _ => match io_cause(error) {
            Some(io) => unreachable(format!("{} before the head", in_words(io))),
            None => unreachable("the connection was closed before the head".to_owned()),
        },
    }
}
