//! Obligations: what a step must show beyond its checks (plan.md rule 7). They need the case around the step, so
//! they are worked out here and not with the checks.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::AuditedStep;
use crate::codes::Code;
use crate::evaluate::{Bytes, Seen, Truth, evaluate};
use crate::expect::{Channel, Check, Expect, Op, What};
use crate::inputs::variables_of;
use crate::invoke::Call;
use crate::journal::observation::Observation;
use crate::json::Json;
use crate::observe::{Captured, Hop};
use crate::plan::{Action, Obligation, ObligationKind, Scenario, Step};
use crate::redact::Redactor;
use crate::step::{Evidence, StepReason, StepStatus, Weight};
use crate::vacuity::{Strength, is_echo};
use crate::vars::{Vars, variables};

/// An obligation of a step and what came of it.
#[derive(Clone, Debug)]
pub struct Obliged {
    /// The kind.
    pub kind: ObligationKind,
    /// Whether it was met.
    pub met: bool,
    /// Why, or why not.
    pub why: String,
}

/// Where variables came from: the kind of exchange that saved each.
pub(super) type Makers = BTreeMap<String, String>;

/// What is known of a case while its steps are gone through.
pub(super) struct CaseFacts {
    marker: String,
    /// Of the cases that it starts from, and of its own.
    saved_by: Makers,
    own: Makers,
    /// Targets that gave a complete, passed answer.
    answered: Vec<String>,
}

impl CaseFacts {
    /// With what the cases that it starts from saved, in the order in which they were run.
    pub(super) fn new<'m>(marker: &str, inherited: impl Iterator<Item = &'m Makers>) -> Self {
        let saved_by = inherited.flatten().map(|(name, maker)| (name.clone(), maker.clone())).collect();
        Self { marker: marker.to_owned(), saved_by, own: Makers::new(), answered: Vec::new() }
    }

    /// What the case saved itself.
    pub(super) fn makers(self) -> Makers {
        self.own
    }
}

/// Works out the obligations of a step that passed its checks, and takes what it adds to the case.
pub(super) fn settle(
    step: &Step,
    scenario: &Scenario,
    audited: &mut AuditedStep,
    facts: &mut CaseFacts,
    vars: &Vars,
    evidence: &dyn Evidence,
) {
    let inputs = variables_of(step).into_iter().map(str::to_owned);
    audited.inputs = inputs.filter(|name| facts.saved_by.contains_key(name)).collect();
    if audited.judgement.status == StepStatus::Passed {
        let outcomes: Vec<(Obliged, Option<StepReason>)> = step
            .obligations
            .iter()
            .map(|obligation| work_out(step, obligation, audited, facts, vars, evidence))
            .collect();
        let unmet = outcomes.iter().find_map(|(_, reason)| reason.clone());
        if let Some(reason) = unmet {
            audited.judgement.status =
                if reason.weight == Weight::Fail { StepStatus::Failed } else { StepStatus::Error };
            audited.judgement.reason = Some(reason);
        }
        audited.obliged = outcomes.into_iter().map(|(obliged, _)| obliged).collect();
        if step.obligations.iter().zip(&audited.obliged).any(|(of, met)| met.met && reads(of, step, scenario)) {
            audited.strength = audited.strength.map(|_| Strength::Sound);
        }
    }
    for (name, _) in &audited.judgement.saved {
        let maker = exchange(step, audited);
        facts.saved_by.insert(name.clone(), maker.clone());
        facts.own.insert(name.clone(), maker);
    }
    if audited.judgement.status == StepStatus::Passed && is_presence(audited) {
        facts.answered.extend(target(audited));
    }
}

/// Whether an obligation that is met was read off the answer, so that an empty one would not meet it.
fn reads(obligation: &Obligation, step: &Step, scenario: &Scenario) -> bool {
    match obligation.kind {
        ObligationKind::Marker => true,
        ObligationKind::Terminal => {
            let names: Vec<&str> = obligation.values.iter().flat_map(variables).collect();
            names.is_empty() || !names.into_iter().all(|name| is_echo(step, scenario, name))
        }
        ObligationKind::Persistence | ObligationKind::Absence => false,
    }
}

