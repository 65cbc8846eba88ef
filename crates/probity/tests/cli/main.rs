//! The program as people and other programs meet it: exit code, standard output, standard error.

#![expect(clippy::unwrap_used, reason = "tests")]

mod answers;
mod blocks;
mod browser;
mod checks;
mod documents;
mod github;
mod hostile;
mod page;
mod place;
mod reports;
mod verifying;
