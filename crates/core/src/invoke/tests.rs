//! Requests: what values may fill and what they may not.

use super::*;
use crate::document::Place;
use crate::environment::{Declared, Origin};
use crate::ids::Id;
use crate::json::{Limits, read};
use crate::observe::{ClientIdentity, Field, HttpCall, SecretUse};
use crate::plan::{Auth, Body, ClientCertificate, HttpStep, HttpVersion, KeySource, Proxy};
use proptest::prelude::*;
use url::Url;

fn json(text: &str) -> Json {
    read(text.as_bytes(), &Limits::default()).unwrap()
}

fn environment(url: Option<&str>) -> Environment {
    let origins = ["http://shop:8123", "https://pay.test"].map(|url| Origin::of(url).unwrap());
    Environment {
        name: None,
        kind: None,
        url: url.map(str::to_owned),
        origins: origins.to_vec(),
        data: None,
        identity: None,
        insecure: false,
        declared: Declared::Plan,
    }
}

fn request(target: &str) -> HttpStep {
    HttpStep {
        method: "GET".into(),
        target: target.into(),
        query: Vec::new(),
        headers: Vec::new(),
        body: None,
        auth: None,
        follow_redirects: 0,
        cookies: true,
        decompress: true,
        max_body: 10,
        http_version: HttpVersion::Auto,
        insecure: false,
        ca: None,
        client: None,
        proxy: None,
        unix_socket: None,
        poll: None,
        capture_request: false,
    }
}

fn step(request: HttpStep) -> Step {
    let id = Id::parse("A.1").unwrap();
    Step {
        id,
        title: None,
        action: Action::Http(request),
        action_name: "api",
        test_ids: Vec::new(),
        requirement_ids: Vec::new(),
        evidence_type: "api_response".into(),
        proves: String::new(),
        dimensions: Vec::new(),
        always_run: false,
        skip_if_missing_vars: false,
        continue_on_failure: false,
        idempotent: true,
        timeout_ms: 30_000,
        checks: Vec::new(),
        saves: Vec::new(),
        records: Vec::new(),
        obligations: Vec::new(),
        place: Place::default(),
    }
}

fn files(name: &str) -> Option<Vec<u8>> {
    (name == "body.bin").then(|| vec![0, 0xff])
}

fn called(request: HttpStep, vars: &Vars, environment: &Environment) -> Result<HttpCall, Unready> {
    match resolve(&step(request), vars, environment, Some("http://shop:8123/base"), &files)? {
        Call::Http(call) => Ok(call),
        Call::Command(_) | Call::Log(_) => panic!("a request gave something else"),
    }
}

fn vars(value: impl Into<Json>) -> Vars {
    Vars::new(&[("v".into(), value.into())])
}

fn url(target: &str, value: &str) -> Result<String, Unready> {
    called(request(target), &vars(value), &environment(Some("http://shop:8123/api/"))).map(|call| call.url)
}

fn refused<T: std::fmt::Debug>(outcome: Result<T, Unready>) -> FailureKind {
    match outcome.unwrap_err() {
        Unready::Refused(failure) => failure.kind,
        Unready::Missing(name) => panic!("{name} is missing"),
    }
}

#[test]
fn values_stay_in_their_component() {
    for (target, value, wanted) in [
        ("/orders/{v}", "a1", "http://shop:8123/api/orders/a1"),
        ("/orders/{v}/x", "a/b?c#d", "http://shop:8123/api/orders/a%2Fb%3Fc%23d/x"),
        ("/orders/{v}", "a b\\é%2f", "http://shop:8123/api/orders/a%20b%5C%C3%A9%252f"),
        ("/{v}", "//evil.test", "http://shop:8123/api/%2F%2Fevil.test"),
        ("/x{v}.json", "..", "http://shop:8123/api/x...json"),
        ("/{v}", "%2e%2e", "http://shop:8123/api/%252e%252e"),
        ("/a?q={v}&r=1", "x&y=z #+%", "http://shop:8123/api/a?q=x%26y%3Dz+%23%2B%25&r=1"),
        ("/a?x=/y?{v}", "1", "http://shop:8123/api/a?x=/y?1"),
        ("/%2{v}", "f", "http://shop:8123/api/%252f"),
        ("/", "", "http://shop:8123/api/"),
        ("/a/", "", "http://shop:8123/api/a/"),
        ("/{{v}", "", "http://shop:8123/api/%7Bv%7D"),
        ("//evil.test/x", "", "http://shop:8123/api//evil.test/x"),
        ("http://shop:8123", "", "http://shop:8123/"),
        ("http://shop:8123/{v}", "@evil", "http://shop:8123/%40evil"),
        ("https://pay.test:443?a={v}", ":8443@evil/", "https://pay.test/?a=%3A8443%40evil%2F"),
        ("HTTPS://PAY.test/%41?%42", "", "https://pay.test/%41?%42"),
    ] {
        assert_eq!(url(target, value).as_deref(), Ok(wanted), "{target} {value}");
    }
}

