//! Rows of the tables as core's values. A row that holds what no writer of ours writes is refused, not guessed at.

use probity_core::ids::Digest;
use probity_core::json::Number;
use probity_core::qa::{
    Artifact, Blocking, Counted, Decision, Metric, NewRun, Origin, Phase, QaRun, Requirement, Said, Source, Sums,
    Terms, Tree, Value, Version, Waiver,
};
use probity_core::verdict::QaVerdict;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use super::{Done, Fault, IndexError};

fn foreign(column: &str) -> Fault {
    IndexError::Refused { reason: format!("column {column} holds a value that probity does not write") }.into()
}

fn text(row: &AnyRow, column: &str) -> Done<String> {
    Ok(row.try_get(column)?)
}

fn maybe(row: &AnyRow, column: &str) -> Done<Option<String>> {
    Ok(row.try_get(column)?)
}

pub(super) fn int(row: &AnyRow, column: &str) -> Done<i64> {
    Ok(row.try_get(column)?)
}

fn word<T>(row: &AnyRow, column: &str, parse: impl Fn(&str) -> Option<T>) -> Done<T> {
    parse(&text(row, column)?).ok_or_else(|| foreign(column))
}

fn maybe_word<T>(row: &AnyRow, column: &str, parse: impl Fn(&str) -> Option<T>) -> Done<Option<T>> {
    maybe(row, column)?.map(|text| parse(&text).ok_or_else(|| foreign(column))).transpose()
}

pub(super) fn requirement(row: &AnyRow) -> Done<Requirement> {
    Ok(Requirement {
        id: text(row, "id")?,
        kind: text(row, "kind")?,
        origin: word(row, "origin", Origin::parse)?,
        by: text(row, "created_by")?,
        at: int(row, "created_at")?,
    })
}

pub(super) fn version(row: &AnyRow) -> Done<Version> {
    Ok(Version {
        requirement: text(row, "requirement_id")?,
        version: int(row, "version")?,
        terms: Terms {
            policy: maybe(row, "policy")?,
            phase: word(row, "phase", Phase::parse)?,
            blocking: word(row, "blocking", Blocking::parse)?,
            target_env: maybe(row, "target_env")?,
            plan: maybe(row, "plan")?,
            accept_reported: int(row, "accept_reported")? != 0,
        },
        policy_sha256: word(row, "policy_sha256", Digest::parse)?,
        by: text(row, "created_by")?,
        reason: maybe(row, "reason")?,
        at: int(row, "created_at")?,
    })
}

/// A run; its artifacts are read apart.
pub(super) fn run(row: &AnyRow) -> Done<QaRun> {
    Ok(QaRun {
        new: NewRun {
            requirement: text(row, "requirement_id")?,
            key: text(row, "idempotency_key")?,
            by: text(row, "performed_by")?,
            source: word(row, "source", Source::parse)?,
            run: maybe(row, "run")?,
            seal: maybe(row, "seal")?,
            said: Said {
                verdict: maybe_word(row, "verdict", QaVerdict::parse)?,
                reason: maybe(row, "verdict_reason")?,
                score: maybe_word(row, "score", Number::parse)?,
                confidence: maybe_word(row, "confidence", Number::parse)?,
                raw: maybe(row, "raw_result")?,
                commit: maybe(row, "commit_sha")?,
                tree: word(row, "tree", Tree::parse)?,
                duration_ms: row.try_get("duration_ms")?,
                artifacts: Vec::new(),
            },
        },
        n: int(row, "n")?,
        version: int(row, "policy_version")?,
        at: int(row, "recorded_at")?,
    })
}

/// A completed run as it is counted; its metrics are read apart.
pub(super) fn counted(row: &AnyRow) -> Done<Counted> {
    Ok(Counted {
        n: int(row, "n")?,
        at: int(row, "recorded_at")?,
        verdict: word(row, "verdict", QaVerdict::parse)?,
        score: maybe_word(row, "score", Number::parse)?,
        confidence: maybe_word(row, "confidence", Number::parse)?,
        commit: maybe(row, "commit_sha")?,
        source: word(row, "source", Source::parse)?,
        tree: word(row, "tree", Tree::parse)?,
        metrics: Vec::new(),
    })
}

pub(super) fn metric(row: &AnyRow) -> Done<Metric> {
    let token = maybe(row, "token")?;
    let value = match (text(row, "kind")?.as_str(), token) {
        ("number", Some(token)) => Value::Number(Number::parse(&token).ok_or_else(|| foreign("token"))?),
        ("bool", Some(token)) => Value::Bool(token == "true"),
        ("text", Some(token)) => Value::Text(token),
        ("other", None) => Value::Other,
        _ => return Err(foreign("kind")),
    };
    Ok(Metric { name: text(row, "name")?, value })
}

pub(super) fn artifact(row: &AnyRow) -> Done<Artifact> {
    Ok(Artifact {
        name: text(row, "name")?,
        kind: text(row, "kind")?,
        sha256: word(row, "sha256", Digest::parse)?,
        size: int(row, "size")?,
        media: text(row, "media")?,
    })
}

pub(super) fn waiver(row: &AnyRow) -> Done<Waiver> {
    Ok(Waiver {
        key: text(row, "idempotency_key")?,
        requirement: text(row, "requirement_id")?,
        version: int(row, "policy_version")?,
        commit: maybe(row, "commit_sha")?,
        until: int(row, "until_at")?,
        by: text(row, "created_by")?,
        reason: text(row, "reason")?,
        at: int(row, "created_at")?,
    })
}

pub(super) fn decision(row: &AnyRow) -> Done<Decision> {
    Ok(Decision {
        key: text(row, "id")?,
        phase: text(row, "phase")?,
        ok: int(row, "ok")? != 0,
        sha256: word(row, "sha256", Digest::parse)?,
        body: text(row, "body")?,
        at: int(row, "decided_at")?,
    })
}

pub(super) fn source(row: &AnyRow) -> Done<Source> {
    word(row, "source", Source::parse)
}

pub(super) fn tree(row: &AnyRow) -> Done<Tree> {
    word(row, "tree", Tree::parse)
}

/// The columns of counts, in the order of [`Sums::counts`].
const COUNTS: [&str; 8] = ["pass", "fail", "undetermined", "error", "yes", "no", "contradictions", "scores_differ"];

pub(super) fn sums(row: &AnyRow) -> Done<Sums> {
    let mut sums = Sums::default();
    for (value, column) in sums.counts.iter_mut().zip(COUNTS) {
        *value = int(row, column)?;
    }
    sums.newest = [int(row, "newest_yes")?, int(row, "newest_no")?];
    Ok(sums)
}
