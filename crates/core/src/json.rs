//! JSON as it stood: numbers as their tokens, repeated keys kept, unpaired surrogates marked.
//!
//! `serde_json::Value` rounds numbers, forgets repeated keys and refuses what some servers send; a verdict
//! must not depend on any of that (threats.md R14, crates.md 3.5).

mod exact;
mod placed;
mod pretty;
mod read;
mod write;

use std::fmt;

use smol_str::SmolStr;

pub(crate) use exact::read_canonical;
pub use placed::read_placed;
pub use pretty::{Pretty, Spill};
pub use read::{JsonError, JsonFault, Limits, read};
pub(crate) use write::write_canonical;
pub use write::{NotCanonical, canonical};

/// One JSON value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Json {
    /// `null`
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number, as its token.
    Number(Number),
    /// A text.
    Text(String),
    /// A text that held an unpaired surrogate, with U+FFFD in its place. No check on it can be evaluated.
    BrokenText(String),
    /// A list.
    List(Vec<Json>),
    /// A map.
    Map(Map),
}

/// The token of a JSON number, as it was written: `29.97`, `1e400`, `18446744073709551617`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number(SmolStr);

impl Number {
    /// Reads a token of RFC 8259's number grammar.
    #[must_use]
    pub fn parse(token: &str) -> Option<Self> {
        read::is_number(token).then(|| Self(token.into()))
    }

    /// The token.
    #[must_use]
    pub fn token(&self) -> &str {
        &self.0
    }

    /// The value, where it is an integer that fits without loss.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The value, where it is a non-negative integer that fits without loss.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        self.0.parse().ok()
    }
}

/// A map in the order it was written. Repeated keys are kept, so that a check can refuse them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Map(Vec<(SmolStr, Json)>);

/// What a map holds under a key. Missing, twice and one value are three things.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup<'a> {
    /// No such key.
    Missing,
    /// One value (`null` is a value).
    One(&'a Json),
    /// The key stands more than once.
    Twice,
}

impl Map {
    /// An empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// What stands under `key`.
    #[must_use]
    pub fn lookup(&self, key: &str) -> Lookup<'_> {
        let mut found = self.0.iter().filter(|(k, _)| k == key);
        match (found.next(), found.next()) {
            (None, _) => Lookup::Missing,
            (Some((_, value)), None) => Lookup::One(value),
            (Some(_), Some(_)) => Lookup::Twice,
        }
    }

    /// The value under `key`, if the key stands exactly once.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self.lookup(key) {
            Lookup::One(value) => Some(value),
            Lookup::Missing | Lookup::Twice => None,
        }
    }

    /// Takes out the first value under `key`. The order of what is left does not hold any more.
    pub(crate) fn take(&mut self, key: &str) -> Option<Json> {
        let position = self.0.iter().position(|(k, _)| k == key)?;
        Some(self.0.swap_remove(position).1)
    }

    /// Adds a pair at the end; the caller sees to it that the key is new.
    pub fn push(&mut self, key: impl Into<SmolStr>, value: impl Into<Json>) {
        self.0.push((key.into(), value.into()));
    }

    /// The pairs in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.0.iter().map(|(k, v)| (k.as_str(), v))
    }

    /// The pairs in order, to change the values.
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = (&str, &mut Json)> {
        self.0.iter_mut().map(|(k, v)| (k.as_str(), v))
    }

    /// How many pairs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether some key stands more than once here (not below).
    #[must_use]
    pub fn has_repeated_key(&self) -> bool {
        let mut keys: Vec<&str> = self.0.iter().map(|(k, _)| k.as_str()).collect();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }
}

impl<K: Into<SmolStr>, V: Into<Json>> FromIterator<(K, V)> for Map {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect())
    }
}

impl Json {
    /// A map of the given pairs, in that order.
    pub fn map<K: Into<SmolStr>, V: Into<Json>>(pairs: impl IntoIterator<Item = (K, V)>) -> Self {
        Self::Map(pairs.into_iter().collect())
    }

    /// A list.
    pub fn list<V: Into<Json>>(items: impl IntoIterator<Item = V>) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }

    /// The value under `key`, if this is a map that holds it exactly once.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.as_map()?.get(key)
    }

    /// The map.
    #[must_use]
    pub const fn as_map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Json]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The number, where it is a non-negative integer that fits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.as_u64(),
            _ => None,
        }
    }

    /// The name of the value's type, as messages and the `type` operator use it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::Text(_) | Self::BrokenText(_) => "text",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        }
    }
}

/// Compact JSON text, keys in the order they stand, numbers as their tokens.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write::compact(self, f)
    }
}

impl Json {
    /// Indented JSON text with a line end, as views are written.
    #[must_use]
    pub fn pretty(&self) -> String {
        let mut out = Pretty::default();
        out.value(self);
        out.finish()
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&String> for Json {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<bool> for Json {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

macro_rules! from_integer {
    ($($t:ty),*) => {$(
        impl From<$t> for Json {
            fn from(n: $t) -> Self {
                Self::Number(Number(smol_str::format_smolstr!("{n}")))
            }
        }
    )*};
}
from_integer!(i32, i64, u8, u16, u32, u64, usize);

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}

impl From<Map> for Json {
    fn from(map: Map) -> Self {
        Self::Map(map)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Self::list(items)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl From<crate::ids::Digest> for Json {
    fn from(digest: crate::ids::Digest) -> Self {
        Self::Text(digest.to_string())
    }
}

impl From<&crate::ids::Id> for Json {
    fn from(id: &crate::ids::Id) -> Self {
        Self::Text(id.to_string())
    }
}
