//! JSON Schemas (2020-12) for editors and other programs, made from the tables in [`probity_core::shape`].
//!
//! They help while somebody writes: names, hover texts, words to choose from. What is wrong with a document is said
//! by the decoders, whose messages a schema cannot match; so a schema may accept what a decoder refuses, and never
//! the other way round.

use std::collections::BTreeMap;

use probity_core::json::Json;
use probity_core::shape::{
    Field, MATRIX, OPERATORS, PROFILE, SEED_PLAN, SEED_STEP, Shape, Table, Verb, WRITTEN_PLAN, camel,
};

/// Pattern of ids (design.md section 2).
const ID: &str = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$";
/// Pattern of durations.
const DURATION: &str = "^[0-9]+(ms|s|m|h)$";
/// Pattern of sizes.
const SIZE: &str = "^[0-9]+(B|KiB|MiB|GiB)$";

mod policy;

pub use policy::success_policy;

/// Every schema: the name of its file, and its text.
#[must_use]
pub fn schemas() -> Vec<(&'static str, String)> {
    [
        ("plan.schema.json", "A plan as people write it: NAME.probity.yaml", &WRITTEN_PLAN),
        ("test-plan.schema.json", "A plan in the seed form: test-plan.json", &SEED_PLAN),
        ("test-matrix.schema.json", "A matrix: test-matrix.json", &MATRIX),
        ("probity.schema.json", "Settings of a project: probity.yaml", &PROFILE),
    ]
    .into_iter()
    .map(|(file, title, root)| (file, document(title, root).pretty()))
    .chain([("success-policy.schema.json", success_policy())])
    .collect()
}

fn document(title: &str, root: &'static Table) -> Json {
    let mut definitions = Definitions::default();
    let body = definitions.table(root);
    let mut pairs = vec![
        ("$schema".to_owned(), Json::from("https://json-schema.org/draft/2020-12/schema")),
        ("title".to_owned(), Json::from(title)),
    ];
    pairs.extend(body);
    let finished = definitions.done.into_iter().map(|(name, json)| (name, json.unwrap_or(Json::Bool(true))));
    pairs.push(("$defs".to_owned(), Json::map(finished)));
    Json::map(pairs)
}

type Pairs = Vec<(String, Json)>;

/// Definitions that were asked for, by name; `None` while one is being made, since tables may hold themselves.
#[derive(Default)]
struct Definitions {
    done: BTreeMap<String, Option<Json>>,
}

impl Definitions {
    /// A pointer to the definition of this name, which is made if it is new.
    fn pointer(&mut self, name: &str, make: impl FnOnce(&mut Self) -> Pairs) -> Pairs {
        let name = name.replace(' ', "_");
        if !self.done.contains_key(&name) {
            self.done.insert(name.clone(), None);
            let made = Json::map(make(self));
            self.done.insert(name.clone(), Some(made));
        }
        one("$ref", format!("#/$defs/{name}"))
    }

    fn table_pointer(&mut self, table: &'static Table) -> Pairs {
        self.pointer(table.name, |all| all.table(table))
    }

    fn table(&mut self, table: &'static Table) -> Pairs {
        let fields: Pairs = table.fields().map(|field| (field.name.to_owned(), Json::map(self.field(field)))).collect();
        let mut pairs = vec![
            ("description".to_owned(), Json::from(table.doc)),
            ("type".to_owned(), Json::from("object")),
            ("properties".to_owned(), Json::map(fields)),
        ];
        // A required field may stand in its other spelling, which `required` cannot say.
        let required: Vec<&str> = table
            .fields()
            .filter(|field| field.required && !(table.both_cases && other_case(field.name).is_some()))
            .map(|field| field.name)
            .collect();
        if !required.is_empty() {
            pairs.push(("required".to_owned(), Json::list(required)));
        }
        let mut free: Pairs = Vec::new();
        if let Some(prefix) = table.free_prefix {
            free.push((format!("^{prefix}"), Json::Bool(true)));
        }
        if table.both_cases {
            let others: Vec<String> = table.fields().filter_map(|field| other_case(field.name)).collect();
            if !others.is_empty() {
                free.push((format!("^({})$", others.join("|")), Json::Bool(true)));
            }
        }
        if !free.is_empty() {
            pairs.push(("patternProperties".to_owned(), Json::map(free)));
        }
        pairs.push(("additionalProperties".to_owned(), Json::Bool(false)));
        pairs
    }

    fn field(&mut self, field: &Field) -> Pairs {
        let mut pairs = vec![("description".to_owned(), Json::from(field.doc))];
        pairs.extend(self.shape(&field.shape));
        pairs
    }

