//! Connections: names, sockets and TLS. What the environment variables of this process say about proxies and
//! trust is never read (design.md section 10).

pub(crate) mod anchors;
pub(crate) mod dial;
pub(crate) mod handshake;
pub(crate) mod stream;
pub(crate) mod trust;
pub(crate) mod tunnel;
mod x509;

pub use anchors::found as trust_anchors;

use std::io;

use probity_core::observe::{Failure, FailureKind};

/// Makes a failure.
pub(crate) fn failed(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, message: message.into() }
}

/// The plain words for an I/O error: its kind where that says enough, else the system's text.
pub(crate) fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::Other => error.to_string(),
        kind if error.raw_os_error().is_some() && kind.to_string() == "uncategorized error" => error.to_string(),
        kind => kind.to_string(),
    }
}
