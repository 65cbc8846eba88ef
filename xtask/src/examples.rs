//! The software that `examples/` is about: whether it lies in .tools, and brought there if it may be.

use crate::{process, tools, tree};

/// An example, and what its tests have in their names.
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) marker: &'static str,
}

/// All of them.
const EXAMPLES: [Example; 4] = [
    Example { name: "httpbin", marker: "needs_httpbin" },
    Example { name: "json-server", marker: "needs_json_server" },
    Example { name: "django-admin", marker: "needs_django" },
    Example { name: "playwright-guard", marker: "needs_playwright" },
];

/// The files that pin software; an example has one of them.
const PINS: [&str; 2] = ["requirements.txt", "package-lock.json"];

/// Brings what is missing if it may, and gives what is missing still.
pub(crate) fn missing(install: bool) -> Vec<&'static Example> {
    let may = tools::may_install(install);
    let there = |name| is_installed(name) || (may && brought(name) && is_installed(name));
    EXAMPLES.iter().filter(|example| !there(example.name)).collect()
}

/// Whether what lies in .tools is what the pins say now; `examples/install` leaves a copy of them there when it is done.
fn is_installed(name: &str) -> bool {
    let root = tree::root();
    let installed = std::fs::read(root.join(".tools/examples").join(name).join("installed")).ok();
    let pins = PINS.iter().find_map(|file| std::fs::read(root.join("examples").join(name).join(file)).ok());
    installed.is_some() && installed == pins
}

fn brought(name: &str) -> bool {
    process::show(&mut process::command("examples/install", &[name])).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_is_known_and_pinned_once() {
        let folders = std::fs::read_dir(tree::root().join("examples")).unwrap().map(Result::unwrap);
        let folders = folders.filter(|entry| entry.path().is_dir());
        let mut found: Vec<String> = folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
        found.sort();
        let mut known = EXAMPLES.map(|example| example.name);
        known.sort_unstable();
        assert_eq!(found, known);
        for name in known {
            let pinned = PINS.iter().filter(|file| tree::root().join("examples").join(name).join(file).is_file());
            assert_eq!(pinned.count(), 1, "{name}");
        }
    }

    #[test]
    fn what_was_never_brought_is_missing() {
        assert!(!is_installed("no-such-example"));
    }
}
