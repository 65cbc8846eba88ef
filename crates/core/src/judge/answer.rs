//! What a judge answers: one JSON document, read without mercy.

use std::cmp::Ordering;

use smol_str::SmolStr;

use super::PROTOCOL;
use super::measures;
use crate::codes::Code;
use crate::inert::shortened;
use crate::json::{Json, Limits, Lookup, Map, Number, read};
use crate::nearest::nearest;
use crate::number::compare;
use crate::verdict::QaVerdict;

/// The longest answer, in bytes.
pub const MOST_ANSWER: usize = 256 << 10;
/// The longest reason, in characters.
const LONGEST_REASON: usize = 4_000;
/// The longest token of a number.
pub(super) const LONGEST_NUMBER: usize = 40;
/// An answer is flat.
const LIMITS: Limits = Limits { depth: 4, nodes: 4_096 };
/// The fields of an answer.
const FIELDS: [&str; 7] = ["protocol", "nonce", "verdict", "confidence", "evidence", "reason", "measures"];

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Pass, fail or undetermined; never error.
    pub verdict: QaVerdict,
    /// How sure the judge is of this verdict, 0 to 1.
    pub confidence: Number,
    /// The exhibits that it rests on, by their names.
    pub evidence: Vec<String>,
    /// Why, in the judge's words.
    pub reason: Option<String>,
    /// What it measured.
    pub measures: Vec<(SmolStr, Json)>,
}

/// Why an answer is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFault {
    /// The code.
    pub code: Code,
    /// What was seen, as a sentence without a full stop.
    pub message: String,
}

pub(super) fn malformed(message: impl Into<String>) -> AnswerFault {
    AnswerFault { code: Code::JudgeAnswerMalformed, message: message.into() }
}

impl Answer {
    /// Reads the answer to the question with this nonce, in which these exhibits were shown.
    ///
    /// # Errors
    /// `judge_answer_malformed`, `judge_answer_foreign`, `judge_cites_unknown`, `judge_cites_nothing`.
    pub fn read(bytes: &[u8], nonce: &str, names: &[String]) -> Result<Self, AnswerFault> {
        if bytes.len() > MOST_ANSWER {
            return Err(malformed(format!("the answer has {} bytes, {MOST_ANSWER} at most", bytes.len())));
        }
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(malformed("the judge wrote nothing"));
        }
        let value =
            read(bytes, &LIMITS).map_err(|error| malformed(format!("the answer is not one JSON document: {error}")))?;
        let Json::Map(map) = &value else {
            return Err(malformed(format!("the answer is a {}, where a map must stand", value.kind())));
        };
        known(map)?;
        if text(map, "protocol")? != PROTOCOL {
            return Err(malformed(format!("protocol is not {PROTOCOL}")));
        }
        if text(map, "nonce")? != nonce {
            let message = "the answer does not carry the nonce of the question".to_owned();
            return Err(AnswerFault { code: Code::JudgeAnswerForeign, message });
        }
        let word = text(map, "verdict")?;
        let verdict = QaVerdict::parse(word).filter(|verdict| *verdict != QaVerdict::Error).ok_or_else(|| {
            malformed(format!("verdict is {}; it is pass, fail or undetermined", shortened(word, 40)))
        })?;
        let answer = Self {
            verdict,
            confidence: confidence(map)?,
            evidence: cited(map, names)?,
            reason: reason(map)?,
            measures: measures::read(map)?,
        };
        if answer.evidence.is_empty() && verdict != QaVerdict::Undetermined {
            let message = format!("the answer is {} and rests on no exhibit", verdict.as_str());
            return Err(AnswerFault { code: Code::JudgeCitesNothing, message });
        }
        Ok(answer)
    }
}

fn known(map: &Map) -> Result<(), AnswerFault> {
    if map.has_repeated_key() {
        return Err(malformed("a field stands twice in the answer"));
    }
    match map.iter().map(|(name, _)| name).find(|name| !FIELDS.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let meant = nearest(name, FIELDS).map(|near| format!("; is {near} meant?")).unwrap_or_default();
            Err(malformed(format!("an answer has no field {}{meant}", shortened(name, 40))))
        }
    }
}

fn field<'a>(map: &'a Map, name: &str) -> Result<&'a Json, AnswerFault> {
    match map.lookup(name) {
        Lookup::One(value) => Ok(value),
        Lookup::Missing | Lookup::Twice => Err(malformed(format!("the answer does not say {name}"))),
    }
}

fn text<'a>(map: &'a Map, name: &str) -> Result<&'a str, AnswerFault> {
    let value = field(map, name)?;
    value.as_text().ok_or_else(|| malformed(format!("{name} is a {}, where a text must stand", value.kind())))
}

fn confidence(map: &Map) -> Result<Number, AnswerFault> {
    let value = field(map, "confidence")?;
    let Json::Number(number) = value else {
        return Err(malformed(format!("confidence is a {}, where a number must stand", value.kind())));
    };
    let [zero, one] = [0, 1].map(|bound: i32| Number::parse(&bound.to_string()));
    let below = zero.is_none_or(|zero| compare(number, &zero) == Ordering::Less);
    let above = one.is_none_or(|one| compare(number, &one) == Ordering::Greater);
    if below || above || number.token().len() > LONGEST_NUMBER {
        let message = format!("confidence is {}; it is a number from 0 to 1", shortened(number.token(), 40));
        return Err(malformed(message));
    }
    Ok(number.clone())
}

fn cited(map: &Map, names: &[String]) -> Result<Vec<String>, AnswerFault> {
    let value = field(map, "evidence")?;
    let items = value.as_list().ok_or_else(|| malformed("evidence is no list of names of exhibits"))?;
    let mut cited = Vec::new();
    for item in items {
        let name = item.as_text().ok_or_else(|| malformed("evidence holds something that is no text"))?;
        if !names.iter().any(|known| known == name) {
            let message = format!("the answer rests on {}, which the judge was not shown", shortened(name, 60));
            return Err(AnswerFault { code: Code::JudgeCitesUnknown, message });
        }
        if cited.iter().any(|known| known == name) {
            return Err(malformed(format!("evidence names {name} twice")));
        }
        cited.push(name.to_owned());
    }
    Ok(cited)
}

fn reason(map: &Map) -> Result<Option<String>, AnswerFault> {
    if matches!(map.lookup("reason"), Lookup::Missing) {
        return Ok(None);
    }
    let reason = text(map, "reason")?;
    let count = reason.chars().count();
    if count > LONGEST_REASON {
        return Err(malformed(format!("reason has {count} characters, {LONGEST_REASON} at most")));
    }
    Ok(Some(reason.to_owned()))
}
