//! Whether the checks of a step can fail (plan.md "Vacuity", threats.md R7).
//!
//! The checks that hold are asked again over mutants of the captured answer:
//! * (a) an empty body or standard output, the status or exit code kept;
//! * (b) that with another status or exit code: 500 and 1, or 200 and 0 where the answer was an error already;
//! * (c) each asserted place removed; (d) each asserted value replaced by another of its type.
//!
//! Only checks that could support a test are asked: not those on what was sent, and not echoes. The first that a mutant
//! other than (b) breaks decides, and each mutant is shown to those checks alone that look at what it changed. Most
//! steps need no mutant at all: nothing holds over the JSON of an empty channel, so that a check on JSON, and with it
//! each path that (c) and (d) would change, is broken by (a). No mutant needs the captured bytes, so none are read.

use smol_str::SmolStr;

use crate::evaluate::{Bytes, CheckResult, Files, Seen, Truth, evaluate};
use crate::expect::{Channel, Check, Expect, Op, What};
use crate::ids::Digest;
use crate::journal::observation::Observation;
use crate::lint::{Provenance, provenance};
use crate::plan::{Scenario, Step};
use crate::step::without_bytes;
use crate::vars::Vars;

/// What the checks of a step can bear, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strength {
    /// They hold on every mutant: nothing.
    Vacuous,
    /// Only another status or exit code breaks them: a criterion that is about it, and an absence.
    StatusOnly,
    /// The content of the answer breaks them: a test.
    Sound,
}

impl Strength {
    /// As answers write it: `sound`, `status_only`, `vacuous`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Vacuous => "vacuous",
            Self::StatusOnly => "status_only",
            Self::Sound => "sound",
        }
    }

    /// The same for people, with what it means.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Vacuous => "vacuous: its checks hold whatever is answered",
            Self::StatusOnly => "status only: nothing but another status or exit code breaks its checks",
            Self::Sound => "sound: another answer breaks its checks",
        }
    }
}

/// Whether a value was in the step's own input, or is taken from the answer that it should judge. Decided by variables
/// as in the plan check, never by equal text.
#[must_use]
pub fn is_echo(step: &Step, scenario: &Scenario, variable: &str) -> bool {
    matches!(provenance(step, scenario, &[], variable), Provenance::Echo | Provenance::SelfDerived { .. })
}

/// Whether a check that holds can support a test: it looks at something received and is no echo.
#[must_use]
pub fn can_support(step: &Step, scenario: &Scenario, check: &CheckResult) -> bool {
    let echo = |names: &SmolStr| names.split(", ").all(|name| is_echo(step, scenario, name));
    check.truth == Truth::Holds && check.supports() && !check.expected_from.as_ref().is_some_and(echo)
}

/// What the checks of a step that passed can bear. `results` are what they came to over the captured answer; `vars`
/// stand as they stood then.
#[must_use]
pub fn strength(
    step: &Step,
    scenario: &Scenario,
    observation: &Observation,
    results: &[CheckResult],
    vars: &Vars,
    files: &Files<'_>,
) -> Strength {
    let trial = Trial { observation, seen: without_bytes(observation), vars, files };
    let broken = results.chunk_by(|a, b| a.check == b.check).any(|results| {
        step.checks
            .get(results[0].check)
            .is_some_and(|check| trial.breaks(check, results, &|result| can_support(step, scenario, result)))
    });
    if broken {
        Strength::Sound
    } else if trial.status_breaks(step) {
        Strength::StatusOnly
    } else {
        Strength::Vacuous
    }
}

struct Trial<'a> {
    observation: &'a Observation,
    /// The answer without its bytes.
    seen: Seen<'a>,
    vars: &'a Vars,
    files: &'a Files<'a>,
}

