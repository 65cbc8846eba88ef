//! Other forms in which success policies were stored, carried over into version 1, or the reason why not (spec 2.9).

use super::policy::Policy;
use super::read::{Invalid, node};
use crate::document::{Node, Value};
use crate::json::{Json, Map, Number};

/// A form that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// A valid policy already.
    V1,
    /// No text.
    Blank,
    /// Words for people.
    Prose,
    /// A threshold with `min` or `max`.
    MinMax,
    /// `required_passes` of `total_runs`.
    RequiredPasses,
    /// `min_runs` with `min_pass`, without a type.
    MinPass,
    /// `{kind: any_pass}`
    Kind,
    /// `{id: all-pass}`
    PlanCase,
    /// `criteria: result_pass` with a phase.
    ResultPass,
    /// A composite policy whose rules stand under `criteria`.
    CompositeCriteria,
}

impl Dialect {
    /// What it is, for a sentence.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::V1 => "a policy of version 1",
            Self::Blank => "no policy, which means the default",
            Self::Prose => "prose",
            Self::MinMax => "a threshold by min or max",
            Self::RequiredPasses => "a count of required_passes of total_runs",
            Self::MinPass => "min_runs with min_pass",
            Self::Kind => "a kind of the context packets",
            Self::PlanCase => "the policy id of a plan case",
            Self::ResultPass => "a simulation's result_pass",
            Self::CompositeCriteria => "a composite policy with criteria for rules",
        }
    }
}

/// A text carried over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// What the text was.
    pub dialect: Dialect,
    /// A valid policy of version 1.
    pub policy: Json,
    /// What somebody should know about it.
    pub notes: Vec<String>,
}

/// Why a text cannot be carried over: a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotImported(pub String);

type Found = Result<Imported, NotImported>;

/// Whatever else a text asks for, this cannot be said in version 1.
const SCREENSHOTS: &str = "requires_screenshot_evidence";

/// Carries the text of a policy column over. What comes out is a valid policy.
///
/// # Errors
/// Why no policy of version 1 says the same.
pub fn import(text: &[u8]) -> Found {
    let imported = recognised(text)?;
    match Policy::read(imported.policy.to_string().as_bytes()) {
        Ok(_) => Ok(imported),
        Err(invalid) => Err(NotImported(format!("what it would become is invalid: {}", invalid.message))),
    }
}

fn recognised(text: &[u8]) -> Found {
    let words = std::str::from_utf8(text).map_err(|_| NotImported("the text is not UTF-8".to_owned()))?;
    if words.contains(SCREENSHOTS) {
        return refuse("it asks for screenshots as evidence, which is no matter of a success policy here");
    }
    if Policy::read(text).is_ok() {
        return Ok(v1(text));
    }
    let node = match node(text) {
        Ok(Some(node)) => node,
        Ok(None) => return Ok(v1(text)),
        // A damaged object must not become a policy that anything passes.
        Err(invalid) if looks_like_json(words) => return refuse(&format!("it cannot be read: {}", invalid.message)),
        Err(_) => return prose(words),
    };
    match &node.value {
        Value::Map(_) => object(&node, text),
        _ => refuse("it is JSON and no object, which says nothing"),
    }
}

fn looks_like_json(words: &str) -> bool {
    let first = words.trim_start_matches('\u{feff}').trim_start().chars().next();
    first.is_some_and(|c| matches!(c, '{' | '[' | '"' | '}' | ']'))
}

fn v1(text: &[u8]) -> Imported {
    match node(text) {
        Ok(Some(node)) => Imported { dialect: Dialect::V1, policy: node.to_json(), notes: Vec::new() },
        _ => Imported {
            dialect: Dialect::Blank,
            policy: verdict_pass(Vec::new()),
            notes: vec!["a blank policy means this one".to_owned()],
        },
    }
}

fn prose(words: &str) -> Found {
    let policy = verdict_pass(vec![("x_description", Json::from(words.trim()))]);
    let note = "nothing of the prose is evaluated: any run whose verdict is pass satisfies this";
    Ok(Imported { dialect: Dialect::Prose, policy, notes: vec![note.to_owned()] })
}

fn object(node: &Node, text: &[u8]) -> Found {
    let given = |name: &str| node.get(name).is_some();
    match (node.get("type").map(Node::as_text), node) {
        (Some(Some("threshold")), _) if given("min") || given("max") => min_max(node),
        (Some(Some("statistical")), _) if given("required_passes") || given("total_runs") => {
            rate(node, Dialect::RequiredPasses, "required_passes", "total_runs")
        }
        (Some(Some("deterministic")), _) if text_at(node, "criteria") == Some("result_pass") => result_pass(node),
        (Some(Some("agent_judgment")), _) if given("min_confidence") => {
            refuse("one confidence is written where two are needed, and which it is cannot be told")
        }
        (Some(Some("composite")), _) if given("criteria") => composite(node),
        (Some(Some("scenario" | "browser_scenario")), _) => {
            refuse("it describes steps and not what success is; steps belong to the configuration of the method")
        }
        (None, _) if given("kind") => kind(node),
        (None, _) if given("id") => plan_case(node),
        (None, _) if given("min_runs") && given("min_pass") => rate(node, Dialect::MinPass, "min_pass", "min_runs"),
        _ => match Policy::read(text) {
            Err(invalid) => refuse(&in_words(&invalid)),
            Ok(_) => Ok(v1(text)),
        },
    }
}

fn in_words(invalid: &Invalid) -> String {
    format!("it is in no form that is known, and as version 1 it is {}: {}", invalid.reason.as_str(), invalid.message)
}

