//! The walk through a plan: which step comes next, what it is to do, what its outcome changes.
//!
//! Engine and derivation walk with the same code, so that what was done and what should have been done are
//! worked out by one rule.

mod order;
mod queue;

use std::collections::BTreeMap;

use crate::codes::Code;
use crate::evaluate::Files;
use crate::ids::Id;
use crate::invoke::{self, Call, Unready};
use crate::journal::observation::Observation;
use crate::journal::witnessed::Witnessed;
use crate::json::Json;
use crate::matrix::Matrix;
use crate::observe::{Failure, FailureKind};
use crate::plan::{Plan, Scenario, Step};
use crate::step::{self, Evidence, Judgement, StepReason, StepStatus, Weight};
use crate::vars::Vars;
use crate::write_policy::{self, Ours, Redirected};
use crate::{checked::CheckedPlan, journal::opened::RunOpened};

pub use order::{MOST_USED, Order};
pub use queue::{Queue, is_alone};

/// Values that the engine gives every case (plan.md rule 5).
#[derive(Clone, Debug)]
pub struct EngineValues {
    /// `qa_run_id`
    pub run: String,
    /// `qa_marker`
    pub marker: String,
    /// `qa_started_at`
    pub started_at: String,
}

impl EngineValues {
    /// From the first entry of a run.
    #[must_use]
    pub fn of(run: &str, opened: &RunOpened, opened_at: &str) -> Self {
        Self { run: run.to_owned(), marker: opened.marker.clone(), started_at: opened_at.to_owned() }
    }
}

/// The cases of a plan that were gone through, with what each left for others.
pub struct Walked {
    order: Order,
    left: BTreeMap<Id, Left>,
}

/// What one case left.
struct Left {
    saved: BTreeMap<String, Json>,
    /// Whether every step before cleanup passed.
    passed: bool,
}

impl Walked {
    /// Nothing of the plan was gone through.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self { order: Order::of(plan), left: BTreeMap::new() }
    }

    /// The cases that one starts from, directly or through others, by position, in the order in which they are run.
    #[must_use]
    pub fn lineage(&self, case: &Id) -> Vec<usize> {
        self.order.lineage(case)
    }

    /// Takes what a case left at its end.
    pub fn take(&mut self, case: CaseWalk<'_>) {
        self.left.insert(case.scenario.id.clone(), Left { saved: case.saved, passed: case.passed });
    }
}

/// A walk through the steps of one case.
pub struct CaseWalk<'a> {
    checked: &'a CheckedPlan,
    scenario: &'a Scenario,
    vars: Vars,
    saved: BTreeMap<String, Json>,
    ours: Ours,
    stopped: Option<Id>,
    passed: bool,
    files: &'a Files<'a>,
}

/// What is to be done with a step.
#[derive(Clone, Debug)]
pub enum Next {
    /// Act.
    Run(Box<Call>),
    /// Do not act: it is skipped or refused.
    Leave(Judgement),
}

impl<'a> CaseWalk<'a> {
    /// Begins a case, with what the cases before it left.
    #[must_use]
    pub fn begin(
        checked: &'a CheckedPlan,
        scenario: &'a Scenario,
        engine: &EngineValues,
        walked: &Walked,
        files: &'a Files<'a>,
    ) -> Self {
        let plan = checked.plan();
        let mut vars = Vars::new(&plan.vars);
        let lineage = walked.lineage(&scenario.id).into_iter().filter_map(|other| plan.scenarios.get(other));
        for left in lineage.filter_map(|other| walked.left.get(&other.id)) {
            left.saved.iter().for_each(|(name, value)| vars.set(name.as_str(), value.clone()));
        }
        // Only what the case names: what else was saved by then depends on how cases run side by side.
        for (case, name) in order::named(scenario) {
            let left = Id::parse(case).ok().and_then(|case| walked.left.get(&case));
            if let Some(value) = left.and_then(|left| left.saved.get(name)) {
                vars.set(format!("{case}.{name}"), value.clone());
            }
        }
        vars.set("qa_run_id", engine.run.as_str());
        vars.set("qa_marker", engine.marker.as_str());
        vars.set("qa_started_at", engine.started_at.as_str());
        let passed = |used: &&Id| walked.left.get(used).is_some_and(|left| left.passed);
        let stopped = scenario.uses.iter().map(|used| &used.case).find(|used| !passed(used)).cloned();
        let ours = Ours::default();
        Self { checked, scenario, vars, saved: BTreeMap::new(), ours, stopped, passed: true, files }
    }

    /// The variables as they stand.
    #[must_use]
    pub const fn vars(&self) -> &Vars {
        &self.vars
    }

    /// What to do with a step now.
    #[must_use]
    pub fn next(&self, step: &Step) -> Next {
        if let Some(after) = self.stopped.as_ref().filter(|_| !step.always_run) {
            return Next::Leave(skipped(
                Code::StepSkipped,
                format!("{after} did not pass, and {} comes after it", step.id),
            ));
        }
        let plan = self.checked.plan();
        match invoke::resolve(step, &self.vars, self.checked.environment(), plan.base_url.as_deref(), self.files) {
            Ok(call) => match write_policy::stopped(self.checked, step, &call, &self.vars, &self.ours) {
                None => Next::Run(Box::new(call)),
                Some(message) => Next::Leave(step::of_failure(&Failure { kind: FailureKind::WriteRefused, message })),
            },
            Err(Unready::Missing(name)) if step.skip_if_missing_vars => Next::Leave(skipped(
                Code::VariableMissing,
                format!("{name} never came to be, so there is nothing to do"),
            )),
            Err(Unready::Missing(name)) => Next::Leave(Judgement::without_answer(
                StepStatus::Failed,
                StepReason {
                    code: Code::VariableMissing,
                    weight: Weight::Fail,
                    message: format!("the variable {name} was never saved"),
                },
            )),
            Err(Unready::Refused(failure)) => Next::Leave(step::of_failure(&failure)),
        }
    }

