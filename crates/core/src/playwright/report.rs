//! The uniform report: each field is copied from Playwright or from the run's metadata, or computed from them.

use crate::ids::Digest;
use crate::json::{Json, Map, Number};

use super::gather::{Gathered, Held};
use super::writes::aggregate;
use super::{Annotation, CaseVerdict};

/// What only the files beside the report can tell.
pub struct Lookup<'l> {
    /// A path of Playwright's, counted from the run folder.
    pub relative: &'l dyn Fn(&str) -> String,
    /// The digest of a file that Playwright names; `None` where it cannot be read.
    pub digest: &'l dyn Fn(&str) -> Option<Digest>,
    /// A record of the write guard; `None` where it cannot be read.
    pub record: &'l dyn Fn(&str) -> Option<super::Record>,
    /// The hash of a case's spec when the run started.
    pub spec_sha: &'l dyn Fn(&str) -> Option<String>,
}

/// A report, and what of it caps a requirement.
#[derive(Debug)]
pub struct Report {
    /// The document.
    pub json: Json,
    /// Cases by verdict: pass, fail, flaky, blocked.
    pub counts: [(CaseVerdict, usize); 4],
    /// How many fixture specs ran.
    pub fixtures: usize,
    /// How many errors there were outside of every test.
    pub errors: usize,
    /// Titles that name neither a case nor a fixture.
    pub unmapped: Vec<String>,
    /// Facts of Playwright's beside the verdicts.
    pub annotations: Vec<Annotation>,
}

/// Makes the report of a run from what was gathered and its metadata.
#[must_use]
pub fn report(gathered: Gathered, meta: &Map, look: &Lookup<'_>) -> Report {
    let mismatch = mismatch(meta);
    let held = |held: Held| if mismatch { Held { verdict: CaseVerdict::Blocked, ..held } } else { held };
    let cases: Vec<(String, Held)> = gathered.cases.into_iter().map(|(id, one)| (id, held(one))).collect();
    let mut fixtures = gathered.fixtures;
    fixtures.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    let count = |verdict| (verdict, cases.iter().filter(|(_, held)| held.verdict == verdict).count());
    let counts = [CaseVerdict::Pass, CaseVerdict::Fail, CaseVerdict::Flaky, CaseVerdict::Blocked].map(count);
    let mut map = envelope(meta, mismatch, gathered.version, gathered.started);
    map.push("cases", Json::list(cases.iter().map(|(id, held)| case(id, held, look))));
    let entries = fixtures.into_iter().map(|(name, teardown, one)| fixture(&name, teardown, &held(one), look));
    let entries: Vec<Json> = entries.collect();
    let ran = entries.len();
    map.push("fixtures", Json::List(entries));
    map.push("summary", Json::map(counts.map(|(verdict, count)| (verdict.as_str(), count))));
    map.push("unmapped_specs", Json::list(gathered.unmapped.iter().map(String::as_str)));
    map.push("errors", Json::list(gathered.errors.iter().map(String::as_str)));
    Report {
        json: Json::Map(map),
        counts,
        fixtures: ran,
        errors: gathered.errors.len(),
        unmapped: gathered.unmapped,
        annotations: gathered.annotations.into_iter().collect(),
    }
}

/// Whether the build changed while the run went on: both are known, and differ.
fn mismatch(meta: &Map) -> bool {
    let known = |key: &str| meta.get(key).filter(|value| !matches!(value, Json::Null) && value.as_text() != Some(""));
    match (known("sha_before"), known("sha_after")) {
        (Some(before), Some(after)) => before != after,
        _ => false,
    }
}

/// The fields before the cases, in the order of the format. One that the metadata lacks is left out, where the format
/// has no default for it.
fn envelope(meta: &Map, mismatch: bool, version: Option<String>, started: Option<String>) -> Map {
    let given = |key: &str| meta.get(key).filter(|value| **value != Json::Null).cloned();
    let mut map = Map::new();
    let copy = |map: &mut Map, key: &'static str| {
        if let Some(value) = meta.get(key) {
            map.push(key, value.clone());
        }
    };
    let or = |key: &str, default: Json| given(key).unwrap_or(default);
    copy(&mut map, "run_id");
    map.push("run_kind", or("run_kind", Json::Null));
    ["feature", "app", "env_name"].into_iter().for_each(|key| copy(&mut map, key));
    map.push("env_kind", or("env_kind", Json::Null));
    copy(&mut map, "env_url");
    map.push("mutation_policy", or("mutation_policy", Json::Null));
    map.push("mutation_prefix", or("mutation_prefix", Json::Null));
    copy(&mut map, "api_mode");
    map.push("commit_sha", given("sha_after").or_else(|| given("sha_before")).unwrap_or(Json::Null));
    ["sha_before", "sha_after", "sha_source"].into_iter().for_each(|key| map.push(key, or(key, Json::Null)));
    map.push("sha_format", or("sha_format", "commit".into()));
    map.push("evidence_capture", or("evidence_capture", "always".into()));
    map.push("sha_mismatch", mismatch);
    ["executor", "model_version"].into_iter().for_each(|key| copy(&mut map, key));
    map.push("playwright_version", or("playwright_version", version.into()));
    copy(&mut map, "browser");
    map.push("started_at", or("started_at", started.into()));
    map.push("finished_at", or("finished_at", Json::Null));
    map
}

fn case(id: &str, held: &Held, look: &Lookup<'_>) -> Json {
    let failed = matches!(held.verdict, CaseVerdict::Fail | CaseVerdict::Flaky);
    Json::map([
        ("id", Json::from(id)),
        ("verdict", held.verdict.as_str().into()),
        ("duration_ms", number(held.duration)),
        ("assertions", Json::Null),
        ("video", held.video.as_deref().into()),
        ("trace", held.trace.as_deref().map(look.relative).into()),
        ("trace_sha256", held.trace.as_deref().and_then(look.digest).map(Json::from).into()),
        ("writes", aggregate(&held.writes, look)),
        ("console_log", held.console.as_deref().into()),
        ("failure_summary", held.message.as_deref().filter(|_| failed).into()),
        ("retries", held.retries.into()),
        ("spec_sha", (look.spec_sha)(id).into()),
    ])
}

fn fixture(name: &str, teardown: bool, held: &Held, look: &Lookup<'_>) -> Json {
    Json::map([
        ("name", Json::from(name)),
        ("phase", if teardown { "teardown" } else { "setup" }.into()),
        ("verdict", held.verdict.as_str().into()),
        ("trace", held.trace.as_deref().map(look.relative).into()),
        ("trace_sha256", held.trace.as_deref().and_then(look.digest).map(Json::from).into()),
        ("writes", aggregate(&held.writes, look)),
    ])
}

/// A number as JavaScript writes it: without a decimal point where it is whole.
pub(super) fn number(value: f64) -> Json {
    Number::parse(&value.to_string()).map_or(Json::Null, Json::Number)
}
