//! `run`: runs plans and keeps what was seen; `--resume` closes a run whose process was lost.

mod plan_only;

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use probity_core::codes::Code;
use probity_core::verdict::worst_exit;
use probity_store::find;
use tokio::sync::watch;

use super::qa::follow::Follow;
use super::{fail, fail_documents, fail_store, fail_with, here};
use crate::cli::RunArgs;
use crate::engine::{self, EngineError, Event, Finished, Request, Shared};
use crate::out::Out;
use crate::plans::{self, PlanSource};
use crate::project::Project;
use crate::screen::progress::Progress;
use crate::{answer, github, screen};

/// Runs plans.
pub(crate) fn run(args: &RunArgs, out: Out) -> u8 {
    let project = match here(out) {
        Ok(project) => project,
        Err(exit) => return exit,
    };
    let runs = find::runs_root(args.out.as_deref(), &project.root);
    let mut follow = Follow::of(args.index.as_deref(), &runs, out);
    if let Some(run) = &args.resume {
        return resume(run, &runs, &mut follow, out);
    }
    let sources = match plans::find(&args.plans) {
        Ok(sources) => sources,
        Err(found) => return fail_documents(out, &found, &project.root),
    };
    let ask = Ask {
        project: &project,
        runs,
        environment: args.env.clone(),
        only: args.only.clone(),
        allow: args.allow.clone(),
        jobs: args.jobs,
        challenge: args.challenge.clone(),
        repeat: args.repeat,
    };
    if args.plan_only { plan_only::plan_only(&ask, &sources, out) } else { ask.all(&sources, &mut follow, out) }
}

/// What is asked of every plan of one call.
pub(crate) struct Ask<'a> {
    pub project: &'a Project,
    pub runs: PathBuf,
    pub environment: Option<String>,
    pub only: Vec<String>,
    pub allow: Vec<String>,
    pub jobs: Option<u64>,
    pub challenge: Option<String>,
    /// How often each plan is run.
    pub repeat: u32,
}

impl Ask<'_> {
    /// Runs the plans one after another, each as often as was asked, and gives the worst exit code. One budget serves
    /// them all.
    pub(crate) fn all(&self, sources: &[PlanSource], follow: &mut Follow, out: Out) -> u8 {
        let runtime = match event_loop(out) {
            Ok(runtime) => runtime,
            Err(exit) => return exit,
        };
        let cancel = runtime.block_on(async { interrupts() });
        let step = github::Step::begin();
        let mut shared = Shared::default();
        let mut exits = Vec::new();
        let mut finished = Vec::new();
        let mut refused = false;
        'plans: for source in sources {
            for _ in 0..self.repeat {
                match self.one(&runtime, source, &cancel, &mut shared, out) {
                    Ok(done) => {
                        exits.push(answer::exit(&done.verified));
                        if !out.json {
                            out.data(&screen::run(&done, &source.name, out));
                        }
                        follow.record(&done.verified, out);
                        finished.push((source.name.clone(), done));
                    }
                    Err(error) => {
                        exits.push(self.failed(&error, out));
                        // An answer that is an error is the only document on standard output.
                        refused = out.json;
                        if refused {
                            break 'plans;
                        }
                        // What refuses a plan before it is run refuses it each time.
                        continue 'plans;
                    }
                }
                if *cancel.borrow() {
                    break 'plans;
                }
            }
        }
        let exit = worst_exit(&exits);
        if let Some(step) = step {
            step.end(&github::Outcome { runs: answer::run::worst_first(&finished), sources, exit }, out);
        }
        let one = sources.len() == 1 && self.repeat == 1;
        match finished.first() {
            _ if refused => {}
            Some((name, done)) if one && out.json => out.data(&answer::run::run(done, name)),
            _ if out.json => out.data(&answer::run::runs(&finished, exit)),
            _ if one => {}
            _ => out.data(&screen::run::runs(&finished, exit, out)),
        }
        runtime.shutdown_timeout(Duration::from_millis(200));
        exit
    }

    /// Runs one plan and shows nothing but progress.
    ///
    /// # Errors
    /// As [`engine::run`].
    pub(crate) fn one(
        &self,
        runtime: &tokio::runtime::Runtime,
        source: &PlanSource,
        cancel: &watch::Receiver<bool>,
        shared: &mut Shared,
        out: Out,
    ) -> Result<Finished, EngineError> {
        let progress = RefCell::new(Progress::begin(&source.name, out));
        let hear = |event: Event<'_>| progress.borrow_mut().hear(&event);
        runtime.block_on(engine::run(self.request(source, cancel, shared, &hear)))
    }

    fn request<'r>(
        &'r self,
        source: &'r PlanSource,
        cancel: &watch::Receiver<bool>,
        shared: &'r mut Shared,
        progress: &'r dyn Fn(Event<'_>),
    ) -> Request<'r> {
        Request {
            project: self.project,
            source,
            environment: self.environment.clone(),
            only: self.only.clone(),
            allow: self.allow.clone(),
            jobs: self.jobs,
            challenge: self.challenge.clone(),
            runs: self.runs.clone(),
            cancel: cancel.clone(),
            shared,
            progress,
        }
    }

    /// Says why there is no run; gives the exit code.
    pub(crate) fn failed(&self, error: &EngineError, out: Out) -> u8 {
        match error {
            EngineError::Documents(found) => fail_documents(out, found, &self.project.root),
            EngineError::NothingSelected(only) => {
                let message = if only.is_empty() {
                    "the plan has no case".to_owned()
                } else {
                    format!("{} names no case, criterion or test of the plan", only.join(" "))
                };
                fail_with(out, Code::NothingSelected, &message, Code::NothingSelected.explanation().remedy, 4)
            }
            // What was not recorded is named by what it was; where the room ran out is for the reader to know too.
            EngineError::Store(error) if error.code() == Code::RecordingFailed => {
                let message = format!("{error}; runs are kept in {}", self.runs.display());
                fail_with(out, Code::RecordingFailed, &message, Code::RecordingFailed.explanation().remedy, 5)
            }
            EngineError::Store(error) => fail_store(out, error),
            EngineError::NotAllowable(code) => {
                let known: Vec<&str> = probity_core::judged::ALLOWED.iter().map(|(name, _)| *name).collect();
                fail(
                    out,
                    Code::UsageError,
                    &format!("--allow {code}: this code cannot be let through"),
                    &format!("these can: {}", known.join(", ")),
                )
            }
        }
    }
}

