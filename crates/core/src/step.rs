//! What one step came to: its checks over what was captured (plan.md, "What a step comes to").

use std::sync::Arc;

use crate::codes::Code;
use crate::evaluate::{Bytes, Cause, CheckResult, Files, Seen, Truth, evaluate, implied_status, save};
use crate::expect::{Check, What};
use crate::ids::Digest;
use crate::journal::observation::Observation;
use crate::journal::witnessed::Witnessed;
use crate::json::Json;
use crate::observe::{Failure, FailureKind, Hop};
use crate::plan::{Action, SaveFrom, Step};
use crate::vars::Vars;

/// What a step came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StepStatus {
    /// Every check held over a complete answer.
    Passed,
    /// A check did not hold over a complete answer.
    Failed,
    /// No answer, or a cut one.
    Error,
    /// We refused to act.
    Refused,
    /// It did not run.
    Skipped,
}

impl StepStatus {
    /// As the journal and answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Refused => "refused",
            Self::Skipped => "skipped",
        }
    }
}

/// How much a reason weighs: one gap is enough to lose the claim (harness-proof.md 4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weight {
    /// The product contradicts the requirement.
    Fail,
    /// It could not be tested.
    Blocker,
    /// What was seen is not enough.
    Gap,
}

impl Weight {
    /// As answers write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Fail => "fail",
            Self::Blocker => "blocker",
            Self::Gap => "gap",
        }
    }
}

/// Why a step did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepReason {
    /// The code.
    pub code: Code,
    /// Its weight.
    pub weight: Weight,
    /// What was seen.
    pub message: String,
}

/// A step after its checks were worked out.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// What it came to.
    pub status: StepStatus,
    /// Why, where it did not pass.
    pub reason: Option<StepReason>,
    /// Every check.
    pub checks: Vec<CheckResult>,
    /// What it saved.
    pub saved: Vec<(String, Json)>,
    /// What it keeps for success policies.
    pub recorded: Vec<(String, Json)>,
}

impl Judgement {
    /// A step that never left.
    #[must_use]
    pub const fn without_answer(status: StepStatus, reason: StepReason) -> Self {
        Self { status, reason: Some(reason), checks: Vec::new(), saved: Vec::new(), recorded: Vec::new() }
    }
}

/// The weight of a failure of a probe: no answer blocks, a cut one leaves a gap, and so does a refusal.
#[must_use]
pub const fn weight_of(kind: FailureKind) -> Weight {
    match kind {
        FailureKind::TargetUnreachable
        | FailureKind::TlsFailed
        | FailureKind::NetworkDenied
        | FailureKind::ProgramMissing
        | FailureKind::CommandChanged
        | FailureKind::CredentialMissing
        | FailureKind::LogUnavailable => Weight::Blocker,
        FailureKind::AnswerIncomplete
        | FailureKind::CaptureCapped
        | FailureKind::BudgetExceeded
        | FailureKind::OutputLimit
        | FailureKind::GroupLeftover
        | FailureKind::TemplateRefused
        | FailureKind::TargetRefused
        | FailureKind::WriteRefused
        | FailureKind::Cancelled => Weight::Gap,
    }
}

/// The judgement of a failure: of a probe, or of the preparation of one.
#[must_use]
pub fn of_failure(failure: &Failure) -> Judgement {
    let status = match failure.kind {
        FailureKind::TemplateRefused | FailureKind::TargetRefused | FailureKind::WriteRefused => StepStatus::Refused,
        _ => StepStatus::Error,
    };
    Judgement::without_answer(
        status,
        StepReason { code: failure.kind.code(), weight: weight_of(failure.kind), message: failure.message.clone() },
    )
}

/// Bytes of evidence by digest: whoever gives them has made sure that they have it.
pub trait Evidence {
    /// All of them; `None` where they are missing or changed.
    fn bytes(&self, digest: &Digest) -> Option<Arc<Vec<u8>>>;

    /// Whether all of it is in memory, so that looking into it costs nothing.
    fn is_at_hand(&self) -> bool {
        false
    }

    /// The first of them, at most [`HEAD`].
    fn head(&self, digest: &Digest) -> Option<Vec<u8>> {
        self.bytes(digest).map(|bytes| bytes[..bytes.len().min(HEAD)].to_vec())
    }
}

/// How many bytes the beginning of a piece of evidence has: what views show of it, 800 characters of four bytes.
pub const HEAD: usize = 3200;

