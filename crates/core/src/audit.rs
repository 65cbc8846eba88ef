//! Recorded → Audited: the sealed documents are checked again, every step is worked out again from the captured
//! bytes, and everything that does not hold together becomes a finding (harness-proof.md 11.5).

mod inputs;
mod obligations;
mod order;
mod runtime;
mod seen;
mod services;
mod steps;
mod told;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::checked::{CheckedPlan, Parse};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::finding::Finding;
use crate::ids::Digest;
use crate::invoke::Call;
use crate::journal::body::Content;
use crate::journal::observation::Observation;
use crate::recorded::Recorded;
use crate::step::{Evidence, HEAD, Judgement};
use crate::vacuity::Strength;

pub use obligations::Obliged;
pub use runtime::{Identity, Runtime, identity_call};
pub use services::Services;
pub use told::build_told;

/// What the derivation reads beside the journal: files of evidence, and a reader of documents.
pub struct Material<'a> {
    /// Bytes under `evidence/` by digest; `None` where they are missing or changed.
    pub files: &'a dyn Evidence,
    /// The reader of documents.
    pub parse: &'a Parse<'a>,
    /// The plan of this run, where this process has checked it before.
    pub known: Option<&'a Arc<CheckedPlan>>,
}

/// A run after everything in it was worked out again. Made by [`audit`] only.
///
/// ```compile_fail
/// fn forge(recorded: probity_core::recorded::Recorded) -> probity_core::audit::Audited {
///     probity_core::audit::Audited { recorded }
/// }
/// ```
pub struct Audited {
    recorded: Recorded,
    checked: Arc<CheckedPlan>,
    steps: Vec<AuditedStep>,
    runtime: Runtime,
    findings: Vec<Finding>,
    secrets: bool,
}

/// A step of the plan with its record.
pub struct AuditedStep {
    /// Position of the case in the plan.
    pub scenario: usize,
    /// Position of the step in the case.
    pub step: usize,
    /// Position of its record among the actions, if it has one.
    pub action: Option<usize>,
    /// The resolved call, if the step left.
    pub call: Option<Call>,
    /// What was observed, if the step left.
    pub observation: Option<Arc<Observation>>,
    /// What it came to.
    pub judgement: Judgement,
    /// Its obligations.
    pub obliged: Vec<Obliged>,
    /// What its checks can bear, where it passed and belongs to a test. Set-up and cleanup are not tried.
    pub strength: Option<Strength>,
    /// Variables that the step's own input holds, with the steps that saved them.
    pub inputs: Vec<String>,
    /// Beginnings of what was received, for views: role and text.
    pub previews: Vec<(&'static str, String)>,
}

impl Audited {
    /// The same run with its last entry, a line of the journal. Nothing that was worked out depends on run.closed, so
    /// nothing is audited again. `None` where the line does not close this run right here.
    pub(crate) fn close(self, line: &[u8]) -> Option<Self> {
        Some(Self { recorded: self.recorded.close(line)?, ..self })
    }

    /// The run as it was journalled.
    #[must_use]
    pub const fn recorded(&self) -> &Recorded {
        &self.recorded
    }

    /// The sealed plan, checked again.
    #[must_use]
    pub const fn checked(&self) -> &Arc<CheckedPlan> {
        &self.checked
    }

    /// The steps of the selected cases in plan order.
    #[must_use]
    pub fn steps(&self) -> &[AuditedStep] {
        &self.steps
    }

    /// What was observed of the runtime.
    #[must_use]
    pub const fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// What breaks the run, and what is worth knowing.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Whether a value was replaced by a placeholder somewhere, so that a check on it is witnessed.
    #[must_use]
    pub const fn has_redactions(&self) -> bool {
        self.secrets
    }
}

/// Why a run cannot be audited at all.
#[derive(Debug)]
pub enum Unauditable {
    /// The sealed documents are missing or changed.
    Findings(Vec<Finding>),
    /// The sealed documents cannot be read any more.
    Documents(Vec<Diagnostic>),
}

/// Bytes of a run by digest: those that stand in entries, and those that stand in files.
pub struct Bytes<'a> {
    inline: HashMap<Digest, &'a Content>,
    files: &'a dyn Evidence,
    /// What was read last: checks, obligations and previews of a step ask for the same bytes.
    last: RefCell<Option<(Digest, Arc<Vec<u8>>)>>,
}

