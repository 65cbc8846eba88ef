//! The answer of commands that refuse: `{ok, profile?, refusals[], warnings[]}` (design.md section 6).

use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::json::{Json, Map};

use super::{LARGEST, clip, document, error, share};

/// The answer. `more` are the fields of the command; they are written whole.
pub(crate) fn refused(schema: &str, exit: u8, found: &[Diagnostic], more: Vec<(&'static str, Json)>) -> String {
    let of = |severity| -> Vec<Json> { found.iter().filter(|d| d.severity == severity).map(one).collect() };
    let (refusals, warnings) = (of(Severity::Error), of(Severity::Warning));
    let taken = share(LARGEST.saturating_sub(400), &[&refusals, &warnings]);
    let mut map = Map::new();
    map.push("schema", schema);
    map.push("exit", exit);
    map.push("ok", refusals.is_empty());
    more.into_iter().for_each(|(key, value)| map.push(key, value));
    map.push("refusals", Json::List(refusals[..taken[0]].to_vec()));
    map.push("warnings", Json::List(warnings[..taken[1]].to_vec()));
    map.push("left_out", Json::map([("refusals", refusals.len() - taken[0]), ("warnings", warnings.len() - taken[1])]));
    document(&Json::Map(map))
}

/// A refusal or warning. Its rule is the number of the gate's rule, where it is one of those.
fn one(d: &Diagnostic) -> Json {
    Json::map([
        ("code", Json::from(d.code.as_str())),
        ("rule", Json::Null),
        ("subject", d.subject.as_ref().map(|subject| clip(subject, 200)).into()),
        ("message", clip(&d.message, 400).into()),
        ("help", clip(d.help.as_deref().unwrap_or(d.code.explanation().remedy), 400).into()),
        ("place", error::place(&d.file, d.place)),
    ])
}
