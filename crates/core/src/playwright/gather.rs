//! Specs as they come, folded into cases and fixtures: what is held grows with the cases and not with the attempts.

use std::collections::{BTreeMap, BTreeSet};

use crate::codes::Code;

use super::summary::one_line;
use super::title::{Named, named};
use super::writes::Attached;
use super::{Annotation, Attempt, CaseVerdict, Entry, Spec};

/// What a run has come to so far.
#[derive(Debug, Default)]
pub struct Gathered {
    pub(super) cases: BTreeMap<String, Held>,
    /// Fixtures in the order in which they came, and whether they are a teardown.
    pub(super) fixtures: Vec<(String, bool, Held)>,
    pub(super) unmapped: Vec<String>,
    pub(super) errors: Vec<String>,
    pub(super) version: Option<String>,
    pub(super) started: Option<String>,
    pub(super) annotations: BTreeSet<Annotation>,
}

/// What is held of a case or fixture.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub verdict: CaseVerdict,
    pub duration: f64,
    pub retries: u64,
    pub trace: Option<String>,
    pub video: Option<String>,
    pub console: Option<String>,
    /// The last message that is not empty, on one line.
    pub message: Option<String>,
    pub writes: Attached,
}

impl Default for Held {
    fn default() -> Self {
        Self {
            verdict: CaseVerdict::Blocked,
            duration: 0.0,
            retries: 0,
            trace: None,
            video: None,
            console: None,
            message: None,
            writes: Attached::default(),
        }
    }
}

impl Gathered {
    /// Takes the next spec.
    pub fn spec(&mut self, spec: &Spec) {
        match named(&spec.title) {
            Named::Case(id) => {
                if self.cases.contains_key(id) || repeats_a_project(spec) {
                    self.annotations.insert(Annotation { case: id.to_owned(), code: Code::CaseRepeated });
                }
                self.annotations.extend(codes(spec).into_iter().map(|code| Annotation { case: id.to_owned(), code }));
                self.cases.entry(id.to_owned()).or_default().take(spec);
            }
            Named::Fixture { name, teardown } => {
                let mut held = Held::default();
                held.take(spec);
                self.fixtures.push((name.to_owned(), teardown, held));
            }
            Named::Nothing => self.unmapped.push(spec.title.clone()),
        }
    }

    /// Takes an error outside of every test. One without words is still one.
    pub fn error(&mut self, message: &str) {
        let line = one_line(message);
        self.errors.push(if line.is_empty() { "an error without a message".to_owned() } else { line });
    }

    /// Takes Playwright's version.
    pub fn version(&mut self, version: String) {
        self.version = Some(version);
    }

    /// Takes when the run started, as Playwright has it.
    pub fn started(&mut self, at: String) {
        self.started = Some(at);
    }
}

impl Held {
    fn take(&mut self, spec: &Spec) {
        for entry in &spec.entries {
            self.verdict = self.verdict.and(CaseVerdict::of_attempts(&entry.attempts));
            self.retries += (entry.attempts.len() as u64).saturating_sub(1);
            entry.attempts.iter().for_each(|attempt| self.attempt(attempt));
        }
    }

    /// A later attempt speaks over an earlier one, where it has something to say.
    fn attempt(&mut self, attempt: &Attempt) {
        self.duration += attempt.duration;
        let path = |name: &str| {
            let mut named = attempt.attachments.iter().filter(|one| one.name == name);
            named.find_map(|one| one.path.clone().filter(|path| !path.is_empty()))
        };
        self.trace = path("trace").or(self.trace.take());
        self.video = path("video").or(self.video.take());
        self.console = console(attempt).or(self.console.take());
        if let Some(message) = attempt.message.as_deref().filter(|message| !message.is_empty()) {
            self.message = Some(one_line(message));
        }
        let skipped = attempt.status == "skipped";
        let records = attempt.attachments.iter().filter(|one| one.name == "writes.json");
        let before = self.writes.records.len();
        let paths = records.filter_map(|one| one.path.clone().filter(|path| !path.is_empty()));
        self.writes.records.extend(paths.map(|path| (path, skipped)));
        if !skipped {
            self.writes.attempts += 1;
            self.writes.bare |= self.writes.records.len() == before;
        }
    }
}

/// The console log of an attempt: a path, or the word that it stands in the report.
fn console(attempt: &Attempt) -> Option<String> {
    let one = attempt.attachments.iter().find(|one| matches!(one.name.as_str(), "console.log" | "console"))?;
    match one.path.as_ref().filter(|path| !path.is_empty()) {
        Some(path) => Some(path.clone()),
        None => one.body.then(|| format!("inline:{}", one.name)),
    }
}

fn repeats_a_project(spec: &Spec) -> bool {
    let projects: BTreeSet<&str> = spec.entries.iter().map(|entry| entry.project.as_str()).collect();
    projects.len() < spec.entries.len()
}

/// What caps the case, whatever its verdict.
fn codes(spec: &Spec) -> BTreeSet<Code> {
    spec.entries.iter().flat_map(codes_of_entry).collect()
}

fn codes_of_entry(entry: &Entry) -> Vec<Code> {
    let any = |status: &str| entry.attempts.iter().any(|attempt| attempt.status == status);
    let fails = entry.expected == "failed";
    let not_run = entry.expected != "skipped" && entry.attempts.iter().all(|attempt| attempt.status == "skipped");
    [
        (fails && any("failed"), Code::ExpectedFailure),
        (fails && any("passed"), Code::UnexpectedPass),
        (any("interrupted"), Code::AttemptInterrupted),
        (not_run, Code::CaseNotRun),
    ]
    .into_iter()
    .filter_map(|(holds, code)| holds.then_some(code))
    .collect()
}
