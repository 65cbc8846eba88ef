//! What may not be changed or removed, as one table; the triggers of both engines are written from it.
//!
//! No row of evidence is ever updated or deleted. A run is the one exception: until it has a verdict, what it says may be
//! completed, once. Its metrics and artifacts can be added in that time only.

use std::fmt::Write as _;

use super::Engine;

/// When a row may be updated.
enum Update {
    Never,
    /// While this holds of the old row, and never these columns.
    While(&'static str, &'static [&'static str]),
}

/// What is kept of a table.
struct Guard {
    table: &'static str,
    update: Update,
    /// Columns that tell rows apart. SQLite's `INSERT OR REPLACE` would remove the old row without any trigger.
    key: &'static [&'static [&'static str]],
    /// Refuses a new row where this holds of it.
    insert: Option<&'static str>,
}

const COMPLETED: &str =
    "(SELECT verdict FROM qa_runs WHERE requirement_id = NEW.requirement_id AND n = NEW.n) IS NOT NULL";

const GUARDS: [Guard; 7] = [
    Guard { table: "qa_requirements", update: Update::Never, key: &[&["id"], &["folded"]], insert: None },
    Guard { table: "qa_policy_versions", update: Update::Never, key: &[&["requirement_id", "version"]], insert: None },
    Guard {
        table: "qa_runs",
        update: Update::While(
            "OLD.verdict IS NULL",
            &["requirement_id", "n", "idempotency_key", "policy_version", "performed_by", "source", "run", "seal"],
        ),
        key: &[&["requirement_id", "n"], &["idempotency_key"]],
        // So that counts, metrics and artifacts are complete when the verdict comes.
        insert: Some("NEW.verdict IS NOT NULL"),
    },
    Guard {
        table: "qa_run_metrics",
        update: Update::Never,
        key: &[&["requirement_id", "n", "name"]],
        insert: Some(COMPLETED),
    },
    Guard {
        table: "qa_artifacts",
        update: Update::Never,
        key: &[&["requirement_id", "n", "position"]],
        insert: Some(COMPLETED),
    },
    Guard { table: "qa_waivers", update: Update::Never, key: &[&["idempotency_key"]], insert: None },
    Guard { table: "qa_decisions", update: Update::Never, key: &[&["id"]], insert: None },
];

/// The triggers, as statements of an engine.
pub(super) fn triggers(engine: Engine) -> String {
    let mut sql = String::new();
    for guard in &GUARDS {
        let table = guard.table;
        let refused = match guard.update {
            Update::Never => "1 = 1".to_owned(),
            Update::While(open, fixed) => {
                let moved = fixed.iter().map(|column| format!("OLD.{column} IS DISTINCT FROM NEW.{column}"));
                format!("NOT ({open}) OR {}", moved.collect::<Vec<_>>().join(" OR "))
            }
        };
        trigger(&mut sql, engine, table, "UPDATE", &refused, "is never changed; record a new one");
        trigger(&mut sql, engine, table, "DELETE", "1 = 1", "is never removed");
        let mut inserts: Vec<String> = guard.insert.iter().map(|one| (*one).to_owned()).collect();
        if engine == Engine::Sqlite {
            inserts.extend(guard.key.iter().map(|columns| {
                let same = columns.iter().map(|column| format!("{column} = NEW.{column}")).collect::<Vec<_>>();
                format!("EXISTS (SELECT 1 FROM {table} WHERE {})", same.join(" AND "))
            }));
        }
        if !inserts.is_empty() {
            trigger(&mut sql, engine, table, "INSERT", &inserts.join(" OR "), "stands already, or is completed");
        }
        if engine == Engine::Postgres {
            let name = format!("{table}_truncate");
            let _ = write!(
                sql,
                "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION \
                 'a row of {table} is never removed' USING ERRCODE = 'check_violation'; END $$;\n\
                 CREATE TRIGGER {name} BEFORE TRUNCATE ON {table} FOR EACH STATEMENT EXECUTE FUNCTION {name}();\n"
            );
        }
    }
    sql
}

/// One trigger that refuses an event where a condition holds.
fn trigger(sql: &mut String, engine: Engine, table: &str, event: &str, refused: &str, why: &str) {
    let name = format!("{table}_{}", event.to_lowercase());
    let message = format!("a row of {table} {why}");
    let _ = match engine {
        Engine::Sqlite => writeln!(
            sql,
            "CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN {refused} BEGIN SELECT RAISE(ABORT, '{message}'); END;"
        ),
        Engine::Postgres => {
            let row = if event == "DELETE" { "OLD" } else { "NEW" };
            writeln!(
                sql,
                "CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF {refused} THEN RAISE EXCEPTION \
                 '{message}' USING ERRCODE = 'check_violation'; END IF; RETURN {row}; END $$;\n\
                 CREATE TRIGGER {name} BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}();"
            )
        }
    };
}
