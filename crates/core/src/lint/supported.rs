//! Features of the plan language that later builds perform: refused by name, never ignored.

use super::LintInput;
use super::findings::Findings;
use crate::codes::Code;

/// `not_supported`.
pub(super) fn check(input: &LintInput<'_>, found: &mut Findings) {
    for scenario in &input.plan.scenarios {
        if !scenario.uses.is_empty() {
            found.error_with(
                Code::NotSupported,
                scenario,
                "uses is not performed by this build",
                "Put the steps of both cases into one case.",
            );
        }
    }
}
