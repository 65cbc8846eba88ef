//! What was observed of the runtime: the connections before the first step, and which build answered.

use crate::checked::CheckedPlan;
use crate::codes::Code;
use crate::environment::IdentityRead;
use crate::evaluate::{Bytes, Seen, save};
use crate::finding::Finding;
use crate::journal::body::{Body, RuntimeObserved};
use crate::journal::observation::Observation;
use crate::path::Path;
use crate::plan::SaveFrom;
use crate::recorded::Recorded;
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
    /// Something could not be recorded.
    pub recording_failed: Option<String>,
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
    evidence: &Evidence<'_>,
    findings: &mut Vec<Finding>,
) -> Runtime {
    let mut runtime = Runtime::default();
    for record in recorded.runtime() {
        match &record.observed {
            RuntimeObserved::Preflight { failure: None, .. } | RuntimeObserved::Resumed { .. } => {}
            RuntimeObserved::Preflight { origin, failure: Some((code, message)) } => {
                let code = Code::parse(code).unwrap_or(Code::TargetUnreachable);
                runtime.unreachable.push((origin.clone(), code, message.clone()));
            }
            RuntimeObserved::Identity { phase, observation, .. } => {
                let Some(observation) = Observation::read_strict(observation) else {
                    findings.push(
                        Finding::integrity(Code::EntryBodyInvalid, "the identity probe's observation")
                            .at_entry(record.seq),
                    );
                    continue;
                };
                let owned = observation.blobs().iter().all(|blob| record.evidence.iter().any(|e| e.sha256 == *blob));
                if !owned {
                    findings.push(
                        Finding::integrity(
                            Code::EvidenceForeign,
                            "the identity probe cites bytes that were not captured for it",
                        )
                        .at_entry(record.seq),
                    );
                }
                let read = identity(checked, &observation, evidence);
                let slot = if phase == "before" { &mut runtime.before } else { &mut runtime.after };
                *slot = Some(read);
            }
            RuntimeObserved::RecordingFailed { message } => runtime.recording_failed = Some(message.clone()),
        }
    }
    runtime
}

/// The build that an identity answer names.
#[must_use]
pub(super) fn identity(checked: &CheckedPlan, observation: &Observation, evidence: &Evidence<'_>) -> Identity {
    let Some(declared) = &checked.environment().identity else {
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
    let Some(body) = evidence(&last.body().sha256) else {
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
        stdout: None,
        stderr: None,
        request: None,
    };
    match save(&from, &seen) {
        Ok(value) => Identity::Build(crate::vars::text_of(&value)),
        Err(why) => Identity::Unread(why),
    }
}
