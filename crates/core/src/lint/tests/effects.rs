//! The table, second half: what a plan uses, where it goes, what it starts and writes.

use super::builder::*;
use super::rules::{Change, passes, refuses};
use crate::codes::Code;
use crate::diagnostic::Severity;
use crate::environment::{AllowedCommand, Declared, Origin};
use crate::expect::{Channel, Op, What};
use crate::json::Json;
use crate::plan::{Body, BodyPart, ClientCertificate, KeySource, Mutation, PartContent, Proxy, WritePolicy};

fn proxy(url: &str) -> Box<Proxy> {
    Box::new(Proxy { origin: Origin::of(url).unwrap(), auth: None })
}

/// Its key is read elsewhere: the plan check does not ask for it.
fn client(cert: &str) -> Box<ClientCertificate> {
    Box::new(ClientCertificate { cert: cert.into(), key: KeySource::File("key.pem".into()) })
}

fn part(path: &str) -> BodyPart {
    let content = PartContent::File { path: path.into(), filename: "f".into() };
    BodyPart { name: "doc".into(), content, media: None }
}

#[test]
fn variables() {
    refuses(
        Code::ReferenceUnknown,
        &[
            ("in a path", |w| w.http(1).target = "/orders/{ordre}".into()),
            ("in a check", |w| w.step(0).checks.push(equals("x", var("never")))),
            ("before it is saved", |w| w.http(0).query.push(("q".into(), var("order")))),
            ("another case's", |w| w.http(1).query.push(("q".into(), var("B.order")))),
            ("under of", |w| w.step(2).obligations[0].of = vec!["never".into()]),
            ("in vars", |w| w.plan.vars.push(("a".into(), var("never")))),
        ],
    );
    passes(
        Code::ReferenceUnknown,
        &[
            ("constant", |w| {
                w.plan.vars.push(("sku".into(), "MUG-1".into()));
                w.http(1).query.push(("q".into(), var("sku")));
            }),
            ("an earlier case's", |w| {
                let mut second = w.plan.scenarios[0].clone();
                second.id = id("B");
                second.steps.truncate(1);
                second.steps[0].checks.push(equals("x", var("A.shown")));
                w.plan.scenarios.push(second);
            }),
            ("literal braces", |w| w.http(1).target = "/orders/{order}/{{x}}".into()),
        ],
    );
    refuses(
        Code::VarReserved,
        &[
            ("vars", |w| w.plan.vars.push(("qa_run_id".into(), "x".into()))),
            ("save", |w| w.step(0).saves.push(save("qa_marker", "note"))),
        ],
    );
    passes(Code::VarReserved, &[("another", |w| w.plan.vars.push(("qa_other".into(), "x".into())))]);
}

