//! Plans that the documents show are plans that the check lets through.

use std::collections::BTreeSet;
use std::path::Path;

use crate::place::Place;

/// The blocks of a Markdown text that are marked as YAML.
fn yaml_blocks(text: &str) -> Vec<&str> {
    text.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

#[test]
fn plans_of_the_documents_pass_the_check() {
    for (name, text) in [
        ("README.md", include_str!("../../../../README.md")),
        ("docs/first-run.md", include_str!("../../../../docs/first-run.md")),
    ] {
        let blocks = yaml_blocks(text);
        assert!(!blocks.is_empty(), "{name} shows no plan");
        for block in blocks {
            let place = Place::with_service().plan(block);
            let ran = place.probity("plan check");
            assert_eq!(ran.code, 0, "{name}: {}", ran.out());
        }
    }
}

/// The names of all functions of the workspace, tests among them.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            functions(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            let words = |line: &str| line.trim_start().trim_start_matches("async ").to_owned();
            let lines: Vec<String> = text.lines().map(words).collect();
            let found = lines.iter().filter_map(|line| line.strip_prefix("fn ")?.split_once('('));
            names.extend(found.map(|(name, _)| name.to_owned()));
        }
    }
}

#[test]
fn tests_that_documents_name_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut names = BTreeSet::new();
    functions(&root.join("crates"), &mut names);
    for (page, least) in [("threat-model.md", 40), ("seed-map.md", 20), ("security-review.md", 50)] {
        let text = std::fs::read_to_string(root.join("docs").join(page)).unwrap();
        let named: Vec<&str> = text
            .split('`')
            .skip(1)
            .step_by(2)
            .filter_map(|word| word.strip_suffix("()"))
            .filter(|name| !name.is_empty())
            .collect();
        assert!(named.len() >= least, "{page} names {} tests", named.len());
        for name in named {
            assert!(names.contains(name), "{page}: there is no test {name}");
        }
    }
}
