//! Code that performs steps, HTTP and commands, and starts services. It acts and captures; it does not judge.

pub mod command;
pub mod http;
mod net;
pub mod service;

pub use net::trust_anchors;
