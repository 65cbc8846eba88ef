//! Changes by somebody who writes no id again: each is refused, wherever it stands.

use probity_core::codes::Code;
use probity_core::finding::Weight;
use probity_core::journal::chain::Chain;
use probity_core::journal::{Entry, Seal};
use probity_core::verify::Verified;
use probity_store::snapshot::{Budget, Snapshot};

use super::good::{Good, whole};
use super::{codes, drawn, refused};
use crate::derive::{self, verify_snapshot};

/// What a byte is replaced by.
fn others(byte: u8) -> [u8; 3] {
    [byte ^ 1, byte ^ 0x20, b'\n']
}

fn lines(journal: &[u8]) -> Vec<&[u8]> {
    journal.split_inclusive(|byte| *byte == b'\n').collect()
}

fn with_journal(good: &Good, journal: Vec<u8>, list: bool) -> Verified {
    let snapshot = good.snapshot.with("journal.jsonl", journal).unwrap();
    verify_snapshot(&snapshot, list.then_some(&good.list), None, Vec::new(), None)
}

fn with_file(good: &Good, name: &str, bytes: Vec<u8>) -> Verified {
    verify_snapshot(&good.snapshot.with(name, bytes).unwrap(), Some(&good.list), None, Vec::new(), None)
}

/// Every position of the journal: the line is no entry any more, or does not chain.
#[test]
fn every_byte_of_the_journal_counts() {
    let journal = whole().snapshot.journal();
    let mut cases = 0;
    for line in lines(journal) {
        let line = &line[..line.len() - 1];
        let (_, id) = Entry::read(line).unwrap();
        for at in 0..line.len() {
            for other in others(line[at]).into_iter().filter(|other| *other != line[at]) {
                let mut changed = line.to_vec();
                changed[at] = other;
                // A line with another id would be refused by the line after it, or by the run list.
                let read = Entry::read(&changed);
                assert!(read.is_err(), "{at}: {:?} {id}", String::from_utf8_lossy(&changed));
                cases += 1;
            }
        }
    }
    assert!(cases > 50_000, "{cases}");
}

/// The same through the whole verifier, at positions all over the journal.
#[test]
fn a_changed_byte_is_refused_by_the_verifier() {
    let good = whole();
    let journal = good.snapshot.journal();
    for at in (0..journal.len()).step_by(journal.len() / 600) {
        for other in others(journal[at]).into_iter().filter(|other| *other != journal[at]) {
            let mut changed = journal.to_vec();
            changed[at] = other;
            let verified = with_journal(good, changed, false);
            assert_eq!(verified.exit(), 6, "{at}\n{}", drawn(&verified));
        }
    }
    // Each line end too.
    let ends = journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    for at in ends {
        let mut changed = journal.to_vec();
        changed[at] = b' ';
        assert_eq!(with_journal(good, changed, true).exit(), 6, "{at}");
    }
}

#[test]
fn lines_that_are_gone_doubled_swapped_or_added_are_refused() {
    let good = whole();
    let all = lines(good.snapshot.journal());
    let last = all.len() - 1;
    for at in 0..all.len() {
        let (mut gone, mut doubled) = (all.clone(), all.clone());
        gone.remove(at);
        doubled.insert(at, all[at]);
        for list in [true, false] {
            let verified = with_journal(good, gone.concat(), list);
            // Without anything that names the end, a journal without its last line is one that was never closed.
            let expected = if at == last && !list { 5 } else { 6 };
            assert_eq!(verified.exit(), expected, "gone {at}\n{}", drawn(&verified));
            assert_eq!(with_journal(good, doubled.concat(), list).exit(), 6, "doubled {at}");
        }
        for other in at + 1..all.len() {
            let mut swapped = all.clone();
            swapped.swap(at, other);
            assert_eq!(with_journal(good, swapped.concat(), true).exit(), 6, "swapped {at} and {other}");
        }
        let added = [good.snapshot.journal(), all[at]].concat();
        refused(&with_journal(good, added, false), Code::EntryAfterClose);
    }
    let (last_entry, id) = Chain::entries(good.snapshot.journal()).pop().unwrap();
    let next = Entry { seq: last_entry.seq + 1, prev: id, ..last_entry };
    let fake = [good.snapshot.journal(), &next.line().unwrap().0].concat();
    refused(&with_journal(good, fake, false), Code::EntryAfterClose);
}

