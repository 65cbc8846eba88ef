//! Which programs a plan starts, where and with what (harness-planning.md 2.7, threats.md B18 and B19).

use super::LintInput;
use super::findings::{At, Findings};
use super::targets::{file_exists, quoted};
use crate::allow::{Allowed, FileFact, Refusal, is_allowed, script_file};
use crate::codes::Code;
use crate::inert::shortened;
use crate::json::Json;
use crate::plan::{Action, CommandStep, Step};
use crate::vars::{Reference, holes, is_literal};

/// Variables that change which program or library runs, so that what was sealed is not what runs.
const LOADER: [&str; 12] = [
    "PATH",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "NODE_OPTIONS",
    "NODE_PATH",
    "BASH_ENV",
    "ENV",
];

/// `command_not_allowed`, `command_shell`, `command_path_outside`, `file_missing`, `template_breakout`.
pub(super) fn check(input: &LintInput<'_>, found: &mut Findings) {
    for step in input.plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        if let Action::Command(command) = &step.action {
            arguments(step, command, found);
            folder(step, command, input, found);
            program(step, command, input, found);
            for (name, _) in &command.env {
                if LOADER.contains(&name.to_ascii_uppercase().as_str()) {
                    let message = format!("the variable {name} would change which program runs");
                    found.error_with(Code::CommandNotAllowed, step, message, "Remove it from env.");
                }
            }
        }
    }
}

/// A value fills a whole argument after the first; it never becomes part of one, nor of a shell's command line.
fn arguments(step: &Step, command: &CommandStep, found: &mut Findings) {
    for (i, arg) in command.argv.iter().enumerate() {
        let message = match arg {
            Json::Text(_) => continue,
            Json::Map(_) if i > 0 && !command.shell => match Reference::of(arg).ok().flatten() {
                Some(Reference::Var(_) | Reference::Env(_)) => continue,
                Some(Reference::Template(_)) => format!("argument {i} is put together from text and a value"),
                None => format!("argument {i} is neither a text nor a reference"),
            },
            other if is_literal(other) => format!("argument {i} is neither a text nor a reference"),
            _ if command.shell => "a value would become part of a shell's command line".to_owned(),
            _ => "a value would choose the program".to_owned(),
        };
        found.error(Code::TemplateBreakout, step, message);
    }
}

fn folder(step: &Step, command: &CommandStep, input: &LintInput<'_>, found: &mut Findings) {
    let Some(cwd) = &command.cwd else { return };
    if !holes(cwd).is_empty() {
        found.error(Code::TemplateBreakout, step, format!("the folder {} holds a placeholder", quoted(cwd)));
        return;
    }
    let why = match (input.files)(cwd) {
        FileFact::Inside => return,
        FileFact::Missing => "does not exist",
        FileFact::Outside => "is outside the project",
    };
    found.error(Code::CommandPathOutside, step, format!("the folder {} {why}", quoted(cwd)));
}

fn program(step: &Step, command: &CommandStep, input: &LintInput<'_>, found: &mut Findings) {
    let granted = input.plan.grants.shell;
    if command.shell {
        if !granted {
            found.error(Code::CommandShell, step, "the step wants a shell, and the plan does not grant one");
        }
        return;
    }
    let Allowed::Refused(refusal) = is_allowed(&command.argv, input.commands, input.files) else { return };
    let message = refusal.to_string();
    match refusal {
        Refusal::NoProgram if command.argv.first().is_some_and(|arg| !is_literal(arg)) => {}
        Refusal::Shell(_) if granted => {}
        Refusal::Shell(_) => found.error(Code::CommandShell, step, message),
        Refusal::ScriptMissing(path) => file_exists("script", &path, &At::from(step), input, found),
        Refusal::ScriptOutside(_) => found.error(Code::CommandPathOutside, step, message),
        Refusal::SecretFile(_) => {
            let help = "A command may not read files that hold secrets; pass what it needs by env.";
            found.error_with(Code::CommandNotAllowed, step, message, help);
        }
        Refusal::NoProgram | Refusal::NotListed(_) => {
            let help = suggestion(command).unwrap_or_else(|| Code::CommandNotAllowed.explanation().remedy.to_owned());
            found.error_with(Code::CommandNotAllowed, step, message, help);
        }
    }
}

/// The lines that a person would paste into `probity.yaml`.
fn suggestion(command: &CommandStep) -> Option<String> {
    if script_file(&command.argv).is_some() {
        return None;
    }
    let program = command.argv.first()?.as_text()?;
    let args: Vec<String> = command.argv[1..]
        .iter()
        .map(|arg| arg.as_text().map_or_else(|| "\"*\"".to_owned(), |text| Json::from(text).to_string()))
        .collect();
    let program = Json::from(program);
    let entry = format!("{{program: {program}, args: [{}], reads: true}}", args.join(", "));
    Some(format!(
        "If it only reads, a person may add to probity.yaml: commands: {{allow: [{}]}}.",
        shortened(&entry, 240)
    ))
}
