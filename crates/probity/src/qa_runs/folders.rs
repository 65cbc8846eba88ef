//! Run folders as QA runs. Each is verified as `verify` does it, and nothing that does not verify is ever a pass: a run
//! that was begun and cannot be shown any more counts as an error, so that losing a folder helps nobody.

use std::collections::BTreeSet;
use std::path::Path;

use probity_core::codes::Code;
use probity_core::success_policy::{Class, Row, Want, qa_run, unproved};
use probity_store::find;
use probity_store::list::{Event, Line, RunList};
use probity_store::naming::JOURNAL;

use super::{Sieve, Unread, mixed};
use crate::derive;

/// Reads a run folder, or a folder of them with its run list.
pub(super) fn read(folder: &Path, want: &Want, sieve: &mut Sieve<'_>) -> Result<(), Unread> {
    let shown = folder.display().to_string();
    let add = |row: Row, sieve: &mut Sieve<'_>| sieve.row(row).map_err(|both| mixed(&shown, both));
    if folder.join(JOURNAL).exists() {
        let root = folder.canonicalize().ok().and_then(|path| path.parent().map(Path::to_path_buf));
        let listed = root.map_or_else(|| Ok(Vec::new()), |root| RunList::of(&root).lines()).map_err(Unread::Store)?;
        let name = folder.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
        let row = run(folder, &name, &listed, want, sieve);
        return add(row, sieve);
    }
    let listed = RunList::of(folder).lines().map_err(Unread::Store)?;
    let there: BTreeSet<String> = find::runs(folder).map_err(Unread::Store)?.into_iter().collect();
    for name in &there {
        let row = run(&folder.join(name), name, &listed, want, sieve);
        add(row, sieve)?;
    }
    for line in listed.iter().filter(|line| line.event == Event::Opened && !there.contains(&line.run)) {
        let why = "the run list saw it open, and its folder is gone";
        if sieve.asked.is_none_or(|asked| asked == line.series) {
            sieve.notice(Code::RunNotProved, format!("{}: {why}", line.run));
        }
        add(unproved(&line.run, Some(&line.series), Some(&line.at), why), sieve)?;
    }
    Ok(())
}

fn run(folder: &Path, name: &str, listed: &[Line], want: &Want, sieve: &mut Sieve<'_>) -> Row {
    let line = |event: Event| listed.iter().find(|line| line.run == name && line.event == event);
    let opened = line(Event::Opened);
    let mut broken = |why: &str| {
        sieve.notice(Code::RunNotProved, format!("{name}: {why}"));
        unproved(name, opened.map(|line| line.series.as_str()), opened.map(|line| line.at.as_str()), why)
    };
    if line(Event::Withdrawn).is_some() {
        return broken("it was withdrawn");
    }
    let verified = derive::verify(folder, None, None);
    let Some(row) = qa_run(&verified, want) else {
        let first = verified.findings.first();
        let why = first.map_or_else(
            || "it does not verify".to_owned(),
            |f| format!("it does not verify: {} {}", f.code, f.message),
        );
        return broken(&why);
    };
    if row.run.class == Class::Pending {
        sieve.notice(Code::RunPending, format!("{name}: it was never closed"));
    }
    row
}
