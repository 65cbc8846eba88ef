//! Cases: their steps with ids, and the criteria that each covers.

use std::collections::HashMap;

use super::expect::Out;
use super::fields::{Fields, Writing, fold};
use super::mapping::{Mapped, Row, Tests};
use super::requirement::{Requirement, id, repeated, texts};
use super::step::{self, Draft, Form, Verb};
use crate::codes::Code;
use crate::document::{Key, Node, Place, Value};
use crate::ids::Id;

const FIELDS: [&str; 8] = ["id", "title", "covers", "steps", "cleanup", "uses", "continue", "notClaimed"];

/// Ids of one kind, unique without case.
#[derive(Default)]
struct Ids(HashMap<String, Id>);

impl Ids {
    fn add(&mut self, id: &Id, what: &str, place: Place, w: &mut Writing) {
        if let Some(known) = self.0.insert(id.folded(), id.clone()) {
            repeated(&known, id, what, place, w);
        }
    }
}

/// What the cases come to.
#[derive(Default)]
pub(super) struct Cases {
    pub(super) scenarios: Vec<Node>,
    /// Rows of the matrix.
    pub(super) tests: Vec<Node>,
    /// For each criterion, its tests.
    pub(super) test_ids: Vec<Vec<String>>,
    case_ids: Ids,
    step_ids: Ids,
    all_tests: Ids,
}

/// A criterion that is covered, by its index, and where that was written.
pub(super) type Cover = (usize, Place);

/// Expands `cases`.
pub(super) fn read(nodes: &[Node], requirement: &Requirement, w: &mut Writing) -> Cases {
    let mut cases = Cases { test_ids: vec![Vec::new(); requirement.criteria.len()], ..Cases::default() };
    for node in nodes {
        cases.case(node, requirement, w);
    }
    cases
}

impl Cases {
    fn case(&mut self, node: &Node, requirement: &Requirement, w: &mut Writing) {
        let Some(fields) = Fields::of(node, "a case", &FIELDS, w) else { return };
        let case = fields.need("id", "a case", w).and_then(|node| {
            let case = id(node, "a case's id", w)?;
            self.case_ids.add(&case, "cases", node.place, w);
            Some(case)
        });
        let drafts = drafts(&fields, w);
        let own = fields.get("covers").map(|node| covers(node, requirement, w));
        let mut with_covers = |(n, draft)| {
            let covers = step_covers(&draft, own.as_deref(), requirement, w);
            (n, draft, covers)
        };
        let steps: Vec<(usize, Draft<'_>, Vec<Cover>)> = drafts.into_iter().map(&mut with_covers).collect();
        let Some(case) = case else { return };
        let covered = own.unwrap_or_else(|| union(&steps));
        let mut tests = self.rows(&case, &covered, requirement, w);
        // Drafts go as nodes come: what they hold moves over.
        let written: Vec<Node> = steps
            .into_iter()
            .filter_map(|(n, draft, covers)| {
                let mapped = tests.map(&draft, &covers, requirement, w);
                self.step(&case, n, draft, &mapped, w)
            })
            .collect();
        self.tests.extend(tests.into_nodes(requirement));
        self.scenarios.push(scenario(node, &fields, &case, written, requirement, w));
    }

    /// The tests of a case.
    fn rows(&mut self, case: &Id, covered: &[Cover], requirement: &Requirement, w: &mut Writing) -> Tests {
        let mut tests = Tests::default();
        for (index, place) in covered {
            let Some(criterion) = requirement.criteria.get(*index) else { continue };
            for layer in &criterion.needs {
                let text = format!("{case}.{}.{layer}", criterion.id);
                if !w.spend(2 * text.len() + criterion.text.len(), *place) {
                    return tests;
                }
                let Ok(id) = Id::parse(&text) else {
                    let message = format!("the test id `{text}` is longer than 128 characters");
                    w.error(Code::IdMalformed, *place, message, "shorten the ids of case and criterion");
                    continue;
                };
                self.all_tests.add(&id, "tests", *place, w);
                self.test_ids[*index].push(text);
                tests.add(Row { id, criterion: *index, layer: layer.clone(), place: *place, steps: Vec::new() });
            }
        }
        tests
    }

    /// A step in the seed form.
    fn step(&mut self, case: &Id, n: usize, draft: Draft<'_>, mapped: &Mapped, w: &mut Writing) -> Option<Node> {
        let place = draft.node.place;
        let text = format!("{case}.{n}");
        let Ok(own) = Id::parse(&text) else {
            let message = format!("the step id `{text}` is longer than 128 characters");
            w.error(Code::IdMalformed, place, message, "shorten the id of the case");
            return None;
        };
        let id = match (&draft.form, draft.node.get("id")) {
            (Form::Seed { .. }, Some(node)) => id(node, "a step's id", w)?,
            _ => own,
        };
        self.step_ids.add(&id, "steps", place, w);
        Some(match &draft.form {
            Form::Short { .. } => short(&id, draft, mapped),
            Form::Seed { pairs } => seed(&id, &draft, pairs, mapped, w),
        })
    }
}

/// The steps of a case with their numbers, counting on through cleanup. A step that cannot be read keeps its number.
fn drafts<'n>(fields: &Fields<'n>, w: &mut Writing) -> Vec<(usize, Draft<'n>)> {
    let steps = fields.need("steps", "a case", w).and_then(|node| w.list(node, "steps")).unwrap_or_default();
    let cleanup = fields.get("cleanup").and_then(|node| w.list(node, "cleanup")).unwrap_or_default();
    let both = steps.iter().map(|node| (node, false)).chain(cleanup.iter().map(|node| (node, true)));
    (1..).zip(both).filter_map(|(n, (node, cleanup))| Some((n, step::read(node, cleanup, w)?))).collect()
}

