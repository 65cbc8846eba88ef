//! `report`: a report of a run, made from the derivation and never from the folder's views.

use probity_core::codes::Code;

use super::{fail, locate};
use crate::cli::{ReportArgs, ReportForm};
use crate::out::Out;
use crate::{answer, derive};

/// Writes a report.
pub(crate) fn report(args: &ReportArgs, out: Out) -> u8 {
    let dir = match locate(out, args.run.run.as_deref(), args.run.out.as_ref()) {
        Ok(dir) => dir,
        Err(exit) => return exit,
    };
    let verified = derive::verify(&dir, None, None);
    if let Some(exit) = super::why::refused(&verified, &dir, out) {
        return exit;
    }
    let Some(judged) = verified.judged.as_ref().filter(|_| verified.closed) else {
        let help = Code::NotClosed.explanation().remedy;
        return fail(out, Code::NotClosed, "the run was never closed, so there is nothing to report", help);
    };
    let text = match args.form {
        ReportForm::Md => view(judged, "report.md"),
        ReportForm::Junit => crate::junit::junit(judged),
        ReportForm::Json => answer::document(&answer::run::one(&verified, &dir, answer::exit(&verified))),
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

/// On standard output no line may begin with what a CI runner obeys (threats.md D7); in a file it stays as it is.
fn guarded(text: &str, form: ReportForm) -> String {
    let colon = match form {
        ReportForm::Md => "\\x3a",
        ReportForm::Junit => "&#58;",
        // One line that begins with a brace.
        ReportForm::Json => return text.to_owned(),
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = line.len() - line.trim_start().len();
        match line[start..].strip_prefix("::") {
            Some(rest) => out.extend([&line[..start], colon, ":", rest]),
            None => out.push_str(line),
        }
    }
    out.replace("##[", if form == ReportForm::Md { "#\\x23[" } else { "#&#35;[" })
}

fn view(judged: &probity_core::judged::Judged, wanted: &str) -> String {
    let found = probity_core::views::views(judged).into_iter().find(|(name, _)| *name == wanted);
    found.map_or_else(String::new, |(_, bytes)| String::from_utf8_lossy(&bytes).into_owned())
}
