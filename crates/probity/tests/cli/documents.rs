//! Plans that the documents show are plans that the check lets through.

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
