//! `settings`: every setting in effect, with where it comes from. A flag wins over a variable, a variable over
//! probity.yaml. What a verifier trusts is no setting: a flag of `verify` says it, and a variable that tries to is named
//! (threats.md R2).

use clap::CommandFactory as _;
use clap::parser::ValueSource;
use probity_core::checked;
use probity_core::codes::Code;
use probity_core::environment::{Environment, Profile};
use probity_core::journal::opened::Limits;
use probity_core::json::Json;
use probity_store::find;

use super::verify::TRUST;
use super::{fail_documents, here};
use crate::answer::{LARGEST, clip, document, share, size};
use crate::cli::{Cli, Format, SettingsArgs};
use crate::out::{self, Out};
use crate::project::{Project, SETTINGS};
use crate::screen::block::Block;

/// Variables that are settings.
const VARIABLES: [&str; 8] = [
    "PROBITY_FORMAT",
    "PROBITY_COLOR",
    "PROBITY_ENV",
    "PROBITY_JOBS",
    "PROBITY_OUT",
    "PROBITY_AGENT",
    "PROBITY_QA_INDEX",
    "PROBITY_BY",
];

/// A setting in effect.
struct Setting {
    name: String,
    value: String,
    from: String,
}

/// Shows them.
pub(crate) fn settings(args: &SettingsArgs, out: Out) -> u8 {
    let project = match here(out) {
        Ok(project) => project,
        Err(exit) => return exit,
    };
    let file = project.settings.as_ref().map(|(name, bytes)| (name.as_str(), bytes.as_slice()));
    let profile = match checked::profile(file, &crate::derive::parse) {
        Ok(profile) => profile,
        Err(found) => return fail_documents(out, &found, &project.root),
    };
    let rows = rows(args, &project, &profile, out);
    let stray = stray();
    if out.json {
        out.data(&answer(&rows, &stray));
    } else {
        out.data(&screen(&rows, &stray, out));
    }
    0
}

fn rows(args: &SettingsArgs, project: &Project, profile: &Profile, out: Out) -> Vec<Setting> {
    // The command line was read once already; this time only where its values came from is asked.
    let matches = Cli::command().try_get_matches().ok();
    let sub = matches.as_ref().and_then(|matches| matches.subcommand_matches("settings"));
    let source = |name: &str| sub.and_then(|matches| matches.value_source(name));
    let typed = |name: &str, variable: &str| match source(name) {
        Some(ValueSource::CommandLine) => Some(format!("flag --{name}")),
        Some(ValueSource::EnvVariable) => Some(format!("variable {variable}")),
        _ => None,
    };
    let mut rows = Vec::new();
    let mut add = |name: &str, value: String, from: String| rows.push(Setting { name: name.to_owned(), value, from });
    let default = || "default".to_owned();
    let format = if out.json { Format::Json } else { Format::Human };
    add("format", format!("{format:?}").to_lowercase(), typed("format", "PROBITY_FORMAT").unwrap_or_else(default));
    let color =
        ["FORCE_COLOR", "NO_COLOR"].into_iter().find(|name| std::env::var_os(name).is_some_and(|v| !v.is_empty()));
    let from = typed("color", "PROBITY_COLOR").or_else(|| color.map(|name| format!("variable {name}")));
    add("color", if out.color { "on" } else { "off" }.to_owned(), from.unwrap_or_else(default));
    let quiet = if out.quiet { "the block alone" } else { "progress on standard error" };
    add("talk", quiet.to_owned(), out::agent().map_or_else(default, |name| format!("variable {name}")));
    let runs = find::runs_root(args.out.as_deref(), &project.root);
    add("out", runs.display().to_string(), typed("out", "PROBITY_OUT").unwrap_or_else(default));
    let named = std::env::var("PROBITY_QA_INDEX").ok().filter(|text| !text.is_empty());
    let index = super::qa::target(named.as_deref(), &runs).map_or_else(|e| e.to_string(), |target| target.to_string());
    let from = if named.is_some() { "variable PROBITY_QA_INDEX".to_owned() } else { default() };
    add("qa index", index, from);
    let env = args.env.clone().or_else(|| profile.default_environment.clone());
    let from = typed("env", "PROBITY_ENV")
        .unwrap_or_else(|| if env.is_some() { format!("{SETTINGS}; a plan may name another") } else { default() });
    add("environment", env.unwrap_or_else(|| "what the plan says".to_owned()), from);
    let file = |set: bool| if set { SETTINGS.to_owned() } else { "default".to_owned() };
    let limits = Limits::for_plan(0, profile.limits);
    let (own, given) = (profile.limits, project.settings.is_some());
    let more = |set: bool, text: &str| if set { String::new() } else { text.to_owned() };
    let time = format!("{} s{}", limits.time_ms / 1000, more(own.time_ms.is_some(), " and 2 s a step"));
    add("limits.time", time, file(own.time_ms.is_some()));
    let probes = format!("{}{}", limits.probes, more(own.probes.is_some(), ", or 2 a step"));
    add("limits.probes", probes, file(own.probes.is_some()));
    add("limits.output", format!("{} bytes", limits.output), file(own.output.is_some()));
    let from = typed("jobs", "PROBITY_JOBS").unwrap_or_else(|| file(own.jobs.is_some()));
    add("limits.jobs", args.jobs.or(own.jobs).unwrap_or(1).to_string(), from);
    for (name, environment) in &profile.environments {
        add(&format!("environments.{name}"), drawn(environment), SETTINGS.to_owned());
    }
    for service in &profile.services {
        let ports: Vec<String> = service.ports().iter().map(ToString::to_string).collect();
        let port = if ports.is_empty() { String::new() } else { format!(", port {}", ports.join(" and ")) };
        let adopt = if service.adopt { ", adopted where it runs" } else { "" };
        let value = format!("{}{port}, ready by {}{adopt}", service.drawn(), service.ready.drawn());
        add(&format!("services.{}", service.id), value, SETTINGS.to_owned());
    }
    for judge in &profile.judges {
        let pinned = if judge.pin.is_some() { "pinned" } else { "not pinned" };
        add(
            &format!("judges.{}", judge.name),
            format!("{}, by {}, {pinned}", judge.run.join(" "), judge.by),
            SETTINGS.to_owned(),
        );
    }
    let allowed = format!("{} beside the shipped ones", profile.commands.len());
    add("commands.allow", allowed, file(given && !profile.commands.is_empty()));
    rows
}

