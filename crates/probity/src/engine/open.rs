//! Opening a run: documents are read and checked, everything that influences the run is sealed.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use probity_core::checked::CheckedPlan;
use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostic;
use probity_core::ids::{Digest, Id};
use probity_core::inputs::{credentials_of, key_files_of};
use probity_core::journal::Kind;
use probity_core::journal::body::{PlanChecked, Role};
use probity_core::journal::opened::{ISOLATION_MOUNTS, ISOLATION_NONE, Limits, Options, RunOpened};
use probity_core::json::Json;
use probity_core::judged::{ALLOWED, DERIVATION};
use probity_core::observe::Failure;
use probity_core::plan::{Action, KeySource, Plan, Step};
use probity_core::recorded::{MARKER, program_name};
use probity_core::redact::{self, Redactor, Written, searchable};
use probity_core::service;
use probity_core::walk;
use probity_probes::command::{self, Isolated, Sealed, seal};
use probity_probes::http::Secrets;
use probity_store::StoreError;
use probity_store::list::{Opening, RunList};
use probity_store::run::RunFolder;

use super::budget::Budget;
use super::desk::{Desk, Run};
use super::recorder::Recorder;
use super::services::{self, Services};
use super::{EngineError, Event, Request, clock, git};
use crate::plans::Documents;
use crate::project::Project;
use crate::read_plan::{self, Files};

