//! What the checks of a step can bear, check by check, and what asking costs.

use std::sync::Arc;

use super::*;
use crate::expect::{Comparison, JsonType};
use crate::ids::Id;
use crate::journal::observation::{Blob, CommandObserved, HopObserved, HttpObserved, LogObserved};
use crate::journal::witnessed::Witnessed;
use crate::json::Json;
use crate::lint::testing::World;
use crate::observe::{Captured, CommandResult, Hop};
use crate::path::Path;
use crate::step::{StepStatus, judge};

const BODY: &str = r#"{"id":"7","note":"m-1","count":3}"#;

/// An answer over HTTP with `etag: "v1"` and two lines of `link`.
fn answer(status: u16, body: &str) -> Observation {
    let headers = [("ETag", "\"v1\""), ("link", "a"), ("link", "b"), ("location", "/items/7")];
    let hop = Hop {
        url: "http://127.0.0.1:8123/orders".to_owned(),
        status,
        version: "1.1".to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec(),
        complete: true,
        ..Hop::default()
    };
    let hop = HopObserved { hop, wire: Blob::of(body.as_bytes()), decoded: None };
    Observation::Http(HttpObserved { hops: vec![hop], ..HttpObserved::default() })
}

fn ended(exit: i32, stdout: &str, stderr: &str) -> Observation {
    let whole = Captured { complete: true, ..Captured::default() };
    let result = CommandResult { exit: Some(exit), stdout: whole.clone(), stderr: whole, ..CommandResult::default() };
    let (stdout, stderr) = (Blob::of(stdout.as_bytes()), Blob::of(stderr.as_bytes()));
    Observation::Command(Box::new(CommandObserved { result, stdout, stderr }))
}

/// Judges step `at` of a sound world with these checks, which must hold, and says what they can bear.
#[track_caller]
fn borne(at: usize, checks: Vec<What>, observation: &Observation, texts: &[&str]) -> Strength {
    let mut world = World::sound();
    let check = |what| Check { what, place: Default::default() };
    world.step(at).checks = checks.into_iter().map(check).collect();
    let scenario = &world.plan.scenarios[0];
    let step = &Step { saves: Vec::new(), ..scenario.steps[at].clone() };
    let evidence = |digest: &Digest| {
        let mut known = texts.iter().map(|text| text.as_bytes());
        known.find(|bytes| Digest::of(bytes) == *digest).map(|bytes| Arc::new(bytes.to_vec()))
    };
    let vars =
        Vars::new(&[("qa_marker".into(), "m-1".into()), ("seven".into(), "7".into()), ("none".into(), "".into())]);
    let files = |name: &str| (name == "any.json").then(|| b"{}".to_vec());
    let judged = judge(step, observation, Some(BODY.as_bytes()), &evidence, &vars, &files, &Witnessed::default());
    assert_eq!(judged.status, StepStatus::Passed, "{:?}", judged.reason);
    strength(step, scenario, observation, &judged.checks, &vars, &files)
}

/// A look into a log, which has no status: what an empty one meets is nothing at all.
#[test]
fn logs() {
    let text = "heard hello\n";
    let seen = Observation::Log(LogObserved {
        from: 3,
        to: 15,
        kept: Blob::of(text.as_bytes()),
        complete: true,
        tries: 1,
        total_us: 1,
        failure: None,
    });
    let log = |what| {
        let mut world = World::sound();
        let action = crate::plan::Action::Log(crate::plan::LogStep { service: Id::parse("shop").unwrap(), poll: None });
        let checks = vec![Check { what, place: Default::default() }];
        let scenario = &mut world.plan.scenarios[0];
        let step = Step { action, checks, saves: Vec::new(), ..scenario.steps[0].clone() };
        let evidence = |_: &Digest| Some(Arc::new(text.as_bytes().to_vec()));
        let judged = judge(&step, &seen, None, &evidence, &Vars::default(), &|_| None, &Witnessed::default());
        assert_eq!(judged.status, StepStatus::Passed, "{:?}", judged.reason);
        strength(&step, scenario, &seen, &judged.checks, &Vars::default(), &|_| None)
    };
    assert_eq!(log(says(Channel::Log, "hello")), Strength::Sound);
    assert_eq!(log(never_says(Channel::Log, "ERROR")), Strength::Vacuous);
}

