//! What can go wrong in the store, each with its code.

use std::path::{Path, PathBuf};

use probity_core::codes::Code;

/// A failure of the store. The text says what was seen; the code says what it is.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A folder of that run id is there already.
    #[error("the run `{run}` exists already")]
    RunExists {
        /// The run's id.
        run: String,
    },
    /// The run was closed; it is never written again.
    #[error("the run `{run}` is closed; nothing follows run.closed")]
    RunClosed {
        /// The run's id.
        run: String,
    },
    /// Another process holds the lock.
    #[error("another process is writing {what}")]
    Locked {
        /// The run or the file.
        what: String,
    },
    /// A file or folder cannot be made, opened for writing, or written.
    #[error("{} cannot be written: {reason}", path.display())]
    FolderUnwritable {
        /// Which one.
        path: PathBuf,
        /// Why, as the system says it.
        reason: String,
    },
    /// A file or folder cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why, as the system says it.
        reason: String,
    },
    /// Something was not recorded. The journal takes nothing more.
    #[error("{what} was not recorded: {reason}")]
    RecordingFailed {
        /// The entry or file.
        what: String,
        /// Why.
        reason: String,
    },
    /// The journal on disk is not what this process wrote.
    #[error("the journal on disk is not what was written: {reason}")]
    ReadBackDiffers {
        /// The difference.
        reason: String,
    },
    /// A name that is absolute, leaves its folder, is taken, or is outside its closed table.
    #[error("`{name}` cannot be the name of a file here: {reason}")]
    NameRefused {
        /// The name.
        name: String,
        /// Which rule it breaks.
        reason: &'static str,
    },
    /// A link, a device, or a file with a second name stands where a plain file should.
    #[error("{} is refused: {reason}", path.display())]
    LinkRefused {
        /// Where.
        path: PathBuf,
        /// What it is.
        reason: &'static str,
    },
    /// More bytes than a run can need.
    #[error("{} is refused: {reason}", path.display())]
    OverBudget {
        /// Where.
        path: PathBuf,
        /// Which bound, and what was seen.
        reason: String,
    },
    /// The journal ends in a piece of a line, which must be dropped first.
    #[error("the journal ends in {bytes} bytes without a line end")]
    TornTail {
        /// How many bytes.
        bytes: u64,
    },
    /// A whole line of the journal does not fit.
    #[error("line {line} of the journal: {message}")]
    JournalFault {
        /// The code of the finding.
        code: Code,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// A line of the run list does not fit.
    #[error("line {line} of {}: {message}", path.display())]
    ListBroken {
        /// The list.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// The run list says something else about this run.
    #[error("the run list does not fit the run `{run}`: {message}")]
    ListDiffers {
        /// The run's id.
        run: String,
        /// The difference.
        message: String,
    },
    /// No run fits.
    #[error("there is no run `{asked}` in {}{}", runs.display(), hint(nearest.as_ref()))]
    RunUnknown {
        /// What was asked for.
        asked: String,
        /// Where was looked.
        runs: PathBuf,
        /// The run that comes nearest.
        nearest: Option<String>,
    },
    /// More than one run fits.
    #[error("`{asked}` fits {count} runs: {}", candidates.join(", "))]
    RunAmbiguous {
        /// What was asked for.
        asked: String,
        /// How many fit.
        count: usize,
        /// The newest of them, at most ten.
        candidates: Vec<String>,
    },
}

fn hint(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; the nearest is `{name}`"))
}

impl StoreError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::RunExists { .. } | Self::RunClosed { .. } => Code::RunExists,
            Self::Locked { .. } => Code::RunLocked,
            Self::FolderUnwritable { .. } => Code::FolderUnwritable,
            Self::Unreadable { .. } => Code::JournalUnreadable,
            Self::RecordingFailed { .. } => Code::RecordingFailed,
            Self::ReadBackDiffers { .. } => Code::ReadBackDiffers,
            Self::NameRefused { .. } => Code::PathAbsolute,
            Self::LinkRefused { .. } => Code::LinkRefused,
            Self::OverBudget { .. } => Code::OverBudget,
            Self::TornTail { .. } => Code::JournalPartialLine,
            Self::JournalFault { code, .. } => *code,
            Self::ListBroken { .. } | Self::ListDiffers { .. } => Code::IndexBroken,
            Self::RunUnknown { .. } => Code::RunUnknown,
            Self::RunAmbiguous { .. } => Code::RunAmbiguous,
        }
    }

    pub(crate) fn unwritable(path: impl AsRef<Path>, reason: &dyn std::fmt::Display) -> Self {
        Self::FolderUnwritable { path: path.as_ref().to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn unreadable(path: impl AsRef<Path>, reason: &dyn std::fmt::Display) -> Self {
        Self::Unreadable { path: path.as_ref().to_owned(), reason: reason.to_string() }
    }

    pub(crate) fn unrecorded(what: impl Into<String>, reason: &dyn std::fmt::Display) -> Self {
        Self::RecordingFailed { what: what.into(), reason: reason.to_string() }
    }
}
