//! A view as it lies in a folder, beside the one that is derived; both come in pieces.

use std::io::{ErrorKind, Read};

use sha2::{Digest as _, Sha256};

use crate::ids::Digest;
use crate::views::Written;

/// A view that was opened.
pub type ViewFile<'a> = Box<dyn Read + 'a>;

/// What came of comparing a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewSeen {
    /// It is not there, or cannot be read.
    Missing,
    /// Byte for byte the same.
    Same,
    /// Another one, from this line on (from 1).
    Differs(usize),
}

/// A comparison that is under way.
pub struct Comparison<'a> {
    file: Option<ViewFile<'a>>,
    found: Vec<u8>,
    /// Lines that were the same.
    lines: usize,
    seen: ViewSeen,
}

impl<'a> Comparison<'a> {
    /// Begins to compare a view; `None` where there is no file.
    #[must_use]
    pub fn of(file: Option<ViewFile<'a>>) -> Self {
        let seen = if file.is_some() { ViewSeen::Same } else { ViewSeen::Missing };
        Self { file, found: Vec::new(), lines: 0, seen }
    }

    /// Compares the next bytes that are derived.
    pub fn piece(&mut self, derived: &[u8]) {
        let Some(file) = self.file.as_mut().filter(|_| self.seen == ViewSeen::Same) else { return };
        self.found.resize(derived.len(), 0);
        let Some(read) = fill(file, &mut self.found) else {
            self.seen = ViewSeen::Missing;
            return;
        };
        let found = &self.found[..read];
        let same = if found == derived { read } else { found.iter().zip(derived).take_while(|(a, b)| a == b).count() };
        self.lines += derived[..same].iter().filter(|byte| **byte == b'\n').count();
        if same < derived.len() {
            self.seen = ViewSeen::Differs(self.lines + 1);
        }
    }

    /// The outcome, once everything was derived.
    #[must_use]
    pub fn end(mut self) -> ViewSeen {
        let Some(file) = self.file.as_mut().filter(|_| self.seen == ViewSeen::Same) else { return self.seen };
        match fill(file, &mut [0]) {
            Some(0) => ViewSeen::Same,
            Some(_) => ViewSeen::Differs(self.lines + 1),
            None => ViewSeen::Missing,
        }
    }
}

/// Reads until the buffer is full or the file ends; how much it read. `None` where it cannot be read.
fn fill(file: &mut dyn Read, buffer: &mut [u8]) -> Option<usize> {
    let mut full = 0;
    while full < buffer.len() {
        match file.read(&mut buffer[full..]) {
            Ok(0) => break,
            Ok(read) => full += read,
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
    Some(full)
}

/// Whether a file has the very bytes that were written.
pub(super) fn is(file: Option<ViewFile<'_>>, written: &Written) -> bool {
    let Some(mut file) = file else { return false };
    let (mut buffer, mut hasher, mut size) = (vec![0; 64 << 10], Sha256::new(), 0);
    while let Some(read) = fill(&mut file, &mut buffer) {
        size += read as u64;
        hasher.update(&buffer[..read]);
        if size > written.bytes || read < buffer.len() {
            return size == written.bytes && Digest::from_bytes(hasher.finalize().into()) == written.sha256;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(found: &'static [u8], pieces: &[&[u8]]) -> ViewSeen {
        let mut comparison = Comparison::of(Some(Box::new(found)));
        pieces.iter().for_each(|piece| comparison.piece(piece));
        comparison.end()
    }

    #[test]
    fn the_line_is_the_first_that_is_not_the_same() {
        assert_eq!(compared(b"one\ntwo\n", &[b"one", b"\ntwo\n"]), ViewSeen::Same);
        assert_eq!(compared(b"", &[b""]), ViewSeen::Same);
        assert_eq!(compared(b"one\ntwo\n", &[b"one\n", b"too\n"]), ViewSeen::Differs(2));
        assert_eq!(compared(b"one\ntwo\n", &[b"one\n", b"too\n", b"more"]), ViewSeen::Differs(2));
        assert_eq!(compared(b"one\n", &[b"one\n", b"two\n"]), ViewSeen::Differs(2));
        assert_eq!(compared(b"one\ntwo\n", &[b"one\n"]), ViewSeen::Differs(2));
        assert_eq!(Comparison::of(None).end(), ViewSeen::Missing);
    }

    #[test]
    fn what_was_written_is_told_by_its_digest() {
        let written =
            |bytes: &[u8]| Written { name: "v".to_owned(), bytes: bytes.len() as u64, sha256: Digest::of(bytes) };
        let long: &'static [u8] = Box::leak(vec![b'x'; 150_000].into_boxed_slice());
        for bytes in [b"".as_slice(), b"one", long, &long[..65536], &long[..131_072]] {
            assert!(is(Some(Box::new(bytes)), &written(bytes)));
            assert!(!is(Some(Box::new(&long[..70_000])), &written(bytes)));
        }
        assert!(!is(Some(Box::new(b"two".as_slice())), &written(b"one")));
        assert!(!is(None, &written(b"")));
    }
}
