//! Programs that tests and checks need beside cargo: found, or brought from the package registries.

use crate::process;

/// A program that some tests need. Such a test has `marker` in its name, so that it can be left out, and counted as
/// left out, where the program is not to be had.
pub(crate) struct Tool {
    pub(crate) program: &'static str,
    pub(crate) package: &'static str,
    pub(crate) marker: &'static str,
}

/// All of them.
pub(crate) const TOOLS: [Tool; 12] = [
    Tool { program: "git", package: "git", marker: "needs_git" },
    Tool { program: "zip", package: "zip", marker: "needs_zip" },
    Tool { program: "unzip", package: "unzip", marker: "needs_zip" },
    Tool { program: "python3", package: "python3", marker: "needs_python" },
    Tool { program: "chromium", package: "chromium", marker: "needs_chromium" },
    // A python3 from elsewhere brings `venv` along; with the system's it is a package of its own.
    Tool { program: "python3", package: "python3-venv", marker: "needs_httpbin" },
    Tool { program: "python3", package: "python3-venv", marker: "needs_django" },
    Tool { program: "npm", package: "npm", marker: "needs_json_server" },
    Tool { program: "npm", package: "npm", marker: "needs_playwright" },
    Tool { program: "chromium", package: "chromium", marker: "needs_playwright" },
    Tool { program: "node", package: "nodejs", marker: "needs_node" },
    // Debian keeps the programs of each version in a folder of its own.
    Tool { program: POSTGRES, package: "postgresql", marker: "needs_postgres" },
];

/// Makes a cluster; on the path, or where Debian keeps it.
const POSTGRES: &str = "initdb";

/// Whether a program is there.
fn exists(program: &str) -> bool {
    process::exists(program) || (program == POSTGRES && postgres_in("/usr/lib/postgresql"))
}

/// Whether a folder holds a folder for a version with all programs that tests need.
fn postgres_in(folder: &str) -> bool {
    let versions = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut bins = versions.map(|version| version.path().join("bin"));
    bins.any(|bin| ["initdb", "postgres", "psql"].iter().all(|one| bin.join(one).is_file()))
}

/// The cargo-deny that the checks are written against.
pub(crate) const DENY: &str = "0.20.2";

/// Brings what is missing if it may, and gives what is missing still.
pub(crate) fn missing(install: bool) -> Vec<&'static Tool> {
    let absent = || TOOLS.iter().filter(|tool| !exists(tool.program));
    if absent().next().is_some() && may_install(install) {
        let packages: Vec<&str> = absent().map(|tool| tool.package).collect();
        eprintln!("installing {}", packages.join(", "));
        let brought = apt(&["update", "-qq"])
            .and_then(|()| apt(&[&["install", "-y", "-qq", "--no-install-recommends"], &packages[..]].concat()));
        if brought.is_err() {
            eprintln!("warning: apt-get could not install {}", packages.join(", "));
        }
    }
    absent().collect()
}

/// Root may install without being asked twice; anybody else says `--install`.
pub(crate) fn may_install(asked: bool) -> bool {
    asked || is_root()
}

fn is_root() -> bool {
    process::exists("id") && process::catch(&mut process::command("id", &["-u"])).is_ok_and(|id| id.trim() == "0")
}

/// Whether a test may mount a file system, in a namespace of its own.
pub(crate) fn may_mount() -> bool {
    ["-m", "-rm"].iter().any(|way| {
        let mount = [*way, "sh", "-c", "mount -t tmpfs none /mnt 2>/dev/null"];
        process::exists("unshare") && process::catch(&mut process::command("unshare", &mount)).is_ok()
    })
}

fn apt(arguments: &[&str]) -> Result<(), i32> {
    if !process::exists("apt-get") {
        return Err(1);
    }
    process::show(process::command("apt-get", arguments).env("DEBIAN_FRONTEND", "noninteractive"))
}

/// cargo-deny: the project's own in .tools, else the one on the path, else built into .tools if that may be.
pub(crate) fn deny(install: bool) -> Option<String> {
    let own = crate::tree::root().join(".tools/bin/cargo-deny");
    if !own.is_file() && install {
        let build = ["install", "cargo-deny", "--version", DENY, "--locked", "--debug", "--root", ".tools"];
        let _ = process::show(&mut process::cargo(&build));
    }
    if own.is_file() {
        return own.to_str().map(str::to_owned);
    }
    process::exists("cargo-deny").then(|| "cargo-deny".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_postgresql_is_there_when_all_of_its_programs_are() {
        let dir = std::env::temp_dir().join(format!("probity-xtask-postgres-{}", std::process::id()));
        let bin = dir.join("17/bin");
        std::fs::create_dir_all(&bin).unwrap();
        let folder = dir.to_str().unwrap();
        for program in ["initdb", "postgres", "psql"] {
            assert!(!postgres_in(folder));
            std::fs::write(bin.join(program), "").unwrap();
        }
        assert!(postgres_in(folder));
        std::fs::remove_dir_all(&dir).unwrap();
        assert!(!postgres_in(folder));
    }
}
