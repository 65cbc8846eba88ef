//! `profile show`: a host profile, checked, with what is in effect.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use probity_core::diagnostic::{Diagnostic, Diagnostics, Severity};
use probity_core::host_profile::{self, HostProfile};
use probity_core::inert::inert;
use probity_formats::document::{self, MAX_BYTES};
use probity_formats::draw::{Style, draw};

use crate::answer::refused::refused;
use crate::cli::playwright::ProfileShowArgs;
use crate::cmd::plan::{counted, guarded};
use crate::out::Out;
use crate::project::unreadable;

/// A document that was read, and what was found in it.
pub(super) struct Checked<T> {
    /// What it is, where nothing refuses it.
    pub value: Option<T>,
    /// What was found.
    pub found: Vec<Diagnostic>,
}

/// Shows a host profile: 0 where nothing refuses it, 1 where something does, 2 where it cannot be read.
pub(crate) fn show(args: &ProfileShowArgs, out: Out) -> u8 {
    let checked = match read(&args.file) {
        Ok(checked) => checked,
        Err(found) => return super::fail_documents(out, &found, Path::new("")),
    };
    let exit = u8::from(checked.value.is_none());
    if out.json {
        let profile = checked.value.as_ref().map(|profile| ("profile", profile.to_json()));
        out.data(&refused("probity/profile show/1", exit, &checked.found, profile.into_iter().collect()));
        return exit;
    }
    match checked.value {
        Some(profile) => {
            say(&checked.found, out);
            out.data(&profile.pretty());
        }
        None => {
            // What is only likely wrong waits until there is a profile.
            let refusals: Vec<Diagnostic> =
                checked.found.iter().filter(|d| d.severity == Severity::Error).cloned().collect();
            say(&refusals, out);
            out.data(&summary(&args.file, &checked.found));
        }
    }
    exit
}

/// Reads and checks a host profile.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(file: &Path) -> Result<Checked<HostProfile>, Vec<Diagnostic>> {
    let folder = file.parent().map(PathBuf::from).unwrap_or_default();
    let name = file.display().to_string();
    check(&name, &bytes(file)?, &folder)
}

/// Checks the bytes of a host profile that lies in this folder.
///
/// # Errors
/// Why they are no document.
pub(super) fn check(name: &str, bytes: &[u8], folder: &Path) -> Result<Checked<HostProfile>, Vec<Diagnostic>> {
    let node = document::read(name, bytes)?;
    let mut diags = Diagnostics::about(name);
    let value = host_profile::read(&node, &|path| folder.join(path).exists(), &mut diags);
    Ok(Checked { value, found: diags.into_sorted() })
}

/// The bytes of a document; of one that is too large, enough to refuse it.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn bytes(file: &Path) -> Result<Vec<u8>, Vec<Diagnostic>> {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(file).and_then(|open| open.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| vec![unreadable(&file.display().to_string(), &error)])
}

/// Says what was found: refusals drawn on standard output, warnings a line each on standard error.
pub(super) fn say(found: &[Diagnostic], out: Out) {
    let (errors, warnings): (Vec<Diagnostic>, Vec<Diagnostic>) =
        found.iter().cloned().partition(|d| d.severity == Severity::Error);
    for one in &warnings {
        let place = one.place.map_or_else(String::new, |place| format!(":{}:{}", place.line, place.column));
        let help = one.help.as_deref().map_or_else(String::new, |help| format!("; {help}"));
        let subject = one.subject.as_deref().unwrap_or_default();
        out.warn(&inert(&format!("{}{place}: {subject}: {}{help} [{}]", one.file, one.message, one.code)));
    }
    let style = Style { color: out.color, ascii: true, width: out.width };
    // A reader knows the field by its path, which a line of the file alone does not tell.
    let named = errors.into_iter().map(|one| Diagnostic {
        message: one
            .subject
            .as_ref()
            .map_or(one.message.clone(), |subject| format!("{}: {}", inert(subject), one.message)),
        subject: None,
        ..one
    });
    let named: Vec<Diagnostic> = named.collect();
    let drawn = draw(&named, &|name| std::fs::read_to_string(name).ok(), style);
    let text: String = drawn.lines().map(|line| guarded(line) + "\n").collect();
    if !text.is_empty() {
        out.data(&(text + "\n"));
    }
}

/// `REFUSED  FILE: 3 refusals`
pub(super) fn summary(file: &Path, found: &[Diagnostic]) -> String {
    let count = |severity| found.iter().filter(|d| d.severity == severity).count();
    let counts = [counted(count(Severity::Error), "refusal"), counted(count(Severity::Warning), "warning")];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    format!("REFUSED  {}: {}\n", inert(&file.display().to_string()), counts.join(", "))
}
