//! A copy of an example's folder, its real server on a free port, and the program run in the copy.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tempfile::TempDir;

/// How long a server may take until it listens.
const READY_WITHIN: Duration = Duration::from_secs(90);
/// Between two looks at a server that starts.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// The origin in the probity.yaml of each example, for those who run it by hand.
const BY_HAND: &str = "http://127.0.0.1:8080";

/// An example that is running.
pub(crate) struct Example {
    copy: TempDir,
    variables: &'static [(&'static str, &'static str)],
    /// Stopped when this goes.
    _server: Served,
}

/// What a failed criterion must say.
pub(crate) struct Finding {
    pub(crate) criterion: &'static str,
    pub(crate) what: &'static str,
    pub(crate) expected: &'static str,
    pub(crate) saw: &'static str,
}

impl Example {
    /// Copies the folder, starts its server there, and writes where it listens. `variables` are the credentials.
    pub(crate) fn start(name: &str, variables: &'static [(&'static str, &'static str)]) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let installed = root.join(".tools/examples").join(name).join("installed");
        assert!(installed.is_file(), "{name} is not installed: run examples/install {name}");
        let copy = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(root.join("examples").join(name)).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
            }
        }
        let (server, address) = Served::start(&root.join("examples").join(name).join("serve"), copy.path(), variables);
        let settings = copy.path().join("probity.yaml");
        let written = std::fs::read_to_string(&settings).unwrap();
        assert_eq!(written.matches(BY_HAND).count(), 1, "{written}");
        std::fs::write(&settings, written.replace(BY_HAND, &format!("http://{address}"))).unwrap();
        Self { copy, variables, _server: server }
    }

    /// A file of the copy.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.copy.path().join(name)).unwrap()
    }

    /// The plan passes with this many criteria, and the run is found so.
    pub(crate) fn passes(&self, plan: &str, criteria: usize) {
        let answer = self.run(plan, 0, "passed", self.variables);
        assert_eq!(answer["can_claim_pass"], true, "{answer:#}");
        assert_eq!(answer["weakenings"], Value::Array(Vec::new()), "{answer:#}");
        assert_eq!(answer["findings"], Value::Array(Vec::new()), "{answer:#}");
        assert_eq!(of_status(&answer, "passed").len(), criteria, "{answer:#}");
    }

    /// The plan fails for this one reason, and for no other; `passed` hold all the same.
    pub(crate) fn fails(&self, plan: &str, passed: &[&str], wanted: &Finding) {
        let answer = self.run(plan, 1, "failed", self.variables);
        assert_eq!(of_status(&answer, "passed"), passed, "{answer:#}");
        assert_eq!(of_status(&answer, "failed"), [wanted.criterion], "{answer:#}");
        let findings = answer["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 1, "{answer:#}");
        let told = ["code", "subject", "what", "expected", "saw"].map(|key| findings[0][key].as_str().unwrap_or(""));
        assert_eq!(told, ["requirement_failed", wanted.criterion, wanted.what, wanted.expected, wanted.saw]);
    }

    /// The plan comes to this exit code and status for a reason with this code; gives what that says.
    pub(crate) fn comes_to(&self, plan: &str, exit: i32, status: &str, code: &str) -> String {
        told(&self.run(plan, exit, status, self.variables), code)
    }

    /// The same where nobody has set the credentials.
    pub(crate) fn comes_to_without_credentials(&self, plan: &str, exit: i32, status: &str, code: &str) -> String {
        told(&self.run(plan, exit, status, &[]), code)
    }

    /// Runs a plan, and holds the answer and what `verify` says of the run against exit code and status.
    fn run(&self, plan: &str, exit: i32, status: &str, variables: &[(&str, &str)]) -> Value {
        let answer = self.probity(&["run", &format!("{plan}.probity.yaml")], exit, variables);
        assert_eq!(answer["status"], status, "{answer:#}");
        let folder = answer["dir"].as_str().unwrap();
        let verified = self.probity(&["verify", folder], exit, &[]);
        assert_eq!(verified["intact"], true, "{verified:#}");
        assert_eq!(verified["status"], status, "{verified:#}");
        answer
    }

    fn probity(&self, words: &[&str], exit: i32, variables: &[(&str, &str)]) -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_probity"))
            .args(words)
            .args(["--format", "json"])
            .current_dir(self.copy.path())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CEILING_DIRECTORIES", self.copy.path())
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(exit), "{words:?}\n{out}\n{err}");
        serde_json::from_str(&out).unwrap()
    }
}

/// The ids of the criteria that have this status.
fn of_status<'a>(answer: &'a Value, status: &str) -> Vec<&'a str> {
    let criteria = answer["criteria"].as_array().unwrap().iter();
    criteria.filter(|criterion| criterion["status"] == status).map(|c| c["id"].as_str().unwrap()).collect()
}

/// What the first finding with this code says.
fn told(answer: &Value, code: &str) -> String {
    let mut findings = answer["findings"].as_array().unwrap().iter();
    let found = findings.find(|finding| finding["code"] == code);
    assert!(found.is_some(), "no {code} in {answer:#}");
    found.unwrap()["message"].as_str().unwrap().to_owned()
}

/// A server and whatever it started, ended together.
struct Served(Child);

impl Served {
    /// Starts a server in a folder and waits until it listens. A free port may be taken by another program before the
    /// server opens it, so a server that ends at once is started again on another.
    fn start(serve: &Path, folder: &Path, variables: &[(&str, &str)]) -> (Self, SocketAddr) {
        for _ in 0..3 {
            let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
            let log = folder.join("server.log");
            let file = std::fs::File::create(&log).unwrap();
            let child = Command::new(serve)
                .arg(address.port().to_string())
                .current_dir(folder)
                .envs(variables.iter().copied())
                .stdin(Stdio::null())
                .stdout(file.try_clone().unwrap())
                .stderr(file)
                .process_group(0)
                .spawn()
                .unwrap();
            let mut served = Self(child);
            if served.listens(address, &log) {
                return (served, address);
            }
        }
        panic!("{} ended three times: {}", serve.display(), log_of(&folder.join("server.log")));
    }

    /// Waits until the address answers; false when the server has ended before.
    fn listens(&mut self, address: SocketAddr, log: &Path) -> bool {
        let until = Instant::now() + READY_WITHIN;
        while Instant::now() < until {
            let answers = TcpStream::connect(address).is_ok();
            if self.0.try_wait().unwrap().is_some() {
                return false;
            }
            if answers {
                return true;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        panic!("nothing listens on {address} after {READY_WITHIN:?}: {}", log_of(log));
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Of one that has ended by itself, the number may be another group's by now.
        if !matches!(self.0.try_wait(), Ok(None)) {
            return;
        }
        let group = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw);
        let _ = group.map(|group| kill_process_group(group, Signal::KILL));
        let _ = self.0.wait();
    }
}

fn log_of(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}
