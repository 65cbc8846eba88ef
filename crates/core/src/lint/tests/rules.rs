//! The table: a code, what is changed, and whether it is refused.

use super::builder::*;
use crate::codes::Code;
use crate::diagnostic::Severity;
use crate::environment::{AllowedCommand, Declared};
use crate::expect::{Channel, Comparison, Expect, JsonType, Op, What};
use crate::json::Json;
use crate::plan::{Body, HttpVersion, Mutation, NotClaimed, ObligationKind, Poll, WritePolicy};

type Change = fn(&mut World);

/// Each change is found under the code.
fn refuses(code: Code, changes: &[(&str, Change)]) {
    for (name, change) in changes {
        let mut world = World::sound();
        change(&mut world);
        let codes = world.codes();
        assert!(codes.contains(&code), "{code} misses: {name}; found {codes:?}");
    }
}

/// Each change is not found under the code.
fn passes(code: Code, changes: &[(&str, Change)]) {
    for (name, change) in changes {
        let mut world = World::sound();
        change(&mut world);
        let found: Vec<_> = world.findings().into_iter().filter(|f| f.code == code).map(|f| f.message).collect();
        assert!(found.is_empty(), "{code} on: {name}; {found:?}");
    }
}

#[test]
fn structure() {
    refuses(
        Code::EmptyPlan,
        &[
            ("no case", |w| w.plan.scenarios.clear()),
            ("no step", |w| w.plan.scenarios[0].steps.clear()),
            ("no criterion", |w| w.matrix.criteria.clear()),
            ("no test", |w| w.matrix.tests.clear()),
        ],
    );
    refuses(
        Code::RequirementUnmapped,
        &[
            ("blank text", |w| w.text("  ")),
            ("unknown test", |w| w.matrix.criteria[0].test_ids.push(id("gone"))),
            ("seed form, no test", |w| {
                w.written = false;
                w.matrix.criteria.push(criterion("R-3", "api", "More."));
                w.matrix.criteria[2].test_ids.clear();
            }),
        ],
    );
    refuses(
        Code::CriterionUncovered,
        &[
            ("no test", |w| {
                w.matrix.criteria.push(criterion("R-3", "api", "More."));
                w.matrix.criteria[2].test_ids.clear();
            }),
            ("no step", |w| {
                w.matrix.criteria.push(criterion("R-3", "api", "More."));
                w.matrix.tests.push(test_of("R-3", "api"));
            }),
        ],
    );
    passes(
        Code::CriterionUncovered,
        &[("said to be blocked", |w| {
            w.matrix.criteria.push(criterion("R-3", "api", "More."));
            w.matrix.criteria[2].planned_status = "Blocked".into();
            w.matrix.tests.push(test_of("R-3", "api"));
        })],
    );
    refuses(
        Code::TestUnmapped,
        &[
            ("names no criterion", |w| {
                w.matrix.tests.push(test_of("R-9", "api"));
                w.matrix.tests[2].requirement_ids.clear();
            }),
            ("names an unknown one", |w| w.matrix.tests[0].requirement_ids.push(id("gone"))),
        ],
    );
    refuses(Code::TestNoExpected, &[("blank", |w| w.matrix.tests[0].expected = " ".into())]);
    refuses(
        Code::TestNotExecutable,
        &[("a second test", |w| {
            w.matrix.tests.push(test_of("R-1", "error"));
        })],
    );
    passes(
        Code::TestNotExecutable,
        &[("said to be blocked", |w| {
            w.matrix.tests.push(test_of("R-1", "error"));
            w.matrix.tests[2].planned_status = "Blocked".into();
        })],
    );
    refuses(
        Code::StepReferenceUnknown,
        &[
            ("test", |w| w.step(0).test_ids.push(id("gone"))),
            ("criterion", |w| w.step(0).requirement_ids.push(id("gone"))),
        ],
    );
    refuses(
        Code::EvidenceStepIncomplete,
        &[
            ("proves nothing", |w| w.step(0).proves = " ".into()),
            ("no criterion", |w| w.step(0).requirement_ids.clear()),
            ("no test", |w| w.step(0).test_ids.clear()),
        ],
    );
    passes(
        Code::EvidenceStepIncomplete,
        &[("set-up", |w| {
            w.step(1).test_ids.clear();
            w.step(1).requirement_ids.clear();
            w.step(1).proves.clear();
        })],
    );
}

