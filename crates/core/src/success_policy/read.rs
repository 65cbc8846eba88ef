//! The text of a policy column becomes a policy, or says why it is none. The first fault decides, in this order: parse,
//! object, type, unknown field, fields that are missing or exclude each other, types of values, ranges; rules of a
//! composite policy one after another (spec 2.1).

use std::borrow::Cow;

use smol_str::SmolStr;

use super::outcome::Reason;
use super::policy::{Bound, Expected, Operator, Policy, Rule};
use super::statistics::{Level, Ratio};
use super::tables::{Field, Form, Kind, PREFIX, RULE, SEMANTICS, TYPES, names};
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::{Key, Lines, Node, Place, Value};
use crate::inert::shortened;
use crate::json::{JsonFault, Limits, Number, read_placed};
use crate::nearest::nearest;
use crate::number;

/// Largest text of a policy, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

const LIMITS: Limits = Limits { depth: 128, nodes: 100_000 };
const MOST_RUNS: u64 = 1_000_000;
/// What a rate, a chance or a level may be that must lie between 0 and 1.
const SMALLEST: &str = "0.000001";
const GREATEST: &str = "0.999999";
const CLOSEST: f64 = 0.000_000_9;

/// Why a text is no policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Which of the reasons of `invalid_policy`.
    pub reason: Reason,
    /// Where, if there is a place.
    pub place: Option<Place>,
    /// Which field: `min_runs`, `rules[2].min_pct`; empty for the whole.
    pub field: String,
    /// What was seen, as a sentence without a full stop.
    pub message: String,
    /// What to do, where more can be said than the code says.
    pub help: Option<String>,
    /// The semantics that it was read by: those of its type, where that is known.
    pub semantics: &'static str,
}

impl Invalid {
    fn new(reason: Reason, place: Option<Place>, field: &str, message: impl Into<String>) -> Self {
        Self { reason, place, field: field.to_owned(), message: message.into(), help: None, semantics: SEMANTICS }
    }

    fn help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// As a diagnostic about `file`.
    #[must_use]
    pub fn diagnostic(&self, file: &str) -> Diagnostic {
        Diagnostic {
            code: self.reason.code(),
            severity: Severity::Error,
            file: file.to_owned(),
            place: self.place,
            subject: (!self.field.is_empty()).then(|| self.field.clone()),
            message: self.message.clone(),
            help: Some(self.help.clone().unwrap_or_else(|| self.reason.code().explanation().remedy.to_owned())),
        }
    }
}

type Read<T> = Result<T, Box<Invalid>>;

impl Policy {
    /// Reads the text of a policy column; blank text means the same as none (E1).
    ///
    /// # Errors
    /// The first fault.
    pub fn read(text: &[u8]) -> Result<Self, Box<Invalid>> {
        match node(text)? {
            None => Ok(Self::VerdictPass),
            Some(node) => policy(&node),
        }
    }
}

/// The text as nodes with places; `None` where it is blank.
pub(super) fn node(text: &[u8]) -> Read<Option<Node>> {
    let not_json = |place, message: String| Box::new(Invalid::new(Reason::NotJson, place, "", message));
    if text.len() > MAX_BYTES {
        return Err(not_json(None, format!("{} bytes, where {MAX_BYTES} are the most", text.len())));
    }
    let Ok(words) = std::str::from_utf8(text) else {
        let good = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        let place = Lines::new(good).place(good.len(), good.len());
        return Err(not_json(Some(place), "the text is not UTF-8".to_owned()));
    };
    if words.trim().is_empty() {
        return Ok(None);
    }
    if words.starts_with('\u{feff}') {
        let place = Lines::new(words).place(0, 3);
        let help = "save it without the mark: not every reader skips it";
        let invalid = not_json(Some(place), "a byte-order mark stands before the policy".to_owned());
        return Err(Box::new(invalid.help(Some(help.to_owned()))));
    }
    let node = read_placed(text, &LIMITS).map_err(|error| {
        let place = Lines::new(words).place(error.offset, error.offset);
        match error.kind {
            JsonFault::RepeatedKey { .. } => Box::new(Invalid::new(Reason::DuplicateKey, Some(place), "", error.what)),
            JsonFault::Syntax | JsonFault::Encoding | JsonFault::TooLarge | JsonFault::Surrogate => {
                let prose = !words.trim_start().starts_with(['{', '[', '"']);
                let help =
                    prose.then(|| "prose says nothing that can be evaluated; see probity policy import".to_owned());
                Box::new(not_json(Some(place), error.what).help(help))
            }
        }
    })?;
    match overflow(&node) {
        Some(place) => {
            Err(not_json(Some(place), "a number that no double holds, which readers disagree about".to_owned()))
        }
        None => Ok(Some(node)),
    }
}

