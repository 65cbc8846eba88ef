//! Small files: the length of each Rust file without its tests, against a limit; median and ninth decile are said.

use super::Checked;
use crate::tree;

/// Lines of a Rust file before its tests.
const LIMIT: usize = 600;

pub(super) fn check() -> Checked {
    let mut sizes = Vec::new();
    for file in tree::files()?.into_iter().filter(|f| tree::is_rust(f) && !tree::is_test(f)) {
        let lines = tree::text(&file).map_or(0, |text| tree::lines_before_tests(&text).count());
        sizes.push((lines, file));
    }
    sizes.sort();
    let at = |tenths: usize| sizes.get(sizes.len().saturating_sub(1) * tenths / 10).map_or(0, |(lines, _)| *lines);
    println!("sizes: {} Rust files, median {} lines, nine of ten within {}", sizes.len(), at(5), at(9));
    let long = sizes.iter().filter(|(lines, _)| *lines > LIMIT);
    Ok(long
        .map(|(lines, file)| format!("{}: {lines} lines before its tests, {LIMIT} at most; split it", file.display()))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_too_long() {
        assert_eq!(check().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn tests_do_not_count() {
        let block = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n}\n";
        assert_eq!(tree::lines_before_tests(block).count(), 2);
        let file = "#[cfg(test)]\nmod tests;\nfn a() {\n}\n";
        assert_eq!(tree::lines_before_tests(file).count(), 4);
    }
}
