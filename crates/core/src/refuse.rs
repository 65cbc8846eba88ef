//! Findings named by the path of the field they are about (`cases[SHOP-CART-001].expected[0]`), and the readings that
//! checks of host profiles and cases files share.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::document::{Key, Node, Place, Value};
use crate::inert::shortened;
use crate::js_pattern::JsPattern;

/// Gathers findings, each with its subject. Nothing short-circuits: all that is wrong is said at once.
pub(crate) struct Refusals<'d> {
    diags: &'d mut Diagnostics,
}

impl<'d> Refusals<'d> {
    pub(crate) const fn new(diags: &'d mut Diagnostics) -> Self {
        Self { diags }
    }

    pub(crate) fn refuse(
        &mut self,
        code: Code,
        subject: &str,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diags.error(code, place, message, help);
        self.diags.subject(subject);
    }

    pub(crate) fn warn(
        &mut self,
        code: Code,
        subject: &str,
        place: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.diags.warning(code, place, message, help);
        self.diags.subject(subject);
    }

    /// How many refusals there are of subjects that begin so.
    pub(crate) fn errors_under(&self, prefix: &str) -> usize {
        let under = |d: &&Diagnostic| d.subject.as_deref().is_some_and(|subject| subject.starts_with(prefix));
        self.diags.iter().filter(|d| d.severity == Severity::Error).filter(under).count()
    }

    /// A text that must stand here: the node, if it is one that is not blank.
    pub(crate) fn text<'n>(&mut self, parent: &'n Node, path: &str, key: &str) -> Option<&'n str> {
        let subject = join(path, key);
        match parent.get(key) {
            Some(node) => self.text_at(node, &subject),
            None => {
                self.refuse(
                    Code::MissingField,
                    &subject,
                    parent.place,
                    missing(key),
                    format!("write {key}: and a text"),
                );
                None
            }
        }
    }

    /// A text that may stand here: blank is refused, absent is not. Null is present.
    pub(crate) fn optional_text<'n>(&mut self, parent: &'n Node, path: &str, key: &str) -> Option<&'n str> {
        parent.get(key).and_then(|node| self.text_at(node, &join(path, key)))
    }

    /// A node that must be a text that is not blank.
    pub(crate) fn text_at<'n>(&mut self, node: &'n Node, subject: &str) -> Option<&'n str> {
        match &node.value {
            Value::Text(text) if !text.trim().is_empty() => return Some(text),
            Value::Null => {
                self.refuse(Code::MissingField, subject, node.place, "nothing is written here", "write a text");
            }
            Value::Text(_) => {
                self.refuse(Code::ValueOutOfRange, subject, node.place, "the text is blank", "write a text");
            }
            Value::Number(_) | Value::Bool(_) => {
                let help = "put it in quotes if it is meant as a text";
                self.refuse(Code::WrongType, subject, node.place, format!("a {}, not a text", node.kind()), help);
            }
            Value::List(_) | Value::Map(_) => {
                let message = format!("a {}, not a text", node.kind());
                self.refuse(Code::WrongType, subject, node.place, message, "write a text");
            }
        }
        None
    }

    /// A map that must stand here.
    pub(crate) fn map<'n>(&mut self, parent: &'n Node, path: &str, key: &str) -> Option<&'n Node> {
        let subject = join(path, key);
        match parent.get(key) {
            Some(node) if node.as_map().is_some() => Some(node),
            Some(Node { value: Value::Null, place }) => {
                self.refuse(Code::MissingField, &subject, *place, "nothing is written here", "write a map");
                None
            }
            Some(node) => {
                self.not_a_map(node, &subject);
                None
            }
            None => {
                self.refuse(Code::MissingField, &subject, parent.place, missing(key), format!("add {key}:"));
                None
            }
        }
    }

    pub(crate) fn not_a_map(&mut self, node: &Node, subject: &str) {
        self.refuse(Code::WrongType, subject, node.place, format!("a {}, not a map", node.kind()), "write a map");
    }

    pub(crate) fn not_a_list(&mut self, node: &Node, subject: &str, of: &str) {
        let message = format!("a {}, not a list of {of}", node.kind());
        self.refuse(Code::WrongType, subject, node.place, message, format!("write a list of {of}"));
    }

    /// A word of a closed set, if one stands here; another is refused. Null counts as absent.
    pub(crate) fn word<'w>(&mut self, node: Option<&Node>, subject: &str, words: &[&'w str]) -> Option<&'w str> {
        let node = node.filter(|node| node.value != Value::Null)?;
        let found = node.as_text().and_then(|text| words.iter().find(|word| **word == text));
        if found.is_none() {
            let message = format!("{} is not one of {}", written(node), words.join(", "));
            self.refuse(
                Code::ValueOutOfRange,
                subject,
                node.place,
                message,
                format!("write one of {}", words.join(", ")),
            );
        }
        found.copied()
    }

    /// The same where a word must stand.
    pub(crate) fn must_word<'w>(&mut self, parent: &Node, path: &str, key: &str, words: &[&'w str]) -> Option<&'w str> {
        let subject = join(path, key);
        let node = parent.get(key);
        if node.is_none_or(|node| node.value == Value::Null) {
            let place = node.map_or(parent.place, |node| node.place);
            let help = format!("write {key}: and one of {}", words.join(", "));
            self.refuse(Code::MissingField, &subject, place, missing(key), help);
        }
        self.word(node, &subject, words)
    }

    /// Keys of a map that this place does not know, each refused under its own path.
    pub(crate) fn only(&mut self, node: &Node, path: &str, known: &[&str]) {
        for (key, _) in unknown(node, known) {
            let help = match crate::nearest::nearest(&key.name, known.iter().copied()) {
                Some(near) => format!("did you mean {near}? allowed: {}", known.join(", ")),
                None => format!("allowed: {}", known.join(", ")),
            };
            let message = format!("the key {} is not known here", shortened(&key.name, 60));
            self.refuse(Code::UnknownField, &join(path, &key.name), key.place, message, help);
        }
    }

    /// A pattern as JavaScript reads it: whether it is one, and has a group if one is needed.
    pub(crate) fn pattern(&mut self, node: &Node, subject: &str, ignore_case: bool, group: bool) {
        let Some(text) = self.text_at(node, subject) else { return };
        match JsPattern::read(text, ignore_case) {
            Err(why) => {
                let help = "repair the pattern; it is read as JavaScript reads it";
                let message = format!("the pattern does not compile: {why}");
                self.refuse(Code::PatternUnsupported, subject, node.place, message, help);
            }
            Ok(pattern) if group && pattern.groups() == 0 => {
                let help = "put the part that holds the value into ( )";
                self.refuse(Code::PatternUnsupported, subject, node.place, "the pattern has no group", help);
            }
            Ok(_) => {}
        }
    }
}

/// Pairs of a map whose keys are not among those known.
pub(crate) fn unknown<'n>(node: &'n Node, known: &[&str]) -> Vec<&'n (Key, Node)> {
    node.as_map().unwrap_or_default().iter().filter(|(key, _)| !known.contains(&key.name.as_str())).collect()
}

/// `path.key`, or the key alone at the top.
pub(crate) fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A value inside a message.
pub(crate) fn written(node: &Node) -> String {
    match &node.value {
        Value::Text(text) => format!("\"{}\"", shortened(text, 60)),
        Value::Number(number) => number.token().to_owned(),
        Value::Bool(b) => b.to_string(),
        _ => format!("a {}", node.kind()),
    }
}

fn missing(key: &str) -> String {
    format!("{key} is missing")
}
