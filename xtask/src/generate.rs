//! Files made from the program's own catalogue and decoders. The program prints them; nothing is written by hand.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::{process, tree};

/// A set of files that the program makes.
pub(crate) struct Generated {
    /// The chore that writes them.
    pub(crate) chore: &'static str,
    /// Where they stand, relative to the root.
    folder: &'static str,
    make: fn(&Path) -> Result<(), String>,
}

/// docs/rules.md
pub(crate) const DOCS: Generated = Generated { chore: "docs", folder: "docs", make: rules };

/// schemas/*.json
pub(crate) const SCHEMAS: Generated = Generated { chore: "schemas", folder: "schemas", make: schemas };

fn probity(arguments: &[&str]) -> Result<String, String> {
    let run = ["run", "--quiet", "--locked", "--package", "probity", "--"];
    process::catch(&mut process::cargo(&[&run, arguments].concat()))
}

fn rules(folder: &Path) -> Result<(), String> {
    let text = probity(&["explain", "--all", "--markdown"])?;
    if !text.starts_with("<!--") {
        return Err("`probity explain --all --markdown` gave no document".to_owned());
    }
    std::fs::write(folder.join("rules.md"), text).map_err(|e| e.to_string())
}

fn schemas(folder: &Path) -> Result<(), String> {
    probity(&["schema", "--out", &folder.display().to_string()])?;
    if list(folder)?.is_empty() {
        return Err("`probity schema --out DIR` wrote nothing".to_owned());
    }
    Ok(())
}

/// Writes the files into the tree.
pub(crate) fn write(generated: &Generated) -> ExitCode {
    let done = make(generated).and_then(|made| {
        let folder = tree::root().join(generated.folder);
        std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        for file in list(&made)? {
            std::fs::copy(made.join(&file), folder.join(&file)).map_err(|e| e.to_string())?;
            println!("wrote {}/{}", generated.folder, file.display());
        }
        Ok(())
    });
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the files anew beside the tree and gives the names of those that differ from what stands in it.
pub(crate) fn stale(generated: &Generated) -> Result<Vec<String>, String> {
    let made = make(generated)?;
    let folder = tree::root().join(generated.folder);
    let same = |file: &PathBuf| std::fs::read(made.join(file)).ok() == std::fs::read(folder.join(file)).ok();
    Ok(list(&made)?.into_iter().filter(|f| !same(f)).map(|f| format!("{}/{}", generated.folder, f.display())).collect())
}

fn make(generated: &Generated) -> Result<PathBuf, String> {
    let folder = tree::root().join("target/generated").join(generated.chore);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    (generated.make)(&folder)?;
    Ok(folder)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<PathBuf> = entries.flatten().map(|entry| PathBuf::from(entry.file_name())).collect();
    names.sort();
    Ok(names)
}
