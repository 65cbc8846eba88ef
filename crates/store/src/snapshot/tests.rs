use std::fs;
use std::os::unix::fs::{MetadataExt as _, symlink};
use std::path::PathBuf;
use std::time::Instant;

use probity_core::ids::Id;
use probity_core::journal::Kind;
use probity_core::json::Json;
use proptest::prelude::*;
use rustix::fs::{CWD, FileType, Mode};

use super::*;
use crate::run::RunFolder;

/// A run as this crate writes it: two entries, three pieces of evidence, two views.
fn sample() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let mut run = RunFolder::create(dir.path(), &Id::parse("r1").unwrap()).unwrap();
    run.append("2026-11-30T14:24:02.123Z", 0, Kind::RunOpened, Json::map([("a", 1)])).unwrap();
    for bytes in [b"abc".to_vec(), vec![7; 700_000], Vec::new()] {
        run.keep_evidence(&bytes, "txt").unwrap();
    }
    run.write_view("report.md", b"# report").unwrap();
    run.write_view("results.json", b"{}").unwrap();
    run.append("2026-11-30T14:24:02.123Z", 1, Kind::RunClosed, Json::map([("a", 1)])).unwrap();
    let path = run.path().to_owned();
    (dir, path)
}

fn read(path: &Path) -> Result<Snapshot, Vec<Problem>> {
    Snapshot::of_folder(path, &Budget::default())
}

fn refused(path: &Path, budget: &Budget) -> Problem {
    let begun = Instant::now();
    let problem = Snapshot::of_folder(path, budget).unwrap_err().remove(0);
    assert!(begun.elapsed() < Duration::from_secs(5), "{problem}");
    problem
}

/// The files of a folder as a map.
fn files(path: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut map = BTreeMap::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let at = entry.unwrap().path();
            if at.is_dir() {
                folders.push(at);
            } else {
                let name = at.strip_prefix(path).unwrap().to_str().unwrap().to_owned();
                map.insert(name, fs::read(at).unwrap());
            }
        }
    }
    map
}

#[test]
fn holds_what_the_writer_wrote_on_disk_and_in_memory_alike() {
    let (_dir, path) = sample();
    let (disk, memory) = (read(&path).unwrap(), Snapshot::in_memory(files(&path)).unwrap());
    for snapshot in [&disk, &memory] {
        assert_eq!(snapshot.journal(), fs::read(path.join(JOURNAL)).unwrap());
        assert_eq!(snapshot.view("report.md", b"# report"), ViewSeen::Same);
        for other in [&b"# repost"[..], b"", b"# report\n"] {
            assert_eq!(snapshot.view("report.md", other), ViewSeen::Differs(1));
        }
        assert_eq!((snapshot.view("absent", b""), snapshot.view(JOURNAL, b"")), (ViewSeen::Missing, ViewSeen::Missing));
        assert_eq!(snapshot.files().count(), 5);
        for bytes in [b"abc".to_vec(), vec![7; 700_000], Vec::new()] {
            let digest = Digest::of(&bytes);
            let (name, facts) = snapshot.evidence_facts(&digest).unwrap();
            assert_eq!(digest_of_name(name), Some(digest));
            assert_eq!(facts, FileFacts { size: bytes.len() as u64, digest: Some(digest) });
            assert_eq!(*snapshot.evidence(&digest).unwrap(), bytes);
        }
        assert_eq!(snapshot.evidence(&Digest::of(b"no")).unwrap_err().code, Code::EvidenceMissing);
    }
    let facts = |s: &Snapshot| s.files().map(|(n, f)| (n.to_owned(), f)).collect::<Vec<_>>();
    assert_eq!(facts(&disk), facts(&memory));
}

