//! The project: the folder that files named in plans lie in, and its settings file (plan.md rule 11).

use std::path::{Component, Path, PathBuf};

use probity_core::allow::FileFact;
use probity_core::codes::Code;
use probity_core::diagnostic::{Diagnostic, Severity};

/// The name of the settings file.
pub(crate) const SETTINGS: &str = "probity.yaml";

/// The largest file that a plan may name.
const LARGEST: u64 = 64 << 20;

/// A project.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    /// Its folder.
    pub root: PathBuf,
    /// The settings file, if there is one: its name and bytes.
    pub settings: Option<(String, Vec<u8>)>,
    /// A folder that is searched for programs before `PATH`; the demo keeps its own program there.
    pub programs: Option<PathBuf>,
}

impl Project {
    /// The project of a working folder: the folder of the nearest probity.yaml above it, else the root of its git
    /// tree, else itself.
    ///
    /// # Errors
    /// A settings file that is there and cannot be read.
    pub(crate) fn of(folder: &Path) -> Result<Self, Vec<Diagnostic>> {
        let root = folder
            .ancestors()
            .find(|f| f.join(SETTINGS).is_file())
            .or_else(|| folder.ancestors().find(|f| f.join(".git").exists()))
            .unwrap_or(folder)
            .to_path_buf();
        let path = root.join(SETTINGS);
        let settings = match std::fs::read(&path) {
            Ok(bytes) => Some((SETTINGS.to_owned(), bytes)),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(vec![unreadable(SETTINGS, &e)]),
        };
        Ok(Self { root, settings, programs: None })
    }

    /// What is known of a file that a plan names.
    pub(crate) fn fact(&self, name: &str) -> FileFact {
        if Path::new(name).components().any(|c| !matches!(c, Component::Normal(_) | Component::CurDir)) {
            return FileFact::Outside;
        }
        match (self.root.canonicalize(), self.root.join(name).canonicalize()) {
            (Ok(root), Ok(path)) if !path.starts_with(&root) => FileFact::Outside,
            (Ok(_), Ok(path)) if path.is_file() => FileFact::Inside,
            _ => FileFact::Missing,
        }
    }

    /// The bytes of a file inside the project.
    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        if self.fact(name) != FileFact::Inside {
            return None;
        }
        let path = self.root.join(name);
        let small = std::fs::metadata(&path).is_ok_and(|facts| facts.len() <= LARGEST);
        small.then(|| std::fs::read(&path).ok()).flatten()
    }

    /// Where programs are looked for.
    pub(crate) fn path_variable(&self) -> std::ffi::OsString {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let own = self.programs.iter().cloned();
        std::env::join_paths(own.chain(std::env::split_paths(&inherited))).unwrap_or(inherited)
    }
}

/// A file that cannot be read, as a diagnostic.
pub(crate) fn unreadable(file: &str, error: &std::io::Error) -> Diagnostic {
    Diagnostic {
        code: Code::DocumentUnreadable,
        severity: Severity::Error,
        file: file.to_owned(),
        place: None,
        subject: None,
        message: format!("the file cannot be read: {error}"),
        help: Some("check the path and its permissions".to_owned()),
    }
}
