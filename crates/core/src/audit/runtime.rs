//! What was observed of the runtime: the connections before the first step, and which build answered.

use super::seen::{self, Fault};
use super::services::{self, Services};
use crate::checked::CheckedPlan;
use crate::codes::Code;
use crate::environment::{self, Environment, IdentityRead};
use crate::evaluate::{Bytes, Seen, save};
use crate::finding::Finding;
use crate::invoke::Call;
use crate::journal::body::RuntimeObserved;
use crate::journal::observation::Observation;
use crate::json::{Json, canonical};
use crate::observe::HttpCall;
use crate::path::Path;
use crate::plan::SaveFrom;
use crate::recorded::{Recorded, RuntimeRecord};
use crate::step::Evidence;

/// What was observed of the runtime.
#[derive(Clone, Debug, Default)]
pub struct Runtime {
    /// Origins that gave no connection before the first step: origin, code, message.
    pub unreachable: Vec<(String, Code, String)>,
    /// The build before the first step.
    pub before: Option<Identity>,
    /// The build after the last.
    pub after: Option<Identity>,
    /// The services that the run started.
    pub services: Services,
    /// Something could not be recorded.
    pub recording_failed: Option<String>,
    /// Where a last look found secrets in what had been written down.
    pub secrets_kept: Vec<String>,
}

/// What an identity probe read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// The build that the system names.
    Build(String),
    /// Why it could not be read.
    Unread(String),
}

/// Reads what the journal holds of the runtime.
pub(super) fn of(
    recorded: &Recorded,
    checked: &CheckedPlan,
    evidence: &dyn Evidence,
    findings: &mut Vec<Finding>,
) -> Runtime {
    let mut runtime = Runtime { services: services::of(recorded, checked, evidence, findings), ..Runtime::default() };
    let call = identity_call(checked.environment());
    let mut asked: [Option<u64>; 2] = [None, None];
    for record in recorded.runtime() {
        let mut refuse = |code, message: String| findings.push(Finding::integrity(code, message).at_entry(record.seq));
        match &record.observed {
            RuntimeObserved::Preflight { failure: None, .. } | RuntimeObserved::Resumed { .. } => {}
            RuntimeObserved::Preflight { origin, failure: Some((code, message)) } => {
                let code = Code::parse(code).unwrap_or(Code::TargetUnreachable);
                runtime.unreachable.push((origin.clone(), code, message.clone()));
            }
            RuntimeObserved::Identity { phase, call: sent, observation } => {
                if let Some(fault) = probe_fault(call.as_ref(), sent, observation, record, evidence) {
                    refuse(fault.code, format!("the identity probe: {}", fault.message));
                }
                let read = read_build(checked.environment().identity.as_ref(), observation, evidence);
                let (slot, at) = match phase.as_str() {
                    "before" => (&mut runtime.before, 0),
                    "after" => (&mut runtime.after, 1),
                    _ => {
                        refuse(Code::EntryBodyInvalid, format!("the identity probe's phase is {phase}"));
                        continue;
                    }
                };
                if slot.replace(read).is_some() {
                    refuse(Code::StepTwice, format!("the identity probe {phase} the run has two records"));
                }
                asked[at] = Some(record.seq);
            }
            RuntimeObserved::RecordingFailed { message } => runtime.recording_failed = Some(message.clone()),
            RuntimeObserved::SecretKept { places } => runtime.secrets_kept.clone_from(places),
        }
    }
    if call.is_some() {
        around(recorded, asked, findings);
    }
    runtime
}

/// The request that reads which build is running, where the environment says how.
#[must_use]
pub fn identity_call(environment: &Environment) -> Option<HttpCall> {
    let (identity, base) = (environment.identity.as_ref()?, environment.url.as_deref()?);
    let url = url::Url::parse(base).and_then(|base| base.join(&identity.target)).ok()?;
    Some(HttpCall { insecure: environment.insecure, ..HttpCall::get(url.as_str(), environment.origins.clone()) })
}

