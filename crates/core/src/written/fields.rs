//! Reading the maps of a written plan: known names, help for unknown ones, and the types that expansion itself needs.
//!
//! Values that are only moved are not judged here; the decoder of the seed form judges them at the same place.

use std::borrow::Cow;

use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::{Key, Node, Place};
use crate::inert::shortened;
use crate::nearest::nearest;

/// How much text expansion may make, in bytes: a plan that multiplies beyond it is refused.
const BUDGET: usize = 32 << 20;

/// What expansion carries along: where findings go, and how much may still be made.
pub(super) struct Writing<'d> {
    diags: &'d mut Diagnostics,
    left: usize,
}

impl<'d> Writing<'d> {
    pub(super) fn new(diags: &'d mut Diagnostics) -> Self {
        Self { diags, left: BUDGET }
    }

    pub(super) fn error(&mut self, code: Code, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.diags.error(code, place, message, help);
    }

    /// Whether `bytes` more may be made; the first time that they may not is an error.
    pub(super) fn spend(&mut self, bytes: usize, place: Place) -> bool {
        if let Some(left) = self.left.checked_sub(bytes) {
            self.left = left;
            return true;
        }
        if self.left > 0 {
            self.left = 0;
            let message = format!("the plan expands to more than {} MiB of ids and texts", BUDGET >> 20);
            self.error(Code::DocumentTooLarge, place, message, "split it into several plans");
        }
        false
    }

    pub(super) fn wrong_type(&mut self, node: &Node, what: &str, wanted: &str) {
        self.error(
            Code::WrongType,
            node.place,
            format!("{what} is a {}, expected {wanted}", node.kind()),
            format!("write {wanted}"),
        );
    }

    /// The text, or an error.
    pub(super) fn text<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n str> {
        let text = node.as_text();
        if text.is_none() {
            let help = if matches!(node.kind(), "number" | "boolean") { "a text in quotes" } else { "a text" };
            self.wrong_type(node, what, help);
        }
        text
    }

    /// The items of a list, or an error.
    pub(super) fn list<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        let items = node.as_list();
        if items.is_none() {
            self.wrong_type(node, what, "a list");
        }
        items
    }

    /// The items of a list; a single text stands for a list of one.
    pub(super) fn one_or_more<'n>(&mut self, node: &'n Node, what: &str) -> Option<&'n [Node]> {
        if node.as_text().is_some() { Some(std::slice::from_ref(node)) } else { self.list(node, what) }
    }
}

/// A map whose names have been looked through.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    pairs: &'n [(Key, Node)],
    place: Place,
}

impl<'n> Fields<'n> {
    /// The fields of a map; names outside `allowed` are reported with what they may have meant.
    pub(super) fn of(node: &'n Node, what: &str, allowed: &[&str], w: &mut Writing) -> Option<Self> {
        let Some(pairs) = node.as_map() else {
            w.wrong_type(node, what, "a map");
            return None;
        };
        for (key, _) in pairs.iter().filter(|(key, _)| !allowed.contains(&key.name.as_str())) {
            unknown_field(key, what, allowed, w);
        }
        Some(Self { pairs, place: node.place })
    }

    /// The value under a name.
    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        self.pairs.iter().find(|(key, _)| key.name == name).map(|(_, node)| node)
    }

    /// The value under a name that must be there.
    pub(super) fn need(&self, name: &str, what: &str, w: &mut Writing) -> Option<&'n Node> {
        let found = self.get(name);
        if found.is_none() {
            w.error(Code::MissingField, self.place, format!("{what} has no `{name}`"), format!("add `{name}:`"));
        }
        found
    }

    /// The text under a name that must be there and say something.
    pub(super) fn need_text(&self, name: &str, what: &str, w: &mut Writing) -> Option<(&'n Node, String)> {
        let node = self.need(name, what, w)?;
        let text = fold(w.text(node, &format!("`{name}` of {what}"))?);
        if text.is_empty() {
            w.error(Code::MissingField, node.place, format!("`{name}` of {what} is empty"), "write what is meant");
            return None;
        }
        Some((node, text))
    }
}

/// Reports a name that a place does not know.
pub(super) fn unknown_field(key: &Key, what: &str, allowed: &[&str], w: &mut Writing) {
    let known = format!("known here: {}", allowed.join(", "));
    let help = match nearest(&key.name, allowed.iter().copied()) {
        Some(name) => format!("did you mean `{name}`? {known}"),
        None => known,
    };
    w.error(Code::UnknownField, key.place, format!("`{}` is no field of {what}", shown(&key.name)), help);
}

/// A text on one line: runs of white space are one space each.
pub(super) fn fold(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most 60 characters of a text from outside, for a message.
pub(super) fn shown(text: &str) -> Cow<'_, str> {
    shortened(text, 60)
}