/// The first number that a double cannot hold (E6).
fn overflow(node: &Node) -> Option<Place> {
    match &node.value {
        Value::Number(number) if Bound::of(number).is_none() => Some(node.place),
        Value::List(items) => items.iter().find_map(overflow),
        Value::Map(pairs) => pairs.iter().find_map(|(_, node)| overflow(node)),
        Value::Number(_) | Value::Null | Value::Bool(_) | Value::Text(_) => None,
    }
}

fn policy(node: &Node) -> Read<Policy> {
    let Value::Map(pairs) = &node.value else {
        let message = format!("a {}, where a policy is a JSON object", kind(node));
        return Err(Box::new(Invalid::new(Reason::NotObject, Some(node.place), "", message)));
    };
    let Some(named) = node.get("type") else {
        let help = Some(format!("say one of {}", list(TYPES.iter().map(|one| one.name))));
        let missing = Invalid::new(Reason::MissingType, Some(node.place), "type", "the policy does not say its type");
        return Err(Box::new(missing.help(help)));
    };
    let Some(known) = TYPES.iter().find(|one| named.as_text() == Some(one.name)) else {
        let near = named.as_text().and_then(|text| nearest(text, TYPES.iter().map(|one| one.name)));
        let help = near.map_or_else(
            || format!("one of {}", list(TYPES.iter().map(|one| one.name))),
            |near| format!("did you mean {near}? Types are told apart by case"),
        );
        let unknown =
            Invalid::new(Reason::UnknownType, Some(named.place), "type", format!("{} is no type", drawn(named)));
        return Err(Box::new(unknown.help(Some(help))));
    };
    let rest: Vec<&(Key, Node)> = pairs.iter().filter(|(key, _)| key.name != "type").collect();
    let read =
        Fields::of(&rest, known.forms, node.place, "", known.name).and_then(|fields| of_fields(known.name, &fields));
    read.map_err(|invalid| Box::new(Invalid { semantics: known.semantics, ..*invalid }))
}

fn of_fields(of_type: &str, fields: &Fields<'_>) -> Read<Policy> {
    // Which of the two forms of a deterministic policy it is, its fields say.
    Ok(match of_type {
        "deterministic" if fields.get("criteria").is_some() => Policy::VerdictPass,
        "deterministic" => Policy::Check { name: fields.name("check")?, expected: fields.expected("expected")? },
        "threshold" => Policy::Threshold {
            metric: fields.name("metric")?,
            threshold: fields.bound("threshold")?,
            operator: fields.get("operator").and_then(Node::as_text).and_then(Operator::parse),
        },
        "statistical" => {
            Policy::Statistical { min_runs: fields.runs("min_runs")?, min_pass_rate: fields.bound("min_pass_rate")? }
        }
        "composite" => Policy::Composite { rules: rules(fields)? },
        "wilson" => Policy::Wilson {
            min_runs: fields.runs("min_runs")?,
            target: fields.bound("target")?,
            level: fields.level("confidence")?,
        },
        "sprt" => Policy::Sprt(ratio(fields)?),
        "pass_k" => pass_k(fields)?,
        "planned_runs" => {
            Policy::PlannedRuns { planned: fields.runs("planned")?, min_pass_rate: fields.bound("min_pass_rate")? }
        }
        _ => agent_judgment(fields)?,
    })
}

