//! Every reason against the claim, in the order in which a reader should meet them: the environment first, since
//! nothing may be said of the product before it is settled (design.md section 4).

use super::tests_and_criteria::{WITNESSED, said_of};
use super::{JudgedCriterion, JudgedTest, Reason, ReasonCheck, Weakening, step_of};
use crate::audit::{Audited, AuditedStep, Identity};
use crate::codes::{Code, Who};
use crate::evaluate::Truth;
use crate::step::{StepStatus, Weight};
use crate::verdict::Status;

/// Gathers the reasons.
pub(super) fn of(
    audited: &Audited,
    tests: &[JudgedTest],
    criteria: &[JudgedCriterion],
    weakenings: &[Weakening],
) -> Vec<Reason> {
    let mut reasons = environment(audited);
    reasons.extend(plan(audited));
    reasons.extend(run(audited));
    let mut of_steps = steps(audited, criteria);
    of_steps.sort_by_key(|reason| (reason.weight, reason.step));
    reasons.extend(of_steps);
    reasons.extend(of_criteria(audited, tests, criteria));
    reasons.extend(
        weakenings
            .iter()
            .map(|weakening| about_run(weakening.code, "weakening", Weight::Gap, weakening.message.clone())),
    );
    reasons
}

fn about_run(code: Code, category: &'static str, weight: Weight, message: String) -> Reason {
    let who = code.explanation().who;
    Reason { code, category, weight, subjects: Vec::new(), step: None, check: None, message, who }
}

fn environment(audited: &Audited) -> Vec<Reason> {
    let checked = audited.checked();
    let allowed = audited.recorded().opened().options.allow.iter().any(|code| code == "environment_unconfirmed");
    let mut reasons = Vec::new();
    if !checked.environment().is_confirmed() && !allowed {
        let target = checked.environment().origins.first().map_or_else(|| "the target".to_owned(), ToString::to_string);
        let message = format!("nobody has said what {target} is and whose data it holds");
        reasons.push(about_run(Code::EnvironmentUnconfirmed, "environment", Weight::Gap, message));
    }
    let runtime = audited.runtime();
    let services = &runtime.services;
    for (service, code, message) in &services.blocked {
        reasons.push(about_run(*code, "runtime", Weight::Blocker, format!("{service}: {message}")));
    }
    for (_, service, code, message) in &services.lost {
        reasons.push(about_run(*code, "runtime", Weight::Blocker, format!("{service}: {message}")));
    }
    for (service, message) in &services.left {
        reasons.push(about_run(Code::ServiceLeft, "runtime", Weight::Gap, format!("{service}: {message}")));
    }
    for (origin, code, message) in &runtime.unreachable {
        let code = if *code == Code::NetworkDenied { Code::NetworkDenied } else { Code::PreflightBlocked };
        reasons.push(about_run(code, "runtime", Weight::Blocker, format!("{origin}: {message}")));
    }
    if let (Some(Identity::Build(before)), Some(Identity::Build(after))) = (&runtime.before, &runtime.after)
        && before != after
    {
        let message = format!("the build was {before} before the run and {after} after it");
        reasons.push(about_run(Code::SubjectChanged, "environment", Weight::Blocker, message));
    }
    if let (Some(Identity::Build(_)), Some(Identity::Unread(why))) = (&runtime.before, &runtime.after) {
        let message = format!("the build could be read before the run and not after it: {why}");
        reasons.push(about_run(Code::SubjectChanged, "environment", Weight::Blocker, message));
    }
    reasons
}

fn plan(audited: &Audited) -> Vec<Reason> {
    let checked = audited.checked();
    let allow = &audited.recorded().opened().options.allow;
    let mut reasons = Vec::new();
    if !checked.is_runnable(allow) {
        let errors = checked.errors().count();
        let first = checked.errors().next().map_or_else(String::new, |d| format!(": {} {}", d.code, d.message));
        let noun = if errors == 1 { "error" } else { "errors" };
        let message = format!("the plan check found {errors} {noun}{first}");
        reasons.push(about_run(Code::PlanValidationFailed, "plan_validation", Weight::Blocker, message));
    }
    if !checked.coverage().passed() && !allow.iter().any(|code| code == "requirement_source_unmapped") {
        let count = checked.coverage().uncovered().count();
        let message = format!("{count} lines of the requirement map to no criterion");
        reasons.push(about_run(Code::SourceUncovered, "requirement_coverage", Weight::Blocker, message));
    }
    if checked.matrix().criteria.is_empty() {
        reasons.push(about_run(Code::NoRequirements, "requirement", Weight::Gap, "there is no criterion".to_owned()));
    }
    reasons
}

fn run(audited: &Audited) -> Vec<Reason> {
    let recorded = audited.recorded();
    let mut reasons = Vec::new();
    if let Some(cancelled) = recorded.cancelled() {
        reasons.push(about_run(
            Code::RunCancelled,
            "runtime",
            Weight::Gap,
            format!("the run was cancelled ({})", cancelled.by),
        ));
    }
    if let Some(budget) = recorded.budget() {
        let message = format!("{} was used up: {} of {}", budget.resource, budget.used, budget.limit);
        reasons.push(about_run(Code::BudgetExceeded, "runtime", Weight::Gap, message));
    }
    if recorded.resumed() {
        let message =
            "the process ended before the run was closed; what followed the last entry is not known".to_owned();
        reasons.push(about_run(Code::AttemptLost, "evidence_integrity", Weight::Gap, message));
    }
    if let Some(message) = &audited.runtime().recording_failed {
        reasons.push(about_run(Code::RecordingFailed, "evidence_integrity", Weight::Gap, message.clone()));
    }
    let kept = &audited.runtime().secrets_kept;
    if !kept.is_empty() {
        let message = format!("what is known for a secret by now had been written down before: {}", kept.join(", "));
        reasons.push(about_run(Code::SecretKept, "evidence_integrity", Weight::Gap, message));
    }
    let disagreements: Vec<_> = audited.findings().iter().filter(|f| f.code == Code::RunnerDisagrees).collect();
    if let Some(first) = disagreements.first() {
        let message = format!("{} ({} in all)", first.message, disagreements.len());
        reasons.push(about_run(Code::RunnerDisagrees, "tooling", Weight::Gap, message));
    }
    reasons
}

