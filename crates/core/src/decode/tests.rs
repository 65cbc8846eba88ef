//! Tables of what seed-form documents may and may not say. Each rule has a row that refuses and one that passes.

mod answers;
mod any_document;
mod documents;
mod expectations;
mod requests;

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
        Action::Command(_) | Action::Log(_) => panic!("{step} is no request"),
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
