//! What a process has worked out already changes no answer: over the same bytes it is the answer, over others it does
//! not count.

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::verify::{Known, Verified};
use probity_core::views::Written;
use probity_store::snapshot::Snapshot;

use super::good::{Good, partial, whole};
use super::{drawn, drawn_views, refused};
use crate::derive::{judge_snapshot, verify_snapshot};

/// The run as its process knew it: worked out before the last line, closed by it, with the views that it wrote.
fn known(good: &Good) -> Known {
    let journal = good.snapshot.journal();
    let end = journal[..journal.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    let before = good.snapshot.with("journal.jsonl", journal[..end].to_vec()).unwrap();
    let judged = judge_snapshot(&before, None).unwrap().close(&journal[end..journal.len() - 1]).unwrap();
    let written =
        |(name, bytes): (String, Vec<u8>)| Written { name, bytes: bytes.len() as u64, sha256: Digest::of(&bytes) };
    let views = drawn_views(&judged, &good.snapshot).into_iter().map(written).collect();
    Known { bytes: journal.len() as u64, sha256: Digest::of(journal), judged, views }
}

fn both(good: &Good, snapshot: &Snapshot) -> [Verified; 2] {
    let list = Some(good.list.as_slice());
    [None, Some(known(good))].map(|known| verify_snapshot(snapshot, list, None, Vec::new(), known))
}

#[test]
fn what_is_known_is_what_is_worked_out_again() {
    for good in [whole(), partial()] {
        let [again, known] = both(good, &good.snapshot);
        assert_eq!(drawn(&again), drawn(&known));
        assert_eq!((again.exit(), again.status(), again.checked), (known.exit(), known.status(), known.checked));
        assert!(known.is_intact() && known.checked.views > 10, "{}", drawn(&known));
    }
}

#[test]
fn a_changed_folder_is_refused_all_the_same() {
    let good = whole();
    let evidence = good.snapshot.files().find(|(name, _)| name.starts_with("evidence/")).unwrap().0.to_owned();
    for (name, code) in [(evidence.as_str(), Code::EvidenceChanged), ("report.md", Code::ViewDiffers)] {
        let size = good.snapshot.files().find(|(n, _)| *n == name).unwrap().1.size;
        let changed = good.snapshot.with(name, vec![b'y'; usize::try_from(size).unwrap()]).unwrap();
        both(good, &changed).iter().for_each(|verified| refused(verified, code));
    }
    both(good, &good.snapshot.without(&evidence)).iter().for_each(|verified| refused(verified, Code::EvidenceMissing));
}

#[test]
fn of_another_journal_nothing_is_known() {
    let good = whole();
    let journal = good.snapshot.journal();
    for at in (0..journal.len()).step_by(journal.len() / 50) {
        let mut bytes = journal.to_vec();
        bytes[at] ^= 1;
        let Ok(changed) = good.snapshot.with("journal.jsonl", bytes) else { continue };
        let [again, known] = both(good, &changed);
        assert_eq!((known.exit(), drawn(&known)), (6, drawn(&again)));
    }
}

#[test]
fn only_the_line_that_closes_the_run_closes_it() {
    let good = whole();
    let journal = good.snapshot.journal();
    let lines: Vec<&[u8]> =
        journal.split_inclusive(|byte| *byte == b'\n').map(|line| &line[..line.len() - 1]).collect();
    let before = lines[..lines.len() - 1].iter().map(|line| line.len() + 1).sum::<usize>();
    let cut = good.snapshot.with("journal.jsonl", journal[..before].to_vec()).unwrap();
    let judged = || judge_snapshot(&cut, None).unwrap();
    assert!(judged().close(lines[lines.len() - 1]).is_some());
    for line in &lines[..lines.len() - 1] {
        assert!(judged().close(line).is_none());
    }
    assert!(judged().close(b"").is_none());
    assert!(judged().close(lines[lines.len() - 1]).unwrap().close(lines[lines.len() - 1]).is_none());
}