fn min_max(node: &Node) -> Found {
    only(node, &["type", "metric", "min", "max"])?;
    let (bound, operator) = match (number_at(node, "min"), number_at(node, "max")) {
        (Some(min), None) if node.get("max").is_none() => (min, "gte"),
        (None, Some(max)) if node.get("min").is_none() => (max, "lte"),
        _ => return refuse("a threshold has one bound here, and two cannot be said together"),
    };
    let metric = node.get("metric").map_or(Json::Null, Node::to_json);
    let pairs = [
        ("type", Json::from("threshold")),
        ("metric", metric),
        ("threshold", bound.clone().into()),
        ("operator", operator.into()),
    ];
    Ok(done(node, Dialect::MinMax, pairs.into(), Vec::new()))
}

/// A count of passes among a count of runs. The rate is written so that exactly that count meets it.
#[expect(clippy::cast_precision_loss, reason = "at most a million")]
fn rate(node: &Node, dialect: Dialect, passes: &str, runs: &str) -> Found {
    only(node, &["type", passes, runs])?;
    let count = |name: &str| number_at(node, name).and_then(Number::as_u64);
    let (Some(passed), Some(judged)) = (count(passes), count(runs)) else {
        return refuse(&format!("{passes} and {runs} must be whole numbers"));
    };
    if passed > judged || judged == 0 || judged > 1_000_000 {
        return refuse(&format!("{passed} of {judged} runs cannot be asked for"));
    }
    let rate = Number::parse(&format!("{}", passed as f64 / judged as f64));
    let pairs = [
        ("type", Json::from("statistical")),
        ("min_runs", judged.into()),
        ("min_pass_rate", rate.map_or(Json::Null, Into::into)),
    ];
    let note = format!("a rate holds for more than {judged} runs as well");
    Ok(done(node, dialect, pairs.into(), vec![note]))
}

fn result_pass(node: &Node) -> Found {
    only(node, &["type", "criteria", "phase"])?;
    let phase = node.get("phase").map(|phase| ("x_phase", phase.to_json()));
    let notes = phase.iter().map(|_| "the phase is kept as a note and decides nothing".to_owned()).collect();
    let Json::Map(policy) = verdict_pass(phase.into_iter().collect()) else { return refuse("it has no fields") };
    let pairs = policy.iter().map(|(name, value)| (name, value.clone())).collect();
    Ok(done(node, Dialect::ResultPass, pairs, notes))
}

fn composite(node: &Node) -> Found {
    only(node, &["type", "criteria"])?;
    let rules = node.get("criteria").map_or(Json::Null, Node::to_json);
    let pairs = vec![("type", Json::from("composite")), ("rules", rules)];
    Ok(done(node, Dialect::CompositeCriteria, pairs, Vec::new()))
}

fn kind(node: &Node) -> Found {
    match text_at(node, "kind") {
        Some("any_pass") => {
            only(node, &["kind"])?;
            Ok(done(node, Dialect::Kind, VERDICT_PASS.map(|(name, value)| (name, value.into())).into(), Vec::new()))
        }
        Some("all_pass" | "majority_pass") => {
            refuse("how many runs all or most of them are is not said; a statistical policy needs the number")
        }
        _ => refuse("its kind is not known"),
    }
}

fn plan_case(node: &Node) -> Found {
    only(node, &["id", "params"])?;
    let empty = node.get("params").is_none_or(|params| params.as_map().is_some_and(<[_]>::is_empty));
    match text_at(node, "id") {
        Some("all-pass") if empty => {
            Ok(done(node, Dialect::PlanCase, VERDICT_PASS.map(|(name, value)| (name, value.into())).into(), Vec::new()))
        }
        Some("all-pass") => refuse("what its params mean is not known"),
        _ => refuse("its id is not known"),
    }
}

const VERDICT_PASS: [(&str, &str); 2] = [("type", "deterministic"), ("criteria", "verdict_pass")];

fn verdict_pass(more: Vec<(&str, Json)>) -> Json {
    Json::map(VERDICT_PASS.map(|(name, value)| (name, Json::from(value))).into_iter().chain(more))
}

/// With the notes that the text carries under `x_`.
fn done(node: &Node, dialect: Dialect, pairs: Vec<(&str, Json)>, notes: Vec<String>) -> Imported {
    let mut policy: Map = pairs.into_iter().collect();
    for (key, value) in node.as_map().unwrap_or_default() {
        if key.name.starts_with(super::tables::PREFIX) && policy.get(&key.name).is_none() {
            policy.push(key.name.clone(), value.to_json());
        }
    }
    Imported { dialect, policy: Json::Map(policy), notes }
}

/// Fields beyond those of a form may mean something that would be lost.
fn only(node: &Node, fields: &[&str]) -> Result<(), NotImported> {
    let pairs = node.as_map().unwrap_or_default();
    let strange = pairs
        .iter()
        .find(|(key, _)| !fields.contains(&key.name.as_str()) && !key.name.starts_with(super::tables::PREFIX));
    strange.map_or(Ok(()), |(key, _)| {
        let name = crate::inert::shortened(&key.name, 60);
        Err(NotImported(format!("what {name} means in this form is not known")))
    })
}

fn text_at<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    node.get(name).and_then(Node::as_text)
}

fn number_at<'a>(node: &'a Node, name: &str) -> Option<&'a Number> {
    match &node.get(name)?.value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn refuse(why: &str) -> Found {
    Err(NotImported(why.to_owned()))
}
