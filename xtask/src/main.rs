//! Chores of the project. `cargo xtask` lists them; each says what failed and how to repeat it.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a chore talks to the person who started it")]

mod bench;
mod check;
mod dist;
mod examples;
mod generate;
mod json;
mod process;
mod tar;
mod test;
mod timing;
mod tools;
mod tree;

use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask <chore>

  test [--install]            every test; as root or with --install it brings the tools that tests need
  check [--install] [STAGE…]  everything else that CI looks at; without a stage, all of them
  docs                        writes docs/rules.md from the catalogue of codes
  schemas                     writes schemas/*.json
  dist [FILE]                 packs program, licences, completions and manual pages; with FILE, that in the program's place
  bench [--install] [ROW…]    runs the benchmarks of bench/: http, many, hash, spawn, report, policy
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let install = arguments.iter().any(|a| a == "--install");
    let words: Vec<&str> = arguments.iter().map(String::as_str).filter(|a| *a != "--install").collect();
    if let Some(flag) = words.iter().find(|w| w.starts_with('-')) {
        return usage(&format!("`{flag}` is no option"));
    }
    match words.split_first() {
        Some((&"test", [])) => test::run(install),
        Some((&"check", stages)) => check::run(stages, install),
        Some((&"docs", [])) => generate::write(&generate::DOCS),
        Some((&"schemas", [])) => generate::write(&generate::SCHEMAS),
        Some((&"dist", [])) => dist::run(None),
        Some((&"dist", [file])) => dist::run(Some(file)),
        Some((&"bench", rows)) => bench::run(rows, install),
        Some((other, _)) => usage(&format!("`{other}` is no chore, or takes no such words")),
        None => usage("no chore was named"),
    }
}

fn usage(why: &str) -> ExitCode {
    eprintln!("error: {why}\n\n{USAGE}");
    ExitCode::from(2)
}
