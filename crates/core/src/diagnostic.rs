//! What a check noticed, as data; drawing it is the business of others.

use crate::codes::Code;
use crate::document::Place;
use crate::json::Json;

/// How much a diagnostic weighs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// The document cannot be used.
    Error,
    /// It can be used, but something is likely wrong.
    Warning,
}

/// One finding about a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Code,
    /// Its weight.
    pub severity: Severity,
    /// The file as the user named it.
    pub file: String,
    /// Where in the file, where there is a place.
    pub place: Option<Place>,
    /// What it is about, by its id (`ORDER-001`, `ORDER-001.2`), where it has one.
    pub subject: Option<String>,
    /// What was seen: a lower-case sentence without a full stop.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The stable order: file, place, code.
    #[must_use]
    pub fn sort_key(&self) -> (String, Option<Place>, Code, String) {
        (self.file.clone(), self.place, self.code, self.message.clone())
    }

    /// As JSON answers and `plan.checked` carry it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let place = self.place.map(|p| {
            Json::map([("file", Json::from(self.file.as_str())), ("line", p.line.into()), ("column", p.column.into())])
        });
        Json::map([
            ("code", Json::from(self.code.as_str())),
            (
                "severity",
                Json::from(match self.severity {
                    Severity::Error => "error",
                    Severity::Warning => "warning",
                }),
            ),
            ("subject", self.subject.clone().into()),
            ("place", place.into()),
            ("message", self.message.as_str().into()),
            ("help", self.help.clone().into()),
        ])
    }
}

/// Diagnostics of one file while they are gathered.
#[derive(Debug, Default)]
pub struct Diagnostics {
    file: String,
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// None yet, about this file.
    #[must_use]
    pub fn about(file: &str) -> Self {
        Self { file: file.to_owned(), items: Vec::new() }
    }

    /// The file they are about.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Adds an error at a place.
    pub fn error(&mut self, code: Code, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.add(Severity::Error, code, place, message.into(), help.into());
    }

    /// Adds a warning at a place.
    pub fn warning(&mut self, code: Code, place: Place, message: impl Into<String>, help: impl Into<String>) {
        self.add(Severity::Warning, code, place, message.into(), help.into());
    }

    fn add(&mut self, severity: Severity, code: Code, place: Place, message: String, help: String) {
        self.items.push(Diagnostic {
            code,
            severity,
            file: self.file.clone(),
            place: Some(place),
            subject: None,
            message,
            help: (!help.is_empty()).then_some(help),
        });
    }

    /// Adds one that is complete.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// Names what the last one is about.
    pub fn subject(&mut self, subject: impl Into<String>) {
        if let Some(last) = self.items.last_mut() {
            last.subject = Some(subject.into());
        }
    }

    /// Names what those from position `from` on are about, where they do not say.
    pub fn subject_since(&mut self, from: usize, subject: &str) {
        for item in self.items.iter_mut().skip(from).filter(|item| item.subject.is_none()) {
            item.subject = Some(subject.to_owned());
        }
    }

    /// Those gathered so far, in the order they came.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.items.iter()
    }

    /// Whether an error is among them.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.items.iter().any(|d| d.severity == Severity::Error)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All of them in their stable order, each once.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut items = self.items;
        items.sort_by_key(Diagnostic::sort_key);
        items.dedup();
        items
    }
}
