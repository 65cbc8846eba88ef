//! From steps to tests to criteria, and the count of claims.

use std::collections::{BTreeMap, BTreeSet};

use super::{Claims, JudgedCriterion, JudgedTest, step_of};
use crate::audit::{Audited, AuditedStep};
use crate::evaluate::Truth;
use crate::ids::Id;
use crate::lint::{Provenance, provenance};
use crate::matrix::Test;
use crate::plan::{Action, ObligationKind};
use crate::step::{StepStatus, Weight};
use crate::verdict::{Status, of_tests};

/// The status of each test (plan.md, "What a step comes to").
pub(super) fn tests(audited: &Audited) -> Vec<JudgedTest> {
    // Steps by the tests that own them, so that a plan of many cases is not gone through for each of its tests.
    let mut owned: BTreeMap<&Id, BTreeSet<usize>> = BTreeMap::new();
    for (position, step) in audited.steps().iter().enumerate() {
        let (_, planned) = step_of(audited, step);
        for test in planned.test_ids.iter().chain([&planned.id]) {
            owned.entry(test).or_default().insert(position);
        }
    }
    let steps = |test: &Test| owned.get(&test.id).into_iter().flatten().copied().collect();
    audited.checked().matrix().tests.iter().map(|test| judge_test(audited, test, steps(test))).collect()
}

fn judge_test(audited: &Audited, test: &Test, steps: Vec<usize>) -> JudgedTest {
    let mut judged = JudgedTest {
        id: test.id.clone(),
        status: Status::Untested,
        steps,
        notes: Vec::new(),
        decided_by: None,
        unmet: None,
    };
    if judged.steps.is_empty() {
        judged.status = match Status::parse(&test.planned_status) {
            Some(Status::Blocked) => Status::Blocked,
            Some(Status::Inconclusive) => Status::Inconclusive,
            _ => Status::Untested,
        };
        judged.notes.push("no step of this run belongs to it".to_owned());
        return judged;
    }
    let worst = judged
        .steps
        .iter()
        .copied()
        .filter_map(|position| audited.steps()[position].judgement.reason.as_ref().map(|reason| (reason, position)))
        .min_by_key(|(reason, position)| (reason.weight, *position));
    if let Some((reason, position)) = worst {
        judged.status = match reason.weight {
            Weight::Fail => Status::Failed,
            Weight::Blocker => Status::Blocked,
            Weight::Gap => Status::Inconclusive,
        };
        judged.decided_by = Some(position);
        judged.notes.push(format!("{}: {}", reason.code, reason.message));
        return judged;
    }
    if judged.steps.iter().any(|position| shows(audited, &audited.steps()[*position], &test.kind)) {
        judged.status = Status::Passed;
    } else {
        judged.status = Status::Inconclusive;
        judged.unmet = Some(test.kind.clone());
        judged.notes.push(format!("no step showed the layer {}", test.kind));
    }
    judged
}

/// Whether a passed step shows a layer (plan.md rule 2). A layer whose probe is not built is shown by none.
fn shows(audited: &Audited, step: &AuditedStep, layer: &str) -> bool {
    let (_, planned) = step_of(audited, step);
    let supported = || step.judgement.status == StepStatus::Passed && supporting_checks(audited, step) > 0;
    match (layer, &planned.action) {
        ("api", Action::Http(_)) => !planned.is_cleanup() && supported(),
        ("command", Action::Command(_)) => supported(),
        ("persistence", _) => {
            step.judgement.status == StepStatus::Passed
                && step.obliged.iter().any(|obliged| obliged.kind == ObligationKind::Persistence && obliged.met)
        }
        _ => false,
    }
}

/// How many checks of a step hold and can support a test: not those on what was sent, and not echoes.
pub(super) fn supporting_checks(audited: &Audited, step: &AuditedStep) -> u64 {
    let (scenario, planned) = step_of(audited, step);
    let echo = |variable: &String| provenance(planned, scenario, variable) == Provenance::Echo;
    let supports = |check: &&crate::evaluate::CheckResult| {
        check.truth == Truth::Holds && check.supports() && !check.expected_from.as_ref().is_some_and(echo)
    };
    step.judgement.checks.iter().filter(supports).count() as u64
}

/// The status of each criterion.
pub(super) fn criteria(audited: &Audited, tests: &[JudgedTest]) -> Vec<JudgedCriterion> {
    let matrix = audited.checked().matrix();
    let judge_one = |criterion: &crate::matrix::Criterion| {
        // Tests stand in the order of the matrix.
        let belongs = |position: usize, id: &Id| {
            criterion.test_ids.contains(id)
                || matrix.tests.get(position).is_some_and(|t| t.requirement_ids.contains(&criterion.id))
        };
        let mine: Vec<usize> = tests
            .iter()
            .enumerate()
            .filter(|(position, test)| belongs(*position, &test.id))
            .map(|(position, _)| position)
            .collect();
        let statuses: Vec<Status> = mine.iter().map(|position| tests[*position].status).collect();
        let mut steps: Vec<usize> = mine.iter().flat_map(|position| tests[*position].steps.clone()).collect();
        steps.sort_unstable();
        steps.dedup();
        let mut notes: Vec<String> = mine.iter().flat_map(|position| tests[*position].notes.clone()).collect();
        notes.dedup();
        JudgedCriterion { id: criterion.id.clone(), status: of_tests(&statuses), tests: mine, steps, notes }
    };
    matrix.criteria.iter().map(judge_one).collect()
}

/// Counts the checks that hold in steps that belong to tests, by the class of their evidence.
pub(super) fn claims(audited: &Audited) -> Claims {
    let mut claims = Claims::default();
    for step in audited.steps() {
        let (_, planned) = step_of(audited, step);
        if planned.test_ids.is_empty() || step.judgement.status != StepStatus::Passed {
            continue;
        }
        let count = supporting_checks(audited, step);
        let redacted = step.action.is_some_and(|action| {
            audited.recorded().actions()[action].evidence.iter().any(|evidence| evidence.redactions > 0)
        });
        match planned.action {
            _ if redacted => claims.witnessed += count,
            Action::Http(_) => claims.observed += count,
            Action::Command(_) => claims.reported += count,
        }
    }
    claims
}
