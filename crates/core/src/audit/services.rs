//! The services of a run: those that its plan needs, each started as the settings file says, ready before the first step,
//! there until the last, and ended.

use crate::checked::CheckedPlan;
use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::Id;
use crate::journal::body::Role;
use crate::journal::observation::Observation;
use crate::journal::service::{DownCause, DownStatus, Holder, UpState};
use crate::json::canonical;
use crate::plan::Action;
use crate::recorded::{Recorded, ServiceRecord, program_name};
use crate::service::{Service, needed};
use crate::step::Evidence;

/// The derivation that began to start services.
const SINCE: u64 = 3;

/// What came of the services that a plan needs.
#[derive(Clone, Debug, Default)]
pub struct Services {
    /// The services that the plan needs, in the order of their start.
    pub needed: Vec<Service>,
    /// Those that were not there when the first step was due: service, code, what is said.
    pub blocked: Vec<(Id, Code, String)>,
    /// Those that ended or lost their port during the run: entry, service, code, what is said.
    pub lost: Vec<(u64, Id, Code, String)>,
    /// Those of which it is not shown that they ended: service, what is said.
    pub left: Vec<(Id, String)>,
    /// Those that ran already and were used.
    pub adopted: Vec<Id>,
    /// Those that were started, became ready, and hold their ports themselves.
    pub own: Vec<Id>,
    /// Those whose ports could not be told from others'.
    pub unseen: Vec<Id>,
}

impl Services {
    /// The service that was lost before an entry, if one was.
    #[must_use]
    pub fn lost_before(&self, seq: u64) -> Option<&(u64, Id, Code, String)> {
        self.lost.iter().find(|(at, ..)| *at < seq)
    }
}

/// Reads what the journal holds of services.
pub(super) fn of(
    recorded: &Recorded,
    checked: &CheckedPlan,
    evidence: &dyn Evidence,
    findings: &mut Vec<Finding>,
) -> Services {
    let mut services = Services::default();
    if recorded.opened().derivation >= SINCE {
        let found = needed(checked.profile(), checked.environment(), checked.plan());
        services.needed = found.into_iter().cloned().collect();
    }
    let allow = recorded.opened().options.allow.iter().any(|code| code == "service_not_ready");
    let mut audit = Audit { recorded, checked, findings };
    let mut last = None;
    for record in recorded.services() {
        let position = services.needed.iter().position(|service| service.id == record.intent.service);
        let Some(position) = position else {
            let message = format!("the service {} is none that the plan needs", record.intent.service);
            audit.refuse(Code::IntentDiffers, record.seq, message);
            continue;
        };
        if last.is_some_and(|last| last >= position) {
            let message = format!("{} began before a service that it comes after", record.intent.service);
            audit.refuse(Code::IntentDiffers, record.seq, message);
        }
        last = Some(position);
        audit.receipt(record, &services.needed[position]);
        settle(record, allow, &mut services);
    }
    audit.whole(&services, allow);
    audit.looked(evidence);
    services
}

/// Sorts a service by what came of it.
fn settle(record: &ServiceRecord, allow: bool, services: &mut Services) {
    let id = record.intent.service.clone();
    let down = record.down.as_ref().map(|down| &down.body);
    let said = || down.and_then(|down| down.message.clone()).unwrap_or_else(|| format!("{id} is not there"));
    match down.map(|down| down.cause) {
        Some(DownCause::Occupied) => services.blocked.push((id.clone(), Code::PortOccupied, said())),
        Some(DownCause::NotStarted | DownCause::Unready) if !allow => {
            services.blocked.push((id.clone(), Code::ServiceNotReady, said()));
        }
        Some(cause @ (DownCause::Died | DownCause::Foreign)) => {
            let code = if cause == DownCause::Foreign { Code::PortOccupied } else { Code::ServiceDied };
            if record.settled.is_none() {
                services.blocked.push((id.clone(), code, said()));
            } else if record.state() != Some(UpState::Unready) {
                let seq = record.down.as_ref().map_or(record.seq, |down| down.seq);
                services.lost.push((seq, id.clone(), code, said()));
            }
        }
        _ => {}
    }
    if let Some(down) = down.filter(|d| matches!(d.status, DownStatus::BlockedBySafety | DownStatus::Failed)) {
        let message = down.message.clone().unwrap_or_else(|| format!("{id} is not shown to have ended"));
        services.left.push((id.clone(), message));
    }
    let Some(settled) = record.settled.as_ref() else { return };
    match settled.body.state {
        UpState::Adopted => services.adopted.push(id),
        UpState::Ready if settled.body.ports.iter().any(|(_, holder)| *holder != Holder::Service) => {
            services.unseen.push(id);
        }
        UpState::Ready => services.own.push(id),
        UpState::Started | UpState::Unready => {}
    }
}

