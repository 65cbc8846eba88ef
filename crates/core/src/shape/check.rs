//! Checks a node against a shape and names what does not fit.

use std::fmt::Arguments;

use super::{Shape, Table, Verb};
use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::{Key, Node, Place, Value};
use crate::ids::Id;
use crate::inert::shortened;
use crate::nearest::nearest;
use crate::units::{self, UnitError};

/// Checks `node` and everything below it; what is wrong is added to `diags`. `what` names the node in messages
/// (`the plan`, `` `timeout` ``).
///
/// The answer is whether the node has the shape.
pub fn check(node: &Node, shape: &Shape, what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    match shape {
        Shape::Data | Shape::Expectation => true,
        Shape::Text => node.as_text().is_some() || wrong_type(node, shape, what, diags),
        Shape::Bool => node.as_bool().is_some() || wrong_type(node, shape, what, diags),
        Shape::Number => matches!(node.value, Value::Number(_)) || wrong_type(node, shape, what, diags),
        Shape::Id => id(node, what, diags),
        Shape::Duration | Shape::Size => measure(node, shape, what, diags),
        Shape::Integer(least, most) => integer(node, *least, *most, what, diags),
        Shape::Version(version) => is_version(node, *version, what, diags),
        Shape::Words(words) => word(node, words, what, diags),
        Shape::List(inner) => list(node, shape, inner, what, diags),
        Shape::Some(inner) => {
            let fits = list(node, shape, inner, what, diags);
            if node.as_list().is_some_and(<[Node]>::is_empty) {
                diags.error(Code::ValueOutOfRange, node.place, format!("{what} is empty"), "write at least one item");
                return false;
            }
            fits
        }
        Shape::Map(inner) => match node.as_map() {
            Some(pairs) => all(pairs, |(key, value)| {
                check(value, inner, format_args!("`{}` in {what}", shortened(&key.name, 60)), diags)
            }),
            None => wrong_type(node, shape, what, diags),
        },
        Shape::Either(shapes) => match shapes.iter().find(|inner| takes(inner, node)) {
            Some(inner) => check(node, inner, what, diags),
            None => wrong_type(node, shape, what, diags),
        },
        Shape::Table(table) => match node.as_map() {
            Some(pairs) => fields(pairs, node.place, table, diags),
            None => wrong_type(node, shape, what, diags),
        },
        Shape::Verbs(verbs) => by_verb(node, verbs, what, diags),
        Shape::Actions(actions) => by_action(node, actions, what, diags),
    }
}

/// Whether `f` holds for each item; every item is looked at, so that all that is wrong is named.
fn all<T>(items: &[T], mut f: impl FnMut(&T) -> bool) -> bool {
    let mut fits = true;
    for item in items {
        fits &= f(item);
    }
    fits
}

/// Whether a value of this type is what the shape takes; what stands inside is checked afterwards.
fn takes(shape: &Shape, node: &Node) -> bool {
    match (shape, &node.value) {
        (Shape::Data | Shape::Expectation, _)
        | (Shape::Text | Shape::Id | Shape::Words(_) | Shape::Duration | Shape::Size, Value::Text(_))
        // A bare number goes to the measure, whose message names the unit.
        | (Shape::Number | Shape::Integer(..) | Shape::Version(_) | Shape::Duration | Shape::Size, Value::Number(_))
        | (Shape::Bool, Value::Bool(_))
        | (Shape::List(_) | Shape::Some(_), Value::List(_))
        | (Shape::Map(_) | Shape::Table(_) | Shape::Verbs(_) | Shape::Actions(_), Value::Map(_)) => true,
        (Shape::Either(shapes), _) => shapes.iter().any(|inner| takes(inner, node)),
        _ => false,
    }
}

/// What a shape takes, in words.
pub(super) fn describe(shape: &Shape) -> String {
    match shape {
        Shape::Text => "a text".into(),
        Shape::Id => "an id".into(),
        Shape::Bool => "true or false".into(),
        Shape::Duration => "a duration such as 5s".into(),
        Shape::Size => "a size such as 64KiB".into(),
        Shape::Number => "a number".into(),
        Shape::Integer(..) | Shape::Version(_) => "a whole number".into(),
        Shape::Words(words) => format!("one of {}", words.join(", ")),
        Shape::List(inner) | Shape::Some(inner) => format!("a list, each item {}", describe(inner)),
        Shape::Map(_) | Shape::Table(_) | Shape::Verbs(_) | Shape::Actions(_) => "a map".into(),
        Shape::Either(shapes) => shapes.iter().map(describe).collect::<Vec<_>>().join(", or "),
        Shape::Data => "any value".into(),
        Shape::Expectation => "an expectation".into(),
    }
}

