//! Secrets never reach a file (threats.md R13): what is one is replaced by a placeholder before anything is hashed.
//!
//! Three kinds are known: credentials that probity itself places; what shows by where it stands in an answer
//! ([`Redactor::study`]: a cookie, a field called `access_token`, a JSON Web Token); and what the plan puts where
//! credentials stand ([`variables`]). Known once, a secret is searched for in everything that follows, in every spelling.
//!
//! A placeholder carries a digest keyed for the run, so that two places that held one secret still compare equal, and a
//! variable can be filled with it: what is written down is resolved from placeholders, what is sent from the values
//! ([`Redactor::reveal`]). Two things are no secrets: what is shorter than [`SEARCHABLE`], and what the plan writes out.

mod known;
mod placeholder;
mod search;
mod spelling;
mod structure;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

pub use known::{searchable, variables, written};
pub use placeholder::{Hidden, apart, hidden, holds, in_bytes, is_number, shows, spans};

use crate::coding;
use crate::json::{Json, Map, Number};
use crate::observe::Exchange;
use crate::vars::ENV_START;
use search::Search;
use structure::Found;

/// A secret shorter than this is never replaced: searching for it would hide evidence.
pub const SEARCHABLE: usize = 8;

/// No more secrets than these are searched for, and none that is longer than [`LONGEST`].
const MOST: usize = 20_000;
/// How much of a coded body is looked at that nobody decoded, in bytes.
pub const GLIMPSE: u64 = 64 << 20;
/// The longest secret, in bytes.
const LONGEST: usize = 64 * 1024;

/// Gives what the plan writes out.
pub type Written = Arc<dyn Fn() -> BTreeSet<String> + Send + Sync>;

/// Replaces secrets in bytes, and learns which there are.
#[derive(Clone, Default)]
pub struct Redactor {
    key: [u8; 32],
    /// What the plan writes out, worked out when it is first asked for: most runs never do.
    written: Option<Written>,
    plain: Option<BTreeSet<String>>,
    /// What the engine made: a text that holds it is no secret.
    ours: Vec<String>,
    secrets: Vec<Secret>,
    /// The number of the secret with this value, or with this placeholder.
    numbers: BTreeMap<String, usize>,
    search: Search,
}

#[derive(Clone)]
struct Secret {
    value: String,
    placeholder: String,
    number: bool,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} secrets)", self.secrets.len())
    }
}

impl Redactor {
    /// For these credentials, by the name of their variable. `key` is random, made for the run and then dropped.
    #[must_use]
    pub fn new(key: &[u8; 32], credentials: &[(String, String)]) -> Self {
        let mut redactor = Self { key: *key, ..Self::default() };
        for (name, value) in credentials {
            redactor.know(name, value, false);
        }
        redactor
    }

    /// With what is no secret: texts that the plan writes out, and what the engine made for the run.
    #[must_use]
    pub fn sparing(self, written: Written, ours: Vec<String>) -> Self {
        Self { written: Some(written), ours, ..self }
    }

    /// Whether there is nothing to replace.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Takes a value for a secret from now on, unless it is too short, or written in the plan.
    pub fn learn(&mut self, name: &str, value: &str) {
        self.know(name, value, false);
    }

    fn know(&mut self, name: &str, value: &str, number: bool) {
        let fits = (SEARCHABLE..=LONGEST).contains(&value.len()) && self.secrets.len() < MOST;
        // A placeholder that came back is hidden already.
        if !fits || self.numbers.contains_key(value) || holds(value) || self.spares(value) {
            return;
        }
        let placeholder = placeholder::of(&self.key, name, value, number);
        let at = self.secrets.len();
        self.search.add(value, at);
        self.numbers.insert(value.to_owned(), at);
        self.numbers.insert(placeholder.clone(), at);
        self.secrets.push(Secret { value: value.to_owned(), placeholder, number });
    }

    fn spares(&mut self, value: &str) -> bool {
        let Self { written, plain, ours, .. } = self;
        let plain = plain.get_or_insert_with(|| written.as_ref().map(|written| written()).unwrap_or_default());
        plain.contains(value) || ours.iter().any(|ours| value.contains(ours))
    }

    /// Learns what shows in an exchange.
    pub fn study(&mut self, exchange: &Exchange) {
        let mut found = Vec::new();
        for hop in &exchange.hops {
            structure::url(&hop.url, &mut found);
            for (name, value) in hop.headers.iter().chain(&hop.trailers).chain(&hop.sent_headers) {
                // Credentials are named in what was sent, not written.
                if !value.starts_with(ENV_START) {
                    structure::header(name, value, &mut found);
                }
            }
            match &hop.decoded {
                Some(decoded) => structure::body(decoded, hop.media().unwrap_or_default(), &mut found),
                None if coding::is_coded(&hop.headers) => {
                    structure::body(
                        &coding::glimpse(&hop.headers, &hop.wire, GLIMPSE),
                        hop.media().unwrap_or_default(),
                        &mut found,
                    );
                }
                None => structure::body(&hop.wire, hop.media().unwrap_or_default(), &mut found),
            }
        }
        self.take(found);
    }

