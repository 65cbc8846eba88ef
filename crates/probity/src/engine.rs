//! The engine: runs one plan, one case after another or several side by side, and writes everything down before the next
//! step of a case begins.
//!
//! It decides nothing: what a step comes to and what the run comes to are worked out by `probity_core`, here only to
//! know whether to go on, and again by the derivation from what was written.

mod act;
mod budget;
mod cases;
pub(crate) mod clock;
mod close;
mod desk;
pub(crate) mod git;
mod open;
mod planned;
mod preflight;
mod recorder;
mod rescan;
mod resume;
mod services;
mod sight;
mod steps;
mod writing;

use std::path::{Path, PathBuf};

use probity_core::diagnostic::Diagnostic;
use probity_core::verify::Verified;
use probity_store::StoreError;
use tokio::sync::watch;

pub(crate) use planned::{Planned, plan};
pub(crate) use resume::resume;
pub(crate) use services::Check as ServiceCheck;

use crate::plans::PlanSource;
use crate::project::Project;

/// What is asked of a run.
pub(crate) struct Request<'a> {
    /// The project that files and settings belong to.
    pub project: &'a Project,
    /// The plan.
    pub source: &'a PlanSource,
    /// The environment by flag.
    pub environment: Option<String>,
    /// The cases or criteria that were asked for.
    pub only: Vec<String>,
    /// Codes that are let through.
    pub allow: Vec<String>,
    /// How many cases may be under way at once; what the settings file says, or one, where nothing was asked.
    pub jobs: Option<u64>,
    /// A value that a signer issued.
    pub challenge: Option<String>,
    /// Where runs are kept.
    pub runs: PathBuf,
    /// Turns true when the run is cancelled.
    pub cancel: watch::Receiver<bool>,
    /// What is left of the budget that the whole call shares.
    pub shared: &'a mut Shared,
    /// Hears of what happens.
    pub progress: &'a dyn Fn(Event<'_>),
}

/// What a run tells while it goes on.
pub(crate) enum Event<'a> {
    /// It was opened: the environment drawn in a few words.
    Opened(String),
    /// Nothing was run, for this reason.
    Blocked(String),
    /// Something that the reader should know, and that stops nothing.
    Warning(String),
    /// A service was started, or is used: what is said of it.
    Service(String),
    /// A step begins: case, step, what it does.
    Step(&'a str, &'a str, String),
    /// A case ended.
    Case(CaseDone<'a>),
}

/// A case that ended.
pub(crate) struct CaseDone<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its title.
    pub title: &'a str,
    /// How many steps it has.
    pub steps: usize,
    /// Its wall time in ms.
    pub ms: u128,
    /// The step that did not pass first, if one did not: its number from 1 and what it came to.
    pub stopped: Option<(usize, &'static str)>,
}

/// A run that came to its end and was verified.
pub(crate) struct Finished {
    /// The run folder.
    pub dir: PathBuf,
    /// What verification of the folder found.
    pub verified: Verified,
}

/// Why there is no run.
#[derive(Debug)]
pub(crate) enum EngineError {
    /// The documents cannot be read or hold a secret: nothing was written.
    Documents(Vec<Diagnostic>),
    /// A name under `--only` is no case, criterion or test.
    NothingSelected(Vec<String>),
    /// The run folder failed.
    Store(StoreError),
    /// A code under `--allow` that cannot be let through.
    NotAllowable(String),
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Runs a plan to its end: open, services, preflight, steps, cleanup, services again, close, verify.
///
/// # Errors
/// When nothing could be opened, or something could not be recorded.
pub(crate) async fn run(request: Request<'_>) -> Result<Finished, EngineError> {
    let run = open::open(request)?;
    steps::all(&run).await?;
    close::close(run)
}

pub(crate) use budget::Shared;

/// Verifies a run folder as `verify` does, with the run list beside it.
pub(crate) fn verified(dir: &Path) -> Verified {
    crate::derive::verify(dir, None, None)
}
