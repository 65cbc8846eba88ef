//! A JSON document of a channel, and the places that a path names in it.

use std::cell::OnceCell;

use super::locate;
use super::shadow::Shadow;
use super::{Bytes, Cause, Unknown};
use crate::json::{Json, JsonFault, Limits, Lookup, read};
use crate::path::{Path, PathSteps};

/// A document that was read from captured bytes.
#[derive(Debug)]
pub struct Document {
    root: Json,
    shadow: OnceCell<Shadow>,
}

/// A value in a document, with the way to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot<'a> {
    /// The value.
    pub value: &'a Json,
    /// The steps from the root.
    pub way: Vec<Way>,
}

/// One step down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// Into a map.
    Key(String),
    /// Into a list, from 0.
    Index(usize),
}

impl Document {
    /// Reads the JSON of a channel.
    ///
    /// # Errors
    /// Cut bytes give no document at all, since what is missing may change what everything means; nor do empty
    /// bytes, or a text with a fault, whose place is named. What is deeper or larger than is read may well be JSON:
    /// nothing is said of it.
    pub fn read(bytes: Bytes<'_>) -> Result<Self, Unknown> {
        if !bytes.complete {
            return Err(Unknown::new(Cause::Incomplete, "the bytes were cut, and cut JSON is no JSON"));
        }
        if bytes.kept.iter().all(u8::is_ascii_whitespace) {
            return Err(Unknown::new(Cause::NotJson, "it is empty and so no JSON"));
        }
        let root = read(bytes.kept, &Limits::default()).map_err(|fault| match fault.kind {
            JsonFault::TooLarge => Unknown::new(Cause::Budget, format!("it is more JSON than is read: {fault}")),
            _ => Unknown::new(Cause::NotJson, format!("it is no JSON: {fault}")),
        })?;
        Ok(Self::new(root))
    }

    /// A document of a value at hand.
    #[must_use]
    pub const fn new(root: Json) -> Self {
        Self { root, shadow: OnceCell::new() }
    }

    /// The whole value.
    #[must_use]
    pub const fn root(&self) -> &Json {
        &self.root
    }

    /// The values that a path names, in document order; none when nothing stands there. A path that is not plural
    /// names one at most.
    ///
    /// # Errors
    /// A repeated key on the way, so that two readers would see two values; a query that costs too much, or whose
    /// filter would round numbers.
    pub fn locate(&self, path: &Path) -> Result<Vec<Spot<'_>>, Unknown> {
        match &path.steps {
            PathSteps::Names(names) => Ok(self.walk(names)?.into_iter().collect()),
            PathSteps::Query { plural } => {
                let shadow = self.shadow.get_or_init(|| Shadow::of(&self.root));
                let ways = locate::query(&path.text, *plural, shadow)?;
                ways.into_iter().map(|way| self.follow(way)).collect()
            }
        }
    }

    /// Names: digits index a list and name a key in a map.
    fn walk(&self, names: &[String]) -> Result<Option<Spot<'_>>, Unknown> {
        let (mut value, mut way) = (&self.root, Vec::with_capacity(names.len()));
        for name in names {
            let step = match value {
                Json::List(_) => match name.parse() {
                    Ok(index) if name.bytes().all(|c| c.is_ascii_digit()) => Way::Index(index),
                    _ => return Ok(None),
                },
                _ => Way::Key(name.clone()),
            };
            let Some(next) = down(value, &step)? else { return Ok(None) };
            value = next;
            way.push(step);
        }
        Ok(Some(Spot { value, way }))
    }

    fn follow(&self, way: Vec<Way>) -> Result<Spot<'_>, Unknown> {
        let mut value = &self.root;
        for step in &way {
            let gone = || Unknown::new(Cause::Plan, "the query named a place that the document does not have");
            value = down(value, step)?.ok_or_else(gone)?;
        }
        Ok(Spot { value, way })
    }
}

fn down<'a>(value: &'a Json, step: &Way) -> Result<Option<&'a Json>, Unknown> {
    match (value, step) {
        (Json::List(items), Way::Index(index)) => Ok(items.get(*index)),
        (Json::Map(map), Way::Key(key)) => match map.lookup(key) {
            Lookup::One(value) => Ok(Some(value)),
            Lookup::Missing => Ok(None),
            Lookup::Twice => Err(Unknown::new(
                Cause::RepeatedKey,
                format!("the key {key:?} stands twice, so two readers see two values"),
            )),
        },
        _ => Ok(None),
    }
}
