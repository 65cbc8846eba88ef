//! One step: what was sent, what came back, what was checked.

use probity_core::audit::{AuditedStep, Bytes};
use probity_core::evaluate::{CheckResult, Truth};
use probity_core::expect::Channel;
use probity_core::invoke::Call;
use probity_core::journal::body::EvidenceCaptured;
use probity_core::journal::observation::{CommandObserved, HopObserved, HttpObserved, LogObserved, Observation};
use probity_core::json::Json;
use probity_core::judged::{Judged, drawn_action, place_of};
use probity_core::observe::Field;
use probity_core::plan::Action;
use probity_core::step::Evidence;
use probity_core::vacuity::Strength;

use super::curl::curl;
use crate::answer::bytes::Excerpt;
use crate::answer::error::place;
use crate::answer::finding::{handle, provenance_word};
use crate::answer::{clip, texts};

/// What left.
pub(crate) enum Sent {
    /// A request: its line, its header lines, its body.
    Http {
        /// `POST http://127.0.0.1:8123/api/orders`
        line: String,
        /// Header lines; credentials as `{env:NAME}`.
        headers: Vec<(String, String)>,
        /// The body.
        body: Option<Excerpt>,
    },
    /// A command.
    Command {
        /// Program and arguments.
        argv: Vec<String>,
        /// The working folder.
        cwd: String,
        /// Standard input.
        stdin: Option<Excerpt>,
    },
    /// Nothing: the log of a service was looked into.
    Log {
        /// The service.
        service: String,
    },
}

/// What came back.
pub(crate) enum Got<'a> {
    /// An answer, with its body.
    Http(&'a HttpObserved, &'a HopObserved, Option<Excerpt>),
    /// What a command gave: standard output and standard error.
    Command(&'a CommandObserved, Option<Excerpt>, Option<Excerpt>),
    /// What a service wrote since the case began.
    Log(&'a LogObserved, Option<Excerpt>),
}

/// What left, if the step did.
pub(crate) fn sent(step: &AuditedStep) -> Option<Sent> {
    let mine = checks_on(step, Channel::Request);
    Some(match step.call.as_ref()? {
        Call::Http(call) => Sent::Http {
            line: format!("{} {}", call.method, call.url),
            headers: sent_headers(step),
            body: call.body.as_ref().map(|body| Excerpt::of(body, &mine)),
        },
        Call::Command(call) => Sent::Command {
            argv: call.argv.clone(),
            cwd: call.cwd.clone(),
            stdin: call.stdin.as_ref().map(|stdin| Excerpt::of(stdin, &mine)),
        },
        Call::Log(call) => Sent::Log { service: call.service.to_string() },
    })
}

/// The header lines of a request: those that really went out, else those that were meant to; credentials as
/// `{env:NAME}`.
pub(crate) fn sent_headers(step: &AuditedStep) -> Vec<(String, String)> {
    let field = |field: &Field| match field {
        Field::Text(text) => text.clone(),
        Field::Secret(_, name) => format!("{{env:{name}}}"),
    };
    match (step.observation.as_deref(), &step.call) {
        (Some(Observation::Http(http)), _) if !http.hops.is_empty() => http.hops[0].hop.sent_headers.clone(),
        (_, Some(Call::Http(call))) => call.headers.iter().map(|(name, value)| (name.clone(), field(value))).collect(),
        _ => Vec::new(),
    }
}

/// What came back, if something did.
pub(crate) fn got<'a>(judged: &Judged, step: &'a AuditedStep, evidence: &dyn Evidence) -> Option<Got<'a>> {
    let bytes = Bytes::of(judged.audited().recorded(), evidence);
    let excerpt = |digest, channel| Some(Excerpt::of(&bytes.bytes(&digest)?, &checks_on(step, channel)));
    Some(match step.observation.as_deref()? {
        Observation::Http(http) => {
            let last = http.hops.last()?;
            Got::Http(http, last, excerpt(last.body().sha256, Channel::Body))
        }
        Observation::Command(command) => Got::Command(
            command,
            excerpt(command.stdout.sha256, Channel::Stdout),
            excerpt(command.stderr.sha256, Channel::Stderr),
        ),
        Observation::Log(log) => Got::Log(log, excerpt(log.kept.sha256, Channel::Log)),
    })
}

