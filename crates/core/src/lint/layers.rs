//! Whether each criterion's demand for a layer of evidence is met (plan.md rule 2).

use std::collections::BTreeSet;

use super::LintInput;
use super::bearing::supports;
use super::findings::{At, Findings};
use super::index::{Index, StepAt};
use crate::codes::Code;
use crate::dimensions::layers;
use crate::expect::What;
use crate::ids::Id;
use crate::matrix::{Criterion, Test};
use crate::nearest::nearest;
use crate::plan::{Action, ObligationKind};

/// `needs_unknown`, `needs_unmet`. `weak` are steps that were already found to check too little.
pub(super) fn check(input: &LintInput<'_>, index: &Index<'_>, weak: &BTreeSet<&Id>, found: &mut Findings) {
    for criterion in &index.matrix.criteria {
        let tests = index.tests_of_criterion(&criterion.id);
        if tests.is_empty() || index.steps_of_criterion(&criterion.id).is_empty() {
            continue;
        }
        for layer in &criterion.needs {
            if !layers().any(|known| known == layer) {
                let help = nearest(layer, layers()).map(|name| format!("Did you mean {name}?"));
                let help = help.unwrap_or_else(|| Code::NeedsUnknown.explanation().remedy.to_owned());
                found.error_with(Code::NeedsUnknown, criterion, format!("there is no layer {layer}"), help);
                continue;
            }
            let tests: Vec<&Test> = tests.iter().copied().filter(|test| shows_layer(test, layer)).collect();
            demand(layer, criterion, &tests, criterion.into(), index, weak, found);
        }
        // Seed-form matrices carry the demand in the type of each test.
        if criterion.needs.is_empty() && !input.written {
            for test in tests.iter().filter(|test| test.planned_status != "Blocked") {
                if let layer @ ("api" | "command" | "persistence") = test.layer() {
                    demand(layer, criterion, &[test], (*test).into(), index, weak, found);
                }
            }
        }
    }
}

fn shows_layer(test: &Test, layer: &str) -> bool {
    test.kind == layer || test.required_evidence.iter().any(|evidence| evidence == layer)
}

fn demand(
    layer: &str,
    criterion: &Criterion,
    tests: &[&Test],
    at: At,
    index: &Index<'_>,
    weak: &BTreeSet<&Id>,
    found: &mut Findings,
) {
    let steps: Vec<StepAt<'_>> = tests.iter().flat_map(|test| index.steps_of_test(&test.id)).collect();
    let of_layer: Vec<&StepAt<'_>> = steps.iter().filter(|at| is_of_layer(layer, at)).collect();
    let met = of_layer.iter().any(|at| layer == "persistence" || bears(at, criterion));
    let said = of_layer.iter().any(|at| weak.contains(&at.step.id));
    if met || said {
        return;
    }
    let (message, help) = match (layer, of_layer.is_empty()) {
        ("api", true) => ("no http step belongs to it", "Add an http step that covers the criterion."),
        ("command", true) => ("no run step belongs to it", "Add a run step that covers the criterion."),
        ("persistence", _) => (
            "no step that belongs to it declares shows: persistence",
            "Read the object back in an http or run step that covers the criterion, with shows: persistence.",
        ),
        (_, false) => ("no check of its steps looks at what the answer holds", "Expect what the criterion is about."),
        (_, true) => (
            "this build has no probe for that layer",
            "Use a newer build, or put the line under later with a reason; it stays untested until then.",
        ),
    };
    let message = format!("criterion {} needs {layer}: {message}", criterion.id);
    found.error_with(Code::NeedsUnmet, at, message, help);
}

fn is_of_layer(layer: &str, at: &StepAt<'_>) -> bool {
    let http = matches!(at.step.action, Action::Http(_));
    let command = matches!(at.step.action, Action::Command(_));
    match layer {
        "api" => http && !at.step.is_cleanup(),
        "command" => command && !at.step.is_cleanup(),
        "persistence" => at.step.obligations.iter().any(|o| o.kind == ObligationKind::Persistence),
        _ => false,
    }
}

fn bears(at: &StepAt<'_>, criterion: &Criterion) -> bool {
    let status = || at.step.checks.iter().any(|check| matches!(check.what, What::Status(_) | What::Exit(_)));
    supports(at.step, at.scenario) || (criterion.about_status && status())
}
