//! The verifier: everything in a run folder is read again, everything derived is derived again, and every
//! difference has a name (harness-proof.md 11.5). It is a function of bytes; it opens and writes nothing.

mod anchors;
mod compare;
mod folder;

use crate::audit::{Material, Unauditable, audit};
use crate::checked::Parse;
use crate::codes::Code;
use crate::finding::{Finding, Weight};
use crate::ids::Digest;
use crate::journal::Seal;
use crate::journal::chain::{Chain, End};
use crate::judged::{DERIVATION, Judged, judge};
use crate::recorded::Recorded;
use crate::step::Evidence;
use crate::verdict::Status;
use crate::views::{Taker, Written};

pub use anchors::{Anchor, ListedEnd, ListedRun};
pub use compare::{Comparison, ViewFile, ViewSeen};

/// A file of a run folder, beside the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileSeen {
    /// Its name relative to the folder, with `/`.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its digest; views have none, since they are compared byte for byte.
    pub sha256: Option<Digest>,
}

/// What lies in a run folder.
pub struct Folder<'a> {
    /// The journal.
    pub journal: Journal<'a>,
    /// Every other file.
    pub files: &'a [FileSeen],
    /// Opens a view, if it is there and can be read.
    pub view: &'a dyn Fn(&str) -> Option<ViewFile<'a>>,
    /// The evidence files by digest.
    pub evidence: &'a dyn Evidence,
    /// What the reader of the folder refused: links, giants, devices.
    pub problems: &'a [Finding],
    /// What the run list says of this run, if a list is at hand.
    pub listed: Option<&'a ListedRun>,
    /// A seal that the verifier was given.
    pub seal: Option<&'a Seal>,
}

/// The journal of a run folder, as it was read.
#[derive(Clone, Copy, Debug)]
pub enum Journal<'a> {
    /// Its bytes, whole; empty when there is none.
    Whole(&'a [u8]),
    /// Its size and digest: enough to tell that it is the one that is [`Known`], and for nothing else.
    Seen(u64, Digest),
}

/// What this process has worked out of a journal already. The derivation is a function of the journal and of evidence
/// under its digests, so it need not be repeated over the same bytes.
pub struct Known {
    /// The size of the journal that it was worked out of, run.closed included.
    pub bytes: u64,
    /// Its digest.
    pub sha256: Digest,
    /// What it came to.
    pub judged: Judged,
    /// The views that were written of it.
    pub views: Vec<Written>,
}

impl Known {
    fn is_of(&self, journal: Journal<'_>) -> bool {
        let (bytes, sha256) = match journal {
            Journal::Whole(journal) => (journal.len() as u64, Digest::of(journal)),
            Journal::Seen(bytes, sha256) => (bytes, sha256),
        };
        (bytes, sha256) == (self.bytes, self.sha256)
    }
}

/// Hands on the views of a judged run.
pub type Views<'a> = dyn Fn(&Judged, &mut dyn Taker) + 'a;

/// The outcome of a verification.
pub struct Verified {
    /// Everything that was noticed, worst first.
    pub findings: Vec<Finding>,
    /// The verdict, where one could be worked out.
    pub judged: Option<Judged>,
    /// Whether the journal ends with run.closed.
    pub closed: bool,
    /// Entry count and head.
    pub seal: Option<Seal>,
    /// What the end of the journal was compared with.
    pub anchor: Anchor,
    /// Counts of what was checked.
    pub checked: Counts,
    /// The run's id, as its journal says.
    pub run: Option<String>,
    /// The derivation version that the run was made with.
    pub derivation: Option<u64>,
}

/// Counts of what was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Journal entries.
    pub entries: u64,
    /// Pieces of evidence.
    pub evidence: u64,
    /// Bytes of evidence.
    pub bytes: u64,
    /// Views compared byte for byte.
    pub views: u64,
    /// Views of another derivation, not compared.
    pub views_skipped: u64,
}

