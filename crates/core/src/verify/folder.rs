//! The files of a run folder: evidence against the journal, views against the derivation, and what nobody named.

use std::collections::BTreeMap;

use super::{FileSeen, Folder, Verified, ViewSeen};
use crate::codes::Code;
use crate::finding::Finding;
use crate::ids::Digest;
use crate::journal::body::Content;
use crate::recorded::Recorded;

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

/// Every view is what the derivation gives, byte for byte.
pub(super) fn views(folder: &Folder<'_>, views: &[(String, Vec<u8>)], verified: &mut Verified) {
    for (name, derived) in views {
        match (folder.view)(name, derived) {
            ViewSeen::Same => verified.checked.views += 1,
            ViewSeen::Missing => verified
                .findings
                .push(Finding::integrity(Code::ViewMissing, "the view is not there").in_file(name.as_str())),
            ViewSeen::Differs(line) => {
                let message = format!("the view is not what the journal gives (line {line})");
                verified.findings.push(Finding::integrity(Code::ViewDiffers, message).in_file(name.as_str()));
            }
        }
    }
    for file in folder.files {
        let expected = file.name.starts_with("evidence/")
            || KNOWN.contains(&file.name.as_str())
            || views.iter().any(|(name, _)| *name == file.name);
        if !expected {
            verified
                .findings
                .push(Finding::note(Code::UnlistedFile, "the journal names no such file").in_file(file.name.as_str()));
        }
    }
}
