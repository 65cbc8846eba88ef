//! `cargo xtask bench`: the scripts of bench/, one a row.

use std::process::ExitCode;

use crate::process;

/// The rows, as bench/README.md names them.
const ROWS: [&str; 6] = ["http", "many", "hash", "spawn", "report", "policy"];

pub(crate) fn run(rows: &[&str], install: bool) -> ExitCode {
    if let Some(row) = rows.iter().find(|row| !ROWS.contains(row)) {
        eprintln!("error: `{row}` is no row; there are {}", ROWS.join(", "));
        return ExitCode::from(2);
    }
    let rows = if rows.is_empty() { &ROWS[..] } else { rows };
    for row in rows {
        let script = format!("bench/{row}.sh");
        let mut command = process::command("bash", &[&script]);
        command.env("BENCH_INSTALL", if install { "1" } else { "0" });
        if let Err(code) = process::show(&mut command) {
            eprintln!("error: row {row} did not finish; repeat it with: cargo xtask bench {row}");
            return ExitCode::from(u8::try_from(code).unwrap_or(1));
        }
    }
    ExitCode::SUCCESS
}
