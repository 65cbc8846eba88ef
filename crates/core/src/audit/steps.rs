//! Every step of the selected cases against its record: what it should have sent, what it saw, what that comes to.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::obligations::{self, CaseFacts, Makers};
use super::runtime::Runtime;
use super::{AuditedStep, seen};
use crate::checked::CheckedPlan;
use crate::codes::Code;
use crate::evaluate::Files;
use crate::finding::Finding;
use crate::ids::Id;
use crate::invoke::{Call, idempotency_key};
use crate::journal::body::Role;
use crate::journal::observation::Observation;
use crate::json::Json;
use crate::plan::{Action, Scenario, Step};
use crate::recorded::{ActionRecord, Recorded, program_name};
use crate::step::{Evidence, Judgement, StepReason, StepStatus, Weight};
use crate::vacuity::{self, Strength};
use crate::vars::Vars;
use crate::walk::{self, CaseWalk, EngineValues, Next, Walked, gone, skipped, without_service};
use crate::write_policy::Redirected;

/// Walks the plan beside the journal.
pub(super) fn walk(
    recorded: &Recorded,
    checked: &CheckedPlan,
    runtime: &Runtime,
    evidence: &dyn Evidence,
    files: &Files<'_>,
    findings: &mut Vec<Finding>,
) -> Vec<AuditedStep> {
    let mut records: BTreeMap<(&Id, &Id), usize> = BTreeMap::new();
    for (i, action) in recorded.actions().iter().enumerate() {
        records.entry((&action.intent.scenario, &action.intent.step)).or_insert(i);
    }
    let selected = walk::selected(checked.plan(), checked.matrix(), &recorded.opened().options.only);
    let engine = EngineValues::of(recorded.run(), recorded.opened(), recorded.opened_at());
    let positions: BTreeMap<&Id, usize> =
        checked.plan().scenarios.iter().enumerate().map(|(position, scenario)| (&scenario.id, position)).collect();
    let tests: BTreeSet<&Id> = checked.matrix().tests.iter().map(|test| &test.id).collect();
    let mut walked = Walked::new(checked.plan());
    let mut makers: BTreeMap<usize, Makers> = BTreeMap::new();
    let mut steps = Vec::with_capacity(selected.iter().flatten().map(|scenario| scenario.steps.len()).sum());
    let nothing_ran = nothing_may_run(recorded, checked, runtime);
    let mut audit = Audit { recorded, runtime, evidence, findings, nothing_ran, last: 0 };
    for scenario in selected.into_iter().flatten() {
        let mut case = CaseWalk::begin(checked, scenario, &engine, &walked, files);
        let inherited = walked.lineage(&scenario.id);
        let mut facts = CaseFacts::new(&engine.marker, inherited.iter().filter_map(|other| makers.get(other)));
        let position = positions[&scenario.id];
        audit.last = 0;
        for (index, step) in scenario.steps.iter().enumerate() {
            let record = records.remove(&(&scenario.id, &step.id));
            let mut audited = audit.step(&case, scenario, step, record);
            (audited.scenario, audited.step) = (position, index);
            if !step.test_ids.is_empty() || tests.contains(&step.id) {
                audited.strength = tried(&audited, scenario, step, case.vars(), files);
            }
            // Variables as they stood before the step; copied only where an obligation may ask for them.
            let before = if step.obligations.is_empty() { Vars::default() } else { case.vars().clone() };
            // The runner knows nothing of obligations: one that is not met does not stop the case.
            case.settle(step, &audited.judgement);
            obligations::settle(step, scenario, &mut audited, &mut facts, &before, evidence);
            steps.push(audited);
        }
        walked.take(case);
        makers.insert(position, facts.makers());
    }
    // What is shown of a run stands in the order of its plan, whatever order it was run in.
    if !steps.is_sorted_by_key(|step| (step.scenario, step.step)) {
        steps.sort_by_key(|step| (step.scenario, step.step));
    }
    for index in records.into_values() {
        let action = &recorded.actions()[index];
        let message = format!("{} is no step of the selected cases", action.intent.step);
        audit.findings.push(Finding::integrity(Code::StepUnknown, message).at_entry(action.seq));
    }
    steps
}

