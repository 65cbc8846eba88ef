//! The journal: an append-only hash chain of entries, one line each (design.md section 3).

mod entry;

pub use entry::{Entry, EntryFault, Kind, Seal, VERSION};
