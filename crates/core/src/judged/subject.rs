//! What is known of the software under test (design.md section 2; threats.md R4b).

use super::{Judged, step_of};
use crate::allow::script_file;
use crate::audit::Identity;
use crate::ids::Digest;
use crate::journal::body::Role;
use crate::journal::observation::Observation;
use crate::json::Json;
use crate::plan::Action;
use crate::recorded::program_name;

/// What is known of the software under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The running system named its build before and after.
    Identity(String),
    /// Nobody read it from the running system.
    Declared,
}

/// A file that a run started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// Its name as the plan writes it.
    pub name: String,
    /// Its digest, sealed before the first step.
    pub sha256: Digest,
}

impl Judged {
    /// What the subject is and how that is known.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let runtime = self.audited.runtime();
        match (&runtime.before, &runtime.after) {
            (Some(Identity::Build(before)), Some(Identity::Build(after))) if before == after => {
                Subject::Identity(before.clone())
            }
            _ => Subject::Declared,
        }
    }

    /// The programs that the steps started, and the scripts that those were to run: the software under test, where
    /// nothing but commands was asked. Empty where an HTTP request left: what answered it was not started here.
    #[must_use]
    pub fn started(&self) -> Vec<Started> {
        let inputs = self.audited.recorded().inputs();
        let mut started = Vec::new();
        for audited in self.audited.steps() {
            let (_, step) = step_of(&self.audited, audited);
            let (observation, Action::Command(command)) = (&audited.observation, &step.action) else {
                if audited.call.is_some() {
                    return Vec::new();
                }
                continue;
            };
            if !matches!(observation.as_deref(), Some(Observation::Command(seen)) if seen.result.termination != "spawn_error")
            {
                continue;
            }
            let program = if command.shell { Some("sh") } else { command.argv.first().and_then(Json::as_text) };
            let script = if command.shell { None } else { script_file(&command.argv) };
            for name in program.map(program_name).into_iter().chain(script) {
                let sealed = |role: Role| inputs.iter().find(|input| input.role == role && input.name == name);
                let Some(input) = sealed(Role::File).or_else(|| sealed(Role::Program)) else { continue };
                let one = Started { name: name.to_owned(), sha256: input.sha256 };
                if !started.contains(&one) {
                    started.push(one);
                }
            }
        }
        started
    }
}