/// What the checks of a step can bear that held over its answer.
fn tried(audited: &AuditedStep, scenario: &Scenario, step: &Step, vars: &Vars, files: &Files<'_>) -> Option<Strength> {
    let observation = audited.observation.as_deref().filter(|_| audited.judgement.status == StepStatus::Passed)?;
    Some(vacuity::strength(step, scenario, observation, &audited.judgement.checks, vars, files))
}

/// Why no step may have run at all: the plan check refused, a service was not there, or the target gave no connection.
fn nothing_may_run(recorded: &Recorded, checked: &CheckedPlan, runtime: &Runtime) -> Option<(Code, String)> {
    if !checked.is_runnable(&recorded.opened().options.allow) {
        return Some((Code::PlanValidationFailed, "the plan check found errors, so nothing was run".to_owned()));
    }
    if let Some((service, code, message)) = runtime.services.blocked.first() {
        return Some((*code, format!("{service}: {message}")));
    }
    if let Some((origin, _, message)) = runtime.unreachable.first() {
        return Some((Code::PreflightBlocked, format!("{origin}: {message}")));
    }
    None
}

struct Audit<'a, 'f> {
    recorded: &'a Recorded,
    runtime: &'a Runtime,
    evidence: &'a dyn Evidence,
    findings: &'f mut Vec<Finding>,
    nothing_ran: Option<(Code, String)>,
    /// The last entry of the case so far.
    last: u64,
}

impl Audit<'_, '_> {
    fn refuse(&mut self, code: Code, action: &ActionRecord, message: impl Into<String>) {
        self.findings.push(Finding::integrity(code, message).at_entry(action.seq));
    }

    fn step(&mut self, case: &CaseWalk<'_>, scenario: &Scenario, step: &Step, record: Option<usize>) -> AuditedStep {
        let Some(index) = record else {
            return bare(self.unrecorded(step), None);
        };
        let action = &self.recorded.actions()[index];
        if let Some((code, _)) = &self.nothing_ran {
            let message = format!("{} was begun although {code} forbids it", step.id);
            self.refuse(Code::ActionAfterCancel, action, message);
        }
        let intent = &action.intent;
        if (intent.action.as_str(), intent.timeout_ms, intent.idempotent)
            != (step.action_name, step.timeout_ms, step.idempotent)
        {
            let message = format!("action, time limit or idempotency of {} is not the plan's", step.id);
            self.refuse(Code::IntentDiffers, action, message);
        }
        if action.seq < self.last {
            self.refuse(Code::IntentDiffers, action, format!("{} began before the step that it follows", step.id));
        }
        self.last = action.seq;
        if action.sent.is_none() {
            self.left_alone(step, action);
        }
        let mut audited = match case.next(step) {
            Next::Run(call) => self.sent(case, scenario, step, action, *call),
            Next::Leave(judgement) => {
                if action.sent.is_some() {
                    self.refuse(Code::IntentDiffers, action, format!("{} was sent although it must not be", step.id));
                }
                bare(judgement, None)
            }
        };
        audited.action = Some(index);
        self.compare_hint(step, action, &audited.judgement);
        audited
    }

    /// A step that never left has nothing of what sending leaves behind.
    fn left_alone(&mut self, step: &Step, action: &ActionRecord) {
        let used = action
            .commit
            .as_ref()
            .is_some_and(|commit| commit.observation.is_some() || commit.probes > 0 || commit.output_bytes > 0);
        if used || action.intent.idempotency_key.is_some() || !action.evidence.is_empty() {
            self.refuse(Code::IntentDiffers, action, format!("{} saw something although it was not sent", step.id));
        }
    }

    /// A step without a record: fine only where the run could not reach it.
    fn unrecorded(&mut self, step: &Step) -> Judgement {
        if let Some((code, message)) = &self.nothing_ran {
            let reason = StepReason { code: *code, weight: Weight::Blocker, message: message.clone() };
            return Judgement::without_answer(StepStatus::Skipped, reason);
        }
        if self.recorded.resumed() {
            return skipped(Code::AttemptLost, format!("the process ended before {}", step.id));
        }
        self.findings.push(Finding::integrity(Code::StepMissing, format!("{} has no record", step.id)));
        skipped(Code::StepSkipped, format!("{} has no record", step.id))
    }

