//! Finding and reading plans: files in the written form, folders in the seed form.

use std::path::{Path, PathBuf};

use probity_core::checked::Given;
use probity_core::codes::Code;
use probity_core::diagnostic::{Diagnostic, Severity};

use crate::project::unreadable;

/// The end of the name of a plan in the written form.
pub(crate) const SUFFIXES: [&str; 3] = [".probity.yaml", ".probity.yml", ".probity.json"];

/// The files of the seed form.
pub(crate) const SEED: [&str; 3] = ["requirement.md", "test-matrix.json", "test-plan.json"];

/// A plan with its bytes.
#[derive(Clone, Debug)]
pub(crate) struct PlanSource {
    /// The file or folder, as the user named it.
    pub path: PathBuf,
    /// The name that messages use.
    pub name: String,
    /// The documents.
    pub documents: Documents,
}

/// The documents of a plan.
#[derive(Clone, Debug)]
pub(crate) enum Documents {
    /// One file.
    Written(Vec<u8>),
    /// requirement.md, test-matrix.json, test-plan.json.
    Seed([Vec<u8>; 3]),
}

impl PlanSource {
    /// The documents as the check takes them; `folder` must outlive it.
    pub(crate) fn given<'a>(&'a self, folder: &'a str) -> Given<'a> {
        match &self.documents {
            Documents::Written(bytes) => Given::Written(&self.name, bytes),
            Documents::Seed([requirement, matrix, plan]) => Given::Seed { folder, requirement, matrix, plan },
        }
    }

    /// Prefix of the file names of a seed-form plan.
    pub(crate) fn folder(&self) -> String {
        match self.documents {
            Documents::Written(_) => String::new(),
            Documents::Seed(_) if self.name == "." => String::new(),
            Documents::Seed(_) => format!("{}/", self.name),
        }
    }

    /// The slug of run ids: the file's name without its end.
    pub(crate) fn slug(&self) -> String {
        let stem = SUFFIXES.iter().find_map(|suffix| self.name.strip_suffix(suffix)).unwrap_or(&self.name);
        let base = stem.rsplit(['/', '\\']).next().unwrap_or(stem);
        let mut slug = String::new();
        for c in base.chars().flat_map(char::to_lowercase) {
            if c.is_ascii_alphanumeric() {
                slug.push(c);
            } else if !slug.ends_with('-') && !slug.is_empty() {
                slug.push('-');
            }
        }
        let slug: String = slug.trim_matches('-').chars().take(48).collect();
        if slug.is_empty() { "run".to_owned() } else { slug }
    }
}

/// Reads the plans that were named, or those of the working folder where none was.
///
/// # Errors
/// A path that is not there, a folder without a plan, a file that cannot be read.
pub(crate) fn find(named: &[PathBuf]) -> Result<Vec<PlanSource>, Vec<Diagnostic>> {
    let here = [PathBuf::from(".")];
    let mut sources = Vec::new();
    for path in if named.is_empty() { &here[..] } else { named } {
        if path.is_dir() {
            sources.extend(of_folder(path)?);
        } else {
            sources.push(of_file(path)?);
        }
    }
    Ok(sources)
}

fn name_of(path: &Path) -> String {
    let text = path.to_string_lossy();
    let name = text.strip_prefix("./").unwrap_or(&text);
    // A name outside the working folder is kept without its folders: records hold relative names only.
    if path.is_absolute() || name.starts_with("..") {
        path.file_name().map_or_else(|| "plan".to_owned(), |base| base.to_string_lossy().into_owned())
    } else {
        name.to_owned()
    }
}

fn of_file(path: &Path) -> Result<PlanSource, Vec<Diagnostic>> {
    let name = name_of(path);
    match std::fs::read(path) {
        Ok(bytes) => Ok(PlanSource { path: path.to_path_buf(), name, documents: Documents::Written(bytes) }),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(vec![not_found(&path.to_string_lossy(), "there is no such file or folder")])
        }
        Err(e) => Err(vec![unreadable(&name, &e)]),
    }
}

fn of_folder(folder: &Path) -> Result<Vec<PlanSource>, Vec<Diagnostic>> {
    if SEED.iter().all(|name| folder.join(name).is_file()) {
        let mut documents: [Vec<u8>; 3] = Default::default();
        for (bytes, name) in documents.iter_mut().zip(SEED) {
            *bytes = std::fs::read(folder.join(name)).map_err(|e| vec![unreadable(name, &e)])?;
        }
        let name = name_of(folder);
        return Ok(vec![PlanSource { path: folder.to_path_buf(), name, documents: Documents::Seed(documents) }]);
    }
    let shown = folder.to_string_lossy();
    let entries = std::fs::read_dir(folder).map_err(|e| vec![unreadable(&shown, &e)])?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_file() && SUFFIXES.iter().any(|suffix| path.to_string_lossy().ends_with(suffix)))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(vec![not_found(&shown, "the folder holds no plan")]);
    }
    files.iter().map(|path| of_file(path)).collect()
}

fn not_found(file: &str, message: &str) -> Diagnostic {
    Diagnostic {
        code: Code::PlanNotFound,
        severity: Severity::Error,
        file: file.to_owned(),
        place: None,
        subject: None,
        message: message.to_owned(),
        help: Some(Code::PlanNotFound.explanation().remedy.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_plain() {
        let slug = |name: &str| {
            PlanSource { path: name.into(), name: name.into(), documents: Documents::Written(vec![]) }.slug()
        };
        assert_eq!(slug("qa/Order total.probity.yaml"), "order-total");
        assert_eq!(slug("…"), "run");
        assert_eq!(slug(&"x".repeat(99)), "x".repeat(48));
    }
}
