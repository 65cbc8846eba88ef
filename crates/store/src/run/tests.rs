use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

use probity_core::codes::Code;
use probity_core::journal::Entry;
use proptest::prelude::*;

use super::*;
use crate::naming::JOURNAL;

const AT: &str = "2026-11-30T14:24:02.123Z";

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

fn body(text: &str) -> Json {
    Json::map([("note", text)])
}

fn started(runs: &Path) -> RunFolder {
    let mut run = RunFolder::create(runs, &id("r1")).unwrap();
    run.append(AT, 0, Kind::RunOpened, body("open")).unwrap();
    run
}

#[test]
fn entries_chain_and_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    let (seq, second) = run.append(AT, 5, Kind::PlanChecked, body("ok")).unwrap();
    assert_eq!((seq, run.entries(), run.head()), (1, 2, second));
    run.sync().unwrap();
    run.read_back().unwrap();
    let bytes = fs::read(run.path().join(JOURNAL)).unwrap();
    let lines: Vec<_> =
        bytes.split_inclusive(|b| *b == b'\n').map(|l| Entry::read(&l[..l.len() - 1]).unwrap()).collect();
    assert_eq!(lines[0].0.prev, Digest::zero());
    assert_eq!((lines[1].0.prev, lines[1].0.seq, lines[1].1), (lines[0].1, 1, second));
    assert_eq!(run.seal().to_string(), format!("2:{}", second.short()));
    assert_eq!(fs::read_to_string(dir.path().join(".gitignore")).unwrap(), "*\n");
    assert_eq!(fs::read_to_string(dir.path().join(".gitattributes")).unwrap(), "* -text\n");
}

#[test]
fn an_entry_may_go_to_the_kernel_with_the_next_one() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    let journal = run.path().join(JOURNAL);
    let lines = || fs::read_to_string(&journal).unwrap().lines().count();
    let (seq, held) = run.append_with_next(AT, 1, Kind::PlanChecked, body("one")).unwrap();
    assert_eq!((seq, run.entries(), run.head(), lines()), (1, 2, held, 1));
    run.append(AT, 2, Kind::RuntimeObserved, body("two")).unwrap();
    assert_eq!(lines(), 3);
    run.append_with_next(AT, 3, Kind::RuntimeObserved, body("three")).unwrap();
    assert_eq!(lines(), 3);
    run.sync().unwrap();
    assert_eq!(lines(), 4);
    run.read_back().unwrap();
}

#[test]
fn nothing_follows_run_closed() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    run.append(AT, 1, Kind::RunClosed, body("done")).unwrap();
    assert_eq!(run.append(AT, 2, Kind::PlanChecked, body("late")).unwrap_err().code(), Code::RunExists);
    assert!(!run.recording_failed());
    drop(run);
    let reopened = Reopened::open(&dir.path().join("r1")).unwrap();
    assert!(reopened.closed());
    reopened.write_view("report.md", b"again").unwrap();
    assert_eq!(reopened.resume().unwrap_err().code(), Code::RunExists);
}

#[test]
fn a_run_is_made_once_and_what_the_project_wrote_stays() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".gitignore"), "mine\n").unwrap();
    let run = started(dir.path());
    assert_eq!(RunFolder::create(dir.path(), &id("r1")).unwrap_err().code(), Code::RunExists);
    drop(run);
    assert_eq!(RunFolder::create(dir.path(), &id("r1")).unwrap_err().code(), Code::RunExists);
    assert_eq!(fs::read_to_string(dir.path().join(".gitignore")).unwrap(), "mine\n");
}

/// Vector 401: a second writer changes nothing; a dead one is in nobody's way.
#[test]
fn one_writer_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    let path = run.path().to_owned();
    let before = fs::read(path.join(JOURNAL)).unwrap();
    assert_eq!(Reopened::open(&path).unwrap_err().code(), Code::RunLocked);
    assert_eq!(fs::read(path.join(JOURNAL)).unwrap(), before);
    drop(run);
    let mut again = Reopened::open(&path).unwrap().resume().unwrap();
    assert_eq!(Reopened::open(&path).unwrap_err().code(), Code::RunLocked);
    again.append(AT, 0, Kind::RuntimeObserved, body("resumed")).unwrap();
    assert_eq!(again.generation(), 2);
    again.read_back().unwrap();
    let after = fs::read(path.join(JOURNAL)).unwrap();
    assert!(after.starts_with(&before) && after.len() > before.len());
}

