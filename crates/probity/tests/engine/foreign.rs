//! Run folders that somebody made to do harm, before every command that takes one: refused as broken, in time and in
//! little memory, with nothing of what they point at in any output, and nothing written.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use probity_core::ids::Digest;
use probity_core::journal::Entry;
use probity_core::json::Json;

use crate::lab::{Lab, Ran, runs_in};
use crate::outcomes::WHOLE;

/// What stands in the file that links lead to, outside of every run.
const OUTSIDE: &str = "outside-0f3c5a7e9b1d";

/// A change of a run folder; false where this process may not make it.
type Attack = (&'static str, fn(&Path) -> bool);

const ATTACKS: [Attack; 21] = [
    ("evidence that is a link", |run| replace(&blob(run), &outside(run))),
    ("evidence that is a link to a file of the system", |run| replace(&blob(run), Path::new("/etc/hostname"))),
    ("evidence that is a link to a device", |run| replace(&blob(run), Path::new("/dev/zero"))),
    ("evidence that is a link to nowhere", |run| replace(&blob(run), Path::new("nowhere"))),
    ("a folder of evidence that is a link", |run| replace(&run.join("evidence"), Path::new("/etc"))),
    ("a journal that is a link", |run| replace(&run.join("journal.jsonl"), Path::new("/etc/hostname"))),
    ("a view that is a link", |run| replace(&run.join("report.html"), &outside(run))),
    ("a FIFO beside the evidence", |run| mknod(&run.join("evidence/ab"), "p")),
    ("a FIFO as journal", |run| mknod(&run.join("journal.jsonl"), "p")),
    ("a FIFO as view", |run| mknod(&run.join("report.html"), "p")),
    ("a device as journal", |run| mknod(&run.join("journal.jsonl"), "c 1 5")),
    ("a device as evidence", |run| mknod(&blob(run), "c 1 5")),
    ("evidence with a second name", |run| hard_link(&blob(run), run)),
    ("a journal with a second name", |run| hard_link(&run.join("journal.jsonl"), run)),
    ("evidence of 40 GiB that is not there", |run| sparse(&blob(run), 40 << 30)),
    ("a journal of 3 GiB that is not there", |run| sparse(&run.join("journal.jsonl"), 3 << 30)),
    ("a line of 1 GB", |run| sparse(&run.join("journal.jsonl"), 1_000_000_000)),
    ("a line that is 50,000 lists deep", |run| append(&run.join("journal.jsonl"), &deep())),
    ("folders below folders", |run| std::fs::create_dir_all(run.join("evidence/ab/cd/ef")).is_ok()),
    ("evidence named outside", |run| chained(run, |text| text.replace("\"file\":\"", "\"file\":\"../../../etc/"))),
    ("a plan whose query never ends", |run| chained(run, endless)),
];

/// Those of which the chain is whole.
const CHAINED: [&str; 2] = ["evidence named outside", "a plan whose query never ends"];

fn blob(run: &Path) -> PathBuf {
    let bucket = std::fs::read_dir(run.join("evidence")).unwrap().next().unwrap().unwrap().path();
    std::fs::read_dir(bucket).unwrap().next().unwrap().unwrap().path()
}

fn outside(run: &Path) -> PathBuf {
    run.parent().unwrap().parent().unwrap().join("outside.txt")
}

fn clear(at: &Path) {
    let gone = if at.is_dir() { std::fs::remove_dir_all(at) } else { std::fs::remove_file(at) };
    assert!(gone.is_ok() || !at.exists());
}

fn replace(at: &Path, target: &Path) -> bool {
    clear(at);
    symlink(target, at).is_ok()
}

fn mknod(at: &Path, kind: &str) -> bool {
    clear(at);
    std::fs::create_dir_all(at.parent().unwrap()).unwrap();
    let made = Command::new("mknod").arg(at).args(kind.split(' ')).stderr(Stdio::null()).status();
    made.is_ok_and(|status| status.success())
}

fn hard_link(at: &Path, run: &Path) -> bool {
    std::fs::hard_link(at, run.parent().unwrap().parent().unwrap().join("second-name")).is_ok()
}

fn sparse(at: &Path, size: u64) -> bool {
    clear(at);
    File::create(at).and_then(|file| file.set_len(size)).is_ok()
}

fn append(at: &Path, text: &str) -> bool {
    let before = std::fs::read_to_string(at).unwrap();
    std::fs::write(at, before + text).is_ok()
}

fn deep() -> String {
    format!("{{\"body\":{}{}}}\n", "[".repeat(50_000), "]".repeat(50_000))
}

/// In the place of the sealed plan one with a query that would visit everything eight times over.
fn endless(line: String) -> String {
    if !line.contains("\"role\":\"plan\"") {
        return line;
    }
    let body = probity_core::json::read(line.as_bytes(), &probity_core::json::Limits::default()).unwrap();
    let query = format!("${}", "..[*]".repeat(8));
    let text = format!(
        r#"{{"schemaVersion":2,"scenarios":[{{"id":"ITEM-001","title":"t","steps":[{{"id":"ITEM-001.1","action":"api",
        "method":"POST","path":"/items","testIds":["ITEM-001.C-1.api"],"expectJson":{{"{query}":{{"op":"any","value":1}}}}}}]}}]}}"#
    );
    let map = body.as_map().unwrap();
    let pairs: Vec<(String, Json)> = map
        .iter()
        .map(|(key, value)| {
            let value = match key {
                "content" => Json::map([("text", text.as_str())]),
                "sha256" => Json::from(Digest::of(text.as_bytes()).to_string()),
                "bytes" => Json::from(text.len()),
                _ => value.clone(),
            };
            (key.to_owned(), value)
        })
        .collect();
    Json::map(pairs).to_string()
}

