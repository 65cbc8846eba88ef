//! Tables of what settings files may and may not say.

use super::*;
use crate::ids::Digest;
use crate::json::{Limits, read};
use crate::judge::Mutation;
use crate::observe::{Field, SecretUse};

fn node(text: &str) -> Node {
    Node::from_json(&read(text.as_bytes(), &Limits::default()).unwrap(), Place::default())
}

fn profile_of(text: &str) -> Profile {
    let mut diags = Diagnostics::about("probity.yaml");
    let profile = profile(&node(text), &mut diags);
    assert!(diags.is_empty(), "{:?}", diags.into_sorted());
    profile.unwrap()
}

fn codes_of(text: &str) -> Vec<Code> {
    let mut diags = Diagnostics::about("probity.yaml");
    let profile = profile(&node(text), &mut diags);
    assert_eq!(profile.is_none(), diags.has_errors(), "{text}");
    diags.iter().map(|d| d.code).collect()
}

#[test]
fn the_example_of_the_plan_language_is_read() {
    let profile = profile_of(
        r#"{"version": 1, "default_environment": "local",
            "environments": {"local": {"kind": "local", "url": "http://127.0.0.1:8123", "data": "disposable",
                                       "identity": {"http": "GET /version", "json": "build"}}},
            "services": [{"id": "shop", "start": ["npm", "run", "dev"], "ready": "/health", "port": 8123,
                          "timeout": "45s"}],
            "commands": {"allow": [{"program": "python3", "args": ["tools/*.py"], "reads": true}]},
            "limits": {"time": "30m", "probes": 5000, "output": "64MiB", "jobs": 8}, "x_team": {"any": 1}}"#,
    );
    let (name, local) = &profile.environments[0];
    assert_eq!(
        (name.as_str(), local.kind.as_deref(), local.data.as_deref()),
        ("local", Some("local"), Some("disposable"))
    );
    assert_eq!(local.origins, [Origin { scheme: "http".into(), host: "127.0.0.1".into(), port: 8123 }]);
    assert_eq!(local.declared, Declared::Profile);
    let identity = Identity { target: "/version".into(), read: IdentityRead::Json("build".into()) };
    assert_eq!(local.identity, Some(identity));
    let limits = LimitSettings { time_ms: Some(1_800_000), probes: Some(5000), output: Some(64 << 20), jobs: Some(8) };
    assert_eq!(profile.limits, limits);
    assert!(profile.commands[0].reads && profile.commands[0].args == ["tools/*.py"]);
    assert_eq!(profile.services[0].id.as_str(), "shop");
}

#[test]
fn a_host_profile_of_the_reference_tool_is_read() {
    let profile = profile_of(
        r#"{"project": "shop", "apps": {"web": {}}, "clickup": null, "mutation": {"deny_controls": {}},
            "environments": {"qa": {"kind": "qa", "apps": {"web": "https://QA.shop.test/app"}, "test_account": null,
                "sha_source": {"url": "https://qa.shop.test/version", "json_path": "sha"}}}}"#,
    );
    let qa = &profile.environments[0].1;
    assert_eq!(qa.origins, [Origin { scheme: "https".into(), host: "qa.shop.test".into(), port: 443 }]);
    assert_eq!(qa.identity.as_ref().unwrap().target, "https://qa.shop.test/version");
    assert!(profile.mutation.is_some());
}

