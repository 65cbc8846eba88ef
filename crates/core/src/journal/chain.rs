//! Reading a whole journal: its lines, its chain, its order (harness-proof.md 11.5, steps 1 and 2).

use super::entry::{Entry, EntryFault, Kind, Seal};
use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::Digest;

/// What was seen of a journal while it was read. The entries before the first fault can be trusted to be what was
/// chained; nothing after it is read.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The last entry, as far as the next one has to follow it.
    pub end: Option<End>,
    /// Bytes of an unfinished last line.
    pub torn: usize,
    /// What does not hold.
    pub findings: Vec<Finding>,
}

/// The end of a chain: what the next entry has to follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// Number of entries.
    pub entries: u64,
    /// Id of the last one.
    pub head: Digest,
    /// Its time.
    pub at: String,
    run: String,
    generation: u64,
    mono: u64,
    closed: bool,
}

impl Chain {
    /// Reads a journal, and gives each entry with its id away. Shape and chain are checked here; what bodies say is
    /// checked by the fold.
    pub fn read(bytes: &[u8], mut give: impl FnMut(Entry, Digest)) -> Self {
        let mut chain = Self { end: None, torn: 0, findings: Vec::new() };
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
        chain.torn = bytes.len() - whole;
        for line in bytes[..whole].split_inclusive(|b| *b == b'\n') {
            match chain.take(&line[..line.len() - 1]) {
                Some((entry, id)) => give(entry, id),
                None => return chain,
            }
        }
        chain.ends();
        chain
    }

    /// The entries of a journal before its first fault, with their ids.
    #[must_use]
    pub fn entries(bytes: &[u8]) -> Vec<(Entry, Digest)> {
        let mut entries = Vec::new();
        Self::read(bytes, |entry, id| entries.push((entry, id)));
        entries
    }

    /// Whether nothing is wrong with it but perhaps an unfinished last line.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|finding| finding.code == Code::JournalPartialLine)
    }

    fn refuse(&mut self, code: Code, message: String) {
        let seq = self.end.as_ref().map_or(0, |end| end.entries);
        self.findings.push(Finding::integrity(code, message).at_entry(seq));
    }

    /// Takes one line; `None` when nothing after it can be trusted.
    fn take(&mut self, line: &[u8]) -> Option<(Entry, Digest)> {
        let (entry, id) = match Entry::read(line) {
            Ok(read) => read,
            Err(fault) => {
                self.refuse(code_of(&fault), fault.to_string());
                return None;
            }
        };
        if let Err((code, message)) = End::follow(&mut self.end, &entry, id) {
            self.refuse(code, message);
            return None;
        }
        Some((entry, id))
    }

    /// What can be said of the end only.
    fn ends(&mut self) {
        if self.torn > 0 {
            self.refuse(Code::JournalPartialLine, format!("the last line has no line end ({} bytes)", self.torn));
        }
        if self.end.is_none() {
            self.refuse(Code::NotOpened, "the journal has no entry".to_owned());
        }
    }

    /// Whether the last entry is run.closed.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.end.as_ref().is_some_and(End::is_closed)
    }

    /// Entry count and head.
    #[must_use]
    pub fn seal(&self) -> Option<Seal> {
        self.end.as_ref().map(End::seal)
    }
}

impl End {
    /// The end of a chain without an entry.
    pub(crate) fn nothing() -> Self {
        let (head, at, run) = (Digest::zero(), String::new(), String::new());
        Self { entries: 0, head, at, run, generation: 0, mono: 0, closed: false }
    }

    /// Entry count and head.
    #[must_use]
    pub fn seal(&self) -> Seal {
        Seal::new(self.entries, &self.head)
    }

