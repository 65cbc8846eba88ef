//! What people see (ux.md sections 1.1 and 1.2): blocks whose first word is the verdict, rows that begin with a
//! status word, and a last line with run, seal and exit code. Everything reads in ASCII, without colour, line by line.

pub(crate) mod block;
pub(crate) mod flaky;
pub(crate) mod gaps;
pub(crate) mod judge;
pub(crate) mod policy;
pub(crate) mod progress;
pub(crate) mod qa;
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod verify;
pub(crate) mod what_if;
pub(crate) mod why;

pub(crate) use run::run;
