//! Which run folder a person means: none named is the newest, a beginning of an id, or a path.

use std::path::{Path, PathBuf};

use probity_core::ids::Id;

use crate::StoreError;
use crate::list::{Event, RunList};
use crate::naming::RUNS;

/// At most so many candidates are listed.
const CANDIDATES: usize = 10;

/// The runs root: what `--out` says, or `probity-runs` in the project.
#[must_use]
pub fn runs_root(out: Option<&Path>, project: &Path) -> PathBuf {
    out.map_or_else(|| project.join(RUNS), Path::to_owned)
}

/// The ids of the runs in a root, oldest first: run ids begin with their time. None where there is no root.
///
/// # Errors
/// `journal_unreadable` where the root cannot be read.
pub fn runs(root: &Path) -> Result<Vec<String>, StoreError> {
    let listing = match std::fs::read_dir(root) {
        Ok(listing) => listing,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(StoreError::unreadable(root, &e)),
    };
    let mut names = Vec::new();
    for entry in listing {
        let entry = entry.map_err(|e| StoreError::unreadable(root, &e))?;
        // A link is no run of this root, even if it leads to one.
        let folder = entry.file_type().is_ok_and(|t| t.is_dir());
        let name = entry.file_name().into_string().ok().filter(|n| Id::parse(n).is_ok());
        names.extend(name.filter(|_| folder));
    }
    names.sort_unstable();
    Ok(names)
}

/// The newest run.
///
/// # Errors
/// `run_unknown` where there is none.
pub fn newest(root: &Path) -> Result<PathBuf, StoreError> {
    let names = runs(root)?;
    // Runs of one second are told apart by the run list; without one, by their names.
    let listed = RunList::of(root).lines().unwrap_or_default().into_iter().rev();
    let opened = listed.filter(|line| line.event == Event::Opened).map(|line| line.run).find(|run| names.contains(run));
    let newest = match (opened, names.last()) {
        (Some(run), Some(last)) if second(&run) >= second(last) => Some(run),
        (_, last) => last.cloned(),
    };
    newest.map(|name| root.join(name)).ok_or_else(|| unknown("the newest", root, None))
}

/// The time that a run's id begins with.
fn second(run: &str) -> &str {
    run.split('-').next().unwrap_or(run)
}

/// The run whose id is this or begins with it, upper or lower case.
///
/// # Errors
/// `run_unknown` with the nearest, `run_ambiguous` with the newest candidates.
pub fn by_prefix(root: &Path, text: &str) -> Result<PathBuf, StoreError> {
    let names = runs(root)?;
    let asked = text.to_ascii_lowercase();
    let exact = names.iter().find(|n| *n == text).or_else(|| names.iter().find(|n| n.eq_ignore_ascii_case(text)));
    if let Some(name) = exact {
        return Ok(root.join(name));
    }
    let mut fitting: Vec<String> = if asked.is_empty() {
        Vec::new()
    } else {
        names.iter().filter(|n| n.to_ascii_lowercase().starts_with(&asked)).cloned().collect()
    };
    match fitting.len() {
        1 => Ok(root.join(&fitting[0])),
        0 => Err(unknown(text, root, nearest(&names, &asked))),
        count => {
            fitting.reverse();
            fitting.truncate(CANDIDATES);
            Err(StoreError::RunAmbiguous { asked: text.to_owned(), count, candidates: fitting })
        }
    }
}

/// The folder that RUN on a command line means: the newest where it is left out, a folder where it is a path, else the
/// run of that beginning.
///
/// # Errors
/// As [`newest`] and [`by_prefix`].
pub fn locate(root: &Path, run: Option<&str>) -> Result<PathBuf, StoreError> {
    match run {
        None => newest(root),
        Some(text) if text.contains('/') || text == "." || text == ".." => {
            let path = PathBuf::from(text);
            if path.is_dir() { Ok(path) } else { Err(unknown(text, root, None)) }
        }
        Some(text) => by_prefix(root, text).or_else(|e| {
            let path = PathBuf::from(text);
            let named = matches!(e, StoreError::RunUnknown { .. }) && path.join(crate::naming::JOURNAL).exists();
            if named { Ok(path) } else { Err(e) }
        }),
    }
}

fn unknown(asked: &str, root: &Path, nearest: Option<String>) -> StoreError {
    StoreError::RunUnknown { asked: asked.to_owned(), runs: root.to_owned(), nearest }
}

/// The newest run that holds the text somewhere, else the one that shares the longest beginning with it.
fn nearest(names: &[String], asked: &str) -> Option<String> {
    let shared = |name: &str| name.bytes().zip(asked.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    let holding = names.iter().rev().find(|n| !asked.is_empty() && n.to_ascii_lowercase().contains(asked));
    let best = || names.iter().max_by_key(|n| shared(n)).filter(|n| shared(n) > 0);
    holding.or_else(best).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(names: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for name in names {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        dir
    }

    #[test]
    fn newest_is_last_by_name_and_only_folders_count() {
        let dir = root(&["20261130T142402Z-order-0a1b2c3d", "20261201T080000Z-cart-11111111", ".hidden"]);
        std::fs::write(dir.path().join("index.jsonl"), "").unwrap();
        std::os::unix::fs::symlink("/", dir.path().join("z-link")).unwrap();
        assert!(newest(dir.path()).unwrap().ends_with("20261201T080000Z-cart-11111111"));
        let empty = root(&[]);
        assert!(matches!(newest(empty.path()), Err(StoreError::RunUnknown { .. })));
        assert!(matches!(newest(&empty.path().join("absent")), Err(StoreError::RunUnknown { .. })));
        assert_eq!(runs_root(None, Path::new("/p")), Path::new("/p/probity-runs"));
        assert_eq!(runs_root(Some(Path::new("o")), Path::new("/p")), Path::new("o"));
    }

    #[test]
    fn prefixes_find_one_or_name_the_candidates() {
        let names = ["20261130T142402Z-order-0a1b2c3d", "20261130T150000Z-order-22222222", "20261201T080000Z-cart-1"];
        let dir = root(&names);
        let found = |text: &str| by_prefix(dir.path(), text).map(|p| p.file_name().unwrap().to_owned());
        assert_eq!(found("20261201").unwrap(), names[2]);
        assert_eq!(found(names[0]).unwrap(), names[0]);
        assert_eq!(found(&names[0].to_lowercase()).unwrap(), names[0]);
        match found("20261130t").unwrap_err() {
            StoreError::RunAmbiguous { count: 2, candidates, .. } => assert_eq!(candidates, [names[1], names[0]]),
            other => panic!("{other:?}"),
        }
        for (asked, near) in [("order", Some(names[1])), ("20261209", Some(names[2])), ("zzz", None), ("", None)] {
            match found(asked).unwrap_err() {
                StoreError::RunUnknown { nearest, .. } => assert_eq!(nearest.as_deref(), near, "{asked}"),
                other => panic!("{other:?}"),
            }
        }
        assert!(locate(dir.path(), None).unwrap().ends_with(names[2]));
        assert!(locate(dir.path(), Some(dir.path().to_str().unwrap())).is_ok());
        assert!(locate(dir.path(), Some("./absent")).is_err());
    }
}