fn ops(op: Op) -> Expect {
    Expect(vec![op])
}

fn text(channel: Channel, op: Op) -> What {
    What::Text(channel, ops(op))
}

fn says(channel: Channel, word: impl Into<Json>) -> What {
    What::Contains(channel, vec![word.into()], true)
}

fn never_says(channel: Channel, word: &str) -> What {
    What::Contains(channel, vec![word.into()], false)
}

fn json(channel: Channel, path: &str, op: Op) -> What {
    What::Json(channel, vec![(Path::parse(path).unwrap(), ops(op))])
}

fn header(name: &str, op: Op) -> What {
    What::Header(name.to_owned(), ops(op))
}

fn var(name: &str) -> Json {
    Json::map([("$var", name)])
}

fn not(op: Op) -> Op {
    Op::Not(Box::new(ops(op)))
}

fn under(bytes: i64) -> What {
    What::Size(vec![Op::Compare(Comparison::Lt, bytes.into())])
}

#[test]
fn answers_over_http() {
    use Channel::{Body, Request};
    use Strength::{Sound, StatusOnly, Vacuous};
    let pattern = |pattern: &str| Op::Matches(pattern.to_owned());
    let rows: Vec<(Vec<What>, Strength)> = vec![
        // Nothing but the status, written or not.
        (vec![], StatusOnly),
        (vec![What::Status(vec![201])], StatusOnly),
        (vec![What::Status(vec![201, 404])], StatusOnly),
        (vec![What::Status(vec![201, 500])], Vacuous),
        (vec![What::Time(60_000)], StatusOnly),
        (vec![What::HttpVersion("1.1".to_owned()), What::Status(vec![201, 500])], Vacuous),
        // JSON is never found in nothing, whatever is said of it.
        (vec![json(Body, "id", Op::Equals("7".into()))], Sound),
        (vec![json(Body, "id", Op::Type(JsonType::String)), What::Status(vec![201, 500])], Sound),
        (vec![json(Body, "gone", Op::Missing)], Sound),
        (vec![json(Body, "id", not(Op::Equals("8".into())))], Sound),
        (vec![What::JsonAny(Body, vec![vec![(Path::parse("id").unwrap(), ops(Op::Exists))]])], Sound),
        (vec![What::Schema(Body, "any.json".to_owned())], Sound),
        // What the step itself sent, and checks on that.
        (vec![json(Body, "note", Op::Equals(var("qa_marker")))], StatusOnly),
        (vec![json(Body, "note", Op::Equals(var("qa_marker"))), json(Body, "id", Op::Equals(var("seven")))], Sound),
        (vec![json(Request, "id", Op::Equals("7".into()))], StatusOnly),
        (vec![says(Body, var("qa_marker"))], StatusOnly),
        // Text.
        (vec![says(Body, "note")], Sound),
        (vec![says(Body, var("none"))], StatusOnly),
        (vec![What::Contains(Body, vec![var("none"), "note".into()], true)], Sound),
        (vec![text(Body, pattern("."))], Sound),
        (vec![text(Body, pattern("^[^}]*"))], StatusOnly),
        (vec![text(Body, pattern("^[^}]*")), What::Status(vec![201, 500])], Vacuous),
        (vec![never_says(Body, "error")], StatusOnly),
        (vec![text(Body, Op::Contains("error".into(), false))], StatusOnly),
        (vec![text(Body, not(Op::Contains("error".into(), true)))], StatusOnly),
        (vec![text(Body, Op::AnyOf(vec![ops(Op::Equals("x".into())), ops(not(Op::Equals("y".into())))]))], StatusOnly),
        (vec![text(Body, Op::Length(vec![Op::Compare(Comparison::Lt, 1000.into())]))], StatusOnly),
        (vec![text(Body, Op::Length(vec![Op::Equals(33.into())]))], Sound),
        (vec![under(1000)], StatusOnly),
        (vec![What::Size(vec![Op::Compare(Comparison::Gt, 0.into())])], Sound),
        (vec![under(34)], Sound),
        // Headers and redirects.
        (vec![header("etag", Op::Exists)], Sound),
        (vec![header("etag", Op::Equals("\"v1\"".into()))], Sound),
        (vec![header("link", Op::Contains("b".into(), true))], Sound),
        (vec![header("x-debug", Op::Missing)], StatusOnly),
        (vec![What::Redirect("/items/7".into())], Sound),
    ];
    for (checks, expected) in rows {
        let name = format!("{checks:?}");
        assert_eq!(borne(0, checks, &answer(201, BODY), &[BODY]), expected, "{name}");
    }
}