/// Opens a run.
pub(super) fn open(request: Request<'_>) -> Result<Run<'_>, EngineError> {
    // Takes its time and needs nothing of the plan.
    std::thread::spawn(executable);
    let (checked, files) = admit(&request)?;
    let selected = walk::selected(checked.plan(), checked.matrix(), &request.only);
    let (secrets, redactor, common) = credentials(&checked, request.project);
    for name in common {
        (request.progress)(Event::Warning(format!(
            "{}: the value of {name} is short or stands in the plan; it is not searched for in answers",
            Code::SecretTooCommon
        )));
    }
    let jobs = request.jobs.or(checked.profile().limits.jobs).unwrap_or(1);
    let steps = selected.iter().flatten().map(|scenario| scenario.steps.len() as u64).sum();
    let limits = Limits::for_plan(steps, checked.profile().limits);
    let cleanups =
        selected.iter().flatten().flat_map(|scenario| &scenario.steps).filter(|step| step.always_run).count();
    let budget = Budget::begin(limits, cleanups as u64, request.shared);
    let nonce = random_hex(16);
    let run = run_id(&request.source.slug(), &nonce);
    let folder = RunFolder::create(&request.runs, &run)?;
    let list = RunList::of(&request.runs);
    let mut recorder = Recorder::new(folder, redactor, None);
    let series = checked.series();
    let opening = Opening { at: recorder.now(), run, nonce: nonce.clone(), series: series.clone() };
    let attempt = list.open_run(&opening)?;
    let isolated = isolated(&checked, &recorder.folder, &list);
    let plan_bytes = match &request.source.documents {
        Documents::Written(bytes) => Some((request.source.path.as_path(), bytes.as_slice())),
        Documents::Seed(_) => None,
    };
    let opened = RunOpened {
        nonce,
        challenge: request.challenge.clone(),
        goal: checked.title().to_owned(),
        marker: format!("{MARKER}{}", random_hex(12)),
        tool: format!("probity {}", env!("CARGO_PKG_VERSION")),
        derivation: DERIVATION,
        executable: executable(),
        isolation: if isolated.is_some() { ISOLATION_MOUNTS } else { ISOLATION_NONE }.to_owned(),
        series,
        attempt,
        options: Options {
            environment: request.environment.clone(),
            only: request.only.clone(),
            allow: request.allow.clone(),
            jobs,
        },
        limits: budget.limits(),
        environment: checked.environment().to_json(),
        git: git::state(&request.project.root, plan_bytes),
    };
    recorder.write(Kind::RunOpened, &opened)?;
    // `qa_started_at` is what the journal says, so that it can be worked out again.
    let opened_at = recorder.last_at().to_owned();
    let programs = programs(request.project, checked.plan());
    let checked = Arc::new(checked);
    spare(&mut recorder, &checked, &opened);
    let run = Run {
        service_programs: services::sealed(request.project, &checked),
        request,
        secret_variables: Arc::new(redact::variables(checked.plan())),
        checked,
        list,
        secrets,
        programs,
        files,
        opened,
        opened_at,
        isolated,
        lost: false,
        looking: tokio::sync::Mutex::default(),
        desk: RefCell::new(Desk { recorder, budget, services: Services::default(), cancelled: false }),
    };
    let findings = run.checked.findings().iter().map(Diagnostic::to_json).collect();
    let ok = run.checked.is_ok();
    run.at_desk(|desk| {
        seal_inputs(&run, &mut desk.recorder)?;
        desk.recorder.write(Kind::PlanChecked, &PlanChecked { ok, findings })
    })?;
    Ok(run)
}

/// What is refused before a run folder is made: a code that cannot be let through, documents that cannot be read or hold
/// a secret, a selection that names nothing.
pub(super) fn admit(request: &Request<'_>) -> Result<(CheckedPlan, Files), EngineError> {
    if let Some(code) = request.allow.iter().find(|code| ALLOWED.iter().all(|(known, _)| known != code)) {
        return Err(EngineError::NotAllowable(code.clone()));
    }
    let (checked, files) = read(request)?;
    let selected = walk::selected(checked.plan(), checked.matrix(), &request.only);
    if selected.is_none_or(|selected| selected.is_empty()) {
        return Err(EngineError::NothingSelected(request.only.clone()));
    }
    Ok((checked, files))
}

/// Reads and checks the documents; a secret in them stops everything.
fn read(request: &Request<'_>) -> Result<(CheckedPlan, Files), EngineError> {
    let (checked, files) = read_plan::read(request.project, request.source, request.environment.as_deref())
        .map_err(EngineError::Documents)?;
    let secret = |finding: &&Diagnostic| matches!(finding.code, Code::SecretLiteral | Code::AuthLiteral);
    let secrets: Vec<Diagnostic> = checked.errors().filter(secret).cloned().collect();
    if !secrets.is_empty() {
        // A secret in what would be sealed: nothing is written at all.
        return Err(EngineError::Documents(secrets));
    }
    Ok((checked, files))
}

/// The credentials that the plan and its services refer to, what replaces them wherever they come back, and the names of those that
/// cannot be searched for.
pub(super) fn credentials(checked: &CheckedPlan, project: &Project) -> (Secrets, Redactor, BTreeSet<String>) {
    let plan = checked.plan();
    let mut secrets = Secrets::new();
    let mut values = Vec::new();
    let names: BTreeSet<&str> =
        credentials_of(plan).into_iter().chain(service::credentials_of(checked.profile())).collect();
    for name in names {
        if let Ok(value) = std::env::var(name) {
            values.push((name.to_owned(), value.clone()));
            // `user:password` may come back as the password alone.
            if let Some((_, password)) = value.split_once(':') {
                values.push((name.to_owned(), password.to_owned()));
            }
            secrets.insert(name.to_owned(), value);
        }
    }
    for path in key_files_of(plan) {
        // A key that is not there stops the step that needs it.
        if let Some(key) = project.read(path).and_then(|bytes| String::from_utf8(bytes).ok()) {
            let name = KeySource::File(path.to_owned()).credential();
            // A key comes back whole or by its lines.
            let parts = std::iter::once(key.trim()).chain(key.lines().filter(|line| !line.starts_with("-----")));
            values.extend(parts.map(|part| (name.clone(), part.to_owned())));
            secrets.insert(name, key);
        }
    }
    let mut key = [0; 32];
    // Without random bytes the placeholders would be the same in each run; they would still hide the values.
    let _ = getrandom::fill(&mut key);
    let (values, common) = searchable(checked.plan_text(), values);
    (secrets, Redactor::new(&key, &values), common)
}

/// Keeps the children of a plan, if it has any, out of the run folder and the run list.
pub(super) fn isolated(checked: &CheckedPlan, folder: &RunFolder, list: &RunList) -> Option<Isolated> {
    let starts = |step: &Step| matches!(step.action, Action::Command(_));
    let plan = checked.plan();
    let any = plan.scenarios.iter().flat_map(|scenario| &scenario.steps).any(starts)
        || !service::needed(checked.profile(), checked.environment(), plan).is_empty();
    any.then(|| Isolated::from(&[folder.path(), &list.path()])).flatten()
}

/// Takes what the plan writes out, and what the engine made for the run, for no secrets.
pub(super) fn spare(recorder: &mut Recorder, checked: &Arc<CheckedPlan>, opened: &RunOpened) {
    let ours = vec![opened.marker.clone(), recorder.folder.run().to_owned()];
    let checked = Arc::clone(checked);
    // To be asked for when something may be a secret, which most runs never do.
    let written: Written = Arc::new(move || redact::written(checked.plan_text()));
    recorder.redactor = std::mem::take(&mut recorder.redactor).sparing(written, ours);
}

/// Hashes the program and the scripts of each command step now; they are compared again before each start.
pub(super) fn programs(project: &Project, plan: &Plan) -> BTreeMap<Id, Result<Sealed, Failure>> {
    let path = project.path_variable();
    let steps = plan.scenarios.iter().flat_map(|scenario| &scenario.steps);
    steps
        .filter_map(|step| match &step.action {
            Action::Http(_) | Action::Log(_) => None,
            Action::Command(command) => {
                let argv: Vec<String> = if command.shell {
                    vec!["sh".to_owned()]
                } else {
                    // Values of variables never name a program or a script.
                    command.argv.iter().filter_map(|word| word.as_text().map(str::to_owned)).collect()
                };
                let cwd = command.cwd.as_deref().unwrap_or(".");
                Some((step.id.clone(), seal(&argv, cwd, &project.root, &path)))
            }
        })
        .collect()
}

fn seal_inputs(run: &Run<'_>, recorder: &mut Recorder) -> Result<(), StoreError> {
    let source = run.request.source;
    let folder = source.folder();
    if let Documents::Written(bytes) = &source.documents {
        recorder.seal(Role::Written, &source.name, bytes, 0)?;
    }
    recorder.seal(Role::Requirement, &format!("{folder}requirement.md"), run.checked.requirement().as_bytes(), 0)?;
    recorder.seal(Role::Matrix, &format!("{folder}test-matrix.json"), run.checked.matrix_text().as_bytes(), 0)?;
    recorder.seal(Role::Plan, &format!("{folder}test-plan.json"), run.checked.plan_text().as_bytes(), 0)?;
    if let Some((name, bytes)) = &run.request.project.settings {
        recorder.seal(Role::Profile, name, bytes, 0)?;
    }
    for (name, bytes) in &run.files {
        recorder.seal(Role::File, name, bytes, 0)?;
    }
    let known: BTreeSet<Digest> = run.files.values().map(|bytes| Digest::of(bytes)).collect();
    let root = run.request.project.root.canonicalize().unwrap_or_default();
    let mut sealed: BTreeMap<String, Digest> = BTreeMap::new();
    for step in run.checked.plan().scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let (Some(Ok(program)), Action::Command(command)) = (run.programs.get(&step.id), &step.action) else {
            continue;
        };
        let name = if command.shell { Some("sh") } else { command.argv.first().and_then(Json::as_text) };
        sealed.extend(parts(name, program, &root, &known));
    }
    for service in service::needed(run.checked.profile(), run.checked.environment(), run.checked.plan()) {
        if let Some(Ok(program)) = run.service_programs.get(&service.id) {
            sealed.extend(parts(service.start.first().map(String::as_str), program, &root, &known));
        }
    }
    for (name, digest) in sealed.iter().filter(|(name, _)| !run.files.contains_key(*name)) {
        recorder.seal_program(name, *digest)?;
    }
    Ok(())
}

