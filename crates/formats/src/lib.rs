//! Bytes to core values and back: documents with places, schemas, drawings of diagnostics.
//!
//! * [`allowed_signers`]: whose signatures are believed.
//! * [`document`]: YAML or JSON that people write, as nodes with places.
//! * [`draw`]: diagnostics with the lines that they point at.
//! * [`json_stream`]: JSON of any size, read once and never held.
//! * [`junit`]: results as JUnit XML.
//! * [`parquet`]: tables for analysis.
//! * [`playwright`]: the report of Playwright's json reporter.
//! * [`schema`]: JSON Schemas of what people write, made from core's field tables.

pub mod allowed_signers;
pub mod document;
pub mod draw;
pub mod json_stream;
pub mod junit;
pub mod parquet;
pub mod playwright;
pub mod schema;
