//! The HTTP probe: sends requests over connections of its own and keeps what came, byte by byte and phase by phase.
//!
//! [`Client::send`] takes a resolved call and gives an [`Exchange`](probity_core::observe::Exchange); it judges
//! nothing. A request is built in `outgoing`, travels over a `connection`, whose `sender` speaks either version of HTTP
//! and whose raw head is kept by `tap` and `head`, is read in `answer`, and its codings are undone by core; `redirect`
//! decides where a chain may lead, `jar` keeps the cookies, and `progress` knows what was going on when a call was
//! stopped.

mod answer;
mod client;
mod connection;
mod head;
mod jar;
mod outgoing;
mod progress;
mod redirect;
mod secrets;
mod sender;
mod tap;
mod tasks;
mod two;

/// Header lines of one answer.
const MAX_HEADERS: usize = 200;

/// Bytes of one head, in KiB.
const MAX_HEAD_KIB: usize = 256;

/// Interim heads (1xx) before one answer.
const MAX_INTERIM: usize = 100;

pub use client::{Client, Settings, Stops};
pub use jar::Jar;
pub use secrets::Secrets;
