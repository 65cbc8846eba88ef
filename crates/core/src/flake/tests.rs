//! Figures worked out by hand, and what holds whatever the rows are.

use proptest::prelude::*;

use super::*;
use crate::success_policy::Want;

fn rows(text: &str) -> Vec<Row> {
    let want = Want::names([]).and_origin();
    text.lines().map(|line| Row::read(line.trim().as_bytes(), &want).unwrap()).collect()
}

/// A run of a letter at a second: `p`ass, `f`ail, `e`rror, `u`ndetermined, or none yet.
fn line(letter: char, commit: &str, second: usize, more: &str) -> String {
    let verdict = match letter {
        'p' => "\"pass\"",
        'f' => "\"fail\"",
        'e' => "\"error\"",
        'u' => "\"undetermined\"",
        _ => "null",
    };
    format!(
        "{{\"requirement\":\"A\",\"verdict\":{verdict},\"commit\":{commit},\"created_at\":\"2026-08-01T00:{:02}:{:02}Z\"{more}}}",
        second / 60,
        second % 60
    )
}

fn commit_of(letters: &str) -> Commit {
    let text: Vec<String> = letters.chars().enumerate().map(|(at, letter)| line(letter, "\"c1\"", at, "")).collect();
    analyse(&rows(&text.join("\n"))).requirements[0].commits[0].clone()
}

#[test]
fn commits_by_hand() {
    for (letters, flaky, transitions, first) in [
        ("p", None, 0, true),
        ("f", None, 0, false),
        ("pp", Some(false), 0, true),
        ("ff", Some(false), 0, false),
        ("pf", Some(true), 1, true),
        ("fpfp", Some(true), 3, false),
        // What was not measured shows nothing about the product; a first try that was none did not pass.
        ("pe", None, 0, true),
        ("epp", Some(false), 0, false),
        ("pupf", Some(true), 1, true),
        ("uee", None, 0, false),
        ("p.f", Some(true), 1, true),
    ] {
        let found = commit_of(letters);
        assert_eq!((found.flaky, found.transitions, found.first), (flaky, Some(transitions), Some(first)), "{letters}");
    }
}

#[test]
fn a_requirement_over_commits() {
    let text = [
        line('p', "\"a\"", 1, ""),
        line('f', "\"a\"", 2, ""),
        line('p', "\"b\"", 3, ""),
        line('f', "\"c\"", 4, ""),
        line('p', "null", 5, ""),
    ];
    let found = analyse(&rows(&text.join("\n")));
    let one = &found.requirements[0];
    assert_eq!((one.flaky(), one.is_flaky(), one.first_tries(), one.no_commit), (1, Some(true), (2, 3), 1));
    assert_eq!((one.tally.pass, one.tally.fail), (3, 2));
    let rate = one.tally.pass_rate().unwrap();
    assert_eq!((format!("{:.3}", rate.low()), format!("{:.3}", rate.high())), ("0.231".to_owned(), "0.882".to_owned()));
}

/// Missing, null, unfit and a value are four things, and none of them is zero.
#[test]
fn what_is_missing_is_named() {
    let found = analyse(&rows(
        r#"{"verdict":"pass"}
           {"verdict":"pass","commit":null,"performed_by":null,"judge":"j","confidence":null}
           {"verdict":"pass","commit":7,"performed_by":"","judge":"j","confidence":95}
           {"verdict":"pass","head_sha":"c","performed_by":"ci","judge":"j"}
           {"verdict":"pass","commit":"c","performed_by":"ci","judge":"j","confidence":1}"#,
    ));
    assert_eq!(found.commit, Gaps { missing: 1, null: 1, unfit: 1 });
    assert_eq!(found.performed_by, Gaps { missing: 1, null: 1, unfit: 1 });
    assert_eq!(found.confidence, Gaps { missing: 1, null: 1, unfit: 1 });
    assert_eq!((found.rows, found.no_time, found.requirements[0].no_commit), (5, 5, 3));
    // Two runs of one commit, and nobody knows which was first.
    let commit = &found.requirements[0].commits[0];
    assert_eq!((commit.flaky, commit.transitions, commit.first), (Some(false), None, None));
    assert_eq!(found.requirements[0].first_tries(), (0, 0));
    assert_eq!(analyse(&[]), Flakes::default());
}

