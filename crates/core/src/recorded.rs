//! A run as its journal tells it: the fold of a chain into typed records (harness-proof.md 11.5, steps 5, 7, 8).

mod actions;
mod services;

use std::collections::BTreeMap;

use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::{Digest, Id};
use crate::journal::body::{
    ActionCommit, ActionIntent, Body, BudgetEnded, Content, EvidenceCaptured, INLINE, InputSealed, PlanChecked, Role,
    RunCancelled, RunClosed, RuntimeObserved,
};
use crate::journal::chain::{Chain, End};
use crate::journal::opened::{ISOLATION_MOUNTS, ISOLATION_NONE, MOST_JOBS, RunOpened};
use crate::journal::{Entry, Kind, Seal};
use crate::json::Json;

pub use services::{Down, ServiceRecord, Up};

/// A run as it was journalled. Made by [`Recorded::fold`] only.
///
/// ```compile_fail
/// let recorded = probity_core::recorded::Recorded { run: String::new() };
/// ```
#[derive(Clone, Debug)]
pub struct Recorded {
    run: String,
    opened: RunOpened,
    opened_at: String,
    inputs: Vec<InputSealed>,
    checked: Option<PlanChecked>,
    actions: Vec<ActionRecord>,
    runtime: Vec<RuntimeRecord>,
    services: Vec<ServiceRecord>,
    budget: Option<BudgetEnded>,
    cancelled: Option<RunCancelled>,
    closed: Option<RunClosed>,
    ended_at: Option<u64>,
    resumed: bool,
    end: End,
    findings: Vec<Finding>,
}

/// One action: its intent, its commit, what was captured between them.
#[derive(Clone, Debug)]
pub struct ActionRecord {
    /// Number of the intent's entry.
    pub seq: u64,
    /// Generation that began it.
    pub generation: u64,
    /// When it began.
    pub started_at: String,
    /// When it ended; when it began, if it never did.
    pub finished_at: String,
    /// What was about to happen, without its call.
    pub intent: ActionIntent,
    /// Digest of the call's canonical form; absent for a step that never left.
    pub sent: Option<Digest>,
    /// Number of the commit's entry; absent when the process ended in between.
    pub ended: Option<u64>,
    /// What happened; absent when the process ended in between.
    pub commit: Option<ActionCommit>,
    /// What was captured.
    pub evidence: Vec<EvidenceCaptured>,
}

/// Something about the runtime, with what was captured for it.
#[derive(Clone, Debug)]
pub struct RuntimeRecord {
    /// Number of the entry.
    pub seq: u64,
    /// When.
    pub at: String,
    /// What.
    pub observed: RuntimeObserved,
    /// What was captured for it.
    pub evidence: Vec<EvidenceCaptured>,
}

impl Recorded {
    /// Folds a journal, entry by entry, as far as its chain holds; that says whether it does. `None` when it does not
    /// begin with a readable run.opened.
    #[must_use]
    pub fn fold(journal: &[u8]) -> (Chain, Option<Self>) {
        let (mut fold, mut first, mut previous) = (None, true, Digest::zero());
        let chain = Chain::read(journal, |entry, id| {
            let before = std::mem::replace(&mut previous, id);
            match &mut fold {
                None if std::mem::take(&mut first) => fold = Fold::begin(entry),
                None => {}
                Some(fold) => {
                    fold.previous = before;
                    fold.take(entry);
                }
            }
        });
        let recorded = fold.zip(chain.end.clone()).map(|(fold, end)| fold.finish(end));
        (chain, recorded)
    }

    /// The run's id.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The first entry.
    #[must_use]
    pub const fn opened(&self) -> &RunOpened {
        &self.opened
    }

    /// When the run was opened.
    #[must_use]
    pub fn opened_at(&self) -> &str {
        &self.opened_at
    }

    /// When the last entry was written.
    #[must_use]
    pub fn last_at(&self) -> &str {
        &self.end.at
    }

    /// The sealed inputs.
    #[must_use]
    pub fn inputs(&self) -> &[InputSealed] {
        &self.inputs
    }

    /// The sealed input of a role that stands once.
    #[must_use]
    pub fn input(&self, role: Role) -> Option<&InputSealed> {
        self.inputs.iter().find(|input| input.role == role)
    }

    /// The recorded plan check.
    #[must_use]
    pub const fn checked(&self) -> Option<&PlanChecked> {
        self.checked.as_ref()
    }

    /// The actions in the order in which they began.
    #[must_use]
    pub fn actions(&self) -> &[ActionRecord] {
        &self.actions
    }

    /// What was observed of the runtime.
    #[must_use]
    pub fn runtime(&self) -> &[RuntimeRecord] {
        &self.runtime
    }