#[test]
fn a_cut_tail_is_never_a_pass() {
    let good = whole();
    let journal = good.snapshot.journal();
    let line_ends = journal.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
    let spread = (0..journal.len()).step_by(journal.len() / 400);
    for at in line_ends.filter(|at| *at < journal.len()).chain(spread) {
        let cut = journal[..at].to_vec();
        let verified = with_journal(good, cut.clone(), true);
        assert_eq!(verified.exit(), 6, "{at}\n{}", drawn(&verified));
        let alone = with_journal(good, cut, false);
        assert!(matches!(alone.exit(), 5 | 6), "{at}\n{}", drawn(&alone));
        assert_eq!(alone.status(), None);
        assert!(!alone.closed);
    }
    let seal = Seal::new(lines(journal).len() as u64, &Chain::entries(journal).last().unwrap().1);
    let cut = good.snapshot.with("journal.jsonl", lines(journal)[..5].concat()).unwrap();
    refused(&verify_snapshot(&cut, None, Some(&seal), Vec::new(), None), Code::TailCut);
}

#[test]
fn every_file_counts() {
    let good = whole();
    let names: Vec<String> = good.snapshot.files().map(|(name, _)| name.to_owned()).collect();
    assert!(names.iter().filter(|name| name.starts_with("evidence/")).count() >= 2, "{names:?}");
    for name in &names {
        let evidence = name.starts_with("evidence/");
        let bytes = std::fs::read(good.dir.join(name)).unwrap();
        let (missing, changed, size) = if evidence {
            (Code::EvidenceMissing, Code::EvidenceChanged, Code::EvidenceSize)
        } else {
            (Code::ViewMissing, Code::ViewDiffers, Code::ViewDiffers)
        };
        let without = verify_snapshot(&good.snapshot.without(name), Some(&good.list), None, Vec::new(), None);
        refused(&without, missing);
        for at in (0..bytes.len()).step_by((bytes.len() / 20).max(1)) {
            let mut other = bytes.clone();
            other[at] ^= 1;
            refused(&with_file(good, name, other), changed);
        }
        refused(&with_file(good, name, [bytes.as_slice(), b" "].concat()), size);
        refused(&with_file(good, name, bytes[..bytes.len() - 1].to_vec()), size);
        refused(&with_file(good, name, Vec::new()), size);
        if evidence {
            // The right bytes under another extension, or in another folder, are not what was captured.
            let renamed = format!("{}.png", name.split('.').next().unwrap());
            let moved = good.snapshot.without(name).with(&renamed, bytes.clone()).unwrap();
            refused(&verify_snapshot(&moved, Some(&good.list), None, Vec::new(), None), missing);
        }
    }
}

#[test]
fn foreign_files_are_named() {
    let good = whole();
    let other = format!("evidence/ab/{}.png", "ab".repeat(32));
    for name in [other.as_str(), "evidence/zz-real.png", "evidence/README"] {
        refused(&with_file(good, name, b"foreign".to_vec()), Code::UnlistedFile);
    }
    // Beside the views a stranger is only named: people put notes there.
    let verified = with_file(good, "REPORT.md", b"passed".to_vec());
    assert_eq!((verified.exit(), codes(&verified, Weight::Note)), (0, vec![Code::UnlistedFile]));
}

#[test]
fn every_byte_of_the_run_list_counts() {
    let good = whole();
    for at in 0..good.list.len() {
        for other in others(good.list[at]).into_iter().filter(|other| *other != good.list[at]) {
            let mut list = good.list.clone();
            list[at] = other;
            // A list that cannot be read is refused as such, see below; the others need the whole verifier.
            if probity_store::list::read(&list).is_err() && (at % 50 > 0 || other != good.list[at] ^ 1) {
                continue;
            }
            let verified = verify_snapshot(&good.snapshot, Some(&list), None, Vec::new(), None);
            assert_eq!(verified.exit(), 6, "{at}: {}\n{}", String::from_utf8_lossy(&list), drawn(&verified));
        }
    }
}

