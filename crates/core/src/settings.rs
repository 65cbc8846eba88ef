//! The settings file `probity.yaml`, and environments wherever they are declared (plan.md "`probity.yaml`";
//! design.md sections 8 and 10).

mod judges;
mod services;

use crate::codes::Code;
use crate::decode;
use crate::diagnostic::Diagnostics;
use crate::document::{Node, Place, Value};
use crate::environment::{
    AllowedCommand, Declared, Environment, Identity, IdentityRead, LimitSettings, Origin, Profile,
};
use crate::inert::shortened;
use crate::nearest::nearest;
use crate::shape::{self, ENVIRONMENT, PROFILE, Shape};
use crate::units;

/// Reads the settings file. Sections of the reference tool's host profile are accepted and left to the commands
/// that need them.
///
/// `None` when it cannot be used; what is wrong is in `diags`.
pub fn profile(node: &Node, diags: &mut Diagnostics) -> Option<Profile> {
    let before = diags.len();
    let fits = shape::check(node, &Shape::Table(&PROFILE), format_args!("the settings file"), diags);
    node.as_map()?;
    let profile = Profile {
        default_environment: text(node, "default_environment"),
        environments: environments(node, diags),
        commands: commands(node, diags),
        limits: limits(node),
        mutation: node.get("mutation").map(Node::to_json),
        services: services::services(node, diags),
        judges: judges::judges(node, diags),
    };
    default_is_declared(node, diags);
    let clean = !diags.iter().skip(before).any(|d| d.severity == crate::diagnostic::Severity::Error);
    (fits && clean).then_some(profile)
}

/// Reads one environment: an entry of `environments` under its name, or the map in a plan (`name` absent; the map
/// may name itself).
///
/// `None` when it cannot be used; what is wrong is in `diags`.
pub fn environment(name: Option<&str>, node: &Node, diags: &mut Diagnostics) -> Option<Environment> {
    let fits = shape::check(node, &Shape::Table(&ENVIRONMENT), format_args!("the environment"), diags);
    let environment = environment_fields(name, node, diags)?;
    fits.then_some(environment)
}

/// The same for a map whose shape was checked already.
pub(crate) fn environment_fields(name: Option<&str>, node: &Node, diags: &mut Diagnostics) -> Option<Environment> {
    node.as_map()?;
    let before = diags.len();
    let url = text(node, "url");
    let mut origins: Vec<Origin> = Vec::new();
    let mut add = |written: &str, place: Place, diags: &mut Diagnostics| {
        if let Some(origin) = origin(written, place, diags)
            && !origins.contains(&origin)
        {
            origins.push(origin);
        }
    };
    if let Some(node) = node.get("url") {
        add(node.as_text()?, node.place, diags);
    }
    for item in list(node, "origins") {
        add(item.as_text()?, item.place, diags);
    }
    if node.get("url").is_none() && node.get("origins").is_none() {
        for (_, app) in node.get("apps").and_then(Node::as_map).unwrap_or_default() {
            add(app.as_text()?, app.place, diags);
        }
    }
    let environment = Environment {
        name: name.map(str::to_owned).or_else(|| text(node, "name")),
        kind: text(node, "kind"),
        url,
        origins,
        data: text(node, "data"),
        identity: identity(node, diags),
        insecure: node.get("tls").and_then(|tls| tls.get("insecure")).and_then(Node::as_bool).unwrap_or(false),
        declared: if name.is_some() { Declared::Profile } else { Declared::Plan },
    };
    (diags.len() == before).then_some(environment)
}

fn text(node: &Node, name: &str) -> Option<String> {
    node.get(name)?.as_text().map(str::to_owned)
}

fn list<'n>(node: &'n Node, name: &str) -> &'n [Node] {
    node.get(name).and_then(Node::as_list).unwrap_or_default()
}

fn environments(node: &Node, diags: &mut Diagnostics) -> Vec<(String, Environment)> {
    let mut environments = Vec::new();
    for (key, value) in node.get("environments").and_then(Node::as_map).unwrap_or_default() {
        if key.name.trim().is_empty() {
            diags.error(Code::ValueOutOfRange, key.place, "an environment has no name", "give it one, such as local");
        }
        let environment = environment_fields(Some(&key.name), value, diags);
        environments.extend(environment.map(|environment| (key.name.to_string(), environment)));
    }
    environments
}

fn default_is_declared(node: &Node, diags: &mut Diagnostics) {
    let Some((name, place)) = node.get("default_environment").and_then(|n| Some((n.as_text()?, n.place))) else {
        return;
    };
    let declared: Vec<&str> = node
        .get("environments")
        .and_then(Node::as_map)
        .unwrap_or_default()
        .iter()
        .map(|(key, _)| key.name.as_str())
        .collect();
    if !declared.contains(&name) {
        let help = match nearest(name, declared) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declare it under `environments`".into(),
        };
        diags.error(Code::EnvironmentUnknown, place, format!("the environment `{name}` is not declared"), help);
    }
}

