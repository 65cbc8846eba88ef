//! RFC 9535 queries over the shadow of a document, within a budget that is known before they run.

use serde_json::Value;
use serde_json_path::{JsonPath, PathElement};

use super::shadow::Shadow;
use super::{Cause, Unknown, Way};
use crate::path::{DEEPEST, LONGEST};

/// The most places that one query may name.
const MAX_LOCATED: usize = 100_000;
/// The most visits that one query may need, by the estimate below.
const MAX_VISITS: u128 = 2_000_000;
/// Visits that compiling a pattern for one node counts as; one with a counted repetition or from the document counts
/// a hundredfold.
const PATTERN: u128 = 1000;

/// The ways to the values that a query names.
pub(super) fn query(text: &str, plural: bool, shadow: &Shadow) -> Result<Vec<Vec<Way>>, Unknown> {
    let shape = Shape::of(text)?;
    shape.check_exact(shadow)?;
    if shape.visits(&shadow.value) > MAX_VISITS {
        return Err(Unknown::new(Cause::Budget, format!("the query would visit more than {MAX_VISITS} places")));
    }
    let path = JsonPath::parse(text).map_err(|e| Unknown::new(Cause::Plan, format!("the path cannot be read: {e}")))?;
    let located = path.query_located(&shadow.value);
    if located.len() > MAX_LOCATED {
        return Err(Unknown::new(Cause::Budget, format!("the query names more than {MAX_LOCATED} places")));
    }
    // The shadow has the last of two values under one key; a place in the first would not be found.
    if shadow.repeated_key && (plural || shape.selects() || located.is_empty()) {
        return Err(Unknown::new(Cause::RepeatedKey, "a key stands twice in the document that the query goes through"));
    }
    Ok(located.iter().map(|node| node.location().iter().map(way).collect()).collect())
}

fn way(element: &PathElement<'_>) -> Way {
    match element {
        PathElement::Name(name) => Way::Key((*name).to_owned()),
        PathElement::Index(index) => Way::Index(*index),
    }
}

/// What the cost of a query depends on, read off its text.
#[derive(Default, Debug)]
struct Shape {
    /// `,`: each doubles the number of paths at most.
    commas: u32,
    /// `..`
    descents: u32,
    /// `*`, `:`, `?` or `..` outside filters.
    plural: bool,
    /// By nesting of filters: whether a query inside has such a mark.
    filters: Vec<bool>,
    /// `match` or `search` stands in a filter.
    pattern: bool,
    /// A pattern may have counted repetitions, or come from the document.
    wild_pattern: bool,
    /// A number that a double cannot hold.
    long_number: bool,
}

impl Shape {
    fn of(text: &str) -> Result<Self, Unknown> {
        let limit = |why: &str| Err(Unknown::new(Cause::Budget, format!("the path is {why}")));
        if text.len() > LONGEST {
            return limit("longer than a path may be");
        }
        let mut shape = Self::default();
        // For each open bracket or parenthesis: whether it holds a filter.
        let mut open: Vec<bool> = Vec::new();
        let bare = without_quotes(text);
        let mut before = ' ';
        for c in bare.chars() {
            let depth = open.iter().filter(|filter| **filter).count();
            match c {
                '[' | '(' => open.push(false),
                ']' | ')' => {
                    open.pop();
                }
                ',' => shape.commas += 1,
                '?' => {
                    shape.mark(depth);
                    if let Some(filter) = open.last_mut() {
                        *filter = true;
                    }
                    shape.filters.resize(shape.filters.len().max(depth + 1), false);
                }
                '*' | ':' => shape.mark(depth),
                '.' if before == '.' => {
                    shape.descents += 1;
                    shape.mark(depth);
                }
                _ => {}
            }
            if open.len() > DEEPEST {
                return limit("nested deeper than a path may be");
            }
            before = c;
        }
        shape.pattern = !shape.filters.is_empty() && (bare.contains("match") || bare.contains("search"));
        // A literal pattern leaves `""` behind its comma; anything else is a query into the document.
        let literal = bare.split(',').skip(1).all(|rest| rest.trim_start().starts_with(['"', '\'']));
        shape.wild_pattern = shape.pattern && (text.contains('{') || !literal);
        shape.long_number = bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).any(is_long);
        Ok(shape)
    }

    fn mark(&mut self, depth: usize) {
        match depth.checked_sub(1) {
            None => self.plural = true,
            Some(depth) => {
                self.filters.resize(self.filters.len().max(depth + 1), false);
                self.filters[depth] = true;
            }
        }
    }

    const fn selects(&self) -> bool {
        self.plural || self.commas > 0
    }

    /// Filters compare values, and must not compare what the shadow has rounded or replaced.
    fn check_exact(&self, shadow: &Shadow) -> Result<(), Unknown> {
        if self.filters.is_empty() {
            return Ok(());
        }
        if shadow.rounded || self.long_number {
            return Err(Unknown::new(Cause::Inexact, "the filter would round numbers of more than fifteen digits"));
        }
        if shadow.broken_text {
            return Err(Unknown::new(Cause::BrokenText, "the filter would read a text with an unpaired surrogate"));
        }
        Ok(())
    }

    /// An upper bound of the places that are visited.
    fn visits(&self, root: &Value) -> u128 {
        if !self.selects() {
            return 1;
        }
        let (nodes, depth) = size(root);
        let mut visits = nodes.saturating_mul(1 << self.commas.min(64));
        for _ in 1..self.descents {
            visits = visits.saturating_mul(depth);
        }
        for plural in &self.filters {
            visits = visits.saturating_mul(if *plural { nodes } else { 1 });
        }
        let pattern = PATTERN * if self.wild_pattern { 100 } else { 1 };
        visits.saturating_mul(if self.pattern { pattern } else { 1 })
    }
}

fn is_long(token: &str) -> bool {
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    let exponent = token.split_once(['e', 'E']).map_or(0, |(_, exponent)| exponent.len());
    token.starts_with(|c: char| c.is_ascii_digit()) && (digits > 15 || exponent > 2)
}

/// How many values there are, and how deep they nest.
fn size(value: &Value) -> (u128, u128) {
    let join = |(nodes, depth): (u128, u128), (n, d): (u128, u128)| (nodes + n, depth.max(d + 1));
    match value {
        Value::Array(items) => items.iter().map(size).fold((1, 1), join),
        Value::Object(map) => map.values().map(size).fold((1, 1), join),
        _ => (1, 1),
    }
}

/// The text with the inside of its quoted parts taken out.
fn without_quotes(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        bare.push(c);
        if c == '\'' || c == '"' {
            while let Some(inner) = chars.next() {
                if inner == '\\' {
                    chars.next();
                } else if inner == c {
                    bare.push(c);
                    break;
                }
            }
        }
    }
    bare
}
