//! The command probe against real programs: `sh`, `sleep`, `cat`, `head`, `yes`, `setsid`.

#![expect(clippy::unwrap_used, reason = "tests; clippy.toml does not reach helpers outside of them")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use probity_core::ids::Digest;
use probity_core::observe::{CommandCall, CommandResult, FailureKind, Field, SecretUse};
use probity_probes::command::{self, Allowance, INHERITED, Sealed, Surroundings};
use tempfile::TempDir;
use tokio::sync::watch;

const USUAL: Allowance<'static> = Allowance::own(1 << 20, 64 << 20, Duration::from_secs(2));

/// A project folder and the ways to run commands in it.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn seal(&self, call: &CommandCall) -> Sealed {
        command::seal(&call.argv, &call.cwd, self.path(), OsStr::new("/usr/bin:/bin")).unwrap()
    }

    async fn run(&self, call: &CommandCall) -> CommandResult {
        self.run_within(call, &USUAL).await
    }

    async fn run_within(&self, call: &CommandCall, allowance: &Allowance<'_>) -> CommandResult {
        let (_keep, cancel) = watch::channel(false);
        self.run_with(call, &self.seal(call), allowance, Instant::now() + Duration::from_secs(60), cancel).await
    }

    async fn run_with(
        &self,
        call: &CommandCall,
        sealed: &Sealed,
        allowance: &Allowance<'_>,
        deadline: Instant,
        cancel: watch::Receiver<bool>,
    ) -> CommandResult {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let inherited: [(OsString, OsString); 3] = [
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("LANG".into(), "C.UTF-8".into()),
            ("AWS_SECRET_ACCESS_KEY".into(), "not for children".into()),
        ];
        let secrets = |name: &str| (name == "SHOP_TOKEN").then(|| "s3cr3t-value".to_owned());
        let around = Surroundings {
            project: self.path(),
            mark: &mark,
            inherited: &inherited,
            secrets: &secrets,
            isolated: None,
        };
        command::run(call, sealed, &around, allowance, deadline, cancel).await
    }

    /// Waits until a script wrote a whole line to `name`.
    async fn written(&self, name: &str) {
        while !fs::read_to_string(self.path().join(name)).is_ok_and(|text| text.ends_with('\n')) {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// The process id that a script wrote to `name`, once it did.
    fn pid(&self, name: &str) -> String {
        let begun = Instant::now();
        loop {
            let text = fs::read_to_string(self.path().join(name)).unwrap_or_default();
            if text.ends_with('\n') {
                return text.trim().to_owned();
            }
            assert!(begun.elapsed() < Duration::from_secs(10), "{name} was not written");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn call(argv: &[&str]) -> CommandCall {
    let argv = argv.iter().map(|word| (*word).to_owned()).collect();
    CommandCall { argv, cwd: ".".to_owned(), env: Vec::new(), stdin: None, timeout_ms: 30_000 }
}

fn sh(script: &str) -> CommandCall {
    call(&["sh", "-c", script])
}

fn kind(result: &CommandResult) -> Option<FailureKind> {
    result.failure.as_ref().map(|failure| failure.kind)
}

fn text(result: &CommandResult) -> &str {
    std::str::from_utf8(&result.stdout.kept).unwrap()
}

fn running(pid: &str) -> bool {
    Path::new("/proc").join(pid).exists()
}

#[tokio::test]
async fn a_plain_command_gives_its_exit_and_both_streams() {
    let project = Project::new();
    let result = project.run(&sh("echo out; echo err >&2; exit 3")).await;
    assert_eq!((result.exit, result.signal, result.termination.as_str()), (Some(3), None, "exited"));
    assert_eq!(result.failure, None);
    assert_eq!((result.stdout.kept.as_slice(), result.stderr.kept.as_slice()), (&b"out\n"[..], &b"err\n"[..]));
    assert!(result.stdout.complete && result.stderr.complete && result.stdout.whole.is_none());
    assert!(!result.term_sent && !result.kill_sent && result.left_over == 0 && result.total_us > 0);
}

#[test]
fn the_future_can_move_between_threads() {
    fn movable(_: &impl Send) {}
    let project = Project::new();
    movable(&project.run(&call(&["true"])));
}

#[tokio::test]
async fn a_signal_is_told_apart_from_an_exit() {
    let result = Project::new().run(&sh("kill -KILL $$")).await;
    assert_eq!((result.exit, result.signal, result.termination.as_str()), (None, Some(9), "signalled"));
    assert_eq!(result.failure, None);
    assert!(!result.kill_sent);
}

/// Vector 403-output-flood.
#[tokio::test]
async fn output_over_its_limit_is_counted_cut_and_no_success() {
    let project = Project::new();
    let allowance = Allowance { keep: 32, output: 128, ..USUAL };
    for script in ["yes | head -c 4096", "yes | head -c 4096; exec sleep 60"] {
        let result = project.run_within(&sh(script), &allowance).await;
        assert_eq!((result.termination.as_str(), kind(&result)), ("output_byte_limit", Some(FailureKind::OutputLimit)));
        assert_eq!(result.stdout.total, 4096);
        assert_eq!(result.stdout.kept, "y\n".repeat(16).as_bytes());
        assert_eq!(result.stdout.whole, Some(Digest::of("y\n".repeat(2048).as_bytes())));
        assert!(!result.stdout.complete);
    }
}

#[tokio::test]
async fn output_at_its_limit_is_fine() {
    let project = Project::new();
    let allowance = Allowance { keep: 128, output: 128, ..USUAL };
    let result = project.run_within(&sh("yes | head -c 100; yes | head -c 28 >&2"), &allowance).await;
    assert_eq!((result.exit, kind(&result)), (Some(0), None));
    let result = project.run_within(&sh("yes | head -c 100; yes | head -c 29 >&2"), &allowance).await;
    assert_eq!(kind(&result), Some(FailureKind::OutputLimit));
}

#[tokio::test]
async fn an_endless_flood_is_stopped_with_flat_memory() {
    let resident = || {
        let statm = fs::read_to_string("/proc/self/statm").unwrap();
        statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    };
    let project = Project::new();
    let allowance = Allowance { keep: 1000, output: 48 << 20, ..USUAL };
    let before = resident();
    let result = project.run_within(&call(&["yes"]), &allowance).await;
    assert_eq!((result.termination.as_str(), kind(&result)), ("output_byte_limit", Some(FailureKind::OutputLimit)));
    assert_eq!((result.stdout.kept.len(), result.signal), (1000, Some(15)));
    assert!(result.stdout.total > 48 << 20);
    assert!(resident().saturating_sub(before) < 24 << 20, "grew by {}", resident() - before);
}

/// Vector 404-term-trapped.
#[tokio::test]
async fn a_child_that_traps_term_and_exits_0_after_its_deadline_has_failed() {
    let project = Project::new();
    let script = "trap '' TERM; i=0; while [ $i -lt 10 ]; do sleep 0.05; i=$((i+1)); done; exit 0";
    let mut call = sh(script);
    call.timeout_ms = 80;
    let result = project.run(&call).await;
    assert_eq!((result.exit, result.termination.as_str()), (Some(0), "stage_timeout"));
    let failure = result.failure.unwrap();
    assert_eq!(failure.kind, FailureKind::AnswerIncomplete);
    assert_eq!(failure.message, "The command still ran after 80 ms.");
    assert!(result.term_sent && !result.kill_sent && !result.stdout.complete);
}

#[tokio::test]
async fn a_child_that_ignores_term_is_killed_after_the_grace() {
    let project = Project::new();
    let mut call = sh("trap '' TERM; echo $$ > pid; while :; do sleep 0.01; done");
    call.timeout_ms = 500;
    let begun = Instant::now();
    let allowance = Allowance { grace: Duration::from_millis(100), ..USUAL };
    let result = project.run_within(&call, &allowance).await;
    assert_eq!((result.exit, result.signal, result.termination.as_str()), (None, Some(9), "stage_timeout"));
    assert!(result.term_sent && result.kill_sent);
    assert!(begun.elapsed() >= Duration::from_millis(600));
    assert!(!running(&project.pid("pid")));
}

#[tokio::test]
async fn a_stopped_child_is_ended_by_term() {
    let project = Project::new();
    let mut call = sh("kill -STOP $$");
    call.timeout_ms = 50;
    let result = project.run(&call).await;
    assert_eq!((result.signal, result.termination.as_str(), result.kill_sent), (Some(15), "stage_timeout", false));
}

/// Vector 405-grandchild-left.
#[tokio::test]
async fn a_grandchild_left_in_the_group_is_ended_and_no_success() {
    let project = Project::new();
    for redirect in ["", ">/dev/null 2>&1"] {
        let result = project.run(&sh(&format!("sleep 60 {redirect} & echo $! > pid; exit 0"))).await;
        assert_eq!((result.exit, result.termination.as_str()), (Some(0), "process_group_cleanup"));
        assert_eq!((kind(&result), result.left_over), (Some(FailureKind::GroupLeftover), 1));
        assert!(result.term_sent && !result.kill_sent && !result.stdout.complete);
        assert!(!running(&project.pid("pid")));
        fs::remove_file(project.path().join("pid")).unwrap();
    }
}

#[tokio::test]
async fn a_helper_that_ends_by_itself_right_away_is_no_leftover() {
    let result = Project::new().run(&sh("(sleep 0.02; echo late) & exit 0")).await;
    assert_eq!((result.exit, kind(&result), result.left_over), (Some(0), None, 0));
    assert_eq!(text(&result), "late\n");
    assert!(result.stdout.complete);
}

#[tokio::test]
async fn a_child_that_leaves_the_group_is_found_by_its_mark() {
    let project = Project::new();
    // The escaped shell has a child of its own, and holds standard output open.
    let script =
        "setsid sh -c 'echo $$ > one; sleep 60 & echo $! > two; wait' & while ! [ -s two ]; do sleep 0.01; done";
    let result = project.run(&sh(script)).await;
    assert_eq!((result.exit, result.termination.as_str()), (Some(0), "process_group_cleanup"));
    assert_eq!((kind(&result), result.left_over), (Some(FailureKind::GroupLeftover), 2));
    assert!(!running(&project.pid("one")) && !running(&project.pid("two")));
    // The next command is not blamed.
    let result = project.run(&call(&["true"])).await;
    assert_eq!((result.exit, kind(&result)), (Some(0), None));
}

#[tokio::test]
async fn an_escaped_child_of_a_command_that_was_stopped_is_ended_too() {
    let project = Project::new();
    let mut call = sh("setsid sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 0.01; done' & wait; sleep 60");
    call.timeout_ms = 600;
    let allowance = Allowance { grace: Duration::from_millis(100), ..USUAL };
    let result = project.run_within(&call, &allowance).await;
    assert_eq!((result.termination.as_str(), kind(&result)), ("stage_timeout", Some(FailureKind::AnswerIncomplete)));
    assert!(result.left_over >= 1 && result.kill_sent);
    assert!(!running(&project.pid("pid")));
}

/// Vector 409-command-file-changed.
#[tokio::test]
async fn nothing_starts_when_a_sealed_file_changed() {
    let project = Project::new();
    project.write("tools/read_note.sh", "touch ran\n", 0o644);
    let call = call(&["sh", "tools/read_note.sh"]);
    let sealed = project.seal(&call);
    assert_eq!(sealed.files[0].0, "tools/read_note.sh");
    assert_eq!(sealed.files[0].2, Digest::of(b"touch ran\n"));
    assert_eq!(sealed.program_digest, Digest::of(&fs::read("/bin/sh").unwrap()));
    let (_keep, cancel) = watch::channel(false);
    let deadline = Instant::now() + Duration::from_secs(60);
    let edits: [&dyn Fn(); 3] = [
        &|| drop(project.write("tools/read_note.sh", "touch RAN\n", 0o644)),
        &|| fs::remove_file(project.path().join("tools/read_note.sh")).unwrap(),
        &|| symlink("/dev/null", project.path().join("tools/read_note.sh")).unwrap(),
    ];
    for edit in edits {
        edit();
        let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel.clone()).await;
        assert_eq!((result.termination.as_str(), kind(&result)), ("spawn_error", Some(FailureKind::CommandChanged)));
        assert_eq!((result.exit, result.signal), (None, None));
        assert!(!project.path().join("ran").exists() && !project.path().join("RAN").exists());
    }
    fs::remove_file(project.path().join("tools/read_note.sh")).unwrap();
    project.write("tools/read_note.sh", "touch ran\n", 0o644);
    let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel).await;
    assert_eq!(kind(&result), None, "the same bytes are the same command");
    assert!(project.path().join("ran").exists());
}

#[tokio::test]
async fn a_program_of_the_project_is_sealed_script_or_not() {
    let project = Project::new();
    project.write("tool", "#!/bin/sh\necho script $0\n", 0o755);
    fs::copy(fs::canonicalize("/bin/echo").unwrap(), project.path().join("machine")).unwrap();
    let (_keep, cancel) = watch::channel(false);
    let deadline = Instant::now() + Duration::from_secs(60);
    for (argv, said) in [(["./tool", "a"], "script"), (["./machine", "machine"], "machine")] {
        let call = call(&argv);
        let sealed = project.seal(&call);
        let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel.clone()).await;
        assert_eq!((result.exit, kind(&result)), (Some(0), None));
        assert!(text(&result).starts_with(said), "{}", text(&result));
        project.write(argv[0], "#!/bin/sh\necho swapped\n", 0o755);
        let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel.clone()).await;
        assert_eq!(kind(&result), Some(FailureKind::CommandChanged));
    }
}