/// Whether all that came was kept: what was cut says nothing of what is absent.
fn is_whole(observation: &Observation) -> bool {
    match observation {
        Observation::Http(http) => http.failure.is_none() && http.hops.iter().all(|hop| hop.hop.complete),
        Observation::Command(command) => {
            let whole = |stream: &Captured| stream.complete && stream.whole.is_none();
            command.result.failure.is_none() && whole(&command.result.stdout) && whole(&command.result.stderr)
        }
        Observation::Log(log) => log.failure.is_none() && log.complete,
    }
}

/// Whether a passed answer shows that there is something to be absent: an error that was expected shows nothing.
fn is_presence(audited: &AuditedStep) -> bool {
    match audited.observation.as_deref().filter(|seen| is_whole(seen)) {
        Some(Observation::Http(http)) => http.hops.last().is_some_and(|hop| hop.hop.status < 400),
        Some(Observation::Command(command)) => command.result.exit == Some(0),
        Some(Observation::Log(log)) => log.kept.bytes > 0,
        None => false,
    }
}

fn work_out(
    step: &Step,
    obligation: &Obligation,
    audited: &AuditedStep,
    facts: &CaseFacts,
    vars: &Vars,
    evidence: &dyn Evidence,
) -> (Obliged, Option<StepReason>) {
    let outcome = match obligation.kind {
        ObligationKind::Marker => marker(audited, facts, evidence),
        ObligationKind::Terminal => terminal(obligation, audited, vars, evidence),
        ObligationKind::Persistence => persistence(step, obligation, audited, facts),
        ObligationKind::Absence => absence(audited, facts),
    };
    let kind = obligation.kind;
    match outcome {
        Ok(why) => (Obliged { kind, met: true, why }, None),
        Err((weight, message)) => {
            let code = if weight == Weight::Fail { Code::RequirementFailed } else { Code::ObligationUnmet };
            let message = format!("{}: {message}", kind.as_str());
            (Obliged { kind, met: false, why: message.clone() }, Some(StepReason { code, weight, message }))
        }
    }
}

type Outcome = Result<String, (Weight, String)>;

/// The marker in received data of an exchange whose own input did not carry it.
fn marker(audited: &AuditedStep, facts: &CaseFacts, evidence: &dyn Evidence) -> Outcome {
    let holds = finder(&facts.marker);
    if audited.call.as_ref().is_some_and(|call| carries(call, &holds)) || sent_along(audited, &holds) {
        return Err((Weight::Gap, "the step sent the marker itself, so its answer may only echo it".to_owned()));
    }
    let marker = facts.marker.as_bytes();
    if marker.is_empty() {
        return Err((Weight::Gap, "the run has no marker".to_owned()));
    }
    let found = received(audited, evidence).iter().any(|bytes| bytes.windows(marker.len()).any(|w| w == marker));
    if found {
        Ok("the run's marker came back in received data".to_owned())
    } else {
        Err((Weight::Fail, "the run's marker is not in the received data".to_owned()))
    }
}

/// Finds a text in bytes: in any spelling, one inside another too.
fn finder(text: &str) -> impl Fn(&[u8]) -> bool {
    let forms = Redactor::new(&[0; 32], &[(String::new(), text.to_owned())]);
    move |bytes: &[u8]| forms.finds(bytes)
}

/// Whether a call carries a text in its input, in any form.
fn carries(call: &Call, holds: &dyn Fn(&[u8]) -> bool) -> bool {
    let in_body = match call {
        Call::Http(http) => http.body.as_deref().is_some_and(holds),
        Call::Command(command) => command.stdin.as_deref().is_some_and(holds),
        Call::Log(_) => false,
    };
    in_body || holds(call.to_json().to_string().as_bytes())
}

