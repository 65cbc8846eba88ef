//! The demo's folder: its plan, its settings, the shop's orders and, later, the run.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use crate::project::{Project, SETTINGS};

/// The plan's file name.
pub(crate) const PLAN: &str = "order-total.probity.yaml";

/// The plan. The shop's answers and this text agree; a test runs one against the other.
pub(crate) const PLAN_TEXT: &str = include_str!("order-total.probity.yaml");

/// The settings, with an address that is replaced by the shop's.
const SETTINGS_TEXT: &str = include_str!("probity.yaml");

/// The address in [`SETTINGS_TEXT`].
const WRITTEN_URL: &str = "http://127.0.0.1:8123";

/// The demo's folder.
pub(crate) struct Scene {
    /// The folder.
    pub folder: PathBuf,
}

impl Scene {
    /// Makes the folder: a new one below the system's folder for temporary files, or the one that was asked for, which
    /// must be new or empty: nothing is overwritten.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] where something is there; else what the system says.
    pub(crate) fn make(asked: Option<&Path>) -> io::Result<Self> {
        let folder = match asked {
            Some(folder) => {
                fs::create_dir_all(folder)?;
                if fs::read_dir(folder)?.next().is_some() {
                    return Err(io::ErrorKind::AlreadyExists.into());
                }
                // Progress and hints name it as it was given; nothing else keeps the name.
                folder.to_path_buf()
            }
            None => temporary()?,
        };
        Ok(Self { folder })
    }

    /// Where the shop keeps its orders; the plan names the same place.
    pub(crate) fn orders(&self) -> PathBuf {
        self.folder.join("shop").join("orders")
    }

    /// Writes plan and settings, and gives the project of the folder.
    ///
    /// # Errors
    /// When a file cannot be written or this program's own file is not known.
    pub(crate) fn project(&self, url: &str) -> io::Result<Project> {
        let settings = SETTINGS_TEXT.replace(WRITTEN_URL, url);
        fs::write(self.folder.join(PLAN), PLAN_TEXT)?;
        fs::write(self.folder.join(SETTINGS), &settings)?;
        // The plan calls this program `probity`, whatever the file is called and wherever it stands.
        let programs = std::path::absolute(self.folder.join("bin"))?;
        fs::create_dir(&programs)?;
        std::os::unix::fs::symlink(std::env::current_exe()?, programs.join("probity"))?;
        Ok(Project {
            root: self.folder.clone(),
            settings: Some((SETTINGS.to_owned(), settings.into_bytes())),
            programs: Some(programs),
        })
    }
}

/// A new folder for this user alone.
fn temporary() -> io::Result<PathBuf> {
    let mut digits = [0; 4];
    getrandom::fill(&mut digits).map_err(|error| io::Error::other(error.to_string()))?;
    let digits: String = digits.iter().map(|b| format!("{b:02x}")).collect();
    let folder = std::env::temp_dir().join(format!("probity-demo-{digits}"));
    // It must be new: another user may have put a folder or a link there.
    DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use probity_core::allow::FileFact;
    use probity_core::checked::{Ask, Given, check};

    use super::*;

    fn findings(settings: &str) -> Vec<String> {
        let checked = check(&Ask {
            given: Given::Written(PLAN, PLAN_TEXT.as_bytes()),
            profile: Some((SETTINGS, settings.as_bytes())),
            environment: None,
            files: &|_| FileFact::Missing,
            parse: &crate::derive::parse,
        });
        checked.unwrap().findings().iter().map(|f| f.code.as_str().to_owned()).collect()
    }

    #[test]
    fn the_plan_passes_every_check() {
        assert_eq!(findings(SETTINGS_TEXT), [""; 0]);
        assert_eq!(findings(SETTINGS_TEXT.split("commands:").next().unwrap()), ["command_not_allowed"]);
        assert!(PLAN_TEXT.lines().count() <= 36 && SETTINGS_TEXT.matches(WRITTEN_URL).count() == 1);
    }

    #[test]
    fn a_folder_that_holds_something_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let asked = dir.path().join("new/folder");
        assert!(Scene::make(Some(&asked)).is_ok() && Scene::make(Some(&asked)).is_ok());
        fs::write(asked.join("mine"), "").unwrap();
        let error = Scene::make(Some(&asked)).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        let (one, two) = (temporary().unwrap(), temporary().unwrap());
        assert_ne!(one, two);
        fs::remove_dir(one).unwrap();
        fs::remove_dir(two).unwrap();
    }
}
