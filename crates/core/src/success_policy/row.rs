//! A row of a file of QA runs: `{verdict, score, confidence, raw_result, created_at}`, as JSON.

use smol_str::SmolStr;

use super::origin::Origin;
use super::quick;
use super::run::{Class, Facts, Run, Time};
use crate::codes::Code;
use crate::inert::shortened;
use crate::json::{Json, Limits, Lookup, Map, Number, read};
use crate::nearest::nearest;

/// The fields that outcomes and times come from.
pub(super) const FIELDS: [&str; 5] = ["verdict", "score", "confidence", "raw_result", "created_at"];
/// Where a row says which requirement it belongs to.
pub(super) const REQUIREMENT: [&str; 2] = ["requirement", "qa_requirement_id"];
/// Where it has a name.
pub(super) const NAME: [&str; 2] = ["id", "run"];
/// Where it says why its verdict is what it is.
pub(super) const NOTE: &str = "verdict_reason";

/// What of a row is wanted: what nobody asks for is not kept.
#[derive(Clone, Debug, Default)]
pub struct Want {
    /// Keys of raw results; `None` for all of them.
    names: Option<Vec<SmolStr>>,
    /// Whether names, times as text and notes are wanted, which only people read.
    pub words: bool,
    /// Whether it is wanted where runs come from.
    pub origin: bool,
}

impl Want {
    /// Everything.
    #[must_use]
    pub const fn everything() -> Self {
        Self { names: None, words: true, origin: false }
    }

    /// What these keys of raw results hold, and nothing for people.
    #[must_use]
    pub fn names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self { names: Some(names.into_iter().map(SmolStr::from).collect()), words: false, origin: false }
    }

    /// The same with what people read.
    #[must_use]
    pub const fn and_words(mut self) -> Self {
        self.words = true;
        self
    }

    /// The same with where runs come from.
    #[must_use]
    pub const fn and_origin(mut self) -> Self {
        self.origin = true;
        self
    }

    /// Whether a key is wanted.
    pub(super) fn takes(&self, name: &str) -> bool {
        self.names.as_ref().is_none_or(|names| names.iter().any(|known| known == name))
    }

    /// Whether no key is.
    pub(super) fn is_nothing(&self) -> bool {
        self.names.as_ref().is_some_and(Vec::is_empty)
    }
}

/// A run with what says which one it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The run.
    pub run: Run,
    /// The requirement that it belongs to, where it says.
    pub requirement: Option<SmolStr>,
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Its time as it was written.
    pub at: Option<String>,
    /// Why its verdict is what it is.
    pub note: Option<String>,
    /// Where it comes from, where that was wanted and rows say such things.
    pub origin: Option<Box<Origin>>,
}

/// Why a row cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// The code.
    pub code: Code,
    /// Where in the row, in bytes.
    pub offset: usize,
    /// What was seen, as a sentence without a full stop.
    pub message: String,
    /// What to do.
    pub help: String,
}

/// Rows larger or deeper than this are refused.
const LIMITS: Limits = Limits { depth: 128, nodes: 1_000_000 };

impl Row {
    /// Reads a row.
    ///
    /// # Errors
    /// `syntax_error`, `wrong_type`, `duplicate_key`, `missing_field`, `unknown_field`.
    pub fn read(text: &[u8], want: &Want) -> Result<Self, RowFault> {
        quick::row(text, want).map_or_else(|| Self::read_any(text, want), Ok)
    }

    /// The same, without the short cut for plain rows.
    pub(super) fn read_any(text: &[u8], want: &Want) -> Result<Self, RowFault> {
        let value = read(text, &LIMITS).map_err(|error| RowFault {
            code: Code::SyntaxError,
            offset: error.offset,
            message: error.what,
            help: "write one run as a JSON object on each line, or all of them as one JSON array".to_owned(),
        })?;
        let Json::Map(map) = &value else {
            return Err(fault(Code::WrongType, format!("a run is a JSON object, and this is a {}", value.kind()), ""));
        };
        Self::of(map, want).map_err(|(fault, field)| {
            // The value has no place; where its name stands first is near enough.
            let quoted = format!("\"{field}\"");
            let offset =
                text.windows(quoted.len()).position(|part| part == quoted.as_bytes()).filter(|_| !field.is_empty());
            RowFault { offset: offset.unwrap_or(0), ..fault }
        })
    }

