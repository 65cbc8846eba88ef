use std::collections::BTreeSet;

use probity_core::codes::Code;
use proptest::prelude::*;

use super::*;

const AT: &str = "2026-11-30T14:24:02.123Z";

fn opening(n: u64, series: u64) -> Opening {
    Opening {
        at: AT.into(),
        run: Id::parse(&format!("run-{n}")).unwrap(),
        nonce: format!("{n:032x}"),
        series: format!("{series:016x}"),
    }
}

#[test]
fn attempts_count_within_their_series() {
    let dir = tempfile::tempdir().unwrap();
    let list = RunList::of(&dir.path().join("runs"));
    assert!(list.lines().unwrap().is_empty());
    assert_eq!(list.open_run(&opening(1, 1)).unwrap(), 1);
    assert_eq!(list.open_run(&opening(2, 2)).unwrap(), 1);
    assert_eq!(list.open_run(&opening(3, 1)).unwrap(), 2);
    list.close_run("run-1", AT, 7, Digest::of(b"head")).unwrap();
    list.withdraw_run("run-1", AT, 7, Digest::of(b"head")).unwrap();
    assert_eq!(list.open_run(&opening(4, 1)).unwrap(), 3);
    let found = list.find("run-1").unwrap();
    let events: Vec<_> = found.iter().map(|l| l.event).collect();
    assert_eq!(events, [Event::Opened, Event::Closed, Event::Withdrawn]);
    assert_eq!((found[1].entries, found[1].attempt, found[1].head), (7, 1, Digest::of(b"head")));
    let attempts = list.attempts(&format!("{:016x}", 1)).unwrap();
    assert_eq!(attempts.iter().filter(|l| l.event == Event::Opened).count(), 3);
    assert_eq!(read(&std::fs::read(list.path()).unwrap()).unwrap(), list.lines().unwrap());
}

#[test]
fn a_run_opens_once_and_closes_once() {
    let dir = tempfile::tempdir().unwrap();
    let list = RunList::of(dir.path());
    assert_eq!(list.close_run("run-1", AT, 1, Digest::zero()).unwrap_err().code(), Code::IndexBroken);
    list.open_run(&opening(1, 1)).unwrap();
    assert_eq!(list.open_run(&opening(1, 1)).unwrap_err().code(), Code::RunExists);
    let same_nonce = Opening { run: Id::parse("other").unwrap(), ..opening(1, 1) };
    assert_eq!(list.open_run(&same_nonce).unwrap_err().code(), Code::RunExists);
    list.close_run("run-1", AT, 3, Digest::of(b"a")).unwrap();
    let before = std::fs::read(list.path()).unwrap();
    list.close_run("run-1", AT, 3, Digest::of(b"a")).unwrap();
    assert_eq!(list.close_run("run-1", AT, 4, Digest::of(b"a")).unwrap_err().code(), Code::IndexBroken);
    assert_eq!(std::fs::read(list.path()).unwrap(), before);
    for bad in [Opening { nonce: "x".into(), ..opening(9, 1) }, Opening { series: "AB".into(), ..opening(9, 1) }] {
        assert_eq!(list.open_run(&bad).unwrap_err().code(), Code::PathAbsolute);
    }
}

#[test]
fn eight_threads_get_eight_numbers_each_time() {
    let dir = tempfile::tempdir().unwrap();
    let list = RunList::of(dir.path());
    let numbers: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|t| {
                let list = &list;
                scope.spawn(move || (0..5).map(|i| list.open_run(&opening(t * 5 + i, 1)).unwrap()).collect::<Vec<_>>())
            })
            .collect();
        threads.into_iter().flat_map(|t| t.join().unwrap()).collect()
    });
    assert_eq!(numbers.iter().copied().collect::<BTreeSet<_>>(), (1..=40).collect());
    assert_eq!(list.lines().unwrap().len(), 40);
}

#[test]
fn waiting_for_another_writer_ends() {
    let dir = tempfile::tempdir().unwrap();
    let list = RunList { patience: Duration::from_millis(30), ..RunList::of(dir.path()) };
    list.open_run(&opening(1, 1)).unwrap();
    let held = list.hold().unwrap();
    assert_eq!(list.open_run(&opening(2, 1)).unwrap_err().code(), Code::RunLocked);
    assert_eq!(list.lines().unwrap_err().code(), Code::RunLocked);
    drop(held);
    assert_eq!(list.open_run(&opening(2, 1)).unwrap(), 2);
}