/// The criteria that a `covers` names, each once.
fn covers(node: &Node, requirement: &Requirement, w: &mut Writing) -> Vec<Cover> {
    let mut found: Vec<Cover> = Vec::new();
    let mut seen = vec![false; requirement.criteria.len()];
    for item in w.one_or_more(node, "`covers`").unwrap_or_default() {
        if let Some(index) = requirement.find(item, "`covers`", w)
            && !std::mem::replace(&mut seen[index], true)
        {
            found.push((index, item.place));
        }
    }
    found
}

/// The criteria of a step: its own `covers`, else those of the case; cleanup covers nothing unless it says so.
fn step_covers(draft: &Draft, own: Option<&[Cover]>, requirement: &Requirement, w: &mut Writing) -> Vec<Cover> {
    let Some(node) = draft.covers else {
        return if draft.cleanup { Vec::new() } else { own.unwrap_or_default().to_vec() };
    };
    let mut found = covers(node, requirement, w);
    if let Some(own) = own {
        let mut allowed = vec![false; requirement.criteria.len()];
        own.iter().for_each(|(index, _)| allowed[*index] = true);
        found.retain(|(index, place)| {
            let id = &requirement.criteria[*index].id;
            if !allowed[*index] {
                let message = format!("the step covers `{id}`, which its case does not");
                w.error(Code::StepReferenceUnknown, *place, message, format!("add `{id}` to covers of the case"));
            }
            allowed[*index]
        });
    }
    found
}

