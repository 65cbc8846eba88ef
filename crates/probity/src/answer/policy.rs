//! What runs come to under a success policy, as both the JSON answer and the screen say it.

use probity_core::codes::{Code, Who};
use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::json::{Json, Map, Number};
use probity_core::success_policy::{
    Class, Interval, Invalid, More, Outcome, Policy, Reason, State, Turn, Warning, at_half, conclude, detail, interval,
    turns, warnings,
};

use super::next::{How, Move};
use super::statistics;
use super::{LARGEST, clip, error, share, size};
use crate::cmd::policy::{Shown, Source};
use crate::qa_runs::Offered;

/// What runs come to.
pub(crate) struct Judgement<'a> {
    /// The policy as it was given.
    pub source: &'a Source,
    /// What it is.
    pub policy: &'a Policy,
    /// The counts.
    pub state: State,
    /// Why it is what it is.
    pub reason: Reason,
    /// What else is to be said, of the runs and of where they came from.
    pub warnings: Vec<Warning>,
    /// Where they came from.
    pub offered: &'a Offered,
    /// The newest run that speaks against the requirement, where its folder is at hand.
    pub against: Option<String>,
}

impl<'a> Judgement<'a> {
    /// Of counts.
    pub(crate) fn of(source: &'a Source, policy: &'a Policy, state: State, offered: &'a Offered) -> Self {
        let noticed = offered.noticed.iter().map(|(code, message)| Warning { code: *code, message: message.clone() });
        let warnings = warnings(policy, &state).into_iter().chain(noticed).collect();
        let reason = conclude(policy, &state);
        Self { source, policy, state, reason, warnings, offered, against: None }
    }

    /// The outcome.
    pub(crate) fn outcome(&self) -> Outcome {
        self.reason.outcome()
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        self.outcome().exit()
    }

    /// What it is about: the requirement where it is known, else the file of the policy.
    pub(crate) fn subject(&self) -> &str {
        self.offered.requirement.as_deref().unwrap_or(&self.source.name)
    }

    /// Passes and runs that a rate is worked out of.
    pub(crate) fn rate(&self) -> Option<(u64, u64)> {
        match self.policy {
            Policy::Statistical { .. } => Some(self.state.judged(self.policy)),
            policy => statistics::rate(policy, &self.state),
        }
    }

    /// Wilson's interval, where there is a rate, at the level that the policy declares and else at 95 %.
    pub(crate) fn interval(&self) -> Option<(Interval, String)> {
        match self.policy {
            Policy::Statistical { .. } => {
                self.rate().and_then(|(passed, runs)| Some((interval(passed, runs)?, "95 %".to_owned())))
            }
            policy => statistics::between(policy, &self.state),
        }
    }

    /// The answer. `rows` are runs that are shown as far as there is room, of `all` of them.
    pub(crate) fn to_json(&self, schema: &str, rows: &[Json], all: Option<u64>) -> Json {
        let warned = self.warnings.iter().map(|one| {
            Json::map([("code", Json::from(one.code.as_str())), ("message", clip(&one.message, 300).into())])
        });
        let warned: Vec<Json> = warned.collect();
        let build = |warned: &[Json], rows: &[Json], left: (usize, u64)| {
            let mut explanation = self.explanation();
            if all.is_some() {
                explanation.push("runs", Json::List(rows.to_vec()));
            }
            Json::map([
                ("schema", Json::from(schema)),
                ("exit", self.exit().into()),
                ("outcome", self.outcome().as_str().into()),
                ("reason", self.reason.as_str().into()),
                ("semantics", self.policy.semantics().into()),
                ("policy_sha256", self.source.sha256().into()),
                ("requirement", self.offered.requirement.as_ref().map(|id| clip(id, 150)).into()),
                ("counts", counts(&self.state)),
                ("warnings", Json::List(warned.to_vec())),
                ("explanation", Json::Map(explanation)),
                ("next", Json::list(next(self).iter().map(Move::to_json))),
                ("left_out", Json::map([("warnings", Json::from(left.0)), ("runs", left.1.into())])),
            ])
        };
        let room = LARGEST.saturating_sub(size(&build(&[], &[], (0, 0))) + 60);
        let taken = share(room, &[&warned, rows]);
        let left = all.unwrap_or(0).saturating_sub(taken[1] as u64);
        build(&warned[..taken[0]], &rows[..taken[1]], (warned.len() - taken[0], left))
    }