impl Verified {
    /// Whether nothing breaks the run.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.findings.iter().all(|finding| finding.weight != Weight::Integrity)
    }

    /// Whether only views are broken: the authorities are untouched.
    #[must_use]
    pub fn only_views_differ(&self) -> bool {
        let mut integrity = self.findings.iter().filter(|finding| finding.weight == Weight::Integrity).peekable();
        integrity.peek().is_some() && integrity.all(|f| matches!(f.code, Code::ViewDiffers | Code::ViewMissing))
    }

    /// The status, where the run is intact and closed: what the newest derivation works out. A pass that an older one
    /// did not see is none (threats.md R20).
    #[must_use]
    pub fn status(&self) -> Option<Status> {
        let status = self.judged.as_ref().filter(|_| self.closed && self.is_intact()).map(Judged::status)?;
        let differs = self.findings.iter().any(|finding| finding.code == Code::NotReproduced);
        Some(if differs && status == Status::Passed { Status::Inconclusive } else { status })
    }

    /// The exit code: 6 broken, 5 never closed, else the verdict's own.
    #[must_use]
    pub fn exit(&self) -> u8 {
        if !self.is_intact() {
            return 6;
        }
        self.status().map_or(5, Status::exit)
    }
}

/// Verifies a run folder. What is `known` of the very same journal is not worked out again.
#[must_use]
pub fn verify(folder: &Folder<'_>, parse: &Parse<'_>, views: &Views<'_>, known: Option<Known>) -> Verified {
    let mut verified = match known.filter(|known| known.is_of(folder.journal)) {
        Some(Known { judged, views: written, .. }) => {
            let mut verified = begun(folder, Some(judged.audited().recorded().end()), Vec::new());
            about(folder, judged.audited().recorded(), &mut verified);
            concluded(folder, judged, views, Some(&written), &mut verified);
            verified
        }
        None => {
            let journal = match folder.journal {
                Journal::Whole(journal) => journal,
                Journal::Seen(..) => &[],
            };
            let (chain, recorded) = Recorded::fold(journal);
            let mut findings = of_chain(&chain);
            if journal.is_empty() {
                let finding = Finding::integrity(Code::JournalUnreadable, "there is no journal");
                findings.insert(0, finding.in_file("journal.jsonl"));
            }
            let mut verified = begun(folder, chain.end.as_ref(), findings);
            if chain.is_sound() {
                records(folder, &chain, recorded, parse, views, &mut verified);
            }
            verified
        }
    };
    if !verified.closed && verified.is_intact() {
        verified.findings.push(Finding::note(Code::NotClosed, "the run was never closed, so there is no verdict"));
    }
    verified.findings.sort_by_key(|finding| finding.weight);
    verified
}

/// What can be said of a folder whose journal ends so, before its entries are looked into.
fn begun(folder: &Folder<'_>, end: Option<&End>, of_chain: Vec<Finding>) -> Verified {
    let mut findings = folder.problems.to_vec();
    findings.extend(of_chain);
    let anchor = anchors::compare(folder, end, &mut findings);
    Verified {
        findings,
        judged: None,
        closed: end.is_some_and(End::is_closed),
        seal: end.map(End::seal),
        anchor,
        checked: Counts { entries: end.map_or(0, |end| end.entries), ..Counts::default() },
        run: end.map(|end| end.run().to_owned()),
        derivation: None,
    }
}

/// A torn last line of a run that was never closed is what a crash leaves; after run.closed it is damage.
fn of_chain(chain: &Chain) -> Vec<Finding> {
    let torn = !chain.is_closed() && chain.end.is_some();
    let mut findings = chain.findings.clone();
    for finding in findings.iter_mut().filter(|finding| torn && finding.code == Code::JournalPartialLine) {
        finding.weight = Weight::Note;
    }
    findings
}

