//! Code that performs steps: HTTP and commands. It acts and captures; it does not judge.

pub mod command;
pub mod http;
mod net;

pub use net::trust_anchors;
