//! Results as JUnit XML, for CI systems that show tests.
//!
//! JUnit knows green, failed, error and skipped, and many readers take skipped for green. So what is blocked,
//! inconclusive or capped is an error here, and a suite that did not pass as a whole is never green case by case
//! ([`Report::with_verdict`]). Nothing is added that was not given: no time of writing, no host, no random id.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Property, TestCase, TestCaseStatus, TestSuite, XmlString};

use probity_core::inert::{inert, is_unsafe};

/// A whole report.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Its name.
    pub name: String,
    /// Its suites, in the order in which they are shown.
    pub suites: Vec<Suite>,
}

/// The cases of one requirement or file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// When it began, as RFC 3339; written as it is given.
    pub timestamp: Option<String>,
    /// Facts about the whole: run, seal, status, assurance.
    pub properties: Vec<(String, String)>,
    /// Its cases, in order.
    pub cases: Vec<Case>,
}

/// One case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its id or title.
    pub name: String,
    /// The group in which CI systems show it.
    pub classname: String,
    /// How long it took, in milliseconds.
    pub time_ms: Option<u64>,
    /// What it came to.
    pub outcome: Outcome,
    /// Output worth showing.
    pub stdout: Option<String>,
}

/// What a case came to. Blocked, inconclusive and capped are [`Outcome::Error`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It passed.
    Passed,
    /// The product did not do what was required.
    Failed {
        /// The stable code.
        code: String,
        /// One line: what was seen.
        message: String,
        /// More, over several lines.
        detail: String,
    },
    /// Nothing can be said of the product.
    Error {
        /// The stable code.
        code: String,
        /// One line: why not.
        message: String,
        /// More, over several lines.
        detail: String,
    },
    /// It was left out on purpose; many readers show it as green.
    Skipped {
        /// One line: why.
        message: String,
    },
}

impl Outcome {
    const fn is_skipped(&self) -> bool {
        matches!(self, Self::Skipped { .. })
    }

    /// Whether some reader may show it as green.
    const fn may_look_green(&self) -> bool {
        match self {
            Self::Passed | Self::Skipped { .. } => true,
            Self::Failed { .. } | Self::Error { .. } => false,
        }
    }
}

impl Report {
    /// The report with the verdict of each suite made plain: where the whole did not pass and yet every case could be
    /// taken for green, or there is no case at all, one case `verdict` with an error is added.
    ///
    /// `not_passed` gives code and message of a suite that did not pass, and `None` for one that passed.
    #[must_use]
    pub fn with_verdict(mut self, not_passed: impl Fn(&Suite) -> Option<(String, String)>) -> Self {
        for suite in &mut self.suites {
            let Some((code, message)) = not_passed(suite) else { continue };
            if suite.cases.iter().all(|case| case.outcome.may_look_green()) {
                let outcome = Outcome::Error { code, message, detail: String::new() };
                let classname = suite.name.clone();
                suite.cases.push(Case { name: "verdict".into(), classname, time_ms: None, outcome, stdout: None });
            }
        }
        self
    }

    /// How many cases there are.
    #[must_use]
    pub fn tests(&self) -> usize {
        self.suites.iter().map(|suite| suite.cases.len()).sum()
    }

    /// The report as XML; equal reports give equal bytes. Characters that XML forbids or that would act on a terminal
    /// are drawn as ASCII (`\x1b`), and so are tabs and carriage returns, which readers of XML do not keep.
    ///
    /// # Errors
    /// [`JunitError`] if the XML writer fails, which writing into memory does not.
    pub fn to_xml(&self) -> Result<String, JunitError> {
        let mut report = quick_junit::Report::new(line(&self.name));
        report.add_test_suites(self.suites.iter().map(suite));
        let xml = report.to_string().map_err(|e| JunitError { reason: e.to_string() })?;
        // The schema that readers of JUnit share (Jenkins) knows `skipped` on a suite and not on the whole. No name can
        // hold these characters, since quotes are written as references.
        let skipped =
            self.suites.iter().flat_map(|suite| &suite.cases).filter(|case| case.outcome.is_skipped()).count();
        Ok(xml.replacen(&format!(" skipped=\"{skipped}\""), "", 1))
    }
}

/// The XML could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("JUnit XML cannot be written: {reason}")]
pub struct JunitError {
    /// What the writer said.
    pub reason: String,
}

fn suite(given: &Suite) -> TestSuite {
    let mut suite = TestSuite::new(line(&given.name));
    if let Some(timestamp) = &given.timestamp {
        // The writer's own field would spell the time anew.
        suite.extra.insert("timestamp".into(), line(timestamp));
    }
    suite.add_properties(given.properties.iter().map(|(name, value)| Property::new(line(name), line(value))));
    suite.add_test_cases(given.cases.iter().map(case));
    suite
}

fn case(given: &Case) -> TestCase {
    let mut case = TestCase::new(line(&given.name), status(&given.outcome));
    case.set_classname(line(&given.classname));
    if let Some(ms) = given.time_ms {
        case.set_time(Duration::from_millis(ms));
    }
    if let Some(stdout) = &given.stdout {
        case.set_system_out(lines(stdout));
    }
    case
}

fn status(outcome: &Outcome) -> TestCaseStatus {
    let (kind, code, message, detail) = match outcome {
        Outcome::Passed => return TestCaseStatus::success(),
        Outcome::Skipped { message } => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(line(message));
            return status;
        }
        Outcome::Failed { code, message, detail } => (NonSuccessKind::Failure, code, message, detail),
        Outcome::Error { code, message, detail } => (NonSuccessKind::Error, code, message, detail),
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(line(message)).set_type(line(code));
    if !detail.is_empty() {
        status.set_description(lines(detail));
    }
    status
}

/// Text for an attribute, where XML turns line ends into spaces.
fn line(text: &str) -> XmlString {
    XmlString::new(inert(text))
}

/// Text for an element: line feeds stay. Tabs are drawn, since the writer would drop them without a word.
fn lines(text: &str) -> XmlString {
    let drawn: Vec<_> = text.split('\n').map(inert).collect();
    debug_assert!(drawn.iter().all(|line| !line.contains(is_unsafe)), "inert lines hold nothing that XML forbids");
    XmlString::new(drawn.join("\n"))
}

#[cfg(test)]
mod tests;
