//! Taking up a run that was never closed: nothing is tried again; what can be cleaned up is, and the run is closed with
//! what is not known. Of a closed run only the views are written again (design.md section 3).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use probity_core::audit::AuditedStep;
use probity_core::codes::Code;
use probity_core::ids::{Digest, Id};
use probity_core::journal::Kind;
use probity_core::journal::body::{Role, RuntimeObserved};
use probity_core::judged::Judged;
use probity_core::observe::{Failure, FailureKind};
use probity_core::recorded::Recorded;
use probity_core::redact::{self, Redactor};
use probity_core::service::Service;
use probity_core::walk::{self, CaseWalk, EngineValues, Walked};
use probity_probes::command::Sealed;
use probity_probes::http::{Client, Settings};
use probity_store::StoreError;
use probity_store::list::RunList;
use probity_store::run::Reopened;
use probity_store::snapshot::{Budget as Limits, Problem, Snapshot};
use tokio::sync::watch;

use super::budget::{Budget, Shared};
use super::cases::Case;
use super::close::{listed, seal};
use super::desk::{Desk, Run};
use super::open;
use super::recorder::Recorder;
use super::services::{self, Services};
use super::writing::Writing;
use super::{EngineError, Finished, Request, steps};
use crate::derive;
use crate::plans::{Documents, PlanSource};
use crate::project::Project;

/// Takes up a run folder.
pub(crate) fn resume(dir: &Path, runs: &Path) -> Result<Finished, EngineError> {
    foreign(dir)?;
    let list = RunList::of(runs);
    let mut reopened = Reopened::open(dir)?;
    if reopened.closed() {
        finish(dir, &list, &reopened)?;
        drop(reopened);
        return Ok(Finished { verified: super::verified(dir), dir: dir.to_path_buf() });
    }
    if reopened.entries() == 0 {
        let message = "the process ended before the run was opened, so there is nothing to close".to_owned();
        return Err(StoreError::JournalFault { code: Code::NotOpened, line: 1, message }.into());
    }
    let last_at = derive::last_time(reopened.journal());
    let dropped = reopened.drop_torn_tail()?.map_or(0, |torn| torn.bytes);
    let folder = reopened.resume()?;
    let mut recorder = Recorder::new(folder, Redactor::default(), last_at.as_deref());
    recorder.write(Kind::RuntimeObserved, &RuntimeObserved::Resumed { dropped_bytes: dropped })?;
    recorder.folder.sync()?;
    // Only a run that this list saw open may act here: a folder from elsewhere must not send anything.
    let ours = !list.find(recorder.folder.run())?.is_empty();
    let lost = derive::lost(dir);
    let receipts = lost.as_ref().map(|(judged, _)| receipts(judged));
    let mut recorder = match lost.filter(|_| ours) {
        Some((judged, files)) => clean_up(recorder, &list, &judged, files)?,
        None => recorder,
    };
    if let Some((recorded, needed)) = receipts {
        services::stop_recorded(&mut recorder, &recorded, &needed, ours)?;
    }
    seal(recorder, &list, None)
}

/// Refuses a folder with links, devices or giants before anything in it is opened for writing. What else is wrong with it
/// is for the journal's reader to say, and for the verification at the end.
fn foreign(dir: &Path) -> Result<(), EngineError> {
    let problems = Snapshot::of_folder(dir, &Limits::default()).err().unwrap_or_default();
    let refused = |problem: &&Problem| matches!(problem.code, Code::LinkRefused | Code::OverBudget);
    match problems.iter().find(refused) {
        None => Ok(()),
        Some(problem) if problem.code == Code::OverBudget => {
            Err(StoreError::OverBudget { path: dir.join(&problem.file), reason: problem.message.clone() }.into())
        }
        Some(problem) => Err(StoreError::LinkRefused {
            path: dir.join(&problem.file),
            reason: "it is a link, or no file with one name",
        }
        .into()),
    }
}

/// What the journal says of services, for after the cleanup.
fn receipts(judged: &Judged) -> (Recorded, Vec<Service>) {
    let audited = judged.audited();
    (audited.recorded().clone(), audited.runtime().services.needed.clone())
}

/// What a process may have left undone after it wrote run.closed: the line of the run list, the views.
fn finish(dir: &Path, list: &RunList, reopened: &Reopened) -> Result<(), EngineError> {
    if let Some(at) = derive::last_time(reopened.journal()) {
        listed(list, reopened.run(), &at, reopened.entries(), reopened.head())?;
    }
    if let Some(derived) = derive::judge(dir, None) {
        let mut writing = Writing::new(|name: &str| reopened.view(name));
        derive::views(&derived.judged, &derived.snapshot, &mut writing);
        writing.finish()?;
    }
    Ok(())
}