/// Whether a text left with what the plan did not write: a cookie of the jar, the target of a redirect.
fn sent_along(audited: &AuditedStep, holds: &dyn Fn(&[u8]) -> bool) -> bool {
    let Some(Observation::Http(http)) = audited.observation.as_deref() else { return false };
    let sent =
        |hop: &Hop| holds(hop.url.as_bytes()) || hop.sent_headers.iter().any(|(_, value)| holds(value.as_bytes()));
    http.hops.iter().any(|hop| sent(&hop.hop))
}

/// `path` reached one of `values`.
fn terminal(obligation: &Obligation, audited: &AuditedStep, vars: &Vars, evidence: &dyn Evidence) -> Outcome {
    let path = obligation.path.as_ref().ok_or_else(|| (Weight::Gap, "no path is declared".to_owned()))?;
    let bytes = received(audited, evidence).into_iter().next().unwrap_or_default();
    let expect = Expect(vec![Op::OneOf(obligation.values.clone())]);
    let check = Check { what: What::Json(Channel::Body, vec![(path.clone(), expect)]), place: obligation.place };
    let seen = Seen { body: Some(Bytes { kept: &bytes, complete: true }), ..Seen::default() };
    let results = evaluate(&[check], &seen, vars, &|_| None);
    match results.iter().find(|result| result.truth != Truth::Holds) {
        None if !results.is_empty() => Ok(format!("{} reached a terminal value", path.text)),
        Some(result) => {
            Err((Weight::Fail, format!("{} is {}, expected one of {}", path.text, result.saw, result.expected)))
        }
        None => Err((Weight::Gap, "nothing was looked at".to_owned())),
    }
}

/// The object was read back with another verb, target or process than the exchange that made it.
fn persistence(step: &Step, obligation: &Obligation, audited: &AuditedStep, facts: &CaseFacts) -> Outcome {
    let named = if obligation.of.is_empty() { &audited.inputs } else { &obligation.of };
    if named.is_empty() {
        return Err((Weight::Gap, "the step's input names no object that an earlier exchange made".to_owned()));
    }
    let used = variables_of(step);
    let here = exchange(step, audited);
    for name in named {
        match facts.saved_by.get(name) {
            None => return Err((Weight::Gap, format!("{name} was not saved by an earlier exchange"))),
            Some(_) if !used.contains(name.as_str()) => {
                return Err((
                    Weight::Gap,
                    format!("the step's input does not hold {name}, so it reads no particular object"),
                ));
            }
            Some(there) if *there == here => {
                return Err((Weight::Gap, format!("{name} was saved by the same request, which proves no storage")));
            }
            Some(_) => {}
        }
    }
    Ok(format!("{} read back another way", named.join(", ")))
}

/// Something is absent, beside a passed step of the same case on the same target with a complete answer.
fn absence(audited: &AuditedStep, facts: &CaseFacts) -> Outcome {
    let here = target(audited).ok_or_else(|| (Weight::Gap, "the step has no target".to_owned()))?;
    if !audited.observation.as_deref().is_some_and(is_whole) {
        return Err((Weight::Gap, "the answer was not kept whole, and what is missing may hold it".to_owned()));
    }
    if facts.answered.contains(&here) {
        Ok(format!("{here} gave a complete answer before"))
    } else {
        Err((
            Weight::Gap,
            format!(
                "no passed step of the case had a complete answer from {here}, so nothing shows that it could be there"
            ),
        ))
    }
}

fn received(audited: &AuditedStep, evidence: &dyn Evidence) -> Vec<Arc<Vec<u8>>> {
    let digests = match audited.observation.as_deref() {
        Some(Observation::Http(http)) => http.hops.last().map(|hop| vec![hop.body().sha256]).unwrap_or_default(),
        Some(Observation::Command(command)) => vec![command.stdout.sha256, command.stderr.sha256],
        Some(Observation::Log(log)) => vec![log.kept.sha256],
        None => Vec::new(),
    };
    digests.iter().filter_map(|digest| evidence.bytes(digest)).collect()
}

