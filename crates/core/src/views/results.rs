//! results.json (harness-proof.md 1.4): what ran, step by step.

use super::{cut, texts};
use crate::audit::AuditedStep;
use crate::evaluate::Truth;
use crate::journal::observation::Observation;
use crate::json::{Json, Map, Pretty};
use crate::judged::Judged;
use crate::step::StepStatus;

/// The whole file.
pub(super) fn results(judged: &Judged, out: &mut Pretty<'_>) {
    let audited = judged.audited();
    let recorded = audited.recorded();
    let plan = audited.checked().plan();
    let attention = audited.steps().iter().any(|step| step.judgement.status != StepStatus::Passed);
    let names = plan.vars.iter().map(|(name, _)| name.as_str()).chain(["qa_marker", "qa_run_id", "qa_started_at"]);
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    let run = Json::map([
        ("qaRunId", Json::from(recorded.run())),
        ("qaMarker", recorded.opened().marker.as_str().into()),
        ("runtimeVarNames", texts(names)),
    ]);
    let head = [
        ("schemaVersion", Json::from(2)),
        ("planPath", "test-plan.json".into()),
        ("artifactDir", ".".into()),
        ("baseUrl", audited.checked().environment().url.clone().into()),
        ("startedAt", recorded.opened_at().into()),
        ("finishedAt", recorded.last_at().into()),
        ("status", if attention { "attention" } else { "passed" }.into()),
        ("run", run),
    ];
    out.map(|out| {
        head.iter().for_each(|(key, value)| out.pair(key, value));
        out.key("scenarios");
        out.list(|out| scenarios(judged, out));
        for key in ["console", "failedResponses", "requests", "requestFailures", "webSockets"] {
            out.pair(key, &Json::List(Vec::new()));
        }
    });
}

/// The cases that have steps in this run. Steps stand in the order of the plan, so those of a case stand together.
fn scenarios(judged: &Judged, out: &mut Pretty<'_>) {
    let steps = judged.audited().steps();
    for own in steps.chunk_by(|a, b| a.scenario == b.scenario) {
        let scenario = &judged.audited().checked().plan().scenarios[own[0].scenario];
        let failed = own.iter().any(|step| step_status(step) == "failed");
        out.map(|out| {
            out.pair("id", &Json::from(&scenario.id));
            out.pair("title", &scenario.title.as_str().into());
            out.key("steps");
            out.list(|out| own.iter().for_each(|step| out.value(&step_json(judged, step))));
            out.pair("status", &if failed { "failed" } else { "passed" }.into());
        });
    }
}

/// The reference knows three statuses of a step.
pub(super) const fn step_status(step: &AuditedStep) -> &'static str {
    match step.judgement.status {
        StepStatus::Passed => "passed",
        StepStatus::Skipped => "skipped",
        StepStatus::Failed | StepStatus::Error | StepStatus::Refused => "failed",
    }
}

fn step_json(judged: &Judged, step: &AuditedStep) -> Json {
    let scenario = &judged.audited().checked().plan().scenarios[step.scenario];
    let planned = &scenario.steps[step.step];
    let action = step.action.map(|action| &judged.audited().recorded().actions()[action]);
    let mut map: Map = [
        ("scenarioId", Json::from(&scenario.id)),
        ("stepId", (&planned.id).into()),
        ("testIds", texts(&planned.test_ids)),
        ("requirementIds", texts(&planned.requirement_ids)),
        ("action", planned.action_name.into()),
        ("title", planned.title.clone().into()),
        ("evidenceType", planned.evidence_type.as_str().into()),
        ("proves", planned.proves.as_str().into()),
        ("startedAt", action.map(|action| action.started_at.clone()).into()),
        ("finishedAt", action.map(|action| action.finished_at.clone()).into()),
        ("status", step_status(step).into()),
    ]
    .into_iter()
    .collect();
    if let Some(reason) = &step.judgement.reason {
        let text = cut(&format!("{}: {}", reason.code, reason.message), 1200);
        if step.judgement.status == StepStatus::Skipped {
            map.push("skipped", true);
            map.push("skipReason", text);
        } else {
            map.push("error", text);
        }
    }
    for (name, value) in copied_fields(step) {
        map.push(name, value);
    }
    Json::Map(map)
}

