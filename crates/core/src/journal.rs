//! The journal: an append-only hash chain of entries, one line each (design.md section 3).
//!
//! [`Entry`] is a line; the bodies of its kinds are typed in [`body`] and [`opened`]; [`chain`] reads a whole
//! journal and says where it does not hold together.

pub mod body;
pub mod chain;
mod entry;
pub mod observation;
pub mod opened;
pub mod runtime;
pub mod service;
pub mod witnessed;

pub use entry::{Entry, EntryFault, Kind, Seal, VERSION};
