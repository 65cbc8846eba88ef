//! From a run folder to its verdict: the readers of bytes that core asks for, put together.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use probity_core::audit::{Bytes, Material, audit};
use probity_core::checked::CheckedPlan;
use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostic;
use probity_core::document::Node;
use probity_core::finding::{Finding, Weight};
use probity_core::ids::Digest;
use probity_core::journal::body::Role;
use probity_core::journal::chain::Chain;
use probity_core::journal::{Entry, Seal};
use probity_core::json::Json;
use probity_core::judged::{self, Judged};
use probity_core::recorded::Recorded;
use probity_core::step::Evidence;
use probity_core::verify::{FileSeen, Folder, Journal, Known, ListedEnd, ListedRun, Verified};
use probity_core::views::{Taker, Written, hand};
use probity_store::list::{self, Event};
use probity_store::naming::{JOURNAL, RUN_LIST};
use probity_store::run::LINE_MAX;
use probity_store::snapshot::{Budget, Snapshot};
use sha2::{Digest as _, Sha256};

/// The reader of documents.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Node, Vec<Diagnostic>> {
    probity_formats::document::read(name, bytes)
}

/// Hands on every view of a judged run.
pub(crate) fn views(judged: &Judged, evidence: &dyn Evidence, taker: &mut dyn Taker) {
    probity_core::views::views(judged, taker);
    let mut whole = |name: &str, text: &str| hand(taker, name, |out| out(text.as_bytes()));
    whole("report.html", &crate::html::page(judged, evidence));
    whole("junit.xml", &crate::junit::junit(judged));
    whole("ctrf.json", &crate::ctrf::ctrf(judged));
}

/// A run folder that this process wrote, judged before its last entry.
pub(crate) struct Derived {
    /// What it comes to.
    pub(crate) judged: Judged,
    /// Its evidence.
    pub(crate) snapshot: Snapshot,
    /// The size of the journal that was judged, and its digest so far.
    bytes: u64,
    sha256: Sha256,
}

/// How much of the evidence of a run that is closed is kept in memory, in bytes: what is larger is read once more where it
/// is asked for, and most of it is not.
const HELD: u64 = 1 << 20;

/// Judges a run folder that this process wrote; `known` is its plan, where it was checked when the run was opened.
pub(crate) fn judge(dir: &Path, known: Option<&Arc<CheckedPlan>>) -> Option<Derived> {
    let mut snapshot = Snapshot::of_folder(dir, &Budget { held: HELD, ..Budget::default() }).ok()?;
    let recorded = folded(snapshot.journal())?;
    let bytes = snapshot.journal().len() as u64;
    let sha256 = Sha256::new_with_prefix(snapshot.journal());
    // What the journal says stands in its records now, and the memory is needed for what comes of them.
    snapshot.let_journal_go();
    let judged = judge_recorded(recorded, &snapshot, known)?;
    Some(Derived { judged, snapshot, bytes, sha256 })
}

fn judge_snapshot(snapshot: &Snapshot, known: Option<&Arc<CheckedPlan>>) -> Option<Judged> {
    judge_recorded(folded(snapshot.journal())?, snapshot, known)
}

/// The records of a journal whose chain holds to its end, or to an unfinished last line.
fn folded(journal: &[u8]) -> Option<Recorded> {
    let (chain, recorded) = Recorded::fold(journal);
    recorded.filter(|_| chain.is_sound())
}

fn judge_recorded(recorded: Recorded, files: &Snapshot, known: Option<&Arc<CheckedPlan>>) -> Option<Judged> {
    Some(judged::judge(audit(recorded, &Material { files, parse: &parse, known }).ok()?))
}

/// A run whose process was lost: what it comes to so far, and the sealed files that its plan names. `None` where that
/// cannot be worked out, or where anything does not hold together: nothing is sent then.
pub(crate) fn lost(dir: &Path) -> Option<(Judged, BTreeMap<String, Vec<u8>>)> {
    let snapshot = Snapshot::of_folder(dir, &Budget::default()).ok()?;
    let judged = judge_snapshot(&snapshot, None)?;
    let broken = judged.audited().findings().iter().any(|finding| finding.weight == Weight::Integrity);
    if broken {
        return None;
    }
    let recorded = judged.audited().recorded();
    let bytes = Bytes::of(recorded, &snapshot);
    let sealed = recorded.inputs().iter().filter(|input| input.role == Role::File);
    let files = sealed.filter_map(|input| Some((input.name.clone(), bytes.bytes(&input.sha256)?.to_vec()))).collect();
    Some((judged, files))
}

impl Derived {
    /// The same run once its last entry was written. `None` where what was written is no such line; whether the lines
    /// before it are still those that were judged is for the verification to see.
    pub(crate) fn closed(self, dir: &Path) -> Option<Self> {
        let mut file = File::open(dir.join(JOURNAL)).ok()?;
        file.seek(SeekFrom::Start(self.bytes)).ok()?;
        let mut last = Vec::new();
        file.take(LINE_MAX).read_to_end(&mut last).ok()?;
        let judged = self.judged.close(last.strip_suffix(b"\n")?)?;
        let bytes = self.bytes + last.len() as u64;
        Some(Self { judged, bytes, sha256: self.sha256.chain_update(&last), ..self })
    }

