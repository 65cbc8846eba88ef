//! Whether criteria, tests and steps belong together.

use std::collections::BTreeMap;

use super::LintInput;
use super::findings::{At, Findings};
use super::index::{Index, is_mapped};
use crate::codes::Code;
use crate::ids::Id;
use crate::nearest::nearest;
use crate::walk::MOST_USED;

/// The rules of harness-planning.md 4.1 on mapping, and `id_confusable`.
pub(super) fn check(input: &LintInput<'_>, index: &Index<'_>, found: &mut Findings) {
    emptiness(index, found);
    criteria(input, index, found);
    tests(index, found);
    steps(index, found);
    uses(index, found);
    let matrix = index.matrix;
    confusable("criteria", matrix.criteria.iter().map(|c| (&c.id, At::from(c))), found);
    confusable("tests", matrix.tests.iter().map(|t| (&t.id, At::from(t))), found);
    confusable("cases", index.plan.scenarios.iter().map(|s| (&s.id, At::from(s))), found);
    confusable("steps", index.steps.iter().map(|at| (&at.step.id, At::from(at.step))), found);
}

fn emptiness(index: &Index<'_>, found: &mut Findings) {
    let missing: Vec<&str> = [
        (index.matrix.criteria.is_empty(), "criterion"),
        (index.matrix.tests.is_empty(), "test"),
        (index.plan.scenarios.is_empty(), "case"),
        (index.steps.is_empty(), "step"),
    ]
    .into_iter()
    .filter_map(|(empty, word)| empty.then_some(word))
    .collect();
    if !missing.is_empty() {
        found.error(Code::EmptyPlan, At::plan(), format!("there is no {}", missing.join(", no ")));
    }
}

fn criteria(input: &LintInput<'_>, index: &Index<'_>, found: &mut Findings) {
    for criterion in &index.matrix.criteria {
        if criterion.text.trim().is_empty() {
            found.error(Code::RequirementUnmapped, criterion, format!("criterion {} has no text", criterion.id));
        }
        for test in criterion.test_ids.iter().filter(|id| index.test(id).is_none()) {
            let message = format!("criterion {} names the test {test}, which does not exist", criterion.id);
            found.error(Code::RequirementUnmapped, criterion, message);
        }
        if index.tests_of_criterion(&criterion.id).is_empty() {
            let code = if input.written { Code::CriterionUncovered } else { Code::RequirementUnmapped };
            found.error(code, criterion, format!("nothing covers criterion {}", criterion.id));
        } else if index.steps_of_criterion(&criterion.id).is_empty() && !is_put_off(&criterion.planned_status) {
            let message = format!("no step of the plan belongs to criterion {}", criterion.id);
            found.error(Code::CriterionUncovered, criterion, message);
        }
    }
}

/// A row that the matrix itself says cannot be run is a stated gap: the verdict counts it, the check lets it be.
fn is_put_off(planned: &str) -> bool {
    matches!(planned, "Blocked" | "Inconclusive")
}

fn tests(index: &Index<'_>, found: &mut Findings) {
    for test in &index.matrix.tests {
        let criteria = index.criteria_of_test(test);
        if criteria.is_empty() && test.requirement_ids.is_empty() {
            found.error(Code::TestUnmapped, test, format!("test {} belongs to no criterion", test.id));
        }
        for id in test.requirement_ids.iter().filter(|id| index.criterion(id).is_none()) {
            let message = format!("test {} names the criterion {id}, which does not exist", test.id);
            found.error(Code::TestUnmapped, test, message);
        }
        if test.expected.trim().is_empty() {
            found.error(Code::TestNoExpected, test, format!("test {} does not say what must come out", test.id));
        }
        // Where none of the criterion's tests has a step, criterion_uncovered has said so already.
        let said = !criteria.is_empty() && criteria.iter().all(|c| index.steps_of_criterion(&c.id).is_empty());
        if index.steps_of_test(&test.id).is_empty() && !is_put_off(&test.planned_status) && !said {
            found.error(Code::TestNotExecutable, test, format!("no step of the plan belongs to test {}", test.id));
        }
    }
}

fn steps(index: &Index<'_>, found: &mut Findings) {
    for at in &index.steps {
        let step = at.step;
        for id in step.test_ids.iter().filter(|id| index.test(id).is_none()) {
            found.error(Code::StepReferenceUnknown, step, format!("there is no test {id}"));
        }
        for id in step.requirement_ids.iter().filter(|id| index.criterion(id).is_none()) {
            found.error(Code::StepReferenceUnknown, step, format!("there is no criterion {id}"));
        }
        let lacks: Vec<&str> = [
            (step.test_ids.is_empty(), "the tests it belongs to"),
            (step.requirement_ids.is_empty(), "the criteria it belongs to"),
            (step.proves.trim().is_empty(), "what it proves"),
        ]
        .into_iter()
        .filter_map(|(lacking, what)| lacking.then_some(what))
        .collect();
        if (is_mapped(step) || !step.requirement_ids.is_empty()) && !lacks.is_empty() {
            let message = format!("step {} bears evidence and does not say {}", step.id, lacks.join(", nor "));
            found.error(Code::EvidenceStepIncomplete, step, message);
        }
    }
}

/// A case starts from cases that the plan has and that do not lead back to it, and from a few of them only.
fn uses(index: &Index<'_>, found: &mut Findings) {
    let (order, scenarios) = (&index.order, &index.plan.scenarios);
    for (position, scenario) in scenarios.iter().enumerate() {
        for used in &scenario.uses {
            let at = At::place(used.place, &scenario.id);
            let case = &used.case;
            let message = match order.position(case) {
                None => format!("there is no case {case}"),
                Some(other) if other == position => format!("case {case} starts from itself"),
                Some(other) if order.circular.contains(&position) && order.circular.contains(&other) => {
                    format!("case {case} leads back to {}", scenario.id)
                }
                Some(_) => continue,
            };
            let known = scenarios.iter().map(|scenario| scenario.id.as_str());
            match nearest(case.as_str(), known).filter(|_| order.position(case).is_none()) {
                Some(near) => found.error_with(Code::UsesUnknown, at, message, format!("Did you mean {near}?")),
                None => found.error(Code::UsesUnknown, at, message),
            }
        }
        if order.lineage(&scenario.id).len() > MOST_USED {
            let message = format!("case {} starts from more than {MOST_USED} others, all told", scenario.id);
            found.error_with(Code::UsesUnknown, scenario, message, "Start from fewer cases.");
        }
    }
}

fn confusable<'a>(what: &str, ids: impl Iterator<Item = (&'a Id, At)>, found: &mut Findings) {
    let mut seen: BTreeMap<String, &Id> = BTreeMap::new();
    for (id, at) in ids {
        match seen.get(&id.folded()) {
            Some(other) if *other != id => {
                found.error(Code::IdConfusable, at, format!("the {what} {other} and {id} differ in case only"));
            }
            Some(_) => {}
            None => {
                seen.insert(id.folded(), id);
            }
        }
    }
}
