//! Changes by somebody who writes every id again, names another outcome and writes the views to match: what the plan
//! and the bytes say cannot be written to match.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use probity_core::codes::Code;
use probity_core::finding::Weight;
use probity_core::ids::Digest;
use probity_core::journal::chain::Chain;
use probity_core::journal::{Entry, Kind};
use probity_core::json::{Json, Map};
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use super::forgery::{Forgery, at_text, put_text, set, value_at};
use super::good::{Good, exhausted, partial, turned, weak, whole};
use super::{codes, drawn, refused};
use crate::derive::verify_snapshot;

/// A test for each: the code, the run, what is done to it.
macro_rules! forgeries {
    ($($name:ident: $code:ident, $good:ident, $change:expr;)*) => {
        $(#[test]
        fn $name() {
            let mut forgery = Forgery::of($good());
            let change: fn(&mut Forgery) = $change;
            change(&mut forgery);
            forgery.refused(Code::$code);
        })*
    };
}

#[test]
fn writing_it_all_again_without_a_change_gives_the_same() {
    let mut same = Forgery::of(whole());
    assert_eq!(same.chained(), whole().snapshot.journal());
    let verified = verify_snapshot(&same.completed(), Some(&whole().list), None, Vec::new(), None);
    assert_eq!(verified.exit(), 0, "{}", drawn(&verified));
}

