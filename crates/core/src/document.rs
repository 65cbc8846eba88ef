//! A document as a tree whose every node knows where it was written, so that an error can point at it.
//!
//! `formats` makes it from YAML or JSON; expansion moves nodes about and keeps their places.

mod lines;

use std::ops::Range;

use smol_str::SmolStr;

use crate::json::{Json, Map, Number, Pretty};

pub use lines::Lines;

/// Where something stands in a text. Lines and columns count from 1, columns in characters; offsets are bytes. Every
/// node of every document has one, so it is kept small: no document has 4 GiB.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Place {
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset after the last byte.
    pub end: u32,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl Place {
    /// A place of these offsets, line and column; numbers that no document reaches become the largest there are.
    #[must_use]
    pub fn new(start: usize, end: usize, line: usize, column: usize) -> Self {
        let [start, end, line, column] =
            [start, end, line, column].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        Self { start, end, line, column }
    }

    /// The bytes from first to last.
    #[must_use]
    pub const fn bytes(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value with its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Where it was written; for a node made by expansion, what it was made from.
    pub place: Place,
}

/// The value of a node. Keys of one map differ: readers of documents refuse repeated keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// `null`, `~`, or nothing
    Null,
    /// `true`, `false`
    Bool(bool),
    /// A number as its token.
    Number(Number),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map in written order.
    Map(Vec<(Key, Node)>),
}

/// The key of a pair.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    /// The key.
    pub name: SmolStr,
    /// Where it was written.
    pub place: Place,
}

impl Node {
    /// A node at a place.
    #[must_use]
    pub const fn new(value: Value, place: Place) -> Self {
        Self { value, place }
    }

    /// A text node at a place.
    #[must_use]
    pub fn text(text: impl Into<String>, place: Place) -> Self {
        Self::new(Value::Text(text.into()), place)
    }

    /// A node for a value that was not read from a document; every part stands at `place`.
    #[must_use]
    pub fn from_json(json: &Json, place: Place) -> Self {
        let value = match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(number) => Value::Number(number.clone()),
            Json::Text(text) | Json::BrokenText(text) => Value::Text(text.clone()),
            Json::List(items) => Value::List(items.iter().map(|item| Self::from_json(item, place)).collect()),
            Json::Map(map) => Value::Map(
                map.iter()
                    .map(|(name, item)| (Key { name: name.into(), place }, Self::from_json(item, place)))
                    .collect(),
            ),
        };
        Self::new(value, place)
    }

    /// A map node made of pairs whose keys stand where their values stand.
    #[must_use]
    pub fn map(pairs: Vec<(&str, Node)>, place: Place) -> Self {
        let pairs =
            pairs.into_iter().map(|(name, node)| (Key { name: name.into(), place: node.place }, node)).collect();
        Self::new(Value::Map(pairs), place)
    }

    /// The pairs, if this is a map.
    #[must_use]
    pub fn as_map(&self) -> Option<&[(Key, Node)]> {
        match &self.value {
            Value::Map(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The items, if this is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Node]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// The text, if this is a text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(b) => Some(b),
            _ => None,
        }
    }

    /// The node under a key, if this is a map that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.as_map()?.iter().find(|(k, _)| k.name == key).map(|(_, node)| node)
    }

    /// The name of the value's type, as messages use it.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(_) => "number",
            Value::Text(_) => "text",
            Value::List(_) => "list",
            Value::Map(_) => "map",
        }
    }

    /// The value without its places.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Number(number) => Json::Number(number.clone()),
            Value::Text(text) => Json::Text(text.clone()),
            Value::List(items) => Json::List(items.iter().map(Self::to_json).collect()),
            Value::Map(pairs) => {
                Json::Map(pairs.iter().map(|(k, node)| (k.name.clone(), node.to_json())).collect::<Map>())
            }
        }
    }

    /// The value as indented JSON with a line end, as [`Json::pretty`] writes it.
    #[must_use]
    pub fn pretty(&self) -> String {
        let mut out = Pretty::default();
        self.draw(&mut out);
        out.finish()
    }

    fn draw(&self, out: &mut Pretty<'_>) {
        match &self.value {
            Value::List(items) => out.list(|out| items.iter().for_each(|item| item.draw(out))),
            Value::Map(pairs) => out.map(|out| {
                for (key, item) in pairs {
                    out.key(&key.name);
                    item.draw(out);
                }
            }),
            Value::Text(text) => out.text(text),
            Value::Number(number) => out.word(number.token()),
            Value::Bool(b) => out.word(if *b { "true" } else { "false" }),
            Value::Null => out.word("null"),
        }
    }
}
