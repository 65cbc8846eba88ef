//! What can go wrong with an index. No message holds a password.

use probity_core::codes::Code;

use super::Target;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// There is none.
    #[error("there is no index of QA runs at {place}")]
    Missing {
        /// Where.
        place: String,
    },
    /// It cannot be opened or reached.
    #[error("the index at {place} cannot be used: {reason}")]
    Unreachable {
        /// Where.
        place: String,
        /// Why.
        reason: String,
    },
    /// Its tables are not those of this program.
    #[error("the index at {place} has tables of form {found}; this program knows form {known}")]
    Newer {
        /// Where.
        place: String,
        /// What it has.
        found: i64,
        /// What is known.
        known: i64,
    },
    /// What stands after the flag or in the variable.
    #[error("what names the index cannot be used: {why}")]
    Url {
        /// Why.
        why: String,
    },
    /// The database refused a row.
    #[error("the index refused a row: {reason}")]
    Refused {
        /// The constraint or trigger.
        reason: String,
    },
    /// No requirement of this id.
    #[error("the index has no requirement {id}{}", hint(nearest.as_ref()))]
    RequirementUnknown {
        /// What was asked for.
        id: String,
        /// A near one.
        nearest: Option<String>,
    },
    /// Another requirement differs in case only.
    #[error("the index has a requirement {other} already, which differs from {id} in case only")]
    Confusable {
        /// What was asked for.
        id: String,
        /// The one that stands.
        other: String,
    },
    /// A key that stands for something else.
    #[error("key {key} was used for {what} that says something else")]
    Conflict {
        /// The key.
        key: String,
        /// What it was used for.
        what: String,
    },
    /// A change without a reason.
    #[error("requirement {id} would change ({changes}), and nobody says why")]
    ReasonMissing {
        /// The requirement.
        id: String,
        /// What would change.
        changes: String,
    },
}

fn hint(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |name| format!("; the nearest is {name}"))
}

impl IndexError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Missing { .. } => Code::IndexMissing,
            Self::Unreachable { .. } => Code::IndexUnreachable,
            Self::Newer { .. } => Code::IndexForm,
            Self::Url { .. } => Code::IndexUrl,
            Self::Refused { .. } => Code::IndexRefused,
            Self::RequirementUnknown { .. } => Code::RequirementUnknown,
            Self::Confusable { .. } => Code::IdConfusable,
            Self::Conflict { .. } => Code::KeyConflict,
            Self::ReasonMissing { .. } => Code::ReasonMissing,
        }
    }

    /// From an error of the driver.
    pub(super) fn of(error: &sqlx::Error, target: &Target) -> Self {
        use sqlx::error::ErrorKind;
        match error {
            sqlx::Error::Database(inner)
                if matches!(
                    inner.kind(),
                    ErrorKind::CheckViolation
                        | ErrorKind::UniqueViolation
                        | ErrorKind::ForeignKeyViolation
                        | ErrorKind::NotNullViolation
                ) || inner.message().starts_with("a row of qa_")
                    // PostgreSQL's class of values that a column cannot hold.
                    || inner.code().is_some_and(|code| code.len() == 5 && code.starts_with("22")) =>
            {
                Self::Refused { reason: clean(inner.message(), target) }
            }
            other => Self::Unreachable { place: target.to_string(), reason: clean(&other.to_string(), target) },
        }
    }
}

/// A message of the driver, in one line and without what is secret.
fn clean(message: &str, target: &Target) -> String {
    let mut text = message.split_whitespace().collect::<Vec<_>>().join(" ");
    for secret in target.secrets() {
        text = text.replace(&secret, "***");
    }
    text
}