/// Names an exchange by verb, target and process, without the values in it.
fn exchange(step: &Step, audited: &AuditedStep) -> String {
    match (&step.action, &audited.call) {
        (Action::Http(http), Some(Call::Http(call))) => format!("{} {}", http.method, without_query(&call.url)),
        (Action::Http(http), _) => format!("{} {}", http.method, http.target),
        (Action::Command(command), _) => {
            let stdin = command.stdin.clone().unwrap_or(Json::Null);
            format!("run {} < {stdin}", Json::List(command.argv.clone()))
        }
        (Action::Log(log), _) => format!("log {}", log.service),
    }
}

/// What a step speaks to, for absence: the URL without its query and the way there, or the program with its fixed
/// arguments.
fn target(audited: &AuditedStep) -> Option<String> {
    match audited.call.as_ref()? {
        Call::Http(call) => {
            let url = without_query(&call.url);
            Some(match (&call.unix_socket, &call.proxy) {
                (Some(socket), _) => format!("{url} at the Unix socket {socket}"),
                (None, Some(proxy)) => format!("{url} through the proxy {}", proxy.origin),
                (None, None) => url.to_owned(),
            })
        }
        Call::Command(call) => Some(format!("run {}", call.argv.join(" "))),
        Call::Log(call) => Some(format!("the log of {}", call.service)),
    }
}

fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Digest;
    use crate::journal::observation::{Blob, CommandObserved, HopObserved, HttpObserved};
    use crate::lint::testing::World;
    use crate::observe::{CommandCall, CommandResult, Field, HttpCall};
    use crate::path::Path;
    use crate::step::Judgement;

    fn answered(stdout: &[u8]) -> AuditedStep {
        let observed =
            CommandObserved { result: CommandResult::default(), stdout: Blob::of(stdout), stderr: Blob::of(b"") };
        AuditedStep {
            scenario: 0,
            step: 0,
            action: None,
            call: None,
            observation: Some(Arc::new(Observation::Command(Box::new(observed)))),
            judgement: Judgement {
                status: StepStatus::Passed,
                reason: None,
                checks: Vec::new(),
                saved: Vec::new(),
                recorded: Vec::new(),
            },
            obliged: Vec::new(),
            strength: None,
            inputs: Vec::new(),
            previews: Vec::new(),
        }
    }

    /// A step that asked with this header, and whose cookie of the jar was this.
    fn asked(header: &str, cookie: &str, body: &[u8]) -> AuditedStep {
        let call = HttpCall {
            method: "POST".to_owned(),
            headers: vec![("x-note".to_owned(), Field::Text(header.to_owned()))],
            body: Some(body.to_vec()),
            timeout_ms: 1000,
            cookies: true,
            max_body: 1000,
            ..HttpCall::get("http://127.0.0.1:8123/notes", Vec::new())
        };
        let sent_headers = vec![("cookie".to_owned(), cookie.to_owned())];
        let hop = Hop { url: call.url.clone(), sent_headers, complete: true, ..Hop::default() };
        let hop = HopObserved { hop, wire: Blob::of(ANSWER), decoded: None };
        let observed = HttpObserved { hops: vec![hop], ..HttpObserved::default() };
        let observation = Some(Arc::new(Observation::Http(observed)));
        AuditedStep { call: Some(Call::Http(call)), observation, ..answered(b"") }
    }

    const ANSWER: &[u8] = br#"{"note":"qa-0123456789abcdef"}"#;

    #[test]
    fn a_marker_that_was_sent_in_any_spelling_is_a_reflection() {
        let facts = CaseFacts::new("qa-0123456789abcdef", [].into_iter());
        let evidence = |digest: &Digest| (*digest == Digest::of(ANSWER)).then(|| Arc::new(ANSWER.to_vec()));
        let hex = "71612d30313233343536373839616263646566";
        let base64 = "cWEtMDEyMzQ1Njc4OWFiY2RlZg";
        let percent = "%71%61%2D%30%31%32%33%34%35%36%37%38%39%61%62%63%64%65%66";
        for (header, cookie, body, met) in [
            ("", "", &b""[..], true),
            ("qa-0123456789abcdee", "session=1", b"{}", true),
            ("a qa-0123456789abcdef b", "", b"", false),
            ("", "note=qa-0123456789abcdef", b"", false),
            ("", "", b"<qa-0123456789abcdef>", false),
            (base64, "", b"", false),
            ("", &format!("note={base64}"), b"", false),
            ("", &format!("note={hex}"), b"", false),
            ("", "", hex.as_bytes(), false),
            ("", &format!("note={percent}"), b"", false),
        ] {
            let outcome = marker(&asked(header, cookie, body), &facts, &evidence);
            assert_eq!(outcome.is_ok(), met, "{header:?} {cookie:?} {outcome:?}");
            assert!(met || matches!(outcome, Err((Weight::Gap, _))));
        }
    }

    #[test]
    fn what_was_cut_shows_no_absence_and_is_no_control() {
        let with = |complete: bool, whole: Option<Digest>| {
            let kept = Captured { complete, whole, ..Captured::default() };
            let result = CommandResult { exit: Some(0), stdout: kept.clone(), ..CommandResult::default() };
            let result = CommandResult { stderr: Captured { complete: true, ..Captured::default() }, ..result };
            let observed = CommandObserved { result, stdout: Blob::of(b""), stderr: Blob::of(b"") };
            let call = CommandCall {
                argv: vec!["list".to_owned()],
                cwd: ".".to_owned(),
                env: Vec::new(),
                stdin: None,
                timeout_ms: 1000,
            };
            let observation = Some(Arc::new(Observation::Command(Box::new(observed))));
            AuditedStep { call: Some(Call::Command(call)), observation, ..answered(b"") }
        };
        let mut facts = CaseFacts::new("", [].into_iter());
        facts.answered.push("run list".to_owned());
        for (complete, whole, fine) in
            [(true, None, true), (false, None, false), (true, Some(Digest::of(b"more")), false)]
        {
            let audited = with(complete, whole);
            assert_eq!(absence(&audited, &facts).is_ok(), fine);
            assert_eq!(is_presence(&audited), fine);
        }
    }

    #[test]
    fn a_terminal_value_may_be_a_saved_one() {
        let audited = answered(br#"{"state":"closed"}"#);
        let evidence = |digest: &Digest| {
            (*digest == Digest::of(br#"{"state":"closed"}"#)).then(|| Arc::new(br#"{"state":"closed"}"#.to_vec()))
        };
        let obligation = |value: Json| Obligation {
            kind: ObligationKind::Terminal,
            path: Some(Path::parse("state").unwrap()),
            values: vec![value],
            of: Vec::new(),
            place: Default::default(),
        };
        let vars = Vars::new(&[("end".into(), "closed".into())]);
        for (value, met) in
            [(Json::from("closed"), true), (Json::map([("$var", "end")]), true), (Json::from("open"), false)]
        {
            assert_eq!(terminal(&obligation(value), &audited, &vars, &evidence).is_ok(), met);
        }
    }

    #[test]
    fn a_command_with_other_input_is_another_exchange() {
        let mut world = World::sound();
        let steps = &mut world.plan.scenarios[0].steps;
        let position = steps.iter().position(|step| matches!(step.action, Action::Command(_))).unwrap();
        let mut other = steps[position].clone();
        let audited = answered(b"");
        assert_eq!(exchange(&steps[position], &audited), exchange(&other, &audited));
        if let Action::Command(command) = &mut other.action {
            command.stdin = Some("read".into());
        }
        assert_ne!(exchange(&steps[position], &audited), exchange(&other, &audited));
    }
}
