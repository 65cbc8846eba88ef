//! The subject of another run of a series, from that run's own entries and without working the run out.

use std::sync::Arc;

use super::runtime::{Identity, read_build};
use crate::environment;
use crate::ids::Digest;
use crate::journal::Entry;
use crate::journal::body::{Body, EvidenceCaptured, RuntimeObserved};

/// The build that the running system named before and after the steps of a run, by what its entries say; `None` where
/// they do not say it, or say it twice.
///
/// Looked at are `evidence.captured` and `runtime.observed`; others may be left out. Whether the run holds together is
/// not: the answer is worth what the folder is worth that the entries came from.
#[must_use]
pub fn build_told(declared: &environment::Identity, entries: &[Entry]) -> Option<String> {
    let captured: Vec<EvidenceCaptured> =
        entries.iter().filter_map(|entry| EvidenceCaptured::read(entry.body.clone())).collect();
    let evidence = |digest: &Digest| {
        let found = captured.iter().find(|captured| captured.sha256 == *digest)?;
        found.content.bytes().filter(|bytes| Digest::of(bytes) == *digest).map(Arc::new)
    };
    let mut builds: [Option<String>; 2] = [None, None];
    for entry in entries {
        let Some(RuntimeObserved::Identity { phase, observation, .. }) = RuntimeObserved::read(entry.body.clone())
        else {
            continue;
        };
        let slot = &mut builds[usize::from(phase == "after")];
        let read = read_build(Some(declared), &observation, &evidence);
        let (Identity::Build(build), None) = (read, &slot) else { return None };
        *slot = Some(build);
    }
    let [before, after] = builds;
    before.filter(|before| after.as_ref() == Some(before))
}

#[cfg(test)]
mod tests;