#[test]
fn reading_changes_nothing() {
    let (_dir, path) = sample();
    let stamps = || {
        let mut all: Vec<_> = files(&path).into_keys().collect();
        all.extend(["evidence".into(), String::new()]);
        let of = |n: &String| fs::metadata(path.join(n)).map(|m| (m.mtime_nsec(), m.ctime_nsec(), m.size())).unwrap();
        all.iter().map(|n| (n.clone(), of(n))).collect::<Vec<_>>()
    };
    let before = stamps();
    read(&path).unwrap().evidence(&Digest::of(b"abc")).unwrap();
    assert_eq!(stamps(), before);
}

#[test]
fn nothing_is_followed_and_nothing_is_waited_for() {
    let evidence = |path: &Path| path.join(crate::naming::evidence_name(&Digest::of(b"abc"), "txt"));
    let replace = |at: PathBuf, target: &str| {
        let removed = if at.is_dir() { fs::remove_dir_all(&at) } else { fs::remove_file(&at) };
        removed.unwrap();
        symlink(target, at).unwrap();
    };
    type Change<'a> = Box<dyn Fn(&Path) + 'a>;
    let changes: Vec<(&str, Change<'_>)> = vec![
        ("link to a file", Box::new(|p| replace(evidence(p), "/etc/hostname"))),
        ("link to a device", Box::new(|p| replace(evidence(p), "/dev/zero"))),
        ("dangling link", Box::new(|p| replace(evidence(p), "nowhere"))),
        ("link inside the folder", Box::new(|p| replace(evidence(p), "../../report.md"))),
        ("linked folder", Box::new(|p| replace(p.join("evidence"), "/etc"))),
        ("linked journal", Box::new(|p| replace(p.join(JOURNAL), "/etc/hostname"))),
        ("linked view", Box::new(|p| replace(p.join("report.md"), "/etc/hostname"))),
        ("second name", Box::new(|p| fs::hard_link(p.join("report.md"), p.join("copy.md")).unwrap())),
        ("second name outside", Box::new(|p| fs::hard_link(evidence(p), p.parent().unwrap().join("x")).unwrap())),
        ("second name of the journal", Box::new(|p| fs::hard_link(p.join(JOURNAL), p.with_extension("x")).unwrap())),
        (
            "FIFO",
            Box::new(|p| {
                rustix::fs::mknodat(CWD, p.join("evidence/ab"), FileType::Fifo, Mode::RUSR, 0).unwrap();
            }),
        ),
        (
            "FIFO as journal",
            Box::new(|p| {
                fs::remove_file(p.join(JOURNAL)).unwrap();
                rustix::fs::mknodat(CWD, p.join(JOURNAL), FileType::Fifo, Mode::RUSR, 0).unwrap();
            }),
        ),
        ("socket", Box::new(|p| drop(std::os::unix::net::UnixListener::bind(p.join("s")).unwrap()))),
    ];
    for (what, change) in changes {
        let (_dir, path) = sample();
        change(&path);
        let problem = refused(&path, &Budget::default());
        assert_eq!(problem.code, Code::LinkRefused, "{what}: {problem}");
        let hostname = fs::read_to_string("/etc/hostname").unwrap_or_else(|_| "none".into());
        assert!(!problem.to_string().contains(hostname.trim()) || hostname.trim().is_empty());
    }
}

/// Where this process may make devices, one is refused without being opened.
#[test]
fn devices_are_refused() {
    let (_dir, path) = sample();
    let zero = rustix::fs::makedev(1, 5);
    if rustix::fs::mknodat(CWD, path.join("zero"), FileType::CharacterDevice, Mode::RUSR, zero).is_ok() {
        assert_eq!(refused(&path, &Budget::default()).code, Code::LinkRefused);
    }
}

#[test]
fn what_opens_is_looked_at_again() {
    // As if a file had become something else between listing and opening.
    let (_dir, path) = sample();
    let folder = crate::beneath::Folder::open(&path).unwrap();
    symlink("/etc/hostname", path.join("link")).unwrap();
    rustix::fs::mknodat(CWD, path.join("fifo"), FileType::Fifo, Mode::RUSR, 0).unwrap();
    for name in ["link", "fifo", "evidence"] {
        assert_eq!(folder::open(&folder, name).unwrap_err().code, Code::LinkRefused, "{name}");
    }
}

