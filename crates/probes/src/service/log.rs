//! What a service writes: the first bytes kept, the last ones too, all of them counted and hashed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use probity_core::ids::Digest;
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;

use crate::command::streams::Drain;

/// How many of the last bytes are at hand for a message.
const TAIL: usize = 4096;

/// Bytes taken at once: half of a pipe's usual buffer.
const CHUNK: usize = 32 << 10;

/// What a service wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// How many there were.
    pub total: u64,
    /// Digest of them all, where not all were kept.
    pub whole: Option<Digest>,
    /// Whether the end was reached.
    pub complete: bool,
    /// The last bytes, for a message.
    pub tail: Vec<u8>,
}

/// A part of what a service wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// What was kept of it.
    pub bytes: Vec<u8>,
    /// How many bytes the service has written by now.
    pub to: u64,
    /// Whether that is all of the part.
    pub complete: bool,
}

#[derive(Debug)]
pub(super) struct Log {
    keep: usize,
    kept: Vec<u8>,
    total: u64,
    /// Starts when the first byte is let go.
    hasher: Option<Sha256>,
    tail: VecDeque<u8>,
}

impl Log {
    pub(super) fn new(keep: usize) -> Self {
        Self { keep, kept: Vec::new(), total: 0, hasher: None, tail: VecDeque::new() }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.total = self.total.saturating_add(bytes.len() as u64);
        let room = self.keep.saturating_sub(self.kept.len()).min(bytes.len());
        if room < bytes.len() {
            let kept = &self.kept;
            self.hasher.get_or_insert_with(|| Sha256::new().chain_update(kept)).update(bytes);
        }
        self.kept.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let over = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..over);
    }

    pub(super) const fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn window(&self, from: u64) -> Window {
        let start = usize::try_from(from).unwrap_or(usize::MAX).min(self.kept.len());
        let complete = self.kept.len() as u64 == self.total;
        Window { bytes: self.kept[start..].to_vec(), to: self.total, complete }
    }

    pub(super) fn tail(&self) -> Vec<u8> {
        self.tail.iter().copied().collect()
    }
}

/// The end of a service's pipe.
pub(super) struct Tap {
    pipe: Option<pipe::Receiver>,
    buffer: Vec<u8>,
    log: Arc<Mutex<Log>>,
    complete: bool,
}

impl Tap {
    pub(super) fn new(pipe: pipe::Receiver, log: Arc<Mutex<Log>>) -> Self {
        Self { pipe: Some(pipe), buffer: vec![0; CHUNK], log, complete: false }
    }

    pub(super) fn finish(self) -> Kept {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = log.hasher.clone().map(|hasher| Digest::from_bytes(hasher.finalize().into()));
        let tail = log.tail();
        Kept { bytes: std::mem::take(&mut log.kept), total: log.total, whole, complete: self.complete, tail }
    }
}

impl Drain for Tap {
    async fn step(&mut self) {
        let Some(pipe) = &mut self.pipe else { return std::future::pending().await };
        match pipe.read(&mut self.buffer).await {
            Ok(0) => {
                self.complete = true;
                self.pipe = None;
            }
            Ok(n) => self.log.lock().unwrap_or_else(PoisonError::into_inner).take(&self.buffer[..n]),
            Err(_) => self.pipe = None,
        }
    }

    fn ended(&self) -> bool {
        self.pipe.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept_and_all_is_counted() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for keep in [0, 1, 99_999, 100_000, 200_000] {
            let mut log = Log::new(keep);
            bytes.chunks(7919).for_each(|chunk| log.take(chunk));
            let whole = log.hasher.clone().map(|hasher| Digest::from_bytes(hasher.finalize().into()));
            assert_eq!((log.kept.len(), log.total()), (keep.min(bytes.len()), 100_000));
            assert_eq!(whole, (keep < bytes.len()).then(|| Digest::of(&bytes)), "keep {keep}");
            assert_eq!(log.tail(), bytes[bytes.len() - TAIL..]);
        }
    }

    #[test]
    fn a_window_that_was_not_kept_is_not_complete() {
        let mut log = Log::new(10);
        log.take(b"0123456");
        assert_eq!(log.window(4), Window { bytes: b"456".to_vec(), to: 7, complete: true });
        log.take(b"7890ab");
        assert_eq!(log.window(4), Window { bytes: b"456789".to_vec(), to: 13, complete: false });
        assert_eq!(log.window(12), Window { bytes: Vec::new(), to: 13, complete: false });
    }
}
