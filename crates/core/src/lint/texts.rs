//! What should not stand in a text: secrets, placeholders, references to the environment where no credential
//! belongs. Messages never repeat what they found.

use super::LintInput;
use super::findings::{At, Findings};
use crate::codes::Code;
use crate::document::Place;
use crate::header;
use crate::json::Json;
use crate::plan::{Action, Body, PartContent, Step};
use crate::secret;
use crate::vars::{Reference, environment_names, is_literal, variables};

/// `secret_literal`, `auth_literal`, `env_reference_misplaced`, `placeholder_left`.
pub(super) fn check(input: &LintInput<'_>, found: &mut Findings) {
    let spotted = documents(input, found);
    for (name, value) in &input.plan.vars {
        let mut fields = Fields { found, spotted: !spotted.is_empty(), constants: &[] };
        field(name, value, &At::plan(), Credentials::Nowhere, &mut fields);
    }
    let constants = &input.plan.vars;
    for step in input.plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let place = step.place;
        let bytes = place.bytes();
        let inside = spotted.iter().any(|offset| (bytes.start..bytes.end.max(bytes.start + 1)).contains(offset));
        step_fields(step, &mut Fields { found, spotted: inside, constants });
    }
    placeholders(input, found);
}

/// Scans whole documents; answers the offsets of hits in the plan's own file.
fn documents(input: &LintInput<'_>, found: &mut Findings) -> Vec<usize> {
    let mut spotted = Vec::new();
    for (file, text) in input.texts {
        for hit in secret::find(text) {
            let message = format!("this looks like {}", hit.kind.as_str());
            let at =
                At { file: Some((*file).to_owned()), place: Some(place_of(text, hit.start, hit.end)), subject: None };
            found.error(Code::SecretLiteral, at, message);
            if *file == input.file {
                spotted.push(hit.start);
            }
        }
    }
    spotted
}

fn place_of(text: &str, start: usize, end: usize) -> Place {
    let before = &text[..start];
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or(before).chars().count() + 1;
    Place::new(start, end, line, column)
}

struct Fields<'a> {
    found: &'a mut Findings,
    /// The scan of the document has found a secret here already.
    spotted: bool,
    /// The values under `vars`, which stand in the plan as literals do.
    constants: &'a [(String, Json)],
}

/// How many constants deep a value is looked up.
const DEEPEST: usize = 8;

impl Fields<'_> {
    /// The constant whose written text goes into a value, if one does that is long enough for a secret.
    fn constant<'v>(&self, value: &'v Json) -> Option<&'v str> {
        variables(value).into_iter().find(|name| self.is_written(name, DEEPEST))
    }

    fn is_written(&self, name: &str, depth: usize) -> bool {
        let Some((_, value)) = self.constants.iter().find(|(known, _)| known == name) else { return false };
        match value {
            Json::Text(text) => text.len() >= secret::SHORTEST,
            other => depth > 0 && variables(other).into_iter().any(|name| self.is_written(name, depth - 1)),
        }
    }
}

fn step_fields(step: &Step, fields: &mut Fields<'_>) {
    let at = At::from(step);
    match &step.action {
        Action::Http(http) => {
            for (name, value) in &http.headers {
                if header::is_credential(name) {
                    credential(name, value, &at, fields);
                } else {
                    field(name, value, &at, Credentials::Anywhere, fields);
                }
            }
            for (name, value) in &http.query {
                field(name, value, &at, Credentials::Nowhere, fields);
            }
            match &http.body {
                Some(Body::Json(value)) => field("body", value, &at, Credentials::Named, fields),
                Some(Body::Text(value)) => field("body", value, &at, Credentials::Nowhere, fields),
                Some(Body::Form(pairs)) => {
                    for (name, value) in pairs {
                        field(name, value, &at, Credentials::Named, fields);
                    }
                }
                Some(Body::Multipart(parts)) => {
                    for part in parts {
                        if let PartContent::Value(value) = &part.content {
                            field(&part.name, value, &at, Credentials::Named, fields);
                        }
                    }
                }
                Some(Body::File(_)) | None => {}
            }
        }
        Action::Command(command) => {
            for (name, value) in &command.env {
                field(name, value, &at, Credentials::Anywhere, fields);
            }
            for value in &command.argv {
                field("argument", value, &at, Credentials::Nowhere, fields);
            }
            if let Some(value) = &command.stdin {
                field("stdin", value, &at, Credentials::Named, fields);
            }
        }
        Action::Log(_) => {}
    }
}

/// The value of a credential header: a reference, or a text around one.
fn credential(name: &str, value: &Json, at: &At, fields: &mut Fields<'_>) {
    if is_literal(value) && !fields.spotted {
        fields.found.error(Code::AuthLiteral, at.clone(), format!("the header {name} is written out"));
    } else if let Some(constant) = fields.constant(value) {
        let message = format!("the header {name} takes its value from vars.{constant}, where it is written out");
        fields.found.error(Code::SecretLiteral, at.clone(), message);
    }
}

