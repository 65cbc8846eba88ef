//! The files of a run folder: evidence against the journal, views against the derivation, and what nobody named.

use std::collections::BTreeMap;

use super::compare::{self, Comparison, ViewSeen};
use super::{FileSeen, Folder, Verified, Views};
use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::Digest;
use crate::journal::body::Content;
use crate::judged::Judged;
use crate::recorded::Recorded;
use crate::views::{Taker, Written};

/// Files that may lie in a run folder beside journal, evidence and views.
const KNOWN: [&str; 2] = ["journal.jsonl", "attestation.dsse.json"];

/// Every piece of evidence that the journal names: there, whole, unchanged; and nothing else beside it.
pub(super) fn evidence(folder: &Folder<'_>, recorded: &Recorded, verified: &mut Verified) {
    let mut files: BTreeMap<&str, &FileSeen> = folder
        .files
        .iter()
        .filter(|file| file.name.starts_with("evidence/"))
        .map(|file| (file.name.as_str(), file))
        .collect();
    let sealed = recorded.inputs().iter().map(|input| (&input.content, input.sha256, input.bytes));
    let captured = recorded.evidence().map(|evidence| (&evidence.content, evidence.sha256, evidence.bytes));
    let mut named: BTreeMap<String, (Digest, u64)> = BTreeMap::new();
    for (content, sha256, bytes) in sealed.chain(captured) {
        match content {
            Content::File(name) => {
                named.insert(format!("evidence/{name}"), (sha256, bytes));
            }
            Content::Text(_) | Content::Base64(_) => {
                verified.checked.evidence += 1;
                verified.checked.bytes += bytes;
            }
            Content::Absent => {}
        }
    }
    for (name, (sha256, bytes)) in named {
        let refuse = |code, message: &str| Finding::integrity(code, message).in_file(name.as_str());
        match files.remove(name.as_str()) {
            None => verified.findings.push(refuse(Code::EvidenceMissing, "the file is not there")),
            Some(file) if file.size != bytes => verified.findings.push(
                refuse(Code::EvidenceSize, "the file has another size")
                    .values(bytes.to_string(), file.size.to_string()),
            ),
            Some(file) if file.sha256 != Some(sha256) => verified.findings.push(
                refuse(Code::EvidenceChanged, "the bytes are not those that were captured").values(
                    sha256.to_string(),
                    file.sha256.map_or_else(|| "unknown".to_owned(), |found| found.to_string()),
                ),
            ),
            Some(file) => {
                verified.checked.evidence += 1;
                verified.checked.bytes += file.size;
            }
        }
    }
    for name in files.into_keys() {
        // A process that died between a file and its entry leaves such a file in an open run, and in one that was
        // taken up again.
        let message = "the journal names no such evidence";
        let finding = if verified.closed && !recorded.resumed() {
            Finding::integrity(Code::UnlistedFile, message)
        } else {
            Finding::note(Code::UnlistedFile, message)
        };
        verified.findings.push(finding.in_file(name));
    }
}

/// Every view is what the derivation gives, byte for byte. Those that this process wrote of the same verdict are told by
/// their digests; where one is another, all are derived again, to say where it differs.
pub(super) fn views(
    folder: &Folder<'_>,
    judged: &Judged,
    views: &Views<'_>,
    written: Option<&[Written]>,
    verified: &mut Verified,
) {
    let known = written.filter(|written| written.iter().all(|one| compare::is((folder.view)(&one.name), one)));
    let names: Vec<String> = match known {
        Some(written) => {
            verified.checked.views += written.len() as u64;
            written.iter().map(|one| one.name.clone()).collect()
        }
        None => {
            let mut comparing = Comparing { folder, at: Comparison::of(None), seen: Vec::new() };
            views(judged, &mut comparing);
            comparing.seen.iter().for_each(|(name, seen)| note(name, *seen, verified));
            comparing.seen.into_iter().map(|(name, _)| name).collect()
        }
    };
    for file in folder.files {
        let expected =
            file.name.starts_with("evidence/") || KNOWN.contains(&file.name.as_str()) || names.contains(&file.name);
        if !expected {
            verified
                .findings
                .push(Finding::note(Code::UnlistedFile, "the journal names no such file").in_file(file.name.as_str()));
        }
    }
}

fn note(name: &str, seen: ViewSeen, verified: &mut Verified) {
    match seen {
        ViewSeen::Same => verified.checked.views += 1,
        ViewSeen::Missing => {
            verified.findings.push(Finding::integrity(Code::ViewMissing, "the view is not there").in_file(name));
        }
        ViewSeen::Differs(line) => {
            let message = format!("the view is not what the journal gives (line {line})");
            verified.findings.push(Finding::integrity(Code::ViewDiffers, message).in_file(name));
        }
    }
}

struct Comparing<'a, 'f> {
    folder: &'f Folder<'a>,
    at: Comparison<'a>,
    seen: Vec<(String, ViewSeen)>,
}

impl Taker for Comparing<'_, '_> {
    fn begin(&mut self, name: &str) {
        self.at = Comparison::of((self.folder.view)(name));
    }

    fn piece(&mut self, bytes: &[u8]) {
        self.at.piece(bytes);
    }

    fn end(&mut self, view: Written) {
        let at = std::mem::replace(&mut self.at, Comparison::of(None));
        self.seen.push((view.name, at.end()));
    }
}

/// How many views there are.
pub(super) fn count(judged: &Judged, views: &Views<'_>) -> u64 {
    struct Count(u64);
    impl Taker for Count {
        fn begin(&mut self, _: &str) {
            self.0 += 1;
        }

        fn piece(&mut self, _: &[u8]) {}

        fn end(&mut self, _: Written) {}
    }
    let mut count = Count(0);
    views(judged, &mut count);
    count.0
}
