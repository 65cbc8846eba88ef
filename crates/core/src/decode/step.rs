//! A step of the seed form.

use super::ids::Known;
use super::reading::{Reading, field, flag, ids, number, text, texts};
use crate::codes::Code;
use crate::document::Node;
use crate::ids::Id;
use crate::plan::{Action, Step};

/// Time limit of a request that names none, in ms.
const REQUEST_MS: u64 = 30_000;
/// Time limit of a command that names none, in ms.
const COMMAND_MS: u64 = 60_000;

impl Reading<'_> {
    /// A step whose fields fit their table; `number` counts from 1 inside its scenario.
    pub(super) fn step(
        &mut self,
        node: &Node,
        scenario: &Id,
        number_in_case: usize,
        known: &mut Known,
    ) -> Option<Step> {
        let before = self.diags.len();
        let id = self.step_id(node, scenario, number_in_case)?;
        known.add(self, &id, field(node, "id").map_or(node.place, |written| written.place));
        let step = self.step_body(node, id.clone());
        self.diags.subject_since(before, id.as_str());
        step
    }

    fn step_id(&mut self, node: &Node, scenario: &Id, number_in_case: usize) -> Option<Id> {
        if let Some(written) = text(node, "id") {
            return Id::parse(&written).ok();
        }
        match Id::parse(&format!("{scenario}.{number_in_case}")) {
            Ok(id) => Some(id),
            Err(error) => {
                let message = format!("the step's id `{scenario}.{number_in_case}` {error}");
                self.error(Code::IdMalformed, node.place, message, "shorten the id of the case");
                None
            }
        }
    }

    fn step_body(&mut self, node: &Node, id: Id) -> Option<Step> {
        let written = text(node, "action")?;
        let action_name =
            ["api", "pollApi", "cleanupApi", "command", "log"].into_iter().find(|known| *known == written.as_str())?;
        let action = match action_name {
            "command" => self.command(node).map(Action::Command),
            "log" => self.log(node).map(Action::Log),
            _ => self.http(node, action_name == "pollApi").map(Action::Http),
        };
        let checks = self.checks(node);
        let saves = self.saves(node);
        let records = self.records(node);
        let obligations = self.obligations(node);
        let Some(action) = action else {
            self.unusable = true;
            return None;
        };
        let evidence_type = text(node, "evidenceType").unwrap_or_else(|| default_evidence(action_name).to_owned());
        let cleanup = evidence_type == "cleanup";
        let dimensions = ["strategyDimensions", "provesDimensions", "evidenceDimensions"];
        Some(Step {
            id,
            title: text(node, "title"),
            action_name,
            test_ids: ids(node, "testIds"),
            requirement_ids: ids(node, "requirementIds"),
            proves: text(node, "proves").unwrap_or_default(),
            dimensions: dimensions.iter().flat_map(|name| texts(node, name)).collect(),
            always_run: flag(node, "alwaysRun").unwrap_or(action_name == "cleanupApi"),
            skip_if_missing_vars: flag(node, "skipIfMissingVars").unwrap_or(false),
            continue_on_failure: flag(node, "continueOnFailure").unwrap_or(false),
            idempotent: flag(node, "idempotent").unwrap_or_else(|| idempotent_by_itself(&action, cleanup)),
            timeout_ms: number(node, "timeoutMs").unwrap_or(match action {
                Action::Http(_) => REQUEST_MS,
                Action::Command(_) => COMMAND_MS,
                Action::Log(_) => REQUEST_MS,
            }),
            action,
            evidence_type,
            checks,
            saves,
            records,
            obligations,
            place: node.place,
        })
    }
}

fn default_evidence(action_name: &str) -> &'static str {
    match action_name {
        "cleanupApi" => "cleanup",
        "command" => "command",
        "log" => "log",
        _ => "api_response",
    }
}

/// GET, HEAD and OPTIONS, and in cleanup PUT and DELETE. A command is not; whoever holds the allow list raises it
/// for a program that is listed as `reads`. A look at a log changes nothing.
fn idempotent_by_itself(action: &Action, cleanup: bool) -> bool {
    match action {
        Action::Http(http) => match http.method.as_str() {
            "GET" | "HEAD" | "OPTIONS" => true,
            "PUT" | "DELETE" => cleanup,
            _ => false,
        },
        Action::Command(_) => false,
        Action::Log(_) => true,
    }
}