/// As if the process had been killed at each byte: whole lines are kept, and there is always an answer.
#[test]
fn cut_at_every_byte() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    run.append(AT, 1, Kind::PlanChecked, body("two")).unwrap();
    run.append(AT, 2, Kind::RuntimeObserved, body("three")).unwrap();
    let path = run.path().to_owned();
    drop(run);
    let whole = fs::read(path.join(JOURNAL)).unwrap();
    for cut in 0..=whole.len() {
        fs::write(path.join(JOURNAL), &whole[..cut]).unwrap();
        let lines = whole[..cut].iter().filter(|b| **b == b'\n').count() as u64;
        let mut reopened = Reopened::open(&path).unwrap();
        assert_eq!(reopened.entries(), lines, "{cut}");
        let torn = reopened.torn().cloned();
        assert_eq!(torn.is_some(), cut > 0 && whole[cut - 1] != b'\n', "{cut}");
        if let Some(torn) = torn {
            assert_eq!(torn.bytes as usize + reopened.journal().len(), cut);
            // Without being asked, nothing is dropped.
            assert_eq!(reopened.resume().unwrap_err().code(), Code::JournalPartialLine);
            assert_eq!(fs::metadata(path.join(JOURNAL)).unwrap().len() as usize, cut);
            reopened = Reopened::open(&path).unwrap();
            let dropped = reopened.drop_torn_tail().unwrap().unwrap();
            assert_eq!(dropped, torn);
            assert!(reopened.drop_torn_tail().unwrap().is_none());
        }
        let mut run = reopened.resume().unwrap();
        let (seq, _) = run.append(AT, 0, Kind::RunClosed, body("lost")).unwrap();
        assert_eq!(seq, lines);
        run.read_back().unwrap();
        drop(run);
        assert!(Reopened::open(&path).unwrap().closed());
    }
}

#[test]
fn a_changed_line_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    run.append(AT, 1, Kind::PlanChecked, body("two")).unwrap();
    run.append(AT, 2, Kind::RunClosed, body("three")).unwrap();
    let path = run.path().to_owned();
    drop(run);
    let whole = fs::read(path.join(JOURNAL)).unwrap();
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let cases: [(Vec<u8>, Code); 6] = [
        ([lines[0], lines[2]].concat(), Code::ChainBroken),
        ([lines[1], lines[0], lines[2]].concat(), Code::ChainBroken),
        ([lines[0], lines[1], lines[2], lines[1]].concat(), Code::EntryAfterClose),
        (text(&whole).replace("two", "twO").into_bytes(), Code::ChainBroken),
        (text(&whole).replacen('{', "{ ", 1).into_bytes(), Code::EntryNotCanonical),
        ([lines[0], b"\n"].concat(), Code::EntryNotCanonical),
    ];
    for (bytes, code) in cases {
        fs::write(path.join(JOURNAL), &bytes).unwrap();
        assert_eq!(Reopened::open(&path).unwrap_err().code(), code, "{}", text(&bytes));
    }
    fs::remove_file(path.join(JOURNAL)).unwrap();
    assert_eq!(Reopened::open(&path).unwrap_err().code(), Code::JournalUnreadable);
    std::os::unix::fs::symlink("/etc/hostname", path.join(JOURNAL)).unwrap();
    assert_eq!(Reopened::open(&path).unwrap_err().code(), Code::LinkRefused);
}

