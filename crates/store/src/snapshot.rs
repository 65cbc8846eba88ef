//! A foreign run folder, read once and within bounds (threats.md R21, C17, D2).
//!
//! Whoever made the folder may have put links, devices, FIFOs, giants or a million files into it. Nothing is followed,
//! nothing is waited for, nothing is written. The journal and the first evidence files are held in memory; of other
//! evidence only size, digest and beginning are, and views are compared where they lie. The bytes of evidence that are
//! handed out are always bytes that were hashed.

mod folder;
mod hashing;
mod walk;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::step::{Evidence, HEAD};
use probity_core::verify::{Comparison, Journal, ViewFile, ViewSeen};

use crate::naming::{JOURNAL, digest_of_name, why_not_beneath};
use crate::run::{JOURNAL_MAX, LINE_MAX};
use folder::Source;

/// How much of a foreign folder is read before it is refused.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Files and folders together.
    pub files: u64,
    /// Bytes of all files together.
    pub bytes: u64,
    /// Wall time.
    pub time: Duration,
    /// Bytes of the journal.
    pub journal: u64,
    /// Bytes of one line of the journal.
    pub line: u64,
    /// Bytes of one view.
    pub view: u64,
    /// Bytes of one evidence file whose content is asked for.
    pub content: u64,
    /// Bytes of evidence that are held in memory, so that they are read once.
    pub held: u64,
    /// Parts of a name: `evidence/ab/x` has three.
    pub depth: usize,
}

impl Default for Budget {
    /// 1,000,000 files, 32 GiB, two minutes; 1 GiB of journal, 64 MiB a line and a view, 1 GiB of one content, of which
    /// 32 MiB are held.
    fn default() -> Self {
        Self {
            files: 1_000_000,
            bytes: 32 << 30,
            time: Duration::from_secs(120),
            journal: JOURNAL_MAX,
            line: LINE_MAX,
            view: 64 << 20,
            content: 1 << 30,
            held: 32 << 20,
            depth: 3,
        }
    }
}

/// Something in a folder that is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The stable code.
    pub code: Code,
    /// The file, relative to the folder; empty for the folder itself.
    pub file: String,
    /// What was seen: a lower-case sentence without a full stop.
    pub message: String,
}

impl Problem {
    fn new(code: Code, file: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code, file: file.into(), message: message.into() }
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.file, self.message)
    }
}

/// More problems than this are not listed.
const PROBLEMS_MAX: usize = 100;

/// What is known of a file without its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileFacts {
    /// Bytes.
    pub size: u64,
    /// Their SHA-256; views have none, since they are compared byte for byte.
    pub digest: Option<Digest>,
}

/// A file: its facts, and what of its bytes is held in memory.
#[derive(Clone, Debug)]
struct Held {
    facts: FileFacts,
    /// All of them, or the first [`HEAD`].
    bytes: Arc<Vec<u8>>,
}

impl Held {
    fn evidence(bytes: Vec<u8>) -> Self {
        let facts = FileFacts { size: bytes.len() as u64, digest: Some(Digest::of(&bytes)) };
        Self { facts, bytes: Arc::new(bytes) }
    }

    fn view(size: u64, bytes: Vec<u8>) -> Self {
        Self { facts: FileFacts { size, digest: None }, bytes: Arc::new(bytes) }
    }

    fn whole(&self) -> Option<&Arc<Vec<u8>>> {
        (self.bytes.len() as u64 == self.facts.size).then_some(&self.bytes)
    }
}

/// A run folder as it was at one moment. Cloning shares the bytes.
#[derive(Clone, Debug)]
pub struct Snapshot {
    journal: Arc<Vec<u8>>,
    /// Size and digest of a journal that is not held, since it is the one that was expected.
    expected: Option<(u64, Digest)>,
    /// Every other file by its relative name.
    files: BTreeMap<Arc<str>, Held>,
    source: Source,
    budget: Budget,
}

impl Snapshot {
    /// Reads a run folder.
    ///
    /// # Errors
    /// Everything that is refused, at most a hundred: `link_refused`, `over_budget`, `journal_unreadable`,
    /// `evidence_changed` for a file that changed while it was read, `run_unknown` where there is no folder.
    pub fn of_folder(path: &Path, budget: &Budget) -> Result<Self, Vec<Problem>> {
        folder::read(path, budget, None)
    }