fn records(
    folder: &Folder<'_>,
    chain: &Chain,
    recorded: Option<Recorded>,
    parse: &Parse<'_>,
    views: &Views<'_>,
    verified: &mut Verified,
) {
    let Some(recorded) = recorded else {
        if chain.end.is_some() {
            verified
                .findings
                .push(Finding::integrity(Code::EntryBodyInvalid, "the body is not that of run.opened").at_entry(0));
        }
        return;
    };
    about(folder, &recorded, verified);
    // The process was lost before anything could be checked: there is nothing to work out, and nothing was done.
    let barren = recorded.resumed() && recorded.checked().is_none() && recorded.actions().is_empty();
    // Where nothing can be audited, what the fold noticed stands alone.
    let noticed = recorded.findings().to_vec();
    let said = recorded.closed().map(|closed| (closed.outcome.clone(), closed.counts));
    let audited = match audit(recorded, &Material { files: folder.evidence, parse, known: None }) {
        Ok(audited) => audited,
        Err(Unauditable::Findings(findings)) if barren => {
            verified.findings.extend(noticed);
            if said.is_some_and(|(outcome, counts)| outcome != Status::Inconclusive.as_str() || counts != [0; 5]) {
                let message = "run.closed names an outcome although nothing was sealed";
                verified.findings.push(Finding::integrity(Code::OutcomeDiffers, message));
            }
            let soften = |finding| Finding { weight: Weight::Note, ..finding };
            verified.findings.extend(findings.into_iter().map(soften));
            let message = "the process ended before the plan was sealed, so nothing was run";
            verified.findings.push(Finding::note(Code::AttemptLost, message));
            return;
        }
        Err(Unauditable::Findings(findings)) => {
            verified.findings.extend(noticed);
            verified.findings.extend(findings);
            return;
        }
        Err(Unauditable::Documents(diagnostics)) => {
            verified.findings.extend(noticed);
            let first = diagnostics.first().map_or_else(String::new, |d| format!(": {} {}", d.code, d.message));
            let message = format!("the sealed documents cannot be read{first}");
            verified.findings.push(Finding::integrity(Code::InputDiffers, message));
            return;
        }
    };
    concluded(folder, judge(audited), views, None, verified);
}

/// What the first entry says of the run as a whole, and the evidence that its entries name.
fn about(folder: &Folder<'_>, recorded: &Recorded, verified: &mut Verified) {
    let opened = recorded.opened();
    verified.derivation = Some(opened.derivation);
    anchors::beginning(folder, recorded, &mut verified.findings);
    if !recorded.run().ends_with(opened.nonce.get(..8).unwrap_or("-")) {
        verified
            .findings
            .push(Finding::integrity(Code::RunMixed, "the run's id does not end in its nonce").at_entry(0));
    }
    if !(1..=DERIVATION).contains(&opened.derivation) {
        // Its views could not be compared, so they could say anything (threats.md D11, R20).
        let message = format!("the run names derivation {}, which is not known here", opened.derivation);
        verified.findings.push(Finding::integrity(Code::NotReproduced, message).at_entry(0));
    }
    folder::evidence(folder, recorded, verified);
}

/// What was noticed on the way to the verdict, the verdict that was recorded, the views; `written` are those that this
/// process wrote of the same verdict.
fn concluded(
    folder: &Folder<'_>,
    judged: Judged,
    views: &Views<'_>,
    written: Option<&[Written]>,
    verified: &mut Verified,
) {
    let noticed = judged.audited().findings().iter().filter(|f| verified.closed || !is_unfinished(f));
    verified.findings.extend(noticed.cloned());
    if verified.closed {
        outcome(&judged, verified);
        if verified.derivation == Some(DERIVATION) {
            folder::views(folder, &judged, views, written, verified);
        } else {
            verified.checked.views_skipped = folder::count(&judged, views);
        }
    }
    verified.judged = Some(judged);
}

/// Findings that an unfinished run has by being unfinished.
fn is_unfinished(finding: &Finding) -> bool {
    matches!(finding.code, Code::StepMissing | Code::PlanCheckDiffers)
}

/// Compares the verdict that was recorded with the one that was worked out.
fn outcome(judged: &Judged, verified: &mut Verified) {
    let recorded = judged.audited().recorded();
    let Some(closed) = recorded.closed() else { return };
    let mine = judged.status().as_str();
    if closed.outcome == mine && closed.counts == judged.counts() {
        return;
    }
    let older = recorded.opened().derivation != DERIVATION;
    let hidden = closed.outcome == Status::Passed.as_str() && !judged.weakenings().is_empty();
    let finding = if hidden {
        Finding::integrity(Code::WeakeningHidden, "the run calls itself passed although it was weakened")
    } else if older {
        // Nothing is broken: the rules have changed since, and those of today count.
        Finding::note(Code::NotReproduced, "this version works out another verdict than the run recorded")
    } else {
        Finding::integrity(Code::OutcomeDiffers, "run.closed names another outcome than its entries give")
    };
    let drawn = |outcome: &str, counts: [u64; 5]| {
        let counts = Status::ALL.iter().zip(counts).filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts.map(|(status, count)| format!("{count} {}", status.as_str())).collect();
        format!("{outcome} ({})", counts.join(", "))
    };
    verified.findings.push(finding.values(drawn(mine, judged.counts()), drawn(&closed.outcome, closed.counts)));
}
