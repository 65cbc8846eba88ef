//! The files beside a Playwright report: traces, records of the write guard, specs.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};

use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostic;
use probity_core::ids::Digest;
use probity_core::json::{self, Json, Limits, Map};
use probity_core::playwright::{Record, Spec};
use sha2::{Digest as _, Sha256};

use super::{LARGEST, warning};

/// Most warnings about files that are kept; a run whose folder is gone would have one for each attempt.
const MOST_WARNINGS: usize = 1000;

/// Where the run lies, and what was noticed while its files were read.
pub(super) struct Files {
    folder: PathBuf,
    /// Hashes that were recorded when the run started.
    recorded: Option<Map>,
    /// Spec files by case, where nothing was recorded.
    specs: Option<Map>,
    noticed: RefCell<BTreeSet<(String, Code)>>,
}

impl Files {
    pub(super) fn new(folder: PathBuf, recorded: Option<Map>, specs: Option<Map>) -> Self {
        Self { folder, recorded, specs, noticed: RefCell::default() }
    }

    /// Where a path of Playwright's leads. A relative one counts from the run folder. One that was written on another
    /// machine leads to where the same file lies in this run folder, if it lies there.
    fn resolve(&self, path: &str) -> PathBuf {
        let direct = self.folder.join(path);
        if direct.exists() {
            return direct;
        }
        self.moved(path).unwrap_or(direct)
    }

    /// The file in this run folder that a path of another machine means: what follows the name of the run folder, or the
    /// output folder.
    fn moved(&self, path: &str) -> Option<PathBuf> {
        let windows = path.as_bytes().get(1..3) == Some(b":\\");
        if !windows && !path.starts_with('/') {
            return None;
        }
        let parts: Vec<&str> = path.split(|c| c == '/' || (windows && c == '\\')).collect();
        if parts.contains(&"..") {
            return None;
        }
        let name = self.folder.file_name()?.to_str()?;
        let after = |at: usize| self.folder.join(parts[at..].iter().collect::<PathBuf>());
        let from_run = parts.iter().rposition(|part| *part == name).map(|at| after(at + 1));
        let from_output = parts.iter().position(|part| *part == "test-results").map(after);
        from_run.into_iter().chain(from_output).find(|found| found.is_file())
    }

    /// A path counted from the run folder, with `/`. A relative one stays as it is.
    pub(super) fn relative(&self, path: &str) -> String {
        let moved = if self.folder.join(path).exists() { None } else { self.moved(path) };
        let absolute = match &moved {
            Some(found) => found.as_path(),
            None if path.starts_with('/') => Path::new(path),
            None => return path.to_owned(),
        };
        let (to, from) = (normal(absolute), normal(&self.folder));
        let same = to.iter().zip(&from).take_while(|(a, b)| a == b).count();
        let up = std::iter::repeat_n("..".to_owned(), from.len() - same);
        up.chain(to[same..].iter().cloned()).collect::<Vec<_>>().join("/")
    }

    fn notice(&self, code: Code, path: &str) {
        let mut noticed = self.noticed.borrow_mut();
        if noticed.len() < MOST_WARNINGS {
            noticed.insert((path.to_owned(), code));
        }
    }

    /// Notices the traces of a spec that cannot be read, also those that no case will name.
    pub(super) fn look_at(&self, spec: &Spec) {
        let attempts = spec.entries.iter().flat_map(|entry| &entry.attempts);
        for path in attempts.filter_map(|attempt| {
            attempt.attachments.iter().find(|one| one.name == "trace" && one.path.is_some())?.path.as_deref()
        }) {
            let file = self.resolve(path);
            if !file.is_file() || File::open(file).is_err() {
                self.notice(Code::TraceUnreadable, path);
            }
        }
    }

    /// The digest of a trace.
    pub(super) fn digest(&self, path: &str) -> Option<Digest> {
        let file = self.resolve(path);
        let digest = file.is_file().then(|| hash(&file).ok()).flatten();
        if digest.is_none() {
            self.notice(Code::TraceUnreadable, path);
        }
        digest
    }

    /// A record of the write guard.
    pub(super) fn record(&self, path: &str) -> Option<Record> {
        let read = bytes(&self.resolve(path)).ok();
        let record = read.and_then(|bytes| json::read(&bytes, &Limits::default()).ok());
        match record {
            Some(record @ Json::Map(_)) => Some(Record::of(&record)),
            _ => {
                self.notice(Code::WritesUnreadable, path);
                None
            }
        }
    }

    /// The hash of a case's spec: as recorded, else of the file that the map names.
    pub(super) fn spec_sha(&self, case: &str) -> Option<String> {
        if let Some(recorded) = &self.recorded {
            return recorded.get(case).and_then(Json::as_text).map(str::to_owned);
        }
        let file = self.specs.as_ref()?.get(case)?.as_text()?;
        match bytes(Path::new(file)) {
            Ok(bytes) => Some(Digest::of(&bytes).to_string().chars().take(16).collect()),
            Err(_) => {
                self.notice(Code::SpecUnreadable, file);
                None
            }
        }
    }

    /// What was noticed.
    pub(super) fn into_warnings(self) -> Vec<Diagnostic> {
        let say = |(path, code): (String, Code)| {
            let message = match code {
                Code::TraceUnreadable => "the trace cannot be read, so it has no digest",
                Code::WritesUnreadable => "the record of the write guard cannot be read",
                _ => "the spec cannot be read, so it has no hash",
            };
            warning(code, &path, message.to_owned())
        };
        self.noticed.into_inner().into_iter().map(say).collect()
    }
}

/// The names in an absolute path, without `.` and what `..` takes back.
fn normal(path: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for part in path.components() {
        match part {
            Component::Normal(name) => names.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => drop(names.pop()),
            _ => {}
        }
    }
    names
}

/// The bytes of a small file.
///
/// # Errors
/// Why it cannot be read, also where it is too large.
pub(super) fn bytes(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if !std::fs::metadata(file)?.is_file() {
        return Err(io::Error::other("this is no file"));
    }
    File::open(file)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LARGEST {
        return Err(io::Error::other(format!("the file has more than {LARGEST} bytes")));
    }
    Ok(bytes)
}

/// The digest of a file of any size.
fn hash(file: &Path) -> io::Result<Digest> {
    let mut open = File::open(file)?;
    let mut hasher = Sha256::new();
    io::copy(&mut open, &mut hasher)?;
    Ok(Digest::from_bytes(hasher.finalize().into()))
}
