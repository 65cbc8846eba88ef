//! Where runs are kept: the journal file, evidence, the run list (design.md section 3).
//!
//! Nothing here knows what an entry means or whether a run passed. This crate sees to it that what is written is
//! whole, is written by one process, and that a folder which someone else made is read without following it
//! anywhere.
//!
//! * [`run`]: the writer of one run folder, and taking up a run that was never closed.
//! * [`index`]: requirements and their QA runs over time, in SQLite or PostgreSQL.
//! * [`list`]: the run list, one line when a run opens, closes or is withdrawn.
//! * [`find`]: which folder a person means.
//! * [`glance`]: some lines of a run's journal, without reading the run.
//! * [`snapshot`]: a foreign run folder, read once, within bounds.
//! * [`media`]: the closed table of file extensions of evidence.

mod beneath;
mod error;
pub mod find;
pub mod glance;
pub mod index;
pub mod list;
pub mod media;
pub mod naming;
mod root;
pub mod run;
pub mod snapshot;

pub use error::StoreError;
