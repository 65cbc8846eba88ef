//! Whether claims are answered by obligations, and obligations can be met (plan.md rule 7).

use super::LintInput;
use super::bearing::looks_for_absence;
use super::findings::{At, Findings};
use super::index::Index;
use super::wording::claims;
use crate::codes::Code;
use crate::inputs::variables_of;
use crate::plan::{Action, Obligation, ObligationKind, Scenario, Step};

/// `obligation_unanswered`, `obligation_misplaced`, `marker_in_input`.
pub(super) fn check(input: &LintInput<'_>, index: &Index<'_>, found: &mut Findings) {
    unanswered(input, index, found);
    for at in &index.steps {
        for obligation in &at.step.obligations {
            let place = At::place(obligation.place, &at.step.id);
            if obligation.kind == ObligationKind::Marker && variables_of(at.step).contains("qa_marker") {
                let message = "the step that should see the marker come back sends the marker itself";
                found.error(Code::MarkerInInput, place, message);
            } else if let Some((message, help)) =
                misplaced(obligation, at.step, at.scenario, &index.inherited(at.scenario))
            {
                found.error_with(Code::ObligationMisplaced, place, message, help);
            }
        }
    }
}

fn unanswered(input: &LintInput<'_>, index: &Index<'_>, found: &mut Findings) {
    for criterion in &input.matrix.criteria {
        let steps = index.steps_of_criterion(&criterion.id);
        if steps.is_empty() {
            continue;
        }
        for (kind, words) in claims(&criterion.text) {
            let declared = steps.iter().any(|at| at.step.obligations.iter().any(|o| o.kind == kind));
            let waived =
                index.plan.scenarios.iter().flat_map(|scenario| &scenario.not_claimed).any(|waiver| {
                    waiver.criterion == criterion.id && waiver.kind == kind && !waiver.why.trim().is_empty()
                });
            if declared || waived {
                continue;
            }
            let kind = kind.as_str();
            let message = format!("\"{words}\" in criterion {} claims {kind}, and no step shows it", criterion.id);
            let help = format!(
                "Add shows: {kind} to the step that shows it, or answer it in the case with \
                 notClaimed: [{{criterion: {}, kind: {kind}, why: \"…\"}}].",
                criterion.id
            );
            found.error_with(Code::ObligationUnanswered, criterion, message, help);
        }
    }
}

fn misplaced(
    obligation: &Obligation,
    step: &Step,
    scenario: &Scenario,
    inherited: &[&Step],
) -> Option<(String, &'static str)> {
    let own = scenario.steps.iter().take_while(|other| other.id != step.id);
    let before = inherited.iter().copied().chain(own);
    match obligation.kind {
        ObligationKind::Marker => {
            let sent = before.into_iter().any(|other| variables_of(other).contains("qa_marker"));
            (!sent).then(|| {
                let message = "no earlier step of the case sends the marker, so it cannot come back".to_owned();
                (message, "Send \"{qa_marker}\" in an earlier step of the case, for example in a note field.")
            })
        }
        ObligationKind::Terminal => {
            let lacks = obligation.path.is_none() || obligation.values.is_empty();
            lacks.then(|| {
                let message = "terminal needs the path of the state and the values that end it".to_owned();
                (message, "Write shows: {terminal: {path: state, values: [completed, failed]}}.")
            })
        }
        ObligationKind::Persistence => persistence(obligation, step, &before.collect::<Vec<_>>()),
        ObligationKind::Absence => {
            let looks = step.checks.iter().any(|check| looks_for_absence(&check.what));
            (!looks).then(|| {
                let message = "absence needs a check that something is missing".to_owned();
                (message, "Expect status 404 or 410, missing, notText, notContains, or count: 0.")
            })
        }
    }
}

fn persistence(obligation: &Obligation, step: &Step, before: &[&Step]) -> Option<(String, &'static str)> {
    const HELP: &str = "Name the object by a value that an earlier step saved, in the input of this step or under of.";
    let saved_by = |name: &str| before.iter().rev().find(|other| other.saves.iter().any(|save| save.name == name));
    let input = variables_of(step);
    let names: Vec<&str> = if obligation.of.is_empty() {
        input.iter().copied().filter(|name| saved_by(name).is_some()).collect()
    } else {
        obligation.of.iter().map(String::as_str).collect()
    };
    if names.is_empty() {
        return Some(("the step's input names no object that an earlier step saved".to_owned(), HELP));
    }
    for name in names {
        let bare = name.rsplit('.').next().unwrap_or(name);
        if !input.contains(name) && !input.contains(bare) {
            return Some((format!("the object named by {name} is not in the step's own input"), HELP));
        }
        if let Some(maker) = saved_by(name)
            && same_exchange(maker, step)
        {
            let message = format!("{name} is read back by the very call that made it, {}", maker.id);
            return Some((message, "Read the object back by another method, target or program."));
        }
    }
    None
}

/// The same method and target, whatever the query; or the same program with the same arguments and input.
fn same_exchange(a: &Step, b: &Step) -> bool {
    match (&a.action, &b.action) {
        (Action::Http(a), Action::Http(b)) => {
            let place = |target: &str| target.split('?').next().map(str::to_owned);
            a.method == b.method && place(&a.target) == place(&b.target)
        }
        (Action::Command(a), Action::Command(b)) => a.argv == b.argv && a.stdin == b.stdin,
        (Action::Log(a), Action::Log(b)) => a.service == b.service,
        _ => false,
    }
}