fn ratio(fields: &Fields<'_>) -> Read<Ratio> {
    let [p0, p1, alpha, beta] =
        [fields.bound("p0")?, fields.bound("p1")?, fields.bound("alpha")?, fields.bound("beta")?];
    let refuse = |field: &str, message: String, help: &str| {
        let place = fields.get(field).map(|node| node.place);
        Err(Box::new(Invalid::new(Reason::OutOfRange, place, field, message).help(Some(help.to_owned()))))
    };
    // Two rates closer than this are one for the arithmetic of doubles, and no number of runs tells them apart.
    if p1.float() - p0.float() < CLOSEST {
        let message = format!("p1 {} is not above p0 {} by {SMALLEST}", token(&p1), token(&p0));
        return refuse("p1", message, "p0 is the rate that is not good enough, and p1 the one that is");
    }
    if alpha.float() + beta.float() >= 1.0 {
        let message = format!("alpha {} and beta {} are not less than 1 together", token(&alpha), token(&beta));
        return refuse("beta", message, "0.05 for both is usual; at 1 a coin would do as well");
    }
    Ok(Ratio { p0, p1, alpha, beta })
}

fn pass_k(fields: &Fields<'_>) -> Read<Policy> {
    let (k, min_runs) = (fields.runs("k")?, fields.runs("min_runs")?);
    if min_runs < k {
        let message = format!("min_runs {min_runs} is below k {k}");
        let place = fields.get("min_runs").map(|node| node.place);
        let help = Some("that so many tries all pass can only be told from as many runs".to_owned());
        return Err(Box::new(Invalid::new(Reason::OutOfRange, place, "min_runs", message).help(help)));
    }
    Ok(Policy::PassK { k, min_runs, target: fields.bound("target")?, level: fields.level("confidence")? })
}

fn agent_judgment(fields: &Fields<'_>) -> Read<Policy> {
    let (pass, fail) = (fields.bound("confidence_pass")?, fields.bound("confidence_fail")?);
    if pass.order(fail.number()).is_gt() {
        let message = format!("confidence_fail {} is above confidence_pass {}", token(&fail), token(&pass));
        let place = fields.get("confidence_fail").map(|node| node.place);
        return Err(Box::new(Invalid::new(Reason::OutOfRange, place, "confidence_fail", message)));
    }
    Ok(Policy::AgentJudgment { confidence_pass: pass, confidence_fail: fail, min_runs: fields.runs("min_runs")? })
}

fn rules(fields: &Fields<'_>) -> Read<Vec<Rule>> {
    let items = fields.get("rules").and_then(Node::as_list).unwrap_or_default();
    items.iter().enumerate().map(|(position, node)| rule(node, &format!("rules[{position}]"))).collect()
}

fn rule(node: &Node, path: &str) -> Read<Rule> {
    let Value::Map(pairs) = &node.value else {
        let message = format!("a rule is a map, and this is a {}", kind(node));
        return Err(Box::new(Invalid::new(Reason::WrongType, Some(node.place), path, message)));
    };
    let pairs: Vec<&(Key, Node)> = pairs.iter().collect();
    let fields = Fields::of(&pairs, &RULE, node.place, path, "a rule")?;
    Ok(if fields.get("check").is_some() {
        Rule::Check(fields.name("check")?)
    } else if fields.get("min_pct").is_some() {
        Rule::MinPct(fields.name("metric")?, fields.bound("min_pct")?)
    } else {
        Rule::Min(fields.name("metric")?, fields.bound("min")?)
    })
}

/// The fields of one map, after each was found to be what it must be.
struct Fields<'a>(Vec<(&'static Field, &'a Node)>);

impl<'a> Fields<'a> {
    fn of(pairs: &[&'a (Key, Node)], forms: &'static [Form], whole: Place, path: &str, of: &str) -> Read<Self> {
        let known: Vec<&'a (Key, Node)> =
            pairs.iter().copied().filter(|(key, _)| !key.name.starts_with(PREFIX)).collect();
        if let Some((key, _)) = known.iter().find(|(key, _)| names(forms).all(|name| name != key.name)) {
            return Err(unknown(key, forms, path, of));
        }
        let form = choose(&known, forms, whole, path)?;
        let stands = |field: &'static Field| Some((field, &known.iter().find(|(key, _)| key.name == field.name)?.1));
        let fields: Vec<(&'static Field, &'a Node)> = form.fields.iter().filter_map(stands).collect();
        for check in [of_type, in_range] {
            for (field, node) in &fields {
                check(field, node, &under(path, field.name))?;
            }
        }
        Ok(Self(fields))
    }

    fn get(&self, name: &str) -> Option<&'a Node> {
        self.0.iter().find(|(field, _)| field.name == name).map(|(_, node)| *node)
    }

