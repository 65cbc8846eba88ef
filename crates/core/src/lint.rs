//! The plan check: every rule that a plan can break without being run (plan.md "Lint", "Provenance", "Vacuity";
//! harness-planning.md 4.1 and 4.2).
//!
//! A plan that breaks a rule is refused: every finding is an error, except these warnings:
//! * `cleanup_without_status` and `cleanup_unusual`: the cleanup still runs, it is merely less telling;
//! * `write_without_cleanup` where nobody has declared the environment: the run ends in inconclusive anyway.
//!
//! One cause gives one finding where the rules would overlap: `needs_unmet` is silent where the step of the right
//! layer was already found to check too little. A rule that needs the values of credentials (`secret_too_common`) is
//! the engine's; which of them are set where the check is made is asked apart ([`unset`]), since no run can be told by
//! it from another. Decoding has already refused unknown fields, operators, verbs and malformed values.

mod bearing;
mod checks;
mod commands;
mod credentials;
mod findings;
mod index;
mod layers;
mod logs;
mod obligations;
mod provenance;
mod structure;
mod targets;
mod texts;
mod vacuous;
mod variables;
mod wording;
mod writes;

use crate::diagnostic::Diagnostic;
use crate::environment::{AllowedCommand, Environment};
use crate::json::Json;
use crate::matrix::Matrix;
use crate::plan::{Plan, Scenario, Step};
use crate::service::Service;
use crate::walk::Order;

pub use crate::allow::FileFact;
pub(crate) use bearing::looks_for_absence;
pub use credentials::unset;
pub use provenance::{Provenance, provenance};
pub use vacuous::is_vacuous;
pub use variables::RESERVED;

/// What the check looks at. Everything is given: the check opens no file and asks no clock.
pub struct LintInput<'a> {
    /// The plan in its seed form.
    pub plan: &'a Plan,
    /// The matrix that belongs to it.
    pub matrix: &'a Matrix,
    /// The requirement's text. Coverage of its lines is `core::coverage`'s; no rule here reads it yet.
    pub requirement: &'a str,
    /// The environment that the run would use.
    pub environment: &'a Environment,
    /// Whether the environment that plan or flag names is declared.
    pub environment_known: bool,
    /// The project's allow list of commands.
    pub commands: &'a [AllowedCommand],
    /// The services of the settings file.
    pub services: &'a [Service],
    /// Signatures of the write policy from `probity.yaml`, as written.
    pub mutation_rules: Option<&'a Json>,
    /// Where a file that the plan names stands.
    pub files: &'a dyn Fn(&str) -> FileFact,
    /// Whether the plan was written in the one-file form.
    pub written: bool,
    /// Whole documents by file name, for the secret scan: everything written but a seed-form requirement.md, which is
    /// redacted instead.
    pub texts: &'a [(&'a str, &'a str)],
    /// The file that findings about the plan name.
    pub file: &'a str,
}

/// The steps of the cases that a case starts from, in the order in which they are run.
#[must_use]
pub fn inherited<'p>(plan: &'p Plan, scenario: &Scenario) -> Vec<&'p Step> {
    if scenario.uses.is_empty() { Vec::new() } else { index::inherited(plan, &Order::of(plan), scenario) }
}

/// Applies every rule. The answer is sorted by file, place and code, and each finding stands once.
#[must_use]
pub fn check(input: &LintInput<'_>) -> Vec<Diagnostic> {
    let index = index::Index::of(input.plan, input.matrix);
    let mut found = findings::Findings::about(input.file);
    structure::check(input, &index, &mut found);
    variables::check(&index, &mut found);
    provenance::check(&index, &mut found);
    vacuous::check(&index, &mut found);
    let weak = checks::check(&index, &mut found);
    layers::check(input, &index, &weak, &mut found);
    obligations::check(input, &index, &mut found);
    logs::check(input, &index, &mut found);
    targets::check(input, &mut found);
    commands::check(input, &mut found);
    writes::check(input, &mut found);
    texts::check(input, &mut found);
    found.into_sorted()
}

/// The builder of small plans, for the tests of neighbouring modules.
#[cfg(test)]
pub(crate) mod testing {
    pub(crate) use super::tests::builder::{World, used};
}

#[cfg(test)]
mod tests;
