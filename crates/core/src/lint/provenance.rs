//! Where an expected value comes from (plan.md "Provenance", threats.md R6).

use super::findings::{At, Findings};
use super::index::{Index, variables};
use super::variables::RESERVED;
use crate::codes::Code;
use crate::ids::Id;
use crate::inputs::variables_of;
use crate::json::Json;
use crate::plan::{Action, CommandStep, HttpStep, Scenario, Step};
use crate::vars::environment_names;

/// Where an expected operand comes from. Operands without a reference are literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Provenance {
    /// It stands in the sealed plan: a constant.
    Literal,
    /// It was saved from another exchange: it proves identity or consistency.
    Earlier {
        /// The step that saved it; for `CASE.name` the other case.
        step: Id,
    },
    /// The engine made it, and the step's own input does not carry it.
    Engine,
    /// The step's own input holds the same variable; supports no test.
    Echo,
    /// It was saved in the exchange that it checks, or in an equal request after which nothing was changed: refused.
    SelfDerived {
        /// The step that saved it.
        step: Id,
    },
}

/// Where the value of a variable comes from that a check of `step` expects. Decided by variables alone, never by
/// equal text, so that plan check and derivation always agree.
#[must_use]
pub fn provenance(step: &Step, scenario: &Scenario, variable: &str) -> Provenance {
    if step.saves.iter().any(|save| save.name == variable) {
        return Provenance::SelfDerived { step: step.id.clone() };
    }
    if variables_of(step).contains(variable) {
        return Provenance::Echo;
    }
    if RESERVED.contains(&variable) {
        return Provenance::Engine;
    }
    if let Some(case) = variable.rsplit_once('.').and_then(|(case, _)| Id::parse(case).ok()) {
        return Provenance::Earlier { step: case };
    }
    let at = scenario.steps.iter().position(|other| other.id == step.id).unwrap_or(scenario.steps.len());
    let before = &scenario.steps[..at];
    let Some(made) = before.iter().rposition(|other| other.saves.iter().any(|save| save.name == variable)) else {
        return Provenance::Literal;
    };
    let maker = &before[made];
    let undisturbed = before[made + 1..].iter().all(|between| between.idempotent);
    if undisturbed && maker.idempotent && asks_the_same(maker, step) {
        return Provenance::SelfDerived { step: maker.id.clone() };
    }
    Provenance::Earlier { step: maker.id.clone() }
}

/// Whether two steps put the same question, as it is written.
fn asks_the_same(a: &Step, b: &Step) -> bool {
    let http = |h: &HttpStep| (h.method.clone(), h.target.clone(), h.query.clone(), h.headers.clone(), h.body.clone());
    let command = |c: &CommandStep| (c.argv.clone(), c.cwd.clone(), c.env.clone(), c.stdin.clone());
    match (&a.action, &b.action) {
        (Action::Http(a), Action::Http(b)) => http(a) == http(b) && a.auth == b.auth,
        (Action::Command(a), Action::Command(b)) => command(a) == command(b),
        (Action::Http(_), Action::Command(_)) | (Action::Command(_), Action::Http(_)) => false,
    }
}

/// `expectation_self_derived`, `expectation_from_environment`.
pub(super) fn check(index: &Index<'_>, found: &mut Findings) {
    for at in &index.steps {
        for check in &at.step.checks {
            judge(at.step, at.scenario, &check.what.operands(), &At::from((at.step, check)), found);
        }
        for obligation in &at.step.obligations {
            let values: Vec<&Json> = obligation.values.iter().collect();
            judge(at.step, at.scenario, &values, &At::place(obligation.place, &at.step.id), found);
        }
    }
}

fn judge(step: &Step, scenario: &Scenario, operands: &[&Json], at: &At, found: &mut Findings) {
    for variable in variables(operands.iter().copied()) {
        let Provenance::SelfDerived { step: maker } = provenance(step, scenario, variable) else { continue };
        let message = if maker == step.id {
            format!("{variable} is saved from the same answer that it should judge")
        } else {
            format!("{variable} was saved by {maker}, which puts the same question, and nothing is changed in between")
        };
        found.error(Code::ExpectationSelfDerived, at.clone(), message);
    }
    for name in operands.iter().copied().flat_map(environment_names) {
        let message = format!("the expected value is read from the environment variable {name}");
        found.error(Code::ExpectationFromEnvironment, at.clone(), message);
    }
}
