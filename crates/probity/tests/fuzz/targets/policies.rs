//! Success policies and the runs that they judge: the first line is the text of a policy, each further one a run.

use probity_core::diagnostic::Severity;
use probity_core::success_policy::{
    Policy, Row, State, Want, at_half, conclude, detail, evaluate, import, lint, turns, warnings,
};

pub(crate) const POLICY: &[&str] = &[
    "{\"type\":",
    "\"deterministic\",\"criteria\":\"verdict_pass\"}",
    "\"deterministic\",\"check\":\"exit_code\",\"expected\":0}",
    "\"threshold\",\"metric\":\"score\",\"threshold\":",
    "\"operator\":\"lte\"",
    "\"statistical\",\"min_runs\":",
    ",\"min_pass_rate\":",
    "\"composite\",\"rules\":[",
    "{\"metric\":\"a\",\"min_pct\":",
    "{\"check\":\"ok\"}",
    "\"agent_judgment\",\"confidence_pass\":",
    ",\"confidence_fail\":",
    "\"wilson\",\"target\":",
    "\"sprt\",\"p0\":0.5,\"p1\":0.9,\"alpha\":0.05,\"beta\":",
    "\"pass_k\",\"k\":",
    ",\"confidence\":0.95",
    "\"planned_runs\",\"planned\":",
    "\n{\"verdict\":\"pass\"",
    "\n{\"verdict\":\"fail\",\"confidence\":",
    ",\"score\":",
    ",\"raw_result\":{\"exit_code\":",
    ",\"raw_result\":\"{\\\"a\\\":1}\"",
    ",\"created_at\":\"2026-08-01T00:00:00Z\"}",
    "1e400",
    "-0.0",
    "0.7",
    "1000000",
    "null",
    "\"x_a\":",
    "\\ud800",
    "}",
    "]",
    ",",
];

/// Whatever stands there: it is read or refused with a reason, and what runs come to is the same in every order and out
/// of parts.
pub(crate) fn success_policy(bytes: &[u8]) {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let text = lines.next().unwrap_or_default();
    let read = Policy::read(text);
    let found = lint("policy.json", text);
    assert_eq!(read.is_err(), found.iter().any(|one| one.severity == Severity::Error));
    if let Ok(imported) = import(text) {
        assert!(Policy::read(imported.policy.to_string().as_bytes()).is_ok());
    }
    let runs: Vec<_> = lines.filter_map(|line| Row::read(line, &Want::everything()).ok()).map(|row| row.run).collect();
    let Ok(policy) = read else { return };
    assert_eq!(Policy::read(policy.to_json().to_string().as_bytes()).as_ref(), Ok(&policy));
    let (left, right) = runs.split_at(runs.len() / 2);
    let mut parts = State::of(&policy, right);
    parts.merge(&State::of(&policy, left));
    let state = State::of(&policy, &runs);
    assert_eq!(state, parts);
    assert_eq!(conclude(&policy, &parts), evaluate(&policy, runs.iter().rev()));
    // What nobody asks for changes nothing.
    let want = Want::names(policy.names());
    let lines = bytes.split(|byte| *byte == b'\n').skip(1);
    let bare: Vec<_> = lines.filter_map(|line| Row::read(line, &want).ok()).map(|row| row.run).collect();
    assert_eq!(State::of(&policy, &bare), state);
    assert!(turns(&policy, &state).iter().all(|turn| turn.to != conclude(&policy, &state).outcome()));
    assert!(at_half(&policy, &state).is_none_or(|(_, _, chance)| (0.0..=1.0).contains(&chance)));
    assert!(warnings(&policy, &state).iter().all(|one| !one.message.is_empty()));
    assert!(runs.iter().all(|run| !detail(&policy, run).is_empty()));
}