    /// Verifies the folder, once its views were written: everything in it is read again from the disk, and the verdict
    /// is not worked out a second time over the same bytes.
    pub(crate) fn verify(self, dir: &Path, written: Vec<Written>) -> Verified {
        let sha256 = Digest::from_bytes(self.sha256.finalize().into());
        let known = Known { bytes: self.bytes, sha256, judged: self.judged, views: written };
        drop(self.snapshot);
        verify_listed(dir, list_beside(dir).as_deref(), None, Some(known))
    }
}

/// Verifies a run folder. `index` is the run list to compare with, by default the one beside the folder; `seal` is one
/// that the caller was given.
pub(crate) fn verify(dir: &Path, index: Option<&Path>, seal: Option<&Seal>) -> Verified {
    let list = index.map(Path::to_path_buf).or_else(|| list_beside(dir));
    verify_listed(dir, list.as_deref(), seal, None)
}

fn list_beside(dir: &Path) -> Option<PathBuf> {
    dir.canonicalize().ok()?.parent().map(|root| root.join(RUN_LIST))
}

fn verify_listed(dir: &Path, list: Option<&Path>, seal: Option<&Seal>, known: Option<Known>) -> Verified {
    let bytes = list.and_then(read_list);
    let snapshot = match &known {
        // Of what is known nothing is read a second time, so nothing has to be at hand.
        Some(known) => {
            let budget = Budget { held: 0, ..Budget::default() };
            Snapshot::of_folder_expecting(dir, &budget, (known.bytes, known.sha256))
        }
        None => Snapshot::of_folder(dir, &Budget::default()),
    };
    match snapshot {
        Ok(snapshot) => verify_snapshot(&snapshot, bytes.as_deref(), seal, Vec::new(), known),
        Err(problems) => {
            let findings: Vec<Finding> =
                problems.into_iter().map(|p| Finding::integrity(p.code, p.message).in_file(p.file)).collect();
            refused(&findings)
        }
    }
}

/// The largest run list that is read.
const LARGEST_LIST: u64 = 256 << 20;

fn read_list(path: &Path) -> Option<Vec<u8>> {
    let facts = std::fs::symlink_metadata(path).ok()?;
    (facts.is_file() && facts.len() <= LARGEST_LIST).then(|| std::fs::read(path).ok()).flatten()
}

/// A folder that cannot be read within bounds.
fn refused(problems: &[Finding]) -> Verified {
    let nothing = |_: &Digest| None;
    let folder = Folder {
        journal: Journal::Whole(&[]),
        files: &[],
        view: &|_| None,
        evidence: &nothing,
        problems,
        listed: None,
        seal: None,
    };
    let mut verified =
        probity_core::verify::verify(&folder, &parse, &|judged, taker| views(judged, &nothing, taker), None);
    // Nothing was read, so nothing can be said of a journal.
    verified
        .findings
        .retain(|finding| !matches!(finding.code, Code::JournalUnreadable | Code::NotOpened | Code::NotAnchored));
    verified
}

/// Verifies what a snapshot holds, against the bytes of a run list.
fn verify_snapshot(
    snapshot: &Snapshot,
    list: Option<&[u8]>,
    seal: Option<&Seal>,
    mut problems: Vec<Finding>,
    known: Option<Known>,
) -> Verified {
    let files: Vec<FileSeen> = snapshot
        .files()
        .map(|(name, facts)| FileSeen { name: name.to_owned(), size: facts.size, sha256: facts.digest })
        .collect();
    let listed = list.and_then(|bytes| match list::read(bytes) {
        Ok(lines) => listed(&lines, snapshot.journal()),
        Err(fault) => {
            problems.push(
                Finding::integrity(Code::IndexBroken, format!("line {}: {}", fault.line, fault.message))
                    .in_file(RUN_LIST),
            );
            None
        }
    });
    let folder = Folder {
        journal: snapshot.journal_seen(),
        files: &files,
        view: &|name| snapshot.open_view(name),
        evidence: snapshot,
        problems: &problems,
        listed: listed.as_ref(),
        seal,
    };
    probity_core::verify::verify(&folder, &parse, &|judged, taker| views(judged, snapshot, taker), known)
}

/// What a run list says of the run whose journal this is: by its id, or by its nonce under another id.
fn listed(lines: &[list::Line], journal: &[u8]) -> Option<ListedRun> {
    let first = journal.split(|byte| *byte == b'\n').next()?;
    let (entry, _) = Entry::read(first).ok()?;
    let nonce = entry.body.get("nonce").and_then(Json::as_text).unwrap_or_default();
    let openings = || lines.iter().filter(|line| line.event == Event::Opened);
    let opened = openings().find(|l| l.run == entry.run).or_else(|| openings().find(|l| l.nonce == nonce))?;
    let closed = lines.iter().find(|line| line.run == opened.run && line.event == Event::Closed);
    Some(ListedRun {
        run: opened.run.clone(),
        nonce: opened.nonce.clone(),
        series: opened.series.clone(),
        attempt: opened.attempt,
        opened_at: opened.at.clone(),
        closed: closed.map(|line| ListedEnd { entries: line.entries, head: line.head, at: line.at.clone() }),
    })
}

/// The time of the last whole entry of a journal.
pub(crate) fn last_time(journal: &[u8]) -> Option<String> {
    Chain::read(journal, |_, _| {}).end.map(|end| end.at)
}

#[cfg(test)]
mod tests;
