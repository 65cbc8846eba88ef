//! The program as people and other programs meet it: exit code, standard output, standard error.

#![expect(clippy::unwrap_used, reason = "tests")]

mod answers;
mod blocks;
mod checks;
mod documents;
mod drafts;
mod hostile;
mod machine;
mod page;
mod place;
mod running;
mod verifying;