#[test]
fn targets() {
    refuses(
        Code::TargetOutsideEnvironment,
        &[
            ("another port", |w| w.http(1).target = "http://127.0.0.1:9/{order}".into()),
            ("proxy", |w| w.http(1).proxy = Some(proxy("http://127.0.0.1:3128"))),
            ("another scheme", |w| w.http(1).target = "https://127.0.0.1:8123/".into()),
            ("no url to stand on", |w| w.environment.url = None),
            ("base url", |w| w.plan.base_url = Some("http://other.test".into())),
        ],
    );
    passes(
        Code::TargetOutsideEnvironment,
        &[
            ("inside", |w| w.http(1).target = "http://127.0.0.1:8123/orders/{order}".into()),
            ("proxy", |w| w.http(1).proxy = Some(proxy("http://127.0.0.1:8123"))),
            ("base url", |w| {
                w.environment.url = None;
                w.plan.base_url = Some("http://127.0.0.1:8123/".into());
            }),
        ],
    );
    refuses(
        Code::TemplateBreakout,
        &[
            ("host", |w| w.http(1).target = "http://{order}/".into()),
            ("whole", |w| w.http(1).target = "{order}".into()),
            ("method", |w| w.http(1).method = "{order}".into()),
            ("header name", |w| w.http(1).headers.push(("x-{order}".into(), "a".into()))),
            ("program", |w| w.command(2).argv = vec![var("order")]),
            ("part of an argument", |w| w.command(2).argv.push(Json::map([("$template", "--id={order}")]))),
            ("a second argument of two values", |w| {
                w.command(2).argv.push(Json::map([("$template", "{order}{shown}")]));
            }),
            ("a number for an argument", |w| w.command(2).argv.push(7.into())),
            ("a list for an argument", |w| w.command(2).argv.push(Json::list(["a"]))),
            ("a map for an argument", |w| w.command(2).argv.push(Json::map([("id", var("order"))]))),
            ("a template for the program", |w| w.command(2).argv[0] = Json::map([("$template", "py{order}")])),
            ("a template in a shell", |w| {
                w.plan.grants.shell = true;
                w.command(2).shell = true;
                w.command(2).argv = vec!["cat".into(), Json::map([("$template", "<{order}>")])];
            }),
            ("folder", |w| w.command(2).cwd = Some("{order}".into())),
            ("shell", |w| {
                w.plan.grants.shell = true;
                w.command(2).shell = true;
                w.command(2).argv.push(var("order"));
            }),
        ],
    );
    passes(
        Code::TemplateBreakout,
        &[
            ("a whole argument", |w| w.command(2).argv.push(var("order"))),
            ("braces in a text", |w| w.argv(2, &["python3", "tools/read.py", "{order}"])),
            ("a template for stdin", |w| w.command(2).stdin = Some(Json::map([("$template", "<{order}>")]))),
        ],
    );
    refuses(
        Code::UrlMalformed,
        &[
            ("credentials", |w| w.http(1).target = "http://u:p@127.0.0.1:8123/".into()),
            ("fragment", |w| w.http(1).target = "/orders#x".into()),
            ("another host", |w| w.http(1).target = "//evil.test/".into()),
            ("file", |w| w.http(1).target = "file:///etc/passwd".into()),
            ("query in base url", |w| w.plan.base_url = Some("http://127.0.0.1:8123/?a".into())),
        ],
    );
    refuses(
        Code::HeaderForbidden,
        &[
            ("host", |w| w.http(1).headers.push(("Host".into(), "x".into()))),
            ("forwarded", |w| w.http(1).headers.push(("X-Forwarded-For".into(), "x".into()))),
            ("framing", |w| w.http(1).headers.push(("Transfer-Encoding".into(), "x".into()))),
            ("pseudo", |w| w.http(1).headers.push((":authority".into(), "x".into()))),
            ("line break", |w| w.http(1).headers.push(("x-a".into(), "a\r\nb: c".into()))),
            ("no name", |w| w.http(1).headers.push(("a b".into(), "x".into()))),
        ],
    );
    passes(Code::HeaderForbidden, &[("accept", |w| w.http(1).headers.push(("Accept".into(), "a/b".into())))]);
    refuses(Code::EnvironmentUnknown, &[("not declared", |w| w.known = false)]);
}

#[test]
fn files_and_commands() {
    refuses(
        Code::FileMissing,
        &[
            ("body", |w| w.http(0).body = Some(Body::File("gone.bin".into()))),
            ("ca", |w| w.http(1).ca = Some("gone.pem".into())),
            ("cert", |w| w.http(1).client = Some(client("gone.pem"))),
            ("part", |w| w.http(0).body = Some(Body::Multipart(vec![part("gone.png")]))),
            ("schema", |w| w.step(1).checks.push(check_of(What::Schema(Channel::Body, "gone.json".into())))),
            ("schema operator", |w| w.step(1).checks.push(json("a", Op::Schema("gone.json".into())))),
            ("script", |w| w.argv(2, &["python3", "tools/gone.py"])),
        ],
    );
    passes(
        Code::FileMissing,
        &[("there", |w| {
            w.http(1).ca = Some("ca.pem".into());
            w.http(1).client = Some(client("ca.pem"));
            w.http(0).body = Some(Body::Multipart(vec![part("body.bin")]));
            w.step(1).checks.push(check_of(What::Schema(Channel::Body, "schema.json".into())));
        })],
    );
    refuses(
        Code::CommandPathOutside,
        &[
            ("folder", |w| w.command(2).cwd = Some("/tmp".into())),
            ("no folder", |w| w.command(2).cwd = Some("gone".into())),
            ("script", |w| w.argv(2, &["python3", "../x.py"])),
            ("body", |w| w.http(0).body = Some(Body::File("../x".into()))),
        ],
    );
    passes(Code::CommandPathOutside, &[("inside", |w| w.command(2).cwd = Some("tools".into()))]);
    refuses(
        Code::CommandNotAllowed,
        &[
            ("unknown", |w| w.argv(2, &["mytool", "get"])),
            ("a fixer", |w| w.argv(2, &["ruff", "check", "--fix"])),
            ("secrets", |w| w.argv(2, &["cat", ".env"])),
            ("inline code", |w| w.argv(2, &["python3", "-c", "print(1)"])),
            ("another loader", |w| w.command(2).env.push(("LD_PRELOAD".into(), "x".into()))),
        ],
    );
    passes(
        Code::CommandNotAllowed,
        &[
            ("listed by the project", |w| {
                w.argv(2, &["mytool", "get"]);
                let args = vec!["get".into()];
                w.commands.push(AllowedCommand { program: "mytool".into(), args, reads: true });
            }),
            ("shipped", |w| w.argv(2, &["git", "diff", "--check"])),
        ],
    );
    refuses(
        Code::CommandShell,
        &[("asked for", |w| w.command(2).shell = true), ("by hand", |w| w.argv(2, &["sh", "-c", "id"]))],
    );
    passes(
        Code::CommandShell,
        &[("granted", |w| {
            w.plan.grants.shell = true;
            w.command(2).shell = true;
        })],
    );
}

