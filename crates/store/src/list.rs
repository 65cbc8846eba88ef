//! The run list: `index.jsonl` in the runs root, one line when a run opens, closes or is withdrawn, chained by series
//! (design.md section 3, threats.md R8).
//!
//! What the chain shows by itself: a line that was dropped, swapped or edited before the last one of its series. The
//! last line of a series has nothing after it; it is checked against the run's own journal. A list is worth what the
//! disk is worth that it lies on.

mod line;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probity_core::ids::{Digest, Id};
use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

pub use line::{Event, Line, ListFault, read};

use crate::StoreError;
use crate::beneath::{FILE_MODE, Folder, LockedFile, is_link_error, why_not_single};
use crate::naming::RUN_LIST;
use crate::root;
use crate::run::write_whole;
use line::{is_hex, prev_of};

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest list that is read: about two million runs.
const LIST_MAX: u64 = 1 << 30;

/// A run that opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// RFC 3339 in UTC with milliseconds.
    pub at: String,
    /// The run's id.
    pub run: Id,
    /// 128 random bits as 32 lower-case hex digits.
    pub nonce: String,
    /// The series: 16 lower-case hex digits of the digest of requirement and environment.
    pub series: String,
}

/// The run list of a runs root. Holds no file and no lock between calls.
#[derive(Clone, Debug)]
pub struct RunList {
    runs: PathBuf,
    patience: Duration,
}

impl RunList {
    /// The list in this runs root; nothing is touched yet.
    #[must_use]
    pub fn of(runs: &Path) -> Self {
        Self { runs: runs.to_owned(), patience: PATIENCE }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.runs.join(RUN_LIST)
    }

    /// Notes that a run opens and returns which attempt of its series it is, counted from 1. Count and line are made
    /// under one lock, so no two runs get the same number. The line is on disk on return.
    ///
    /// # Errors
    /// `run_locked` after five seconds, `index_broken`, `run_exists` where the list has the run or its nonce,
    /// `folder_unwritable`, `recording_failed`.
    pub fn open_run(&self, opening: &Opening) -> Result<u64, StoreError> {
        check_digits(&opening.nonce, 32, "a nonce has 32 lower-case hex digits")?;
        check_digits(&opening.series, 16, "a series has 16 lower-case hex digits")?;
        let mut held = self.hold()?;
        let run = opening.run.as_str();
        if held.lines.iter().any(|l| l.run == run || l.nonce == opening.nonce) {
            return Err(StoreError::RunExists { run: run.to_owned() });
        }
        let attempt = next_attempt(&held.lines, &opening.series);
        held.append(Line {
            event: Event::Opened,
            at: opening.at.clone(),
            run: run.to_owned(),
            nonce: opening.nonce.clone(),
            series: opening.series.clone(),
            attempt,
            entries: 0,
            head: Digest::zero(),
            prev: prev_of(&held.lines, &opening.series),
        })?;
        Ok(attempt)
    }

    /// Notes that a run closed, once `run.closed` is on disk: its number of entries and its head. Saying the same again
    /// changes nothing, so that an interrupted close can be repeated.
    ///
    /// # Errors
    /// As [`RunList::open_run`]; `index_broken` where the list never saw it open, or has it closed otherwise.
    pub fn close_run(&self, run: &str, at: &str, entries: u64, head: Digest) -> Result<(), StoreError> {
        self.follow(Event::Closed, run, at, entries, head)
    }

    /// Notes that a run was withdrawn, over the journal it had then.
    ///
    /// # Errors
    /// As [`RunList::close_run`].
    pub fn withdraw_run(&self, run: &str, at: &str, entries: u64, head: Digest) -> Result<(), StoreError> {
        self.follow(Event::Withdrawn, run, at, entries, head)
    }

    fn follow(&self, event: Event, run: &str, at: &str, entries: u64, head: Digest) -> Result<(), StoreError> {
        let mut held = self.hold()?;
        let differs = |message: String| StoreError::ListDiffers { run: run.to_owned(), message };
        let opened = held.lines.iter().find(|l| l.run == run && l.event == Event::Opened);
        let opened = opened.ok_or_else(|| differs("it was never noted as opened".into()))?.clone();
        if let Some(said) = held.lines.iter().find(|l| l.run == run && l.event == event) {
            if (said.entries, said.head) == (entries, head) {
                return Ok(());
            }
            let (event, seal) = (event.as_str(), format!("{}:{}", said.entries, said.head.short()));
            return Err(differs(format!("it is noted as {event} with {seal}, now it has {entries}:{}", head.short())));
        }
        let prev = prev_of(&held.lines, &opened.series);
        held.append(Line { event, at: at.to_owned(), entries, head, prev, ..opened })
    }