/// An event loop of this thread.
///
/// # Errors
/// The exit code, after the reason was given.
pub(crate) fn event_loop(out: Out) -> Result<tokio::runtime::Runtime, u8> {
    let made = tokio::runtime::Builder::new_current_thread().enable_all().build();
    made.map_err(|e| fail_with(out, Code::NetworkDenied, &format!("no event loop can be made: {e}"), "", 3))
}

/// Turns true at the first Ctrl-C or TERM; the second ends the process at once. To be called inside the event loop;
/// signals are heard from the call on, also while nothing waits for them yet.
pub(crate) fn interrupts() -> watch::Receiver<bool> {
    use tokio::signal::unix::{SignalKind, signal};
    let (tell, hear) = watch::channel(false);
    let mut interrupt = signal(SignalKind::interrupt()).ok();
    let mut terminate = signal(SignalKind::terminate()).ok();
    tokio::spawn(async move {
        for _ in 0..2 {
            tokio::select! {
                () = next(&mut interrupt) => {}
                () = next(&mut terminate) => {}
            }
            if tell.send_replace(true) {
                // Nothing is waited for, and nothing that was started goes on.
                probity_probes::service::kill_all();
                std::process::exit(130);
            }
        }
    });
    hear
}

/// The next signal; never, where they cannot be heard.
async fn next(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => drop(signal.recv().await),
        None => std::future::pending().await,
    }
}

fn resume(run: &str, runs: &std::path::Path, follow: &mut Follow, out: Out) -> u8 {
    let dir = match find::locate(runs, Some(run)) {
        Ok(dir) => dir,
        Err(error) => return fail_store(out, &error),
    };
    let root = dir.parent().unwrap_or(runs).to_path_buf();
    match engine::resume(&dir, &root) {
        Ok(done) => {
            if out.json {
                out.data(&answer::run::run(&done, ""));
            } else {
                out.data(&screen::run(&done, "", out));
            }
            follow.record(&done.verified, out);
            answer::exit(&done.verified)
        }
        Err(EngineError::Store(error)) => fail_store(out, &error),
        Err(_) => fail(out, Code::RunUnknown, "the run cannot be taken up", ""),
    }
}
