//! `report`: a report of a run, made from the derivation and never from the folder's views.

use std::path::{Path, PathBuf};

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::verify::Verified;
use probity_core::views::text_of;
use probity_store::snapshot::{Budget, Snapshot};

use super::{fail, locate};
use crate::answer::site::Site;
use crate::cli::{ReportArgs, ReportForm};
use crate::out::Out;
use crate::{answer, derive, html};

/// Writes a report.
pub(crate) fn report(args: &ReportArgs, out: Out) -> u8 {
    let text = match args.runs.as_slice() {
        [] => one(args, None, out),
        [run] => one(args, Some(run), out),
        many => several(args, many, out),
    };
    let text = match text {
        Ok(text) => text,
        Err(exit) => return exit,
    };
    match &args.output {
        None => out.data(&guarded(&text, args.form)),
        Some(file) => {
            if let Err(e) = std::fs::write(file, text) {
                let message = format!("{} cannot be written: {e}", file.display());
                return fail(out, Code::FolderUnwritable, &message, "choose another file with -o");
            }
        }
    }
    0
}

fn one(args: &ReportArgs, run: Option<&str>, out: Out) -> Result<String, u8> {
    let (dir, verified) = closed(args, run, out)?;
    let Some(judged) = &verified.judged else { return Err(not_closed(out)) };
    Ok(match args.form {
        ReportForm::Md => text_of(judged, "report.md"),
        ReportForm::Html => {
            let snapshot = Snapshot::of_folder(&dir, &Budget::default()).ok();
            html::page(judged, &|digest: &Digest| snapshot.as_ref()?.evidence(digest).ok())
        }
        ReportForm::Junit => crate::junit::junit(judged),
        ReportForm::Ctrf => crate::ctrf::ctrf(judged),
        ReportForm::Json => answer::document(&answer::run::one(&verified, &dir, answer::exit(&verified))),
    })
}

/// One page over several runs.
fn several(args: &ReportArgs, runs: &[String], out: Out) -> Result<String, u8> {
    if args.form != ReportForm::Html {
        return Err(fail(out, Code::UsageError, "only --as html takes several runs", "name one run, or say --as html"));
    }
    let mut found: Vec<(PathBuf, Verified)> = Vec::new();
    for run in runs {
        let (dir, verified) = closed(args, Some(run), out)?;
        // A prefix and a folder may name the same run.
        if found.iter().all(|(_, other)| other.run != verified.run) {
            found.push((dir, verified));
        }
    }
    let rows: Vec<html::Row<'_>> = found
        .iter()
        .filter_map(|(dir, verified)| Some(html::Row { judged: verified.judged.as_ref()?, dir: Site::of(dir).dir }))
        .collect();
    Ok(html::several(&rows))
}

/// A run that was closed and is not broken.
///
/// # Errors
/// The exit code, after the reason was given.
fn closed(args: &ReportArgs, run: Option<&str>, out: Out) -> Result<(PathBuf, Verified), u8> {
    let dir = locate(out, run, args.out.as_ref())?;
    let verified = derive::verify(&dir, None, None);
    reportable(&verified, &dir, out)?;
    Ok((dir, verified))
}

/// Refuses a run that is broken or was never closed.
///
/// # Errors
/// The exit code, after the reason was given.
pub(super) fn reportable(verified: &Verified, dir: &Path, out: Out) -> Result<(), u8> {
    if let Some(exit) = super::why::refused(verified, dir, out) {
        return Err(exit);
    }
    if verified.judged.is_some() && verified.closed { Ok(()) } else { Err(not_closed(out)) }
}

fn not_closed(out: Out) -> u8 {
    let help = Code::NotClosed.explanation().remedy;
    fail(out, Code::NotClosed, "the run was never closed, so there is nothing to report", help)
}

/// On standard output no line may begin with what a CI runner obeys (threats.md D7); in a file it stays as it is.
fn guarded(text: &str, form: ReportForm) -> String {
    let (colon, mark) = match form {
        ReportForm::Md => ("\\x3a", "#\\x23["),
        ReportForm::Junit | ReportForm::Html => ("&#58;", "#&#35;["),
        // No line of JSON begins so.
        ReportForm::Json | ReportForm::Ctrf => return text.replace("##[", "#\\u0023["),
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = line.len() - line.trim_start().len();
        match line[start..].strip_prefix("::") {
            Some(rest) => out.extend([&line[..start], colon, ":", rest]),
            None => out.push_str(line),
        }
    }
    out.replace("##[", mark)
}
