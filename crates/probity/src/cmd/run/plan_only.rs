//! `run --plan-only`: checks, coverage, which services would be started, whether the targets can be reached, and what would be
//! run, step by step. It starts nothing, sends nothing, keeps nothing and can never pass.

use probity_core::checked::CheckedPlan;
use probity_core::codes::Code;
use probity_core::json::Json;
use probity_core::judged::drawn_action;
use probity_core::plan::{Action, Scenario, Step};
use probity_core::verdict::worst_exit;

use super::{Ask, event_loop, interrupts};
use crate::answer::next::{How, Move};
use crate::answer::site::word;
use crate::answer::{LARGEST, clip, document, error, facts, share, size, texts};
use crate::cmd::plan::{Read, Said, counted, drawn_findings, summary};
use crate::engine::{self, Planned, ServiceCheck, Shared};
use crate::out::Out;
use crate::plans::PlanSource;
use crate::screen::block::{Block, Tone};

/// Says what would be run; gives the worst exit code.
pub(super) fn plan_only(ask: &Ask<'_>, sources: &[PlanSource], out: Out) -> u8 {
    let runtime = match event_loop(out) {
        Ok(runtime) => runtime,
        Err(exit) => return exit,
    };
    let cancel = runtime.block_on(async { interrupts() });
    let mut plans = Vec::new();
    for source in sources {
        let mut shared = Shared::default();
        let silent = |_: engine::Event<'_>| {};
        let request = ask.request(source, &cancel, &mut shared, &silent);
        match runtime.block_on(engine::plan(&request)) {
            Ok(planned) => plans.push((source, planned)),
            Err(error) => return ask.failed(&error, out),
        }
        if *cancel.borrow() {
            return 130;
        }
    }
    let exits: Vec<u8> = plans.iter().map(|(_, planned)| planned.exit()).collect();
    let exit = worst_exit(&exits);
    if out.json {
        out.data(&answer(&plans, exit));
    } else {
        plans.iter().for_each(|(source, planned)| out.data(&screen(ask, source, planned, out)));
    }
    exit
}

/// The cases that would be run.
fn cases(planned: &Planned) -> impl Iterator<Item = &Scenario> {
    let scenarios = &planned.checked.plan().scenarios;
    planned.cases.iter().filter_map(|id| scenarios.iter().find(|scenario| scenario.id == *id))
}

/// What a step does, with the whole target where it speaks to one.
fn does(checked: &CheckedPlan, step: &Step) -> String {
    let base = checked.environment().url.as_deref().or(checked.plan().base_url.as_deref());
    match (&step.action, base) {
        (Action::Http(http), Some(base)) if http.target.starts_with('/') => {
            format!("{} {}{}", http.method, base.trim_end_matches('/'), http.target)
        }
        _ => drawn_action(step),
    }
}

fn screen(ask: &Ask<'_>, source: &PlanSource, planned: &Planned, out: Out) -> String {
    let checked = &planned.checked;
    let read = Read::new(source.clone(), checked.clone());
    let mut block = Block::new(out);
    let exit = planned.exit();
    let steps = cases(planned).map(|case| case.steps.len()).sum();
    let size: Vec<String> =
        [counted(planned.cases.len(), "case"), counted(steps, "step")].into_iter().flatten().collect();
    let (tone, what) = match exit {
        1 => (Tone::Bad, "the check found errors; a run would send nothing".to_owned()),
        3 if planned.hindered() => {
            (Tone::Open, "a service is not as a run needs it; a run would send nothing".to_owned())
        }
        3 => (Tone::Open, "a target gives no connection; a run would send nothing".to_owned()),
        _ => (Tone::Open, format!("nothing was run; {} would be", size.join(", "))),
    };
    block.verdict("UNTESTED", tone, &format!("{}: {what}", checked.title()));
    block.line(2, 10, &summary(&read));
    planned.services.iter().for_each(|check| service(&mut block, check));
    for (origin, failure) in &planned.preflight {
        match failure {
            None => block.row(2, "reached", 11, &origin.to_string()),
            Some(failure) => {
                block.row(2, "BLOCKED", 11, &format!("{}   {origin}: {}", failure.kind.code(), failure.message));
            }
        }
    }
    for case in cases(planned) {
        let after = if case.uses.is_empty() {
            String::new()
        } else {
            format!("   after {}", case.uses.iter().map(|used| used.case.to_string()).collect::<Vec<_>>().join(", "))
        };
        block.row(2, case.id.as_str(), 11, &format!("{}{after}", case.title));
        for step in &case.steps {
            let part = if step.always_run { "cleanup  " } else { "" };
            block.row(4, step.id.as_str(), 18, &format!("{part}{}", does(checked, step)));
        }
    }
    let command = match exit {
        1 => format!("probity plan check {}", word(&source.name)),
        _ => format!("probity run {}", word(&source.name)),
    };
    let (act, note) = if exit == 1 { ("fix", "what forbids a run") } else { ("run", "") };
    block.next(&[Move {
        act,
        who: probity_core::codes::Who::Agent,
        why: "untested".to_owned(),
        how: How::Command(command, note.to_owned()),
    }]);
    block.line(0, 0, &format!("exit {exit}"));
    drawn_findings(&read, ask.project, out) + &block.done()
}

