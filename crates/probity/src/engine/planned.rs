//! What a run would do: everything up to the first step, without a run folder and without sending anything.

use probity_core::checked::CheckedPlan;
use probity_core::environment::Origin;
use probity_core::ids::Id;
use probity_core::observe::Failure;
use probity_core::walk;

use super::{EngineError, Request, ServiceCheck, open, preflight, services};

/// A plan that was checked and whose targets were reached for.
pub(crate) struct Planned {
    /// The plan.
    pub checked: CheckedPlan,
    /// The cases that would be run, in order. None where the check forbids the first step.
    pub cases: Vec<Id>,
    /// The origins that the steps speak to, and why one gives no connection. None where the check forbids the first
    /// step.
    pub preflight: Vec<(Origin, Option<Failure>)>,
    /// The services that would be started, in that order, and what was found of them. None where the check forbids the first
    /// step.
    pub services: Vec<ServiceCheck>,
}

impl Planned {
    /// Whether a service could not be started.
    pub(crate) fn hindered(&self) -> bool {
        self.services.iter().any(ServiceCheck::hinders)
    }

    /// 1 where the check forbids a run, 3 where a target gives no connection or a service could not be started, else 4:
    /// nothing ran.
    pub(crate) fn exit(&self) -> u8 {
        let away = self.preflight.iter().any(|(_, failure)| failure.is_some());
        match (self.cases.is_empty(), away || self.hindered()) {
            (true, _) => 1,
            (false, true) => 3,
            (false, false) => 4,
        }
    }
}

/// Checks a plan and opens a connection to each of its origins, as a run would before its first step.
///
/// # Errors
/// What also stops a run before anything is written.
pub(crate) async fn plan(request: &Request<'_>) -> Result<Planned, EngineError> {
    let (checked, _) = open::admit(request)?;
    if !checked.is_runnable(&request.allow) {
        return Ok(Planned { checked, cases: Vec::new(), preflight: Vec::new(), services: Vec::new() });
    }
    let selected = walk::selected(checked.plan(), checked.matrix(), &request.only).unwrap_or_default();
    let cases = selected.iter().map(|scenario| scenario.id.clone()).collect();
    let services = services::checks(request.project, &checked).await;
    // What is not there yet because it would be started is not asked for.
    let started =
        |origin: &Origin| services.iter().any(|check| check.occupied.is_empty() && check.service.serves(origin));
    let mut reached = Vec::new();
    for origin in preflight::origins(&checked, &request.only).into_iter().filter(|origin| !started(origin)) {
        let failure = preflight::reach(&origin).await.err();
        reached.push((origin, failure));
    }
    Ok(Planned { checked, cases, preflight: reached, services })
}
