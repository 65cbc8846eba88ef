//! The rules of probity as plain functions over plain data.
//!
//! Nothing here opens a file, asks the clock or the environment, or draws a random number: such things come in
//! as values. The modules stand in the order in which a run passes through them; reading the list is reading the
//! product.
//!
//! Names and words first:
//! * [`ids`]: ids that people quote, and digests.
//! * [`codes`]: every finding that can be named, with what it means and what to do.
//! * [`json`]: JSON as it stood, and its canonical form.
//! * [`document`]: a document whose every node knows its place; [`diagnostic`]: what a check noticed in it.
//!
//! What people write:
//! * [`written`]: requirement, cases and steps in one document, and its expansion into the three below.
//! * [`plan`]: the plan as it is run; [`expect`] and [`path`]: what its answers must be like.
//! * [`matrix`]: criteria, the tests that show them, and what is not claimed.
//! * [`coverage`]: whether every line of the requirement is claimed by a criterion, or put aside on purpose.
//! * [`environment`]: which origins a run may touch, and whose data they hold.
//!
//! What happens:
//! * [`observe`]: what probes are asked to do, and what they saw.
//! * [`journal`]: the hash chain that keeps it.

pub mod codes;
pub mod coverage;
pub mod diagnostic;
pub mod document;
pub mod environment;
pub mod expect;
pub mod ids;
pub mod journal;
pub mod json;
pub mod matrix;
mod nearest;
pub mod observe;
pub mod path;
pub mod plan;
pub mod written;
