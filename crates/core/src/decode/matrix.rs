//! The matrix (harness-planning.md 1.2).

use super::ids::Known;
use super::reading::{Forms, Reading, field, flag, ids, text, texts};
use crate::codes::Code;
use crate::diagnostic::Diagnostics;
use crate::document::{Node, Value};
use crate::ids::{Digest, Id};
use crate::matrix::{Criterion, Excluded, Matrix, Test};
use crate::shape::{self, MATRIX, Shape};

/// Decodes a matrix.
///
/// `None` when it cannot be used; what is wrong is in `diags`.
pub fn matrix(node: &Node, diags: &mut Diagnostics) -> Option<Matrix> {
    let mut reading = Reading::new(diags, Forms::Dollar);
    if !shape::check(node, &Shape::Table(&MATRIX), format_args!("the matrix"), reading.diags) {
        reading.unusable = true;
    }
    node.as_map()?;
    let matrix = reading.matrix(node);
    reading.usable().then_some(matrix)
}

fn rows<'n>(node: &'n Node, name: &str) -> &'n [Node] {
    field(node, name).and_then(Node::as_list).unwrap_or_default()
}

fn status(node: &Node) -> String {
    text(node, "status").unwrap_or_else(|| "Untested".to_owned())
}

impl Reading<'_> {
    fn matrix(&mut self, node: &Node) -> Matrix {
        let (mut criteria, mut tests) = (Known::new("criterion"), Known::new("test"));
        Matrix {
            title: text(node, "title"),
            source: text(node, "source"),
            accepts_mock: flag(node, "acceptsMock").unwrap_or(false),
            criteria: rows(node, "requirements").iter().filter_map(|row| self.criterion(row, &mut criteria)).collect(),
            tests: rows(node, "tests").iter().filter_map(|row| self.test(row, &mut tests)).collect(),
            out_of_scope: rows(node, "outOfScope").iter().filter_map(|row| self.excluded(row)).collect(),
            later: rows(node, "later").iter().filter_map(|row| self.excluded(row)).collect(),
        }
    }

    fn row_id(&mut self, row: &Node, known: &mut Known) -> Option<Id> {
        let written = field(row, "id")?;
        let id = Id::parse(written.as_text()?).ok()?;
        known.add(self, &id, written.place);
        Some(id)
    }

    fn criterion(&mut self, row: &Node, known: &mut Known) -> Option<Criterion> {
        let before = self.diags.len();
        let id = self.row_id(row, known)?;
        let criterion = Criterion {
            text: text(row, "text").unwrap_or_default(),
            source: text(row, "source").unwrap_or_default(),
            needs: texts(row, "needs"),
            about_status: text(row, "about").as_deref() == Some("status"),
            test_ids: ids(row, "test_ids"),
            planned_status: status(row),
            span: self.span(row),
            source_sha256: self.source_digest(row),
            place: row.place,
            id,
        };
        self.diags.subject_since(before, criterion.id.as_str());
        Some(criterion)
    }

    fn span(&mut self, row: &Node) -> Option<(usize, usize)> {
        let node = field(row, "source_span")?;
        let at = |item: &Node| match &item.value {
            Value::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
            _ => None,
        };
        let ends: Vec<usize> = node.as_list()?.iter().filter_map(at).collect();
        match ends.as_slice() {
            [start, end] if start < end => Some((*start, *end)),
            _ => {
                let help = "write [first byte, byte after the last]";
                self.error(Code::ValueOutOfRange, node.place, "`source_span` is no span of bytes", help);
                None
            }
        }
    }

    fn source_digest(&mut self, row: &Node) -> Option<String> {
        let node = field(row, "source_sha256")?;
        let written = node.as_text()?;
        if Digest::parse(written).is_none() {
            let help = "write the SHA-256 of requirement.md as 64 lower-case hex digits";
            self.error(Code::ValueOutOfRange, node.place, "`source_sha256` is no SHA-256", help);
            return None;
        }
        Some(written.to_owned())
    }

    fn test(&mut self, row: &Node, known: &mut Known) -> Option<Test> {
        let id = self.row_id(row, known)?;
        Some(Test {
            id,
            requirement_ids: ids(row, "requirement_ids"),
            kind: text(row, "type").unwrap_or_default(),
            steps: texts(row, "steps"),
            expected: text(row, "expected").unwrap_or_default(),
            required_evidence: texts(row, "required_evidence"),
            planned_status: status(row),
            place: row.place,
        })
    }

    fn excluded(&mut self, row: &Node) -> Option<Excluded> {
        let (line, why) = (text(row, "text")?, text(row, "why")?);
        if why.trim().is_empty() || line.trim().is_empty() {
            let help = "write the line in `text` and the reason in `why`";
            self.error(Code::MissingField, row.place, "a line is left out without its text or reason", help);
        }
        Some(Excluded { text: line, why, place: row.place })
    }
}
