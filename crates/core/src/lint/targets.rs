//! Where requests go, and what may change that (design.md section 10, threats.md R18).

use url::Url;

use super::LintInput;
use super::findings::{At, Findings};
use super::inputs::schema_files;
use super::references::holes;
use crate::allow::FileFact;
use crate::codes::Code;
use crate::environment::Origin;
use crate::json::Json;
use crate::plan::{Action, Body, EnvironmentRef, HttpStep, Step};

/// Headers that route or frame a message.
const FORBIDDEN: [&str; 20] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "proxy-connection",
    "upgrade",
    "te",
    "trailer",
    "expect",
    "http2-settings",
    "forwarded",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-rewrite-url",
    "x-original-host",
    "x-host",
];

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
            for file in schema_files(&check.what) {
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
        header(step, name, value, found);
    }
    if let Some(Body::File(path)) = &http.body {
        file_exists("body", path, &at, input, found);
    }
    if let Some(path) = &http.ca {
        file_exists("ca", path, &at, input, found);
    }
}

fn header(step: &Step, name: &str, value: &Json, found: &mut Findings) {
    let token = |b: u8| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b);
    let folded = name.to_ascii_lowercase();
    if name.contains('{') {
        found.error(Code::TemplateBreakout, step, format!("the header name {} holds a placeholder", quoted(name)));
    } else if FORBIDDEN.contains(&folded.as_str()) || folded.starts_with("x-forwarded-") || folded.starts_with(':') {
        found.error(Code::HeaderForbidden, step, format!("the header {name} belongs to the client"));
    } else if name.is_empty() || !name.bytes().all(token) {
        found.error(Code::HeaderForbidden, step, format!("{} is not a header name", quoted(name)));
    }
    if value.as_text().is_some_and(|text| text.contains(['\r', '\n', '\0'])) {
        found.error(Code::HeaderForbidden, step, format!("the value of header {name} holds a line break or NUL"));
    }
}

/// What of a target is fixed before any value is known.
#[derive(Debug, PartialEq, Eq)]
enum Fixed {
    /// A path on the environment's own origin.
    Path,
    /// An absolute URL on this origin.
    On(Origin),
    /// A placeholder stands where scheme, host or port are.
    Breakout,
    /// It cannot be read, and why.
    Malformed(&'static str),
}

fn target(text: &str, at: &At, input: &LintInput<'_>, found: &mut Findings) {
    match fixed(text) {
        Fixed::Path => {}
        Fixed::On(origin) if !input.environment_known || input.environment.origins.contains(&origin) => {}
        Fixed::On(origin) => {
            let have: Vec<String> = input.environment.origins.iter().map(draw).collect();
            let message = format!(
                "{} is not among the environment's origins ({})",
                draw(&origin),
                if have.is_empty() { "none".to_owned() } else { have.join(", ") }
            );
            found.error(Code::TargetOutsideEnvironment, at.clone(), message);
        }
        Fixed::Breakout => {
            let message = format!("a placeholder in {} may change where the request goes", quoted(text));
            found.error(Code::TemplateBreakout, at.clone(), message);
        }
        Fixed::Malformed(why) => found.error(Code::UrlMalformed, at.clone(), format!("{} {why}", quoted(text))),
    }
}

fn fixed(text: &str) -> Fixed {
    if text.chars().any(|c| c.is_control() || c == '\\' || c == ' ') {
        return Fixed::Malformed("holds a space, a control character or a backslash");
    }
    if text.contains('#') {
        return Fixed::Malformed("has a fragment, which is never sent");
    }
    if text.starts_with("//") {
        return Fixed::Malformed("begins with //, which names another host");
    }
    if text.starts_with('/') {
        return Fixed::Path;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return if text.starts_with('{') { Fixed::Breakout } else { Fixed::Malformed("is neither a path nor a URL") };
    };
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    if !holes(scheme).is_empty() || !holes(authority).is_empty() {
        return Fixed::Breakout;
    }
    if authority.contains('@') {
        return Fixed::Malformed("carries credentials; they go into auth");
    }
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
        return Fixed::Malformed("is neither http nor https");
    }
    let Ok(url) = Url::parse(&format!("{scheme}://{authority}/")) else {
        return Fixed::Malformed("has no readable host and port");
    };
    match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) => Fixed::On(Origin { scheme: url.scheme().to_owned(), host: host.to_owned(), port }),
        _ => Fixed::Malformed("has no readable host and port"),
    }
}

fn draw(origin: &Origin) -> String {
    let default = matches!((origin.scheme.as_str(), origin.port), ("http", 80) | ("https", 443));
    if default {
        format!("{}://{}", origin.scheme, origin.host)
    } else {
        format!("{}://{}:{}", origin.scheme, origin.host, origin.port)
    }
}

/// A text for a message, short and without control characters.
pub(super) fn quoted(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("{short:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_part_of_a_target() {
        let on = |scheme: &str, host: &str, port| Fixed::On(Origin { scheme: scheme.into(), host: host.into(), port });
        let cases = [
            ("/api/{id}?x={y}", Fixed::Path),
            ("http://LOCALHOST:8123/a/{id}", on("http", "localhost", 8123)),
            ("https://shop.test", on("https", "shop.test", 443)),
            ("http://[::1]:80/", on("http", "[::1]", 80)),
            ("http://127.1/", on("http", "127.0.0.1", 80)),
            ("http://{host}/", Fixed::Breakout),
            ("http://a.test:{port}/", Fixed::Breakout),
            ("http://a.test{x}/", Fixed::Breakout),
            ("{base}/api", Fixed::Breakout),
            ("{scheme}://a.test/", Fixed::Breakout),
        ];
        for (text, expected) in cases {
            assert_eq!(fixed(text), expected, "{text}");
        }
        for bad in [
            "//evil.test/",
            "api",
            "",
            "/a#b",
            "http://u:p@a.test/",
            "file:///etc/passwd",
            "data:x",
            "/a\\b",
            "http:///x",
        ] {
            assert!(matches!(fixed(bad), Fixed::Malformed(_)), "{bad}: {:?}", fixed(bad));
        }
    }
}
