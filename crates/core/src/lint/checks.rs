//! Whether the checks of a step can hold anything up.

use std::collections::BTreeSet;

use super::bearing::{Bearing, bearing, supports};
use super::findings::{At, Findings};
use super::index::{Index, is_mapped};
use crate::codes::Code;
use crate::expect::What;
use crate::ids::Id;
use crate::plan::{Action, Step};

/// `step_asserts_nothing`, `expectation_echo`, `status_only`, `cleanup_without_status`, `cleanup_unusual`. Answers
/// the steps that were found to check too little.
pub(super) fn check<'a>(index: &Index<'a>, found: &mut Findings) -> BTreeSet<&'a Id> {
    let mut weak = BTreeSet::new();
    for at in &index.steps {
        let step = at.step;
        if step.is_cleanup() {
            cleanup(step, found);
        }
        if !is_mapped(step) {
            continue;
        }
        if step.checks.is_empty() && step.obligations.is_empty() {
            weak.insert(&step.id);
            found.error(Code::StepAssertsNothing, step, "the step belongs to a test and expects nothing");
            continue;
        }
        let echo = step.checks.iter().find(|check| bearing(&check.what, step, at.scenario) == Bearing::Echo);
        if let Some(check) = echo
            && !supports(step, at.scenario)
        {
            weak.insert(&step.id);
            let message = "all that the step expects of the answer is a value that it sent itself";
            found.error(Code::ExpectationEcho, At::from((step, check)), message);
        }
        let vacuous = step.checks.iter().all(|check| bearing(&check.what, step, at.scenario) == Bearing::Nothing);
        if vacuous && !step.checks.is_empty() {
            weak.insert(&step.id);
        }
    }
    status_only(index, &mut weak, found);
    weak
}

/// A test all of whose steps check a status or exit code alone.
fn status_only<'a>(index: &Index<'a>, weak: &mut BTreeSet<&'a Id>, found: &mut Findings) {
    for test in &index.matrix.tests {
        let steps = index.steps_of_test(&test.id);
        if steps.iter().any(|at| supports(at.step, at.scenario) || weak.contains(&at.step.id)) {
            continue;
        }
        let status = |at: &&super::index::StepAt<'_>| {
            at.step.checks.iter().any(|check| matches!(check.what, What::Status(_) | What::Exit(_)))
        };
        let Some(first) = steps.iter().find(status).or(steps.first()) else { continue };
        weak.extend(steps.iter().map(|at| &at.step.id));
        for criterion in index.criteria_of_test(test).into_iter().filter(|criterion| !criterion.about_status) {
            let message = format!(
                "criterion {} rests on a status or exit code alone: no step of test {} checks what the answer holds",
                criterion.id, test.id
            );
            found.error(Code::StatusOnly, first.step, message);
        }
    }
}

fn cleanup(step: &Step, found: &mut Findings) {
    let Action::Http(http) = &step.action else { return };
    if !step.checks.iter().any(|check| matches!(check.what, What::Status(_))) {
        let message = "the cleanup step does not say which statuses are fine";
        found.warning(Code::CleanupIncompletePlan, step, message);
    }
    let reads = matches!(http.method.as_str(), "GET" | "HEAD");
    if step.action_name == "cleanupApi" && reads {
        found.warning(Code::CleanupUnusual, step, format!("a cleanup by {} removes nothing", http.method));
    }
    if !step.always_run {
        found.warning(Code::CleanupUnusual, step, "the cleanup step does not run after a failure");
    }
}
