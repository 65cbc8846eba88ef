//! From a run folder to its verdict: the readers of bytes that core asks for, put together.

use std::borrow::Cow;
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
use probity_core::verify::{FileSeen, Folder, Known, ListedEnd, ListedRun, Verified, ViewSeen};
use probity_store::list::{self, Event};
use probity_store::naming::{JOURNAL, RUN_LIST};
use probity_store::run::LINE_MAX;
use probity_store::snapshot::{Budget, Snapshot};

/// The reader of documents.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Node, Vec<Diagnostic>> {
    probity_formats::document::read(name, bytes)
}

/// Every view of a judged run: name and bytes.
pub(crate) fn views(judged: &Judged, evidence: &dyn Evidence) -> Vec<(String, Vec<u8>)> {
    let core = probity_core::views::views(judged).into_iter().map(|(name, bytes)| (name.to_owned(), bytes));
    let html = ("report.html".to_owned(), crate::html::page(judged, evidence).into_bytes());
    let junit = ("junit.xml".to_owned(), crate::junit::junit(judged).into_bytes());
    let ctrf = ("ctrf.json".to_owned(), crate::ctrf::ctrf(judged).into_bytes());
    core.chain([html, junit, ctrf]).collect()
}

/// Judges a run folder that this process wrote; `known` is its plan, where it was checked when the run was opened. The
/// snapshot has its evidence.
pub(crate) fn judge(dir: &Path, known: Option<&Arc<CheckedPlan>>) -> Option<(Known, Snapshot)> {
    let snapshot = Snapshot::of_folder(dir, &Budget::default()).ok()?;
    let judged = judge_snapshot(&snapshot, known)?;
    Some((Known { journal: snapshot.journal_shared(), last: Vec::new(), judged }, snapshot))
}

fn judge_snapshot(snapshot: &Snapshot, known: Option<&Arc<CheckedPlan>>) -> Option<Judged> {
    let chain = Chain::read(snapshot.journal());
    if chain.findings.iter().any(|finding| finding.code != Code::JournalPartialLine) {
        return None;
    }
    let audited = audit(Recorded::fold(chain)?, &Material { files: snapshot, parse: &parse, known }).ok()?;
    Some(judged::judge(audited))
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

/// What is known of a run once its last entry was written. `None` where what was written is no such line; whether the
/// lines before it are still those that were judged is for the verification to see.
pub(crate) fn closed(dir: &Path, known: Known) -> Option<Known> {
    let mut file = File::open(dir.join(JOURNAL)).ok()?;
    file.seek(SeekFrom::Start(known.journal.len() as u64)).ok()?;
    let mut last = Vec::new();
    file.take(LINE_MAX).read_to_end(&mut last).ok()?;
    let judged = known.judged.close(last.strip_suffix(b"\n")?)?;
    Some(Known { last, judged, ..known })
}

/// Verifies a run folder. `index` is the run list to compare with, by default the one beside the folder; `seal` is one
/// that the caller was given.
pub(crate) fn verify(dir: &Path, index: Option<&Path>, seal: Option<&Seal>) -> Verified {
    let list = index.map(Path::to_path_buf).or_else(|| list_beside(dir));
    verify_listed(dir, list.as_deref(), seal, None)
}

/// What this process has just closed: what it worked out, and the views that it wrote.
type Closed<'a> = (Known, &'a [(String, Vec<u8>)]);

/// Verifies a run folder that this process has just closed: everything in it is read again from the disk, and the
/// verdict is not worked out a second time over the same bytes.
pub(crate) fn verify_closed(dir: &Path, closed: Closed<'_>) -> Verified {
    verify_listed(dir, list_beside(dir).as_deref(), None, Some(closed))
}

fn list_beside(dir: &Path) -> Option<PathBuf> {
    dir.canonicalize().ok()?.parent().map(|root| root.join(RUN_LIST))
}

fn verify_listed(dir: &Path, list: Option<&Path>, seal: Option<&Seal>, closed: Option<Closed<'_>>) -> Verified {
    let bytes = list.and_then(read_list);
    match Snapshot::of_folder(dir, &Budget::default()) {
        Ok(snapshot) => verify_snapshot(&snapshot, bytes.as_deref(), seal, Vec::new(), closed),
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
        journal: &[],
        files: &[],
        view: &|_, _| ViewSeen::Missing,
        evidence: &nothing,
        problems,
        listed: None,
        seal: None,
    };
    let mut verified = probity_core::verify::verify(&folder, &parse, &|judged| views(judged, &nothing).into(), None);
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
    closed: Option<Closed<'_>>,
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
        journal: snapshot.journal(),
        files: &files,
        view: &|name, derived| snapshot.view(name, derived),
        evidence: snapshot,
        problems: &problems,
        listed: listed.as_ref(),
        seal,
    };
    match closed {
        Some((known, written)) => {
            probity_core::verify::verify(&folder, &parse, &|_| Cow::Borrowed(written), Some(known))
        }
        None => probity_core::verify::verify(&folder, &parse, &|judged| views(judged, snapshot).into(), None),
    }
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
    Chain::read(journal).entries.last().map(|(entry, _)| entry.at.clone())
}

#[cfg(test)]
mod tests;
