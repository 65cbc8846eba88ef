//! Waivers and decisions: added, never changed.

use probity_core::qa::{Decision, Waiver};
use sqlx::AnyConnection;

use super::{Done, Index, IndexError, read};

impl Index {
    /// Adds a waiver; its version is the one that counts now. Gives that version.
    ///
    /// # Errors
    /// `requirement_unknown`, `index_refused`, `index_unreachable`.
    pub fn waive(&mut self, waiver: &Waiver) -> Result<i64, IndexError> {
        self.change(async |connection| {
            if read::requirement_folded(connection, &waiver.requirement.to_ascii_lowercase()).await?.is_none() {
                return Err(read::unknown(connection, &waiver.requirement).await?.into());
            }
            let version = read::current(connection, &waiver.requirement).await?.version;
            insert_waiver(connection, &Waiver { version, ..waiver.clone() }).await?;
            Ok(version)
        })
    }

    /// Adds a decision.
    ///
    /// # Errors
    /// `index_refused`, `index_unreachable`.
    pub fn decide(&mut self, decision: &Decision) -> Result<(), IndexError> {
        self.change(async |connection| insert_decision(connection, decision).await)
    }
}

pub(super) async fn insert_waiver(connection: &mut AnyConnection, waiver: &Waiver) -> Done<()> {
    let insert = "INSERT INTO qa_waivers (idempotency_key, requirement_id, policy_version, commit_sha, until_at, \
        created_by, reason, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    sqlx::query(insert)
        .bind(waiver.key.as_str())
        .bind(waiver.requirement.as_str())
        .bind(waiver.version)
        .bind(waiver.commit.as_deref())
        .bind(waiver.until)
        .bind(waiver.by.as_str())
        .bind(waiver.reason.as_str())
        .bind(waiver.at)
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn insert_decision(connection: &mut AnyConnection, decision: &Decision) -> Done<()> {
    let insert = "INSERT INTO qa_decisions (id, phase, ok, sha256, body, decided_at) VALUES ($1, $2, $3, $4, $5, $6)";
    sqlx::query(insert)
        .bind(decision.key.as_str())
        .bind(decision.phase.as_str())
        .bind(i64::from(decision.ok))
        .bind(decision.sha256.to_string())
        .bind(decision.body.as_str())
        .bind(decision.at)
        .execute(connection)
        .await?;
    Ok(())
}