    fn explanation(&self) -> Map {
        let rate = self.rate().filter(|(_, runs)| *runs > 0);
        let mut map = Map::new();
        map.push("type", self.policy.type_name());
        map.push("policy", clipped_policy(self.policy));
        map.push("message", sentence(self.policy, &self.state));
        map.push("value", rate.map(|(passed, runs)| decimal(ratio(passed, runs), 6)));
        map.push(
            "bound",
            match self.policy {
                Policy::Statistical { min_pass_rate, .. } | Policy::PlannedRuns { min_pass_rate, .. } => {
                    Json::from(min_pass_rate.number().clone())
                }
                Policy::Wilson { target, .. } | Policy::PassK { target, .. } => Json::from(target.number().clone()),
                _ => Json::Null,
            },
        );
        map.push(
            "interval",
            self.interval().map(|(between, _)| {
                Json::map([
                    ("low", decimal(between.low(), 4)),
                    ("high", decimal(between.high(), 4)),
                    ("level", decimal(statistics::level(self.policy), 6)),
                ])
            }),
        );
        map.push(
            "at_half",
            at_half(self.policy, &self.state).map(|(needed, of, chance)| {
                Json::map([("needed", Json::from(needed)), ("of", of.into()), ("chance", decimal(chance, 4))])
            }),
        );
        map.push("contradicted", self.policy.is_existential() && self.state.is_contradicted());
        map.push("would_turn", Json::list(turns(self.policy, &self.state).iter().map(turn)));
        map.push("other_requirements", self.offered.others);
        if let Some(more) = statistics::explanation(self.policy, &self.state) {
            map.push("statistics", more);
        }
        map
    }
}

/// `{runs, completed, pass, fail, undetermined, error, pending, for, against}`
pub(crate) fn counts(state: &State) -> Json {
    let counts = state.counts();
    Json::map([
        ("runs", state.runs()),
        ("completed", state.completed()),
        ("pass", counts.pass),
        ("fail", counts.fail),
        ("undetermined", counts.undetermined),
        ("error", counts.error),
        ("pending", counts.pending),
        ("for", state.yes()),
        ("against", state.no()),
    ])
}

/// One run: `{run, at, class, counts, looked[{what, value, bound, holds}], note}`
pub(crate) fn run(policy: &Policy, shown: &Shown) -> Json {
    let truth = |holds: Option<bool>| holds.map_or(Json::Null, Json::from);
    let looked = detail(policy, &shown.run).into_iter().take(12).map(|one| {
        Json::map([
            ("what", Json::from(clip(&one.what, 80))),
            ("value", one.value.map(|value| clip(&value, 100)).into()),
            ("bound", clip(&one.bound, 80).into()),
            ("holds", truth(one.holds)),
        ])
    });
    Json::map([
        ("run", Json::from(clip(&shown.name, 150))),
        ("at", shown.at.as_ref().map(|at| clip(at, 40)).into()),
        ("class", shown.seen.class.as_str().into()),
        ("for", truth(shown.seen.holds)),
        ("looked", Json::list(looked)),
        ("note", shown.note.as_ref().map(|note| clip(note, 200)).into()),
    ])
}

fn turn(turn: &Turn) -> Json {
    let by = turn.by.map(|by| Json::map([("for", by.yes), ("against", by.no), ("any", by.any)]));
    Json::map([("to", Json::from(turn.to.as_str())), ("by", by.into())])
}

