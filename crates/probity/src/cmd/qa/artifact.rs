//! Files that a reported run left behind: kept beside the index under their digest, so that what was judged stays.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::qa::Artifact;
use probity_store::index::FOLDER;
use probity_store::media::extension_for;

use super::{Desk, no_secret};
use crate::cmd::fail;
use crate::out::Out;

/// The largest artifact in bytes.
const LARGEST: u64 = 64 << 20;
/// The most artifacts of one run (spec 1.3).
const MOST: usize = 100;

/// A file that was read, and is not kept yet.
pub(super) struct Read {
    artifact: Artifact,
    bytes: Vec<u8>,
}

/// Reads the files. Nothing is written yet.
pub(super) fn read(files: &[PathBuf], out: Out) -> Result<Vec<Read>, u8> {
    if files.len() > MOST {
        let message = format!("{} artifacts, where {MOST} are the most", files.len());
        return Err(fail(out, Code::ValueOutOfRange, &message, "put what belongs together into one archive"));
    }
    files.iter().map(|file| one(file, out)).collect()
}

fn one(file: &Path, out: Out) -> Result<Read, u8> {
    let shown = file.display().to_string();
    let unreadable = |why: String| {
        let remedy = Code::DocumentUnreadable.explanation().remedy;
        fail(out, Code::DocumentUnreadable, &format!("{shown} cannot be read: {why}"), remedy)
    };
    // A pipe or a device would be waited for.
    if !file.is_file() {
        return Err(unreadable("it is no file".to_owned()));
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes));
    read.map_err(|e| unreadable(e.to_string()))?;
    if bytes.len() as u64 > LARGEST {
        let message = format!("{shown} has more than {LARGEST} bytes");
        return Err(fail(out, Code::DocumentTooLarge, &message, "keep what was judged, and not everything around it"));
    }
    if let Ok(text) = std::str::from_utf8(&bytes) {
        no_secret(&shown, text, out)?;
    }
    let name = file.file_name().map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
    let (kind, media) = sort(&name);
    let size = i64::try_from(bytes.len()).unwrap_or(i64::MAX);
    let sha256 = Digest::of(&bytes);
    Ok(Read { artifact: Artifact { name, kind: kind.to_owned(), sha256, size, media: media.to_owned() }, bytes })
}

/// What a file is by its name. Only its name is asked: what stands in it is not trusted to say.
fn sort(name: &str) -> (&'static str, &'static str) {
    let extension = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "png" => ("screenshot", "image/png"),
        "jpg" | "jpeg" => ("screenshot", "image/jpeg"),
        "webp" => ("screenshot", "image/webp"),
        "webm" => ("video", "video/webm"),
        "mp4" => ("video", "video/mp4"),
        "zip" => ("trace", "application/zip"),
        "log" | "txt" => ("log", "text/plain"),
        "json" => ("data", "application/json"),
        _ => ("file", "application/octet-stream"),
    }
}

/// Keeps the files; what stands there already under its digest is left.
pub(super) fn keep(desk: &Desk, read: Vec<Read>, out: Out) -> Result<Vec<Artifact>, u8> {
    let mut artifacts = Vec::with_capacity(read.len());
    for Read { artifact, bytes } in read {
        let digest = artifact.sha256.to_string();
        let folder = desk.runs.join(FOLDER).join("artifacts").join(&digest[..2]);
        let path = folder.join(format!("{digest}.{}", extension_for(&artifact.media)));
        write(&folder, &path, &bytes).map_err(|error| {
            let message = format!("{} cannot be written: {error}", path.display());
            fail(out, Code::FolderUnwritable, &message, Code::FolderUnwritable.explanation().remedy)
        })?;
        artifacts.push(artifact);
    }
    Ok(artifacts)
}

/// Whole or not at all: another name first, then the right one.
fn write(folder: &Path, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if std::fs::read(path).is_ok_and(|there| there == bytes) {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    let part = path.with_extension(super::fresh_key("part-"));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&part)?;
    let done = file.write_all(bytes).and_then(|()| file.sync_all()).and_then(|()| std::fs::rename(&part, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&part);
    }
    done
}