/// The fields of an observation that results and ledger share, in the spelling of results.
pub(super) fn copied_fields(step: &AuditedStep) -> Vec<(&'static str, Json)> {
    let mut fields = Vec::new();
    match step.observation.as_deref() {
        Some(Observation::Http(http)) => {
            if let Some(last) = http.hops.last() {
                fields.push(("url", Json::from(last.hop.url.as_str())));
                fields.push(("method", last.hop.method.as_str().into()));
                fields.push(("statusCode", last.hop.status.into()));
                fields.push((
                    "responseHeaders",
                    Json::List(last.hop.headers.iter().map(|(n, v)| Json::list([n, v])).collect()),
                ));
                fields.push(("bodyPath", evidence_path(&last.body())));
            }
            if !http.tries.is_empty() {
                let matched = step.judgement.status == StepStatus::Passed;
                fields.push(("pollAttemptCount", http.tries.len().into()));
                fields.push(("pollMatched", matched.into()));
            }
            if step.call.is_some() && is_cleanup_call(step) {
                fields.push(("cleanupAttempted", true.into()));
            }
        }
        Some(Observation::Command(command)) => {
            fields.push(("exitCode", command.result.exit.into()));
            fields.push(("timedOut", (command.result.termination == "stage_timeout").into()));
            fields.push(("termination", command.result.termination.as_str().into()));
            fields.push(("stdoutPath", evidence_path(&command.stdout)));
            fields.push(("stderrPath", evidence_path(&command.stderr)));
        }
        Some(Observation::Log(log)) => {
            fields.push(("logPath", evidence_path(&log.kept)));
            fields.push(("pollAttemptCount", log.tries.into()));
        }
        None => {}
    }
    for (role, text) in &step.previews {
        let name = match *role {
            "body" => "bodyPreview",
            "stdout" => "stdoutPreview",
            "log" => "logPreview",
            _ => "stderrPreview",
        };
        fields.push((name, text.as_str().into()));
    }
    fields.extend(checked_values(step));
    if !step.judgement.saved.is_empty() {
        let name = if matches!(step.observation.as_deref(), Some(Observation::Command(_))) {
            "extractedStdoutJson"
        } else {
            "extractedJson"
        };
        fields.push((name, Json::map(step.judgement.saved.iter().map(|(k, v)| (k.as_str(), v.clone())))));
    }
    fields
}

fn is_cleanup_call(step: &AuditedStep) -> bool {
    matches!(&step.call, Some(crate::invoke::Call::Http(call)) if call.method == "DELETE")
}

/// `checkedJson` and its like: path → what was seen, for checks that hold.
fn checked_values(step: &AuditedStep) -> Vec<(&'static str, Json)> {
    let mut json = Map::new();
    let mut texts = Vec::new();
    let mut status = Vec::new();
    for check in step.judgement.checks.iter().filter(|check| check.truth == Truth::Holds) {
        match &check.path {
            Some(path) if json.get(path).is_none() => json.push(path.as_str(), check.saw.as_str()),
            Some(_) => {}
            None if check.what == "status" || check.what == "exit" => status.push(check.expected.clone()),
            None => texts.push(format!("{} {} {}", check.what, check.op, check.expected)),
        }
    }
    let stdout = matches!(step.observation.as_deref(), Some(Observation::Command(_)));
    let mut fields = Vec::new();
    if !json.is_empty() {
        fields.push((if stdout { "checkedStdoutJson" } else { "checkedJson" }, Json::Map(json)));
    }
    if !status.is_empty() {
        fields.push(("expectedStatus", super::texts(status)));
    }
    if !texts.is_empty() {
        fields.push(("assertions", super::texts(texts)));
    }
    fields
}

/// Evidence is named by digest; small bytes stand in the journal.
fn evidence_path(blob: &crate::journal::observation::Blob) -> Json {
    Json::Text(format!("sha256:{}", blob.sha256))
}
