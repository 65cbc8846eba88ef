//! The derivation does not ask where the entries of one case stand beside those of another (design.md section 4): a run of
//! one case after another, its entries put into every order that side by side could have given them, comes to the same.

use std::cell::Cell;
use std::collections::BTreeMap;

use probity_core::codes::Code;
use probity_core::finding::Weight;
use probity_core::journal::{Entry, Kind};
use probity_core::json::Json;
use probity_core::recorded::Recorded;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::forgery::{Forgery, set};
use super::good::{Good, exhausted, mixed, whole};
use super::{codes, drawn, drawn_views, refused};
use crate::derive::{judge_snapshot, verify_snapshot};

/// Which case begins after which, in the plans here.
const AFTER: &[(&str, &str)] = &[("USES-1", "ITEM-1"), ("NAMES-1", "ITEM-1")];

/// The case of each entry that belongs to one, by the number of its intent.
fn case_of(entry: &Entry, intents: &BTreeMap<u64, String>) -> Option<String> {
    match entry.kind {
        Kind::ActionIntent => intents.get(&entry.seq).cloned(),
        Kind::ActionCommit | Kind::EvidenceCaptured => {
            intents.get(&entry.body.get("intent").and_then(Json::as_u64)?).cloned()
        }
        _ => None,
    }
}

/// The same entries in another order: each case keeps its own, what belongs to the whole run stays between what was
/// before it and what came after it. `choices` says whose entry comes next.
fn shuffled(entries: &[Entry], choices: &[u8]) -> Vec<Entry> {
    let scenario = |entry: &Entry| Some((entry.seq, entry.body.get("scenario")?.as_text()?.to_owned()));
    let intents = entries.iter().filter(|entry| entry.kind == Kind::ActionIntent).filter_map(scenario).collect();
    let mut out = Vec::new();
    let mut choices = choices.iter().copied().chain(std::iter::repeat(0));
    let cases: Vec<Option<String>> = entries.iter().map(|entry| case_of(entry, &intents)).collect();
    let mut from = 0;
    while from < entries.len() {
        let until = (from..entries.len()).find(|at| cases[*at].is_none()).unwrap_or(entries.len());
        let mut streams: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for at in from..until {
            streams.entry(cases[at].as_deref().unwrap_or_default()).or_default().insert(0, &entries[at]);
        }
        while !streams.is_empty() {
            let waits = |case: &str| AFTER.iter().any(|(after, before)| *after == case && streams.contains_key(before));
            let free: Vec<&str> = streams.keys().copied().filter(|case| !waits(case)).collect();
            let case = free[usize::from(choices.next().unwrap_or(0)) % free.len()];
            if let Some(entry) = streams.get_mut(case).and_then(Vec::pop) {
                out.push(entry.clone());
            }
            streams.retain(|_, left| !left.is_empty());
        }
        out.extend(entries.get(until).cloned());
        from = until + 1;
    }
    out
}

/// A run whose entries were all written at one time, with this many cases at once.
fn at_one_time(good: &'static Good, mut entries: Vec<Entry>, jobs: u64) -> Forgery {
    let at = entries[0].at.clone();
    for entry in &mut entries {
        entry.at.clone_from(&at);
        entry.mono = 0;
    }
    let mut forgery = Forgery { good, entries };
    set(forgery.opened(), "options.jobs", jobs);
    forgery
}

/// What a run comes to: every view, and how it verifies. Its seal names the chain, which is another one in another order,
/// and is left out; times are all one here, because an entry's time follows the order in which entries were written.
fn comes_to(forgery: &mut Forgery) -> (Vec<(String, String)>, u8) {
    let snapshot = forgery.completed();
    let judged = judge_snapshot(&snapshot, None).unwrap();
    let seal = Recorded::fold(snapshot.journal()).1.unwrap().seal().to_string();
    let views = drawn_views(&judged, &snapshot).into_iter();
    let views = views.map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap().replace(&seal, "SEAL")));
    let verified = verify_snapshot(&snapshot, None, None, Vec::new(), None);
    assert_eq!(codes(&verified, Weight::Integrity), [], "{}", drawn(&verified));
    (views.collect(), verified.exit())
}

fn check(good: &'static Good, cases: u32) {
    let mut plain = at_one_time(good, Forgery::of(good).entries, 8);
    let entries = plain.entries.clone();
    let expected = comes_to(&mut plain);
    let moved = Cell::new(false);
    let mut runner =
        TestRunner::new(Config { cases, failure_persistence: None, max_shrink_iters: 0, ..Config::default() });
    let orders = proptest::collection::vec(any::<u8>(), entries.len());
    let result = runner.run(&orders, |choices| {
        let mut other = Forgery { good, entries: shuffled(&entries, &choices) };
        prop_assert_eq!(other.entries.len(), entries.len());
        let order = |entries: &[Entry]| entries.iter().map(|entry| entry.seq).collect::<Vec<_>>();
        moved.set(moved.get() || order(&other.entries) != order(&entries));
        let (views, exit) = comes_to(&mut other);
        prop_assert_eq!(exit, expected.1);
        prop_assert_eq!(views.len(), expected.0.len());
        for ((name, text), (_, other)) in views.iter().zip(&expected.0) {
            let lines = text.lines().zip(other.lines()).find(|(one, other)| one != other);
            prop_assert!(text == other, "{}: {:?}", name, lines);
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(moved.get(), "nothing was put into another order");
}

#[test]
fn a_run_comes_to_the_same_in_every_order_of_its_cases() {
    check(whole(), 12);
    check(mixed(), 24);
}

#[test]
fn a_run_that_ran_out_comes_to_the_same_in_every_order() {
    check(exhausted(), 12);
}

#[test]
fn more_at_once_than_the_run_allows_is_refused() {
    let entries = Forgery::of(whole()).entries;
    let at_once = |jobs: u64| {
        let mut forgery = at_one_time(whole(), shuffled(&entries, &[0, 1, 2, 0, 1, 2]), jobs);
        let snapshot = forgery.completed();
        verify_snapshot(&snapshot, None, None, Vec::new(), None)
    };
    assert_eq!(at_once(3).exit(), 0, "{}", drawn(&at_once(3)));
    refused(&at_once(2), Code::IntentWithoutCommit);
    refused(&at_once(1), Code::IntentWithoutCommit);
    refused(&at_once(65), Code::EntryBodyInvalid);
}

#[test]
fn a_case_that_began_before_what_it_comes_after_is_refused() {
    let mut forgery = at_one_time(mixed(), Forgery::of(mixed()).entries, 8);
    let cleaned = forgery.of_step("ITEM-1.4");
    let after = *forgery.of_step("NAMES-1.1").end();
    let last: Vec<Entry> = forgery.entries.drain(cleaned.clone()).collect();
    let to = after + 1 - last.len();
    forgery.entries.splice(to..to, last);
    let snapshot = forgery.completed();
    refused(&verify_snapshot(&snapshot, None, None, Vec::new(), None), Code::IntentDiffers);
}
