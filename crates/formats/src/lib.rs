//! Bytes to core values and back: documents with places, schemas, drawings of diagnostics.
//!
//! * [`allowed_signers`]: whose signatures are believed.
//! * [`document`]: YAML or JSON that people write, as nodes with places.
//! * [`draw`]: diagnostics with the lines that they point at.
//! * [`junit`]: results as JUnit XML.
//! * [`parquet`]: tables for analysis.
//! * [`schema`]: JSON Schemas of what people write, made from core's field tables.

pub mod allowed_signers;
pub mod document;
pub mod draw;
pub mod junit;
pub mod parquet;
pub mod schema;
