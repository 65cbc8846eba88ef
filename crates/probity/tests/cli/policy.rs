//! `probity policy`: every vector through the program, what it says and refuses, and run folders as QA runs.

mod answers;
mod folders;
mod statistics;
mod vectors;

use std::path::Path;

use tempfile::TempDir;

use crate::place::{Place, Ran};

/// A folder with files, in which the program runs.
pub(super) struct Files(Place);

impl Files {
    /// With a policy and runs.
    pub(super) fn new(policy: &str, runs: &str) -> Self {
        let files = Self(Place::without_service());
        files.write("policy.json", policy);
        files.write("runs.jsonl", runs);
        files
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        self.0.write(name, text);
    }

    /// Runs `probity policy …`; `JUDGED` stands for the policy and the runs.
    pub(super) fn policy(&self, words: &str) -> Ran {
        self.0.probity(&format!("policy {}", words.replace("JUDGED", "--policy policy.json --runs runs.jsonl")))
    }
}

/// Lines of runs: each verdict so many times, a minute apart, the later the further back.
pub(super) fn runs(verdicts: &[(&str, usize)]) -> String {
    let all = verdicts.iter().flat_map(|(verdict, times)| std::iter::repeat_n(*verdict, *times));
    let line = |(minute, verdict): (usize, &str)| {
        format!(
            "{{\"id\":{},\"requirement\":\"CHECKOUT-FLOW\",\"verdict\":{verdict},\"created_at\":\"2026-11-30T14:{minute:02}:00Z\"}}\n",
            401 + minute
        )
    };
    all.enumerate().map(line).collect()
}

pub(super) const SEVEN_OF_TEN: &str = "{\"type\": \"statistical\", \"min_runs\": 10, \"min_pass_rate\": 0.7}\n";

/// Something to feed to standard input is a file.
pub(super) fn piped(folder: &Path, words: &[&str], input: &str) -> (Option<i32>, String) {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap())
}

#[test]
fn standard_input_is_a_policy_or_runs() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("policy.json"), SEVEN_OF_TEN).unwrap();
    std::fs::write(folder.path().join("runs.jsonl"), runs(&[("\"pass\"", 10)])).unwrap();
    let eval = |policy: &str, source: &str, input: &str| {
        piped(folder.path(), &["policy", "eval", "--policy", policy, "--runs", source], input)
    };
    let (code, said) = eval("policy.json", "-", &runs(&[("\"pass\"", 7), ("\"fail\"", 3)]));
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = eval("-", "runs.jsonl", SEVEN_OF_TEN);
    assert_eq!(code, Some(0), "{said}");
    // An array on standard input, and nothing at all.
    let (code, said) = eval("policy.json", "-", "\n [{\"verdict\": \"pass\"}]");
    assert_eq!((code, said.contains("1 measured run, 10 needed")), (Some(5), true), "{said}");
    let (code, said) = eval("policy.json", "-", "");
    assert_eq!((code, said.contains("0 measured runs, 10 needed")), (Some(5), true), "{said}");
    let (code, said) = piped(folder.path(), &["policy", "check", "-"], "All tests green");
    assert_eq!((code, said.contains("not_json") && said.contains("legacy_dialect")), (Some(1), true), "{said}");
}