fn policy(world: &mut World, policy: WritePolicy, prefix: Option<&str>) {
    world.plan.mutation = Some(Mutation { policy, prefix: prefix.map(str::to_owned) });
}

#[test]
fn writes() {
    refuses(
        Code::WriteUndeclared,
        &[
            ("production", |w| w.environment.kind = Some("production".into())),
            ("read-only with a POST", |w| policy(w, WritePolicy::ReadOnly, None)),
            ("read-only with a script", |w| {
                policy(w, WritePolicy::ReadOnly, None);
                w.plan.scenarios[0].steps.retain(|step| step.id == id("A.3"));
            }),
            ("scoped without a prefix", |w| policy(w, WritePolicy::ScopedWrite, None)),
            ("scoped, prefix nowhere", |w| policy(w, WritePolicy::ScopedWrite, Some("PROBE"))),
            ("scoped, id from a refused write", |w| {
                policy(w, WritePolicy::ScopedWrite, Some("PROBE"));
                w.plan.scenarios[0].steps.retain(|step| step.id != id("A.3"));
            }),
            ("prefix in a header only", |w| {
                policy(w, WritePolicy::ScopedWrite, Some("PROBE"));
                w.http(0).headers.push(("x-a".into(), "PROBE".into()));
            }),
        ],
    );
    passes(
        Code::WriteUndeclared,
        &[
            ("unrestricted", |w| policy(w, WritePolicy::Unrestricted, None)),
            ("production, declared", |w| {
                w.environment.kind = Some("production".into());
                policy(w, WritePolicy::Unrestricted, None);
            }),
            ("scoped", |w| {
                policy(w, WritePolicy::ScopedWrite, Some("MUG"));
            }),
            ("scoped by a constant", |w| {
                policy(w, WritePolicy::ScopedWrite, Some("PROBE"));
                w.plan.vars.push(("name".into(), "PROBE-1".into()));
                w.body(0, Json::map([("name", var("name")), ("note", var("qa_marker"))]));
            }),
            ("read-only, reads", |w| {
                policy(w, WritePolicy::ReadOnly, None);
                w.plan.scenarios[0].steps.retain(|step| step.id == id("A.2") || step.id == id("A.3"));
                let args = vec!["tools/*.py".into()];
                w.commands.push(AllowedCommand { program: "python3".into(), args, reads: true });
            }),
            ("read-only, an allowed signature", |w| {
                policy(w, WritePolicy::ReadOnly, None);
                w.plan.scenarios[0].steps.truncate(1);
                w.http(0).body = None;
                let entry = Json::map([("method", "POST"), ("url", "^/orders$")]);
                w.mutation_rules = Some(Json::map([("allow_signatures", Json::list([entry]))]));
            }),
        ],
    );
    refuses(
        Code::WriteUndeclared,
        &[("a GET that a signature marks", |w| {
            policy(w, WritePolicy::ReadOnly, None);
            w.plan.scenarios[0].steps.retain(|step| step.id == id("A.5"));
            let entry = Json::map([("method", "*"), ("url", "/orders/")]);
            w.mutation_rules = Some(Json::map([("write_signatures", Json::list([entry]))]));
        })],
    );
    let uncleaned: Change = |w| w.plan.scenarios[0].steps.truncate(3);
    refuses(Code::WriteWithoutCleanup, &[("no cleanup", uncleaned)]);
    passes(
        Code::WriteWithoutCleanup,
        &[
            ("disposable", |w| {
                w.plan.scenarios[0].steps.truncate(3);
                w.environment.data = Some("disposable".into());
            }),
            ("reads", |w| {
                w.plan.scenarios[0].steps.truncate(3);
                w.http(0).method = "GET".into();
            }),
        ],
    );
    let mut world = World::sound();
    uncleaned(&mut world);
    assert_eq!(world.severity(Code::WriteWithoutCleanup), Some(Severity::Error));
    world.environment.declared = Declared::Nobody;
    assert_eq!(world.severity(Code::WriteWithoutCleanup), Some(Severity::Warning));
}

