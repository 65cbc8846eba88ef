//! An index to try things on, and what to put into it.

use std::path::Path;

use probity_core::ids::Digest;
use probity_core::json::Number;
use probity_core::qa::intake;
use probity_core::qa::{
    Artifact, Blocking, Counted, NewRun, Origin, Phase, Requirement, Said, Source, Sums, Terms, Tree, Version,
};
use probity_core::verdict::QaVerdict;
use probity_store::index::{Index, IndexError, Recorded, Target};
use probity_testkit::postgres::Postgres;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Row as _};
use tempfile::TempDir;

/// A place for an index, on one engine.
pub(crate) struct Lab {
    _dir: Option<TempDir>,
    pub(crate) target: Target,
    url: String,
    pub(crate) postgres: bool,
}

impl Lab {
    pub(crate) fn sqlite() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("odd name?#").join("index.sqlite");
        std::fs::create_dir(path.parent().unwrap()).unwrap();
        let url = format!(
            "sqlite://{}?mode=rwc",
            path.display().to_string().replace(' ', "%20").replace('?', "%3F").replace('#', "%23")
        );
        Self { target: Target::File(path), _dir: Some(dir), url, postgres: false }
    }

    pub(crate) fn postgres(server: &Postgres, name: &str) -> Self {
        let url = server.database(name);
        Self { target: Target::parse(&url).unwrap(), _dir: None, url, postgres: true }
    }

    pub(crate) fn open(&self) -> Index {
        Index::create(&self.target).unwrap()
    }

    /// With a requirement R of one version.
    pub(crate) fn with(&self, policy: &str) -> Index {
        let mut index = self.open();
        index.require(&requirement("R"), &terms(policy), None, &see).unwrap();
        index
    }

    /// Runs a statement past the index; gives its rows as text.
    pub(crate) fn sql(&self, statement: &str) -> Result<Vec<String>, String> {
        sqlx::any::install_default_drivers();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut connection = AnyConnection::connect(&self.url).await.unwrap();
            let rows = sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).fetch_all(&mut connection).await;
            let rows = rows.map_err(|error| error.to_string())?;
            let cell = |row: &sqlx::any::AnyRow| {
                let last = row.len() - 1;
                row.try_get::<String, _>(last).or_else(|_| row.try_get::<i64, _>(last).map(|n| n.to_string()))
            };
            Ok(rows.iter().filter(|row| !row.is_empty()).map(|row| cell(row).unwrap_or_default()).collect())
        })
    }

    pub(crate) fn folder(&self) -> Option<&Path> {
        match &self.target {
            Target::File(path) => path.parent(),
            Target::Database(_) => None,
        }
    }
}

/// Counting as the program does it.
pub(crate) fn see(version: &Version, run: &Counted) -> Sums {
    intake::sums(version.terms.policy.as_deref(), run)
}

pub(crate) fn requirement(id: &str) -> Requirement {
    Requirement {
        id: id.to_owned(),
        kind: "smoke".to_owned(),
        origin: Origin::Explicit,
        by: "ann".to_owned(),
        at: 1_000,
    }
}

pub(crate) fn terms(policy: &str) -> Terms {
    Terms {
        policy: (!policy.is_empty()).then(|| policy.to_owned()),
        phase: Phase::Verification,
        blocking: Blocking::Blocking,
        target_env: None,
        plan: None,
        accept_reported: true,
    }
}

/// A run of R with a verdict, of commit c1.
pub(crate) fn run(key: &str, verdict: QaVerdict) -> NewRun {
    NewRun {
        requirement: "R".to_owned(),
        key: key.to_owned(),
        by: "ann".to_owned(),
        source: Source::Reported,
        run: None,
        seal: None,
        said: Said {
            verdict: Some(verdict),
            reason: Some("because".to_owned()),
            score: None,
            confidence: None,
            raw: None,
            commit: Some("c1".to_owned()),
            tree: Tree::Declared,
            duration_ms: None,
            artifacts: Vec::new(),
        },
    }
}

pub(crate) fn number(token: &str) -> Option<Number> {
    Some(Number::parse(token).unwrap())
}

pub(crate) fn artifact(name: &str) -> Artifact {
    let (kind, media) = ("screenshot".to_owned(), "image/png".to_owned());
    Artifact { name: name.to_owned(), kind, sha256: Digest::of(name.as_bytes()), size: 3, media }
}

pub(crate) fn record(index: &mut Index, run: &NewRun, at: i64) -> Result<Recorded, IndexError> {
    let metrics = intake::metrics(run.said.raw.as_deref()).unwrap();
    index.record(run, &metrics, at, &see)
}
