//! A QA run, as far as policies look at it (spec 1.2, 2.3).

use smol_str::SmolStr;

use super::policy::float;
use super::row::Want;
use crate::json::{Json, Limits, Map, Number, read};
use crate::verdict::QaVerdict;

/// One QA run. Readers of files make it, and rows of a database can: score, confidence and facts are typed columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What its verdict column says.
    pub class: Class,
    /// Its score, where the column holds a finite number (L2).
    pub score: Option<Number>,
    /// The certainty in the verdict, where the column holds a finite number.
    pub confidence: Option<Number>,
    /// What its raw result holds.
    pub facts: Facts,
    /// When it was recorded. Never changes an outcome.
    pub at: Option<Time>,
}

/// What a verdict column says (spec 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// No verdict yet: the run is ignored everywhere.
    Pending,
    /// One of the four.
    Known(QaVerdict),
    /// Another text, other case or blanks included. It counts as an error: that fails closed.
    Unknown,
}

impl Class {
    /// Of a column.
    #[must_use]
    pub fn of(verdict: Option<&str>) -> Self {
        verdict.map_or(Self::Pending, |text| QaVerdict::parse(text).map_or(Self::Unknown, Self::Known))
    }

    /// What it counts as; `None` while it is pending.
    #[must_use]
    pub const fn verdict(self) -> Option<QaVerdict> {
        match self {
            Self::Pending => None,
            Self::Known(verdict) => Some(verdict),
            Self::Unknown => Some(QaVerdict::Error),
        }
    }

    /// Whether something was measured: it passed or failed.
    #[must_use]
    pub const fn is_measured(self) -> bool {
        matches!(self, Self::Known(QaVerdict::Pass | QaVerdict::Fail))
    }

    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self.verdict() {
            None => "pending",
            Some(verdict) => verdict.as_str(),
        }
    }
}

/// Values by the exact name of a top-level key (L1). `null` is no value (L8), and of repeated keys the last counts (L7).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(Vec<(SmolStr, Fact)>);

/// One value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    /// A number, as its token.
    Number(Number),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(String),
    /// A list, a map, or a text with half of a surrogate pair: there, and equal to nothing that a policy can expect.
    Other,
}

/// Raw results larger or deeper than this are not read: they have no keys then (L6).
const LIMITS: Limits = Limits { depth: 128, nodes: 1_000_000 };

impl Facts {
    /// Of a `raw_result` column: an object, or a text that holds one; anything else has no keys (L6).
    #[must_use]
    pub fn of(raw: &Json, want: &Want) -> Self {
        match raw {
            Json::Map(map) => Self::of_map(map, want),
            Json::Text(text) if !want.is_nothing() => Self::read(text.as_bytes(), want),
            _ => Self::default(),
        }
    }

    /// Of the text of a column.
    #[must_use]
    pub fn read(text: &[u8], want: &Want) -> Self {
        match read(text, &LIMITS) {
            Ok(Json::Map(map)) => Self::of_map(&map, want),
            _ => Self::default(),
        }
    }

    fn of_map(map: &Map, want: &Want) -> Self {
        // A number that no double holds makes the text no JSON for other readers of the same column (E6).
        if want.is_nothing() || map.iter().any(|(_, value)| overflows(value)) {
            return Self::default();
        }
        map.iter()
            .filter(|(name, _)| want.takes(name))
            .map(|(name, value)| (SmolStr::from(name), Fact::of(value)))
            .collect()
    }

    /// What stands under a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Fact> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, fact)| fact)
    }

    /// Names and values.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Fact)> {
        self.0.iter().map(|(name, fact)| (name.as_str(), fact))
    }
}

/// From typed columns: the last of a name counts, and one without a value is missing.
impl FromIterator<(SmolStr, Option<Fact>)> for Facts {
    fn from_iter<I: IntoIterator<Item = (SmolStr, Option<Fact>)>>(columns: I) -> Self {
        let mut facts: Vec<(SmolStr, Fact)> = Vec::new();
        for (name, fact) in columns {
            facts.retain(|(known, _)| *known != name);
            facts.extend(fact.map(|fact| (name, fact)));
        }
        Self(facts)
    }
}

impl Fact {
    /// `None` for null.
    fn of(value: &Json) -> Option<Self> {
        match value {
            Json::Null => None,
            Json::Bool(b) => Some(Self::Bool(*b)),
            Json::Number(number) => Some(Self::Number(number.clone())),
            Json::Text(text) => Some(Self::Text(text.clone())),
            Json::BrokenText(_) | Json::List(_) | Json::Map(_) => Some(Self::Other),
        }
    }
}

