//! A reason against the claim with everything that a reader needs: place, step, values, evidence.

use probity_core::codes::{Code, Who};
use probity_core::document::Place;
use probity_core::evaluate::{CheckResult, Truth};
use probity_core::ids::Id;
use probity_core::json::Json;
use probity_core::judged::{Judged, Reason, drawn_action, evidence_id, place_of};
use probity_core::lint::{Provenance, inherited, provenance};
use probity_core::plan::{Action, Scenario, Step};

use super::error::place;
use super::{clip, texts};

/// A reason, told in full.
pub(crate) struct Told<'a> {
    /// The reason.
    pub reason: &'a Reason,
    /// The case and the step, where it is about one.
    pub step: Option<(&'a Scenario, &'a Step)>,
    /// The file and the place in it that it points at.
    pub file: &'a str,
    /// The place.
    pub place: Option<Place>,
    /// The check that decided.
    pub check: Option<&'a CheckResult>,
    /// Where the expected value came from, in words.
    pub origin: Option<String>,
    /// Handles of evidence.
    pub evidence: Vec<String>,
}

/// The handle that people write: `e3`.
pub(crate) fn handle(position: usize) -> String {
    evidence_id(position).to_lowercase()
}

/// Tells a reason.
pub(crate) fn told<'a>(judged: &'a Judged, reason: &'a Reason) -> Told<'a> {
    let step = reason.step.map(|position| judged.step(position));
    let audited = reason.step.map(|position| &judged.audited().steps()[position]);
    let check = audited.and_then(|step| step.judgement.checks.iter().find(|check| check.truth != Truth::Holds));
    let written = check.map(|check| check.place).filter(|place| place.line > 0);
    let origin = step.zip(check).and_then(|((scenario, step), check)| origin(judged, scenario, step, check));
    Told {
        reason,
        step,
        file: judged.audited().checked().file(),
        place: written.or_else(|| match step {
            Some((_, step)) => place_of(step),
            None => of_criterion(judged, reason),
        }),
        check,
        origin,
        evidence: reason.step.map(handle).into_iter().collect(),
    }
}

/// Where the criterion stands that a reason is about; places of a written plan all lie in one file.
fn of_criterion(judged: &Judged, reason: &Reason) -> Option<Place> {
    let checked = judged.audited().checked();
    let id = reason.subjects.first().filter(|_| checked.is_written())?;
    let criterion = checked.matrix().criteria.iter().find(|criterion| criterion.id.as_str() == id)?;
    Some(criterion.place).filter(|place| place.line > 0)
}

/// Where an expected value came from: `{shown}, saved from POST /api/orders, e1`.
pub(crate) fn origin(judged: &Judged, scenario: &Scenario, step: &Step, check: &CheckResult) -> Option<String> {
    let names = check.expected_from.as_ref()?;
    let mut parts: Vec<String> =
        names.split([',', ' ']).filter(|n| !n.is_empty()).map(|n| format!("{{{n}}}")).collect();
    if let Some(name) = names.split([',', ' ']).find(|name| !name.is_empty()) {
        let before = inherited(judged.audited().checked().plan(), scenario);
        match provenance(step, scenario, &before, name) {
            Provenance::Earlier { step: maker } | Provenance::SelfDerived { step: maker } => {
                parts.push(saved_from(judged, &maker));
            }
            Provenance::Engine => parts.push("made by the engine".to_owned()),
            Provenance::Echo => parts.push("which the step itself sent".to_owned()),
            Provenance::Literal => parts.push("written in the plan".to_owned()),
        }
    }
    Some(parts.join(", "))
}

/// Position of the step that the expected value of a check was saved by, if one saved it.
pub(crate) fn maker(judged: &Judged, scenario: &Scenario, step: &Step, check: &CheckResult) -> Option<usize> {
    let names = check.expected_from.as_ref()?;
    let name = names.split([',', ' ']).find(|name| !name.is_empty())?;
    let before = inherited(judged.audited().checked().plan(), scenario);
    match provenance(step, scenario, &before, name) {
        Provenance::Earlier { step: maker } => position_of(judged, &maker),
        _ => None,
    }
}