    /// The services that were started, or were to be, in order.
    #[must_use]
    pub fn services(&self) -> &[ServiceRecord] {
        &self.services
    }

    /// The resource that ran out, if one did.
    #[must_use]
    pub const fn budget(&self) -> Option<&BudgetEnded> {
        self.budget.as_ref()
    }

    /// Who cancelled the run, if somebody did.
    #[must_use]
    pub const fn cancelled(&self) -> Option<&RunCancelled> {
        self.cancelled.as_ref()
    }

    /// Number of the entry after which only cleanup may begin: the first cancellation or end of budget.
    #[must_use]
    pub const fn ended_at(&self) -> Option<u64> {
        self.ended_at
    }

    /// The last entry, if the run was closed.
    #[must_use]
    pub const fn closed(&self) -> Option<&RunClosed> {
        self.closed.as_ref()
    }

    /// Whether the run was taken up again to be closed.
    #[must_use]
    pub const fn resumed(&self) -> bool {
        self.resumed
    }

    /// Entry count and head.
    #[must_use]
    pub fn seal(&self) -> Seal {
        self.end.seal()
    }

    /// The end of its chain.
    #[must_use]
    pub const fn end(&self) -> &End {
        &self.end
    }

    /// The same run with its last entry, given as its line of the journal. `None` where that is not what closes this
    /// run right here: the journal has to be folded as a whole then, to say why.
    pub(crate) fn close(mut self, line: &[u8]) -> Option<Self> {
        let (entry, id) = Entry::read(line).ok()?;
        let before = (self.end.entries, self.end.head);
        let ordered = entry.kind == Kind::RunClosed && is_time(&entry.at) && entry.at >= self.end.at;
        let settled = self.actions.iter().all(|a| a.commit.is_some() || a.generation != entry.generation);
        let mut end = Some(self.end.clone());
        End::follow(&mut end, &entry, id).ok()?;
        let closed = RunClosed::read(entry.body)?;
        if !ordered || !settled || (closed.entries, closed.head) != before {
            return None;
        }
        self.closed = Some(closed);
        self.end = end?;
        Some(self)
    }

    /// What does not hold together.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Everything that was captured, in order.
    pub fn evidence(&self) -> impl Iterator<Item = &EvidenceCaptured> {
        self.actions.iter().flat_map(|a| &a.evidence).chain(self.evidence_of_the_run())
    }

    /// What was captured for no action: of the runtime, then of services.
    pub fn evidence_of_the_run(&self) -> impl Iterator<Item = &EvidenceCaptured> {
        let runtime = self.runtime.iter().flat_map(|r| &r.evidence);
        runtime.chain(self.services.iter().flat_map(|s| &s.evidence))
    }
}

struct Fold {
    recorded: Recorded,
    /// The actions that are under way, in the order in which they began: at most one a case.
    open: Vec<usize>,
    /// Captures since the last runtime entry, for the next one.
    loose: Vec<EvidenceCaptured>,
    /// Steps that have a record, with their entry.
    seen: BTreeMap<(Id, Id), u64>,
    previous: Digest,
    generation: u64,
    /// When the entry before was written.
    at: String,
    /// The entry at hand is the first of its generation.
    fresh: bool,
}

impl Fold {
    /// With the first entry, if its body can be read.
    fn begin(first: Entry) -> Option<Self> {
        let mut fold = Self {
            recorded: Recorded {
                run: first.run,
                opened: RunOpened::read(first.body)?,
                opened_at: first.at.clone(),
                inputs: Vec::new(),
                checked: None,
                actions: Vec::new(),
                runtime: Vec::new(),
                services: Vec::new(),
                budget: None,
                cancelled: None,
                closed: None,
                ended_at: None,
                resumed: false,
                end: End::nothing(),
                findings: Vec::new(),
            },
            open: Vec::new(),
            loose: Vec::new(),
            seen: BTreeMap::new(),
            previous: Digest::zero(),
            generation: first.generation,
            at: first.at,
            fresh: false,
        };
        fold.opened();
        Some(fold)
    }

    fn refuse(&mut self, code: Code, entry: &Entry, message: impl Into<String>) {
        self.refuse_at(code, entry.seq, message);
    }

    fn refuse_at(&mut self, code: Code, seq: u64, message: impl Into<String>) {
        self.recorded.findings.push(Finding::integrity(code, message).at_entry(seq));
    }

    /// Reads a body of its kind, or notes that it is not one.
    fn body<B: Body>(&mut self, entry: &mut Entry) -> Option<B> {
        let body = B::read(std::mem::replace(&mut entry.body, Json::Null));
        if body.is_none() {
            self.refuse(Code::EntryBodyInvalid, entry, format!("the body is not that of {}", entry.kind.as_str()));
        }
        body
    }

