//! `playwright init`: puts the write guard into a Playwright project.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use probity_core::codes::Code;

use super::fail;
use super::init::{shown, write};
use crate::cli::playwright::{InitArgs, PlaywrightCommand};
use crate::out::Out;

/// The files, by name.
const FILES: [(&str, &str); 3] = [
    ("write-guard.mjs", include_str!("../playwright/write-guard.mjs")),
    ("write-guard.fixture.ts", include_str!("../playwright/write-guard.fixture.ts")),
    ("write-guard.eslint.mjs", include_str!("../playwright/write-guard.eslint.mjs")),
];

/// Does what was asked.
pub(crate) fn playwright(command: &PlaywrightCommand, out: Out) -> u8 {
    let PlaywrightCommand::Init(args) = command;
    init(args, out)
}

fn init(args: &InitArgs, out: Out) -> u8 {
    let mut missing: Vec<(PathBuf, String)> = Vec::new();
    let (mut same, mut others) = (Vec::new(), Vec::new());
    for (name, text) in FILES {
        let path = args.folder.join(name);
        match fs::read(&path) {
            Ok(there) if there == text.as_bytes() => same.push(shown(&path)),
            Ok(_) => others.push((path, text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push((path, text.to_owned())),
            Err(error) => return unwritable(&path, &error, out),
        }
    }
    if let Some((path, _)) = others.first().filter(|_| !args.replace) {
        let message = format!("{} is there and differs, so nothing was written", shown(path));
        return fail(
            out,
            Code::FileExists,
            &message,
            "say --replace if it came from an older probity, else name another folder",
        );
    }
    let new: Vec<(PathBuf, &String)> = missing.iter().map(|(path, text)| (path.clone(), text)).collect();
    if let Err((path, error)) = write(&args.folder, &new) {
        return unwritable(&path, &error, out);
    }
    for (path, text) in &others {
        if let Err(error) = replace(path, text) {
            return unwritable(path, &error, out);
        }
    }
    let written: Vec<String> =
        new.iter().map(|(path, _)| path).chain(others.iter().map(|(path, _)| path)).map(|p| shown(p)).collect();
    if out.json {
        let answer = serde_json::json!({"schema": "probity/playwright-init/1", "written": written, "unchanged": same});
        out.data(&format!("{answer}\n"));
    } else {
        written.iter().for_each(|path| out.data(&format!("wrote {path}\n")));
        same.iter().for_each(|path| out.data(&format!("unchanged {path}\n")));
        out.talk(NEXT);
    }
    0
}

/// Puts a text in the place of a file: it is the old one or the new one at any moment.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    io::Write::write_all(&mut file, text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

fn unwritable(path: &Path, error: &io::Error, out: Out) -> u8 {
    let message = format!("{} cannot be written: {error}", path.display());
    fail(out, Code::FolderUnwritable, &message, "choose another folder")
}

const NEXT: &str = "
Try next
  in each spec   import { test, expect } from './write-guard.fixture';
  run            QA_PILOT_MUTATION='{\"policy\": \"read-only\"}' npx playwright test
  see            writes.json in the output folder of each attempt: what was stopped and observed
Requests are stopped by the write signatures of your profile: QA_PILOT_MUTATION_CONFIG holds its mutation block as JSON.";
