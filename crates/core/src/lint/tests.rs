//! Each rule with plans that it refuses and a plan that it lets pass. The world of [`builder::World`] breaks no rule;
//! a row breaks or keeps one thing.

pub(crate) mod builder;
mod effects;
mod elsewhere;
mod rules;

use builder::{World, id, step_ids};

use crate::codes::Code;

#[test]
fn the_sound_plan_has_no_findings() {
    assert_eq!(World::sound().findings(), []);
}

#[test]
fn findings_are_sorted_stable_and_explained() {
    let mut world = World::sound();
    world.step(0).checks.clear();
    world.step(2).checks.clear();
    world.plan.vars.push(("qa_marker".into(), "x".into()));
    let findings = world.findings();
    assert_eq!(findings, world.findings());
    let keys: Vec<_> = findings.iter().map(crate::diagnostic::Diagnostic::sort_key).collect();
    assert!(keys.is_sorted() && findings.len() >= 3);
    assert!(findings.iter().all(|f| f.help.as_deref().is_some_and(|help| help.ends_with(['.', '?']))));
}

#[test]
fn one_cause_gives_one_finding() {
    let mut world = World::sound();
    world.step(0).checks.retain(|check| matches!(check.what, crate::expect::What::Status(_)));
    world.step(1).test_ids.clear();
    world.step(1).requirement_ids.clear();
    assert_eq!(world.codes(), [Code::StatusOnly]);
    assert_eq!(step_ids(&world), ["A.1", "A.2", "A.3", "A.4", "A.5"]);
    assert_eq!(id("A").as_str(), "A");
}