#[test]
fn each_rule_refuses() {
    for (text, code) in [
        (r#"{"version": 2}"#, Code::SchemaVersion),
        (r#"{"enviroments": {}}"#, Code::UnknownField),
        (r#"{"default_environment": "qa", "environments": {"local": {}}}"#, Code::EnvironmentUnknown),
        (r#"{"environments": {"a": {"kind": "prod"}}}"#, Code::ValueOutOfRange),
        (r#"{"environments": {"a": {"data": "real"}}}"#, Code::ValueOutOfRange),
        (r#"{"environments": {"a": {"url": "ftp://a"}}}"#, Code::UrlMalformed),
        (r#"{"environments": {"a": {"url": "http://u:p@a"}}}"#, Code::UrlMalformed),
        (r#"{"environments": {"a": {"url": "http://{host}"}}}"#, Code::UrlMalformed),
        (r#"{"environments": {"a": {"origins": ["/x"]}}}"#, Code::UrlMalformed),
        (r#"{"environments": {"a": {"identity": {"http": "POST /v", "json": "b"}}}}"#, Code::UrlMalformed),
        (r#"{"environments": {"a": {"identity": {"http": "v", "json": "b"}}}}"#, Code::UrlMalformed),
        (r#"{"environments": {"a": {"identity": {"http": "/v"}}}}"#, Code::MissingField),
        (r#"{"environments": {"a": {"identity": {"json": "b"}}}}"#, Code::MissingField),
        (r#"{"environments": {"a": {"identity": {"http": "/v", "json": "$..b"}}}}"#, Code::PathNotSingular),
        (r#"{"environments": {"a": {"identity": {"http": "/v", "json": "a..b"}}}}"#, Code::PathMalformed),
        (r#"{"environments": {"a": {"identity": {"http": "/v", "regex": "v.*"}}}}"#, Code::PatternMalformed),
        (r#"{"environments": {"a": {"identity": {"http": "/v", "regex": "(v"}}}}"#, Code::PatternMalformed),
        (r#"{"limits": {"time": 30}}"#, Code::UnitMissing),
        (r#"{"limits": {"output": 30}}"#, Code::UnitMissing),
        (r#"{"limits": {"probes": 0}}"#, Code::ValueOutOfRange),
        (r#"{"commands": {"allow": [{"args": []}]}}"#, Code::MissingField),
        (r#"{"commands": {"allow": [{"program": "a", "args": ["[a"]}]}}"#, Code::PatternMalformed),
        (r#"{"services": [{"id": "a", "start": ["x"]}, {"id": "A", "start": ["x"]}]}"#, Code::IdDuplicate),
        (r#"{"services": [{"id": "a", "start": ["x"], "timeout": 5}]}"#, Code::UnitMissing),
        (r#"{"judges": {"a": {"by": "m"}}}"#, Code::MissingField),
        (r#"{"judges": {"a": {"run": ["j"]}}}"#, Code::MissingField),
        (r#"{"judges": {"a": {"run": [""], "by": "m"}}}"#, Code::MissingField),
        (r#"{"judges": {"a": {"run": ["j"], "by": " "}}}"#, Code::ValueOutOfRange),
        (r#"{"judges": {"a b": {"run": ["j"], "by": "m"}}}"#, Code::IdMalformed),
        (r#"{"judges": {"a": {"run": ["j"], "by": "m"}, "A": {"run": ["j"], "by": "m"}}}"#, Code::IdDuplicate),
        (r#"{"judges": {"a": {"run": ["sh", "-c", "j"], "by": "m"}}}"#, Code::CommandShell),
        (r#"{"judges": {"a": {"run": ["j"], "by": "m", "cwd": "../b"}}}"#, Code::CommandPathOutside),
        (r#"{"judges": {"a": {"run": ["j"], "by": "m", "pin": "12ab"}}}"#, Code::ValueOutOfRange),
        (r#"{"judges": {"a": {"run": ["j"], "by": "m", "controls": ["blak"]}}}"#, Code::ValueOutOfRange),
        (r#"{"judges": {"a": {"run": ["j"], "by": "m", "timeout": 5}}}"#, Code::UnitMissing),
        (r#"{"judges": {"a": {"run": ["j"], "by": "m", "env": {"K": {"x": "Y"}}}}}"#, Code::WrongType),
    ] {
        assert_eq!(codes_of(text), [code], "{text}");
    }
    assert!(codes_of("{}").is_empty());
}

#[test]
fn an_environment_in_a_plan_names_itself() {
    let mut diags = Diagnostics::about("a.probity.yaml");
    let written = node(r#"{"name": "mine", "kind": "ci", "url": "https://[::1]/base", "tls": {"insecure": true}}"#);
    let environment = environment(None, &written, &mut diags).unwrap();
    assert_eq!(environment.name.as_deref(), Some("mine"));
    assert_eq!(environment.declared, Declared::Plan);
    assert!(environment.insecure);
    assert_eq!(environment.origins[0].host, "[::1]");
    assert_eq!(environment.url.as_deref(), Some("https://[::1]/base"));
}

#[test]
fn judges_are_read_by_name() {
    let mut diags = Diagnostics::about("probity.yaml");
    let pin = "ab".repeat(32);
    let text = format!(
        r#"{{"judges": {{"look": {{"run": ["./look", "--fine"], "by": "vision-3", "timeout": "5s", "pin": "{pin}",
             "controls": ["shifted", "removed"], "env": {{"KEY": {{"env": "VISION_KEY"}}}}}}, "b": {{"run": ["b"], "by": "b"}}}}}}"#
    );
    let judges = profile(&node(&text), &mut diags).unwrap().judges;
    let (look, plain) = (&judges[0], &judges[1]);
    assert_eq!((look.name.as_str(), look.by.as_str(), look.timeout_ms), ("look", "vision-3", 5_000));
    assert_eq!((&look.controls[..], look.pin), (&[Mutation::Shifted, Mutation::Removed][..], Digest::parse(&pin)));
    assert_eq!(look.env, [("KEY".to_owned(), Field::Secret(SecretUse::Plain, "VISION_KEY".to_owned()))]);
    assert_eq!((&plain.controls[..], plain.timeout_ms, plain.pin), (&[Mutation::Blank][..], 60_000, None));
}
