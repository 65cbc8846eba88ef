//! Carrying out one call, and turning what came back into an observation with its bytes.

use std::time::{Duration, Instant};

use probity_core::invoke::Call;
use probity_core::journal::body::INLINE;
use probity_core::journal::observation::{Observation, Try};
use probity_core::journal::witnessed::Witnessed;
use probity_core::observe::{CommandCall, CommandResult, Exchange, Failure, FailureKind, Field, HttpCall};
use probity_core::plan::{Action, Step};
use probity_core::redact::Redactor;
use probity_core::step::{Judgement, StepStatus};
use probity_core::write_policy::Redirected;
use probity_probes::command::{self, Allowance, Surroundings};
use probity_probes::http::Client;
use probity_store::StoreError;

use super::cases::Case;
use super::desk::{Desk, Run};
use super::recorder::Captures;
use super::sight::{Live, Onlooker, Sight};
use super::{EngineError, services};

/// What came of a call.
pub(super) struct Acted {
    pub(super) observation: Observation,
    pub(super) judgement: Judgement,
    pub(super) witnessed: Witnessed,
    pub(super) probes: u64,
    pub(super) output: u64,
}

impl Acted {
    pub(super) fn of(sight: Sight, (judgement, witnessed): (Judgement, Witnessed), probes: u64, output: u64) -> Self {
        Self { observation: sight.kept, judgement, witnessed, probes, output }
    }
}

/// Carries out a call; a polling step is asked again until its checks hold. What comes back is hidden and written in one
/// go, and so is what follows here until the commit: nothing is waited for in between.
pub(super) async fn act(
    run: &Run<'_>,
    case: &mut Case<'_>,
    step: &Step,
    call: &Call,
    intent: u64,
) -> Result<Acted, EngineError> {
    let Case { walk, client, marks, .. } = case;
    let (live, refused) = match run.at_desk(|desk| Live::of(&desk.recorder.redactor, &run.secrets, walk, step)) {
        Ok(live) => (live, None),
        // What a variable stands for may not go where its placeholder may: nothing is sent.
        Err(failure) => (None, Some(failure)),
    };
    let by = Onlooker { walk, step, call, live: live.as_ref(), secrets: &run.secret_variables };
    match live.as_ref().map_or(call, |live| &live.call) {
        Call::Http(http) => polled(run, &by, client, http, refused, intent).await,
        Call::Log(log) => services::look(run, &by, log, marks, intent).await,
        Call::Command(command) => {
            let result = match refused {
                None => commanded(run, step, command).await,
                Some(failure) => not_started(failure),
            };
            let output = result.stdout.total.saturating_add(result.stderr.total);
            run.at_desk(|desk| {
                let mut captures = Captures::default();
                let sight = Sight::of_command(result, &by, &mut desk.recorder.redactor, &mut captures);
                captures.write(&mut desk.recorder, intent, true)?;
                let judged = sight.judged(&by, &captures, &desk.recorder.redactor);
                Ok(Acted::of(sight, judged, 1, output))
            })
        }
    }
}

async fn polled(
    run: &Run<'_>,
    by: &Onlooker<'_, '_>,
    client: &mut Client,
    http: &HttpCall,
    mut refused: Option<Failure>,
    intent: u64,
) -> Result<Acted, EngineError> {
    let step = by.step;
    let poll = match &step.action {
        Action::Http(http) => http.poll.filter(|_| refused.is_none()),
        Action::Command(_) | Action::Log(_) => None,
    };
    let deadline = run.at_desk(|desk| desk.budget.deadline(step.always_run));
    let until = poll.map(|poll| Instant::now() + Duration::from_millis(poll.for_ms));
    let mut tries = Tries::default();
    run.at_desk(|desk| {
        keep_request(by, &desk.recorder.redactor, &mut tries.captures);
        // Now, and not after the wait, in which another case may learn what is a secret in it.
        tries.captures.write(&mut desk.recorder, intent, false)
    })?;
    loop {
        let exchange = match refused.take() {
            None => {
                let stops = |to: &Redirected<'_>| by.walk.redirect_stopped(step, to, by.vars());
                client.send_where(http, &run.secrets, &run.wish(step.always_run), deadline, &stops).await
            }
            Some(failure) => Exchange { failure: Some(failure), ..Exchange::default() },
        };
        let (mut sight, judged) = run.at_desk(|desk| tries.take(desk, by, exchange, poll.is_some(), intent))?;
        let probes = tries.made();
        let (Some(poll), Some(until)) = (poll, until) else { return Ok(Acted::of(sight, judged, probes, 0)) };
        let pause = Duration::from_millis(poll.every_ms);
        let done =
            judged.0.status == StepStatus::Passed || probes >= u64::from(poll.tries) || Instant::now() + pause >= until;
        if done {
            return Ok(Acted::of(sight, judged, probes, 0));
        }
        if let Some(failure) = ended_early(run, step, true, Instant::now() + pause >= deadline, pause).await {
            return Ok(run.at_desk(|desk| {
                // What it saw was hidden before the wait, and is written after it.
                sight.hide_again(by, &desk.recorder.redactor);
                // The answer had time left to become right.
                sight.end_early(failure);
                let judged = sight.judged(by, &tries.captures, &desk.recorder.redactor);
                Acted::of(sight, judged, probes, 0)
            }));
        }
        tries.captures.next_try(tries.whole.as_ref().map(|whole| &whole.kept));
    }
}

