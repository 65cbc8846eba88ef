//! What is known of the software under test (design.md section 2; threats.md R4b).

use super::{Judged, step_of};
use crate::allow::script_file;
use crate::audit::Identity;
use crate::environment::Origin;
use crate::ids::Digest;
use crate::invoke::Call;
use crate::journal::body::Role;
use crate::journal::observation::Observation;
use crate::json::Json;
use crate::plan::Action;
use crate::recorded::program_name;
use crate::service::Service;

/// What is known of the software under test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The running system named its build before and after.
    Identity(String),
    /// The run started it itself: programs and scripts by digest.
    Started(Vec<Started>),
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
            _ => match self.services_started() {
                started if started.is_empty() => Subject::Declared,
                started => Subject::Started(started),
            },
        }
    }

    /// The programs and scripts of the services that were started, where every HTTP step spoke to one of them. Empty where
    /// one was adopted, where its ports could not be told from others', or where something else was asked.
    fn services_started(&self) -> Vec<Started> {
        let services = &self.audited.runtime().services;
        let own: Vec<&Service> = services.needed.iter().filter(|service| services.own.contains(&service.id)).collect();
        let answered = self.audited.steps().iter().filter_map(|step| match &step.call {
            Some(Call::Http(call)) => Some(Origin::of(&call.url).ok()),
            _ => None,
        });
        let mut asked = answered.peekable();
        let all_own = own.len() == services.needed.len() && services.lost.is_empty();
        if !all_own || asked.peek().is_none() {
            return Vec::new();
        }
        let served = |origin: Option<Origin>| origin.is_some_and(|origin| own.iter().any(|one| one.serves(&origin)));
        if !asked.all(served) {
            return Vec::new();
        }
        let mut started = Vec::new();
        for service in own {
            let argv: Vec<Json> = service.start.iter().map(Json::from).collect();
            let program = service.start.first().map(|name| program_name(name));
            self.add_sealed(program.into_iter().chain(script_file(&argv)), &mut started);
        }
        started
    }

    /// Adds what was sealed under these names.
    fn add_sealed<'n>(&self, names: impl Iterator<Item = &'n str>, started: &mut Vec<Started>) {
        let inputs = self.audited.recorded().inputs();
        for name in names {
            let sealed = |role: Role| inputs.iter().find(|input| input.role == role && input.name == name);
            let Some(input) = sealed(Role::File).or_else(|| sealed(Role::Program)) else { continue };
            let one = Started { name: name.to_owned(), sha256: input.sha256 };
            if !started.contains(&one) {
                started.push(one);
            }
        }
    }

    /// The programs that the run started, and the scripts that those were to run: the software under test, where nothing
    /// was asked but commands, or services that the run started. Empty where an HTTP request left for anything else.
    #[must_use]
    pub fn started(&self) -> Vec<Started> {
        let mut started = self.services_started();
        if !started.is_empty() {
            return started;
        }
        for audited in self.audited.steps() {
            let (_, step) = step_of(&self.audited, audited);
            let (observation, Action::Command(command)) = (&audited.observation, &step.action) else {
                if matches!(audited.call, Some(Call::Http(_))) {
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
            self.add_sealed(program.map(program_name).into_iter().chain(script), &mut started);
        }
        started
    }
}