fn position_of(judged: &Judged, id: &Id) -> Option<usize> {
    (0..judged.audited().steps().len()).find(|position| judged.step(*position).1.id == *id)
}

fn saved_from(judged: &Judged, maker: &Id) -> String {
    match position_of(judged, maker) {
        Some(position) => format!("saved from {}, {}", drawn_action(judged.step(position).1), handle(position)),
        None => format!("left by {maker}"),
    }
}

/// Where the operand of a check came from, in one word.
pub(crate) fn provenance_word(judged: &Judged, scenario: &Scenario, step: &Step, check: &CheckResult) -> &'static str {
    let Some(names) = &check.expected_from else { return "literal" };
    let before = inherited(judged.audited().checked().plan(), scenario);
    let words = names.split([',', ' ']).filter(|name| !name.is_empty());
    let found: Vec<&str> = words
        .map(|name| match provenance(step, scenario, &before, name) {
            Provenance::Literal => "literal",
            Provenance::Earlier { .. } => "earlier",
            Provenance::Engine => "engine",
            Provenance::Echo | Provenance::SelfDerived { .. } => "echo",
        })
        .collect();
    // The weakest of several counts.
    ["echo", "earlier", "engine", "literal"].into_iter().find(|word| found.contains(word)).unwrap_or("literal")
}

/// What is expected, as a reader sees it: `json total = 29.97`, `header etag exists`.
pub(crate) fn expected(check: &CheckResult) -> String {
    match (check.op.as_str(), check.expected.as_str()) {
        ("equals", value) => format!("{} = {value}", check.what),
        (op, value) if value.is_empty() || value == "true" || value == op => format!("{} {op}", check.what),
        (op, value) => format!("{} {op} {value}", check.what),
    }
}

impl Told<'_> {
    /// `file:line`, where it is known.
    pub(crate) fn at(&self) -> Option<String> {
        self.place.map(|place| format!("{}:{}", self.file, place.line))
    }

    /// The finding as answers carry it. `number` counts from 1.
    pub(crate) fn to_json(&self, number: usize) -> Json {
        let reason = self.reason;
        let subject = if reason.subjects.is_empty() { "run".to_owned() } else { reason.subjects.join(" ") };
        let text = |value: Option<&str>, largest: usize| Json::from(value.map(|value| clip(value, largest)));
        let probe = self.step.map(|(_, step)| match step.action {
            Action::Http(_) => "http",
            Action::Command(_) => "command",
            Action::Log(_) => "log",
        });
        let expected = self.check.map(|check| match check.op.as_str() {
            "equals" => check.expected.to_string(),
            op if check.expected == op => op.to_owned(),
            op => format!("{op} {}", check.expected),
        });
        // Facing values say it already; the sentence would repeat them.
        let message = match self.check {
            Some(check) if reason.code == Code::RequirementFailed => {
                let why = check.why.as_ref().map(ToString::to_string);
                why.unwrap_or_else(|| format!("{} is not what was expected", check.what))
            }
            _ => reason.message.clone(),
        };
        Json::map([
            ("id", Json::from(format!("f{number}"))),
            ("code", reason.code.as_str().into()),
            ("severity", reason.weight.as_str().into()),
            ("subject", clip(&subject, 200).into()),
            ("case", self.step.map(|(case, _)| case.id.to_string()).into()),
            ("step", self.step.map(|(_, step)| step.id.to_string()).into()),
            ("place", if self.place.is_some() { place(self.file, self.place) } else { Json::Null }),
            ("probe", probe.into()),
            ("what", text(self.check.map(|check| check.what.as_str()), 160)),
            ("expected", text(expected.as_deref(), 300)),
            ("expected_from", text(self.check.and_then(|check| check.expected_from.as_deref()), 120)),
            ("saw", text(self.check.map(|check| check.saw.as_str()), 300)),
            ("message", clip(&message, 300).into()),
            ("help", reason.code.explanation().remedy.into()),
            ("who", who(reason).as_str().into()),
            ("evidence", texts(&self.evidence, 20)),
        ])
    }
}

/// Whose move a reason is.
pub(crate) const fn who(reason: &Reason) -> Who {
    reason.who
}
