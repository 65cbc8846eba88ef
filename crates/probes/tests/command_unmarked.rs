//! A program that wipes its environment has no mark. It stands alone because it would be blamed on any command that
//! runs beside it.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use probity_core::observe::{CommandCall, FailureKind};
use probity_probes::command::{self, Allowance, Surroundings};
use tokio::sync::watch;

#[tokio::test]
async fn a_child_without_mark_is_found_because_it_is_a_stranger() {
    let project = tempfile::tempdir().unwrap();
    let script = "/usr/bin/env -i /usr/bin/setsid /bin/sleep 60 & while ! ps -e -o args= | grep -q '^/bin/sleep 60'; do sleep 0.01; done";
    let script = if Path::new("/bin/ps").exists() {
        script
    } else {
        "/usr/bin/env -i /usr/bin/setsid /bin/sleep 60 & sleep 0.3"
    };
    let argv = ["sh", "-c", script].map(str::to_owned).to_vec();
    let call = CommandCall { argv, cwd: ".".to_owned(), env: Vec::new(), stdin: None, timeout_ms: 30_000 };
    let sealed = command::seal(&call.argv, ".", project.path(), OsStr::new("/usr/bin:/bin")).unwrap();
    let inherited = [("PATH".into(), "/usr/bin:/bin".into())];
    let secrets = |_: &str| None;
    let around = Surroundings {
        project: project.path(),
        mark: "unmarked",
        inherited: &inherited,
        secrets: &secrets,
        isolated: None,
    };
    let allowance = Allowance::own(1000, 1000, Allowance::GRACE);
    let (_keep, cancel) = watch::channel(false);
    let result =
        command::run(&call, &sealed, &around, &allowance, Instant::now() + Duration::from_secs(60), cancel).await;
    assert_eq!(result.failure.map(|failure| failure.kind), Some(FailureKind::GroupLeftover));
    assert_eq!((result.exit, result.left_over), (Some(0), 1));
    let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
    let children: String = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok()).collect();
    assert_eq!(children.trim(), "");
}
