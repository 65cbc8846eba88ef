//! What a check of a run noticed, as data (ux.md section 3, `findings`).

use crate::codes::Code;
use crate::json::Json;

/// One finding about a run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The stable code.
    pub code: Code,
    /// Whether it breaks the run, or is only worth knowing.
    pub weight: Weight,
    /// Number of the journal entry that it is about.
    pub entry: Option<u64>,
    /// Relative name of the file that it is about.
    pub file: Option<String>,
    /// What should have been there.
    pub expected: Option<String>,
    /// What was there.
    pub saw: Option<String>,
    /// What was noticed, as a sentence without its full stop.
    pub message: String,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The run is broken: there is no verdict to speak of.
    Integrity,
    /// Worth knowing.
    Note,
}

impl Finding {
    /// A finding that breaks the run.
    #[must_use]
    pub fn integrity(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            weight: Weight::Integrity,
            entry: None,
            file: None,
            expected: None,
            saw: None,
            message: message.into(),
        }
    }

    /// A finding that is only worth knowing.
    #[must_use]
    pub fn note(code: Code, message: impl Into<String>) -> Self {
        Self { weight: Weight::Note, ..Self::integrity(code, message) }
    }

    /// About this entry.
    #[must_use]
    pub const fn at_entry(mut self, seq: u64) -> Self {
        self.entry = Some(seq);
        self
    }

    /// About this file.
    #[must_use]
    pub fn in_file(mut self, name: impl Into<String>) -> Self {
        self.file = Some(name.into());
        self
    }

    /// With what should have been there and what was.
    #[must_use]
    pub fn values(mut self, expected: impl Into<String>, saw: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self.saw = Some(saw.into());
        self
    }

    /// As JSON answers carry it.
    #[must_use]
    pub fn to_json(&self) -> Json {
        Json::map([
            ("code", Json::from(self.code.as_str())),
            (
                "severity",
                match self.weight {
                    Weight::Integrity => "integrity",
                    Weight::Note => "note",
                }
                .into(),
            ),
            ("seq", self.entry.into()),
            ("file", self.file.clone().into()),
            ("expected", self.expected.clone().into()),
            ("saw", self.saw.clone().into()),
            ("message", self.message.as_str().into()),
            ("help", self.code.explanation().remedy.into()),
        ])
    }
}
