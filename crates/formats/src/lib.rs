//! Bytes to core values and back: documents with places, schemas, drawings of diagnostics.
//!
//! * [`document`]: YAML or JSON that people write, as nodes with places.
//! * [`inert`]: captured text, made harmless for the place where it is shown.
//! * [`draw`]: diagnostics with the lines that they point at.
//! * [`junit`]: results as JUnit XML.

pub mod document;
pub mod draw;
pub mod inert;
pub mod junit;
