//! The sealed documents: present once, whole, and what the recorded plan check says of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Bytes, Unauditable};
use crate::allow::FileFact;
use crate::checked::{self, Ask, CheckedPlan, Given, Parse};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::finding::Finding;
use crate::journal::body::{Body, Role};
use crate::journal::opened::Limits;
use crate::judged::ALLOWED;
use crate::recorded::Recorded;
use crate::step::Evidence as _;
use crate::walk;

/// The sealed documents of a run, as bytes.
pub(super) struct Documents {
    written: Option<(String, Arc<Vec<u8>>)>,
    requirement: Arc<Vec<u8>>,
    matrix: Arc<Vec<u8>>,
    plan: Arc<Vec<u8>>,
    folder: String,
    profile: Option<(String, Arc<Vec<u8>>)>,
    files: BTreeMap<String, Arc<Vec<u8>>>,
}

impl Documents {
    pub(super) fn of(recorded: &Recorded, bytes: &Bytes<'_>) -> Result<Self, Unauditable> {
        let mut missing = Vec::new();
        let mut get = |role: Role, needed: bool| {
            let input = recorded.input(role);
            let found = input.and_then(|input| Some((input.name.clone(), bytes.bytes(&input.sha256)?)));
            if found.is_none() && (needed || input.is_some()) {
                let message = format!("the {} is not sealed, or its bytes are gone", role.as_str());
                missing.push(Finding::integrity(Code::InputMissing, message));
            }
            found
        };
        let written = get(Role::Written, false);
        let requirement = get(Role::Requirement, true);
        let matrix = get(Role::Matrix, true);
        let plan = get(Role::Plan, true);
        let profile = get(Role::Profile, false);
        let mut files = BTreeMap::new();
        for input in recorded.inputs().iter().filter(|i| i.role == Role::File) {
            match bytes.bytes(&input.sha256) {
                Some(content) => drop(files.insert(input.name.clone(), content)),
                None => {
                    let message = format!("the bytes of {} are gone", input.name);
                    missing.push(Finding::integrity(Code::InputMissing, message));
                }
            }
        }
        match (requirement, matrix, plan) {
            (Some((_, requirement)), Some((_, matrix)), Some((name, plan))) if missing.is_empty() => {
                let folder = name.strip_suffix("test-plan.json").unwrap_or_default().to_owned();
                Ok(Self { written, requirement, matrix, plan, folder, profile, files })
            }
            _ => Err(Unauditable::Findings(missing)),
        }
    }

    /// The sealed files by the names that the plan writes.
    pub(super) fn into_files(self) -> BTreeMap<String, Arc<Vec<u8>>> {
        self.files
    }

    /// What the plan check knew of a file that the plan names: those inside were sealed.
    pub(super) fn fact(&self, name: &str) -> FileFact {
        if self.files.contains_key(name) {
            FileFact::Inside
        } else if crate::recorded::leaves_folder(name) {
            FileFact::Outside
        } else {
            FileFact::Missing
        }
    }

    /// Checks the sealed documents. A plan that this process has checked over the same bytes is not checked again.
    pub(super) fn check(
        &self,
        recorded: &Recorded,
        parse: &Parse<'_>,
        known: Option<&Arc<CheckedPlan>>,
    ) -> Result<Arc<CheckedPlan>, Vec<Diagnostic>> {
        let given = match &self.written {
            Some((name, bytes)) => Given::Written(name, bytes),
            None => Given::Seed {
                folder: &self.folder,
                requirement: &self.requirement,
                matrix: &self.matrix,
                plan: &self.plan,
            },
        };
        let ask = Ask {
            given,
            profile: self.profile.as_ref().map(|(name, bytes)| (name.as_str(), bytes.as_slice())),
            environment: recorded.opened().options.environment.as_deref(),
            files: &|name| self.fact(name),
            parse,
        };
        match known.filter(|known| known.answers(&ask)) {
            Some(known) => Ok(Arc::clone(known)),
            None => checked::check(&ask).map(Arc::new),
        }
    }
}