#[tokio::test]
async fn a_changed_interpreter_is_a_changed_command() {
    let project = Project::new();
    let shell = project.path().join("shell");
    fs::copy(fs::canonicalize("/bin/sh").unwrap(), &shell).unwrap();
    project.write("tool", &format!("#!{}\necho hello\n", shell.display()), 0o755);
    let call = call(&["./tool"]);
    let sealed = project.seal(&call);
    assert_eq!(sealed.interpreter.as_ref().unwrap().2, Digest::of(&fs::read(&shell).unwrap()));
    let (_keep, cancel) = watch::channel(false);
    let deadline = Instant::now() + Duration::from_secs(60);
    let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel.clone()).await;
    assert_eq!((kind(&result), text(&result)), (None, "hello\n"));
    fs::remove_file(&shell).unwrap();
    fs::copy(fs::canonicalize("/bin/cat").unwrap(), &shell).unwrap();
    let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel).await;
    assert_eq!(kind(&result), Some(FailureKind::CommandChanged));
}

#[tokio::test]
async fn a_linked_program_sees_the_name_as_written() {
    let project = Project::new();
    symlink(fs::canonicalize("/bin/sh").unwrap(), project.path().join("my-shell")).unwrap();
    let result = project.run(&call(&["./my-shell", "-c", "echo $0"])).await;
    assert!(text(&result).trim().ends_with("my-shell"), "{}", text(&result));
}