fn probe_fault(
    call: Option<&HttpCall>,
    sent: &Json,
    observation: &Observation,
    record: &RuntimeRecord,
    evidence: &dyn Evidence,
) -> Option<Fault> {
    let captured: Vec<_> = record.evidence.iter().map(|e| (e.sha256, e.bytes)).collect();
    let differs = |message: &str| Some(Fault { code: Code::IntentDiffers, message: message.to_owned() });
    let Some(call) = call else { return differs("the environment declares none") };
    if canonical(&Call::Http(call.clone()).to_json()).ok() != canonical(sent).ok() {
        return differs("what it asked is not what the environment says");
    }
    seen::foreign(observation, &captured).or_else(|| match observation {
        Observation::Http(http) => {
            seen::http(call, http).or_else(|| seen::undone(call, http, &record.evidence, evidence))
        }
        Observation::Command(_) | Observation::Log(_) => differs("it was not asked for by HTTP"),
    })
}

/// The build is asked for before the first step and after the last: a change in between must not go unseen.
fn around(recorded: &Recorded, asked: [Option<u64>; 2], findings: &mut Vec<Finding>) {
    let mut sent = recorded.actions().iter().filter(|action| action.sent.is_some());
    let Some(first) = sent.next() else { return };
    let last = sent.next_back().unwrap_or(first);
    let mut refuse = |code, message: &str| findings.push(Finding::integrity(code, message));
    match asked[0] {
        None => refuse(Code::StepMissing, "the identity probe before the first step has no record"),
        Some(seq) if seq > first.seq => refuse(Code::IntentDiffers, "the identity probe came after the first step"),
        Some(_) => {}
    }
    match asked[1] {
        None if recorded.closed().is_some() && !recorded.resumed() => {
            refuse(Code::StepMissing, "the identity probe after the last step has no record");
        }
        Some(seq) if seq < last.seq && !recorded.resumed() => {
            refuse(Code::IntentDiffers, "the identity probe came before the last step");
        }
        _ => {}
    }
}

/// The build that an identity answer names.
#[must_use]
pub(super) fn read_build(
    declared: Option<&environment::Identity>,
    observation: &Observation,
    evidence: &dyn Evidence,
) -> Identity {
    let Some(declared) = declared else {
        return Identity::Unread("the environment declares no identity".to_owned());
    };
    if let Some(failure) = observation.failure() {
        return Identity::Unread(failure.message.clone());
    }
    let Observation::Http(http) = observation else {
        return Identity::Unread("the identity was not asked for by HTTP".to_owned());
    };
    let Some(last) = http.hops.last() else {
        return Identity::Unread("no answer came".to_owned());
    };
    if last.hop.status >= 400 {
        return Identity::Unread(format!("the identity request was answered with {}", last.hop.status));
    }
    let Some(body) = evidence.bytes(&last.body().sha256) else {
        return Identity::Unread("the bytes of the answer are not at hand".to_owned());
    };
    let from = match &declared.read {
        IdentityRead::Json(path) => match Path::parse(path) {
            Ok(path) => SaveFrom::Json(path),
            Err(why) => return Identity::Unread(why.to_string()),
        },
        IdentityRead::Regex(pattern) => SaveFrom::Text(pattern.clone()),
    };
    let seen = Seen {
        status: Some(last.hop.status),
        exit: None,
        headers: &last.hop.headers,
        http_version: None,
        url: None,
        first_location: None,
        time_us: 0,
        body: Some(Bytes { kept: &body, complete: last.hop.complete }),
        size: None,
        stdout: None,
        stderr: None,
        log: None,
        request: None,
    };
    match save(&from, &seen) {
        Ok(value) => Identity::Build(crate::vars::text_of(&value)),
        Err(why) => Identity::Unread(why),
    }
}
