//! Values that a step saves or records.

use regex::RegexBuilder;

use super::text::{Reading, charset};
use super::{Bytes, Document, Seen, compare};
use crate::json::Json;
use crate::path::{Path, PathSteps};
use crate::plan::SaveFrom;

/// The greatest compiled size of a pattern, in bytes.
pub(super) const MAX_PATTERN: usize = 1 << 20;

/// Takes a value out of what a step saw: of the body, or of standard output where there is no body.
///
/// # Errors
/// Why there is no such value, as a sentence without its full stop. Values that two readers would read as two, and
/// anything out of cut bytes, are not saved.
pub fn save(from: &SaveFrom, seen: &Seen<'_>) -> Result<Json, String> {
    match from {
        SaveFrom::Json(path) => json(path, seen),
        SaveFrom::Header(name) => header(name, seen),
        SaveFrom::Text(pattern) => text(pattern, seen),
    }
}

fn bytes<'a>(seen: &Seen<'a>) -> Result<Bytes<'a>, String> {
    seen.body.or(seen.stdout).ok_or_else(|| "there is no answer to take it from".to_owned())
}

fn json(path: &Path, seen: &Seen<'_>) -> Result<Json, String> {
    if matches!(path.steps, PathSteps::Query { plural: true }) {
        return Err(format!("the path `{}` may name many values", path.text));
    }
    let document = Document::read(bytes(seen)?).map_err(|unknown| unknown.why)?;
    let spots = document.locate(path).map_err(|unknown| unknown.why)?;
    let spot = spots.first().ok_or_else(|| format!("nothing stands at `{}`", path.text))?;
    match compare::flaw(spot.value) {
        Some(flaw) => Err(flaw.why),
        None => Ok(spot.value.clone()),
    }
}

fn header(name: &str, seen: &Seen<'_>) -> Result<Json, String> {
    super::step::header(name, seen).ok_or_else(|| format!("there is no header `{name}`"))
}

fn text(pattern: &str, seen: &Seen<'_>) -> Result<Json, String> {
    let charset = seen.body.and_then(|_| charset(seen.headers));
    let reading = Reading::of(bytes(seen)?, charset.as_deref());
    let text = reading.whole().map_err(|unknown| unknown.why)?;
    let pattern = RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN)
        .build()
        .map_err(|_| "the pattern cannot be compiled".to_owned())?;
    let groups = pattern.captures(text).ok_or_else(|| format!("the pattern `{pattern}` is found nowhere"))?;
    let group = groups.get(1).ok_or_else(|| format!("the group of the pattern `{pattern}` took no part"))?;
    Ok(group.as_str().into())
}
