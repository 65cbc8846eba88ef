//! `cargo xtask test`: every test, and an honest count of them.

use std::process::ExitCode;

use crate::process::{self, Stream};
use crate::{examples, tools};

/// Tests by how they ended.
#[derive(Default, Debug, PartialEq, Clone, Copy)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// Sets up, runs all, prints the closing line. The exit code is that of the first program that failed.
pub(crate) fn run(install: bool) -> ExitCode {
    let missing = tools::missing(install);
    let mut left_out: Vec<&str> = missing.iter().map(|tool| tool.marker).collect();
    left_out.dedup();
    for tool in &missing {
        say_not_run(tool.marker, tool.program);
    }
    for example in examples::missing(install) {
        if !left_out.contains(&example.marker) {
            say_not_run(example.marker, example.name);
            left_out.push(example.marker);
        }
    }
    if !tools::may_mount() {
        eprintln!("not run: tests named *needs_mount*: nobody may mount a file system here");
        left_out.push("needs_mount");
    }
    let mut counts = Counts::default();
    let main = if process::exists("cargo-nextest") {
        nextest(&left_out, &mut counts)
    } else {
        cargo_test(&["--tests"], &left_out, &mut counts)
    };
    let docs = cargo_test(&["--doc"], &[], &mut counts);
    let code = main.and(docs).err().unwrap_or(0);
    if counts == Counts::default() {
        eprintln!("error: no test was run; what went wrong stands above");
        return ExitCode::FAILURE;
    }
    println!("\n{} run, {} not run", counts.passed + counts.failed, counts.skipped);
    println!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped);
    // A count of failures must never come with a zero, whatever the programs said.
    let code = if code == 0 && counts.failed > 0 { 1 } else { code };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}

fn say_not_run(marker: &str, what: &str) {
    eprintln!("not run: tests named *{marker}*: {what} is not installed (cargo xtask test --install)");
}

fn nextest(left_out: &[&str], counts: &mut Counts) -> Result<(), i32> {
    let mut arguments = vec!["nextest", "run", "--workspace", "--locked", "--no-fail-fast", "--ignore-default-filter"];
    let filter = left_out.iter().map(|marker| format!("not test({marker})")).collect::<Vec<_>>().join(" and ");
    if !filter.is_empty() {
        arguments.extend(["-E", &filter]);
    }
    process::listen(&mut process::cargo(&arguments), &Stream::Err, |line| *counts += of_nextest(line))
}

fn cargo_test(which: &[&str], left_out: &[&str], counts: &mut Counts) -> Result<(), i32> {
    let mut arguments = vec!["test", "--workspace", "--locked", "--no-fail-fast"];
    arguments.extend(which);
    arguments.push("--");
    arguments.extend(left_out.iter().flat_map(|marker| ["--skip", marker]));
    process::listen(&mut process::cargo(&arguments), &Stream::Out, |line| *counts += of_cargo(line))
}

/// `     Summary [   0.012s] 20 tests run: 17 passed (1 slow), 2 failed, 1 timed out, 3 skipped`
fn of_nextest(line: &str) -> Counts {
    let summary = line.trim_start().starts_with("Summary [");
    line.split_once("run: ").filter(|_| summary).map_or_else(Counts::default, |(_, rest)| parts(rest, ","))
}

/// `test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.00s`
fn of_cargo(line: &str) -> Counts {
    let rest = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "));
    rest.map_or_else(Counts::default, |(_, rest)| parts(rest, ";"))
}

fn parts(text: &str, between: &str) -> Counts {
    let mut counts = Counts::default();
    for (number, word) in text.split(between).filter_map(|part| part.trim().split_once(' ')) {
        let Ok(number) = number.parse::<u64>() else { continue };
        match word.split(" (").next().unwrap_or(word) {
            "passed" => counts.passed += number,
            "failed" | "timed out" | "exec failed" => counts.failed += number,
            "skipped" | "ignored" | "filtered out" => counts.skipped += number,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_the_runners_say() {
        let nextest = "     Summary [   0.012s] 20 tests run: 17 passed (1 slow), 2 failed, 1 timed out, 3 skipped";
        assert_eq!(of_nextest(nextest), Counts { passed: 17, failed: 3, skipped: 3 });
        let one = "     Summary [   0.012s] 1 test run: 1 passed, 0 skipped";
        assert_eq!(of_nextest(one), Counts { passed: 1, failed: 0, skipped: 0 });
        let cargo = "test result: FAILED. 12 passed; 1 failed; 1 ignored; 0 measured; 2 filtered out; finished in 0.1s";
        assert_eq!(of_cargo(cargo), Counts { passed: 12, failed: 1, skipped: 3 });
    }

    #[test]
    fn counts_nothing_else() {
        assert_eq!(of_nextest("        PASS [   0.1s] crate prints::run: 3 passed, 1 failed"), Counts::default());
        assert_eq!(of_cargo("3 passed; 1 failed"), Counts::default());
    }
}