forgeries! {
    // Shape and chain.
    entry_body_invalid_of_a_service: EntryBodyInvalid, whole, |f| {
        f.insert(9, Kind::ServiceUp, Json::Map(Map::new()));
    };
    entry_body_invalid_with_an_extra_field: EntryBodyInvalid, whole, |f| {
        let at = f.commit("ITEM-1.1");
        set(f.body(at), "note", "fine");
    };
    entry_body_invalid_without_a_field: EntryBodyInvalid, whole, |f| {
        let at = f.nth(Kind::PlanChecked, 0);
        *f.body(at) = Json::map([("ok", true)]);
    };
    entry_body_invalid_in_the_first: EntryBodyInvalid, whole, |f| set(f.opened(), "extra", 1u64);
    entry_body_invalid_with_a_chosen_marker: EntryBodyInvalid, whole, |f| set(f.opened(), "marker", "");
    entry_body_invalid_with_a_short_nonce: EntryBodyInvalid, whole, |f| set(f.opened(), "nonce", "00");
    entry_body_invalid_in_an_observation: EntryBodyInvalid, whole, |f| {
        let at = f.commit("ITEM-1.1");
        set(f.body(at), "observation.kind", "guess");
    };
    entry_body_invalid_without_the_observation: EntryBodyInvalid, whole, |f| {
        let at = f.commit("ITEM-1.2");
        set(f.body(at), "observation", Json::Null);
        set(f.body(at), "code", "answer_incomplete");
    };
    entry_body_invalid_with_bytes_in_a_second_way: EntryBodyInvalid, whole, |f| {
        let at = f.nth(Kind::EvidenceCaptured, 1);
        let text = at_text(f, at);
        let coded = Json::map([("base64", STANDARD.encode(text.as_bytes()))]);
        set(f.body(at), "content", coded);
    };
    entry_body_invalid_with_bytes_that_are_none: EntryBodyInvalid, whole, |f| {
        let at = f.nth(Kind::EvidenceCaptured, 1);
        set(f.body(at), "content", Json::map([("base64", "*")]));
    };
    not_opened: NotOpened, whole, |f| drop(f.entries.remove(0));
    not_opened_twice: NotOpened, whole, |f| {
        let first = f.entries[0].clone();
        f.entries.insert(3, first);
    };
    entry_after_close: EntryAfterClose, whole, |f| {
        let last = f.entries.len();
        f.insert(last, Kind::RunCancelled, Json::map([("by", "interrupt")]));
    };
    entry_after_close_twice: EntryAfterClose, whole, |f| {
        let last = f.entries.last().unwrap().clone();
        f.entries.push(last);
    };
    run_mixed: RunMixed, whole, |f| f.entries[7].run.push('x');
    run_mixed_by_the_nonce: RunMixed, whole, |f| set(f.opened(), "nonce", "0".repeat(32));
    run_mixed_by_a_generation: RunMixed, whole, |f| {
        for entry in f.entries.iter_mut().skip(12) {
            entry.generation = 2;
        }
    };
    run_mixed_by_a_resume_in_between: RunMixed, whole, |f| {
        f.insert(12, Kind::RuntimeObserved, Json::map([("what", Json::from("resumed")), ("dropped_bytes", 0u64.into())]));
    };
    time_backwards: TimeBackwards, whole, |f| f.entries[9].at = "2001-01-01T00:00:00.000Z".to_owned();
    time_backwards_at_the_beginning: TimeBackwards, whole, |f| f.entries[0].at = String::new();
    time_backwards_by_the_steady_clock: TimeBackwards, whole, |f| f.entries[9].mono = 0;

    // Documents.
    input_missing: InputMissing, whole, |f| remove_input(f, "plan");
    input_missing_without_its_bytes: InputMissing, whole, |f| {
        let at = input(f, "requirement");
        set(f.body(at), "content", Json::Null);
    };
    input_twice: InputTwice, whole, |f| {
        let (at, before) = (input(f, "requirement"), f.nth(Kind::PlanChecked, 0));
        let again = f.entries[at].clone();
        f.entries.insert(before, again);
        level_clocks(f);
    };
    input_twice_after_the_check: InputTwice, whole, |f| {
        let (at, after) = (input(f, "matrix"), f.nth(Kind::PlanChecked, 0) + 1);
        let moved = f.entries.remove(at);
        f.entries.insert(after - 1, moved);
        level_clocks(f);
    };
    input_differs_from_what_was_written: InputDiffers, whole, |f| {
        let at = input(f, "requirement");
        let text = at_text(f, at).replace("answers 201", "answers 200");
        put_text(f.body(at), &text);
    };
    input_differs_with_another_plan: InputDiffers, whole, |f| {
        let at = input(f, "written");
        let text = at_text(f, at).replace("Items stay", "Items go");
        put_text(f.body(at), &text);
    };
    input_differs_by_the_limits: InputDiffers, whole, |f| set(f.opened(), "limits.probes", 9_999u64);
    input_differs_by_the_environment: InputDiffers, whole, |f| set(f.opened(), "environment.data", "live");
    input_differs_by_the_series: InputDiffers, whole, |f| set(f.opened(), "series", "0123456789abcdef");
    plan_check_differs: PlanCheckDiffers, whole, |f| {
        let at = f.nth(Kind::PlanChecked, 0);
        set(f.body(at), "ok", false);
    };
    plan_check_differs_when_it_is_gone: PlanCheckDiffers, whole, |f| {
        let at = f.nth(Kind::PlanChecked, 0);
        f.entries.remove(at);
    };
    plan_check_differs_when_it_comes_late: PlanCheckDiffers, whole, |f| {
        let at = f.nth(Kind::PlanChecked, 0);
        let checked = f.entries.remove(at);
        let after = f.commit("ITEM-1.1");
        f.entries.insert(after + 1, checked);
        level_clocks(f);
    };

    // Actions.
    step_missing: StepMissing, whole, |f| {
        let range = f.of_step("ITEM-1.2");
        f.entries.drain(range);
    };
    step_missing_of_a_whole_case: StepMissing, partial, |f| {
        set(f.opened(), "options.only", Json::List(Vec::new()));
    };
    step_twice: StepTwice, whole, |f| {
        let range = f.of_step("ITEM-1.2");
        let (again, after) = (f.entries[range.clone()].to_vec(), range.end() + 1);
        f.entries.splice(after..after, again);
        level_clocks(f);
    };
    step_unknown: StepUnknown, whole, |f| {
        for at in [f.intent("LONG-1.2"), f.commit("LONG-1.2")] {
            set(f.body(at), "step", "LONG-1.9");
        }
    };
    intent_without_commit: IntentWithoutCommit, whole, |f| {
        let at = f.commit("ITEM-1.1");
        f.entries.remove(at);
    };
    intent_without_commit_at_the_end: IntentWithoutCommit, whole, |f| {
        let at = f.commit("PROG-1.1");
        f.entries.remove(at);
    };
    commit_without_intent: CommitWithoutIntent, whole, |f| {
        let at = f.intent("PROG-1.1");
        f.entries.remove(at);
    };
    commit_without_intent_of_another_step: CommitWithoutIntent, whole, |f| {
        let at = f.commit("ITEM-1.1");
        set(f.body(at), "step", "ITEM-1.2");
    };
    intent_differs: IntentDiffers, whole, |f| {
        let at = f.intent("ITEM-1.2");
        set(f.body(at), "call.method", "HEAD");
    };
    intent_differs_by_the_time_limit: IntentDiffers, whole, |f| {
        let at = f.intent("ITEM-1.2");
        set(f.body(at), "timeout_ms", 1u64);
    };
    intent_differs_by_its_idempotency: IntentDiffers, whole, |f| {
        let at = f.intent("ITEM-1.1");
        set(f.body(at), "idempotent", true);
    };
    intent_differs_by_the_key: IntentDiffers, whole, |f| {
        let at = f.intent("ITEM-1.1");
        set(f.body(at), "idempotency_key", Digest::of(b"other"));
    };
    intent_differs_by_the_order: IntentDiffers, whole, |f| {
        let (first, second) = (f.of_step("LONG-1.1"), f.of_step("LONG-1.2"));
        let moved: Vec<Entry> = f.entries.drain(second).collect();
        f.entries.splice(*first.start()..*first.start(), moved);
        level_clocks(f);
    };
    intent_differs_when_it_asked_elsewhere: IntentDiffers, whole, |f| {
        let at = f.commit("LONG-1.1");
        set(f.body(at), "observation.hops.0.url", "http://127.0.0.1:9/bytes?5000");
    };
    intent_differs_when_it_asked_something_else: IntentDiffers, whole, |f| {
        let at = f.commit("LONG-1.1");
        let url = value_at(f.body(at), "observation.hops.0.url").as_text().unwrap().replace("5000", "7000");
        set(f.body(at), "observation.hops.0.url", url);
    };
    intent_differs_when_it_took_another_way: IntentDiffers, whole, |f| {
        let at = f.commit("LONG-1.1");
        set(f.body(at), "observation.hops.0.peer.address", "unix:run/s");
    };
    intent_differs_with_a_redirect_too_many: IntentDiffers, whole, |f| {
        let at = f.commit("LONG-1.1");
        let hop = value_at(f.body(at), "observation.hops.0");
        set(f.body(at), "observation.hops", Json::List(vec![hop.clone(), hop]));
    };
    intent_differs_when_the_write_policy_stops_a_redirect: IntentDiffers, turned, |f| {
        let at = f.commit("A-1.1");
        let url = value_at(f.body(at), "observation.hops.1.url").as_text().unwrap().replace("qa-try", "theirs");
        set(f.body(at), "observation.hops.1.url", url);
    };
    intent_differs_when_a_forced_end_is_hidden: IntentDiffers, whole, |f| {
        let at = f.commit("PROG-1.1");
        set(f.body(at), "observation.termination", "stage_timeout");
    };
    intent_differs_when_processes_were_left: IntentDiffers, whole, |f| {
        let at = f.commit("PROG-1.1");
        set(f.body(at), "observation.left_over", 1u64);
    };
    intent_differs_when_a_failing_step_is_said_to_be_left: IntentDiffers, whole, |f| {
        let range = f.of_step("LONG-1.2");
        let (intent, commit) = (*range.start(), *range.end());
        set(f.body(intent), "call", Json::Null);
        set(f.body(intent), "idempotency_key", Json::Null);
        set(f.body(commit), "observation", Json::Null);
        set(f.body(commit), "status", "skipped");
        set(f.body(commit), "code", "budget_exceeded");
    };

    // Evidence.
    evidence_foreign: EvidenceForeign, whole, |f| {
        let (one, other) = (f.commit("LONG-1.1"), f.commit("LONG-1.2"));
        let borrowed = value_at(f.body(other), "observation.hops.0.wire");
        set(f.body(one), "observation.hops.0.wire", borrowed);
    };
    evidence_foreign_swapped: EvidenceForeign, whole, |f| {
        let (one, other) = (f.intent("LONG-1.1") + 1, f.intent("LONG-1.2") + 1);
        let (a, b) = (f.entries[one].body.clone(), f.entries[other].body.clone());
        let (intent_a, intent_b) = (value_at(&a, "intent"), value_at(&b, "intent"));
        (f.entries[one].body, f.entries[other].body) = (b, a);
        set(f.body(one), "intent", intent_a);
        set(f.body(other), "intent", intent_b);
    };
    evidence_foreign_of_another_size: EvidenceForeign, whole, |f| {
        let at = f.commit("LONG-1.1");
        set(f.body(at), "observation.hops.0.wire.bytes", 4u64);
    };
    evidence_foreign_without_an_action: EvidenceForeign, whole, |f| {
        let at = f.commit("PROG-1.1");
        let captured = f.entries[at - 1].clone();
        f.entries.insert(at + 1, captured);
        level_clocks(f);
    };
    evidence_foreign_without_an_identity: EvidenceForeign, whole, |f| {
        let (at, last) = (identity(f, "after"), f.entries.len() - 1);
        let captured = f.entries[at - 1].clone();
        f.entries.insert(last, captured);
        level_clocks(f);
    };
    evidence_changed_in_its_entry: EvidenceChanged, whole, |f| {
        let at = f.intent("ITEM-1.2") + 1;
        let text = at_text(f, at).replace("mug", "cup");
        set(f.body(at), "content", Json::map([("text", text)]));
    };
    evidence_missing_in_its_entry: EvidenceMissing, whole, |f| {
        let at = f.intent("ITEM-1.2") + 1;
        set(f.body(at), "content", Json::Null);
    };
    evidence_missing_in_the_folder: EvidenceMissing, whole, |f| {
        let at = f.intent("LONG-1.1") + 1;
        let zero = "ab".repeat(32);
        set(f.body(at), "sha256", zero.as_str());
        set(f.body(at), "content", Json::map([("file", format!("ab/{zero}.txt"))]));
    };
    unlisted_file: UnlistedFile, whole, |f| {
        let range = f.of_step("LONG-1.1");
        f.entries.drain(range);
    };
    path_absolute: PathAbsolute, whole, |f| {
        let at = input(f, "written");
        set(f.body(at), "name", "/etc/plan.probity.yaml");
    };
    path_absolute_of_evidence: PathAbsolute, whole, |f| {
        let at = f.intent("LONG-1.1") + 1;
        set(f.body(at), "content", Json::map([("file", "../../../etc/passwd")]));
    };
    path_absolute_of_an_input: PathAbsolute, whole, |f| {
        let at = input(f, "written");
        set(f.body(at), "content", Json::map([("file", "/etc/passwd")]));
    };

    // Identity.
    step_missing_of_the_identity_probe_after: StepMissing, whole, |f| {
        let at = identity(f, "after");
        f.entries.drain(at - 1..=at);
    };
    step_missing_of_the_identity_probe_before: StepMissing, whole, |f| {
        let at = identity(f, "before");
        f.entries.drain(at - 1..=at);
    };
    step_twice_of_the_identity_probe: StepTwice, whole, |f| {
        let at = identity(f, "after");
        let again = f.entries[at - 1..=at].to_vec();
        f.entries.splice(at + 1..at + 1, again);
        level_clocks(f);
    };
    intent_differs_of_the_identity_probe: IntentDiffers, whole, |f| {
        let at = identity(f, "after");
        set(f.body(at), "call.method", "POST");
    };
    intent_differs_when_the_identity_comes_early: IntentDiffers, whole, |f| {
        let at = identity(f, "after");
        let moved: Vec<Entry> = f.entries.drain(at - 1..=at).collect();
        let before = f.intent("PROG-1.1");
        f.entries.splice(before..before, moved);
        level_clocks(f);
    };
    evidence_foreign_of_the_identity_probe: EvidenceForeign, whole, |f| {
        let at = identity(f, "after");
        f.entries.remove(at - 1);
    };

    // Budget and cancellation.
    budget_overdrawn: BudgetOverdrawn, whole, |f| set(f.opened(), "limits.probes", 2u64);
    budget_overdrawn_by_a_wrong_count: BudgetOverdrawn, whole, |f| {
        let at = f.commit("ITEM-1.2");
        set(f.body(at), "probes", 0u64);
    };
    budget_overdrawn_by_a_wrong_output: BudgetOverdrawn, whole, |f| {
        let at = f.commit("PROG-1.1");
        set(f.body(at), "output_bytes", 0u64);
    };
    action_after_cancel: ActionAfterCancel, whole, |f| {
        let at = f.intent("LONG-1.2");
        f.insert(at, Kind::RunCancelled, Json::map([("by", "interrupt")]));
    };
    action_after_cancel_by_budget: ActionAfterCancel, whole, |f| {
        let at = f.intent("LONG-1.2");
        let body = [("resource", Json::from("probes")), ("limit", 3u64.into()), ("used", 3u64.into())];
        f.insert(at, Kind::BudgetExceeded, Json::map(body));
    };
    action_after_cancel_in_a_second_generation: ActionAfterCancel, whole, |f| {
        let at = f.intent("LONG-1.2");
        f.insert(at, Kind::RuntimeObserved, Json::map([("what", Json::from("resumed")), ("dropped_bytes", 0u64.into())]));
        for entry in f.entries.iter_mut().skip(at) {
            entry.generation = 2;
        }
    };
    action_after_cancel_where_nothing_may_run: ActionAfterCancel, whole, |f| {
        let at = f.nth(Kind::PlanChecked, 0) + 1;
        let body = [
            ("what", Json::from("preflight")),
            ("origin", "http://127.0.0.1:1".into()),
            ("failure", "target_unreachable".into()),
            ("message", "no".into()),
        ];
        f.insert(at, Kind::RuntimeObserved, Json::map(body));
    };
    intent_differs_when_the_end_of_the_budget_is_hidden: IntentDiffers, exhausted, |f| {
        let at = f.nth(Kind::BudgetExceeded, 0);
        f.entries.remove(at);
    };

    // Verdict.
    not_reproduced: NotReproduced, whole, |f| set(f.opened(), "derivation", 4u64);
    not_reproduced_by_no_derivation: NotReproduced, whole, |f| set(f.opened(), "derivation", 0u64);
}

