//! What `qa` says of requirements, runs and gates, as both the JSON answers and the screen say it.

use probity_core::codes::{Code, Who};
use probity_core::json::Json;
use probity_core::qa::gate::{Asked, Gate, Hold, Looked};
use probity_core::qa::{Decision, NewRun, Phase, QaRun, Requirement, Terms, Tree, Version, Waiver};
use probity_core::success_policy::{Outcome, Policy};
use probity_core::verdict::QaVerdict;
use probity_store::index::{Recorded, Required};

use super::next::{How, Move};
use super::policy::{counts, named};
use super::site::word;
use super::{LARGEST, clip, share, size};

/// A time of the index as answers write it: `2026-11-30T14:24:02Z`.
pub(crate) fn time(micros: i64) -> String {
    jiff::Timestamp::from_microsecond(micros)
        .map_or_else(|_| "?".to_owned(), |at| at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// What a success policy asks for, in words.
pub(crate) fn policy(terms: &Terms) -> String {
    match Policy::read(terms.policy.as_deref().unwrap_or_default().as_bytes()) {
        Ok(_) if terms.policy.is_none() => "no policy, so one pass is enough".to_owned(),
        Ok(policy) => named(&policy),
        Err(invalid) => format!("an invalid policy ({})", invalid.reason),
    }
}

/// Fields of a requirement that differ, with both values.
pub(crate) fn changes(from: &Version, to: &Version) -> Vec<(&'static str, String, String)> {
    let text = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    let taken = |terms: &Terms| if terms.accept_reported { "count" } else { "do not count" }.to_owned();
    let (old, new) = (&from.terms, &to.terms);
    [
        ("success_policy", policy(old), policy(new)),
        ("phase", old.phase.as_str().to_owned(), new.phase.as_str().to_owned()),
        ("blocking_mode", old.blocking.as_str().to_owned(), new.blocking.as_str().to_owned()),
        ("target_env", text(&old.target_env), text(&new.target_env)),
        ("plan", text(&old.plan), text(&new.plan)),
        ("reported_runs", taken(old), taken(new)),
    ]
    .into_iter()
    .filter(|(_, from, to)| from != to)
    .collect()
}

/// What came of a requirement that was asked for.
pub(crate) const fn required_word(required: &Required) -> &'static str {
    match required {
        Required::New(_) => "new",
        Required::Changed { .. } => "changed",
        Required::Same(_) => "same",
    }
}

/// The answer of `qa require`.
pub(crate) fn required(requirement: &Requirement, required: &Required) -> Json {
    let version = required.version();
    let changed = match required {
        Required::Changed { from, to } => changes(from, to),
        Required::New(_) | Required::Same(_) => Vec::new(),
    };
    let change = |(field, from, to): (&'static str, String, String)| {
        Json::map([("field", Json::from(field)), ("from", clip(&from, 300).into()), ("to", clip(&to, 300).into())])
    };
    let terms = &version.terms;
    Json::map([
        ("schema", Json::from("probity/qa-require/1")),
        ("exit", 0.into()),
        ("outcome", required_word(required).into()),
        ("requirement", requirement.id.as_str().into()),
        ("version", version.version.into()),
        ("kind", clip(&requirement.kind, 200).into()),
        ("source", requirement.origin.as_str().into()),
        ("phase", terms.phase.as_str().into()),
        ("blocking_mode", terms.blocking.as_str().into()),
        ("target_env", terms.target_env.as_ref().map(|name| clip(name, 200)).into()),
        ("plan", terms.plan.as_ref().map(|name| clip(name, 300)).into()),
        ("accept_reported", terms.accept_reported.into()),
        ("policy", clip(&policy(terms), 500).into()),
        ("policy_sha256", version.policy_sha256.into()),
        ("by", clip(&version.by, 300).into()),
        ("reason", version.reason.as_ref().map(|why| clip(why, 600)).into()),
        ("changes", Json::list(changed.into_iter().map(change))),
    ])
}

/// What came of a run that was recorded.
pub(crate) const fn recorded_word(recorded: Recorded) -> &'static str {
    match recorded {
        Recorded::New(_) => "new",
        Recorded::Completed(_) => "completed",
        Recorded::Same(_) => "same",
    }
}

