//! Values worked out by hand or printed in tables, and error rates: exact where every course of runs can be added up, and
//! thrown with fixed seeds.

use proptest::prelude::*;

use super::*;
use crate::json::Number;
use crate::success_policy::interval;

fn bound(text: &str) -> Bound {
    Number::parse(text).as_ref().and_then(Bound::of).unwrap()
}

fn level(text: &str) -> Level {
    Level::of(bound(text)).unwrap()
}

fn ratio(p0: &str, p1: &str, alpha: &str, beta: &str) -> Ratio {
    Ratio { p0: bound(p0), p1: bound(p1), alpha: bound(alpha), beta: bound(beta) }
}

fn near(a: f64, b: f64, by: f64) -> bool {
    (a - b).abs() <= by
}

/// Deviations as statistical tables print them.
#[test]
fn deviations_of_the_tables() {
    for (part, z) in [
        ("0.5", 0.674_489_750_196),
        ("0.8", 1.281_551_565_545),
        ("0.9", 1.644_853_626_951),
        ("0.95", 1.959_963_984_540),
        ("0.99", 2.575_829_303_549),
        ("0.999", 3.290_526_731_492),
        ("0.999999", 4.891_638_475_699),
    ] {
        assert!(near(level(part).z, z, 1e-9), "{part} {}", level(part).z);
    }
    for none in [0.0, 1.0, -0.5, 2.0, f64::NAN] {
        assert_eq!(deviations(none), None, "{none}");
    }
    assert!(deviations(0.000_001).is_some_and(|z| near(z, 1.253_314e-6, 1e-11)));
}

#[test]
fn intervals_worked_out_by_hand() {
    for (passed, runs, confidence, low, high) in [
        (7, 10, "0.95", 0.3968, 0.8922),
        (70, 100, "0.95", 0.6042, 0.7811),
        (10, 10, "0.95", 0.7225, 1.0),
        (0, 10, "0.95", 0.0, 0.2775),
        (1, 1, "0.95", 0.2065, 1.0),
        (7, 10, "0.8", 0.4974, 0.8462),
    ] {
        let found = level(confidence).interval(passed, runs).unwrap();
        assert!(near(found.low(), low, 5e-5) && near(found.high(), high, 5e-5), "{passed}/{runs} {found:?}");
    }
    let (ours, v1) = (level("0.95").interval(8, 10).unwrap(), interval(8, 10).unwrap());
    assert!(near(ours.low(), v1.low(), 1e-12) && near(ours.high(), v1.high(), 1e-12));
    assert_eq!(level("0.95").interval(0, 0), None);
}

/// From how many passes without a failure on the lower end reaches a target: `n >= z^2 t / (1 - t)`.
#[test]
fn passes_without_a_failure() {
    for (target, confidence, needed) in
        [("0.9", "0.95", 35), ("0.5", "0.95", 4), ("0.8", "0.95", 16), ("0.99", "0.95", 381), ("0.9", "0.8", 15)]
    {
        let level = level(confidence);
        let beside = |runs| beside(&bound(target), 1, &level, (runs, 0));
        assert_eq!((beside(needed - 1), beside(needed)), (None, Some(true)), "{target}");
    }
}

/// Estimates out of binomial coefficients: C(8,3)/C(10,3) = 56/120, and so on.
#[test]
fn estimates_of_all_passing() {
    for (tries, passed, runs, chance) in [
        (3, 8, 10, Some(56.0 / 120.0)),
        (1, 7, 10, Some(0.7)),
        (3, 2, 10, Some(0.0)),
        (3, 10, 10, Some(1.0)),
        (2, 3, 4, Some(0.5)),
        (3, 2, 2, None),
        (8, 9, 10, Some(0.2)),
    ] {
        match (all_pass(tries, passed, runs), chance) {
            (Some(found), Some(chance)) => assert!(near(found, chance, 1e-12), "{tries} {passed} {runs} {found}"),
            (found, chance) => assert_eq!(found, chance),
        }
    }
    assert!(all_pass(500_000, 999_000, 1_000_000).is_some_and(|chance| (0.0..1e-200).contains(&chance)));
}

