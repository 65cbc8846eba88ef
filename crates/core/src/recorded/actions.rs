//! The entries of actions, folded into a record each: an intent, what was captured, a commit.

use super::{ActionRecord, Fold};
use crate::codes::Code;
use crate::ids::Id;
use crate::invoke::call_digest;
use crate::journal::Entry;
use crate::journal::body::{ActionCommit, ActionIntent, Content, EvidenceCaptured};
use crate::json::Json;

impl Fold {
    pub(super) fn intent(&mut self, entry: &mut Entry) {
        let Some(mut intent) = self.body::<ActionIntent>(entry) else { return };
        // A plan gives the call again, so its digest is enough to compare with.
        let sent = match std::mem::replace(&mut intent.call, Json::Null) {
            Json::Null => None,
            call => Some(call_digest(&call)),
        };
        self.make_room(&intent.scenario, entry);
        if self.recorded.checked.is_none() {
            self.refuse(Code::PlanCheckDiffers, entry, "an action began before the plan was checked");
        }
        let key = (intent.scenario.clone(), intent.step.clone());
        if let Some(first) = self.seen.insert(key, entry.seq) {
            self.refuse(Code::StepTwice, entry, format!("{} has its record in entry {first} already", intent.step));
        }
        self.open.push(self.recorded.actions.len());
        self.recorded.actions.push(ActionRecord {
            seq: entry.seq,
            generation: entry.generation,
            started_at: entry.at.clone(),
            finished_at: entry.at.clone(),
            intent,
            sent,
            ended: None,
            commit: None,
            evidence: Vec::new(),
        });
    }

    /// Before an action of a case: the one before it has ended, and no more are under way than the run allows.
    fn make_room(&mut self, case: &Id, entry: &Entry) {
        if let Some(own) = self.open.iter().position(|open| self.recorded.actions[*open].intent.scenario == *case) {
            self.abandon(own, entry);
        }
        while self.open.len() as u64 >= self.recorded.opened.options.jobs.max(1) {
            self.abandon(0, entry);
        }
    }

    /// Actions that are still under way when something comes that is of the whole run.
    pub(super) fn abandoned(&mut self, entry: &Entry) {
        while !self.open.is_empty() {
            self.abandon(0, entry);
        }
    }

    /// An action that is still under way when it may not be any more: fine only across a resume.
    fn abandon(&mut self, position: usize, entry: &Entry) {
        let action = &self.recorded.actions[self.open.remove(position)];
        if action.generation == entry.generation {
            let message = format!("{} began in entry {} and never ended", action.intent.step, action.seq);
            self.refuse(Code::IntentWithoutCommit, entry, message);
        }
    }

    /// The action under way whose intent is this entry, by its position in `open`.
    fn under_way(&self, intent: u64) -> Option<usize> {
        self.open.iter().position(|open| self.recorded.actions[*open].seq == intent)
    }

    pub(super) fn commit(&mut self, entry: &mut Entry) {
        let Some(commit) = self.body::<ActionCommit>(entry) else { return };
        let open = self.under_way(commit.intent).map(|position| self.open.remove(position));
        let open = open.map(|open| &mut self.recorded.actions[open]).filter(|action| {
            action.generation == entry.generation
                && action.intent.step == commit.step
                && action.intent.scenario == commit.scenario
        });
        match open {
            Some(action) => {
                // The same ids as in the intent: one copy of them is enough.
                let (scenario, step) = (action.intent.scenario.clone(), action.intent.step.clone());
                action.commit = Some(ActionCommit { scenario, step, ..commit });
                action.ended = Some(entry.seq);
                entry.at.clone_into(&mut action.finished_at);
            }
            None => self.refuse(
                Code::CommitWithoutIntent,
                entry,
                format!("no open intent {} of {}", commit.intent, commit.step),
            ),
        }
    }

    pub(super) fn captured(&mut self, entry: &mut Entry) {
        let Some(evidence) = self.body::<EvidenceCaptured>(entry) else { return };
        if evidence.content == Content::Absent {
            self.refuse(Code::EvidenceMissing, entry, "evidence is captured without its bytes");
        }
        self.content(entry, &evidence.content, &evidence.sha256, evidence.bytes);
        let open = self.under_way(evidence.intent).map(|position| self.open[position]);
        let evidence = if open.is_none() && evidence.role == "log" {
            match self.service_log(evidence) {
                Some(evidence) => evidence,
                None => return,
            }
        } else {
            evidence
        };
        // What belongs to the whole run is captured while nothing is under way.
        let whole = self.open.is_empty();
        let known = match open {
            Some(_) => ["body", "wire", "stdout", "stderr", "request", "log"].contains(&evidence.role.as_str()),
            None => whole && ["identity", "wire"].contains(&evidence.role.as_str()) && evidence.intent == 0,
        };
        if !known {
            let message = format!("{} is captured for entry {}", evidence.role, evidence.intent);
            self.refuse(Code::EvidenceForeign, entry, message);
        }
        match open {
            Some(open) => {
                let captured = &mut self.recorded.actions[open].evidence;
                if captured.is_empty() {
                    // Most steps have one.
                    captured.reserve_exact(1);
                }
                captured.push(evidence);
            }
            None if known => self.loose.push(evidence),
            // It was refused.
            None => {}
        }
    }
}
