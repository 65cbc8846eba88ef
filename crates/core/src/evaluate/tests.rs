//! Tables of what every operator, word and field of an expectation comes to.

use super::*;
use crate::expect::{Check, Comparison, Expect, JsonType, Op, What};
use crate::json::{Json, Limits, Number, read};
use crate::path::{Path, PathSteps};
use crate::vars::Vars;
use Truth::{Fails, Holds, Unknown as NotKnown};

mod algebra;

fn json(text: &str) -> Json {
    read(text.as_bytes(), &Limits::default()).unwrap()
}

fn path(text: &str) -> Path {
    let steps = match text {
        "$" => PathSteps::Names(Vec::new()),
        query if query.starts_with('$') => {
            PathSteps::Query { plural: query.contains(['*', '?', ':']) || query.contains("..") }
        }
        names => PathSteps::Names(names.split('.').map(str::to_owned).collect()),
    };
    Path { text: text.to_owned(), steps }
}

fn files(name: &str) -> Option<Vec<u8>> {
    match name {
        "order.json" => Some(br#"{"type":"object","properties":{"n":{"type":"integer","minimum":1}}}"#.to_vec()),
        "outside.json" => Some(br#"{"$ref":"http://127.0.0.1:1/x"}"#.to_vec()),
        "broken.json" => Some(b"{".to_vec()),
        "wrong.json" => Some(br#"{"type":"nothing"}"#.to_vec()),
        _ => None,
    }
}

fn vars() -> Vars {
    let mut vars = Vars::new(&[("ten".into(), json("10.0")), ("word".into(), "lo wo".into())]);
    vars.set("sneaky", json(r#"{"$var":"ten"}"#));
    vars
}

fn run(what: What, seen: &Seen<'_>) -> Vec<CheckResult> {
    evaluate(&[Check { what, place: Place::default() }], seen, &vars(), &files)
}

fn body(kept: &[u8]) -> Seen<'_> {
    Seen { status: Some(200), body: Some(Bytes { kept, complete: true }), ..Seen::default() }
}

fn at(document: &str, at: &str, ops: Vec<Op>) -> CheckResult {
    let mut results = run(What::Json(Channel::Body, vec![(path(at), Expect(ops))]), &body(document.as_bytes()));
    assert_eq!(results.len(), 1);
    results.remove(0)
}

fn expect(op: Op) -> Box<Expect> {
    Box::new(Expect(vec![op]))
}

fn eq(text: &str) -> Op {
    Op::Equals(json(text))
}

fn gt(text: &str) -> Op {
    Op::Compare(Comparison::Gt, json(text))
}

fn has(text: &str) -> Op {
    Op::Contains(json(text), true)
}

const DOC: &str = r#"{"n":10,"s":"hello world","b":true,"z":null,"l":[1,2,3],"e":[],"m":{"0":"x","a":1},
  "u":"\ud800","d":{"k":1,"k":2},"ll":[{"k":1,"k":2},5],"items":[{"p":1},{"p":2},{"q":3}],"mix":[1,"a"],"é":"é💡"}"#;

/// Each operator with cases of all three values.
#[test]
fn operators() {
    let not = |op| Op::Not(expect(op));
    let any_of = |ops: Vec<Op>| Op::AnyOf(ops.into_iter().map(|op| Expect(vec![op])).collect());
    let compare = |c, n: &str| Op::Compare(c, json(n));
    let table: Vec<(&str, Op, Truth)> = vec![
        ("n", eq("10.0"), Holds),
        ("n", eq("11"), Fails),
        ("n", eq("\"10\""), Fails),
        ("z", eq("null"), Holds),
        ("z", eq("false"), Fails),
        ("x", eq("null"), NotKnown),
        ("n", eq(r#"{"$var":"ten"}"#), Holds),
        ("n", eq(r#"{"$var":"nope"}"#), NotKnown),
        ("n", eq(r#"{"$env":"TEN"}"#), NotKnown),
        ("n", eq(r#"{"$var":"sneaky"}"#), Fails),
        ("u", eq("\"\u{fffd}\""), NotKnown),
        ("d", eq(r#"{"k":2}"#), NotKnown),
        ("d.k", eq("2"), NotKnown),
        ("ll", eq("[1,5]"), NotKnown),
        ("l", eq("[1,2,3]"), Holds),
        ("m", eq(r#"{"a":1,"0":"x"}"#), Holds),
        ("n", Op::OneOf(vec![json("9"), json("10")]), Holds),
        ("n", Op::OneOf(vec![json("9")]), Fails),
        ("n", Op::OneOf(vec![]), Fails),
        ("x", Op::OneOf(vec![json("9")]), NotKnown),
        ("n", not(eq("11")), Holds),
        ("n", not(eq("10")), Fails),
        ("x", not(eq("10")), NotKnown),
        ("x", not(Op::Exists), NotKnown),
        ("x", not(not(Op::Exists)), NotKnown),
        ("x", not(Op::Missing), Fails),
        ("s", not(gt("1")), NotKnown),
        ("n", any_of(vec![eq("1"), eq("10")]), Holds),
        ("n", any_of(vec![eq("1"), eq("2")]), Fails),
        ("s", any_of(vec![gt("1"), eq("1")]), NotKnown),
        ("s", any_of(vec![gt("1"), has("\"hello\"")]), Holds),
        ("x", any_of(vec![eq("1"), Op::Missing]), Holds),
        ("x", any_of(vec![eq("1"), Op::Exists]), NotKnown),
        ("n", Op::AnyOf(vec![]), Fails),
        ("m", Op::Type(JsonType::Object), Holds),
        ("l", Op::Type(JsonType::Array), Holds),
        ("s", Op::Type(JsonType::String), Holds),
        ("n", Op::Type(JsonType::Number), Holds),
        ("n", Op::Type(JsonType::Integer), Holds),
        ("b", Op::Type(JsonType::Boolean), Holds),
        ("z", Op::Type(JsonType::Null), Holds),
        ("s", Op::Type(JsonType::Integer), Fails),
        ("x", Op::Type(JsonType::Null), NotKnown),
        ("u", Op::Type(JsonType::String), NotKnown),
        ("s", has("\"lo wo\""), Holds),
        ("s", has(r#"{"$var":"word"}"#), Holds),
        ("s", has("\"bye\""), Fails),
        ("l", has("2.0"), Holds),
        ("l", has("\"2\""), Fails),
        ("ll", has("5"), Holds),
        ("ll", has("6"), NotKnown),
        ("m", has("\"a\""), NotKnown),
        ("s", has("1"), NotKnown),
        ("x", has("\"a\""), NotKnown),
        ("s", Op::Contains(json("\"bye\""), false), Holds),
        ("s", Op::Contains(json("\"hello\""), false), Fails),
        ("l", Op::Contains(json("9"), false), Holds),
        ("ll", Op::Contains(json("9"), false), NotKnown),
        ("x", Op::Contains(json("\"a\""), false), NotKnown),
        ("u", Op::Contains(json("\"a\""), false), NotKnown),
        ("s", Op::StartsWith(json("\"hell\"")), Holds),
        ("s", Op::StartsWith(json("\"ello\"")), Fails),
        ("n", Op::StartsWith(json("\"1\"")), NotKnown),
        ("s", Op::EndsWith(json("\"world\"")), Holds),
        ("s", Op::EndsWith(json("\"worl\"")), Fails),
        ("x", Op::EndsWith(json("\"w\"")), NotKnown),
        ("s", Op::Matches("o w".into()), Holds),
        ("s", Op::Matches("^world".into()), Fails),
        ("n", Op::Matches("1".into()), NotKnown),
        ("s", Op::Matches("(".into()), NotKnown),
        ("s", Op::Matches("(x{1000}){1000}".into()), NotKnown),
        ("n", compare(Comparison::Gt, "9"), Holds),
        ("n", compare(Comparison::Gt, "10"), Fails),
        ("n", compare(Comparison::Gte, "10"), Holds),
        ("n", compare(Comparison::Gte, "10.1"), Fails),
        ("n", compare(Comparison::Lt, "10.1"), Holds),
        ("n", compare(Comparison::Lt, "1e1"), Fails),
        ("n", compare(Comparison::Lte, "10"), Holds),
        ("n", compare(Comparison::Lte, "9"), Fails),
        ("s", gt("1"), NotKnown),
        ("z", gt("1"), NotKnown),
        ("x", gt("1"), NotKnown),
        ("n", gt("\"1\""), NotKnown),
        ("é", Op::Length(vec![eq("2")]), Holds),
        ("l", Op::Length(vec![gt("2")]), Holds),
        ("m", Op::Length(vec![eq("3")]), Fails),
        ("n", Op::Length(vec![eq("2")]), NotKnown),
        ("d", Op::Length(vec![eq("2")]), NotKnown),
        ("l", Op::Length(vec![]), NotKnown),
        ("m", Op::Schema("order.json".into()), Holds),
        ("l", Op::Schema("order.json".into()), Fails),
        ("x", Op::Schema("order.json".into()), NotKnown),
        ("m", Op::Schema("none.json".into()), NotKnown),
        ("m", Op::Schema("outside.json".into()), NotKnown),
        ("m", Op::Schema("broken.json".into()), NotKnown),
        ("m", Op::Schema("wrong.json".into()), NotKnown),
        ("d", Op::Schema("order.json".into()), NotKnown),
        ("z", Op::Exists, Holds),
        ("u", Op::Exists, Holds),
        ("x", Op::Exists, Fails),
        ("d.k", Op::Exists, NotKnown),
        ("x", Op::Missing, Holds),
        ("x.y.z", Op::Missing, Holds),
        ("z", Op::Missing, Fails),
        ("d.k", Op::Missing, NotKnown),
        ("n", Op::NotNull, Holds),
        ("z", Op::NotNull, Fails),
        ("x", Op::NotNull, Fails),
        ("d.k", Op::NotNull, NotKnown),
        ("l", Op::Any(expect(eq("3"))), Holds),
        ("l", Op::Any(expect(eq("4"))), Fails),
        ("e", Op::Any(expect(Op::Exists)), Fails),
        ("mix", Op::Any(expect(gt("5"))), NotKnown),
        ("n", Op::Any(expect(eq("1"))), NotKnown),
        ("l", Op::All(expect(gt("0"))), Holds),
        ("l", Op::All(expect(gt("1"))), Fails),
        ("e", Op::All(expect(gt("0"))), Fails),
        ("mix", Op::All(expect(gt("0"))), NotKnown),
        ("mix", Op::All(expect(gt("1"))), Fails),
        ("x", Op::All(expect(gt("0"))), NotKnown),
        ("l", Op::Count(vec![eq("3")]), Holds),
        ("l", Op::Count(vec![gt("3")]), Fails),
        ("e", Op::Count(vec![eq("0")]), Holds),
        ("s", Op::Count(vec![eq("11")]), NotKnown),
        ("x", Op::Count(vec![eq("0")]), NotKnown),
    ];
    for (place, op, truth) in table {
        let result = at(DOC, place, vec![op]);
        assert_eq!(result.truth, truth, "{place} {} {}: {:?}", result.op, result.expected, result);
        assert_eq!(result.why.is_some(), truth == NotKnown, "{result:?}");
        assert_eq!(result.cause.is_some(), truth == NotKnown, "{result:?}");
    }
}

/// threats.md, test 20.
#[test]
fn numbers_and_keys() {
    for (answer, expected, truth) in [
        ("18446744073709551617", "18446744073709551616", Fails),
        ("1234567890123456.78", "1234567890123456.70", Fails),
        ("9007199254740993", "9007199254740992", Fails),
        ("18446744073709551617", "18446744073709551617", Holds),
        ("1e400", "1e400", Holds),
        ("1e400", "1e401", Fails),
        ("10.0", "10", Holds),
        ("-0", "0", Holds),
        ("null", "false", Fails),
        ("false", "null", Fails),
        ("\"29.97\"", "29.97", Fails),
    ] {
        let result = at(&format!("{{\"v\":{answer}}}"), "v", vec![eq(expected)]);
        assert_eq!(result.truth, truth, "{answer} {expected}");
    }
    let twice = at(r#"{"total":99,"total":10}"#, "total", vec![eq("10")]);
    assert_eq!((twice.truth, twice.cause), (NotKnown, Some(Cause::RepeatedKey)));
    assert_eq!(at("{}", "v", vec![eq("null")]).cause, Some(Cause::Missing));
}

#[test]
fn expected_and_saw_face_each_other() {
    for (place, op, expected, saw) in [
        ("n", eq("\"10\""), "\"10\" (text)", "10 (number)"),
        ("n", eq("11"), "11", "10"),
        ("z", eq("1"), "1 (number)", "null"),
        ("x", eq("1"), "1", "nothing"),
        ("n", eq(r#"{"$var":"ten"}"#), "10.0", "10"),
        ("n", eq(r#"{"$var":"nope"}"#), r#"{"$var":"nope"}"#, "10"),
        ("s", Op::Type(JsonType::Number), "number", "\"hello world\" (text)"),
        ("l", Op::Length(vec![eq("4")]), "4", "3"),
        ("l", Op::Count(vec![gt("4")]), "gt 4", "3"),
        ("mix", Op::All(expect(eq("1"))), "1", "2 values: 1, \"a\""),
        ("l", Op::Any(expect(gt("3"))), "gt 3", "3 values: 1, 2, 3"),
        ("m", Op::Not(expect(Op::Exists)), "exists", r#"{"0":"x","a":1}"#),
        ("l", Op::Schema("order.json".into()), "order.json", "[1,2,3] is not of type \"object\" (at the whole value)"),
    ] {
        let result = at(DOC, place, vec![op]);
        assert_eq!((result.expected.as_str(), result.saw.as_str()), (expected, saw), "{result:?}");
    }
    let result = at(DOC, "s", vec![Op::AnyOf(vec![Expect(vec![eq(r#"{"$template":"<{word}>{ten}"}"#)])])]);
    assert_eq!((result.expected.as_str(), result.expected_from.as_deref()), ("\"<lo wo>10.0\"", Some("word, ten")));
    assert_eq!((result.what.as_str(), result.op.as_str(), result.path.as_deref()), ("json s", "anyOf", Some("s")));
}

#[test]
fn paths() {
    for (place, op, truth) in [
        ("$", Op::Type(JsonType::Object), Holds),
        ("l.0", eq("1"), Holds),
        ("l.3", Op::Missing, Holds),
        ("l.99999999999999999999999", Op::Missing, Holds),
        ("l.+1", Op::Missing, Holds),
        ("l.x", Op::Missing, Holds),
        ("m.0", eq("\"x\""), Holds),
        ("s.0", Op::Missing, Holds),
        ("$['m']['0']", eq("\"x\""), Holds),
        ("$['m'].nope", Op::Missing, NotKnown),
        ("$['d']['k']", Op::Missing, NotKnown),
        ("$.items[*].p", Op::Count(vec![eq("2")]), NotKnown),
    ] {
        assert_eq!(at(DOC, place, vec![op]).truth, truth, "{place}");
    }
}

#[test]
fn queries() {
    let clean = r#"{"a":{"b":null},"items":[{"id":1,"p":1.5},{"id":2,"p":2},{"id":3}],"w.x":[[1,2],[3]]}"#;
    for (place, op, truth) in [
        ("$['w.x'][1][0]", eq("3"), Holds),
        ("$['w.x'][-1][0]", eq("3"), Holds),
        ("$['a']['b']", eq("null"), Holds),
        ("$['a']['c']", Op::Missing, Holds),
        ("$.items[*].p", Op::Count(vec![eq("2")]), Holds),
        ("$.items[*].p", Op::Any(expect(eq("2"))), Holds),
        ("$.nothing[*]", Op::All(expect(Op::Exists)), Fails),
        ("$.nothing[*]", Op::Not(expect(Op::Any(expect(Op::Exists)))), NotKnown),
        ("$.items[?@.id == 2].p", Op::All(expect(eq("2"))), Holds),
        ("$.items[?@.id == 9].p", Op::All(expect(eq("2"))), Fails),
        ("$.items[?@.id == 9].p", Op::Count(vec![eq("0")]), Holds),
        ("$..id", Op::Count(vec![eq("3")]), Holds),
        ("$.items[1:]", Op::Count(vec![eq("2")]), Holds),
        ("$.items[*].p", eq("1.5"), NotKnown),
        ("$.items[?@.id == 12345678901234567].p", Op::Count(vec![eq("0")]), NotKnown),
        ("$.items[?@.id < 1e400].p", Op::Count(vec![eq("2")]), NotKnown),
        ("$.items[?search(@.id, \"x\")]", Op::Count(vec![eq("0")]), Holds),
        ("$.items[?search(@.id, \"(x{100}){100}\")]", Op::Count(vec![eq("0")]), NotKnown),
        ("$.[", Op::Missing, NotKnown),
    ] {
        let result = at(clean, place, vec![op]);
        assert_eq!(result.truth, truth, "{place} {result:?}");
    }
    let big = r#"{"items":[{"id":18446744073709551616},{"id":18446744073709551617}]}"#;
    let filtered = at(big, "$.items[?@.id == 1].id", vec![Op::Count(vec![eq("0")])]);
    assert_eq!(filtered.cause, Some(Cause::Inexact));
    assert_eq!(at(big, "$.items[*].id", vec![Op::Any(expect(eq("18446744073709551617")))]).truth, Holds);
}

#[test]
fn queries_have_a_budget() {
    let many = format!("[{}0]", "0,".repeat(100_000));
    assert_eq!(at(&many, "$[*]", vec![Op::Count(vec![eq("100001")])]).cause, Some(Cause::Budget));
    let few = format!("[{}0]", "0,".repeat(99_999));
    assert_eq!(at(&few, "$[*]", vec![Op::Count(vec![eq("100000")])]).truth, Holds);
    let nested = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    for bomb in [
        "$..[*]..[*]..[*]..[*]".to_owned(),
        format!("${}", "[*,*]".repeat(40)),
        format!("{}1{}", "$[?(".repeat(40), ")]".repeat(40)),
        format!("$['{}']", "x".repeat(5000)),
    ] {
        assert_eq!(at(&nested, &bomb, vec![Op::Count(vec![eq("0")])]).cause, Some(Cause::Budget), "{bomb}");
    }
    let wide = format!("[{}{{}}]", "{\"a\":\"b\"},".repeat(2000));
    let search = at(&wide, "$[?search(@.a, @.a)]", vec![Op::Count(vec![eq("0")])]);
    assert_eq!(search.cause, Some(Cause::Budget));
}

#[test]
fn a_repeated_key_elsewhere_spoils_queries_that_go_everywhere() {
    let document = r#"{"a":[1,2],"d":{"k":1,"k":{"a":3}}}"#;
    assert_eq!(at(document, "a", vec![Op::Count(vec![eq("2")])]).truth, Holds);
    assert_eq!(at(document, "$['a'][0]", vec![eq("1")]).truth, Holds);
    assert_eq!(at(document, "$..a", vec![Op::Count(vec![eq("2")])]).cause, Some(Cause::RepeatedKey));
}

#[test]
fn documents_that_are_none() {
    for (bytes, cause, why) in [
        (&b""[..], Cause::NotJson, "it is empty and so no JSON"),
        (b" \n", Cause::NotJson, "it is empty and so no JSON"),
        (b"{\n \"a\" 1}", Cause::NotJson, "it is no JSON: no `:` after a key at line 2, column 6"),
        (b"\xff", Cause::NotJson, "it is no JSON: text that is not UTF-8 at line 1, column 1"),
    ] {
        for op in [Op::Missing, Op::Exists, eq("1")] {
            let what = What::Json(Channel::Body, vec![(path("a"), Expect(vec![op]))]);
            let result = run(what, &body(bytes)).remove(0);
            assert_eq!((result.truth, result.cause), (NotKnown, Some(cause)));
            assert_eq!(result.why.as_deref(), Some(why));
        }
    }
}

/// Nothing that was cut may show an absence or a whole.
#[test]
fn cut_bytes() {
    let cut = Seen { body: Some(Bytes { kept: b"{\"a\":1}", complete: false }), status: Some(200), ..Seen::default() };
    let text = |op| What::Text(Channel::Body, Expect(vec![op]));
    for (what, truth) in [
        (What::Json(Channel::Body, vec![(path("a"), Expect(vec![eq("1")]))]), NotKnown),
        (What::Json(Channel::Body, vec![(path("b"), Expect(vec![Op::Missing]))]), NotKnown),
        (What::Contains(Channel::Body, vec![json("\"a\"")], true), Holds),
        (What::Contains(Channel::Body, vec![json("\"b\"")], true), NotKnown),
        (What::Contains(Channel::Body, vec![json("\"a\"")], false), Fails),
        (What::Contains(Channel::Body, vec![json("\"b\"")], false), NotKnown),
        (text(has("\"a\"")), Holds),
        (text(has("\"b\"")), NotKnown),
        (text(Op::AnyOf(vec![Expect(vec![eq("\"x\"")]), Expect(vec![has("\"a\"")])])), Holds),
        (text(Op::Not(expect(has("\"b\"")))), NotKnown),
        (text(Op::Not(expect(Op::Contains(json("\"a\""), false)))), NotKnown),
        (text(Op::Length(vec![gt("1")])), NotKnown),
        (text(Op::Matches("a".into())), NotKnown),
        (text(Op::StartsWith(json("\"{\""))), NotKnown),
        (What::Size(vec![gt("1")]), NotKnown),
        (What::Schema(Channel::Body, "order.json".into()), NotKnown),
        (What::Status(vec![200]), Holds),
    ] {
        let results = run(what.clone(), &cut);
        assert_eq!(verdict_of(&results), truth, "{what:?}");
    }
    let whole = body(b"{\"a\":1}");
    assert_eq!(verdict_of(&run(What::Contains(Channel::Body, vec![json("\"b\"")], false), &whole)), Holds);
    assert_eq!(verdict_of(&run(text(Op::Not(expect(has("\"b\"")))), &whole)), Holds);
}

fn line(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn headers() {
    let headers = [line("Content-Type", "application/json"), line("Vary", "a"), line("vary", "bc")];
    let seen = Seen { headers: &headers, status: Some(200), ..Seen::default() };
    for (name, op, truth) in [
        ("content-type", has("\"json\""), Holds),
        ("CONTENT-TYPE", eq("\"application/json\""), Holds),
        ("content-type", eq("\"json\""), Fails),
        ("content-type", gt("1"), NotKnown),
        ("vary", has("\"c\""), Holds),
        ("vary", has("\"d\""), Fails),
        ("vary", Op::Contains(json("\"c\""), false), Fails),
        ("vary", Op::Contains(json("\"d\""), false), Holds),
        ("vary", eq(r#"["a","bc"]"#), Holds),
        ("vary", eq("\"a\""), Fails),
        ("vary", Op::StartsWith(json("\"a\"")), NotKnown),
        ("vary", Op::Count(vec![eq("2")]), Holds),
        ("etag", Op::Missing, Holds),
        ("etag", Op::Exists, Fails),
        ("etag", has("\"x\""), NotKnown),
        ("etag", Op::Contains(json("\"x\""), false), NotKnown),
    ] {
        let result = run(What::Header(name.into(), Expect(vec![op])), &seen).remove(0);
        assert_eq!(result.truth, truth, "{result:?}");
        assert_eq!(result.what, format!("header {}", name.to_ascii_lowercase()));
    }
    let nobody = run(What::Header("etag".into(), Expect(vec![Op::Missing])), &Seen::default()).remove(0);
    assert_eq!(nobody.cause, Some(Cause::NotCaptured));
}

#[test]
fn facts_of_the_answer() {
    let seen = Seen {
        status: Some(201),
        exit: Some(3),
        http_version: Some("1.1"),
        time_us: 500_001,
        size: Some(5),
        first_location: Some(("http://a/x/y", "../z?q")),
        ..body(b"12345")
    };
    let redirect = |text: &str| What::Redirect(json(text));
    for (what, truth) in [
        (What::Status(vec![201]), Holds),
        (What::Status(vec![200, 201]), Holds),
        (What::Status(vec![200]), Fails),
        (What::Status(vec![]), Fails),
        (What::Exit(vec![0, 3]), Holds),
        (What::Exit(vec![0]), Fails),
        (What::HttpVersion("1.1".into()), Holds),
        (What::HttpVersion("2".into()), Fails),
        (What::Time(501), Holds),
        (What::Time(500), Fails),
        (What::Size(vec![eq("5")]), Holds),
        (What::Size(vec![gt("4"), Op::Compare(Comparison::Lt, json("5"))]), Fails),
        (redirect("\"/z?q\""), Holds),
        (redirect("\"http://a/z?q\""), Holds),
        (redirect("\"http://a:80/z?q\""), Holds),
        (redirect("\"../z?q\""), Holds),
        (redirect("\"http://b/z?q\""), Fails),
        (redirect("\"/z\""), Fails),
        (redirect("1"), NotKnown),
        (redirect(r#"{"$var":"nope"}"#), NotKnown),
    ] {
        assert_eq!(verdict_of(&run(what.clone(), &seen)), truth, "{what:?}");
    }
    for what in [
        What::Status(vec![200]),
        What::Exit(vec![0]),
        What::HttpVersion("2".into()),
        What::Size(vec![eq("0")]),
        redirect("\"/\""),
        What::Contains(Channel::Stderr, vec![json("\"x\"")], false),
        What::Text(Channel::Body, Expect(vec![Op::Missing])),
        What::Json(Channel::Request, vec![(path("a"), Expect(vec![Op::Missing]))]),
    ] {
        let results = run(what.clone(), &Seen::default());
        assert_eq!(results[0].cause, Some(Cause::NotCaptured), "{what:?}");
    }
    assert_eq!(run(redirect("\"/\""), &body(b"")).remove(0).cause, Some(Cause::Missing));
}

#[test]
fn texts() {
    let latin = [line("content-type", "text/plain; charset=iso-8859-1")];
    let seen = Seen { headers: &latin, ..body(b"na\xefve error") };
    let text = |op| What::Text(Channel::Body, Expect(vec![op]));
    for (what, truth) in [
        (text(eq("\"naïve error\"")), Holds),
        (text(Op::Length(vec![eq("11")])), Holds),
        (What::Contains(Channel::Body, vec![json("\"ïv\""), json("\"error\"")], true), Holds),
        (What::Contains(Channel::Body, vec![json("\"ok\""), json("\"error\"")], false), Fails),
    ] {
        assert_eq!(verdict_of(&run(what.clone(), &seen)), truth, "{what:?}");
    }
    let bytes = body(b"\xffok 29.97");
    for (what, truth) in [
        (text(eq("\"ok\"")), NotKnown),
        (text(Op::Matches("ok".into())), NotKnown),
        (text(has("\"ok\"")), Holds),
        (What::Contains(Channel::Body, vec![json("\"ok\"")], true), Holds),
        (What::Contains(Channel::Body, vec![json("29.97")], true), Holds),
        (What::Contains(Channel::Body, vec![json("[]")], true), NotKnown),
    ] {
        assert_eq!(verdict_of(&run(what.clone(), &bytes)), truth, "{what:?}");
    }
    let results = run(What::Contains(Channel::Body, vec![json("\"a\""), json("\"b\"")], true), &body(b"a"));
    let short: Vec<_> = results.iter().map(|r| (r.what.as_str(), r.op.as_str(), r.saw.as_str(), r.truth)).collect();
    assert_eq!(short, [("text", "contains", "\"a\"", Holds), ("text", "contains", "\"a\"", Fails)]);
    let out = Seen { stdout: Some(Bytes { kept: br#"{"total":1}"#, complete: true }), ..Seen::default() };
    let results = run(What::Json(Channel::Stdout, vec![(path("total"), Expect(vec![eq("1")]))]), &out);
    assert_eq!((results[0].what.as_str(), results[0].truth), ("stdout json total", Holds));
}

#[test]
fn alternatives() {
    let seen = body(br#"{"a":1,"b":2}"#);
    let one = |name: &str, op: Op| (path(name), Expect(vec![op]));
    let run = |alternatives| run(What::JsonAny(Channel::Body, alternatives), &seen);
    let first = run(vec![vec![one("a", eq("9"))], vec![one("a", eq("1")), one("b", eq("2"))], vec![one("a", eq("1"))]]);
    assert_eq!((first.len(), first[0].alternative, verdict_of(&first)), (2, Some(1), Holds));
    let nearest = run(vec![vec![one("a", eq("9")), one("b", eq("9"))], vec![one("a", eq("1")), one("b", eq("9"))]]);
    assert_eq!((nearest[0].alternative, verdict_of(&nearest)), (Some(1), Fails));
    let unknown = run(vec![vec![one("a", eq("1")), one("b", eq("9"))], vec![one("c", eq("1"))]]);
    assert_eq!((unknown[0].alternative, verdict_of(&unknown)), (Some(1), NotKnown));
    for empty in [vec![], vec![vec![]]] {
        assert_eq!(verdict_of(&run(empty)), NotKnown);
    }
}

#[test]
fn no_check_vanishes() {
    for what in [
        What::Json(Channel::Body, vec![]),
        What::Json(Channel::Body, vec![(path("a"), Expect(vec![]))]),
        What::Contains(Channel::Body, vec![], false),
        What::Size(vec![]),
        What::Header("a".into(), Expect(vec![])),
    ] {
        assert_eq!(verdict_of(&run(what.clone(), &body(b"{}"))), NotKnown, "{what:?}");
    }
    let check = |what| Check { what, place: Place { line: 7, ..Place::default() } };
    let checks = [check(What::Status(vec![200])), check(What::Size(vec![gt("0"), eq("2")]))];
    let results = evaluate(&checks, &body(b"{}"), &vars(), &files);
    let numbers: Vec<_> = results.iter().map(|r| (r.check, r.place.line)).collect();
    assert_eq!(numbers, [(0, 7), (1, 7), (1, 7)]);
}

#[test]
fn an_answer_of_400_fails_unless_expected() {
    let seen = |status| Seen { status, ..Seen::default() };
    let implied = |status| implied_status(&[], &seen(status), Place::default()).map(|result| result.truth);
    assert_eq!([implied(Some(399)), implied(Some(400)), implied(None)], [Some(Holds), Some(Fails), None]);
    let status = Check { what: What::Status(vec![404]), place: Place::default() };
    assert_eq!(implied_status(&[status], &seen(Some(404)), Place::default()), None);
}

#[test]
fn saves() {
    use crate::plan::SaveFrom;
    let headers = [line("Set-Cookie", "a"), line("set-cookie", "b"), line("etag", "x")];
    let seen =
        Seen { headers: &headers, ..body(br#"{"id":12345678901234567890.10,"l":[1],"d":{"k":1,"k":2},"t":"no 17."}"#) };
    let from_json = |text: &str| save(&SaveFrom::Json(path(text)), &seen);
    assert_eq!(from_json("id"), Ok(Json::Number(Number::parse("12345678901234567890.10").unwrap())));
    for bad in ["x", "d", "d.k", "$.l[*]", "$"] {
        assert!(from_json(bad).is_err(), "{bad}");
    }
    assert_eq!(save(&SaveFrom::Header("ETag".into()), &seen), Ok("x".into()));
    assert_eq!(save(&SaveFrom::Header("set-cookie".into()), &seen), Ok(json(r#"["a","b"]"#)));
    assert!(save(&SaveFrom::Header("x".into()), &seen).is_err());
    assert_eq!(save(&SaveFrom::Text(r"no (\d+)".into()), &seen), Ok("17".into()));
    for bad in [r"yes (\d+)", r"no \d+", "(", r"no 17|(x)"] {
        assert!(save(&SaveFrom::Text(bad.into()), &seen).is_err(), "{bad}");
    }
    let cut = Seen { body: Some(Bytes { kept: b"no 17", complete: false }), ..Seen::default() };
    assert!(save(&SaveFrom::Text(r"no (\d+)".into()), &cut).is_err());
    let out = Seen { stdout: Some(Bytes { kept: br#"{"a":true}"#, complete: true }), ..Seen::default() };
    assert_eq!(save(&SaveFrom::Json(path("a")), &out), Ok(true.into()));
    assert!(save(&SaveFrom::Json(path("a")), &Seen::default()).is_err());
}
