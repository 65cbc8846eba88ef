//! `judge`: what rules cannot say, said by a program whose votes count only while it notices what is bad (threats.md R22).

mod diff;
mod list;
mod pixels;
mod run;

use probity_core::checked;
use probity_core::judge::{Ballot, Conclusion, Record};
use probity_core::verdict::QaVerdict;

use super::{fail_documents, fail_with};
use crate::cli::judge::JudgeCommand;
use crate::judging::Refused;
use crate::out::Out;
use crate::project::Project;

/// Carries out one of the commands.
pub(crate) fn judge(command: &JudgeCommand, out: Out) -> u8 {
    match command {
        JudgeCommand::Run(args) => run::run(args, out),
        JudgeCommand::List => list::list(out),
        JudgeCommand::Diff(args) => diff::diff(args, out),
        JudgeCommand::Pixels(args) => pixels::pixels(args, out),
    }
}

/// A judgement that was made, and where its QA run stands.
pub(crate) struct Judged {
    /// Everything that was asked and said.
    pub record: Record,
    /// What it comes to.
    pub conclusion: Conclusion,
    /// The file to which the QA run was added.
    pub written: Option<String>,
}

impl Judged {
    /// The exit code: an error is as a blocked run (design.md section 2).
    pub(crate) const fn exit(&self) -> u8 {
        match self.conclusion.verdict {
            QaVerdict::Pass => 0,
            QaVerdict::Fail => 1,
            QaVerdict::Undetermined => 5,
            QaVerdict::Error => 3,
        }
    }

    /// Calls that are votes, or those that are controls.
    pub(crate) fn calls(&self, controls: bool) -> impl Iterator<Item = &Ballot> {
        let is_control = |ballot: &&Ballot| ballot.asked != probity_core::judge::Asked::Original;
        self.record.ballots.iter().filter(move |ballot| is_control(ballot) == controls)
    }
}

/// The settings of a project.
///
/// # Errors
/// The exit code, after the reason was given.
fn profile(project: &Project, out: Out) -> Result<probity_core::environment::Profile, u8> {
    let file = project.settings.as_ref().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    checked::profile(file, &crate::derive::parse).map_err(|found| fail_documents(out, &found, &project.root))
}

fn refuse(refused: &Refused, out: Out) -> u8 {
    fail_with(out, refused.code, &refused.message, &refused.help, refused.exit())
}
