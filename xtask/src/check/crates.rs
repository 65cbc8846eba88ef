//! The crate rule: which crate may rest on which, and what core may bring in.

use super::Checked;
use crate::json::Json;
use crate::process;

/// Our crates, and which of ours each may use in what it ships.
const RULE: [(&str, &[&str]); 7] = [
    ("probity-core", &[]),
    ("probity-formats", &["probity-core"]),
    ("probity-probes", &["probity-core"]),
    ("probity-store", &["probity-core"]),
    ("probity", &["probity-core", "probity-formats", "probity-probes", "probity-store"]),
    ("probity-testkit", &["probity-core"]),
    ("xtask", &[]),
];

/// What core may use of others: pure crates only.
const CORE: [&str; 21] = [
    "aho-corasick",
    "base64",
    "brotli-decompressor",
    "fancy-regex",
    "flate2",
    "globset",
    "jsonschema",
    "memchr",
    "percent-encoding",
    "png",
    "regex",
    "regress",
    "ruzstd",
    "serde",
    "serde_json",
    "serde_json_canonicalizer",
    "serde_json_path",
    "sha2",
    "smol_str",
    "thiserror",
    "url",
];

/// For tests only, wherever it stands.
const TESTKIT: &str = "probity-testkit";

pub(super) fn check() -> Checked {
    let arguments = ["metadata", "--offline", "--locked", "--no-deps", "--format-version", "1"];
    let text = process::catch(&mut process::cargo(&arguments))?;
    let metadata = Json::read(&text).ok_or("cargo metadata gave no JSON")?;
    let packages = metadata.get("packages").items();
    if packages.len() < RULE.len() {
        return Err(format!("cargo lists {} crates, the rule knows {}", packages.len(), RULE.len()));
    }
    Ok(packages.iter().flat_map(broken).collect())
}

/// What a crate does against the rule.
fn broken(package: &Json) -> Vec<String> {
    let name = package.get("name").text().unwrap_or_default();
    let Some((_, allowed)) = RULE.iter().find(|(crate_name, _)| *crate_name == name) else {
        return vec![format!("{name} stands in no rule: give it a line in xtask/src/check/crates.rs")];
    };
    let mut lines = Vec::new();
    for dependency in package.get("dependencies").items() {
        let other = dependency.get("name").text().unwrap_or_default();
        let ships = dependency.get("kind") != &Json::Text("dev".to_owned());
        let ours = RULE.iter().any(|(crate_name, _)| *crate_name == other);
        let fine = match (name, ours, ships) {
            ("xtask", ..) => false,
            ("probity-core", true, _) => false,
            ("probity-core", false, true) => CORE.contains(&other),
            (_, true, true) => allowed.contains(&other),
            (_, true, false) => allowed.contains(&other) || other == TESTKIT,
            (_, false, _) => true,
        };
        if !fine {
            let kind = if ships { "" } else { " (for its tests)" };
            lines.push(format!("{name} must not use {other}{kind}: see the crate rule in docs/tour.md"));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_keep_the_rule() {
        assert_eq!(check().unwrap(), Vec::<String>::new());
    }

    fn package(name: &str, other: &str, kind: &str) -> Vec<String> {
        let text = format!(r#"{{"name":"{name}","dependencies":[{{"name":"{other}","kind":{kind}}}]}}"#);
        broken(&Json::read(&text).unwrap())
    }

    #[test]
    fn each_part_of_the_rule_can_refuse() {
        let dev = "\"dev\"";
        for (name, other, kind) in [
            ("probity-core", "probity-formats", "null"),
            ("probity-core", "probity-testkit", dev),
            ("probity-core", "tokio", "null"),
            ("probity-formats", "probity-store", "null"),
            ("probity-store", "probity-testkit", "null"),
            ("probity-probes", "probity-store", dev),
            ("probity", "probity-testkit", "\"build\""),
            ("xtask", "serde", "null"),
            ("xtask", "probity-core", dev),
            ("probity-new", "serde", "null"),
        ] {
            assert_eq!(package(name, other, kind).len(), 1, "{name} on {other}, kind {kind}");
        }
        for (name, other, kind) in [
            ("probity-core", "sha2", "null"),
            ("probity-core", "proptest", dev),
            ("probity-probes", "tokio", "null"),
            ("probity-probes", "probity-testkit", dev),
            ("probity", "probity-store", "null"),
        ] {
            assert_eq!(package(name, other, kind), Vec::<String>::new(), "{name} on {other}, kind {kind}");
        }
    }
}
