//! A step becomes one call whose every part is known, or is refused before anything leaves (threats.md R4, R18).
//!
//! Values come from answers, so they are hostile: they fill path segments, query, headers, bodies, standard input,
//! the environment and whole arguments after the first; never scheme, host, port, names, program or folder.

mod call;
mod command;
mod http;
mod multipart;
mod target;
#[cfg(test)]
mod tests;

pub(crate) use call::call_digest;
pub use call::{Call, idempotency_key};

use crate::environment::Environment;
use crate::evaluate::Files;
use crate::json::Json;
use crate::observe::{Failure, FailureKind, LogCall};
use crate::plan::{Action, Step};
use crate::vars::{self, VarError, Vars};

/// Why a step gives no call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unready {
    /// A variable that it needs never came to be.
    Missing(String),
    /// It must not be carried out; the kind is `TemplateRefused` or `TargetRefused`.
    Refused(Failure),
}

/// Fills every reference of a step, except credentials, which stay named.
///
/// Paths are resolved against the environment's url, or `base_url` where it has none. `files` gives the sealed
/// bytes of body and trust anchor files.
///
/// # Errors
/// A missing variable; a value that its place cannot hold; a target outside the environment.
pub fn resolve(
    step: &Step,
    vars: &Vars,
    environment: &Environment,
    base_url: Option<&str>,
    files: &Files<'_>,
) -> Result<Call, Unready> {
    match &step.action {
        Action::Http(request) => {
            http::resolve(request, step.timeout_ms, vars, environment, base_url, files).map(Call::Http)
        }
        Action::Command(call) => command::resolve(call, step.timeout_ms, vars).map(Call::Command),
        Action::Log(log) => Ok(Call::Log(LogCall { service: log.service.clone(), timeout_ms: step.timeout_ms })),
    }
}

fn template_refused(message: impl Into<String>) -> Unready {
    Unready::Refused(Failure { kind: FailureKind::TemplateRefused, message: message.into() })
}

fn target_refused(message: impl Into<String>) -> Unready {
    Unready::Refused(Failure { kind: FailureKind::TargetRefused, message: message.into() })
}

impl From<VarError> for Unready {
    fn from(error: VarError) -> Self {
        match error {
            VarError::Missing(name) => Self::Missing(name),
            other => template_refused(format!("A reference was refused: {other}.")),
        }
    }
}

/// A value, references filled, as text.
fn text(value: &Json, vars: &Vars) -> Result<String, Unready> {
    Ok(vars::text_of(&vars::resolve(value, vars)?))
}
