//! What a judge is shown: files and evidence of a run, made neutral. Pictures are packed again from their pixels, so that
//! nothing in the file tells an original from a mutant; secrets in texts are replaced.

use std::io::Read as _;
use std::path::Path;

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::image::{Image, is_png};
use probity_core::judge::{Exhibit, HandedIn, MOST_HANDED, Role};
use probity_core::redact::Redactor;

use super::Refused;

/// The media type of every picture.
const PNG: &str = "image/png";

/// Takes in what is to be shown.
pub(crate) struct HandIn<'a> {
    redactor: &'a mut Redactor,
    /// Bytes so far.
    size: usize,
}

impl<'a> HandIn<'a> {
    /// Nothing yet.
    pub(crate) const fn new(redactor: &'a mut Redactor) -> Self {
        Self { redactor, size: 0 }
    }

    /// A file.
    ///
    /// # Errors
    /// `exhibit_unreadable`
    pub(crate) fn file(&mut self, role: Role, path: &Path) -> Result<(Exhibit, HandedIn), Refused> {
        let name = shown_name(path);
        let unreadable = |why: String| Refused::new(Code::ExhibitUnreadable, format!("{name}: {why}"));
        let facts = std::fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
        if !facts.is_file() {
            return Err(unreadable("it is no file".to_owned()));
        }
        let mut bytes = Vec::new();
        let most = MOST_HANDED as u64 + 1;
        let read = std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes));
        read.map_err(|error| unreadable(error.to_string()))?;
        self.bytes(role, &name, media(path), bytes)
    }

    /// Bytes that are at hand; `media` is what they say they are.
    ///
    /// # Errors
    /// `exhibit_unreadable`
    pub(crate) fn bytes(
        &mut self,
        role: Role,
        from: &str,
        media: &str,
        bytes: Vec<u8>,
    ) -> Result<(Exhibit, HandedIn), Refused> {
        let unreadable = |why: String| Refused::new(Code::ExhibitUnreadable, format!("{from}: {why}"));
        if bytes.len() > MOST_HANDED {
            return Err(unreadable(format!("it has more than the {MOST_HANDED} bytes that a judge is shown")));
        }
        let came = Digest::of(&bytes);
        let is_picture = role != Role::Evidence || is_png(&bytes);
        let (bytes, media, redactions) = if is_picture {
            let image = Image::read(&bytes).map_err(|fault| unreadable(fault.to_string()))?;
            (image.write().map_err(unreadable)?, PNG.to_owned(), 0)
        } else {
            self.redactor.study_output(&bytes);
            let (bytes, redactions) = self.redactor.hide(bytes, false);
            (bytes, media.to_owned(), redactions)
        };
        self.size = self.size.saturating_add(bytes.len());
        if self.size > MOST_HANDED {
            return Err(unreadable(format!(
                "with it, more than the {MOST_HANDED} bytes are shown that a judge may be shown"
            )));
        }
        let shown = Digest::of(&bytes);
        let handed = HandedIn { role, media: media.clone(), from: from.to_owned(), came, shown, redactions };
        Ok((Exhibit { role, media, bytes }, handed))
    }
}

/// A file as records name it: no path of this machine.
pub(crate) fn shown_name(path: &Path) -> String {
    let text = path.to_string_lossy();
    let name = text.strip_prefix("./").unwrap_or(&text);
    if path.is_absolute() || name.starts_with("..") {
        path.file_name().map_or_else(|| "file".to_owned(), |base| base.to_string_lossy().into_owned())
    } else {
        name.to_owned()
    }
}

/// The media type that a file's name tells.
fn media(path: &Path) -> &'static str {
    match path.extension().and_then(|end| end.to_str()) {
        Some("json") => "application/json",
        Some("html") => "text/html",
        Some("txt" | "log" | "md" | "csv" | "yaml" | "yml") => "text/plain",
        _ => "application/octet-stream",
    }
}