    /// A fault comes with the field that it is about, or with an empty name.
    fn of<'a>(map: &'a Map, want: &Want) -> Result<Self, (RowFault, &'a str)> {
        if map.has_repeated_key() {
            let message = "a field stands twice in one run".to_owned();
            return Err((fault(Code::DuplicateKey, message, "remove one of the two"), ""));
        }
        let class = class(map)?;
        let known = |name: &str| FIELDS.contains(&name) || KNOWN.contains(&name);
        let others = map.iter().map(|(name, _)| name).filter(|name| !known(name));
        if let Some((name, meant)) = others.filter_map(|name| Some((name, nearest(name, FIELDS)?))).next() {
            let message = format!("a run has no field {}", shortened(name, 40));
            return Err((fault(Code::UnknownField, message, &format!("did you mean {meant}?")), name));
        }
        let text = |names: &[&str]| names.iter().find_map(|name| map.get(name).and_then(label));
        let at = map.get("created_at").and_then(Json::as_text);
        Ok(Self {
            run: Run {
                class,
                score: finite(map.get("score")),
                confidence: finite(map.get("confidence")),
                facts: map.get("raw_result").map(|raw| Facts::of(raw, want)).unwrap_or_default(),
                at: at.and_then(Time::parse),
            },
            requirement: text(&REQUIREMENT).map(SmolStr::from),
            name: if want.words { text(&NAME) } else { None },
            at: at.filter(|_| want.words).map(str::to_owned),
            note: if want.words { text(&[NOTE]) } else { None },
            origin: want.origin.then(|| Box::new(Origin::of(map))),
        })
    }
}

/// The verdict must stand there: missing and null are two things.
fn class(map: &Map) -> Result<Class, (RowFault, &str)> {
    match map.lookup("verdict") {
        Lookup::One(Json::Null) => Ok(Class::of(None)),
        Lookup::One(Json::Text(text) | Json::BrokenText(text)) => Ok(Class::of(Some(text))),
        Lookup::One(other) => {
            let message = format!("verdict is a {}, where a text or null must stand", other.kind());
            let help = "write pass, fail, undetermined or error; null while there is none";
            Err((fault(Code::WrongType, message, help), "verdict"))
        }
        Lookup::Missing | Lookup::Twice => {
            let near = map.iter().find_map(|(name, _)| nearest(name, ["verdict"]).map(|_| name));
            let help = near.map_or_else(
                || "write verdict: null for a run that has none yet".to_owned(),
                |near| format!("is {} meant for it?", shortened(near, 40)),
            );
            Err((fault(Code::MissingField, "the run does not say its verdict".to_owned(), &help), near.unwrap_or("")))
        }
    }
}

/// Names that runs carry elsewhere (spec 1.2) and that are near to one of the fields.
const KNOWN: [&str; 2] = ["completed_at", "created"];

/// A text or a number, as a label.
fn label(value: &Json) -> Option<String> {
    match value {
        Json::Text(text) => Some(text.clone()),
        Json::Number(number) => Some(number.token().to_owned()),
        _ => None,
    }
}

/// What a numeric column holds: a number that a double can hold; everything else is none (L2, A6).
fn finite(value: Option<&Json>) -> Option<Number> {
    match value {
        Some(Json::Number(number)) => super::policy::float(number).map(|_| number.clone()),
        _ => None,
    }
}

fn fault(code: Code, message: String, help: &str) -> RowFault {
    RowFault { code, offset: 0, message, help: help.to_owned() }
}
