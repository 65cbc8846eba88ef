//! The program as people and other programs meet it: exit code, standard output, standard error.

#![expect(clippy::unwrap_used, reason = "tests")]

mod answers;
mod blocks;
mod browser;
mod checks;
mod documents;
mod drafts;
mod flaky;
mod gate;
mod github;
mod guard;
mod hostile;
mod judges;
mod machine;
mod page;
mod place;
mod policy;
mod qa;
mod reports;
mod running;
mod verifying;
