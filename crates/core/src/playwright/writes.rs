//! Records of the write guard, and their aggregate.

use std::collections::BTreeSet;

use crate::json::Json;

use super::report::{Lookup, number};

/// A `writes.json`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    installed: bool,
    policy: Option<String>,
    prefix: Option<String>,
    write_signatures: f64,
    routed_requests: f64,
    blocked: f64,
    observed: f64,
}

impl Record {
    /// From the document. What is not there, or of another type, counts as false, null or 0.
    #[must_use]
    pub fn of(json: &Json) -> Self {
        let text = |key: &str| json.get(key).and_then(Json::as_text).map(str::to_owned);
        let count = |key: &str| match json.get(key) {
            Some(Json::Number(number)) => number.token().parse().ok().filter(|n: &f64| n.is_finite()).unwrap_or(0.0),
            _ => 0.0,
        };
        Self {
            installed: json.get("installed").and_then(Json::as_bool) == Some(true),
            policy: text("policy"),
            prefix: text("prefix"),
            write_signatures: count("write_signatures"),
            routed_requests: count("routed_requests"),
            blocked: count("blocked"),
            observed: count("observed"),
        }
    }
}

/// Where the records of a case lie.
#[derive(Clone, Debug, Default)]
pub(super) struct Attached {
    /// Attempts that were not skipped.
    pub attempts: u64,
    /// Whether one of them attached no record.
    pub bare: bool,
    /// Each record in the order of attempts, with whether its attempt was skipped.
    pub records: Vec<(String, bool)>,
}

/// The aggregate; null where nothing was attached.
pub(super) fn aggregate(attached: &Attached, look: &Lookup<'_>) -> Json {
    if attached.records.is_empty() {
        return Json::Null;
    }
    // One that cannot be read counts as one of a guard that never ran.
    let records: Vec<(Record, bool)> =
        attached.records.iter().map(|(path, skipped)| ((look.record)(path).unwrap_or_default(), *skipped)).collect();
    let common = |value: fn(&Record) -> &Option<String>| -> Json {
        let values: BTreeSet<&Option<String>> = records.iter().map(|(record, _)| value(record)).collect();
        if values.len() == 1 {
            values.first().and_then(|one| one.as_ref()).map(String::as_str).into()
        } else {
            Json::Null
        }
    };
    let sum = |value: fn(&Record) -> f64| number(records.iter().map(|(record, _)| value(record)).sum());
    let fewest = records.iter().map(|(record, _)| record.write_signatures).fold(f64::INFINITY, f64::min);
    let installed = !attached.bare && records.iter().all(|(record, skipped)| *skipped || record.installed);
    Json::map([
        ("attempts", Json::from(attached.attempts)),
        ("paths", Json::list(attached.records.iter().map(|(path, _)| (look.relative)(path)))),
        ("installed", installed.into()),
        ("policy", common(|record| &record.policy)),
        ("prefix", common(|record| &record.prefix)),
        ("write_signatures", number(fewest)),
        ("routed_requests", sum(|record| record.routed_requests)),
        ("blocked", sum(|record| record.blocked)),
        ("observed", sum(|record| record.observed)),
    ])
}