#[test]
fn ids_and_uses() {
    refuses(
        Code::IdConfusable,
        &[
            ("steps", |w| w.step(1).id = id("a.1")),
            ("criteria", |w| w.matrix.criteria.push(criterion("r-1", "api", "Again."))),
            ("cases", |w| {
                let mut second = w.plan.scenarios[0].clone();
                second.id = id("a");
                w.plan.scenarios.push(second);
            }),
        ],
    );
    passes(Code::IdConfusable, &[("near", |w| w.step(1).id = id("A.22"))]);
    refuses(
        Code::UsesUnknown,
        &[
            ("unknown", |w| w.plan.scenarios[0].uses.push(id("gone"))),
            ("itself", |w| w.plan.scenarios[0].uses.push(id("A"))),
            ("later", |w| {
                let mut second = w.plan.scenarios[0].clone();
                second.id = id("B");
                w.plan.scenarios.push(second);
                w.plan.scenarios[0].uses.push(id("B"));
            }),
        ],
    );
    passes(
        Code::UsesUnknown,
        &[("earlier", |w| {
            let mut second = w.plan.scenarios[0].clone();
            second.id = id("B");
            second.uses.push(id("A"));
            w.plan.scenarios.push(second);
        })],
    );
}

#[test]
fn layers() {
    refuses(Code::NeedsUnknown, &[("misspelt", |w| w.matrix.criteria[0].needs = vec!["apii".into()])]);
    refuses(
        Code::NeedsUnmet,
        &[
            ("no probe yet", |w| {
                w.matrix.criteria[0].needs = vec!["ui".into()];
                w.matrix.tests[0].kind = "ui".into();
            }),
            ("two layers, one shown", |w| w.matrix.criteria[0].needs.push("command".into())),
            ("persistence without its obligation", |w| w.step(2).obligations.clear()),
            ("api by a command", |w| {
                let step = map(run("A.9", &["cat", "x"]), "R-3", "api");
                w.matrix.criteria.push(criterion("R-3", "api", "More."));
                w.matrix.tests.push(test_of("R-3", "api"));
                w.plan.scenarios[0].steps.insert(0, step);
                w.step(0).checks = vec![check_of(What::Contains(Channel::Stdout, vec!["y".into()], true))];
            }),
            ("api in cleanup alone", |w| {
                w.step(0).evidence_type = "cleanup".into();
                w.step(1).evidence_type = "cleanup".into();
            }),
            ("seed form by the type of the test", |w| {
                w.written = false;
                w.matrix.criteria[1].needs.clear();
                w.step(2).obligations.clear();
            }),
            ("a step that is not mapped", |w| {
                w.matrix.criteria[0].needs = vec!["command".into()];
                w.matrix.tests[0].kind = "command".into();
            }),
        ],
    );
    passes(
        Code::NeedsUnmet,
        &[
            ("about status", |w| {
                w.matrix.criteria[0].about_status = true;
                w.step(0).checks = vec![status(&[201])];
                w.step(1).test_ids.clear();
            }),
            ("command", |w| {
                w.matrix.criteria.push(criterion("R-3", "command", "More."));
                w.matrix.tests.push(test_of("R-3", "command"));
                let mut step = map(run("A.9", &["cat", "x"]), "R-3", "command");
                step.checks = vec![check_of(What::Contains(Channel::Stdout, vec!["y".into()], true))];
                w.plan.scenarios[0].steps.insert(0, step);
            }),
        ],
    );
}

