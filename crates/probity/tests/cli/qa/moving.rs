//! What leaves an index, what enters another, and what policies make of its runs.

use super::{calm, must, qa, soon, with_r};
use crate::place::Place;

/// An index with everything that there can be in one.
pub(super) fn full() -> Place {
    let place = with_r("");
    place.write("raw.json", "{\"price\": 29.960, \"note\": \"=HYPERLINK(1)\"}");
    place.write("home.png", "picture");
    must(&place, 0, "record R --verdict pass --raw raw.json --artifact home.png --score -1.50 --commit c1 --by =cmd|x");
    must(&place, 0, "require R --phase post_deploy --by eve --reason later");
    must(&place, 0, "record R --verdict fail --reason @boom --commit c1 --by bo");
    must(&place, 0, "record R --started --key n1 --commit c2 --by nightly");
    must(&place, 0, "require S --by ann");
    must(&place, 0, &format!("waive R --by ann --reason x --until {}", soon()));
    must(&place, 0, "gate --commit c1 --phase post_deploy");
    place
}

#[test]
fn an_export_makes_the_same_index() {
    let place = full();
    must(&place, 0, "export -o all.jsonl");
    let first = std::fs::read_to_string(place.path().join("all.jsonl")).unwrap();
    assert_eq!(must(&place, 0, "export").stdout, first);
    let imported = must(&place, 0, "import all.jsonl --index other.sqlite --format json").json();
    assert_eq!((&imported["new"], &imported["same"]), (&(first.lines().count() - 1).into(), &0.into()));
    assert_eq!(must(&place, 0, "export --index other.sqlite").stdout, first);
    let again = must(&place, 0, "import all.jsonl --index other.sqlite --format json").json();
    assert_eq!((&again["new"], &again["same"]), (&0.into(), &(first.lines().count() - 1).into()));
    let part = must(&place, 0, "export S").stdout;
    assert_eq!(part.lines().count(), 3, "{part}");
}

#[test]
fn an_import_is_all_or_nothing_and_names_the_line() {
    let place = full();
    let text = must(&place, 0, "export").stdout;
    let faults = [
        (text.replace("\"verdict\":\"pass\"", "\"verdict\":\"PASS\""), "import_unfit"),
        (text.lines().skip(1).collect::<Vec<_>>().join("\n"), "import_unfit"),
        (text.replace("\"by\":\"ann\",\"reason\":null", "\"by\":\"ann\",\"reason\":null,\"more\":1"), "import_unfit"),
        (format!("{text}{{"), "import_unfit"),
        (String::new(), "import_unfit"),
        (
            text.replace("\"tree\":\"declared\",\"verdict\":\"fail\"", "\"tree\":\"declared\",\"verdict\":\"error\"")
                + &text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>(),
            "key_conflict",
        ),
        (text.replace("\"version\":2", "\"version\":3"), "key_conflict"),
        ("requirement,n\nR,1\n".to_owned(), "import_unfit"),
    ];
    for (position, (text, code)) in faults.into_iter().enumerate() {
        place.write("bad.jsonl", &text);
        let ran = must(&place, 2, "import bad.jsonl --index fresh.sqlite --format json");
        let answer = ran.json();
        assert_eq!(answer["error"]["code"], code, "{position} {ran}");
        assert!(answer["error"]["message"].as_str().unwrap().contains("bad.jsonl"), "{ran}");
        let left = qa(&place, "status --index fresh.sqlite --format json");
        assert!(left.code == 2 || left.json()["requirements"] == serde_json::json!([]), "{position} {left}");
    }
}

