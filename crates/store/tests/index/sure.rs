//! Counts that are kept equal the evaluation of all runs.

use probity_core::qa::Sums;
use probity_core::qa::intake::as_run;
use probity_core::success_policy::{Policy, State, conclude, evaluate};
use probity_core::verdict::QaVerdict;
use probity_store::index::Index;

use crate::lab::{Lab, number, record, requirement, run, see, terms};

const POLICIES: [&str; 6] = [
    "",
    r#"{"type":"deterministic","check":"exit_code","expected":0}"#,
    r#"{"type":"threshold","metric":"score","threshold":3.5,"operator":"gte"}"#,
    r#"{"type":"statistical","min_runs":4,"min_pass_rate":0.5}"#,
    r#"{"type":"composite","rules":[{"metric":"m","min":4},{"check":"fine"}]}"#,
    r#"{"type":"agent_judgment","confidence_pass":0.8,"confidence_fail":0.4,"min_runs":2}"#,
];

/// Runs that differ in everything that policies look at; the same each time.
fn fill(index: &mut Index, from: u64, to: u64) {
    let mut seed = from.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1;
    let mut pick = |of: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % of
    };
    for position in from..to {
        let mut one = run(&format!("k{position}"), QaVerdict::ALL[usize::try_from(pick(4)).unwrap()]);
        let raws = [
            "{}",
            "[1]",
            "prose",
            r#"{"exit_code":0,"m":4.0,"fine":true}"#,
            r#"{"exit_code":1,"score":3.4}"#,
            r#"{"exit_code":"0","m":9007199254740993,"fine":false}"#,
            r#"{"score":3.5,"m":3,"fine":true,"x":null}"#,
        ];
        one.said.raw = Some(raws[usize::try_from(pick(7)).unwrap()].to_owned());
        one.said.score =
            [None, number("3.5"), number("3.49999999999999999999")][usize::try_from(pick(3)).unwrap()].clone();
        one.said.confidence =
            [None, number("0.8"), number("0.6"), number("0.59")][usize::try_from(pick(4)).unwrap()].clone();
        record(index, &one, i64::try_from(position).unwrap()).unwrap();
    }
}

fn compare(index: &mut Index, policy: &str) {
    let version = index.heads().unwrap()[0].version.clone();
    assert_eq!(version.terms.policy.as_deref().unwrap_or_default(), policy);
    let mut kept = Sums::default();
    index.states(&version, "c1").unwrap().iter().for_each(|(_, _, sums)| kept.merge(sums));
    let runs: Vec<_> = index.first_runs("R", "c1", 10_000, true).unwrap().iter().map(as_run).collect();
    let policy = Policy::read(policy.as_bytes()).unwrap();
    assert_eq!(State::of_sums(&kept), State::of(&policy, &runs));
    assert_eq!(conclude(&policy, &State::of_sums(&kept)), evaluate(&policy, &runs));
}

pub(crate) fn counts_equal_the_whole_evaluation(lab: &Lab) {
    let mut index = lab.with(POLICIES[4]);
    fill(&mut index, 0, 60);
    compare(&mut index, POLICIES[4]);
}

pub(crate) fn a_new_version_counts_what_is_there(lab: &Lab) {
    let mut index = lab.with(POLICIES[0]);
    fill(&mut index, 100, 130);
    for (position, policy) in POLICIES.into_iter().enumerate().skip(1) {
        index.require(&requirement("R"), &terms(policy), Some("tried"), &see).unwrap();
        compare(&mut index, policy);
        let from = u64::try_from(200 + position * 10).unwrap();
        fill(&mut index, from, from + 10);
        compare(&mut index, policy);
    }
    // A policy that comes back is counted anew: runs came in between.
    index.require(&requirement("R"), &terms(POLICIES[1]), Some("back"), &see).unwrap();
    compare(&mut index, POLICIES[1]);
}
