//! Reading a whole journal: its lines, its chain, its order (harness-proof.md 11.5, steps 1 and 2).

use super::entry::{Entry, EntryFault, Kind, Seal};
use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::Digest;

/// A journal as it was read. The entries before the first fault can be trusted to be what was chained;
/// nothing after it is kept.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The entries with their ids, in order.
    pub entries: Vec<(Entry, Digest)>,
    /// Bytes of an unfinished last line.
    pub torn: usize,
    /// What does not hold.
    pub findings: Vec<Finding>,
}

impl Chain {
    /// Reads a journal. Shape and chain are checked here; what bodies say is checked by the fold.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let mut chain = Self { entries: Vec::new(), torn: 0, findings: Vec::new() };
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
        chain.torn = bytes.len() - whole;
        for line in bytes[..whole].split_inclusive(|b| *b == b'\n') {
            if !chain.take(&line[..line.len() - 1]) {
                return chain;
            }
        }
        chain.ends();
        chain
    }

    fn refuse(&mut self, code: Code, message: String) -> bool {
        let seq = self.entries.len() as u64;
        self.findings.push(Finding::integrity(code, message).at_entry(seq));
        false
    }

    /// Takes one line; false when nothing after it can be trusted.
    fn take(&mut self, line: &[u8]) -> bool {
        let (entry, id) = match Entry::read(line) {
            Ok(read) => read,
            Err(fault) => return self.refuse(code_of(&fault), fault.to_string()),
        };
        let expected = self.entries.len() as u64;
        let (prev, last) = match self.entries.last() {
            Some((last, id)) => (*id, Some(last)),
            None => (Digest::zero(), None),
        };
        if last.is_some_and(|last| last.kind == Kind::RunClosed) {
            return self.refuse(Code::EntryAfterClose, format!("entry {} stands after run.closed", entry.seq));
        }
        if last.is_some_and(|last| last.run != entry.run) {
            return self.refuse(Code::RunMixed, format!("an entry of run {} stands here", entry.run));
        }
        let generation = last.map_or(1, |last| last.generation);
        if entry.generation != generation && (last.is_none() || entry.generation != generation + 1) {
            return self.refuse(Code::RunMixed, format!("generation {} follows {generation}", entry.generation));
        }
        if entry.seq != expected {
            return self.refuse(Code::SequenceGap, format!("entry {} stands where {expected} should", entry.seq));
        }
        if entry.prev != prev {
            return self.refuse(Code::ChainBroken, format!("entry {expected} does not follow the one before it"));
        }
        if last.is_none() != (entry.kind == Kind::RunOpened) {
            return self.refuse(Code::NotOpened, "run.opened does not stand first, or stands again".to_owned());
        }
        if last.is_some_and(|last| last.generation == entry.generation && last.mono > entry.mono) {
            return self.refuse(Code::TimeBackwards, format!("the steady clock of entry {expected} goes back"));
        }
        self.entries.push((entry, id));
        true
    }

    /// What can be said of the end only.
    fn ends(&mut self) {
        if self.torn > 0 {
            self.refuse(Code::JournalPartialLine, format!("the last line has no line end ({} bytes)", self.torn));
        }
        if self.entries.is_empty() {
            self.refuse(Code::NotOpened, "the journal has no entry".to_owned());
        }
    }

    /// Whether the last entry is run.closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.entries.last().is_some_and(|(entry, _)| entry.kind == Kind::RunClosed)
    }

    /// Entry count and head.
    #[must_use]
    pub fn seal(&self) -> Option<Seal> {
        self.entries.last().map(|(_, id)| Seal::new(self.entries.len() as u64, id))
    }
}

const fn code_of(fault: &EntryFault) -> Code {
    match fault {
        EntryFault::NotJson(_) | EntryFault::NotCanonical => Code::EntryNotCanonical,
        EntryFault::Field(_) => Code::EntryBodyInvalid,
        EntryFault::Kind(_) => Code::EntryUnknownKind,
        EntryFault::Id => Code::ChainBroken,
    }
}
