//! Where an expected value comes from (plan.md "Provenance", threats.md R6).

mod elsewhere;

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
/// equal text, so that plan check and derivation always agree. `inherited` are the steps of the cases that the case
/// starts from; whether the operand is an echo does not depend on them.
#[must_use]
pub fn provenance(step: &Step, scenario: &Scenario, inherited: &[&Step], variable: &str) -> Provenance {
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
    let own = &scenario.steps[..at];
    let saves = |other: &Step| other.saves.iter().any(|save| save.name == variable);
    let (maker, undisturbed) = if let Some(made) = own.iter().rposition(saves) {
        (&own[made], own[made + 1..].iter().all(|between| between.idempotent))
    } else if let Some(made) = inherited.iter().rposition(|other| saves(other)) {
        let mut between = inherited[made + 1..].iter().copied().chain(own);
        (inherited[made], between.all(|between| between.idempotent))
    } else {
        return Provenance::Literal;
    };
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
        (Action::Log(a), Action::Log(b)) => a.service == b.service,
        _ => false,
    }
}

/// `expectation_self_derived`, `expectation_from_environment`.
pub(super) fn check(index: &Index<'_>, found: &mut Findings) {
    let mut lineage = (None, Vec::new());
    for at in &index.steps {
        if lineage.0 != Some(&at.scenario.id) {
            lineage = (Some(&at.scenario.id), index.order.lineage(&at.scenario.id));
        }
        let inherited = |variable: &str| index.maker_and_after(&lineage.1, variable);
        let judge = |operands: &[&Json], place: &At, found: &mut Findings| {
            judge(at.step, at.scenario, &inherited, operands, place, found);
            for variable in variables(operands.iter().copied()) {
                if let Some(maker) = elsewhere::same_question(index, at, variable) {
                    found.error(Code::ExpectationSelfDerived, place.clone(), put_before(variable, maker));
                }
            }
        };
        for check in &at.step.checks {
            judge(&check.what.operands(), &At::from((at.step, check)), found);
        }
        for obligation in &at.step.obligations {
            let values: Vec<&Json> = obligation.values.iter().collect();
            judge(&values, &At::place(obligation.place, &at.step.id), found);
        }
    }
}

fn put_before(variable: &str, maker: &Id) -> String {
    format!("{variable} was saved by {maker}, which puts the same question, and nothing is changed in between")
}

fn judge<'a>(
    step: &Step,
    scenario: &Scenario,
    inherited: &dyn Fn(&str) -> Vec<&'a Step>,
    operands: &[&Json],
    at: &At,
    found: &mut Findings,
) {
    for variable in variables(operands.iter().copied()) {
        let inherited = inherited(variable);
        let Provenance::SelfDerived { step: maker } = provenance(step, scenario, &inherited, variable) else {
            continue;
        };
        let message = if maker == step.id {
            format!("{variable} is saved from the same answer that it should judge")
        } else {
            put_before(variable, &maker)
        };
        found.error(Code::ExpectationSelfDerived, at.clone(), message);
    }
    for name in operands.iter().copied().flat_map(environment_names) {
        let message = format!("the expected value is read from the environment variable {name}");
        found.error(Code::ExpectationFromEnvironment, at.clone(), message);
    }
}