/// One reason for each step that did not pass, but for those that were only skipped because of another.
fn steps(audited: &Audited, criteria: &[JudgedCriterion]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for (position, step) in audited.steps().iter().enumerate() {
        let Some(reason) = &step.judgement.reason else { continue };
        let (_, planned) = step_of(audited, step);
        let subjects: Vec<String> =
            criteria.iter().filter(|c| c.steps.contains(&position)).map(|c| c.id.to_string()).collect();
        // Nothing was there to clean up.
        let skipped = step.judgement.status == StepStatus::Skipped;
        if planned.is_cleanup() && skipped && reason.code == Code::VariableMissing {
            continue;
        }
        // Another reason, for the step that failed first or for the run, says it already.
        let follows = matches!(
            reason.code,
            Code::StepSkipped
                | Code::PlanValidationFailed
                | Code::PreflightBlocked
                | Code::PortOccupied
                | Code::ServiceNotReady
                | Code::ServiceDied
                | Code::AttemptLost
        );
        if skipped && (follows || audited.recorded().ended_at().is_some()) {
            continue;
        }
        reasons.push(of_step(position, step, planned.is_cleanup() && subjects.is_empty(), subjects));
    }
    reasons
}

fn of_step(position: usize, step: &AuditedStep, cleanup: bool, subjects: Vec<String>) -> Reason {
    // The caller has seen that there is one.
    let reason = step.judgement.reason.clone().unwrap_or(crate::step::StepReason {
        code: Code::StepSkipped,
        weight: Weight::Gap,
        message: String::new(),
    });
    let (code, weight) = if cleanup {
        (Code::CleanupIncomplete, Weight::Gap)
    } else if subjects.is_empty() && reason.weight != Weight::Blocker {
        (Code::UnmappedStepFailed, Weight::Gap)
    } else {
        (reason.code, reason.weight)
    };
    let category = if code == Code::RequirementFailed { "requirement" } else { "runtime" };
    let who = code.explanation().who;
    Reason {
        code,
        category,
        weight,
        subjects,
        step: Some(position),
        check: deciding_check(step),
        message: reason.message,
        who,
    }
}

/// The first check that does not hold.
fn deciding_check(step: &AuditedStep) -> Option<ReasonCheck> {
    let check = step.judgement.checks.iter().find(|check| check.truth != Truth::Holds)?;
    let expected =
        if check.op == "equals" { check.expected.to_string() } else { format!("{} {}", check.op, check.expected) };
    Some(ReasonCheck {
        what: check.what.to_string(),
        expected,
        expected_from: check.expected_from.as_ref().map(ToString::to_string),
        saw: check.saw.to_string(),
    })
}

/// A criterion that nothing holds up but steps whose checks cannot fail for its sake.
fn of_weak(code: Code, position: usize, subjects: Vec<String>) -> Reason {
    let who = code.explanation().who;
    let (weight, message) = (Weight::Gap, said_of(code).to_owned());
    Reason { code, category: "requirement", weight, subjects, step: Some(position), check: None, message, who }
}

/// Criteria that did not pass and that no step's reason names: untested ones, unmet layers, blocked by plan.
fn of_criteria(audited: &Audited, tests: &[JudgedTest], criteria: &[JudgedCriterion]) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for criterion in criteria.iter().filter(|criterion| criterion.status != Status::Passed) {
        let subjects = vec![criterion.id.to_string()];
        let unmet = criterion.tests.iter().find_map(|position| tests[*position].unmet.clone());
        let weak = criterion.tests.iter().find_map(|position| tests[*position].weak);
        let weak = weak.filter(|_| matches!(criterion.status, Status::Untested | Status::Inconclusive));
        if let Some((code, position)) = weak.filter(|_| unmet.is_none()) {
            reasons.push(of_weak(code, position, subjects));
            continue;
        }
        let (code, weight, message) = match (criterion.status, unmet) {
            _ if criterion.witnessed_only => (Code::WitnessedOnly, Weight::Gap, WITNESSED.to_owned()),
            (_, Some(layer)) => (Code::NeedsUnmet, Weight::Gap, format!("no step showed the layer {layer}")),
            (Status::Failed, _) => (Code::RequirementFailed, Weight::Fail, "the criterion is contradicted".to_owned()),
            (Status::Blocked, _) => {
                (Code::RequirementBlocked, Weight::Blocker, "the criterion could not be tested".to_owned())
            }
            (Status::Untested, _) => {
                (Code::RequirementUntested, Weight::Gap, "nothing tested the criterion".to_owned())
            }
            _ => {
                (Code::RequirementInconclusive, Weight::Gap, "what was seen of the criterion is not enough".to_owned())
            }
        };
        let decided = criterion.tests.iter().find_map(|position| tests[*position].decided_by);
        let said = decided.is_some_and(|position| audited.steps()[position].judgement.status != StepStatus::Skipped);
        if said && code != Code::NeedsUnmet {
            continue;
        }
        let who = if code == Code::RequirementUntested { Who::Agent } else { code.explanation().who };
        reasons.push(Reason { code, category: "requirement", weight, subjects, step: None, check: None, message, who });
    }
    reasons
}
