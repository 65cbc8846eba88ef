//! What a judge measured: values by name, for success policies that look at values.

use smol_str::SmolStr;

use super::answer::{AnswerFault, LONGEST_NUMBER, malformed};
use super::ballot::Ballot;
use crate::ids::Id;
use crate::inert::shortened;
use crate::json::{Json, Lookup, Map};

/// No answer measures more.
const MOST: usize = 32;
/// The longest text, in bytes.
const LONGEST: usize = 200;

/// Reads `measures` of an answer: numbers that a double can hold, truth values and short texts.
pub(super) fn read(map: &Map) -> Result<Vec<(SmolStr, Json)>, AnswerFault> {
    let measures = match map.lookup("measures") {
        Lookup::One(Json::Map(measures)) => measures,
        Lookup::Missing => return Ok(Vec::new()),
        Lookup::One(_) | Lookup::Twice => return Err(malformed("measures is no map of names and values")),
    };
    if measures.len() > MOST || measures.has_repeated_key() {
        return Err(malformed(format!("measures has a name twice, or more than {MOST} names")));
    }
    let one = |(name, value): (&str, &Json)| {
        let fits = match value {
            Json::Number(number) => {
                number.token().len() <= LONGEST_NUMBER && number.token().parse().is_ok_and(f64::is_finite)
            }
            Json::Text(text) => text.len() <= LONGEST,
            Json::Bool(_) => true,
            Json::Null | Json::BrokenText(_) | Json::List(_) | Json::Map(_) => false,
        };
        if Id::parse(name).is_err() || !fits {
            let message = "measures has names like ids, and numbers, truth values or short texts as values";
            return Err(malformed(format!("the measure {} cannot be kept: {message}", shortened(name, 40))));
        }
        Ok((SmolStr::from(name), value.clone()))
    };
    measures.iter().map(one).collect()
}

/// What all votes that count measured alike.
pub(super) fn agreed(votes: &[&Ballot]) -> Vec<(SmolStr, Json)> {
    let of = |vote: &&Ballot| vote.answer.as_ref().map(|answer| answer.measures.clone()).unwrap_or_default();
    let mut lists = votes.iter().map(of);
    let Some(mut first) = lists.next() else { return Vec::new() };
    for other in lists {
        first.retain(|pair| other.contains(pair));
    }
    first
}
