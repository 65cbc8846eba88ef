//! A project in a temporary folder, with a service of its own, and the program run in it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use probity_testkit::server::Server;
use regex::Regex;
use tempfile::TempDir;

/// A project.
pub(crate) struct Place {
    dir: TempDir,
    /// The service; absent where the project has none.
    pub(crate) server: Option<Server>,
}

/// What the program came to.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    folder: PathBuf,
}

/// A plan that passes.
pub(crate) const PASSES: &str = r#"schemaVersion: 2
requirement:
  title: Order total
  criteria:
    - {id: ORDER-1, needs: api, text: "Placing an order answers 201 with its id and total."}
    - {id: ORDER-2, needs: persistence, text: "The stored total equals the total that was shown."}
  outOfScope: [{text: "Refunds come later.", why: "issue 57"}]
environment: local
cases:
  - id: ORDER-001
    title: the total survives storage
    covers: [ORDER-1, ORDER-2]
    steps:
      - http: POST /items
        json: {sku: MUG-1, total: 29.96, note: "{qa_marker}"}
        expect: {status: 201, json: {id: exists, total: 29.96}}
        save: {order: id, shown: total}
        covers: [ORDER-1]
      - http: GET /items/{order}
        expect: {status: 200, json: {total: "{shown}", sku: MUG-1}}
        shows: persistence
        covers: [ORDER-2]
    cleanup:
      - {http: "DELETE /items/{order}", expect: {status: 204}}
"#;

/// The same plan, with an expectation that the service does not meet.
pub(crate) fn fails() -> String {
    PASSES.replace("json: {total: \"{shown}\", sku: MUG-1}", "json: {total: 29.97, sku: \"{shown}\"}")
}

impl Place {
    /// A project with a service and a declared environment.
    pub(crate) fn with_service() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap(), server: Some(Server::start()) };
        place.declare(&place.origin());
        place
    }

    /// A project whose service does not answer.
    pub(crate) fn without_service() -> Self {
        let place = Self { dir: tempfile::tempdir().unwrap(), server: None };
        place.declare(&format!("http://127.0.0.1:{}", probity_testkit::server::closed_port()));
        place
    }

    /// The port of the declared environment.
    pub(crate) fn port(&self) -> u16 {
        let settings = std::fs::read_to_string(self.path().join("probity.yaml")).unwrap();
        Regex::new(r"127\.0\.0\.1:(\d+)").unwrap().captures(&settings).unwrap()[1].parse().unwrap()
    }

    /// A project with a service that nobody declared.
    pub(crate) fn undeclared() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), server: Some(Server::start()) }
    }

    /// Where the service answers.
    pub(crate) fn origin(&self) -> String {
        self.server.as_ref().map(Server::origin).unwrap()
    }

    fn declare(&self, url: &str) {
        let environment = format!("{{kind: local, url: \"{url}\", data: disposable}}");
        self.write(
            "probity.yaml",
            &format!("version: 1\ndefault_environment: local\nenvironments:\n  local: {environment}\n"),
        );
    }

    /// A project whose environment is served by a service that a run is to start, here by a script.
    pub(crate) fn with_script(self, port: u16, script: &str) -> Self {
        let settings = std::fs::read_to_string(self.path().join("probity.yaml")).unwrap();
        let service = format!("{{id: shop, start: [sh, start.sh], ready: /health, port: {port}, timeout: 1s}}");
        self.write("probity.yaml", &format!("{settings}services: [{service}]\n"));
        self.write("start.sh", script);
        self
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).unwrap();
    }

    /// Writes the plan.
    pub(crate) fn plan(self, text: &str) -> Self {
        self.write("order.probity.yaml", text);
        self
    }

    /// The only run folder.
    pub(crate) fn run_folder(&self) -> PathBuf {
        let runs = std::fs::read_dir(self.path().join("probity-runs")).unwrap();
        let mut folders: Vec<PathBuf> =
            runs.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir() && !path.ends_with("_qa")).collect();
        folders.sort();
        folders.pop().unwrap()
    }

    /// The run folders in the order in which they were opened.
    pub(crate) fn run_folders(&self) -> Vec<PathBuf> {
        let root = self.path().join("probity-runs");
        let lines = probity_store::list::RunList::of(&root).lines().unwrap();
        let opened = lines.iter().filter(|line| line.event == probity_store::list::Event::Opened);
        opened.map(|line| root.join(&line.run)).collect()
    }

    /// Runs the program with words separated by spaces.
    pub(crate) fn probity(&self, words: &str) -> Ran {
        self.probity_with(words, &[])
    }

    /// The same with variables in the environment.
    pub(crate) fn probity_with(&self, words: &str, variables: &[(&str, &str)]) -> Ran {
        self.probity_words(words.split_whitespace(), variables)
    }

    /// Runs the program with words that may hold spaces.
    pub(crate) fn probity_words<S: AsRef<std::ffi::OsStr>>(
        &self,
        words: impl IntoIterator<Item = S>,
        variables: &[(&str, &str)],
    ) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_probity"))
            .args(words)
            .current_dir(self.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CEILING_DIRECTORIES", self.path())
            .env("GIT_DIR", "/nonexistent")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Ran {
            code: output.status.code().unwrap(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
            folder: self.path().canonicalize().unwrap(),
        }
    }
}

