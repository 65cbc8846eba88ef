//! Requirements that are entered and changed, and runs that somebody reports.

use insta::assert_snapshot;

use super::{calm, must, qa, with_r};
use crate::place::Place;

/// The code of an error answer.
fn error(place: &Place, words: &str) -> String {
    let ran = must(place, 2, &format!("{words} --format json"));
    ran.json()["error"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn a_requirement_is_entered_and_changed_with_a_reason() {
    let place = Place::without_service();
    place.write("flow.json", r#"{"type": "statistical", "min_runs": 10, "min_pass_rate": 0.7}"#);
    assert_snapshot!(calm(&must(&place, 0, "require R --policy flow.json --plan ./flow.probity.yaml --by ann").to_string()), @r"
    exit 0
    --- stdout
    ENTERED  R   smoke   version 1, by ann
      asks for    statistical, min_runs 10, min_pass_rate 0.7
      falls due   verification, and holds it up
      counts      observed runs; probity run flow.probity.yaml records them
    exit 0
    --- stderr
    warning: weak_sample 7 of 10 would do, and leave the true rate anywhere from 0.40 to 0.89
    ");
    assert_eq!(error(&place, "require R --no-policy --by eve"), "reason_missing");
    assert_snapshot!(calm(&must(&place, 0, "require R --no-policy --accept-reported --by eve --reason quicker").to_string()), @r"
    exit 0
    --- stdout
    CHANGED  R   smoke   version 2, by eve
      success_policy  statistical, min_runs 10, min_pass_rate 0.7 -> no policy, so one pass is enough
      reported_runs   do not count -> count
      because         quicker
    exit 0
    --- stderr
    ");
    let same = must(&place, 0, "require R --format json --by ann").json();
    assert_eq!(
        (&same["outcome"], &same["version"], &same["plan"]),
        (&"same".into(), &2.into(), &"flow.probity.yaml".into())
    );
    assert_eq!(error(&place, "require r --by ann"), "id_confusable");
    assert_eq!(error(&place, "require R --kind e2e --by ann"), "key_conflict");
    place.write("bad.json", r#"{"type": "statistical", "min_runs": 10, "min_pass_rate": 70}"#);
    assert_eq!(error(&place, "require S --policy bad.json --by ann"), "out_of_range");
    // Nothing was entered by what was refused.
    assert_eq!(must(&place, 0, "status --commit c1 --format json").json()["requirements"].as_array().unwrap().len(), 1);
}

#[test]
fn without_an_index_nothing_is_known() {
    let place = Place::without_service();
    for words in [
        "gate",
        "status",
        "list",
        "export",
        "record R --verdict pass --by bo",
        "waive R --by a --reason b --until 2999-01-01T00:00:00Z",
    ] {
        let ran = qa(&place, &format!("{words} --format json"));
        assert_eq!(ran.code, 2, "{words}\n{ran}");
    }
    assert!(!place.path().join("probity-runs/_qa").exists());
}

#[test]
fn a_reported_run_is_kept_whole() {
    let place = with_r("");
    place.write("raw.json", r#"{"a": 9007199254740993, "a": 1.50, "b": "x"}"#);
    place.write("home.png", "not really a picture");
    let words = "record R --verdict undetermined --reason blurred --score 3.4999999999999999999 --confidence 0.8 --raw raw.json \
                 --artifact home.png --commit c1 --key k1 --duration-ms 12 --by judge-7";
    assert_snapshot!(calm(&must(&place, 0, words).to_string()), @r"
    exit 0
    --- stdout
    RECORDED  R   run 1 (new)   undetermined
      source      reported by judge-7: it counts only where the requirement accepts that
      commit      c1
      kept        home.png   20 bytes   sha256 7f3a91c2d4e8b016..
    exit 0
    --- stderr
    ");
    let digest = probity_core::ids::Digest::of(b"not really a picture").to_string();
    let kept = place.path().join(format!("probity-runs/_qa/artifacts/{}/{digest}.png", &digest[..2]));
    assert_eq!(std::fs::read_to_string(kept).unwrap(), "not really a picture");
    let export = must(&place, 0, "export").stdout;
    let run: serde_json::Value =
        serde_json::from_str(export.lines().find(|line| line.contains(r#""row":"run""#)).unwrap()).unwrap();
    assert_eq!(run["raw_result"], r#"{"a":1.50,"b":"x"}"#);
    assert!(export.contains(r#""score":3.4999999999999999999,"confidence":0.8"#), "{export}");
    assert_eq!((&run["artifacts"][0]["sha256"], &run["duration_ms"]), (&digest.into(), &12.into()));
    // The same again is the same; anything else under the key is refused.
    assert_eq!(must(&place, 0, &format!("{words} --format json")).json()["outcome"], "same");
    assert_eq!(error(&place, &words.replace("0.8", "0.9")), "key_conflict");
}

#[test]
fn a_run_that_began_gets_its_verdict_once() {
    let place = with_r("");
    must(&place, 0, "record R --started --key n1 --commit c1 --by nightly");
    let pending = must(&place, 5, "gate --commit c1 --format json").json();
    assert_eq!(pending["blocking"][0]["code"], "runs_stale");
    let done = must(&place, 0, "record R --verdict pass --key n1 --commit c1 --by nightly --format json").json();
    assert_eq!((&done["outcome"], &done["recorded"]["n"]), (&"completed".into(), &1.into()));
    must(&place, 0, "gate --commit c1");
    assert_eq!(error(&place, "record R --verdict fail --key n1 --commit c1 --by nightly"), "key_conflict");
    must(&place, 2, "record R --started --by nightly");
}

#[test]
fn what_cannot_be_recorded_is_refused_and_leaves_nothing() {
    let place = with_r("");
    place.write("secret.json", r#"{"token": "ghp_0123456789abcdefghijABCDEFGHIJ012345"}"#);
    place.write("nul.json", "a\0b");
    let cases = [
        ("record R --verdict undetermined --by bo", "usage_error"),
        ("record R --verdict pass", "usage_error"),
        ("record R --verdict pass --confidence 1.01 --by bo", "value_out_of_range"),
        ("record R --verdict pass --confidence -0.1 --by bo", "value_out_of_range"),
        ("record R --verdict pass --score 1e400 --by bo", "value_out_of_range"),
        ("record R --verdict pass --score NaN --by bo", "wrong_type"),
        ("record R --verdict pass --raw nul.json --by bo", "raw_result_unfit"),
        ("record R --verdict pass --raw secret.json --by bo", "secret_literal"),
        ("record R --verdict pass --artifact secret.json --by bo", "secret_literal"),
        ("record R --verdict pass --raw none.json --by bo", "document_unreadable"),
        ("record R --verdict pass --artifact . --by bo", "document_unreadable"),
        ("record R --verdict pass --commit --upload-pack=x --by bo", "usage_error"),
        ("record R --verdict pass --commit a;b --by bo", "usage_error"),
        ("record Q --verdict pass --by bo", "requirement_unknown"),
        ("record R --run 2026", "run_unknown"),
    ];
    for (words, code) in cases {
        assert_eq!(error(&place, words), code, "{words}");
    }
    let list = must(&place, 0, "list --format json").json();
    assert_eq!(list["runs"], serde_json::json!([]));
    assert!(!place.path().join("probity-runs/_qa/artifacts").exists());
}

#[test]
fn needs_git_the_commit_is_the_one_that_is_checked_out_and_nothing_else() {
    let place = with_r("");
    let git = super::running::Git::of(&place);
    let first = git.commit("one");
    let record = || git.probity("qa record R --verdict pass --by bo --format json");
    assert_eq!(record().json()["recorded"]["commit"], first.as_str());
    assert_eq!(git.probity("qa gate").code, 0);
    place.write("policy.json", "changed");
    let refused = record();
    assert_eq!((refused.code, &refused.json()["error"]["code"]), (2, &"commit_dirty".into()), "{refused}");
    // A later commit makes what was recorded stale, whatever the clock says.
    let second = git.commit("two");
    assert_ne!(first, second);
    let stale = git.probity("qa gate --format json");
    assert_eq!((stale.code, &stale.json()["blocking"][0]["code"]), (5, &"runs_stale".into()), "{stale}");
    assert_eq!(git.probity(&format!("qa gate --commit {}", &first[..8])).code, 0);
}

#[test]
fn runs_are_listed_the_newest_first() {
    let place = with_r("");
    for (verdict, more) in [("pass", ""), ("fail", "--reason boom"), ("error", "")] {
        must(&place, 0, &format!("record R --verdict {verdict} {more} --commit c1 --by bo"));
    }
    assert_snapshot!(calm(&must(&place, 0, "list R --limit 2").to_string()), @r"
    exit 0
    --- stdout
    RUNS  2 runs, the newest first
      ERROR         R               3  2026-11-30T14:24  reported  c1
      FAIL          R               2  2026-11-30T14:24  reported  c1
          boom
    exit 0
    --- stderr
    ");
    let all = must(&place, 0, "list --format json").json();
    let numbers: Vec<i64> = all["runs"].as_array().unwrap().iter().map(|run| run["n"].as_i64().unwrap()).collect();
    assert_eq!(numbers, [3, 2, 1]);
    assert_eq!(error(&place, "list S"), "requirement_unknown");
}
