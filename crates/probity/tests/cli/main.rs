//! The program as people and other programs meet it: exit code, standard output, standard error.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod answers;
mod blocks;
mod checks;
mod hostile;
mod page;
mod place;
mod verifying;