/// The answer of `qa record`.
pub(crate) fn recorded(run: &NewRun, recorded: Recorded) -> Json {
    Json::map([
        ("schema", Json::from("probity/qa-record/1")),
        ("exit", 0.into()),
        ("outcome", recorded_word(recorded).into()),
        ("recorded", said(run, recorded.n())),
        ("key", clip(&run.key, 250).into()),
        (
            "artifacts",
            Json::list(run.said.artifacts.iter().take(20).map(|one| {
                Json::map([
                    ("name", Json::from(clip(&one.name, 100))),
                    ("kind", one.kind.as_str().into()),
                    ("sha256", one.sha256.into()),
                    ("size", one.size.into()),
                ])
            })),
        ),
        ("left_out", Json::map([("artifacts", run.said.artifacts.len().saturating_sub(20))])),
    ])
}

/// One run.
fn said(run: &NewRun, n: i64) -> Json {
    let said = &run.said;
    let number = |number: &Option<probity_core::json::Number>| number.clone().map_or(Json::Null, Json::from);
    Json::map([
        ("requirement", Json::from(run.requirement.as_str())),
        ("n", n.into()),
        ("verdict", said.verdict.map(QaVerdict::as_str).into()),
        ("verdict_reason", said.reason.as_ref().map(|why| clip(why, 300)).into()),
        ("score", number(&said.score)),
        ("confidence", number(&said.confidence)),
        ("source", run.source.as_str().into()),
        ("performed_by", clip(&run.by, 200).into()),
        ("commit", said.commit.as_ref().map(|commit| clip(commit, 200)).into()),
        ("tree", said.tree.as_str().into()),
        ("run", run.run.as_ref().map(|run| clip(run, 150)).into()),
        ("seal", run.seal.clone().into()),
    ])
}

/// The answer of `qa waive`.
pub(crate) fn waived(one: &Waiver) -> Json {
    let mut answer = vec![("schema", Json::from("probity/qa-waive/1")), ("exit", 0.into())];
    answer.extend(waiver(one));
    Json::map(answer)
}

fn waiver(one: &Waiver) -> Vec<(&'static str, Json)> {
    vec![
        ("requirement", Json::from(one.requirement.as_str())),
        ("version", one.version.into()),
        ("commit", one.commit.as_ref().map(|commit| clip(commit, 200)).into()),
        ("by", clip(&one.by, 200).into()),
        ("reason", clip(&one.reason, 400).into()),
        ("until", time(one.until).into()),
        ("key", one.key.as_str().into()),
        ("signed", false.into()),
    ]
}

/// The answer of `qa list`.
pub(crate) fn list(runs: &[QaRun]) -> Json {
    let rows: Vec<Json> = runs
        .iter()
        .map(|run| {
            let mut row = said(&run.new, run.n);
            if let Json::Map(map) = &mut row {
                map.push("version", run.version);
                map.push("at", time(run.at));
            }
            row
        })
        .collect();
    let build = |taken: &[Json], left: usize| {
        Json::map([
            ("schema", Json::from("probity/qa-list/1")),
            ("exit", 0.into()),
            ("runs", Json::List(taken.to_vec())),
            ("left_out", Json::map([("runs", left)])),
        ])
    };
    let taken = share(LARGEST.saturating_sub(size(&build(&[], 0)) + 20), &[&rows])[0];
    build(&rows[..taken], rows.len() - taken)
}

/// What to do about a requirement that is not met.
pub(crate) fn next(one: &Looked) -> Move {
    let (code, who) = (one.code, one.who());
    let why = code.as_str().to_owned();
    let id = word(&one.version.requirement);
    let plan = one.version.terms.plan.as_ref();
    let runs_again = matches!(
        code,
        Code::NoRuns | Code::RunsStale | Code::RunsReportedOnly | Code::InsufficientRuns | Code::NoMeasurement
    );
    if let Some(plan) = plan.filter(|_| runs_again) {
        let env = one.version.terms.target_env.as_ref().map_or_else(String::new, |env| format!(" --env {}", word(env)));
        let command = format!("probity run {}{env}", word(plan));
        return Move { act: "run", who, why, how: How::Command(command, "it is recorded by itself".to_owned()) };
    }
    if one.outcome == Outcome::Failed || code == Code::NewestContradicts {
        let note = "its newest runs, with why".to_owned();
        return Move { act: "look", who, why, how: How::Command(format!("probity qa list {id}"), note) };
    }
    let act = if who == Who::Person { "ask" } else { "fix" };
    Move { act, who, why, how: How::Hint(code.explanation().remedy.to_owned()) }
}

/// What to do where nothing is required.
pub(crate) fn nothing_required() -> Move {
    let code = Code::NoRequirement.explanation();
    let how = How::Hint(code.remedy.to_owned());
    Move { act: "fix", who: code.who, why: Code::NoRequirement.as_str().to_owned(), how }
}