#[test]
fn values_never_choose_the_place() {
    use FailureKind::{TargetRefused, TemplateRefused};
    for (target, value, kind) in [
        ("/{v}", "..", TemplateRefused),
        ("/{v}", ".", TemplateRefused),
        ("/.{v}", ".", TemplateRefused),
        ("/%2e{v}", ".", TemplateRefused),
        ("/{v}/x", "", TemplateRefused),
        ("/a/../b", "", TemplateRefused),
        ("{v}", "http://shop:8123/", TemplateRefused),
        ("{v}/x", "http://shop:8123", TemplateRefused),
        ("http{v}://shop:8123/", "", TemplateRefused),
        ("http://{v}/", "shop:8123", TemplateRefused),
        ("http://shop:8123{v}", "@evil.test/x", TemplateRefused),
        ("http://shop:{v}/", "8123", TemplateRefused),
        ("http://shop{v}:8123/", "", TemplateRefused),
        ("/x#{v}", "f", TemplateRefused),
        ("orders", "", TemplateRefused),
        ("", "", TemplateRefused),
        ("/{v", "", TemplateRefused),
        ("http://shop:8123\\x", "", TemplateRefused),
        ("http://shop/", "", TargetRefused),
        ("https://shop:8123/", "", TargetRefused),
        ("http://evil.test/{v}", "", TargetRefused),
        ("http://shop:8123@evil.test/", "", TargetRefused),
        ("http://u:p@shop:8123/", "", TargetRefused),
        ("ftp://shop:8123/", "", TargetRefused),
        ("ftp:/x", "", TemplateRefused),
    ] {
        let value = if target == "http://evil.test/{v}" { "x" } else { value };
        assert_eq!(refused(url(target, value)), kind, "{target} {value}");
    }
    assert_eq!(called(request("/{w}"), &vars(1), &environment(None)).unwrap_err(), Unready::Missing("w".into()));
}

#[test]
fn paths_need_a_base() {
    let with = |url: Option<&str>| called(request("/x"), &vars(1), &environment(url)).map(|call| call.url);
    assert_eq!(with(None).as_deref(), Ok("http://shop:8123/base/x"));
    assert_eq!(with(Some("https://pay.test")).as_deref(), Ok("https://pay.test/x"));
    for bad in ["http://elsewhere", "http://shop:8123?x", "http://u@shop:8123", "shop:8123"] {
        assert_eq!(refused(with(Some(bad))), FailureKind::TargetRefused, "{bad}");
    }
    let none = resolve(&step(request("/x")), &vars(1), &environment(None), None, &files);
    assert_eq!(refused(none), FailureKind::TargetRefused);
}