    /// A step that should have left: it did, or the run says why it did not.
    fn sent(
        &mut self,
        case: &CaseWalk<'_>,
        scenario: &Scenario,
        step: &Step,
        action: &ActionRecord,
        call: Call,
    ) -> AuditedStep {
        if action.sent.is_none() {
            return bare(self.held_back(step, action), None);
        }
        let digest = call.digest();
        if action.sent != Some(digest) {
            self.refuse(Code::IntentDiffers, action, format!("what {} sent is not what the sealed plan says", step.id));
        }
        let key = idempotency_key(&self.recorded.opened().nonce, &scenario.id, &step.id, &digest);
        if action.intent.idempotency_key != Some(key) {
            self.refuse(
                Code::IntentDiffers,
                action,
                format!("the idempotency key of {} is not that of its call", step.id),
            );
        }
        self.after_end(step, action);
        let Some(commit) = &action.commit else {
            let (code, weight, message) = if step.idempotent {
                (Code::AttemptLost, Weight::Gap, format!("{} was begun; its answer was not recorded", step.id))
            } else {
                let message =
                    format!("{} was sent; whether it took effect is not known, and it will not be sent again", step.id);
                (Code::ActionReconciliationRequired, Weight::Blocker, message)
            };
            let judgement = Judgement::without_answer(StepStatus::Error, StepReason { code, weight, message });
            return bare(judgement, Some(call));
        };
        let Some(observation) = &commit.observation else {
            self.refuse(Code::EntryBodyInvalid, action, format!("{} was sent and nothing was observed", step.id));
            return bare(skipped(Code::StepSkipped, "no observation".to_owned()), Some(call));
        };
        if let Some(fault) = seen::fault(&call, observation, commit, action, self.evidence) {
            self.refuse(fault.code, action, format!("{}: {}", step.id, fault.message));
        }
        self.redirects(case, step, action, &call, observation);
        self.sealed_program(step, action, observation);
        let redacted = action.evidence.iter().any(|evidence| evidence.redactions > 0);
        let witnessed = commit.witnessed.of(step, redacted);
        let judgement = case.judge(step, &call, observation, self.evidence, &witnessed);
        let mut audited = bare(judgement, Some(call));
        audited.previews = previews(observation, self.evidence);
        audited.observation = Some(Arc::clone(observation));
        audited
    }

    /// A redirect that was followed is one that the write policy lets through.
    fn redirects(
        &mut self,
        case: &CaseWalk<'_>,
        step: &Step,
        action: &ActionRecord,
        call: &Call,
        observation: &Observation,
    ) {
        let (Call::Http(call), Observation::Http(seen)) = (call, observation) else { return };
        for observed in seen.hops.iter().skip(1) {
            let hop = &observed.hop;
            let body = call.body.as_deref().filter(|_| hop.sent_bytes > 0);
            let to = Redirected { method: &hop.method, url: &hop.url, body };
            if let Some(message) = case.redirect_stopped(step, &to, case.vars()) {
                self.refuse(Code::IntentDiffers, action, format!("{message}, and it was followed"));
            }
        }
    }

    /// A program that ran was sealed by its name before (threats.md R5b).
    fn sealed_program(&mut self, step: &Step, action: &ActionRecord, observation: &Observation) {
        let (Action::Command(command), Observation::Command(seen)) = (&step.action, observation) else { return };
        let written = if command.shell { Some("sh") } else { command.argv.first().and_then(Json::as_text) };
        let sealed = |name: &str| {
            let mut inputs = self.recorded.inputs().iter();
            inputs.any(|input| matches!(input.role, Role::File | Role::Program) && input.name == program_name(name))
        };
        if seen.result.termination != "spawn_error" && !written.is_some_and(sealed) {
            let message = format!("the program of {} was not sealed", step.id);
            self.refuse(Code::InputMissing, action, message);
        }
    }