#[test]
fn cells_of_a_table_are_inert() {
    let place = full();
    let table = must(&place, 0, "export --as csv").stdout;
    let lines: Vec<&str> = table.split("\r\n").collect();
    assert!(lines[0].starts_with("requirement,n,version,verdict"), "{table}");
    assert_eq!(lines.len(), 5, "{table}");
    assert!(lines[1].contains(",-1.50,") && lines[1].contains(",'=cmd|x,"), "{table}");
    assert!(lines[2].contains(",fail,'@boom,"), "{table}");
    assert!(lines[1].contains(r#""{""price"":29.960,""note"":""=HYPERLINK(1)""}""#), "{table}");
    assert!(calm(lines[3]).contains("R,3,2,,,"), "{table}");
}

#[test]
fn a_parquet_table_is_read_back() {
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    let place = full();
    must(&place, 2, "export --as parquet");
    must(&place, 0, "export --as parquet -o runs.parquet");
    let file = std::fs::File::open(place.path().join("runs.parquet")).unwrap();
    let reader = SerializedFileReader::new(file).unwrap();
    let rows: Vec<serde_json::Value> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().get_column_iter().map(|(name, field)| (name.clone(), field.to_string())).collect())
        .map(|row: std::collections::BTreeMap<String, String>| serde_json::to_value(row).unwrap())
        .collect();
    let text = |row: usize, name: &str| rows[row][name].as_str().unwrap().trim_matches('"').to_owned();
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (text(0, "verdict"), text(1, "verdict"), text(2, "verdict")),
        ("pass".into(), "fail".into(), "null".into())
    );
    assert_eq!((text(0, "score").parse(), text(0, "score_token").as_str()), (Ok(-1.5), "-1.50"));
    assert_eq!(
        (text(0, "performed_by"), text(1, "n"), text(0, "artifacts")),
        ("=cmd|x".into(), "2".into(), "1".into())
    );
    // The times are those of the other exports, to the microsecond.
    let export = must(&place, 0, "export R").stdout;
    let run: serde_json::Value =
        serde_json::from_str(export.lines().find(|line| line.contains(r#""row":"run""#)).unwrap()).unwrap();
    let at = jiff::Timestamp::from_microsecond(run["at"].as_i64().unwrap()).unwrap();
    assert!(text(0, "recorded_at").starts_with(&at.strftime("%Y-%m-%d %H:%M:%S").to_string()), "{}", rows[0]);
}

#[test]
fn an_export_is_written_whole_or_not_at_all() {
    let place = full();
    must(&place, 2, "export -o none/all.jsonl");
    must(&place, 2, "export --format json");
    must(&place, 2, "export NOBODY -o part.jsonl");
    let names: Vec<_> = std::fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("part")), "{names:?}");
}

#[test]
fn policies_read_the_index() {
    let place = with_r(r#"{"type": "statistical", "min_runs": 2, "min_pass_rate": 0.5}"#);
    for (verdict, commit) in [("pass", "c1"), ("fail", "c1"), ("fail", "c2")] {
        must(&place, 0, &format!("record R --verdict {verdict} --reason why --commit {commit} --by bo"));
    }
    let index = "--index probity-runs/_qa/index.sqlite --requirement R";
    let eval = |more: &str| {
        let ran = place.probity(&format!("policy eval {index} {more} --format json"));
        (ran.code, ran.json()["reason"].as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(eval(""), (1, "pass_rate_below".to_owned()));
    assert_eq!(eval("--commit c1"), (0, "pass_rate_met".to_owned()));
    assert_eq!(eval("--commit c2"), (5, "insufficient_runs".to_owned()));
    place.write("other.json", "");
    assert_eq!(eval("--policy other.json"), (0, "matched".to_owned()));
    let explained = place.probity(&format!("policy explain {index} --format json"));
    let runs = explained.json()["explanation"]["runs"].clone();
    assert_eq!(
        (runs.as_array().unwrap().len(), &runs[0]["run"], &runs[0]["note"]),
        (3, &"3".into(), &"why".into()),
        "{explained}"
    );
    let what_if = place.probity(&format!("policy what-if {index} --set min_pass_rate=0.3"));
    assert_eq!(what_if.code, 0, "{what_if}");
    for bad in [
        "policy eval --index probity-runs/_qa/index.sqlite",
        "policy eval --policy other.json",
        "policy eval --index none.sqlite --requirement R",
        "policy eval --index probity-runs/_qa/index.sqlite --requirement S",
    ] {
        assert_eq!(place.probity(bad).code, 2, "{bad}");
    }
}