impl Ran {
    /// Standard output, with what differs from run to run named.
    pub(crate) fn out(&self) -> String {
        named(&self.stdout, &self.folder)
    }

    /// The answer as a value.
    pub(crate) fn json(&self) -> serde_json::Value {
        assert_eq!(self.stdout.lines().count(), 1, "{}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// The answer, indented, with what differs from run to run named.
    pub(crate) fn answer(&self) -> String {
        named(&serde_json::to_string_pretty(&self.json()).unwrap(), &self.folder)
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n--- stdout\n{}--- stderr\n{}", self.code, self.out(), named(&self.stderr, &self.folder))
    }
}

/// Names what differs from run to run: ids, times, ports, digests.
fn named(text: &str, folder: &Path) -> String {
    let filters = [
        (r"\d{8}T\d{6}Z-([a-z0-9-]+)-[0-9a-f]{8}", "20261130T142402Z-$1-7f3a91c2"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "2026-11-30T14:24:02.123Z"),
        (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", "Mon, 30 Nov 2026 14:24:02 GMT"),
        (r"QA_MARKER_[0-9a-f]{24}", "QA_MARKER_0123456789abcdef01234567"),
        (r"\b[0-9a-f]{64}\b", "0000000000000000000000000000000000000000000000000000000000000000"),
        (r"\b(\d+):[0-9a-f]{16}\b", "$1:7f3a91c2d4e8b016"),
        (r"\bdigest [0-9a-f]{16}\b", "digest 7f3a91c2d4e8b016"),
        (r#""series": "[0-9a-f]{16}""#, r#""series": "5e71e55e71e55e71""#),
        (r"127\.0\.0\.1:\d+", "127.0.0.1:8123"),
        (r"\b(port:?) \d+\b", "$1 8123"),
        (r"\b\d+(\.\d)? (us|ms)\b", "1 ms"),
        (r"\b\d+\.\ds\b", "0.1s"),
        (r"connect 1 ms, first byte 1 ms(, body 1 ms)?", "connect 1 ms, first byte 1 ms"),
        (r"                first byte 1 ms(, body 1 ms)?", "                first byte 1 ms"),
        (r#""(ms|\w+_us)": \d+"#, r#""$1": 1"#),
        (r#""bytes": \d{4,}"#, r#""bytes": 4000"#),
        (r"re-hashed, \d+ (bytes|KiB)", "re-hashed, 4000 bytes"),
        // As the machine allows it.
        (r"isolation mount_namespace", "isolation none"),
    ];
    let mut text = text.replace(folder.to_str().unwrap(), "[folder]");
    for (pattern, name) in filters {
        text = Regex::new(pattern).unwrap().replace_all(&text, name).into_owned();
    }
    text
}
