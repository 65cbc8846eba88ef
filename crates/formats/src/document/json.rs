//! JSON documents: core's own reader does the work, its faults become diagnostics here.

use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostics;
use probity_core::document::{Lines, Node};
use probity_core::json::{JsonFault, Limits, read_placed};

use super::{MAX_DEPTH, MAX_NODES};

const LIMITS: Limits = Limits { depth: MAX_DEPTH, nodes: MAX_NODES };

pub(super) fn read(text: &str, diags: &mut Diagnostics) -> Option<Node> {
    let error = match read_placed(text.as_bytes(), &LIMITS) {
        Ok(node) => return Some(node),
        Err(error) => error,
    };
    let rest = text.get(error.offset..).unwrap_or_default();
    let end = error.offset + rest.chars().next().map_or(0, char::len_utf8);
    let place = Lines::new(text).place(error.offset, end);
    match error.kind {
        JsonFault::RepeatedKey { first } => {
            let message = format!("{}; it stands first at line {}, column {}", error.what, first.line, first.column);
            diags.error(Code::DuplicateKey, place, message, "remove one of the two");
        }
        JsonFault::TooLarge => diags.error(Code::DocumentTooLarge, place, error.what, "split the document"),
        JsonFault::Encoding => diags.error(Code::DocumentUnreadable, place, error.what, "save the file as UTF-8"),
        JsonFault::Surrogate => {
            diags.error(Code::SyntaxError, place, error.what, "write both halves, or the character itself");
        }
        JsonFault::Syntax => {
            let help = help(text, error.offset);
            diags.error(Code::SyntaxError, place, error.what, help);
        }
    }
    None
}

/// What to do about a fault in the grammar, from what stands there.
fn help(text: &str, at: usize) -> &'static str {
    match text.as_bytes().get(at) {
        None => "the text ends too early: close every `\"`, `[` and `{`",
        Some(b'\'') => "JSON has double quotes only",
        Some(b'/' | b'#') => "JSON has no comments; YAML has",
        Some(b'0'..=b'9') if at > 0 && matches!(text.as_bytes()[at - 1], b'0') => {
            "write the number without leading zeros"
        }
        Some(b'}' | b']') => "remove the comma before it, or write the value that is missing",
        Some(b'\n' | b'\r' | b'\t') => "inside a text write \\n or \\t, and close the text on its own line",
        Some(_) => "repair the JSON here, or name the file .yaml if it is YAML",
    }
}
