//! Recording a run. The work is the same however many runs there are: the head of the requirement, the run by its key, a
//! row each for the run, its metrics and artifacts, and one row of counts.

use probity_core::ids::Digest;
use probity_core::qa::{Artifact, Counted, Metric, NewRun, QaRun, Said, Sums, Value, Version};
use sqlx::AnyConnection;

use super::rows::int;
use super::{Done, Index, IndexError, See, read, whole};

/// What came of recording a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// It is the n-th run of its requirement now.
    New(i64),
    /// The n-th run had no verdict, and has now.
    Completed(i64),
    /// It stood there already, as the n-th run.
    Same(i64),
}

impl Recorded {
    /// The number of the run.
    #[must_use]
    pub const fn n(self) -> i64 {
        match self {
            Self::New(n) | Self::Completed(n) | Self::Same(n) => n,
        }
    }
}

impl Index {
    /// Records a run, or completes the one of the same key that has no verdict yet. `metrics` are the keys of its raw
    /// result; `at` is now, in microseconds since 1970.
    ///
    /// # Errors
    /// `requirement_unknown`; `key_conflict` where the key stands for something else; `index_refused`,
    /// `index_unreachable`.
    pub fn record(&mut self, run: &NewRun, metrics: &[Metric], at: i64, see: See<'_>) -> Result<Recorded, IndexError> {
        self.change(async |connection| record(connection, run, metrics, at, see).await)
    }
}

pub(super) async fn record(
    connection: &mut AnyConnection,
    run: &NewRun,
    metrics: &[Metric],
    at: i64,
    see: See<'_>,
) -> Done<Recorded> {
    let requirement = run.requirement.as_str();
    // The head is taken before anything is looked up: writers of one requirement go one after another.
    let taken = sqlx::query("UPDATE qa_heads SET runs = runs WHERE requirement_id = $1").bind(requirement);
    if taken.execute(&mut *connection).await?.rows_affected() == 0 {
        return Err(read::unknown(connection, requirement).await?.into());
    }
    let version = read::current(connection, requirement).await?;
    if let Some(stands) = read::run_of_key(connection, &run.key).await? {
        return again(connection, &stands, run, metrics, &version, see).await;
    }
    let head = "UPDATE qa_heads SET runs = runs + 1, last_at = CASE WHEN last_at >= $2 THEN last_at + 1 ELSE $2 END \
        WHERE requirement_id = $1 RETURNING runs, last_at";
    let head = sqlx::query(head).bind(requirement).bind(at).fetch_one(&mut *connection).await?;
    let (n, at) = (int(&head, "runs")?, int(&head, "last_at")?);
    insert(connection, run, n, version.version, at).await?;
    if run.said.verdict.is_some() {
        complete(connection, run, n, at, metrics, &version, see).await?;
    }
    Ok(Recorded::New(n))
}

/// A run of a key that stands: the same, or the verdict that it waits for.
async fn again(
    connection: &mut AnyConnection,
    stands: &QaRun,
    run: &NewRun,
    metrics: &[Metric],
    version: &Version,
    see: See<'_>,
) -> Done<Recorded> {
    let (old, new) = (&stands.new, run);
    let who = old.requirement == new.requirement && old.by == new.by && old.source == new.source;
    let same = who && old.run == new.run && old.seal == new.seal;
    if same && old.said == new.said {
        return Ok(Recorded::Same(stands.n));
    }
    if same && old.said.verdict.is_none() && new.said.verdict.is_some() {
        complete(connection, run, stands.n, stands.at, metrics, version, see).await?;
        return Ok(Recorded::Completed(stands.n));
    }
    let what = format!("run {} of {}", stands.n, old.requirement);
    Err(IndexError::Conflict { key: run.key.clone(), what }.into())
}

/// The row, without a verdict: it may still be added to.
async fn insert(connection: &mut AnyConnection, run: &NewRun, n: i64, version: i64, at: i64) -> Done<()> {
    let insert = "INSERT INTO qa_runs (requirement_id, n, idempotency_key, policy_version, performed_by, source, run, \
        seal, commit_sha, tree, recorded_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    sqlx::query(insert)
        .bind(run.requirement.as_str())
        .bind(n)
        .bind(run.key.as_str())
        .bind(version)
        .bind(run.by.as_str())
        .bind(run.source.as_str())
        .bind(run.run.as_deref())
        .bind(run.seal.as_deref())
        .bind(run.said.commit.as_deref())
        .bind(run.said.tree.as_str())
        .bind(at)
        .execute(connection)
        .await?;
    Ok(())
}

/// Metrics and artifacts, then the verdict, which closes the row; then the counts.
async fn complete(
    connection: &mut AnyConnection,
    run: &NewRun,
    n: i64,
    at: i64,
    metrics: &[Metric],
    version: &Version,
    see: See<'_>,
) -> Done<()> {
    let (requirement, said) = (run.requirement.as_str(), &run.said);
    for metric in metrics {
        insert_metric(connection, requirement, n, metric).await?;
    }
    for (position, artifact) in said.artifacts.iter().enumerate() {
        insert_artifact(connection, requirement, n, whole(position + 1), artifact).await?;
    }
    say(connection, requirement, n, said).await?;
    let Some(verdict) = said.verdict else { return Ok(()) };
    let counted = Counted {
        n,
        at,
        verdict,
        score: said.score.clone(),
        confidence: said.confidence.clone(),
        commit: said.commit.clone(),
        source: run.source,
        tree: said.tree,
        metrics: metrics.to_vec(),
    };
    add(connection, version, &counted, &see(version, &counted)).await
}

