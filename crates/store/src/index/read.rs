//! Reading. What a gate needs of a requirement is a handful of rows by their keys; only lists and exports walk through runs,
//! a page at a time.

use probity_core::qa::{Artifact, Counted, Decision, Metric, QaRun, Requirement, Source, Sums, Tree, Version, Waiver};
use sqlx::AnyConnection;

use super::rows::{self, int};
use super::{Done, Index, IndexError, whole};

/// A requirement as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The requirement.
    pub requirement: Requirement,
    /// What it asks for now.
    pub version: Version,
    /// How many runs it has, of whatever commit.
    pub runs: i64,
}

/// Runs of one page.
const PAGE: i64 = 500;

const HEADS: &str = "SELECT r.id, r.kind, r.origin, r.created_by, r.created_at, h.version, h.runs \
    FROM qa_heads h JOIN qa_requirements r ON r.id = h.requirement_id ORDER BY r.folded";

impl Index {
    /// Every requirement with what it asks for now, by id.
    ///
    /// # Errors
    /// `index_unreachable`.
    pub fn heads(&mut self) -> Result<Vec<Head>, IndexError> {
        self.ask(async |connection| {
            let mut heads = Vec::new();
            for row in sqlx::query(HEADS).fetch_all(&mut *connection).await? {
                let requirement = rows::requirement(&row)?;
                let version = version(connection, &requirement.id, int(&row, "version")?).await?;
                heads.push(Head { requirement, version, runs: int(&row, "runs")? });
            }
            Ok(heads)
        })
    }

    /// A requirement with what it asks for now. The work is the same however many requirements and runs there are.
    ///
    /// # Errors
    /// `requirement_unknown`, `index_unreachable`.
    pub fn head(&mut self, id: &str) -> Result<Head, IndexError> {
        const HEAD: &str = "SELECT r.id, r.kind, r.origin, r.created_by, r.created_at, h.version, h.runs \
            FROM qa_heads h JOIN qa_requirements r ON r.id = h.requirement_id WHERE h.requirement_id = $1";
        self.ask(async |connection| {
            let Some(row) = sqlx::query(HEAD).bind(id).fetch_optional(&mut *connection).await? else {
                return Err(unknown(connection, id).await?.into());
            };
            let version = version(connection, id, int(&row, "version")?).await?;
            Ok(Head { requirement: rows::requirement(&row)?, version, runs: int(&row, "runs")? })
        })
    }

    /// Counts of the runs of one commit under a version, by source and tree.
    ///
    /// # Errors
    /// `index_unreachable`.
    pub fn states(&mut self, version: &Version, commit: &str) -> Result<Vec<(Source, Tree, Sums)>, IndexError> {
        const STATES: &str =
            "SELECT * FROM qa_states WHERE requirement_id = $1 AND policy_version = $2 AND commit_sha = $3";
        self.ask(async |connection| {
            let query = sqlx::query(STATES).bind(version.requirement.as_str()).bind(version.version).bind(commit);
            let found = query.fetch_all(&mut *connection).await?;
            found.iter().map(|row| Ok((rows::source(row)?, rows::tree(row)?, rows::sums(row)?))).collect()
        })
    }

    /// The first completed runs of a commit in a tree that is not dirty, at most so many; `reported` ones where they
    /// count as well.
    ///
    /// # Errors
    /// `index_unreachable`.
    pub fn first_runs(
        &mut self,
        requirement: &str,
        commit: &str,
        most: usize,
        reported: bool,
    ) -> Result<Vec<Counted>, IndexError> {
        const FIRST: &str = "SELECT n, recorded_at, verdict, score, confidence, commit_sha, source, tree FROM qa_runs \
            WHERE requirement_id = $1 AND commit_sha = $2 AND tree <> 'dirty' AND verdict IS NOT NULL \
            AND (source = 'observed' OR $4 = 1) ORDER BY n LIMIT $3";
        self.ask(async |connection| {
            let query = sqlx::query(FIRST).bind(requirement).bind(commit).bind(whole(most)).bind(i64::from(reported));
            let found = query.fetch_all(&mut *connection).await?;
            let runs = found.iter().map(rows::counted).collect::<Done<Vec<_>>>()?;
            with_metrics(connection, requirement, runs).await
        })
    }