/// The lengths of the spec (section 6, weakness 4), by Wald's formula over our boundaries: 5 to 7 and 25 to 29, and a run more
/// for boundaries that hold at any time.
#[test]
fn expected_lengths() {
    for (p0, p1, bad, good) in [("0.5", "0.9", 5.3, 7.3), ("0.6", "0.8", 25.8, 29.5)] {
        let ratio = ratio(p0, p1, "0.05", "0.05");
        let ((up, down), (high, low)) = (ratio.steps(), ratio.boundaries());
        let length =
            |p: f64, called_good: f64| (called_good * high + (1.0 - called_good) * low) / (p * up - (1.0 - p) * down);
        assert!(near(length(ratio.p0.float(), 0.05), bad, 0.05), "{}", length(ratio.p0.float(), 0.05));
        assert!(near(length(ratio.p1.float(), 0.95), good, 0.05), "{}", length(ratio.p1.float(), 0.95));
    }
}

/// The chance that a test crosses each boundary first, or at all, within so many runs: every course is added up.
fn ever(ratio: &Ratio, rate: f64, runs: u64, to: bool) -> f64 {
    let mut open = vec![1.0];
    let mut crossed = 0.0;
    for run in 1..=runs {
        let mut next = vec![0.0; open.len() + 1];
        for (yes, chance) in open.iter().enumerate() {
            next[yes + 1] += chance * rate;
            next[yes] += chance * (1.0 - rate);
        }
        for (yes, chance) in next.iter_mut().enumerate() {
            let yes = yes as u64;
            if ratio.crossed((yes, run - yes)) == Some(to) {
                crossed += *chance;
                *chance = 0.0;
            }
        }
        open = next;
    }
    crossed
}

/// Whoever looks after every run, goes on after an outcome and stops when it pleases is wrong no more often than was declared.
#[test]
fn error_rates_hold_whenever_one_looks() {
    for (p0, p1, alpha, beta) in [
        ("0.5", "0.9", "0.05", "0.05"),
        ("0.6", "0.8", "0.05", "0.05"),
        ("0.9", "0.95", "0.01", "0.1"),
        ("0.1", "0.2", "0.2", "0.1"),
    ] {
        let ratio = ratio(p0, p1, alpha, beta);
        for worse in [1.0, 0.95] {
            let wrong = ever(&ratio, ratio.p0.float() * worse, 500, true);
            assert!(wrong > 0.0 && wrong <= ratio.alpha.float(), "{p0} {p1} {wrong}");
            let wrong = ever(&ratio, 1.0 - (1.0 - ratio.p1.float()) * worse, 500, false);
            assert!(wrong > 0.0 && wrong <= ratio.beta.float(), "{p0} {p1} {wrong}");
        }
    }
}

/// Numbers that look thrown, the same each time.
struct Dice(u64);

impl Dice {
    fn falls(&mut self, rate: f64) -> bool {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / ((1_u64 << 53) as f64) < rate
    }
}

/// Products thrown with fixed seeds: how often the first boundary that is crossed is the wrong one, and after how many runs.
#[test]
fn thrown_products_are_judged_as_declared() {
    for (seed, p0, p1, lengths) in [(1, "0.5", "0.9", (5.0, 9.0)), (2, "0.6", "0.8", (26.0, 32.0))] {
        let ratio = ratio(p0, p1, "0.05", "0.05");
        let mut dice = Dice(seed);
        for (rate, wrong, most) in [(ratio.p0.float(), true, 0.05), (ratio.p1.float(), false, 0.05)] {
            let (products, mut errors, mut total) = (10_000_u32, 0, 0_u64);
            for _ in 0..products {
                let (mut yes, mut no) = (0, 0);
                let called = loop {
                    *(if dice.falls(rate) { &mut yes } else { &mut no }) += 1;
                    if let Some(called) = ratio.crossed((yes, no)) {
                        break called;
                    }
                };
                errors += u32::from(called == wrong);
                total += yes + no;
            }
            let (errors, length) = (f64::from(errors) / f64::from(products), real(total) / f64::from(products));
            assert!(errors <= most, "{p0} {p1} {rate} {errors}");
            assert!(lengths.0 <= length && length <= lengths.1, "{p0} {p1} {rate} {length}");
        }
    }
}