#[test]
fn query_pairs_are_added() {
    let mut step = request("/a");
    step.query = vec![
        ("a b".into(), json("\"x&y\"")),
        ("n".into(), json("1.50")),
        ("v".into(), json(r#"{"$var":"v"}"#)),
        ("l".into(), json("[true,null]")),
    ];
    let call = called(step.clone(), &vars("é"), &environment(None)).unwrap();
    assert_eq!(call.url, "http://shop:8123/base/a?a+b=x%26y&n=1.50&v=%C3%A9&l=%5Btrue%2Cnull%5D");
    step.target = "/a?z".into();
    step.query.truncate(1);
    assert_eq!(called(step, &vars(1), &environment(None)).unwrap().url, "http://shop:8123/base/a?z&a+b=x%26y");
}

fn with_header(name: &str, value: Json, filler: &str) -> Result<HttpCall, Unready> {
    let mut step = request("/a");
    step.headers = vec![(name.into(), value)];
    called(step, &vars(filler), &environment(None))
}

#[test]
fn headers_hold_one_line() {
    let text = |call: HttpCall| call.headers[0].1.clone();
    let var = || json(r#"{"$var":"v"}"#);
    assert_eq!(with_header("X-A", var(), "a\tb é").map(text), Ok(Field::Text("a\tb é".into())));
    assert_eq!(
        with_header("X-A", json(r#"{"$env":"TOKEN"}"#), "").map(text),
        Ok(Field::Secret(SecretUse::Plain, "TOKEN".into()))
    );
    for bad in ["a\r\nb", "a\nHost: evil", "a\0", "\u{7f}", "\u{85}", "日本"] {
        assert_eq!(refused(with_header("X-A", var(), bad)), FailureKind::TemplateRefused, "{bad:?}");
    }
    for name in ["", "a b", "a:b", "a\n", "é", "Host", "content-LENGTH", "Transfer-Encoding", "X-HTTP-Method-Override"]
    {
        assert_eq!(refused(with_header(name, json("\"x\""), "")), FailureKind::TemplateRefused, "{name:?}");
    }
    assert_eq!(refused(with_header("X-A", json(r#"[{"$env":"TOKEN"}]"#), "")), FailureKind::TemplateRefused);
}

#[test]
fn bodies() {
    let send = |body: Body, own: Option<&str>| {
        let mut step = request("/a");
        step.body = Some(body);
        step.headers = own.map(|media| ("Content-Type".to_owned(), Json::from(media))).into_iter().collect();
        let call = called(step, &vars("x y"), &environment(None))?;
        let media = call.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let media: Vec<_> = media.map(|(_, field)| field.clone()).collect();
        Ok((call.body.unwrap(), media))
    };
    let media = |text: &str| vec![Field::Text(text.into())];
    let data = || Body::Json(json(r#"{"n":1.50,"v":{"$var":"v"}}"#));
    assert_eq!(send(data(), None), Ok((br#"{"n":1.50,"v":"x y"}"#.to_vec(), media("application/json"))));
    assert_eq!(send(data(), Some("a/b")), Ok((br#"{"n":1.50,"v":"x y"}"#.to_vec(), media("a/b"))));
    let form = Body::Form(vec![("a&".into(), json(r#"{"$template":"<{v}>"}"#)), ("n".into(), json("1.50"))]);
    assert_eq!(send(form, None), Ok((b"a%26=%3Cx+y%3E&n=1.50".to_vec(), media("application/x-www-form-urlencoded"))));
    assert_eq!(send(Body::Text("{v}".into()), None), Ok((b"{v}".to_vec(), vec![])));
    assert_eq!(send(Body::File("body.bin".into()), None), Ok((vec![0, 0xff], vec![])));
    assert_eq!(refused(send(Body::File("none".into()), None)), FailureKind::TemplateRefused);
    let named = send(Body::Json(json(r#"{"a":{"$env":"T"}}"#)), None).unwrap().0;
    assert_eq!(named, br#"{"a":"{env:T}"}"#);
    assert_eq!(refused(send(Body::Text(json(r#"{"$env":"T"}"#)), None)), FailureKind::TemplateRefused);
    assert_eq!(send(Body::Json(json(r#"[{"$var":"w"}]"#)), None), Err(Unready::Missing("w".into())));
}

#[test]
fn defaults_and_credentials() {
    let mut step = request("/a");
    step.auth = Some(Auth::Basic("LOGIN".into()));
    let call = called(step.clone(), &vars(1), &environment(None)).unwrap();
    assert_eq!(
        call.headers,
        [
            ("authorization".to_owned(), Field::Secret(SecretUse::Basic, "LOGIN".into())),
            ("user-agent".to_owned(), Field::Text("probity".into())),
            ("accept".to_owned(), Field::Text("*/*".into())),
        ]
    );
    assert_eq!((call.timeout_ms, call.origins.len(), call.insecure), (30_000, 2, false));
    step.headers = vec![("Accept".into(), "a/b".into()), ("USER-AGENT".into(), "x".into())];
    step.auth = Some(Auth::Bearer("TOKEN".into()));
    let call = called(step.clone(), &vars(1), &environment(None)).unwrap();
    assert_eq!(call.headers.len(), 3);
    assert_eq!(call.headers[2].1, Field::Secret(SecretUse::Bearer, "TOKEN".into()));
    step.headers.push(("Authorization".into(), json(r#"{"$env":"T"}"#)));
    assert_eq!(refused(called(step, &vars(1), &environment(None))), FailureKind::TemplateRefused);
    let mut step = request("/a");
    step.ca = Some("body.bin".into());
    assert_eq!(called(step, &vars(1), &environment(None)).unwrap().ca, Some(vec![0, 0xff]));
}

#[test]
fn ways_to_the_target() {
    let mut step = request("/a");
    (step.http_version, step.unix_socket) = (HttpVersion::Two, Some("run/s".into()));
    let key = KeySource::Env("KEY".into());
    step.client = Some(Box::new(ClientCertificate { cert: "body.bin".into(), key: key.clone() }));
    let call = called(step.clone(), &vars(1), &environment(None)).unwrap();
    assert_eq!((call.version, call.unix_socket.as_deref()), (HttpVersion::Two, Some("run/s")));
    assert_eq!(call.client, Some(Box::new(ClientIdentity { cert: vec![0, 0xff], key: key.clone() })));
    step.client = Some(Box::new(ClientCertificate { cert: "gone.pem".into(), key }));
    assert_eq!(refused(called(step, &vars(1), &environment(None))), FailureKind::TemplateRefused);

    let mut step = request("/a");
    let proxy = |url: &str| Proxy { origin: Origin::of(url).unwrap(), auth: Some(Auth::Basic("P".into())) };
    step.proxy = Some(Box::new(proxy("http://shop:8123")));
    let call = called(step.clone(), &vars(1), &environment(None)).unwrap();
    assert_eq!(call.proxy.unwrap().auth, Some((SecretUse::Basic, "P".to_owned())));
    step.proxy = Some(Box::new(proxy("http://elsewhere:3128")));
    assert_eq!(refused(called(step, &vars(1), &environment(None))), FailureKind::TargetRefused);
}

/// Texts that are likely to mean something to a URL parser, and any others.
fn hostile() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(".".to_owned()),
        Just("..".to_owned()),
        Just("/".to_owned()),
        Just("\\".to_owned()),
        Just("%2e".to_owned()),
        Just("%2F".to_owned()),
        Just("@evil.test".to_owned()),
        Just(":8443".to_owned()),
        Just("//evil.test".to_owned()),
        Just("?a=b&c".to_owned()),
        Just("#f".to_owned()),
        Just("\t\r\n\0".to_owned()),
        any::<String>(),
        "[a-z%0-9.]{0,3}",
    ];
    proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_value_moves_a_request(a in hostile(), b in hostile(), q in hostile(), p in hostile()) {
        let filled = Vars::new(&[
            ("a".into(), a.as_str().into()), ("b".into(), b.as_str().into()), ("q".into(), q.as_str().into()),
        ]);
        for (target, segments) in [
            ("/x/{a}/y{b}z/w?q={q}&end=1", 5),
            ("http://shop:8123/{a}{b}/w?q={q}&end=1", 2),
            ("/.{a}/{b}?q={q}&end=1", 3),
        ] {
            let mut step = request(target);
            step.query = vec![(p.clone(), json(r#"{"$var":"q"}"#))];
            let Ok(call) = called(step, &filled, &environment(None)) else { continue };
            let again = Url::parse(&call.url).unwrap();
            prop_assert_eq!(again.as_str(), &call.url);
            prop_assert_eq!(Origin::of(&call.url).unwrap().to_string(), "http://shop:8123");
            prop_assert_eq!(again.path_segments().unwrap().count(), segments);
            let pairs: Vec<(String, String)> = again.query_pairs().into_owned().collect();
            let wanted = [("q".to_owned(), q.clone()), ("end".to_owned(), "1".to_owned()), (p.clone(), q.clone())];
            prop_assert_eq!(&pairs[..], &wanted[..]);
        }
    }

    #[test]
    fn no_header_value_breaks_its_line(value in hostile()) {
        if let Ok(call) = with_header("X-A", json(r#"{"$template":"<{v}>"}"#), &value) {
            prop_assert_eq!(&call.headers[0].1, &Field::Text(format!("<{value}>")));
            prop_assert!(!value.contains(['\r', '\n', '\0']));
        }
    }
}
