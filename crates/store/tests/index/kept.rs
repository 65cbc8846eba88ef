//! Evidence stays: every column of every table of it, one by one, on either engine.

use probity_core::ids::Digest;
use probity_core::qa::{Decision, Waiver};
use probity_core::verdict::QaVerdict;
use probity_store::index::{Index, Target};

use crate::lab::{Lab, artifact, number, record, run};

const TABLES: [&str; 7] = [
    "qa_requirements",
    "qa_policy_versions",
    "qa_runs",
    "qa_run_metrics",
    "qa_artifacts",
    "qa_waivers",
    "qa_decisions",
];

pub(crate) fn no_column_of_evidence_is_changed_and_no_row_removed(lab: &Lab) {
    let mut index = lab.with("");
    let mut full = run("k1", QaVerdict::Fail);
    full.said.raw = Some(r#"{"a":1,"b":"x"}"#.to_owned());
    full.said.score = number("3.5");
    full.said.confidence = number("0.5");
    full.said.artifacts = vec![artifact("one.png")];
    record(&mut index, &full, 5).unwrap();
    let waiver = Waiver {
        key: "w".to_owned(),
        requirement: "R".to_owned(),
        version: 1,
        commit: None,
        until: 9,
        by: "bo".to_owned(),
        reason: "x".to_owned(),
        at: 6,
    };
    index.waive(&waiver).unwrap();
    let body = String::new();
    let decision =
        Decision { key: "d".to_owned(), phase: "all".to_owned(), ok: true, sha256: Digest::of(b""), body, at: 7 };
    index.decide(&decision).unwrap();
    let mut columns = 0;
    for table in TABLES {
        let ask = if lab.postgres {
            format!("SELECT CAST(column_name AS TEXT) FROM information_schema.columns WHERE table_name = '{table}'")
        } else {
            format!("SELECT name FROM pragma_table_info('{table}')")
        };
        let found = lab.sql(&ask).unwrap();
        assert!(found.len() >= 5, "{table} {found:?}");
        columns += found.len();
        for column in found {
            // Another value, and the same.
            for value in ["NULL".to_owned(), column.clone()] {
                let refused = lab.sql(&format!("UPDATE {table} SET {column} = {value}"));
                let why = refused.unwrap_err();
                assert!(why.contains(&format!("a row of {table} is never changed")), "{table}.{column} {value}: {why}");
            }
        }
        let why = lab.sql(&format!("DELETE FROM {table}")).unwrap_err();
        assert!(why.contains(&format!("a row of {table} is never removed")), "{table}: {why}");
        assert_ne!(lab.sql(&format!("SELECT CAST(COUNT(*) AS BIGINT) FROM {table}")).unwrap(), ["0"], "{table}");
    }
    assert!(columns > 50, "{columns}");
    assert_eq!(index.runs_after("R", 0).unwrap()[0].new, full);
    assert_eq!(index.waivers("R").unwrap(), [waiver]);
    assert_eq!(index.decisions().unwrap(), [decision]);
}

#[test]
fn a_damaged_file_is_said_and_never_taken_for_an_empty_one() {
    let lab = Lab::sqlite();
    let mut index = lab.with("");
    for key in 0..200 {
        record(&mut index, &run(&format!("k{key}"), QaVerdict::Pass), 5).unwrap();
    }
    drop(index);
    lab.sql("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let Target::File(path) = &lab.target else { unreachable!() };
    let whole = std::fs::read(path).unwrap();
    let reads = |index: &mut Index| {
        let head = index.head("R")?;
        index.states(&head.version, "c1")?;
        index.runs_after("R", 0)?;
        index.waivers("R")?;
        index.decisions()?;
        index.heads()
    };
    // Cut off, and with each page turned into noise: an error with a code, or what was there; never fewer requirements.
    let mut damaged: Vec<Vec<u8>> = vec![whole[..whole.len() / 2].to_vec(), whole[..100].to_vec()];
    for page in 0..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        damaged.push(bytes);
    }
    let mut told = 0;
    for bytes in damaged {
        std::fs::write(path, &bytes).unwrap();
        match Index::open(&lab.target).and_then(|mut index| reads(&mut index)) {
            Ok(heads) => assert_eq!(heads.len(), 1),
            Err(error) => {
                told += 1;
                assert!(!error.to_string().contains('\n'), "{error}");
            }
        }
    }
    assert!(told >= 10, "{told}");
}
