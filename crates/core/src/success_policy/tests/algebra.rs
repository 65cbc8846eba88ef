//! What holds whatever the policies and runs are.

use proptest::prelude::*;

use super::{any_policy, any_run, any_runs, policy, run};
use crate::success_policy::{
    More, Outcome, Policy, Row, State, Turn, Want, conclude, detail, evaluate, import, lint, turns, warnings,
};

fn runs(texts: &[String]) -> Vec<crate::success_policy::Run> {
    texts.iter().map(|text| run(text)).collect()
}

/// Runs that speak for, against, or merely count, under a policy of [`any_policy`].
fn more(policy: &Policy, more: More, any: &str) -> Vec<String> {
    let pool: Vec<String> = ["pass", "fail", "undetermined"]
        .iter()
        .flat_map(|verdict| {
            let raw = [r#"{"exit_code":0,"ok":true}"#, r#"{"exit_code":9,"ok":true}"#, r#"{"exit_code":9,"ok":false}"#];
            let scores = ["0", "2.5", "3", "9"];
            raw.into_iter().flat_map(move |raw| {
                scores.into_iter().map(move |score| {
                    format!(r#"{{"verdict":"{verdict}","score":{score},"confidence":1,"raw_result":{raw}}}"#)
                })
            })
        })
        .collect();
    let find = |holds: Option<bool>| pool.iter().find(|text| policy.see(&run(text)).holds == holds).cloned();
    let (yes, no) = (find(Some(true)), find(Some(false)));
    let times = |text: Option<String>, count: u64| {
        let text = text.into_iter().cycle();
        text.take(usize::try_from(count).unwrap())
    };
    let any = match any {
        "yes" => yes.clone(),
        "no" => no.clone(),
        _ => Some(r#"{"verdict":"undetermined"}"#.to_owned()),
    };
    times(yes, more.yes).chain(times(no, more.no)).chain(times(any, more.any)).collect()
}

proptest! {
    #[test]
    fn order_never_matters(text in any_policy(), texts in any_runs(), by in 0..14_usize) {
        let policy = policy(&text);
        let runs = runs(&texts);
        let mut turned = runs.clone();
        turned.reverse();
        turned.rotate_left(by % runs.len().max(1));
        prop_assert_eq!(State::of(&policy, &runs), State::of(&policy, &turned));
        prop_assert_eq!(evaluate(&policy, &runs), evaluate(&policy, &turned));
    }

    #[test]
    fn parts_add_up(text in any_policy(), texts in any_runs(), cut in 0..15_usize) {
        let policy = policy(&text);
        let runs = runs(&texts);
        let (left, right) = runs.split_at(cut.min(runs.len()));
        let (mut a, b) = (State::of(&policy, left), State::of(&policy, right));
        let mut other = b.clone();
        other.merge(&a);
        a.merge(&b);
        prop_assert_eq!(&a, &State::of(&policy, &runs));
        prop_assert_eq!(&a, &other);
        prop_assert_eq!(conclude(&policy, &a), evaluate(&policy, &runs));
        prop_assert_eq!(a.runs(), runs.len() as u64);
    }

    /// Undetermined, failed, satisfied: single-run policies only ever go up (spec section 7).
    #[test]
    fn more_runs_never_take_away_what_one_run_gave(text in any_policy(), texts in any_runs(), another in any_run()) {
        let policy = policy(&text);
        prop_assume!(policy.is_existential());
        let rank = |outcome| [Outcome::Undetermined, Outcome::Failed, Outcome::Satisfied].iter().position(|o| *o == outcome);
        let mut state = State::of(&policy, &runs(&texts));
        let before = conclude(&policy, &state).outcome();
        state.add(policy.see(&run(&another)));
        prop_assert!(rank(before) <= rank(conclude(&policy, &state).outcome()));
    }

    #[test]
    fn a_pending_run_changes_nothing(text in any_policy(), texts in any_runs(), pending in any_run()) {
        let policy = policy(&text);
        let pending = regex::Regex::new("\"verdict\":[^,]*").unwrap().replace(&pending, "\"verdict\":null").into_owned();
        let with: Vec<String> = texts.iter().cloned().chain([pending]).collect();
        prop_assert_eq!(evaluate(&policy, &runs(&texts)), evaluate(&policy, &runs(&with)));
    }

    /// A turn leads where it says, whatever the runs are that only have to be judged; and nothing shorter does.
    #[test]
    fn turns_lead_there_and_are_the_shortest(text in any_policy(), texts in any_runs()) {
        let policy = policy(&text);
        let before = runs(&texts);
        let state = State::of(&policy, &before);
        for Turn { to, by } in turns(&policy, &state) {
            prop_assert_ne!(to, conclude(&policy, &state).outcome());
            let Some(by) = by else { continue };
            let after = |runs_more: &[String]| evaluate(&policy, &[before.clone(), runs(runs_more)].concat()).outcome();
            for any in ["yes", "no", "look"] {
                let added = more(&policy, by, any);
                // Some of the policies cannot be missed, or met, by any run of the pool; looks count for judges alone.
                let fits = added.len() as u64 == by.runs() && (any != "look" || text.contains("agent_judgment") || by.any == 0);
                if fits {
                    prop_assert_eq!(after(&added), to, "{} {:?} {}", text, by, any);
                }
            }
            if by.runs() > 0 {
                let less = by.runs() - 1;
                let best = More { yes: if to == Outcome::Satisfied { less } else { 0 }, no: if to == Outcome::Failed { less } else { 0 }, any: 0 };
                prop_assert_ne!(after(&more(&policy, best, "no")), to, "{} {:?}", text, by);
            }
        }
    }

    /// A satisfied single-run policy cannot be turned, and a statistical one with a rate of 1 not back.
    #[test]
    fn what_cannot_be_turned_is_not(text in any_policy(), texts in any_runs(), others in any_runs()) {
        let policy = policy(&text);
        let before = runs(&texts);
        let never: Vec<Outcome> = turns(&policy, &State::of(&policy, &before)).into_iter().filter(|turn| turn.by.is_none()).map(|turn| turn.to).collect();
        let after = evaluate(&policy, &[before, runs(&others)].concat()).outcome();
        prop_assert!(!never.contains(&after), "{} {:?}", text, never);
    }

    /// The short cut reads what the reader reads.
    #[test]
    fn plain_rows_are_read_alike(text in any_run(), words: bool, other in "[{}\\[\\]\",:a-z0-9 .e\\\\-]{0,30}", at in 0..200_usize) {
        let mut mixed = text.clone();
        mixed.insert_str(at.min(text.len()), &other);
        let mut want = Want::names(["exit_code", "score"]);
        want.words = words;
        for text in [&text, &mixed, &other] {
            for want in [&want, &Want::everything(), &Want::names([])] {
                prop_assert_eq!(Row::read(text.as_bytes(), want), Row::read_any(text.as_bytes(), want), "{}", text);
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in ".{0,60}", json in any_json()) {
        for text in [text.as_str(), json.as_str()] {
            let bytes = text.as_bytes();
            let read = Policy::read(bytes);
            prop_assert_eq!(read.is_ok(), lint("p", bytes).iter().all(|found| found.severity != crate::diagnostic::Severity::Error));
            if let Ok(policy) = &read {
                let again = Policy::read(policy.to_json().to_string().as_bytes());
                prop_assert_eq!(again.as_ref(), Ok(policy));
                if let Ok(row) = Row::read(bytes, &Want::everything()) {
                    let state = State::of(policy, [&row.run]);
                    prop_assert!(!detail(policy, &row.run).is_empty());
                    prop_assert!(warnings(policy, &state).len() <= 6);
                }
            }
            if let Ok(imported) = import(bytes) {
                prop_assert!(Policy::read(imported.policy.to_string().as_bytes()).is_ok());
            }
            let _ = Row::read(bytes, &Want::everything());
        }
    }
}

/// JSON whose keys and values are those of policies and runs, in any arrangement.
fn any_json() -> impl Strategy<Value = String> {
    let keys = || {
        prop::sample::select(vec![
            "type",
            "criteria",
            "check",
            "expected",
            "metric",
            "threshold",
            "operator",
            "min_runs",
            "min_pass_rate",
            "rules",
            "min",
            "min_pct",
            "confidence_pass",
            "confidence_fail",
            "x_a",
            "max",
            "verdict",
            "raw_result",
            "kind",
            "id",
            "required_passes",
            "total_runs",
            "min_pass",
            "params",
            "target",
            "confidence",
            "p0",
            "p1",
            "alpha",
            "beta",
            "k",
            "planned",
        ])
    };
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "null",
            "true",
            "0",
            "0.5",
            "1",
            "3.0",
            "70",
            "1e400",
            "-1",
            "\"deterministic\"",
            "\"threshold\"",
            "\"statistical\"",
            "\"composite\"",
            "\"agent_judgment\"",
            "\"wilson\"",
            "\"sprt\"",
            "\"pass_k\"",
            "\"planned_runs\"",
            "0.000001",
            "0.999999",
            "\"verdict_pass\"",
            "\"result_pass\"",
            "\"gte\"",
            "\"a\"",
            "\"\"",
            "\"any_pass\"",
            "\"all-pass\"",
            "\"pass\"",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(3, 24, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((keys(), inner), 0..6).prop_map(|pairs| {
                let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", pairs.join(","))
            }),
        ]
    })
}
