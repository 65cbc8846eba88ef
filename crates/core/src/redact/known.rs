//! What a plan says of secrets: which variables hold one, and which texts are none because it writes them out.

use std::collections::BTreeSet;

use super::SEARCHABLE;
use crate::header;
use crate::json::{Json, Limits, read};
use crate::plan::{Action, Body, PartContent, Plan, Step};
use crate::secret::is_secret_name;
use crate::vars::{self, Reference};

/// The credentials that can be searched for, and the names of the others, each once: those shorter than [`SEARCHABLE`],
/// or [`written`] out in the plan, so that they are no secret and replacing them would hide evidence
/// (`secret_too_common`).
#[must_use]
pub fn searchable(plan: &str, secrets: Vec<(String, String)>) -> (Vec<(String, String)>, BTreeSet<String>) {
    let plain = if secrets.is_empty() { BTreeSet::new() } else { written(plan) };
    let (kept, common): (Vec<_>, Vec<_>) =
        secrets.into_iter().partition(|(_, value)| value.len() >= SEARCHABLE && !plain.contains(value));
    (kept, common.into_iter().map(|(name, _)| name).collect())
}

/// Every text and number that a plan writes out, and the parts that its texts have between the signs of URLs, cookies
/// and forms: what is sealed in clear is no secret.
#[must_use]
pub fn written(plan: &str) -> BTreeSet<String> {
    // A text that cannot be read again spares nothing.
    let mut found = BTreeSet::new();
    if let Ok(plan) = read(plan.as_bytes(), &Limits::default()) {
        texts(&plan, &mut found);
    }
    found
}

fn texts(value: &Json, found: &mut BTreeSet<String>) {
    match value {
        Json::Text(text) => {
            found.insert(text.clone());
            let parts = text.split(|c: char| c.is_whitespace() || "/?&=;,:\"'".contains(c));
            found.extend(parts.filter(|part| part.len() >= SEARCHABLE).map(str::to_owned));
        }
        Json::Number(number) => {
            found.insert(number.token().to_owned());
        }
        Json::List(items) => items.iter().for_each(|item| texts(item, found)),
        Json::Map(map) => map.iter().for_each(|(_, item)| texts(item, found)),
        Json::Null | Json::Bool(_) | Json::BrokenText(_) => {}
    }
}

/// The variables that hold a secret: by their own name, or because the plan puts them where credentials stand.
#[must_use]
pub fn variables(plan: &Plan) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for step in plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        found.extend(step.saves.iter().filter(|save| is_secret_name(&save.name)).map(|save| save.name.clone()));
        placed(step, &mut |value| {
            // Of another case's value the name alone counts.
            let names =
                vars::variables(value).into_iter().map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
            found.extend(names);
        });
    }
    found
}

/// The values that a step puts where credentials stand.
fn placed(step: &Step, take: &mut dyn FnMut(&Json)) {
    match &step.action {
        Action::Http(http) => {
            for (name, value) in &http.headers {
                if header::is_credential(name) || is_secret_name(name) {
                    take(value);
                }
            }
            named(&http.query, take);
            match &http.body {
                Some(Body::Json(value)) => under_names(value, take),
                Some(Body::Form(pairs)) => named(pairs, take),
                Some(Body::Multipart(parts)) => {
                    for part in parts.iter().filter(|part| is_secret_name(&part.name)) {
                        if let PartContent::Value(value) = &part.content {
                            take(value);
                        }
                    }
                }
                Some(Body::Text(_) | Body::File(_)) | None => {}
            }
        }
        Action::Command(command) => {
            named(&command.env, take);
            command.stdin.iter().for_each(|stdin| under_names(stdin, take));
        }
        Action::Log(_) => {}
    }
}

fn named(pairs: &[(String, Json)], take: &mut dyn FnMut(&Json)) {
    pairs.iter().filter(|(name, _)| is_secret_name(name)).for_each(|(_, value)| take(value));
}

fn under_names(value: &Json, take: &mut dyn FnMut(&Json)) {
    match value {
        Json::Map(map) if matches!(Reference::of(value), Ok(None)) => {
            for (name, item) in map.iter() {
                if is_secret_name(name) { take(item) } else { under_names(item, take) }
            }
        }
        Json::List(items) => items.iter().for_each(|item| under_names(item, take)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::World;

    #[test]
    fn what_the_plan_writes_out_is_too_common() {
        let secret = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let secrets = [
            secret("A", "delivered"),
            secret("B", "12345678"),
            secret("C", "short"),
            secret("D", "delivered or not"),
            secret("E", "unwritten"),
            secret("F", "engine-1843"),
            secret("A", "short"),
        ];
        let plan = r#"{"expect":["delivered",12345678],"path":"/basic-auth/ada/engine-1843","x":{"$var":"none"}}"#;
        let (kept, common) = searchable(plan, secrets.to_vec());
        assert_eq!(kept, secrets[3..5]);
        assert_eq!(common.into_iter().collect::<Vec<_>>(), ["A", "B", "C", "F"]);
    }

    #[test]
    fn what_a_plan_writes_out_is_no_secret() {
        let found = written(r#"{"a":[{"url":"/cookies/set?flavour=chocolate"},12345678,"a b"],"b":null}"#);
        for text in ["/cookies/set?flavour=chocolate", "chocolate", "12345678", "a b"] {
            assert!(found.contains(text), "{text}: {found:?}");
        }
        assert!(!found.contains("set") && written("{").is_empty());
    }

    #[test]
    fn variables_hold_secrets_by_their_name_or_their_place() {
        use crate::plan::{Save, SaveFrom};
        let mut world = World::sound();
        let step = &mut world.plan.scenarios[0].steps[0];
        let save = |name: &str| Save {
            name: name.to_owned(),
            from: SaveFrom::Header("x".to_owned()),
            place: Default::default(),
        };
        step.saves = vec![save("access_token"), save("ticket"), save("order")];
        let Action::Http(http) = &mut step.action else { panic!("an http step") };
        let var = |name: &str| Json::map([("$var", name)]);
        http.headers = vec![
            ("Authorization".into(), Json::map([("$template", "Bearer {ticket}")])),
            ("x-trace".into(), var("trace")),
        ];
        http.query = vec![("api_key".into(), var("LOGIN.k")), ("page".into(), var("page"))];
        let user = Json::map([("name", var("user")), ("password", Json::list([var("pw")]))]);
        http.body = Some(Body::Json(Json::map([("user", user)])));
        let found: Vec<String> = variables(&world.plan).into_iter().collect();
        assert_eq!(found, ["access_token", "k", "pw", "ticket"]);
    }
}
