//! results.json (harness-proof.md 1.4): what ran, step by step.

use super::{cut, texts};
use crate::audit::AuditedStep;
use crate::evaluate::Truth;
use crate::journal::observation::{Blob, HttpObserved, Observation};
use crate::json::{Json, Pretty};
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
            out.list(|out| own.iter().for_each(|step| out.map(|out| step_json(judged, step, out))));
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

fn step_json(judged: &Judged, step: &AuditedStep, out: &mut Pretty<'_>) {
    let scenario = &judged.audited().checked().plan().scenarios[step.scenario];
    let planned = &scenario.steps[step.step];
    let action = step.action.map(|action| &judged.audited().recorded().actions()[action]);
    out.pair_text("scenarioId", scenario.id.as_str());
    out.pair_text("stepId", planned.id.as_str());
    out.pair_texts("testIds", &planned.test_ids);
    out.pair_texts("requirementIds", &planned.requirement_ids);
    out.pair_text("action", planned.action_name);
    optional(out, "title", planned.title.as_deref());
    out.pair_text("evidenceType", &planned.evidence_type);
    out.pair_text("proves", &planned.proves);
    optional(out, "startedAt", action.map(|action| action.started_at.as_str()));
    optional(out, "finishedAt", action.map(|action| action.finished_at.as_str()));
    out.pair_text("status", step_status(step));
    if let Some(reason) = &step.judgement.reason {
        let text = cut(&format!("{}: {}", reason.code, reason.message), 1200);
        if step.judgement.status == StepStatus::Skipped {
            out.pair("skipped", &true.into());
            out.pair_text("skipReason", &text);
        } else {
            out.pair_text("error", &text);
        }
    }
    copied_fields(step, Form::Results, out);
}

fn optional(out: &mut Pretty<'_>, key: &str, text: Option<&str>) {
    match text {
        Some(text) => out.pair_text(key, text),
        None => out.pair(key, &Json::Null),
    }
}

/// Which file the fields of an observation are written into: results has camel case, the ledger snake case and its own
/// name for one of them (harness-proof.md 2.3).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Results,
    Ledger,
}

impl Form {
    /// The name that a field has here.
    const fn of(self, results: &'static str, ledger: &'static str) -> &'static str {
        match self {
            Self::Results => results,
            Self::Ledger => ledger,
        }
    }
}

/// Writes the fields of an observation that results and ledger share, and says whether there are any.
pub(super) fn copied_fields(step: &AuditedStep, form: Form, out: &mut Pretty<'_>) -> bool {
    let seen = step.observation.as_deref();
    let told = match seen {
        Some(Observation::Http(http)) => http_fields(step, http, form, out),
        Some(Observation::Command(command)) => {
            out.pair(form.of("exitCode", "exit_code"), &command.result.exit.into());
            out.pair(form.of("timedOut", "timed_out"), &(command.result.termination == "stage_timeout").into());
            out.pair_text("termination", &command.result.termination);
            out.pair_text(form.of("stdoutPath", "stdout_path"), &evidence_path(&command.stdout));
            out.pair_text(form.of("stderrPath", "stderr_path"), &evidence_path(&command.stderr));
            true
        }
        Some(Observation::Log(log)) => {
            out.pair_text(form.of("logPath", "log_path"), &evidence_path(&log.kept));
            out.pair(form.of("pollAttemptCount", "poll_attempt_count"), &log.tries.into());
            true
        }
        None => false,
    };
    for (role, text) in &step.previews {
        let name = match *role {
            "body" => form.of("bodyPreview", "body_preview"),
            "stdout" => form.of("stdoutPreview", "stdout_preview"),
            "log" => form.of("logPreview", "log_preview"),
            _ => form.of("stderrPreview", "stderr_preview"),
        };
        out.pair_text(name, text);
    }
    let checked = checked_values(step, form, out);
    let saved = &step.judgement.saved;
    if !saved.is_empty() {
        out.key(match seen {
            Some(Observation::Command(_)) => form.of("extractedStdoutJson", "extracted_stdout_json"),
            _ => form.of("extractedJson", "extracted_json"),
        });
        out.map(|out| saved.iter().for_each(|(name, value)| out.pair(name, value)));
    }
    told || !step.previews.is_empty() || checked || !saved.is_empty()
}

fn http_fields(step: &AuditedStep, http: &HttpObserved, form: Form, out: &mut Pretty<'_>) -> bool {
    let cleaned = step.call.is_some() && is_cleanup_call(step);
    if let Some(last) = http.hops.last() {
        out.pair_text(form.of("url", "observed_url"), &last.hop.url);
        out.pair_text("method", &last.hop.method);
        out.pair(form.of("statusCode", "status_code"), &last.hop.status.into());
        out.key(form.of("responseHeaders", "response_headers"));
        out.list(|out| {
            for (name, value) in &last.hop.headers {
                out.list(|out| [name, value].into_iter().for_each(|text| out.text(text)));
            }
        });
        out.pair_text(form.of("bodyPath", "body_path"), &evidence_path(&last.body()));
    }
    if !http.tries.is_empty() {
        let matched = step.judgement.status == StepStatus::Passed;
        out.pair(form.of("pollAttemptCount", "poll_attempt_count"), &http.tries.len().into());
        out.pair(form.of("pollMatched", "poll_matched"), &matched.into());
    }
    if cleaned {
        out.pair(form.of("cleanupAttempted", "cleanup_attempted"), &true.into());
    }
    cleaned || !http.hops.is_empty() || !http.tries.is_empty()
}

fn is_cleanup_call(step: &AuditedStep) -> bool {
    matches!(&step.call, Some(crate::invoke::Call::Http(call)) if call.method == "DELETE")
}

/// `checkedJson` and its like: path → what was seen, for checks that hold. Whether there are any.
fn checked_values(step: &AuditedStep, form: Form, out: &mut Pretty<'_>) -> bool {
    let mut json: Vec<(&str, &str)> = Vec::new();
    let mut texts = Vec::new();
    let mut status = Vec::new();
    for check in step.judgement.checks.iter().filter(|check| check.truth == Truth::Holds) {
        match &check.path {
            Some(path) if json.iter().all(|(known, _)| *known != path.as_str()) => json.push((path, &check.saw)),
            Some(_) => {}
            None if check.what == "status" || check.what == "exit" => status.push(check.expected.as_str()),
            None => texts.push(format!("{} {} {}", check.what, check.op, check.expected)),
        }
    }
    if !json.is_empty() {
        out.key(match step.observation.as_deref() {
            Some(Observation::Command(_)) => form.of("checkedStdoutJson", "checked_stdout_json"),
            _ => form.of("checkedJson", "checked_json"),
        });
        out.map(|out| json.iter().for_each(|(path, saw)| out.pair_text(path, saw)));
    }
    if !status.is_empty() {
        out.pair_texts(form.of("expectedStatus", "expected_status"), &status);
    }
    if !texts.is_empty() {
        out.pair_texts("assertions", &texts);
    }
    !(json.is_empty() && status.is_empty() && texts.is_empty())
}

/// Evidence is named by digest; small bytes stand in the journal.
fn evidence_path(blob: &Blob) -> String {
    format!("sha256:{}", blob.sha256)
}
