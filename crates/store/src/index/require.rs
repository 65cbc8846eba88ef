//! Requirements and the versions of what they ask for. Nothing is ever written over: a change is a version with its author
//! and reason, and earlier ones stay.

use probity_core::qa::{Requirement, Terms, Version};
use sqlx::AnyConnection;

use super::rows::int;
use super::{Done, Index, IndexError, See, read, write};

/// What came of asking for a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Required {
    /// It is new.
    New(Version),
    /// What it asks for changed.
    Changed {
        /// What it asked for.
        from: Version,
        /// What it asks for now.
        to: Version,
    },
    /// It asks for this already.
    Same(Version),
}

impl Required {
    /// What it asks for now.
    #[must_use]
    pub const fn version(&self) -> &Version {
        match self {
            Self::New(version) | Self::Same(version) | Self::Changed { to: version, .. } => version,
        }
    }
}

impl Index {
    /// Enters a requirement, or makes a new version of what it asks for where that differs. `requirement` names who asks
    /// and when, for either.
    ///
    /// # Errors
    /// `id_confusable`; `key_conflict` where kind or origin would change; `reason_missing`; `index_refused`,
    /// `index_unreachable`.
    pub fn require(
        &mut self,
        requirement: &Requirement,
        terms: &Terms,
        reason: Option<&str>,
        see: See<'_>,
    ) -> Result<Required, IndexError> {
        self.change(async |connection| {
            let stands = enter(connection, requirement).await?;
            let lock = sqlx::query("UPDATE qa_heads SET runs = runs WHERE requirement_id = $1");
            lock.bind(requirement.id.as_str()).execute(&mut *connection).await?;
            let from = if stands { Some(read::current(connection, &requirement.id).await?) } else { None };
            if let Some(from) = from.as_ref().filter(|from| from.terms == *terms) {
                return Ok(Required::Same(from.clone()));
            }
            if let (Some(from), None) = (&from, reason) {
                let changes = changes(&from.terms, terms).join(", ");
                return Err(IndexError::ReasonMissing { id: requirement.id.clone(), changes }.into());
            }
            let to = Version {
                requirement: requirement.id.clone(),
                version: from.as_ref().map_or(1, |from| from.version + 1),
                terms: terms.clone(),
                policy_sha256: terms.policy_sha256(),
                by: requirement.by.clone(),
                reason: reason.map(str::to_owned),
                at: requirement.at,
            };
            append(connection, &to, see).await?;
            Ok(match from {
                Some(from) => Required::Changed { from, to },
                None => Required::New(to),
            })
        })
    }
}

/// What differs, by its name.
fn changes(from: &Terms, to: &Terms) -> Vec<&'static str> {
    [
        ("success_policy", from.policy != to.policy),
        ("phase", from.phase != to.phase),
        ("blocking_mode", from.blocking != to.blocking),
        ("target_env", from.target_env != to.target_env),
        ("plan", from.plan != to.plan),
        ("accept_reported", from.accept_reported != to.accept_reported),
    ]
    .into_iter()
    .filter_map(|(name, differs)| differs.then_some(name))
    .collect()
}

/// Enters the requirement itself; says whether it stood there. What tells it apart never changes.
pub(super) async fn enter(connection: &mut AnyConnection, requirement: &Requirement) -> Done<bool> {
    let folded = requirement.id.to_ascii_lowercase();
    if let Some(stands) = read::requirement_folded(connection, &folded).await? {
        if stands.id != requirement.id {
            return Err(IndexError::Confusable { id: requirement.id.clone(), other: stands.id }.into());
        }
        if (&stands.kind, stands.origin) != (&requirement.kind, requirement.origin) {
            let what = format!("a requirement of kind {} and source {}", stands.kind, stands.origin.as_str());
            return Err(IndexError::Conflict { key: stands.id, what }.into());
        }
        return Ok(true);
    }
    let insert = "INSERT INTO qa_requirements (id, folded, kind, origin, created_by, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(insert)
        .bind(requirement.id.as_str())
        .bind(folded)
        .bind(requirement.kind.as_str())
        .bind(requirement.origin.as_str())
        .bind(requirement.by.as_str())
        .bind(requirement.at)
        .execute(&mut *connection)
        .await?;
    let head = "INSERT INTO qa_heads (requirement_id, version, runs, last_at) VALUES ($1, 0, 0, 0)";
    sqlx::query(head).bind(requirement.id.as_str()).execute(connection).await?;
    Ok(false)
}

/// Appends a version, which counts from now on, and counts the runs that are there under it.
pub(super) async fn append(connection: &mut AnyConnection, version: &Version, see: See<'_>) -> Done<()> {
    let insert = "INSERT INTO qa_policy_versions (requirement_id, version, policy, policy_sha256, phase, blocking, \
        target_env, plan, accept_reported, created_by, reason, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let terms = &version.terms;
    sqlx::query(insert)
        .bind(version.requirement.as_str())
        .bind(version.version)
        .bind(terms.policy.as_deref())
        .bind(version.policy_sha256.to_string())
        .bind(terms.phase.as_str())
        .bind(terms.blocking.as_str())
        .bind(terms.target_env.as_deref())
        .bind(terms.plan.as_deref())
        .bind(i64::from(terms.accept_reported))
        .bind(version.by.as_str())
        .bind(version.reason.as_deref())
        .bind(version.at)
        .execute(&mut *connection)
        .await?;
    let head = "UPDATE qa_heads SET version = $2 WHERE requirement_id = $1 AND version = $2 - 1 RETURNING version";
    let moved = sqlx::query(head).bind(version.requirement.as_str()).bind(version.version);
    let moved = moved.fetch_one(&mut *connection).await?;
    debug_assert_eq!(int(&moved, "version").ok(), Some(version.version));
    write::count_again(connection, version, see).await
}