/// Where references to the environment belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Credentials {
    /// Whatever the name is.
    Anywhere,
    /// Under a name that is a secret's.
    Named,
    /// Nowhere: what is written there may be shown.
    Nowhere,
}

/// A named value, at any depth.
fn field(name: &str, value: &Json, at: &At, credentials: Credentials, fields: &mut Fields<'_>) {
    let is_secret = secret::is_secret_name(name);
    let belongs = credentials == Credentials::Anywhere || (credentials == Credentials::Named && is_secret);
    match value {
        Json::Text(text) if is_secret && text.len() >= secret::SHORTEST && !fields.spotted => {
            let message = format!("the value of {name} is written out");
            fields.found.error(Code::SecretLiteral, at.clone(), message);
        }
        Json::List(items) => items.iter().for_each(|item| field(name, item, at, credentials, fields)),
        Json::Map(_) if matches!(Reference::of(value), Ok(Some(_))) => {
            for variable in environment_names(value).into_iter().filter(|_| !belongs) {
                let message = format!("{variable} is read from the environment under {name}, where no credential goes");
                fields.found.error(Code::EnvReferenceMisplaced, at.clone(), message);
            }
            if let Some(constant) = fields.constant(value).filter(|_| is_secret) {
                let message = format!("the value of {name} comes from vars.{constant}, where it is written out");
                // In what is sent a password may be wrong on purpose: it is told, so that it is no other.
                if credentials == Credentials::Anywhere {
                    fields.found.error(Code::SecretLiteral, at.clone(), message);
                } else {
                    let message = format!("{message} and kept in every run");
                    fields.found.warning(Code::SecretLiteral, at.clone(), message);
                }
            }
        }
        Json::Map(map) => map.iter().for_each(|(key, item)| field(key, item, at, credentials, fields)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::BrokenText(_) => {}
    }
}

/// Words where a person's sentence should stand. One text is reported once: in the written form the expected
/// outcome and what a step proves are made of the criteria's texts.
fn placeholders(input: &LintInput<'_>, found: &mut Findings) {
    let mut said: Vec<&str> = Vec::new();
    let look = |text: &'static str, value: &str, at: At, found: &mut Findings| {
        if let Some(word) = placeholder(value) {
            found.error(Code::PlaceholderLeft, at, format!("{text} still says {word}"));
        }
    };
    for criterion in &input.matrix.criteria {
        if placeholder(&criterion.text).is_some() {
            said.push(&criterion.text);
        }
        look("the criterion", &criterion.text, At::from(criterion), found);
    }
    let repeats = |text: &str| said.iter().any(|known| text.contains(known));
    for test in input.matrix.tests.iter().filter(|test| !repeats(&test.expected)) {
        look("the expected outcome", &test.expected, At::from(test), found);
    }
    for scenario in &input.plan.scenarios {
        for step in scenario.steps.iter().filter(|step| !repeats(&step.proves)) {
            look("what the step proves", &step.proves, At::from(step), found);
        }
        for note in &scenario.not_claimed {
            look("a reason under notClaimed", &note.why, At::from(scenario), found);
        }
    }
    for line in input.matrix.out_of_scope.iter().chain(&input.matrix.later) {
        let at = At { place: Some(line.place), ..At::plan() };
        look("the line", &line.text, at.clone(), found);
        look("the reason", &line.why, at, found);
    }
}

/// The first placeholder in a sentence: `TODO`, `TBD`, `FIXME` as whole upper-case words, or `<…>`.
fn placeholder(text: &str) -> Option<String> {
    let word = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .find(|word| matches!(*word, "TODO" | "TBD" | "FIXME"))
        .map(str::to_owned);
    word.or_else(|| angled(text))
}

/// `<name>`, `<the total>`, `<…>`: no space after `<`, none before `>`, a letter or dots at the beginning.
fn angled(text: &str) -> Option<String> {
    text.match_indices('<').find_map(|(at, _)| {
        let rest = &text[at + 1..];
        let inner = &rest[..rest.find('>')?];
        let begins = inner.chars().next().is_some_and(|c| c.is_alphabetic() || matches!(c, '…' | '.'));
        let fine = begins && inner.chars().count() <= 60 && !inner.ends_with(' ') && !inner.contains(['<', '\n', '=']);
        fine.then(|| format!("<{inner}>"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_whole_words_or_in_angles() {
        for text in ["TODO", "see TBD.", "(FIXME)", "the <total>", "<…> comes", "<your text here>", "价格 <金额>"]
        {
            assert!(placeholder(text).is_some(), "{text}");
        }
        for text in ["todo list", "TODOS", "a < b and c > d", "1<2>1", "x <= y", "MYTODO", "", "A_TODO"] {
            assert!(placeholder(text).is_none(), "{text}");
        }
    }
}