    /// Waivers that were given for a requirement, of whatever version, oldest first.
    ///
    /// # Errors
    /// `index_unreachable`.
    pub fn waivers(&mut self, requirement: &str) -> Result<Vec<Waiver>, IndexError> {
        const WAIVERS: &str = "SELECT * FROM qa_waivers WHERE requirement_id = $1 ORDER BY created_at, idempotency_key";
        self.ask(async |connection| {
            let found = sqlx::query(WAIVERS).bind(requirement).fetch_all(&mut *connection).await?;
            found.iter().map(rows::waiver).collect()
        })
    }

    /// The newest runs, of one requirement or of all, the newest first.
    ///
    /// # Errors
    /// `requirement_unknown`, `index_unreachable`.
    pub fn newest_runs(&mut self, requirement: Option<&str>, most: usize) -> Result<Vec<QaRun>, IndexError> {
        const OF_ONE: &str = "SELECT * FROM qa_runs WHERE requirement_id = $1 ORDER BY n DESC LIMIT $2";
        const OF_ALL: &str = "SELECT * FROM qa_runs ORDER BY recorded_at DESC, requirement_id LIMIT $1";
        self.ask(async |connection| {
            let found = match requirement {
                Some(id) => {
                    if requirement_folded(connection, &id.to_ascii_lowercase()).await?.is_none_or(|one| one.id != id) {
                        return Err(unknown(connection, id).await?.into());
                    }
                    sqlx::query(OF_ONE).bind(id).bind(whole(most)).fetch_all(&mut *connection).await?
                }
                None => sqlx::query(OF_ALL).bind(whole(most)).fetch_all(&mut *connection).await?,
            };
            found.iter().map(rows::run).collect()
        })
    }

    /// The runs of a requirement after the n-th, in order, with their artifacts: one page. An empty one is the end.
    ///
    /// # Errors
    /// `index_unreachable`.
    pub fn runs_after(&mut self, requirement: &str, n: i64) -> Result<Vec<QaRun>, IndexError> {
        const RUNS: &str = "SELECT * FROM qa_runs WHERE requirement_id = $1 AND n > $2 ORDER BY n LIMIT $3";
        self.ask(async |connection| {
            let query = sqlx::query(RUNS).bind(requirement).bind(n).bind(PAGE);
            let found = query.fetch_all(&mut *connection).await?;
            let mut runs = found.iter().map(rows::run).collect::<Done<Vec<_>>>()?;
            for run in &mut runs {
                run.new.said.artifacts = artifacts(connection, requirement, run.n).await?;
            }
            Ok(runs)
        })
    }

    /// Every version of what a requirement asks for, the first first.
    ///
    /// # Errors
    /// `index_unreachable`.
    pub fn versions(&mut self, requirement: &str) -> Result<Vec<Version>, IndexError> {
        const VERSIONS: &str = "SELECT * FROM qa_policy_versions WHERE requirement_id = $1 ORDER BY version";
        self.ask(async |connection| {
            let found = sqlx::query(VERSIONS).bind(requirement).fetch_all(&mut *connection).await?;
            found.iter().map(rows::version).collect()
        })
    }

    /// Every decision, the first first.
    ///
    /// # Errors
    /// `index_unreachable`.
    pub fn decisions(&mut self) -> Result<Vec<Decision>, IndexError> {
        const DECISIONS: &str = "SELECT * FROM qa_decisions ORDER BY decided_at, id";
        self.ask(async |connection| {
            let found = sqlx::query(DECISIONS).fetch_all(&mut *connection).await?;
            found.iter().map(rows::decision).collect()
        })
    }
}

pub(super) async fn requirement_folded(connection: &mut AnyConnection, folded: &str) -> Done<Option<Requirement>> {
    let query = sqlx::query("SELECT * FROM qa_requirements WHERE folded = $1").bind(folded);
    query.fetch_optional(connection).await?.map(|row| rows::requirement(&row)).transpose()
}

/// What a requirement asks for now.
pub(super) async fn current(connection: &mut AnyConnection, requirement: &str) -> Done<Version> {
    const CURRENT: &str = "SELECT v.* FROM qa_heads h JOIN qa_policy_versions v \
        ON v.requirement_id = h.requirement_id AND v.version = h.version WHERE h.requirement_id = $1";
    rows::version(&sqlx::query(CURRENT).bind(requirement).fetch_one(connection).await?)
}

pub(super) async fn version(connection: &mut AnyConnection, requirement: &str, version: i64) -> Done<Version> {
    const VERSION: &str = "SELECT * FROM qa_policy_versions WHERE requirement_id = $1 AND version = $2";
    rows::version(&sqlx::query(VERSION).bind(requirement).bind(version).fetch_one(connection).await?)
}

