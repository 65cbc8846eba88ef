//! `plan check` and `plan expand`: what can be said of a plan without running it.

use probity_core::checked::CheckedPlan;
use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::inputs::credentials_of;
use probity_core::json::Json;
use probity_core::lint;
use probity_formats::draw::{Style, draw};

use super::{fail_documents, here};
use crate::answer::{LARGEST, clip, document, error, share, size};
use crate::cli::PlanArgs;
use crate::out::Out;
use crate::plans::{self, Documents, PlanSource};
use crate::project::Project;
use crate::read_plan;
use crate::screen::block::{Block, safe};

/// A plan that could be read.
pub(super) struct Read {
    pub(super) source: PlanSource,
    pub(super) checked: CheckedPlan,
    /// What the check noticed, and what is not set here.
    pub(super) findings: Vec<Diagnostic>,
}

/// Reads every plan that was named.
fn read(args: &PlanArgs, out: Out) -> Result<(Project, Vec<Read>), u8> {
    let project = here(out)?;
    let sources = plans::find(&args.plans).map_err(|found| fail_documents(out, &found, &project.root))?;
    let mut plans = Vec::new();
    for source in sources {
        let read = read_plan::read(&project, &source, args.env.as_deref());
        let (checked, _) = read.map_err(|found| fail_documents(out, &found, &project.root))?;
        plans.push(Read::new(source, checked));
    }
    Ok((project, plans))
}

impl Read {
    pub(super) fn new(source: PlanSource, checked: CheckedPlan) -> Self {
        let findings = findings(&checked);
        Self { source, checked, findings }
    }
}

/// What the plan check noticed, and the credentials that are not set where it is made.
fn findings(checked: &CheckedPlan) -> Vec<Diagnostic> {
    let names = credentials_of(checked.plan());
    // As a run takes them: a value that is no text is none.
    let present = names.into_iter().filter(|name| std::env::var(name).is_ok()).collect();
    let mut findings = checked.findings().to_vec();
    findings.extend(lint::unset(checked.plan(), checked.file(), &present));
    findings.sort_by_key(Diagnostic::sort_key);
    findings
}

/// Checks plans: 0 without errors, 1 with, 2 where a document cannot be read.
pub(crate) fn check(args: &PlanArgs, out: Out) -> u8 {
    let (project, plans) = match read(args, out) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    let ok = plans.iter().all(|plan| plan.checked.is_ok());
    let exit = u8::from(!ok);
    if out.json {
        out.data(&check_json(&plans, ok, exit));
    } else {
        plans.iter().for_each(|plan| out.data(&check_screen(plan, &project, out)));
    }
    exit
}

fn check_screen(plan: &Read, project: &Project, out: Out) -> String {
    let mut block = Block::new(out);
    block.line(0, 8, &summary(plan));
    drawn_findings(plan, project, out) + &block.done()
}

/// The findings of a check, drawn, with an empty line after them.
pub(super) fn drawn_findings(plan: &Read, project: &Project, out: Out) -> String {
    let source = |name: &str| match &plan.source.documents {
        Documents::Written(bytes) if name == plan.source.name => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => std::fs::read_to_string(name).or_else(|_| std::fs::read_to_string(project.root.join(name))).ok(),
    };
    let style = Style { color: out.color, ascii: true, width: out.width };
    let drawn = draw(&plan.findings, &source, style);
    let mut text: String = drawn.lines().map(|line| guarded(line) + "\n").collect();
    if !text.is_empty() {
        text.push('\n');
    }
    text
}

/// A check in one line.
pub(super) fn summary(plan: &Read) -> String {
    let findings = &plan.findings;
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let word = if errors == 0 { "ok" } else { "ERRORS" };
    let counts = [counted(errors, "error"), counted(warnings, "warning")].into_iter().flatten();
    let parts: Vec<String> = counts.chain([size_of(&plan.checked), coverage_words(&plan.checked)]).collect();
    format!("{word}  {}: {}", plan.source.name, parts.join("; "))
}

/// A drawn line may not begin with what a CI runner obeys. Its letters were made inert when it was drawn.
pub(super) fn guarded(line: &str) -> String {
    if line.trim_start().starts_with("::") || line.contains("##[") { safe(line) } else { line.to_owned() }
}

/// `3 cases`; `None` of nothing.
pub(super) fn counted(count: usize, noun: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        count => Some(format!("{count} {noun}s")),
    }
}

