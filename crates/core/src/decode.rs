//! Decoders: a document as a tree of nodes becomes typed values, and what is wrong with it becomes diagnostics.
//!
//! Each decoder first holds the document against its table in [`crate::shape`], which names unknown, missing and
//! mistyped fields, and then reads it; what the reading finds beyond that (paths, patterns, references, ids) it
//! names itself. `None` means that the document cannot be used; other errors are findings of the plan check, and
//! the value is there for the rest of the checks.

mod checks;
mod command;
mod expect;
mod http;
mod ids;
mod log;
mod matrix;
mod obligations;
mod plan;
mod reading;
mod reference;
mod saves;
mod step;
mod transport;

pub use matrix::matrix;
pub use plan::{plan, plan_expanded};

use crate::diagnostic::Diagnostics;
use crate::document::{Node, Place};
use crate::expect::Expect;
use crate::path::Path;
use reading::{Forms, Reading};

/// Longest regular expression, in bytes.
const LONGEST_PATTERN: usize = 4096;
/// Greatest size of a compiled regular expression, in bytes.
const PATTERN_MEMORY: usize = 1 << 20;

/// Decodes one expectation `E` (plan.md, "Expectations").
///
/// `None` after an error; errors are in `diags`.
pub fn expect(node: &Node, diags: &mut Diagnostics) -> Option<Expect> {
    Reading::new(diags, Forms::Dollar).expect(node, None)
}

/// Reads a path that stands at `place`.
///
/// `None` after an error; the error is in `diags`.
pub fn path(text: &str, place: Place, diags: &mut Diagnostics) -> Option<Path> {
    Reading::new(diags, Forms::Dollar).path(text, place)
}

/// Compiles a pattern under the limits of plans: at most 4096 bytes, at most 1 MiB compiled.
///
/// # Errors
/// What is wrong with the pattern, as a fragment.
pub fn compile_pattern(pattern: &str) -> Result<regex::Regex, String> {
    if pattern.len() > LONGEST_PATTERN {
        return Err(format!("it is longer than {LONGEST_PATTERN} bytes"));
    }
    regex::RegexBuilder::new(pattern).size_limit(PATTERN_MEMORY).dfa_size_limit(PATTERN_MEMORY).build().map_err(
        |error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large when compiled".to_owned(),
            other => other.to_string().lines().last().unwrap_or("it cannot be read").trim().to_owned(),
        },
    )
}

#[cfg(test)]
mod tests;
