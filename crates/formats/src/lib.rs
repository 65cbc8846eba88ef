//! Bytes to core values and back: documents with places, schemas, drawings of diagnostics.

pub mod schema;
