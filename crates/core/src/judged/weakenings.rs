//! What relaxes a check: sealed, printed, and it caps the claim (design.md section 7).

use std::collections::BTreeSet;

use crate::audit::Audited;
use crate::checked::CheckedPlan;
use crate::codes::Code;
use crate::coverage::Aside;
use crate::environment::Declared;
use crate::plan::Action;
use crate::walk;

/// Something that caps the claim: the status becomes inconclusive at best.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakening {
    /// Its name: `partial_selection`, `mock_data`, …
    pub name: String,
    /// The reason code.
    pub code: Code,
    /// What was relaxed.
    pub message: String,
}

/// The codes that `--allow` lets through, with the reason that caps the claim.
pub const ALLOWED: [(&str, Code); 4] = [
    ("environment_unconfirmed", Code::CappedEnvironmentUnconfirmed),
    ("requirement_source_unmapped", Code::CappedRequirementSourceUnmapped),
    ("plan_errors", Code::CappedPlanErrors),
    ("service_not_ready", Code::CappedServiceNotReady),
];

/// Every weakening of a run.
pub(super) fn of(audited: &Audited) -> Vec<Weakening> {
    let checked = audited.checked();
    let options = &audited.recorded().opened().options;
    let mut found = Vec::new();
    let mut add = |name: &str, code, message: String| found.push(Weakening { name: name.to_owned(), code, message });
    for code in &options.allow {
        if let Some((name, capped)) = ALLOWED.iter().find(|(name, _)| name == code) {
            add(name, *capped, format!("--allow {name}"));
        }
    }
    let selected = walk::selected(checked.plan(), checked.matrix(), &options.only).map_or(0, |chosen| chosen.len());
    if selected < checked.plan().scenarios.len() {
        let message = format!("{selected} of {} cases were selected", checked.plan().scenarios.len());
        add("partial_selection", Code::CappedPartialSelection, message);
    }
    if checked.environment().data.as_deref() == Some("mock") && !checked.matrix().accepts_mock {
        add("mock_data", Code::CappedMockData, "the environment's data is mock data".to_owned());
    }
    // A hand-written requirement.md has a section of its own for what comes later; the matrix need not repeat it.
    let in_text = checked.coverage().excluded.iter().filter(|unit| unit.aside == Some(Aside::Later)).count();
    let later = checked.matrix().later.len().max(in_text);
    if later > 0 {
        add("criteria_put_off", Code::CappedCriteriaPutOff, format!("{later} put off under later"));
    }
    let insecure =
        checked.plan().scenarios.iter().flat_map(|scenario| &scenario.steps).any(|step| match &step.action {
            Action::Http(http) => http.insecure,
            Action::Command(_) | Action::Log(_) => false,
        });
    if insecure && !(checked.environment().insecure && checked.environment().declared != Declared::Nobody) {
        add("tls_unchecked", Code::CappedTlsUnchecked, "a step does not check certificates".to_owned());
    }
    found
}

/// What is printed and caps nothing.
pub(super) fn conditions(audited: &Audited) -> Vec<String> {
    let opened = audited.recorded().opened();
    let checked = audited.checked();
    let mut conditions = vec![format!("isolation {}", opened.isolation)];
    if checked.plan().grants.shell {
        conditions.push("the plan grants a shell".to_owned());
    }
    if let Some(data) = &checked.environment().data {
        conditions.push(format!("{data} data"));
    }
    if checked.environment().insecure {
        conditions.push("the environment says that certificates are not checked".to_owned());
    }
    let services = &audited.runtime().services;
    conditions.extend(services.adopted.iter().map(|id| format!("the service {id} ran already and was adopted")));
    let unseen = |id| format!("who holds the ports of the service {id} could not be seen");
    conditions.extend(services.unseen.iter().map(unseen));
    conditions.extend(ways(checked));
    if let Some(git) = &opened.git {
        if git.dirty {
            conditions.push("the work tree has uncommitted changes".to_owned());
        }
        if git.plan_changed == Some(true) {
            conditions.push("the plan changed in the same change".to_owned());
        }
    }
    conditions
}

/// Proxies and Unix sockets of the plan: what answers there is theirs to say.
fn ways(checked: &CheckedPlan) -> BTreeSet<String> {
    let steps = checked.plan().scenarios.iter().flat_map(|scenario| &scenario.steps);
    steps
        .filter_map(|step| match &step.action {
            Action::Http(http) => {
                let proxy = http.proxy.as_ref().map(|proxy| format!("requests go through the proxy {}", proxy.origin));
                proxy.or_else(|| Some(format!("requests go to the Unix socket {}", http.unix_socket.as_ref()?)))
            }
            Action::Command(_) | Action::Log(_) => None,
        })
        .collect()
}
