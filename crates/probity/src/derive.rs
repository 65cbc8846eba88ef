//! From a run folder to its verdict: the readers of bytes that core asks for, put together.

use std::path::Path;

use probity_core::audit::{Material, audit};
use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostic;
use probity_core::document::Node;
use probity_core::finding::Finding;
use probity_core::ids::Digest;
use probity_core::journal::Seal;
use probity_core::journal::chain::Chain;
use probity_core::judged::{self, Judged};
use probity_core::recorded::Recorded;
use probity_core::verify::{FileSeen, Folder, ListedRun, Verified};
use probity_store::list::{self, Event};
use probity_store::naming::RUN_LIST;
use probity_store::snapshot::{Budget, Snapshot};

/// The reader of documents.
pub(crate) fn parse(name: &str, bytes: &[u8]) -> Result<Node, Vec<Diagnostic>> {
    probity_formats::document::read(name, bytes)
}

/// Every view of a judged run: name and bytes.
pub(crate) fn views(judged: &Judged) -> Vec<(String, Vec<u8>)> {
    let core = probity_core::views::views(judged).into_iter().map(|(name, bytes)| (name.to_owned(), bytes));
    let junit = ("junit.xml".to_owned(), crate::junit::junit(judged).into_bytes());
    core.chain([junit]).collect()
}

/// Judges a run folder that this process wrote.
pub(crate) fn judge(dir: &Path) -> Option<Judged> {
    let snapshot = Snapshot::of_folder(dir, &Budget::default()).ok()?;
    let recorded = Recorded::fold(&Chain::read(snapshot.journal()))?;
    let files = |digest: &Digest| snapshot.evidence(digest).ok().map(std::borrow::Cow::into_owned);
    let audited = audit(recorded, &Material { files: &files, parse: &parse }).ok()?;
    Some(judged::judge(audited))
}

/// Verifies a run folder. `index` is the run list to compare with, by default the one beside the folder; `seal` is one
/// that the caller was given.
pub(crate) fn verify(dir: &Path, index: Option<&Path>, seal: Option<&Seal>) -> Verified {
    let list =
        index.map(Path::to_path_buf).or_else(|| dir.canonicalize().ok()?.parent().map(|root| root.join(RUN_LIST)));
    let bytes = list.as_ref().and_then(|path| read_list(path));
    match Snapshot::of_folder(dir, &Budget::default()) {
        Ok(snapshot) => verify_snapshot(&snapshot, bytes.as_deref(), seal, Vec::new()),
        Err(problems) => {
            let findings =
                problems.into_iter().map(|p| Finding::integrity(p.code, p.message).in_file(p.file)).collect();
            refused(findings)
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
fn refused(problems: Vec<Finding>) -> Verified {
    let folder = Folder { journal: &[], files: &[], read: &|_| None, problems: &problems, listed: None, seal: None };
    let mut verified = probity_core::verify::verify(&folder, &parse, &views);
    // Nothing was read, so nothing can be said of a journal.
    verified
        .findings
        .retain(|finding| !matches!(finding.code, Code::JournalUnreadable | Code::NotOpened | Code::NotAnchored));
    verified
}

/// Verifies what a snapshot holds, against the bytes of a run list.
pub(crate) fn verify_snapshot(
    snapshot: &Snapshot,
    list: Option<&[u8]>,
    seal: Option<&Seal>,
    problems: Vec<Finding>,
) -> Verified {
    let mut problems = problems;
    let files: Vec<FileSeen> = snapshot
        .files()
        .map(|(name, facts)| FileSeen { name: name.to_owned(), size: facts.size, sha256: facts.digest })
        .collect();
    let read = |name: &str| match snapshot.view(name) {
        Some(bytes) => Some(bytes.to_vec()),
        None => {
            let file = files.iter().find(|file| file.name == name)?;
            snapshot.evidence(&file.sha256).ok().map(std::borrow::Cow::into_owned)
        }
    };
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
        read: &read,
        problems: &problems,
        listed: listed.as_ref(),
        seal,
    };
    probity_core::verify::verify(&folder, &parse, &views)
}

/// What a run list says of the run whose journal this is.
fn listed(lines: &[list::Line], journal: &[u8]) -> Option<ListedRun> {
    let first = journal.split(|byte| *byte == b'\n').next()?;
    let (entry, _) = probity_core::journal::Entry::read(first).ok()?;
    let mine = || lines.iter().filter(|line| line.run == entry.run);
    let opened = mine().find(|line| line.event == Event::Opened)?;
    let closed = mine().rfind(|line| line.event == Event::Closed);
    Some(ListedRun { nonce: opened.nonce.clone(), closed: closed.map(|line| Seal::new(line.entries, &line.head)) })
}

/// The time of the last whole entry of a journal.
pub(crate) fn last_time(journal: &[u8]) -> Option<String> {
    Chain::read(journal).entries.last().map(|(entry, _)| entry.at.clone())
}
