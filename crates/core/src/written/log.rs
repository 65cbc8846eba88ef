//! `log` steps.

use super::expect::{self, Out};
use super::fields::{Fields, Writing};
use super::http::poll;
use super::reference::fixed;
use super::step::{Built, Verb};
use crate::document::Node;

/// A log has texts alone, so that nothing is saved or kept of it.
const FIELDS: [&str; 7] = ["log", "poll", "expect", "title", "shows", "covers", "continue"];

/// Expands one.
pub(super) fn step(node: &Node, w: &mut Writing) -> Option<Built> {
    let fields = Fields::of(node, "a log step", &FIELDS, w)?;
    let service = fields.get("log")?;
    if service.as_text().is_none() {
        w.wrong_type(service, "`log`", "the id of a service");
        return None;
    }
    let mut out: Out = vec![("service", fixed(service, "the id of a service", w))];
    if let Some(node) = fields.get("poll") {
        poll(node, &mut out, w);
    }
    if let Some(node) = fields.get("expect") {
        expect::log(node, &mut out, w);
    }
    let sentence = format!("look into the log of {}", service.as_text().unwrap_or_default());
    Some(Built { action: "log", verb: Verb::Log, sentence, fields: out })
}
