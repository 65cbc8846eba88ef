//! A last look for secrets before a run is closed (threats.md R13): what became known for one late may have been written
//! down before.

use std::fs;
use std::path::Path;

use probity_core::redact::Redactor;

/// No more places are named than these.
const MOST: usize = 20;

/// Where something stands in a run folder that is known for a secret by now: `entry 12`, `evidence/ab/…`.
pub(super) fn places(folder: &Path, redactor: &Redactor) -> Vec<String> {
    if redactor.is_empty() {
        return Vec::new();
    }
    // What cannot be read here is told by the verification of the folder.
    let journal = fs::read(folder.join("journal.jsonl")).unwrap_or_default();
    let entries = journal.split(|b| *b == b'\n').enumerate().filter(|(_, line)| redactor.finds(line));
    let mut found: Vec<String> = entries.map(|(position, _)| format!("entry {position}")).collect();
    for file in evidence(folder) {
        if fs::read(folder.join(&file)).is_ok_and(|bytes| redactor.finds(&bytes)) {
            found.push(file);
        }
    }
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    if more > 0 {
        found.push(format!("{more} more"));
    }
    found
}

/// The files under `evidence/`, by their names in the folder, sorted.
fn evidence(folder: &Path) -> Vec<String> {
    let names = |path: &Path| -> Vec<String> {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
    };
    let mut files: Vec<String> = names(&folder.join("evidence"))
        .into_iter()
        .flat_map(|group| {
            let inside = names(&folder.join("evidence").join(&group));
            inside.into_iter().map(move |name| format!("evidence/{group}/{name}"))
        })
        .collect();
    files.sort();
    files
}
