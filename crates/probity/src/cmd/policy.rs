//! `policy`: success policies over QA runs (design.md section 9).

mod check;
mod eval;
mod explain;
mod import;
mod what_if;

use std::path::Path;

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::success_policy::{Invalid, MAX_BYTES, Policy};

pub(crate) use explain::Shown;
pub(crate) use what_if::WhatIf;

use super::{fail, read_most};
use crate::cli::policy::{Judged, PolicyCommand};
use crate::out::Out;
use crate::qa_runs;

/// Carries out one of the commands.
pub(crate) fn policy(command: &PolicyCommand, out: Out) -> u8 {
    match command {
        PolicyCommand::Check(args) => check::check(args, out),
        PolicyCommand::Eval(args) => eval::eval(args, out),
        PolicyCommand::Explain(args) => explain::explain(args, out),
        PolicyCommand::WhatIf(args) => what_if::what_if(args, out),
        PolicyCommand::Schema => schema(out),
        PolicyCommand::Import(args) => import::import(args, out),
    }
}

/// Writes the JSON Schema of a success policy.
fn schema(out: Out) -> u8 {
    out.data(&probity_formats::schema::success_policy());
    0
}

/// The text of a policy column, and the policy that it is.
pub(crate) struct Source {
    /// The file as the user named it.
    pub name: String,
    /// The text.
    pub text: Vec<u8>,
    /// What it is.
    pub policy: Result<Policy, Box<Invalid>>,
}

impl Source {
    /// From a text.
    pub(crate) fn new(name: String, text: Vec<u8>) -> Self {
        let policy = Policy::read(&text);
        Self { name, text, policy }
    }

    /// Digest of the text, as it stands.
    pub(crate) fn sha256(&self) -> Digest {
        Digest::of(&self.text)
    }
}

/// The policy that runs are judged by: the one that was named, else the requirement's own of the index.
///
/// # Errors
/// The exit code, after the reason was given.
fn judged_source(args: &Judged, out: Out) -> Result<Source, u8> {
    match (&args.policy, &args.index) {
        (Some(file), _) => source(file, out),
        (None, Some(said)) => qa_runs::index::policy(args, said, out).map(|(name, text)| Source::new(name, text)),
        (None, None) => Err(fail(out, Code::UsageError, "there is no policy", "say --policy or --index")),
    }
}

/// Reads the text of a policy column.
///
/// # Errors
/// The exit code, after the reason was given.
fn source(file: &Path, out: Out) -> Result<Source, u8> {
    let stdin = file == Path::new("-");
    let name = if stdin { "standard input".to_owned() } else { file.display().to_string() };
    // One byte more than a policy may have is refused as a policy, with its reason.
    match read_most(file, MAX_BYTES as u64) {
        Ok(text) => Ok(Source::new(name, text)),
        Err(error) => {
            let help = "name a file that holds the text of the policy column; an empty one means no policy";
            Err(fail(out, Code::DocumentUnreadable, &format!("{name}: {error}"), help))
        }
    }
}