    /// Works out what an answer comes to. Nothing changes yet, so that a polling step can ask again.
    #[must_use]
    pub fn judge(
        &self,
        step: &Step,
        call: &Call,
        observation: &Observation,
        evidence: &dyn Evidence,
        witnessed: &Witnessed,
    ) -> Judgement {
        step::judge(step, observation, request_of(call), evidence, &self.vars, self.files, witnessed)
    }

    /// The same for an answer as it came, with variables that hold what was not written down.
    #[must_use]
    pub fn judge_live(
        &self,
        step: &Step,
        call: &Call,
        observation: &Observation,
        evidence: &dyn Evidence,
        vars: &Vars,
    ) -> Judgement {
        step::judge(step, observation, request_of(call), evidence, vars, self.files, &Witnessed::default())
    }

    /// The call that is sent where the variables hold what was not written down. Every rule of templates is asked of
    /// those values as well.
    ///
    /// # Errors
    /// A value that may not stand where the plan puts it.
    pub fn resolve_live(&self, step: &Step, vars: &Vars) -> Result<Call, Failure> {
        let base = self.checked.plan().base_url.as_deref();
        invoke::resolve(step, vars, self.checked.environment(), base, self.files).map_err(|unready| match unready {
            Unready::Refused(failure) => failure,
            Unready::Missing(name) => {
                Failure { kind: FailureKind::TemplateRefused, message: format!("the variable {name} was never saved") }
            }
        })
    }

    /// Why a redirect of a call may not be followed, if it may not: the write policy is asked of it as of the call
    /// itself. `vars` are those that it was sent with.
    #[must_use]
    pub fn redirect_stopped(&self, step: &Step, to: &Redirected<'_>, vars: &Vars) -> Option<String> {
        write_policy::redirect_stopped(self.checked, step, to, vars, &self.ours)
    }

    /// Takes the outcome of a step: its saved values, and whether the case goes on.
    pub fn settle(&mut self, step: &Step, judgement: &Judgement) {
        for (name, value) in &judgement.saved {
            self.vars.set(name.as_str(), value.clone());
            self.saved.insert(name.clone(), value.clone());
        }
        if !judgement.saved.is_empty() {
            let profile = self.checked.profile();
            // What was not allowed never left, so it saved nothing.
            let writes = write_policy::writes(step, &profile.commands, profile.mutation.as_ref());
            self.ours.take(writes, judgement.saved.iter().map(|(name, _)| name.as_str()));
        }
        if judgement.status == StepStatus::Passed || step.always_run {
            return;
        }
        self.passed = false;
        let goes_on = step.continue_on_failure || self.scenario.continue_on_failure;
        if !goes_on && self.stopped.is_none() {
            self.stopped = Some(step.id.clone());
        }
    }
}

/// The body of a request.
fn request_of(call: &Call) -> Option<&[u8]> {
    match call {
        Call::Http(http) => http.body.as_deref(),
        Call::Command(_) | Call::Log(_) => None,
    }
}

/// A step that does not run.
#[must_use]
pub const fn skipped(code: Code, message: String) -> Judgement {
    Judgement::without_answer(StepStatus::Skipped, StepReason { code, weight: Weight::Gap, message })
}

/// What is said of a step that does not run because a service has ended or lost its port.
#[must_use]
pub fn gone(service: &Id) -> String {
    format!("the service {service} was lost before the step")
}

/// A step that does not run because a service of the run has ended.
#[must_use]
pub const fn without_service(message: String) -> Judgement {
    let reason = StepReason { code: Code::ServiceDied, weight: Weight::Blocker, message };
    Judgement::without_answer(StepStatus::Skipped, reason)
}

/// The cases that a selection means, with those that they start from or name values of, in the order in which they are
/// run one after another: by case id, or by the id of a criterion or test that they cover. An empty selection means
/// all. `None` for an id that names nothing.
#[must_use]
pub fn selected<'p>(plan: &'p Plan, matrix: &Matrix, only: &[String]) -> Option<Vec<&'p Scenario>> {
    let order = Order::of(plan);
    let mut chosen = vec![only.is_empty(); plan.scenarios.len()];
    for wanted in only {
        let folded = wanted.to_ascii_lowercase();
        let tests: Vec<&Id> = matrix
            .tests
            .iter()
            .filter(|test| test.id.folded() == folded || test.requirement_ids.iter().any(|id| id.folded() == folded))
            .map(|test| &test.id)
            .collect();
        let mut hit = false;
        for (chosen, scenario) in chosen.iter_mut().zip(&plan.scenarios) {
            let covers = scenario.steps.iter().any(|step| step.test_ids.iter().any(|id| tests.contains(&id)));
            if scenario.id.folded() == folded || covers {
                *chosen = true;
                hit = true;
            }
        }
        if !hit {
            return None;
        }
    }
    // Backwards through the order, so that what is pulled in pulls in what it needs.
    for position in order.positions.iter().rev() {
        if chosen[*position] {
            order.needs[*position].iter().for_each(|needed| chosen[*needed] = true);
        }
    }
    let positions = order.positions.iter().filter(|position| chosen[**position]);
    Some(positions.filter_map(|position| plan.scenarios.get(*position)).collect())
}

#[cfg(test)]
mod tests;
