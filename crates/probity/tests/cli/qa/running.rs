//! `probity run` records what it made where there is an index, and an index that fails changes nothing.

use std::process::Command;

use super::{must, qa};
use crate::place::{PASSES, Place, Ran, fails};

/// A place that is a git work tree.
pub(super) struct Git<'a> {
    place: &'a Place,
    folder: String,
}

impl<'a> Git<'a> {
    pub(super) fn of(place: &'a Place) -> Self {
        let git = Self { place, folder: place.path().join(".git").display().to_string() };
        git.git(&["init", "-q", "."]);
        git
    }

    fn git(&self, words: &[&str]) -> String {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"]);
        let output = command.args(words).current_dir(self.place.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits everything; gives the commit.
    pub(super) fn commit(&self, message: &str) -> String {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub(super) fn probity(&self, words: &str) -> Ran {
        self.place.probity_with(words, &[("GIT_DIR", &self.folder)])
    }
}

#[test]
fn needs_git_a_run_is_recorded_once_with_what_it_saw() {
    let plan = PASSES
        .replace("save: {order: id, shown: total}", "save: {order: id, shown: total}\n        record: {price: total}");
    let place = Place::with_service().plan(&plan);
    must(&place, 0, "require R --plan order.probity.yaml --by ann");
    must(&place, 0, "require OTHER --plan other.probity.yaml --by ann");
    must(&place, 0, "require ELSEWHERE --plan order.probity.yaml --target-env staging --by ann");
    let git = Git::of(&place);
    let commit = git.commit("one");
    let ran = git.probity("run");
    assert_eq!(ran.code, 0, "{ran}");
    assert!(ran.stderr.contains("recorded  R  run 1") && !ran.stderr.contains("warning: not_indexed"), "{ran}");
    let answer = git.probity("qa gate --format json").json();
    let blocking: Vec<&str> =
        answer["blocking"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!((blocking.as_slice(), answer["met"].as_i64()), (["ELSEWHERE", "OTHER"].as_slice(), Some(1)), "{answer}");
    let export = must(&place, 0, "export R").stdout;
    let run: serde_json::Value =
        serde_json::from_str(export.lines().find(|line| line.contains(r#""row":"run""#)).unwrap()).unwrap();
    let name = place.run_folder();
    let name = name.file_name().unwrap().to_str().unwrap();
    assert_eq!(
        (&run["source"], &run["run"], &run["commit"], &run["tree"]),
        (&"observed".into(), &name.into(), &commit.into(), &"clean".into())
    );
    let raw: serde_json::Value = serde_json::from_str(run["raw_result"].as_str().unwrap()).unwrap();
    assert_eq!(
        raw,
        serde_json::json!({"run": name, "criteria": {"ORDER-1": "passed", "ORDER-2": "passed"}, "http_status": 200, "price": 29.96})
    );
    // The seal is the one that verify shows.
    assert!(place.probity("verify").stdout.contains(run["seal"].as_str().unwrap()));
    let again = must(&place, 0, "record R --run 2 --format json").json();
    assert_eq!((&again["outcome"], &again["recorded"]["n"]), (&"same".into(), &1.into()));
    let elsewhere = must(&place, 2, "record ELSEWHERE --run 2 --format json").json();
    assert!(elsewhere["error"]["message"].as_str().unwrap().contains("asks for staging"), "{elsewhere}");
}

#[test]
fn needs_git_a_dirty_tree_says_nothing_of_its_commit() {
    let place = Place::with_service().plan(PASSES);
    must(&place, 0, "require R --plan order.probity.yaml --by ann");
    let git = Git::of(&place);
    git.commit("one");
    place.write("notes.txt", "not committed");
    assert_eq!(git.probity("run").code, 0);
    let answer = git.probity("qa gate --format json");
    assert_eq!((answer.code, &answer.json()["blocking"][0]["code"]), (5, &"runs_dirty".into()), "{answer}");
}

#[test]
fn a_run_without_an_index_says_nothing_of_one() {
    let place = Place::with_service().plan(PASSES);
    let ran = place.probity("run");
    assert!(ran.code == 0 && !ran.stderr.contains("index") && !ran.stderr.contains("recorded"), "{ran}");
    assert!(!place.path().join("probity-runs/_qa").exists());
}

#[test]
fn an_index_that_fails_changes_neither_verdict_nor_exit() {
    for (plan, exit) in [(PASSES.to_owned(), 0), (fails(), 1)] {
        let place = Place::with_service().plan(&plan);
        must(&place, 0, "require R --plan order.probity.yaml --by ann");
        place.write(
            "probity-runs/_qa/index.sqlite",
            "no database, though its name says so; and as long as a page would be",
        );
        for tail in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(place.path().join(format!("probity-runs/_qa/index.sqlite{tail}")));
        }
        let ran = place.probity("run --repeat 2");
        assert_eq!(ran.code, exit, "{ran}");
        assert_eq!(ran.stderr.matches("warning: not_indexed").count(), 1, "{ran}");
        let json = place.probity("run --format json");
        assert_eq!(json.json()["exit"], exit, "{json}");
        assert_eq!(must(&place, 3, "gate --format json").json()["error"]["code"], "index_unreachable");
    }
    let place = Place::with_service().plan(PASSES);
    let ran = place.probity("run --index none.sqlite");
    assert!(ran.code == 0 && ran.stderr.contains("not_indexed: there is no index of QA runs at none.sqlite"), "{ran}");
}

#[test]
fn a_run_that_does_not_verify_is_not_recorded() {
    let place = Place::with_service().plan(PASSES);
    must(&place, 0, "require R --by ann");
    place.probity("run");
    let journal = place.run_folder().join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replacen("29.96", "29.97", 1)).unwrap();
    let ran = qa(&place, "record R --run 2 --format json");
    assert_eq!((ran.code, &ran.json()["error"]["code"]), (6, &"run_not_proved".into()), "{ran}");
}
