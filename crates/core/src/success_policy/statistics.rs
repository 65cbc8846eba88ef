//! The three types that count passes and failures and say how sure they are: `wilson`, `pass_k`, `sprt`
//! (spec section 6; docs/decisions/0012-statistics.md).
//!
//! They are functions of two counts, so neither order nor parts can matter. All comparisons are of doubles, and what lies
//! within [`MARGIN`] of a boundary has not crossed it: rounding can leave an outcome open, and never decide one. The margin is
//! larger than any rounding error of up to ten million runs.

use super::chance::Interval;
use super::policy::Bound;

/// Relative; no boundary is crossed by less.
const MARGIN: f64 = 1e-9;

/// A confidence level, and how many deviations of a normal distribution hold so much of it, half on either side.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    confidence: Bound,
    z: f64,
}

impl Level {
    /// `None` outside of what [`Kind::Open`](super::Kind::Open) takes.
    #[must_use]
    pub fn of(confidence: Bound) -> Option<Self> {
        let z = deviations(confidence.float())?;
        Some(Self { confidence, z })
    }

    /// The confidence as it was declared.
    #[must_use]
    pub const fn confidence(&self) -> &Bound {
        &self.confidence
    }

    /// Wilson's interval of the pass rate at this level; `None` of no run.
    #[must_use]
    pub fn interval(&self, passed: u64, runs: u64) -> Option<Interval> {
        Interval::wilson(passed, runs, self.z)
    }
}

/// How many deviations to either side hold this part of a normal distribution; `None` where it is not between 0 and 1 or so near
/// to 1 that doubles no longer tell.
fn deviations(part: f64) -> Option<f64> {
    const FURTHEST: f64 = 6.0;
    if !(part > 0.0 && part < central(FURTHEST)) {
        return None;
    }
    let (mut low, mut high) = (0.0, FURTHEST);
    // Each round halves what is open; after these no double lies between.
    for _ in 0..64 {
        let middle = low + (high - low) / 2.0;
        if central(middle) < part { low = middle } else { high = middle }
    }
    Some(low + (high - low) / 2.0)
}

/// How much of a normal distribution lies so many deviations to either side: a series of positive terms, so nothing cancels.
fn central(z: f64) -> f64 {
    let (mut term, mut sum, mut odd) = (z, z, 1.0);
    while term > sum * 1e-17 {
        odd += 2.0;
        term *= z * z / odd;
        sum += term;
    }
    sum * (2.0 / std::f64::consts::PI).sqrt() * (-z * z / 2.0).exp()
}

/// On which side of a target Wilson's interval lies: `Some(true)` above or at it, `Some(false)` below, `None` where it holds
/// the target. The interval of a rate to the power of `tries` lies there exactly where the interval of the rate lies there to
/// the root of the target, so `pass_k` is the same question.
///
/// Both ends of the interval are where `(passes - n t)^2 = z^2 n t (1 - t)`. That form is compared, and not the ends: it
/// needs no root, and nothing cancels in it.
#[must_use]
pub(super) fn beside(target: &Bound, tries: u64, level: &Level, (yes, no): (u64, u64)) -> Option<bool> {
    let (yes, no) = (real(yes), real(no));
    // 1 - t first, so that it keeps its digits where t is close to 1.
    let away = -(target.float().ln() / real(tries)).exp_m1();
    let runs = yes + no;
    let ahead = runs * away - no;
    let needed = level.z * level.z * runs * (1.0 - away) * away;
    (runs > 0.0 && ahead * ahead > needed * (1.0 + MARGIN)).then_some(ahead > 0.0)
}

/// The unbiased estimate of the chance that so many tries all pass: of all ways to draw `tries` of the runs, those that hold
/// passes alone. `None` of fewer runs than tries.
#[must_use]
pub fn all_pass(tries: u64, passed: u64, runs: u64) -> Option<f64> {
    if runs < tries {
        return None;
    }
    let mut chance = 1.0;
    for drawn in 0..tries {
        // A product that has become nothing stays nothing.
        if drawn >= passed || chance == 0.0 {
            return Some(0.0);
        }
        chance *= real(passed - drawn) / real(runs - drawn);
    }
    Some(chance)
}

/// A sequential probability ratio test: a product that passes at `p1` against one that passes at `p0`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// The rate that is not good enough.
    pub p0: Bound,
    /// The rate that is; above `p0`.
    pub p1: Bound,
    /// At most so often a product that passes at `p0` or less is ever called good, whenever one looks.
    pub alpha: Bound,
    /// At most so often a product that passes at `p1` or more is ever called bad.
    pub beta: Bound,
}

impl Ratio {
    /// The logarithm of how much likelier these runs are at `p1` than at `p0`.
    #[must_use]
    pub fn log(&self, yes: u64, no: u64) -> f64 {
        let (up, down) = self.steps();
        real(yes) * up - real(no) * down
    }

    /// What one pass adds to it, and one failure takes away.
    #[must_use]
    pub fn steps(&self) -> (f64, f64) {
        let (p0, p1) = (self.p0.float(), self.p1.float());
        let apart = p1 - p0;
        ((apart / p0).ln_1p(), (apart / (1.0 - p1)).ln_1p())
    }

    /// From where on the product is called good, and down to where it is called bad. `1 / alpha` and `beta`, and not Wald's
    /// `(1 - beta) / alpha` and `beta / (1 - alpha)`: those hold the error rates nearly and at the first crossing alone, and
    /// these hold them whenever one looks and however often (Ville's inequality), for a little more runs.
    #[must_use]
    pub fn boundaries(&self) -> (f64, f64) {
        (-self.alpha.float().ln(), self.beta.float().ln())
    }

    /// Which boundary the runs have crossed.
    #[must_use]
    pub fn crossed(&self, (yes, no): (u64, u64)) -> Option<bool> {
        let ((up, down), (good, bad)) = (self.steps(), self.boundaries());
        let (log, size) = (self.log(yes, no), real(yes) * up + real(no) * down);
        let unsure = MARGIN * size;
        if log - unsure >= good {
            Some(true)
        } else if log + unsure <= bad {
            Some(false)
        } else {
            None
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
const fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
