//! The table, first half, what a plan says: a code, what is changed, and whether it is refused.

use super::builder::*;
use crate::codes::Code;
use crate::diagnostic::Severity;
use crate::expect::{Channel, Comparison, Expect, JsonType, Op, What};
use crate::json::Json;
use crate::plan::{NotClaimed, ObligationKind, Poll};

pub(super) type Change = fn(&mut World);

/// Each change is found under the code.
pub(super) fn refuses(code: Code, changes: &[(&str, Change)]) {
    for (name, change) in changes {
        let mut world = World::sound();
        change(&mut world);
        let codes = world.codes();
        assert!(codes.contains(&code), "{code} misses: {name}; found {codes:?}");
    }
}

/// Each change is not found under the code.
pub(super) fn passes(code: Code, changes: &[(&str, Change)]) {
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
            ("unknown", |w| w.plan.scenarios[0].uses.push(used("gone"))),
            ("itself", |w| w.plan.scenarios[0].uses.push(used("A"))),
            ("a circle", |w| {
                w.second().uses.push(used("A"));
                w.plan.scenarios[0].uses.push(used("B"));
            }),
            ("too many", |w| {
                for n in 0..40 {
                    let other = w.second();
                    other.id = id(&format!("X-{n}"));
                    w.plan.scenarios[0].uses.push(used(&format!("X-{n}")));
                }
            }),
        ],
    );
    passes(
        Code::UsesUnknown,
        &[
            ("earlier", |w| w.second().uses.push(used("A"))),
            ("later", |w| {
                w.second();
                w.plan.scenarios[0].uses.push(used("B"));
            }),
        ],
    );
    let mut world = World::sound();
    world.plan.scenarios[0].uses.push(used("AA"));
    let found = world.findings().into_iter().find(|found| found.code == Code::UsesUnknown).unwrap();
    assert_eq!((found.place, found.help.as_deref()), (Some(at(6)), Some("Did you mean A?")));
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
            ("seed form: a finer type asks as the layer that it belongs to", |w| {
                seed_types(w, "api_followup", "db");
                w.step(2).obligations.clear();
            }),
            ("seed form: polling is shown by no command", |w| {
                seed_types(w, "api_poll", "database");
                w.step(0).test_ids.clear();
                w.step(1).test_ids.clear();
                w.step(2).test_ids.push(id("A.R-1.api"));
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
            ("seed form: api_followup and db", |w| seed_types(w, "api_followup", "db")),
            ("seed form: api_poll and database", |w| seed_types(w, "api_poll", "database")),
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

/// A matrix of the seed form: the demand stands in the type of each test.
fn seed_types(w: &mut World, first: &str, second: &str) {
    w.written = false;
    for (at, kind) in [first, second].into_iter().enumerate() {
        w.matrix.criteria[at].needs.clear();
        w.matrix.tests[at].kind = kind.into();
    }
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
        &[
            ("only an id", |w| {
                w.step(1).checks = vec![status(&[200]), equals("id", var("order"))];
                w.step(1).obligations.clear();
            }),
            ("of several variables, all of them sent", |w| {
                both(w);
                w.http(1).query.push(("total".into(), var("shown")));
            }),
        ],
    );
    passes(
        Code::ExpectationEcho,
        &[
            ("beside another check", |w| w.step(1).checks.push(equals("id", var("order")))),
            ("of several variables, one of them not sent", both),
        ],
    );
}

/// The only check expects two variables in one operand; the path carries one of them.
fn both(w: &mut World) {
    w.step(1).checks = vec![status(&[200]), equals("label", Json::map([("$template", "{order}: {shown}")]))];
    w.step(1).obligations.clear();
}

#[test]
fn provenance_by_variable() {
    use super::super::{Provenance, provenance};
    let mut world = World::sound();
    world.step(0).idempotent = false;
    let case = &world.plan.scenarios[0];
    let [post, get, read, ..] = case.steps.as_slice() else { panic!("five steps") };
    let earlier = |step: &str| Provenance::Earlier { step: id(step) };
    assert_eq!(provenance(get, case, &[], "qa_marker"), Provenance::Engine);
    assert_eq!(provenance(post, case, &[], "qa_marker"), Provenance::Echo);
    assert_eq!(provenance(get, case, &[], "order"), Provenance::Echo);
    assert_eq!(provenance(read, case, &[], "shown"), earlier("A.1"));
    assert_eq!(provenance(post, case, &[], "shown"), Provenance::SelfDerived { step: id("A.1") });
    assert_eq!(provenance(read, case, &[], "constant"), Provenance::Literal);
    assert_eq!(provenance(read, case, &[], "B.total"), earlier("B"));
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
fn what_a_used_case_saved_is_not_the_plan_s_own_word() {
    use super::super::{Provenance, inherited, provenance};
    let mut world = World::sound();
    world.second().uses.push(used("A"));
    let (get, read) = {
        let steps = &world.plan.scenarios[0].steps;
        (steps[1].clone(), steps[2].clone())
    };
    let second = &mut world.plan.scenarios[1];
    second.steps = vec![read, get];
    (second.steps[0].id, second.steps[1].id) = (id("B.1"), id("B.2"));
    second.steps[1].checks = vec![equals("total", var("shown"))];
    let case = &world.plan.scenarios[1];
    let before = inherited(&world.plan, case);
    assert_eq!(before.len(), 5);
    assert_eq!(provenance(&case.steps[0], case, &before, "shown"), Provenance::Earlier { step: id("A.1") });
    assert!(!world.codes().contains(&Code::ExpectationSelfDerived), "{:?}", world.findings());
    // The same question put in the used case gives the answer that it is to be judged by.
    world.plan.scenarios[0].steps[1].saves.push(save("shown", "total"));
    world.plan.scenarios[0].steps.truncate(2);
    world.plan.scenarios[1].steps.remove(0);
    let messages: Vec<String> =
        world.findings().into_iter().map(|found| format!("{} {}", found.code, found.message)).collect();
    assert!(messages.iter().any(|m| m.starts_with("expectation_self_derived shown was saved by A.2")), "{messages:?}");
}