/// Kind, origin and data; nothing of a URL that could hold a secret.
fn drawn(environment: &Environment) -> String {
    let unsaid = || "not said".to_owned();
    let origins: Vec<String> = environment.origins.iter().map(ToString::to_string).collect();
    let (kind, data) = (environment.kind.clone(), environment.data.clone());
    format!("{}, kind {}, data {}", origins.join(" "), kind.unwrap_or_else(unsaid), data.unwrap_or_else(unsaid))
}

/// Variables of ours that have no effect: those that would say what is trusted, and those that nobody knows. Their
/// values are not shown.
fn stray() -> Vec<(String, bool)> {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let mut found: Vec<(String, bool)> = names
        .filter(|name| name.starts_with("PROBITY_") && !VARIABLES.contains(&name.as_str()))
        .map(|name| (name.clone(), TRUST.contains(&name.as_str())))
        .collect();
    found.sort();
    found
}

fn screen(rows: &[Setting], stray: &[(String, bool)], out: Out) -> String {
    let mut block = Block::new(out);
    for row in rows {
        block.row(0, &row.name, 20, &format!("{}   ({})", row.value, row.from));
    }
    let flags =
        "--allowed-signers --require-signature --subject --plan --requirement --environment --max-age --seal --index";
    block.row(0, "trust", 20, &format!("flags of probity verify alone: {flags}"));
    for (name, trust) in stray {
        if *trust {
            let code = Code::TrustFromEnvironment;
            block.row(0, "REFUSED", 20, &format!("{code}   {name}: what is trusted is said by a flag"));
        } else {
            block.row(0, "UNKNOWN", 20, &format!("{name}: no setting of this name"));
        }
    }
    block.done()
}

fn answer(rows: &[Setting], stray: &[(String, bool)]) -> String {
    let settings: Vec<Json> = rows
        .iter()
        .map(|row| {
            Json::map([
                ("name", Json::from(clip(&row.name, 150))),
                ("value", clip(&row.value, 300).into()),
                ("from", clip(&row.from, 80).into()),
            ])
        })
        .collect();
    let refused: Vec<Json> = stray
        .iter()
        .map(|(name, trust)| {
            let code = trust.then_some(Code::TrustFromEnvironment.as_str());
            Json::map([("variable", Json::from(clip(name, 80))), ("code", code.into())])
        })
        .collect();
    let build = |taken: usize, refused_taken: usize| {
        Json::map([
            ("schema", Json::from("probity/settings/1")),
            ("exit", 0.into()),
            ("settings", Json::List(settings[..taken].to_vec())),
            ("without_effect", Json::List(refused[..refused_taken].to_vec())),
            (
                "left_out",
                Json::map([("settings", settings.len() - taken), ("without_effect", refused.len() - refused_taken)]),
            ),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0, 0)) + 50);
    let taken = share(room, &[&settings, &refused]);
    document(&build(taken[0], taken[1]))
}
