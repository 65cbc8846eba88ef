//! Conformance vectors of report and gate: each folder of `tests/fixtures/gate` through the program.

mod said;
mod vectors;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

/// A folder with files, in which the program runs.
pub(super) struct Folder(TempDir);

/// What the program came to; the folder's path in it is `@CWD@`.
pub(super) struct Came {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Folder {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// Copies a tree in; the path of the folder takes the place of `@CWD@` in texts.
    pub(super) fn copy(&self, from: &Path, to: &str) {
        for entry in std::fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{to}{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                self.copy(&entry.path(), &format!("{name}/"));
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            match std::str::from_utf8(&bytes) {
                Ok(text) => self.write(&name, text.replace("@CWD@", self.path().to_str().unwrap())),
                Err(_) => self.write(&name, bytes),
            }
        }
    }

    pub(super) fn run(&self, words: &[&str]) -> Came {
        let output = Command::new(env!("CARGO_BIN_EXE_probity")).args(words).current_dir(self.path()).output().unwrap();
        let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(self.path().to_str().unwrap(), "@CWD@");
        Came { code: output.status.code().unwrap(), stdout: shown(&output.stdout), stderr: shown(&output.stderr) }
    }

    /// A JSON file, with `@CWD@` for the path of the folder.
    pub(super) fn json(&self, name: &str) -> Value {
        let text = std::fs::read_to_string(self.path().join(name)).unwrap();
        serde_json::from_str(&text.replace(self.path().to_str().unwrap(), "@CWD@")).unwrap()
    }
}