#[tokio::test]
async fn output_that_is_not_utf_8_is_kept_as_bytes() {
    let result = Project::new().run(&sh("printf '\\304\\343\\272\\303\\000\\377'")).await;
    assert_eq!(result.stdout.kept, b"\xc4\xe3\xba\xc3\x00\xff");
}

#[tokio::test]
async fn large_input_reaches_a_reader_and_does_not_hang_on_others() {
    let project = Project::new();
    let bytes: Vec<u8> = (0..1_u32 << 20).map(|i| (i % 253) as u8).collect();
    let mut cat = call(&["cat"]);
    cat.stdin = Some(bytes.clone());
    let result = project.run(&cat).await;
    assert_eq!((result.exit, kind(&result)), (Some(0), None));
    assert!(result.stdout.kept == bytes && result.stdout.complete);
    for argv in [&["true"][..], &["head", "-c", "1"], &["sh", "-c", "exec <&-; sleep 0.02"]] {
        let mut call = call(argv);
        call.stdin = Some(bytes.clone());
        let result = project.run(&call).await;
        assert_eq!((result.exit, kind(&result)), (Some(0), None), "{argv:?}");
    }
}

#[tokio::test]
async fn input_is_empty_unless_given_and_cannot_be_written() {
    let project = Project::new();
    let result = project.run(&call(&["cat"])).await;
    assert_eq!((result.exit, result.stdout.total), (Some(0), 0));
    let mut call = sh("echo spoilt >&0; cat");
    call.stdin = Some(b"given".to_vec());
    assert_eq!(text(&project.run(&call).await), "given");
}