#[test]
fn giants_are_refused_by_size() {
    let sparse = |path: &Path, name: &str, size: u64| {
        let file = fs::File::options().create(true).append(true).open(path.join(name)).unwrap();
        file.set_len(size).unwrap();
    };
    for (name, size, file) in [
        ("evidence/giant.bin", 40 << 30, "evidence/giant.bin"),
        (JOURNAL, 3 << 30, JOURNAL),
        (JOURNAL, 1_000_000_000, JOURNAL),
        ("report.html", 65 << 20, "report.html"),
    ] {
        let (_dir, path) = sample();
        sparse(&path, name, size);
        let problem = refused(&path, &Budget::default());
        assert_eq!((problem.code, problem.file.as_str()), (Code::OverBudget, file), "{problem}");
    }
    // Many that are fine one by one.
    let (_dir, path) = sample();
    for i in 0..20 {
        sparse(&path, &format!("evidence/{i}.bin"), 100);
    }
    let mut budget = Budget { bytes: 704_000, ..Budget::default() };
    assert_eq!(refused(&path, &Budget { bytes: 701_500, ..budget }).code, Code::OverBudget);
    assert!(Snapshot::of_folder(&path, &budget).is_ok());
    // What is held need not be read again, however large it is.
    (budget.content, budget.held) = (1_000, 0);
    let snapshot = Snapshot::of_folder(&path, &budget).unwrap();
    assert_eq!(snapshot.evidence(&Digest::of(&vec![7; 700_000])).unwrap_err().code, Code::OverBudget);
}

#[test]
fn number_depth_and_time_are_bounded() {
    let (_dir, path) = sample();
    let fine = Budget::default();
    // Journal, evidence, two views, three buckets, three files.
    assert!(Snapshot::of_folder(&path, &Budget { files: 10, ..fine }).is_ok());
    assert_eq!(refused(&path, &Budget { files: 9, ..fine }).code, Code::OverBudget);
    assert_eq!(refused(&path, &Budget { time: Duration::ZERO, ..fine }).code, Code::OverBudget);
    fs::create_dir_all(path.join("evidence/ab/cd/ef")).unwrap();
    let problem = refused(&path, &fine);
    assert_eq!((problem.code, problem.file.as_str()), (Code::OverBudget, "evidence/ab/cd/ef"));
}

#[test]
fn a_folder_without_a_journal_is_no_run() {
    let (_dir, path) = sample();
    fs::remove_file(path.join(JOURNAL)).unwrap();
    assert_eq!(refused(&path, &Budget::default()).code, Code::JournalUnreadable);
    assert_eq!(refused(&path.join("absent"), &Budget::default()).code, Code::RunUnknown);
    assert_eq!(refused(&path.join("report.md"), &Budget::default()).code, Code::RunUnknown);
    assert_eq!(Snapshot::in_memory(BTreeMap::new()).unwrap_err()[0].code, Code::JournalUnreadable);
}

#[test]
fn evidence_is_hashed_when_it_is_handed_out() {
    let (_dir, path) = sample();
    let good = vec![7; 700_000];
    let digest = Digest::of(&good);
    let file = path.join(read(&path).unwrap().evidence_facts(&digest).unwrap().0);
    let held = read(&path).unwrap();
    let snapshot = Snapshot::of_folder(&path, &Budget { held: 0, ..Budget::default() }).unwrap();
    let other = vec![8; 700_000];
    let longer = vec![7; 700_001];
    for (bytes, code) in [(&other, Code::EvidenceChanged), (&longer, Code::EvidenceSize)] {
        fs::remove_file(&file).unwrap();
        fs::write(&file, bytes).unwrap();
        assert_eq!(snapshot.evidence(&digest).unwrap_err().code, code);
    }
    // Seen from the start, a changed file is no problem of the folder, but it is not handed out.
    let late = read(&path).unwrap();
    assert_eq!(late.evidence_facts(&digest).unwrap().1.digest, Some(Digest::of(&longer)));
    assert_eq!(late.evidence(&digest).unwrap_err().code, Code::EvidenceChanged);
    fs::remove_file(&file).unwrap();
    assert_eq!(snapshot.evidence(&digest).unwrap_err().code, Code::EvidenceMissing);
    symlink("/etc/hostname", &file).unwrap();
    assert_eq!(snapshot.evidence(&digest).unwrap_err().code, Code::LinkRefused);
    // What is held is what was hashed at first; of the others the beginning is.
    assert_eq!(*held.evidence(&digest).unwrap(), good);
    assert_eq!(snapshot.head(&digest).unwrap(), &good[..HEAD]);
}