impl<F: Fn(&Digest) -> Option<Arc<Vec<u8>>>> Evidence for F {
    fn bytes(&self, digest: &Digest) -> Option<Arc<Vec<u8>>> {
        self(digest)
    }
}

/// Works out what a step came to from what was captured.
#[must_use]
pub fn judge(
    step: &Step,
    observation: &Observation,
    request: Option<&[u8]>,
    evidence: &dyn Evidence,
    vars: &Vars,
    files: &Files<'_>,
    witnessed: &Witnessed,
) -> Judgement {
    if let Some(failure) = observation.failure() {
        return of_failure(failure);
    }
    let Some(captured) = Captured::of(step, observation, evidence) else {
        return Judgement::without_answer(
            StepStatus::Error,
            StepReason {
                code: Code::EvidenceMissing,
                weight: Weight::Gap,
                message: "the bytes of the answer are not at hand".to_owned(),
            },
        );
    };
    let seen = captured.seen(observation, request);
    let mut checks = evaluate(&step.checks, &seen, vars, files);
    checks.extend(implied(step, &seen));
    witnessed.hear(&mut checks);
    // They are kept for each step of a run.
    checks.shrink_to_fit();
    let (saved, missing) = save_all(step, &seen, witnessed);
    let recorded = step
        .records
        .iter()
        .filter_map(|(name, path)| {
            let from = SaveFrom::Json(path.clone());
            save(&from, &seen).ok().map(|value| (name.clone(), value))
        })
        .collect();
    let (status, reason) = conclude(&checks, missing);
    if status == StepStatus::Passed
        && let Observation::Http(http) = observation
        && http.cut_off() > 0
    {
        // An answer that was right would have ended the polling: what was cut off came after it all the same.
        let message = "the last answer was cut off".to_owned();
        return of_failure(&Failure { kind: FailureKind::AnswerIncomplete, message });
    }
    Judgement { status, reason, checks, saved, recorded }
}

fn save_all(step: &Step, seen: &Seen<'_>, witnessed: &Witnessed) -> (Vec<(String, Json)>, Option<String>) {
    let mut saved = Vec::new();
    let mut missing = None;
    let captured = |placeholder: &str| {
        let bytes = seen.body.or(seen.stdout).map(|bytes| bytes.kept).unwrap_or_default();
        memchr::memmem::find(bytes, placeholder.as_bytes()).is_some()
            || seen.headers.iter().any(|(_, value)| value.contains(placeholder))
    };
    for one in &step.saves {
        if let Some(text) = witnessed.saved(&one.name, &captured) {
            saved.push((one.name.clone(), text.into()));
            continue;
        }
        match save(&one.from, seen) {
            Ok(value) => saved.push((one.name.clone(), value)),
            Err(why) => missing = missing.or(Some(format!("nothing to save as {}: {why}", one.name))),
        }
    }
    (saved, missing)
}

/// What holds without being written: a status under 400, an exit code of 0.
fn implied(step: &Step, seen: &Seen<'_>) -> Option<CheckResult> {
    let stated = |wanted: fn(&What) -> bool| step.checks.iter().any(|check| wanted(&check.what));
    match step.action {
        Action::Http(_) if !stated(|what| matches!(what, What::Status(_))) => {
            implied_status(&step.checks, seen, step.place)
        }
        Action::Command(_) if !stated(|what| matches!(what, What::Exit(_))) => {
            let check = Check { what: What::Exit(vec![0]), place: step.place };
            evaluate(&[check], seen, &Vars::default(), &|_| None)
                .into_iter()
                .find(|result| result.truth != Truth::Holds)
        }
        _ => None,
    }
}

fn conclude(checks: &[CheckResult], missing: Option<String>) -> (StepStatus, Option<StepReason>) {
    let failed = checks.iter().find(|check| match check.truth {
        Truth::Holds => false,
        Truth::Fails => true,
        // The answer is whole and is not what the check is about: the product's fault.
        Truth::Unknown => matches!(check.cause, Some(Cause::Missing | Cause::WrongType | Cause::NotJson)),
    });
    if let Some(check) = failed {
        let why = check.why.as_deref().map_or_else(String::new, |why| format!(" ({why})"));
        let message = format!("expected {} {} {}, saw {}{why}", check.what, check.op, check.expected, check.saw);
        return (StepStatus::Failed, Some(StepReason { code: Code::RequirementFailed, weight: Weight::Fail, message }));
    }
    if let Some(message) = missing {
        return (StepStatus::Failed, Some(StepReason { code: Code::RequirementFailed, weight: Weight::Fail, message }));
    }
    match checks.iter().find(|check| check.truth == Truth::Unknown) {
        Some(check) => {
            let why = check.why.as_deref().unwrap_or("it cannot be evaluated");
            let message = format!("{}: {why}", check.what);
            (StepStatus::Error, Some(StepReason { code: Code::CheckNotEvaluated, weight: Weight::Gap, message }))
        }
        None => (StepStatus::Passed, None),
    }
}

