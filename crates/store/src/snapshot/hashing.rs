//! Size and digest of many files, on all cores. One SHA-256 cannot be split, so the files are shared out.

use std::io::Read as _;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use probity_core::ids::Digest;
use sha2::{Digest as _, Sha256};

use super::folder::{CHUNK, changed, open, unreadable};
use super::{Budget, FileFacts, PROBLEMS_MAX, Problem, too_late, too_many_bytes};
use crate::beneath::Folder;

/// What was used of a budget.
pub(super) struct Meter {
    pub(super) budget: Budget,
    begun: Instant,
    bytes: AtomicU64,
}

impl Meter {
    pub(super) const fn new(budget: Budget, begun: Instant) -> Self {
        Self { budget, begun, bytes: AtomicU64::new(0) }
    }

    /// Counts a file before it is read. By its size, so that a sparse giant costs nothing.
    pub(super) fn take(&self, name: &str, size: u64) -> Result<(), Problem> {
        let counted = self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |sum| {
            sum.checked_add(size).filter(|sum| *sum <= self.budget.bytes)
        });
        counted.map(drop).map_err(|_| too_many_bytes(name, &self.budget))
    }

    pub(super) fn is_late(&self) -> bool {
        self.begun.elapsed() > self.budget.time
    }
}

/// The facts of the files of these names.
pub(super) fn facts(
    folder: &Folder,
    names: Vec<String>,
    meter: &Meter,
) -> Result<Vec<(String, FileFacts)>, Vec<Problem>> {
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
    let mut slots: Vec<Option<FileFacts>> = vec![None; names.len()];
    for (i, facts) in done.into_iter().flat_map(|part| part.facts) {
        slots[i] = Some(facts);
    }
    Ok(names.into_iter().zip(slots).filter_map(|(name, facts)| facts.map(|facts| (name, facts))).collect())
}

/// What one thread came to.
#[derive(Default)]
struct Part {
    facts: Vec<(usize, FileFacts)>,
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
                Ok(facts) => part.facts.push((i, facts)),
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

    fn one(&self, name: &str, buffer: &mut [u8]) -> Result<FileFacts, Problem> {
        let (mut file, size) = open(self.folder, name)?;
        self.meter.take(name, size)?;
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
                }
                Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
                Err(e) => return Err(unreadable(name, &e)),
            }
        }
        Ok(FileFacts { size, digest: Digest::from_bytes(hasher.finalize().into()) })
    }
}