/// Rewrites the bodies of a journal and chains it anew, as whoever holds the folder can.
fn chained(run: &Path, change: impl Fn(String) -> String) -> bool {
    let journal = run.join("journal.jsonl");
    let (mut prev, mut written, mut changed) = (Digest::zero(), Vec::new(), false);
    for line in std::fs::read(&journal).unwrap().split_inclusive(|byte| *byte == b'\n') {
        let (entry, _) = Entry::read(&line[..line.len() - 1]).unwrap();
        let (before, after) = (entry.body.to_string(), change(entry.body.to_string()));
        changed |= before != after;
        let body = probity_core::json::read(after.as_bytes(), &probity_core::json::Limits::default()).unwrap();
        let (line, id) = Entry { body, prev, ..entry }.line().unwrap();
        prev = id;
        written.extend(line);
    }
    assert!(changed, "the attack changes nothing");
    std::fs::write(&journal, written).is_ok()
}

/// Everything below a folder: name, kind, size, time of the last change, target.
fn listing(folder: &Path) -> BTreeMap<PathBuf, (u32, u64, i64, i64, Option<PathBuf>)> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let facts = path.symlink_metadata().unwrap();
            let target = std::fs::read_link(&path).ok();
            found.insert(path.clone(), (facts.mode(), facts.len(), facts.mtime(), facts.mtime_nsec(), target));
            if facts.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

