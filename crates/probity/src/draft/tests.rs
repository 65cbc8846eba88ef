use probity_core::allow::FileFact;
use probity_core::checked::{Ask, Given, check};

use super::*;

/// The plan of a source, which must pass the check.
#[track_caller]
fn drafted(source: Result<Source, String>) -> (String, String) {
    let mut source = source.unwrap();
    let text = plan("A draft", &mut source);
    let checked = check(&Ask {
        given: Given::Written("draft.probity.yaml", text.as_bytes()),
        profile: None,
        environment: None,
        files: &|_| FileFact::Missing,
        parse: &probity_formats::document::read,
    });
    match checked {
        Ok(checked) => assert!(checked.is_ok(), "{:?}\n{text}", checked.findings()),
        Err(found) => panic!("{found:?}\n{text}"),
    }
    (text, source.notes.join("\n"))
}

#[test]
fn a_curl_command_becomes_a_plan() {
    let (text, notes) = drafted(curl(
        "curl 'https://shop.example/api/orders?page=2' \\\n  -X PUT -H 'Accept: application/json' \\\n  -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz' -H 'X-Api-Key: k3y-of-the-shop' -H 'Host: other' \\\n  --data-raw '{\"note\":\"a {brace}\",\"password\":\"hunter2hunter2\",\"n\":18446744073709551617}' --compressed --proxy http://p",
    ));
    for part in [
        "\"PUT https://shop.example/api/orders?page=2\"",
        "auth: {bearer: {env: API_TOKEN}}",
        "\"X-Api-Key\": {env: X_API_KEY}",
        "\"note\":\"a {{brace}\"",
        "18446744073709551617",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for secret in ["abcdefghijklmnop", "k3y-of-the-shop", "hunter2", "password\":", "other"] {
        assert!(!text.contains(secret) && !notes.contains(secret), "{secret}\n{text}\n{notes}");
    }
    assert!(text.contains("proxy: \"http://p:1080\""), "{text}");
    assert!(notes.contains("API_TOKEN") && notes.contains("password"), "{notes}");
}

#[test]
fn a_proxy_is_carried_over_and_its_credentials_are_not() {
    for (option, written) in [
        ("-x 127.0.0.1:3128", "proxy: \"http://127.0.0.1:3128\""),
        ("--proxy http://127.0.0.1:80/", "proxy: \"http://127.0.0.1:80\""),
        (
            "-xhttp://me:pr0xy-secret@127.0.0.1:3128",
            "proxy: {url: \"http://127.0.0.1:3128\", auth: {basic: {env: PROXY_",
        ),
        ("-x p.test -U me:pr0xy-secret", "proxy: {url: \"http://p.test:1080\", auth: {basic: {env: PROXY_"),
    ] {
        let (text, notes) = drafted(curl(&format!("curl {option} http://127.0.0.1/")));
        assert!(text.contains(written), "{option}\n{text}");
        assert!(!text.contains("pr0xy-secret") && !notes.contains("pr0xy-secret"), "{text}\n{notes}");
        assert_eq!(notes.contains("PROXY_USER_AND_PASSWORD"), written.contains("auth"), "{notes}");
    }
    let (text, notes) = drafted(curl("curl -x socks5://127.0.0.1:1080 http://127.0.0.1/"));
    assert!(!text.contains("proxy") && notes.contains("its proxy"), "{text}\n{notes}");
}

/// A plan is a document in which no key stands twice, no control character stands, and that is not too deep.
#[test]
fn what_a_plan_cannot_say_is_left_out_and_named() {
    let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let long = "k".repeat(1100);
    for (source, note) in [
        ("curl http://127.0.0.1/ -H 'A: 1' -H 'a: 2'".to_owned(), "a second line of the header a"),
        ("curl http://127.0.0.1/ -d '{\"a\":{\"b\":1,\"b\":2}}'".to_owned(), "in which a key stands twice"),
        ("curl http://127.0.0.1/ -d a=1 -d a=2".to_owned(), "its form, in which a key stands twice"),
        ("curl http://127.0.0.1/ -H 'A: \u{7f}\u{202e}\u{85}'".to_owned(), ""),
        (format!("curl http://127.0.0.1/ -d '{deep}'"), ""),
        (format!("curl http://127.0.0.1/ -d {long}=1"), "its form, in which a key is very long"),
        (format!("curl http://127.0.0.1/ -H '{long}: 1'"), "a header whose name has 1100 bytes"),
    ] {
        let mut read = curl(&source).unwrap();
        let text = plan("A draft", &mut read);
        let node = probity_formats::document::read("draft.yaml", text.as_bytes());
        assert!(node.is_ok(), "{node:?}\n{text}");
        assert!(!text.contains(['\u{7f}', '\u{202e}', '\u{85}']), "{text}");
        assert!(read.notes.join("\n").contains(note), "{note}\n{:?}", read.notes);
    }
}

#[test]
fn curl_s_ways_to_say_the_same() {
    let request = |text: &str| curl(text).unwrap().requests.remove(0);
    let get = request("curl -s shop.example/a");
    assert_eq!((get.method.as_str(), get.url.as_str()), ("GET", "http://shop.example/a"));
    let form = request("curl -d a=1 -d 'b=x y' http://127.0.0.1/f");
    assert_eq!(form.body, Some(Body::Form(vec![("a".into(), "1".into()), ("b".into(), "x y".into())])));
    assert_eq!(request("curl -G -d a=1 http://127.0.0.1/f?b=2").url, "http://127.0.0.1/f?b=2&a=1");
    assert_eq!(request("curl -XDELETE http://127.0.0.1/f").method, "DELETE");
    assert!(matches!(request("curl --json '{\"a\":1}' http://127.0.0.1/f").body, Some(Body::Json(_))));
    let (text, _) = drafted(curl("curl -k -L -u me:secretsecret https://me:secretsecret@127.0.0.1/x#top"));
    assert!(text.contains("basic") && text.contains("insecure") && text.contains("followRedirects"), "{text}");
    assert!(!text.contains("secretsecret") && !text.contains("#top"), "{text}");
    for bad in ["", "wget x", "curl", "curl 'open", "curl http://127.0.0.1 -X"] {
        assert!(curl(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_recorded_session_becomes_a_plan() {
    let entry = |method: &str, url: &str, sent: &str, status: u16, media: &str, answer: &str| {
        serde_json::json!({
            "request": {"method": method, "url": url, "postData": {"mimeType": "application/json", "text": sent},
                "headers": [{"name": "User-Agent", "value": "x"}, {"name": "Cookie", "value": "sid=s3cr3t-s3ss10n"},
                            {"name": "Content-Type", "value": "application/json"}]},
            "response": {"status": status, "content": {"mimeType": media, "text": answer}},
        })
    };
    let session = serde_json::json!({"log": {"entries": [
        entry("GET", "https://shop.example/logo.png", "", 200, "image/png", ""),
        entry("GET", "https://shop.example/api/completed?token=abcdefgh12345678", "", 200, "application/json",
              r#"{"id":7,"token":"abcdefgh12345678","items":[]}"#),
        entry("POST", "https://shop.example/api/orders", r#"{"sku":"MUG-1"}"#, 201, "application/json", "[]"),
    ]}});
    let (text, notes) = drafted(har_of(&session));
    assert!(text.contains("# json: {id: {type: number}, token: {type: string}, items: {type: array}}"), "{text}");
    assert!(text.contains("# from: observed") && text.contains("status: 201"), "{text}");
    assert!(!text.contains("logo.png") && !text.contains("abcdefgh1234") && !text.contains("s3cr3t"), "{text}");
    assert!(notes.contains("1 requests for images") && notes.contains("header lines that a browser"), "{notes}");
    let many = serde_json::json!({"log": {"entries":
        (0..60).map(|n| entry("GET", &format!("https://shop.example/api/{n}"), "", 200, "text/plain", "")).collect::<Vec<_>>()}});
    let (text, notes) = drafted(har_of(&many));
    assert!(text.matches("- http:").count() == MOST && notes.contains("10 requests after"), "{notes}");
    for bad in ["", "{}", "[]", r#"{"log":{"entries":[]}}"#, r#"{"log":{"entries":[1,{"request":2}]}}"#] {
        assert!(har(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_hurl_file_becomes_a_plan() {
    let text = "# a shop\nGET https://shop.example/items\nAccept: application/json\n[QueryStringParams]\nlimit: 2\n\nHTTP 200\n[Captures]\nid: jsonpath \"$.id\"\n[Asserts]\njsonpath \"$.n\" == 2\n\nPOST https://shop.example/items\n{\n  \"sku\": \"MUG-1\"\n}\nHTTP/1.1 201\n\nPOST https://shop.example/login\n[FormParams]\nuser: me\npassword: hunter2hunter2\nHTTP 302\n\nGET https://shop.example/items/{{id}}\nHTTP 200\n\nGET https://shop.example/me\n[BasicAuth]\nme: hunter2hunter2\nHTTP *\n";
    let (text, notes) = drafted(hurl(text));
    for part in [
        "GET https://shop.example/items?limit=2",
        "json: {\"sku\":\"MUG-1\"}",
        "status: 201",
        "form: {\"user\":\"me\"}",
        "auth: {basic:",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("hunter2") && !notes.contains("hunter2"), "{text}\n{notes}");
    for note in ["section Captures", "section Asserts", "/items/{{id}}: it needs a variable"] {
        assert!(notes.contains(note), "{note}\n{notes}");
    }
    for bad in ["", "HTTP 200", "GET /relative\nHTTP 200", "GET {{host}}/a\n"] {
        assert!(hurl(bad).is_err(), "{bad}");
    }
}

fn har_of(value: &serde_json::Value) -> Result<Source, String> {
    har(&value.to_string())
}

#[test]
fn a_promise_becomes_a_plan() {
    let document = r##"{"openapi": "3.1.0", "servers": [{"url": "https://shop.example/v1/"}], "paths": {
        "/items": {"get": {"responses": {"200": {}, "404": {}}, "parameters": [
            {"name": "limit", "in": "query", "required": true, "schema": {"$ref": "#/components/schemas/Limit"}}]},
            "post": {"responses": {"201": {}}}},
        "/items/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "example": "a b"}],
            "get": {"responses": {"default": {}}}},
        "/orders/{id}": {"get": {"responses": {"200": {}}, "parameters": [
            {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}]}}},
        "components": {"schemas": {"Limit": {"type": "integer", "default": 20}}}}"##;
    let read = |text: &str| openapi(&probity_formats::document::read("a.json", text.as_bytes()).unwrap().to_json());
    let (text, notes) = drafted(read(document));
    assert!(text.contains("GET https://shop.example/v1/items?limit=20") && text.contains("/v1/items/a%20b"), "{text}");
    assert!(
        notes.contains("POST /items: it writes") && notes.contains("GET /orders/{id}: the parameter id"),
        "{notes}"
    );
    for bad in [
        "{}",
        r#"{"openapi": "2.0"}"#,
        r#"{"openapi": "3.0.0", "paths": {}}"#,
        r#"{"openapi": "3.0.0", "servers": [{"url": "https://a.example"}], "paths": {}}"#,
        r#"{"openapi": "3.0.0", "servers": [{"url": "/v1"}], "paths": {"/a": {"get": {}}}}"#,
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
}

#[test]
fn hostile_sources_make_no_broken_plans() {
    for text in [
        "curl 'http://127.0.0.1/\u{1b}[2J{x}' -H 'a: {b}' -H 'bad name: x'",
        "curl http://127.0.0.1 -H 'X: a\rb' -d '{\"$env\":\"HOME\"}'",
        "curl http://127.0.0.1 -X 'GET /x HTTP/1.1'",
        "curl -H",
        "curl \u{202e}",
    ] {
        // Refused by the reader or by the check that comes after it; nothing panics.
        if let Ok(mut source) = curl(text) {
            let _ = plan("A draft", &mut source);
        }
    }
}