/// A run as the first derivation left it, which tried no check on mutants: its outcome as given, its views as they were.
fn of_the_first_derivation(good: &'static Good, outcome: &str, counts: &[(&str, u64)]) -> Verified {
    let mut forgery = Forgery::of(good);
    set(forgery.opened(), "derivation", 1u64);
    let last = forgery.entries.len() - 1;
    set(forgery.body(last), "outcome", outcome);
    for (name, count) in counts {
        set(forgery.body(last), &format!("counts.{name}"), *count);
    }
    verify_snapshot(&forgery.snapshot(), None, None, Vec::new(), None)
}

fn views_skipped(verified: &Verified) -> bool {
    verified.derivation == Some(1) && verified.checked.views == 0 && verified.checked.views_skipped > 10
}

#[test]
fn a_run_of_an_older_derivation_is_judged_by_the_newest() {
    // The same verdict: intact, and the views are said to be not compared.
    let same = of_the_first_derivation(whole(), "passed", &[]);
    assert!(same.exit() == 0 && same.is_intact() && views_skipped(&same), "{}", drawn(&same));
    assert_eq!(codes(&same, Weight::Note), [Code::NotAnchored]);
    // It called itself passed, by rules that did not try its checks: the verdict is that of today.
    let weak = of_the_first_derivation(weak(), "passed", &[("passed", 1), ("untested", 0)]);
    assert!(weak.exit() == 5 && weak.is_intact() && views_skipped(&weak), "{}", drawn(&weak));
    assert_eq!(weak.status(), Some(Status::Inconclusive));
    assert!(codes(&weak, Weight::Note).contains(&Code::NotReproduced), "{}", drawn(&weak));
    // The other way round nothing passes either.
    let stricter = of_the_first_derivation(whole(), "inconclusive", &[("passed", 3), ("inconclusive", 1)]);
    assert!(
        stricter.exit() == 5 && codes(&stricter, Weight::Note).contains(&Code::NotReproduced),
        "{}",
        drawn(&stricter)
    );
    assert_eq!(stricter.status(), Some(Status::Inconclusive));
}

