//! Helpers for tests: servers that misbehave, databases, folders, filters.
//!
//! It is compiled into tests alone, so a set-up that fails may panic.
#![allow(clippy::expect_used, clippy::panic, clippy::missing_panics_doc, reason = "test support")]

pub mod postgres;
pub mod server;