/// With a constant that nobody would take for a secret by its name.
fn through(world: &mut World, change: impl FnOnce(&mut World)) {
    world.plan.vars.push(("word".into(), "correcthorse".into()));
    change(world);
}

#[test]
fn texts() {
    refuses(
        Code::SecretLiteral,
        &[
            ("in a document", |w| w.texts.push(("b.yaml", "a: 1\npassword: hunter2hunter2\n"))),
            ("in a body", |w| w.body(0, Json::map([("password", "correcthorse")]))),
            ("in env", |w| w.command(2).env.push(("API_KEY".into(), "correcthorse".into()))),
            ("in vars", |w| w.plan.vars.push(("token".into(), "correcthorse".into()))),
            ("through vars, in a header", |w| {
                through(w, |w| w.http(1).headers.push(("Authorization".into(), var("word"))));
            }),
            ("through vars, in a text", |w| {
                let bearer = Json::map([("$template", "Bearer {word}")]);
                through(w, |w| w.http(1).headers.push(("X-Api-Key".into(), bearer)));
            }),
            ("through vars of vars, in env", |w| {
                w.plan.vars.push(("again".into(), var("word")));
                through(w, |w| w.command(2).env.push(("API_KEY".into(), var("again"))));
            }),
        ],
    );
    // A body takes no reference to the environment, so it is told and not refused.
    let mut world = World::sound();
    through(&mut world, |w| w.body(0, Json::map([("password", var("word")), ("note", var("qa_marker"))])));
    assert_eq!(world.severity(Code::SecretLiteral), Some(Severity::Warning));
    assert!(!world.findings().iter().any(|finding| finding.message.contains("correcthorse")));
    passes(
        Code::SecretLiteral,
        &[
            ("a reference", |w| w.body(0, Json::map([("password", env("PASSWORD")), ("note", var("qa_marker"))]))),
            ("short", |w| w.body(0, Json::map([("password", "x")]))),
            ("a constant under a plain name", |w| {
                through(w, |w| w.http(1).headers.push(("X-Note".into(), var("word"))));
            }),
            ("saved, not constant", |w| w.http(1).headers.push(("X-Api-Key".into(), var("order")))),
            ("a short constant", |w| {
                w.plan.vars.push(("pin".into(), "1234".into()));
                w.http(1).headers.push(("X-Api-Key".into(), var("pin")));
            }),
            ("a word", |w| w.texts.push(("b.yaml", "save: {token: access_token}"))),
        ],
    );
    let mut world = World::sound();
    world.texts.push(("b.yaml", "a: 1\n  password: hunter2hunter2\n"));
    let finding = world.findings().remove(0);
    assert_eq!((finding.file.as_str(), finding.place.unwrap().line, finding.place.unwrap().column), ("b.yaml", 2, 13));
    assert!(!finding.message.contains("hunter2"));
    refuses(
        Code::AuthLiteral,
        &[
            ("authorization", |w| w.http(1).headers.push(("Authorization".into(), "Basic YTpi".into()))),
            ("a template without a value", |w| {
                w.http(1).headers.push(("Cookie".into(), Json::map([("$template", "a=b")])));
            }),
        ],
    );
    passes(
        Code::AuthLiteral,
        &[
            ("env", |w| w.http(1).headers.push(("Authorization".into(), env("TOKEN")))),
            ("saved", |w| {
                let value = Json::map([("$template", "Bearer {order}")]);
                w.http(1).headers.push(("Authorization".into(), value));
            }),
            ("no credential", |w| w.http(1).headers.push(("Accept".into(), "x".into()))),
        ],
    );
    refuses(
        Code::EnvReferenceMisplaced,
        &[
            ("query", |w| w.http(1).query.push(("q".into(), env("Q")))),
            ("body", |w| w.body(0, Json::map([("sku", env("SKU"))]))),
            ("argument", |w| w.command(2).argv.push(env("A"))),
            ("vars", |w| w.plan.vars.push(("a".into(), env("A")))),
            ("query under a secret's name", |w| w.http(1).query.push(("api_key".into(), env("A")))),
            ("form", |w| w.http(1).body = Some(Body::Form(vec![("user".into(), env("A"))]))),
            ("text", |w| w.http(1).body = Some(Body::Text(env("A")))),
        ],
    );
    passes(
        Code::EnvReferenceMisplaced,
        &[
            ("env", |w| w.command(2).env.push(("A".into(), env("A")))),
            ("header", |w| w.http(1).headers.push(("x-a".into(), env("A")))),
            ("body", |w| w.body(0, Json::map([("login", Json::map([("password", env("A"))]))]))),
            ("form", |w| w.http(1).body = Some(Body::Form(vec![("password".into(), env("A"))]))),
            ("standard input", |w| w.command(2).stdin = Some(Json::map([("api_key", env("A"))]))),
        ],
    );
    refuses(
        Code::PlaceholderLeft,
        &[
            ("criterion", |w| w.text("TODO")),
            ("expected", |w| w.matrix.tests[0].expected = "The <total>".into()),
            ("proves", |w| w.step(0).proves = "TBD".into()),
        ],
    );
    passes(
        Code::PlaceholderLeft,
        &[
            ("body", |w| w.body(0, Json::map([("note", var("qa_marker")), ("x", "TODO".into())]))),
            ("path", |w| w.http(1).target = "/orders/{order}/TODO".into()),
            ("lower case", |w| w.text("The todo list answers with its total.")),
        ],
    );
}

