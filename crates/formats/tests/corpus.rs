//! Replays every awkward document of `corpus/` and compares what comes of it with `expected.txt`.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use probity_formats::document;

/// One line a document: its name, and its value, or code and place of each error.
fn replay() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".yaml") || name.ends_with(".json"))
        .collect();
    names.sort_unstable();
    let mut out = String::new();
    for name in names {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        let begun = Instant::now();
        let read = document::read(&name, &bytes);
        assert!(begun.elapsed() < Duration::from_secs(2), "{name} took {:?}", begun.elapsed());
        match read {
            Ok(node) => {
                let json = probity_core::inert::inert(&node.to_json().to_string()).into_owned();
                let shown = if json.len() > 500 { format!("{} bytes", json.len()) } else { json };
                writeln!(out, "{name}  ok  {shown}").unwrap();
            }
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "{name}");
                for d in diagnostics {
                    assert!(d.help.is_some() && d.file == name, "{name}");
                    let place = d.place.unwrap();
                    assert!(place.start <= place.end && place.bytes().end <= bytes.len(), "{name}");
                    writeln!(out, "{name}  {}  {}:{}  {}", d.code, place.line, place.column, d.message).unwrap();
                }
            }
        }
    }
    out
}

#[test]
fn every_document_comes_to_what_is_expected() {
    let expected = include_str!("corpus/expected.txt");
    let seen = replay();

    for (expected, seen) in expected.lines().zip(seen.lines()) {
        assert_eq!(seen, expected);
    }
    assert_eq!(seen.lines().count(), expected.lines().count());
}
