//! Size, digest and beginning of many files, on all cores. One SHA-256 cannot be split, so the files are shared out.

use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use probity_core::ids::Digest;
use sha2::{Digest as _, Sha256};

use super::folder::{CHUNK, changed, open, unreadable};
use super::{Budget, FileFacts, HEAD, Held, PROBLEMS_MAX, Problem, too_late, too_many_bytes};
use crate::beneath::Folder;

/// What was used of a budget.
pub(super) struct Meter {
    pub(super) budget: Budget,
    begun: Instant,
    bytes: AtomicU64,
    held: AtomicU64,
}

impl Meter {
    pub(super) const fn new(budget: Budget, begun: Instant) -> Self {
        Self { budget, begun, bytes: AtomicU64::new(0), held: AtomicU64::new(0) }
    }

    /// Counts a file before it is read. By its size, so that a sparse giant costs nothing.
    pub(super) fn take(&self, name: &str, size: u64) -> Result<(), Problem> {
        if add(&self.bytes, size, self.budget.bytes) { Ok(()) } else { Err(too_many_bytes(name, &self.budget)) }
    }

    /// Whether there is room to hold a file in memory.
    fn hold(&self, size: u64) -> bool {
        add(&self.held, size, self.budget.held)
    }

    pub(super) fn is_late(&self) -> bool {
        self.begun.elapsed() > self.budget.time
    }
}

/// Adds to a sum, unless it would become too large.
fn add(sum: &AtomicU64, more: u64, most: u64) -> bool {
    let larger = |sum: u64| sum.checked_add(more).filter(|sum| *sum <= most);
    sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, larger).is_ok()
}

/// Reads the files of these names.
pub(super) fn files(folder: &Folder, names: Vec<String>, meter: &Meter) -> Result<Vec<(String, Held)>, Vec<Problem>> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(names.len());
    let work = Work { folder, names: &names, meter, next: AtomicUsize::new(0), stop: AtomicBool::new(false) };
    let done: Vec<Part> = if threads < 2 {
        vec![work.run()]
    } else {
        std::thread::scope(|scope| {
            // This thread takes its share too.
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(|| work.run())).collect();
            let mine = work.run();
            others
                .into_iter()
                .map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
                .chain([mine])
                .collect()
        })
    };
    let mut problems: Vec<Problem> = done.iter().flat_map(|part| part.problems.iter().cloned()).collect();
    if !problems.is_empty() {
        problems.sort_by(|a, b| a.file.cmp(&b.file));
        problems.truncate(PROBLEMS_MAX);
        return Err(problems);
    }
    let mut slots: Vec<Option<Held>> = vec![None; names.len()];
    for (i, file) in done.into_iter().flat_map(|part| part.files) {
        slots[i] = Some(file);
    }
    Ok(names.into_iter().zip(slots).filter_map(|(name, file)| file.map(|file| (name, file))).collect())
}

/// What one thread came to.
#[derive(Default)]
struct Part {
    files: Vec<(usize, Held)>,
    problems: Vec<Problem>,
}

struct Work<'a> {
    folder: &'a Folder,
    names: &'a [String],
    meter: &'a Meter,
    next: AtomicUsize,
    stop: AtomicBool,
}

impl Work<'_> {
    fn run(&self) -> Part {
        let mut part = Part::default();
        let mut buffer = vec![0; CHUNK];
        while !self.stop.load(Ordering::Relaxed) {
            let i = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(name) = self.names.get(i) else { break };
            match self.one(name, &mut buffer) {
                Ok(file) => part.files.push((i, file)),
                Err(problem) => {
                    // Out of budget is out of budget; other problems are listed together.
                    let over = problem.code == probity_core::codes::Code::OverBudget;
                    part.problems.push(problem);
                    if over || part.problems.len() >= PROBLEMS_MAX {
                        self.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
        part
    }

    fn one(&self, name: &str, buffer: &mut [u8]) -> Result<Held, Problem> {
        let (mut file, size) = open(self.folder, name)?;
        self.meter.take(name, size)?;
        let kept = if self.meter.hold(size) { usize::try_from(size).unwrap_or(HEAD) } else { HEAD };
        let mut bytes = Vec::with_capacity(kept);
        let mut hasher = Sha256::new();
        let mut rest = size;
        // What is appended meanwhile belongs to a later moment; what was cut off is missed.
        while rest > 0 {
            if self.meter.is_late() {
                return Err(too_late(name, &self.meter.budget));
            }
            let most = usize::try_from(rest).map_or(CHUNK, |rest| rest.min(CHUNK));
            match file.read(&mut buffer[..most]) {
                Ok(0) => return Err(changed(name)),
                Ok(n) => {
                    rest -= n as u64;
                    hasher.update(&buffer[..n]);
                    let room = kept - bytes.len();
                    bytes.extend_from_slice(&buffer[..n.min(room)]);
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(unreadable(name, &e)),
            }
        }
        let facts = FileFacts { size, digest: Some(Digest::from_bytes(hasher.finalize().into())) };
        Ok(Held { facts, bytes: Arc::new(bytes) })
    }
}