#[test]
fn lines_of_the_run_list_are_refused_or_anchor_nothing() {
    let good = whole();
    let all = lines(&good.list);
    let [opened, closed] = all[..] else { panic!("{}", all.len()) };
    let verify = |list: &[&[u8]]| verify_snapshot(&good.snapshot, Some(&list.concat()), None, Vec::new(), None);
    for list in [&[closed][..], &[closed, opened], &[opened, opened, closed], &[opened, closed, closed]] {
        refused(&verify(list), Code::IndexBroken);
    }
    // A list that ends before the run does is what a process leaves that was killed between the two.
    for list in [&[opened][..], &[]] {
        let verified = verify(list);
        assert_eq!((verified.exit(), codes(&verified, Weight::Note)), (0, vec![Code::NotAnchored]));
    }
}

#[test]
fn not_anchored() {
    let verified = verify_snapshot(&whole().snapshot, None, None, Vec::new(), None);
    assert_eq!((verified.exit(), codes(&verified, Weight::Note)), (0, vec![Code::NotAnchored]));
}

#[test]
fn journal_unreadable() {
    refused(&with_journal(whole(), Vec::new(), false), Code::JournalUnreadable);
}

#[test]
fn journal_partial_line() {
    let good = whole();
    let journal = good.snapshot.journal();
    refused(&with_journal(good, [journal, b"{"].concat(), false), Code::JournalPartialLine);
    // In a run that was never closed it is what a crash leaves.
    let torn = with_journal(good, journal[..journal.len() - 9].to_vec(), false);
    assert_eq!(torn.exit(), 5);
    assert!(codes(&torn, Weight::Note).contains(&Code::JournalPartialLine));
}

#[test]
fn not_closed() {
    let good = whole();
    let all = lines(good.snapshot.journal());
    let verified = with_journal(good, all[..all.len() - 1].concat(), false);
    assert_eq!((verified.exit(), verified.closed), (5, false));
    assert!(codes(&verified, Weight::Note).contains(&Code::NotClosed));
}

/// Copies the run to a folder of its own, to spoil it on disk.
fn copy() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().join(whole().dir.file_name().unwrap());
    for (name, _) in whole().snapshot.files().chain([("journal.jsonl", whole().snapshot.files().next().unwrap().1)]) {
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(whole().dir.join(name), path).unwrap();
    }
    (folder, dir)
}

#[test]
fn a_copy_elsewhere_still_verifies() {
    let (_folder, dir) = copy();
    let verified = derive::verify(&dir, None, None);
    assert_eq!(verified.exit(), 0, "{}", drawn(&verified));
}

#[test]
fn link_refused() {
    let name = whole().snapshot.files().find(|(name, _)| name.starts_with("evidence/")).unwrap().0;
    for name in [name, "report.md", "journal.jsonl"] {
        let (folder, dir) = copy();
        std::fs::rename(dir.join(name), folder.path().join("aside")).unwrap();
        std::os::unix::fs::symlink(folder.path().join("aside"), dir.join(name)).unwrap();
        refused(&derive::verify(&dir, None, None), Code::LinkRefused);
        std::fs::remove_file(dir.join(name)).unwrap();
        std::fs::hard_link(folder.path().join("aside"), dir.join(name)).unwrap();
        refused(&derive::verify(&dir, None, None), Code::LinkRefused);
    }
}

#[test]
fn over_budget() {
    let (_folder, dir) = copy();
    std::fs::create_dir_all(dir.join("a/b/c/d")).unwrap();
    std::fs::write(dir.join("a/b/c/d/e"), "deep").unwrap();
    refused(&derive::verify(&dir, None, None), Code::OverBudget);
    let budget = Budget { files: 3, ..Budget::default() };
    let problems = Snapshot::of_folder(&whole().dir, &budget).unwrap_err();
    assert!(problems.iter().any(|problem| problem.code == Code::OverBudget), "{problems:?}");
}