#[test]
fn runners_by_their_errors() {
    let text: Vec<String> = ["pppe", "e"]
        .iter()
        .zip(["ci", "agent"])
        .flat_map(|(letters, by)| {
            letters.chars().map(move |letter| line(letter, "\"c\"", 0, &format!(",\"performed_by\":\"{by}\"")))
        })
        .collect();
    let found = analyse(&rows(&text.join("\n")));
    let rates: Vec<(&str, u64, u64)> =
        found.runners.iter().map(|(by, of)| (by.as_str(), of.error, of.completed())).collect();
    assert_eq!(rates, [("agent", 1, 1), ("ci", 1, 4)]);
    let rate = found.runners[1].1.error_rate().unwrap();
    assert_eq!(format!("{:.3} {:.3}", rate.low(), rate.high()), "0.046 0.699");
}

/// A table of Cohen's kind: 20 both pass, 5 and 10 apart, 15 both fail, which is a kappa of 0.4.
#[test]
fn kappa_by_hand() {
    let of = |counts| Agreement { one: "a".into(), other: "b".into(), counts };
    assert!((of([20, 5, 10, 15]).kappa().unwrap() - 0.4).abs() < 1e-12);
    assert_eq!(of([7, 0, 0, 3]).kappa(), Some(1.0));
    assert_eq!(of([0, 5, 5, 0]).kappa(), Some(-1.0));
    assert_eq!(of([9, 0, 0, 0]).kappa(), None);
    assert_eq!(of([5, 5, 0, 0]).kappa(), Some(0.0));
}

#[test]
fn judges_by_hand() {
    let judged = |letter, commit: &str, judge: &str, sure: &str| {
        line(letter, commit, 9, &format!(",\"judge\":\"{judge}\",\"confidence\":{sure}"))
    };
    let text = [
        line('p', "\"a\"", 0, ""),
        line('f', "\"b\"", 0, ""),
        // A commit that is flaky itself is no measure of a judge.
        line('p', "\"d\"", 0, ""),
        line('f', "\"d\"", 1, ""),
        judged('p', "\"a\"", "j", "0.9"),
        judged('p', "\"b\"", "j", "0.8"),
        judged('p', "\"d\"", "j", "1"),
        judged('f', "\"a\"", "k", "0.6"),
        judged('f', "\"b\"", "k", "null"),
        judged('u', "\"b\"", "k", "0.5"),
    ];
    let found = analyse(&rows(&text.join("\n")));
    let [j, k] = found.calibrations.as_slice() else { panic!("{:?}", found.calibrations) };
    assert_eq!((j.judge.as_str(), j.count, j.no_truth, j.no_confidence), ("j", 2, 1, 0));
    // 0.1 squared and 0.8 squared.
    assert!((j.brier().unwrap() - 0.325).abs() < 1e-12);
    assert_eq!((j.bins[9].count, j.bins[9].right, j.bins[8].count, j.bins[8].right), (1, 1, 1, 0));
    assert_eq!((k.count, k.no_truth, k.no_confidence), (1, 0, 1));
    let [both] = found.agreements.as_slice() else { panic!("{:?}", found.agreements) };
    assert_eq!(both.counts, [0, 2, 0, 0]);
    // That judges disagree makes no commit flaky.
    let flaky: Vec<&str> =
        found.requirements[0].commits.iter().filter(|c| c.flaky == Some(true)).map(|c| c.commit.as_str()).collect();
    assert_eq!(flaky, ["d"]);
}

proptest! {
    /// The order of rows that say when they were made never matters; and nothing is counted twice or lost.
    #[test]
    fn order_never_matters(picks in prop::collection::vec((0..5_usize, 0..3_usize, 0..4_usize), 0..20), turn in 0..20_usize) {
        let text: Vec<String> = picks
            .iter()
            .enumerate()
            .map(|(at, (letter, commit, judge))| {
                let more = ["", ",\"judge\":\"j\",\"confidence\":0.7", ",\"judge\":\"k\"", ",\"performed_by\":\"ci\""][*judge];
                line(['p', 'f', 'e', 'u', '.'][*letter], ["\"a\"", "\"b\"", "null"][*commit], at, more)
            })
            .collect();
        let all = rows(&text.join("\n"));
        let mut turned = all.clone();
        turned.reverse();
        turned.rotate_left(turn % all.len().max(1));
        let (found, again) = (analyse(&all), analyse(&turned));
        prop_assert_eq!(&found, &again);
        let counted: u64 = found.requirements.iter().map(|one| one.tally.completed() + one.pending).sum();
        prop_assert_eq!(counted, found.rows);
        for one in &found.requirements {
            let inside: u64 = one.commits.iter().map(|commit| commit.tally.completed()).sum();
            prop_assert_eq!(inside + one.no_commit, one.tally.completed());
        }
        for of in &found.agreements {
            prop_assert!(of.kappa().is_none_or(|kappa| (-1.0..=1.0).contains(&kappa)));
        }
        for of in &found.calibrations {
            prop_assert!(of.brier().is_none_or(|brier| (0.0..=1.0).contains(&brier)));
        }
    }
}
