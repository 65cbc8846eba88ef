//! What the end of a journal is compared with, since a cut tail leaves a chain that holds (threats.md C9).

use super::Folder;
use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::Digest;
use crate::journal::Seal;
use crate::journal::chain::End;
use crate::recorded::Recorded;

/// What the end of the journal was compared with, the strongest of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// A seal that the verifier was given.
    Seal,
    /// The run list.
    Index,
    /// Nothing: a cut tail could not be told from an early end.
    Nothing,
}

impl Anchor {
    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Seal => "seal",
            Self::Index => "index",
            Self::Nothing => "nothing",
        }
    }
}

/// What the run list says of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRun {
    /// The run's id.
    pub run: String,
    /// The nonce that was listed when it was opened.
    pub nonce: String,
    /// The series that it was listed in.
    pub series: String,
    /// Which attempt of the series it was.
    pub attempt: u64,
    /// When it was listed as opened; the journal begins no earlier.
    pub opened_at: String,
    /// The end of the closed run, once it was closed.
    pub closed: Option<ListedEnd>,
}

/// The end of a run as the run list keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEnd {
    /// Number of entries.
    pub entries: u64,
    /// Id of the last one.
    pub head: Digest,
    /// Time of the last one.
    pub at: String,
}

/// Compares the end of the chain with the anchors at hand.
pub(super) fn compare(folder: &Folder<'_>, end: Option<&End>, findings: &mut Vec<Finding>) -> Anchor {
    let seal = end.map(End::seal);
    let mut anchor = Anchor::Nothing;
    if let Some(closed) = folder.listed.and_then(|listed| listed.closed.as_ref()) {
        against(&Seal::new(closed.entries, &closed.head), seal.as_ref(), "the run list", findings);
        // The seal holds the first digits of the head only.
        if end.is_some_and(|end| end.entries == closed.entries && (end.head != closed.head || end.at != closed.at)) {
            findings.push(listed_differs("the run list names another head or time for the end of this run"));
        }
        anchor = Anchor::Index;
    }
    if let Some(given) = folder.seal {
        against(given, seal.as_ref(), "the seal", findings);
        anchor = Anchor::Seal;
    }
    if anchor == Anchor::Nothing {
        findings.push(Finding::note(Code::NotAnchored, "neither run list nor seal names the end of this journal"));
    }
    anchor
}

/// The line that was written when the run opened, against the first entry.
pub(super) fn beginning(folder: &Folder<'_>, recorded: &Recorded, findings: &mut Vec<Finding>) {
    let Some(listed) = folder.listed else { return };
    let opened = recorded.opened();
    let same = recorded.run() == listed.run
        && opened.nonce == listed.nonce
        && opened.series == listed.series
        && opened.attempt == listed.attempt
        && *listed.opened_at <= *recorded.opened_at();
    if !same {
        findings.push(listed_differs("the run list names another id, nonce, series, attempt or time for this run"));
    }
}

fn listed_differs(message: &str) -> Finding {
    Finding::integrity(Code::AnchorDiffers, message).in_file("index.jsonl")
}

fn against(wanted: &Seal, found: Option<&Seal>, who: &str, findings: &mut Vec<Finding>) {
    let saw = found.map_or_else(|| "no entry".to_owned(), ToString::to_string);
    if found == Some(wanted) {
        return;
    }
    let entries = found.map_or(0, |seal| seal.entries);
    let (code, message) = if entries < wanted.entries {
        (Code::TailCut, format!("{who} names {} entries, the journal has {entries}", wanted.entries))
    } else {
        (Code::AnchorDiffers, format!("{who} names another end than the journal has"))
    };
    findings.push(Finding::integrity(code, message).in_file("journal.jsonl").values(wanted.to_string(), saw));
}