#[test]
fn a_false_twin_does_not_hide_the_true_file() {
    let (_dir, path) = sample();
    let digest = Digest::of(b"abc");
    let twin = crate::naming::evidence_name(&digest, "bin");
    let snapshot = read(&path).unwrap().with(&twin, b"false".to_vec()).unwrap();
    assert!(snapshot.evidence_facts(&digest).unwrap().0.ends_with(".txt"));
    assert!(snapshot.files().any(|(name, _)| name == twin));
}

#[test]
fn many_cases_in_memory_share_their_bytes() {
    let (_dir, path) = sample();
    let base = Snapshot::in_memory(files(&path)).unwrap();
    let names: Vec<String> = base.files().map(|(n, _)| n.to_owned()).collect();
    for name in &names {
        assert!(base.without(name).files().all(|(n, _)| n != name));
        let changed = base.with(name, b"changed".to_vec()).unwrap();
        let facts = changed.files().find(|(n, _)| n == name).unwrap().1;
        assert_eq!(facts.digest, name.contains('/').then(|| Digest::of(b"changed")));
    }
    assert_eq!(base.with(JOURNAL, b"cut".to_vec()).unwrap().journal(), b"cut");
    assert!(Arc::ptr_eq(&base.journal, &base.without("report.md").journal));
    for (bad, code) in [
        ("/etc/x", Code::PathAbsolute),
        ("../x", Code::PathAbsolute),
        ("", Code::PathAbsolute),
        ("a/b/c/d", Code::OverBudget),
    ] {
        assert_eq!(base.with(bad, Vec::new()).unwrap_err().code, code, "{bad}");
    }
}

#[test]
fn lines_are_measured_across_pieces() {
    let budget = Budget { line: 5, ..Budget::default() };
    let check = |pieces: &[&str]| {
        let mut open = 0;
        pieces.iter().try_for_each(|p| check_lines(p.as_bytes(), &mut open, &budget)).is_ok()
    };
    assert!(check(&["1234\n1234\n"]));
    assert!(check(&["12", "34\n1", "234\n"]));
    assert!(!check(&["12345\n"]));
    assert!(!check(&["123", "456"]));
    assert!(!check(&["\n\n1", "23", "456"]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn digests_are_right_whatever_the_sizes(sizes in proptest::collection::vec(0..600_000_usize, 0..12)) {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("evidence")).unwrap();
        fs::write(dir.path().join(JOURNAL), "").unwrap();
        for (i, size) in sizes.iter().enumerate() {
            fs::write(dir.path().join(format!("evidence/{i}")), vec![i as u8; *size]).unwrap();
        }
        let snapshot = read(dir.path()).unwrap();
        prop_assert_eq!(snapshot.files().count(), sizes.len());
        for (i, size) in sizes.iter().enumerate() {
            let name = format!("evidence/{i}");
            let facts = snapshot.files().find(|(n, _)| *n == name).unwrap().1;
            prop_assert_eq!(facts, FileFacts { size: *size as u64, digest: Some(Digest::of(&vec![i as u8; *size])) });
        }
    }

    #[test]
    fn names_never_panic(name in any::<String>()) {
        let base = Snapshot::in_memory([(JOURNAL.to_owned(), Vec::new())].into()).unwrap();
        let _ = base.with(&name, Vec::new());
    }
}