#[test]
fn checks() {
    refuses(Code::StepAssertsNothing, &[("mapped", |w| w.step(0).checks.clear())]);
    passes(
        Code::StepAssertsNothing,
        &[
            ("set-up", |w| {
                w.step(0).checks.clear();
                w.step(0).test_ids.clear();
                w.step(0).requirement_ids.clear();
            }),
            ("an obligation", |w| w.step(1).checks.clear()),
        ],
    );
    let alone: Change = |w| {
        w.step(0).checks = vec![status(&[201])];
        w.step(1).test_ids.clear();
        w.step(1).requirement_ids.clear();
    };
    refuses(
        Code::StatusOnly,
        &[
            ("status", alone),
            ("time beside it", |w| {
                w.step(0).checks = vec![status(&[201]), check_of(What::Time(100))];
                w.step(1).test_ids.clear();
            }),
            ("the request", |w| {
                w.step(0).checks =
                    vec![status(&[201]), check_of(What::Contains(Channel::Request, vec!["a".into()], true))];
                w.step(1).test_ids.clear();
            }),
            ("absence that is not declared", |w| {
                w.step(0).checks =
                    vec![status(&[200]), check_of(What::Contains(Channel::Body, vec!["a".into()], false))];
                w.step(1).test_ids.clear();
            }),
            ("exit", |w| w.step(2).checks = vec![check_of(What::Exit(vec![0]))]),
        ],
    );
    passes(
        Code::StatusOnly,
        &[
            ("about status", |w| {
                w.step(0).checks = vec![status(&[201])];
                w.step(1).test_ids.clear();
                w.matrix.criteria[0].about_status = true;
            }),
            ("another step of the test looks", |w| w.step(0).checks = vec![status(&[201])]),
            ("a declared absence", |w| {
                w.step(0).checks =
                    vec![status(&[200]), check_of(What::Contains(Channel::Body, vec!["a".into()], false))];
                w.step(0).obligations = vec![shows(ObligationKind::Absence)];
                w.step(1).test_ids.clear();
            }),
        ],
    );
    let mut world = World::sound();
    world.step(3).checks.clear();
    assert_eq!(world.severity(Code::CleanupIncompletePlan), Some(Severity::Warning));
    let mut world = World::sound();
    world.step(3).always_run = false;
    assert_eq!(world.severity(Code::CleanupUnusual), Some(Severity::Warning));
    refuses(Code::CleanupUnusual, &[("reads", |w| w.http(3).method = "GET".into())]);
}

fn with(world: &mut World, op: Op) {
    world.step(0).checks.push(json("x", op));
}