/// What the tries of a step saw.
#[derive(Default)]
struct Tries {
    captures: Captures,
    /// Of a polling step, each.
    all: Vec<Try>,
    /// What the last saw that had a complete answer.
    whole: Option<Sight>,
}

impl Tries {
    /// Probes that were made.
    fn made(&self) -> u64 {
        self.all.len().max(1) as u64
    }

    /// Takes what one try came back with, writes its bytes down, and works out what the step comes to so far.
    fn take(
        &mut self,
        desk: &mut Desk,
        by: &Onlooker<'_, '_>,
        exchange: Exchange,
        polls: bool,
        intent: u64,
    ) -> Result<(Sight, (Judgement, Witnessed)), StoreError> {
        let mut sight = Sight::of_http(exchange, by, &mut desk.recorder.redactor, &mut self.captures);
        self.captures.write(&mut desk.recorder, intent, !polls)?;
        if polls && let Observation::Http(observed) = &sight.kept {
            let this = Try::of(observed);
            let (cut, complete) = (this.is_cut(), observed.failure.is_none());
            self.all.push(this);
            match &mut self.whole {
                Some(whole) if cut => {
                    // It was hidden when it came; another case may have learned more since.
                    whole.hide_again(by, &desk.recorder.redactor);
                    sight = whole.clone();
                }
                _ => self.whole = complete.then(|| sight.clone()),
            }
            sight.set_tries(&self.all);
        }
        let judged = sight.judged(by, &self.captures, &desk.recorder.redactor);
        Ok((sight, judged))
    }
}

/// Keeps the body that is about to be sent: where the plan asks for it, and where it is too long for the intent.
fn keep_request(by: &Onlooker<'_, '_>, redactor: &Redactor, captures: &mut Captures) {
    let (Action::Http(asked), Call::Http(http)) = (&by.step.action, by.call) else { return };
    if let Some(body) = http.body.as_ref().filter(|body| asked.capture_request || body.len() > INLINE) {
        let (bytes, redactions) = redactor.hide(body.clone(), false);
        let media = http.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let media = match media {
            Some((_, Field::Text(media))) => media.as_str(),
            _ => "application/octet-stream",
        };
        captures.add("request", media, bytes, redactions);
    }
}

/// Waits for the next try, and takes a probe for it if it `probes`. What stopped the step from outside before that, if
/// something did.
pub(super) async fn ended_early(
    run: &Run<'_>,
    step: &Step,
    probes: bool,
    late: bool,
    pause: Duration,
) -> Option<Failure> {
    let failure = |kind, message: &str| Some(Failure { kind, message: message.to_owned() });
    let left = |desk: &mut Desk| {
        if probes { desk.budget.take_probe(step.always_run) } else { desk.budget.probe_left(step.always_run) }
    };
    if late || !run.at_desk(left) {
        return failure(FailureKind::BudgetExceeded, "the run's budget was used up while the step waited");
    }
    let mut cancel = run.wish(step.always_run);
    tokio::select! {
        biased;
        () = turned(&mut cancel) => {
            if probes {
                run.at_desk(|desk| desk.budget.give_probe_back());
            }
            failure(FailureKind::Cancelled, "the run was cancelled while the step waited")
        }
        () = tokio::time::sleep(pause) => None,
    }
}

async fn turned(cancel: &mut tokio::sync::watch::Receiver<bool>) {
    if cancel.wait_for(|cancelled| *cancelled).await.is_err() {
        std::future::pending::<()>().await;
    }
}

async fn commanded(run: &Run<'_>, step: &Step, call: &CommandCall) -> CommandResult {
    let cleanup = step.always_run;
    match run.programs.get(&step.id) {
        Some(Ok(sealed)) => {
            let (left, deadline, meter) = run.at_desk(|desk| {
                let budget = &desk.budget;
                (budget.output_left(cleanup), budget.deadline(cleanup), budget.meter(cleanup))
            });
            let shared = |total| meter.at(total);
            let allowance = Allowance { shared: &shared, ..Allowance::own(left, left, Allowance::GRACE) };
            let mut mark = [0; 12];
            let _ = getrandom::fill(&mut mark);
            let mark: String = mark.iter().map(|b| format!("{b:02x}")).collect();
            let secrets = &run.secrets;
            let around = Surroundings {
                project: &run.request.project.root,
                mark: &mark,
                inherited: &inherited(run),
                secrets: &|name| secrets.get(name).map(str::to_owned),
                isolated: run.isolated.as_ref(),
            };
            let result = command::run(call, sealed, &around, &allowance, deadline, run.wish(cleanup)).await;
            meter.at(result.stdout.total.saturating_add(result.stderr.total));
            result
        }
        Some(Err(failure)) => not_started(failure.clone()),
        None => not_started(Failure {
            kind: FailureKind::ProgramMissing,
            message: "the program was not sealed when the run was opened".to_owned(),
        }),
    }
}

/// The inherited environment, with the project's own programs first.
pub(super) fn inherited(run: &Run<'_>) -> Vec<(std::ffi::OsString, std::ffi::OsString)> {
    let mut inherited = command::inherited();
    if run.request.project.programs.is_some() {
        inherited.retain(|(name, _)| name != "PATH");
        inherited.push(("PATH".into(), run.request.project.path_variable()));
    }
    inherited
}

fn not_started(failure: Failure) -> CommandResult {
    CommandResult { termination: "spawn_error".to_owned(), failure: Some(failure), ..CommandResult::default() }
}