/// The checks on a channel: those that do not hold first.
pub(crate) fn checks_on(step: &AuditedStep, channel: Channel) -> Vec<&CheckResult> {
    let mut mine: Vec<&CheckResult> =
        step.judgement.checks.iter().filter(|check| check.channel == Some(channel)).collect();
    mine.sort_by_key(|check| check.truth == Truth::Holds);
    mine
}

/// What was captured for a step.
pub(crate) fn captured<'a>(judged: &'a Judged, step: &AuditedStep) -> &'a [EvidenceCaptured] {
    step.action.map_or(&[], |action| &judged.audited().recorded().actions()[action].evidence)
}

/// How much of a step an answer tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Everything that is bounded anyway.
    Full,
    /// Fewer checks and header lines.
    Less,
    /// Two checks; of headers and bodies only how much there was.
    Least,
}

impl Detail {
    const fn checks(self) -> usize {
        match self {
            Self::Full => 12,
            Self::Less => 4,
            Self::Least => 2,
        }
    }

    const fn headers(self) -> usize {
        match self {
            Self::Full => 16,
            Self::Less => 6,
            Self::Least => 0,
        }
    }
}

/// The step as the answer carries it.
pub(super) fn to_json(judged: &Judged, position: usize, evidence: &dyn Evidence, detail: Detail) -> Json {
    let step = &judged.audited().steps()[position];
    let (scenario, planned) = judged.step(position);
    let handle = handle(position);
    let action = step.action.map(|action| &judged.audited().recorded().actions()[action]);
    let tries = match step.observation.as_deref() {
        Some(Observation::Http(http)) => http.tries.len().max(1),
        Some(Observation::Command(_)) => 1,
        Some(Observation::Log(log)) => usize::try_from(log.tries).unwrap_or(usize::MAX),
        None => 0,
    };
    let reason = step.judgement.reason.as_ref().map(|reason| {
        Json::map([("code", Json::from(reason.code.as_str())), ("message", clip(&reason.message, 300).into())])
    });
    let class = |check: &CheckResult| match planned.action {
        _ if check.hidden => "witnessed",
        Action::Http(_) => "observed",
        Action::Command(_) | Action::Log(_) => "reported",
    };
    let mut ordered: Vec<&CheckResult> = step.judgement.checks.iter().collect();
    ordered.sort_by_key(|check| check.truth == Truth::Holds);
    let checks: Vec<Json> = ordered
        .iter()
        .take(detail.checks())
        .map(|check| {
            Json::map([
                ("what", Json::from(clip(&check.what, 160))),
                ("op", check.op.as_str().into()),
                ("expected", clip(&check.expected, 300).into()),
                ("expected_from", check.expected_from.as_ref().map(|from| clip(from, 120)).into()),
                ("provenance", provenance_word(judged, scenario, planned, check).into()),
                ("saw", clip(&check.saw, 300).into()),
                ("holds", check.truth.as_str().into()),
                ("class", class(check).into()),
            ])
        })
        .collect();
    let left_out = ordered.len() - checks.len();
    Json::map([
        ("id", Json::from(&planned.id)),
        ("verb", clip(&drawn_action(planned), 200).into()),
        ("place", place_of(planned).map_or(Json::Null, |at| place(judged.audited().checked().file(), Some(at)))),
        ("status", step.judgement.status.as_str().into()),
        ("strength", step.strength.map(Strength::as_str).into()),
        ("reason", reason.unwrap_or(Json::Null)),
        ("started", action.map(|action| action.started_at.clone()).into()),
        ("ms", step.observation.as_ref().map(|observed| observed.total_us() / 1000).into()),
        ("tries", tries.into()),
        ("sent", sent(step).map_or(Json::Null, |sent| sent_json(&sent, &handle, detail))),
        ("got", got(judged, step, evidence).map_or(Json::Null, |got| got_json(&got, &handle, detail))),
        ("checks", Json::List(checks)),
        ("evidence", evidence_json(judged, step, &handle)),
        ("curl", curl_of(step).map(|line| clip(&line, 600)).into()),
        ("left_out", Json::map([("checks", left_out)])),
    ])
}

/// The request as a line for a shell.
pub(crate) fn curl_of(step: &AuditedStep) -> Option<String> {
    match step.call.as_ref()? {
        Call::Http(call) => Some(curl(call)),
        Call::Command(_) | Call::Log(_) => None,
    }
}

