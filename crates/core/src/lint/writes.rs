//! Whether what a plan writes is declared, and cleaned up (plan.md "`mutation`", design.md section 10).

use std::collections::BTreeSet;

use regex::Regex;

use super::LintInput;
use super::findings::{At, Findings};
use crate::allow::only_reads;
use crate::codes::Code;
use crate::environment::Declared;
use crate::inert::shortened;
use crate::inputs::body_of;
use crate::json::Json;
use crate::plan::{Action, Plan, Step, WritePolicy};
use crate::vars::{holes, is_literal};

/// `write_undeclared`, `write_without_cleanup`.
pub(super) fn check(input: &LintInput<'_>, found: &mut Findings) {
    cleanup(input, found);
    let Some(mutation) = &input.plan.mutation else {
        if input.environment.kind.as_deref() == Some("production") {
            let message = "the environment is production and the plan declares no write policy";
            found.error(Code::WriteUndeclared, At::plan(), message);
        }
        return;
    };
    match mutation.policy {
        WritePolicy::Unrestricted => {}
        WritePolicy::ReadOnly => {
            for step in input.plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
                if writes(step, input) {
                    let message = format!("{} writes, and the policy is read-only", draw(step));
                    found.error(Code::WriteUndeclared, step, message);
                }
            }
        }
        WritePolicy::ScopedWrite => match mutation.prefix.as_deref().filter(|prefix| is_prefix(prefix)) {
            Some(prefix) => scoped(prefix, input, found),
            None => {
                let message = "scoped-write needs a prefix of at least 3 letters, digits, _ or -";
                found.error(Code::WriteUndeclared, At::plan(), message);
            }
        },
    }
}

fn is_prefix(prefix: &str) -> bool {
    prefix.len() >= 3 && prefix.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}

/// Each writing step carries the prefix, or names an object by a value that an allowed write of its case saved.
fn scoped(prefix: &str, input: &LintInput<'_>, found: &mut Findings) {
    for scenario in &input.plan.scenarios {
        let mut ours: BTreeSet<&str> = BTreeSet::new();
        for step in scenario.steps.iter().filter(|step| writes(step, input)) {
            let names = scoped_variables(step);
            if !carries(prefix, step, input.plan) && !names.iter().any(|name| ours.contains(name)) {
                let message = format!(
                    "{} carries neither the prefix {prefix} nor an id saved from an allowed write of this case",
                    draw(step)
                );
                found.error(Code::WriteUndeclared, step, message);
                continue;
            }
            ours.extend(step.saves.iter().map(|save| save.name.as_str()));
        }
    }
}

/// Whether a step writes: by its method, or as a command that is not listed as reading. Signatures of the profile
/// come first: an allowed one lets a request through, a write signature marks one that looks harmless.
fn writes(step: &Step, input: &LintInput<'_>) -> bool {
    match &step.action {
        Action::Http(http) => {
            let by_method = !matches!(http.method.as_str(), "GET" | "HEAD" | "OPTIONS" | "TRACE");
            let bare = http.body.is_none() && holes(&http.target).is_empty();
            let signed = |list| signature(input.mutation_rules, list, &http.method, &http.target);
            if bare && signed("allow_signatures") {
                return false;
            }
            by_method || signed("write_signatures")
        }
        Action::Command(command) => command.shell || !only_reads(&command.argv, input.commands),
    }
}

/// Whether a signature of the list without a body pattern matches. Patterns that this engine cannot read match no
/// allowance and every write.
fn signature(rules: Option<&Json>, list: &str, method: &str, target: &str) -> bool {
    let entries = rules.and_then(|rules| rules.get(list)).and_then(Json::as_list).unwrap_or_default();
    entries.iter().any(|entry| {
        let named = entry.get("method").and_then(Json::as_text).unwrap_or_default();
        let fits = entry
            .get("url")
            .and_then(Json::as_text)
            .map(|pattern| Regex::new(pattern).map_or(list == "write_signatures", |regex| regex.is_match(target)));
        entry.get("body").is_none() && (named == "*" || named == method) && fits == Some(true)
    })
}

/// Whether the prefix stands in path, query or body (argv or stdin of a command), in a constant if need be.
fn carries(prefix: &str, step: &Step, plan: &Plan) -> bool {
    let constant = |name: &str| {
        plan.vars.iter().any(|(known, value)| known == name && value.as_text().is_some_and(|t| t.contains(prefix)))
    };
    scoped_data(step).into_iter().any(|value| holds(value, prefix))
        || matches!(&step.action, Action::Http(http) if http.target.contains(prefix))
        || scoped_variables(step).into_iter().any(constant)
}

fn scoped_data(step: &Step) -> Vec<&Json> {
    match &step.action {
        Action::Http(http) => {
            let query = http.query.iter().map(|(_, value)| value);
            query.chain(http.body.iter().flat_map(body_of)).collect()
        }
        Action::Command(command) => command.argv.iter().skip(1).chain(&command.stdin).collect(),
    }
}

/// Variables in path, query and body; one in a header names no object.
fn scoped_variables(step: &Step) -> BTreeSet<&str> {
    let mut scoped = super::index::variables(scoped_data(step));
    if let Action::Http(http) = &step.action {
        scoped.extend(holes(&http.target));
    }
    scoped
}

fn holds(value: &Json, prefix: &str) -> bool {
    match value {
        Json::Text(text) | Json::BrokenText(text) => text.contains(prefix),
        Json::List(items) => items.iter().any(|item| holds(item, prefix)),
        // The name inside `$var` is not sent; the text around a hole is.
        Json::Map(map) => map.iter().any(|(key, item)| !matches!(key, "$var" | "$env") && holds(item, prefix)),
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

fn cleanup(input: &LintInput<'_>, found: &mut Findings) {
    if input.environment.data.as_deref() == Some("disposable") {
        return;
    }
    for scenario in &input.plan.scenarios {
        if scenario.steps.iter().any(Step::is_cleanup) {
            continue;
        }
        let leaves = |step: &&Step| matches!(&step.action, Action::Http(http) if matches!(http.method.as_str(), "POST" | "PUT" | "PATCH"));
        let Some(step) = scenario.steps.iter().find(leaves) else { continue };
        let message =
            format!("case {} writes with {}, has no cleanup, and its data is not disposable", scenario.id, draw(step));
        if input.environment.declared == Declared::Nobody {
            found.warning(Code::WriteWithoutCleanup, scenario, message);
        } else {
            found.error(Code::WriteWithoutCleanup, scenario, message);
        }
    }
}

fn draw(step: &Step) -> String {
    match &step.action {
        Action::Http(http) => format!("{} {}", http.method, shortened(&http.target, 80)),
        Action::Command(command) => {
            let program = command.argv.first().filter(|arg| is_literal(arg)).and_then(Json::as_text);
            format!("the command {}", program.unwrap_or("of the step"))
        }
    }
}
