//! The schemas accept what the documents of the plan language say, and refuse slips of the hand.

use jsonschema::Validator;
use serde_json::{Value, json};

use super::*;

fn validator(file: &str) -> Validator {
    let text = schemas().into_iter().find(|(name, _)| *name == file).unwrap().1;
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{file} is no JSON Schema");
    jsonschema::draft202012::new(&schema).unwrap()
}

/// The example of plan.md.
fn example() -> Value {
    serde_json::from_str(include_str!("../../../core/fixtures/order-total.json")).unwrap()
}

#[test]
fn the_example_is_accepted() {
    let validator = validator("plan.schema.json");
    let errors: Vec<String> = validator.iter_errors(&example()).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn slips_in_a_written_plan_are_refused() {
    let validator = validator("plan.schema.json");
    let changes: [(&str, Value); 13] = [
        ("/schemaVersion", json!(1)),
        ("/requirement/criteria/0", json!({"id": "A", "need": "api", "text": "t"})),
        ("/requirement/criteria", json!([])),
        ("/cases/0/id", json!("a b")),
        ("/cases/0/steps/0", json!({"htpp": "GET /"})),
        ("/cases/0/steps/0", json!({"http": "GET /", "expcet": {}})),
        ("/cases/0/steps/0", json!({"http": "GET /", "timeout": 5})),
        ("/cases/0/steps/0", json!({"http": "GET /", "timeout": "5 seconds"})),
        ("/cases/0/steps/0/expect", json!({"stauts": 200})),
        ("/cases/0/steps/0/expect/json", json!({"a": {"b": 1}})),
        ("/cases/0/steps/0/expect/json", json!({"a": {"not": {"contain": 1}}})),
        ("/cases/0/steps/2/expect", json!({"status": 200})),
        ("/cases/0/steps/0", json!({"action": "api", "path": "/", "expectStauts": 200})),
    ];
    for (pointer, value) in changes {
        let mut plan = example();
        *plan.pointer_mut(pointer).unwrap() = value.clone();
        assert!(!validator.is_valid(&plan), "{pointer}: {value}");
    }
}

#[test]
fn what_may_stand_is_accepted() {
    let validator = validator("plan.schema.json");
    for step in [
        json!({"action": "pollApi", "path": "/", "expect_status": 200, "expectJson": {"a": {"op": "gte", "value": 1}}}),
        json!({"http": "GET /", "expect": {"json": {"a": {"$var": "x"}, "b": [{"c": 1}], "c": {"equals": {"d": 1}}}}}),
        json!({"http": "GET /", "expect": {"size": {"lt": "1MiB"}, "httpVersion": 1.1, "request": {"json": {"a": 1}}}}),
        json!({"http": "GET /", "shows": [{"terminal": {"path": "state", "values": ["done"]}}, "marker"]}),
        json!({"http": "GET /", "save": {"a": {"header": "location"}, "b": "id"}, "auth": {"bearer": {"env": "T"}}}),
    ] {
        let mut plan = example();
        *plan.pointer_mut("/cases/0/steps/0").unwrap() = step.clone();
        let errors: Vec<String> = validator.iter_errors(&plan).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{step}: {errors:?}");
    }
}

#[test]
fn the_other_documents() {
    let row = json!({"id": "R1", "testIds": ["T1"], "text": "t"});
    for (file, good, bad) in [
        (
            "test-plan.schema.json",
            json!({"schemaVersion": 2, "scenarios": [{"id": "A", "steps": [{"action": "api", "path": "/", "test_ids": []}]}]}),
            json!({"schemaVersion": 2, "scenarios": [{"id": "A", "steps": [{"action": "api", "path": "/", "testsIds": []}]}]}),
        ),
        (
            "test-matrix.schema.json",
            json!({"schemaVersion": 2, "requirements": [row], "tests": [{"id": "T1", "required_evidence": "api"}]}),
            json!({"schemaVersion": 2, "requirements": [{"text": "no id"}], "tests": []}),
        ),
        (
            "probity.schema.json",
            json!({"version": 1, "environments": {"local": {"kind": "local", "url": "http://127.0.0.1:1"}}, "x_any": 1}),
            json!({"version": 1, "environments": {"local": {"kind": "lokal"}}}),
        ),
    ] {
        let validator = validator(file);
        let errors: Vec<String> = validator.iter_errors(&good).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{file}: {errors:?}");
        assert!(!validator.is_valid(&bad), "{file}");
    }
}

#[test]
fn every_field_has_a_hover_text() {
    for (file, text) in schemas() {
        let schema: Value = serde_json::from_str(&text).unwrap();
        let mut properties = 0;
        let mut open = vec![&schema];
        while let Some(value) = open.pop() {
            if let Some(map) = value.get("properties").and_then(Value::as_object)
                && value.get("additionalProperties").is_some()
            {
                for (name, field) in map {
                    properties += 1;
                    assert!(field.get("description").is_some(), "{file}: {name}");
                }
            }
            open.extend(value.as_object().into_iter().flatten().map(|(_, inner)| inner));
            open.extend(value.as_array().into_iter().flatten());
        }
        assert!(properties > 10, "{file}");
    }
}