fn body(excerpt: Option<&Excerpt>, handle: &str, detail: Detail) -> Json {
    excerpt.map_or(Json::Null, |excerpt| match detail {
        Detail::Full | Detail::Less => excerpt.to_json(handle),
        Detail::Least => Excerpt { text: None, cut: true, ..excerpt.clone() }.to_json(handle),
    })
}

fn headers(pairs: &[(String, String)], detail: Detail) -> Json {
    texts(pairs.iter().take(detail.headers()).map(|(name, value)| format!("{name}: {value}")), 160)
}

fn sent_json(sent: &Sent, handle: &str, detail: Detail) -> Json {
    match sent {
        Sent::Http { line, headers: pairs, body: excerpt } => Json::map([
            ("line", Json::from(clip(line, 400))),
            ("headers", headers(pairs, detail)),
            ("body", body(excerpt.as_ref(), handle, detail)),
        ]),
        Sent::Command { argv, cwd, stdin } => Json::map([
            ("argv", texts(argv.iter().take(8 + detail.headers()), 120)),
            ("cwd", clip(cwd, 200).into()),
            ("stdin", body(stdin.as_ref(), handle, detail)),
        ]),
        Sent::Log { service } => Json::map([("service", Json::from(clip(service, 150)))]),
    }
}

fn got_json(got: &Got<'_>, handle: &str, detail: Detail) -> Json {
    match got {
        Got::Http(http, last, excerpt) => {
            let phases = &last.hop.phases;
            let named = [
                ("dns_us", phases.dns_us),
                ("connect_us", phases.connect_us),
                ("tls_us", phases.tls_us),
                ("first_byte_us", phases.first_byte_us),
                ("body_us", phases.body_us),
            ];
            let hops = http.hops.iter().take(http.hops.len() - 1).take(4 + detail.headers());
            let tls = last.hop.peer.tls.as_ref().map(|tls| {
                let facts = [("version", &tls.version), ("suite", &tls.suite), ("anchor", &tls.anchor)];
                let facts = facts.map(|(name, fact)| (name, Json::from(clip(fact, 60))));
                Json::map(facts.into_iter().chain([("key", tls.key.into())]))
            });
            let hops = hops.map(|hop| format!("{} {}", hop.hop.status, hop.hop.url));
            Json::map([
                ("status", Json::from(last.hop.status)),
                ("headers", headers(&last.hop.headers, detail)),
                ("body", body(excerpt.as_ref(), handle, detail)),
                ("phases", Json::map(named)),
                ("version", last.hop.version.as_str().into()),
                ("peer", clip(&last.hop.peer.address, 80).into()),
                ("proxy", last.hop.peer.proxy.as_ref().map(|proxy| clip(proxy, 120)).into()),
                ("tls", tls.unwrap_or(Json::Null)),
                ("hops", texts(hops, 200)),
            ])
        }
        Got::Command(command, stdout, stderr) => Json::map([
            ("exit", Json::from(command.result.exit)),
            ("termination", command.result.termination.as_str().into()),
            ("stdout", body(stdout.as_ref(), handle, detail)),
            ("stderr", body(stderr.as_ref(), handle, detail)),
        ]),
        Got::Log(log, text) => Json::map([
            ("from", Json::from(log.from)),
            ("to", log.to.into()),
            ("complete", log.complete.into()),
            ("log", body(text.as_ref(), handle, detail)),
        ]),
    }
}

fn evidence_json(judged: &Judged, step: &AuditedStep, handle: &str) -> Json {
    use probity_core::journal::body::Content;
    let rows = captured(judged, step).iter().take(8).map(|evidence| {
        let file = match &evidence.content {
            Content::File(name) => Some(format!("evidence/{name}")),
            Content::Text(_) | Content::Base64(_) | Content::Absent => None,
        };
        Json::map([
            ("id", Json::from(handle)),
            ("role", evidence.role.as_str().into()),
            ("sha256", evidence.sha256.into()),
            ("file", file.into()),
            ("media", clip(&evidence.media, 80).into()),
            ("bytes", evidence.bytes.into()),
            ("redactions", evidence.redactions.into()),
        ])
    });
    Json::List(rows.collect())
}
