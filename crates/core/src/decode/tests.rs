//! Tables of what seed-form documents may and may not say. Each rule has a row that refuses and one that passes.

use super::*;
use crate::codes::Code;
use crate::expect::{Channel, Check, Comparison, JsonType, Op, What};
use crate::json::{Json, Limits, Number, read};
use crate::matrix::Matrix;
use crate::plan::{
    Action, Auth, Body, BodyPart, ClientCertificate, EnvironmentRef, HttpStep, HttpVersion, KeySource, ObligationKind,
    PartContent, Plan, SaveFrom, Step,
};

fn node(text: &str) -> Node {
    let json = read(text.as_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{error}: {text}"));
    Node::from_json(&json, Place::default())
}

fn json(text: &str) -> Json {
    read(text.as_bytes(), &Limits::default()).unwrap()
}

fn codes(diags: &Diagnostics) -> Vec<Code> {
    diags.iter().map(|d| d.code).collect()
}

fn expect_of(text: &str) -> Result<Expect, (Code, String)> {
    let mut diags = Diagnostics::about("test");
    let read = expect(&node(text), &mut diags);
    match diags.iter().next() {
        None => Ok(read.unwrap()),
        Some(d) => Err((d.code, d.help.clone().unwrap_or_default())),
    }
}

fn equals(text: &str) -> Op {
    Op::Equals(json(text))
}

fn number(token: &str) -> Json {
    Json::Number(Number::parse(token).unwrap())
}

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

fn decode_plan(text: &str) -> (Option<Plan>, Diagnostics) {
    let mut diags = Diagnostics::about("test-plan.json");
    let plan = plan(&node(text), &mut diags);
    (plan, diags)
}

fn decode_step(step: &str) -> (Option<Plan>, Diagnostics) {
    decode_plan(&format!(r#"{{"schemaVersion": 2, "scenarios": [{{"id": "C", "steps": [{step}]}}]}}"#))
}

fn step_of(step: &str) -> Step {
    let (plan, diags) = decode_step(step);
    assert!(diags.is_empty(), "{step}: {:?}", diags.into_sorted());
    plan.unwrap().scenarios.remove(0).steps.remove(0)
}

fn http_of(step: &str) -> HttpStep {
    match step_of(step).action {
        Action::Http(http) => http,
        Action::Command(_) => panic!("{step} is a command"),
    }
}

/// An api step with more fields.
fn api(fields: &str) -> String {
    format!(r#"{{"action": "api", "path": "/a", {fields}}}"#)
}

fn whats(step: &str) -> Vec<What> {
    step_of(step).checks.into_iter().map(|Check { what, .. }| what).collect()
}

fn p(text: &str) -> Path {
    Path::parse(text).unwrap()
}

#[test]
fn defaults_of_requests() {
    let step = step_of(r#"{"action": "api", "path": "/a"}"#);
    assert_eq!((step.id.as_str(), step.timeout_ms, step.evidence_type.as_str()), ("C.1", 30_000, "api_response"));
    assert!(step.idempotent && !step.always_run && !step.expects_outcome());
    let Action::Http(http) = step.action else { panic!("not http") };
    assert_eq!((http.method.as_str(), http.follow_redirects, http.max_body), ("GET", 0, 10 << 20));
    assert!(http.cookies && http.decompress && !http.insecure && http.poll.is_none() && http.body.is_none());
    assert_eq!(http.http_version, HttpVersion::Auto);
}

#[test]
fn idempotent_by_method_and_place() {
    for (fields, expected) in [
        (r#""method": "get""#, true),
        (r#""method": "HEAD""#, true),
        (r#""method": "OPTIONS""#, true),
        (r#""method": "POST""#, false),
        (r#""method": "PUT""#, false),
        (r#""method": "DELETE""#, false),
        (r#""method": "PUT", "evidenceType": "cleanup""#, true),
        (r#""method": "DELETE", "evidenceType": "cleanup""#, true),
        (r#""method": "POST", "evidenceType": "cleanup""#, false),
        (r#""method": "POST", "idempotent": true"#, true),
    ] {
        assert_eq!(step_of(&api(fields)).idempotent, expected, "{fields}");
    }
    assert!(!step_of(r#"{"action": "command", "command": ["a"]}"#).idempotent);
}

#[test]
fn cleanup_and_polling() {
    let cleanup =
        step_of(r#"{"action": "cleanupApi", "method": "DELETE", "path": "/a/{id}", "expectStatusAny": [204, 404]}"#);
    assert!(cleanup.is_cleanup() && cleanup.always_run && cleanup.idempotent && cleanup.expects_outcome());
    let poll = http_of(r#"{"action": "pollApi", "path": "/a"}"#).poll.unwrap();
    assert_eq!((poll.every_ms, poll.for_ms, poll.tries), (1000, 30_000, 31));
    let poll = http_of(
        r#"{"action": "pollApi", "path": "/a", "pollIntervalMs": 200, "pollTimeoutMs": 5000, "maxAttempts": 3}"#,
    );
    assert_eq!(poll.poll.map(|poll| (poll.every_ms, poll.for_ms, poll.tries)), Some((200, 5000, 3)));
}

#[test]
fn requests_are_read() {
    let http = http_of(&api(r#""query": {"q": "x", "n": 1, "tag": ["a", {"var": "b"}]},
           "headers": {"accept": "*/*", "x-api-key": {"env": "KEY"}, "authorization": {"env": "T", "prefix": "Bearer "}},
           "form": {"a": {"template": "{b}", "prefix": "{"}}, "tls": {"ca": "ca.pem", "insecure": true}, "httpVersion": 1.1,
           "followRedirects": 3, "cookies": false, "decompress": false, "maxBodyBytes": 10, "captureRequestBody": true"#));
    let value = |text| json(text);
    assert_eq!(
        http.query,
        [
            ("q".to_owned(), value("\"x\"")),
            ("n".to_owned(), value("1")),
            ("tag".to_owned(), value("\"a\"")),
            ("tag".to_owned(), value(r#"{"$var": "b"}"#)),
        ]
    );
    assert_eq!(
        http.headers,
        [("accept".to_owned(), value("\"*/*\"")), ("x-api-key".to_owned(), value(r#"{"$env": "KEY"}"#))]
    );
    assert_eq!(http.auth, Some(Auth::Bearer("T".into())));
    assert_eq!(http.body, Some(Body::Form(vec![("a".to_owned(), value(r#"{"$template": "{{{b}"}"#))])));
    assert_eq!((http.ca.as_deref(), http.insecure, http.http_version), (Some("ca.pem"), true, HttpVersion::One));
    assert_eq!((http.follow_redirects, http.max_body), (3, 10));
    assert!(!http.cookies && !http.decompress && http.capture_request);
    let sent = http_of(&api(
        r#""multipart": {"note": {"$var": "a"}, "n": 1, "doc": [{"file": "a/b.pdf"}, {"file": "c", "filename": "d", "type": "a/b"}],
            "meta": {"value": "{}", "type": "application/json"}},
           "tls": {"cert": "c.pem", "key": {"$env": "K"}}, "httpVersion": 2, "unixSocket": "run/s""#,
    ));
    let part = |name: &str, content, media: Option<&str>| BodyPart {
        name: name.to_owned(),
        content,
        media: media.map(str::to_owned),
    };
    let file = |path: &str, filename: &str| PartContent::File { path: path.into(), filename: filename.into() };
    assert_eq!(
        sent.body,
        Some(Body::Multipart(vec![
            part("note", PartContent::Value(value(r#"{"$var": "a"}"#)), None),
            part("n", PartContent::Value(value("1")), None),
            part("doc", file("a/b.pdf", "b.pdf"), None),
            part("doc", file("c", "d"), Some("a/b")),
            part("meta", PartContent::Value(value(r#""{}""#)), Some("application/json")),
        ]))
    );
    assert_eq!(
        sent.client,
        Some(Box::new(ClientCertificate { cert: "c.pem".into(), key: KeySource::Env("K".into()) }))
    );
    assert_eq!((sent.http_version, sent.unix_socket.as_deref()), (HttpVersion::Two, Some("run/s")));
    let proxied = http_of(&api(
        r#""proxy": {"url": "http://proxy.test:3128/", "auth": {"basic": {"env": "P"}}}, "tls": {"cert": "c", "key": "k"}"#,
    ));
    let proxy = proxied.proxy.unwrap();
    assert_eq!(
        (proxy.origin.to_string(), proxy.auth),
        ("http://proxy.test:3128".into(), Some(Auth::Basic("P".into())))
    );
    assert_eq!(proxied.client.unwrap().key, KeySource::File("k".into()));
    let auth = |text: &str| http_of(&api(text)).auth;
    assert_eq!(auth(r#""auth": {"basic": {"$env": "U"}}"#), Some(Auth::Basic("U".into())));
    assert_eq!(auth(r#""auth": {"bearer": {"env": "U"}}"#), Some(Auth::Bearer("U".into())));
    let body = |text: &str| http_of(&api(text)).body.unwrap();
    assert_eq!(
        body(r#""json": {"a": {"var": "x", "suffix": "-1"}}"#),
        Body::Json(json(r#"{"a": {"$template": "{x}-1"}}"#))
    );
    assert_eq!(
        body(r#""json": {"a": {"var": "x", "note": 1}}"#),
        Body::Json(json(r#"{"a": {"var": "x", "note": 1}}"#))
    );
    assert_eq!(body(r#""body": "text""#), Body::Text("text".into()));
    assert_eq!(body(r#""bodyFile": "a.bin""#), Body::File("a.bin".into()));
}

#[test]
fn in_an_expanded_plan_only_dollar_forms_are_references() {
    let text = r#"{"schemaVersion": 2, "scenarios": [{"id": "C", "steps": [{"action": "api", "method": "POST", "path": "/",
        "json": {"a": {"env": "prod"}, "b": {"var": "x"}, "c": {"$var": "x"}}, "headers": {"x-key": {"env": "KEY"}}}]}]}"#;
    let mut diags = Diagnostics::about("a.probity.yaml");
    let plan = plan_expanded(&node(text), &mut diags).unwrap();
    assert!(diags.is_empty());
    let Action::Http(http) = &plan.scenarios[0].steps[0].action else { panic!("not http") };
    let kept = json(r#"{"a": {"env": "prod"}, "b": {"var": "x"}, "c": {"$var": "x"}}"#);
    assert_eq!(http.body, Some(Body::Json(kept)));
    assert_eq!(http.headers[0].1, json(r#"{"$env": "KEY"}"#));
}

#[test]
fn targets() {
    for good in ["/", "/a/{id}?q={x}", "/a/{C.id}", "/{{x}"] {
        assert_eq!(http_of(&format!(r#"{{"action": "api", "path": "{good}"}}"#)).target, good);
    }
    for good in ["http://127.0.0.1:8123/a/{id}", "https://[::1]/", "HTTPS://a.test"] {
        assert_eq!(http_of(&format!(r#"{{"action": "api", "url": "{good}"}}"#)).target, good);
    }
    for (field, bad, code) in [
        ("path", "a", Code::UrlMalformed),
        ("path", "", Code::UrlMalformed),
        ("path", "//evil.test/a", Code::UrlMalformed),
        ("path", "/a b", Code::UrlMalformed),
        ("path", "/a#b", Code::UrlMalformed),
        ("path", "/a\\\\b", Code::UrlMalformed),
        ("path", "/{a", Code::ReferenceMalformed),
        ("path", "/{a b}", Code::UrlMalformed),
        ("path", "{a}/b", Code::TemplateBreakout),
        ("path", "http://a.test/", Code::UrlMalformed),
        ("url", "/a", Code::UrlMalformed),
        ("url", "ws://a.test/", Code::UrlMalformed),
        ("url", "http://", Code::UrlMalformed),
        ("url", "http://u:p@a.test/", Code::UrlMalformed),
        ("url", "http://{host}/", Code::TemplateBreakout),
        ("url", "http://a.test:{port}/", Code::TemplateBreakout),
        ("url", "{base}/a", Code::TemplateBreakout),
    ] {
        let (_, diags) = decode_step(&format!(r#"{{"action": "api", "{field}": "{bad}"}}"#));
        assert_eq!(codes(&diags), [code], "{bad}");
    }
}

#[test]
fn requests_are_refused() {
    for (fields, code) in [
        (r#""url": "http://a.test/""#, Code::UnknownField),
        (r#""method": "GE T""#, Code::ValueOutOfRange),
        (r#""method": "{m}""#, Code::TemplateBreakout),
        (r#""method": "CONNECT""#, Code::NotSupported),
        (r#""headers": {"a b": "x"}"#, Code::ValueOutOfRange),
        (r#""headers": {"a": 1}"#, Code::WrongType),
        (r#""headers": {"a": "x\r\ny: z"}"#, Code::ValueOutOfRange),
        (r#""headers": {"a": "x", "A": "y"}"#, Code::DuplicateKey),
        (r#""headers": {"a": {"env": "X", "prefix": "Token "}}"#, Code::NotSupported),
        (r#""headers": {"a": {"b": "c"}}"#, Code::WrongType),
        (r#""query": {"a": {"$env": "X"}}"#, Code::EnvReferenceMisplaced),
        (r#""query": {"a": null}"#, Code::WrongType),
        (r#""json": {"a": {"env": "X"}}"#, Code::EnvReferenceMisplaced),
        (r#""json": {"a": {"var": "x", "json": true}}"#, Code::NotSupported),
        (r#""json": {"a": {"var": "x", "env": "y"}}"#, Code::ReferenceMalformed),
        (r#""json": {"a": {"var": 1}}"#, Code::ReferenceMalformed),
        (r#""json": 1, "body": "x""#, Code::UnknownField),
        (r#""multipart": []"#, Code::WrongType),
        (r#""multipart": {}"#, Code::MissingField),
        (r#""multipart": {"a": {"file": "a.png", "value": "b"}}"#, Code::UnknownField),
        (r#""multipart": {"a": {"file": "a.png", "name": "b"}}"#, Code::UnknownField),
        (r#""multipart": {"a": {"file": "a.png", "type": "a\r\nb"}}"#, Code::ValueOutOfRange),
        (r#""multipart": {"a": {"value": {"$env": "X"}}}"#, Code::EnvReferenceMisplaced),
        (r#""multipart": {"a": {"value": "b", "filename": "c"}}"#, Code::UnknownField),
        (r#""multipart": {"a": "b"}, "headers": {"Content-Type": "text/plain"}"#, Code::HeaderForbidden),
        (r#""multipart": {"a": "b"}, "form": {"a": "b"}"#, Code::UnknownField),
        (r#""proxy": "https://p""#, Code::UrlMalformed),
        (r#""proxy": "http://p/path""#, Code::UrlMalformed),
        (r#""proxy": "http://user:word@p:1""#, Code::UrlMalformed),
        (r#""proxy": "http://{p}:1""#, Code::UrlMalformed),
        (r#""proxy": {"auth": {"basic": {"env": "P"}}}"#, Code::MissingField),
        (r#""proxy": {"url": "http://p:1", "auth": {"basic": "user:word"}}"#, Code::WrongType),
        (r#""unixSocket": "/run/s""#, Code::CommandPathOutside),
        (r#""unixSocket": "../s""#, Code::CommandPathOutside),
        (r#""unixSocket": "s", "proxy": "http://p:1""#, Code::UnknownField),
        (r#""tls": {"cert": "c.pem"}"#, Code::MissingField),
        (r#""tls": {"key": "k.pem"}"#, Code::MissingField),
        (r#""tls": {"cert": "c.pem", "key": "/etc/k.pem"}"#, Code::CommandPathOutside),
        (r#""tls": {"cert": "c.pem", "key": {"env": "1 2"}}"#, Code::ReferenceMalformed),
        (r#""encodePathVars": false"#, Code::NotSupported),
        (r#""auth": {}"#, Code::WrongType),
        (r#""auth": {"basic": {"env": "A"}, "bearer": {"env": "B"}}"#, Code::WrongType),
        (r#""auth": {"bearer": {}}"#, Code::ReferenceMalformed),
        (r#""auth": {"bearer": "token"}"#, Code::WrongType),
        (r#""followRedirects": 21"#, Code::ValueOutOfRange),
        (r#""httpVersion": 3"#, Code::ValueOutOfRange),
        (r#""pollIntervalMs": 100"#, Code::UnknownField),
        (r#""expectStdoutJson": {"a": 1}"#, Code::UnknownField),
        (r#""timeoutMs": "5s""#, Code::WrongType),
        (r#""timeoutMs": 0"#, Code::ValueOutOfRange),
    ] {
        let (_, diags) = decode_step(&api(fields));
        assert_eq!(codes(&diags), [code], "{fields}");
    }
}

#[test]
fn routing_and_framing_headers_belong_to_the_client() {
    for name in [
        "Host",
        "content-length",
        "Transfer-Encoding",
        "connection",
        "TE",
        "trailer",
        "upgrade",
        "expect",
        "keep-alive",
        "proxy-authorization",
        "Proxy-Connection",
        ":authority",
        "forwarded",
        "x-http-method-override",
        "x-method-override",
        "x-original-url",
        "x-rewrite-url",
        "X-Forwarded-For",
    ] {
        let (plan, diags) = decode_step(&api(&format!(r#""headers": {{"{name}": "x"}}"#)));
        assert_eq!(codes(&diags), [Code::HeaderForbidden], "{name}");
        assert!(plan.is_some(), "a finding of the plan check leaves the plan");
    }
    for name in ["hostname", "x-forward", "content-type", "prefer"] {
        http_of(&api(&format!(r#""headers": {{"{name}": "x"}}"#)));
    }
}

#[test]
fn checks_of_answers() {
    use Channel::{Body, Request};
    let contains = |channel, text: &str, wanted| What::Contains(channel, vec![text.into()], wanted);
    for (fields, expected) in [
        (r#""expectStatus": 201"#, What::Status(vec![201])),
        (r#""expectStatus": [200, 204]"#, What::Status(vec![200, 204])),
        (r#""expect_status_any": [200, 204]"#, What::Status(vec![200, 204])),
        (r#""expectJson": {"a.b": 1}"#, What::Json(Body, vec![(p("a.b"), Expect(vec![equals("1")]))])),
        (
            r#""expectJson": {"$..id": {"any": 1}}"#,
            What::Json(Body, vec![(p("$..id"), Expect(vec![Op::Any(Box::new(Expect(vec![equals("1")])))]))]),
        ),
        (
            r#""expectJsonAny": [{"a": 1}, {"b": "exists"}]"#,
            What::JsonAny(
                Body,
                vec![vec![(p("a"), Expect(vec![equals("1")]))], vec![(p("b"), Expect(vec![Op::Exists]))]],
            ),
        ),
        (r#""expectResponseTextContains": "x""#, contains(Body, "x", true)),
        (r#""expectResponseTextNotContains": ["x"]"#, contains(Body, "x", false)),
        (r#""expectResponseText": {"matches": "x"}"#, What::Text(Body, Expect(vec![Op::Matches("x".into())]))),
        (r#""expectTimeMs": 500"#, What::Time(500)),
        (r#""expectSize": 10"#, What::Size(vec![equals("10")])),
        (r#""expectSize": {"lt": 10}"#, What::Size(vec![Op::Compare(Comparison::Lt, number("10"))])),
        (r#""expectRedirect": "/b""#, What::Redirect("/b".into())),
        (r#""expectHttpVersion": 1.1"#, What::HttpVersion("1.1".into())),
        (r#""expectHttpVersion": "2""#, What::HttpVersion("2".into())),
        (r#""expectSchema": "a.json""#, What::Schema(Body, "a.json".into())),
        (r#""expectRequestJson": {"a": 1}"#, What::Json(Request, vec![(p("a"), Expect(vec![equals("1")]))])),
        (r#""expectRequestTextContains": "x""#, contains(Request, "x", true)),
        (r#""expectRequestTextNotContains": "x""#, contains(Request, "x", false)),
        (
            r#""expectResponseHeaders": {"Content-Type": {"contains": "json"}}"#,
            What::Header("Content-Type".into(), Expect(vec![Op::Contains("json".into(), true)])),
        ),
        (r#""expectResponseHeader": {"a": "b"}"#, What::Header("a".into(), Expect(vec![equals("\"b\"")]))),
        (
            r#""expectResponseHeaders": {"a": ["b", "c"]}"#,
            What::Header("a".into(), Expect(vec![equals(r#"["b", "c"]"#)])),
        ),
        (
            r#""expectResponseHeaderContains": {"a": "b"}"#,
            What::Header("a".into(), Expect(vec![Op::Contains("b".into(), true)])),
        ),
        (
            r#""expectResponseHeaderMatches": {"a": "^b"}"#,
            What::Header("a".into(), Expect(vec![Op::Matches("^b".into())])),
        ),
    ] {
        assert_eq!(whats(&api(fields)), [expected], "{fields}");
    }
    let order = whats(&api(r#""expectJson": {"b": 1, "a": 2}, "expectStatus": 200"#));
    assert_eq!(order.len(), 3);
    assert!(matches!(&order[0], What::Json(_, pairs) if pairs[0].0.text == "b"));
    assert!(matches!(&order[2], What::Status(_)));
}

#[test]
fn checks_of_answers_are_refused() {
    for (fields, code) in [
        (r#""expectStatus": "200""#, Code::WrongType),
        (r#""expectStatus": 99"#, Code::ValueOutOfRange),
        (r#""expectStatus": []"#, Code::ValueOutOfRange),
        (r#""expectJson": {}"#, Code::ExpectationMalformed),
        (r#""expectJsonAny": []"#, Code::ValueOutOfRange),
        (r#""expectJsonAny": [{}]"#, Code::ExpectationMalformed),
        (r#""expectJson": {"a..b": 1}"#, Code::PathMalformed),
        (r#""expectJson": {"$..a": 1}"#, Code::PathNotSingular),
        (r#""expectJson": {"$[*]": "exists"}"#, Code::PathNotSingular),
        (r#""expectJson": {"$[*].a": {"any": 1, "type": "string"}}"#, Code::PathNotSingular),
        (r#""expectJson": {"a": {"$env": "X"}}"#, Code::ExpectationFromEnvironment),
        (r#""expectJson": {"a": {"env": "X"}}"#, Code::ExpectationFromEnvironment),
        (r#""expectResponseTextContains": {"$env": "X"}"#, Code::ExpectationFromEnvironment),
        (r#""expectRedirect": {"$env": "X"}"#, Code::ExpectationFromEnvironment),
        (r#""expectResponseTextContains": 1"#, Code::WrongType),
        (r#""expectResponseTextContains": {"matches": "x"}"#, Code::ExpectationMalformed),
        (r#""expectResponseText": 1"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"content-length": 12}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"a": {"gt": 12}}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"a": {"oneOf": ["1", 2]}}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaders": {"a b": "x"}"#, Code::ValueOutOfRange),
        (r#""expectResponseHeaders": {}"#, Code::ExpectationMalformed),
        (r#""expectResponseHeaderMatches": {"a": "("}"#, Code::PatternMalformed),
        (r#""expectHttpVersion": 3"#, Code::ValueOutOfRange),
        (r#""expectSize": {"above": 1}"#, Code::UnknownOperator),
        (r#""expectStauts": 200"#, Code::UnknownField),
    ] {
        let (_, diags) = decode_step(&api(fields));
        assert_eq!(codes(&diags), [code], "{fields}");
    }
}

#[test]
fn commands() {
    use Channel::{Stderr, Stdout};
    let step = step_of(
        r#"{"action": "command", "command": ["python3", "a.py", {"$var": "id"}], "cwd": "tools", "env": {"K": {"env": "K"}},
            "stdin": {"id": {"var": "id"}}, "shell": false, "expectExitCode": [0, 3], "expectStdoutJson": {"a": 1},
            "expectStdoutContains": "x", "expectStdoutNotContains": "x", "expectStderrContains": "x",
            "expectStderrNotContains": "x", "expectStdoutSchema": "a.json", "extractStdoutJson": {"n": "a"},
            "extractStdoutText": {"m": "id=(\\d+)"}, "record": {"total": "a"}}"#,
    );
    assert_eq!((step.timeout_ms, step.evidence_type.as_str()), (60_000, "command"));
    let Action::Command(command) = &step.action else { panic!("not a command") };
    assert_eq!(command.argv[2], json(r#"{"$var": "id"}"#));
    assert_eq!(command.env, [("K".to_owned(), json(r#"{"$env": "K"}"#))]);
    assert_eq!(command.stdin, Some(json(r#"{"id": {"$var": "id"}}"#)));
    let whats: Vec<What> = step.checks.into_iter().map(|check| check.what).collect();
    let contains = |channel, wanted| What::Contains(channel, vec!["x".into()], wanted);
    assert_eq!(
        whats,
        [
            What::Exit(vec![0, 3]),
            What::Json(Stdout, vec![(p("a"), Expect(vec![equals("1")]))]),
            contains(Stdout, true),
            contains(Stdout, false),
            contains(Stderr, true),
            contains(Stderr, false),
            What::Schema(Stdout, "a.json".into()),
        ]
    );
    assert_eq!(step.saves[0].from, SaveFrom::Json(p("a")));
    assert_eq!(step.saves[1].from, SaveFrom::Text("id=(\\d+)".into()));
    assert_eq!(step.records, [("total".to_owned(), p("a"))]);
    for (text, code) in [
        (r#"{"action": "command"}"#, Code::MissingField),
        (r#"{"action": "command", "command": "ls"}"#, Code::WrongType),
        (r#"{"action": "command", "command": []}"#, Code::ValueOutOfRange),
        (r#"{"action": "command", "command": ["a"], "cmd": ["a"]}"#, Code::UnknownField),
        (r#"{"action": "command", "command": [{"$var": "x"}]}"#, Code::TemplateBreakout),
        (r#"{"action": "command", "command": ["a", 1]}"#, Code::WrongType),
        (r#"{"action": "command", "command": ["a", {"$env": "X"}]}"#, Code::EnvReferenceMisplaced),
        (r#"{"action": "command", "command": ["a"], "env": {"A=B": "x"}}"#, Code::VarNameInvalid),
        (r#"{"action": "command", "command": ["a"], "expectStatus": 200}"#, Code::UnknownField),
        (r#"{"action": "command", "command": ["a"], "requiredFiles": ["x"]}"#, Code::NotSupported),
    ] {
        assert_eq!(codes(&decode_step(text).1), [code], "{text}");
    }
}

#[test]
fn saves() {
    let from = |fields: &str| step_of(&api(fields)).saves.remove(0).from;
    assert_eq!(from(r#""extractJson": {"a": "b.c"}"#), SaveFrom::Json(p("b.c")));
    assert_eq!(
        from(r#""extractJson": {"a": {"path": "b", "from": "first", "required": true}}"#),
        SaveFrom::Json(p("b"))
    );
    assert_eq!(from(r#""extractResponseHeader": {"a": "Location"}"#), SaveFrom::Header("Location".into()));
    assert_eq!(from(r#""extractText": {"a": "id=(\\d+)"}"#), SaveFrom::Text("id=(\\d+)".into()));
    for (fields, code) in [
        (r#""extractJson": {"1a": "b"}"#, Code::VarNameInvalid),
        (r#""extractJson": {"qa_marker": "b"}"#, Code::VarReserved),
        (r#""extractJson": {"a": "$[*]"}"#, Code::PathNotSingular),
        (r#""extractJson": {"a": "b."}"#, Code::PathMalformed),
        (r#""extractJson": {"a": {"paths": ["b"]}}"#, Code::NotSupported),
        (r#""extractJson": {"a": {"path": "b", "required": false}}"#, Code::NotSupported),
        (r#""extractJson": {"a": {}}"#, Code::MissingField),
        (r#""extractJson": {"a": "b"}, "extractText": {"a": "(c)"}"#, Code::DuplicateKey),
        (r#""extractText": {"a": "b"}"#, Code::PatternMalformed),
        (r#""extractText": {"a": "(b)(c)"}"#, Code::PatternMalformed),
        (r#""extractResponseHeader": {"a": "b c"}"#, Code::ValueOutOfRange),
        (r#""record": {"a b": "c"}"#, Code::VarNameInvalid),
        (r#""record": {"a": "$..c"}"#, Code::PathNotSingular),
    ] {
        assert_eq!(codes(&decode_step(&api(fields)).1), [code], "{fields}");
    }
}

#[test]
fn obligations() {
    let step = step_of(&api(
        r#""obligations": [{"kind": "marker"}, {"kind": "terminal", "path": "state", "values": ["ready"]},
            {"kind": "persistence", "of": ["order"]}, {"kind": "absence"}]"#,
    ));
    let kinds: Vec<ObligationKind> = step.obligations.iter().map(|o| o.kind).collect();
    assert_eq!(kinds, ObligationKind::ALL);
    assert_eq!(step.obligations[1].path, Some(p("state")));
    for (fields, code) in [
        (r#"{"kind": "marked"}"#, Code::ValueOutOfRange),
        (r#"{"kind": "terminal"}"#, Code::ObligationMisplaced),
        (r#"{"kind": "terminal", "path": "a", "values": []}"#, Code::ValueOutOfRange),
        (r#"{"kind": "marker", "path": "a"}"#, Code::ObligationMisplaced),
        (r#"{"kind": "absence", "of": ["a"]}"#, Code::ObligationMisplaced),
        (r#"{"kind": "persistence", "of": ["a b"]}"#, Code::VarNameInvalid),
        (r#"{"kind": "terminal", "path": "a", "values": [{"$env": "X"}]}"#, Code::ExpectationFromEnvironment),
    ] {
        let found = codes(&decode_step(&api(&format!(r#""obligations": [{fields}]"#))).1);
        assert_eq!(found.first(), Some(&code), "{fields}");
    }
}

#[test]
fn plans() {
    let (plan, diags) = decode_plan(
        r#"{"schemaVersion": 2, "environment": "qa", "baseUrl": "http://127.0.0.1:1", "runtimeVars": {"a": 1, "b": 2},
            "vars": {"b": 3}, "grants": ["shell"], "mutation": {"policy": "scoped-write", "prefix": {"$var": "qa_marker"}},
            "viewport": {"width": 1}, "headless": true, "metadata": {"adapter": "x"}, "contextOptions": {},
            "scenarios": [{"id": "A", "uses": ["B"], "continue_on_failure": true, "notClaimed":
                [{"criterion": "C-1", "kind": "persistence", "why": "read elsewhere"}],
                "steps": [{"id": "s1", "action": "api", "path": "/", "test_ids": ["T1"], "requirementIds": ["C-1"]}]}]}"#,
    );
    assert!(diags.is_empty(), "{:?}", diags.into_sorted());
    let plan = plan.unwrap();
    assert!(matches!(&plan.environment, EnvironmentRef::Named(name, _) if name == "qa"));
    assert_eq!(plan.vars, [("a".to_owned(), json("1")), ("b".to_owned(), json("3"))]);
    assert!(plan.grants.shell);
    assert_eq!(plan.mutation.unwrap().prefix.as_deref(), Some("{qa_marker}"));
    let case = &plan.scenarios[0];
    assert!(case.continue_on_failure && case.title == "A" && case.uses[0].as_str() == "B");
    assert_eq!(case.not_claimed[0].kind, ObligationKind::Persistence);
    assert_eq!((case.steps[0].id.as_str(), case.steps[0].test_ids[0].as_str()), ("s1", "T1"));
}

#[test]
fn plans_are_refused() {
    let plan = |fields: &str| {
        format!(
            r#"{{"schemaVersion": 2, {fields} "scenarios": [{{"id": "A", "steps": [{{"action": "api", "path": "/"}}]}}]}}"#
        )
    };
    let cases = |cases: &str| format!(r#"{{"schemaVersion": 2, "scenarios": {cases}}}"#);
    let step = r#"{"action": "api", "path": "/"}"#;
    for (text, code, usable) in [
        (plan(""), None, true),
        (plan("\"qaMarker\": \"x\","), Some(Code::VarReserved), true),
        (plan("\"qaRunId\": \"x\","), Some(Code::VarReserved), true),
        (plan("\"vars\": {\"qa_x\": 1},"), Some(Code::VarReserved), true),
        (plan("\"vars\": {\"a-b\": 1},"), Some(Code::VarNameInvalid), false),
        (plan("\"vars\": {\"a\": {\"env\": \"X\"}},"), Some(Code::EnvReferenceMisplaced), true),
        (plan("\"baseUrl\": \"http://a/?b\","), Some(Code::UrlMalformed), false),
        (plan("\"vars\": {\"a\": {\"$var\": \"qa_marker\"}},"), Some(Code::ReferenceMalformed), false),
        (plan("\"storageState\": \"s.json\","), Some(Code::NotSupported), true),
        (plan("\"defaultHeaders\": {\"a\": \"b\"},"), Some(Code::NotSupported), true),
        (plan("\"preflight\": {},"), Some(Code::NotSupported), true),
        (plan("\"grants\": [\"root\"],"), Some(Code::ValueOutOfRange), false),
        (plan("\"mutation\": {\"policy\": \"scoped-write\"},"), Some(Code::MissingField), false),
        (plan("\"mutation\": {\"policy\": \"scoped-write\", \"prefix\": \"a\"},"), Some(Code::ValueOutOfRange), false),
        (plan("\"environment\": {\"kind\": \"local\", \"url\": \"ftp://a\"},"), Some(Code::UrlMalformed), false),
        (plan("\"environment\": {\"kind\": \"local\", \"url\": \"http://a\"},"), None, true),
        (plan("\"scenario\": [],"), Some(Code::UnknownField), false),
        (cases("[]"), Some(Code::ValueOutOfRange), false),
        (cases(r#"[{"id": "A", "steps": []}]"#), Some(Code::ValueOutOfRange), false),
        (cases(&format!(r#"[{{"steps": [{step}]}}]"#)), Some(Code::MissingField), false),
        (cases(&format!(r#"[{{"id": "a b", "steps": [{step}]}}]"#)), Some(Code::IdMalformed), false),
        (
            cases(&format!(
                r#"[{{"id": "A", "steps": [{step}]}}, {{"id": "A", "steps": [{{"id": "x", {}]}}]"#,
                &step[1..]
            )),
            Some(Code::IdDuplicate),
            false,
        ),
        (
            cases(&format!(
                r#"[{{"id": "A", "steps": [{step}]}}, {{"id": "a", "steps": [{{"id": "x", {}]}}]"#,
                &step[1..]
            )),
            Some(Code::IdConfusable),
            true,
        ),
        (
            cases(&format!(r#"[{{"id": "A", "steps": [{step}, {{"id": "A.1", {}]}}]"#, &step[1..])),
            Some(Code::IdDuplicate),
            false,
        ),
        (cases(r#"[{"id": "A", "steps": [{"action": "goto", "url": "/"}]}]"#), Some(Code::NotSupported), false),
        (cases(r#"[{"id": "A", "steps": [{"action": "comand"}]}]"#), Some(Code::UnknownVerb), false),
        (cases(r#"[{"id": "A", "steps": [{"path": "/"}]}]"#), Some(Code::UnknownVerb), false),
        (cases(r#"[{"id": "A", "steps": [{"action": "api"}]}]"#), Some(Code::MissingField), false),
        (r#"{"scenarios": []}"#.to_owned(), Some(Code::ValueOutOfRange), false),
        ("[]".to_owned(), Some(Code::WrongType), false),
    ] {
        let (read, diags) = decode_plan(&text);
        assert_eq!(codes(&diags).first().copied(), code, "{text}");
        assert_eq!(read.is_some(), usable, "{text}");
    }
}

#[test]
fn diagnostics_name_their_step() {
    let (_, diags) = decode_step(&api(r#""expectJson": {"a": {"equal": 1}}"#));
    assert_eq!(diags.iter().next().unwrap().subject.as_deref(), Some("C.1"));
}

fn decode_matrix(text: &str) -> (Option<Matrix>, Diagnostics) {
    let mut diags = Diagnostics::about("test-matrix.json");
    let matrix = matrix(&node(text), &mut diags);
    (matrix, diags)
}

#[test]
fn matrices() {
    let digest = "a".repeat(64);
    let (matrix, diags) = decode_matrix(&format!(
        r#"{{"schemaVersion": 2, "title": "T", "source": "S", "acceptsMock": true,
            "requirements": [{{"id": "R1", "source": "requirement.md line 1", "text": "It works.", "risk": "api",
                "test_ids": ["T1"], "status": "Untested", "needs": ["api"], "about": "status", "source_span": [0, 9],
                "source_sha256": "{digest}", "inherited_api_method": "GET", "notes": "n"}}],
            "tests": [{{"id": "T1", "requirement_ids": ["R1"], "type": "api", "steps": ["GET /"], "expected": "200",
                "required_evidence": ["api_response"], "status": "Blocked", "notes": "n"}}],
            "outOfScope": [{{"text": "a", "why": "b"}}], "later": [{{"text": "c", "why": "d"}}]}}"#
    ));
    assert!(diags.is_empty(), "{:?}", diags.into_sorted());
    let matrix = matrix.unwrap();
    assert!(matrix.accepts_mock && matrix.title.as_deref() == Some("T"));
    let criterion = &matrix.criteria[0];
    assert_eq!((criterion.id.as_str(), criterion.span, criterion.about_status), ("R1", Some((0, 9)), true));
    assert_eq!((criterion.needs.as_slice(), criterion.planned_status.as_str()), (&["api".to_owned()][..], "Untested"));
    let test = &matrix.tests[0];
    assert_eq!((test.kind.as_str(), test.planned_status.as_str(), test.expected.as_str()), ("api", "Blocked", "200"));
    assert_eq!((matrix.out_of_scope[0].why.as_str(), matrix.later[0].text.as_str()), ("b", "c"));
}

#[test]
fn matrices_are_refused() {
    let rows = |requirements: &str, tests: &str| {
        format!(r#"{{"schemaVersion": 2, "requirements": [{requirements}], "tests": [{tests}]}}"#)
    };
    for (text, code) in [
        (r#"{"requirements": [], "tests": []}"#.to_owned(), Code::SchemaVersion),
        (r#"{"schemaVersion": 2, "tests": []}"#.to_owned(), Code::MissingField),
        (rows(r#"{"text": "a"}"#, ""), Code::MissingField),
        (rows(r#"{"id": "R"}, {"id": "R"}"#, ""), Code::IdDuplicate),
        (rows(r#"{"id": "R"}, {"id": "r"}"#, ""), Code::IdConfusable),
        (rows("", r#"{"id": "T"}, {"id": "T"}"#), Code::IdDuplicate),
        (rows(r#"{"id": "R", "status": "Fine"}"#, ""), Code::ValueOutOfRange),
        (rows(r#"{"id": "R", "source_span": [3, 3]}"#, ""), Code::ValueOutOfRange),
        (rows(r#"{"id": "R", "source_sha256": "abc"}"#, ""), Code::ValueOutOfRange),
        (rows(r#"{"id": "R", "test_id": ["a"]}"#, ""), Code::UnknownField),
    ] {
        let (_, diags) = decode_matrix(&text);
        assert_eq!(codes(&diags), [code], "{text}");
    }
    let why = r#"{"schemaVersion": 2, "requirements": [], "tests": [], "later": [{"text": "a", "why": " "}]}"#;
    assert_eq!(codes(&decode_matrix(why).1), [Code::MissingField]);
}

mod any_document {
    use proptest::prelude::*;

    use super::*;

    /// Documents made of the words of the plan language, so that they reach deep into the decoders.
    fn document() -> impl Strategy<Value = Json> {
        let word = prop::sample::select(vec![
            "api",
            "command",
            "pollApi",
            "/a",
            "/{a}",
            "http://{a}",
            "$..a",
            "a[0]",
            "missing",
            "(",
            "C",
            "",
            "GET",
            "marker",
        ]);
        let leaf = prop_oneof![
            word.prop_map(Json::from),
            (-2_i64..300).prop_map(Json::from),
            any::<bool>().prop_map(Json::from),
            Just(Json::Null),
        ];
        leaf.prop_recursive(6, 60, 6, |inner| {
            let name = prop::sample::select(vec![
                "id",
                "steps",
                "action",
                "path",
                "url",
                "method",
                "headers",
                "query",
                "json",
                "expectJson",
                "expectStatus",
                "expectResponseHeaders",
                "extractJson",
                "obligations",
                "kind",
                "$var",
                "env",
                "op",
                "value",
                "not",
                "gt",
                "any",
                "auth",
                "bearer",
                "command",
                "vars",
                "mutation",
                "requirements",
                "tests",
                "environment",
                "identity",
            ]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map(name, inner, 0..6).prop_map(Json::map),
            ]
        })
    }

    proptest! {
        #[test]
        fn is_decoded_or_refused_with_a_reason(steps in prop::collection::vec(document(), 1..4), other in document()) {
            let plan_text = Json::map([
                ("schemaVersion", Json::from(2)),
                ("vars", other.clone()),
                ("scenarios", Json::list([Json::map([("id", Json::from("C")), ("steps", steps.into())])])),
            ]);
            for document in [&plan_text, &other] {
                let node = Node::from_json(document, Place::default());
                for decode in [plan, plan_expanded] {
                    let mut diags = Diagnostics::about("test");
                    prop_assert!(decode(&node, &mut diags).is_some() || diags.has_errors());
                }
                let mut diags = Diagnostics::about("test");
                prop_assert!(matrix(&node, &mut diags).is_some() || diags.has_errors());
                let mut diags = Diagnostics::about("test");
                prop_assert!(crate::settings::profile(&node, &mut diags).is_some() || diags.has_errors());
                let mut diags = Diagnostics::about("test");
                prop_assert!(crate::settings::environment(None, &node, &mut diags).is_some() || diags.has_errors());
                let mut diags = Diagnostics::about("test");
                prop_assert!(expect(&node, &mut diags).is_some() || diags.has_errors());
            }
        }
    }
}
