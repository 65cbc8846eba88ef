//! The write guard of Playwright runs: what it does about a control that is about to be activated, and about a request
//! that is about to leave (specs/report-and-gate.md section 10).
//!
//! One table of decisions, pure. The guard that stands in the browser is written in JavaScript and makes the same ones
//! (`write-guard.mjs`); a test holds both to each other.

mod config;
mod decide;

pub use config::{Fault, Guard, POLICIES, Signature};
pub use decide::{Action, Decision, decide_all};

#[cfg(test)]
mod tests;