#[tokio::test]
async fn both_streams_can_be_large() {
    let script = "yes out | head -c 1048576 & yes err | head -c 1048576 >&2; wait; yes err | head -c 1048576 >&2";
    let allowance = Allowance { keep: 4 << 20, ..USUAL };
    let result = Project::new().run_within(&sh(script), &allowance).await;
    assert_eq!((result.exit, kind(&result)), (Some(0), None));
    assert_eq!((result.stdout.total, result.stderr.total), (1 << 20, 2 << 20));
    assert_eq!(result.stderr.kept.len(), 2 << 20);
}

#[test]
fn programs_that_cannot_be_started_say_why() {
    let project = Project::new();
    project.write("plain", "echo\n", 0o644);
    fs::create_dir(project.path().join("folder")).unwrap();
    let bin = project.path().join("bin");
    project.write("bin/listed", "#!/bin/sh\n", 0o600);
    let cases = [
        ("", "names no program"),
        ("no-such-program", "There is no program `no-such-program` in the folders of PATH."),
        ("./no-such", "does not exist"),
        ("./plain", "not marked as executable"),
        ("./folder", "not a regular file"),
        ("listed", "found but cannot be started: it is not marked as executable"),
        ("a\0b", "cannot be started"),
    ];
    for (argv0, said) in cases {
        let failure = command::resolve(argv0, project.path(), bin.as_os_str()).map(drop);
        let failure = if argv0 == "a\0b" {
            command::resolve("./a\0b", project.path(), bin.as_os_str()).map(drop)
        } else {
            failure
        };
        let failure = failure.unwrap_err();
        assert_eq!(failure.kind, FailureKind::ProgramMissing);
        assert!(failure.message.contains(said), "{argv0:?}: {}", failure.message);
    }
}

