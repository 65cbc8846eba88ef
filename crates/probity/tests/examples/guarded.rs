//! The write guard in a real Playwright project: what `playwright init` writes, the test runner from npm, Debian's Chromium.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

/// A copy of the example with the guard in it.
pub(crate) struct Project {
    folder: TempDir,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let example = root().join("examples/playwright-guard");
        std::fs::create_dir(folder.path().join("tests")).unwrap();
        for name in [
            "playwright.config.ts",
            "package.json",
            "tests/shop.ts",
            "tests/read-only.spec.ts",
            "tests/scoped-write.spec.ts",
        ] {
            std::fs::copy(example.join(name), folder.path().join(name)).unwrap();
        }
        let modules = root().join(".tools/examples/playwright-guard/node_modules");
        std::os::unix::fs::symlink(modules, folder.path().join("node_modules")).unwrap();
        let project = Self { folder };
        let ran = project.probity(&["playwright", "init"]);
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        project
    }

    pub(crate) fn probity(&self, words: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_probity")).args(words).current_dir(self.folder.path()).output().unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Runs specs of one name under a policy; gives whether they passed, and what was said.
    pub(crate) fn run(&self, specs: &str, policy: &str) -> (bool, String) {
        let output = Command::new("node")
            .arg(self.folder.path().join("node_modules/@playwright/test/cli.js"))
            .args(["test", specs])
            .env("CHROMIUM", "/usr/bin/chromium")
            .env("CI", "1")
            .env("QA_PILOT_MUTATION", policy)
            .env("QA_PILOT_MUTATION_CONFIG", r#"{"write_signatures": [{"method": "*", "url": "/api/"}]}"#)
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.success(), said)
    }

    /// The guard's record of each test, by the id that its title begins with, out of what the runner says is attached.
    pub(crate) fn records(&self) -> BTreeMap<String, Value> {
        let text = std::fs::read_to_string(self.folder.path().join("results.json")).unwrap();
        let report: Value = serde_json::from_str(&text).unwrap();
        let mut found = BTreeMap::new();
        for suite in report["suites"].as_array().unwrap() {
            for spec in suite["specs"].as_array().unwrap() {
                let id = spec["title"].as_str().unwrap().split(' ').next().unwrap().to_owned();
                let results = spec["tests"][0]["results"].as_array().unwrap();
                assert_eq!(results.len(), 1, "{id}");
                let attached = results[0]["attachments"].as_array().unwrap();
                let record = attached.iter().find(|one| one["name"] == "writes.json").unwrap();
                assert_eq!(record["contentType"], "application/json");
                let text = std::fs::read_to_string(record["path"].as_str().unwrap()).unwrap();
                found.insert(id, serde_json::from_str(&text).unwrap());
            }
        }
        found
    }
}

/// What a record says happened, such as `block Delete` or `observe POST /api/orders`.
pub(crate) fn happened(record: &Value) -> Vec<String> {
    let events = record["events"].as_array().unwrap();
    let count = |action: &str| events.iter().filter(|event| event["action"] == action).count();
    assert_eq!(
        (record["blocked"].as_u64(), record["observed"].as_u64()),
        (Some(count("block") as u64), Some(count("observe") as u64))
    );
    events
        .iter()
        .map(|event| {
            let action = event["action"].as_str().unwrap();
            match event["kind"].as_str().unwrap() {
                "control" => format!("{action} {}", event["label"].as_str().unwrap()),
                _ => {
                    let url = event["url"].as_str().unwrap();
                    let path = url.splitn(4, '/').nth(3).unwrap();
                    format!("{action} {} /{path}", event["method"].as_str().unwrap())
                }
            }
        })
        .collect()
}