pub(super) async fn run_of_key(connection: &mut AnyConnection, key: &str) -> Done<Option<QaRun>> {
    let query = sqlx::query("SELECT * FROM qa_runs WHERE idempotency_key = $1").bind(key);
    let Some(row) = query.fetch_optional(&mut *connection).await? else { return Ok(None) };
    let mut run = rows::run(&row)?;
    run.new.said.artifacts = artifacts(connection, &run.new.requirement, run.n).await?;
    Ok(Some(run))
}

pub(super) async fn waiver(connection: &mut AnyConnection, key: &str) -> Done<Option<Waiver>> {
    let query = sqlx::query("SELECT * FROM qa_waivers WHERE idempotency_key = $1").bind(key);
    query.fetch_optional(connection).await?.map(|row| rows::waiver(&row)).transpose()
}

pub(super) async fn decision(connection: &mut AnyConnection, key: &str) -> Done<Option<Decision>> {
    let query = sqlx::query("SELECT * FROM qa_decisions WHERE id = $1").bind(key);
    query.fetch_optional(connection).await?.map(|row| rows::decision(&row)).transpose()
}

async fn artifacts(connection: &mut AnyConnection, requirement: &str, n: i64) -> Done<Vec<Artifact>> {
    let query = sqlx::query("SELECT * FROM qa_artifacts WHERE requirement_id = $1 AND n = $2 ORDER BY position");
    query.bind(requirement).bind(n).fetch_all(connection).await?.iter().map(rows::artifact).collect()
}

/// A page of the completed runs of a requirement after the n-th, as they are counted.
pub(super) async fn counted_after(connection: &mut AnyConnection, requirement: &str, n: i64) -> Done<Vec<Counted>> {
    const RUNS: &str = "SELECT n, recorded_at, verdict, score, confidence, commit_sha, source, tree FROM qa_runs \
        WHERE requirement_id = $1 AND n > $2 AND verdict IS NOT NULL ORDER BY n LIMIT $3";
    let found = sqlx::query(RUNS).bind(requirement).bind(n).bind(PAGE).fetch_all(&mut *connection).await?;
    let runs = found.iter().map(rows::counted).collect::<Done<Vec<_>>>()?;
    with_metrics(connection, requirement, runs).await
}

/// Runs, in order of their numbers, with the keys of their raw results.
async fn with_metrics(connection: &mut AnyConnection, requirement: &str, mut runs: Vec<Counted>) -> Done<Vec<Counted>> {
    const METRICS: &str = "SELECT n, name, kind, token FROM qa_run_metrics \
        WHERE requirement_id = $1 AND n BETWEEN $2 AND $3 ORDER BY n";
    let (Some(first), Some(last)) = (runs.first().map(|run| run.n), runs.last().map(|run| run.n)) else {
        return Ok(runs);
    };
    let found = sqlx::query(METRICS).bind(requirement).bind(first).bind(last).fetch_all(connection).await?;
    let mut metrics: Vec<(i64, Metric)> = Vec::with_capacity(found.len());
    for row in &found {
        metrics.push((int(row, "n")?, rows::metric(row)?));
    }
    let mut metrics = metrics.into_iter().peekable();
    for run in &mut runs {
        while metrics.next_if(|(n, _)| *n < run.n).is_some() {}
        while let Some((_, metric)) = metrics.next_if(|(n, _)| *n == run.n) {
            run.metrics.push(metric);
        }
    }
    Ok(runs)
}

/// The error for a requirement that is not there, with a near one.
pub(super) async fn unknown(connection: &mut AnyConnection, id: &str) -> Done<IndexError> {
    let found = sqlx::query("SELECT id FROM qa_requirements ORDER BY folded LIMIT 2000").fetch_all(connection).await?;
    let mut ids: Vec<String> = Vec::with_capacity(found.len());
    for row in &found {
        ids.push(sqlx::Row::try_get(row, "id")?);
    }
    let same = ids.iter().find(|known| known.eq_ignore_ascii_case(id)).map(String::as_str);
    let nearest = same.or_else(|| probity_core::nearest::nearest(id, ids.iter().map(String::as_str)));
    Ok(IndexError::RequirementUnknown { id: id.to_owned(), nearest: nearest.map(str::to_owned) })
}
