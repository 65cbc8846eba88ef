//! What `show` tells: a criterion, a case, a step, or a piece of evidence, with its steps.

mod curl;
mod step;

use std::path::Path;

use probity_core::json::Json;
use probity_core::judged::Judged;
use probity_core::nearest::nearest;
use probity_core::step::{Evidence, StepStatus, Weight};
use probity_core::verdict::{Status, of_tests};
use probity_core::verify::Verified;

use step::Detail;
pub(crate) use step::{Got, Sent, captured, checks_on, curl_of, got, sent, sent_headers};

use super::finding::handle;
use super::{clip, share, size, texts};

/// What was asked for, found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// `criterion`, `case`, `step`, `evidence`.
    pub kind: Kind,
    /// Its id as the run writes it.
    pub id: String,
    /// Its status.
    pub status: Status,
    /// Positions of its steps.
    pub steps: Vec<usize>,
    /// Position of the criterion, if it is one.
    pub criterion: Option<usize>,
}

/// Kinds of things that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A criterion.
    Criterion,
    /// A case, or one of its tests.
    Case,
    /// A step.
    Step,
    /// A piece of evidence, by its handle.
    Evidence,
}

impl Kind {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Criterion => "criterion",
            Self::Case => "case",
            Self::Step => "step",
            Self::Evidence => "evidence",
        }
    }
}

/// Finds what an id means in a run; upper or lower case is the same.
///
/// # Errors
/// The nearest id, if one is near.
pub(crate) fn find(judged: &Judged, asked: &str) -> Result<Subject, Option<String>> {
    let same = |id: &str| id.eq_ignore_ascii_case(asked);
    let steps = 0..judged.audited().steps().len();
    if let Some(position) = steps.clone().find(|position| same(&handle(*position))) {
        let status = step_status(judged, position);
        return Ok(subject(Kind::Evidence, handle(position), status, vec![position], None));
    }
    if let Some(position) = judged.criteria().iter().position(|criterion| same(criterion.id.as_str())) {
        let criterion = &judged.criteria()[position];
        let id = criterion.id.to_string();
        return Ok(subject(Kind::Criterion, id, criterion.status, criterion.steps.clone(), Some(position)));
    }
    if let Some(test) = judged.tests().iter().find(|test| same(test.id.as_str())) {
        return Ok(subject(Kind::Case, test.id.to_string(), test.status, test.steps.clone(), None));
    }
    if let Some(position) = steps.clone().find(|position| same(judged.step(*position).1.id.as_str())) {
        let status = step_status(judged, position);
        return Ok(subject(Kind::Step, judged.step(position).1.id.to_string(), status, vec![position], None));
    }
    let mine: Vec<usize> = steps.clone().filter(|position| same(judged.step(*position).0.id.as_str())).collect();
    if let Some(first) = mine.first() {
        let statuses: Vec<Status> = mine.iter().map(|position| step_status(judged, *position)).collect();
        return Ok(subject(Kind::Case, judged.step(*first).0.id.to_string(), of_tests(&statuses), mine, None));
    }
    let mut known: Vec<String> = judged.criteria().iter().map(|criterion| criterion.id.to_string()).collect();
    for position in steps {
        let (case, step) = judged.step(position);
        known.extend([case.id.to_string(), step.id.to_string(), handle(position)]);
    }
    Err(nearest(asked, known.iter().map(String::as_str)).map(str::to_owned))
}

fn subject(kind: Kind, id: String, status: Status, steps: Vec<usize>, criterion: Option<usize>) -> Subject {
    Subject { kind, id, status, steps, criterion }
}

/// What a step means for a claim.
pub(crate) fn step_status(judged: &Judged, position: usize) -> Status {
    let judgement = &judged.audited().steps()[position].judgement;
    match (judgement.status, judgement.reason.as_ref().map(|reason| reason.weight)) {
        (StepStatus::Passed, None) => Status::Passed,
        (_, Some(Weight::Fail)) => Status::Failed,
        (_, Some(Weight::Blocker)) => Status::Blocked,
        (_, Some(Weight::Gap) | None) => Status::Inconclusive,
    }
}

/// The word of a step as a reader sees it: lower case if fine, upper case if not.
pub(crate) fn step_word(judged: &Judged, position: usize) -> String {
    match judged.audited().steps()[position].judgement.status {
        StepStatus::Passed if step_status(judged, position) == Status::Passed => "passed".to_owned(),
        StepStatus::Passed => "UNPROVED".to_owned(),
        other => other.as_str().to_uppercase(),
    }
}

/// The whole answer, at most so many bytes.
pub(crate) fn show(
    verified: &Verified,
    judged: &Judged,
    subject: &Subject,
    evidence: &dyn Evidence,
    dir: &Path,
    largest: usize,
) -> Json {
    let site = super::site::Site::of(dir);
    // The steps that did not pass first: they are what a reader came for.
    let mut order = subject.steps.clone();
    order.sort_by_key(|position| step_status(judged, *position) == Status::Passed);
    let steps: Vec<Json> =
        order.iter().map(|position| step::to_json(judged, *position, evidence, Detail::Full)).collect();
    let build = |shown: &[Json]| {
        Json::map([
            ("schema", Json::from("probity/show/1")),
            ("exit", 0.into()),
            ("run", clip(verified.run.as_deref().unwrap_or(&site.name), 150).into()),
            ("kind", subject.kind.as_str().into()),
            ("id", subject.id.as_str().into()),
            ("status", subject.status.as_str().into()),
            ("criterion", criterion(judged, subject)),
            ("steps", Json::List(shown.to_vec())),
            ("left_out", Json::map([("steps", steps.len() - shown.len())])),
        ])
    };
    let room = largest.saturating_sub(size(&build(&[])) + 30);
    let taken = share(room, &[&steps])[0];
    match order.first().filter(|_| taken == 0) {
        None => build(&steps[..taken]),
        // One step is always shown, in as much detail as there is room for.
        Some(first) => {
            let less = [Detail::Less, Detail::Least].map(|detail| step::to_json(judged, *first, evidence, detail));
            let [less, least] = less;
            build(&[if size(&less) <= room { less } else { least }])
        }
    }
}

fn criterion(judged: &Judged, subject: &Subject) -> Json {
    let Some(position) = subject.criterion else { return Json::Null };
    let planned = &judged.audited().checked().matrix().criteria[position];
    let tests = judged.criteria()[position].tests.iter().take(20).map(|test| {
        let test = &judged.tests()[*test];
        Json::map([("id", Json::from(&test.id)), ("status", test.status.as_str().into())])
    });
    Json::map([
        ("text", Json::from(clip(&planned.text, 400))),
        ("needs", texts(&planned.needs, 40)),
        ("tests", Json::List(tests.collect())),
    ])
}
