//! The files of the project, as git knows them.

use std::path::{Path, PathBuf};

use crate::process;

/// The root of the work tree: the folder above xtask/.
pub(crate) fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

/// Tracked files and new ones that are not ignored, relative to the root, sorted; deleted ones left out.
pub(crate) fn files() -> Result<Vec<PathBuf>, String> {
    let list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let text = process::catch(&mut process::command("git", &list))?;
    let mut files: Vec<PathBuf> = text.split('\0').filter(|name| !name.is_empty()).map(PathBuf::from).collect();
    files.retain(|file| root().join(file).is_file());
    files.sort();
    files.dedup();
    if files.is_empty() {
        return Err("git lists no file of the project".to_owned());
    }
    Ok(files)
}

/// The text of a file; `None` for one that is not UTF-8.
pub(crate) fn text(file: &Path) -> Option<String> {
    std::fs::read_to_string(root().join(file)).ok()
}

/// The lines of a Rust file before its block of tests, with their numbers from 1. A `#[cfg(test)]` that stands on
/// anything else, such as `mod tests;` at the head of a file, ends nothing.
pub(crate) fn lines_before_tests(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines: Vec<&str> = text.lines().collect();
    let opens_tests = |at: &usize| {
        let item = lines[*at..].iter().find(|line| !line.starts_with("#[") && !line.starts_with("//"));
        lines[*at] == "#[cfg(test)]" && item.is_some_and(|item| item.starts_with("mod ") && item.ends_with('{'))
    };
    let end = (0..lines.len()).find(opens_tests).unwrap_or(lines.len());
    (1..).zip(lines.into_iter().take(end))
}

/// Whether a Rust file holds tests only.
pub(crate) fn is_test(file: &Path) -> bool {
    let name = file.file_stem().and_then(|s| s.to_str()).unwrap_or_default();
    name == "tests" || name.ends_with("_tests") || file.components().any(|c| c.as_os_str() == "tests")
}

/// Whether a file is Rust.
pub(crate) fn is_rust(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "rs")
}
