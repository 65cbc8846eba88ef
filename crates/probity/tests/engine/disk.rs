//! Disks that are full, folders that cannot be written, files that cannot grow: never a pass, nothing that would verify as
//! one, and words that name the place and what to do.

use std::path::Path;
use std::process::Command;

use crate::lab::{Lab, Ran, done, journal, runs_in};
use crate::outcomes::WHOLE;

fn lab() -> Lab {
    let lab = Lab::new(WHOLE);
    lab.write("tools/count.sh", "echo '1 line'\n");
    lab
}

/// Runs a script in the project, `$PROBITY` being the program.
fn shell(lab: &Lab, before: &[&str], script: &str) -> Ran {
    let words: Vec<&str> = before.iter().copied().chain(["sh", "-c", script]).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(lab.dir.path()).env("PROBITY", env!("CARGO_BIN_EXE_probity"));
    for name in ["PROBITY_OUT", "PROBITY_ENV", "PROBITY_FORMAT", "FORCE_COLOR"] {
        command.env_remove(name);
    }
    done(&command.output().unwrap())
}

/// What stands behind `NAME=` in what a script said.
fn code(ran: &Ran, name: &str) -> i32 {
    let found = ran.stdout.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
    found.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no {name}: {}", ran.said()))
}

/// What must hold of a run that ran out of room, or did not.
fn never_half(what: &str, ran: &Ran, run: i32, verify: i32) {
    assert!(!ran.said().contains("panicked"), "{what}: {}", ran.said());
    if run == 0 {
        assert_eq!(verify, 0, "{what}: {}", ran.said());
        return;
    }
    assert!([2, 5, 6].contains(&run), "{what}: {}", ran.said());
    assert!([2, 5, 6].contains(&verify), "{what}: verify gives {verify}: {}", ran.said());
    assert!(ran.stderr.contains("probity-runs"), "{what}: the place is not named: {}", ran.said());
    assert!(ran.stderr.contains("help"), "{what}: nothing is said of what to do: {}", ran.said());
}

/// Runs, verifies, and tells both exit codes.
const BOTH: &str = "; echo run=$?; \"$PROBITY\" verify >/dev/null 2>&1; echo verify=$?";

/// No file can grow past a limit, from one that nothing fits under to one that everything does.
#[test]
fn files_that_cannot_grow_are_never_a_pass() {
    let mut seen = std::collections::BTreeSet::new();
    for blocks in [0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64, 96, 128, 1024] {
        let lab = lab();
        let script = format!("(trap '' XFSZ; ulimit -f {blocks}; exec \"$PROBITY\" run){BOTH}");
        let ran = shell(&lab, &[], &script);
        let (run, verify) = (code(&ran, "run"), code(&ran, "verify"));
        never_half(&format!("{blocks} blocks"), &ran, run, verify);
        taken_up(&lab, run);
        seen.insert((run, verify));
    }
    assert!(seen.contains(&(0, 0)) && seen.len() > 2, "{seen:?}");
}

/// With room again the run is closed, or its views are written again, and `verify` gives the same answer.
fn taken_up(lab: &Lab, run: i32) {
    let runs = runs_in(&lab.dir.path().join("probity-runs"));
    let Some(dir) = runs.first().filter(|dir| !journal(dir).is_empty()) else { return };
    let whole = closed(dir);
    let resumed = lab.run(&["--resume", dir.file_name().unwrap().to_str().unwrap()]);
    let verified = done(&lab.command(&["verify"]).output().unwrap());
    assert_eq!(resumed.exit, verified.exit, "{}\n{}", resumed.said(), verified.said());
    // What was closed had everything recorded; what was not has something that nobody knows.
    assert!(
        if whole { verified.exit == 0 } else { matches!(verified.exit, 3 | 5) },
        "after {run}: {}",
        verified.said()
    );
}

fn closed(dir: &Path) -> bool {
    journal(dir).last().is_some_and(|entry| entry["kind"] == "run.closed")
}

/// Words that put a script into a mount namespace of its own, so that nothing that it mounts stays.
fn namespace() -> &'static [&'static str] {
    const WAYS: [&[&str]; 2] = [&["unshare", "-m"], &["unshare", "-rm"]];
    let works = |way: &&&[&str]| {
        let mut probe = Command::new(way[0]);
        probe.args(&way[1..]).args(["sh", "-c", "mount -t tmpfs none /mnt"]);
        probe.output().is_ok_and(|output| output.status.success())
    };
    WAYS.iter().find(works).expect("nobody may mount here; leave these out with -E 'not test(needs_mount)'")
}

#[test]
fn needs_mount_a_full_disk_is_never_a_pass() {
    let mut seen = std::collections::BTreeSet::new();
    for kib in [8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 256, 1024] {
        let lab = lab();
        // A copy outlives the namespace.
        let script = format!(
            "mkdir probity-runs kept; mount -t tmpfs -o size={kib}k none probity-runs || exit 9
            \"$PROBITY\" run{BOTH}; cp -a probity-runs/. kept/"
        );
        let ran = shell(&lab, namespace(), &script);
        let (run, verify) = (code(&ran, "run"), code(&ran, "verify"));
        never_half(&format!("{kib} KiB"), &ran, run, verify);
        std::fs::remove_dir(lab.dir.path().join("probity-runs")).unwrap();
        std::fs::rename(lab.dir.path().join("kept"), lab.dir.path().join("probity-runs")).unwrap();
        taken_up(&lab, run);
        seen.insert((run, verify));
    }
    assert!(seen.contains(&(0, 0)) && seen.len() > 2, "{seen:?}");
}

#[test]
fn needs_mount_a_read_only_folder_is_named_and_can_be_read() {
    let lab = lab();
    let script = "mkdir probity-runs; mount -t tmpfs -o ro none probity-runs || exit 9; \"$PROBITY\" run; echo run=$?";
    let ran = shell(&lab, namespace(), script);
    assert_eq!(code(&ran, "run"), 2, "{}", ran.said());
    assert!(ran.stderr.contains("folder_unwritable") && ran.stderr.contains("probity-runs"), "{}", ran.said());
    assert!(ran.stderr.contains("help") && lab.server.hits().is_empty(), "{}", ran.said());
    // A run that lies where nothing can be written is read all the same, and taking it up says why it cannot be.
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let before = std::fs::read(dir.join("journal.jsonl")).unwrap();
    let script = "mount --bind probity-runs probity-runs && mount -o remount,bind,ro probity-runs || exit 9
        for words in verify why 'show e1' 'report --as html' open; do
            \"$PROBITY\" $words >/dev/null 2>&1 || echo \"$words gives $?\"
        done
        \"$PROBITY\" run --resume 20; echo resume=$?; \"$PROBITY\" run; echo run=$?";
    let ran = shell(&lab, namespace(), script);
    assert!(!ran.stdout.contains(" gives "), "{}", ran.said());
    assert_eq!((code(&ran, "resume"), code(&ran, "run")), (2, 2), "{}", ran.said());
    assert!(ran.stderr.contains("folder_unwritable") && !ran.said().contains("panicked"), "{}", ran.said());
    assert_eq!(std::fs::read(dir.join("journal.jsonl")).unwrap(), before);
}
