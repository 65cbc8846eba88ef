//! Documents that people write, YAML or JSON, as a tree whose every node knows its place.
//!
//! What two readers could read in two ways is refused: repeated keys, merge keys, tags of one's own, several
//! documents in one file, control characters (threats.md A21). What would cost more than any plan is worth is refused
//! too: size, depth, number of values, and what anchors multiply.

mod json;
mod scalar;
mod syntax;
mod yaml;

use std::path::Path;

use probity_core::codes::Code;
use probity_core::diagnostic::{Diagnostic, Diagnostics};
use probity_core::document::{Lines, Node};

/// Greatest size of a document, in bytes.
pub const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Greatest amount of text that anchors and aliases may add, in bytes.
pub const MAX_REPEATED: usize = 1024 * 1024;
/// Greatest nesting of lists and maps.
pub const MAX_DEPTH: usize = 64;
/// Greatest number of values, counting a value again for each anchor and alias that repeats it.
pub const MAX_NODES: usize = 500_000;

/// Reads a document: JSON if the name ends in `.json`, else YAML 1.2 by its core schema, where only JSON's numbers are
/// numbers (`1.10` keeps its token; `0x10`, `1_000`, `.5` and `012` are texts). A byte-order mark is skipped. A YAML
/// file with nothing in it is `null`.
///
/// `name` is the file as the user named it; diagnostics carry it.
///
/// # Errors
/// `document_unreadable`, `document_too_large`, `syntax_error`, `duplicate_key`, `reference_malformed`, each with its
/// place, in the order of their places.
pub fn read(name: &str, bytes: &[u8]) -> Result<Node, Vec<Diagnostic>> {
    let mut diags = Diagnostics::about(name);
    let node = checked_text(bytes, &mut diags).and_then(|text| {
        let json = Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
        if json { json::read(text, &mut diags) } else { yaml::read(text, &mut diags) }
    });
    match node {
        Some(node) if diags.is_empty() => Ok(node),
        _ => Err(diags.into_sorted()),
    }
}

/// The bytes as text without control characters and of bearable size.
fn checked_text<'a>(bytes: &'a [u8], diags: &mut Diagnostics) -> Option<&'a str> {
    if bytes.len() > MAX_BYTES {
        let place = Lines::new("").place(0, 0);
        let message = format!("{} bytes, where {MAX_BYTES} are the most", bytes.len());
        diags.error(Code::DocumentTooLarge, place, message, "split the document");
        return None;
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(e) => {
            let good = std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default();
            let place = Lines::new(good).place(good.len(), good.len());
            let message = if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
                "the text is in UTF-16, not in UTF-8".to_owned()
            } else {
                format!("the byte 0x{:02x} is no UTF-8 here", bytes[e.valid_up_to()])
            };
            diags.error(Code::DocumentUnreadable, place, message, "save the file as UTF-8");
            return None;
        }
    };
    match control_character(text) {
        None => Some(text),
        Some((at, c)) => {
            let (message, help) = match c {
                '\r' => ("a carriage return without a line feed".to_owned(), "end lines with LF or CRLF"),
                '\0' => ("a NUL character; is this a text in UTF-8?".to_owned(), "save the file as UTF-8"),
                c => (
                    format!("the control character U+{:04X}", u32::from(c)),
                    "remove it, or write it as an escape inside double quotes",
                ),
            };
            let place = Lines::new(text).place(at, at + c.len_utf8());
            diags.error(Code::DocumentUnreadable, place, message, help);
            None
        }
    }
}

/// The first control character that is neither a tab nor part of a line end.
fn control_character(text: &str) -> Option<(usize, char)> {
    text.char_indices().find(|(at, c)| match c {
        '\t' | '\n' => false,
        '\r' => text.as_bytes().get(at + 1) != Some(&b'\n'),
        c => c.is_control(),
    })
}

/// A piece of the document inside a message: on one line, and short.
fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = text.chars().take(MOST).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    probity_core::inert::inert(&short).into_owned()
}

#[cfg(test)]
mod tests;