/// The answer of a policy that is none.
pub(crate) fn invalid(source: &Source, invalid: &Invalid, schema: &str) -> Json {
    let explanation = Json::map([
        ("field", Json::from(Some(clip(&invalid.field, 120)).filter(|field| !field.is_empty()))),
        ("message", clip(&invalid.message, 300).into()),
        ("help", clip(&help(invalid), 300).into()),
        ("place", error::place(&source.name, invalid.place)),
    ]);
    Json::map([
        ("schema", Json::from(schema)),
        ("exit", invalid.reason.outcome().exit().into()),
        ("outcome", invalid.reason.outcome().as_str().into()),
        ("reason", invalid.reason.as_str().into()),
        ("semantics", invalid.semantics.into()),
        ("policy_sha256", source.sha256().into()),
        ("requirement", Json::Null),
        ("counts", counts(&State::default())),
        ("warnings", Json::List(Vec::new())),
        ("explanation", explanation),
        ("next", Json::list([repair(source, invalid).to_json()])),
        ("left_out", Json::map([("warnings", 0), ("runs", 0)])),
    ])
}

/// What to do about it.
pub(crate) fn help(invalid: &Invalid) -> String {
    invalid.help.clone().unwrap_or_else(|| invalid.reason.code().explanation().remedy.to_owned())
}

fn repair(source: &Source, invalid: &Invalid) -> Move {
    let line = invalid.place.map(|place| place.line).filter(|line| *line > 0);
    let how = How::Line(source.name.clone(), line, help(invalid));
    Move { act: "fix", who: Who::Agent, why: invalid.reason.as_str().to_owned(), how }
}