/// Runs the program, with an eye on time and memory.
fn watched(lab: &Lab, words: &[&str]) -> Result<Ran, String> {
    let begun = Instant::now();
    let mut child = lab.command(words).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY").spawn().unwrap();
    let mut most = 0;
    let (stdout, stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reader = |mut from: Box<dyn std::io::Read + Send>| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            from.read_to_end(&mut bytes).map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        })
    };
    let (stdout, stderr) = (reader(Box::new(stdout)), reader(Box::new(stderr)));
    let status = loop {
        most = most.max(resident(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if begun.elapsed() > Duration::from_secs(10) {
            child.kill().unwrap();
            child.wait().unwrap();
            return Err("takes more than 10 s".to_owned());
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let ran = Ran { exit: status.code().unwrap_or(-1), stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() };
    if most > 512 << 10 { Err(format!("holds {most} KiB")) } else { Ok(ran) }
}

/// The most memory that a process held so far, in KiB, where the system says so.
fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

/// A run that passed, and the same as if its process had been lost before it closed.
fn ran(open: bool) -> (Lab, PathBuf) {
    let lab = Lab::new(WHOLE);
    lab.write("tools/count.sh", "echo '1 line'\n");
    lab.write("outside.txt", OUTSIDE);
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    if open {
        let shortened = |path: &Path, keep: fn(&str) -> usize| {
            let text = std::fs::read_to_string(path).unwrap();
            let lines: Vec<&str> = text.split_inclusive('\n').collect();
            std::fs::write(path, lines[..keep(&text)].concat()).unwrap();
        };
        shortened(&dir.join("journal.jsonl"), |text| text.lines().count() - 1);
        shortened(&dir.parent().unwrap().join("index.jsonl"), |_| 1);
    }
    (lab, dir)
}

/// Each attack on a fresh copy of a run, before each command.
fn refused(open: bool, commands: &[&[&str]]) {
    let (lab, dir) = ran(open);
    let root = dir.parent().unwrap().to_path_buf();
    let kept = lab.dir.path().join("kept");
    std::fs::rename(&root, &kept).unwrap();
    let hostname = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let hostname = hostname.trim();
    let (mut wrong, mut made) = (Vec::new(), 0);
    let sent = lab.server.hits().len();
    for (name, attack) in ATTACKS {
        assert!(Command::new("cp").arg("-a").args([&kept, &root]).status().unwrap().success());
        let run = runs_in(&root).remove(0);
        if attack(&run) {
            made += 1;
            let before = listing(&root);
            for words in commands {
                let said = match watched(&lab, words) {
                    Ok(ran) if ran.exit == 6 => ran.said(),
                    Ok(ran) => {
                        wrong.push(format!("{name}: {words:?}: {}", ran.said()));
                        continue;
                    }
                    Err(why) => {
                        wrong.push(format!("{name}: {words:?} {why}"));
                        continue;
                    }
                };
                if said.contains(OUTSIDE) || (hostname.len() > 3 && said.contains(hostname)) {
                    wrong.push(format!("{name}: {words:?} shows what the link leads to: {said}"));
                }
                if said.contains("panicked") {
                    wrong.push(format!("{name}: {words:?} {said}"));
                }
            }
            // A run that holds together as a chain is closed, never as a pass: that is what taking it up is for.
            let closes = open && CHAINED.contains(&name);
            if !closes && listing(&root) != before {
                wrong.push(format!("{name}: something was written"));
            }
        }
        clear(&root);
        let _ = std::fs::remove_file(lab.dir.path().join("second-name"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(lab.server.hits().len(), sent, "nothing is sent for a folder that is broken");
    // Devices take a right that this process may lack.
    assert!(made >= ATTACKS.len() - 2, "only {made} attacks were made");
}

#[test]
fn a_hostile_folder_is_refused_by_every_command_that_reads_it() {
    refused(
        false,
        &[
            &["verify"],
            &["verify", "--integrity-only", "--format", "json"],
            &["report", "--as", "html"],
            &["report", "--as", "md"],
            &["report", "--as", "json"],
            &["show", "e1"],
            &["show", "C-1", "--format", "json"],
            &["why"],
            &["why", "--format", "json"],
            &["open"],
        ],
    );
}

#[test]
fn a_hostile_folder_is_not_taken_up_closed_or_not() {
    let runs = |open| refused(open, &[&["run", "--resume", "20"], &["run", "--resume", "20", "--format", "json"]]);
    runs(false);
    runs(true);
}
