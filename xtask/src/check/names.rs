//! Names that say nothing: a module is named for what it does.

use std::path::Path;

use super::Checked;
use crate::tree;

const BANNED: [&str; 6] = ["util", "utils", "helpers", "common", "misc", "types"];

pub(super) fn check() -> Checked {
    let files = tree::files()?;
    let banned = files.iter().filter(|f| tree::is_rust(f)).filter_map(|f| Some((f, banned(f)?)));
    Ok(banned.map(|(file, name)| format!("{}: `{name}` says nothing; name what it does", file.display())).collect())
}

fn banned(file: &Path) -> Option<&'static str> {
    let file = file.with_extension("");
    BANNED.into_iter().find(|name| file.components().any(|part| part.as_os_str() == *name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_named_for_what_it_does() {
        assert_eq!(check().unwrap(), Vec::<String>::new());
    }

    #[test]
    fn finds_files_and_folders() {
        assert_eq!(banned(Path::new("crates/core/src/util.rs")), Some("util"));
        assert_eq!(banned(Path::new("crates/core/src/types/plan.rs")), Some("types"));
        assert_eq!(banned(Path::new("crates/core/src/plan.rs")), None);
    }
}