/// The answer of `policy check`.
pub(crate) fn check(checked: &[(Source, Vec<Diagnostic>)], exit: u8) -> Json {
    let mut found: Vec<&Diagnostic> = checked.iter().flat_map(|(_, found)| found).collect();
    found.sort_by_key(|one| one.severity);
    let findings: Vec<Json> = found.into_iter().map(finding).collect();
    let policies: Vec<Json> = checked.iter().map(|(source, _)| policy_row(source)).collect();
    let build = |policies: &[Json], taken: &[Json], left: (usize, usize)| {
        Json::map([
            ("schema", Json::from("probity/policy-check/1")),
            ("exit", exit.into()),
            ("ok", (exit == 0).into()),
            ("policies", Json::List(policies.to_vec())),
            ("findings", Json::List(taken.to_vec())),
            ("left_out", Json::map([("policies", left.0), ("findings", left.1)])),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(&[], &[], (0, 0))) + 40);
    let taken = share(room, &[&findings, &policies]);
    build(&policies[..taken[1]], &findings[..taken[0]], (policies.len() - taken[1], findings.len() - taken[0]))
}

fn policy_row(source: &Source) -> Json {
    Json::map([
        ("file", Json::from(clip(&source.name, 150))),
        ("policy_sha256", source.sha256().into()),
        ("type", source.policy.as_ref().ok().map(Policy::type_name).into()),
        ("reason", source.policy.as_ref().err().map(|invalid| invalid.reason.as_str()).into()),
    ])
}

fn finding(found: &Diagnostic) -> Json {
    Json::map([
        ("code", Json::from(found.code.as_str())),
        ("severity", if found.severity == Severity::Error { "error" } else { "warning" }.into()),
        ("subject", found.subject.as_ref().map(|subject| clip(subject, 150)).into()),
        ("place", error::place(&found.file, found.place)),
        ("message", clip(&found.message, 300).into()),
        ("help", found.help.as_ref().map(|help| clip(help, 300)).into()),
        ("who", found.code.explanation().who.as_str().into()),
    ])
}

/// A policy in an answer: whole where it is short.
fn clipped_policy(policy: &Policy) -> Json {
    let json = policy.to_json();
    if size(&json) <= 600 {
        json
    } else {
        Json::map([("type", policy.type_name()), ("cut", "it is longer than is shown")])
    }
}

/// `statistical, min_runs 10, min_pass_rate 0.7`
pub(crate) fn named(policy: &Policy) -> String {
    let json = policy.to_json();
    let mut parts = vec![policy.type_name().to_owned()];
    for (name, value) in json.as_map().into_iter().flat_map(Map::iter).filter(|(name, _)| *name != "type") {
        parts.push(match value {
            Json::List(rules) => counted(rules.len() as u64, "rule"),
            Json::Text(text) => format!("{name} {}", probity_core::inert::shortened(text, 40)),
            other => format!("{name} {}", probity_core::inert::shortened(&other.to_string(), 40)),
        });
    }
    parts.join(", ")
}

/// The outcome in a sentence.
pub(crate) fn sentence(policy: &Policy, state: &State) -> String {
    if let Some(sentence) = statistics::sentence(policy, state) {
        return sentence;
    }
    let (passed, judged) = state.judged(policy);
    match (policy, conclude(policy, state)) {
        (Policy::Statistical { min_runs, .. } | Policy::AgentJudgment { min_runs, .. }, Reason::InsufficientRuns) => {
            let what = if matches!(policy, Policy::Statistical { .. }) { "measured run" } else { "judged run" };
            format!("{}, {min_runs} needed", counted(judged, what))
        }
        (Policy::Statistical { min_pass_rate, .. }, _) => {
            let rate = ratio(passed, judged);
            format!(
                "{passed} of {} passed = {rate:.2}, bound {}",
                counted(judged, "measured run"),
                min_pass_rate.number().token()
            )
        }
        (_, Reason::ConfidentPass) => {
            format!("{} of {} a pass that the judge is sure of", passed, counted(judged, "judged run"))
        }
        (_, Reason::AllConfidentFail) => {
            format!("the judge is sure of a failure in {}", all(judged, "judged run"))
        }
        (_, Reason::Ambiguous) => {
            let sure = state.no();
            format!(
                "no pass that the judge is sure of, and a sure failure in {sure} of {}",
                counted(judged, "judged run")
            )
        }
        (_, Reason::Matched) if judged == 1 => "the one measured run is what the policy asks for".to_owned(),
        (_, Reason::Matched) => {
            format!(
                "{passed} of {judged} measured runs {} what the policy asks for",
                if passed == 1 { "is" } else { "are" }
            )
        }
        (_, Reason::NoMatch) if judged == 1 => "the one measured run is not what the policy asks for".to_owned(),
        (_, Reason::NoMatch) => format!("none of {judged} measured runs is what the policy asks for"),
        (_, Reason::NoMeasurement) => {
            format!("{}, and none of them could be measured", counted(state.completed(), "completed run"))
        }
        (_, reason) => fragment(reason.code().explanation().meaning),
    }
}

fn all(count: u64, noun: &str) -> String {
    if count == 1 { format!("the one {noun}") } else { format!("all {count} {noun}s") }
}

/// `1 run`, `2 runs`
pub(crate) fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

#[expect(clippy::cast_precision_loss, reason = "counts of runs stay far below 2^53")]
pub(crate) fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

/// A number with at most so many decimals.
pub(super) fn decimal(value: f64, places: usize) -> Json {
    let text = format!("{value:.places$}");
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    Number::parse(short).map_or(Json::Null, Json::from)
}

/// What would turn the outcome, in words.
pub(crate) fn turned(judgement: &Judgement<'_>, turn: &Turn) -> String {
    let to = turn.to.as_str();
    if let Some(planned) = judgement.state.planned(judgement.policy) {
        return statistics::turned(&planned, turn);
    }
    let Some(by) = turn.by else { return format!("to {to}: no number of runs more") };
    let (passed, judged) = judgement.state.judged(judgement.policy);
    let More { yes, no, any } = by;
    match judgement.policy {
        Policy::Statistical { .. } | Policy::Wilson { .. } | Policy::Sprt(_) | Policy::PassK { .. } => {
            let after = |passes: u64| {
                let (passed, judged) = (passed + passes, judged + by.runs());
                format!("{passed} of {judged} = {:.2}", ratio(passed, judged))
            };
            match (turn.to, any) {
                (Outcome::Satisfied, 0) => format!("to {to}: {} more in a row ({})", passes(yes), after(yes)),
                (Outcome::Satisfied, _) => {
                    format!(
                        "to {to}: {} more, at least {yes} of them {}",
                        counted(by.runs(), "measured run"),
                        if yes == 1 { "a pass" } else { "passes" }
                    )
                }
                (_, 0) => format!("to {to}: {} more ({})", counted(no, "failure"), after(0)),
                (_, _) => {
                    format!(
                        "to {to}: {} more, at least {no} of them {}",
                        counted(by.runs(), "measured run"),
                        if no == 1 { "a failure" } else { "failures" }
                    )
                }
            }
        }
        Policy::AgentJudgment { .. } => match (yes, no) {
            (0, 0) => format!("to {to}: {} more", counted(any, "judged run")),
            (_, 0) if any == 0 => format!("to {to}: 1 pass more that the judge is sure of"),
            (_, 0) => format!(
                "to {to}: {} more, one of them a pass that the judge is sure of",
                counted(by.runs(), "judged run")
            ),
            (_, no) => format!("to {to}: {} more, each of which the judge is sure of", counted(no, "failure")),
        },
        _ if yes > 0 => format!("to {to}: 1 run more that is what the policy asks for"),
        _ => format!("to {to}: 1 run more that is measured and is not"),
    }
}

/// A sentence as a fragment after whose move it is.
fn fragment(sentence: &str) -> String {
    let mut chars = sentence.trim_end_matches('.').chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn passes(count: u64) -> String {
    if count == 1 { "1 pass".to_owned() } else { format!("{count} passes") }
}

/// What to do next.
pub(crate) fn next(judgement: &Judgement<'_>) -> Vec<Move> {
    let hint = |act, who, why: &str, text: String| Move { act, who, why: why.to_owned(), how: How::Hint(text) };
    let reason = judgement.reason.as_str();
    match judgement.reason {
        Reason::Matched
        | Reason::PassRateMet
        | Reason::ConfidentPass
        | Reason::LowerBoundMet
        | Reason::SeriesMet
        | Reason::RatioMet => {
            let looked = [Code::NewerContradiction, Code::Conflict, Code::SeriesRepeated, Code::RunNotProved];
            let found = judgement.warnings.iter().find(|one| looked.contains(&one.code));
            let text = |code: Code| fragment(code.explanation().remedy);
            found
                .map(|one| hint("look", one.code.explanation().who, one.code.as_str(), text(one.code)))
                .into_iter()
                .collect()
        }
        Reason::InsufficientRuns => {
            let more =
                turns(judgement.policy, &judgement.state).into_iter().find_map(|turn| turn.by).map_or(1, More::runs);
            let again = How::Command(format!("probity run PLAN --repeat {more}"), String::new());
            vec![
                Move { act: "run", who: Who::Agent, why: reason.to_owned(), how: again },
                hint(
                    "run",
                    Who::Agent,
                    reason,
                    format!("do not stop early: {more} was settled before the first of them ran"),
                ),
            ]
        }
        other => {
            let explanation = other.code().explanation();
            if let Some(run) = judgement.against.as_ref().filter(|_| other.outcome() == Outcome::Failed) {
                let how =
                    How::Command(format!("probity why {run}"), "the newest run that speaks against it".to_owned());
                return vec![Move { act: "look", who: Who::Product, why: reason.to_owned(), how }];
            }
            vec![hint(
                if explanation.who == Who::Product { "fix" } else { "look" },
                explanation.who,
                reason,
                fragment(explanation.remedy),
            )]
        }
    }
}

/// Whether a run counts, as a row says it.
pub(crate) const fn counts_as(class: Class, holds: Option<bool>) -> &'static str {
    match (class, holds) {
        (Class::Pending, _) => "no",
        (_, Some(true)) => "for",
        (_, Some(false)) => "against",
        (_, None) => "no",
    }
}
