//! `qa`: requirements, their QA runs, and the gate of a phase. What an index is for all of these commands, and what a commit
//! is.

mod artifact;
mod export;
mod flaky;
pub(crate) mod follow;
mod gate;
mod import;
mod list;
mod record;
mod require;
mod standing;
mod status;
mod waive;

use std::path::{Path, PathBuf};

use probity_core::codes::Code;
use probity_core::diagnostic::Severity;
use probity_core::ids::Id;
use probity_core::qa::intake::{self, Unfit};
use probity_core::qa::{Counted, Phase, Sums, Version};
use probity_core::secret;
use probity_core::success_policy::{Policy, lint};
use probity_store::find;
use probity_store::index::{Index, IndexError, Target};

use super::{fail, fail_documents, fail_with, here, read_most};
use crate::cli::qa::{PhaseName, QaCommand, Where};
use crate::engine::git;
use crate::out::Out;
use crate::project::Project;

/// Does what was asked.
pub(crate) fn qa(command: &QaCommand, out: Out) -> u8 {
    let done = match command {
        QaCommand::Require(args) => require::require(args, out),
        QaCommand::Record(args) => record::record(args, out),
        QaCommand::Waive(args) => waive::waive(args, out),
        QaCommand::Status(args) => status::status(args, out),
        QaCommand::Gate(args) => gate::gate(args, out),
        QaCommand::List(args) => list::list(args, out),
        QaCommand::Flaky(args) => flaky::flaky(args, out),
        QaCommand::Export(args) => export::export(args, out),
        QaCommand::Import(args) => import::import(args, out),
    };
    done.unwrap_or_else(|exit| exit)
}

/// An exit code, or the exit code after it was said what went wrong.
type Exit = Result<u8, u8>;

/// The project, its runs and its index.
struct Desk {
    project: Project,
    runs: PathBuf,
    target: Target,
}

impl Desk {
    fn of(at: &Where, out: Out) -> Result<Self, u8> {
        let project = here(out)?;
        let runs = find::runs_root(at.out.as_deref(), &project.root);
        let target = target(at.index.as_deref(), &runs).map_err(|error| fail_index(out, &error))?;
        Ok(Self { project, runs, target })
    }

    fn open(&self, out: Out) -> Result<Index, u8> {
        Index::open(&self.target).map_err(|error| fail_index(out, &error))
    }

    fn create(&self, out: Out) -> Result<Index, u8> {
        Index::create(&self.target).map_err(|error| fail_index(out, &error))
    }

    /// The commit of a name, in full where git knows it.
    fn commit(&self, named: &str, out: Out) -> Result<String, u8> {
        commit(&self.project.root, named, out)
    }

    /// The commits of which runs are fresh: those that were named, else the one that is checked out.
    fn commits(&self, named: &[String], out: Out) -> Result<Vec<String>, u8> {
        if named.is_empty() {
            return Ok(git::commit(&self.project.root, "HEAD").into_iter().collect());
        }
        let mut commits = named.iter().map(|name| self.commit(name, out)).collect::<Result<Vec<_>, _>>()?;
        commits.sort_unstable();
        commits.dedup();
        Ok(commits)
    }
}

/// Where the index is: what was said, else beside the runs.
pub(crate) fn target(said: Option<&str>, runs: &Path) -> Result<Target, IndexError> {
    said.map_or_else(|| Ok(Target::beside(runs)), Target::parse)
}

/// The commit of a name, in full where git knows it.
pub(crate) fn commit(root: &Path, named: &str, out: Out) -> Result<String, u8> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._/~^-".contains(c);
    if named.is_empty() || named.len() > 200 || named.starts_with('-') || !named.chars().all(fits) {
        let message = format!("{named} is no name of a commit");
        return Err(fail(out, Code::UsageError, &message, "write its digits, or a name of letters, digits and ._/-"));
    }
    Ok(git::commit(root, named).unwrap_or_else(|| named.to_owned()))
}