fn wrong_type(node: &Node, shape: &Shape, what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    let takes_text = takes(shape, &Node::text("", node.place));
    let help = match &node.value {
        Value::Number(number) if takes_text => format!("put it in quotes: \"{}\"", number.token()),
        Value::Bool(b) if takes_text => format!("put it in quotes: \"{b}\""),
        Value::Null => "write a value, or remove the field".into(),
        _ => format!("write {}", describe(shape)),
    };
    diags.error(
        Code::WrongType,
        node.place,
        format!("{what} is a {}, and should be {}", node.kind(), describe(shape)),
        help,
    );
    false
}

fn id(node: &Node, what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    let Some(text) = node.as_text() else { return wrong_type(node, &Shape::Id, what, diags) };
    match Id::parse(text) {
        Ok(_) => true,
        Err(error) => {
            diags.error(
                Code::IdMalformed,
                node.place,
                format!("{what} `{}` is no id: it {error}", shortened(text, 60)),
                "use letters, digits, dot, underscore and hyphen",
            );
            false
        }
    }
}

fn measure(node: &Node, shape: &Shape, what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    let size = matches!(shape, Shape::Size);
    let (text, error) = match &node.value {
        Value::Number(number) => (number.token(), UnitError::Missing),
        Value::Text(text) => match if size { units::size_bytes(text) } else { units::duration_ms(text) } {
            Ok(_) => return true,
            Err(error) => (text.as_str(), error),
        },
        _ => return wrong_type(node, shape, what, diags),
    };
    let help = if size { units::SIZE_HELP } else { units::DURATION_HELP };
    let code = match error {
        UnitError::Missing => Code::UnitMissing,
        UnitError::Malformed | UnitError::TooLarge => Code::ValueOutOfRange,
    };
    diags.error(code, node.place, format!("{what} `{}` {error}", shortened(text, 60)), help);
    false
}

fn integer(node: &Node, least: i64, most: i64, what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    let Value::Number(number) = &node.value else {
        return wrong_type(node, &Shape::Integer(least, most), what, diags);
    };
    if number.as_i64().is_some_and(|n| (least..=most).contains(&n)) {
        return true;
    }
    let range = if most == i64::MAX { format!("of at least {least}") } else { format!("from {least} to {most}") };
    diags.error(
        Code::ValueOutOfRange,
        node.place,
        format!("{what} is {}", shortened(number.token(), 60)),
        format!("write a whole number {range}"),
    );
    false
}

fn is_version(node: &Node, version: i64, what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    if matches!(&node.value, Value::Number(number) if number.as_i64() == Some(version)) {
        return true;
    }
    diags.error(
        Code::SchemaVersion,
        node.place,
        format!("{what} is not {version}, so the meaning of the document is not known"),
        format!("write {version}"),
    );
    false
}

fn word(node: &Node, words: &'static [&'static str], what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    let Some(text) = node.as_text() else { return wrong_type(node, &Shape::Words(words), what, diags) };
    if words.contains(&text) {
        return true;
    }
    diags.error(
        Code::ValueOutOfRange,
        node.place,
        format!("{what} is `{}`", shortened(text, 60)),
        suggestion(text, words.iter().copied()),
    );
    false
}

fn list(node: &Node, shape: &Shape, inner: &Shape, what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    match node.as_list() {
        Some(items) => all(items, |item| check(item, inner, format_args!("an item of {what}"), diags)),
        None => wrong_type(node, shape, what, diags),
    }
}

fn fields(pairs: &[(Key, Node)], place: Place, table: &Table, diags: &mut Diagnostics) -> bool {
    let mut found: Vec<&'static str> = Vec::with_capacity(pairs.len());
    let mut fits = all(pairs, |(key, value)| match table.field(&key.name) {
        Some(field) if found.contains(&field.name) => {
            let message = format!("`{}` stands twice, in two spellings", shortened(&key.name, 60));
            diags.error(Code::DuplicateKey, key.place, message, "remove one of the two");
            false
        }
        Some(field) => {
            found.push(field.name);
            check(value, &field.shape, format_args!("`{}`", field.name), diags)
        }
        None if table.free_prefix.is_some_and(|prefix| key.name.starts_with(prefix)) => true,
        None => {
            diags.error(
                Code::UnknownField,
                key.place,
                format!("`{}` is no field of {} {}", shortened(&key.name, 60), article(table.name), table.name),
                suggestion(&key.name, table.fields().map(|field| field.name)),
            );
            false
        }
    });
    for field in table.fields().filter(|field| field.required && !found.contains(&field.name)) {
        let code = if matches!(field.shape, Shape::Version(_)) { Code::SchemaVersion } else { Code::MissingField };
        diags.error(
            code,
            place,
            format!("{} {} has no `{}`", article(table.name), table.name, field.name),
            format!("add `{}`: {}", field.name, first_sentence(field.doc)),
        );
        fits = false;
    }
    fits
}