    /// A part that the stages above have found to be what it must be.
    fn part<T>(&self, name: &str, of: impl Fn(&Node) -> Option<T>) -> Read<T> {
        self.get(name).and_then(of).ok_or_else(|| {
            let message = format!("{name} is not what it must be");
            Box::new(Invalid::new(Reason::WrongType, self.get(name).map(|node| node.place), name, message))
        })
    }

    fn name(&self, name: &str) -> Read<SmolStr> {
        self.part(name, |node| node.as_text().map(SmolStr::from))
    }

    fn bound(&self, name: &str) -> Read<Bound> {
        self.part(name, |node| number_of(node).and_then(Bound::of))
    }

    fn runs(&self, name: &str) -> Read<u64> {
        self.part(name, |node| number_of(node).and_then(whole))
    }

    fn level(&self, name: &str) -> Read<Level> {
        self.part(name, |node| number_of(node).and_then(Bound::of).and_then(Level::of))
    }

    fn expected(&self, name: &str) -> Read<Expected> {
        self.part(name, |node| match &node.value {
            Value::Number(number) => Some(Expected::Number(number.clone())),
            Value::Bool(b) => Some(Expected::Bool(*b)),
            Value::Text(text) => Some(Expected::Text(text.clone())),
            Value::Null | Value::List(_) | Value::Map(_) => None,
        })
    }
}

