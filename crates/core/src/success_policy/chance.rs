//! How sure one may be: Wilson's interval of a pass rate, and how often a product that works half the time would get
//! there as well (spec section 6).

use super::outcome::{meets, settled};
use super::policy::Policy;
use super::state::State;
use super::turn::REACH;

/// Of the normal distribution, so that 95 of 100 intervals hold the true rate.
const Z: f64 = 1.959_963_984_540_054;

/// An interval of rates, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

impl Interval {
    /// The lower end.
    #[must_use]
    pub const fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    #[must_use]
    pub const fn high(self) -> f64 {
        self.high
    }

    /// Wilson's interval where so many deviations to either side are let in; `None` of no run.
    #[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
    pub(super) fn wilson(passed: u64, runs: u64, z: f64) -> Option<Self> {
        if runs == 0 {
            return None;
        }
        let (n, rate) = (runs as f64, passed as f64 / runs as f64);
        let square = z * z;
        let middle = rate + square / (2.0 * n);
        let half = z * ((rate * (1.0 - rate) + square / (4.0 * n)) / n).sqrt();
        let end = |value: f64| (value / (1.0 + square / n)).clamp(0.0, 1.0);
        Some(Self { low: end(middle - half), high: end(middle + half) })
    }

    /// The interval of the chance that so many tries all pass.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a number of runs stays far below 2^53")]
    pub fn of_all(self, tries: u64) -> Self {
        let all = |rate: f64| rate.powf(tries as f64);
        Self { low: all(self.low), high: all(self.high) }
    }
}

/// Wilson's interval at 95 % for so many passes of so many runs; `None` of no run.
#[must_use]
pub fn interval(passed: u64, runs: u64) -> Option<Interval> {
    Interval::wilson(passed, runs, Z)
}

/// How many passes of how many runs satisfy the policy, and how likely a product that works every second time gets
/// there, 0 to 1. `None` where no coin can stand for the product.
#[must_use]
pub fn at_half(policy: &Policy, state: &State) -> Option<(u64, u64, f64)> {
    match policy {
        Policy::Statistical { min_runs, min_pass_rate } => {
            let runs = state.judged(policy).1.max(*min_runs);
            let needed = fewest(runs, min_pass_rate.float());
            Some((needed, runs, tail(runs, needed)))
        }
        Policy::VerdictPass | Policy::Check { .. } | Policy::Threshold { .. } | Policy::Composite { .. } => {
            let runs = state.judged(policy).1.max(1);
            Some((1, runs, tail(runs, 1)))
        }
        Policy::AgentJudgment { .. } => None,
        Policy::Wilson { .. } | Policy::PassK { .. } | Policy::Sprt(_) => {
            let met = |yes: u64, runs: u64| settled(policy, (yes, runs - yes)) == Some(true);
            // Where even passes alone would be too few, more runs are looked at.
            let runs = first(state.judged(policy).1.max(policy.least()), REACH, |runs| met(runs, runs))?;
            let needed = first(0, runs, |yes| met(yes, runs))?;
            Some((needed, runs, tail(runs, needed)))
        }
        // Whoever begins again and again has more than one chance.
        Policy::PlannedRuns { .. } => {
            let planned = state.planned(policy)?;
            let (needed, runs) = (planned.needed, planned.planned);
            let series = i32::try_from(planned.full.max(1)).unwrap_or(i32::MAX);
            Some((needed, runs, 1.0 - (1.0 - tail(runs, needed)).powi(series)))
        }
    }
}

/// The fewest passes of so many runs that meet a rate.
pub(super) fn fewest(runs: u64, rate: f64) -> u64 {
    first(0, runs, |passed| meets(passed, runs, rate)).unwrap_or(runs)
}

/// The first number of a range from which on something holds, where it holds of all that are greater.
pub(super) fn first(from: u64, to: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
    let (mut low, mut high) = (from, to);
    if from > to || !holds(to) {
        return None;
    }
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { high = middle } else { low = middle + 1 }
    }
    Some(low)
}

/// The chance that at least so many of so many tosses of a coin are heads.
#[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
fn tail(tosses: u64, heads: u64) -> f64 {
    if heads == 0 {
        return 1.0;
    }
    // The shorter side is summed up: its terms fall off quickly.
    if heads <= tosses / 2 {
        return 1.0 - tail(tosses, tosses - heads + 1);
    }
    let n = tosses as f64;
    let mut term = (ln_factorial(tosses) - ln_factorial(heads) - ln_factorial(tosses - heads) - n * 2_f64.ln()).exp();
    let (mut sum, mut at) = (0.0, heads);
    while at <= tosses && term > sum * 1e-17 {
        sum += term;
        term *= (n - at as f64) / (at as f64 + 1.0);
        at += 1;
    }
    sum.min(1.0)
}

/// The logarithm of a factorial: added up for small numbers, Stirling's series for others.
#[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
fn ln_factorial(n: u64) -> f64 {
    if n < 64 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let n = n as f64;
    n * n.ln() - n + 0.5 * (2.0 * std::f64::consts::PI * n).ln() + 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures of the spec (section 6, weakness 4), and some that can be worked out by hand.
    #[test]
    fn known_figures() {
        let ends = |passed, runs| {
            interval(passed, runs).map(|i| (format!("{:.2}", i.low()), format!("{:.2}", i.high()))).unwrap()
        };
        assert_eq!(ends(7, 10), ("0.40".into(), "0.89".into()));
        assert_eq!(ends(70, 100), ("0.60".into(), "0.78".into()));
        assert_eq!(ends(8, 10), ("0.49".into(), "0.94".into()));
        assert_eq!(interval(0, 0), None);
        assert_eq!(interval(0, 5).unwrap().low(), 0.0);
        for (tosses, heads, chance) in
            [(10, 7, 0.171_875), (1, 1, 0.5), (3, 1, 0.875), (4, 0, 1.0), (2, 2, 0.25), (10, 3, 0.945_312_5)]
        {
            assert!((tail(tosses, heads) - chance).abs() < 1e-12, "{tosses} {heads} {}", tail(tosses, heads));
        }
    }

    #[test]
    fn large_counts_stay_chances() {
        for (tosses, heads) in
            [(1_000, 500), (1_000_000, 500_000), (1_000_000, 999_999), (10_000_000, 5_001_000), (64, 33), (63, 32)]
        {
            let chance = tail(tosses, heads);
            assert!((0.0..=1.0).contains(&chance), "{chance}");
            assert!((tail(tosses, heads) + tail(tosses, tosses - heads + 1) - 1.0).abs() < 1e-9, "{tosses} {heads}");
        }
        assert!((tail(1_001, 501) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_first_that_holds() {
        assert_eq!(first(0, 10, |n| n >= 7), Some(7));
        assert_eq!(first(3, 10, |_| true), Some(3));
        assert_eq!(first(0, 10, |_| false), None);
        assert_eq!(first(5, 4, |_| true), None);
        assert_eq!(fewest(10, 0.7), 7);
        assert_eq!(fewest(25, 0.28), 7);
    }
}