#[test]
fn vacuity() {
    let text = |t: &str| Json::from(t);
    let vacuous = [
        Op::Matches(".*".into()),
        Op::Matches("".into()),
        Op::Matches("x?".into()),
        Op::Matches(".".into()),
        Op::Matches("(?s)^.+$".into()),
        Op::Contains(text(""), true),
        Op::StartsWith(text("")),
        Op::EndsWith(text("")),
        Op::OneOf(vec![true.into(), false.into()]),
        Op::AnyOf(vec![Expect(vec![Op::Equals(number(1))]), Expect(vec![Op::Matches(".*".into())])]),
        Op::AnyOf(
            [JsonType::Object, JsonType::Array, JsonType::String, JsonType::Number, JsonType::Boolean, JsonType::Null]
                .map(|t| Expect(vec![Op::Type(t)]))
                .to_vec(),
        ),
        Op::Length(vec![Op::Compare(Comparison::Gte, number(0))]),
        Op::Count(vec![Op::Compare(Comparison::Gt, number(-1))]),
        Op::Not(Box::new(Expect(vec![Op::OneOf(Vec::new())]))),
        Op::Not(Box::new(Expect(vec![Op::Missing, Op::Exists]))),
        Op::Not(Box::new(Expect(vec![Op::Equals(text("a")), Op::Equals(text("b"))]))),
        Op::Not(Box::new(Expect(vec![Op::Compare(Comparison::Gt, number(5)), Op::Compare(Comparison::Lt, number(3))]))),
    ];
    for op in vacuous {
        let mut world = World::sound();
        with(&mut world, op.clone());
        assert_eq!(world.codes(), [Code::OracleVacuous], "{op:?}");
    }
    let telling = [
        Op::Matches("^[0-9]+$".into()),
        Op::Matches("[a-z]".into()),
        Op::Contains(text("a"), true),
        Op::OneOf(vec![number(1), number(2)]),
        Op::Exists,
        Op::Missing,
        Op::NotNull,
        Op::Type(JsonType::Object),
        Op::Compare(Comparison::Gte, number(0)),
        Op::Length(vec![Op::Compare(Comparison::Gte, number(1))]),
        Op::Not(Box::new(Expect(vec![Op::Equals(text("a"))]))),
        Op::Not(Box::new(Expect(vec![Op::Compare(Comparison::Gt, number(3)), Op::Compare(Comparison::Lt, number(5))]))),
        Op::AnyOf(vec![Expect(vec![Op::Equals(number(1))]), Expect(vec![Op::Equals(number(2))])]),
        Op::Any(Box::new(Expect(vec![Op::Equals(number(1))]))),
    ];
    for op in telling {
        let mut world = World::sound();
        with(&mut world, op.clone());
        assert_eq!(world.codes(), [], "{op:?}");
    }
    refuses(
        Code::OracleVacuous,
        &[
            ("every status", |w| w.step(0).checks[0] = status(&[200, 404, 500])),
            ("every exit", |w| w.step(2).checks[0] = check_of(What::Exit(vec![0, 1, 2]))),
            ("exists on the whole", |w| w.step(0).checks.push(json("$", Op::Exists))),
            ("a count of at least nothing", |w| {
                w.step(0).checks.push(json("item_count", Op::Compare(Comparison::Gte, number(0))));
            }),
            ("a soft alternative", |w| {
                let branch = |op| vec![(path("x"), Expect(vec![op]))];
                let branches = vec![branch(Op::Equals(number(1))), branch(Op::Matches(".*".into()))];
                w.step(0).checks.push(check_of(What::JsonAny(Channel::Body, branches)));
            }),
            ("time above the timeout", |w| w.step(0).checks.push(check_of(What::Time(30_001)))),
            ("any size", |w| {
                w.step(0).checks.push(check_of(What::Size(vec![Op::Compare(Comparison::Gte, number(0))])));
            }),
            ("the empty text", |w| {
                w.step(0).checks.push(check_of(What::Contains(Channel::Body, vec!["".into()], true)));
            }),
            ("any text", |w| {
                w.step(0).checks.push(check_of(What::Text(Channel::Body, Expect(vec![Op::Matches(".*".into())]))));
            }),
            ("any header", |w| {
                w.step(0)
                    .checks
                    .push(check_of(What::Header("etag".into(), Expect(vec![Op::Contains("".into(), true)]))));
            }),
        ],
    );
    passes(
        Code::OracleVacuous,
        &[
            ("cleanup", |w| w.step(3).checks[0] = status(&[200, 204, 404, 500])),
            ("polled longer than one try", |w| {
                w.http(1).poll = Some(Poll { every_ms: 100, for_ms: 60_000, tries: 9 });
                w.step(1).checks.push(check_of(What::Time(40_000)));
            }),
            ("success or absence", |w| w.step(1).checks[0] = status(&[200, 404])),
        ],
    );
}