#[tokio::test]
async fn a_broken_program_is_missing_and_says_why() {
    let project = Project::new();
    project.write("no-magic", "echo hello\n", 0o755);
    project.write("no-interpreter", "#!/no/such/interpreter\n", 0o755);
    for (argv0, said) in [("./no-magic", "begins with `#!`"), ("./no-interpreter", "interpreter")] {
        let result = project.run(&call(&[argv0])).await;
        assert_eq!((result.termination.as_str(), kind(&result)), ("spawn_error", Some(FailureKind::ProgramMissing)));
        assert!(result.failure.as_ref().unwrap().message.contains(said), "{result:?}");
    }
}

#[tokio::test]
async fn the_working_folder_stays_inside_the_project() {
    let project = Project::new();
    fs::create_dir_all(project.path().join("in/side")).unwrap();
    symlink("/tmp", project.path().join("out")).unwrap();
    symlink("in/side", project.path().join("link")).unwrap();
    project.write("file", "", 0o644);
    let sealed = project.seal(&call(&["pwd"]));
    let cases = [
        ("in/side", None),
        ("link", None),
        ("in/..", None),
        ("..", Some(FailureKind::TargetRefused)),
        ("out", Some(FailureKind::TargetRefused)),
        ("/", Some(FailureKind::TargetRefused)),
        ("gone", Some(FailureKind::ProgramMissing)),
        ("file", Some(FailureKind::ProgramMissing)),
    ];
    for (cwd, expected) in cases {
        let call = CommandCall { cwd: cwd.to_owned(), ..call(&["pwd"]) };
        let (_keep, cancel) = watch::channel(false);
        let deadline = Instant::now() + Duration::from_secs(60);
        let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel).await;
        assert_eq!(kind(&result), expected, "{cwd}");
        let sealed = command::seal(&call.argv, cwd, project.path(), OsStr::new("/bin:/usr/bin"));
        assert_eq!(sealed.map_err(|failure| failure.kind).err(), expected);
        if expected.is_none() {
            let real = fs::canonicalize(project.path().join(cwd)).unwrap();
            assert_eq!(text(&result).trim(), real.to_str().unwrap());
        }
    }
}

