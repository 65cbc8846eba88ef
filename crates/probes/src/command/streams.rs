//! The two output streams of a child: the first bytes kept, all bytes counted and hashed, memory flat.

use std::future;

use probity_core::ids::Digest;
use probity_core::observe::Captured;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};

/// Bytes taken at once: half of a pipe's usual buffer.
const CHUNK: usize = 32 << 10;

/// Output that is read while something else is waited for, so that a writer never stands still.
pub(crate) trait Drain: Send {
    /// Reads once from what has something; never ends once all has ended. May be cancelled at any time.
    fn step(&mut self) -> impl Future<Output = ()> + Send;

    /// Whether all of it came to its end.
    fn ended(&self) -> bool;
}

/// Both streams, read side by side so that neither blocks the child while we wait on the other.
pub(crate) struct Streams {
    out: Tap<ChildStdout>,
    err: Tap<ChildStderr>,
}

impl Streams {
    pub(crate) fn new(out: Option<ChildStdout>, err: Option<ChildStderr>, keep: u64) -> Self {
        let keep = usize::try_from(keep).unwrap_or(usize::MAX);
        Self { out: Tap::new(out, keep), err: Tap::new(err, keep) }
    }

    /// Bytes of both streams so far.
    pub(crate) fn total(&self) -> u64 {
        self.out.seen.total.saturating_add(self.err.seen.total)
    }

    /// What was captured. `cut` says that we ended the writers, so an end of the stream is ours and not theirs.
    pub(crate) fn finish(self, cut: bool) -> (Captured, Captured) {
        (self.out.finish(cut), self.err.finish(cut))
    }
}

impl Drain for Streams {
    async fn step(&mut self) {
        let Self { out, err } = self;
        tokio::select! {
            () = out.pull(), if out.pipe.is_some() => {}
            () = err.pull(), if err.pipe.is_some() => {}
            else => future::pending().await,
        }
    }

    fn ended(&self) -> bool {
        self.out.pipe.is_none() && self.err.pipe.is_none()
    }
}

struct Tap<R> {
    pipe: Option<R>,
    buffer: Vec<u8>,
    keep: usize,
    seen: Captured,
    /// Starts when the first byte is let go; until then the kept bytes are all there are.
    hasher: Option<Sha256>,
}

impl<R: AsyncRead + Unpin> Tap<R> {
    fn new(pipe: Option<R>, keep: usize) -> Self {
        Self { pipe, buffer: vec![0; CHUNK], keep, seen: Captured::default(), hasher: None }
    }

    async fn pull(&mut self) {
        let Some(pipe) = &mut self.pipe else { return };
        match pipe.read(&mut self.buffer).await {
            Ok(0) => {
                self.seen.complete = true;
                self.pipe = None;
            }
            Ok(n) => self.take(n),
            Err(_) => self.pipe = None,
        }
    }

    fn take(&mut self, n: usize) {
        let bytes = &self.buffer[..n];
        self.seen.total = self.seen.total.saturating_add(n as u64);
        let room = self.keep.saturating_sub(self.seen.kept.len()).min(n);
        if room < n {
            let kept = &self.seen.kept;
            self.hasher.get_or_insert_with(|| Sha256::new().chain_update(kept)).update(bytes);
        }
        self.seen.kept.extend_from_slice(&bytes[..room]);
    }

    fn finish(self, cut: bool) -> Captured {
        let mut seen = self.seen;
        seen.complete &= !cut;
        seen.whole = self.hasher.map(|hasher| Digest::from_bytes(hasher.finalize().into()));
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_digest_is_of_all_bytes_and_only_there_when_some_were_let_go() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for keep in [0, 1, 32 << 10, (32 << 10) + 1, 99_999, 100_000, 200_000] {
            let mut tap = Tap::new(Some(bytes.as_slice()), keep);
            while tap.pipe.is_some() {
                tap.pull().await;
            }
            let seen = tap.finish(false);
            assert_eq!(seen.kept, bytes[..keep.min(bytes.len())]);
            assert_eq!(seen.total, 100_000);
            assert_eq!(seen.whole, (keep < bytes.len()).then(|| Digest::of(&bytes)), "keep {keep}");
            assert!(seen.complete);
        }
    }
}
