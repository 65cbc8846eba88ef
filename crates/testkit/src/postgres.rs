//! A PostgreSQL of a test's own: made in a temporary folder, reached by a socket in it, gone with the test.
//!
//! Its programs refuse to run as root; then they run as `nobody`. Tests that need it are named `needs_postgres`.

use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The password of the one user. It must show up nowhere.
pub const PASSWORD: &str = "pr0bity-t3st-passw0rd";

const NOBODY: u32 = 65534;

/// A cluster that runs.
pub struct Postgres {
    dir: TempDir,
    bin: PathBuf,
    server: Child,
}

/// Starts the server and ends it when its own standard input is closed, so that it does not outlive the test.
const KEEPER: &str =
    r#"exec 3<&0; "$0" "$@" </dev/null >/dev/null 2>"$KEEPER_LOG" & p=$!; read -r line <&3; kill -QUIT $p; wait $p"#;

impl Postgres {
    /// Makes and starts one.
    #[must_use]
    pub fn start() -> Self {
        let bin = programs().expect("initdb is not installed");
        let dir = tempfile::tempdir().expect("a temporary folder");
        let data = dir.path().join("data");
        std::fs::create_dir(&data).expect("a folder for the data");
        let secret = dir.path().join("secret");
        std::fs::write(&secret, PASSWORD).expect("the password");
        let root = is_root(dir.path());
        if root {
            for path in [dir.path(), &data, &secret] {
                chown(path, Some(NOBODY), Some(NOBODY)).expect("a folder of nobody's");
            }
        }
        // Whoever runs the tests goes through here too.
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).expect("permissions");
        let mut make = unprivileged(&bin.join("initdb"), root);
        make.args(["-N", "-U", "qa", "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "-D"]).arg(&data);
        make.arg(format!("--pwfile={}", secret.display()));
        let made = make.output().expect("initdb starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut keeper = unprivileged(Path::new("/bin/sh"), root);
        keeper.env("KEEPER_LOG", data.join("log")).args(["-c", KEEPER]).arg(bin.join("postgres"));
        keeper.arg("-D").arg(&data).arg("-k").arg(dir.path());
        keeper.args(["-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=60"]);
        let server = keeper.stdin(Stdio::piped()).spawn().expect("postgres starts");
        let running = Self { dir, bin, server };
        running.wait();
        running
    }

    /// The URL of a new, empty database.
    #[must_use]
    pub fn database(&self, name: &str) -> String {
        let made = self.psql("postgres", &format!("CREATE DATABASE {name}"));
        assert!(made.0, "{}", made.1);
        format!("postgres://qa:{PASSWORD}@localhost/{name}?host={}", self.dir.path().display())
    }

    /// Runs a statement; whether it succeeded, and everything that was said.
    #[must_use]
    pub fn psql(&self, database: &str, statement: &str) -> (bool, String) {
        let mut psql = Command::new(self.bin.join("psql"));
        psql.env("PGPASSWORD", PASSWORD).args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", "qa", "-h"]);
        let output = psql.arg(self.dir.path()).args(["-d", database, "-c", statement]).output().expect("psql starts");
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&said).into_owned())
    }

    fn wait(&self) {
        let until = Instant::now() + Duration::from_secs(60);
        while !self.psql("postgres", "SELECT 1").0 {
            let log = || std::fs::read_to_string(self.dir.path().join("data/log")).unwrap_or_default();
            assert!(Instant::now() < until, "postgres does not answer: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(mut stdin) = self.server.stdin.take() {
            let _ = stdin.write_all(b"\n");
        }
        let _ = self.server.wait();
    }
}

/// The folder of PostgreSQL's programs, all of them: on the path, or where Debian keeps them.
fn programs() -> Option<PathBuf> {
    let whole = |bin: &PathBuf| ["initdb", "postgres", "psql"].iter().all(|program| bin.join(program).is_file());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let versions = || std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = || versions().map(|version| version.path().join("bin")).filter(whole).max();
    std::env::split_paths(&path).find(whole).or_else(newest)
}

fn is_root(mine: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(mine).is_ok_and(|facts| facts.uid() == 0)
}

fn unprivileged(program: &Path, root: bool) -> Command {
    let mut command = Command::new(program);
    command.current_dir("/");
    if root {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}