    fn shape(&mut self, shape: &Shape) -> Pairs {
        match shape {
            Shape::Text => one("type", "string"),
            Shape::Id => text_like(ID),
            Shape::Duration => text_like(DURATION),
            Shape::Size => text_like(SIZE),
            Shape::Bool => one("type", "boolean"),
            Shape::Number => one("type", "number"),
            Shape::Integer(least, most) => {
                let mut pairs = one("type", "integer");
                pairs.push(("minimum".to_owned(), Json::from(*least)));
                if *most != i64::MAX {
                    pairs.push(("maximum".to_owned(), Json::from(*most)));
                }
                pairs
            }
            Shape::Version(version) => one("const", *version),
            Shape::Words(words) => one("enum", Json::list(words.iter().copied())),
            Shape::List(inner) => self.list(inner),
            Shape::Some(inner) => {
                let mut pairs = self.list(inner);
                pairs.push(("minItems".to_owned(), Json::from(1)));
                pairs
            }
            Shape::Map(inner) => {
                let mut pairs = one("type", "object");
                pairs.push(("additionalProperties".to_owned(), Json::map(self.shape(inner))));
                pairs
            }
            Shape::Either(shapes) => {
                let ways: Vec<Json> = shapes.iter().map(|inner| Json::map(self.shape(inner))).collect();
                one("anyOf", Json::List(ways))
            }
            Shape::Table(table) => self.table_pointer(table),
            Shape::Verbs(verbs) => self.pointer("step", |all| all.by_verb(verbs)),
            Shape::Actions(actions) => self.pointer("seed step", |all| all.by_action(actions)),
            Shape::Data => Vec::new(),
            Shape::Expectation => self.pointer("expectation", Self::expectation),
        }
    }

    fn list(&mut self, inner: &Shape) -> Pairs {
        let mut pairs = one("type", "array");
        pairs.push(("items".to_owned(), Json::map(self.shape(inner))));
        pairs
    }

    /// A step by its verb: `if` and `then` let an editor name the field that is wrong, which `oneOf` does not.
    fn by_verb(&mut self, verbs: &'static [Verb]) -> Pairs {
        let (mut keys, mut ways, mut hints) = (Vec::new(), Vec::new(), Pairs::new());
        for verb in verbs {
            let then = match (verb.name, verb.table) {
                ("action", _) => self.shape(&SEED_STEP),
                (_, Some(table)) => {
                    let field = table.field(verb.name).map(|field| one("description", field.doc));
                    hints.push((verb.name.to_owned(), Json::map(field.unwrap_or_default())));
                    self.table_pointer(table)
                }
                (_, None) => continue,
            };
            let present = Json::map(one("required", Json::list([verb.name])));
            keys.push(present.clone());
            ways.push(Json::map([("if", present), ("then", Json::map(then))]));
        }
        let mut pairs = vec![
            ("description".to_owned(), Json::from("A step: exactly one verb, and what it takes.")),
            ("type".to_owned(), Json::from("object")),
            ("properties".to_owned(), Json::map(hints)),
        ];
        pairs.push(("anyOf".to_owned(), Json::List(keys)));
        pairs.push(("allOf".to_owned(), Json::List(ways)));
        pairs
    }

    fn by_action(&mut self, actions: &'static [Verb]) -> Pairs {
        let built: Vec<&Verb> = actions.iter().filter(|action| action.table.is_some()).collect();
        let names = Json::list(built.iter().map(|action| action.name));
        let mut ways = Vec::new();
        for action in built {
            let Some(table) = action.table else { continue };
            let is = Json::map([
                ("properties", Json::map([("action", Json::map(one("const", action.name)))])),
                ("required", Json::list(["action"])),
            ]);
            ways.push(Json::map([("if", is), ("then", Json::map(self.table_pointer(table)))]));
        }
        vec![
            ("description".to_owned(), Json::from("A step of the seed form, by its action.")),
            ("type".to_owned(), Json::from("object")),
            ("properties".to_owned(), Json::map([("action", Json::map(one("enum", names)))])),
            ("required".to_owned(), Json::list(["action"])),
            ("allOf".to_owned(), Json::List(ways)),
        ]
    }

    /// Data as it is; a map holds operators, a reference, or `{op, value}` of the seed form.
    fn expectation(&mut self) -> Pairs {
        let operators = self.pointer("operators", |all| {
            let mut pairs = all.table(&OPERATORS);
            for (name, value) in &mut pairs {
                if name == "properties" {
                    *value = with_references(value);
                }
            }
            pairs.push(("minProperties".to_owned(), Json::from(1)));
            pairs
        });
        let doc = "A value compares exactly; `exists`, `missing`, `notNull` are words; a map holds operators that must all hold.";
        vec![
            ("description".to_owned(), Json::from(doc)),
            ("if".to_owned(), Json::map(one("type", "object"))),
            ("then".to_owned(), Json::map(operators)),
        ]
    }
}

fn with_references(properties: &Json) -> Json {
    let mut map = properties.as_map().cloned().unwrap_or_default();
    for (name, doc, kind) in [
        ("$var", "The value of a variable, with its type.", Some("string")),
        ("$template", "A text with {name} filled in.", Some("string")),
        ("includes", "The seed form's name of contains.", None),
        ("op", "The seed form: the name of an operator.", Some("string")),
        ("value", "The seed form: what the operator compares with.", None),
    ] {
        let mut pairs = one("description", doc);
        if let Some(kind) = kind {
            pairs.extend(one("type", kind));
        }
        map.push(name, Json::map(pairs));
    }
    Json::Map(map)
}

fn one(name: &str, value: impl Into<Json>) -> Pairs {
    vec![(name.to_owned(), value.into())]
}

fn text_like(pattern: &str) -> Pairs {
    let mut pairs = one("type", "string");
    pairs.extend(one("pattern", pattern));
    pairs
}

/// A name in its other spelling, where it has one.
fn other_case(name: &str) -> Option<String> {
    let camel = camel(name);
    if camel != name {
        return Some(camel.into_owned());
    }
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    // Names with a run of capitals have no spelling that reads back.
    (snake != name && probity_core::shape::camel(&snake) == name).then_some(snake)
}

#[cfg(test)]
mod tests;