impl<'a> Bytes<'a> {
    /// Over what a run captured and sealed.
    #[must_use]
    pub fn of(recorded: &'a Recorded, files: &'a dyn Evidence) -> Self {
        let sealed = recorded.inputs().iter().map(|input| (input.sha256, &input.content));
        let captured = recorded.evidence().map(|evidence| (evidence.sha256, &evidence.content));
        let inline = sealed
            .chain(captured)
            .filter(|(_, content)| matches!(content, Content::Text(_) | Content::Base64(_)))
            .collect();
        Self { inline, files, last: RefCell::new(None) }
    }
}

impl Evidence for Bytes<'_> {
    fn bytes(&self, digest: &Digest) -> Option<Arc<Vec<u8>>> {
        if let Some((last, bytes)) = &*self.last.borrow()
            && last == digest
        {
            return Some(Arc::clone(bytes));
        }
        let bytes = match self.inline.get(digest) {
            Some(content) => Arc::new(content.bytes()?),
            None => self.files.bytes(digest)?,
        };
        *self.last.borrow_mut() = Some((*digest, Arc::clone(&bytes)));
        Some(bytes)
    }

    fn head(&self, digest: &Digest) -> Option<Vec<u8>> {
        if self.inline.contains_key(digest) || self.last.borrow().as_ref().is_some_and(|(last, _)| last == digest) {
            return self.bytes(digest).map(|bytes| bytes[..bytes.len().min(HEAD)].to_vec());
        }
        self.files.head(digest)
    }
}

/// Audits a run.
///
/// # Errors
/// When the documents that were sealed are not there or cannot be read: nothing can be worked out then.
pub fn audit(recorded: Recorded, material: &Material<'_>) -> Result<Audited, Unauditable> {
    let bytes = Bytes::of(&recorded, material.files);
    let mut findings = recorded.findings().to_vec();
    let documents = inputs::Documents::of(&recorded, &bytes)?;
    let checked = documents.check(&recorded, material.parse, material.known).map_err(Unauditable::Documents)?;
    inputs::compare(&recorded, &checked, &documents, &mut findings);
    let runtime = runtime::of(&recorded, &checked, &bytes, &mut findings);
    // Nothing is read of the documents any more but the files that steps name.
    let sealed = documents.into_files();
    let files = |name: &str| sealed.get(name).map(|bytes| bytes.to_vec());
    let steps = steps::walk(&recorded, &checked, &runtime, &bytes, &files, &mut findings);
    order::check(&recorded, &checked, &mut findings);
    budget(&recorded, &mut findings);
    let secrets = recorded.evidence().any(|e| e.redactions > 0);
    Ok(Audited { checked, steps, runtime, findings, secrets, recorded })
}

/// Works out again what was used, against the limits that were sealed.
fn budget(recorded: &Recorded, findings: &mut Vec<Finding>) {
    let limits = recorded.opened().limits;
    let commits = recorded.actions().iter().filter_map(|action| action.commit.as_ref());
    let (probes, output) =
        commits.fold((0u64, 0u64), |(p, o), c| (p.saturating_add(c.probes), o.saturating_add(c.output_bytes)));
    // A child is stopped after it has written too much: each that ran then may exceed by what stood in its pipes.
    let slack = recorded.opened().options.jobs.saturating_mul(256 * 1024);
    for (name, used, limit) in
        [("probes", probes, limits.probes), ("output", output, limits.output.saturating_add(slack))]
    {
        if used > limit {
            findings.push(
                Finding::integrity(Code::BudgetOverdrawn, format!("more {name} than the run may use"))
                    .values(limit.to_string(), used.to_string()),
            );
        }
    }
}
