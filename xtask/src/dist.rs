//! The archive that is given out: program, licences, README, completions, manual pages. Names are sorted and times are
//! the commit's, so that two builds of one commit differ only where their programs do.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::{process, tar, tree};

/// Files of the tree that belong to it.
const FILES: [&str; 5] = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "SECURITY.md"];

/// Where each shell looks for its completions.
const SHELLS: [(&str, &str); 3] = [("bash", "probity.bash"), ("fish", "probity.fish"), ("zsh", "_probity")];

/// Builds and packs. With a file, that is packed in the place of the program, and nothing is built with the slow
/// profile.
pub(crate) fn run(file: Option<&str>) -> ExitCode {
    match pack(file) {
        Ok(written) => {
            written.iter().for_each(|path| println!("wrote {path}"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn pack(file: Option<&str>) -> Result<Vec<String>, String> {
    let program = match file {
        Some(file) => PathBuf::from(file),
        None => build()?,
    };
    let target = host()?;
    let name = format!("probity-{}-{target}", env!("CARGO_PKG_VERSION"));
    let mut entries = vec![tar::Entry::program("probity", read(&program)?)];
    for file in FILES {
        entries.push(tar::Entry::file(file, read(&tree::root().join(file))?));
    }
    for (shell, file) in SHELLS {
        let text = probity(&["completions", shell])?;
        entries.push(tar::Entry::file(&format!("completions/{file}"), text.into_bytes()));
    }
    let pages = tree::root().join("target/dist-man");
    let _ = std::fs::remove_dir_all(&pages);
    probity(&["man", "--out", &pages.display().to_string()])?;
    for entry in std::fs::read_dir(&pages).map_err(|e| format!("{}: {e}", pages.display()))?.flatten() {
        let file = entry.file_name().to_string_lossy().into_owned();
        entries.push(tar::Entry::file(&format!("man/man1/{file}"), read(&entry.path())?));
    }
    let bytes = tar::archive(&name, entries, time()?)?;
    let folder = tree::root().join("target/dist-archive");
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let archive = folder.join(format!("{name}.tar"));
    std::fs::write(&archive, bytes).map_err(|e| format!("{}: {e}", archive.display()))?;
    // -n: neither name nor time of the file goes into it.
    let packed = format!("{name}.tar.gz");
    let _ = std::fs::remove_file(folder.join(&packed));
    process::catch(process::command("gzip", &["-n", "-9", &format!("{name}.tar")]).current_dir(&folder))?;
    let sums = process::catch(process::command("sha256sum", &[&packed]).current_dir(&folder))?;
    std::fs::write(folder.join("SHA256SUMS"), sums).map_err(|e| e.to_string())?;
    Ok([packed.as_str(), "SHA256SUMS"].map(|file| format!("target/dist-archive/{file}")).to_vec())
}

fn build() -> Result<PathBuf, String> {
    let words = ["build", "--locked", "--profile", "dist", "--package", "probity"];
    process::show(&mut process::cargo(&words)).map_err(|_| "the program cannot be built".to_owned())?;
    Ok(tree::root().join("target/dist/probity"))
}

fn probity(arguments: &[&str]) -> Result<String, String> {
    let run = ["run", "--quiet", "--locked", "--package", "probity", "--"];
    process::catch(&mut process::cargo(&[&run, arguments].concat()))
}

/// The machine that is built for.
fn host() -> Result<String, String> {
    let text = process::catch(&mut process::command("rustc", &["-vV"]))?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

/// Seconds since 1970: SOURCE_DATE_EPOCH, else the time of the commit.
fn time() -> Result<u64, String> {
    let text = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(text) => text,
        Err(_) => process::catch(&mut process::command("git", &["log", "-1", "--format=%ct"]))?,
    };
    text.trim().parse().map_err(|_| format!("`{}` is no number of seconds", text.trim()))
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}
