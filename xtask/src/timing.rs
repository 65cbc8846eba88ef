//! The table that closes `check`: each stage, how it ended, how long it took.

use std::time::Duration;

/// How a stage ended.
pub(crate) enum Outcome {
    Fine,
    /// What is wrong and how to put it right, a line each.
    Failed(Vec<String>),
    /// Why it could not be run.
    NotRun(String),
}

/// One row.
pub(crate) struct Row {
    pub(crate) stage: &'static str,
    pub(crate) outcome: Outcome,
    pub(crate) time: Duration,
}

/// Draws the table.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    for Row { stage, outcome, time } in rows {
        let word = match outcome {
            Outcome::Fine => "fine",
            Outcome::Failed(_) => "FAILED",
            Outcome::NotRun(_) => "NOT RUN",
        };
        text.push_str(&format!("  {stage:<10} {word:<8} {:>7.1}s\n", time.as_secs_f64()));
    }
    text
}
