//! The selected cases, as many side by side as the run allows.

use std::collections::BTreeMap;
use std::time::Instant;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use probity_core::ids::Id;
use probity_core::plan::Scenario;
use probity_core::step::StepStatus;
use probity_core::walk::{self, CaseWalk, EngineValues, Queue, Walked};
use probity_probes::http::{Client, Jar, Settings};

use super::desk::Run;
use super::{CaseDone, EngineError, Event, services, steps};

/// A case under way, with everything that is its own.
pub(super) struct Case<'a> {
    pub(super) scenario: &'a Scenario,
    pub(super) walk: CaseWalk<'a>,
    pub(super) client: Client,
    /// How much each service had written when it began.
    pub(super) marks: services::Marks,
}

/// Goes through the selected cases. An error of the run folder begins no further case; those under way come to their end,
/// so that nothing is left half done.
pub(super) async fn walk_cases(run: &Run<'_>) -> Result<(), EngineError> {
    let checked = &*run.checked;
    let plan = checked.plan();
    let file = |name: &str| run.files.get(name).cloned();
    let recorded_run = run.at_desk(|desk| desk.recorder.folder.run().to_owned());
    let engine = EngineValues::of(&recorded_run, &run.opened, &run.opened_at);
    let options = &run.opened.options;
    let settings = Settings::within(run.request.project.root.clone());
    let mut walked = Walked::new(plan);
    let mut jars: BTreeMap<&Id, Jar> = BTreeMap::new();
    let mut queue = Queue::of(plan, walk::selected(plan, checked.matrix(), &options.only).unwrap_or_default());
    let mut under_way = FuturesUnordered::new();
    let mut failed = None;
    loop {
        while failed.is_none() && (under_way.len() as u64) < options.jobs {
            let Some(scenario) = queue.begin() else { break };
            let walk = CaseWalk::begin(checked, scenario, &engine, &walked, &file);
            let used = walked.lineage(&scenario.id).into_iter().filter_map(|other| plan.scenarios.get(other));
            let jar = Jar::of(used.filter_map(|other| jars.get(&other.id)));
            let client = Client::with(&settings, jar);
            under_way.push(through(run, Case { scenario, walk, client, marks: services::Marks::new() }));
        }
        match under_way.next().await {
            None => return failed.map_or(Ok(()), Err),
            Some(Ok(case)) => {
                queue.ended(&case.scenario.id);
                walked.take(case.walk);
                jars.insert(&case.scenario.id, case.client.into_jar());
            }
            Some(Err(error)) => failed = failed.or(Some(error)),
        }
    }
}

/// One case from its first step to its last, cleanup included.
async fn through<'a>(run: &Run<'_>, mut case: Case<'a>) -> Result<Case<'a>, EngineError> {
    let begun = Instant::now();
    let scenario = case.scenario;
    case.marks = services::marks(run, scenario).await;
    let mut stopped = None;
    for (position, step) in scenario.steps.iter().enumerate() {
        let judgement = steps::one(run, &mut case, step).await?;
        case.walk.settle(step, &judgement);
        if judgement.status != StepStatus::Passed && stopped.is_none() && !step.always_run {
            stopped = Some((position + 1, judgement.status.as_str()));
        }
    }
    run.tell(Event::Case(CaseDone {
        id: scenario.id.as_str(),
        title: &scenario.title,
        steps: scenario.steps.len(),
        ms: begun.elapsed().as_millis(),
        stopped,
    }));
    Ok(case)
}
