//! Where requests go, and what may change that (design.md section 10, threats.md R18).

use super::LintInput;
use super::findings::{At, Findings};
use crate::allow::FileFact;
use crate::codes::Code;
use crate::header;
use crate::inert::shortened;
use crate::json::Json;
use crate::origin::{Destination, TargetError, destination};
use crate::plan::{Action, Body, EnvironmentRef, HttpStep, PartContent, Step};

/// `environment_unknown`, `target_outside_environment`, `template_breakout`, `url_malformed`, `header_forbidden`, and
/// the files that a request or a check reads.
pub(super) fn check(input: &LintInput<'_>, found: &mut Findings) {
    if !input.environment_known {
        let (name, at) = match &input.plan.environment {
            EnvironmentRef::Named(name, place) => (name.as_str(), At { place: Some(*place), ..At::plan() }),
            EnvironmentRef::Inline(_, place) => ("in place", At { place: Some(*place), ..At::plan() }),
            EnvironmentRef::Absent => (input.environment.name.as_deref().unwrap_or("asked for"), At::plan()),
        };
        found.error(Code::EnvironmentUnknown, at, format!("the environment {name} is not declared"));
    }
    if let Some(base) = &input.plan.base_url {
        target(base, &At::plan(), input, found);
        if base.contains('?') {
            found.error(Code::UrlMalformed, At::plan(), "baseUrl has a query");
        }
    }
    for step in input.plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        if let Action::Http(http) = &step.action {
            request(step, http, input, found);
        }
        for check in &step.checks {
            for file in check.what.schema_files() {
                file_exists("schema", file, &At::from((step, check)), input, found);
            }
        }
    }
}

/// Refuses a file that is missing or outside the project.
pub(super) fn file_exists(role: &str, path: &str, at: &At, input: &LintInput<'_>, found: &mut Findings) {
    match (input.files)(path) {
        FileFact::Inside => {}
        FileFact::Missing => {
            found.error(Code::FileMissing, at.clone(), format!("the {role} file {path} does not exist"));
        }
        FileFact::Outside => {
            found.error(Code::CommandPathOutside, at.clone(), format!("the {role} file {path} is outside the project"));
        }
    }
}

fn request(step: &Step, http: &HttpStep, input: &LintInput<'_>, found: &mut Findings) {
    let at = At::from(step);
    if http.method.is_empty() || !http.method.bytes().all(|b| b.is_ascii_uppercase() || b == b'-') {
        found.error(Code::TemplateBreakout, step, format!("the method {} is not a plain word", quoted(&http.method)));
    }
    target(&http.target, &at, input, found);
    if http.target.starts_with('/')
        && input.environment_known
        && input.environment.url.is_none()
        && input.plan.base_url.is_none()
    {
        found.error_with(
            Code::TargetOutsideEnvironment,
            step,
            format!("the path {} has no origin to stand on", quoted(&http.target)),
            "Give the environment a url, or write the whole URL.",
        );
    }
    for (name, value) in &http.headers {
        field(step, name, value, found);
    }
    if let Some(Body::File(path)) = &http.body {
        file_exists("body", path, &at, input, found);
    }
    if let Some(Body::Multipart(parts)) = &http.body {
        for part in parts {
            if let PartContent::File { path, .. } = &part.content {
                file_exists("part", path, &at, input, found);
            }
        }
    }
    if let Some(path) = &http.ca {
        file_exists("ca", path, &at, input, found);
    }
    if let Some(client) = &http.client {
        file_exists("cert", &client.cert, &at, input, found);
    }
    if let Some(proxy) = &http.proxy {
        target(&proxy.origin.to_string(), &at, input, found);
    }
}

fn field(step: &Step, name: &str, value: &Json, found: &mut Findings) {
    if name.contains('{') {
        found.error(Code::TemplateBreakout, step, format!("the header name {} holds a placeholder", quoted(name)));
    } else if header::is_the_clients(name) {
        found.error(Code::HeaderForbidden, step, format!("the header {name} belongs to the client"));
    } else if !header::is_name(name) {
        found.error(Code::HeaderForbidden, step, format!("{} is not a header name", quoted(name)));
    }
    if value.as_text().is_some_and(|text| text.contains(['\r', '\n', '\0'])) {
        found.error(Code::HeaderForbidden, step, format!("the value of header {name} holds a line break or NUL"));
    }
}

fn target(text: &str, at: &At, input: &LintInput<'_>, found: &mut Findings) {
    match destination(text) {
        Ok(Destination::Path) => {}
        Ok(Destination::On(origin)) if !input.environment_known || input.environment.origins.contains(&origin) => {}
        Ok(Destination::On(origin)) => {
            let have: Vec<String> = input.environment.origins.iter().map(ToString::to_string).collect();
            let have = if have.is_empty() { "none".to_owned() } else { have.join(", ") };
            let message = format!("{origin} is not among the environment's origins ({have})");
            found.error(Code::TargetOutsideEnvironment, at.clone(), message);
        }
        Err(TargetError::Breakout) => {
            let message = format!("a placeholder in {} may change where the request goes", quoted(text));
            found.error(Code::TemplateBreakout, at.clone(), message);
        }
        Err(why) => found.error(Code::UrlMalformed, at.clone(), format!("{} {why}", quoted(text))),
    }
}

/// A text for a message, short and without control characters.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text, 80))
}
