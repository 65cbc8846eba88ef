//! Expectations: what a step's answer must be like (plan.md, "Expectations").
//!
//! A check holds, does not hold, or cannot be evaluated; the last never counts as holding, under `not` and `anyOf` too.

use crate::document::Place;
use crate::json::Json;
use crate::path::Path;

/// One check of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What is looked at and how.
    pub what: What,
    /// Where it was written.
    pub place: Place,
}

/// What a check looks at. Operands are data that may hold `$var`, `$template` references.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The status is one of these.
    Status(Vec<u16>),
    /// The exit code is one of these.
    Exit(Vec<i32>),
    /// A response header, by name without case.
    Header(String, Expect),
    /// All of these over the JSON of a channel.
    Json(Channel, Vec<(Path, Expect)>),
    /// One of these alternatives over the JSON of a channel.
    JsonAny(Channel, Vec<Vec<(Path, Expect)>>),
    /// The text of a channel contains each of these (`true`), or none of them (`false`).
    Contains(Channel, Vec<Json>, bool),
    /// Operators over the whole text of a channel.
    Text(Channel, Expect),
    /// The answer took at most this many ms.
    Time(u64),
    /// The size of the body in bytes.
    Size(Vec<Op>),
    /// The first `Location`, both resolved against the request.
    Redirect(Json),
    /// `1.1` or `2`.
    HttpVersion(String),
    /// The JSON of a channel is valid under the JSON Schema in this file.
    Schema(Channel, String),
}

/// A stream of bytes that a step captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// The decoded response body.
    Body,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// What a service wrote.
    Log,
    /// The request body that was sent; checks on it support nothing.
    Request,
}

/// A conjunction of operators. `DATA` is `[Equals]`, the words are `[Exists]`, `[Missing]`, `[NotNull]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expect(pub Vec<Op>);

/// An operator with its operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Exact equality; numbers as decimals.
    Equals(Json),
    /// One of these.
    OneOf(Vec<Json>),
    /// The inner expectation does not hold.
    Not(Box<Expect>),
    /// One of these holds.
    AnyOf(Vec<Expect>),
    /// The type.
    Type(JsonType),
    /// Text in text, element in list (`true`), or its absence (`false`).
    Contains(Json, bool),
    /// The text begins so.
    StartsWith(Json),
    /// The text ends so.
    EndsWith(Json),
    /// The pattern is found in the text.
    Matches(String),
    /// Compared with a number.
    Compare(Comparison, Json),
    /// The length of a text in characters, of a list or map in elements.
    Length(Vec<Op>),
    /// Valid under the JSON Schema in this file.
    Schema(String),
    /// Something is there (null too).
    Exists,
    /// Nothing is there.
    Missing,
    /// Something other than null is there.
    NotNull,
    /// Holds for some element.
    Any(Box<Expect>),
    /// Holds for each element, and there is one.
    All(Box<Expect>),
    /// How many elements there are.
    Count(Vec<Op>),
}

impl What {
    /// Calls `visit` with each expectation over values: one for each header or text, one for each path.
    fn each_expectation<'a>(&'a self, visit: &mut dyn FnMut(&'a Expect)) {
        match self {
            Self::Header(_, expect) | Self::Text(_, expect) => visit(expect),
            Self::Json(_, pairs) => pairs.iter().for_each(|(_, expect)| visit(expect)),
            Self::JsonAny(_, branches) => branches.iter().flatten().for_each(|(_, expect)| visit(expect)),
            Self::Contains(..)
            | Self::Size(_)
            | Self::Redirect(_)
            | Self::Status(_)
            | Self::Exit(_)
            | Self::Time(_)
            | Self::HttpVersion(_)
            | Self::Schema(..) => {}
        }
    }

    /// Calls `visit` with every operand, at any depth, in written order.
    pub fn each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Json)) {
        match self {
            Self::Contains(_, items, _) => items.iter().for_each(visit),
            Self::Size(ops) => ops.iter().for_each(|op| op.each_operand(visit)),
            Self::Redirect(value) => visit(value),
            other => other.each_expectation(&mut |expect| expect.0.iter().for_each(|op| op.each_operand(visit))),
        }
    }

    /// The same as a list.
    #[must_use]
    pub fn operands(&self) -> Vec<&Json> {
        let mut found = Vec::new();
        self.each_operand(&mut |operand| found.push(operand));
        found
    }

    /// The schema files that it reads.
    #[must_use]
    pub fn schema_files(&self) -> Vec<&str> {
        match self {
            Self::Schema(_, file) => vec![file],
            other => {
                let mut found = Vec::new();
                other.each_expectation(&mut |expect| {
                    for op in &expect.0 {
                        op.walk(&mut |op| {
                            if let Op::Schema(file) = op {
                                found.push(file.as_str());
                            }
                        });
                    }
                });
                found
            }
        }
    }
}

impl Op {
    /// Calls `visit` with this operator and each one inside it.
    fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        match self {
            Self::Not(inner) | Self::Any(inner) | Self::All(inner) => inner.0.iter().for_each(|op| op.walk(visit)),
            Self::AnyOf(branches) => branches.iter().flat_map(|branch| &branch.0).for_each(|op| op.walk(visit)),
            Self::Length(ops) | Self::Count(ops) => ops.iter().for_each(|op| op.walk(visit)),
            Self::Equals(_)
            | Self::OneOf(_)
            | Self::Type(_)
            | Self::Contains(..)
            | Self::StartsWith(_)
            | Self::EndsWith(_)
            | Self::Matches(_)
            | Self::Compare(..)
            | Self::Schema(_)
            | Self::Exists
            | Self::Missing
            | Self::NotNull => {}
        }
    }

    /// Calls `visit` with every operand, at any depth, in written order.
    pub fn each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Json)) {
        self.walk(&mut |op| match op {
            Self::Equals(data)
            | Self::Contains(data, _)
            | Self::StartsWith(data)
            | Self::EndsWith(data)
            | Self::Compare(_, data) => visit(data),
            Self::OneOf(items) => items.iter().for_each(&mut *visit),
            Self::Not(_)
            | Self::AnyOf(_)
            | Self::Any(_)
            | Self::All(_)
            | Self::Length(_)
            | Self::Count(_)
            | Self::Type(_)
            | Self::Matches(_)
            | Self::Schema(_)
            | Self::Exists
            | Self::Missing
            | Self::NotNull => {}
        });
    }

    /// The same as a list.
    #[must_use]
    pub fn operands(&self) -> Vec<&Json> {
        let mut found = Vec::new();
        self.each_operand(&mut |operand| found.push(operand));
        found
    }
}

/// The order operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `>`
    Gt,
    /// `>=`
    Gte,
    /// `<`
    Lt,
    /// `<=`
    Lte,
}

/// Names of the `type` operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonType {
    /// A map.
    Object,
    /// A list.
    Array,
    /// A text.
    String,
    /// A number.
    Number,
    /// A number whose value is whole.
    Integer,
    /// A truth value.
    Boolean,
    /// Null.
    Null,
}
