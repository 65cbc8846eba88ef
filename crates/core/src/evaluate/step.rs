//! The checks of a step, one result for each path with each of its operators.

use std::cell::OnceCell;

use smol_str::format_smolstr;
use url::Url;

use super::leaf::Leaf;
use super::operators::{Context, Target};
use super::render::{around, short};
use super::text::{Reading, charset};
use super::{Cause, CheckResult, Document, Files, Seen, Truth, Unknown};
use crate::document::Place;
use crate::expect::{Channel, Check, Expect, Op, What};
use crate::json::Json;
use crate::path::{Path, PathSteps};
use crate::redact::{holds, in_bytes, shows};
use crate::vars::{Vars, text_of};

/// Evaluates the checks of a step; each check gives one result at least.
#[must_use]
pub fn evaluate(checks: &[Check], seen: &Seen<'_>, vars: &Vars, files: &Files<'_>) -> Vec<CheckResult> {
    let step = StepView { seen, context: Context { vars, files }, channels: Default::default() };
    let mut results = Vec::with_capacity(checks.len());
    for (number, check) in checks.iter().enumerate() {
        let begin = results.len();
        step.check(&check.what, &mut results);
        if results.len() == begin {
            let nothing = Unknown::new(Cause::Plan, "the check asks nothing");
            results.push(Leaf::new("check").result("", "", "", Err(nothing)));
        }
        for leaf in &mut results[begin..] {
            (leaf.check, leaf.place) = (number, check.place);
        }
    }
    results
}

/// What the results come to together: one that fails decides, before one that cannot be evaluated.
/// No results at all hold: what a step without checks may claim is decided where claims are made.
#[must_use]
pub fn verdict_of(results: &[CheckResult]) -> Truth {
    let any = |truth| results.iter().any(|result| result.truth == truth);
    match (any(Truth::Fails), any(Truth::Unknown)) {
        (true, _) => Truth::Fails,
        (false, true) => Truth::Unknown,
        (false, false) => Truth::Holds,
    }
}

/// The check that a request without an expected status has all the same: an answer of 400 or more fails it
/// (plan.md, "http"). `None` for commands, and where a status is expected.
#[must_use]
pub fn implied_status(checks: &[Check], seen: &Seen<'_>, place: Place) -> Option<CheckResult> {
    let status = seen.status?;
    if checks.iter().any(|check| matches!(check.what, What::Status(_))) {
        return None;
    }
    let result = Leaf::new("status").result("lt", "400", &status.to_string(), Ok(status < 400));
    Some(CheckResult { check: checks.len(), place, ..result })
}

/// A header as a value: one line is a text, several are a list of texts.
pub(super) fn header(name: &str, seen: &Seen<'_>) -> Option<Json> {
    let mut lines: Vec<Json> =
        seen.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, v)| v.into()).collect();
    if lines.len() > 1 { Some(Json::List(lines)) } else { lines.pop() }
}

/// What a channel holds, read once.
#[derive(Default)]
struct Read<'a> {
    document: OnceCell<Result<Document, Unknown>>,
    reading: OnceCell<Result<Reading<'a>, Unknown>>,
    /// Whether a placeholder stands in the bytes.
    hidden: OnceCell<bool>,
}

struct StepView<'a> {
    seen: &'a Seen<'a>,
    context: Context<'a>,
    channels: [Read<'a>; 5],
}

impl<'a> StepView<'a> {
    fn check(&self, what: &What, out: &mut Vec<CheckResult>) {
        match what {
            What::Status(wanted) => out.push(number("status", wanted, self.seen.status)),
            What::Exit(wanted) => out.push(number("exit", wanted, self.seen.exit)),
            What::Header(name, expect) => self.header(name, expect, out),
            What::Json(channel, paths) => self.json(*channel, paths, out),
            What::JsonAny(channel, alternatives) => out.extend(self.json_any(*channel, alternatives)),
            What::Contains(channel, needles, wanted) => {
                out.extend(needles.iter().map(|needle| self.contains(*channel, needle, *wanted)));
            }
            What::Text(channel, expect) => self.text(*channel, expect, out),
            What::Time(ms) => out.push(self.time(*ms)),
            What::Size(ops) => self.size(ops, out),
            What::Redirect(operand) => out.push(self.redirect(operand)),
            What::HttpVersion(wanted) => {
                let outcome = self.seen.http_version.ok_or_else(not_captured);
                let saw = self.seen.http_version.unwrap_or("nothing");
                out.push(Leaf::new("httpVersion").result("equals", wanted, saw, outcome.map(|seen| seen == wanted)));
            }
            What::Schema(channel, file) => self.schema(*channel, file, out),
        }
    }

