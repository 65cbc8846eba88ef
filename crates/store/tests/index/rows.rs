//! What goes in, what comes out, and what is refused.

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::qa::{Blocking, Decision, Waiver};
use probity_core::verdict::QaVerdict::{Error, Fail, Pass, Undetermined};
use probity_store::index::{Index, IndexError, Recorded, Required, Target};

use crate::lab::{Lab, artifact, number, record, requirement, run, see, terms};

pub(crate) fn a_change_is_a_version_with_a_reason(lab: &Lab) {
    let mut index = lab.open();
    let (asked, first) = (requirement("R"), terms(r#"{"type":"statistical","min_runs":3,"min_pass_rate":1}"#));
    assert!(matches!(index.require(&asked, &first, None, &see).unwrap(), Required::New(v) if v.version == 1));
    assert!(matches!(index.require(&asked, &first, None, &see).unwrap(), Required::Same(v) if v.version == 1));
    let mut softer = first.clone();
    softer.blocking = Blocking::NonBlocking;
    let refused = index.require(&asked, &softer, None, &see).unwrap_err();
    assert_eq!(refused.code(), Code::ReasonMissing);
    assert!(refused.to_string().contains("blocking_mode"), "{refused}");
    let changed = index.require(&asked, &softer, Some("flaky lab"), &see).unwrap();
    assert!(matches!(&changed, Required::Changed { from, to } if from.version == 1 && to.version == 2), "{changed:?}");
    let versions = index.versions("R").unwrap();
    assert_eq!(versions.iter().map(|v| (v.version, v.terms.clone())).collect::<Vec<_>>(), [(1, first), (2, softer)]);
    assert_eq!(versions[1].reason.as_deref(), Some("flaky lab"));
    assert_eq!(index.heads().unwrap()[0].version, versions[1]);
}

pub(crate) fn ids_differ_in_more_than_case(lab: &Lab) {
    let mut index = lab.with("");
    let refused = index.require(&requirement("r"), &terms(""), None, &see).unwrap_err();
    assert_eq!(refused.code(), Code::IdConfusable, "{refused}");
    let mut other = requirement("R");
    other.kind = "e2e".to_owned();
    assert_eq!(index.require(&other, &terms(""), Some("why"), &see).unwrap_err().code(), Code::KeyConflict);
    let mut unknown = run("k", Pass);
    unknown.requirement = "S".to_owned();
    assert_eq!(record(&mut index, &unknown, 5).unwrap_err().code(), Code::RequirementUnknown);
    assert!(
        matches!(index.newest_runs(Some("r"), 5).unwrap_err(), IndexError::RequirementUnknown { nearest: Some(near), .. } if near == "R")
    );
}

pub(crate) fn what_goes_in_comes_out(lab: &Lab) {
    let mut index = lab.with("");
    let mut full = run("k1", Fail);
    full.said.score = number("3.4999999999999999999999");
    full.said.confidence = number("0.80");
    full.said.raw = Some(r#"{"a":9007199254740993,"b":true,"c":"x","d":[1],"e":null}"#.to_owned());
    full.said.artifacts = vec![artifact("one.png"), artifact("two.png")];
    full.said.duration_ms = Some(12);
    assert_eq!(record(&mut index, &full, 50).unwrap(), Recorded::New(1));
    // A clock that stands still or goes back makes no two runs of one time.
    assert_eq!(record(&mut index, &run("k2", Pass), 50).unwrap(), Recorded::New(2));
    assert_eq!(record(&mut index, &run("k3", Pass), 7).unwrap(), Recorded::New(3));
    let runs = index.runs_after("R", 0).unwrap();
    assert_eq!(runs.iter().map(|run| (run.n, run.at)).collect::<Vec<_>>(), [(1, 50), (2, 51), (3, 52)]);
    assert_eq!(runs[0].new, full);
    assert_eq!(index.runs_after("R", 3).unwrap(), []);
    let first = &index.first_runs("R", "c1", 2, true).unwrap()[0];
    let drawn: Vec<String> = first.metrics.iter().map(|metric| format!("{}={:?}", metric.name, metric.value)).collect();
    assert_eq!(drawn.len(), 4);
    assert!(drawn[0].contains("9007199254740993"), "{drawn:?}");
    assert_eq!(index.newest_runs(None, 2).unwrap().iter().map(|run| run.n).collect::<Vec<_>>(), [3, 2]);
    let waiver = Waiver {
        key: "w".to_owned(),
        requirement: "R".to_owned(),
        version: 0,
        commit: None,
        until: 90,
        by: "bo".to_owned(),
        reason: "lab is down".to_owned(),
        at: 60,
    };
    assert_eq!(index.waive(&waiver).unwrap(), 1);
    assert_eq!(index.waivers("R").unwrap(), [Waiver { version: 1, ..waiver }]);
    let decision = Decision {
        key: "d".to_owned(),
        phase: "all".to_owned(),
        ok: false,
        sha256: Digest::of(b"{}"),
        body: "{}".to_owned(),
        at: 70,
    };
    index.decide(&decision).unwrap();
    assert_eq!(index.decisions().unwrap(), [decision]);
}

pub(crate) fn a_key_stands_for_one_run(lab: &Lab) {
    let mut index = lab.with("");
    assert_eq!(record(&mut index, &run("k", Pass), 5).unwrap(), Recorded::New(1));
    assert_eq!(record(&mut index, &run("k", Pass), 6).unwrap(), Recorded::Same(1));
    assert_eq!(record(&mut index, &run("k", Fail), 7).unwrap_err().code(), Code::KeyConflict);
    assert_eq!(index.runs_after("R", 0).unwrap().len(), 1);
}

pub(crate) fn a_run_without_verdict_is_completed_once(lab: &Lab) {
    let mut index = lab.with("");
    let mut pending = run("k", Pass);
    pending.said.verdict = None;
    assert_eq!(record(&mut index, &pending, 5).unwrap(), Recorded::New(1));
    assert_eq!(index.first_runs("R", "c1", 9, true).unwrap(), []);
    let version = index.heads().unwrap()[0].version.clone();
    assert!(index.states(&version, "c1").unwrap().is_empty());
    assert_eq!(record(&mut index, &run("k", Fail), 6).unwrap(), Recorded::Completed(1));
    assert_eq!(index.states(&version, "c1").unwrap()[0].2.counts[..4], [0, 1, 0, 0]);
    assert_eq!(record(&mut index, &run("k", Pass), 7).unwrap_err().code(), Code::KeyConflict);
    let mut other = pending;
    other.by = "eve".to_owned();
    assert_eq!(record(&mut index, &other, 8).unwrap_err().code(), Code::KeyConflict);
}

pub(crate) fn rows_out_of_range_are_refused(lab: &Lab) {
    let mut index = lab.with("");
    let mut sure = run("k1", Pass);
    sure.said.confidence = number("1.01");
    let mut silent = run("k2", Undetermined);
    silent.said.reason = None;
    let mut endless = run("k3", Pass);
    endless.said.score = number("1e400");
    let mut blank = run("k4", Error);
    blank.by = " ".to_owned();
    for bad in [sure, silent, endless, blank] {
        let error = record(&mut index, &bad, 5).unwrap_err();
        assert_eq!(error.code(), Code::IndexRefused, "{error}");
    }
    // Nothing of a run that was refused is left, and its number is not used up.
    assert_eq!(index.runs_after("R", 0).unwrap(), []);
    assert_eq!(record(&mut index, &run("k5", Pass), 5).unwrap(), Recorded::New(1));
}

pub(crate) fn nothing_recorded_is_changed_or_removed(lab: &Lab) {
    let mut index = lab.with("");
    let mut full = run("k1", Fail);
    full.said.raw = Some(r#"{"a":1}"#.to_owned());
    full.said.artifacts = vec![artifact("one.png")];
    record(&mut index, &full, 5).unwrap();
    index
        .waive(&Waiver {
            key: "w".to_owned(),
            requirement: "R".to_owned(),
            version: 1,
            commit: None,
            until: 9,
            by: "bo".to_owned(),
            reason: "x".to_owned(),
            at: 6,
        })
        .unwrap();
    index
        .decide(&Decision {
            key: "d".to_owned(),
            phase: "all".to_owned(),
            ok: true,
            sha256: Digest::of(b""),
            body: String::new(),
            at: 7,
        })
        .unwrap();
    let before = contents(&mut index);
    let columns = [
        "verdict = 'pass'",
        "verdict_reason = 'y'",
        "raw_result = '{}'",
        "score = '1'",
        "confidence = '1'",
        "performed_by = 'eve'",
        "commit_sha = 'c2'",
        "recorded_at = 1",
        "verdict = NULL",
        "idempotency_key = 'z'",
        "source = 'observed'",
    ];
    let mut statements: Vec<String> = columns.iter().map(|set| format!("UPDATE qa_runs SET {set}")).collect();
    for (table, set) in [
        ("qa_requirements", "kind = 'x'"),
        ("qa_policy_versions", "policy = NULL"),
        ("qa_policy_versions", "blocking = 'non_blocking'"),
        ("qa_run_metrics", "token = '2'"),
        ("qa_artifacts", "size = 1"),
        ("qa_waivers", "until_at = 99999"),
        ("qa_decisions", "ok = 0"),
    ] {
        statements.extend([format!("UPDATE {table} SET {set}"), format!("DELETE FROM {table}")]);
    }
    statements.extend([
        "DELETE FROM qa_runs".to_owned(),
        "INSERT INTO qa_run_metrics (requirement_id, n, name, kind, token, num) VALUES ('R', 1, 'b', 'number', '5', 5)"
            .to_owned(),
        "INSERT INTO qa_artifacts (requirement_id, n, position, name, kind, sha256, size, media) \
         SELECT requirement_id, n, 2, name, kind, sha256, size, media FROM qa_artifacts"
            .to_owned(),
    ]);
    if lab.postgres {
        statements.extend(["TRUNCATE qa_runs CASCADE".to_owned(), "TRUNCATE qa_decisions".to_owned()]);
    } else {
        statements.extend([
            "INSERT OR REPLACE INTO qa_waivers SELECT idempotency_key, requirement_id, policy_version, commit_sha, 99999, created_by, reason, created_at FROM qa_waivers".to_owned(),
            "INSERT OR REPLACE INTO qa_decisions SELECT id, phase, 0, sha256, body, decided_at FROM qa_decisions".to_owned(),
        ]);
    }
    for statement in statements {
        let refused = lab.sql(&statement);
        assert!(refused.as_ref().is_err_and(|why| why.contains("a row of qa_")), "{statement}: {refused:?}");
    }
    assert_eq!(contents(&mut index), before);
}

fn contents(index: &mut Index) -> String {
    format!(
        "{:?} {:?} {:?} {:?}",
        index.runs_after("R", 0).unwrap(),
        index.versions("R").unwrap(),
        index.waivers("R").unwrap(),
        index.decisions().unwrap()
    )
}

#[test]
fn what_is_no_index_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let target = Target::beside(dir.path());
    assert_eq!(Index::open(&target).err().unwrap().code(), Code::IndexMissing);
    let text = dir.path().join("notes.txt");
    std::fs::write(&text, "not a database, and long enough to be looked at as one by its first bytes").unwrap();
    let before = std::fs::read(&text).unwrap();
    assert_eq!(Index::create(&Target::File(text.clone())).err().unwrap().code(), Code::IndexUnreachable);
    assert_eq!(std::fs::read(&text).unwrap(), before);
    let down = Target::parse("postgres://qa:hunter22secret@127.0.0.1:1/x").unwrap();
    let error = Index::open(&down).err().unwrap();
    assert_eq!(error.code(), Code::IndexUnreachable);
    assert!(!format!("{error} {error:?}").contains("hunter22"), "{error:?}");
    let lab = Lab::sqlite();
    drop(lab.open());
    lab.sql("UPDATE qa_form SET form = 99").unwrap();
    assert_eq!(Index::open(&lab.target).err().unwrap().code(), Code::IndexForm);
}
