//! Series by hand, and what holds whatever the runs are.

use proptest::prelude::*;

use crate::success_policy::{Outcome, Policy, Reason, Row, Run, State, Want, conclude, evaluate, turns};

fn policy(planned: u64, rate: &str) -> Policy {
    let text = format!(r#"{{"type":"planned_runs","planned":{planned},"min_pass_rate":{rate}}}"#);
    Policy::read(text.as_bytes()).unwrap()
}

/// A run of each letter, a second apart: passed, failed, in error, undetermined, and one that is still open.
fn runs(letters: &str) -> Vec<Run> {
    letters.chars().enumerate().map(|(second, letter)| run(letter, Some(second))).collect()
}

fn run(letter: char, second: Option<usize>) -> Run {
    let verdict = match letter {
        'p' => "\"pass\"",
        'f' => "\"fail\"",
        'e' => "\"error\"",
        'u' => "\"undetermined\"",
        _ => "null",
    };
    let at = second.map_or("null".to_owned(), |s| format!("\"2026-08-01T00:{:02}:{:02}Z\"", s / 60, s % 60));
    let text = format!(r#"{{"verdict":{verdict},"created_at":{at}}}"#);
    Row::read(text.as_bytes(), &Want::everything()).unwrap().run
}

/// Four are planned, and three must pass.
#[test]
fn series_by_hand() {
    let policy = policy(4, "0.75");
    for (letters, reason, series) in [
        ("", Reason::InsufficientRuns, ""),
        ("ppp", Reason::InsufficientRuns, "3/3"),
        ("pppf", Reason::SeriesMet, "3/4"),
        // A run that could not be judged takes its place, and is no pass; one that is open does not.
        ("ppue", Reason::SeriesMissed, "2/4"),
        ("pp.pf", Reason::SeriesMet, "3/4"),
        // Green afterwards mends nothing, until a whole series is green.
        ("ppffppp", Reason::SeriesMissed, "2/4 3/3"),
        ("ppffpppf", Reason::SeriesMet, "2/4 3/4"),
        // And the newest full one counts in the other direction as well.
        ("ppppffff", Reason::SeriesMissed, "4/4 0/4"),
        ("ppppfff", Reason::SeriesMet, "4/4 0/3"),
    ] {
        let state = State::of(&policy, &runs(letters));
        assert_eq!(conclude(&policy, &state), reason, "{letters}");
        let found = state.planned(&policy).unwrap().series;
        let words: Vec<String> = found.iter().map(|one| format!("{}/{}", one.yes, one.runs())).collect();
        assert_eq!(words.join(" "), series, "{letters}");
    }
}

#[test]
fn what_has_no_time_has_no_place() {
    let policy = policy(2, "1");
    let timeless = |letters: &str| letters.chars().map(|letter| run(letter, None)).collect::<Vec<Run>>();
    // As long as one series takes them all, no order is needed.
    assert_eq!(evaluate(&policy, &timeless("pp")), Reason::SeriesMet);
    assert_eq!(evaluate(&policy, &timeless("ppp")), Reason::UnorderedRuns);
    assert_eq!(evaluate(&policy, &[runs("fp"), timeless("p")].concat()), Reason::UnorderedRuns);
    assert_eq!(evaluate(&policy, &[runs("pp"), timeless(".")].concat()), Reason::SeriesMet);
}

/// Of one time, what did not pass comes first: the pass of a pair cannot be chosen for the series that needs it.
#[test]
fn ties() {
    let policy = policy(2, "1");
    let tied = [run('p', Some(0)), run('p', Some(1)), run('f', Some(1)), run('p', Some(2))];
    let state = State::of(&policy, &tied);
    let found: Vec<(u64, u64)> = state.planned(&policy).unwrap().series.iter().map(|one| (one.yes, one.no)).collect();
    assert_eq!(found, [(1, 1), (2, 0)]);
}

proptest! {
    #[test]
    fn neither_order_nor_parts_matter(letters in "[pfeu.]{0,24}", turn in 0..24_usize, cut in 0..24_usize, planned in 1..7_u64) {
        let policy = policy(planned, "0.6");
        let all = runs(&letters);
        let mut turned = all.clone();
        turned.reverse();
        turned.rotate_left(turn % all.len().max(1));
        prop_assert_eq!(State::of(&policy, &all), State::of(&policy, &turned));
        let (left, right) = turned.split_at(cut.min(turned.len()));
        let mut whole = State::of(&policy, left);
        whole.merge(&State::of(&policy, right));
        prop_assert_eq!(whole, State::of(&policy, &all));
    }

    /// Later runs never change what an earlier series came to.
    #[test]
    fn later_runs_mend_nothing(letters in "[pfeu]{0,24}", more in "[pfeu]{0,9}", planned in 1..7_u64) {
        let policy = policy(planned, "0.6");
        let (before, after) = (State::of(&policy, &runs(&letters)), State::of(&policy, &runs(&format!("{letters}{more}"))));
        let (before, after) = (before.planned(&policy).unwrap(), after.planned(&policy).unwrap());
        prop_assert_eq!(&before.series[..before.full], &after.series[..before.full]);
        // Until a series is full again, the outcome stays as well.
        if before.full == after.full {
            prop_assert_eq!(before.counts(), after.counts());
        }
    }

    /// A turn leads where it says, whatever the runs are that come first; and with a run less nothing leads there.
    #[test]
    fn turns_lead_there(letters in "[pfeu]{0,16}", planned in 1..6_u64, rate in 0..=10_u8) {
        let policy = policy(planned, &format!("0.{rate}").replace("0.10", "1"));
        let state = State::of(&policy, &runs(&letters));
        for turn in turns(&policy, &state) {
            let Some(by) = turn.by else {
                prop_assert!(turn.to == Outcome::Failed && rate == 0);
                continue;
            };
            let times = |letter: &str, count: u64| letter.repeat(usize::try_from(count).unwrap());
            for any in ["p", "f", "u"] {
                let text = format!("{letters}{}{}{}", times(any, by.any), times("p", by.yes), times("f", by.no));
                prop_assert_eq!(evaluate(&policy, &runs(&text)).outcome(), turn.to, "{} {:?}", text, by);
            }
            for shorter in 0..by.runs() {
                let letter = if turn.to == Outcome::Satisfied { "p" } else { "f" };
                let text = format!("{letters}{}", times(letter, shorter));
                prop_assert_ne!(evaluate(&policy, &runs(&text)).outcome(), turn.to, "{} {:?}", text, by);
            }
        }
    }
}