fn overflows(value: &Json) -> bool {
    match value {
        Json::Number(number) => float(number).is_none(),
        Json::List(items) => items.iter().any(overflows),
        Json::Map(map) => map.iter().any(|(_, value)| overflows(value)),
        Json::Null | Json::Bool(_) | Json::Text(_) | Json::BrokenText(_) => false,
    }
}

/// A point in time to the microsecond; later ones are greater. Only the form `2026-08-01T00:00:00Z`, with or without a
/// fraction, is one: no outcome depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// After every time that can be written.
    pub const LATEST: Self = Self(u64::MAX);
    /// Times of the index, in microseconds since 1970: they are compared with each other alone.
    #[must_use]
    pub const fn of_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// A number that is greater for a later time.
    pub(super) const fn order(self) -> u64 {
        self.0
    }

    /// Reads one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.strip_suffix('Z')?.split_at_checked(19)?;
        let bytes = whole.as_bytes();
        let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
        if marks.iter().any(|(at, mark)| bytes.get(*at) != Some(mark)) {
            return None;
        }
        let part = |from: usize, to: usize, least: u64, most: u64| {
            let digits = whole.get(from..to).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?;
            digits.parse::<u64>().ok().filter(|value| (least..=most).contains(value))
        };
        let day = (part(0, 4, 0, 9999)? * 13 + part(5, 7, 1, 12)?) * 32 + part(8, 10, 1, 31)?;
        let second = ((day * 24 + part(11, 13, 0, 23)?) * 60 + part(14, 16, 0, 59)?) * 61 + part(17, 19, 0, 60)?;
        let digits =
            if fraction.is_empty() { "" } else { fraction.strip_prefix('.').filter(|digits| !digits.is_empty())? };
        if !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let micros = digits.bytes().chain(std::iter::repeat(b'0')).take(6).fold(0, |n, b| n * 10 + u64::from(b - b'0'));
        Some(Self(second * 1_000_000 + micros))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_ordered_whatever_their_fraction() {
        let of = |text: &str| Time::parse(text).unwrap();
        let ordered =
            ["2026-08-01T00:00:00Z", "2026-08-01T00:00:00.123Z", "2026-08-01T00:00:00.5Z", "2026-08-01T00:00:01Z"];
        assert!(ordered.windows(2).all(|pair| of(pair[0]) < of(pair[1])));
        assert_eq!(of("2026-08-01T00:00:00.50Z"), of("2026-08-01T00:00:00.5Z"));
        for bad in [
            "",
            "2026-08-01",
            "2026-08-01T00:00:00",
            "2026-08-01T00:00:00+09:00",
            "2026-13-01T00:00:00Z",
            "2026-08-01T00:00:00.Z",
            "2026-08-01T00:00:00.1x Z",
            "2026-08-01 00:00:00Z",
            "+026-08-01T00:00:00Z",
            "2026-08-01T00:00:0éZ",
        ] {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn raw_results_have_keys_or_none() {
        let facts = |text: &str| Facts::read(text.as_bytes(), &Want::everything());
        assert_eq!(facts(r#"{"a":1,"a":null}"#).get("a"), None);
        assert_eq!(facts(r#"{"a":null,"a":true}"#).get("a"), Some(&Fact::Bool(true)));
        assert_eq!(
            facts(r#"{"a":{"b":1},"c":"\ud800"}"#).iter().map(|(_, f)| f).collect::<Vec<_>>(),
            [&Fact::Other, &Fact::Other]
        );
        for none in ["", "null", "[1]", "{", "\"{\\\"a\\\":1}\"", r#"{"a":1,"b":1e400}"#, r#"{"a":1,"b":[NaN]}"#] {
            assert_eq!(facts(none), Facts::default(), "{none}");
        }
        let inline = Json::map([("a", Json::from(1))]);
        assert!(Facts::of(&inline, &Want::everything()).get("a").is_some());
        assert!(Facts::of(&Json::list([1]), &Want::everything()).get("a").is_none());
        let columns = [(SmolStr::from("a"), Some(Fact::Bool(true))), ("b".into(), None)];
        assert_eq!(columns.into_iter().collect::<Facts>(), facts(r#"{"a":true,"b":null}"#));
    }
}
