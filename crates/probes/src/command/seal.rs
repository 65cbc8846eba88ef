//! Which bytes a command consists of: found and hashed when the run opens, compared right before the start.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use probity_core::ids::Digest;
use probity_core::observe::{Failure, FailureKind};
use rustix::fs::Access;

use super::stamp::{self, Held};
use super::{Sealed, failure};

/// Longer arguments are not tried as names of files (Linux's limit of a path).
const LONGEST_NAME: usize = 4096;

/// What the kernel reads of a script's first line, in bytes.
const LONGEST_FIRST_LINE: usize = 256;

/// Finds the program: a name with `/` counts from the project, another one is looked up in the absolute folders of
/// `path_variable`; relative and empty ones there are passed over (threats.md B11).
///
/// # Errors
/// [`FailureKind::ProgramMissing`] if there is none, or none that may be executed.
pub fn resolve(argv0: &str, project: &Path, path_variable: &OsStr) -> Result<PathBuf, Failure> {
    if argv0.is_empty() {
        return Err(missing("The command names no program."));
    }
    if argv0.contains('/') {
        return match executable(&project.join(argv0)) {
            Ok(path) => Ok(path),
            Err(error) => Err(missing(format!("The program `{argv0}` cannot be started: {}.", said(&error)))),
        };
    }
    let mut refused = None;
    for folder in std::env::split_paths(path_variable).filter(|f| f.is_absolute()) {
        match executable(&folder.join(argv0)) {
            Ok(path) => return Ok(path),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    Err(missing(match refused {
        Some(error) => format!("The program `{argv0}` was found but cannot be started: {}.", said(&error)),
        None => format!("There is no program `{argv0}` in the folders of PATH."),
    }))
}

/// Hashes what a command consists of: its program, and each regular file inside the project that an argument names,
/// alone or behind the `=` of an option. Names count from `cwd`, as the program will read them.
///
/// # Errors
/// [`FailureKind::ProgramMissing`] if the program cannot be started or a file cannot be read or is over
/// [`super::MAX_SEALED`]; [`FailureKind::TargetRefused`] if `cwd` leads out of the project.
pub fn seal(argv: &[String], cwd: &str, project: &Path, path_variable: &OsStr) -> Result<Sealed, Failure> {
    let argv0 = argv.first().map_or("", String::as_str);
    let program = resolve(argv0, project, path_variable)?;
    let folder = folder(cwd, project)?;
    let root = real_project(project)?;
    let unreadable = |name: &str, error: &io::Error| missing(format!("`{name}` cannot be sealed: {}.", said(error)));
    let held = stamp::hold(&program).map_err(|error| unreadable(argv0, &error))?;
    let interpreter = match interpreter(&held, path_variable) {
        Some((name, path)) => {
            let digest = stamp::hold(&path).map_err(|error| unreadable(&name, &error))?.digest;
            Some((name, path, digest))
        }
        None => None,
    };
    let mut files: Vec<(String, PathBuf, Digest)> = Vec::new();
    for name in argv.iter().skip(1).flat_map(|argument| names(argument)) {
        if files.iter().any(|(known, ..)| known == name) {
            continue;
        }
        let Ok(path) = fs::canonicalize(folder.join(name)) else { continue };
        if path.starts_with(&root) && path.is_file() {
            let held = stamp::hold(&path).map_err(|error| unreadable(name, &error))?;
            files.push((name.to_owned(), path, held.digest));
        }
    }
    Ok(Sealed { program, program_digest: held.digest, interpreter, files })
}

/// The working folder as a real path inside the project.
pub(super) fn folder(cwd: &str, project: &Path) -> Result<PathBuf, Failure> {
    let root = real_project(project)?;
    let folder = fs::canonicalize(root.join(cwd))
        .map_err(|error| missing(format!("The working folder `{cwd}` cannot be entered: {}.", said(&error))))?;
    if !folder.starts_with(&root) {
        let message = format!("The working folder `{cwd}` leads out of the project.");
        return Err(failure(FailureKind::TargetRefused, message));
    }
    if !folder.is_dir() {
        return Err(missing(format!("The working folder `{cwd}` is not a folder.")));
    }
    Ok(folder)
}

/// Compares a command with its seal and gives the program, held open.
pub(super) fn unchanged(argv0: &str, sealed: &Sealed, folder: &Path) -> Result<Held, Failure> {
    let program = same(argv0, &sealed.program, &sealed.program_digest)?;
    if let Some((name, path, digest)) = &sealed.interpreter {
        same(name, path, digest)?;
    }
    for (name, path, digest) in &sealed.files {
        // The program opens the name, not the path: a link that now leads elsewhere is a change.
        if fs::canonicalize(folder.join(name)).ok().as_deref() != Some(path) {
            return Err(changed(format!("`{name}` is gone or leads to another file than the sealed one.")));
        }
        same(name, path, digest)?;
    }
    Ok(program)
}

fn same(name: &str, path: &Path, digest: &Digest) -> Result<Held, Failure> {
    let held =
        stamp::hold(path).map_err(|error| changed(format!("`{name}` cannot be read any more: {}.", said(&error))))?;
    if held.digest == *digest {
        return Ok(held);
    }
    let (was, is) = (digest.short(), held.digest.short());
    Err(changed(format!("`{name}` is not the file that was sealed: its digest was {was}…, now it is {is}….")))
}

/// The program that a script's first line names, as the kernel and `env` will find it; `None` for a machine program, and
/// for a line that leads nowhere (the start will say so).
fn interpreter(held: &Held, path_variable: &OsStr) -> Option<(String, PathBuf)> {
    let mut head = [0; LONGEST_FIRST_LINE];
    let n = held.file.read_at(&mut head, 0).ok()?;
    let line = head[..n].strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split_ascii_whitespace();
    let mut name = words.next()?;
    if Path::new(name).file_name() == Some(OsStr::new("env")) {
        name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    // A relative one counts from the child's folder and is not looked for here.
    let path = resolve(name, Path::new("/"), path_variable).ok()?;
    (!name.contains('/') || name.starts_with('/')).then(|| (name.to_owned(), path))
}

fn real_project(project: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(project).map_err(|error| missing(format!("The project cannot be entered: {}.", said(&error))))
}

fn executable(path: &Path) -> io::Result<PathBuf> {
    let path = fs::canonicalize(path)?;
    if !fs::metadata(&path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not a regular file"));
    }
    match rustix::fs::access(&path, Access::EXEC_OK) {
        Ok(()) => Ok(path),
        Err(_) => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is not marked as executable")),
    }
}

/// The parts of an argument that may be names of files.
fn names(argument: &str) -> impl Iterator<Item = &str> {
    let behind = argument.strip_prefix('-').and_then(|option| option.split_once('=')).map(|(_, name)| name);
    [Some(argument), behind].into_iter().flatten().filter(|name| !name.is_empty() && name.len() < LONGEST_NAME)
}

fn missing(message: impl Into<String>) -> Failure {
    failure(FailureKind::ProgramMissing, message)
}

pub(super) fn changed(message: impl Into<String>) -> Failure {
    failure(FailureKind::CommandChanged, message)
}

/// An error in words that do not depend on the machine's language and end without a full stop.
pub(super) fn said(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it does not exist".to_owned(),
        io::ErrorKind::PermissionDenied if error.raw_os_error().is_some() => "permission is denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_that_may_name_files() {
        let of = |argument: &'static str| names(argument).collect::<Vec<_>>();
        assert_eq!(of("tools/a.py"), ["tools/a.py"]);
        assert_eq!(of("--config=a.toml"), ["--config=a.toml", "a.toml"]);
        assert_eq!(of("a=b"), ["a=b"]);
        assert!(of("").is_empty());
    }

    #[test]
    fn interpreters_of_first_lines() {
        let folder = tempfile::tempdir().unwrap();
        let bin = OsStr::new("/usr/bin:/bin");
        let cases = [
            ("#!/bin/sh\n", Some("/bin/sh")),
            ("#! /bin/sh -e\nrm", Some("/bin/sh")),
            ("#!/usr/bin/env sh\n", Some("sh")),
            ("#!/usr/bin/env -S A=b sh -e\n", Some("sh")),
            ("#!/usr/bin/env\n", None),
            ("#!/no/such\n", None),
            ("#!bin/sh\n", None),
            ("#!\n/bin/sh", None),
            ("echo\n", None),
            ("", None),
        ];
        let shell = fs::canonicalize("/bin/sh").unwrap();
        for (text, expected) in cases {
            let path = folder.path().join("script");
            fs::write(&path, text).unwrap();
            let found = interpreter(&stamp::hold(&path).unwrap(), bin);
            assert_eq!(found, expected.map(|name| (name.to_owned(), shell.clone())), "{text:?}");
        }
    }

    #[test]
    fn relative_folders_of_path_are_passed_over() {
        let project = tempfile::tempdir().unwrap();
        fs::copy("/bin/sh", project.path().join("probity-tool")).unwrap();
        let path = std::env::join_paths([Path::new(""), Path::new(".")]).unwrap();
        let failure = resolve("probity-tool", project.path(), &path).unwrap_err();
        assert_eq!(failure.kind, FailureKind::ProgramMissing);
        resolve("./probity-tool", project.path(), &path).unwrap();
        resolve("probity-tool", project.path(), project.path().as_os_str()).unwrap();
    }
}
