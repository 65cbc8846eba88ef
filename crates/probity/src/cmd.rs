//! The commands, one file each. Each gets its arguments and gives the exit code (design.md section 6).

pub(crate) mod cases;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod guard;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod judge;
pub(crate) mod new;
pub(crate) mod open;
pub(crate) mod plan;
pub(crate) mod playwright;
pub(crate) mod policy;
pub(crate) mod profile;
pub(crate) mod qa;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod settings;
pub(crate) mod show;
pub(crate) mod verify;
pub(crate) mod why;

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostic;
use probity_formats::draw::{Style, draw};
use probity_store::{StoreError, find};

use crate::answer;
use crate::out::Out;
use crate::project::Project;

/// Exit code of usage errors and malformed input.
pub(crate) const USAGE: u8 = 2;

/// A command line that cannot be understood, or a request for help.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    use clap::error::ErrorKind;
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let json = std::env::args().any(|word| word == "--format=json")
        || std::env::args().collect::<Vec<_>>().windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json");
    if json && !asked {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        let out = Out::new(true, crate::ColorChoice::Never);
        fail(out, Code::UsageError, &first, "see --help");
    } else {
        let _ = error.print();
    }
    ExitCode::from(if asked { 0 } else { USAGE })
}

/// The bytes of a file, or of standard input where it is `-`: so many, and one more where there are more.
pub(crate) fn read_most(file: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes)?;
    } else {
        std::fs::File::open(file)?.take(most + 1).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// Says that a command failed, in words or as the error answer; gives the exit code of usage errors.
pub(crate) fn fail(out: Out, code: Code, message: &str, help: &str) -> u8 {
    fail_with(out, code, message, help, USAGE)
}

/// The same with another exit code.
pub(crate) fn fail_with(out: Out, code: Code, message: &str, help: &str, exit: u8) -> u8 {
    if out.json {
        out.data(&answer::error::error(code, message, help, exit));
    } else {
        let error = Diagnostic {
            code,
            severity: probity_core::diagnostic::Severity::Error,
            file: String::new(),
            place: None,
            subject: None,
            message: message.to_owned(),
            help: (!help.is_empty()).then(|| help.to_owned()),
        };
        draw_to_stderr(out, &[error], &|_| None);
    }
    exit
}

/// Draws diagnostics on standard error, or gives the first as the error answer; gives the exit code 2.
pub(crate) fn fail_documents(out: Out, found: &[Diagnostic], folder: &Path) -> u8 {
    if out.json {
        out.data(&answer::error::error_document(found, USAGE));
    } else {
        let folder = folder.to_path_buf();
        draw_to_stderr(out, found, &move |name| {
            std::fs::read_to_string(name).or_else(|_| std::fs::read_to_string(folder.join(name))).ok()
        });
    }
    USAGE
}

/// The same for a fault in a text of which only a part is at hand: `quoted` is what the places count in.
pub(crate) fn fail_quoted(out: Out, found: &[Diagnostic], quoted: Option<&str>) -> u8 {
    if out.json {
        out.data(&answer::error::error_document(found, USAGE));
    } else {
        draw_to_stderr(out, found, &|_| quoted.map(str::to_owned));
    }
    USAGE
}

fn draw_to_stderr(out: Out, found: &[Diagnostic], source: &dyn Fn(&str) -> Option<String>) {
    use std::io::Write as _;
    let style = Style { color: out.color_err, ascii: true, width: out.width };
    let _ = write!(std::io::stderr().lock(), "{}", draw(found, source, style));
}

/// A failure of the store.
pub(crate) fn fail_store(out: Out, error: &StoreError) -> u8 {
    let code = error.code();
    if let StoreError::RunUnknown { asked, runs, nearest: None } = error
        && asked == "the newest"
    {
        let message = format!("there is no run in {}", runs.display());
        return fail(out, code, &message, "make one with probity run, or name the folder of runs with --out");
    }
    let exit = match code {
        Code::RunLocked => 3,
        Code::ReadBackDiffers | Code::IndexBroken | Code::LinkRefused | Code::OverBudget => 6,
        // A journal without an entry is no run yet; any other line that does not fit is a broken one.
        Code::NotOpened => USAGE,
        _ if matches!(error, StoreError::JournalFault { .. }) => 6,
        Code::RecordingFailed => 5,
        _ => USAGE,
    };
    fail_with(out, code, &error.to_string(), code.explanation().remedy, exit)
}

/// The folder of the run that was asked for.
///
/// # Errors
/// The exit code, after the reason was given.
pub(crate) fn locate(out: Out, run: Option<&str>, runs: Option<&PathBuf>) -> Result<PathBuf, u8> {
    let project = here(out)?;
    let root = find::runs_root(runs.map(PathBuf::as_path), &project.root);
    find::locate(&root, run).map_err(|error| fail_store(out, &error))
}

/// The project of the working folder.
///
/// # Errors
/// The exit code, after the reason was given.
pub(crate) fn here(out: Out) -> Result<Project, u8> {
    let folder = std::env::current_dir().map_err(|e| {
        fail(
            out,
            Code::FolderUnwritable,
            &format!("the working folder cannot be read: {e}"),
            "change into another folder",
        )
    })?;
    Project::of(&folder).map_err(|found| fail_documents(out, &found, &folder))
}