    /// The run's id.
    #[must_use]
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Whether the last entry is run.closed.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// Goes on by one entry, if it is the next one.
    pub(crate) fn follow(end: &mut Option<Self>, entry: &Entry, id: Digest) -> Result<(), (Code, String)> {
        let expected = end.as_ref().map_or(0, |end| end.entries);
        let prev = end.as_ref().map_or_else(Digest::zero, |end| end.head);
        let generation = end.as_ref().map_or(1, |end| end.generation);
        if end.as_ref().is_some_and(Self::is_closed) {
            return Err((Code::EntryAfterClose, format!("entry {} stands after run.closed", entry.seq)));
        }
        if end.as_ref().is_some_and(|end| end.run != entry.run) {
            return Err((Code::RunMixed, format!("an entry of run {} stands here", entry.run)));
        }
        if entry.generation != generation && (end.is_none() || entry.generation != generation + 1) {
            return Err((Code::RunMixed, format!("generation {} follows {generation}", entry.generation)));
        }
        if entry.seq != expected {
            return Err((Code::SequenceGap, format!("entry {} stands where {expected} should", entry.seq)));
        }
        if entry.prev != prev {
            return Err((Code::ChainBroken, format!("entry {expected} does not follow the one before it")));
        }
        if end.is_none() != (entry.kind == Kind::RunOpened) {
            return Err((Code::NotOpened, "run.opened does not stand first, or stands again".to_owned()));
        }
        if end.as_ref().is_some_and(|end| end.generation == entry.generation && end.mono > entry.mono) {
            return Err((Code::TimeBackwards, format!("the steady clock of entry {expected} goes back")));
        }
        let end = end.get_or_insert_with(|| Self {
            entries: 0,
            head: id,
            at: String::new(),
            run: entry.run.clone(),
            generation,
            mono: 0,
            closed: false,
        });
        end.entries += 1;
        (end.head, end.generation, end.mono) = (id, entry.generation, entry.mono);
        end.at.clone_from(&entry.at);
        end.closed = entry.kind == Kind::RunClosed;
        Ok(())
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::Json;
    use crate::recorded::Recorded;

    /// Values that a body may hold: texts, whole numbers, truth values, lists, maps.
    fn value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            (0u64..1 << 53).prop_map(Json::from),
            ".{0,12}".prop_map(Json::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
                prop::collection::btree_map(".{0,6}", inner, 0..4).prop_map(Json::map),
            ]
        })
    }

    fn kind() -> impl Strategy<Value = Kind> {
        (0..Kind::ALL.len()).prop_map(|position| Kind::ALL[position])
    }

    fn entry() -> impl Strategy<Value = Entry> {
        let body = prop::collection::btree_map(".{0,6}", value(), 0..5).prop_map(Json::map);
        (".{0,9}", 0u64..9, 0u64..99, ".{0,9}", 0u64..1 << 53, kind(), body, any::<u8>()).prop_map(
            |(run, generation, seq, at, mono, kind, body, prev)| Entry {
                run,
                generation,
                seq,
                at,
                mono,
                kind,
                body,
                prev: Digest::of(&[prev]),
            },
        )
    }

    /// A body of a kind as writers write it, one of its fields replaced.
    fn spoilt(kind: Kind, spoil: &Json, which: usize) -> Json {
        let content = Json::map([("text", "x")]);
        let digest = Json::from(Digest::of(b"x"));
        let call = Json::map([("kind", "http")]);
        let mut fields: Vec<(&str, Json)> = match kind {
            Kind::InputSealed => vec![
                ("role", "file".into()),
                ("name", "a".into()),
                ("sha256", digest),
                ("bytes", 1u64.into()),
                ("redactions", 0u64.into()),
                ("content", content),
            ],
            Kind::PlanChecked => vec![("ok", true.into()), ("findings", Json::List(Vec::new()))],
            Kind::ActionIntent => vec![
                ("scenario", "A".into()),
                ("step", "A.1".into()),
                ("action", "api".into()),
                ("idempotent", true.into()),
                ("call", call),
                ("idempotency_key", Json::Null),
                ("timeout_ms", 1u64.into()),
            ],
            Kind::ActionCommit => vec![
                ("intent", 2u64.into()),
                ("scenario", "A".into()),
                ("step", "A.1".into()),
                ("status", "passed".into()),
                ("code", Json::Null),
                ("message", Json::Null),
                ("observation", Json::Null),
                ("probes", 1u64.into()),
                ("output_bytes", 0u64.into()),
            ],
            Kind::EvidenceCaptured => vec![
                ("intent", 0u64.into()),
                ("role", "identity".into()),
                ("sha256", digest),
                ("bytes", 1u64.into()),
                ("media", "".into()),
                ("redactions", 0u64.into()),
                ("content", content),
            ],
            Kind::RuntimeObserved => vec![("what", "resumed".into()), ("dropped_bytes", 0u64.into())],
            Kind::BudgetExceeded => {
                vec![("resource", "time".into()), ("limit", 1u64.into()), ("used", 1u64.into())]
            }
            Kind::RunCancelled => vec![("by", "interrupt".into())],
            _ => Vec::new(),
        };
        if let Some((_, value)) = fields.get_mut(which) {
            *value = spoil.clone();
        }
        Json::map(fields)
    }

    fn opened() -> Json {
        let limits = ["time_ms", "probes", "output", "reserve_ms", "reserve_output"].map(|name| (name, 1u64));
        let options = [("environment", Json::Null), ("only", Json::List(vec![])), ("allow", Json::List(vec![]))];
        let text = Json::from;
        Json::map([
            ("nonce", text("00")),
            ("challenge", Json::Null),
            ("goal", text("")),
            ("marker", text("")),
            ("tool", text("")),
            ("derivation", 1u64.into()),
            ("executable", Json::Null),
            ("isolation", text("none")),
            ("series", text("")),
            ("attempt", 1u64.into()),
            ("options", Json::map(options)),
            ("limits", Json::map(limits)),
            ("environment", Json::Null),
            ("git", Json::Null),
        ])
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(entry in entry()) {
            let (line, id) = entry.line().unwrap();
            let (read, read_id) = Entry::read(line.strip_suffix(b"\n").unwrap()).unwrap();
            // Maps come back in the order of their keys, so lines are what is compared.
            prop_assert_eq!(read.line().unwrap(), (line, id));
            prop_assert_eq!(Entry { body: Json::Null, ..read }, Entry { body: Json::Null, ..entry });
            prop_assert_eq!(read_id, id);
        }

        #[test]
        fn any_bytes_can_be_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let (chain, recorded) = Recorded::fold(&bytes);
            prop_assert!(!chain.findings.is_empty());
            prop_assert!(recorded.is_none());
        }

        #[test]
        fn any_changed_byte_is_noticed(entry in entry(), at in any::<prop::sample::Index>(), other in any::<u8>()) {
            let (line, _) = entry.line().unwrap();
            let line = &line[..line.len() - 1];
            let mut changed = line.to_vec();
            changed[at.index(line.len())] = other;
            prop_assert!(changed == line || Entry::read(&changed).is_err());
        }

        /// Entries that chain and say anything: the fold names what is wrong and goes on.
        #[test]
        fn anything_that_chains_can_be_folded(
            steps in prop::collection::vec((kind(), value(), 0usize..12, 1u64..3), 0..12),
        ) {
            let mut journal = Vec::new();
            let mut prev = Digest::zero();
            let first = (Kind::RunOpened, opened(), 1);
            let rest = steps.iter().map(|(kind, spoil, which, generation)| (*kind, spoilt(*kind, spoil, *which), *generation));
            for (seq, (kind, body, generation)) in std::iter::once(first).chain(rest).enumerate() {
                let entry = Entry {
                    run: "r".to_owned(),
                    generation,
                    seq: seq as u64,
                    at: "2026-11-30T14:24:02.123Z".to_owned(),
                    mono: 0,
                    kind,
                    body,
                    prev,
                };
                let (line, id) = entry.line().unwrap();
                journal.extend(line);
                prev = id;
            }
            let recorded = Recorded::fold(&journal).1.unwrap();
            prop_assert!(recorded.actions().len() <= Chain::entries(&journal).len());
            // A nonce of two digits is never fine.
            prop_assert!(!recorded.findings().is_empty());
        }
    }
}
