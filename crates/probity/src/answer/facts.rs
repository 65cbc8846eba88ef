//! What is said of a run in every answer: subject, environment, plan, strength.

use probity_core::codes::Code;
use probity_core::environment::Environment;
use probity_core::ids::Digest;
use probity_core::journal::body::{COUNT_NAMES, InputSealed, Role};
use probity_core::journal::observation::Observation;
use probity_core::json::Json;
use probity_core::judged::{Claims, Judged, JudgedCriterion, JudgedTest, Subject};
use probity_core::matrix::Criterion;
use probity_core::step::StepStatus;
use probity_core::verdict::Status;

use super::{clip, texts};

/// The plan as the user knows it: the written file, or test-plan.json.
pub(crate) fn plan(judged: &Judged) -> Option<&InputSealed> {
    let recorded = judged.audited().recorded();
    recorded.input(Role::Written).or_else(|| recorded.input(Role::Plan))
}

/// What a command line calls the plan: the written file, or the folder of a seed-form plan.
pub(crate) fn plan_name(judged: &Judged) -> String {
    let name = plan(judged).map_or("", |input| input.name.as_str());
    match name.strip_suffix("test-plan.json") {
        Some("") => ".".to_owned(),
        Some(folder) => folder.trim_end_matches('/').to_owned(),
        None => name.to_owned(),
    }
}

/// `{source: identity|started|declared, build, git, tree, dirty}`
pub(crate) fn subject(judged: &Judged) -> Json {
    let git = judged.audited().recorded().opened().git.as_ref();
    let (source, build) = match judged.subject() {
        Subject::Identity(build) => ("identity", Some(build)),
        // Which programs those are stands in qa-run-summary.json; their first digest names them here.
        Subject::Started(started) => ("started", started.first().map(|one| format!("sha256 {}", one.sha256))),
        Subject::Declared => ("declared", None),
    };
    Json::map([
        ("source", Json::from(source)),
        ("build", build.map(|build| clip(&build, 200)).into()),
        ("git", git.map(|git| clip(&git.commit, 80)).into()),
        ("tree", git.map(|git| clip(&git.tree, 80)).into()),
        ("dirty", git.map(|git| git.dirty).into()),
    ])
}

/// `{name, kind, url, data, declared: profile|plan|none}`
pub(crate) fn environment(environment: &Environment) -> Json {
    let text = |value: &Option<String>| Json::from(value.as_ref().map(|value| clip(value, 200)));
    let origin = environment.origins.first().map(ToString::to_string);
    Json::map([
        ("name", text(&environment.name)),
        ("kind", text(&environment.kind)),
        ("url", text(&environment.url.clone().or(origin))),
        ("data", text(&environment.data)),
        ("declared", environment.declared.as_str().into()),
    ])
}

/// `{file, sha256, changed_since_base}`
pub(crate) fn plan_json(judged: &Judged) -> Json {
    let input = plan(judged);
    let git = judged.audited().recorded().opened().git.as_ref();
    Json::map([
        ("file", Json::from(input.map(|input| clip(&input.name, 200)))),
        ("sha256", input.map(|input| input.sha256).into()),
        ("changed_since_base", git.and_then(|git| git.plan_changed).into()),
    ])
}

/// `{title, source, sha256}`
pub(crate) fn requirement(judged: &Judged) -> Json {
    let checked = judged.audited().checked();
    let source = checked.matrix().source.as_ref().map(|source| clip(source, 200));
    Json::map([
        ("title", Json::from(clip(checked.title(), 200))),
        ("source", source.into()),
        ("sha256", Digest::of(checked.requirement().as_bytes()).into()),
    ])
}

/// `{asked, of, out_of_scope, later}`
pub(crate) fn scope(judged: &Judged) -> Json {
    let matrix = judged.audited().checked().matrix();
    let whole = judged.audited().recorded().opened().options.only.is_empty();
    let asked = judged.criteria().iter().filter(|criterion| whole || !criterion.steps.is_empty()).count();
    Json::map([
        ("asked", Json::from(asked)),
        ("of", matrix.criteria.len().into()),
        ("out_of_scope", matrix.out_of_scope.len().into()),
        ("later", matrix.later.len().into()),
    ])
}

/// `{passed, failed, blocked, inconclusive, untested}`
pub(crate) fn counts(judged: &Judged) -> Json {
    Json::map(COUNT_NAMES.into_iter().zip(judged.counts()))
}

/// `{observed, witnessed, reported}`
pub(crate) fn claims(claims: Claims) -> Json {
    Json::map([
        ("observed", Json::from(claims.observed)),
        ("witnessed", claims.witnessed.into()),
        ("reported", claims.reported.into()),
    ])
}

/// Names of what caps the claim.
pub(crate) fn weakenings(judged: &Judged) -> Json {
    texts(judged.weakenings().iter().map(|weakening| &weakening.name), 60)
}

/// The criteria with what was planned of them, non-passes first.
pub(crate) fn criteria(judged: &Judged) -> Vec<(&JudgedCriterion, &Criterion)> {
    let planned = &judged.audited().checked().matrix().criteria;
    let mut rows: Vec<_> = judged.criteria().iter().zip(planned).collect();
    rows.sort_by_key(|(criterion, _)| rank(criterion.status));
    rows
}

/// Worst first.
const fn rank(status: Status) -> u8 {
    match status {
        Status::Failed => 0,
        Status::Blocked => 1,
        Status::Inconclusive => 2,
        Status::Untested => 3,
        Status::Passed => 4,
    }
}

/// How long the steps of a test took, in ms.
pub(crate) fn test_ms(judged: &Judged, test: &JudgedTest) -> u64 {
    let steps = test.steps.iter().filter_map(|position| judged.audited().steps()[*position].observation.as_deref());
    steps.map(Observation::total_us).sum::<u64>() / 1000
}

/// What became of the cleanup steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cleanup {
    /// There was nothing to clean up.
    None,
    /// Every one that had something to clean up passed.
    Complete,
    /// One did not.
    Incomplete,
}

impl Cleanup {
    /// Of a run.
    pub(crate) fn of(judged: &Judged) -> Self {
        let mut found = Self::None;
        for (position, step) in judged.audited().steps().iter().enumerate() {
            if !judged.step(position).1.is_cleanup() {
                continue;
            }
            let reason = step.judgement.reason.as_ref().map(|reason| reason.code);
            // Nothing had been made that this step could have removed.
            let nothing = matches!(
                reason,
                Some(
                    Code::VariableMissing
                        | Code::PreflightBlocked
                        | Code::PortOccupied
                        | Code::ServiceNotReady
                        | Code::PlanValidationFailed
                )
            );
            if step.judgement.status == StepStatus::Passed {
                found = Self::Complete;
            } else if !nothing {
                return Self::Incomplete;
            }
        }
        found
    }
}
