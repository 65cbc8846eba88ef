//! What only who was there could see: checks and values that depend on what placeholders hide (threats.md R13).
//!
//! The runner asks them of the live answer and notes where that differs from what the kept bytes give. A note is heard
//! for such a check alone, and such a check counts as witnessed: it holds up no criterion by itself.

use super::body::Fields;
use crate::evaluate::{CheckResult, Truth, verdict_of};
use crate::expect::What;
use crate::json::{Json, Map};
use crate::plan::Step;
use crate::redact::{holds, spans};
use crate::step::Judgement;

/// What results on the size of a body call themselves.
const SIZE: &str = "size";

/// Notes of one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witnessed {
    /// What checks came to.
    pub checks: Vec<WitnessedCheck>,
    /// Texts that were saved, by variable; each holds a placeholder.
    pub saved: Vec<(String, String)>,
}

/// What one result of a check came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessedCheck {
    /// The number of the check in the step, from 0.
    pub check: usize,
    /// The number of the result in the check, from 0.
    pub at: usize,
    /// What it came to.
    pub truth: Truth,
}

impl Witnessed {
    /// Whether there is nothing to note.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.checks.is_empty() && self.saved.is_empty()
    }

    /// Where the live answer came to something else than the kept bytes. `hide` replaces secrets in a value.
    #[must_use]
    pub fn between(kept: &Judgement, live: &Judgement, hide: &dyn Fn(&Json) -> Json) -> Self {
        let mut checks = Vec::new();
        for group in kept.checks.chunk_by(|a, b| a.check == b.check) {
            let check = group[0].check;
            let seen: Vec<&CheckResult> = live.checks.iter().filter(|result| result.check == check).collect();
            for (at, result) in group.iter().enumerate().filter(|(_, result)| result.hidden) {
                // Another alternative was taken: together they came to this.
                let truth = match seen.get(at).filter(|_| seen.len() == group.len()) {
                    Some(live) => live.truth,
                    None => verdict_of(&seen.iter().map(|result| (*result).clone()).collect::<Vec<_>>()),
                };
                // Of a size only this note says that a placeholder stands in the body, which nobody reads for it again.
                if truth != result.truth || result.what == SIZE {
                    checks.push(WitnessedCheck { check, at, truth });
                }
            }
        }
        // What a path names is hidden as it stands in the document; a pattern may find something else in what is kept.
        let saved = live.saved.iter().filter_map(|(name, value)| match hide(value) {
            Json::Text(text) if holds(&text) => Some((name.clone(), text)),
            _ => None,
        });
        let known = |name: &String, text: &str| {
            kept.saved.iter().any(|(known, value)| known == name && value.as_text() == Some(text))
        };
        Self { checks, saved: saved.filter(|(name, text)| !known(name, text)).collect() }
    }

    /// Those that may be heard of a step; a size is only what it is where something of the body was replaced.
    pub(crate) fn of(&self, step: &Step, redacted: bool) -> Self {
        let size = |check: usize| step.checks.get(check).is_some_and(|check| matches!(check.what, What::Size(_)));
        let checks = self.checks.iter().filter(|note| redacted || !size(note.check)).copied().collect();
        Self { checks, saved: self.saved.clone() }
    }

    /// Puts the notes in the place of what could not be asked.
    pub(crate) fn hear(&self, results: &mut [CheckResult]) {
        for note in &self.checks {
            let mut of = results.iter_mut().filter(|result| result.check == note.check);
            if let Some(result) = of.nth(note.at).filter(|result| result.hidden || result.what == SIZE) {
                (result.truth, result.hidden) = (note.truth, true);
                let unknown = note.truth == Truth::Unknown;
                result.why = unknown.then(|| "it could not be evaluated over the live answer".into());
                result.cause = result.cause.filter(|_| unknown);
            }
        }
    }

    /// What was saved as a variable, where that depends on what is hidden: each of its placeholders is one that `seen`
    /// says was captured.
    pub(crate) fn saved(&self, name: &str, seen: &dyn Fn(&str) -> bool) -> Option<&str> {
        let (_, text) = self.saved.iter().find(|(known, _)| known == name)?;
        let spans = spans(text);
        (!spans.is_empty() && spans.into_iter().all(|span| seen(&text[span]))).then_some(text.as_str())
    }

    pub(super) fn fields(f: &mut Fields) -> Option<Self> {
        let checks = f.list("checks", |note| {
            Fields::all(note, |f| {
                let whole = |n: u64| usize::try_from(n).ok();
                let truth = match f.text("holds")?.as_str() {
                    "true" => Truth::Holds,
                    "false" => Truth::Fails,
                    "unknown" => Truth::Unknown,
                    _ => return None,
                };
                Some(WitnessedCheck { check: whole(f.number("check")?)?, at: whole(f.number("at")?)?, truth })
            })
        })?;
        let Json::Map(saved) = f.take("saved")? else { return None };
        let text = |(name, value): (&str, &Json)| Some((name.to_owned(), value.as_text()?.to_owned()));
        Some(Self { checks, saved: saved.iter().map(text).collect::<Option<_>>()? })
    }

    pub(super) fn write(&self) -> Json {
        let note = |note: &WitnessedCheck| {
            Json::map([
                ("check", Json::from(note.check)),
                ("at", note.at.into()),
                ("holds", note.truth.as_str().into()),
            ])
        };
        let saved: Map = self.saved.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        Json::map([("checks", Json::List(self.checks.iter().map(note).collect())), ("saved", Json::Map(saved))])
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::Body;
    use super::*;
    use crate::step::StepStatus;

    const PLACEHOLDER: &str = "secret.sid.0123456789abcdef";

    fn result(check: usize, hidden: bool, truth: Truth) -> CheckResult {
        CheckResult {
            what: "json token".into(),
            op: "matches".into(),
            expected: "".into(),
            expected_from: None,
            saw: "".into(),
            truth,
            why: None,
            cause: None,
            channel: None,
            path: None,
            alternative: None,
            hidden,
            check,
            place: Default::default(),
        }
    }

    fn judged(checks: Vec<CheckResult>, saved: &[(&str, &str)]) -> Judgement {
        let saved = saved.iter().map(|(name, text)| ((*name).to_owned(), Json::from(*text))).collect();
        Judgement { status: StepStatus::Passed, reason: None, checks, saved, recorded: Vec::new() }
    }

    #[test]
    fn notes_are_what_differs_and_is_hidden() {
        use Truth::{Fails, Holds};
        let kept = judged(
            vec![result(0, false, Holds), result(0, true, Fails), result(1, true, Holds), result(2, true, Fails)],
            &[("same", PLACEHOLDER), ("plain", "x")],
        );
        // The second check took another alternative, with two results.
        let live = judged(
            vec![
                result(0, false, Fails),
                result(0, false, Holds),
                result(1, false, Holds),
                result(2, false, Holds),
                result(2, false, Holds),
            ],
            &[("same", "live"), ("found", "live"), ("plain", "y")],
        );
        let hide = |value: &Json| if value.as_text() == Some("live") { PLACEHOLDER.into() } else { value.clone() };
        let notes = Witnessed::between(&kept, &live, &hide);
        let note = |check, at| WitnessedCheck { check, at, truth: Holds };
        assert_eq!(notes.checks, [note(0, 1), note(2, 0)]);
        assert_eq!(notes.saved, [("found".to_owned(), PLACEHOLDER.to_owned())]);
        let written = notes.write();
        assert_eq!(Fields::all(written, Witnessed::fields), Some(notes));
    }

    #[test]
    fn a_note_is_heard_of_what_is_hidden_alone() {
        let note = |check, at, truth| WitnessedCheck { check, at, truth };
        let checks = vec![
            note(0, 0, Truth::Holds),
            note(0, 1, Truth::Holds),
            note(1, 0, Truth::Unknown),
            note(7, 0, Truth::Holds),
        ];
        let notes = Witnessed { checks, saved: Vec::new() };
        let mut results =
            [result(0, false, Truth::Fails), result(0, true, Truth::Fails), result(1, true, Truth::Holds)];
        notes.hear(&mut results);
        assert_eq!(results.each_ref().map(|result| result.truth), [Truth::Fails, Truth::Holds, Truth::Unknown]);
        assert!(results[2].why.is_some() && results[1].why.is_none());
    }

    #[test]
    fn a_size_is_another_only_where_something_was_replaced() {
        use crate::expect::Check;
        let mut world = crate::lint::testing::World::sound();
        let step = &mut world.plan.scenarios[0].steps[0];
        step.checks = vec![
            Check { what: What::Status(vec![200]), place: Default::default() },
            Check { what: What::Size(Vec::new()), place: Default::default() },
        ];
        let note = |check| WitnessedCheck { check, at: 0, truth: Truth::Holds };
        let notes = Witnessed { checks: vec![note(0), note(1)], saved: Vec::new() };
        assert_eq!((notes.of(step, true).checks.len(), notes.of(step, false).checks), (2, vec![note(0)]));
        let mut results = [CheckResult { what: SIZE.into(), ..result(1, false, Truth::Fails) }];
        notes.of(step, false).hear(&mut results);
        assert_eq!((results[0].truth, results[0].hidden), (Truth::Fails, false));
        notes.hear(&mut results);
        assert_eq!((results[0].truth, results[0].hidden), (Truth::Holds, true));
    }

    #[test]
    fn a_saved_text_is_heard_where_its_placeholders_were_captured() {
        let saved = vec![("a".to_owned(), format!("x{PLACEHOLDER}")), ("b".to_owned(), "typed".to_owned())];
        let notes = Witnessed { checks: Vec::new(), saved };
        assert!(notes.saved("a", &|text| text == PLACEHOLDER).is_some());
        for (name, captured) in [("a", false), ("b", true), ("c", true)] {
            assert_eq!(notes.saved(name, &|_| captured), None, "{name}");
        }
    }

    #[test]
    fn notes_that_say_nothing_or_something_else_are_refused() {
        use super::super::body::ActionCommit;
        let commit = ActionCommit {
            intent: 1,
            scenario: crate::ids::Id::parse("A").unwrap(),
            step: crate::ids::Id::parse("A.1").unwrap(),
            status: "passed".into(),
            code: None,
            message: None,
            observation: None,
            witnessed: Witnessed { checks: Vec::new(), saved: vec![("a".into(), PLACEHOLDER.into())] },
            probes: 1,
            output_bytes: 0,
        };
        assert_eq!(ActionCommit::read(commit.write()), Some(commit.clone()));
        let plain = ActionCommit { witnessed: Witnessed::default(), ..commit };
        let Json::Map(map) = plain.write() else { panic!("a map") };
        assert!(map.get("witnessed").is_none());
        for (checks, saved) in [("[]", "{}"), ("[{\"check\":0,\"at\":0,\"holds\":\"yes\"}]", "{}"), ("[]", "{\"a\":1}")]
        {
            let text = format!("{{\"checks\":{checks},\"saved\":{saved}}}");
            let mut forged = map.clone();
            forged.push("witnessed", crate::json::read(text.as_bytes(), &Default::default()).unwrap());
            assert_eq!(ActionCommit::read(Json::Map(forged)), None, "{text}");
        }
    }
}
