//! The benchmark row `policy`: success policies over many requirements, in memory, and files of runs for its peers.
//!
//! `bench-policy csv FILE RUNS REQUIREMENTS` writes runs as columns, `bench-policy lines FILE RUNS` as JSON lines, and
//! `bench-policy count RUNS REQUIREMENTS` judges those of `csv` and prints how many requirements are satisfied, and the
//! seconds that it took. The same numbers give the same runs.
#![expect(clippy::print_stdout, clippy::expect_used, clippy::panic, reason = "a program for measurements")]

use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::Instant;

use probity_core::success_policy::{Outcome, Policy, Row, Seen, State, Want, conclude};

const POLICY: &str = r#"{"type": "statistical", "min_runs": 20, "min_pass_rate": 0.9}"#;
/// Verdicts by code, as the columns hold them.
const VERDICTS: [&str; 5] = ["pass", "fail", "undetermined", "error", "null"];

/// Runs that look thrown: a requirement, and the code of a verdict. Passes come nineteen times in twenty.
struct Runs(u64);

impl Runs {
    fn next(&mut self, requirements: u32) -> (u32, u8) {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = (self.0 >> 32) as u32;
        let requirement = ((u64::from(high) * u64::from(requirements)) >> 32) as u32;
        let code = match (self.0 >> 8) % 200 {
            0..=183 => 0,
            184..=191 => 1,
            192..=195 => 2,
            196..=198 => 3,
            _ => 4,
        };
        (requirement, code)
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u32>().ok()).expect("a number");
    let file = || BufWriter::new(File::create(&words[1]).expect("the file can be made"));
    match words.first().map(String::as_str) {
        Some("csv") => csv(file(), number(2), number(3)),
        Some("lines") => lines(file(), number(2)),
        Some("count") => count(number(1), number(2)),
        _ => panic!("csv FILE RUNS REQUIREMENTS | lines FILE RUNS | count RUNS REQUIREMENTS"),
    }
}

fn csv(mut out: impl Write, count: u32, requirements: u32) {
    let mut runs = Runs(1);
    writeln!(out, "requirement,verdict").expect("written");
    for _ in 0..count {
        let (requirement, code) = runs.next(requirements);
        writeln!(out, "{requirement},{code}").expect("written");
    }
}

fn lines(mut out: impl Write, count: u32) {
    let mut runs = Runs(1);
    for number in 0..count {
        let verdict = VERDICTS[usize::from(runs.next(1).1)];
        let verdict = if verdict == "null" { verdict.to_owned() } else { format!("\"{verdict}\"") };
        let (minute, second) = (number / 60 % 60, number % 60);
        writeln!(
            out,
            r#"{{"verdict":{verdict},"score":null,"confidence":0.9,"raw_result":null,"created_at":"2026-08-01T00:{minute:02}:{second:02}Z"}}"#
        )
        .expect("written");
    }
}

fn count(count: u32, requirements: u32) {
    let policy = Policy::read(POLICY.as_bytes()).expect("a policy");
    let mut runs = Runs(1);
    let (of, codes): (Vec<u32>, Vec<u8>) = (0..count).map(|_| runs.next(requirements)).unzip();
    // Under this policy a run is its verdict, so each of them is looked at once.
    let seen: [Seen; 5] = VERDICTS.map(|verdict| {
        let quoted = if verdict == "null" { verdict.to_owned() } else { format!("\"{verdict}\"") };
        let row = Row::read(format!("{{\"verdict\":{quoted}}}").as_bytes(), &Want::everything()).expect("a row");
        policy.see(&row.run)
    });
    let start = Instant::now();
    let mut states = vec![State::default(); requirements as usize];
    for (requirement, code) in of.iter().zip(&codes) {
        states[*requirement as usize].add(seen[usize::from(*code)]);
    }
    let satisfied = states.iter().filter(|state| conclude(&policy, state).outcome() == Outcome::Satisfied).count();
    println!("{satisfied} {:.4}", start.elapsed().as_secs_f64());
}