    /// Reads a run folder whose journal the caller has read before: where it has this size and digest, its first line
    /// alone is held, and otherwise all of it.
    ///
    /// # Errors
    /// As [`Snapshot::of_folder`].
    pub fn of_folder_expecting(path: &Path, budget: &Budget, journal: (u64, Digest)) -> Result<Self, Vec<Problem>> {
        folder::read(path, budget, Some(journal))
    }

    /// A run folder that was never on a disk, under the same rules: relative name to bytes.
    ///
    /// # Errors
    /// `path_absolute`, `over_budget`, `journal_unreadable`.
    pub fn in_memory(files: BTreeMap<String, Vec<u8>>) -> Result<Self, Vec<Problem>> {
        let budget = Budget::default();
        let mut snapshot =
            Self { journal: Arc::default(), expected: None, files: BTreeMap::new(), source: Source::Memory, budget };
        let mut problems = Vec::new();
        if !files.contains_key(JOURNAL) {
            problems.push(Problem::new(Code::JournalUnreadable, JOURNAL, "there is no journal"));
        }
        for (name, bytes) in files {
            problems.extend(snapshot.put(&name, bytes).err());
        }
        problems.extend(snapshot.over_total());
        if problems.is_empty() { Ok(snapshot) } else { Err(problems) }
    }

    /// The same folder with one file put in or replaced. For tamper tests: only that file is hashed.
    ///
    /// # Errors
    /// As [`Snapshot::in_memory`].
    pub fn with(&self, name: &str, bytes: Vec<u8>) -> Result<Self, Problem> {
        let mut changed = self.clone();
        changed.put(name, bytes)?;
        changed.over_total().map_or(Ok(changed), Err)
    }

    /// The same folder without a file. The journal cannot be taken out.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let mut changed = self.clone();
        changed.files.remove(name);
        changed
    }

    fn put(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), Problem> {
        if let Some(reason) = why_not_beneath(name) {
            return Err(Problem::new(Code::PathAbsolute, name, reason));
        }
        check_depth(name, &self.budget)?;
        let size = bytes.len() as u64;
        if name == JOURNAL {
            check_journal_size(size, &self.budget)?;
            check_lines(&bytes, &mut 0, &self.budget)?;
            (self.journal, self.expected) = (Arc::new(bytes), None);
        } else {
            let held = if name.contains('/') {
                Held::evidence(bytes)
            } else {
                check_view_size(name, size, &self.budget)?;
                Held::view(size, bytes)
            };
            self.files.insert(name.into(), held);
        }
        Ok(())
    }

    fn over_total(&self) -> Option<Problem> {
        let total = self.files.values().map(|f| f.facts.size).sum::<u64>() + self.journal.len() as u64;
        if self.files.len() as u64 + 1 > self.budget.files {
            return Some(too_many_files(&self.budget));
        }
        (total > self.budget.bytes).then(|| too_many_bytes("", &self.budget))
    }

    /// The journal as it stood, torn tail and all; of one that is not held the first line.
    #[must_use]
    pub fn journal(&self) -> &[u8] {
        &self.journal
    }

    /// The journal as it is verified.
    #[must_use]
    pub fn journal_seen(&self) -> Journal<'_> {
        self.expected.map_or(Journal::Whole(&self.journal), |(bytes, sha256)| Journal::Seen(bytes, sha256))
    }

    /// Lets go of the journal, which is not read from the folder again.
    pub fn let_journal_go(&mut self) {
        self.journal = Arc::default();
    }

    /// Opens a file that lies directly in the folder, other than the journal: it is read now, a piece at a time. `None`
    /// where it is not there, or is not what it was.
    #[must_use]
    pub fn open_view(&self, name: &str) -> Option<ViewFile<'_>> {
        let held = self.files.get(name).filter(|_| !name.contains('/'))?;
        match held.whole() {
            Some(bytes) => Some(Box::new(bytes.as_slice())),
            None => Some(Box::new(self.source.open(name, held.facts.size).ok()?)),
        }
    }

    /// Compares such a file with other bytes.
    #[must_use]
    pub fn view(&self, name: &str, derived: &[u8]) -> ViewSeen {
        let mut comparison = Comparison::of(self.open_view(name));
        comparison.piece(derived);
        comparison.end()
    }

    /// Every file but the journal, by name, with size and digest.
    pub fn files(&self) -> impl Iterator<Item = (&str, FileFacts)> {
        self.files.iter().map(|(name, f)| (&**name, f.facts))
    }

    /// The file that bears this digest in its name, with what it really holds. Of several that differ in extension the
    /// one that holds what it says.
    #[must_use]
    pub fn evidence_facts(&self, digest: &Digest) -> Option<(&str, FileFacts)> {
        let hex = digest.to_string();
        let beginning = format!("{}/{}/{hex}.", crate::naming::EVIDENCE, &hex[..2]);
        let named = || {
            self.files
                .range::<str, _>((std::ops::Bound::Included(beginning.as_str()), std::ops::Bound::Unbounded))
                .take_while(|(name, _)| name.starts_with(&beginning))
                .filter(|(name, _)| digest_of_name(name).is_some())
                .map(|(name, f)| (&**name, f.facts))
        };
        named().find(|(_, facts)| facts.digest == Some(*digest)).or_else(|| named().next())
    }

    /// The bytes of a piece of evidence: what is returned has this digest, whatever happened to the folder since.
    ///
    /// # Errors
    /// `evidence_missing`, `evidence_changed`, `evidence_size`, `over_budget`, `link_refused`.
    pub fn evidence(&self, digest: &Digest) -> Result<Arc<Vec<u8>>, Problem> {
        let (name, held) = self.sound(digest)?;
        if let Some(bytes) = held.whole() {
            return Ok(Arc::clone(bytes));
        }
        let size = held.facts.size;
        if size > self.budget.content {
            let message = format!("it has {size} bytes, at most {} are read at once", self.budget.content);
            return Err(Problem::new(Code::OverBudget, name, message));
        }
        let bytes = self.source.read(name, size)?;
        if Digest::of(&bytes) == *digest { Ok(Arc::new(bytes)) } else { Err(changed(name)) }
    }

    /// The file that holds what its name says.
    fn sound(&self, digest: &Digest) -> Result<(&str, &Held), Problem> {
        let missing = || Problem::new(Code::EvidenceMissing, digest.to_string(), "no evidence of this digest is there");
        let (name, facts) = self.evidence_facts(digest).ok_or_else(missing)?;
        let held = self.files.get(name).filter(|_| facts.digest == Some(*digest)).ok_or_else(|| changed(name))?;
        Ok((name, held))
    }
}