/// What a command consists of, by the names that records use: its program under the name as written, its interpreter, and
/// the files that its arguments name, which influence the run as much as the program does.
fn parts(name: Option<&str>, program: &Sealed, root: &Path, known: &BTreeSet<Digest>) -> Vec<(String, Digest)> {
    let inside = |path: &Path| path.strip_prefix(root).map(|name| name.to_string_lossy().into_owned());
    let named = name.map(|name| (program_name(name).to_owned(), program.program_digest));
    let interpreter = program.interpreter.iter().map(|(name, _, digest)| (program_name(name).to_owned(), *digest));
    let files = program.files.iter().filter(|(.., digest)| !known.contains(digest));
    let files = files.filter_map(|(_, path, digest)| Some((inside(path).ok()?, *digest)));
    named.into_iter().chain(interpreter).chain(files).collect()
}

fn run_id(slug: &str, nonce: &str) -> Id {
    let text = format!("{}-{slug}-{}", clock::stamp(), &nonce[..8]);
    // Stamp, slug and digits are made of letters, digits and hyphens, and are shorter than an id may be.
    Id::parse(&text).unwrap_or_else(|_| unreachable!("{text} follows the pattern of ids"))
}

pub(super) fn random_hex(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    if getrandom::fill(&mut random).is_err() {
        // No source of random bytes: the clock and the process make a nonce that is unique, though not secret.
        let seed = format!("{} {}", clock::now(), std::process::id());
        random = Digest::of(seed.as_bytes()).as_bytes()[..bytes].to_vec();
    }
    random.iter().map(|b| format!("{b:02x}")).collect()
}

/// Digest of this program's own file.
fn executable() -> Option<String> {
    static DIGEST: OnceLock<Option<String>> = OnceLock::new();
    let digest = || Some(command::digest(&std::env::current_exe().ok()?.canonicalize().ok()?).ok()?.to_string());
    DIGEST.get_or_init(digest).clone()
}