#[test]
fn a_torn_line_is_dropped_by_the_next_writer_and_refused_by_a_reader_of_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let list = RunList::of(dir.path());
    list.open_run(&opening(1, 1)).unwrap();
    list.open_run(&opening(2, 1)).unwrap();
    let whole = std::fs::read(list.path()).unwrap();
    let first = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
    for cut in first..whole.len() {
        std::fs::write(list.path(), &whole[..cut]).unwrap();
        assert_eq!(read(&whole[..cut]).is_err(), cut > first);
        assert_eq!(list.lines().unwrap().len(), 1);
        assert_eq!(list.open_run(&opening(3, 1)).unwrap(), 2);
        assert_eq!(list.lines().unwrap().len(), 2);
    }
}

#[test]
fn a_list_that_does_not_chain_takes_nothing_more() {
    let dir = tempfile::tempdir().unwrap();
    let list = RunList::of(dir.path());
    for n in 1..4 {
        list.open_run(&opening(n, 1)).unwrap();
    }
    let text = std::fs::read_to_string(list.path()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let broken = [lines[0], lines[2]].concat();
    std::fs::write(list.path(), &broken).unwrap();
    let error = list.open_run(&opening(9, 1)).unwrap_err();
    assert_eq!(error.code(), Code::IndexBroken);
    assert!(error.to_string().contains("line 2"), "{error}");
    assert_eq!(std::fs::read_to_string(list.path()).unwrap(), broken);
    std::fs::remove_file(list.path()).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", list.path()).unwrap();
    assert_eq!(list.open_run(&opening(9, 1)).unwrap_err().code(), Code::LinkRefused);
}

/// Lines of three series, most runs closed.
fn sample() -> &'static [Vec<u8>] {
    static SAMPLE: std::sync::LazyLock<Vec<Vec<u8>>> = std::sync::LazyLock::new(written);
    &SAMPLE
}

fn written() -> Vec<Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    let list = RunList::of(dir.path());
    for n in 0..9 {
        list.open_run(&opening(n, n % 3)).unwrap();
        if n != 4 {
            list.close_run(&format!("run-{n}"), AT, n + 2, Digest::of(&[n as u8])).unwrap();
        }
    }
    let bytes = std::fs::read(list.path()).unwrap();
    bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect()
}

fn series_of(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.split("\"series\":\"").nth(1).unwrap()[..16].to_owned()
}

#[test]
fn any_line_dropped_swapped_or_doubled_within_a_series_is_found() {
    let lines = sample();
    assert!(read(&lines.concat()).is_ok());
    for i in 0..lines.len() {
        let later = lines[i + 1..].iter().any(|l| series_of(l) == series_of(&lines[i]));
        let mut dropped = lines.to_vec();
        dropped.remove(i);
        // The last line of a series has nothing after it that could miss it.
        assert_eq!(read(&dropped.concat()).is_err(), later, "{i}");
        let mut doubled = lines.to_vec();
        doubled.insert(i, lines[i].clone());
        assert!(read(&doubled.concat()).is_err(), "{i}");
        for j in i + 1..lines.len() {
            let mut swapped = lines.to_vec();
            swapped.swap(i, j);
            let same = series_of(&lines[i]) == series_of(&lines[j]);
            let found = read(&swapped.concat()).is_err();
            assert!(found || !same, "{i} {j}");
        }
    }
}

proptest! {
    #[test]
    fn any_changed_byte_before_the_last_line_of_a_series_is_found(at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let lines = sample();
        let whole = lines.concat();
        let at = at.index(whole.len());
        prop_assume!(whole[at] != to);
        let mut changed = whole.clone();
        changed[at] = to;
        let line = whole[..at].iter().filter(|b| **b == b'\n').count();
        let later = lines[line + 1..].iter().any(|l| series_of(l) == series_of(&lines[line]));
        if later {
            prop_assert!(read(&changed).is_err());
        } else {
            let _ = read(&changed);
        }
    }

    #[test]
    fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(&bytes);
    }
}