/// The form whose fields stand there.
fn choose(known: &[&(Key, Node)], forms: &'static [Form], whole: Place, path: &str) -> Read<&'static Form> {
    let has = |form: &Form, name: &str| form.fields.iter().any(|field| field.name == name);
    let fitting: Vec<&'static Form> =
        forms.iter().filter(|form| known.iter().all(|(key, _)| has(form, &key.name))).collect();
    let Some(first) = fitting.first() else {
        let place = known.last().map_or(whole, |(key, _)| key.place);
        let both = list(known.iter().map(|(key, _)| key.name.as_str()));
        let message = format!("{both} exclude each other");
        return Err(Box::new(Invalid::new(Reason::ConflictingFields, Some(place), path, message)));
    };
    let stands = |field: &Field| known.iter().any(|(key, _)| key.name == field.name);
    let complete = |form: &&&'static Form| form.fields.iter().all(|field| !field.required || stands(field));
    if let Some(form) = fitting.iter().find(complete) {
        return Ok(form);
    }
    let missing = |form: &Form| list(form.fields.iter().filter(|f| f.required && !stands(f)).map(|f| f.name));
    let mut ways: Vec<String> = fitting.iter().map(|form| missing(form)).collect();
    ways.dedup();
    let field = first.fields.iter().find(|field| field.required && !stands(field)).map_or("", |field| field.name);
    let message = format!("{} is missing", ways.join(", or "));
    Err(Box::new(Invalid::new(Reason::MissingField, Some(whole), &under(path, field), message)))
}

fn unknown(key: &Key, forms: &'static [Form], path: &str, of: &str) -> Box<Invalid> {
    let shown = shortened(&key.name, 60);
    let help = nearest(&key.name, names(forms)).map_or_else(
        || format!("{of} takes {}; notes go under {PREFIX}", list(names(forms))),
        |near| format!("did you mean {near}?"),
    );
    let message = format!("{of} has no field {shown}");
    Box::new(Invalid::new(Reason::UnknownField, Some(key.place), &under(path, &shown), message).help(Some(help)))
}

/// The stage of types.
fn of_type(field: &Field, node: &Node, path: &str) -> Read<()> {
    let text = || node.as_text();
    let number = || number_of(node);
    let wanted = match field.kind {
        Kind::Words(_) if text().is_none() => "a text",
        Kind::Name if text().is_none_or(str::is_empty) => "a text that is not empty",
        Kind::Scalar if !matches!(node.value, Value::Number(_) | Value::Bool(_) | Value::Text(_)) => {
            "a text, a number or a truth value"
        }
        Kind::Number | Kind::Unit | Kind::Open | Kind::Percent if number().is_none() => "a number",
        Kind::Runs if !number().is_some_and(number::is_integer) => "a whole number",
        Kind::Rules if node.as_list().is_none() => "a list of rules",
        _ => return Ok(()),
    };
    let message = format!("{} is {}, where {wanted} must stand", field.name, drawn(node));
    Err(Box::new(Invalid::new(Reason::WrongType, Some(node.place), path, message)))
}

/// The stage of ranges and words.
fn in_range(field: &Field, node: &Node, path: &str) -> Read<()> {
    let refuse = |reason, what: String, help: Option<String>| {
        let message = format!("{} = {}, {what}", field.name, drawn(node));
        Err(Box::new(Invalid::new(reason, Some(node.place), path, message).help(help)))
    };
    match field.kind {
        Kind::Words(words) => match node.as_text() {
            Some(word) if !words.contains(&word) => {
                let near = nearest(word, words.iter().copied()).or_else(|| meant(word));
                let help = near.map(|near| format!("did you mean {near}?"));
                refuse(Reason::UnknownValue, format!("must be {}", list(words.iter().copied())), help)
            }
            _ => Ok(()),
        },
        Kind::Rules => match node.as_list() {
            Some([]) => {
                let message = "there is no rule, and all of nothing would always hold";
                Err(Box::new(Invalid::new(Reason::EmptyRules, Some(node.place), path, message)))
            }
            _ => Ok(()),
        },
        Kind::Unit => bounded(node, 0, 1).map_or(Ok(()), |value| {
            let help = hundredth(value)
                .map(|token| format!("did you mean {token}? percent is only known to composite rules (min_pct)"));
            refuse(Reason::OutOfRange, "must be 0 to 1".to_owned(), help)
        }),
        Kind::Open => outside(node).map_or(Ok(()), |value| {
            let help = hundredth(value).map(|token| format!("did you mean {token}?"));
            refuse(Reason::OutOfRange, format!("must be {SMALLEST} to {GREATEST}"), help)
        }),
        Kind::Percent => {
            bounded(node, 0, 100).map_or(Ok(()), |_| refuse(Reason::OutOfRange, "must be 0 to 100".to_owned(), None))
        }
        Kind::Runs => bounded(node, 1, MOST_RUNS)
            .map_or(Ok(()), |_| refuse(Reason::OutOfRange, format!("must be 1 to {MOST_RUNS}"), None)),
        Kind::Name | Kind::Scalar | Kind::Number => Ok(()),
    }
}

/// The value, if it lies outside the bounds.
fn bounded(node: &Node, least: u64, most: u64) -> Option<&Number> {
    let value = number_of(node)?;
    let at = |bound: u64| Number::parse(&bound.to_string()).map(|bound| number::compare(value, &bound));
    (at(least)?.is_lt() || at(most)?.is_gt()).then_some(value)
}

/// The value, if it is not safely between 0 and 1.
fn outside(node: &Node) -> Option<&Number> {
    let value = number_of(node)?;
    let at = |bound: &str| Number::parse(bound).map(|bound| number::compare(value, &bound));
    (at(SMALLEST)?.is_lt() || at(GREATEST)?.is_gt()).then_some(value)
}

/// What a percentage would be as a fraction: `0.7` for `70`.
fn hundredth(value: &Number) -> Option<String> {
    let percent = value.as_u64().filter(|percent| (1..=100).contains(percent))?;
    Some(format!("{}", percent as f64 / 100.0))
}

/// The word that a symbol stands for.
fn meant(word: &str) -> Option<&'static str> {
    let operator = Operator::ALL.into_iter().find(|operator| operator.sign() == word)?;
    Some(operator.as_str())
}

fn number_of(node: &Node) -> Option<&Number> {
    match &node.value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

/// A whole number that was found to be small.
fn whole(number: &Number) -> Option<u64> {
    let float: f64 = number.token().parse().ok()?;
    format!("{float:.0}").parse().ok()
}

fn token(bound: &Bound) -> &str {
    bound.number().token()
}

fn under(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut seen: Vec<&str> = Vec::new();
    names.for_each(|name| {
        if !seen.contains(&name) {
            seen.push(name);
        }
    });
    match seen.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => seen.concat(),
    }
}

fn kind(node: &Node) -> Cow<'static, str> {
    node.kind().into()
}

/// A value in a message: short, its type plain to see.
fn drawn(node: &Node) -> String {
    match &node.value {
        Value::List(_) | Value::Map(_) => format!("a {}", node.kind()),
        _ => shortened(&node.to_json().to_string(), 60).into_owned(),
    }
}
