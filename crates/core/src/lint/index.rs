//! Who belongs to whom: criteria, tests and steps by id, looked up once.

use std::collections::{BTreeMap, BTreeSet};

use crate::ids::Id;
use crate::json::Json;
use crate::matrix::{Criterion, Matrix, Test};
use crate::plan::{Plan, Scenario, Step};
use crate::walk::Order;

/// A step with its case.
#[derive(Clone, Copy)]
pub(super) struct StepAt<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) step: &'a Step,
}

/// Look-ups over a plan and its matrix.
pub(super) struct Index<'a> {
    pub(super) plan: &'a Plan,
    pub(super) matrix: &'a Matrix,
    /// In which order the cases are run.
    pub(super) order: Order,
    /// Every step in order.
    pub(super) steps: Vec<StepAt<'a>>,
    criteria: BTreeMap<&'a Id, &'a Criterion>,
    tests: BTreeMap<&'a Id, &'a Test>,
    steps_of_test: BTreeMap<&'a Id, Vec<usize>>,
    tests_of_criterion: BTreeMap<&'a Id, BTreeSet<&'a Id>>,
    steps_of_criterion: BTreeMap<&'a Id, BTreeSet<usize>>,
}

impl<'a> Index<'a> {
    pub(super) fn of(plan: &'a Plan, matrix: &'a Matrix) -> Self {
        let steps: Vec<StepAt<'a>> = plan
            .scenarios
            .iter()
            .flat_map(|scenario| scenario.steps.iter().map(move |step| StepAt { scenario, step }))
            .collect();
        let mut tests_of_criterion: BTreeMap<&Id, BTreeSet<&Id>> = BTreeMap::new();
        for test in &matrix.tests {
            for criterion in &test.requirement_ids {
                tests_of_criterion.entry(criterion).or_default().insert(&test.id);
            }
        }
        for criterion in &matrix.criteria {
            tests_of_criterion.entry(&criterion.id).or_default().extend(&criterion.test_ids);
        }
        let mut steps_of_test: BTreeMap<&Id, Vec<usize>> = BTreeMap::new();
        let mut steps_of_criterion: BTreeMap<&Id, BTreeSet<usize>> = BTreeMap::new();
        for (i, at) in steps.iter().enumerate() {
            for test in &at.step.test_ids {
                steps_of_test.entry(test).or_default().push(i);
            }
            for criterion in &at.step.requirement_ids {
                steps_of_criterion.entry(criterion).or_default().insert(i);
            }
        }
        for (criterion, tests) in &tests_of_criterion {
            let steps = tests.iter().filter_map(|test| steps_of_test.get(*test)).flatten().copied();
            steps_of_criterion.entry(criterion).or_default().extend(steps);
        }
        Self {
            plan,
            matrix,
            order: Order::of(plan),
            steps,
            criteria: matrix.criteria.iter().map(|c| (&c.id, c)).collect(),
            tests: matrix.tests.iter().map(|t| (&t.id, t)).collect(),
            steps_of_test,
            tests_of_criterion,
            steps_of_criterion,
        }
    }

    /// The steps of the cases that a case starts from, in the order in which they are run.
    pub(super) fn inherited(&self, scenario: &Scenario) -> Vec<&'a Step> {
        inherited(self.plan, &self.order, scenario)
    }

    /// Of the cases that a case starts from (its `lineage`), the steps of the last that saves a variable and of those that
    /// always come after it.
    pub(super) fn maker_and_after(&self, lineage: &[usize], variable: &str) -> Vec<&'a Step> {
        let plan = self.plan;
        let saves = |step: &Step| step.saves.iter().any(|save| save.name == variable);
        let maker = lineage.iter().rposition(|case| plan.scenarios[*case].steps.iter().any(saves));
        let Some(maker) = maker else { return Vec::new() };
        let after = lineage[maker + 1..].iter().filter(|case| self.order.follows(**case, lineage[maker]));
        std::iter::once(&lineage[maker]).chain(after).flat_map(|case| &plan.scenarios[*case].steps).collect()
    }

    pub(super) fn criterion(&self, id: &Id) -> Option<&'a Criterion> {
        self.criteria.get(id).copied()
    }

    pub(super) fn test(&self, id: &Id) -> Option<&'a Test> {
        self.tests.get(id).copied()
    }

    /// Steps that belong to a test, in order.
    pub(super) fn steps_of_test(&self, id: &Id) -> Vec<StepAt<'a>> {
        self.steps_of_test.get(id).into_iter().flatten().map(|i| self.steps[*i]).collect()
    }

    /// Steps that belong to a criterion or to one of its tests, in order.
    pub(super) fn steps_of_criterion(&self, id: &Id) -> Vec<StepAt<'a>> {
        self.steps_of_criterion.get(id).into_iter().flatten().map(|i| self.steps[*i]).collect()
    }

    /// Tests that show a criterion and exist.
    pub(super) fn tests_of_criterion(&self, id: &Id) -> Vec<&'a Test> {
        self.tests_of_criterion.get(id).into_iter().flatten().filter_map(|test| self.test(test)).collect()
    }

    /// Criteria that a test shows and that exist, either side naming the other.
    pub(super) fn criteria_of_test(&self, test: &'a Test) -> Vec<&'a Criterion> {
        self.matrix
            .criteria
            .iter()
            .filter(|c| test.requirement_ids.contains(&c.id) || c.test_ids.contains(&test.id))
            .collect()
    }
}

/// The steps of the cases that a case starts from, in the order in which they are run.
pub(super) fn inherited<'a>(plan: &'a Plan, order: &Order, scenario: &Scenario) -> Vec<&'a Step> {
    let cases = order.lineage(&scenario.id).into_iter().filter_map(|position| plan.scenarios.get(position));
    cases.flat_map(|case| &case.steps).collect()
}

/// The variables that some values refer to.
pub(super) fn variables<'a>(values: impl IntoIterator<Item = &'a Json>) -> BTreeSet<&'a str> {
    values.into_iter().flat_map(crate::vars::variables).collect()
}

/// Whether a step belongs to a test; the others are set-up.
pub(super) fn is_mapped(step: &Step) -> bool {
    !step.test_ids.is_empty()
}
