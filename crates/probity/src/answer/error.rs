//! The answer of a command that could not do what it was asked.

use probity_core::codes::Code;
use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::document::Place;
use probity_core::json::Json;

use super::{LARGEST, clip, document, share};

/// One error.
pub(crate) fn error(code: Code, message: &str, help: &str, exit: u8) -> String {
    let fields = fields(code, message, Some(help), Json::Null);
    document(&Json::map([
        ("schema", Json::from("probity/error/1")),
        ("exit", exit.into()),
        ("error", fields),
        ("others", Json::List(Vec::new())),
        ("left_out", Json::map([("errors", 0)])),
    ]))
}

/// Errors of documents: the first is the error, the others follow as far as there is room.
pub(crate) fn error_document(found: &[Diagnostic], exit: u8) -> String {
    let of = |d: &Diagnostic| fields(d.code, &d.message, d.help.as_deref(), place(&d.file, d.place));
    // Errors first; a warning is no reason to stop.
    let (errors, warnings): (Vec<&Diagnostic>, _) = found.iter().partition(|d| d.severity == Severity::Error);
    let mut all = errors.into_iter().chain(warnings).map(of);
    let first =
        all.next().unwrap_or_else(|| fields(Code::DocumentUnreadable, "the document cannot be used", None, Json::Null));
    let others: Vec<Json> = all.collect();
    let taken = share(LARGEST.saturating_sub(super::size(&first) + 150), &[&others])[0];
    document(&Json::map([
        ("schema", Json::from("probity/error/1")),
        ("exit", exit.into()),
        ("error", first),
        ("others", Json::List(others[..taken].to_vec())),
        ("left_out", Json::map([("errors", others.len() - taken)])),
    ]))
}

fn fields(code: Code, message: &str, help: Option<&str>, place: Json) -> Json {
    let help = help.filter(|help| !help.is_empty()).unwrap_or(code.explanation().remedy);
    Json::map([
        ("code", Json::from(code.as_str())),
        ("message", clip(message, 1000).into()),
        ("help", clip(help, 1000).into()),
        ("place", place),
    ])
}

/// `{file, line, column}` or null.
pub(crate) fn place(file: &str, place: Option<Place>) -> Json {
    if file.is_empty() {
        return Json::Null;
    }
    let number = |n: Option<u32>| Json::from(n.filter(|n| *n > 0));
    Json::map([
        ("file", Json::from(clip(file, 200))),
        ("line", number(place.map(|p| p.line))),
        ("column", number(place.map(|p| p.column))),
    ])
}
