//! Nothing of one machine: no home folder, no folder of this work tree, no registry host in any file.

use super::Checked;
use crate::tree;

/// Cargo.lock names its registry by itself.
const EXEMPT: [&str; 1] = ["Cargo.lock"];

/// Spelled apart, so that this file does not find itself.
const PARTS: [(&str, &str); 8] = [
    ("/ro", "ot/"),
    ("/ho", "me/"),
    ("/Us", "ers/"),
    ("C:\\Us", "ers"),
    ("crates", ".io"),
    ("pypi", ".org"),
    ("npmjs", ".org"),
    ("debian", ".org"),
];

pub(super) fn check() -> Checked {
    let mut banned: Vec<String> = PARTS.iter().map(|(a, b)| format!("{a}{b}")).collect();
    banned.push(tree::root().display().to_string());
    let mut lines = Vec::new();
    for file in tree::files()?.into_iter().filter(|f| EXEMPT.iter().all(|name| !f.ends_with(name))) {
        let Some(text) = tree::text(&file) else { continue };
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(word) = banned.iter().find(|word| line.contains(word.as_str())) {
                lines.push(format!("{}:{number}: `{word}` belongs to one machine; write it relative", file.display()));
            }
        }
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_names_a_machine() {
        assert_eq!(check().unwrap(), Vec::<String>::new());
    }
}