async fn say(connection: &mut AnyConnection, requirement: &str, n: i64, said: &Said) -> Done<()> {
    // Doubles are made of their tokens there: the driver gives a double that is NULL another type than one that is not.
    let update = "UPDATE qa_runs SET verdict = $3, verdict_reason = $4, \
        score = $5, score_num = CAST($5 AS DOUBLE PRECISION), \
        confidence = $6, confidence_num = CAST($6 AS DOUBLE PRECISION), \
        raw_result = $7, commit_sha = $8, tree = $9, duration_ms = $10 WHERE requirement_id = $1 AND n = $2";
    sqlx::query(update)
        .bind(requirement)
        .bind(n)
        .bind(said.verdict.map(probity_core::verdict::QaVerdict::as_str))
        .bind(said.reason.as_deref())
        .bind(said.score.as_ref().map(|score| score.token().to_owned()))
        .bind(said.confidence.as_ref().map(|confidence| confidence.token().to_owned()))
        .bind(said.raw.as_deref())
        .bind(said.commit.as_deref())
        .bind(said.tree.as_str())
        .bind(said.duration_ms)
        .execute(connection)
        .await?;
    Ok(())
}

async fn insert_metric(connection: &mut AnyConnection, requirement: &str, n: i64, metric: &Metric) -> Done<()> {
    let (kind, token) = match &metric.value {
        Value::Number(number) => ("number", Some(number.token().to_owned())),
        Value::Bool(b) => ("bool", Some(b.to_string())),
        Value::Text(text) => ("text", Some(text.clone())),
        Value::Other => ("other", None),
    };
    let num = token.clone().filter(|_| kind == "number");
    let insert = "INSERT INTO qa_run_metrics (requirement_id, n, name, kind, token, num) \
        VALUES ($1, $2, $3, $4, $5, CAST($6 AS DOUBLE PRECISION))";
    let insert = sqlx::query(insert).bind(requirement).bind(n).bind(metric.name.as_str());
    insert.bind(kind).bind(token).bind(num).execute(connection).await?;
    Ok(())
}

async fn insert_artifact(
    connection: &mut AnyConnection,
    requirement: &str,
    n: i64,
    position: i64,
    artifact: &Artifact,
) -> Done<()> {
    let insert = "INSERT INTO qa_artifacts (requirement_id, n, position, name, kind, sha256, size, media) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let digest: &Digest = &artifact.sha256;
    sqlx::query(insert)
        .bind(requirement)
        .bind(n)
        .bind(position)
        .bind(artifact.name.as_str())
        .bind(artifact.kind.as_str())
        .bind(digest.to_string())
        .bind(artifact.size)
        .bind(artifact.media.as_str())
        .execute(connection)
        .await?;
    Ok(())
}

/// Adds to the counts of a run's commit, source and tree.
pub(super) async fn add(connection: &mut AnyConnection, version: &Version, run: &Counted, sums: &Sums) -> Done<()> {
    let upsert = "INSERT INTO qa_states (requirement_id, policy_version, commit_sha, source, tree, pass, fail, \
        undetermined, error, yes, no, contradictions, scores_differ, newest_yes, newest_no) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
        ON CONFLICT (requirement_id, policy_version, commit_sha, source, tree) DO UPDATE SET \
        pass = qa_states.pass + excluded.pass, fail = qa_states.fail + excluded.fail, \
        undetermined = qa_states.undetermined + excluded.undetermined, error = qa_states.error + excluded.error, \
        yes = qa_states.yes + excluded.yes, no = qa_states.no + excluded.no, \
        contradictions = qa_states.contradictions + excluded.contradictions, \
        scores_differ = qa_states.scores_differ + excluded.scores_differ, \
        newest_yes = CASE WHEN excluded.newest_yes > qa_states.newest_yes THEN excluded.newest_yes \
            ELSE qa_states.newest_yes END, \
        newest_no = CASE WHEN excluded.newest_no > qa_states.newest_no THEN excluded.newest_no \
            ELSE qa_states.newest_no END";
    let mut query = sqlx::query(upsert)
        .bind(version.requirement.as_str())
        .bind(version.version)
        .bind(run.commit.clone().unwrap_or_default())
        .bind(run.source.as_str())
        .bind(run.tree.as_str());
    for value in sums.counts.into_iter().chain(sums.newest) {
        query = query.bind(value);
    }
    query.execute(connection).await?;
    Ok(())
}

/// Counts every completed run of a requirement under a version that has no counts yet. Many runs of one commit make one
/// row.
pub(super) async fn count_again(connection: &mut AnyConnection, version: &Version, see: See<'_>) -> Done<()> {
    let mut rows: Vec<(Counted, Sums)> = Vec::new();
    let mut after = 0;
    loop {
        let page = read::counted_after(connection, &version.requirement, after).await?;
        let Some(last) = page.last() else { break };
        after = last.n;
        for run in page {
            let sums = see(version, &run);
            let same =
                |other: &Counted| (&other.commit, other.source, other.tree) == (&run.commit, run.source, run.tree);
            match rows.iter_mut().find(|(other, _)| same(other)) {
                Some((_, sum)) => sum.merge(&sums),
                None => rows.push((run, sums)),
            }
        }
    }
    for (run, sums) in rows {
        add(connection, version, &run, &sums).await?;
    }
    Ok(())
}