struct Audit<'a, 'f> {
    recorded: &'a Recorded,
    checked: &'a CheckedPlan,
    findings: &'f mut Vec<Finding>,
}

impl Audit<'_, '_> {
    fn refuse(&mut self, code: Code, seq: u64, message: String) {
        self.findings.push(Finding::integrity(code, message).at_entry(seq));
    }

    /// One receipt against what the settings file says.
    fn receipt(&mut self, record: &ServiceRecord, service: &Service) {
        let id = &service.id;
        if canonical(&record.intent.start).ok() != canonical(&service.to_json()).ok() {
            let message = format!("{id} was started otherwise than the settings file says");
            self.refuse(Code::IntentDiffers, record.seq, message);
        }
        let ports = service.ports();
        if record.intent.occupied.iter().any(|port| !ports.contains(port)) {
            self.refuse(Code::IntentDiffers, record.seq, format!("{id} names a port that is not its own"));
        }
        let state = record.state();
        let occupied = !record.intent.occupied.is_empty();
        let began = record.started.is_some();
        if (occupied && began) || (state == Some(UpState::Adopted) && (!service.adopt || !occupied)) {
            let message = format!("{id} was started or adopted although its ports say otherwise");
            self.refuse(Code::IntentDiffers, record.seq, message);
        }
        if let Some(settled) = record.settled.as_ref().filter(|up| up.body.state == UpState::Ready) {
            let held: Vec<u16> = settled.body.ports.iter().map(|(port, _)| *port).collect();
            let foreign = settled.body.ports.iter().any(|(_, h)| matches!(h, Holder::Other | Holder::Nobody));
            if held != ports || foreign {
                let message = format!("{id} is said to be ready and does not hold its ports");
                self.refuse(Code::IntentDiffers, settled.seq, message);
            }
        }
        let program = service.start.first().map_or("", |name| program_name(name));
        let sealed = self
            .recorded
            .inputs()
            .iter()
            .any(|input| matches!(input.role, Role::File | Role::Program) && input.name == program);
        if began && !sealed {
            self.refuse(Code::InputMissing, record.seq, format!("the program of {id} was not sealed"));
        }
        self.ending(record, id);
    }

    /// A service is ended after the last step, and shown to be.
    fn ending(&mut self, record: &ServiceRecord, id: &Id) {
        let Some(down) = &record.down else {
            if self.recorded.closed().is_some() {
                let message = format!("{id} was begun, and the run does not show its end");
                self.refuse(Code::CleanupOpen, record.seq, message);
            }
            return;
        };
        let sent = self.recorded.actions().iter().filter(|action| action.sent.is_some()).map(|action| action.seq);
        if matches!(down.body.cause, DownCause::End | DownCause::Resumed) && sent.max() > Some(down.seq) {
            self.refuse(Code::IntentDiffers, down.seq, format!("{id} was ended before the last step"));
        }
        let process = record.started.is_some();
        let fits = match (down.body.cause, down.body.status) {
            (DownCause::Occupied | DownCause::NotStarted, status) => !process && status == DownStatus::Skipped,
            // One that ran already and was not ready in its time.
            (DownCause::Unready, DownStatus::Skipped) => !process && !record.intent.occupied.is_empty(),
            (DownCause::End, DownStatus::Skipped) => record.state() == Some(UpState::Adopted),
            (DownCause::Resumed, _) => self.recorded.resumed(),
            (_, DownStatus::Skipped) => false,
            (DownCause::Foreign, _) => process,
            (DownCause::Died, status) => process && status != DownStatus::BlockedBySafety,
            (DownCause::End | DownCause::Unready, _) => process,
        };
        if !fits {
            let (cause, status) = (down.body.cause.as_str(), down.body.status.as_str());
            self.refuse(Code::IntentDiffers, down.seq, format!("{id}: {cause} and {status} do not go together"));
        }
    }

