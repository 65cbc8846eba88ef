//! Whether what a plan writes is declared, and cleaned up (plan.md "`mutation`", design.md section 10).

use super::LintInput;
use super::findings::{At, Findings};
use crate::codes::Code;
use crate::environment::Declared;
use crate::inert::shortened;
use crate::json::Json;
use crate::plan::{Action, Plan, Step, WritePolicy};
use crate::vars::is_literal;
use crate::write_policy::{Ours, is_prefix, scoped_data, scoped_variables, writes};

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
                if is_write(step, input) {
                    let message = format!("{} writes, and the policy is read-only", draw(step));
                    found.error(Code::WriteUndeclared, step, message);
                }
            }
        }
        WritePolicy::ScopedWrite => match mutation.prefix.as_deref().filter(|prefix| is_prefix(prefix)) {
            Some(prefix) => scoped(prefix, input, found),
            None => {
                let message = "scoped-write needs a prefix of at least 3 letters, digits, _ or -, or {qa_marker}";
                found.error(Code::WriteUndeclared, At::plan(), message);
            }
        },
    }
}

/// Each writing step carries the prefix, or names an object by a value that an allowed write of its case saved.
fn scoped(prefix: &str, input: &LintInput<'_>, found: &mut Findings) {
    for scenario in &input.plan.scenarios {
        let mut ours = Ours::default();
        for step in &scenario.steps {
            let writes = is_write(step, input);
            let named = scoped_variables(step).into_iter().any(|name| ours.has(name));
            let allowed = !writes || named || carries(prefix, step, input.plan);
            if !allowed {
                let message = format!(
                    "{} carries neither the prefix {prefix} nor an id saved from an allowed write of this case",
                    draw(step)
                );
                found.error(Code::WriteUndeclared, step, message);
            }
            ours.take(writes && allowed, step.saves.iter().map(|save| save.name.as_str()));
        }
    }
}

fn is_write(step: &Step, input: &LintInput<'_>) -> bool {
    writes(step, input.commands, input.mutation_rules)
}

/// Whether the prefix stands in path, query or body (argv or stdin of a command), in a constant if need be.
fn carries(prefix: &str, step: &Step, plan: &Plan) -> bool {
    let constant = |name: &str| {
        plan.vars.iter().any(|(known, value)| known == name && value.as_text().is_some_and(|t| t.contains(prefix)))
    };
    scoped_data(step).into_iter().any(|value| holds(value, prefix))
        || matches!(&step.action, Action::Http(http) if http.target.contains(prefix))
        || scoped_variables(step).into_iter().any(|name| constant(name) || prefix == format!("{{{name}}}"))
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
        Action::Log(log) => format!("a look at the log of {}", log.service),
    }
}
