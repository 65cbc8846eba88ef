//! Which tests a step belongs to, and the rows of the matrix.
//!
//! A test is one criterion in one layer, seen by one case. A step belongs to the tests of the criteria that it covers in
//! every layer that it can show. A covering step that can show none of a criterion's layers belongs to the first of them
//! all the same: its failure must fail a test of the criterion that its author said it covers. Whether a layer is met is
//! another question, which the lint and the derivation answer by the steps that can show it.

use std::collections::HashMap;
use std::ops::Range;

use super::cases::Cover;
use super::expect::Out;
use super::fields::{Writing, fold};
use super::requirement::{Requirement, texts};
use super::step::{Draft, Form};
use crate::document::{Node, Place};
use crate::ids::Id;

/// A test while its steps are gathered.
pub(super) struct Row {
    pub(super) id: Id,
    /// Index of its criterion.
    pub(super) criterion: usize,
    pub(super) layer: String,
    /// Where the criterion is said to be covered.
    pub(super) place: Place,
    /// What its steps do, in words.
    pub(super) steps: Vec<String>,
}

/// The tests of one case; those of one criterion stand together.
#[derive(Default)]
pub(super) struct Tests {
    rows: Vec<Row>,
    of: HashMap<usize, Range<usize>>,
}

/// What a step belongs to.
#[derive(Default)]
pub(super) struct Mapped {
    test_ids: Vec<String>,
    requirement_ids: Vec<String>,
    proves: String,
}

impl Tests {
    pub(super) fn add(&mut self, row: Row) {
        let at = self.rows.len();
        self.of.entry(row.criterion).or_insert(at..at).end = at + 1;
        self.rows.push(row);
    }

    /// Maps a step to tests and notes in them what it does.
    pub(super) fn map(&mut self, draft: &Draft, covers: &[Cover], all: &Requirement, w: &mut Writing) -> Mapped {
        let mut mapped = Mapped::default();
        // A seed-form step that names its tests is taken at its word.
        let named = matches!(draft.form, Form::Seed { .. }) && draft.node.get("testIds").is_some();
        let sentence = fold(&draft.sentence);
        for (index, place) in covers {
            let Some(criterion) = all.criteria.get(*index) else { continue };
            let rows = self.of.get(index).cloned().and_then(|range| self.rows.get_mut(range)).unwrap_or_default();
            let cost = criterion.text.len() + rows.len() * (128 + sentence.len()) + 128;
            if !w.spend(cost, *place) {
                break;
            }
            mapped.requirement_ids.push(criterion.id.to_string());
            if !mapped.proves.is_empty() {
                mapped.proves.push_str(" / ");
            }
            mapped.proves.push_str(&criterion.text);
            let any = rows.iter().any(|row| draft.shows(&row.layer));
            for (i, row) in rows.iter_mut().enumerate().filter(|_| !named) {
                if draft.shows(&row.layer) || (!any && i == 0) {
                    mapped.test_ids.push(row.id.to_string());
                    row.steps.push(sentence.clone());
                }
            }
        }
        mapped
    }

    /// The rows of the matrix.
    pub(super) fn into_nodes(self, requirement: &Requirement) -> impl Iterator<Item = Node> {
        self.rows.into_iter().filter_map(|row| {
            let criterion = requirement.criteria.get(row.criterion)?;
            let place = row.place;
            let evidence = match row.layer.as_str() {
                "api" => "api_response".to_owned(),
                _ => row.layer.clone(),
            };
            let out: Out = vec![
                ("id", Node::text(row.id.as_str(), place)),
                ("requirement_ids", texts(&[criterion.id.to_string()], place)),
                ("type", Node::text(row.layer, place)),
                ("steps", texts(&row.steps, place)),
                ("expected", Node::text(criterion.text.clone(), criterion.said.place)),
                ("required_evidence", texts(&[evidence], place)),
                ("status", Node::text("Untested", place)),
            ];
            Some(Node::map(out, place))
        })
    }
}

impl Mapped {
    /// `testIds`, `requirementIds` and `proves`.
    pub(super) fn fields(&self, place: Place) -> Out {
        vec![
            ("testIds", texts(&self.test_ids, place)),
            ("requirementIds", texts(&self.requirement_ids, place)),
            ("proves", Node::text(self.proves.clone(), place)),
        ]
    }
}