/// One requirement as it was looked at.
fn looked(one: &Looked) -> Json {
    let terms = &one.version.terms;
    let warned = one.warnings.iter().take(5).map(|warning| {
        Json::map([("code", Json::from(warning.code.as_str())), ("message", clip(&warning.message, 200).into())])
    });
    Json::map([
        ("id", Json::from(one.version.requirement.as_str())),
        ("version", one.version.version.into()),
        ("phase", terms.phase.as_str().into()),
        ("blocking_mode", terms.blocking.as_str().into()),
        ("outcome", one.outcome.as_str().into()),
        ("code", one.code.as_str().into()),
        ("why", clip(&one.why, 300).into()),
        ("hold", one.hold.as_str().into()),
        ("counts", counts(&one.state)),
        ("runs_of_all_commits", one.runs.into()),
        ("waiver", one.waiver.as_ref().map(|one| Json::map(waiver(one))).into()),
        ("warnings", Json::list(warned)),
        ("next", if one.hold == Hold::Met { Json::Null } else { next(one).to_json() }),
    ])
}

fn asked_json(asked: &Asked) -> Vec<(&'static str, Json)> {
    vec![
        ("phase", asked.phase.map(Phase::as_str).into()),
        ("commits", super::texts(asked.commits.iter().take(10), 100)),
        ("select", asked.select.as_str().into()),
        ("max_attempts", asked.max_attempts.into()),
    ]
}

/// The answer of `qa status`, the worst first.
pub(crate) fn status(gate: &Gate, asked: &Asked) -> Json {
    let rows: Vec<Json> = gate.looked.iter().map(looked).collect();
    let build = |taken: &[Json], left: usize| {
        let mut fields = vec![("schema", Json::from("probity/qa-status/1")), ("exit", 0.into())];
        fields.extend(asked_json(asked));
        fields.push(("requirements", Json::List(taken.to_vec())));
        fields.push(("left_out", Json::map([("requirements", left)])));
        Json::map(fields)
    };
    let taken = share(LARGEST.saturating_sub(size(&build(&[], 0)) + 20), &[&rows])[0];
    build(&rows[..taken], rows.len() - taken)
}

/// The answer of `qa gate`: what blocks stands first, and every waiver stands in it.
pub(crate) fn gate(gate: &Gate, asked: &Asked, decision: &Decision) -> Json {
    let mut blocking: Vec<Json> = gate.blocking().map(looked).collect();
    if gate.is_empty() {
        blocking.push(Json::map([
            ("id", Json::Null),
            ("outcome", Outcome::Undetermined.as_str().into()),
            ("code", Code::NoRequirement.as_str().into()),
            ("why", Code::NoRequirement.explanation().meaning.into()),
            ("next", nothing_required().to_json()),
        ]));
    }
    let held = |hold: Hold| gate.looked.iter().filter(move |one| one.hold == hold);
    let waived: Vec<Json> = held(Hold::Waived).map(looked).collect();
    let build = |blocking: &[Json], waived: &[Json], left: (usize, usize)| {
        let mut fields = vec![
            ("schema", Json::from("probity/qa-gate/1")),
            ("exit", gate.exit().into()),
            ("ok", gate.ok().into()),
            ("by_waiver", gate.capped().into()),
        ];
        fields.extend(asked_json(asked));
        fields.extend([
            ("blocking", Json::List(blocking.to_vec())),
            ("waived", Json::List(waived.to_vec())),
            ("met", held(Hold::Met).count().into()),
            ("not_blocking", held(Hold::NotBlocking).count().into()),
            ("decision", Json::map([("key", Json::from(decision.key.as_str())), ("sha256", decision.sha256.into())])),
            ("left_out", Json::map([("blocking", left.0), ("waived", left.1)])),
        ]);
        Json::map(fields)
    };
    let room = LARGEST.saturating_sub(size(&build(&[], &[], (0, 0))) + 40);
    let taken = share(room, &[&blocking, &waived]);
    build(&blocking[..taken[0]], &waived[..taken[1]], (blocking.len() - taken[0], waived.len() - taken[1]))
}

/// A commit as people read it, with what is known of the work tree.
pub(crate) fn commit(commit: Option<&str>, tree: Tree) -> String {
    let short = commit.map_or_else(|| "no commit".to_owned(), short_commit);
    if tree == Tree::Dirty { format!("{short} (dirty)") } else { short }
}

/// The first digits of a commit; another name as it stands.
pub(crate) fn short_commit(commit: &str) -> String {
    let digits = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    if digits { commit[..12].to_owned() } else { commit.to_owned() }
}
