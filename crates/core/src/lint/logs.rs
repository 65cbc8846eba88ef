//! `log` steps: the service is declared, and the step claims no more than a log can show.

use super::LintInput;
use super::findings::{At, Findings};
use super::index::Index;
use crate::codes::Code;
use crate::nearest::nearest;
use crate::plan::{Action, ObligationKind};

/// `service_unknown`; `obligation_misplaced` for what a log cannot show: it is what a program says of itself.
pub(super) fn check(input: &LintInput<'_>, index: &Index<'_>, found: &mut Findings) {
    for at in &index.steps {
        let Action::Log(log) = &at.step.action else { continue };
        let known: Vec<&str> = input.services.iter().map(|service| service.id.as_str()).collect();
        if !known.contains(&log.service.as_str()) {
            let help = match nearest(log.service.as_str(), known.iter().copied()) {
                Some(near) => format!("Did you mean {near}?"),
                None => "Declare it under services in probity.yaml.".to_owned(),
            };
            let message = format!("no service {} is declared, so it has no log", log.service);
            found.error_with(Code::ServiceUnknown, at.step, message, help);
        }
        for obligation in at.step.obligations.iter().filter(|o| o.kind != ObligationKind::Absence) {
            let message =
                format!("a log cannot show {}: it is what the program says of itself", obligation.kind.as_str());
            let help = "Show it by an http or run step; a log can show an absence.";
            found.error_with(Code::ObligationMisplaced, At::place(obligation.place, &at.step.id), message, help);
        }
    }
}
