//! The index of QA runs: requirements with the versions of what they ask for, runs, artifacts, waivers, decisions
//! (specs/success-policy.md section 1). SQLite in a file, or PostgreSQL by URL, with the same tables.
//!
//! The index holds rows and keeps them from being changed; what a row means is core's. Where counts are made on the way
//! in, the caller says how ([`See`]). Calls block; none may be made from inside an event loop.

mod error;
mod guards;
mod import;
mod read;
mod require;
mod rows;
mod tables;
mod target;
mod waive;
mod write;

use std::time::Duration;

use probity_core::qa::{Counted, Sums, Version};
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection as _};

pub use error::IndexError;
pub use import::Taken;
pub use read::Head;
pub use require::Required;
pub use target::{FOLDER, Target};
pub use write::Recorded;

/// What one completed run counts for under a version of its requirement.
pub type See<'a> = &'a dyn Fn(&Version, &Counted) -> Sums;

/// Which database it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

/// An index that is open.
pub struct Index {
    connection: AnyConnection,
    runtime: tokio::runtime::Runtime,
    engine: Engine,
    target: Target,
}

/// A failure inside of a transaction.
enum Fault {
    Sql(sqlx::Error),
    Index(IndexError),
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<IndexError> for Fault {
    fn from(error: IndexError) -> Self {
        Self::Index(error)
    }
}

type Done<T> = Result<T, Fault>;

/// A database that does not answer is given up after so long.
const CONNECT: Duration = Duration::from_secs(15);

/// How every connection to SQLite is set: others may read while one writes, writers wait for each other, and what was
/// committed is on the disk.
const PRAGMAS: &str = "PRAGMA busy_timeout = 30000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
     PRAGMA foreign_keys = ON; PRAGMA recursive_triggers = ON;";

impl Index {
    /// Whether there may be an index: a file that is there, or any database.
    #[must_use]
    pub fn is_there(target: &Target) -> bool {
        match target {
            Target::File(path) => path.is_file(),
            Target::Database(_) => true,
        }
    }

    /// Opens an index that is there.
    ///
    /// # Errors
    /// `index_missing`, `index_unreachable`, `index_form`.
    pub fn open(target: &Target) -> Result<Self, IndexError> {
        if !Self::is_there(target) {
            return Err(IndexError::Missing { place: target.to_string() });
        }
        let mut index = Self::connect(target, false)?;
        if index.form()?.is_none() {
            return Err(IndexError::Missing { place: target.to_string() });
        }
        Ok(index)
    }

    /// Opens an index, and makes it where there is none.
    ///
    /// # Errors
    /// `index_unreachable`, `index_form`.
    pub fn create(target: &Target) -> Result<Self, IndexError> {
        if let Target::File(path) = target
            && let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty())
        {
            let unusable = |reason: String| IndexError::Unreachable { place: target.to_string(), reason };
            // The folder of runs is made as a run would make it.
            if let Some(runs) = folder.parent().filter(|_| folder.ends_with(FOLDER)) {
                crate::root::prepare(runs).map_err(|e| unusable(e.to_string()))?;
            }
            std::fs::create_dir_all(folder).map_err(|e| unusable(e.to_string()))?;
        }
        let mut index = Self::connect(target, true)?;
        if index.form()?.is_none() {
            index.make_tables()?;
        }
        Ok(index)
    }

    fn connect(target: &Target, create: bool) -> Result<Self, IndexError> {
        let unreachable = |reason: String| IndexError::Unreachable { place: target.to_string(), reason };
        sqlx::any::install_default_drivers();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|e| unreachable(e.to_string()))?;
        let engine = match target {
            Target::File(_) => Engine::Sqlite,
            Target::Database(_) => Engine::Postgres,
        };
        let connection = runtime.block_on(async {
            let options: AnyConnectOptions = target.driver_url(create).parse()?;
            let connecting = AnyConnection::connect_with(&options);
            let mut connection = tokio::time::timeout(CONNECT, connecting)
                .await
                .map_err(|_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))??;
            if engine == Engine::Sqlite {
                sqlx::raw_sql(PRAGMAS).execute(&mut connection).await?;
            }
            Ok(connection)
        });
        let connection = connection.map_err(|error: sqlx::Error| IndexError::of(&error, target))?;
        Ok(Self { connection, runtime, engine, target: target.clone() })
    }

    /// Which database it is.
    #[must_use]
    pub const fn engine(&self) -> Engine {
        self.engine
    }

    /// Where it is, without what is secret.
    #[must_use]
    pub fn place(&self) -> String {
        self.target.to_string()
    }

    /// Lets `work` read everything as of one moment, whatever others write meanwhile. It may not change anything.
    ///
    /// # Errors
    /// Those of `work`, and `index_unreachable`.
    pub fn at_once<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, IndexError>) -> Result<T, IndexError> {
        let begin = match self.engine {
            Engine::Sqlite => "BEGIN",
            Engine::Postgres => "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        };
        let say = |index: &mut Self, word: &'static str| {
            index.ask(async |connection| {
                sqlx::raw_sql(word).execute(connection).await?;
                Ok(())
            })
        };
        say(self, begin)?;
        let done = work(self);
        let ended = say(self, "COMMIT");
        done.and_then(|value| ended.map(|()| value))
    }

    /// Asks without changing anything.
    fn ask<T>(&mut self, work: impl AsyncFnOnce(&mut AnyConnection) -> Done<T>) -> Result<T, IndexError> {
        let done = self.runtime.block_on(work(&mut self.connection));
        done.map_err(|fault| told(fault, &self.target))
    }

    /// Does everything or nothing. SQLite takes the right to write at the start: a reader that would write later fails
    /// when another wrote in between.
    fn change<T>(&mut self, work: impl AsyncFnOnce(&mut AnyConnection) -> Done<T>) -> Result<T, IndexError> {
        let (connection, engine) = (&mut self.connection, self.engine);
        let done = self.runtime.block_on(async move {
            let mut transaction = match engine {
                Engine::Sqlite => connection.begin_with("BEGIN IMMEDIATE").await?,
                Engine::Postgres => connection.begin().await?,
            };
            match work(&mut transaction).await {
                Ok(value) => {
                    transaction.commit().await?;
                    Ok(value)
                }
                Err(fault) => {
                    transaction.rollback().await?;
                    Err(fault)
                }
            }
        });
        done.map_err(|fault| told(fault, &self.target))
    }
}

fn told(fault: Fault, target: &Target) -> IndexError {
    match fault {
        Fault::Sql(error) => IndexError::of(&error, target),
        Fault::Index(error) => error,
    }
}

/// A count or a position as a column holds it.
fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
