//! Data with references in it: `$var`, `$env`, `$template`, and the reference tool's spellings of them
//! (plan.md rule 4; harness-proof.md 1.2).

use super::reading::{Forms, Reading};
use crate::codes::Code;
use crate::document::{Key, Node, Place, Value};
use crate::inert::shortened;
use crate::json::{Json, Map};
use crate::vars::{Malformed, is_name, is_variable, parts};

/// What data is used for, which decides whether it may refer to the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Something that is kept, or shown: no credential.
    Data,
    /// Something that is sent: a credential may stand under a name that is a secret's, which the lint knows.
    Sent,
    /// A credential's place: headers and the environment of commands.
    Credential,
    /// Something that an answer is compared with.
    Expected,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Var,
    Env,
    Template,
}

const DOLLAR: [(&str, Kind); 3] = [("$var", Kind::Var), ("$env", Kind::Env), ("$template", Kind::Template)];
const PLAIN: [(&str, Kind); 3] = [("var", Kind::Var), ("env", Kind::Env), ("template", Kind::Template)];
const DETAILS: [&str; 4] = ["prefix", "suffix", "json", "encodeVars"];

/// Whether a map is a reference, well-formed or not.
pub(super) fn is_reference(pairs: &[(Key, Node)], forms: Forms, r#use: Use) -> bool {
    found(pairs, forms, r#use).is_some()
}

fn found(pairs: &[(Key, Node)], forms: Forms, r#use: Use) -> Option<Kind> {
    let named = |table: &[(&str, Kind)]| {
        pairs.iter().find_map(|(key, _)| table.iter().find(|(name, _)| *name == key.name).map(|(_, kind)| *kind))
    };
    if let Some(kind) = named(&DOLLAR) {
        return Some(kind);
    }
    let detail = |name: &str| DETAILS.contains(&name) || PLAIN.iter().any(|(plain, _)| *plain == name);
    match forms {
        Forms::Any if pairs.iter().all(|(key, _)| detail(&key.name)) => named(&PLAIN),
        // `{env: NAME}` is a credential wherever one may stand.
        _ if r#use == Use::Credential && pairs.len() == 1 && pairs[0].0.name == "env" => Some(Kind::Env),
        _ => None,
    }
}

impl Reading<'_> {
    /// Data with its references in their `$` forms. What is wrong is named, and stands as null.
    pub(super) fn data(&mut self, node: &Node, r#use: Use) -> Json {
        match &node.value {
            Value::List(items) => Json::List(items.iter().map(|item| self.data(item, r#use)).collect()),
            Value::Map(pairs) => match found(pairs, self.forms, r#use) {
                Some(kind) => self.reference(pairs, kind, r#use, node.place).unwrap_or(Json::Null),
                None => Json::Map(
                    pairs.iter().map(|(key, value)| (key.name.to_string(), self.data(value, r#use))).collect::<Map>(),
                ),
            },
            _ => node.to_json(),
        }
    }

    fn reference(&mut self, pairs: &[(Key, Node)], kind: Kind, r#use: Use, place: Place) -> Option<Json> {
        let main = |key: &Key| DOLLAR.iter().chain(&PLAIN).any(|(name, _)| *name == key.name);
        let known = |key: &Key| main(key) || (self.forms == Forms::Any && DETAILS.contains(&key.name.as_str()));
        if pairs.iter().filter(|(key, _)| main(key)).count() != 1 || !pairs.iter().all(|(key, _)| known(key)) {
            let help = "write a map whose only key is $var, $env or $template; {equals: …} compares with a map";
            self.error(Code::ReferenceMalformed, place, "a reference has other keys beside its own", help);
            return None;
        }
        let (_, named) = pairs.iter().find(|(key, _)| main(key))?;
        let Some(name) = named.as_text() else {
            let message = format!("a reference is a {}, and should be a text", named.kind());
            self.error(Code::ReferenceMalformed, named.place, message, "write the name as a text");
            return None;
        };
        let details = self.details(pairs)?;
        match kind {
            Kind::Var if is_variable(name) => Some(details.around_variable(name)),
            Kind::Env if is_name(name) => self.environment(name, &details, r#use, place),
            Kind::Template => self.template(name, named.place).then(|| details.around_template(name)),
            Kind::Var | Kind::Env => {
                let message = format!("`{}` names no variable", shortened(name, 60));
                self.error(Code::ReferenceMalformed, named.place, message, "use letters, digits and underscore");
                None
            }
        }
    }

    /// Whether every `{` of a text opens a reference or stands for itself; the first that does neither is named.
    pub(super) fn template(&mut self, text: &str, place: Place) -> bool {
        let Err(Malformed(part)) = parts(text) else { return true };
        let message = format!("`{}` opens no reference", shortened(part, 60));
        self.error(Code::ReferenceMalformed, place, message, "write {name} for a variable and {{ for a brace");
        false
    }

    fn environment(&mut self, name: &str, details: &Details, r#use: Use, place: Place) -> Option<Json> {
        match r#use {
            Use::Credential | Use::Sent => {}
            Use::Expected => self.error(
                Code::ExpectationFromEnvironment,
                place,
                format!("the expected value comes from the environment variable {name}"),
                "write the value in the plan",
            ),
            Use::Data => self.error(
                Code::EnvReferenceMisplaced,
                place,
                format!("the environment variable {name} is used where no credential belongs"),
                "use it in auth, headers and env, and under a secret's name in what is sent; constants stand under vars",
            ),
        }
        if !details.is_empty() {
            let help = "write auth: {bearer: {env: NAME}}, or put the whole value into the variable";
            self.error(Code::NotSupported, place, "text around a credential is not supported", help);
            return None;
        }
        Some(Json::map([("$env", name)]))
    }

    /// `prefix` and `suffix`; the other details of the reference tool change the value in ways that are not built.
    fn details(&mut self, pairs: &[(Key, Node)]) -> Option<Details> {
        let mut details = Details::default();
        for (key, value) in pairs {
            match (key.name.as_str(), &value.value) {
                ("prefix", Value::Text(text)) => details.prefix.clone_from(text),
                ("suffix", Value::Text(text)) => details.suffix.clone_from(text),
                ("json" | "encodeVars", Value::Bool(false)) => {}
                ("json" | "encodeVars", Value::Bool(true)) => {
                    let message = format!("`{}: true` on a reference is not supported", key.name);
                    self.error(Code::NotSupported, key.place, message, "write the value as it should be sent");
                    return None;
                }
                ("prefix" | "suffix" | "json" | "encodeVars", _) => {
                    let message = format!("`{}` of a reference is a {}", key.name, value.kind());
                    let help = "prefix and suffix are texts, json and encodeVars true or false";
                    self.error(Code::ReferenceMalformed, value.place, message, help);
                    return None;
                }
                _ => {}
            }
        }
        Some(details)
    }
}

/// Text around a reference.
#[derive(Default)]
struct Details {
    prefix: String,
    suffix: String,
}

impl Details {
    fn is_empty(&self) -> bool {
        self.prefix.is_empty() && self.suffix.is_empty()
    }

    fn around_variable(&self, name: &str) -> Json {
        if self.is_empty() {
            return Json::map([("$var", name)]);
        }
        self.around_template(&format!("{{{name}}}"))
    }

    fn around_template(&self, template: &str) -> Json {
        let brace = |text: &str| text.replace('{', "{{");
        Json::map([("$template", format!("{}{template}{}", brace(&self.prefix), brace(&self.suffix)))])
    }
}
