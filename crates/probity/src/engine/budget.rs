//! What a run may spend: time, probes, output of children. A part is kept for cleanup, and only cleanup may spend it
//! (harness-proof.md 6.3). One budget serves a whole call, several plans included.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use probity_core::journal::body::BudgetEnded;
use probity_core::journal::opened::Limits;

/// What the runs of one call have used together.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shared {
    probes: u64,
    output: u64,
    started: Option<Instant>,
}

/// The budget of one run. What is under way counts as soon as it begins, so that actions side by side never use more
/// together than one after another could.
pub(super) struct Budget {
    limits: Limits,
    /// Probes that only cleanup may make.
    reserve_probes: u64,
    started: Instant,
    probes: u64,
    /// Counted up by each [`Meter`] as its command writes.
    output: Arc<AtomicU64>,
    ended: bool,
}

/// Counts what one command writes into what all have together.
pub(super) struct Meter {
    all: Arc<AtomicU64>,
    limit: u64,
    own: AtomicU64,
}

impl Meter {
    /// Told how much the command has written so far. Whether it may go on.
    pub(super) fn at(&self, total: u64) -> bool {
        let more = total.saturating_sub(self.own.swap(total, Ordering::Relaxed));
        self.all.fetch_add(more, Ordering::Relaxed).saturating_add(more) <= self.limit
    }
}

impl Budget {
    /// Begins with what earlier runs of the same call have used. `cleanups` is how many steps belong to cleanup: a
    /// probe is kept for each, at most half of them all.
    pub(super) fn begin(mut limits: Limits, cleanups: u64, shared: &mut Shared) -> Self {
        let started = *shared.started.get_or_insert_with(Instant::now);
        // The journal of a run counts its own use only; what earlier runs took makes the limits smaller.
        limits.probes = limits.probes.saturating_sub(shared.probes);
        limits.output = limits.output.saturating_sub(shared.output);
        let reserve_probes = cleanups.min(limits.probes / 2);
        Self { limits, reserve_probes, started, probes: 0, output: Arc::default(), ended: false }
    }

    /// The budget of a run that is taken up to be cleaned up and closed: what is left, and the time that is kept for
    /// cleanup, beginning now. `used` are probes and output of the generations before.
    pub(super) fn for_cleanup(limits: Limits, (probes, output): (u64, u64)) -> Self {
        let spent = Duration::from_millis(limits.time_ms.saturating_sub(limits.reserve_ms));
        let now = Instant::now();
        let started = now.checked_sub(spent).unwrap_or(now);
        let output = Arc::new(AtomicU64::new(output));
        Self { limits, reserve_probes: 0, started, probes, output, ended: true }
    }

    /// The limits as they are sealed.
    pub(super) const fn limits(&self) -> Limits {
        self.limits
    }

    /// When the step must be done: cleanup may spend the reserve.
    pub(super) fn deadline(&self, cleanup: bool) -> Instant {
        let whole = Duration::from_millis(self.limits.time_ms);
        let reserve = Duration::from_millis(self.limits.reserve_ms);
        self.started + if cleanup { whole } else { whole.saturating_sub(reserve) }
    }

    /// Bytes of output that the step may still use.
    pub(super) fn output_left(&self, cleanup: bool) -> u64 {
        self.most_output(cleanup).saturating_sub(self.output())
    }

    fn output(&self) -> u64 {
        self.output.load(Ordering::Relaxed)
    }

    const fn most_output(&self, cleanup: bool) -> u64 {
        self.limits.output.saturating_sub(if cleanup { 0 } else { self.limits.reserve_output })
    }

    /// What counts the output of a command that is about to start, or what is read of a log.
    pub(super) fn meter(&self, cleanup: bool) -> Meter {
        Meter { all: Arc::clone(&self.output), limit: self.most_output(cleanup), own: AtomicU64::new(0) }
    }

    /// Whether one more probe may be made.
    pub(super) const fn probe_left(&self, cleanup: bool) -> bool {
        self.probes < self.most_probes(cleanup)
    }

    /// Takes one more probe, if one may be made.
    pub(super) const fn take_probe(&mut self, cleanup: bool) -> bool {
        let left = self.probe_left(cleanup);
        if left {
            self.probes = self.probes.saturating_add(1);
        }
        left
    }

    /// Gives back a probe that was taken and not made.
    pub(super) const fn give_probe_back(&mut self) {
        self.probes = self.probes.saturating_sub(1);
    }

