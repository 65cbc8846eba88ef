//! Documents stay true: every path and every module of the project that a Markdown file names exists.

use std::path::Path;

use super::Checked;
use crate::tree;

/// Folders whose files documents name from the root of the tree.
const ROOTS: [&str; 9] = ["crates/", "xtask/", "docs/", "bench/", "examples/", "fuzz/", "schemas/", ".ci/", ".config/"];

pub(super) fn check() -> Checked {
    let mut lines = Vec::new();
    for file in tree::files()?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "md")) {
        let text = tree::text(&file).unwrap_or_default();
        let beside = file.parent().unwrap_or(Path::new(""));
        for (number, line) in (1..).zip(text.lines()) {
            let gone = named(line).filter(|name| !tree::root().join(name).exists());
            let linked = links(line).filter(|name| !tree::root().join(beside).join(name).exists());
            let modules = modules(line).filter(|name| !is_module(name));
            let lost = gone
                .chain(linked)
                .chain(modules)
                .map(|name| format!("{}:{number}: {name} does not exist", file.display()));
            lines.extend(lost);
        }
    }
    Ok(lines)
}

/// Paths in backquotes that begin with a folder of the project and hold no pattern.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let path = |text: &&str| {
        ROOTS.iter().any(|root| text.starts_with(root))
            && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
    };
    line.split('`').skip(1).step_by(2).filter(path)
}

/// Modules in backquotes, with the short name of their crate: `core::json`.
fn modules(line: &str) -> impl Iterator<Item = &str> {
    let ours = |text: &&str| ["core::", "formats::", "probes::", "store::"].iter().any(|root| text.starts_with(root));
    let plain = |text: &&str| text.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == ':');
    line.split('`').skip(1).step_by(2).filter(ours).filter(plain)
}

fn is_module(name: &str) -> bool {
    let Some((owner, module)) = name.split_once("::") else { return false };
    let file = format!("crates/{owner}/src/{}", module.replace("::", "/"));
    tree::root().join(format!("{file}.rs")).is_file() || tree::root().join(file).join("mod.rs").is_file()
}

/// Targets of Markdown links that lie in the tree.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let target = |part: &'_ str| part.split([')', '#']).next().map(str::len);
    let inside = |name: &&str| !name.is_empty() && !name.contains("://") && !name.contains(' ');
    line.split("](").skip(1).filter_map(move |part| part.get(..target(part)?)).filter(inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_in_the_documents_exists() {
        assert_eq!(check().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn finds_paths_and_links() {
        let line = "See `crates/core/src/lib.rs` and `crates/*`, [this](tour.md#one) or [that](https://example.com).";
        assert_eq!(named(line).collect::<Vec<_>>(), ["crates/core/src/lib.rs"]);
        assert_eq!(links(line).collect::<Vec<_>>(), ["tour.md"]);
        assert_eq!(modules("`core::json` and `std::fs`").collect::<Vec<_>>(), ["core::json"]);
        assert!(is_module("core::json") && !is_module("core::nothing"));
    }
}
