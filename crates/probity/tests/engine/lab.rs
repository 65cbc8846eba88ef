//! A project in a temporary folder, a server, and the program that is run there.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use probity_testkit::server::Server;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) struct Lab {
    pub(crate) dir: TempDir,
    pub(crate) server: Server,
}

/// What one call of the program came to.
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The settings that most tests want; `{origin}` is the server's.
const SETTINGS: &str = "version: 1
default_environment: local
environments:
  local: {kind: local, url: \"{origin}\", data: disposable}
";

impl Lab {
    /// A project with these cases, under three criteria `C-1` (api), `C-2` (persistence), `C-3` (command) of which
    /// those stand that the cases name.
    pub(crate) fn new(cases: &str) -> Self {
        Self::with(Server::start(), cases)
    }

    pub(crate) fn with(server: Server, cases: &str) -> Self {
        let lab = Self { dir: tempfile::tempdir().unwrap(), server };
        lab.write("probity.yaml", SETTINGS);
        lab.plan("lab", cases);
        lab
    }

    /// Writes a file of the project; `{origin}` becomes the server's.
    pub(crate) fn write(&self, name: &str, text: &str) {
        let path = self.dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.replace("{origin}", &self.server.origin())).unwrap();
    }

    /// Writes a plan.
    pub(crate) fn plan(&self, name: &str, cases: &str) {
        let known = [
            ("C-1", "api", "The answer is right."),
            ("C-2", "persistence", "The item is found again."),
            ("C-3", "command", "The program says so."),
        ];
        let mut plan = "schemaVersion: 2\nrequirement:\n  title: Lab\n  criteria:\n".to_owned();
        for (id, needs, text) in known.iter().filter(|(id, ..)| cases.contains(id)) {
            plan.push_str(&format!("    - {{id: {id}, needs: {needs}, text: \"{text}\"}}\n"));
        }
        plan.push_str(cases.trim_start_matches('\n'));
        self.write(&format!("{name}.probity.yaml"), &plan);
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command.args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        for name in ["PROBITY_OUT", "PROBITY_ENV", "PROBITY_FORMAT", "FORCE_COLOR"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        done(&self.command(&[&["run"], args].concat()).output().unwrap())
    }

    /// Starts a run and waits until its journal has an entry of a kind, or an intent for this target.
    pub(crate) fn start_until(&self, args: &[&str], text: &str) -> Child {
        let child = self.command(&[&["run"], args].concat()).spawn().unwrap();
        self.wait(|| self.runs().last().is_some_and(|dir| came_to(dir, text)));
        child
    }

    pub(crate) fn wait(&self, ready: impl Fn() -> bool) {
        let begun = Instant::now();
        while !ready() {
            assert!(begun.elapsed() < Duration::from_secs(20), "it never came to that");
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    /// How many requests came, once no more come: the server may note one after its sender is gone.
    pub(crate) fn settled(&self) -> usize {
        let mut seen = (self.server.hits().len(), Instant::now());
        while seen.1.elapsed() < Duration::from_millis(60) {
            std::thread::sleep(Duration::from_millis(5));
            let now = self.server.hits().len();
            if now != seen.0 {
                seen = (now, Instant::now());
            }
        }
        seen.0
    }

    /// Run folders, oldest first.
    pub(crate) fn runs(&self) -> Vec<PathBuf> {
        runs_in(&self.dir.path().join("probity-runs"))
    }

    /// The only run folder.
    pub(crate) fn only(&self) -> PathBuf {
        let runs = self.runs();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs[0].clone()
    }

    /// Runs the plan and gives exit code and the run's folder.
    pub(crate) fn one(&self) -> (Ran, PathBuf) {
        let ran = self.run(&[]);
        let dir = self.only();
        (ran, dir)
    }
}

/// Whether a journal has an entry of a kind, or an intent for a target.
pub(crate) fn came_to(dir: &Path, text: &str) -> bool {
    let about = |entry: &Value| entry["body"]["call"]["url"].as_str().is_some_and(|url| url.ends_with(text));
    journal(dir).iter().any(|entry| entry["kind"] == text || about(entry))
}

pub(crate) fn runs_in(root: &Path) -> Vec<PathBuf> {
    let Ok(listing) = std::fs::read_dir(root) else { return Vec::new() };
    let mut runs: Vec<PathBuf> = listing.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    runs.sort();
    runs
}

pub(crate) fn done(output: &Output) -> Ran {
    Ran {
        exit: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Ran {
    /// Everything it said, for messages of failed tests.
    pub(crate) fn said(&self) -> String {
        format!("exit {}\n{}\n{}", self.exit, self.stdout, self.stderr)
    }
}

pub(crate) fn journal_text(dir: &Path) -> String {
    std::fs::read_to_string(dir.join("journal.jsonl")).unwrap_or_default()
}

/// The whole entries of a journal.
pub(crate) fn journal(dir: &Path) -> Vec<Value> {
    let text = journal_text(dir);
    text.split_inclusive('\n').filter(|l| l.ends_with('\n')).map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The bodies of one kind.
pub(crate) fn bodies(dir: &Path, kind: &str) -> Vec<Value> {
    journal(dir).into_iter().filter(|entry| entry["kind"] == kind).map(|entry| entry["body"].clone()).collect()
}

/// Step, status, code of each commit, and whether it was sent.
pub(crate) fn steps(dir: &Path) -> Vec<(String, String, String, bool)> {
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let commit = |c: &Value| (text(&c["step"]), text(&c["status"]), text(&c["code"]), !c["observation"].is_null());
    bodies(dir, "action.commit").iter().map(commit).collect()
}

/// The codes of a run's reasons, from its verdict view.
pub(crate) fn reasons(dir: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(dir.join("qa-verdict.json")).unwrap();
    let verdict: Value = serde_json::from_str(&text).unwrap();
    let mut codes = Vec::new();
    collect(&verdict, &mut codes);
    codes
}

/// Everything under a key `code`, whatever the view's form.
fn collect(value: &Value, codes: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(text) if key == "code" => codes.push(text.clone()),
                    other => collect(other, codes),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, codes)),
        _ => {}
    }
}

pub(crate) fn outcome(dir: &Path) -> String {
    bodies(dir, "run.closed").first().map_or("open".to_owned(), |body| body["outcome"].as_str().unwrap().to_owned())
}