#[test]
fn read_back_sees_what_others_did() {
    type Change = fn(&Path);
    let changes: [(&str, Change); 5] = [
        ("appended", |p| fs::write(p, [fs::read(p).unwrap(), b"x\n".to_vec()].concat()).unwrap()),
        ("edited", |p| fs::write(p, String::from_utf8(fs::read(p).unwrap()).unwrap().replace("open", "opeN")).unwrap()),
        ("emptied", |p| fs::write(p, "").unwrap()),
        ("replaced", |p| {
            fs::copy(p, p.with_extension("copy")).unwrap();
            fs::rename(p.with_extension("copy"), p).unwrap();
        }),
        ("linked", |p| fs::hard_link(p, p.with_extension("second")).unwrap()),
    ];
    for (what, change) in changes {
        let dir = tempfile::tempdir().unwrap();
        let run = started(dir.path());
        run.read_back().unwrap();
        change(&run.path().join(JOURNAL));
        assert_eq!(run.read_back().unwrap_err().code(), Code::ReadBackDiffers, "{what}");
    }
}

#[test]
fn evidence_is_kept_once_read_only_and_with_one_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    let first = run.keep_evidence(b"{}", "json").unwrap();
    assert!(first.new);
    assert_eq!(first.name, format!("evidence/44/{}.json", Digest::of(b"{}")));
    let file = run.path().join(&first.name);
    let meta = fs::metadata(&file).unwrap();
    assert_eq!((meta.permissions().mode() & 0o7777, meta.nlink(), first.size), (0o444, 1, 2));
    // The same bytes under another type stay under the name they have.
    let second = run.keep_evidence(b"{}", "txt").unwrap();
    assert_eq!((second.name.as_str(), second.new), (first.name.as_str(), false));
    assert_eq!(fs::read_dir(file.parent().unwrap()).unwrap().count(), 1);
    for bad in ["html", "../x", "", "JSON"] {
        assert_eq!(run.keep_evidence(b"x", bad).unwrap_err().code(), Code::PathAbsolute, "{bad}");
    }
    for n in 0..40_u8 {
        run.keep_evidence(&[n], "bin").unwrap();
    }
    run.sync().unwrap();
    run.keep_evidence(b"few", "bin").unwrap();
    run.sync().unwrap();
}

#[test]
fn resuming_takes_up_evidence_and_clears_what_was_half_written() {
    let dir = tempfile::tempdir().unwrap();
    let mut run = started(dir.path());
    let kept = run.keep_evidence(b"abc", "txt").unwrap();
    let path = run.path().to_owned();
    drop(run);
    let file = path.join(&kept.name);
    let half = file.with_file_name(".new-7");
    fs::write(&half, "half").unwrap();
    fs::remove_file(&file).unwrap();
    fs::write(&file, "torn by a crash").unwrap();
    let mut run = Reopened::open(&path).unwrap().resume().unwrap();
    assert!(!half.exists());
    let again = run.keep_evidence(b"abc", "bin").unwrap();
    assert_eq!(again.name, kept.name);
    assert_eq!(fs::read(&file).unwrap(), b"abc");
}

#[test]
fn evidence_is_not_written_through_a_link() {
    let dir = tempfile::tempdir().unwrap();
    let outside = dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let mut run = started(&dir.path().join("runs"));
    let bucket = &Digest::of(b"x").to_string()[..2];
    std::os::unix::fs::symlink(&outside, run.path().join(EVIDENCE).join(bucket)).unwrap();
    assert_eq!(run.keep_evidence(b"x", "bin").unwrap_err().code(), Code::RecordingFailed);
    assert!(run.recording_failed());
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn views_are_whole_and_plainly_named() {
    let dir = tempfile::tempdir().unwrap();
    let run = started(dir.path());
    run.write_view("report.md", b"one").unwrap();
    run.write_view("report.md", b"two").unwrap();
    let file = run.path().join("report.md");
    assert_eq!(fs::read(&file).unwrap(), b"two");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o644);
    for bad in ["journal.jsonl", "evidence", "index.jsonl", "../x", "/x", "a/b", ".x", "", "a\0"] {
        assert_eq!(run.write_view(bad, b"").unwrap_err().code(), Code::PathAbsolute, "{bad:?}");
    }
    // A link in its place is replaced, not followed.
    let outside = dir.path().join("outside");
    fs::write(&outside, "kept").unwrap();
    std::os::unix::fs::symlink(&outside, run.path().join("ctrf.json")).unwrap();
    run.write_view("ctrf.json", b"{}").unwrap();
    assert_eq!(fs::read(&outside).unwrap(), b"kept");
    let names: Vec<_> = fs::read_dir(run.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let dir = tempfile::tempdir().unwrap();
    // Holds for any user, root too: a file stands where the root should be.
    fs::write(dir.path().join("file"), "").unwrap();
    let error = RunFolder::create(&dir.path().join("file"), &id("r1")).unwrap_err();
    assert_eq!(error.code(), Code::FolderUnwritable);
    let error = RunFolder::create(Path::new("/proc/probity-runs"), &id("r1")).unwrap_err();
    assert_eq!(error.code(), Code::FolderUnwritable);
    if !rustix::process::geteuid().is_root() {
        let closed = dir.path().join("closed");
        fs::create_dir(&closed).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o555)).unwrap();
        let error = RunFolder::create(&closed, &id("r1")).unwrap_err();
        assert_eq!(error.code(), Code::FolderUnwritable);
        assert!(error.to_string().contains("ermission"), "{error}");
    }
}