fn changed(name: &str) -> Problem {
    Problem::new(Code::EvidenceChanged, name, "its bytes are not those of its name")
}

impl Evidence for Snapshot {
    fn bytes(&self, digest: &Digest) -> Option<Arc<Vec<u8>>> {
        self.evidence(digest).ok()
    }

    fn head(&self, digest: &Digest) -> Option<Vec<u8>> {
        let (_, held) = self.sound(digest).ok()?;
        Some(held.bytes[..held.bytes.len().min(HEAD)].to_vec())
    }
}

fn check_depth(name: &str, budget: &Budget) -> Result<(), Problem> {
    if name.split('/').count() > budget.depth {
        let message = format!("it lies deeper than {} levels", budget.depth);
        return Err(Problem::new(Code::OverBudget, name, message));
    }
    Ok(())
}

fn check_journal_size(size: u64, budget: &Budget) -> Result<(), Problem> {
    if size > budget.journal {
        let message = format!("it has {size} bytes, at most {} are read", budget.journal);
        return Err(Problem::new(Code::OverBudget, JOURNAL, message));
    }
    Ok(())
}

fn check_view_size(name: &str, size: u64, budget: &Budget) -> Result<(), Problem> {
    if size > budget.view {
        let message = format!("it has {size} bytes, at most {} are read", budget.view);
        return Err(Problem::new(Code::OverBudget, name, message));
    }
    Ok(())
}

/// Checks the lengths of the lines in the next piece of the journal; `open` is the length of the line so far.
fn check_lines(piece: &[u8], open: &mut u64, budget: &Budget) -> Result<(), Problem> {
    for part in piece.split_inclusive(|b| *b == b'\n') {
        *open += part.len() as u64;
        if *open > budget.line {
            let message = format!("a line has more than {} bytes", budget.line);
            return Err(Problem::new(Code::OverBudget, JOURNAL, message));
        }
        if part.ends_with(b"\n") {
            *open = 0;
        }
    }
    Ok(())
}

fn too_many_files(budget: &Budget) -> Problem {
    Problem::new(Code::OverBudget, "", format!("there are more than {} files and folders", budget.files))
}

fn too_many_bytes(file: &str, budget: &Budget) -> Problem {
    Problem::new(Code::OverBudget, file, format!("with it the folder has more than {} bytes", budget.bytes))
}

fn too_late(file: &str, budget: &Budget) -> Problem {
    Problem::new(Code::OverBudget, file, format!("reading the folder takes longer than {:?}", budget.time))
}

#[cfg(test)]
mod tests;