    /// A step that could have left and was held back: by the end of the budget, or by a cancellation.
    fn held_back(&mut self, step: &Step, action: &ActionRecord) -> Judgement {
        let hint = action.commit.as_ref().and_then(|commit| Code::parse(commit.code.as_deref()?));
        let message = action.commit.as_ref().and_then(|commit| commit.message.clone()).unwrap_or_default();
        if let Some((_, service, ..)) = self.runtime.services.lost_before(action.seq)
            && hint == Some(Code::ServiceDied)
        {
            return without_service(gone(service));
        }
        let known = match hint {
            Some(Code::BudgetExceeded) => self.recorded.budget().is_some(),
            Some(Code::Cancelled) => self.recorded.cancelled().is_some(),
            Some(Code::AttemptLost) => self.recorded.resumed(),
            Some(Code::CredentialMissing | Code::CommandChanged | Code::ProgramMissing) => true,
            _ => false,
        };
        match hint.filter(|_| known) {
            Some(code) => match crate::observe::FailureKind::parse(code.as_str()) {
                Some(kind) if !matches!(code, Code::BudgetExceeded | Code::Cancelled) => {
                    crate::step::of_failure(&crate::observe::Failure { kind, message })
                }
                _ => skipped(code, message),
            },
            None => {
                self.refuse(
                    Code::IntentDiffers,
                    action,
                    format!("{} was not sent and the run does not say why", step.id),
                );
                skipped(Code::StepSkipped, "not sent".to_owned())
            }
        }
    }

    /// Nothing but cleanup may begin after the run was cancelled or ran out of its budget.
    fn after_end(&mut self, step: &Step, action: &ActionRecord) {
        let ended = self.recorded.ended_at();
        if !step.always_run && ended.is_some_and(|seq| seq < action.seq) {
            self.refuse(Code::ActionAfterCancel, action, format!("{} began after the run had ended", step.id));
        }
        if let Some((_, service, ..)) = self.runtime.services.lost_before(action.seq) {
            let message = format!("{} began after the service {service} was lost", step.id);
            self.refuse(Code::ActionAfterCancel, action, message);
        }
        if !step.always_run && action.generation > 1 {
            self.refuse(Code::ActionAfterCancel, action, format!("{} began after the process had been lost", step.id));
        }
    }

    fn compare_hint(&mut self, step: &Step, action: &ActionRecord, judgement: &Judgement) {
        let Some(commit) = &action.commit else { return };
        let code = judgement.reason.as_ref().map(|reason| reason.code.as_str());
        let told = (commit.status.as_str(), commit.code.as_deref(), commit.message.is_some());
        if told != (judgement.status.as_str(), code, code.is_some()) {
            let finding =
                Finding::note(Code::RunnerDisagrees, format!("the runner took {} for something else", step.id))
                    .at_entry(action.seq)
                    .values(
                        format!("{} {}", judgement.status.as_str(), code.unwrap_or("-")),
                        format!("{} {}", commit.status, commit.code.as_deref().unwrap_or("-")),
                    );
            self.findings.push(finding);
        }
    }
}

fn bare(judgement: Judgement, call: Option<Call>) -> AuditedStep {
    AuditedStep {
        scenario: 0,
        step: 0,
        action: None,
        call,
        observation: None,
        judgement,
        obliged: Vec::new(),
        strength: None,
        inputs: Vec::new(),
        previews: Vec::new(),
    }
}

/// Characters of a preview, as the reference cuts them.
const PREVIEW: usize = 800;

/// The first characters of bytes as text; what is no UTF-8 is drawn as `String::from_utf8_lossy` draws it, and nothing is
/// decoded that is not shown.
fn beginning(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().min(PREVIEW));
    let mut left = PREVIEW;
    for chunk in bytes.utf8_chunks() {
        let replaced = if chunk.invalid().is_empty() { "" } else { "\u{fffd}" };
        for c in chunk.valid().chars().chain(replaced.chars()) {
            if left == 0 {
                return text;
            }
            text.push(c);
            left -= 1;
        }
    }
    text
}

fn previews(observation: &Observation, evidence: &dyn Evidence) -> Vec<(&'static str, String)> {
    let cut = |role, digest: crate::ids::Digest| Some((role, beginning(&evidence.head(&digest)?)));
    let found = match observation {
        Observation::Http(http) => vec![http.hops.last().and_then(|hop| cut("body", hop.body().sha256))],
        Observation::Command(command) => {
            vec![cut("stdout", command.stdout.sha256), cut("stderr", command.stderr.sha256)]
        }
        Observation::Log(log) => vec![cut("log", log.kept.sha256)],
    };
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_beginning_is_that_of_the_text(bytes in proptest::collection::vec(any::<u8>(), 0..1200), ascii in ".{0,900}") {
            for bytes in [bytes.as_slice(), ascii.as_bytes()] {
                let whole: String = String::from_utf8_lossy(bytes).chars().take(PREVIEW).collect();
                prop_assert_eq!(beginning(bytes), whole);
            }
        }
    }
}
