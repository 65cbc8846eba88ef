//! Findings while they are gathered.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::document::Place;
use crate::expect::Check;
use crate::ids::Id;
use crate::matrix::{Criterion, Test};
use crate::plan::{Scenario, Step};

/// What a finding is about.
#[derive(Clone)]
pub(super) struct At {
    pub(super) file: Option<String>,
    pub(super) place: Option<Place>,
    pub(super) subject: Option<String>,
}

impl At {
    /// The plan as a whole.
    pub(super) fn plan() -> Self {
        Self { file: None, place: None, subject: None }
    }

    /// A place with a subject.
    pub(super) fn place(place: Place, subject: &Id) -> Self {
        Self { file: None, place: Some(place), subject: Some(subject.to_string()) }
    }
}

impl From<&Step> for At {
    fn from(step: &Step) -> Self {
        Self::place(step.place, &step.id)
    }
}

impl From<(&Step, &Check)> for At {
    fn from((step, check): (&Step, &Check)) -> Self {
        Self::place(check.place, &step.id)
    }
}

impl From<&Scenario> for At {
    fn from(scenario: &Scenario) -> Self {
        Self::place(scenario.place, &scenario.id)
    }
}

impl From<&Criterion> for At {
    fn from(criterion: &Criterion) -> Self {
        Self::place(criterion.place, &criterion.id)
    }
}

impl From<&Test> for At {
    fn from(test: &Test) -> Self {
        Self::place(test.place, &test.id)
    }
}

/// The findings of one check.
pub(super) struct Findings(Diagnostics);

impl Findings {
    pub(super) fn about(file: &str) -> Self {
        Self(Diagnostics::about(file))
    }

    /// An error whose help is the code's remedy.
    pub(super) fn error(&mut self, code: Code, at: impl Into<At>, message: impl Into<String>) {
        self.add(Severity::Error, code, at.into(), message.into(), code.explanation().remedy.to_owned());
    }

    /// An error with help of its own.
    pub(super) fn error_with(
        &mut self,
        code: Code,
        at: impl Into<At>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Error, code, at.into(), message.into(), help.into());
    }

    /// A warning whose help is the code's remedy.
    pub(super) fn warning(&mut self, code: Code, at: impl Into<At>, message: impl Into<String>) {
        self.add(Severity::Warning, code, at.into(), message.into(), code.explanation().remedy.to_owned());
    }

    fn add(&mut self, severity: Severity, code: Code, at: At, message: String, help: String) {
        let file = at.file.unwrap_or_else(|| self.0.file().to_owned());
        let (place, subject) = (at.place, at.subject);
        self.0.push(Diagnostic { code, severity, file, place, subject, message, help: Some(help) });
    }

    pub(super) fn into_sorted(self) -> Vec<Diagnostic> {
        self.0.into_sorted()
    }
}