    fn read(&self, channel: Channel) -> &Read<'a> {
        &self.channels[match channel {
            Channel::Body => 0,
            Channel::Stdout => 1,
            Channel::Stderr => 2,
            Channel::Request => 3,
            Channel::Log => 4,
        }]
    }

    fn document(&self, channel: Channel) -> Result<&Document, Unknown> {
        let bytes = || self.seen.channel(channel).ok_or_else(not_captured);
        self.read(channel).document.get_or_init(|| Document::read(bytes()?)).as_ref().map_err(Clone::clone)
    }

    fn reading(&self, channel: Channel) -> Result<&Reading<'a>, Unknown> {
        let read = || {
            let bytes = self.seen.channel(channel).ok_or_else(not_captured)?;
            let charset = (channel == Channel::Body).then(|| charset(self.seen.headers)).flatten();
            Ok(Reading::of(bytes, charset.as_deref()))
        };
        self.read(channel).reading.get_or_init(read).as_ref().map_err(Clone::clone)
    }

    /// Whether something in a channel was replaced by a placeholder.
    fn hides(&self, channel: Channel) -> bool {
        let hides = || self.seen.channel(channel).is_some_and(|bytes| in_bytes(bytes.kept));
        *self.read(channel).hidden.get_or_init(hides)
    }

    /// One result for each operator over one target.
    fn operators(&self, leaf: &Leaf, ops: &[Op], target: &Result<Target<'_>, Unknown>, out: &mut Vec<CheckResult>) {
        out.extend(ops.iter().map(|op| leaf.clone().operator(op, target, self.context)));
    }

    fn header(&self, name: &str, expect: &Expect, out: &mut Vec<CheckResult>) {
        let value = header(name, self.seen);
        let target = match &value {
            // No answer at all is not an answer without the header.
            None if self.seen.status.is_none() => Err(not_captured()),
            None => Ok(Target::Missing),
            Some(lines @ Json::List(_)) => Ok(Target::Lines(lines)),
            Some(line) => Ok(Target::One(line)),
        };
        self.operators(&Leaf::new(format_smolstr!("header {}", name.to_ascii_lowercase())), &expect.0, &target, out);
    }

    fn json(&self, channel: Channel, paths: &[(Path, Expect)], out: &mut Vec<CheckResult>) {
        paths.iter().for_each(|(path, expect)| self.at_path(channel, path, expect, out));
    }

    fn at_path(&self, channel: Channel, path: &Path, expect: &Expect, out: &mut Vec<CheckResult>) {
        let leaf =
            Leaf { path: Some(path.text.as_str().into()), ..Leaf::of(channel, &format_smolstr!("json {}", path.text)) };
        let spots = self.document(channel).and_then(|document| document.locate(path));
        let nodes: Vec<&Json> = spots.iter().flatten().map(|spot| spot.value).collect();
        let target = match spots {
            Err(unknown) => Err(unknown),
            Ok(_) if matches!(path.steps, PathSteps::Query { plural: true }) => Ok(Target::Many(&nodes)),
            Ok(_) => Ok(nodes.first().map_or(Target::Missing, |value| Target::One(value))),
        };
        let begin = out.len();
        self.operators(&leaf, &expect.0, &target, out);
        // A key that is hidden may be the one that the path names.
        let keys = || self.document(channel).is_ok_and(|document| keys_hide(document.root()));
        if self.hides(channel) && keys() {
            out[begin..].iter_mut().for_each(|result| result.hidden = true);
        }
    }

    /// The first alternative that holds; else the one that came nearest among those that might have held, so that
    /// the results together are what the alternatives together are.
    fn json_any(&self, channel: Channel, alternatives: &[Vec<(Path, Expect)>]) -> Vec<CheckResult> {
        let mut nearest: Option<(bool, usize, Vec<CheckResult>)> = None;
        let mut hidden = false;
        for (number, paths) in alternatives.iter().enumerate() {
            let mut results = Vec::new();
            self.json(channel, paths, &mut results);
            // One alternative that cannot be asked again leaves open which of them is the first that holds.
            hidden |= results.iter().any(|result| result.hidden);
            for result in &mut results {
                (result.alternative, result.hidden) = (Some(number), hidden);
            }
            let truth = verdict_of(&results);
            if truth == Truth::Holds && !results.is_empty() {
                return results;
            }
            let held = results.iter().filter(|result| result.truth == Truth::Holds).count();
            let rank = (truth == Truth::Unknown, held);
            if !results.is_empty() && nearest.as_ref().is_none_or(|(unknown, held, _)| rank > (*unknown, *held)) {
                nearest = Some((rank.0, rank.1, results));
            }
        }
        let mut results = nearest.map(|(_, _, results)| results).unwrap_or_default();
        results.iter_mut().for_each(|result| result.hidden |= hidden);
        results
    }

    fn contains(&self, channel: Channel, operand: &Json, wanted: bool) -> CheckResult {
        let leaf = Leaf::of(channel, "text").from(operand);
        let op = if wanted { "contains" } else { "notContains" };
        let needle = self.context.filled(operand).and_then(|needle| match needle {
            Json::Text(_) | Json::Number(_) => Ok(text_of(&needle)),
            other => Err(Unknown::new(Cause::Plan, format!("the operand is a {}, not a text", other.kind()))),
        });
        let expected = needle.as_ref().map_or_else(|_| short(operand), |needle| short(&Json::from(needle)));
        match self.reading(channel) {
            Err(unknown) => leaf.result(op, &expected, "nothing", Err(unknown)),
            Ok(reading) => {
                let at =
                    needle.as_ref().ok().and_then(|needle| reading.find(needle)).filter(|_| reading.text().is_some());
                let shown = || match (reading.text(), &needle) {
                    (Some(text), Ok(needle)) => shows(text, needle),
                    _ => false,
                };
                let hidden = self.hides(channel) && !shown();
                let outcome = needle.and_then(|needle| reading.contains(&needle, wanted));
                let saw = around(&reading.shown(), at.unwrap_or(0));
                CheckResult { hidden, ..leaf.result(op, &expected, &saw, outcome) }
            }
        }
    }

    fn text(&self, channel: Channel, expect: &Expect, out: &mut Vec<CheckResult>) {
        let leaf = Leaf::of(channel, "text");
        let reading = match self.reading(channel) {
            Ok(reading) => reading,
            Err(unknown) => return self.operators(&leaf, &expect.0, &Err(unknown), out),
        };
        match reading.whole() {
            Ok(text) => self.operators(&leaf, &expect.0, &Ok(Target::One(&text.into())), out),
            Err(_) => self.operators(&leaf, &expect.0, &Ok(Target::Partial(reading)), out),
        }
    }

    fn time(&self, ms: u64) -> CheckResult {
        let took = format!("{}.{:03}ms", self.seen.time_us / 1000, self.seen.time_us % 1000);
        let outcome = Ok(self.seen.time_us <= ms.saturating_mul(1000));
        Leaf::new("time").result("lte", &format!("{ms}ms"), &took, outcome)
    }

    fn size(&self, ops: &[Op], out: &mut Vec<CheckResult>) {
        let leaf = Leaf { channel: Some(Channel::Body), ..Leaf::new("size") };
        match (self.seen.size, self.seen.status) {
            (Some(size), _) => {
                let begin = out.len();
                self.operators(&leaf, ops, &Ok(Target::One(&size.into())), out);
                // A placeholder is not as long as what it hides.
                let hidden = self.hides(Channel::Body);
                out[begin..].iter_mut().for_each(|result| result.hidden = hidden);
            }
            (None, None) => self.operators(&leaf, ops, &Err(not_captured()), out),
            (None, Some(_)) => {
                let cut = Unknown::new(Cause::Incomplete, "the body was cut, so its size is not known");
                self.operators(&leaf, ops, &Err(cut), out);
            }
        }
    }

    fn redirect(&self, operand: &Json) -> CheckResult {
        let leaf = Leaf::new("redirect").from(operand);
        let wanted = self.context.filled(operand);
        let expected = wanted.as_ref().map_or_else(|_| short(operand), |wanted| short(wanted));
        let Some((base, location)) = self.seen.first_location else {
            let unknown = match self.seen.status {
                Some(_) => Unknown::new(Cause::Missing, "no answer carried a Location"),
                None => not_captured(),
            };
            return leaf.result("equals", &expected, "nothing", Err(unknown));
        };
        let resolved = |text: &str| Url::parse(base).and_then(|base| base.join(text));
        let outcome = wanted.and_then(|wanted| {
            let unusable = || Unknown::new(Cause::Plan, "the operand is no URL or path");
            let wanted = wanted.as_text().and_then(|text| resolved(text).ok()).ok_or_else(unusable)?;
            Ok(resolved(location).is_ok_and(|location| location == wanted))
        });
        let hidden = outcome != Ok(true) && holds(location);
        CheckResult { hidden, ..leaf.result("equals", &expected, &short(&Json::from(location)), outcome) }
    }

    fn schema(&self, channel: Channel, file: &str, out: &mut Vec<CheckResult>) {
        let leaf = Leaf::of(channel, "json $");
        let op = [Op::Schema(file.to_owned())];
        match self.document(channel) {
            Ok(document) => self.operators(&leaf, &op, &Ok(Target::One(document.root())), out),
            Err(unknown) => self.operators(&leaf, &op, &Err(unknown), out),
        }
    }
}

/// Whether the name of a key, at any depth, was replaced.
fn keys_hide(value: &Json) -> bool {
    match value {
        Json::Map(map) => map.iter().any(|(key, item)| holds(key) || keys_hide(item)),
        Json::List(items) => items.iter().any(keys_hide),
        _ => false,
    }
}

/// A status or exit code that is one of those written.
fn number<N: PartialEq + ToString>(what: &str, wanted: &[N], seen: Option<N>) -> CheckResult {
    let op = if wanted.len() == 1 { "equals" } else { "oneOf" };
    let expected: Vec<String> = wanted.iter().map(ToString::to_string).collect();
    let saw = seen.as_ref().map_or_else(|| "nothing".to_owned(), ToString::to_string);
    let outcome = seen.ok_or_else(not_captured).map(|seen| wanted.contains(&seen));
    Leaf::new(what).result(op, &expected.join(", "), &saw, outcome)
}

fn not_captured() -> Unknown {
    Unknown::new(Cause::NotCaptured, "the step has none to look at")
}