/// What a run would do with a service: start it and wait for it, use it, or be blocked by it.
fn service(block: &mut Block, check: &ServiceCheck) {
    let spec = &check.service;
    let ports: Vec<String> = check.occupied.iter().map(ToString::to_string).collect();
    if check.is_occupied() {
        let what = format!("{}   {}: port {} answers already", Code::PortOccupied, spec.id, ports.join(", "));
        block.row(2, "BLOCKED", 11, &what);
    } else if !check.occupied.is_empty() {
        block.row(2, "adopt", 11, &format!("{}   port {} answers already and is used", spec.id, ports.join(", ")));
    } else if let Some(why) = &check.blocker {
        block.row(2, "BLOCKED", 11, &format!("{}   {}: {why}", Code::ServiceNotReady, spec.id));
    } else {
        let cwd = if spec.cwd == "." { String::new() } else { format!("   in {}", spec.cwd) };
        block.row(2, "start", 11, &format!("{}   {}{cwd}", spec.id, spec.drawn()));
        let wait = format!("{}, at most {} s", spec.ready.drawn(), spec.timeout_ms.div_ceil(1000));
        block.row(4, "ready", 18, &wait);
    }
}

/// The same for programs.
fn service_row(check: &ServiceCheck) -> Json {
    let spec = &check.service;
    let code = match (check.is_occupied(), &check.blocker) {
        (true, _) => Some(Code::PortOccupied),
        (false, Some(_)) if check.occupied.is_empty() => Some(Code::ServiceNotReady),
        _ => None,
    };
    Json::map([
        ("service", Json::from(spec.id.as_str())),
        ("command", texts(spec.start.iter().take(12), 120)),
        ("cwd", clip(&spec.cwd, 150).into()),
        ("ports", Json::list(spec.ports().into_iter().map(u64::from))),
        ("occupied", Json::list(check.occupied.iter().map(|port| u64::from(*port)))),
        ("ready", clip(&spec.ready.drawn(), 200).into()),
        ("adopt", spec.adopt.into()),
        ("would_start", (check.occupied.is_empty() && check.blocker.is_none()).into()),
        ("code", code.map(Code::as_str).into()),
        ("message", check.blocker.as_ref().map(|why| clip(why, 200)).into()),
    ])
}

fn answer(plans: &[(&PlanSource, Planned)], exit: u8) -> String {
    let reads = plans.iter().map(|(source, planned)| Read::new((*source).clone(), planned.checked.clone()));
    let said = Said::of(&reads.collect::<Vec<_>>());
    let rows: Vec<Json> = plans.iter().take(20).map(|(source, planned)| plan_row(source, planned)).collect();
    let steps: Vec<Json> = plans.iter().flat_map(|(source, planned)| step_rows(source, planned)).collect();
    let build = |taken: [usize; 4]| {
        let [plans_taken, findings, uncovered, steps_taken] = taken;
        Json::map([
            ("schema", Json::from("probity/plan-only/1")),
            ("exit", exit.into()),
            ("status", "untested".into()),
            ("can_claim_pass", false.into()),
            ("plans", Json::List(rows[..plans_taken].to_vec())),
            ("findings", Json::List(said.findings[..findings].to_vec())),
            ("coverage", said.coverage(uncovered)),
            ("steps", Json::List(steps[..steps_taken].to_vec())),
            (
                "left_out",
                Json::map([
                    ("plans", plans.len() - plans_taken),
                    ("findings", said.findings.len() - findings),
                    ("uncovered", said.uncovered.len() - uncovered),
                    ("steps", steps.len() - steps_taken),
                ]),
            ),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build([0; 4])) + 50);
    let taken = share(room, &[&rows, &said.findings, &said.uncovered, &steps]);
    document(&build([taken[0], taken[1], taken[2], taken[3]]))
}

fn plan_row(source: &PlanSource, planned: &Planned) -> Json {
    let reached = planned.preflight.iter().take(10).map(|(origin, failure)| {
        Json::map([
            ("origin", Json::from(clip(&origin.to_string(), 150))),
            ("code", failure.as_ref().map(|failure| failure.kind.code().as_str()).into()),
            ("message", failure.as_ref().map(|failure| clip(&failure.message, 200)).into()),
        ])
    });
    Json::map([
        ("plan", Json::from(clip(&source.name, 150))),
        ("title", clip(planned.checked.title(), 150).into()),
        ("exit", planned.exit().into()),
        ("environment", facts::environment(planned.checked.environment())),
        ("services", Json::List(planned.services.iter().take(10).map(service_row).collect())),
        ("preflight", Json::List(reached.collect())),
        ("cases", planned.cases.len().into()),
    ])
}

fn step_rows(source: &PlanSource, planned: &Planned) -> Vec<Json> {
    let row = |case: &Scenario, step: &Step| {
        Json::map([
            ("plan", Json::from(clip(&source.name, 150))),
            ("case", case.id.as_str().into()),
            ("step", step.id.as_str().into()),
            ("does", clip(&does(&planned.checked, step), 300).into()),
            ("cleanup", step.always_run.into()),
            ("idempotent", step.idempotent.into()),
            ("checks", step.checks.len().into()),
            ("covers", texts(&step.requirement_ids, 150)),
            ("place", error::place(planned.checked.file(), Some(step.place))),
        ])
    };
    cases(planned).flat_map(|case| case.steps.iter().map(move |step| row(case, step))).collect()
}
