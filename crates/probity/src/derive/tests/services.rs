//! What is forged of the receipts of services, every id written again.

use probity_core::codes::Code;
use probity_core::journal::Kind;
use probity_core::json::Json;

use super::forged::level_clocks;
use super::forgery::{Forgery, put_text, set};
use super::good::served;
use crate::derive::verify_snapshot;

/// The entry that holds what a service wrote.
fn log_of_service(f: &Forgery) -> usize {
    f.nth(Kind::ServiceDown, 0) - 1
}

/// Every entry of the service, the last first.
fn take_out(f: &mut Forgery) {
    let log = log_of_service(f);
    assert_eq!(f.entries[log].body.get("role").and_then(Json::as_text), Some("log"));
    f.entries.remove(log);
    f.entries.retain(|entry| !matches!(entry.kind, Kind::ServiceIntent | Kind::ServiceUp | Kind::ServiceDown));
}

macro_rules! forgeries {
    ($($name:ident: $code:ident, $change:expr;)*) => {
        $(#[test]
        fn $name() {
            let mut forgery = Forgery::of(served());
            let change: fn(&mut Forgery) = $change;
            change(&mut forgery);
            forgery.refused(Code::$code);
        })*
    };
}

#[test]
fn a_run_with_a_service_is_intact() {
    let verified = verify_snapshot(&served().snapshot, Some(&served().list), None, Vec::new(), None);
    assert_eq!((verified.exit(), verified.findings.len()), (0, 0));
    assert_eq!(Forgery::of(served()).chained(), served().snapshot.journal());
}

forgeries! {
    cleanup_open_with_its_log_left: CleanupOpen, |f| {
        let at = f.nth(Kind::ServiceDown, 0);
        f.entries.remove(at);
    };
    step_missing_without_any_record: StepMissing, take_out;
    commit_without_intent_of_a_service: CommitWithoutIntent, |f| {
        let at = f.nth(Kind::ServiceIntent, 0);
        f.entries.remove(at);
    };
    commit_without_intent_ready_before_it_was_started: CommitWithoutIntent, |f| {
        let at = f.nth(Kind::ServiceUp, 0);
        f.entries.remove(at);
    };
    commit_without_intent_down_twice: CommitWithoutIntent, |f| {
        let at = f.nth(Kind::ServiceDown, 0);
        let again = f.entries[at].clone();
        f.entries.insert(at, again);
    };
    step_twice_of_a_service: StepTwice, |f| {
        let at = f.nth(Kind::ServiceIntent, 0);
        let again = f.entries[at].clone();
        f.entries.insert(at, again);
    };
    intent_differs_in_the_command: IntentDiffers, |f| {
        let at = f.nth(Kind::ServiceIntent, 0);
        set(f.body(at), "start.command.argv.0", "sh");
    };
    intent_differs_in_a_service_that_nobody_needs: IntentDiffers, |f| {
        for kind in [Kind::ServiceIntent, Kind::ServiceUp, Kind::ServiceDown] {
            for n in 0..f.entries.iter().filter(|entry| entry.kind == kind).count() {
                let at = f.nth(kind, n);
                set(f.body(at), "service", "other");
            }
        }
    };
    intent_differs_where_something_else_holds_the_port: IntentDiffers, |f| {
        let at = f.nth(Kind::ServiceUp, 1);
        set(f.body(at), "ports.0.holder", "other");
    };
    intent_differs_where_the_port_answered_before: IntentDiffers, |f| {
        let at = f.nth(Kind::ServiceIntent, 0);
        let ports = f.entries[f.nth(Kind::ServiceUp, 1)].body.get("ports").unwrap().clone();
        let port = ports.as_list().unwrap()[0].get("port").unwrap().clone();
        set(f.body(at), "occupied", Json::List(vec![port]));
    };
    intent_differs_where_it_was_ended_before_the_last_step: IntentDiffers, |f| {
        let (log, down, intent) = (log_of_service(f), f.nth(Kind::ServiceDown, 0), f.intent("A-1.2"));
        let moved = [f.entries.remove(down), f.entries.remove(log)];
        moved.into_iter().for_each(|entry| f.entries.insert(intent, entry));
        level_clocks(f);
    };
    intent_differs_where_a_step_left_before_it_was_ready: IntentDiffers, |f| {
        let (ready, commit) = (f.nth(Kind::ServiceUp, 1), f.commit("A-1.1"));
        let moved = f.entries.remove(ready);
        f.entries.insert(commit, moved);
        level_clocks(f);
    };
    intent_differs_in_an_end_that_cannot_be: IntentDiffers, |f| {
        let at = f.nth(Kind::ServiceDown, 0);
        set(f.body(at), "status", "skipped");
    };
    action_after_cancel_where_the_service_was_not_there: ActionAfterCancel, |f| {
        let at = f.nth(Kind::ServiceDown, 0);
        set(f.body(at), "cause", "unready");
    };
    evidence_foreign_in_the_log_of_the_service: EvidenceForeign, |f| {
        let at = log_of_service(f);
        put_text(f.body(at), "all is well\n");
    };
    evidence_foreign_in_what_a_step_read: EvidenceForeign, |f| {
        let at = f.of_step("A-1.2").nth(1).unwrap();
        let text = "all is well\n";
        put_text(f.body(at), text);
        let (sha, commit) = (f.entries[at].body.get("sha256").unwrap().clone(), f.commit("A-1.2"));
        set(f.body(commit), "observation.kept.sha256", sha);
        set(f.body(commit), "observation.kept.bytes", text.len());
        set(f.body(commit), "output_bytes", text.len());
    };
    input_missing_without_its_program: InputMissing, |f| {
        let program = |entry: &probity_core::journal::Entry| {
            entry.kind == Kind::InputSealed && entry.body.get("role").and_then(Json::as_text) == Some("program")
        };
        f.entries.retain(|entry| !program(entry));
    };
}

/// The end taken out of the chain, and everything behind it chained again.
#[test]
fn a_service_whose_end_was_taken_out_is_refused() {
    let mut forgery = Forgery::of(served());
    let (log, down) = (log_of_service(&forgery), forgery.nth(Kind::ServiceDown, 0));
    forgery.entries.remove(down);
    forgery.entries.remove(log);
    forgery.refused(Code::CleanupOpen);
}

/// A death that the journal tells is never a pass, whatever the outcome says.
#[test]
fn a_death_that_is_told_blocks() {
    let mut forgery = Forgery::of(served());
    let at = forgery.nth(Kind::ServiceDown, 0);
    set(forgery.body(at), "cause", "died");
    set(forgery.body(at), "status", "already_stopped");
    set(forgery.body(at), "message", "it ended during the run");
    let verified = verify_snapshot(&forgery.completed(), None, None, Vec::new(), None);
    assert_eq!(verified.exit(), 3, "{}", super::drawn(&verified));
}
