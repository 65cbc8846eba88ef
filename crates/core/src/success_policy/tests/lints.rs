//! Each lint on a policy that deserves it and on one that does not; each dialect, carried over or refused.

use crate::codes::Code;
use crate::json::Json;
use crate::success_policy::{Dialect, Policy, Reason, evaluate, import, lint};

fn codes(text: &str) -> Vec<Code> {
    lint("policy.json", text.as_bytes()).into_iter().map(|found| found.code).collect()
}

#[test]
fn each_lint() {
    for (code, bad, good) in [
        (Code::Vacuous, r#"{"type":"statistical","min_runs":100,"min_pass_rate":0.0}"#, r#"{"type":"statistical","min_runs":100,"min_pass_rate":0.9}"#),
        (Code::Vacuous, r#"{"type":"agent_judgment","confidence_pass":0.5,"confidence_fail":0.1,"min_runs":3}"#.replace("0.5", "0").replace("0.1", "0").as_str(), r#"{"type":"agent_judgment","confidence_pass":0.5,"confidence_fail":0.1,"min_runs":3}"#),
        (Code::EqOnFloat, r#"{"type":"threshold","metric":"a","threshold":3.5,"operator":"eq"}"#, r#"{"type":"threshold","metric":"a","threshold":3.0,"operator":"eq"}"#),
        (Code::MissingOperator, r#"{"type":"threshold","metric":"a","threshold":3.5}"#, r#"{"type":"threshold","metric":"a","threshold":3.5,"operator":"gt"}"#),
        (Code::PctLooksLikeFraction, r#"{"type":"composite","rules":[{"metric":"a","min_pct":1.0}]}"#, r#"{"type":"composite","rules":[{"metric":"a","min_pct":1.1}]}"#),
        (Code::MinRunsOne, r#"{"type":"agent_judgment","confidence_pass":0.8,"confidence_fail":0.4,"min_runs":1}"#, r#"{"type":"agent_judgment","confidence_pass":0.8,"confidence_fail":0.4,"min_runs":2}"#),
        (Code::MinRunsOne, r#"{"type":"statistical","min_runs":1.0,"min_pass_rate":1}"#, r#"{"type":"statistical","min_runs":90,"min_pass_rate":1}"#),
        (Code::ZeroWidthZone, r#"{"type":"agent_judgment","confidence_pass":0.5,"confidence_fail":0.50,"min_runs":2}"#, r#"{"type":"agent_judgment","confidence_pass":0.5,"confidence_fail":0.49,"min_runs":2}"#),
        (Code::ColumnNameAsMetric, r#"{"type":"composite","rules":[{"metric":"score","min":1}]}"#, r#"{"type":"threshold","metric":"score","threshold":1,"operator":"gte"}"#),
        (Code::ColumnNameAsMetric, r#"{"type":"threshold","metric":"confidence","threshold":1,"operator":"gte"}"#, r#"{"type":"deterministic","check":"score","expected":1}"#),
        (Code::ColumnNameAsMetric, r#"{"type":"deterministic","check":"verdict","expected":"pass"}"#, r#"{"type":"deterministic","check":"verdicts","expected":"pass"}"#),
        (Code::RedundantRule, r#"{"type":"composite","rules":[{"metric":"a","min":3},{"metric":"a","min":5}]}"#, r#"{"type":"composite","rules":[{"metric":"a","min":3},{"check":"a"},{"metric":"b","min":5}]}"#),
        (Code::WeakSample, r#"{"type":"statistical","min_runs":10,"min_pass_rate":0.7}"#, r#"{"type":"statistical","min_runs":100,"min_pass_rate":0.7}"#),
        (Code::LegacyDialect, r#"{"type":"statistical","required_passes":7,"total_runs":10}"#, r#"{"type":"statistical","required":7,"total":10}"#),
        (Code::LegacyDialect, "All tests green", r#"{"type":"deterministic","criteria":"verdict_pass","x_description":"All tests green"}"#),
        (Code::LooseErrorRate, r#"{"type":"wilson","min_runs":40,"target":0.9,"confidence":0.79}"#, r#"{"type":"wilson","min_runs":40,"target":0.9,"confidence":0.8}"#),
        (Code::LooseErrorRate, r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.21,"beta":0.05}"#, r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.2,"beta":0.05}"#),
        (Code::LooseErrorRate, r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.05,"beta":0.3}"#, r#"{"type":"sprt","p0":0.5,"p1":0.9,"alpha":0.05,"beta":0.05}"#),
        (Code::RunsTooFew, r#"{"type":"wilson","min_runs":34,"target":0.9,"confidence":0.95}"#, r#"{"type":"wilson","min_runs":35,"target":0.9,"confidence":0.95}"#),
        (Code::RunsTooFew, r#"{"type":"pass_k","k":3,"min_runs":10,"target":0.9,"confidence":0.95}"#, r#"{"type":"pass_k","k":3,"min_runs":120,"target":0.9,"confidence":0.95}"#),
        (Code::Vacuous, r#"{"type":"planned_runs","planned":100,"min_pass_rate":0}"#, r#"{"type":"planned_runs","planned":100,"min_pass_rate":0.9}"#),
        (Code::MinRunsOne, r#"{"type":"planned_runs","planned":1,"min_pass_rate":1}"#, r#"{"type":"planned_runs","planned":100,"min_pass_rate":1}"#),
        (Code::WeakSample, r#"{"type":"planned_runs","planned":10,"min_pass_rate":0.7}"#, r#"{"type":"planned_runs","planned":100,"min_pass_rate":0.7}"#),
    ] {
        assert!(codes(bad).contains(&code), "{code}: {bad} {:?}", codes(bad));
        assert!(!codes(good).contains(&code), "{code}: {good}");
    }
    assert_eq!(codes(""), []);
    assert_eq!(codes(r#"{"type":"deterministic","criteria":"verdict_pass"}"#), []);
}

#[test]
fn the_weaker_rule_is_named_where_it_stands() {
    let found = lint("p", br#"{"type":"composite","rules":[{"metric":"a","min":5},{"metric":"a","min":3}]}"#);
    assert_eq!(
        (found[0].help.as_deref(), found[0].place.map(|place| place.column)),
        (Some("rules[1] can go"), Some(63))
    );
    let found = lint("p", br#"{"type":"composite","rules":[{"metric":"a","min":3},{"metric":"a","min_pct":5}]}"#);
    assert_eq!(
        (found[0].help.as_deref(), found[0].place.map(|place| place.column)),
        (Some("rules[0] can go"), Some(40))
    );
}

#[test]
fn each_dialect() {
    let of = |text: &str| import(text.as_bytes()).map(|imported| (imported.dialect, imported.policy.to_string()));
    let pass = r#"{"type":"deterministic","criteria":"verdict_pass"}"#;
    for (text, dialect, policy) in [
        (pass, Dialect::V1, pass),
        (" ", Dialect::Blank, pass),
        (
            r#"{"type":"threshold","metric":"score","min":3.50}"#,
            Dialect::MinMax,
            r#"{"type":"threshold","metric":"score","threshold":3.50,"operator":"gte"}"#,
        ),
        (
            r#"{"type":"threshold","metric":"p95","max":250}"#,
            Dialect::MinMax,
            r#"{"type":"threshold","metric":"p95","threshold":250,"operator":"lte"}"#,
        ),
        (
            r#"{"type":"statistical","required_passes":2,"total_runs":3}"#,
            Dialect::RequiredPasses,
            r#"{"type":"statistical","min_runs":3,"min_pass_rate":0.6666666666666666}"#,
        ),
        (
            r#"{"min_runs":10,"min_pass":7}"#,
            Dialect::MinPass,
            r#"{"type":"statistical","min_runs":10,"min_pass_rate":0.7}"#,
        ),
        (r#"{"kind":"any_pass"}"#, Dialect::Kind, pass),
        (r#"{"id":"all-pass","params":{}}"#, Dialect::PlanCase, pass),
        (
            r#"{"type":"deterministic","criteria":"result_pass","phase":"plan"}"#,
            Dialect::ResultPass,
            r#"{"type":"deterministic","criteria":"verdict_pass","x_phase":"plan"}"#,
        ),
        (
            r#"{"type":"composite","criteria":[{"check":"ok"}],"x_a":1}"#,
            Dialect::CompositeCriteria,
            r#"{"type":"composite","rules":[{"check":"ok"}],"x_a":1}"#,
        ),
        (
            "Workflow completes with conclusion=success\n",
            Dialect::Prose,
            r#"{"type":"deterministic","criteria":"verdict_pass","x_description":"Workflow completes with conclusion=success"}"#,
        ),
    ] {
        assert_eq!(of(text), Ok((dialect, policy.to_owned())), "{text}");
        assert!(Policy::read(policy.as_bytes()).is_ok());
    }
    for text in [
        r#"{"type":"threshold","metric":"score","min":3,"max":5}"#,
        r#"{"type":"threshold","metric":"score","min":"3"}"#,
        r#"{"type":"threshold","min":3}"#,
        r#"{"type":"threshold","metric":"score","min":3,"unit":"s"}"#,
        r#"{"type":"statistical","required_passes":11,"total_runs":10}"#,
        r#"{"type":"statistical","required_passes":7.5,"total_runs":10}"#,
        r#"{"type":"agent_judgment","min_confidence":0.8,"pass_threshold":0.8}"#,
        r#"{"kind":"majority_pass"}"#,
        r#"{"kind":"any_pass","threshold":2}"#,
        r#"{"id":"all-pass","params":{"n":1}}"#,
        r#"{"type":"browser_scenario","steps":[]}"#,
        r#"{"type":"composite","criteria":["layout"]}"#,
        "Green, and requires_screenshot_evidence",
        r#"{"type":"deterministic","criteria":"verdict_pass","x_a":"requires_screenshot_evidence"}"#,
        "[]",
        "\"All tests green\"",
        r#"{"type":"deterministic","#,
        r#"{"type":"deterministic","criteria":"verdict_pass","criteria":"x"}"#,
        r#"{"type":"nothing"}"#,
    ] {
        assert!(of(text).is_err(), "{text} {:?}", of(text));
    }
    // A count of passes is met by exactly that count.
    for (passes, runs) in [(2, 3), (7, 25), (14, 25), (1, 999_983)] {
        let policy = import(format!(r#"{{"min_runs":{runs},"min_pass":{passes}}}"#).as_bytes()).unwrap().policy;
        let rate = policy.get("min_pass_rate").map(Json::to_string).unwrap();
        let one = Policy::read(policy.to_string().as_bytes()).unwrap();
        assert!(rate.parse::<f64>().unwrap() > 0.0 && evaluate(&one, []) == Reason::InsufficientRuns);
        assert_eq!(super::super::chance::fewest(runs, rate.parse().unwrap()), passes);
    }
}