impl Trial<'_> {
    /// Whether a mutant other than (b) breaks one of the results of a check that `counts`.
    fn breaks(&self, check: &Check, results: &[CheckResult], counts: &dyn Fn(&CheckResult) -> bool) -> bool {
        let any = |breaks: &dyn Fn(usize) -> bool| {
            results.iter().enumerate().any(|(position, result)| counts(result) && breaks(position))
        };
        match &check.what {
            // Nothing holds where there is nothing to read: `missing` and `not` neither.
            What::Json(..) | What::JsonAny(..) | What::Schema(..) | What::Redirect(_) => any(&|_| true),
            // Each operator gives one result, and so does each text that is to be contained.
            What::Header(name, Expect(ops)) => any(&|at| ops.get(at).is_some_and(|op| self.header(name, op))),
            What::Text(channel, Expect(ops)) => any(&|at| {
                let what = |op: &Op| What::Text(*channel, Expect(vec![op.clone()]));
                ops.get(at).is_some_and(|op| self.text(*channel, what(op), !is_negative(op)))
            }),
            What::Contains(channel, items, wanted) => any(&|at| {
                let what = |item: &_| What::Contains(*channel, vec![Clone::clone(item)], *wanted);
                items.get(at).is_some_and(|item| self.text(*channel, what(item), *wanted))
            }),
            What::Size(ops) => {
                any(&|at| ops.get(at).is_some_and(|op| self.text(Channel::Body, What::Size(vec![op.clone()]), true)))
            }
            What::Status(_) | What::Exit(_) | What::Time(_) | What::HttpVersion(_) => false,
        }
    }

    fn holds(&self, what: What, seen: &Seen<'_>) -> bool {
        let check = Check { what, place: Default::default() };
        evaluate(&[check], seen, self.vars, self.files).iter().all(|result| result.truth == Truth::Holds)
    }

    /// The channel emptied; its text replaced, where a check asserts some.
    fn text(&self, channel: Channel, what: What, asserts: bool) -> bool {
        if !self.holds(what.clone(), &with_bytes(&self.seen, channel, b"")) {
            return true;
        }
        let other = || self.another(channel).to_string();
        asserts && !self.holds(what, &with_bytes(&self.seen, channel, other().as_bytes()))
    }

    /// The header removed; its value replaced, where it has one.
    fn header(&self, name: &str, op: &Op) -> bool {
        let what = || What::Header(name.to_owned(), Expect(vec![op.clone()]));
        let (named, others): (Vec<_>, Vec<_>) =
            self.seen.headers.iter().cloned().partition(|(known, _)| known.eq_ignore_ascii_case(name));
        if !self.holds(what(), &Seen { headers: &others, ..self.seen }) {
            return true;
        }
        let other = |(name, value): (String, String)| (name, Digest::of(value.as_bytes()).to_string());
        let replaced: Vec<(String, String)> = named.into_iter().map(other).collect();
        !replaced.is_empty() && !self.holds(what(), &Seen { headers: &replaced, ..self.seen })
    }

    /// A digest of what a channel held: no text is its own digest, and nobody can write it into a plan beforehand.
    fn another(&self, channel: Channel) -> Digest {
        match (self.observation, channel) {
            (Observation::Command(command), Channel::Stderr) => command.stderr.sha256,
            (Observation::Command(command), _) => command.stdout.sha256,
            (Observation::Log(log), _) => log.kept.sha256,
            (Observation::Http(http), _) => http.hops.last().map_or_else(Digest::zero, |hop| hop.body().sha256),
        }
    }

    /// Mutant (b). What holds without being written, a status under 400 or exit code 0, is always broken by it.
    fn status_breaks(&self, step: &Step) -> bool {
        if matches!(self.observation, Observation::Log(_)) {
            // A log has neither.
            return false;
        }
        let status = if self.seen.status.is_some_and(|status| status >= 500) { 200 } else { 500 };
        let exit = i32::from(self.seen.exit == Some(0));
        let stated = step.checks.iter().filter_map(|check| match &check.what {
            What::Status(codes) => Some(codes.contains(&status)),
            What::Exit(codes) => Some(codes.contains(&exit)),
            _ => None,
        });
        let mut stated = stated.peekable();
        stated.peek().is_none() || stated.any(|holds| !holds)
    }
}

/// The answer with these bytes in a channel.
fn with_bytes<'a>(seen: &Seen<'a>, channel: Channel, kept: &'a [u8]) -> Seen<'a> {
    let bytes = Some(Bytes { kept, complete: true });
    match channel {
        Channel::Body => Seen { body: bytes, size: Some(kept.len() as u64), ..*seen },
        Channel::Stdout => Seen { stdout: bytes, ..*seen },
        Channel::Stderr => Seen { stderr: bytes, ..*seen },
        Channel::Log => Seen { log: bytes, ..*seen },
        Channel::Request => *seen,
    }
}

/// Whether an operator only says what is not there: then no value is asserted that could be replaced.
fn is_negative(op: &Op) -> bool {
    match op {
        Op::Not(_) | Op::Missing | Op::Contains(_, false) => true,
        Op::AnyOf(branches) => branches.iter().any(|branch| branch.0.iter().all(is_negative)),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