/// Carries out the cleanup that has no record yet, of the cases that had begun to act.
fn clean_up(
    mut recorder: Recorder,
    list: &RunList,
    judged: &Judged,
    files: BTreeMap<String, Vec<u8>>,
) -> Result<Recorder, EngineError> {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return Ok(recorder) };
    let Some(project) = std::env::current_dir().ok().and_then(|folder| Project::of(&folder).ok()) else {
        return Ok(recorder);
    };
    let source = PlanSource { path: "".into(), name: String::new(), documents: Documents::Written(Vec::new()) };
    let (_alive, cancel) = watch::channel(false);
    let request = Request {
        project: &project,
        source: &source,
        environment: None,
        only: Vec::new(),
        allow: Vec::new(),
        jobs: None,
        challenge: None,
        runs: list.path(),
        cancel,
        shared: &mut Shared::default(),
        progress: &|_| {},
    };
    let (audited, recorded) = (judged.audited(), judged.audited().recorded());
    let (secrets, redactor, _) = open::credentials(audited.checked(), &project);
    recorder.redactor = redactor;
    open::spare(&mut recorder, audited.checked(), recorded.opened());
    let commits = recorded.actions().iter().filter_map(|action| action.commit.as_ref());
    let used = commits.fold((0u64, 0u64), |(probes, output), commit| {
        (probes.saturating_add(commit.probes), output.saturating_add(commit.output_bytes))
    });
    let isolated = open::isolated(audited.checked(), &recorder.folder, list);
    let budget = Budget::for_cleanup(recorded.opened().limits, used);
    let run = Run {
        request,
        checked: Arc::clone(audited.checked()),
        list: list.clone(),
        secrets,
        secret_variables: Arc::new(redact::variables(audited.checked().plan())),
        programs: programs(recorded, open::programs(&project, audited.checked().plan())),
        service_programs: BTreeMap::new(),
        files,
        opened: recorded.opened().clone(),
        opened_at: recorded.opened_at().to_owned(),
        isolated,
        lost: true,
        looking: tokio::sync::Mutex::default(),
        desk: RefCell::new(Desk { recorder, budget, services: Services::default(), cancelled: false }),
    };
    if services::still_run(recorded) {
        runtime.block_on(cases(&run, judged))?;
    }
    Ok(run.desk.into_inner().recorder)
}

/// Programs and scripts that are still those that were sealed; the others are not started.
fn programs(
    recorded: &Recorded,
    found: BTreeMap<Id, Result<Sealed, Failure>>,
) -> BTreeMap<Id, Result<Sealed, Failure>> {
    let inputs = recorded.inputs().iter().filter(|input| matches!(input.role, Role::File | Role::Program));
    let known: BTreeSet<Digest> = inputs.map(|input| input.sha256).collect();
    let same = |sealed: Sealed| {
        let interpreter = sealed.interpreter.iter().map(|(name, _, digest)| (name, digest));
        let files = sealed.files.iter().map(|(name, _, digest)| (name, digest));
        let changed = interpreter.chain(files).find(|(_, digest)| !known.contains(*digest)).map(|(name, _)| name);
        let program = (!known.contains(&sealed.program_digest)).then_some("the program");
        match program.or(changed.map(String::as_str)) {
            None => Ok(sealed),
            Some(name) => {
                let message = format!("{name} is not what was sealed when the run was opened");
                Err(Failure { kind: FailureKind::CommandChanged, message })
            }
        }
    };
    found.into_iter().map(|(step, sealed)| (step, sealed.and_then(same))).collect()
}

/// One after another, whatever was under way at once: what is cleaned up here was left in the middle.
async fn cases(run: &Run<'_>, judged: &Judged) -> Result<(), EngineError> {
    let audited = judged.audited();
    let (checked, recorded) = (audited.checked(), audited.recorded());
    let file = |name: &str| run.files.get(name).cloned();
    let engine = EngineValues::of(recorded.run(), &run.opened, &run.opened_at);
    let settings = Settings::within(run.request.project.root.clone());
    let mut walked = Walked::new(checked.plan());
    let known: BTreeMap<&Id, &AuditedStep> = audited
        .steps()
        .iter()
        .map(|step| (&checked.plan().scenarios[step.scenario].steps[step.step].id, step))
        .collect();
    for scenario in walk::selected(checked.plan(), checked.matrix(), &run.opened.options.only).unwrap_or_default() {
        let walk = CaseWalk::begin(checked, scenario, &engine, &walked, &file);
        let mut case = Case { scenario, walk, client: Client::new(&settings), marks: services::Marks::new() };
        let began =
            recorded.actions().iter().any(|action| action.intent.scenario == scenario.id && action.sent.is_some());
        for step in &scenario.steps {
            let Some(audited) = known.get(&step.id) else { continue };
            if began && step.always_run && audited.action.is_none() {
                let judgement = steps::one(run, &mut case, step).await?;
                case.walk.settle(step, &judgement);
            } else {
                case.walk.settle(step, &audited.judgement);
            }
        }
        walked.take(case.walk);
    }
    Ok(())
}