    /// What the first entry must hold for anything after it to mean something.
    fn opened(&mut self) {
        if !is_time(&self.recorded.opened_at) {
            let message = format!("{} is no time", self.recorded.opened_at);
            self.refuse_at(Code::TimeBackwards, 0, message);
        }
        let opened = &self.recorded.opened;
        let hex = |text: &str, least: usize| {
            text.len() >= least && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        // A short or chosen marker would be met by any answer (plan.md rule 5: at least 96 bits).
        let marked = opened.marker.strip_prefix(MARKER).is_some_and(|digits| hex(digits, 24));
        if !marked || opened.nonce.len() != 32 || !hex(&opened.nonce, 32) {
            self.refuse_at(Code::EntryBodyInvalid, 0, "nonce or marker is not one that a run makes");
        }
        if ![ISOLATION_NONE, ISOLATION_MOUNTS].contains(&self.recorded.opened.isolation.as_str()) {
            self.refuse_at(Code::EntryBodyInvalid, 0, "this version knows no such isolation");
        }
        if !(1..=MOST_JOBS).contains(&self.recorded.opened.options.jobs) {
            self.refuse_at(Code::EntryBodyInvalid, 0, "no run has that many cases under way at once");
        }
    }

    fn take(&mut self, mut entry: Entry) {
        self.fresh = entry.generation != self.generation;
        self.generation = entry.generation;
        if self.fresh && entry.kind != Kind::RuntimeObserved {
            self.refuse(Code::RunMixed, &entry, "a generation begins without saying that the run is taken up again");
        }
        if entry.at < self.at || !is_time(&entry.at) {
            let message = format!("the time {} does not follow {}", entry.at, self.at);
            self.refuse(Code::TimeBackwards, &entry, message);
        }
        entry.at.clone_into(&mut self.at);
        match entry.kind {
            // The chain has refused a second one.
            Kind::RunOpened => {}
            Kind::InputSealed => self.input(&mut entry),
            Kind::PlanChecked => self.checked(&mut entry),
            Kind::ActionIntent => self.intent(&mut entry),
            Kind::ActionCommit => self.commit(&mut entry),
            Kind::EvidenceCaptured => self.captured(&mut entry),
            Kind::RuntimeObserved => self.runtime(&mut entry),
            Kind::ServiceIntent => self.service_intent(&mut entry),
            Kind::ServiceUp => self.service_up(&mut entry),
            Kind::ServiceDown => self.service_down(&mut entry),
            Kind::BudgetExceeded => {
                self.recorded.budget = self.body(&mut entry);
                self.recorded.ended_at.get_or_insert(entry.seq);
            }
            Kind::RunCancelled => {
                self.recorded.cancelled = self.body(&mut entry);
                self.recorded.ended_at.get_or_insert(entry.seq);
            }
            Kind::RunClosed => self.closed(&mut entry),
        }
    }

    fn input(&mut self, entry: &mut Entry) {
        let Some(input) = self.body::<InputSealed>(entry) else { return };
        let many = matches!(input.role, Role::File | Role::Program);
        let twice = self.recorded.inputs.iter().any(|i| i.role == input.role && (!many || i.name == input.name));
        if twice || !self.recorded.actions.is_empty() || self.recorded.checked.is_some() {
            self.refuse(
                Code::InputTwice,
                entry,
                format!("the {} {} is sealed again, or too late", input.role.as_str(), input.name),
            );
        }
        if leaves_folder(&input.name) {
            self.refuse(Code::PathAbsolute, entry, format!("{} is no relative name", input.name));
        }
        if input.content == Content::Absent && input.role != Role::Program {
            self.refuse(Code::InputMissing, entry, format!("{} is sealed without its bytes", input.name));
        }
        self.content(entry, &input.content, &input.sha256, input.bytes);
        self.recorded.inputs.push(input);
    }

    /// Bytes that stand in an entry are those of their digest, and stand there in the one way in which they can;
    /// a file is named by its digest.
    fn content(&mut self, entry: &Entry, content: &Content, sha256: &Digest, size: u64) {
        match content {
            Content::Absent if size > 0 => {
                self.refuse(Code::EntryBodyInvalid, entry, format!("{size} bytes are said to stand nowhere"));
            }
            Content::Absent => {}
            Content::File(name) => {
                if !is_evidence_name(name, sha256) {
                    self.refuse(Code::PathAbsolute, entry, format!("a file of {sha256} is named {name}"));
                } else if size <= INLINE as u64 {
                    self.refuse(Code::EntryBodyInvalid, entry, format!("{size} bytes stand in a file"));
                }
            }
            Content::Text(_) | Content::Base64(_) => match content.bytes() {
                Some(bytes) if Digest::of(&bytes) != *sha256 || bytes.len() as u64 != size => {
                    self.refuse(Code::EvidenceChanged, entry, format!("the bytes are not those of {sha256}"));
                }
                Some(bytes) if Content::inline(&bytes).as_ref() == Some(content) => {}
                _ => self.refuse(Code::EntryBodyInvalid, entry, "the bytes do not stand as bytes stand in entries"),
            },
        }
    }

    fn checked(&mut self, entry: &mut Entry) {
        let Some(checked) = self.body::<PlanChecked>(entry) else { return };
        if self.recorded.checked.is_some() {
            self.refuse(Code::PlanCheckDiffers, entry, "the plan was checked twice");
        }
        self.recorded.checked = Some(checked);
    }

    fn runtime(&mut self, entry: &mut Entry) {
        let Some(observed) = self.body::<RuntimeObserved>(entry) else { return };
        self.abandoned(entry);
        let resumed = matches!(observed, RuntimeObserved::Resumed { .. });
        if resumed != self.fresh {
            let message = "a run is taken up again at the beginning of a generation, and nowhere else";
            self.refuse(Code::RunMixed, entry, message);
        }
        self.recorded.resumed |= resumed;
        // A process that died in the middle of an identity probe leaves its bytes without their entry.
        let evidence = std::mem::take(&mut self.loose);
        if !evidence.is_empty() && !resumed && !matches!(observed, RuntimeObserved::Identity { .. }) {
            self.refuse(Code::EvidenceForeign, entry, "what was captured before belongs to no identity probe");
        }
        self.recorded.runtime.push(RuntimeRecord { seq: entry.seq, at: entry.at.clone(), observed, evidence });
    }

    fn closed(&mut self, entry: &mut Entry) {
        let Some(closed) = self.body::<RunClosed>(entry) else { return };
        self.abandoned(entry);
        if closed.entries != entry.seq || closed.head != self.previous {
            self.refuse(Code::TailCut, entry, "run.closed names another count or head than the chain before it");
        }
        self.recorded.closed = Some(closed);
    }

    fn finish(mut self, end: End) -> Recorded {
        if !self.loose.is_empty() {
            self.recorded.findings.push(
                Finding::integrity(Code::EvidenceForeign, "evidence was captured for nothing that is recorded")
                    .at_entry(end.entries),
            );
        }
        // Most vectors of a step grew by what they were made for, not by what they hold.
        self.recorded.actions.shrink_to_fit();
        Recorded { end, ..self.recorded }
    }
}

/// How `qa_marker` begins; at least 24 hex digits follow.
pub const MARKER: &str = "QA_MARKER_";

/// Whether a file below `evidence/` is named as its digest demands: `ab/<digest>.<ext>`.
fn is_evidence_name(name: &str, sha256: &Digest) -> bool {
    let hex = sha256.to_string();
    let rest = name.strip_prefix(&hex[..2]).and_then(|n| n.strip_prefix('/')).and_then(|n| n.strip_prefix(&hex));
    rest.and_then(|rest| rest.strip_prefix('.')).is_some_and(|ext| {
        !ext.is_empty() && ext.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'.')
    })
}

