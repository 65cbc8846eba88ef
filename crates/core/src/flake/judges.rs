//! Judges held against each other, and against runs in which nothing was judged.
//!
//! What two judges judged is a requirement at a commit, and the newest word of each counts. What is so, as far as anybody knows, is
//! what the runs without a judge of that requirement and commit say, where they all say the same. Several judges are compared two by
//! two: one number for all of them hides the one that stands apart.

use std::collections::BTreeMap;

use smol_str::SmolStr;

use super::Sight;
use crate::success_policy::Given;
use crate::verdict::QaVerdict;

/// Bins of a calibration: confidences from 0 to 0.1, to 0.2, and so on.
pub const BINS: usize = 10;

/// Two judges that judged the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// One, by name the first.
    pub one: SmolStr,
    /// The other.
    pub other: SmolStr,
    /// How often both said pass, the one alone, the other alone, and both fail.
    pub counts: [u64; 4],
}

impl Agreement {
    /// What both judged.
    #[must_use]
    pub const fn both(&self) -> u64 {
        let [pass, one, other, fail] = self.counts;
        pass + one + other + fail
    }

    /// Cohen's kappa: 1 where they always agree, 0 where they agree as often as by chance. `None` where each always says the same,
    /// so that agreeing shows nothing.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
    pub fn kappa(&self) -> Option<f64> {
        let [pass, one, other, fail] = self.counts.map(|count| count as f64);
        let all = pass + one + other + fail;
        let chance = (pass + one) * (pass + other) + (fail + one) * (fail + other);
        let (agreed, most) = ((pass + fail) * all, all * all);
        (most > chance).then(|| (agreed - chance) / (most - chance))
    }
}

/// Judgements of about the same confidence.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// How many.
    pub count: u64,
    /// Those that were right.
    pub right: u64,
    /// The sum of their confidences.
    pub sure: f64,
}

/// How often a judge is right, against how sure it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The judge.
    pub judge: SmolStr,
    /// Its passes and failures that say how sure it is and that something can be held against.
    pub count: u64,
    /// Those that do not say how sure it is.
    pub no_confidence: u64,
    /// Those that nothing can be held against.
    pub no_truth: u64,
    /// By confidence.
    pub bins: [Bin; BINS],
    squares: f64,
}

impl Calibration {
    /// Brier's score: the mean square of confidence less outcome, 1 for right and 0 for wrong. 0 is best; who always says one half
    /// has 0.25. `None` of no judgement.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
    pub fn brier(&self) -> Option<f64> {
        (self.count > 0).then(|| self.squares / self.count as f64)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a confidence lies between 0 and 1"
    )]
    fn add(&mut self, confidence: f64, right: bool) {
        let bin = &mut self.bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.right += u64::from(right);
        bin.sure += confidence;
        self.count += 1;
        self.squares += (confidence - f64::from(u8::from(right))).powi(2);
    }
}

/// A requirement at a commit.
type Matter<'a> = (Option<&'a SmolStr>, &'a SmolStr);

pub(super) fn analyse(sights: &[Sight<'_>]) -> (Vec<Agreement>, Vec<Calibration>) {
    let mut seen: BTreeMap<Matter<'_>, Option<bool>> = BTreeMap::new();
    let mut said: BTreeMap<&SmolStr, BTreeMap<Matter<'_>, bool>> = BTreeMap::new();
    let mut measured: Vec<(&Sight<'_>, Option<Matter<'_>>, bool)> = Vec::new();
    for sight in sights {
        let passed = match sight.verdict {
            QaVerdict::Pass => true,
            QaVerdict::Fail => false,
            QaVerdict::Undetermined | QaVerdict::Error => continue,
        };
        let matter = match &sight.origin.commit {
            Given::Value(commit) => Some((sight.requirement, commit)),
            _ => None,
        };
        measured.push((sight, matter, passed));
    }
    // The newest word is the last that is put in; of one time, the one read later.
    measured.sort_by_key(|(sight, ..)| sight.at);
    for (sight, matter, passed) in &measured {
        let Some(matter) = matter else { continue };
        if let Some(judge) = sight.origin.judge() {
            said.entry(judge).or_default().insert(*matter, *passed);
        } else {
            let so = seen.entry(*matter).or_insert(Some(*passed));
            *so = so.filter(|so| so == passed);
        }
    }
    let mut calibrations: BTreeMap<&SmolStr, Calibration> = BTreeMap::new();
    for (sight, matter, passed) in &measured {
        let Some(judge) = sight.origin.judge() else { continue };
        let of = calibrations.entry(judge).or_insert_with(|| Calibration {
            judge: judge.clone(),
            count: 0,
            no_confidence: 0,
            no_truth: 0,
            bins: [Bin::default(); BINS],
            squares: 0.0,
        });
        match (&sight.origin.confidence, matter.and_then(|matter| *seen.get(&matter)?)) {
            (Given::Value(confidence), Some(so)) => of.add(*confidence, so == *passed),
            (Given::Value(_), None) => of.no_truth += 1,
            _ => of.no_confidence += 1,
        }
    }
    (agreements(&said), calibrations.into_values().collect())
}

fn agreements(said: &BTreeMap<&SmolStr, BTreeMap<Matter<'_>, bool>>) -> Vec<Agreement> {
    let mut found = Vec::new();
    for (position, (one, words)) in said.iter().enumerate() {
        for (other, others) in said.iter().skip(position + 1) {
            let mut counts = [0; 4];
            for (matter, mine) in words {
                if let Some(theirs) = others.get(matter) {
                    counts[usize::from(!mine) * 2 + usize::from(!theirs)] += 1;
                }
            }
            if counts != [0; 4] {
                found.push(Agreement { one: (*one).clone(), other: (*other).clone(), counts });
            }
        }
    }
    found
}