#[test]
fn provenance_of_operands() {
    refuses(
        Code::ExpectationSelfDerived,
        &[
            ("the same answer", |w| w.step(0).checks.push(equals("id", var("order")))),
            ("in a template", |w| {
                let value = Json::map([("$template", "#{order}")]);
                w.step(0).checks.push(equals("id", value));
            }),
            ("an equal request", |w| {
                let mut again = w.step(1).clone();
                w.step(1).saves = vec![save("state", "state")];
                again.id = id("A.9");
                again.checks.push(equals("state", var("state")));
                w.plan.scenarios[0].steps.insert(2, again);
            }),
            ("under shows", |w| {
                let mut terminal = shows(ObligationKind::Terminal);
                terminal.path = Some(path("state"));
                terminal.values = vec![var("order")];
                w.step(0).obligations = vec![terminal];
            }),
        ],
    );
    passes(
        Code::ExpectationSelfDerived,
        &[
            ("an equal request after a write", |w| {
                let mut again = w.step(1).clone();
                w.step(1).saves = vec![save("state", "state")];
                again.id = id("A.9");
                again.checks.push(equals("state", var("state")));
                let mut write = http("A.8", "POST", "/other");
                write.checks = vec![status(&[201])];
                w.plan.scenarios[0].steps.insert(2, write);
                w.plan.scenarios[0].steps.insert(3, again);
            }),
            ("another request", |w| w.step(1).checks.push(equals("total", var("shown")))),
        ],
    );
    refuses(Code::ExpectationFromEnvironment, &[("a check", |w| w.step(0).checks.push(equals("x", env("E"))))]);
    refuses(
        Code::ExpectationEcho,
        &[("only an id", |w| {
            w.step(1).checks = vec![status(&[200]), equals("id", var("order"))];
            w.step(1).obligations.clear();
        })],
    );
    passes(Code::ExpectationEcho, &[("beside another check", |w| w.step(1).checks.push(equals("id", var("order"))))]);
}

#[test]
fn provenance_by_variable() {
    use super::super::{Provenance, provenance};
    let mut world = World::sound();
    world.step(0).idempotent = false;
    let case = &world.plan.scenarios[0];
    let [post, get, read, ..] = case.steps.as_slice() else { panic!("five steps") };
    let earlier = |step: &str| Provenance::Earlier { step: id(step) };
    assert_eq!(provenance(get, case, "qa_marker"), Provenance::Engine);
    assert_eq!(provenance(post, case, "qa_marker"), Provenance::Echo);
    assert_eq!(provenance(get, case, "order"), Provenance::Echo);
    assert_eq!(provenance(read, case, "shown"), earlier("A.1"));
    assert_eq!(provenance(post, case, "shown"), Provenance::SelfDerived { step: id("A.1") });
    assert_eq!(provenance(read, case, "constant"), Provenance::Literal);
    assert_eq!(provenance(read, case, "B.total"), earlier("B"));
}

