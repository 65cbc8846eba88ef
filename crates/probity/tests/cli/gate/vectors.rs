//! Every vector of profile, cases and import.
//!
//! Corrected where the vector shows an older reference: 016 (relative paths count from the run folder), 025 (one entry per
//! case id), 026 (errors are copied), 029 (`s2-` hashes are made by `run`; a map given by hand hashes as it did).

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{Came, Folder};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gate")
}

/// Runs every vector of a tool; gives how many there were.
fn every(tool: &str, command: &[&str]) -> usize {
    let mut folders: Vec<PathBuf> = std::fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    let mut count = 0;
    for folder in folders {
        let vector: Value = serde_json::from_slice(&std::fs::read(folder.join("vector.json")).unwrap()).unwrap();
        let steps = vector["steps"].as_array().unwrap();
        if steps[0]["tool"] != tool {
            continue;
        }
        count += 1;
        let place = Folder::new();
        if folder.join("input").is_dir() {
            place.copy(&folder.join("input"), "");
        }
        steps.iter().for_each(|step| one(&vector["name"], step, command, &place));
        if folder.join("expected").is_dir() {
            expected(&folder.join("expected"), "", &place);
        }
    }
    count
}

fn one(name: &Value, step: &Value, command: &[&str], place: &Folder) {
    let args = step["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let words: Vec<&str> = command.iter().copied().chain(args).collect();
    let human = place.run(&words);
    let json = place.run(&[&words[..], &["--format", "json"]].concat());
    let said = format!("{name} {words:?}\n{}{}{}", human.stdout, human.stderr, json.stdout);
    assert_eq!(human.code, json.code, "{said}");
    match step["exit"].as_i64().unwrap() {
        1 => assert!([1, 2, 3, 4, 6, 7].contains(&human.code), "{} {said}", human.code),
        code => assert_eq!(i64::from(human.code), code, "{said}"),
    }
    let warnings = human.stderr.lines().filter(|line| line.starts_with("warning: ")).count();
    assert_eq!(Some(warnings as u64), step["warnings"].as_u64(), "{said}");
    if let Some(refusals) = step["refusals"].as_array().filter(|refusals| !refusals.is_empty()) {
        assert_eq!(pairs(&answer(&json)["refusals"]), pairs(&Value::Array(refusals.clone())), "{said}");
    }
    if let Some(profile) = step.get("stdout_json") {
        agrees(&answer(&json)["profile"], profile, &said);
        agrees(&serde_json::from_str(&human.stdout).unwrap(), profile, &said);
    }
}

fn answer(came: &Came) -> Value {
    serde_json::from_str(&came.stdout).unwrap()
}

/// Rule and subject of each refusal, in a fixed order.
fn pairs(refusals: &Value) -> Vec<String> {
    let mut pairs: Vec<String> =
        refusals.as_array().unwrap().iter().map(|one| format!("{} {}", one["rule"], one["subject"])).collect();
    pairs.sort();
    pairs
}

fn expected(folder: &Path, below: &str, place: &Folder) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            expected(&entry.path(), &format!("{name}/"), place);
            continue;
        }
        let wanted: Value = serde_json::from_slice(&std::fs::read(entry.path()).unwrap()).unwrap();
        agrees(&place.json(&name), &wanted, &entry.path().display().to_string());
    }
}

/// Whether a value is what a vector wants: equal, where `{"$text": true}` is any text and `{"$count": n}` n texts.
fn agrees(have: &Value, want: &Value, said: &str) {
    match (have, want) {
        (Value::String(text), Value::Object(map)) if map.contains_key("$text") => assert!(!text.is_empty(), "{said}"),
        (Value::Array(items), Value::Object(map)) if map.contains_key("$count") => {
            assert_eq!(Some(items.len() as u64), map["$count"].as_u64(), "{said}");
        }
        (Value::Array(have), Value::Array(want)) => {
            assert_eq!(have.len(), want.len(), "{said}");
            have.iter().zip(want).for_each(|(have, want)| agrees(have, want, said));
        }
        (Value::Object(have), Value::Object(want)) => {
            let names = |map: &serde_json::Map<String, Value>| {
                let mut names: Vec<String> = map.keys().cloned().collect();
                names.sort();
                names
            };
            assert_eq!(names(have), names(want), "{said}");
            want.iter().for_each(|(name, want)| agrees(&have[name], want, &format!("{said} {name}")));
        }
        _ => assert_eq!(have, want, "{said}"),
    }
}

#[test]
fn profile() {
    assert_eq!(every("profile", &["profile", "show"]), 15);
}

#[test]
fn cases() {
    assert_eq!(every("validate-cases", &["cases", "check"]), 20);
}

#[test]
fn import() {
    assert_eq!(every("parse-report", &["import", "playwright"]), 21);
}