/// Compares what was recorded of the documents with what they give.
pub(super) fn compare(recorded: &Recorded, checked: &CheckedPlan, documents: &Documents, findings: &mut Vec<Finding>) {
    let expanded = [
        ("requirement.md", checked.requirement().as_bytes(), documents.requirement.as_slice()),
        ("test-matrix.json", checked.matrix_text().as_bytes(), documents.matrix.as_slice()),
        ("test-plan.json", checked.plan_text().as_bytes(), documents.plan.as_slice()),
    ];
    for (name, derived, sealed) in expanded {
        if derived != sealed {
            findings.push(Finding::integrity(
                Code::InputDiffers,
                format!("{name} is not what the written plan expands to"),
            ));
        }
    }
    let derived = crate::journal::body::PlanChecked {
        ok: checked.is_ok(),
        findings: checked.findings().iter().map(Diagnostic::to_json).collect(),
    };
    match recorded.checked() {
        // Nothing was checked: the run ended before it could be.
        None if recorded.actions().is_empty() && recorded.resumed() => {}
        None => findings.push(Finding::integrity(Code::PlanCheckDiffers, "the plan check is not recorded")),
        Some(found) if !same(found, &derived) => findings.push(
            Finding::integrity(Code::PlanCheckDiffers, "the recorded plan check is not what the sealed plan gives")
                .values(summary(&derived), summary(found)),
        ),
        Some(_) => {}
    }
    limits(recorded, checked, findings);
    if let Some(code) = recorded.opened().options.allow.iter().find(|code| ALLOWED.iter().all(|(name, _)| name != code))
    {
        let message = format!("{code} is let through, which this version cannot weigh");
        findings.push(Finding::integrity(Code::WeakeningHidden, message).at_entry(0));
    }
    let opened = recorded.opened();
    if sorted_text(&opened.environment) != sorted_text(&checked.environment().to_json()) {
        findings.push(Finding::integrity(
            Code::InputDiffers,
            "the recorded environment is not that of the sealed documents",
        ));
    }
    if opened.series != checked.series() || opened.goal != checked.title() {
        findings.push(Finding::integrity(Code::InputDiffers, "goal or series is not that of the sealed documents"));
    }
}

/// The limits are those of plan and settings; earlier runs of the same call can only have made them smaller.
fn limits(recorded: &Recorded, checked: &CheckedPlan, findings: &mut Vec<Finding>) {
    let opened = recorded.opened();
    let selected = walk::selected(checked.plan(), checked.matrix(), &opened.options.only).unwrap_or_default();
    let steps = selected.iter().map(|scenario| scenario.steps.len() as u64).sum();
    let most = Limits::for_plan(steps, checked.profile().limits);
    let sealed = opened.limits;
    let fine = sealed.time_ms == most.time_ms
        && sealed.reserve_ms == most.reserve_ms
        && sealed.probes <= most.probes
        && sealed.output <= most.output
        && sealed.reserve_output == most.reserve_output;
    if !fine {
        findings.push(
            Finding::integrity(Code::InputDiffers, "the limits are not those of plan and settings")
                .values(most.write().to_string(), sealed.write().to_string()),
        );
    }
}

fn same(a: &crate::journal::body::PlanChecked, b: &crate::journal::body::PlanChecked) -> bool {
    let texts = |checked: &crate::journal::body::PlanChecked| -> Vec<Option<Vec<u8>>> {
        checked.findings.iter().map(|finding| crate::json::canonical(finding).ok()).collect()
    };
    a.ok == b.ok && texts(a) == texts(b)
}

fn sorted_text(value: &crate::json::Json) -> Option<Vec<u8>> {
    crate::json::canonical(value).ok()
}

fn summary(checked: &crate::journal::body::PlanChecked) -> String {
    let codes: Vec<&str> = checked.findings.iter().filter_map(|f| f.get("code")?.as_text()).take(6).collect();
    format!("ok {}, {} findings: {}", checked.ok, checked.findings.len(), codes.join(" "))
}
