//! What all decoders share: where diagnostics go, which spellings of references are read, and small readers.

use crate::codes::{Area, Code};
use crate::diagnostic::{Diagnostics, Severity};
use crate::document::{Key, Node, Place, Value};
use crate::ids::Id;
use crate::path::Path;
use crate::shape::same_name;

/// Which spellings of a reference are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Forms {
    /// `$var`, `$env`, `$template` only, as the expansion writes them.
    Dollar,
    /// Those of the reference tool too: `{var: …}`, `{env: …, prefix: …}`.
    Any,
}

/// A document that is being decoded.
pub(super) struct Reading<'d> {
    pub(super) diags: &'d mut Diagnostics,
    pub(super) forms: Forms,
    /// How many diagnostics there were at the start.
    start: usize,
    /// Whether something could not be represented, so that no value may be given back.
    pub(super) unusable: bool,
}

impl<'d> Reading<'d> {
    pub(super) fn new(diags: &'d mut Diagnostics, forms: Forms) -> Self {
        let start = diags.len();
        Self { diags, forms, start, unusable: false }
    }

    /// Whether the document can be used: no error so far means that it cannot be read.
    pub(super) fn usable(&self) -> bool {
        let broken = |code: Code| code.explanation().area == Area::Document;
        !self.unusable && !self.diags.iter().skip(self.start).any(|d| d.severity == Severity::Error && broken(d.code))
    }

    pub(super) fn error(&mut self, code: Code, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.diags.error(code, place, message, help);
    }

    pub(super) fn path(&mut self, text: &str, place: Place) -> Option<Path> {
        match Path::parse(text) {
            Ok(path) => Some(path),
            Err(error) => {
                self.error(Code::PathMalformed, place, error.what, error.help);
                None
            }
        }
    }

    /// Checks a pattern; `groups` is the number of groups that it must have, where that matters.
    pub(super) fn pattern(&mut self, text: &str, groups: Option<usize>, place: Place) -> Option<String> {
        match super::compile_pattern(text) {
            Ok(regex) if groups.is_some_and(|groups| regex.captures_len() != groups + 1) => {
                self.error(
                    Code::PatternMalformed,
                    place,
                    format!("the pattern has {} groups, and one is needed", regex.captures_len() - 1),
                    "put parentheses around the value that is meant, and write (?:…) for other groups",
                );
                None
            }
            Ok(_) => Some(text.to_owned()),
            Err(error) => {
                let help = "look-around and back-references are not offered, since matching is linear in time";
                self.error(Code::PatternMalformed, place, format!("the pattern cannot be compiled: {error}"), help);
                None
            }
        }
    }
}

/// The value under a name, in either spelling. `name` is the table's.
pub(super) fn field<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    entry(node, name).map(|(_, value)| value)
}

/// The pair under a name, in either spelling.
pub(super) fn entry<'n>(node: &'n Node, name: &str) -> Option<(&'n Key, &'n Node)> {
    node.as_map()?.iter().find(|(key, _)| same_name(&key.name, name)).map(|(key, value)| (key, value))
}

pub(super) fn text(node: &Node, name: &str) -> Option<String> {
    field(node, name)?.as_text().map(str::to_owned)
}

pub(super) fn flag(node: &Node, name: &str) -> Option<bool> {
    field(node, name)?.as_bool()
}

/// A non-negative whole number.
pub(super) fn number(node: &Node, name: &str) -> Option<u64> {
    match &field(node, name)?.value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    }
}

/// A text, or the texts of a list.
pub(super) fn texts(node: &Node, name: &str) -> Vec<String> {
    match field(node, name).map(|found| &found.value) {
        Some(Value::Text(text)) => vec![text.clone()],
        Some(Value::List(items)) => items.iter().filter_map(Node::as_text).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// The ids of a list; the shape check has named those that are none.
pub(super) fn ids(node: &Node, name: &str) -> Vec<Id> {
    texts(node, name).iter().filter_map(|text| Id::parse(text).ok()).collect()
}

/// The place of a pair, from its key to the end of its value.
pub(super) fn pair_place(key: &Key, value: &Node) -> Place {
    let end = if value.place.start >= key.place.start { value.place.end } else { key.place.end };
    Place { end, ..key.place }
}
