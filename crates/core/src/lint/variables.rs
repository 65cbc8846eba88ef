//! Whether every variable that is used has been set before, by someone who may.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::{At, Findings};
use super::index::{Index, variables};
use crate::codes::Code;
use crate::inputs::variables_of;
use crate::nearest::nearest;
use crate::plan::{Scenario, Step};

/// Variables that the engine makes and a plan cannot set.
pub const RESERVED: [&str; 3] = ["qa_marker", "qa_run_id", "qa_started_at"];

/// `reference_unknown`, `var_reserved`.
pub(super) fn check(index: &Index<'_>, found: &mut Findings) {
    let plan = index.plan;
    for (name, _) in plan.vars.iter().filter(|(name, _)| RESERVED.contains(&name.as_str())) {
        found.error(Code::VarReserved, At::plan(), format!("vars sets {name}, which the engine makes"));
    }
    let constants: BTreeSet<&str> = plan.vars.iter().map(|(name, _)| name.as_str()).chain(RESERVED).collect();
    for name in variables(plan.vars.iter().map(|(_, value)| value)) {
        if !constants.contains(name) {
            found.error(Code::ReferenceUnknown, At::plan(), format!("vars uses {name}, which nothing sets"));
        }
    }
    let mut earlier: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for scenario in index.order.positions.iter().filter_map(|position| plan.scenarios.get(*position)) {
        let lineage = index.order.lineage(&scenario.id).into_iter().filter_map(|other| plan.scenarios.get(other));
        let inherited = lineage.filter_map(|used| earlier.get(used.id.as_str())).flatten();
        let mut known: BTreeSet<&str> = constants.iter().chain(inherited).copied().collect();
        for step in &scenario.steps {
            for (name, at) in used(step) {
                let other = name.rsplit_once('.').and_then(|(case, name)| Some((earlier.get(case)?, name)));
                if known.contains(name) || other.is_some_and(|(saved, name)| saved.contains(name)) {
                    continue;
                }
                let (message, help) = unknown(name, &known, scenario, step);
                found.error_with(Code::ReferenceUnknown, at, message, help);
            }
            for save in &step.saves {
                if RESERVED.contains(&save.name.as_str()) {
                    let message = format!("the step saves {}, which the engine makes", save.name);
                    found.error(Code::VarReserved, At::place(save.place, &step.id), message);
                }
                known.insert(&save.name);
            }
        }
        let saved = scenario.steps.iter().flat_map(|step| &step.saves).map(|save| save.name.as_str());
        earlier.entry(scenario.id.as_str()).or_default().extend(saved);
    }
}

/// Variables that a step uses, each with the place that uses it. What a check expects from the step's own answer is
/// `expectation_self_derived` and not unknown.
fn used(step: &Step) -> Vec<(&str, At)> {
    let own = |name: &str| step.saves.iter().any(|save| save.name == name);
    let input = variables_of(step).into_iter().map(|name| (name, At::from(step)));
    let checks = step.checks.iter().flat_map(|check| {
        variables(check.what.operands()).into_iter().map(move |name| (name, At::from((step, check))))
    });
    let obligations = step.obligations.iter().flat_map(|obligation| {
        let names = variables(&obligation.values).into_iter().chain(obligation.of.iter().map(String::as_str));
        names.map(|name| (name, At::place(obligation.place, &step.id)))
    });
    input.chain(checks.chain(obligations).filter(|(name, _)| !own(name))).collect()
}

fn unknown(name: &str, known: &BTreeSet<&str>, scenario: &Scenario, user: &Step) -> (String, String) {
    let mut rest = scenario.steps.iter().skip_while(|other| other.id != user.id);
    if let Some(step) = rest.find(|step| step.saves.iter().any(|save| save.name == name)) {
        let message = format!("{name} is used before {} saves it", step.id);
        return (message, "Move the step that saves it before the one that uses it.".to_owned());
    }
    let message = format!("nothing in this case sets {name} before it is used");
    let help = match nearest(name, known.iter().copied()) {
        Some(near) => format!("Did you mean {near}?"),
        None => Code::ReferenceUnknown.explanation().remedy.to_owned(),
    };
    (message, help)
}