    const fn most_probes(&self, cleanup: bool) -> u64 {
        self.limits.probes.saturating_sub(if cleanup { 0 } else { self.reserve_probes })
    }

    /// The resource that is used up, once, when a step is about to begin.
    pub(super) fn exceeded(&mut self) -> Option<BudgetEnded> {
        if self.ended {
            return None;
        }
        let ended = if Instant::now() >= self.deadline(false) {
            let used = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
            BudgetEnded {
                resource: "time".to_owned(),
                limit: self.limits.time_ms.saturating_sub(self.limits.reserve_ms),
                used,
            }
        } else if !self.probe_left(false) {
            BudgetEnded { resource: "probes".to_owned(), limit: self.most_probes(false), used: self.probes }
        } else if self.output_left(false) == 0 {
            BudgetEnded { resource: "output".to_owned(), limit: self.most_output(false), used: self.output() }
        } else {
            return None;
        };
        self.ended = true;
        Some(ended)
    }

    /// Whether only cleanup may begin.
    pub(super) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Adds this run's use to the call's.
    pub(super) fn settle(&self, shared: &mut Shared) {
        shared.probes = shared.probes.saturating_add(self.probes);
        shared.output = shared.output.saturating_add(self.output());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        Limits { time_ms: 60_000, probes: 3, output: 1000, reserve_ms: 30_000, reserve_output: 100 }
    }

    #[test]
    fn cleanup_alone_may_spend_the_reserve() {
        let mut shared = Shared::default();
        let mut budget = Budget::begin(limits(), 0, &mut shared);
        assert_eq!(budget.output_left(false), 900);
        assert_eq!(budget.output_left(true), 1000);
        assert!(budget.deadline(true) > budget.deadline(false));
        assert!(budget.exceeded().is_none());
        assert!(budget.meter(false).at(900));
        assert_eq!(budget.exceeded().map(|ended| ended.resource), Some("output".to_owned()));
        assert!(budget.exceeded().is_none(), "said once");
        assert!(budget.has_ended());
    }

    #[test]
    fn commands_side_by_side_share_their_output() {
        let budget = Budget::begin(limits(), 0, &mut Shared::default());
        let (one, two, cleanup) = (budget.meter(false), budget.meter(false), budget.meter(true));
        assert!(one.at(300) && two.at(500) && one.at(400), "900 bytes are not more than 900");
        assert!(!two.at(501) && cleanup.at(99) && !cleanup.at(100));
        assert_eq!((budget.output_left(false), budget.output_left(true)), (0, 0));
    }

    #[test]
    fn a_call_shares_one_budget() {
        let mut shared = Shared::default();
        let mut first = Budget::begin(limits(), 0, &mut shared);
        assert!(first.take_probe(false) && first.take_probe(false) && first.meter(false).at(10));
        first.settle(&mut shared);
        let mut second = Budget::begin(limits(), 0, &mut shared);
        assert!(second.exceeded().is_none());
        assert!(second.take_probe(false));
        assert_eq!(second.exceeded().map(|ended| ended.resource), Some("probes".to_owned()));
    }

    #[test]
    fn probes_are_kept_for_cleanup_too() {
        let mut budget = Budget::begin(limits(), 4, &mut Shared::default());
        assert!(budget.take_probe(false) && budget.take_probe(false) && !budget.take_probe(false));
        assert_eq!(budget.exceeded(), Some(BudgetEnded { resource: "probes".to_owned(), limit: 2, used: 2 }));
        assert!(budget.take_probe(true) && !budget.take_probe(true), "the reserve is for cleanup, and ends as well");
    }

    #[test]
    fn a_reserve_larger_than_what_is_left_ends_the_run() {
        let mut shared = Shared { output: 950, ..Shared::default() };
        let mut budget = Budget::begin(limits(), 0, &mut shared);
        assert_eq!(budget.exceeded(), Some(BudgetEnded { resource: "output".to_owned(), limit: 0, used: 0 }));
    }

    #[test]
    fn a_run_that_is_taken_up_has_its_reserve_only() {
        let budget = Budget::for_cleanup(limits(), (1, 10));
        assert!(budget.has_ended() && budget.probe_left(true));
        assert!(budget.deadline(false) <= Instant::now());
        assert!(budget.deadline(true) > Instant::now() + Duration::from_secs(20));
    }
}
