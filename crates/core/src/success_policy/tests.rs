//! The vectors, the tables of the spec beyond them, and the algebra.

mod algebra;
mod lints;
mod policies;
mod vectors;

use proptest::prelude::*;

use super::{Policy, Row, Run, Want};

fn policy(text: &str) -> Policy {
    Policy::read(text.as_bytes()).unwrap_or_else(|invalid| panic!("{text}: {invalid:?}"))
}

fn run(text: &str) -> Run {
    Row::read(text.as_bytes(), &Want::everything()).unwrap().run
}

/// A policy of each type whose bounds the runs below can meet and miss.
fn any_policy() -> impl Strategy<Value = String> {
    let unit = || (0..=10_u8).prop_map(|n| format!("0.{n}").replace("0.10", "1"));
    let few = || 1..6_u8;
    prop_oneof![
        Just(r#"{"type":"deterministic","criteria":"verdict_pass"}"#.to_owned()),
        Just(r#"{"type":"deterministic","check":"exit_code","expected":0}"#.to_owned()),
        Just(r#"{"type":"deterministic","check":"score","expected":3}"#.to_owned()),
        ("gte|gt|lte|lt|eq", 0..5_u8, "score|exit_code").prop_map(|(operator, threshold, metric)| format!(
            r#"{{"type":"threshold","metric":"{metric}","threshold":{threshold},"operator":"{operator}"}}"#
        )),
        (few(), unit())
            .prop_map(|(runs, rate)| format!(r#"{{"type":"statistical","min_runs":{runs},"min_pass_rate":{rate}}}"#)),
        (0..4_u8).prop_map(|min| format!(
            r#"{{"type":"composite","rules":[{{"metric":"exit_code","min":{min}}},{{"check":"ok"}}]}}"#
        )),
        (few(), unit(), unit()).prop_map(|(runs, a, b)| {
            let (fail, pass) = if a.parse::<f64>().unwrap() < b.parse::<f64>().unwrap() { (a, b) } else { (b, a) };
            format!(
                r#"{{"type":"agent_judgment","confidence_pass":{pass},"confidence_fail":{fail},"min_runs":{runs}}}"#
            )
        }),
        (few(), 1..10_u8, 1..10_u8).prop_map(|(runs, target, confidence)| format!(
            r#"{{"type":"wilson","min_runs":{runs},"target":0.{target},"confidence":0.{confidence}}}"#
        )),
        (1..4_u64, few(), 1..10_u8, 1..10_u8).prop_map(|(k, more, target, confidence)| format!(
            r#"{{"type":"pass_k","k":{k},"min_runs":{},"target":0.{target},"confidence":0.{confidence}}}"#,
            k + u64::from(more)
        )),
        (1..9_u8, 1..5_u8, 1..5_u8, 1..5_u8).prop_map(|(p0, more, alpha, beta)| format!(
            r#"{{"type":"sprt","p0":0.{p0},"p1":0.{},"alpha":0.{alpha},"beta":0.{beta}}}"#,
            (p0 + more).min(9)
        )),
    ]
}

/// A run that may be anything to those policies.
fn any_run() -> impl Strategy<Value = String> {
    let verdict =
        prop::sample::select(vec!["null", "\"pass\"", "\"fail\"", "\"undetermined\"", "\"error\"", "\"PASS\""]);
    let score = prop::sample::select(vec!["null", "0", "2", "3.0", "4.5"]);
    let confidence = prop::sample::select(vec!["null", "0", "0.3", "0.5", "0.7", "1", "95", "\"1\""]);
    let raw = prop::sample::select(vec![
        "null",
        r#"{"exit_code":0,"ok":true}"#,
        r#"{"exit_code":3,"ok":true,"score":2}"#,
        r#"{"exit_code":4,"ok":false}"#,
        r#"{"exit_code":"0"}"#,
        r#""{\"exit_code\":2,\"ok\":true}""#,
        r#"{"ok":null,"exit_code":[1]}"#,
    ]);
    (verdict, score, confidence, raw, 0..60_u8).prop_map(|(verdict, score, confidence, raw, second)| {
        format!(
            r#"{{"verdict":{verdict},"score":{score},"confidence":{confidence},"raw_result":{raw},"created_at":"2026-08-01T00:00:{second:02}Z"}}"#
        )
    })
}

fn any_runs() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(any_run(), 0..14)
}