/// What a case without `covers` covers: what its steps do, in order.
fn union(steps: &[(usize, Draft<'_>, Vec<Cover>)]) -> Vec<Cover> {
    let mut seen = std::collections::HashSet::new();
    steps.iter().flat_map(|(_, _, covers)| covers).filter(|(index, _)| seen.insert(*index)).copied().collect()
}

/// A step with a verb, in the seed form.
fn short(id: &Id, draft: Draft<'_>, mapped: &Mapped) -> Node {
    let place = draft.node.place;
    let Form::Short { action, title, proceed, timeout, fields, obligations } = draft.form else {
        return draft.node.clone();
    };
    let evidence = match (draft.cleanup, draft.verb) {
        (true, _) => "cleanup",
        (false, Verb::Run) => "command",
        (false, Verb::Log) => "log",
        (false, _) => "api_response",
    };
    let mut out: Out = vec![("id", Node::text(id.as_str(), place))];
    out.extend(title.map(|node| ("title", node.clone())));
    out.push(("action", Node::text(action, place)));
    out.extend(mapped.fields(place));
    out.push(("evidenceType", Node::text(evidence, place)));
    let kinds: Vec<String> = draft.kinds.iter().map(|kind| kind.as_str().to_owned()).collect();
    out.push(("strategyDimensions", texts(&kinds, place)));
    if draft.cleanup {
        out.push(("alwaysRun", Node::new(Value::Bool(true), place)));
        out.push(("skipIfMissingVars", Node::new(Value::Bool(true), place)));
    }
    out.extend(proceed.map(|node| ("continueOnFailure", node.clone())));
    out.extend(timeout.map(|node| ("timeoutMs", node)));
    out.extend(fields);
    if !obligations.is_empty() {
        out.push(("obligations", Node::new(Value::List(obligations), place)));
    }
    Node::map(out, place)
}

/// A seed-form step as it stands, with what only its place in the plan can say added where it is absent.
fn seed(id: &Id, draft: &Draft, pairs: &[(Key, Node)], mapped: &Mapped, w: &mut Writing) -> Node {
    let place = draft.node.place;
    let mut added: Out = vec![("id", Node::text(id.as_str(), place))];
    added.extend(mapped.fields(place));
    if draft.cleanup {
        added.push(("evidenceType", Node::text("cleanup", place)));
        added.push(("alwaysRun", Node::new(Value::Bool(true), place)));
        added.push(("skipIfMissingVars", Node::new(Value::Bool(true), place)));
    } else if draft.verb != Verb::Other {
        let evidence = match draft.verb {
            Verb::Run => "command",
            Verb::Log => "log",
            Verb::Http | Verb::Other => "api_response",
        };
        added.push(("evidenceType", Node::text(evidence, place)));
    }
    let kept = pairs.iter().filter(|(key, _)| key.name != "covers");
    let mut out: Vec<(Key, Node)> =
        kept.map(|(key, value)| (key.clone(), super::seed::field(&key.name, value, w))).collect();
    for (name, node) in added.into_iter().filter(|(name, _)| draft.node.get(name).is_none()) {
        out.push((Key { name: name.into(), place }, node));
    }
    Node::new(Value::Map(out), place)
}

/// A case in the seed form.
fn scenario(
    node: &Node,
    fields: &Fields,
    id: &Id,
    steps: Vec<Node>,
    requirement: &Requirement,
    w: &mut Writing,
) -> Node {
    let place = node.place;
    let title =
        fields.get("title").and_then(|node| Some(Node::text(fold(w.text(node, "a case's title")?), node.place)));
    let id_place = fields.get("id").map_or(place, |node| node.place);
    let mut out: Out = vec![("id", Node::text(id.as_str(), id_place))];
    out.push(("title", title.unwrap_or_else(|| Node::text(id.as_str(), id_place))));
    out.extend(fields.get("continue").map(|node| ("continueOnFailure", node.clone())));
    if let Some(node) = fields.get("uses") {
        let items = w.one_or_more(node, "`uses`").unwrap_or_default().to_vec();
        out.push(("uses", Node::new(Value::List(items), node.place)));
    }
    if let Some(node) = fields.get("notClaimed") {
        out.push(("notClaimed", not_claimed(node, requirement, w)));
    }
    let steps_place = fields.get("steps").map_or(place, |node| node.place);
    out.push(("steps", Node::new(Value::List(steps), steps_place)));
    Node::map(out, place)
}

/// Claims that the case does not make; each names its criterion and says why.
fn not_claimed(node: &Node, requirement: &Requirement, w: &mut Writing) -> Node {
    let what = "a row of notClaimed";
    for item in w.list(node, "notClaimed").unwrap_or_default() {
        let Some(fields) = Fields::of(item, what, &["criterion", "kind", "why"], w) else { continue };
        if let Some(criterion) = fields.need("criterion", what, w) {
            requirement.find(criterion, "`notClaimed`", w);
        }
        fields.need_text("kind", what, w);
        fields.need_text("why", what, w);
    }
    node.clone()
}
