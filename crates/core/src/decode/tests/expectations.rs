//! Expectations: which are read, which are refused.

use super::*;

#[test]
fn expectations_are_read() {
    for (text, expected) in [
        ("29.97", vec![equals("29.97")]),
        ("null", vec![equals("null")]),
        ("\"ready\"", vec![equals("\"ready\"")]),
        ("[1, {\"equals\": 2}]", vec![equals("[1, {\"equals\": 2}]")]),
        ("\"exists\"", vec![Op::Exists]),
        ("\"missing\"", vec![Op::Missing]),
        ("\"notNull\"", vec![Op::NotNull]),
        (r#"{"equals": "missing"}"#, vec![equals("\"missing\"")]),
        (r#"{"equals": {"b": 1}}"#, vec![equals(r#"{"b": 1}"#)]),
        (r#"{"$var": "shown"}"#, vec![equals(r#"{"$var": "shown"}"#)]),
        (r#"{"type": "string", "length": 3}"#, vec![Op::Type(JsonType::String), Op::Length(vec![equals("3")])]),
        (r#"{"type": null}"#, vec![Op::Type(JsonType::Null)]),
        (r#"{"oneOf": [1, {"a": 2}]}"#, vec![Op::OneOf(vec![json("1"), json(r#"{"a": 2}"#)])]),
        (r#"{"not": "missing"}"#, vec![Op::Not(Box::new(Expect(vec![Op::Missing])))]),
        (r#"{"anyOf": [1, "exists"]}"#, vec![Op::AnyOf(vec![Expect(vec![equals("1")]), Expect(vec![Op::Exists])])]),
        (r#"{"contains": "a"}"#, vec![Op::Contains("a".into(), true)]),
        (r#"{"includes": 1}"#, vec![Op::Contains(json("1"), true)]),
        (r#"{"notContains": "a"}"#, vec![Op::Contains("a".into(), false)]),
        (r#"{"startsWith": "a"}"#, vec![Op::StartsWith("a".into())]),
        (r#"{"endsWith": {"$var": "x"}}"#, vec![Op::EndsWith(json(r#"{"$var": "x"}"#))]),
        (r#"{"matches": "^a+$"}"#, vec![Op::Matches("^a+$".into())]),
        (
            r#"{"gt": 1, "lte": 18446744073709551617}"#,
            vec![
                Op::Compare(Comparison::Gt, number("1")),
                Op::Compare(Comparison::Lte, number("18446744073709551617")),
            ],
        ),
        (r#"{"length": {"gte": 1}}"#, vec![Op::Length(vec![Op::Compare(Comparison::Gte, number("1"))])]),
        (r#"{"count": {"gt": 0}}"#, vec![Op::Count(vec![Op::Compare(Comparison::Gt, number("0"))])]),
        (r#"{"any": {"gt": 1}}"#, vec![Op::Any(Box::new(Expect(vec![Op::Compare(Comparison::Gt, number("1"))])))]),
        (r#"{"all": 1}"#, vec![Op::All(Box::new(Expect(vec![equals("1")])))]),
        (r#"{"schema": "order.json"}"#, vec![Op::Schema("order.json".into())]),
        (r#"{"exists": true}"#, vec![Op::Exists]),
        (r#"{"op": "gte", "value": 1}"#, vec![Op::Compare(Comparison::Gte, number("1"))]),
        (r#"{"op": "exists"}"#, vec![Op::Exists]),
        (r#"{"op": "includes", "value": "a"}"#, vec![Op::Contains("a".into(), true)]),
    ] {
        assert_eq!(expect_of(text), Ok(Expect(expected)), "{text}");
    }
}

#[test]
fn expectations_are_refused() {
    for (text, code) in [
        ("{}", Code::ExpectationMalformed),
        (r#"{"equal": 1}"#, Code::UnknownOperator),
        (r#"{"op": "equal", "value": 1}"#, Code::UnknownOperator),
        (r#"{"op": "gt"}"#, Code::ExpectationMalformed),
        (r#"{"op": 1, "value": 1}"#, Code::ExpectationMalformed),
        (r#"{"oneOf": []}"#, Code::ExpectationMalformed),
        (r#"{"oneOf": 1}"#, Code::ExpectationMalformed),
        (r#"{"anyOf": []}"#, Code::ExpectationMalformed),
        (r#"{"type": "text"}"#, Code::ExpectationMalformed),
        (r#"{"contains": {"a": 1}}"#, Code::ExpectationMalformed),
        (r#"{"startsWith": 1}"#, Code::ExpectationMalformed),
        (r#"{"matches": 1}"#, Code::ExpectationMalformed),
        (r#"{"matches": "(a"}"#, Code::PatternMalformed),
        (r#"{"matches": "(?=a)"}"#, Code::PatternMalformed),
        (r#"{"matches": "(\\w{100}){100}{100}"}"#, Code::PatternMalformed),
        (r#"{"gt": "1"}"#, Code::ExpectationMalformed),
        (r#"{"length": {"above": 1}}"#, Code::UnknownOperator),
        (r#"{"count": "1"}"#, Code::ExpectationMalformed),
        (r#"{"exists": false}"#, Code::ExpectationMalformed),
        (r#"{"missing": 1}"#, Code::ExpectationMalformed),
        (r#"{"schema": 1}"#, Code::ExpectationMalformed),
        (r#"{"$env": "TOTAL"}"#, Code::ExpectationFromEnvironment),
        (r#"{"equals": [{"$env": "TOTAL"}]}"#, Code::ExpectationFromEnvironment),
        (r#"{"$var": "a b"}"#, Code::ReferenceMalformed),
        (r#"{"$var": "a", "x": 1}"#, Code::ReferenceMalformed),
        (r#"{"$template": "{a"}"#, Code::ReferenceMalformed),
        (r#"{"$template": "{a b}"}"#, Code::ReferenceMalformed),
        (r#"{"not": {"unknown": 1}}"#, Code::UnknownOperator),
    ] {
        assert_eq!(expect_of(text).map_err(|(code, _)| code), Err(code), "{text}");
    }
}

#[test]
fn a_map_where_operators_belong_is_answered_with_both_ways() {
    let help = |text: &str| {
        let (plan, diags) = decode_step(&format!(r#"{{"action": "api", "path": "/", "expectJson": {text}}}"#));
        assert!(plan.is_none());
        let first = diags.iter().next().unwrap();
        assert_eq!(first.code, Code::UnknownOperator);
        first.help.clone().unwrap()
    };
    assert_eq!(
        help(r#"{"a": {"b": 1}}"#),
        "write `a.b: 1` to look deeper, or `a: {equals: {b: 1}}` to compare with the map"
    );
    assert_eq!(
        help(r#"{"a": {"x.y": "z"}}"#),
        "write `$.a['x.y']: \"z\"` to look deeper, or `a: {equals: {\"x.y\": \"z\"}}` to compare with the map"
    );
    assert_eq!(help(r#"{"a": {"contain": "x"}}"#), "did you mean `contains`?");
}