fn input(f: &Forgery, role: &str) -> usize {
    let sealed =
        |entry: &Entry| entry.kind == Kind::InputSealed && entry.body.get("role").and_then(Json::as_text) == Some(role);
    f.entries.iter().position(sealed).unwrap()
}

fn remove_input(f: &mut Forgery, role: &str) {
    let at = input(f, role);
    f.entries.remove(at);
}

fn identity(f: &Forgery, phase: &str) -> usize {
    let observed = |entry: &Entry| entry.body.get("phase").and_then(Json::as_text) == Some(phase);
    f.entries.iter().position(observed).unwrap()
}

/// Clocks that tell nothing of an order.
pub(super) fn level_clocks(f: &mut Forgery) {
    let (at, mono) = f.entries.last().map(|last| (last.at.clone(), last.mono)).unwrap();
    for entry in f.entries.iter_mut().skip(1) {
        (entry.at, entry.mono) = (at.clone(), mono);
    }
}

/// The links alone: an id that is right for its line, and a line that does not follow.
#[test]
fn chain_broken_and_sequence_gap() {
    let good = whole();
    let chain = Chain::entries(good.snapshot.journal());
    let broken = |change: &dyn Fn(&mut Entry)| {
        let mut journal = Vec::new();
        for (position, (entry, _)) in chain.iter().enumerate() {
            let mut entry = entry.clone();
            if position == 6 {
                change(&mut entry);
            }
            journal.extend(entry.line().unwrap().0);
        }
        let snapshot = good.snapshot.with("journal.jsonl", journal).unwrap();
        verify_snapshot(&snapshot, None, None, Vec::new(), None)
    };
    refused(&broken(&|entry| entry.prev = Digest::of(b"other")), Code::ChainBroken);
    refused(&broken(&|entry| entry.seq += 1), Code::SequenceGap);
    refused(&broken(&|entry| set(&mut entry.body, "note", 1u64)), Code::ChainBroken);
}

