//! Preflight and start: what forbids a service is said before anything is started, and a port that answers already is
//! never taken for one that the run opened.

use std::time::{Duration, Instant};

use probity_core::journal::Kind;
use probity_core::journal::service::{DownCause, Holder, ServiceIntent, ServiceUp, UpState};
use probity_core::observe::Failure;
use probity_core::service::Service;
use probity_probes::command::{Sealed, Surroundings};
use probity_probes::service as probe;

use super::{KEEP, Running, bare, down, how, last_lines, needs, npm};
use crate::engine::desk::Run;
use crate::engine::open::random_hex;
use crate::engine::{EngineError, Event, act};
use crate::project::Project;

/// Pauses between two looks at a service that is not ready: short ones first, for what starts fast.
const PAUSE: [Duration; 2] = [Duration::from_millis(100), Duration::from_millis(500)];

/// How many looks have the short pause.
const SHORT: u64 = 10;

/// What a look at a service before its start found.
pub(crate) struct Check {
    /// The service.
    pub service: Service,
    /// Its ports that answer already.
    pub occupied: Vec<u16>,
    /// What forbids its start.
    pub blocker: Option<String>,
}

impl Check {
    /// Whether a run would be blocked by it.
    pub(crate) fn hinders(&self) -> bool {
        self.is_occupied() || (self.occupied.is_empty() && self.blocker.is_some())
    }

    /// Whether its port is held by something that may not be used.
    pub(crate) fn is_occupied(&self) -> bool {
        !self.occupied.is_empty() && !self.service.adopt
    }
}

/// Looks at a service before its start: files, programs, ports. Starts nothing and reads no secret.
async fn check(service: &Service, sealed: Option<&Result<Sealed, Failure>>, project: &Project) -> Check {
    let mut occupied = Vec::new();
    for port in service.ports() {
        if probe::answers(port).await {
            occupied.push(port);
        }
    }
    let program = match sealed {
        Some(Ok(_)) => None,
        Some(Err(failure)) => Some(failure.message.clone()),
        None => Some("its program was not sealed when the run was opened".to_owned()),
    };
    let blocker = program.or_else(|| npm::hindrance(service, project));
    Check { service: service.clone(), occupied, blocker }
}

/// Looks at every service that a plan needs, as a run would before it starts them.
pub(crate) async fn checks(project: &Project, checked: &probity_core::checked::CheckedPlan) -> Vec<Check> {
    let sealed = super::sealed(project, checked);
    let mut found = Vec::new();
    for service in needs(checked) {
        found.push(check(&service, sealed.get(&service.id), project).await);
    }
    found
}

/// Starts the services that the plan needs, one after another. False when one is not there and nothing may be sent.
pub(in crate::engine) async fn start(run: &Run<'_>) -> Result<bool, EngineError> {
    let allowed = run.opened.options.allow.iter().any(|code| code == "service_not_ready");
    for service in needs(&run.checked) {
        match one(run, &service, allowed).await? {
            Outcome::There | Outcome::LetThrough => {}
            Outcome::Blocked(message) => {
                run.tell(Event::Blocked(format!("{}: {message}", service.id)));
                return Ok(false);
            }
        }
    }
    Ok(true)
}

enum Outcome {
    There,
    LetThrough,
    Blocked(String),
}

async fn one(run: &Run<'_>, service: &Service, allowed: bool) -> Result<Outcome, EngineError> {
    let found = check(service, run.service_programs.get(&service.id), run.request.project).await;
    let mark = random_hex(12);
    let intent = ServiceIntent {
        service: service.id.clone(),
        start: service.to_json(),
        mark: mark.clone(),
        occupied: found.occupied.clone(),
    };
    let intent = run.at_desk(|desk| desk.recorder.write(Kind::ServiceIntent, &intent))?;
    let not_ready = |message: String| if allowed { Outcome::LetThrough } else { Outcome::Blocked(message) };
    if found.is_occupied() {
        let message = occupied(&found);
        run.at_desk(|desk| bare(&mut desk.recorder, &service.id, intent, DownCause::Occupied, Some(message.clone())))?;
        return Ok(Outcome::Blocked(message));
    }
    if !found.occupied.is_empty() {
        return adopt(run, service, intent, allowed).await;
    }
    let failure = match (found.blocker, *run.request.cancel.borrow()) {
        (_, true) => Some("the run was cancelled before it was started".to_owned()),
        (blocker, false) => blocker,
    };
    if let Some(message) = failure {
        run.at_desk(|desk| {
            bare(&mut desk.recorder, &service.id, intent, DownCause::NotStarted, Some(message.clone()))
        })?;
        return Ok(not_ready(message));
    }
    // On disk before it runs: after a power cut it must still be known what may run.
    run.at_desk(|desk| desk.recorder.folder.sync())?;
    match launch(run, service, &mark) {
        Ok(handle) => {
            let running = Running { spec: service.clone(), intent, handle, ready: false };
            attend(run, running, allowed).await
        }
        Err(failure) => {
            run.at_desk(|desk| {
                bare(&mut desk.recorder, &service.id, intent, DownCause::NotStarted, Some(failure.message.clone()))
            })?;
            Ok(not_ready(failure.message))
        }
    }
}

