//! Rules of the tables that the vectors leave open.

use super::{policy, run};
use crate::codes::Code;
use crate::success_policy::{
    Class, Outcome, Policy, Reason, Row, State, Time, Turn, Want, at_half, detail, evaluate, turns, warnings,
};

fn reason(text: &str) -> Reason {
    Policy::read(text.as_bytes()).map_or_else(|invalid| invalid.reason, |_| Reason::Matched)
}

#[test]
fn what_is_no_policy() {
    use Reason::{
        ConflictingFields, DuplicateKey, EmptyRules, Matched, MissingField, MissingType, NotJson, NotObject,
        OutOfRange, UnknownField, UnknownType, UnknownValue, WrongType,
    };
    for (text, wanted) in [
        // E1: blank is the default; E2, E6: what is no JSON for everybody is none.
        ("\u{a0}\t\n", Matched),
        ("\u{feff}{\"type\":\"deterministic\",\"criteria\":\"verdict_pass\"}", NotJson),
        (r#"{"type":"threshold","metric":"a","threshold":1e400}"#, NotJson),
        (r#"{"type":"threshold","metric":"a","threshold":NaN}"#, NotJson),
        (r#"{"type":"threshold","metric":"a","threshold":-Infinity}"#, NotJson),
        (r#"{"type":"deterministic","criteria":"verdict_pass","x_a":[1e999]}"#, NotJson),
        (r#"{"type":"deterministic","criteria":"\ud800"}"#, NotJson),
        (r#"{"type":"deterministic"} x"#, NotJson),
        ("1", NotObject),
        ("\"{}\"", NotObject),
        // E4: at any depth, and before anything else is looked at.
        (r#"{"type":"deterministic","criteria":"verdict_pass","type":"x"}"#, DuplicateKey),
        (r#"{"x_a":{"b":1,"\u0062":2}}"#, DuplicateKey),
        (r#"[{"a":1,"a":2}]"#, DuplicateKey),
        // E5
        ("{}", MissingType),
        (r#"{"type":null}"#, UnknownType),
        (r#"{"type":["threshold"]}"#, UnknownType),
        // Order: type, unknown field, presence, type of value, range.
        (r#"{"type":"nope","y":1}"#, UnknownType),
        (r#"{"type":"threshold","treshold":1}"#, UnknownField),
        (r#"{"type":"threshold","metric":5}"#, MissingField),
        (r#"{"type":"agent_judgment","confidence_pass":80,"confidence_fail":"x","min_runs":0}"#, WrongType),
        (r#"{"type":"threshold","metric":"a","threshold":1,"operator":null}"#, WrongType),
        (r#"{"type":"threshold","metric":"a","threshold":1,"X_a":1}"#, UnknownField),
        (r#"{"type":"deterministic","criteria":null,"check":"a","expected":1}"#, ConflictingFields),
        (r#"{"type":"deterministic","criteria":"verdict_pass","expected":1}"#, ConflictingFields),
        (r#"{"type":"deterministic","criteria":null}"#, WrongType),
        (r#"{"type":"deterministic","check":"","expected":1}"#, WrongType),
        (r#"{"type":"deterministic","check":"a","expected":{}}"#, WrongType),
        (r#"{"type":"deterministic","check":"a","expected":""}"#, Matched),
        // E7, E9
        (r#"{"type":"statistical","min_runs":3.0,"min_pass_rate":1e-1}"#, Matched),
        (r#"{"type":"statistical","min_runs":1e6,"min_pass_rate":0}"#, Matched),
        (r#"{"type":"statistical","min_runs":1000001,"min_pass_rate":0}"#, OutOfRange),
        (r#"{"type":"statistical","min_runs":true,"min_pass_rate":0}"#, WrongType),
        (r#"{"type":"statistical","min_runs":null,"min_pass_rate":0}"#, WrongType),
        (r#"{"type":"statistical","min_runs":3,"min_pass_rate":1.00000000000000000001}"#, OutOfRange),
        (r#"{"type":"statistical","min_runs":3,"min_pass_rate":-0.0}"#, Matched),
        // Rules, one after another.
        (r#"{"type":"composite"}"#, MissingField),
        (r#"{"type":"composite","rules":[]}"#, EmptyRules),
        (r#"{"type":"composite","rules":[1]}"#, WrongType),
        (r#"{"type":"composite","rules":[{"metric":"a","min":"1"},{"max":1}]}"#, WrongType),
        (r#"{"type":"composite","rules":[{"check":"a"},{"max":1}]}"#, UnknownField),
        (r#"{"type":"composite","rules":[{"check":"a","x_why":null}]}"#, Matched),
        (r#"{"type":"composite","rules":[{"min":1}]}"#, MissingField),
        (r#"{"type":"composite","rules":[{}]}"#, MissingField),
        (r#"{"type":"composite","rules":[{"check":true}]}"#, WrongType),
        (r#"{"type":"composite","rules":[{"metric":"a","min_pct":-1}]}"#, OutOfRange),
        (r#"{"type":"composite","rules":[{"type":"x","check":"a"}]}"#, UnknownField),
        (r#"{"type":"threshold","metric":"a","threshold":1,"operator":"="}"#, UnknownValue),
        // The types beside version 1: rates, chances and levels lie safely between 0 and 1.
        (r#"{"type":"wilson","min_runs":35,"target":0.9,"confidence":0.95}"#, Matched),
        (r#"{"type":"wilson","min_runs":35,"target":0.999999,"confidence":1e-6}"#, Matched),
        (r#"{"type":"wilson","min_runs":35,"target":1,"confidence":0.95}"#, OutOfRange),
        (r#"{"type":"wilson","min_runs":35,"target":0.9,"confidence":95}"#, OutOfRange),
        (r#"{"type":"wilson","min_runs":35,"target":0.9,"confidence":0.9999991}"#, OutOfRange),
        (r#"{"type":"wilson","min_runs":35,"target":0.9,"confidence":"0.95"}"#, WrongType),
        (r#"{"type":"wilson","min_runs":35,"target":0.9}"#, MissingField),
        (r#"{"type":"wilson","min_runs":35,"target":0.9,"confidance":0.95}"#, UnknownField),
        (r#"{"type":"Wilson","min_runs":35,"target":0.9,"confidence":0.95}"#, UnknownType),
        (r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.05,"beta":0.05}"#, Matched),
        (r#"{"type":"sprt","p0":0.5,"p1":0.500001,"alpha":0.05,"beta":0.05}"#, Matched),
        (r#"{"type":"sprt","p0":0.9,"p1":0.5,"alpha":0.05,"beta":0.05}"#, OutOfRange),
        (r#"{"type":"sprt","p0":0.5,"p1":0.5,"alpha":0.05,"beta":0.05}"#, OutOfRange),
        (r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.5,"beta":0.5}"#, OutOfRange),
        (r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.5,"beta":0.49}"#, Matched),
        (r#"{"type":"sprt","p0":0,"p1":0.9,"alpha":0.05,"beta":0.05}"#, OutOfRange),
        (r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.05}"#, MissingField),
        (r#"{"type":"pass_k","k":3,"min_runs":3,"target":0.5,"confidence":0.95}"#, Matched),
        (r#"{"type":"pass_k","k":4,"min_runs":3,"target":0.5,"confidence":0.95}"#, OutOfRange),
        (r#"{"type":"pass_k","k":0,"min_runs":3,"target":0.5,"confidence":0.95}"#, OutOfRange),
        (r#"{"type":"pass_k","k":1.5,"min_runs":3,"target":0.5,"confidence":0.95}"#, WrongType),
        (r#"{"type":"planned_runs","planned":10,"min_pass_rate":0.7}"#, Matched),
        (r#"{"type":"planned_runs","planned":0,"min_pass_rate":0.7}"#, OutOfRange),
        (r#"{"type":"planned_runs","planned":10,"min_pass_rate":1.1}"#, OutOfRange),
        (r#"{"type":"planned_runs","min_runs":10,"min_pass_rate":0.7}"#, UnknownField),
    ] {
        assert_eq!(reason(text), wanted, "{text}");
    }
    assert_eq!(Policy::read(b"\xff").unwrap_err().reason, NotJson);
    assert_eq!(Policy::read(&b"[".repeat(500)).unwrap_err().reason, NotJson);
    assert_eq!(Policy::read(&b" ".repeat((1 << 20) + 1)).unwrap_err().reason, NotJson);
}

#[test]
fn what_is_meant_is_said() {
    for (text, place, help) in [
        (
            r#"{"type": "statistical", "min_runs": 10, "min_pass_rate": 70}"#,
            (1, 58),
            "did you mean 0.7? percent is only known to composite rules (min_pct)",
        ),
        (r#"{"type": "treshold"}"#, (1, 10), "did you mean threshold? Types are told apart by case"),
        ("{\"type\": \"threshold\",\n \"metrik\": \"a\"}", (2, 2), "did you mean metric?"),
        (r#"{"type": "threshold", "metric": "a", "threshold": 1, "operator": ">="}"#, (1, 66), "did you mean gte?"),
    ] {
        let invalid = Policy::read(text.as_bytes()).unwrap_err();
        let at = invalid.place.map(|place| (place.line, place.column));
        assert_eq!((at, invalid.help.as_deref()), (Some(place), Some(help)), "{text}");
    }
}

#[test]
fn numbers_compare_by_value_and_rates_as_doubles() {
    let of = |bound: &str, value: &str| {
        let policy = policy(&format!(r#"{{"type":"threshold","metric":"a","threshold":{bound},"operator":"eq"}}"#));
        evaluate(&policy, &[run(&format!(r#"{{"verdict":"pass","raw_result":{{"a":{value}}}}}"#))])
    };
    // L10
    for (bound, value, reason) in [
        ("9007199254740992.0", "9007199254740993", Reason::NoMatch),
        ("9007199254740993", "9007199254740993.0", Reason::Matched),
        ("0", "-0.0", Reason::Matched),
        ("0.1", "1e-1", Reason::Matched),
        ("0.1", "0.10000000000000000001", Reason::NoMatch),
    ] {
        assert_eq!(of(bound, value), reason, "{bound} {value}");
    }
    // S2: every rate of two decimals that a count of up to 200 runs gives exactly.
    for runs in 1..=200_u64 {
        for hundredths in (0..=100_u64).filter(|h| (h * runs) % 100 == 0) {
            let policy = policy(&format!(
                r#"{{"type":"statistical","min_runs":1,"min_pass_rate":{}.{:02}}}"#,
                hundredths / 100,
                hundredths % 100
            ));
            let passed = hundredths * runs / 100;
            let judge = |passed: u64| {
                let of = |verdict: &str, times: u64| {
                    vec![run(&format!(r#"{{"verdict":"{verdict}"}}"#)); usize::try_from(times).unwrap()]
                };
                evaluate(&policy, &[of("pass", passed), of("fail", runs - passed)].concat())
            };
            assert_eq!(judge(passed), Reason::PassRateMet, "{passed} of {runs}");
            if passed > 0 && runs % 25 == 0 {
                assert_eq!(judge(passed - 1), Reason::PassRateBelow, "{} of {runs}", passed - 1);
            }
        }
    }
    // A2: complements of three decimals meet each other.
    for thousandths in 0..=1000_u32 {
        let (fail, confidence) = (f64::from(thousandths) / 1000.0, f64::from(1000 - thousandths) / 1000.0);
        let policy = policy(&format!(
            r#"{{"type":"agent_judgment","confidence_pass":1,"confidence_fail":{fail},"min_runs":1}}"#
        ));
        assert_eq!(
            evaluate(&policy, &[run(&format!(r#"{{"verdict":"fail","confidence":{confidence}}}"#))]),
            Reason::AllConfidentFail,
            "{fail}"
        );
        if thousandths < 1000 {
            let less = format!("{:.4}", confidence - 0.0001);
            assert_eq!(
                evaluate(&policy, &[run(&format!(r#"{{"verdict":"fail","confidence":{less}}}"#))]),
                Reason::Ambiguous,
                "{fail}"
            );
        }
    }
}

#[test]
fn scores_confidences_and_verdicts_at_the_edges() {
    let threshold = policy(r#"{"type":"threshold","metric":"score","threshold":3}"#);
    let check = policy(r#"{"type":"deterministic","check":"score","expected":"3"}"#);
    let of = |policy: &Policy, text: &str| evaluate(policy, &[run(text)]);
    // L2: what is no finite number in the column is none.
    assert_eq!(of(&threshold, r#"{"verdict":"pass","score":"9","raw_result":{"score":3}}"#), Reason::Matched);
    assert_eq!(of(&threshold, r#"{"verdict":"pass","score":1e400,"raw_result":"{\"score\":3}"}"#), Reason::Matched);
    assert_eq!(of(&threshold, r#"{"verdict":"pass","score":true}"#), Reason::NoMeasurement);
    assert_eq!(of(&check, r#"{"verdict":"pass","score":3}"#), Reason::NoMatch);
    assert_eq!(of(&check, r#"{"verdict":"pass","raw_result":{"score":"3"}}"#), Reason::Matched);
    // Double encoding, other shapes (L6).
    assert_eq!(of(&check, r#"{"verdict":"pass","raw_result":"\"{\\\"score\\\":\\\"3\\\"}\""}"#), Reason::NoMeasurement);
    assert_eq!(of(&check, r#"{"verdict":"pass","raw_result":[{"score":"3"}]}"#), Reason::NoMeasurement);
    // A6
    let agent = policy(r#"{"type":"agent_judgment","confidence_pass":0,"confidence_fail":0,"min_runs":1}"#);
    for (confidence, reason) in [
        ("0", Reason::ConfidentPass),
        ("-0.0", Reason::ConfidentPass),
        ("1", Reason::ConfidentPass),
        ("1.00000000000000000001", Reason::Ambiguous),
        ("-1e-300", Reason::Ambiguous),
        ("-1e-400", Reason::Ambiguous),
        ("95", Reason::Ambiguous),
        ("\"1\"", Reason::Ambiguous),
        ("null", Reason::Ambiguous),
        ("true", Reason::Ambiguous),
    ] {
        assert_eq!(of(&agent, &format!(r#"{{"verdict":"pass","confidence":{confidence}}}"#)), reason, "{confidence}");
    }
    for other in ["PASS", "pass ", "", "waiver", "inconclusive", "\u{ff50}ass"] {
        assert_eq!(Class::of(Some(other)), Class::Unknown);
    }
    let rate = policy(r#"{"type":"statistical","min_runs":1,"min_pass_rate":1}"#);
    assert_eq!(of(&rate, r#"{"verdict":"Pass"}"#), Reason::PassRateBelow);
    assert_eq!(of(&policy(""), r#"{"verdict":"Pass"}"#), Reason::NoMeasurement);
}

#[test]
fn rows_are_refused_by_name() {
    let read = |text: &str| Row::read(text.as_bytes(), &Want::everything());
    for (text, code) in [
        ("", Code::SyntaxError),
        ("{", Code::SyntaxError),
        ("[]", Code::WrongType),
        ("{}", Code::MissingField),
        (r#"{"verdit":"pass"}"#, Code::MissingField),
        (r#"{"verdict":1}"#, Code::WrongType),
        (r#"{"verdict":"pass","verdict":"fail"}"#, Code::DuplicateKey),
        (r#"{"verdict":"pass","confidense":1}"#, Code::UnknownField),
        (r#"{"verdict":"pass"} {"verdict":"pass"}"#, Code::SyntaxError),
    ] {
        assert_eq!(read(text).unwrap_err().code, code, "{text}");
    }
    let row = read(r#"{"id":7,"requirement":"R","verdict":null,"performed_by":"ci","created_at":"2026-08-01T00:00:00Z","verdict_reason":"w"}"#).unwrap();
    assert_eq!(
        (row.name.as_deref(), row.requirement.as_deref(), row.note.as_deref()),
        (Some("7"), Some("R"), Some("w"))
    );
    assert_eq!((row.run.class, row.run.at), (Class::Pending, Time::parse("2026-08-01T00:00:00Z")));
}

fn state(policy: &Policy, runs: &[(&str, u64)]) -> State {
    let runs: Vec<_> = runs
        .iter()
        .flat_map(|(verdict, times)| (0..*times).map(move |_| run(&format!(r#"{{"verdict":"{verdict}"}}"#))))
        .collect();
    State::of(policy, &runs)
}

/// The figures of the design's own examples (ux.md 1.4).
#[test]
fn what_would_turn_it() {
    let policy = policy(r#"{"type":"statistical","min_runs":10,"min_pass_rate":0.7}"#);
    let by = |runs: &[(&str, u64)], to: Outcome| {
        turns(&policy, &state(&policy, runs))
            .into_iter()
            .find(|turn| turn.to == to)
            .and_then(|turn| turn.by)
            .map(|m| (m.yes, m.no, m.any))
    };
    assert_eq!(by(&[("pass", 8), ("fail", 2), ("undetermined", 1)], Outcome::Failed), Some((0, 2, 0)));
    assert_eq!(by(&[("pass", 6), ("fail", 3), ("error", 1)], Outcome::Satisfied), Some((4, 0, 0)));
    assert_eq!(by(&[("pass", 5), ("fail", 1)], Outcome::Satisfied), Some((2, 0, 2)));
    assert_eq!(by(&[("pass", 5), ("fail", 1)], Outcome::Failed), Some((0, 3, 1)));
    assert_eq!(
        at_half(&policy, &state(&policy, &[("pass", 8), ("fail", 2)])).map(|(needed, of, chance)| (
            needed,
            of,
            format!("{chance:.3}")
        )),
        Some((7, 10, "0.172".to_owned()))
    );
    let always = super::policy(r#"{"type":"statistical","min_runs":3,"min_pass_rate":1}"#);
    let state = state(&always, &[("pass", 2), ("fail", 1)]);
    assert_eq!(turns(&always, &state), [Turn { to: Outcome::Satisfied, by: None }]);
}

#[test]
fn what_is_worth_saying() {
    let codes = |policy: &Policy, runs: &[&str]| {
        let runs: Vec<_> = runs.iter().map(|text| run(text)).collect();
        warnings(policy, &State::of(policy, &runs)).into_iter().map(|warning| warning.code).collect::<Vec<_>>()
    };
    let (early, late) = (r#","created_at":"2026-08-01T00:00:00Z"}"#, r#","created_at":"2026-08-01T00:00:01Z"}"#);
    let any = policy("");
    let pass_then = |verdict: &str, at: &str| {
        [format!("{{\"verdict\":\"pass\"{early}"), format!("{{\"verdict\":\"{verdict}\"{at}")]
    };
    let said = |verdict: &str, at: &str| codes(&any, &pass_then(verdict, at).each_ref().map(String::as_str));
    assert_eq!(said("fail", late), [Code::NewerContradiction]);
    assert_eq!(said("fail", early), []);
    assert_eq!(said("error", late), []);
    let exit = policy(r#"{"type":"deterministic","check":"exit_code","expected":0}"#);
    assert_eq!(codes(&exit, &[r#"{"verdict":"fail","raw_result":{"exit_code":0}}"#]), [Code::VerdictContradiction]);
    assert_eq!(codes(&exit, &[r#"{"verdict":"pass","raw_result":{"exit_code":0}}"#]), []);
    let score = policy(r#"{"type":"threshold","metric":"score","threshold":1}"#);
    assert_eq!(codes(&score, &[r#"{"verdict":"pass","score":1,"raw_result":{"score":2}}"#]), [Code::MetricConflict]);
    assert_eq!(codes(&score, &[r#"{"verdict":"pass","score":1,"raw_result":{"score":1.0}}"#]), []);
    let agent = policy(r#"{"type":"agent_judgment","confidence_pass":0.8,"confidence_fail":0.4,"min_runs":1}"#);
    let (sure, sure_fail) = (r#"{"verdict":"pass","confidence":0.9}"#, r#"{"verdict":"fail","confidence":0.9}"#);
    assert_eq!(codes(&agent, &[sure, sure_fail]), [Code::Conflict]);
    assert_eq!(codes(&agent, &[sure]), []);
    let rate = policy(r#"{"type":"statistical","min_runs":2,"min_pass_rate":0.5}"#);
    assert_eq!(
        codes(&rate, &[r#"{"verdict":"pass"}"#, r#"{"verdict":"ERROR"}"#]),
        [Code::VerdictUnknown, Code::ErrorCounts, Code::WeakSample]
    );
    assert_eq!(codes(&rate, &[r#"{"verdict":"pass"}"#; 40]), []);
}

#[test]
fn what_was_looked_at() {
    let rules =
        policy(r#"{"type":"composite","rules":[{"metric":"a","min":4},{"check":"ok"},{"metric":"b","min_pct":80}]}"#);
    let looked = detail(&rules, &run(r#"{"verdict":"pass","raw_result":{"a":3.9,"ok":"true"}}"#));
    let drawn: Vec<String> =
        looked.iter().map(|one| format!("{} {:?} {} {:?}", one.what, one.value, one.bound, one.holds)).collect();
    assert_eq!(
        drawn,
        [r#"a Some("3.9") >= 4 Some(false)"#, r#"ok Some("\"true\"") = true None"#, "b None >= 80 None",]
    );
    let agent = policy(r#"{"type":"agent_judgment","confidence_pass":0.8,"confidence_fail":0.4,"min_runs":1}"#);
    let one = |text: &str| detail(&agent, &run(text)).remove(0);
    assert_eq!(
        (
            one(r#"{"verdict":"fail","confidence":0.6}"#).bound.as_str(),
            one(r#"{"verdict":"fail","confidence":0.6}"#).holds
        ),
        (">= 1 - 0.4", Some(true))
    );
    assert_eq!(one(r#"{"verdict":"pass"}"#).holds, Some(false));
}