/// Lines that read the same and are spelt otherwise, and kinds that nobody knows.
#[test]
fn entry_not_canonical_and_unknown_kind() {
    let good = whole();
    let text = String::from_utf8(good.snapshot.journal().to_vec()).unwrap();
    let verified = |from: &str, to: &str| {
        let journal = text.replacen(from, to, 1).into_bytes();
        assert_ne!(journal, good.snapshot.journal());
        verify_snapshot(&good.snapshot.with("journal.jsonl", journal).unwrap(), None, None, Vec::new(), None)
    };
    refused(&verified("\"gen\":1", "\"gen\": 1"), Code::EntryNotCanonical);
    refused(&verified("\"v\":1", "\"v\":1,\"x\":1"), Code::EntryNotCanonical);
    refused(&verified("\"v\":1", "\"v\":2"), Code::EntryBodyInvalid);
    refused(&verified("\"kind\":\"action.commit\"", "\"kind\":\"action.done\""), Code::EntryUnknownKind);
}

/// The close alone, written for a journal that was cut before it.
#[test]
fn tail_cut() {
    let mut f = Forgery::of(whole());
    let last = f.entries.len() - 1;
    set(f.body(last), "closes.entries", 3u64);
    let mut journal = f.chained();
    let closed = Chain::entries(&journal).pop().unwrap().0;
    let cut = Entry {
        body: {
            let mut body = closed.body.clone();
            set(&mut body, "closes.entries", 3u64);
            body
        },
        ..closed
    };
    journal.truncate(journal.iter().rposition(|b| *b == b'\n').unwrap());
    journal.truncate(journal.iter().rposition(|b| *b == b'\n').unwrap() + 1);
    journal.extend(cut.line().unwrap().0);
    let snapshot = whole().snapshot.with("journal.jsonl", journal).unwrap();
    refused(&verify_snapshot(&snapshot, None, None, Vec::new(), None), Code::TailCut);
    // A whole close over fewer steps: the run list knows of more.
    let mut f = Forgery::of(whole());
    let range = f.of_step("PROG-1.1");
    f.entries.drain(range);
    let snapshot = f.completed();
    refused(&verify_snapshot(&snapshot, Some(&whole().list), None, Vec::new(), None), Code::TailCut);
    refused(&verify_snapshot(&snapshot, None, None, Vec::new(), None), Code::StepMissing);
}