fn occupied(found: &Check) -> String {
    let ports: Vec<String> = found.occupied.iter().map(ToString::to_string).collect();
    let (noun, verb) = if ports.len() == 1 { ("port", "answers") } else { ("ports", "answer") };
    format!("{noun} {} {verb} already, before the service was started", ports.join(", "))
}

fn launch(run: &Run<'_>, service: &Service, mark: &str) -> Result<probe::Service, Failure> {
    let Some(Ok(sealed)) = run.service_programs.get(&service.id) else {
        let kind = probity_core::observe::FailureKind::ProgramMissing;
        return Err(Failure { kind, message: "its program was not sealed".to_owned() });
    };
    let secrets = &run.secrets;
    let around = Surroundings {
        project: &run.request.project.root,
        mark,
        inherited: &act::inherited(run),
        secrets: &|name| secrets.get(name).map(str::to_owned),
        isolated: run.isolated.as_ref(),
    };
    probe::start(&service.call(), sealed, &around, KEEP)
}

/// Waits until a service that runs is ready, or is seen not to become so.
async fn attend(run: &Run<'_>, mut running: Running, allowed: bool) -> Result<Outcome, EngineError> {
    let begun = Instant::now();
    let up = |running: &Running, state, ports, read, tries| ServiceUp {
        intent: running.intent,
        service: running.spec.id.clone(),
        state,
        process: Some(running.handle.process()),
        ports,
        read,
        tries,
        waited_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    let entry = up(&running, UpState::Started, Vec::new(), None, 0);
    let started = run.at_desk(|desk| desk.recorder.write(Kind::ServiceUp, &entry));
    if let Err(error) = started {
        // Without its receipt it may not run.
        running.handle.stop(Duration::ZERO).await;
        return Err(error.into());
    }
    let spec = running.spec.clone();
    run.tell(Event::Service(format!("{}  {}", spec.id, spec.drawn())));
    let (end, tries) = wait(run, &spec, Some(&running.handle), begun).await;
    let (state, ports, read) = match end {
        Wait::Ready(read, ports) => (UpState::Ready, ports, read),
        Wait::Late(why) if allowed && !running.handle.gone() => (UpState::Unready, held(&running), why),
        Wait::Late(why) => return unready(run, running, DownCause::Unready, &why, allowed).await,
        Wait::Gone => return unready(run, running, DownCause::Unready, "", allowed).await,
        Wait::Foreign(port) => {
            let why = format!("something else took port {port} while the service started");
            return unready(run, running, DownCause::Foreign, &why, false).await;
        }
    };
    running.ready = state == UpState::Ready;
    run.at_desk(|desk| {
        let read = Some(desk.recorder.redactor.text(&read));
        let entry = up(&running, state, ports, read, tries);
        let written = desk.recorder.write(Kind::ServiceUp, &entry);
        desk.services.running.push(running);
        written
    })?;
    Ok(if state == UpState::Ready { Outcome::There } else { Outcome::LetThrough })
}

/// Who holds the ports of a service now.
fn held(running: &Running) -> Vec<(u16, Holder)> {
    running.spec.ports().into_iter().map(|port| (port, running.handle.holds(port))).collect()
}

/// Ends a service that did not become ready, and says why with its last lines.
async fn unready(
    run: &Run<'_>,
    running: Running,
    cause: DownCause,
    why: &str,
    allowed: bool,
) -> Result<Outcome, EngineError> {
    let (id, intent) = (running.spec.id.clone(), running.intent);
    let ended = running.handle.stop(Duration::from_millis(running.spec.grace_ms)).await;
    let message = match (ended.by_itself, why) {
        (true, _) => format!("it ended before it was ready: {}", how(&ended)),
        (false, why) => format!("{why}; {}", last_lines(&ended.log.tail)),
    };
    let message = run.at_desk(|desk| {
        let message = desk.recorder.redactor.text(&message);
        down(&mut desk.recorder, &id, intent, cause, Some(message.clone()), ended).map(|()| message)
    })?;
    Ok(if allowed { Outcome::LetThrough } else { Outcome::Blocked(message) })
}

/// How waiting for a service ended.
enum Wait {
    /// It is ready: what showed it, and who holds its ports.
    Ready(String, Vec<(u16, Holder)>),
    /// It is not, and nothing more is waited for.
    Late(String),
    /// It ended.
    Gone,
    /// Something else holds this port of it.
    Foreign(u16),
}

/// Looks until a service is ready. Gives how often it was asked.
async fn wait(run: &Run<'_>, spec: &Service, handle: Option<&probe::Service>, begun: Instant) -> (Wait, u64) {
    let own = begun + Duration::from_millis(spec.timeout_ms);
    let until = own.min(run.at_desk(|desk| desk.budget.deadline(false)));
    let mut tries = 0;
    loop {
        if handle.is_some_and(probe::Service::gone) {
            return (Wait::Gone, tries);
        }
        let asked = spec.ready != probity_core::service::Ready::Started;
        let mut found = probe::look(&spec.ready, &run.request.cancel).await;
        tries += u64::from(asked);
        if let (Ok(read), Some(handle)) = (&found, handle) {
            let ports: Vec<(u16, Holder)> = spec.ports().into_iter().map(|port| (port, handle.holds(port))).collect();
            let with = |wanted| ports.iter().find(|(_, holder)| *holder == wanted).map(|(port, _)| *port);
            // Between the answer and the look it may have ended, and what answered may have been another.
            match (with(Holder::Other), with(Holder::Nobody)) {
                _ if handle.gone() => return (Wait::Gone, tries),
                (Some(port), _) => return (Wait::Foreign(port), tries),
                (None, Some(port)) => found = Err(format!("nothing of it listens on port {port}")),
                (None, None) => return (Wait::Ready(read.clone(), ports), tries),
            }
        } else if let Ok(read) = found {
            return (Wait::Ready(read, Vec::new()), tries);
        }
        let why = found.err().unwrap_or_default();
        if *run.request.cancel.borrow() {
            return (Wait::Late(format!("the run was cancelled while it started; {why}")), tries);
        }
        let pause = PAUSE[usize::from(tries >= SHORT)];
        if Instant::now() + pause >= until {
            let why = if until < own {
                format!("the time of the run was used up while it started; {why}")
            } else {
                format!("not ready after {} s: {why}", begun.elapsed().as_secs_f32().round())
            };
            return (Wait::Late(why), tries);
        }
        tokio::time::sleep(pause).await;
    }
}

/// Uses a service that runs already, once it is ready.
async fn adopt(run: &Run<'_>, service: &Service, intent: u64, allowed: bool) -> Result<Outcome, EngineError> {
    let begun = Instant::now();
    let (end, tries) = wait(run, service, None, begun).await;
    let (Wait::Ready(read, _), _) = (end, ()) else {
        let message = format!("it runs already, and was not ready in {} ms", service.timeout_ms);
        run.at_desk(|desk| bare(&mut desk.recorder, &service.id, intent, DownCause::Unready, Some(message.clone())))?;
        return Ok(if allowed { Outcome::LetThrough } else { Outcome::Blocked(message) });
    };
    let waited_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    run.at_desk(|desk| {
        let entry = ServiceUp {
            intent,
            service: service.id.clone(),
            state: UpState::Adopted,
            process: None,
            ports: Vec::new(),
            read: Some(desk.recorder.redactor.text(&read)),
            tries,
            waited_ms,
        };
        desk.services.adopted.push((intent, service.id.clone()));
        desk.recorder.write(Kind::ServiceUp, &entry)
    })?;
    run.tell(Event::Service(format!("{}  runs already and is used", service.id)));
    Ok(Outcome::There)
}
