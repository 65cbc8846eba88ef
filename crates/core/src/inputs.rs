//! What goes into what a step sends or starts: its own input, as the plan alone tells it.

use std::collections::BTreeSet;

use crate::json::Json;
use crate::plan::{Action, Auth, Body, BodyPart, HttpStep, KeySource, PartContent, Plan, Step};
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
        Action::Log(_) => Vec::new(),
    }
}

/// The values of a body; none of a file.
#[must_use]
pub fn body_of(body: &Body) -> Vec<&Json> {
    match body {
        Body::Json(value) | Body::Text(value) => vec![value],
        Body::Form(pairs) => pairs.iter().map(|(_, value)| value).collect(),
        Body::Multipart(parts) => parts.iter().filter_map(value_of).collect(),
        Body::File(_) => Vec::new(),
    }
}

fn value_of(part: &BodyPart) -> Option<&Json> {
    match &part.content {
        PartContent::Value(value) => Some(value),
        PartContent::File { .. } => None,
    }
}

/// The variables whose values a step's own input holds, wherever they stand.
#[must_use]
pub fn variables_of(step: &Step) -> BTreeSet<&str> {
    let target = match &step.action {
        Action::Http(http) => holes(&http.target),
        Action::Command(_) | Action::Log(_) => Vec::new(),
    };
    data_of(step).into_iter().flat_map(variables).chain(target).collect()
}

/// Calls `visit` with every variable that a step names, as often as it does: in its input, in what it expects, in its
/// obligations.
pub fn each_name<'a>(step: &'a Step, visit: &mut dyn FnMut(&'a str)) {
    if let Action::Http(http) = &step.action {
        holes(&http.target).into_iter().for_each(&mut *visit);
    }
    let mut value = |value: &'a Json| variables(value).into_iter().for_each(&mut *visit);
    data_of(step).into_iter().for_each(&mut value);
    step.checks.iter().for_each(|check| check.what.each_operand(&mut value));
    for obligation in &step.obligations {
        obligation.values.iter().for_each(&mut value);
    }
    step.obligations.iter().flat_map(|obligation| &obligation.of).for_each(|name| visit(name));
}

/// The environment variables that a plan takes credentials from, sorted, each once: what must be set where the
/// run is started.
#[must_use]
pub fn credentials_of(plan: &Plan) -> BTreeSet<&str> {
    plan.scenarios.iter().flat_map(|scenario| &scenario.steps).flat_map(credentials_of_step).collect()
}

/// The same of one step, in no order.
pub fn credentials_of_step(step: &Step) -> impl Iterator<Item = &str> {
    let placed = match &step.action {
        Action::Http(http) => placed(http),
        Action::Command(_) | Action::Log(_) => Vec::new(),
    };
    data_of(step).into_iter().flat_map(environment_names).chain(placed)
}

/// The credentials that stand in the data that a step sends: in a body, or on standard input.
#[must_use]
pub fn credentials_in_data(step: &Step) -> Vec<&str> {
    let data = match &step.action {
        Action::Http(http) => http.body.iter().flat_map(body_of).collect(),
        Action::Command(command) => command.stdin.iter().collect::<Vec<_>>(),
        Action::Log(_) => Vec::new(),
    };
    data.into_iter().flat_map(environment_names).collect()
}

/// The variables whose values the client places: for the target, for the proxy, and the key that it signs with.
fn placed(http: &HttpStep) -> Vec<&str> {
    let auths = http.auth.iter().chain(http.proxy.iter().flat_map(|proxy| &proxy.auth));
    let names = auths.map(|(Auth::Basic(name) | Auth::Bearer(name))| name.as_str());
    let key = http.client.iter().filter_map(|client| match &client.key {
        KeySource::Env(name) => Some(name.as_str()),
        KeySource::File(_) => None,
    });
    names.chain(key).collect()
}

/// The files of private keys that a plan names, sorted, each once: read when a run is opened, and not sealed.
#[must_use]
pub fn key_files_of(plan: &Plan) -> BTreeSet<&str> {
    let steps = plan.scenarios.iter().flat_map(|scenario| &scenario.steps);
    steps
        .filter_map(|step| match &step.action {
            Action::Http(http) => match &http.client.as_ref()?.key {
                KeySource::File(path) => Some(path.as_str()),
                KeySource::Env(_) => None,
            },
            Action::Command(_) | Action::Log(_) => None,
        })
        .collect()
}