/// The chance that exactly so many of so many pass.
fn exactly(rate: f64, passed: u64, runs: u64) -> f64 {
    let ways: f64 = (0..passed).map(|at| (real(runs - at) / real(at + 1)).ln()).sum();
    (ways + real(passed) * rate.ln() + real(runs - passed) * (1.0 - rate).ln()).exp()
}

/// A product that is just not better than the target is called good about once in forty at 95 %: Wilson's interval keeps its
/// level on average over rates and not for each, so a few per cent more is what the decision says. This is one look; for a look
/// after each run there is `sprt`.
#[test]
fn wilson_is_wrong_about_as_often_as_declared() {
    let (level, target) = (level("0.95"), bound("0.8"));
    let wrong = |runs: u64, to: bool| -> f64 {
        let beside = |yes: u64| beside(&target, 1, &level, (yes, runs - yes)) == Some(to);
        (0..=runs).filter(|yes| beside(*yes)).map(|yes| exactly(0.8, yes, runs)).sum()
    };
    for runs in [20, 30, 50, 100, 200, 400] {
        assert!(wrong(runs, true) < 0.03, "{runs} {}", wrong(runs, true));
        assert!(wrong(runs, false) < 0.045, "{runs} {}", wrong(runs, false));
    }
}

proptest! {
    /// The question that is asked without roots has the answer that the ends of the interval give.
    #[test]
    fn sides_are_those_of_the_interval(yes in 0..400_u64, no in 0..400_u64, target in 1..1000_u32, tries in 1..6_u64, at in 50..999_u32) {
        let (target, level) = (f64::from(target) / 1001.0, level(&format!("0.{at:03}")));
        let Some(between) = level.interval(yes, yes + no).map(|one| one.of_all(tries)) else {
            prop_assert_eq!(beside(&bound(&target.to_string()), tries, &level, (yes, no)), None);
            return Ok(());
        };
        let side = beside(&bound(&target.to_string()), tries, &level, (yes, no));
        prop_assume!(!near(between.low(), target, 1e-9) && !near(between.high(), target, 1e-9));
        let wanted = if between.low() > target { Some(true) } else if between.high() < target { Some(false) } else { None };
        prop_assert_eq!(side, wanted, "{:?} {}", between, target);
    }

    /// A pass never leads away from good, nor a failure away from bad.
    #[test]
    fn passes_lead_up(yes in 0..100_000_u64, no in 0..100_000_u64, target in 1..100_u32, apart in 1..99_u32, at in 1..100_u32) {
        let part = |n: u32| bound(&format!("0.{n:02}").replace("0.100", "0.995"));
        let rank = |side: Option<bool>| side.map_or(1, |good| if good { 2 } else { 0 });
        let level = Level::of(part(at)).unwrap();
        let wilson = |counts| rank(beside(&part(target), 3, &level, counts));
        prop_assert!(wilson((yes + 1, no)) >= wilson((yes, no)) && wilson((yes, no + 1)) <= wilson((yes, no)));
        if target.min(99) > apart {
            let ratio = Ratio { p0: part(apart), p1: part(target.min(99)), alpha: part(at.min(40)), beta: part(5) };
            let sprt = |counts| rank(ratio.crossed(counts));
            prop_assert!(sprt((yes + 1, no)) >= sprt((yes, no)) && sprt((yes, no + 1)) <= sprt((yes, no)));
        }
    }
}
