use super::*;

fn call(method: &str, headers: Vec<(&str, Field)>) -> HttpCall {
    HttpCall {
        method: method.to_owned(),
        headers: headers.into_iter().map(|(name, field)| (name.to_owned(), field)).collect(),
        body: (method != "GET").then(|| b"body".to_vec()),
        timeout_ms: 1000,
        follow_redirects: 5,
        cookies: true,
        max_body: 1000,
        ..HttpCall::get("http://a.example:81/p?q=1#f", Vec::new())
    }
}

fn text(value: &str) -> Field {
    Field::Text(value.to_owned())
}

fn sent(out: &Outgoing, cookies: Option<&str>) -> (Vec<(String, Vec<u8>)>, Shown) {
    let (request, shown) = out.request(cookies, Form::Origin).unwrap();
    let pairs = request.headers().iter().map(|(n, v)| (title(n), v.as_bytes().to_vec())).collect();
    (pairs, shown)
}

#[test]
fn what_is_shown_is_what_is_sent() {
    let headers = vec![
        ("x-b", text("1")),
        ("Accept", text("text/plain")),
        ("X-A", text("caf\u{e9}")),
        ("X-B", text("2")),
        ("cookie", text("mine=1")),
    ];
    let out = Outgoing::prepare(&call("POST", headers), &Secrets::new()).unwrap();
    let (pairs, shown) = sent(&out, Some("jar=1"));
    let as_bytes: Vec<_> = shown.iter().map(|(n, v)| (n.clone(), to_latin1(v).unwrap())).collect();
    assert_eq!(pairs, as_bytes);
    let names: Vec<_> = shown.iter().map(|(n, _)| n.as_str()).collect();
    assert_eq!(names, ["X-B", "X-B", "Accept", "X-A", "Cookie", "User-Agent", "Host", "Content-Length"]);
    assert!(shown.contains(&("Cookie".to_owned(), "mine=1; jar=1".to_owned())));
    assert!(shown.contains(&("Host".to_owned(), "a.example:81".to_owned())));
    assert_eq!(out.request(None, Form::Origin).unwrap().0.uri(), "/p?q=1");
}

#[test]
fn credentials_are_placed_and_not_shown() {
    let secrets: Secrets = [("USER", "al:pw"), ("TOKEN", "t0k")].into_iter().collect();
    let cases = [
        (SecretUse::Plain, "TOKEN", "t0k", "{env:TOKEN}"),
        (SecretUse::Bearer, "TOKEN", "Bearer t0k", "Bearer {env:TOKEN}"),
        (SecretUse::Basic, "USER", "Basic YWw6cHc=", "Basic {env:USER}"),
    ];
    for (how, name, wire, shows) in cases {
        let field = Field::Secret(how, name.to_owned());
        let out = Outgoing::prepare(&call("GET", vec![("Authorization", field)]), &secrets).unwrap();
        let (pairs, shown) = sent(&out, None);
        assert_eq!(pairs[0], ("Authorization".to_owned(), wire.as_bytes().to_vec()));
        assert_eq!(shown[0].1, shows);
    }
}

#[test]
fn what_cannot_be_sent_is_refused_by_name() {
    let secrets: Secrets = [("BROKEN", "a\r\nX: y")].into_iter().collect();
    let secret = |name: &str| Field::Secret(SecretUse::Plain, name.to_owned());
    let cases = [
        ("X", text("a\r\nX: y"), FailureKind::TemplateRefused),
        ("X", text("a\0"), FailureKind::TemplateRefused),
        ("X", text("\u{20ac}"), FailureKind::TemplateRefused),
        ("X Y", text("a"), FailureKind::TemplateRefused),
        ("Host", text("b.example"), FailureKind::TemplateRefused),
        ("content-length", text("1"), FailureKind::TemplateRefused),
        ("Transfer-Encoding", text("chunked"), FailureKind::TemplateRefused),
        ("Connection", text("upgrade"), FailureKind::TemplateRefused),
        ("X", secret("MISSING"), FailureKind::CredentialMissing),
        ("X", secret("BROKEN"), FailureKind::CredentialMissing),
    ];
    for (name, field, kind) in cases {
        let failure = Outgoing::prepare(&call("GET", vec![(name, field)]), &secrets).err().unwrap();
        assert_eq!(failure.kind, kind, "{name}");
        assert!(!failure.message.contains("X: y"), "{}", failure.message);
    }
    assert!(Outgoing::prepare(&call("CONNECT", vec![]), &secrets).is_err());
    let with_user = HttpCall { url: "http://u:p@a.example/".to_owned(), ..call("GET", vec![]) };
    assert_eq!(Outgoing::prepare(&with_user, &secrets).err().unwrap().kind, FailureKind::TargetRefused);
}

#[test]
fn turning_rewrites_methods_as_browsers_do() {
    let cases = [
        ("POST", 301, "GET"),
        ("POST", 302, "GET"),
        ("POST", 303, "GET"),
        ("POST", 307, "POST"),
        ("POST", 308, "POST"),
        ("PUT", 301, "PUT"),
        ("PUT", 303, "GET"),
        ("DELETE", 302, "DELETE"),
        ("HEAD", 303, "HEAD"),
    ];
    for (method, status, becomes) in cases {
        let headers = vec![("Content-Type", text("text/plain")), ("X", text("1"))];
        let mut out = Outgoing::prepare(&call(method, headers), &Secrets::new()).unwrap();
        out.turn(status, Url::parse("http://a.example:81/next").unwrap());
        assert_eq!(out.method, becomes, "{method} {status}");
        assert_eq!(out.body.is_some(), method == becomes, "{method} {status}");
        let typed = sent(&out, None).1.iter().any(|(name, _)| name == "Content-Type");
        assert_eq!(typed, method == becomes, "{method} {status}");
    }
}

#[test]
fn credentials_stay_with_their_origin_and_do_not_come_back() {
    let secrets: Secrets = [("KEY", "k")].into_iter().collect();
    let headers = || {
        vec![
            ("Authorization", text("Basic eA==")),
            ("Cookie", text("a=1")),
            ("X-Key", Field::Secret(SecretUse::Plain, "KEY".to_owned())),
            ("X-Plain", text("1")),
        ]
    };
    let left = |to: &[&str]| {
        let mut out = Outgoing::prepare(&call("GET", headers()), &secrets).unwrap();
        to.iter().for_each(|url| out.turn(302, Url::parse(url).unwrap()));
        sent(&out, None).1.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
    };
    let kept = left(&["http://a.example:81/x"]);
    assert_eq!(kept[..4], ["Authorization", "Cookie", "X-Key", "X-Plain"]);
    for away in ["http://a.example:82/", "https://a.example:81/", "http://b.example:81/"] {
        assert_eq!(left(&[away])[0], "X-Plain", "{away}");
        assert_eq!(left(&[away, "http://a.example:81/"])[0], "X-Plain", "{away} and back");
    }
}
