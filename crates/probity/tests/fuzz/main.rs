//! Every parser over its corpus in fuzz/corpus, and over changed copies of it: the same ones each time. The programs in
//! fuzz/ call the same functions, for as long as one likes.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests")]

mod mutate;
mod targets;

/// The program's own readers; it is no library.
#[path = "../../src"]
mod program {
    #[allow(dead_code, reason = "only its readers are called here")]
    pub(crate) mod draft;
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use mutate::{Dice, mutant};
use targets::{ALL, Target};

fn folder(target: &Target) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name)
}

/// The corpus of a target, by name.
fn corpus(target: &Target) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = std::fs::read_dir(folder(target))
        .unwrap_or_else(|error| panic!("{}: {error}", target.name))
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap()))
        .collect();
    found.sort();
    found
}

/// Runs a target over bytes; the bytes that it did not survive are told.
fn survives(target: &Target, what: &str, bytes: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| (target.run)(bytes))).is_err() {
        panic!("{} does not survive {what}, {} bytes: b\"{}\"", target.name, bytes.len(), bytes.escape_ascii());
    }
}

fn variable(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// `PROBITY_FUZZ_ROUNDS` mutants of each file of the corpus, from `PROBITY_FUZZ_SEED`.
fn hold(name: &str) {
    let target = ALL.iter().find(|target| target.name == name).unwrap();
    let corpus = corpus(target);
    assert!(corpus.len() >= 4, "{name} has {} files", corpus.len());
    for (file, bytes) in &corpus {
        survives(target, file, bytes);
    }
    let others: Vec<Vec<u8>> = corpus.iter().map(|(_, bytes)| bytes.clone()).collect();
    let (rounds, seed) = (variable("PROBITY_FUZZ_ROUNDS", 2000), variable("PROBITY_FUZZ_SEED", 1));
    for (file, bytes) in &corpus {
        let mut dice = Dice::new(seed, file);
        for round in 0..rounds {
            let bytes = mutant(bytes, &others, target.pieces, &mut dice);
            survives(target, &format!("mutant {round} of {file}, seed {seed}"), &bytes);
        }
    }
}

macro_rules! each {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                hold(stringify!($name));
            }
        )*

        /// A target without a test, a corpus or a program of its own would be tried by nobody.
        #[test]
        fn every_target_has_a_test_a_corpus_and_a_program() {
            let mut tests = vec![$(stringify!($name)),*];
            tests.sort_unstable();
            let mut names: Vec<&str> = ALL.iter().map(|target| target.name).collect();
            names.sort_unstable();
            assert_eq!(tests, names);
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
            let listed = |folder: &str| -> Vec<String> {
                let entries = std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
                let stem = |path: PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
                let mut found: Vec<String> = entries.map(stem).filter(|name| !name.starts_with('.')).collect();
                found.sort_unstable();
                found
            };
            assert_eq!(listed("corpus"), names);
            assert_eq!(listed("fuzz_targets"), names);
            let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
            for name in names {
                assert!(manifest.contains(&format!("name = \"{name}\"")), "fuzz/Cargo.toml does not name {name}");
            }
        }
    };
}

each!(
    document_yaml,
    document_json,
    plan_written,
    plan_seed,
    settings,
    answer_json,
    path,
    number,
    coding,
    cookie,
    header,
    journal,
    run_list,
    allowed_signers,
    draft_curl,
    draft_hurl,
    draft_har,
    draft_openapi,
    success_policy,
    judge_answer,
    picture,
    words,
);

/// What was tried once is tried again: the same seed makes the same mutants, another one others.
#[test]
fn a_seed_says_which_mutants_there_are() {
    let made = |seed| {
        let mut dice = Dice::new(seed, "a");
        (0..50).map(|_| mutant(b"schemaVersion: 2\n", &[b"other".to_vec()], &["{a}"], &mut dice)).collect::<Vec<_>>()
    };
    assert_eq!(made(1), made(1));
    assert_ne!(made(1), made(2));
    assert!(made(1).iter().filter(|bytes| **bytes != b"schemaVersion: 2\n").count() > 40);
}
