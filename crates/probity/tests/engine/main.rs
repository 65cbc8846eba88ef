//! Runs of the program against servers of its own: what each comes to, on disk and as an exit code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod disk;
mod foreign;
mod hostile;
mod jobs;
mod lab;
mod obligations;
mod outcomes;
mod processes;
mod secrets;
mod serve;
mod services;
mod sessions;
mod stage;
mod uses;
mod vacuity;
mod ways;
mod worst;
