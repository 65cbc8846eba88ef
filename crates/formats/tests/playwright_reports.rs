//! Every real Playwright report of `playwright/`, counted and judged entry by entry.
#![expect(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;

use probity_core::playwright::CaseVerdict;
use probity_formats::json_stream::StreamFault;
use probity_formats::playwright::{Part, read};

/// Specs, entries, attempts, errors outside of tests; entries that pass, fail, are flaky, are blocked.
const REPORTS: [(&str, [usize; 4], [usize; 4]); 20] = [
    ("before", [10, 10, 18, 0], [3, 5, 1, 1]),
    ("crash", [4, 4, 4, 0], [2, 2, 0, 0]),
    ("deps", [4, 6, 2, 0], [1, 1, 0, 4]),
    ("gtimeout", [3, 3, 2, 2], [1, 0, 0, 2]),
    ("interrupt", [3, 3, 2, 0], [1, 0, 0, 2]),
    ("list", [21, 42, 0, 0], [0, 0, 0, 42]),
    ("loaderr", [0, 0, 0, 3], [0, 0, 0, 0]),
    ("maxfail", [6, 6, 2, 1], [0, 1, 0, 5]),
    ("mixed", [21, 42, 76, 0], [16, 14, 4, 8]),
    ("multi-shard-1", [3, 3, 3, 0], [3, 0, 0, 0]),
    ("multi-shard-2", [3, 3, 3, 0], [2, 1, 0, 0]),
    ("multi-shard-3", [3, 3, 3, 0], [3, 0, 0, 0]),
    ("multi", [9, 9, 9, 0], [8, 1, 0, 0]),
    ("notests", [0, 0, 0, 1], [0, 0, 0, 0]),
    ("param", [24, 48, 48, 0], [44, 4, 0, 0]),
    ("repeat", [3, 12, 12, 0], [7, 2, 0, 3]),
    ("serial", [10, 10, 17, 0], [6, 1, 1, 2]),
    ("setuperr", [0, 0, 0, 1], [0, 0, 0, 0]),
    ("snap", [3, 3, 3, 0], [1, 2, 0, 0]),
    ("web", [4, 4, 6, 0], [2, 2, 0, 0]),
];

fn bytes(name: &str) -> Vec<u8> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/playwright/{name}.json"));
    std::fs::read(file).unwrap()
}

fn parts(bytes: &[u8]) -> Result<Vec<Part>, StreamFault> {
    let mut parts = Vec::new();
    read(bytes, &mut |part| parts.push(part))?;
    Ok(parts)
}

#[test]
fn every_sample() {
    for (name, counts, verdicts) in REPORTS {
        let (mut seen, mut judged) = ([0; 4], [0; 4]);
        for part in parts(&bytes(name)).unwrap() {
            match part {
                Part::Error(message) => {
                    assert!(!message.is_empty(), "{name}");
                    seen[3] += 1;
                }
                Part::Spec(spec) => {
                    seen[0] += 1;
                    for entry in &spec.entries {
                        seen[1] += 1;
                        seen[2] += entry.attempts.len();
                        judged[match CaseVerdict::of_attempts(&entry.attempts) {
                            CaseVerdict::Pass => 0,
                            CaseVerdict::Fail => 1,
                            CaseVerdict::Flaky => 2,
                            CaseVerdict::Blocked => 3,
                        }] += 1;
                    }
                }
                Part::Version(_) | Part::Started(_) => {}
            }
        }
        assert_eq!((seen, judged), (counts, verdicts), "{name}");
    }
}

#[test]
fn a_title_may_end_in_half_a_character() {
    let titles: Vec<String> = parts(&bytes("param"))
        .unwrap()
        .into_iter()
        .filter_map(|part| if let Part::Spec(spec) = part { Some(spec.title) } else { None })
        .collect();
    assert!(titles.iter().any(|title| title.contains('\u{fffd}')), "{titles:?}");
}

#[test]
fn no_cut_report_is_taken() {
    let whole = bytes("interrupt");
    let end = whole.iter().rposition(|byte| *byte == b'}').unwrap();
    for cut in 0..=end {
        let fault = parts(&whole[..cut]).unwrap_err();
        assert!(matches!(fault, StreamFault::Cut(_) | StreamFault::Empty(_)), "{cut}: {fault}");
    }
}

#[test]
fn a_thrown_text_is_a_message() {
    let report = br#"{"suites": [{"specs": [{"title": "A-B-001", "tests": [{"results": [
        {"status": "failed", "error": {"value": "'no stock'"}}]}]}]}]}"#;
    for part in parts(report).unwrap() {
        let Part::Spec(spec) = part else { continue };
        assert_eq!(spec.entries[0].attempts[0].message.as_deref(), Some("'no stock'"));
    }
}
