//! Core is pure: its sources name no file, clock, environment, network or printing.

use super::Checked;
use crate::tree;

const FOLDER: &str = "crates/core/src";

const BANNED: [&str; 12] = [
    "tokio",
    "std::fs",
    "std::env",
    "std::net",
    "std::process",
    "SystemTime",
    "Instant",
    "rand::",
    "println!",
    "print!",
    "dbg!",
    "async ",
];

pub(super) fn check() -> Checked {
    let mut lines = Vec::new();
    for file in tree::files()?.into_iter().filter(|f| tree::is_rust(f) && !tree::is_test(f) && f.starts_with(FOLDER)) {
        let text = tree::text(&file).unwrap_or_default();
        for (number, word) in impure(&text) {
            lines.push(format!("{}:{number}: core must not use `{word}`; let it come in as a value", file.display()));
        }
    }
    Ok(lines)
}

/// Lines before the tests that name something impure outside comments.
fn impure(text: &str) -> Vec<(usize, &'static str)> {
    let code = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    let named = |line: &str| BANNED.into_iter().find(|word| line.contains(word) || grouped(line, word));
    tree::lines_before_tests(text).filter_map(|(number, line)| Some((number, named(&code(line))?))).collect()
}

/// `use std::{env, fs};`
fn grouped(line: &str, word: &str) -> bool {
    let (Some(module), Some((_, group))) = (word.strip_prefix("std::"), line.split_once("use std::{")) else {
        return false;
    };
    group.split([',', '}', ' ', ':']).any(|part| part == module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_is_pure() {
        assert_eq!(check().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn finds_what_is_not() {
        assert_eq!(impure("use std::fs::File;\n"), [(1, "std::fs")]);
        assert_eq!(impure("\nuse std::{collections::BTreeMap, env};\n"), [(2, "std::env")]);
        assert_eq!(impure("let now = SystemTime::now();"), [(1, "SystemTime")]);
        assert_eq!(
            impure("// std::fs is not for us\nuse std::fmt;\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}"),
            []
        );
    }
}