/// Whether anything that the step checks, saves or keeps stands in the body.
#[must_use]
pub fn reads_body(step: &Step) -> bool {
    let checks = step.checks.iter().any(|check| match check.what {
        What::Json(..) | What::JsonAny(..) | What::Contains(..) | What::Text(..) | What::Schema(..) => true,
        What::Status(_) | What::Exit(_) | What::Header(..) | What::Time(_) => false,
        What::Size(_) | What::Redirect(_) | What::HttpVersion(_) => false,
    });
    checks || !step.records.is_empty() || step.saves.iter().any(|save| !matches!(save.from, SaveFrom::Header(_)))
}

/// Where a hop says to go on, with the URL that this is relative to.
fn location(hop: &Hop) -> Option<(&str, &str)> {
    let found = hop.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
    Some((hop.url.as_str(), found.1.as_str()))
}

/// What a step saw but for the bytes of its channels.
pub(crate) fn without_bytes(observation: &Observation) -> Seen<'_> {
    static NOTHING: Captured = Captured { body: None, stdout: None, stderr: None, log: None };
    NOTHING.seen(observation, None)
}

/// The bytes that the checks of a step read.
#[derive(Default)]
struct Captured {
    body: Option<Arc<Vec<u8>>>,
    stdout: Option<Arc<Vec<u8>>>,
    stderr: Option<Arc<Vec<u8>>>,
    log: Option<Arc<Vec<u8>>>,
}

impl Captured {
    fn of(step: &Step, observation: &Observation, evidence: &dyn Evidence) -> Option<Self> {
        match observation {
            // A body that no check looks into is not read: it may be large.
            Observation::Http(_) if !reads_body(step) && !evidence.is_at_hand() => Some(Self::default()),
            Observation::Http(http) => {
                let body = evidence.bytes(&http.hops.last()?.body().sha256)?;
                Some(Self { body: Some(body), ..Self::default() })
            }
            Observation::Command(command) => Some(Self {
                stdout: Some(evidence.bytes(&command.stdout.sha256)?),
                stderr: Some(evidence.bytes(&command.stderr.sha256)?),
                ..Self::default()
            }),
            Observation::Log(log) => Some(Self { log: Some(evidence.bytes(&log.kept.sha256)?), ..Self::default() }),
        }
    }

    fn seen<'a>(&'a self, observation: &'a Observation, request: Option<&'a [u8]>) -> Seen<'a> {
        let mut seen = Seen {
            status: None,
            exit: None,
            headers: &[],
            http_version: None,
            url: None,
            first_location: None,
            time_us: observation.total_us(),
            body: None,
            size: None,
            stdout: None,
            stderr: None,
            log: None,
            request: request.map(|kept| Bytes { kept, complete: true }),
        };
        match observation {
            Observation::Http(http) => {
                if let Some(last) = http.hops.last() {
                    seen.status = Some(last.hop.status);
                    seen.http_version = Some(&last.hop.version);
                    seen.url = http.hops.first().map(|first| first.hop.url.as_str());
                    seen.headers = &last.hop.headers;
                    seen.first_location = http.hops.iter().find_map(|observed| location(&observed.hop));
                    seen.size = last.hop.complete.then_some(last.body().bytes);
                    seen.body = self.body.as_ref().map(|kept| Bytes { kept, complete: last.hop.complete });
                }
            }
            Observation::Command(command) => {
                let result = &command.result;
                seen.exit = result.exit;
                let bytes = |kept: &'a Option<Arc<Vec<u8>>>, captured: &crate::observe::Captured| {
                    let complete = captured.complete && captured.whole.is_none();
                    kept.as_ref().map(|kept| Bytes { kept, complete })
                };
                seen.stdout = bytes(&self.stdout, &result.stdout);
                seen.stderr = bytes(&self.stderr, &result.stderr);
            }
            Observation::Log(log) => {
                seen.log = self.log.as_ref().map(|kept| Bytes { kept, complete: log.complete });
            }
        }
        seen
    }
}