fn by_verb(node: &Node, verbs: &'static [Verb], what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    let Some(pairs) = node.as_map() else { return wrong_type(node, &Shape::Verbs(verbs), what, diags) };
    if node.get("action").is_some() {
        return by_action(node, super::seed::ACTIONS, what, diags);
    }
    let found: Vec<(&Key, &Verb)> = pairs
        .iter()
        .filter_map(|(key, _)| verbs.iter().find(|verb| verb.name == key.name).map(|verb| (key, verb)))
        .collect();
    match found.as_slice() {
        [(key, verb)] => match verb.table {
            Some(table) => fields(pairs, node.place, table, diags),
            None => not_built(key.place, verb.name, diags),
        },
        [] => {
            let known = verbs.iter().filter(|verb| verb.table.is_some()).map(|verb| verb.name);
            let near = pairs.iter().find_map(|(key, _)| nearest(&key.name, verbs.iter().map(|verb| verb.name)));
            let help = near.map_or_else(
                || format!("begin it with one of {}", known.collect::<Vec<_>>().join(", ")),
                |near| format!("did you mean `{near}`?"),
            );
            diags.error(Code::UnknownVerb, node.place, "the step has no verb", help);
            false
        }
        [_, (second, _), ..] => {
            let names: Vec<String> = found.iter().map(|(key, _)| format!("`{}`", key.name)).collect();
            let message = format!("the step has more than one verb: {}", names.join(" and "));
            diags.error(Code::UnknownVerb, second.place, message, "make a step of each");
            false
        }
    }
}

fn by_action(node: &Node, actions: &'static [Verb], what: Arguments<'_>, diags: &mut Diagnostics) -> bool {
    let Some(pairs) = node.as_map() else { return wrong_type(node, &Shape::Actions(actions), what, diags) };
    let Some(action) = node.get("action") else {
        let help = "add `action`: api, pollApi, cleanupApi or command";
        diags.error(Code::UnknownVerb, node.place, "the step has no `action`", help);
        return false;
    };
    let Some(name) = action.as_text() else { return wrong_type(action, &Shape::Text, format_args!("`action`"), diags) };
    match actions.iter().find(|known| known.name == name) {
        Some(Verb { table: Some(table), .. }) => fields(pairs, node.place, table, diags),
        Some(Verb { table: None, .. }) => not_built(action.place, name, diags),
        None => {
            diags.error(
                Code::UnknownVerb,
                action.place,
                format!("there is no action `{}`", shortened(name, 60)),
                suggestion(name, actions.iter().map(|known| known.name)),
            );
            false
        }
    }
}

fn not_built(place: Place, name: &str, diags: &mut Diagnostics) -> bool {
    let help = "show it by an http or run step, or use a build that has this probe";
    diags.error(Code::NotSupported, place, format!("this build has no probe for `{name}`"), help);
    false
}

/// `did you mean`, or the whole list while it is short.
fn suggestion(text: &str, known: impl Iterator<Item = &'static str>) -> String {
    let known: Vec<&str> = known.collect();
    match nearest(text, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.len() <= 14 => format!("it takes {}", known.join(", ")),
        None => "correct the name, or remove it".into(),
    }
}

fn article(name: &str) -> &'static str {
    if name.starts_with(['a', 'e', 'i', 'o', 'u', 'h']) && !name.starts_with("unc") { "an" } else { "a" }
}