/// Runs in a child whose files cannot grow past a few blocks; see [`a_full_disk_poisons_the_writer`].
#[test]
#[ignore = "started by a_full_disk_poisons_the_writer"]
fn on_a_full_disk() {
    let dir = std::env::var_os("PROBITY_TEST_FULL").unwrap();
    let mut run = started(Path::new(&dir));
    let error =
        (1..100_000).find_map(|i| run.append(AT, i, Kind::RuntimeObserved, body(&"x".repeat(300))).err()).unwrap();
    assert_eq!(error.code(), Code::RecordingFailed);
    // Cut back to whole lines, and nothing is taken any more, though a shorter line would still fit.
    run.read_back().unwrap();
    assert_eq!(run.append(AT, 0, Kind::RunClosed, body("")).unwrap_err().code(), Code::RecordingFailed);
    assert!(run.recording_failed());
    assert_eq!(run.keep_evidence(&vec![7; 1 << 20], "bin").unwrap_err().code(), Code::RecordingFailed);
    assert_eq!(run.write_view("report.md", &vec![7; 1 << 20]).unwrap_err().code(), Code::FolderUnwritable);
}

#[test]
fn a_full_disk_poisons_the_writer() {
    let dir = tempfile::tempdir().unwrap();
    let status = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 16; exec \"$0\" --exact run::tests::on_a_full_disk --ignored"])
        .arg(std::env::current_exe().unwrap())
        .env("PROBITY_TEST_FULL", dir.path())
        .output()
        .unwrap();
    assert!(status.status.success(), "{}", String::from_utf8_lossy(&status.stdout));
    let path = dir.path().join("r1");
    let reopened = Reopened::open(&path).unwrap();
    assert!(reopened.torn().is_none() && reopened.entries() > 5);
    let mut names: Vec<_> = fs::read_dir(&path).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [EVIDENCE, JOURNAL]);
    for bucket in fs::read_dir(path.join(EVIDENCE)).unwrap() {
        assert_eq!(fs::read_dir(bucket.unwrap().path()).unwrap().count(), 0, "a half file was left");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn whatever_is_appended_reads_back(texts in proptest::collection::vec(any::<String>(), 1..12), resume_at in 0..12_usize) {
        let dir = tempfile::tempdir().unwrap();
        let mut run = started(dir.path());
        for (i, text) in texts.iter().enumerate() {
            if i == resume_at {
                let path = run.path().to_owned();
                drop(run);
                run = Reopened::open(&path).unwrap().resume().unwrap();
            }
            run.append(AT, i as u64, Kind::RuntimeObserved, body(text)).unwrap();
        }
        run.read_back().unwrap();
        let (entries, head, path) = (run.entries(), run.head(), run.path().to_owned());
        drop(run);
        let again = Reopened::open(&path).unwrap();
        prop_assert_eq!((again.entries(), again.head()), (entries, head));
        prop_assert_eq!(again.generation(), if resume_at < texts.len() { 2 } else { 1 });
    }
}
