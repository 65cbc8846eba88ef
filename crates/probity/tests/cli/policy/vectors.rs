//! Every vector of the semantics through `policy eval`: as an array, and as lines in the reverse order.

use serde_json::Value;

use super::Files;

#[test]
fn every_vector_through_the_program() {
    let file: Value = serde_json::from_str(include_str!("../../../../core/fixtures/policy/open.json")).unwrap();
    let files = Files::new("", "");
    let vectors = file["vectors"].as_array().unwrap();
    assert_eq!(Some(vectors.len() as u64), file["count"].as_u64());
    for vector in vectors {
        let column = match &vector["policy"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            object => object.to_string(),
        };
        let rows: Vec<String> = vector["runs"].as_array().unwrap().iter().map(Value::to_string).collect();
        let lines: String = rows.iter().rev().map(|row| format!("{row}\n")).collect();
        files.write("policy.json", &column);
        files.write("runs.json", &vector["runs"].to_string());
        files.write("runs.jsonl", &lines);
        for runs in ["runs.json", "runs.jsonl"] {
            let ran = files.policy(&format!("eval --policy policy.json --runs {runs} --format json"));
            let answer = ran.json();
            let said = (&answer["outcome"], &answer["reason"]);
            let expected = &vector["expected"];
            assert_eq!(said, (&expected["outcome"], &expected["reason"]), "{} {runs}", vector["name"]);
            let exit = match expected["outcome"].as_str().unwrap() {
                "satisfied" => 0,
                "failed" => 1,
                "undetermined" => 5,
                _ => 2,
            };
            assert_eq!((ran.code, &answer["exit"]), (exit, &Value::from(exit)), "{}", vector["name"]);
            assert_eq!(answer["semantics"], "success_policy-eval/v1");
        }
    }
}