fn first_sentence(doc: &str) -> &str {
    doc.split_once(". ").map_or(doc, |(first, _)| first).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::super::{HTTP_STEP, MATRIX, PROFILE, SEED_PLAN, STEP, WRITTEN_PLAN};
    use super::*;
    use crate::json::{Limits, read};

    fn codes(shape: &Shape, text: &str) -> Vec<(Code, String, String)> {
        let json = read(text.as_bytes(), &Limits::default()).unwrap();
        let node = Node::from_json(&json, Place::default());
        let mut diags = Diagnostics::about("test");
        let fits = check(&node, shape, format_args!("it"), &mut diags);
        assert_eq!(fits, diags.is_empty(), "{text}");
        diags.iter().map(|d| (d.code, d.message.clone(), d.help.clone().unwrap_or_default())).collect()
    }

    #[test]
    fn each_shape_refuses_and_passes() {
        static NO: Shape = Shape::Bool;
        for (shape, good, bad, code) in [
            (Shape::Text, r#""a""#, "1", Code::WrongType),
            (Shape::Id, r#""A-1""#, r#""a b""#, Code::IdMalformed),
            (Shape::Bool, "true", r#""true""#, Code::WrongType),
            (Shape::Duration, r#""5s""#, "5", Code::UnitMissing),
            (Shape::Duration, r#""5s""#, r#""5""#, Code::UnitMissing),
            (Shape::Duration, r#""5s""#, r#""5 parsecs""#, Code::ValueOutOfRange),
            (Shape::Duration, r#""5s""#, "[]", Code::WrongType),
            (Shape::Size, r#""64KiB""#, "64", Code::UnitMissing),
            (Shape::Integer(0, 20), "20", "21", Code::ValueOutOfRange),
            (Shape::Integer(0, 20), "0", "1.5", Code::ValueOutOfRange),
            (Shape::Version(2), "2", "1", Code::SchemaVersion),
            (Shape::Version(2), "2", r#""2""#, Code::SchemaVersion),
            (Shape::Words(&["api"]), r#""api""#, r#""apo""#, Code::ValueOutOfRange),
            (Shape::List(&NO), "[]", "{}", Code::WrongType),
            (Shape::List(&NO), "[true]", "[1]", Code::WrongType),
            (Shape::Some(&NO), "[true]", "[]", Code::ValueOutOfRange),
            (Shape::Map(&NO), r#"{"a": true}"#, r#"{"a": 1}"#, Code::WrongType),
            (Shape::Either(&[Shape::Text, Shape::Bool]), "true", "null", Code::WrongType),
            (Shape::Number, "1.5", r#""1.5""#, Code::WrongType),
        ] {
            assert!(codes(&shape, good).is_empty(), "{good}");
            assert_eq!(codes(&shape, bad)[0].0, code, "{bad}");
        }
    }

    #[test]
    fn unknown_fields_name_the_nearest() {
        let found = codes(&Shape::Table(&HTTP_STEP), r#"{"http": "GET /", "expcet": {"status": 200}}"#);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, Code::UnknownField);
        assert_eq!(found[0].1, "`expcet` is no field of an http step");
        assert_eq!(found[0].2, "did you mean `expect`?");
        let nested = codes(&Shape::Table(&HTTP_STEP), r#"{"http": "GET /", "expect": {"stauts": 200}}"#);
        assert_eq!(nested[0].2, "did you mean `status`?");
    }

    #[test]
    fn missing_fields_are_named() {
        let found = codes(&Shape::Table(&WRITTEN_PLAN), "{}");
        let codes: Vec<Code> = found.iter().map(|(code, ..)| *code).collect();
        assert_eq!(codes, [Code::SchemaVersion, Code::MissingField, Code::MissingField]);
        assert_eq!(found[1].1, "a plan has no `requirement`");
    }

    #[test]
    fn a_step_has_exactly_one_verb() {
        for (text, code, help) in [
            (r#"{"htpp": "GET /"}"#, Code::UnknownVerb, "did you mean `http`?"),
            (r#"{"expect": {}}"#, Code::UnknownVerb, "begin it with one of http, run, log"),
            (r#"{"http": "GET /", "run": ["a"]}"#, Code::UnknownVerb, "make a step of each"),
            (
                r##"{"click": "#a"}"##,
                Code::NotSupported,
                "show it by an http or run step, or use a build that has this probe",
            ),
            (
                r#"{"action": "screenshot"}"#,
                Code::NotSupported,
                "show it by an http or run step, or use a build that has this probe",
            ),
            (r#"{"action": "ap"}"#, Code::UnknownVerb, "did you mean `api`?"),
        ] {
            let found = codes(&STEP, text);
            assert_eq!((found[0].0, found[0].2.as_str()), (code, help), "{text}");
            assert_eq!(found.len(), 1, "{text}");
        }
        assert!(codes(&STEP, r#"{"action": "api", "path": "/", "expectStatus": 200}"#).is_empty());
        assert!(codes(&STEP, r#"{"run": ["a"], "expect": {"exit": 0}}"#).is_empty());
    }

    #[test]
    fn the_seed_form_reads_both_spellings_and_not_twice() {
        let row = r#"{"schemaVersion": 2, "requirements": [{"id": "A", "testIds": ["T"]}], "tests": [{"id": "T"}]}"#;
        assert!(codes(&Shape::Table(&MATRIX), row).is_empty());
        let twice = r#"{"schemaVersion": 2, "scenarios": [{"id": "A", "continueOnFailure": true,
            "continue_on_failure": true, "steps": [{"action": "api", "path": "/"}]}]}"#;
        assert_eq!(codes(&Shape::Table(&SEED_PLAN), twice)[0].0, Code::DuplicateKey);
    }

    #[test]
    fn anybody_may_keep_settings_under_x() {
        assert!(codes(&Shape::Table(&PROFILE), r#"{"x_mine": [1], "clickup": null}"#).is_empty());
        assert_eq!(codes(&Shape::Table(&PROFILE), r#"{"mine": 1}"#)[0].0, Code::UnknownField);
    }
}
