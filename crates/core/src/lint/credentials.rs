//! Whether the credentials that a plan refers to are set where it is checked.

use std::collections::BTreeSet;

use super::findings::Findings;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::inputs::credentials_of_step;
use crate::plan::Plan;

/// `env_missing`: a warning for each name that is not among those `present`, at the first step that needs it. Presence
/// only; values are nobody's business here. A run is another matter: it may be started elsewhere, and a step whose
/// credential is missing then blocks.
#[must_use]
pub fn unset(plan: &Plan, file: &str, present: &BTreeSet<&str>) -> Vec<Diagnostic> {
    let mut found = Findings::about(file);
    let mut told = BTreeSet::new();
    for step in plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let names: BTreeSet<&str> = credentials_of_step(step).collect();
        for name in names.into_iter().filter(|name| !present.contains(name)) {
            if told.insert(name) {
                found.warning(Code::EnvMissing, step, format!("the environment variable {name} is not set here"));
            }
        }
    }
    found.into_sorted()
}