    /// Every service that the plan needs has its record, and no step left before they were ready.
    fn whole(&mut self, services: &Services, allow: bool) {
        let sent = self.recorded.actions().iter().filter(|action| action.sent.is_some());
        let first = sent.map(|action| action.seq).next();
        let runnable = self.checked.is_runnable(&self.recorded.opened().options.allow);
        if let Some(record) = self.recorded.services().first().filter(|_| !runnable) {
            let message = "a service was started although the plan check forbids a run".to_owned();
            self.refuse(Code::ActionAfterCancel, record.seq, message);
        }
        for service in &services.needed {
            let record = self.recorded.services().iter().find(|record| record.intent.service == service.id);
            let Some(record) = record else {
                // Behind one that blocks no other is begun; without a step nothing rests on it.
                if first.is_some() || (runnable && services.blocked.is_empty() && self.recorded.closed().is_some()) {
                    self.missing(service);
                }
                continue;
            };
            let ready = match &record.settled {
                Some(up) => Some(up.seq),
                None if allow => record.down.as_ref().map(|down| down.seq),
                None => None,
            };
            if first.is_some_and(|first| ready.is_none_or(|ready| ready > first)) {
                let message = format!("a step was sent before {} was ready", service.id);
                self.refuse(Code::IntentDiffers, record.seq, message);
            }
        }
    }

    /// What a step read of a log stands in what was kept of it, where it is said to have stood. Where secrets were taken out
    /// of either, the places have moved and nothing can be compared.
    fn looked(&mut self, evidence: &dyn Evidence) {
        let mut moved = Vec::new();
        for action in self.recorded.actions() {
            let observation = action.commit.as_ref().and_then(|commit| commit.observation.as_deref());
            let Some(Observation::Log(seen)) = observation.filter(|seen| seen.failure().is_none()) else { continue };
            let planned = self.checked.plan().scenarios.iter().flat_map(|scenario| &scenario.steps);
            let step = planned.into_iter().find(|step| step.id == action.intent.step);
            let Some(Action::Log(log)) = step.map(|step| &step.action) else { continue };
            let record = self.recorded.services().iter().find(|record| record.intent.service == log.service);
            let Some(record) = record.filter(|record| record.started.is_some()) else {
                moved.push((action.seq, format!("{} was not started, and its log was read", log.service)));
                continue;
            };
            let kept = record.evidence.first();
            let redacted = kept.into_iter().chain(&action.evidence).any(|one| one.redactions > 0);
            let Some(whole) = kept.filter(|_| !redacted).and_then(|one| evidence.bytes(&one.sha256)) else { continue };
            let part = evidence.bytes(&seen.kept.sha256);
            let from = usize::try_from(seen.from).unwrap_or(usize::MAX).min(whole.len());
            let to = usize::try_from(seen.to).unwrap_or(usize::MAX).min(whole.len());
            if part.is_some_and(|part| whole.get(from..to) != Some(part.as_slice())) {
                moved.push((
                    action.seq,
                    format!("what {} read is not what {} wrote there", action.intent.step, log.service),
                ));
            }
        }
        for (seq, message) in moved {
            self.refuse(Code::EvidenceForeign, seq, message);
        }
    }

    fn missing(&mut self, service: &Service) {
        if self.recorded.resumed() && self.recorded.actions().iter().all(|action| action.sent.is_none()) {
            return;
        }
        let message = format!("the service {} has no record", service.id);
        self.findings.push(Finding::integrity(Code::StepMissing, message));
    }
}
