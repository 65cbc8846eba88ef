//! What the end of a journal is compared with, since a cut tail leaves a chain that holds (threats.md C9).

use super::Folder;
use crate::codes::Code;
use crate::finding::Finding;
use crate::journal::Seal;
use crate::journal::chain::Chain;

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
    /// The nonce that was listed when it was opened.
    pub nonce: String,
    /// Entry count and head of the closed run, once it was closed.
    pub closed: Option<Seal>,
}

/// Compares the end of the chain with the anchors at hand.
pub(super) fn compare(folder: &Folder<'_>, chain: &Chain, findings: &mut Vec<Finding>) -> Anchor {
    let seal = chain.seal();
    let mut anchor = Anchor::Nothing;
    if let Some(listed) = folder.listed {
        let nonce = chain.entries.first().and_then(|(entry, _)| entry.body.get("nonce")?.as_text().map(str::to_owned));
        if nonce.as_deref().is_some_and(|nonce| nonce != listed.nonce) {
            findings.push(
                Finding::integrity(Code::AnchorDiffers, "the run list names another nonce for this run")
                    .in_file("index.jsonl"),
            );
        }
        if let Some(closed) = &listed.closed {
            against(closed, seal.as_ref(), "the run list", findings);
            anchor = Anchor::Index;
        }
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
