//! Requests: defaults, targets, headers, and what is refused.

use super::*;

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
        (r#""json": {"a": {"var": "x", "json": true}}"#, Code::NotSupported),
        (r#""json": {"a": {"var": "x", "env": "y"}}"#, Code::ReferenceMalformed),
        (r#""json": {"a": {"var": 1}}"#, Code::ReferenceMalformed),
        (r#""json": 1, "body": "x""#, Code::UnknownField),
        (r#""multipart": []"#, Code::WrongType),
        (r#""multipart": {}"#, Code::MissingField),
        (r#""multipart": {"a": {"file": "a.png", "value": "b"}}"#, Code::UnknownField),
        (r#""multipart": {"a": {"file": "a.png", "name": "b"}}"#, Code::UnknownField),
        (r#""multipart": {"a": {"file": "a.png", "type": "a\r\nb"}}"#, Code::ValueOutOfRange),
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
