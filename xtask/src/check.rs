//! `cargo xtask check`: what CI looks at beside the tests. Every stage says what is wrong and how to put it right.

mod crates;
mod machine;
mod names;
mod paths;
mod pure;
mod sizes;

use std::process::ExitCode;
use std::time::Instant;

use crate::timing::{Outcome, Row, table};
use crate::{generate, process, tools};

/// A stage: its name and what it does.
type Stage = (&'static str, fn(bool) -> Outcome);

/// Cheap ones first.
const STAGES: [Stage; 10] = [
    ("fmt", |_| cargo(&["fmt", "--all", "--check"], "cargo fmt --all")),
    ("sizes", |_| findings(sizes::check())),
    ("names", |_| findings(names::check())),
    ("crates", |_| findings(crates::check())),
    ("pure", |_| findings(pure::check())),
    ("machine", |_| findings(machine::check())),
    ("paths", |_| findings(paths::check())),
    ("clippy", |_| {
        let lint = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
        cargo(&lint, "repair what clippy points at")
    }),
    ("docs", |_| docs()),
    ("generated", |_| generated()),
];

/// Last, since it may have to be built first.
const DENY: Stage = ("deny", deny);

/// Runs the named stages, or all of them.
pub(crate) fn run(wanted: &[&str], install: bool) -> ExitCode {
    let stages: Vec<Stage> = STAGES.into_iter().chain([DENY]).collect();
    if let Some(other) = wanted.iter().find(|w| stages.iter().all(|(name, _)| name != *w)) {
        let names: Vec<&str> = stages.iter().map(|(name, _)| *name).collect();
        eprintln!("error: `{other}` is no stage; there are {}", names.join(", "));
        return ExitCode::from(2);
    }
    let mut rows = Vec::new();
    for (stage, work) in stages.into_iter().filter(|(name, _)| wanted.is_empty() || wanted.contains(name)) {
        let start = Instant::now();
        let outcome = work(install);
        match &outcome {
            Outcome::Fine => {}
            Outcome::Failed(lines) => {
                eprintln!("\n{stage} FAILED");
                lines.iter().for_each(|line| eprintln!("  {line}"));
                eprintln!("  repeat it with: cargo xtask check {stage}\n");
            }
            Outcome::NotRun(why) => eprintln!("\n{stage} NOT RUN: {why}\n"),
        }
        rows.push(Row { stage, outcome, time: start.elapsed() });
    }
    println!("{}", table(&rows));
    if rows.iter().any(|row| matches!(row.outcome, Outcome::Failed(_))) {
        return ExitCode::FAILURE;
    }
    // In CI a stage that was not run is a stage that failed: nothing is not a pass.
    let unrun = rows.iter().any(|row| matches!(row.outcome, Outcome::NotRun(_)));
    if unrun && std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A check of the tree: what it found, or why it could not look.
type Checked = Result<Vec<String>, String>;

fn findings(checked: Checked) -> Outcome {
    match checked {
        Ok(lines) if lines.is_empty() => Outcome::Fine,
        Ok(lines) => Outcome::Failed(lines),
        Err(why) => Outcome::Failed(vec![why]),
    }
}

fn cargo(arguments: &[&str], repair: &str) -> Outcome {
    match process::show(&mut process::cargo(arguments)) {
        Ok(()) => Outcome::Fine,
        Err(code) => Outcome::Failed(vec![format!("cargo ended with {code}"), format!("put it right with: {repair}")]),
    }
}

fn docs() -> Outcome {
    let mut command = process::cargo(&["doc", "--no-deps", "--workspace", "--locked"]);
    match process::show(command.env("RUSTDOCFLAGS", "-D warnings")) {
        Ok(()) => Outcome::Fine,
        Err(_) => Outcome::Failed(vec!["rustdoc warned: repair the links or the text that it points at".to_owned()]),
    }
}

fn generated() -> Outcome {
    let mut lines = Vec::new();
    for generated in [&generate::DOCS, &generate::SCHEMAS] {
        match generate::stale(generated) {
            Ok(stale) => {
                lines.extend(
                    stale.iter().map(|f| format!("{f} is stale; cargo xtask {} && git add {f}", generated.chore)),
                );
            }
            Err(why) => lines.push(why),
        }
    }
    findings(Ok(lines))
}

fn deny(install: bool) -> Outcome {
    let Some(program) = tools::deny(install) else {
        return Outcome::NotRun("cargo-deny is not installed; cargo xtask check --install deny builds it".to_owned());
    };
    let arguments = ["--locked", "check", "--hide-inclusion-graph", "bans", "licenses", "sources"];
    match process::show(&mut process::command(&program, &arguments)) {
        Ok(()) => Outcome::Fine,
        Err(_) => Outcome::Failed(vec![
            "a dependency breaks deny.toml: take another, or add the exception with its reason".to_owned(),
        ]),
    }
}