/// What a completed run counts for.
fn see(version: &Version, run: &Counted) -> Sums {
    intake::sums(version.terms.policy.as_deref(), run)
}

/// Says what went wrong with the index.
pub(crate) fn fail_index(out: Out, error: &IndexError) -> u8 {
    let code = error.code();
    let exit = if code == Code::IndexUnreachable { 3 } else { super::USAGE };
    fail_with(out, code, &error.to_string(), code.explanation().remedy, exit)
}

/// Says what is unfit about something that was given.
fn fail_unfit(out: Out, what: &str, unfit: &Unfit) -> u8 {
    fail(out, unfit.code, &format!("{what}: {}", unfit.message), unfit.code.explanation().remedy)
}

/// An id of a requirement.
fn id(text: &str, out: Out) -> Result<String, u8> {
    Id::parse(text)
        .map(|id| id.as_str().to_owned())
        .map_err(|_| fail(out, Code::IdMalformed, &format!("{text} is no id"), Code::IdMalformed.explanation().remedy))
}

/// A short text that is kept: one that says something, is not too long, and holds no secret.
fn words(flag: &str, text: &str, out: Out) -> Result<String, u8> {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.len() > 2000 || trimmed.contains('\0') {
        let message = format!("--{flag} says nothing, or more than 2000 bytes");
        return Err(fail(out, Code::ValueOutOfRange, &message, "say it in a sentence"));
    }
    no_secret(&format!("--{flag}"), trimmed, out)?;
    Ok(trimmed.to_owned())
}

/// Refuses a text that would keep a secret. The secret itself is not repeated.
fn no_secret(what: &str, text: &str, out: Out) -> Result<(), u8> {
    if secret::find(text).is_empty() {
        return Ok(());
    }
    let message = format!("{what} holds something that looks like a secret; it would be kept");
    Err(fail(out, Code::SecretLiteral, &message, "take it out; nothing was written"))
}

/// The text of a file, or of standard input where it is `-`; at most so many bytes.
fn read_text(file: &Path, most: u64, out: Out) -> Result<String, u8> {
    let unreadable = |why: String| {
        let message = format!("{} cannot be read: {why}", file.display());
        fail(out, Code::DocumentUnreadable, &message, Code::DocumentUnreadable.explanation().remedy)
    };
    let bytes = read_most(file, most).map_err(|e| unreadable(e.to_string()))?;
    if bytes.len() as u64 > most {
        let message = format!("{} has more than {most} bytes", file.display());
        return Err(fail(out, Code::DocumentTooLarge, &message, Code::DocumentTooLarge.explanation().remedy));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))
}

/// Reads and checks a success policy; what is odd about it is a warning.
fn read_policy(file: &Path, project: &Project, out: Out) -> Result<Option<String>, u8> {
    let text = read_text(file, 1 << 20, out)?;
    let name = file.display().to_string();
    Policy::read(text.as_bytes())
        .map_err(|invalid| fail_documents(out, &[invalid.diagnostic(&name)], &project.root))?;
    for found in lint(&name, text.as_bytes()) {
        if found.severity != Severity::Error {
            out.warn(&format!("{} {}", found.code, found.message));
        }
    }
    Ok(Some(text).filter(|text| !text.trim().is_empty()))
}

/// Now, in microseconds since 1970.
fn now() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// A key that nobody else has.
fn fresh_key(prefix: &str) -> String {
    let mut bytes = [0_u8; 16];
    if getrandom::fill(&mut bytes).is_err() {
        bytes.copy_from_slice(&now().unsigned_abs().to_le_bytes().repeat(2));
    }
    bytes.iter().fold(prefix.to_owned(), |key, byte| format!("{key}{byte:02x}"))
}

/// A phase as it was typed.
const fn phase(name: PhaseName) -> Phase {
    match name {
        PhaseName::Verification => Phase::Verification,
        PhaseName::PostDeploy => Phase::PostDeploy,
        PhaseName::ManualAcceptance => Phase::ManualAcceptance,
    }
}
