//! GitHub Actions: annotations, step summary and outputs of `run`, within the host's limits.
//!
//! The runner obeys every line of either stream that begins with `::`. Nothing captured begins a line so (`screen`);
//! beside that, commands are switched off while the run goes on, under a word that nobody can guess (threats.md R15, D7).
//! Commands go to standard error: standard output belongs to the answer.

mod annotations;
mod summary;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use probity_core::inert::inert;

use crate::answer;
use crate::engine::Finished;
use crate::out::Out;
use crate::plans::PlanSource;

/// The largest step summary in bytes.
const SUMMARY: usize = 1 << 20;

/// A run of the program inside a step of a workflow.
pub(crate) struct Step {
    token: String,
}

/// What the runs of one call came to, with what is needed to name their files.
pub(crate) struct Outcome<'a> {
    /// Name of the plan and run, the worst first.
    pub runs: Vec<&'a (String, Finished)>,
    /// The plans as they were named.
    pub sources: &'a [PlanSource],
    /// The exit code of the call.
    pub exit: u8,
}

impl Step {
    /// Inside a step of GitHub Actions: switches commands off until [`Step::end`].
    pub(crate) fn begin() -> Option<Self> {
        (std::env::var("GITHUB_ACTIONS").as_deref() == Ok("true")).then_some(())?;
        let mut random = [0u8; 16];
        getrandom::fill(&mut random).ok()?;
        let token = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let step = Self { token };
        say(&format!("::stop-commands::{}\n", step.token));
        Some(step)
    }

    /// Switches commands on again and tells what the runs came to.
    pub(crate) fn end(self, outcome: &Outcome<'_>, out: Out) {
        say(&format!("::{}::\n", self.token));
        say(&annotations::annotations(outcome, &|file| in_workspace(outcome, file)));
        if let Some(file) = path_of("GITHUB_STEP_SUMMARY") {
            // What steps of the same job step wrote before counts.
            let before = std::fs::metadata(&file).map_or(0, |facts| usize::try_from(facts.len()).unwrap_or(SUMMARY));
            append(&file, &summary::summary(outcome, SUMMARY.saturating_sub(before)), out);
        }
        if let Some(file) = path_of("GITHUB_OUTPUT") {
            append(&file, &outputs(outcome), out);
        }
    }
}

/// `status`, `exit`, and of the worst run `run`, `seal`, `report`; each on a line of its own.
fn outputs(outcome: &Outcome<'_>) -> String {
    let mut lines = vec![("exit", outcome.exit.to_string())];
    if let Some((_, done)) = outcome.runs.first() {
        let dir = done.dir.canonicalize().unwrap_or_else(|_| done.dir.clone());
        lines.push(("status", answer::run::status(&done.verified).to_owned()));
        lines.push(("run", done.verified.run.clone().unwrap_or_default()));
        lines.push(("seal", done.verified.seal.as_ref().map(ToString::to_string).unwrap_or_default()));
        lines.push(("report", dir.join("report.html").to_string_lossy().into_owned()));
    }
    lines.iter().map(|(name, value)| format!("{name}={}\n", inert(value))).collect()
}

/// The name of a file of a plan below the checked-out tree, if it lies there.
fn in_workspace(outcome: &Outcome<'_>, file: &str) -> Option<String> {
    let named = outcome.sources.iter().find(|source| source.name == file).map(|source| source.path.clone());
    let path = named.unwrap_or_else(|| PathBuf::from(file)).canonicalize().ok().filter(|path| path.is_file())?;
    let workspace = path_of("GITHUB_WORKSPACE")?.canonicalize().ok()?;
    Some(path.strip_prefix(workspace).ok()?.to_string_lossy().into_owned())
}

fn path_of(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn append(file: &Path, text: &str, out: Out) {
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    if let Err(error) = opened.and_then(|mut file| file.write_all(text.as_bytes())) {
        out.warn(&format!("{} cannot be written: {error}", inert(&file.to_string_lossy())));
    }
}

fn say(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
