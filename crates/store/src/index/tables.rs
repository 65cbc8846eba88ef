//! The tables: made once, in one transaction that others wait for, and known by a number.

use sqlx::{AssertSqlSafe, Row as _};

use super::{Engine, Fault, Index, IndexError, guards};

/// The number of these tables. Another program's tables are never touched.
const FORM: i64 = 1;

/// The tables, the same text for both engines.
const TABLES: &str = include_str!("tables.sql");

/// Makers of tables wait for each other: a number of our own among PostgreSQL's advisory locks.
const LOCK: &str = "SELECT pg_advisory_xact_lock(7077108871)";

impl Index {
    /// The number of the tables that are there; `None` where there are none.
    ///
    /// # Errors
    /// `index_form` where they are not of this program.
    pub(super) fn form(&mut self) -> Result<Option<i64>, IndexError> {
        let engine = self.engine;
        let found = self.ask(async |connection| {
            let there = match engine {
                Engine::Sqlite => "SELECT count(*) AS c FROM sqlite_master WHERE name = 'qa_form'",
                Engine::Postgres => {
                    "SELECT count(*) AS c FROM pg_tables WHERE tablename = 'qa_form' AND schemaname = current_schema()"
                }
            };
            if sqlx::query(there).fetch_one(&mut *connection).await?.try_get::<i64, _>("c")? == 0 {
                return Ok(None);
            }
            let row = sqlx::query("SELECT form FROM qa_form").fetch_one(&mut *connection).await?;
            Ok(Some(row.try_get::<i64, _>("form")?))
        })?;
        match found {
            Some(found) if found != FORM => Err(IndexError::Newer { place: self.place(), found, known: FORM }),
            found => Ok(found),
        }
    }

    /// Makes them, unless somebody else did in the meantime.
    pub(super) fn make_tables(&mut self) -> Result<(), IndexError> {
        let engine = self.engine;
        self.change(async |connection| {
            if engine == Engine::Postgres {
                sqlx::raw_sql(LOCK).execute(&mut *connection).await?;
            }
            let make = "CREATE TABLE IF NOT EXISTS qa_form (form BIGINT NOT NULL PRIMARY KEY)";
            sqlx::raw_sql(make).execute(&mut *connection).await?;
            if sqlx::query("SELECT form FROM qa_form").fetch_optional(&mut *connection).await?.is_some() {
                return Ok(());
            }
            sqlx::raw_sql(TABLES).execute(&mut *connection).await?;
            sqlx::raw_sql(AssertSqlSafe(guards::triggers(engine))).execute(&mut *connection).await?;
            sqlx::query("INSERT INTO qa_form (form) VALUES ($1)").bind(FORM).execute(&mut *connection).await?;
            Ok::<(), Fault>(())
        })
    }
}