#[tokio::test]
async fn the_environment_is_the_list_the_plan_and_the_mark() {
    let project = Project::new();
    let mut call = call(&["env"]);
    call.env = vec![
        ("ADDED".to_owned(), Field::Text("x=y".to_owned())),
        ("LANG".to_owned(), Field::Text("C".to_owned())),
        ("TOKEN".to_owned(), Field::Secret(SecretUse::Plain, "SHOP_TOKEN".to_owned())),
        ("BEARER".to_owned(), Field::Secret(SecretUse::Bearer, "SHOP_TOKEN".to_owned())),
        ("BASIC".to_owned(), Field::Secret(SecretUse::Basic, "SHOP_TOKEN".to_owned())),
    ];
    let result = project.run(&call).await;
    let mut lines: Vec<_> = text(&result).lines().filter(|line| !line.starts_with("PROBITY_PROBE=")).collect();
    assert_eq!(lines.len() + 1, text(&result).lines().count());
    lines.sort_unstable();
    let expected = [
        "ADDED=x=y",
        "BASIC=Basic czNjcjN0LXZhbHVl",
        "BEARER=Bearer s3cr3t-value",
        "LANG=C",
        "PATH=/usr/bin:/bin",
        "TOKEN=s3cr3t-value",
    ];
    assert_eq!(lines, expected);
    assert!(!format!("{call:?}").contains("s3cr3t"));
    for (name, _) in command::inherited() {
        assert!(INHERITED.iter().any(|known| name == *known));
    }
    assert!(!INHERITED.contains(&"HOME"));
}

#[tokio::test]
async fn variables_that_cannot_be_placed_stop_the_command() {
    let project = Project::new();
    let cases = [
        ("TOKEN", Field::Secret(SecretUse::Plain, "UNSET".to_owned()), FailureKind::CredentialMissing),
        ("A=B", Field::Text(String::new()), FailureKind::TemplateRefused),
        ("", Field::Text(String::new()), FailureKind::TemplateRefused),
        ("PROBITY_PROBE", Field::Text("mine".to_owned()), FailureKind::TemplateRefused),
        ("NUL", Field::Text("a\0b".to_owned()), FailureKind::TemplateRefused),
    ];
    for (name, field, expected) in cases {
        let mut call = sh("touch ran");
        call.env = vec![("OTHER".to_owned(), Field::Secret(SecretUse::Plain, "SHOP_TOKEN".to_owned()))];
        call.env.push((name.to_owned(), field));
        let result = project.run(&call).await;
        assert_eq!((result.termination.as_str(), kind(&result)), ("spawn_error", Some(expected)), "{name}");
        assert!(!format!("{result:?}").contains("s3cr3t"));
    }
    assert!(!project.path().join("ran").exists());
}

