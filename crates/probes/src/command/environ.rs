//! The environment of a child: a short list of inherited names, what the plan adds, and our mark.

use std::ffi::{OsStr, OsString};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use probity_core::observe::{CommandCall, Failure, FailureKind, Field, SecretUse};

use super::{Surroundings, failure};

/// The names that a child inherits (harness-proof.md 1.11). `HOME` is not among them: settings and credential files of
/// the person who runs probity must not reach the answer unseen; a plan that needs one writes it under `env`.
pub const INHERITED: [&str; 9] =
    ["CI", "LANG", "LC_ALL", "LC_CTYPE", "NODE_PATH", "PATH", "PYTHONPATH", "TERM", "TMPDIR"];

/// The variable that marks every process of one call. A plan cannot set it.
pub const MARK: &str = "PROBITY_PROBE";

/// The variables of this process that children inherit.
#[must_use]
pub fn inherited() -> Vec<(OsString, OsString)> {
    INHERITED.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?))).collect()
}

/// The whole environment of a child. Later entries of a name win.
pub(super) fn of(call: &CommandCall, around: &Surroundings<'_>) -> Result<Vec<(OsString, OsString)>, Failure> {
    let listed = |name: &OsStr| INHERITED.iter().any(|known| name == *known);
    let mut all: Vec<_> = around.inherited.iter().filter(|(name, _)| listed(name)).cloned().collect();
    for (name, field) in &call.env {
        if name.is_empty() || name.contains(['=', '\0']) || name == MARK {
            let message = format!("{name:?} cannot be the name of a variable of a command.");
            return Err(failure(FailureKind::TemplateRefused, message));
        }
        let value = value(field, around)?;
        if value.contains('\0') {
            let message = format!("The value of `{name}` holds a NUL, which no variable can.");
            return Err(failure(FailureKind::TemplateRefused, message));
        }
        all.push((name.into(), value.into()));
    }
    all.push((MARK.into(), around.mark.into()));
    Ok(all)
}

fn value(field: &Field, around: &Surroundings<'_>) -> Result<String, Failure> {
    let (placed, name) = match field {
        Field::Text(text) => return Ok(text.clone()),
        Field::Secret(placed, name) => (placed, name),
    };
    let Some(secret) = (around.secrets)(name) else {
        let message = format!("The credential `{name}` is not set in the environment.");
        return Err(failure(FailureKind::CredentialMissing, message));
    };
    Ok(match placed {
        SecretUse::Plain => secret,
        SecretUse::Basic => format!("Basic {}", STANDARD.encode(secret)),
        SecretUse::Bearer => format!("Bearer {secret}"),
    })
}
