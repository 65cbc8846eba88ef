//! Before the first step: can the target be reached at all, and which build answers? After the last: is it the same?

use std::collections::BTreeSet;
use std::time::Duration;

use probity_core::audit::identity_call;
use probity_core::checked::CheckedPlan;
use probity_core::environment::Origin;
use probity_core::journal::Kind;
use probity_core::journal::body::RuntimeObserved;
use probity_core::journal::observation::Observation;
use probity_core::observe::Failure;
use probity_core::plan::Action;
use probity_core::walk;
use probity_probes::http::{Client, Settings};

use super::EngineError;
use super::desk::Run;
use super::recorder::Captures;
use super::sight::kept_http;

/// Connects to every origin that the selected steps speak to. False when one gives no connection.
pub(super) async fn connect(run: &Run<'_>) -> Result<bool, EngineError> {
    let mut fine = true;
    for origin in origins(&run.checked, &run.opened.options.only) {
        let checked = reach(&origin).await;
        let failure = checked.err().map(|failure| (failure.kind.code().as_str().to_owned(), failure.message));
        if let Some((code, message)) = &failure {
            fine = false;
            run.tell(super::Event::Blocked(format!("{code}: {origin}: {message}")));
        }
        let observed = RuntimeObserved::Preflight { origin: origin.to_string(), failure };
        run.at_desk(|desk| desk.recorder.write(Kind::RuntimeObserved, &observed))?;
    }
    Ok(fine)
}

/// Opens a connection to an origin and closes it again.
pub(super) async fn reach(origin: &Origin) -> Result<(), Failure> {
    Client::connect_check(origin, Duration::from_secs(2)).await
}

/// The origins that the selected steps speak to.
pub(super) fn origins(checked: &CheckedPlan, only: &[String]) -> BTreeSet<Origin> {
    let selected = walk::selected(checked.plan(), checked.matrix(), only).unwrap_or_default();
    let environment = checked.environment();
    let base = environment.url.as_deref().or(checked.plan().base_url.as_deref());
    let steps = selected.iter().flat_map(|scenario| &scenario.steps);
    steps
        .filter_map(|step| match &step.action {
            // Where a proxy or a socket of the plan stands between, the target need not be in reach from here.
            Action::Http(http) if http.proxy.is_some() || http.unix_socket.is_some() => None,
            Action::Http(http) if http.target.starts_with('/') => Origin::of(base?).ok(),
            Action::Http(http) => Origin::of(&http.target).ok(),
            Action::Command(_) | Action::Log(_) => None,
        })
        .filter(|origin| environment.origins.contains(origin))
        .collect()
}

/// Asks the running system which build it is, where the environment says how.
pub(super) async fn identity(run: &Run<'_>, phase: &str) -> Result<(), EngineError> {
    let Some(call) = identity_call(run.checked.environment()) else { return Ok(()) };
    let mut client = Client::new(&Settings::default());
    let deadline = run.at_desk(|desk| desk.budget.deadline(true));
    let exchange = client.send(&call, &run.secrets, &run.wish(false), deadline).await;
    run.at_desk(|desk| {
        let mut captures = Captures::default();
        desk.recorder.redactor.study(&exchange);
        let observed = kept_http(exchange, "identity", &desk.recorder.redactor, &mut captures);
        captures.write(&mut desk.recorder, 0, true)?;
        let call = probity_core::invoke::Call::Http(call).to_json();
        let observation = Box::new(Observation::Http(observed));
        let observed = RuntimeObserved::Identity { phase: phase.to_owned(), call, observation };
        desk.recorder.write(Kind::RuntimeObserved, &observed)?;
        Ok(())
    })
}
