//! Where a run lies, and how a command line names it from here.

use std::path::{Path, PathBuf};

use probity_store::find;
use probity_store::naming::RUNS;

use crate::project::Project;

/// A run folder as seen from the working folder.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The folder, relative to the working folder where it lies below it.
    pub dir: String,
    /// The last part of the folder's name: the run's id, if nobody renamed it.
    pub name: String,
    /// What a command needs to name the run; `None` for the newest run of the project.
    argument: Option<String>,
}

impl Site {
    /// The site of a folder.
    pub(crate) fn of(dir: &Path) -> Self {
        let here = std::env::current_dir().unwrap_or_default();
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        let (full, base) = (real(dir), real(&here));
        let shown = full.strip_prefix(&base).unwrap_or(&full).to_string_lossy().into_owned();
        let shown = if shown.is_empty() { ".".to_owned() } else { shown };
        let name = full.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
        let root: Option<PathBuf> = Project::of(&here).ok().map(|project| real(&project.root.join(RUNS)));
        let home = root.filter(|root| full.parent() == Some(root));
        let argument = match home {
            Some(root) => (find::newest(&root).ok().map(|newest| real(&newest)) != Some(full)).then(|| name.clone()),
            None => Some(if shown.contains('/') { shown.clone() } else { format!("./{shown}") }),
        };
        Self { dir: shown, name, argument: argument.map(|text| word(&text)) }
    }

    /// The site of a run that is known by its id alone, for what must not say where its folder lies.
    pub(crate) fn of_run(run: &str) -> Self {
        Self { dir: run.to_owned(), name: run.to_owned(), argument: Some(word(run)) }
    }

    /// A command over the run: `probity show [RUN] REST`.
    pub(crate) fn command(&self, verb: &str, rest: &str) -> String {
        let words = ["probity", verb, self.argument.as_deref().unwrap_or_default(), rest];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }

    /// A command that must name the run even if it is the newest.
    pub(crate) fn named(&self, verb: &str) -> String {
        let run = self.argument.clone().unwrap_or_else(|| word(&self.name));
        format!("probity {verb} {run}")
    }
}

/// A word of a shell command, quoted where it must be.
pub(crate) fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        if text.starts_with('-') { format!("./{text}") } else { text.to_owned() }
    } else {
        quoted(text)
    }
}

/// A text in single quotes, for a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_act() {
        assert_eq!(word("a/b.probity.yaml"), "a/b.probity.yaml");
        assert_eq!(word("$(x) it's"), "'$(x) it'\\''s'");
        assert_eq!(word("-rf"), "./-rf");
        assert_eq!(word(""), "''");
    }
}
