//! The schema of a success policy, made from the tables that the reader in core goes by.
//!
//! What it cannot say: that confidence_fail is at most confidence_pass, p0 below p1, alpha and beta below 1 together, k at most min_runs, that no key stands twice, that numbers are finite.

use probity_core::json::{Json, Number};
use probity_core::success_policy::{Field, Form, Kind, PREFIX, RULE, TYPES};

use super::{Pairs, one};

/// The text of the schema.
#[must_use]
pub fn success_policy() -> String {
    let ways = TYPES.iter().flat_map(|kind| {
        let of_type = Json::map([("const", Json::from(kind.name)), ("description", kind.doc.into())]);
        kind.forms.iter().map(move |form| object(kind.doc, Some(&of_type), form))
    });
    let rules = RULE.iter().map(|form| object("A rule of a composite policy.", None, form));
    let body = Json::map([
        ("$schema", Json::from("https://json-schema.org/draft/2020-12/schema")),
        ("title", "A success policy: what counts as success for a requirement".into()),
        ("oneOf", Json::list(ways)),
        ("$defs", Json::map([("rule", Json::map([("oneOf", Json::list(rules))]))])),
    ]);
    body.pretty()
}

fn object(doc: &str, of_type: Option<&Json>, form: &Form) -> Json {
    let named = of_type.iter().map(|json| ("type".to_owned(), (*json).clone()));
    let fields: Pairs = named.chain(form.fields.iter().map(|field| (field.name.to_owned(), value(field)))).collect();
    let named = of_type.iter().map(|_| "type");
    let required: Vec<&str> =
        named.chain(form.fields.iter().filter(|field| field.required).map(|field| field.name)).collect();
    Json::map([
        ("description", Json::from(doc)),
        ("type", "object".into()),
        ("properties", Json::map(fields)),
        ("required", Json::list(required)),
        ("patternProperties", Json::map([(format!("^{PREFIX}"), true)])),
        ("additionalProperties", false.into()),
    ])
}

fn value(field: &Field) -> Json {
    let mut pairs = vec![("description".to_owned(), Json::from(field.doc))];
    let numbers = |least: u32, most: u32| {
        let mut pairs = one("type", "number");
        pairs.extend([("minimum".to_owned(), Json::from(least)), ("maximum".to_owned(), most.into())]);
        pairs
    };
    pairs.extend(match field.kind {
        Kind::Words(words) => one("enum", Json::list(words.iter().copied())),
        Kind::Name => {
            let mut pairs = one("type", "string");
            pairs.extend(one("minLength", 1));
            pairs
        }
        Kind::Scalar => one("type", Json::list(["string", "number", "boolean"])),
        Kind::Number => one("type", "number"),
        Kind::Unit => numbers(0, 1),
        Kind::Open => {
            let mut pairs = one("type", "number");
            let ends = [("minimum", "0.000001"), ("maximum", "0.999999")];
            pairs.extend(ends.map(|(name, end)| (name.to_owned(), Number::parse(end).map_or(Json::Null, Json::from))));
            pairs
        }
        Kind::Percent => numbers(0, 100),
        Kind::Runs => {
            let mut pairs = numbers(1, 1_000_000);
            pairs[0].1 = "integer".into();
            pairs
        }
        Kind::Rules => {
            let mut pairs = one("type", "array");
            pairs.push(("items".to_owned(), Json::map([("$ref", "#/$defs/rule")])));
            pairs.extend(one("minItems", 1));
            pairs
        }
    });
    Json::map(pairs)
}

#[cfg(test)]
mod tests {
    use probity_core::success_policy::{Policy, Reason};
    use serde_json::Value;

    use super::*;

    /// The schema and the reader agree on every object of the vectors, but for the one rule that a schema cannot say.
    #[test]
    fn the_schema_agrees_with_the_reader() {
        let schema: Value = serde_json::from_str(&success_policy()).unwrap();
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        let vectors: Value = serde_json::from_str(include_str!("../../../core/fixtures/policy/open.json")).unwrap();
        let policies = vectors["vectors"].as_array().unwrap().iter().map(|vector| &vector["policy"]);
        let (mut compared, mut apart) = (0, Vec::new());
        for policy in policies.filter(|policy| policy.is_object()) {
            compared += 1;
            let text = policy.to_string();
            let read = Policy::read(text.as_bytes());
            if read.is_ok() != validator.is_valid(policy) {
                apart.push((text, read.unwrap_err().reason));
            }
        }
        assert!(compared > 100);
        let [(text, reason)] = apart.as_slice() else { panic!("{apart:?}") };
        assert!(*reason == Reason::OutOfRange && text.contains("confidence_fail"), "{text}");
    }
}
