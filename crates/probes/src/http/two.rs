//! What is said when HTTP/2 brought no head of an answer.

use std::error::Error as _;

use probity_core::observe::{Failure, FailureKind};

use super::answer::io_cause;
use super::head::{Recorder, latin1};
use crate::net::{failed, handshake, in_words};

/// The type of a frame of settings.
const SETTINGS: u8 = 4;
/// The type of a frame that ends the connection.
const GOAWAY: u8 = 7;
/// Bytes before the payload of a frame.
const FRAME_HEAD: usize = 9;
/// Bytes that are quoted of what is no HTTP/2.
const QUOTED: usize = 16;

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
            return incomplete(format!(
                "the answer is not HTTP/2: it begins with {:?}",
                latin1(&came[..came.len().min(QUOTED)])
            ));
        }
        _ => {}
    }
    let kept = if reused { "; it was a kept connection, and the request was not sent again" } else { "" };
    let unreachable =
        |how: String| failed(FailureKind::TargetUnreachable, format!("no answer from {target}: {how}{kept}"));
    let ended = |what: &str, reason: Option<h2::Reason>| {
        let reason = reason.map(|reason| format!(" ({reason:?})")).unwrap_or_default();
        unreachable(format!("it ended the {what}{reason} before the head"))
    };
    match cause(error) {
        Some(e) if e.is_remote() => ended(if e.is_go_away() { "connection" } else { "stream" }, e.reason()),
        Some(e) if e.is_library() => incomplete(format!("the answer breaks the rules of HTTP/2: {e}")),
        _ => match io_cause(error) {
            Some(io) => unreachable(format!("{} before the head", in_words(io))),
            None => match goodbye(recorder.bytes()).filter(|_| !reused) {
                Some(reason) => ended("connection", Some(reason)),
                None => unreachable("the connection was closed before the head".to_owned()),
            },
        },
    }
}

/// Why the server says that it ends the connection, where that stands among the first bytes (RFC 9113 section 6.8). The
/// client forgets it when the connection ends before it took the request up.
fn goodbye(mut bytes: &[u8]) -> Option<h2::Reason> {
    while let Some((head, rest)) = bytes.split_at_checked(FRAME_HEAD) {
        let length = head[..3].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
        if head[3] == GOAWAY && length >= 8 {
            let code = rest.get(4..8)?.iter().fold(0, |code, byte| code << 8 | u32::from(*byte));
            return Some(code.into());
        }
        bytes = rest.get(length..)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::goodbye;

    #[test]
    fn a_goodbye_is_found_behind_other_frames_and_nowhere_else() {
        let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
        let said = [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        let both = [&settings[..], &said].concat();
        assert_eq!(goodbye(&said), Some(h2::Reason::PROTOCOL_ERROR));
        assert_eq!(goodbye(&both), Some(h2::Reason::PROTOCOL_ERROR));
        assert_eq!(goodbye(&settings), None);
        for cut in 0..both.len() {
            assert_eq!(goodbye(&both[..cut]), None, "cut at {cut}");
        }
        // A payload that is too short for one.
        assert_eq!(goodbye(&[0, 0, 1, 7, 0, 0, 0, 0, 0, 0]), None);
        assert_eq!(goodbye(&[0xff; 64]), None);
    }
}