/// How a program is named in records, which hold relative names only: one outside the project without its folders.
#[must_use]
pub fn program_name(name: &str) -> &str {
    if name.starts_with('/') { name.rsplit('/').next().unwrap_or(name) } else { name }
}

/// Whether a recorded name is absolute, steps out of its folder, or could be read as one on some system.
pub fn leaves_folder(name: &str) -> bool {
    name.is_empty()
        || name.starts_with(['/', '\\', '~'])
        || name.contains('\0')
        || name.as_bytes().get(1) == Some(&b':')
        || name.split(['/', '\\']).any(|part| part == "..")
}

/// `2026-11-30T14:24:02.123Z`
fn is_time(text: &str) -> bool {
    let pattern = b"dddd-dd-ddTdd:dd:dd.dddZ";
    text.len() == pattern.len()
        && text.bytes().zip(pattern).all(|(c, p)| if *p == b'd' { c.is_ascii_digit() } else { c == *p })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_inside() {
        for bad in ["", "/etc/passwd", "a/../../b", "..", "C:\\x", "\\\\host\\x", "~/x", "a\0b"] {
            assert!(leaves_folder(bad), "{bad:?}");
        }
        for good in ["a", "tools/read.py", "..a", "a..b"] {
            assert!(!leaves_folder(good), "{good:?}");
        }
    }

    #[test]
    fn times_have_one_form() {
        assert!(is_time("2026-11-30T14:24:02.123Z"));
        assert!(!is_time("2026-11-30T14:24:02Z"));
        assert!(!is_time("2026-11-30 14:24:02.123Z"));
    }
}
