//! Where a row of QA runs comes from: optional fields that no outcome looks at, and that flake analytics need.

use smol_str::SmolStr;

use super::policy::float;
use crate::json::{Json, Lookup, Map};

/// What stands under a name: missing, null and a value are three things.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Given<T> {
    /// The name does not stand there.
    #[default]
    Missing,
    /// It does, with null.
    Null,
    /// It does, with something else than it must be.
    Unfit,
    /// A value.
    Value(T),
}

/// Where a run comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// `commit`, else `head_sha`: the software that was run.
    pub commit: Given<SmolStr>,
    /// `performed_by`: who or what made the run.
    pub performed_by: Given<SmolStr>,
    /// `judge`: who gave the verdict, where it was judged and not measured.
    pub judge: Given<SmolStr>,
    /// `confidence`: how sure the judge is, from 0 to 1.
    pub confidence: Given<f64>,
}

impl Origin {
    pub(super) fn of(map: &Map) -> Self {
        let commit = match text(map, "commit") {
            Given::Missing => text(map, "head_sha"),
            given => given,
        };
        let confidence = given(map, "confidence", |value| match value {
            Json::Number(number) => float(number).filter(|confidence| (0.0..=1.0).contains(confidence)),
            _ => None,
        });
        Self { commit, performed_by: text(map, "performed_by"), judge: text(map, "judge"), confidence }
    }

    /// The judge, where there is one.
    #[must_use]
    pub const fn judge(&self) -> Option<&SmolStr> {
        match &self.judge {
            Given::Value(judge) => Some(judge),
            _ => None,
        }
    }
}

fn text(map: &Map, name: &str) -> Given<SmolStr> {
    given(map, name, |value| value.as_text().filter(|text| !text.is_empty()).map(SmolStr::from))
}

fn given<T>(map: &Map, name: &str, of: impl Fn(&Json) -> Option<T>) -> Given<T> {
    match map.lookup(name) {
        Lookup::Missing => Given::Missing,
        Lookup::One(Json::Null) => Given::Null,
        Lookup::One(value) => of(value).map_or(Given::Unfit, Given::Value),
        Lookup::Twice => Given::Unfit,
    }
}