    /// Learns what shows in the output of a program.
    pub fn study_output(&mut self, output: &[u8]) {
        let mut found = Vec::new();
        structure::body(output, "", &mut found);
        self.take(found);
    }

    fn take(&mut self, found: Vec<Found>) {
        for Found { name, value, number } in found {
            self.know(&name, &value, number);
        }
    }

    /// Whether a secret stands in the bytes, in whatever spelling.
    #[must_use]
    pub fn finds(&self, bytes: &[u8]) -> bool {
        self.search.any(bytes)
    }

    /// The bytes with every secret replaced, and how many there were. `cut`: they end where a cap was reached, perhaps
    /// in the middle of one.
    #[must_use]
    pub fn hide(&self, bytes: Vec<u8>, cut: bool) -> (Vec<u8>, u64) {
        if self.search.is_empty() {
            return (bytes, 0);
        }
        let mut hits = self.search.hits(&bytes);
        if cut {
            let last = hits.last().map_or(0, |(range, _)| range.end);
            hits.extend(self.search.cut_short(&bytes).filter(|(range, _)| range.start >= last));
        }
        let hidden: Vec<Range<usize>> = match std::str::from_utf8(&bytes) {
            Ok(text) if !hits.is_empty() => spans(text),
            _ => Vec::new(),
        };
        // What stands inside a placeholder is none of the secret.
        hits.retain(|(hit, _)| !hidden.iter().any(|span| span.start < hit.end && hit.start < span.end));
        if hits.is_empty() {
            return (bytes, 0);
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut from = 0;
        for (range, number) in &hits {
            out.extend_from_slice(&bytes[from..range.start]);
            let secret = &self.secrets[*number];
            let bare = secret.number && is_value(&bytes, range);
            let quote: &[u8] = if bare { b"\"" } else { b"" };
            out.extend([quote, secret.placeholder.as_bytes(), quote].concat());
            from = range.end;
        }
        out.extend_from_slice(&bytes[from..]);
        (out, hits.len() as u64)
    }

    /// The text with every secret replaced.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        match self.hide(text.as_bytes().to_vec(), false) {
            (_, 0) => text.to_owned(),
            (bytes, _) => String::from_utf8_lossy(&bytes).into_owned(),
        }
    }

    /// The value with every secret in its texts replaced.
    #[must_use]
    pub fn hidden_in(&self, value: &Json) -> Json {
        mapped(value, &|text| Json::Text(self.text(text)), &|number| match self.numbers.get(number.token()) {
            Some(at) => Json::Text(self.secrets[*at].placeholder.clone()),
            None => Json::Number(number.clone()),
        })
    }

    /// The value with what the placeholders of this run stand for in their places.
    #[must_use]
    pub fn reveal(&self, value: &Json) -> Json {
        mapped(value, &|text| self.revealed(text), &|number| Json::Number(number.clone()))
    }

    fn revealed(&self, text: &str) -> Json {
        let mut out = String::new();
        let mut from = 0;
        for span in spans(text) {
            let Some(secret) = self.numbers.get(&text[span.clone()]).map(|at| &self.secrets[*at]) else { continue };
            if secret.number && span == (0..text.len()) {
                return Number::parse(&secret.value).map_or_else(|| Json::from(text), Json::Number);
            }
            out.push_str(&text[from..span.start]);
            out.push_str(&secret.value);
            from = span.end;
        }
        out.push_str(&text[from..]);
        Json::Text(out)
    }

    /// Whether every placeholder in a text is one of this run, so that it can be revealed.
    #[must_use]
    pub fn knows_all(&self, text: &str) -> bool {
        spans(text).into_iter().all(|span| self.numbers.contains_key(&text[span]))
    }
}

/// Whether a number stands where JSON has a value, and not inside a text.
fn is_value(bytes: &[u8], range: &Range<usize>) -> bool {
    let before = bytes[..range.start].iter().rev().find(|b| !b.is_ascii_whitespace());
    let after = bytes[range.end..].iter().find(|b| !b.is_ascii_whitespace());
    matches!(before, Some(b':' | b'[' | b',')) && matches!(after, None | Some(b',' | b']' | b'}'))
}

/// A value with its texts and numbers replaced, at any depth; keys are texts as well.
fn mapped(value: &Json, text: &dyn Fn(&str) -> Json, number: &dyn Fn(&Number) -> Json) -> Json {
    match value {
        Json::Text(one) => text(one),
        Json::Number(one) => number(one),
        Json::List(items) => Json::List(items.iter().map(|item| mapped(item, text, number)).collect()),
        Json::Map(map) => {
            let key = |key: &str| match text(key) {
                Json::Text(key) => key,
                _ => key.to_owned(),
            };
            Json::Map(map.iter().map(|(name, item)| (key(name), mapped(item, text, number))).collect::<Map>())
        }
        Json::Null | Json::Bool(_) | Json::BrokenText(_) => value.clone(),
    }
}

#[cfg(test)]
mod tests;