/// Another end of the same length.
#[test]
fn anchor_differs() {
    let mut f = Forgery::of(whole());
    f.entries[4].mono += 1;
    for entry in &mut f.entries[5..] {
        entry.mono += 1;
    }
    let snapshot = f.completed();
    refused(&verify_snapshot(&snapshot, Some(&whole().list), None, Vec::new(), None), Code::AnchorDiffers);
    // Without anything that names the end it is a run like any other: that is what "unsigned" means.
    let alone = verify_snapshot(&snapshot, None, None, Vec::new(), None);
    assert_eq!(alone.exit(), 0, "{}", drawn(&alone));
}

/// The outcome alone is edited.
#[test]
fn outcome_differs_and_weakening_hidden() {
    for (good, outcome, code) in [
        (whole(), "failed", Code::OutcomeDiffers),
        (exhausted(), "passed", Code::OutcomeDiffers),
        (partial(), "passed", Code::WeakeningHidden),
    ] {
        let mut f = Forgery::of(good);
        let last = f.entries.len() - 1;
        set(f.body(last), "outcome", outcome);
        refused(&verify_snapshot(&f.snapshot(), None, None, Vec::new(), None), code);
        let mut f = Forgery::of(good);
        set(f.body(last), "counts.passed", 9u64);
        refused(&verify_snapshot(&f.snapshot(), None, None, Vec::new(), None), Code::OutcomeDiffers);
    }
}

/// A step that failed, written as one that passed: the checks are worked out again over the captured bytes.
#[test]
fn a_claimed_pass_is_not_believed() {
    let mut f = Forgery::of(whole());
    let at = f.intent("ITEM-1.2") + 1;
    let text = at_text(&f, at).replace("mug", "cup");
    put_text(f.body(at), &text);
    let commit = f.commit("ITEM-1.2");
    let blob = Json::map([("bytes", Json::from(text.len())), ("sha256", Digest::of(text.as_bytes()).into())]);
    set(f.body(commit), "observation.hops.0.wire", blob);
    let verified = verify_snapshot(&f.completed(), None, None, Vec::new(), None);
    assert_eq!(verified.exit(), 1, "the bytes fail the check\n{}", drawn(&verified));
    let disagrees = verified.findings.iter().any(|finding| finding.code == Code::RunnerDisagrees);
    assert!(disagrees, "{}", drawn(&verified));
}