#[test]
fn obligations() {
    refuses(
        Code::ObligationUnanswered,
        &[
            ("persists", |w| w.text("The order persists.")),
            ("completed", |w| w.text("The order is completed.")),
            ("must not", |w| w.text("A guest must not see it.")),
            ("zh", |w| w.text("用户不得看到订单。")),
            ("without a reason", |w| {
                w.text("The order persists.");
                let kind = ObligationKind::Persistence;
                w.plan.scenarios[0].not_claimed.push(NotClaimed { criterion: id("R-1"), kind, why: " ".into() });
            }),
        ],
    );
    passes(
        Code::ObligationUnanswered,
        &[
            ("declared", |w| w.text("The unique marker comes back.")),
            ("answered", |w| {
                w.text("The order persists.");
                let kind = ObligationKind::Persistence;
                w.plan.scenarios[0].not_claimed.push(NotClaimed { criterion: id("R-1"), kind, why: "R-2 does".into() });
            }),
        ],
    );
    refuses(
        Code::ObligationMisplaced,
        &[
            ("terminal without a path", |w| w.step(1).obligations.push(shows(ObligationKind::Terminal))),
            ("persistence without an object", |w| w.command(2).stdin = None),
            ("persistence by the call that made it", |w| {
                w.http(0).query.push(("again".into(), var("earlier")));
                let mut first = w.step(0).clone();
                first.id = id("A.0");
                first.saves = vec![save("earlier", "id")];
                w.step(0).obligations.push(shows(ObligationKind::Persistence));
                w.plan.scenarios[0].steps.insert(0, first);
            }),
            ("persistence of something not in the input", |w| w.step(2).obligations[0].of = vec!["shown".into()]),
            ("absence without a look", |w| w.step(0).obligations.push(shows(ObligationKind::Absence))),
            ("marker that nobody sent", |w| w.body(0, Json::Null)),
        ],
    );
    passes(
        Code::ObligationMisplaced,
        &[
            ("terminal", |w| {
                let mut terminal = shows(ObligationKind::Terminal);
                terminal.path = Some(path("state"));
                terminal.values = vec!["done".into()];
                w.step(1).obligations.push(terminal);
            }),
            ("named", |w| w.step(2).obligations[0].of = vec!["order".into()]),
            ("absence", |w| {
                w.step(1).obligations.push(shows(ObligationKind::Absence));
                w.step(1).checks.push(json("error", Op::Missing));
            }),
        ],
    );
    refuses(Code::MarkerInInput, &[("query", |w| w.http(1).query.push(("note".into(), var("qa_marker"))))]);
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
            ("another scheme", |w| w.http(1).target = "https://127.0.0.1:8123/".into()),
            ("no url to stand on", |w| w.environment.url = None),
            ("base url", |w| w.plan.base_url = Some("http://other.test".into())),
        ],
    );
    passes(
        Code::TargetOutsideEnvironment,
        &[
            ("inside", |w| w.http(1).target = "http://127.0.0.1:8123/orders/{order}".into()),
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
            ("folder", |w| w.command(2).cwd = Some("{order}".into())),
            ("shell", |w| {
                w.plan.grants.shell = true;
                w.command(2).shell = true;
                w.command(2).argv.push(var("order"));
            }),
        ],
    );
    passes(Code::TemplateBreakout, &[("a whole argument", |w| w.command(2).argv.push(var("order")))]);
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
            ("schema", |w| w.step(1).checks.push(check_of(What::Schema(Channel::Body, "gone.json".into())))),
            ("schema operator", |w| w.step(1).checks.push(json("a", Op::Schema("gone.json".into())))),
            ("script", |w| w.argv(2, &["python3", "tools/gone.py"])),
        ],
    );
    passes(
        Code::FileMissing,
        &[("there", |w| {
            w.http(1).ca = Some("ca.pem".into());
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

#[test]
fn texts() {
    refuses(
        Code::SecretLiteral,
        &[
            ("in a document", |w| w.texts.push(("b.yaml", "a: 1\npassword: hunter2hunter2\n"))),
            ("in a body", |w| w.body(0, Json::map([("password", "correcthorse")]))),
            ("in env", |w| w.command(2).env.push(("API_KEY".into(), "correcthorse".into()))),
            ("in vars", |w| w.plan.vars.push(("token".into(), "correcthorse".into()))),
        ],
    );
    passes(
        Code::SecretLiteral,
        &[
            ("a reference", |w| w.body(0, Json::map([("password", env("PASSWORD")), ("note", var("qa_marker"))]))),
            ("short", |w| w.body(0, Json::map([("password", "x")]))),
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
        ],
    );
    passes(
        Code::EnvReferenceMisplaced,
        &[
            ("env", |w| w.command(2).env.push(("A".into(), env("A")))),
            ("header", |w| w.http(1).headers.push(("x-a".into(), env("A")))),
            ("a password in a body", |w| w.body(0, Json::map([("password", env("P")), ("note", var("qa_marker"))]))),
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
fn later_features() {
    refuses(
        Code::NotSupported,
        &[
            ("http/2", |w| w.http(1).http_version = HttpVersion::Two),
            ("http/2 expected", |w| w.step(1).checks.push(check_of(What::HttpVersion("2".into())))),
            ("uses", |w| w.plan.scenarios[0].uses.push(id("A"))),
        ],
    );
    passes(Code::NotSupported, &[("http/1.1", |w| w.http(1).http_version = HttpVersion::One)]);
}
