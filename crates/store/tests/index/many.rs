//! Several writers at once, a writer that is killed, and work that does not grow with history.

use std::sync::Barrier;

use probity_core::verdict::QaVerdict;
use probity_store::index::Index;

use crate::lab::{Lab, record, requirement, run, see, terms};

pub(crate) fn writers_at_once_lose_nothing(lab: &Lab) {
    drop(lab.with(""));
    let (writers, each) = (4, 15);
    let barrier = Barrier::new(writers);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let barrier = &barrier;
            scope.spawn(move || {
                let mut index = Index::open(&lab.target).unwrap();
                barrier.wait();
                for position in 0..each {
                    // Every run is offered twice, by two writers.
                    for who in [writer, (writer + 1) % writers] {
                        record(&mut index, &run(&format!("{who}-{position}"), QaVerdict::Pass), 5).unwrap();
                    }
                }
            });
        }
    });
    let mut index = lab.open();
    let runs = index.runs_after("R", 0).unwrap();
    assert_eq!(runs.iter().map(|run| run.n).collect::<Vec<_>>(), (1..=60).collect::<Vec<_>>());
    let version = index.heads().unwrap()[0].version.clone();
    assert_eq!(index.states(&version, "c1").unwrap()[0].2.counts[0], 60);
}

pub(crate) fn makers_at_once_make_it_once(lab: &Lab) {
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for maker in 0..4 {
            let barrier = &barrier;
            scope.spawn(move || {
                barrier.wait();
                let mut index = lab.open();
                index.require(&requirement(&format!("R{maker}")), &terms(""), None, &see).unwrap();
            });
        }
    });
    assert_eq!(lab.open().heads().unwrap().len(), 4);
}

/// Statements of recording and of a gate, as their plans must look up rows: none walks through runs.
const BY_KEY: [&str; 7] = [
    "SELECT r.id, h.version, h.runs FROM qa_heads h JOIN qa_requirements r ON r.id = h.requirement_id WHERE h.requirement_id = 'R'",
    "SELECT * FROM qa_runs WHERE idempotency_key = 'k5'",
    "SELECT * FROM qa_states WHERE requirement_id = 'R' AND policy_version = 1 AND commit_sha = 'c1'",
    "SELECT n FROM qa_runs WHERE requirement_id = 'R' AND commit_sha = 'c7' AND tree <> 'dirty' AND verdict IS NOT NULL AND (source = 'observed' OR 1 = 1) ORDER BY n LIMIT 5",
    "UPDATE qa_heads SET runs = runs + 1 WHERE requirement_id = 'R'",
    "UPDATE qa_runs SET verdict = 'pass' WHERE requirement_id = 'R' AND n = 5",
    "SELECT * FROM qa_runs ORDER BY recorded_at DESC LIMIT 5",
];

pub(crate) fn recording_and_gates_look_up_by_keys(lab: &Lab) {
    let mut index = lab.with("");
    let rows = 100_000;
    let series = if lab.postgres {
        format!("generate_series(1, {rows}) AS s(n)")
    } else {
        format!(
            "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {rows}) SELECT n FROM s) AS s"
        )
    };
    // Requirements enough for a database to look one up instead of walking through them.
    for other in 0..300 {
        index.require(&requirement(&format!("Q{other}")), &terms(""), None, &see).unwrap();
    }
    let cast = if lab.postgres { "CAST(n AS TEXT)" } else { "n" };
    lab.sql(&format!(
        "INSERT INTO qa_runs (requirement_id, n, idempotency_key, policy_version, performed_by, source, commit_sha, tree, recorded_at) \
         SELECT 'R', n, 'h' || {cast}, 1, 'ann', 'reported', 'c' || CAST(n / 50 AS TEXT), 'declared', n FROM {series}; \
         UPDATE qa_heads SET runs = {rows}, last_at = {rows}; ANALYZE"
    ))
    .unwrap();
    record(&mut index, &run("k5", QaVerdict::Pass), 5).unwrap();
    assert_eq!(index.newest_runs(Some("R"), 1).unwrap()[0].n, rows + 1);
    // A gate reads one row of counts, however many runs there are.
    let version = index.head("R").unwrap().version;
    assert_eq!(index.states(&version, "c1").unwrap().len(), 1);
    for statement in BY_KEY {
        let explain = if lab.postgres { "EXPLAIN" } else { "EXPLAIN QUERY PLAN" };
        let plan = lab.sql(&format!("{explain} {statement}")).unwrap().join("\n");
        let walks = if lab.postgres {
            plan.contains("Seq Scan on qa_runs")
        } else {
            plan.contains("SCAN") && !plan.contains("USING INDEX")
        };
        assert!(!walks && !plan.is_empty(), "{statement}\n{plan}");
    }
}

/// A process that is killed while it records leaves whole runs alone: each with its verdict, or not there.
#[test]
fn killed_while_recording() {
    if let Some(path) = std::env::var_os("PROBITY_INDEX_VICTIM") {
        let target = probity_store::index::Target::File(path.into());
        let mut index = Index::open(&target).unwrap();
        for position in 0_i64.. {
            let mut one = run(&format!("v{position}"), QaVerdict::Pass);
            one.said.raw = Some(r#"{"a":1,"b":2,"c":3,"d":4}"#.to_owned());
            record(&mut index, &one, position).unwrap();
        }
    }
    let lab = Lab::sqlite();
    drop(lab.with(""));
    let path = lab.folder().unwrap().join("index.sqlite");
    for round in 0..4 {
        let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "many::killed_while_recording", "--nocapture"])
            .env("PROBITY_INDEX_VICTIM", &path)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        let mut index = Index::open(&lab.target).unwrap();
        let before = index.heads().unwrap()[0].runs;
        while index.heads().unwrap()[0].runs < before + 3 + round * 2 {
            assert!(victim.try_wait().unwrap().is_none(), "the victim ended by itself");
        }
        victim.kill().unwrap();
        victim.wait().unwrap();
        // The next victim must find its keys free.
        let runs = index.newest_runs(Some("R"), 10_000).unwrap();
        let head = index.heads().unwrap()[0].clone();
        assert_eq!(i64::try_from(runs.len()).unwrap(), head.runs);
        assert!(runs.iter().all(|run| run.new.said.verdict.is_some()));
        let counted = index.first_runs("R", "c1", 10_000, true).unwrap();
        assert!(counted.iter().all(|run| run.metrics.len() == 4));
        assert_eq!(index.states(&head.version, "c1").unwrap()[0].2.counts[0], head.runs);
        assert_eq!(lab.sql("PRAGMA integrity_check").unwrap(), ["ok"]);
        drop(index);
        std::fs::remove_file(&path).unwrap();
        for tail in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{tail}", path.display()));
        }
        drop(lab.with(""));
    }
}
