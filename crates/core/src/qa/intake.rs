//! What comes into the index, made fit: the raw result in one form, its keys as typed values, numbers as their tokens
//! (spec 1.2, 2.3 and section 7: JSON is parsed once, on the way in).

use smol_str::SmolStr;

use super::{Counted, Metric, Sums, Value};
use crate::codes::Code;
use crate::json::{Json, Limits, Map, Number, read};
use crate::number;
use crate::success_policy::{Class, Fact, Facts, Policy, Run, State, Want};

/// The largest raw result in bytes.
pub const LARGEST_RAW: usize = 1 << 20;

/// The most keys of a raw result, and the longest name of one in bytes.
pub const MOST_KEYS: usize = 1000;
/// The longest name of a key of a raw result in bytes.
pub const LONGEST_KEY: usize = 500;

const LIMITS: Limits = Limits { depth: 128, nodes: 1_000_000 };

/// Why something cannot be taken in: a code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit {
    /// The code.
    pub code: Code,
    /// What is wrong, without a full stop.
    pub message: String,
}

fn unfit<T>(code: Code, message: String) -> Result<T, Unfit> {
    Err(Unfit { code, message })
}

/// A raw result as it is kept: JSON without repeated keys (the last counts, L7) and without white space, its numbers as they
/// were written; any other text as it is.
///
/// # Errors
/// `raw_result_unfit` where it is too large.
pub fn raw(text: &str) -> Result<String, Unfit> {
    if text.len() > LARGEST_RAW {
        return unfit(Code::RawResultUnfit, format!("{} bytes, where {LARGEST_RAW} are the most", text.len()));
    }
    // NUL is no character of a text column in PostgreSQL.
    if text.contains('\0') {
        return unfit(Code::RawResultUnfit, "it holds a NUL character".to_owned());
    }
    Ok(match read(text.as_bytes(), &LIMITS) {
        Ok(value) => last_wins(value).to_string(),
        Err(_) => text.to_owned(),
    })
}

fn last_wins(value: Json) -> Json {
    match value {
        Json::List(items) => Json::List(items.into_iter().map(last_wins).collect()),
        Json::Map(map) => {
            let mut kept = Map::new();
            let pairs: Vec<(&str, &Json)> = map.iter().collect();
            let mut last = std::collections::HashMap::new();
            for (position, (name, _)) in pairs.iter().enumerate() {
                last.insert(*name, position);
            }
            for (position, (name, value)) in pairs.iter().enumerate() {
                if last.get(name) == Some(&position) {
                    kept.push(*name, last_wins((*value).clone()));
                }
            }
            Json::Map(kept)
        }
        other => other,
    }
}

/// The keys of a raw result that policies may look at.
///
/// # Errors
/// `raw_result_unfit` where there are too many, or one's name is too long.
pub fn metrics(raw: Option<&str>) -> Result<Vec<Metric>, Unfit> {
    let facts = raw.map(|raw| Facts::read(raw.as_bytes(), &Want::everything())).unwrap_or_default();
    if facts.iter().len() > MOST_KEYS {
        return unfit(Code::RawResultUnfit, format!("{} keys, where {MOST_KEYS} are the most", facts.iter().len()));
    }
    if let Some((name, _)) = facts.iter().find(|(name, _)| name.len() > LONGEST_KEY || name.contains('\0')) {
        let message = format!("the name of a key has {} bytes or a NUL, where {LONGEST_KEY} are the most", name.len());
        return unfit(Code::RawResultUnfit, message);
    }
    let metric = |(name, fact): (&str, &Fact)| {
        let value = match fact {
            Fact::Number(number) => Value::Number(number.clone()),
            Fact::Bool(b) => Value::Bool(*b),
            // What a column cannot hold is still there, and equal to nothing.
            Fact::Text(text) if text.contains('\0') => Value::Other,
            Fact::Text(text) => Value::Text(text.clone()),
            Fact::Other => Value::Other,
        };
        Metric { name: name.to_owned(), value }
    };
    Ok(facts.iter().map(metric).collect())
}

/// A score: a number that a double can hold.
///
/// # Errors
/// `wrong_type` for what is no number, `value_out_of_range` for one that is too large.
pub fn score(text: &str) -> Result<Number, Unfit> {
    let Some(number) = Number::parse(text) else {
        return unfit(Code::WrongType, format!("{text} is no number as JSON writes them"));
    };
    match number.token().parse::<f64>() {
        Ok(float) if float.is_finite() => Ok(number),
        _ => unfit(Code::ValueOutOfRange, format!("{text} is larger than any double")),
    }
}

/// A confidence: a number from 0 to 1, exactly.
///
/// # Errors
/// As [`score`].
pub fn confidence(text: &str) -> Result<Number, Unfit> {
    let value = score(text)?;
    let beyond = |end: &str, order| Number::parse(end).is_some_and(|end| number::compare(&value, &end) == order);
    if beyond("0", std::cmp::Ordering::Less) || beyond("1", std::cmp::Ordering::Greater) {
        return unfit(Code::ValueOutOfRange, format!("confidence {text} is not from 0 to 1"));
    }
    Ok(value)
}

/// What a completed run counts for under a policy; nothing but its verdict under a text that is none.
#[must_use]
pub fn sums(policy: Option<&str>, run: &Counted) -> Sums {
    let policy = Policy::read(policy.unwrap_or_default().as_bytes());
    // A policy that cannot be read has no outcome but that; its counts are told all the same.
    let policy = policy.unwrap_or(Policy::VerdictPass);
    let mut state = State::default();
    state.add(policy.see(&as_run(run)));
    state.sums()
}

/// A row of the index as a run that policies look at.
#[must_use]
pub fn as_run(run: &Counted) -> Run {
    let fact = |metric: &Metric| {
        let fact = match &metric.value {
            Value::Number(number) => Fact::Number(number.clone()),
            Value::Bool(b) => Fact::Bool(*b),
            Value::Text(text) => Fact::Text(text.clone()),
            Value::Other => Fact::Other,
        };
        (SmolStr::from(metric.name.as_str()), Some(fact))
    };
    Run {
        class: Class::Known(run.verdict),
        score: run.score.clone(),
        confidence: run.confidence.clone(),
        facts: run.metrics.iter().map(fact).collect::<Facts>(),
        at: u64::try_from(run.at).ok().map(crate::success_policy::Time::of_micros),
    }
}