#[test]
fn an_answer_that_is_empty_or_an_error_already() {
    use Strength::{Sound, StatusOnly, Vacuous};
    let rows = [
        (204, vec![What::Status(vec![204])], StatusOnly),
        (204, vec![What::Status(vec![204]), text(Channel::Body, Op::Equals("".into()))], Sound),
        (204, vec![What::Status(vec![204]), What::Size(vec![Op::Compare(Comparison::Lte, 0.into())])], Sound),
        (500, vec![What::Status(vec![500])], StatusOnly),
        (503, vec![What::Status(vec![500, 503])], StatusOnly),
        (500, vec![What::Status(vec![200, 500])], Vacuous),
        (404, vec![What::Status(vec![404])], StatusOnly),
    ];
    for (status, checks, expected) in rows {
        let name = format!("{checks:?}");
        assert_eq!(borne(0, checks, &answer(status, ""), &[""]), expected, "{name}");
    }
}

#[test]
fn commands() {
    use Channel::{Stderr, Stdout};
    use Strength::{Sound, StatusOnly, Vacuous};
    let quiet = || text(Stderr, Op::Equals("".into()));
    let rows = [
        (0, vec![], StatusOnly),
        (0, vec![What::Exit(vec![0])], StatusOnly),
        (0, vec![What::Exit(vec![0, 1])], Vacuous),
        (2, vec![What::Exit(vec![1, 2])], StatusOnly),
        (2, vec![What::Exit(vec![0, 2])], Vacuous),
        (0, vec![says(Stdout, "id")], Sound),
        (0, vec![json(Stdout, "id", Op::Equals("7".into()))], Sound),
        (0, vec![never_says(Stdout, "panic"), never_says(Stderr, "panic")], StatusOnly),
        (0, vec![quiet()], Sound),
        (0, vec![quiet(), What::Exit(vec![0, 1])], Sound),
    ];
    for (exit, checks, expected) in rows {
        let name = format!("{checks:?}");
        assert_eq!(borne(2, checks, &ended(exit, BODY, ""), &[BODY, ""]), expected, "{name}");
    }
    let rows = [
        (says(Stderr, "done"), Sound),
        (json(Stderr, "$", Op::Exists), Sound),
        (text(Stderr, Op::Matches(".*".to_owned())), StatusOnly),
    ];
    for (check, expected) in rows {
        assert_eq!(borne(2, vec![check], &ended(0, "", r#""done""#), &["", r#""done""#]), expected);
    }
}

/// The words that replace an asserted text cannot be written into a plan to make an empty check look like one.
#[test]
fn what_replaces_a_text_depends_on_the_text() {
    let guess = Digest::of(BODY.as_bytes()).to_string();
    assert_eq!(borne(0, vec![never_says(Channel::Body, &guess)], &answer(200, BODY), &[BODY]), Strength::StatusOnly);
}
