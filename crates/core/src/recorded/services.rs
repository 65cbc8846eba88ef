//! The entries of services, folded into a record each.

use super::Fold;
use crate::codes::Code;
use crate::ids::Id;
use crate::journal::Entry;
use crate::journal::body::EvidenceCaptured;
use crate::journal::service::{DownCause, ServiceDown, ServiceIntent, ServiceUp, UpState};

/// One service: what was to be started, what came of it, how it ended.
#[derive(Clone, Debug)]
pub struct ServiceRecord {
    /// Number of the intent's entry.
    pub seq: u64,
    /// Generation that began it.
    pub generation: u64,
    /// When the intent was written.
    pub intended_at: String,
    /// What was to be started.
    pub intent: ServiceIntent,
    /// Its process was started.
    pub started: Option<Up>,
    /// It became ready, was let through or was adopted.
    pub settled: Option<Up>,
    /// Its end; absent while it runs.
    pub down: Option<Down>,
    /// What it wrote.
    pub evidence: Vec<EvidenceCaptured>,
}

/// A `service.up` entry.
#[derive(Clone, Debug)]
pub struct Up {
    /// Number of the entry.
    pub seq: u64,
    /// When.
    pub at: String,
    /// What it says.
    pub body: ServiceUp,
}

/// A `service.down` entry.
#[derive(Clone, Debug)]
pub struct Down {
    /// Number of the entry.
    pub seq: u64,
    /// When.
    pub at: String,
    /// What it says.
    pub body: ServiceDown,
}

impl ServiceRecord {
    /// Whether it is ready, or is used as if it were.
    #[must_use]
    pub fn state(&self) -> Option<UpState> {
        self.settled.as_ref().map(|up| up.body.state)
    }

    /// What is known of its process: as it was when it was ready, else as it was when it was started.
    #[must_use]
    pub fn process(&self) -> Option<&crate::journal::service::Process> {
        [&self.settled, &self.started].into_iter().flatten().find_map(|up| up.body.process.as_ref())
    }
}

impl Fold {
    pub(super) fn service_intent(&mut self, entry: &mut Entry) {
        let Some(intent) = self.body::<ServiceIntent>(entry) else { return };
        self.abandoned(entry);
        if self.recorded.checked.is_none() {
            self.refuse(Code::PlanCheckDiffers, entry, "a service was started before the plan was checked");
        }
        if let Some(known) = self.recorded.services.iter().find(|known| known.intent.service == intent.service) {
            let message = format!("the service {} has its record in entry {} already", intent.service, known.seq);
            self.refuse(Code::StepTwice, entry, message);
        }
        self.recorded.services.push(ServiceRecord {
            seq: entry.seq,
            generation: entry.generation,
            intended_at: entry.at.clone(),
            intent,
            started: None,
            settled: None,
            down: None,
            evidence: Vec::new(),
        });
    }

    pub(super) fn service_up(&mut self, entry: &mut Entry) {
        let Some(up) = self.body::<ServiceUp>(entry) else { return };
        self.abandoned(entry);
        let generation = entry.generation;
        let message = format!("{} is said to be {}, which does not follow", up.service, up.state.as_str());
        let record = self.open_service(up.intent, &up.service).filter(|record| record.generation == generation);
        let Some(record) = record else { return self.refuse(Code::CommitWithoutIntent, entry, message) };
        let first = record.started.is_none() && record.settled.is_none();
        let (slot, follows) = match up.state {
            UpState::Started => (&mut record.started, first),
            UpState::Adopted => (&mut record.settled, first && up.process.is_none()),
            UpState::Ready | UpState::Unready => {
                let started = record.started.is_some();
                (&mut record.settled, started)
            }
        };
        let follows = follows && slot.is_none() && (up.process.is_some() || up.state == UpState::Adopted);
        slot.get_or_insert(Up { seq: entry.seq, at: entry.at.clone(), body: up });
        if !follows {
            self.refuse(Code::CommitWithoutIntent, entry, message);
        }
    }

    pub(super) fn service_down(&mut self, entry: &mut Entry) {
        let Some(down) = self.body::<ServiceDown>(entry) else { return };
        // One that ends by itself does so beside what other cases have under way.
        if down.cause != DownCause::Died || self.recorded.opened.options.jobs <= 1 {
            self.abandoned(entry);
        }
        let message = format!("{} is said to be down and was not up", down.service);
        let Some(record) = self.open_service(down.intent, &down.service) else {
            return self.refuse(Code::CommitWithoutIntent, entry, message);
        };
        let cited = down.log.as_ref().map(|log| (log.sha256, log.bytes));
        let captured = record.evidence.iter().map(|one| (one.sha256, one.bytes)).collect::<Vec<_>>();
        record.down = Some(Down { seq: entry.seq, at: entry.at.clone(), body: down });
        if cited.into_iter().ne(captured) {
            self.refuse(Code::EvidenceForeign, entry, "the log is not what was captured of the service");
        }
    }

    /// The record of an intent that has no end yet.
    fn open_service(&mut self, intent: u64, service: &Id) -> Option<&mut ServiceRecord> {
        let mut open = self.recorded.services.iter_mut();
        open.find(|record| record.seq == intent && record.intent.service == *service && record.down.is_none())
    }

    /// Takes what a service wrote, where it is of one that is open. Gives it back where it is not.
    pub(super) fn service_log(&mut self, evidence: EvidenceCaptured) -> Option<EvidenceCaptured> {
        let mut open = self.recorded.services.iter_mut();
        let found = open.find(|record| record.seq == evidence.intent && record.down.is_none());
        match found.filter(|record| record.evidence.is_empty()) {
            Some(record) => {
                record.evidence.push(evidence);
                None
            }
            None => Some(evidence),
        }
    }
}
