//! JSON Schema: the file is sealed with the plan, references stay inside it, and nothing is fetched.

use jsonschema::{PatternOptions, Validator};

use super::render::short;
use super::shadow::Shadow;
use super::work::{self, Refusal};
use super::{Cause, Files, Unknown};
use crate::json::{Json, Limits, read};

/// The greatest compiled size of one pattern of a schema, in bytes.
const MAX_PATTERN: usize = 1 << 20;

/// The first fault of a value under the schema in a file; `None` when it is valid.
pub(super) fn fault(value: &Json, file: &str, files: &Files<'_>) -> Result<Option<String>, Unknown> {
    let instance = exact(value)?;
    let plan = |why: String| Unknown::new(Cause::Plan, format!("the schema {file:?} {why}"));
    let schema = load(file, files).map_err(plan)?;
    work::bounded(&schema, &instance).map_err(|refusal| match refusal {
        Refusal::Schema(why) => plan(why),
        Refusal::Work(why) => Unknown::new(Cause::Budget, why),
    })?;
    let validator = compile(&schema).map_err(plan)?;
    let first = validator.iter_errors(&instance).next();
    Ok(first.map(|error| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { "the whole value".to_owned() } else { place };
        short(&format_args!("{error} (at {place})"))
    }))
}

fn exact(value: &Json) -> Result<serde_json::Value, Unknown> {
    let shadow = Shadow::of(value);
    if shadow.repeated_key {
        return Err(Unknown::new(Cause::RepeatedKey, "a key stands twice in the value"));
    }
    if shadow.broken_text {
        return Err(super::compare::broken());
    }
    if shadow.rounded {
        return Err(Unknown::new(Cause::Inexact, "the schema would round numbers of more than fifteen digits"));
    }
    Ok(shadow.value)
}

/// The schema as it was sealed.
fn load(file: &str, files: &Files<'_>) -> Result<serde_json::Value, String> {
    let bytes = files(file).ok_or_else(|| "was not sealed with the plan".to_owned())?;
    let limits = Limits { depth: 64, nodes: 100_000 };
    let schema = read(&bytes, &limits).map_err(|fault| format!("is no JSON: {fault}"))?;
    let shadow = Shadow::of(&schema);
    if shadow.repeated_key || shadow.broken_text || shadow.rounded {
        return Err("has a repeated key, an unpaired surrogate, or a number that would be rounded".to_owned());
    }
    Ok(shadow.value)
}

/// Patterns are compiled by the engine that is linear in the text; look-around makes the schema unusable.
fn compile(schema: &serde_json::Value) -> Result<Validator, String> {
    jsonschema::options()
        .offline()
        .with_pattern_options(PatternOptions::regex().size_limit(MAX_PATTERN))
        .build(schema)
        .map_err(|e| format!("cannot be used: {e}"))
}
