//! What was seen, held against the expectations (plan.md, "Expectations").
//!
//! Three values: a check holds, fails, or cannot be evaluated; the last never turns into holding, under `not` and
//! `anyOf` too. The engine and the derivation call the same functions over the same bytes.

mod compare;
mod document;
mod hidden;
mod leaf;
mod locate;
mod operands;
mod operators;
mod render;
mod save;
mod schema;
mod shadow;
mod step;
#[cfg(test)]
mod tests;
mod text;
mod work;

pub use document::{Document, Spot, Way};
pub use save::save;
pub use step::{evaluate, implied_status, verdict_of};

use smol_str::SmolStr;

use crate::document::Place;
use crate::expect::Channel;

/// Captured bytes of one channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes<'a> {
    /// What was kept.
    pub kept: &'a [u8],
    /// Whether that is all: nothing was cut and no cap was reached.
    pub complete: bool,
}

/// What a step saw, as its checks need it. What does not apply to the step is `None`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen<'a> {
    /// Status of the last answer.
    pub status: Option<u16>,
    /// Exit code.
    pub exit: Option<i32>,
    /// Header lines of the last answer, in order.
    pub headers: &'a [(String, String)],
    /// `1.0`, `1.1` or `2`.
    pub http_version: Option<&'a str>,
    /// The URL that was asked first.
    pub url: Option<&'a str>,
    /// The first `Location` of the exchange, after the URL of the answer that carried it.
    pub first_location: Option<(&'a str, &'a str)>,
    /// The whole call in microseconds.
    pub time_us: u64,
    /// The decoded body of the last answer, where a check looks into it.
    pub body: Option<Bytes<'a>>,
    /// Its size in bytes, where it was not cut.
    pub size: Option<u64>,
    /// Standard output.
    pub stdout: Option<Bytes<'a>>,
    /// Standard error.
    pub stderr: Option<Bytes<'a>>,
    /// What a service wrote.
    pub log: Option<Bytes<'a>>,
    /// The body that was sent.
    pub request: Option<Bytes<'a>>,
}

impl<'a> Seen<'a> {
    /// The bytes of a channel.
    #[must_use]
    pub const fn channel(&self, channel: Channel) -> Option<Bytes<'a>> {
        match channel {
            Channel::Body => self.body,
            Channel::Stdout => self.stdout,
            Channel::Stderr => self.stderr,
            Channel::Log => self.log,
            Channel::Request => self.request,
        }
    }
}

/// Gives the sealed bytes of a file by the name that the plan writes.
pub type Files<'a> = dyn Fn(&str) -> Option<Vec<u8>> + 'a;

/// The three values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Truth {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// It cannot be evaluated.
    Unknown,
}

impl Truth {
    /// As answers write it under `holds`: `true`, `false`, `unknown`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "true",
            Self::Fails => "false",
            Self::Unknown => "unknown",
        }
    }

    const fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

/// Why a check cannot be evaluated, for those who decide what follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The step has no such channel, status or exit code.
    NotCaptured,
    /// The bytes are not all there.
    Incomplete,
    /// Nothing stands at the place.
    Missing,
    /// The value is of a type that the operator does not take.
    WrongType,
    /// A key stands twice where the value was looked for.
    RepeatedKey,
    /// A text with an unpaired surrogate.
    BrokenText,
    /// The channel holds no readable JSON.
    NotJson,
    /// The channel holds no text in a charset that is read.
    NotText,
    /// Numbers that a query or schema would round.
    Inexact,
    /// More places, or more work, than the budget allows.
    Budget,
    /// A variable of the expectation has no value, or its reference cannot be filled.
    Reference,
    /// The expectation itself cannot be used: a pattern, path, schema or file.
    Plan,
}

impl Cause {
    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotCaptured => "not_captured",
            Self::Incomplete => "incomplete",
            Self::Missing => "missing",
            Self::WrongType => "wrong_type",
            Self::RepeatedKey => "repeated_key",
            Self::BrokenText => "broken_text",
            Self::NotJson => "not_json",
            Self::NotText => "not_text",
            Self::Inexact => "inexact",
            Self::Budget => "budget",
            Self::Reference => "reference",
            Self::Plan => "plan",
        }
    }
}

/// What one check came to: each path with each of its operators is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckResult {
    /// What was looked at: `status`, `header content-type`, `json total`, `stdout json total`, `text`.
    pub what: SmolStr,
    /// The operator as plans write it.
    pub op: SmolStr,
    /// The operand, at most 200 characters; with its type when that is what differs.
    pub expected: SmolStr,
    /// The variables that the operand came from, if it came from any.
    pub expected_from: Option<SmolStr>,
    /// What was seen, at most 200 characters.
    pub saw: SmolStr,
    /// Whether it holds.
    pub truth: Truth,
    /// Why it cannot be evaluated, as a sentence without its full stop.
    pub why: Option<SmolStr>,
    /// The same as a word.
    pub cause: Option<Cause>,
    /// The channel that was looked at, if it was one.
    pub channel: Option<Channel>,
    /// The path, for checks over JSON.
    pub path: Option<SmolStr>,
    /// The alternative of `jsonAny` that this belongs to, counted from 0.
    pub alternative: Option<usize>,
    /// Whether it depends on what a placeholder hides, so that only who was there has seen it (threats.md R13).
    pub hidden: bool,
    /// The number of the check in the step, counted from 0.
    pub check: usize,
    /// Where the check was written.
    pub place: Place,
}

impl CheckResult {
    /// Whether the check looked at something that was received, so that it can support a test.
    #[must_use]
    pub fn supports(&self) -> bool {
        self.channel != Some(Channel::Request)
    }
}

/// A reason why something cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// As a word.
    pub cause: Cause,
    /// As a sentence without its full stop.
    pub why: String,
}

impl Unknown {
    fn new(cause: Cause, why: impl Into<String>) -> Self {
        Self { cause, why: why.into() }
    }
}

/// The outcome of a comparison: `Ok` says whether it holds.
type Outcome = Result<bool, Unknown>;
