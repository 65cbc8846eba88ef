//! What goes into what a step sends or starts: its own input, as the plan alone tells it.

use std::collections::BTreeSet;

use crate::json::Json;
use crate::plan::{Action, Auth, Body, Plan, Step};
use crate::vars::{environment_names, holes, variables};

/// Every value that goes into what a step sends or starts; the target's text apart.
#[must_use]
pub fn data_of(step: &Step) -> Vec<&Json> {
    match &step.action {
        Action::Http(http) => {
            let pairs = http.query.iter().chain(&http.headers).map(|(_, value)| value);
            pairs.chain(http.body.iter().flat_map(body_of)).collect()
        }
        Action::Command(command) => {
            command.argv.iter().chain(command.env.iter().map(|(_, value)| value)).chain(&command.stdin).collect()
        }
    }
}

/// The values of a body; none of a file.
#[must_use]
pub fn body_of(body: &Body) -> Vec<&Json> {
    match body {
        Body::Json(value) | Body::Text(value) => vec![value],
        Body::Form(pairs) => pairs.iter().map(|(_, value)| value).collect(),
        Body::File(_) => Vec::new(),
    }
}

/// The variables whose values a step's own input holds, wherever they stand.
#[must_use]
pub fn variables_of(step: &Step) -> BTreeSet<&str> {
    let target = match &step.action {
        Action::Http(http) => holes(&http.target),
        Action::Command(_) => Vec::new(),
    };
    data_of(step).into_iter().flat_map(variables).chain(target).collect()
}

/// Every variable that a step names: in its input, in what it expects, in its obligations.
#[must_use]
pub fn names_of(step: &Step) -> BTreeSet<&str> {
    let expected = step.checks.iter().flat_map(|check| check.what.operands());
    let obliged = step.obligations.iter().flat_map(|obligation| &obligation.values);
    let of = step.obligations.iter().flat_map(|obligation| obligation.of.iter().map(String::as_str));
    variables_of(step).into_iter().chain(expected.chain(obliged).flat_map(variables)).chain(of).collect()
}

/// The environment variables that a plan takes credentials from, sorted, each once: what must be set where the
/// run is started.
#[must_use]
pub fn credentials_of(plan: &Plan) -> BTreeSet<&str> {
    plan.scenarios.iter().flat_map(|scenario| &scenario.steps).flat_map(credentials_of_step).collect()
}

/// The same of one step, in no order.
pub fn credentials_of_step(step: &Step) -> impl Iterator<Item = &str> {
    let auth = match &step.action {
        Action::Http(http) => http.auth.as_ref(),
        Action::Command(_) => None,
    };
    let auth = auth.map(|auth| match auth {
        Auth::Basic(name) | Auth::Bearer(name) => name.as_str(),
    });
    data_of(step).into_iter().flat_map(environment_names).chain(auth)
}