    /// All lines, checked; none where there is no list.
    ///
    /// # Errors
    /// `index_broken`, `link_refused`, `journal_unreadable`.
    pub fn lines(&self) -> Result<Vec<Line>, StoreError> {
        let unreadable = |e: std::io::Error| StoreError::unreadable(self.path(), &e);
        let file = match Folder::open(&self.runs).and_then(|f| f.file(RUN_LIST, OFlags::RDONLY, Mode::empty())) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(unreadable(e)),
        };
        let file = self.wait_for(file, FlockOperation::NonBlockingLockShared)?;
        let (lines, _) = self.parse(&self.bytes(&file)?)?;
        Ok(lines)
    }

    /// The lines of one run.
    ///
    /// # Errors
    /// As [`RunList::lines`].
    pub fn find(&self, run: &str) -> Result<Vec<Line>, StoreError> {
        Ok(self.lines()?.into_iter().filter(|l| l.run == run).collect())
    }

    /// The lines of one series; its attempts are the `opened` ones.
    ///
    /// # Errors
    /// As [`RunList::lines`].
    pub fn attempts(&self, series: &str) -> Result<Vec<Line>, StoreError> {
        Ok(self.lines()?.into_iter().filter(|l| l.series == series).collect())
    }

    /// Takes the lock and reads what is there.
    fn hold(&self) -> Result<Held, StoreError> {
        let folder = root::prepare(&self.runs)?;
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        let file = folder.file(RUN_LIST, flags, FILE_MODE).map_err(|e| {
            if is_link_error(&e) {
                return StoreError::LinkRefused { path: self.path(), reason: "it is a link or no regular file" };
            }
            StoreError::unwritable(self.path(), &e)
        })?;
        let file = self.wait_for(file, FlockOperation::NonBlockingLockExclusive)?;
        let bytes = self.bytes(&file)?;
        let (lines, whole) = self.parse(&bytes)?;
        Ok(Held { folder, file, lines, whole: whole as u64, torn: whole < bytes.len() })
    }

    fn wait_for(&self, mut file: File, how: FlockOperation) -> Result<LockedFile, StoreError> {
        let begun = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match LockedFile::take(file, how) {
                Ok(locked) => return Ok(locked),
                Err((again, Errno::WOULDBLOCK)) if begun.elapsed() < self.patience => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                    file = again;
                }
                Err((again, Errno::INTR)) => file = again,
                Err((_, Errno::WOULDBLOCK)) => {
                    return Err(StoreError::Locked { what: self.path().display().to_string() });
                }
                Err((_, e)) => return Err(StoreError::unreadable(self.path(), &e)),
            }
        }
    }

    fn bytes(&self, file: &File) -> Result<Vec<u8>, StoreError> {
        let unreadable = |e| StoreError::unreadable(self.path(), &e);
        let meta = file.metadata().map_err(unreadable)?;
        if let Some(reason) = why_not_single(&meta) {
            return Err(StoreError::LinkRefused { path: self.path(), reason });
        }
        let over =
            || StoreError::OverBudget { path: self.path(), reason: format!("it has more than {LIST_MAX} bytes") };
        if meta.len() > LIST_MAX {
            return Err(over());
        }
        let mut bytes = Vec::new();
        file.take(LIST_MAX + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LIST_MAX { Err(over()) } else { Ok(bytes) }
    }

    /// The whole lines and how many bytes they have. Nobody else writes while the lock is held, so a piece of a line at
    /// the end is what a process left that died before its call returned: nothing that anyone was told.
    fn parse(&self, bytes: &[u8]) -> Result<(Vec<Line>, usize), StoreError> {
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
        let broken = |f: ListFault| StoreError::ListBroken { path: self.path(), line: f.line, message: f.message };
        Ok((read(&bytes[..whole]).map_err(broken)?, whole))
    }
}

/// The list while its lock is held; dropping it lets go.
struct Held {
    folder: Folder,
    file: LockedFile,
    lines: Vec<Line>,
    /// Bytes of whole lines.
    whole: u64,
    torn: bool,
}

impl Held {
    fn append(&mut self, line: Line) -> Result<(), StoreError> {
        let unrecorded = |e: &dyn std::fmt::Display| StoreError::unrecorded("a line of the run list", &e);
        let bytes = line.to_bytes().map_err(|e| unrecorded(&e))?;
        if self.torn {
            self.file.set_len(self.whole).map_err(|e| unrecorded(&e))?;
        }
        if let Err(e) = write_whole(&self.file, &bytes) {
            let _ = self.file.set_len(self.whole);
            return Err(unrecorded(&e));
        }
        self.file.sync_data().and_then(|()| self.folder.sync()).map_err(|e| unrecorded(&e))?;
        self.lines.push(line);
        Ok(())
    }
}

fn next_attempt(lines: &[Line], series: &str) -> u64 {
    1 + lines.iter().filter(|l| l.series == series && l.event == Event::Opened).count() as u64
}

fn check_digits(text: &str, count: usize, reason: &'static str) -> Result<(), StoreError> {
    if is_hex(text, count) { Ok(()) } else { Err(StoreError::NameRefused { name: text.to_owned(), reason }) }
}

#[cfg(test)]
mod tests;
