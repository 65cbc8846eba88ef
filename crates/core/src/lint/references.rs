//! References in data and text: who is named where (plan.md rule 4).

use crate::json::{Json, Map};
use crate::plan::{Action, Body, Plan, Step};

/// Something that a value refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference<'a> {
    /// A variable: `name`, or `CASE.name` for another case's.
    Variable(&'a str),
    /// An environment variable.
    Environment(&'a str),
}

/// The names in a text with holes such as `/orders/{order}`, in order. `{{` is a literal brace.
#[must_use]
pub fn holes(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let after = &rest[at + 1..];
        if let Some(literal) = after.strip_prefix('{') {
            rest = literal;
            continue;
        }
        match after.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'))) {
            Some(end) if end > 0 && after[end..].starts_with('}') => {
                names.push(&after[..end]);
                rest = &after[end + 1..];
            }
            _ => rest = after,
        }
    }
    names
}

/// Everything that a value refers to, at any depth, in order.
#[must_use]
pub fn references(value: &Json) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect<'a>(value: &'a Json, found: &mut Vec<Reference<'a>>) {
    match value {
        Json::List(items) => items.iter().for_each(|item| collect(item, found)),
        Json::Map(map) => match reference(map) {
            Some(Form::Variable(name)) => found.push(Reference::Variable(name)),
            Some(Form::Environment(name)) => found.push(Reference::Environment(name)),
            Some(Form::Template(text)) => found.extend(holes(text).into_iter().map(Reference::Variable)),
            None => map.iter().for_each(|(_, item)| collect(item, found)),
        },
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::BrokenText(_) => {}
    }
}

/// The closed forms of a reference.
pub(super) enum Form<'a> {
    Variable(&'a str),
    Environment(&'a str),
    Template(&'a str),
}

/// The reference that a map is, if it is one: a map whose only key is `$var`, `$env` or `$template`.
pub(super) fn reference(map: &Map) -> Option<Form<'_>> {
    let mut pairs = map.iter();
    let (Some((key, value)), None) = (pairs.next(), pairs.next()) else { return None };
    let text = value.as_text()?;
    match key {
        "$var" => Some(Form::Variable(text)),
        "$env" => Some(Form::Environment(text)),
        "$template" => Some(Form::Template(text)),
        _ => None,
    }
}

/// The names of every environment variable that a plan refers to, sorted: what the engine must find before it
/// opens a run (`env_missing`).
#[must_use]
pub fn env_names(plan: &Plan) -> Vec<String> {
    let mut names: Vec<String> = plan
        .scenarios
        .iter()
        .flat_map(|scenario| &scenario.steps)
        .flat_map(|step| {
            let auth = match &step.action {
                Action::Http(http) => http.auth.as_ref().map(|auth| match auth {
                    crate::plan::Auth::Basic(name) | crate::plan::Auth::Bearer(name) => name.clone(),
                }),
                Action::Command(_) => None,
            };
            let data = input_data(step).into_iter().flat_map(references).filter_map(|reference| match reference {
                Reference::Environment(name) => Some(name.to_owned()),
                Reference::Variable(_) => None,
            });
            data.chain(auth).collect::<Vec<_>>()
        })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Every value that goes into what a step sends or starts.
pub(super) fn input_data(step: &Step) -> Vec<&Json> {
    match &step.action {
        Action::Http(http) => {
            let pairs = http.query.iter().chain(&http.headers).map(|(_, value)| value);
            let body: Vec<&Json> = match &http.body {
                Some(Body::Json(value) | Body::Text(value)) => vec![value],
                Some(Body::Form(pairs)) => pairs.iter().map(|(_, value)| value).collect(),
                Some(Body::File(_)) | None => Vec::new(),
            };
            pairs.chain(body).collect()
        }
        Action::Command(command) => {
            command.argv.iter().chain(command.env.iter().map(|(_, value)| value)).chain(&command.stdin).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_names_in_single_braces() {
        let cases: [(&str, &[&str]); 8] = [
            ("/a/{id}/b/{CASE-1.x}", &["id", "CASE-1.x"]),
            ("{{id}} {id}", &["id"]),
            ("{{{id}", &["id"]),
            ("{", &[]),
            ("{}", &[]),
            ("{a b}{c}", &["c"]),
            ("{\"a\":1}", &[]),
            ("", &[]),
        ];
        for (text, names) in cases {
            assert_eq!(holes(text), names, "{text}");
        }
    }

    #[test]
    fn references_are_maps_with_one_known_key() {
        let value = Json::list([
            Json::map([("$var", Json::from("a"))]),
            Json::map([("x", Json::map([("$template", "{b}-{c}")]))]),
            Json::map([("$env", "E")]),
            Json::map([("$var", "no"), ("other", "d")]),
            Json::from("{plain}"),
        ]);
        let names =
            [Reference::Variable("a"), Reference::Variable("b"), Reference::Variable("c"), Reference::Environment("E")];
        assert_eq!(references(&value), names);
    }
}