/// The origin of an absolute URL that a person declares: nothing in it but scheme, host, port and path.
fn origin(written: &str, place: Place, diags: &mut Diagnostics) -> Option<Origin> {
    let plain = !written.contains(|c: char| matches!(c, '?' | '{' | '}') || c.is_whitespace());
    let origin = Origin::of(written).ok().filter(|_| plain);
    if origin.is_none() {
        let help = "write scheme, host and port, as in http://127.0.0.1:8123; credentials go into auth of a step";
        let message = format!("`{}` is no http or https URL", shortened(written, 80));
        diags.error(Code::UrlMalformed, place, message, help);
    }
    origin
}

fn identity(node: &Node, diags: &mut Diagnostics) -> Option<Identity> {
    let Some(identity) = node.get("identity") else { return reference_identity(node, diags) };
    let http = identity.get("http")?;
    let written = http.as_text()?;
    let target = match written.split_once(' ') {
        Some(("GET", target)) => target.trim(),
        Some(_) => {
            let help = "write GET and a path, as in GET /version";
            diags.error(Code::UrlMalformed, http.place, "the identity request is not a GET", help);
            return None;
        }
        None => written,
    };
    let absolute = target.starts_with("http://") || target.starts_with("https://");
    let fine = if absolute { url::Url::parse(target).is_ok() } else { target.starts_with('/') };
    if !fine || target.contains([' ', '#', '{', '}']) {
        let help = "write GET and a path, as in GET /version";
        diags.error(Code::UrlMalformed, http.place, "the identity request has no target that can be read", help);
        return None;
    }
    let read = match (identity.get("json"), identity.get("regex")) {
        (Some(path), None) => json_read(path, diags)?,
        (None, Some(pattern)) => regex_read(pattern, diags)?,
        _ => {
            let help = "write json: build, or regex: 'build ([0-9a-f]+)'";
            let message = "the identity has not exactly one of `json` and `regex`";
            diags.error(Code::MissingField, identity.place, message, help);
            return None;
        }
    };
    Some(Identity { target: target.to_owned(), read })
}

/// `sha_source` of the reference tool, where it can be read as an identity; its own rules belong to its commands.
fn reference_identity(node: &Node, diags: &mut Diagnostics) -> Option<Identity> {
    let source = node.get("sha_source")?;
    let target = text(source, "url")?;
    let read = match (source.get("json_path"), source.get("regex")) {
        (Some(path), None) => json_read(path, diags)?,
        (None, Some(pattern)) => IdentityRead::Regex(pattern.as_text()?.to_owned()),
        _ => return None,
    };
    Some(Identity { target, read })
}

fn json_read(node: &Node, diags: &mut Diagnostics) -> Option<IdentityRead> {
    let path = decode::path(node.as_text()?, node.place, diags)?;
    if path.is_plural() {
        let message = format!("`{path}` may select many values, and the build is one");
        diags.error(Code::PathNotSingular, node.place, message, "name one value");
        return None;
    }
    Some(IdentityRead::Json(path.text))
}

fn regex_read(node: &Node, diags: &mut Diagnostics) -> Option<IdentityRead> {
    let pattern = node.as_text()?;
    let fault = match decode::compile_pattern(pattern) {
        Ok(regex) if regex.captures_len() == 2 => return Some(IdentityRead::Regex(pattern.to_owned())),
        Ok(_) => "it has not exactly one group".to_owned(),
        Err(error) => error,
    };
    let help = "put parentheses around the build";
    diags.error(Code::PatternMalformed, node.place, format!("the pattern cannot be used: {fault}"), help);
    None
}

fn commands(node: &Node, diags: &mut Diagnostics) -> Vec<AllowedCommand> {
    let rows = node.get("commands").map(|commands| list(commands, "allow")).unwrap_or_default();
    let mut commands = Vec::new();
    for row in rows {
        let Some(program) = text(row, "program") else { continue };
        if program.is_empty() {
            diags.error(Code::ValueOutOfRange, row.place, "`program` is empty", "name the program");
        }
        let mut args = Vec::new();
        for arg in list(row, "args") {
            let Some(glob) = arg.as_text() else { continue };
            if let Err(error) = globset::Glob::new(glob) {
                let message = format!("the glob `{}` cannot be read: {}", shortened(glob, 80), error.kind());
                diags.error(Code::PatternMalformed, arg.place, message, "use *, ?, [a-z] and {a,b}");
            }
            args.push(glob.to_owned());
        }
        let reads = row.get("reads").and_then(Node::as_bool).unwrap_or(false);
        commands.push(AllowedCommand { program, args, reads });
    }
    commands
}

fn limits(node: &Node) -> LimitSettings {
    let Some(limits) = node.get("limits") else { return LimitSettings::default() };
    let number = |name: &str| match &limits.get(name)?.value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    };
    LimitSettings {
        time_ms: text(limits, "time").and_then(|time| units::duration_ms(&time).ok()),
        probes: number("probes"),
        output: text(limits, "output").and_then(|output| units::size_bytes(&output).ok()),
        jobs: number("jobs"),
    }
}

#[cfg(test)]
mod tests;
