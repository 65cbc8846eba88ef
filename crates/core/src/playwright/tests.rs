use proptest::prelude::*;

use super::*;
use crate::json::{Json, Map};

fn attempt(status: &str) -> Attempt {
    Attempt { status: status.to_owned(), duration: 1.5, ..Attempt::default() }
}

fn entry(project: &str, expected: &str, statuses: &[&str]) -> Entry {
    let attempts = statuses.iter().map(|status| attempt(status)).collect();
    Entry { project: project.to_owned(), expected: expected.to_owned(), attempts }
}

fn spec(title: &str, entries: Vec<Entry>) -> Spec {
    Spec { title: title.to_owned(), entries }
}

fn made(specs: &[Spec], meta: &Map) -> Report {
    let mut gathered = Gathered::default();
    specs.iter().for_each(|spec| gathered.spec(spec));
    let look = Lookup {
        relative: &str::to_owned,
        digest: &|_| None,
        record: &|path| {
            crate::json::read(path.as_bytes(), &crate::json::Limits::default()).ok().map(|j| Record::of(&j))
        },
        spec_sha: &|_| None,
    };
    report(gathered, meta, &look)
}

fn codes(specs: &[Spec]) -> Vec<Code> {
    made(specs, &Map::new()).annotations.into_iter().map(|one| one.code).collect()
}

#[test]
fn verdicts_of_attempts() {
    for (statuses, verdict) in [
        (&[][..], CaseVerdict::Blocked),
        (&["skipped", "skipped"], CaseVerdict::Blocked),
        (&["interrupted", "skipped"], CaseVerdict::Blocked),
        (&["unheard-of"], CaseVerdict::Blocked),
        (&["passed", "interrupted"], CaseVerdict::Pass),
        (&["failed", "interrupted"], CaseVerdict::Fail),
        (&["timedOut"], CaseVerdict::Fail),
        (&["passed", "failed"], CaseVerdict::Flaky),
        (&["failed", "passed", "failed", "passed"], CaseVerdict::Flaky),
        (&["skipped", "failed", "skipped", "failed"], CaseVerdict::Fail),
    ] {
        assert_eq!(CaseVerdict::of_attempts(&entry("p", "passed", statuses).attempts), verdict, "{statuses:?}");
    }
}

#[test]
fn facts_beside_the_verdict() {
    let one = |expected: &str, statuses: &[&str]| codes(&[spec("A-B-001", vec![entry("p", expected, statuses)])]);
    assert_eq!(one("passed", &["passed"]), []);
    assert_eq!(one("skipped", &["skipped"]), []);
    assert_eq!(one("failed", &["failed"]), [Code::ExpectedFailure]);
    assert_eq!(one("failed", &["passed"]), [Code::UnexpectedPass]);
    assert_eq!(one("passed", &["interrupted"]), [Code::AttemptInterrupted]);
    assert_eq!(one("passed", &["skipped"]), [Code::CaseNotRun]);
    assert_eq!(one("passed", &[]), [Code::CaseNotRun]);
    let twice = spec("A-B-001", vec![entry("p", "passed", &["passed"]), entry("p", "passed", &["passed"])]);
    assert_eq!(codes(&[twice]), [Code::CaseRepeated]);
    let again = spec("A-B-001 again", vec![entry("p", "passed", &["passed"])]);
    assert_eq!(codes(&[again.clone(), again]), [Code::CaseRepeated]);
}

#[test]
fn a_build_that_changed_blocks_everything() {
    let specs = [
        spec("A-B-001", vec![entry("p", "passed", &["passed"])]),
        spec("FIXTURE cart", vec![entry("p", "passed", &["failed"])]),
    ];
    let meta = |before: &str, after: &str| {
        let mut map = Map::new();
        map.push("sha_before", before);
        map.push("sha_after", after);
        map
    };
    let verdicts = |meta: &Map| {
        let json = made(&specs, meta).json;
        let of = |key: &str| json.get(key).and_then(Json::as_list).unwrap()[0].get("verdict").cloned().unwrap();
        [of("cases"), of("fixtures")]
    };
    assert_eq!(verdicts(&meta("a", "a")), [Json::from("pass"), Json::from("fail")]);
    assert_eq!(verdicts(&meta("a", "")), [Json::from("pass"), Json::from("fail")]);
    assert_eq!(verdicts(&meta("a", "b")), [Json::from("blocked"), Json::from("blocked")]);
}

#[test]
fn an_attempt_without_a_record_is_a_guard_that_never_ran() {
    let record = |text: &str| Attachment { name: "writes.json".into(), path: Some(text.into()), body: false };
    let guarded = r#"{"installed": true, "policy": "read-only", "write_signatures": 2, "routed_requests": 3}"#;
    let with = |status: &str, records: Vec<Attachment>| Attempt { attachments: records, ..attempt(status) };
    let installed = |attempts: Vec<Attempt>| {
        let one = Entry { attempts, ..entry("p", "passed", &[]) };
        let json = made(&[spec("A-B-001", vec![one])], &Map::new()).json;
        let writes = json.get("cases").and_then(Json::as_list).unwrap()[0].get("writes").cloned().unwrap();
        writes.get("installed").and_then(Json::as_bool)
    };
    assert_eq!(installed(vec![attempt("passed")]), None);
    assert_eq!(installed(vec![with("passed", vec![record(guarded)])]), Some(true));
    assert_eq!(installed(vec![with("failed", vec![]), with("passed", vec![record(guarded)])]), Some(false));
    assert_eq!(installed(vec![with("skipped", vec![]), with("passed", vec![record(guarded)])]), Some(true));
    assert_eq!(installed(vec![with("passed", vec![record(guarded), record("not json")])]), Some(false));
}

fn verdict() -> impl Strategy<Value = CaseVerdict> {
    proptest::sample::select(vec![CaseVerdict::Pass, CaseVerdict::Fail, CaseVerdict::Flaky, CaseVerdict::Blocked])
}

proptest! {
    #[test]
    fn combining_does_not_depend_on_the_order(a in verdict(), b in verdict(), c in verdict()) {
        prop_assert_eq!(a.and(b), b.and(a));
        prop_assert_eq!(a.and(b).and(c), a.and(b.and(c)));
        prop_assert_eq!(a.and(a), a);
        prop_assert_eq!(a.and(CaseVerdict::Blocked), a);
    }

    #[test]
    fn the_order_of_attempts_does_not_matter(
        statuses in proptest::collection::vec(
            proptest::sample::select(vec!["passed", "failed", "timedOut", "skipped", "interrupted", "odd"]), 0..6),
    ) {
        let mut turned = statuses.clone();
        turned.reverse();
        let of = |statuses: &[&str]| CaseVerdict::of_attempts(&entry("p", "passed", statuses).attempts);
        prop_assert_eq!(of(&statuses), of(&turned));
    }
}
