//! Names inside a runs root and inside a run folder.

use probity_core::ids::Digest;

use crate::media::EXTENSIONS;

/// The journal of a run.
pub const JOURNAL: &str = "journal.jsonl";
/// The folder of evidence in a run folder.
pub const EVIDENCE: &str = "evidence";
/// The run list in the runs root.
pub const RUN_LIST: &str = "index.jsonl";
/// The runs root in a project, unless `--out` names another.
pub const RUNS: &str = "probity-runs";

/// The relative name of an evidence file: `evidence/ab/<digest>.<extension>`.
#[must_use]
pub fn evidence_name(digest: &Digest, extension: &str) -> String {
    let hex = digest.to_string();
    format!("{EVIDENCE}/{}/{hex}.{extension}", &hex[..2])
}

/// The digest that a relative name stands for; `None` unless it is exactly what [`evidence_name`] gives.
#[must_use]
pub fn digest_of_name(name: &str) -> Option<Digest> {
    let (bucket, file) = name.strip_prefix(EVIDENCE)?.strip_prefix('/')?.split_once('/')?;
    let (hex, extension) = file.split_once('.')?;
    let fits = hex.starts_with(bucket) && bucket.len() == 2 && EXTENSIONS.contains(&extension);
    Digest::parse(hex).filter(|_| fits)
}

/// Why a text is not the name of one file in a folder, if it is not. The rule is that of ids: letters, digits, `.`,
/// `_` and `-`, the first a letter or digit, at most 128 of them (threats.md D3).
#[must_use]
pub fn why_not_plain(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        return Some("it is empty");
    }
    if name.len() > 128 {
        return Some("it is longer than 128 characters");
    }
    if !name.as_bytes()[0].is_ascii_alphanumeric() {
        return Some("it does not begin with a letter or digit");
    }
    let fine = name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'));
    (!fine).then_some("it has a character other than letters, digits, `.`, `_` and `-`")
}

/// Why a relative name leaves its folder or is not in its plain form, if so.
#[must_use]
pub fn why_not_beneath(name: &str) -> Option<&'static str> {
    if name.starts_with('/') {
        return Some("it is absolute");
    }
    if name.contains('\0') {
        return Some("it holds a NUL");
    }
    name.split('/').any(|part| matches!(part, "" | "." | "..")).then_some("it has an empty part, `.` or `..`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_names_read_back_and_nothing_else_does() {
        let digest = Digest::of(b"abc");
        let name = evidence_name(&digest, "html.txt");
        assert!(name.starts_with("evidence/ba/ba7816bf") && name.ends_with(".html.txt"));
        assert_eq!(digest_of_name(&name), Some(digest));
        for bad in [
            name.replace("/ba/", "/bb/"),
            name.replace("/ba/", "/b/"),
            name.replace("html.txt", "html"),
            name.replace("evidence/", "evidence"),
            name.replace("/ba/", "/ba/../ba/"),
            name.to_uppercase(),
            format!("/{name}"),
            format!("{name}/x"),
        ] {
            assert_eq!(digest_of_name(&bad), None, "{bad}");
        }
    }

    #[test]
    fn names_stay_in_their_folder() {
        for good in ["report.md", "a", "qa-verdict.json"] {
            assert_eq!(why_not_plain(good), None, "{good}");
        }
        for bad in ["", ".x", "..", "a/b", "/a", "a b", "é", "a\0", "-x", &"x".repeat(129)] {
            assert!(why_not_plain(bad).is_some(), "{bad:?}");
        }
        for good in ["a", "a/b", "evidence/ab/x.json", ".hidden", "a..b"] {
            assert_eq!(why_not_beneath(good), None, "{good}");
        }
        for bad in ["", "/a", "a//b", "a/", "./a", "a/..", "../a", "a/../b", "a\0b"] {
            assert!(why_not_beneath(bad).is_some(), "{bad:?}");
        }
    }
}