#[test]
fn logs() {
    use crate::plan::ObligationKind::{Absence, Marker, Persistence, Terminal};
    let look = |service: &str, text: &str, wanted: bool| {
        log("A.9", service, vec![check_of(What::Contains(Channel::Log, vec![text.into()], wanted))])
    };
    let with = |change: &dyn Fn(&mut World)| {
        let mut world = World::sound();
        change(&mut world);
        world.codes()
    };
    let add = |world: &mut World, step| world.plan.scenarios[0].steps.push(step);
    assert!(with(&|w| add(w, look("shop", "stored", true))).is_empty());
    assert_eq!(with(&|w| add(w, look("shpo", "stored", true))), [Code::ServiceUnknown]);
    for kind in [Marker, Terminal, Persistence] {
        let codes = with(&|w| {
            let mut step = look("shop", "stored", true);
            step.obligations = vec![shows(kind)];
            add(w, step);
        });
        assert!(codes.contains(&Code::ObligationMisplaced), "{kind:?}: {codes:?}");
    }
    let absent = with(&|w| {
        let mut step = look("shop", "ERROR", false);
        step.obligations = vec![shows(Absence)];
        add(w, step);
    });
    assert!(absent.is_empty(), "{absent:?}");
    // It shows no layer: a criterion that only a log speaks of has its need unmet.
    let alone = with(&|w| {
        let only = w.plan.scenarios[0].steps[1].clone();
        let mut step = look("shop", "stored", true);
        (step.test_ids, step.requirement_ids, step.proves) = (only.test_ids, only.requirement_ids, only.proves);
        w.plan.scenarios[0].steps = vec![step];
    });
    assert!(alone.contains(&Code::NeedsUnmet), "{alone:?}");
    let vacuous = with(&|w| {
        let only = w.plan.scenarios[0].steps[1].clone();
        let mut step = look("shop", "", true);
        (step.test_ids, step.requirement_ids, step.proves) = (only.test_ids, only.requirement_ids, only.proves);
        add(w, step);
    });
    assert!(vacuous.contains(&Code::OracleVacuous), "{vacuous:?}");
}