fn size_of(checked: &CheckedPlan) -> String {
    let scenarios = &checked.plan().scenarios;
    let steps = scenarios.iter().map(|scenario| scenario.steps.len()).sum();
    let criteria = match checked.matrix().criteria.len() {
        1 => "1 criterion".to_owned(),
        count => format!("{count} criteria"),
    };
    let parts = [Some(criteria), counted(scenarios.len(), "case"), counted(steps, "step")];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn coverage_words(checked: &CheckedPlan) -> String {
    let coverage = checked.coverage();
    let (units, open) = (coverage.units.len(), coverage.uncovered().count());
    format!("{} of {units} requirement lines covered", units - open)
}

/// What the check says of plans, worst first: the lists that an answer may have to cut, and the rest of the coverage.
pub(super) struct Said {
    pub(super) findings: Vec<Json>,
    pub(super) uncovered: Vec<Json>,
    units: usize,
    excluded: usize,
}

impl Said {
    pub(super) fn of(plans: &[Read]) -> Self {
        let mut findings: Vec<&Diagnostic> = plans.iter().flat_map(|plan| &plan.findings).collect();
        findings.sort_by_key(|finding| finding.severity);
        let coverage = || plans.iter().map(|plan| plan.checked.coverage());
        let uncovered = coverage().flat_map(probity_core::coverage::Coverage::uncovered);
        let row = |source: &str, text: &str| Json::map([("source", clip(source, 80)), ("text", clip(text, 200))]);
        Self {
            findings: findings.into_iter().map(finding).collect(),
            uncovered: uncovered.map(|unit| row(&unit.unit.source, &unit.unit.text)).collect(),
            units: coverage().map(|coverage| coverage.units.len()).sum(),
            excluded: coverage().map(|coverage| coverage.excluded.len()).sum(),
        }
    }

    /// The coverage with the first so many lines that nothing covers.
    pub(super) fn coverage(&self, uncovered: usize) -> Json {
        Json::map([
            ("units", Json::from(self.units)),
            ("covered", (self.units - self.uncovered.len()).into()),
            ("excluded", self.excluded.into()),
            ("uncovered", Json::List(self.uncovered[..uncovered].to_vec())),
        ])
    }
}

fn check_json(plans: &[Read], ok: bool, exit: u8) -> String {
    let said = Said::of(plans);
    let names = plans.iter().map(|plan| clip(&plan.source.name, 150)).take(20);
    let names: Vec<String> = names.collect();
    let build = |findings: usize, uncovered: usize| {
        Json::map([
            ("schema", Json::from("probity/plan-check/1")),
            ("exit", exit.into()),
            ("ok", ok.into()),
            ("plans", Json::from(names.clone())),
            ("findings", Json::List(said.findings[..findings].to_vec())),
            ("coverage", said.coverage(uncovered)),
            (
                "left_out",
                Json::map([
                    ("plans", plans.len() - names.len()),
                    ("findings", said.findings.len() - findings),
                    ("uncovered", said.uncovered.len() - uncovered),
                ]),
            ),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0, 0)) + 50);
    let taken = share(room, &[&said.findings, &said.uncovered]);
    document(&build(taken[0], taken[1]))
}

fn finding(found: &Diagnostic) -> Json {
    let severity = match found.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    Json::map([
        ("code", Json::from(found.code.as_str())),
        ("severity", severity.into()),
        ("subject", found.subject.as_ref().map(|subject| clip(subject, 150)).into()),
        ("place", error::place(&found.file, found.place)),
        ("message", clip(&found.message, 300).into()),
        ("help", found.help.as_ref().map(|help| clip(help, 300)).into()),
        ("who", found.code.explanation().who.as_str().into()),
    ])
}

/// Shows the seed form of plans.
pub(crate) fn expand(args: &PlanArgs, out: Out) -> u8 {
    let (_, plans) = match read(args, out) {
        Ok(read) => read,
        Err(exit) => return exit,
    };
    if out.json {
        let rows: Vec<Json> = plans.iter().map(expanded_json).collect();
        let value = match <[Json; 1]>::try_from(rows) {
            Ok([one]) => one,
            Err(rows) => Json::map([
                ("schema", Json::from("probity/plan-expand/1")),
                ("exit", 0.into()),
                ("plans", Json::List(rows)),
            ]),
        };
        out.data(&document(&value));
    } else {
        plans.iter().for_each(|plan| out.data(&expanded_screen(&plan.checked)));
    }
    0
}

fn value(text: &str) -> Json {
    let limits = probity_core::json::Limits { depth: 256, nodes: 2_000_000 };
    // It was written from a value a moment ago, or read as one.
    probity_core::json::read(text.as_bytes(), &limits).unwrap_or_else(|_| text.into())
}

fn expanded_json(plan: &Read) -> Json {
    Json::map([
        ("schema", Json::from("probity/plan-expand/1")),
        ("exit", 0.into()),
        ("plan", plan.source.name.as_str().into()),
        ("requirement", plan.checked.requirement().into()),
        ("matrix", value(plan.checked.matrix_text())),
        ("test_plan", value(plan.checked.plan_text())),
    ])
}

fn expanded_screen(checked: &CheckedPlan) -> String {
    let sections = [
        ("requirement.md", checked.requirement()),
        ("test-matrix.json", checked.matrix_text()),
        ("test-plan.json", checked.plan_text()),
    ];
    let mut text = String::new();
    for (name, content) in sections {
        text.push_str(&format!("==> {name} <==\n"));
        content.lines().for_each(|line| {
            text.push_str(&safe(line));
            text.push('\n');
        });
        text.push('\n');
    }
    text
}