#[tokio::test]
async fn cancelling_ends_a_command_and_starts_no_other() {
    let project = Project::new();
    let call = sh("echo $$ > pid; sleep 60");
    let sealed = project.seal(&call);
    let deadline = Instant::now() + Duration::from_secs(60);
    let (sender, cancel) = watch::channel(false);
    let stop = async {
        project.written("pid").await;
        sender.send_replace(true);
    };
    let (result, ()) = tokio::join!(project.run_with(&call, &sealed, &USUAL, deadline, cancel.clone()), stop);
    assert_eq!((result.termination.as_str(), kind(&result)), ("cancelled", Some(FailureKind::Cancelled)));
    assert_eq!((result.signal, result.term_sent), (Some(15), true));
    assert!(!running(&project.pid("pid")));
    fs::remove_file(project.path().join("pid")).unwrap();
    let result = project.run_with(&call, &sealed, &USUAL, deadline, cancel).await;
    assert_eq!((result.termination.as_str(), kind(&result)), ("cancelled", Some(FailureKind::Cancelled)));
    assert!(!result.term_sent && !project.path().join("pid").exists());
}

#[tokio::test]
async fn a_vanished_canceller_does_not_cancel() {
    let project = Project::new();
    let (sender, cancel) = watch::channel(false);
    drop(sender);
    let call = sh("sleep 0.05; echo done");
    let deadline = Instant::now() + Duration::from_secs(60);
    let result = project.run_with(&call, &project.seal(&call), &USUAL, deadline, cancel).await;
    assert_eq!((kind(&result), text(&result)), (None, "done\n"));
}

#[tokio::test]
async fn the_budget_of_the_run_is_named_when_it_is_the_nearer_limit() {
    let project = Project::new();
    let (_keep, cancel) = watch::channel(false);
    let call = call(&["sleep", "60"]);
    let sealed = project.seal(&call);
    for left in [Duration::from_millis(100), Duration::ZERO] {
        let result = project.run_with(&call, &sealed, &USUAL, Instant::now() + left, cancel.clone()).await;
        assert_eq!((result.termination.as_str(), kind(&result)), ("stage_timeout", Some(FailureKind::BudgetExceeded)));
        assert_eq!(result.term_sent, !left.is_zero());
    }
}

#[tokio::test]
async fn dropping_the_future_leaves_nothing() {
    let project = Project::new();
    let call =
        sh("trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ > away; sleep 60' & sleep 60 & echo $! > near; wait");
    let sealed = project.seal(&call);
    let (_keep, cancel) = watch::channel(false);
    let deadline = Instant::now() + Duration::from_secs(60);
    let written = async {
        project.written("away").await;
        project.written("near").await;
    };
    tokio::select! {
        result = project.run_with(&call, &sealed, &USUAL, deadline, cancel) => panic!("{result:?}"),
        () = written => {}
    }
    assert!(!running(&project.pid("near")) && !running(&project.pid("away")));
}

#[tokio::test]
async fn commands_side_by_side_do_not_disturb_each_other() {
    let project = Project::new();
    let quiet = call(&["sleep", "0.3"]);
    let leaving = sh("setsid sleep 60 & exit 0");
    let (a, b, c) = tokio::join!(project.run(&quiet), project.run(&leaving), project.run(&quiet));
    assert_eq!((a.exit, kind(&a), c.exit, kind(&c)), (Some(0), None, Some(0), None));
    assert_eq!((kind(&b), b.left_over), (Some(FailureKind::GroupLeftover), 1));
}

#[test]
fn files_behind_options_and_outside_the_project() {
    let project = Project::new();
    project.write("a.toml", "a", 0o644);
    project.write("sub/b.py", "b", 0o644);
    symlink("/etc/hostname", project.path().join("sub/out")).unwrap();
    let argv = ["sh", "b.py", "--config=../a.toml", "out", "/etc/hostname", "b.py", "missing", ".."].map(str::to_owned);
    let sealed = command::seal(&argv, "sub", project.path(), OsStr::new("/bin")).unwrap();
    let names: Vec<_> = sealed.files.iter().map(|(name, _, digest)| (name.as_str(), *digest)).collect();
    assert_eq!(names, [("b.py", Digest::of(b"b")), ("../a.toml", Digest::of(b"a"))]);
}
