//! From steps to tests to criteria, and the count of claims.

use std::collections::{BTreeMap, BTreeSet};

use super::{Claims, JudgedCriterion, JudgedTest, step_of};
use crate::audit::{Audited, AuditedStep};
use crate::codes::Code;
use crate::evaluate::CheckResult;
use crate::ids::Id;
use crate::lint::looks_for_absence;
use crate::matrix::Test;
use crate::plan::{Action, ObligationKind};
use crate::step::{StepStatus, Weight};
use crate::vacuity::{Strength, can_support};
use crate::verdict::{Status, of_tests};

/// What is said of a criterion that only witnessed checks hold up.
pub(super) const WITNESSED: &str = "everything that holds it up had secrets taken out, so it cannot be replayed";

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
        weak: None,
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
    let shown = |position: &usize| shows(audited, &audited.steps()[*position], test.layer());
    let shown: Vec<usize> = judged.steps.iter().copied().filter(shown).collect();
    let about_status = is_about_status(audited, test);
    if shown.is_empty() {
        judged.status = Status::Inconclusive;
        judged.unmet = Some(test.kind.clone());
        judged.notes.push(format!("no step showed the layer {}", test.kind));
    } else if shown.iter().any(|position| holds_up(audited, &audited.steps()[*position], about_status)) {
        judged.status = Status::Passed;
    } else {
        // What ran could not have failed for the criterion's sake: nothing tested it.
        judged.status = Status::Untested;
        let (code, position) = weakest(audited, &shown);
        judged.notes.push(format!("{code}: {}", said_of(code)));
        judged.weak = Some((code, position));
    }
    judged
}

/// Whether a status alone is what every criterion of a test is about.
fn is_about_status(audited: &Audited, test: &Test) -> bool {
    let criteria = &audited.checked().matrix().criteria;
    let mut mine = criteria
        .iter()
        .filter(|criterion| test.requirement_ids.contains(&criterion.id) || criterion.test_ids.contains(&test.id))
        .peekable();
    mine.peek().is_some() && mine.all(|criterion| criterion.about_status)
}

/// Whether a step that passed can hold up a test (plan.md "Vacuity"). What was not tried holds up nothing.
fn holds_up(audited: &Audited, step: &AuditedStep, about_status: bool) -> bool {
    match step.strength {
        Some(Strength::Sound) => true,
        Some(Strength::StatusOnly) => about_status || shows_absence(audited, step),
        Some(Strength::Vacuous) | None => false,
    }
}

/// Whether a step looked for something that is absent, and something else showed that it could be there.
fn shows_absence(audited: &Audited, step: &AuditedStep) -> bool {
    let (_, planned) = step_of(audited, step);
    step.obliged.iter().any(|obliged| obliged.kind == ObligationKind::Absence && obliged.met)
        && planned.checks.iter().any(|check| looks_for_absence(&check.what))
}

/// Why steps hold up nothing, and the first of which that is so: the better reason counts.
fn weakest(audited: &Audited, shown: &[usize]) -> (Code, usize) {
    let status = shown.iter().find(|position| audited.steps()[**position].strength == Some(Strength::StatusOnly));
    match (status, shown) {
        (Some(position), _) => (Code::StatusOnly, *position),
        (None, [first, ..]) => (Code::OracleVacuous, *first),
        (None, []) => (Code::OracleVacuous, 0),
    }
}

/// What is said of steps that hold up nothing.
pub(super) const fn said_of(code: Code) -> &'static str {
    match code {
        Code::StatusOnly => {
            "its checks hold on an empty answer too: nothing but another status or exit code breaks them"
        }
        _ => "its checks hold on an empty answer and on an error alike, so they cannot fail",
    }
}

/// Whether a passed step shows a layer (plan.md rule 2). A layer whose probe is not built is shown by none.
fn shows(audited: &Audited, step: &AuditedStep, layer: &str) -> bool {
    let (_, planned) = step_of(audited, step);
    let supported = || step.judgement.status == StepStatus::Passed && supporting_checks(audited, step).next().is_some();
    match (layer, &planned.action) {
        ("api", Action::Http(_)) => !planned.is_cleanup() && supported(),
        ("command", Action::Command(_)) => !planned.is_cleanup() && supported(),
        ("persistence", _) => {
            step.judgement.status == StepStatus::Passed
                && step.obliged.iter().any(|obliged| obliged.kind == ObligationKind::Persistence && obliged.met)
        }
        _ => false,
    }
}

/// The checks of a step that hold and can support a test: not those on what was sent, and not echoes.
fn supporting_checks<'a>(audited: &'a Audited, step: &'a AuditedStep) -> impl Iterator<Item = &'a CheckResult> {
    let (scenario, planned) = step_of(audited, step);
    step.judgement.checks.iter().filter(move |check| can_support(planned, scenario, check))
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
        let mut status = of_tests(&statuses);
        let witnessed_only = status == Status::Passed && is_witnessed_only(audited, &steps);
        if witnessed_only {
            status = Status::Inconclusive;
            notes.push(format!("{}: {WITNESSED}", Code::WitnessedOnly));
        }
        JudgedCriterion { id: criterion.id.clone(), status, tests: mine, steps, notes, witnessed_only }
    };
    matrix.criteria.iter().map(judge_one).collect()
}

/// Whether every check that holds a criterion up looked at something that redaction has changed.
fn is_witnessed_only(audited: &Audited, steps: &[usize]) -> bool {
    let mut any = false;
    for position in steps {
        let step = &audited.steps()[*position];
        // A log shows no layer: what stands in it holds nothing up by itself.
        if matches!(step_of(audited, step).1.action, Action::Log(_)) || !holds_up(audited, step, false) {
            continue;
        }
        for check in supporting_checks(audited, step).filter(|check| !matches!(check.what.as_str(), "status" | "exit"))
        {
            any = true;
            if !check.hidden {
                return false;
            }
        }
    }
    any
}

/// Counts the checks that hold in steps that hold up tests, by the class of their evidence.
pub(super) fn claims(audited: &Audited, tests: &[JudgedTest]) -> Claims {
    let matrix = &audited.checked().matrix().tests;
    let about_status = |position: usize| {
        let mut mine = tests.iter().zip(matrix).filter(|(judged, _)| judged.steps.binary_search(&position).is_ok());
        mine.any(|(_, test)| is_about_status(audited, test))
    };
    let mut claims = Claims::default();
    for (position, step) in audited.steps().iter().enumerate() {
        let (_, planned) = step_of(audited, step);
        let passed = step.judgement.status == StepStatus::Passed && !planned.test_ids.is_empty();
        if !passed || !(holds_up(audited, step, false) || holds_up(audited, step, about_status(position))) {
            continue;
        }
        for check in supporting_checks(audited, step) {
            match planned.action {
                _ if check.hidden => claims.witnessed += 1,
                Action::Http(_) => claims.observed += 1,
                Action::Command(_) | Action::Log(_) => claims.reported += 1,
            }
        }
    }
    claims
}
