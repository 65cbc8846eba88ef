//! The demo and `init`, as a newcomer meets them: the program is started and its exits, answers and files are looked at.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests; clippy.toml does not reach helpers outside of them")]

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A working folder of its own, with a folder for temporary files in it.
struct Desk {
    dir: tempfile::TempDir,
}

impl Desk {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("tmp")).unwrap();
        Self { dir }
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_probity"));
        command.args(words).current_dir(self.dir.path()).env("TMPDIR", self.dir.path().join("tmp"));
        for name in ["PROBITY_FORMAT", "PROBITY_OUT", "PROBITY_ENV", "FORCE_COLOR"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    fn exit(&self, words: &[&str]) -> i32 {
        let output = self.run(words);
        output.status.code().unwrap_or_else(|| panic!("{words:?}: {output:?}"))
    }

    /// The folders that demos made below the folder for temporary files.
    fn temporary(&self) -> Vec<PathBuf> {
        children(&self.dir.path().join("tmp"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

/// The only run below a folder that holds `probity-runs` or a copy of it.
fn only_run(runs: &Path) -> PathBuf {
    let mut found: Vec<PathBuf> = children(runs).into_iter().filter(|path| path.is_dir()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    children(folder).into_iter().flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for path in children(from) {
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Runs root and run of a demo that was asked to work in `folder`.
fn demo(desk: &Desk, words: &[&str], folder: &str, exit: i32) -> (PathBuf, PathBuf) {
    let words: Vec<&str> = ["demo", "--out", folder].iter().chain(words).copied().collect();
    let output = desk.run(&words);
    assert_eq!(output.status.code(), Some(exit), "{output:?}");
    let runs = desk.path(folder).join("probity-runs");
    let run = only_run(&runs);
    (runs, run)
}

#[test]
fn the_demo_fails_for_the_cent_and_its_repair_passes() {
    let desk = Desk::new();
    let (_, run) = demo(&desk, &[], "bug", 1);
    let defects = json(&run.join("defects.json")).to_string();
    assert!(defects.contains("29.97") && defects.contains("29.96"), "{defects}");
    let (_, run) = demo(&desk, &["--fixed"], "fixed", 0);
    assert!(!files(&run).iter().any(|path| text(path).contains("29.96")));
    assert_eq!(children(&desk.path("tmp")), [""; 0].map(PathBuf::from), "with --out nothing is left elsewhere");
}

#[test]
fn it_says_what_happens_and_what_to_try_next() {
    let desk = Desk::new();
    let output = desk.run(&["demo"]);
    let talk = String::from_utf8(output.stderr).unwrap();
    let [folder] = desk.temporary().try_into().unwrap();
    let run = only_run(&folder.join("probity-runs"));
    for said in
        ["A small shop", folder.to_str().unwrap(), &format!("probity verify {}", run.display()), "probity show "]
    {
        assert!(talk.contains(said), "{said} is not in {talk}");
    }
    let quiet = desk.command(&["demo"]).env("AI_AGENT", "1").output().unwrap();
    assert!(!String::from_utf8(quiet.stderr).unwrap().contains("Try next"), "agents read both streams");
}

#[test]
fn nothing_but_the_binary_is_needed_whatever_it_is_called() {
    let desk = Desk::new();
    let other = desk.path("other-name");
    fs::copy(env!("CARGO_BIN_EXE_probity"), &other).unwrap();
    let output = Command::new(&other).args(["demo", "--fixed"]).env_clear().env("TMPDIR", desk.path("tmp")).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn two_demos_do_not_disturb_each_other() {
    let desk = Desk::new();
    let start = |words| desk.command(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let mut both = [start(&["demo"]), start(&["demo", "--fixed"])];
    let exits = both.each_mut().map(|child| child.wait().unwrap().code());
    assert_eq!(exits, [Some(1), Some(0)]);
    assert_eq!(desk.temporary().len(), 2);
}

#[test]
fn records_hold_no_path_of_the_machine() {
    let desk = Desk::new();
    desk.exit(&["demo"]);
    demo(&desk, &[], "a/b", 1);
    let [temporary] = desk.temporary().try_into().unwrap();
    let here = desk.dir.path().canonicalize().unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_probity")).parent().unwrap();
    for runs in [temporary.join("probity-runs"), desk.path("a/b/probity-runs")] {
        assert!(files(&runs).len() > 15);
        for path in files(&runs) {
            for told in [&here, desk.dir.path(), &temporary, program, Path::new("a/b")] {
                assert!(!text(&path).contains(told.to_str().unwrap()), "{} tells {}", path.display(), told.display());
            }
        }
    }
}

#[test]
fn nothing_is_overwritten() {
    let desk = Desk::new();
    fs::create_dir(desk.path("mine")).unwrap();
    fs::write(desk.path("mine/file"), "").unwrap();
    assert_eq!(desk.exit(&["demo", "--out", "mine"]), 2);
    assert_eq!(children(&desk.path("mine")), [desk.path("mine/file")]);
    assert_eq!(desk.exit(&["demo", "--fixed", "--tamper"]), 2);
    assert!(desk.temporary().is_empty());
}

#[test]
fn an_edited_copy_leaves_the_run_as_it_was() {
    let desk = Desk::new();
    desk.exit(&["demo", "--tamper", "--out", "t"]);
    let run = only_run(&desk.path("t/probity-runs"));
    let forged = only_run(&desk.path("t/tampered"));
    assert_eq!(run.file_name(), forged.file_name());
    let name = |path: &Path, of: &Path| path.strip_prefix(of).unwrap().to_owned();
    let changed: Vec<PathBuf> = files(&run)
        .iter()
        .map(|path| name(path, &run))
        .filter(|n| text(&run.join(n)) != text(&forged.join(n)))
        .collect();
    assert!(changed.contains(&PathBuf::from("journal.jsonl")), "{changed:?}");
    for path in changed {
        assert_eq!(text(&run.join(&path)).replace("29.96", "29.97"), text(&forged.join(&path)));
    }
    assert_eq!(text(&desk.path("t/probity-runs/index.jsonl")), text(&desk.path("t/tampered/index.jsonl")));
}

#[test]
fn the_reader_of_the_store_reads_orders_alone() {
    let desk = Desk::new();
    fs::create_dir(desk.path("orders")).unwrap();
    let order = r#"{"id":"0a1b2c3d","sku":"MUG-1","qty":3,"total":29.96,"currency":"EUR","note":"n"}"#;
    fs::write(desk.path("orders/0a1b2c3d.json"), order).unwrap();
    fs::write(desk.path("0a1b2c3d.json"), order).unwrap();
    let output = desk.run(&["demo", "--read-order", "orders", "0a1b2c3d"]);
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((output.status.code(), &read["total"]), (Some(0), &Value::from(29.96)));
    for id in ["", ".", "..", "../0a1b2c3d", "./0a1b2c3d", "/etc/passwd", "0A1B2C3D", "0a1b2c3d.json", "00000000"] {
        let output = desk.run(&["demo", "--read-order", "orders", id]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{id}");
    }
}

#[test]
fn a_demo_that_is_stopped_cleans_up_and_closes_its_shop() {
    let desk = Desk::new();
    let mut child = desk.command(&["demo", "--out", "d"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // The order is placed and pending: the next steps take a moment.
    wait(&mut child, || placed(&desk.path("d/probity-runs")));
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let settings = text(&desk.path("d/probity.yaml"));
    let address = settings.split("http://").nth(1).unwrap().split('"').next().unwrap();
    assert!(TcpStream::connect(address).is_err(), "{address} still answers");
    assert!(children(&desk.path("d/shop/orders")).is_empty(), "the order was removed");
}

fn placed(runs: &Path) -> bool {
    let Ok(listing) = fs::read_dir(runs) else { return false };
    listing.flatten().any(|entry| {
        let journal = fs::read_to_string(entry.path().join("journal.jsonl")).unwrap_or_default();
        journal.contains("\"action.commit\"")
    })
}

fn wait(child: &mut Child, ready: impl Fn() -> bool) {
    let began = Instant::now();
    while !ready() {
        assert!(child.try_wait().unwrap().is_none() && began.elapsed() < Duration::from_secs(60), "it never came");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn init_writes_both_files_or_none() {
    let desk = Desk::new();
    assert_eq!(desk.exit(&["init"]), 0);
    let written = ["first.probity.yaml", "probity.yaml"].map(|name| text(&desk.path(name)));
    assert_eq!(desk.exit(&["init"]), 2);
    assert_eq!(written, ["first.probity.yaml", "probity.yaml"].map(|name| text(&desk.path(name))));

    fs::create_dir(desk.path("half")).unwrap();
    fs::write(desk.path("half/probity.yaml"), "mine").unwrap();
    assert_eq!(desk.exit(&["init", "half"]), 2);
    assert_eq!(children(&desk.path("half")), [desk.path("half/probity.yaml")]);
    assert_eq!(text(&desk.path("half/probity.yaml")), "mine");

    let output = desk.run(&["init", "new/folder", "--url", "http://127.0.0.1:9/health", "--format", "json"]);
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["schema"], "probity/init/1");
    assert_eq!(answer["written"], serde_json::json!(["new/folder/first.probity.yaml", "new/folder/probity.yaml"]));
    assert!(text(&desk.path("new/folder/first.probity.yaml")).contains("GET /health"));
    assert_eq!(desk.exit(&["init", "elsewhere", "--url", "file:///etc/passwd"]), 2);
    assert!(!desk.path("elsewhere").exists());
}

/// A service that gives one JSON answer to everything; it ends with the test.
fn service(body: &'static str) -> String {
    use std::io::{Read as _, Write as _};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        }
    });
    url
}

#[test]
fn what_init_writes_can_be_run_at_once() {
    let desk = Desk::new();
    assert_eq!(desk.exit(&["init", "--url", &service("{}")]), 0);
    let plan = text(&desk.path("first.probity.yaml"));
    assert!(plan.contains("status: 200             # from: observed"), "{plan}");
    assert_eq!(desk.exit(&["run"]), 0);
    // Nobody answers there: nothing was tested.
    assert_eq!(desk.exit(&["init", "gone", "--url", "http://127.0.0.1:1"]), 0);
    let blocked = desk.command(&["run"]).current_dir(desk.path("gone")).output().unwrap();
    assert_eq!(blocked.status.code(), Some(3), "{blocked:?}");
}

#[test]
fn the_page_for_the_first_run_tells_the_truth() {
    let page = text(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/first-run.md"));
    let plan = page.split("```yaml\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(plan.lines().count(), 15);
    let wrong =
        r#"{"items": [{"name": "Mug", "price": 9.99}, {"name": "Cap", "price": 14.5}, {"name": "Pen", "price": 0}]}"#;
    let right =
        r#"{"items": [{"name": "Mug", "price": 9.99}, {"name": "Cap", "price": 14.5}, {"name": "Pen", "price": 1.2}]}"#;
    for (answer, exit) in [(wrong, 1), (right, 0), (r#"{"items": []}"#, 1), (r#"{"error": "no"}"#, 1)] {
        let desk = Desk::new();
        assert_eq!(desk.exit(&["init", "--url", &service(answer)]), 0);
        fs::write(desk.path("first.probity.yaml"), plan).unwrap();
        let output = desk.run(&["run"]);
        assert_eq!(output.status.code(), Some(exit), "{answer}: {output:?}");
    }
}

#[test]
fn verify_gives_the_code_of_the_run_wherever_it_lies() {
    let desk = Desk::new();
    for (words, exit) in [(&[][..], 1), (&["--fixed"][..], 0)] {
        let folder = format!("demo{exit}");
        let (runs, run) = demo(&desk, words, &folder, exit);
        assert_eq!(desk.exit(&["verify", run.to_str().unwrap()]), exit);
        let copied = desk.path(&format!("copy{exit}"));
        copy(&runs, &copied);
        assert_eq!(desk.exit(&["verify", only_run(&copied).to_str().unwrap()]), exit, "copied with its run list");
        let alone = desk.path(&format!("alone{exit}")).join(run.file_name().unwrap());
        copy(&run, &alone);
        assert_eq!(desk.exit(&["verify", alone.to_str().unwrap()]), exit, "copied without its run list");
        let moved = desk.path(&format!("moved{exit}"));
        fs::rename(desk.path(&folder), &moved).unwrap();
        assert_eq!(desk.exit(&["verify", only_run(&moved.join("probity-runs")).to_str().unwrap()]), exit, "moved");
    }
}

#[test]
fn any_edit_of_a_run_is_refused() {
    let desk = Desk::new();
    let (runs, run) = demo(&desk, &["--fixed"], "d", 0);
    for (nth, path) in files(&run).iter().enumerate() {
        let copied = desk.path(&format!("copy{nth}"));
        copy(&runs, &copied);
        let forged = only_run(&copied).join(path.strip_prefix(&run).unwrap());
        let mut bytes = fs::read(&forged).unwrap();
        let at = bytes.len() / 2;
        bytes[at] ^= 1;
        let _ = fs::remove_file(&forged);
        fs::write(&forged, bytes).unwrap();
        let output = desk.run(&["verify", only_run(&copied).to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(6), "{} was changed: {output:?}", forged.display());
        fs::remove_dir_all(copied).unwrap();
    }
}

#[test]
fn a_cut_close_is_named_by_the_run_list_and_is_never_a_pass() {
    let desk = Desk::new();
    let (runs, run) = demo(&desk, &["--fixed"], "d", 0);
    let alone = desk.path("alone").join(run.file_name().unwrap());
    copy(&run, &alone);
    copy(&runs, &desk.path("listed"));
    for (run, exit) in [(only_run(&desk.path("listed")), 6), (alone, 5)] {
        let journal = text(&run.join("journal.jsonl"));
        let (cut, _) = journal.trim_end().rsplit_once('\n').unwrap();
        fs::write(run.join("journal.jsonl"), format!("{cut}\n")).unwrap();
        assert_eq!(desk.exit(&["verify", run.to_str().unwrap()]), exit);
    }
}

#[test]
fn tampering_is_refused() {
    let desk = Desk::new();
    let output = desk.run(&["demo", "--tamper"]);
    assert_eq!(output.status.code(), Some(6), "{output:?}");
    assert!(!output.stdout.is_empty());
}

#[test]
fn each_demo_gives_one_document() {
    let desk = Desk::new();
    for (words, schema, exit) in [
        (&["demo", "--format", "json"][..], "probity/run/1", 1),
        (&["demo", "--fixed", "--format", "json"][..], "probity/run/1", 0),
        (&["demo", "--tamper", "--format", "json"][..], "probity/verify/1", 6),
    ] {
        let output = desk.run(words);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&answer["schema"], output.status.code()), (&Value::from(schema), Some(exit)), "{words:?}");
    }
}
