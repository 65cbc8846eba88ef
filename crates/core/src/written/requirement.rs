//! The requirement: criteria, what is not claimed, and requirement.md with the place of every line.

use std::collections::HashMap;

use super::expect::Out;
use super::fields::{Fields, Writing, fold, shown};
use crate::codes::Code;
use crate::document::{Node, Place, Value};
use crate::ids::{Digest, Id};
use crate::nearest::nearest;

/// Most layers that one criterion may ask for; there are some seventy names in all.
const MAX_NEEDS: usize = 32;

/// A criterion as it was written.
pub(super) struct Criterion<'n> {
    pub(super) id: Id,
    pub(super) text: String,
    pub(super) needs: Vec<String>,
    /// The text's node.
    pub(super) said: &'n Node,
    node: &'n Node,
}

/// A requirement with its document.
pub(super) struct Requirement<'n> {
    pub(super) criteria: Vec<Criterion<'n>>,
    /// Index of a criterion by its id without case.
    by_id: HashMap<String, usize>,
    /// requirement.md.
    pub(super) document: String,
    /// For each criterion its line (from 1) and byte span.
    lines: Vec<(usize, usize, usize)>,
    title: Option<Node>,
    source: Option<Node>,
    accepts_mock: Option<Node>,
    out_of_scope: Vec<Node>,
    later: Vec<Node>,
}

const FIELDS: [&str; 6] = ["title", "source", "criteria", "outOfScope", "later", "acceptsMock"];

/// Reads `requirement`.
pub(super) fn read<'n>(node: &'n Node, w: &mut Writing) -> Option<Requirement<'n>> {
    let fields = Fields::of(node, "requirement", &FIELDS, w)?;
    let line = |name: &str, w: &mut Writing| {
        fields
            .get(name)
            .and_then(|node| Some(Node::text(fold(w.text(node, &format!("requirement.{name}"))?), node.place)))
    };
    let mut requirement = Requirement {
        criteria: Vec::new(),
        by_id: HashMap::new(),
        document: String::new(),
        lines: Vec::new(),
        title: line("title", w),
        source: line("source", w),
        accepts_mock: fields.get("acceptsMock").cloned(),
        out_of_scope: rows(fields.get("outOfScope"), "outOfScope", w),
        later: rows(fields.get("later"), "later", w),
    };
    let criteria = fields.need("criteria", "requirement", w);
    for node in criteria.and_then(|node| w.list(node, "requirement.criteria")).unwrap_or_default() {
        if let Some(criterion) = criterion(node, w) {
            requirement.add(criterion, w);
        }
    }
    requirement.write();
    Some(requirement)
}

fn criterion<'n>(node: &'n Node, w: &mut Writing) -> Option<Criterion<'n>> {
    let what = "a criterion";
    let fields = Fields::of(node, what, &["id", "needs", "text", "about"], w)?;
    let id = fields.need("id", what, w).and_then(|node| id(node, "a criterion's id", w));
    let text = fields.need_text("text", what, w);
    let needs = fields.need("needs", what, w).map(|node| needs(node, w));
    if let Some(about) = fields.get("about")
        && about.as_text() != Some("status")
    {
        w.error(
            Code::ValueOutOfRange,
            about.place,
            "`about` takes one value",
            "write `about: status`, or leave it out",
        );
    }
    let (said, text) = text?;
    Some(Criterion { id: id?, text, needs: needs?, said, node })
}

/// The layers of evidence that a criterion asks for, each once. Whether a layer is known is the lint's business.
fn needs(node: &Node, w: &mut Writing) -> Vec<String> {
    let mut layers: Vec<String> = Vec::new();
    let Some(items) = w.one_or_more(node, "`needs`") else { return layers };
    if items.is_empty() || items.len() > MAX_NEEDS {
        let message = format!("`needs` names {} layers", items.len());
        w.error(Code::ValueOutOfRange, node.place, message, format!("name 1 to {MAX_NEEDS}, such as api or command"));
        return layers;
    }
    for item in items {
        match w.text(item, "a layer in `needs`") {
            Some(layer) if Id::parse(layer).is_err() => {
                let message = format!("`{}` is no layer of evidence", shown(layer));
                w.error(Code::NeedsUnknown, item.place, message, "use a layer such as api, command or persistence");
            }
            Some(layer) if !layers.iter().any(|known| known == layer) => layers.push(layer.to_owned()),
            _ => {}
        }
    }
    layers
}

/// Rows of `outOfScope` or `later`.
fn rows(node: Option<&Node>, name: &str, w: &mut Writing) -> Vec<Node> {
    let what = format!("a row of {name}");
    let items = node.and_then(|node| w.list(node, name)).unwrap_or_default();
    let mut rows = Vec::new();
    for item in items {
        let Some(fields) = Fields::of(item, &what, &["text", "why"], w) else { continue };
        if let (Some((text, said)), Some((why, reason))) =
            (fields.need_text("text", &what, w), fields.need_text("why", &what, w))
        {
            let pairs = vec![("text", Node::text(said, text.place)), ("why", Node::text(reason, why.place))];
            rows.push(Node::map(pairs, item.place));
        }
    }
    rows
}

/// An id, or an error that says what is wrong with it.
pub(super) fn id(node: &Node, what: &str, w: &mut Writing) -> Option<Id> {
    let text = w.text(node, what)?;
    match Id::parse(text) {
        Ok(id) => Some(id),
        Err(error) => {
            let help = "use letters, digits, `.`, `_` and `-`, beginning with a letter or digit, at most 128";
            w.error(Code::IdMalformed, node.place, format!("{what} {error}"), help);
            None
        }
    }
}

impl<'n> Requirement<'n> {
    fn add(&mut self, criterion: Criterion<'n>, w: &mut Writing) {
        let place = criterion.node.get("id").map_or(criterion.node.place, |node| node.place);
        if let Some(known) = self.by_id.get(&criterion.id.folded()).and_then(|i| self.criteria.get(*i)) {
            repeated(&known.id, &criterion.id, "criteria", place, w);
            return;
        }
        self.by_id.insert(criterion.id.folded(), self.criteria.len());
        self.criteria.push(criterion);
    }

    /// Writes requirement.md and notes where each criterion stands.
    fn write(&mut self) {
        let mut text = String::new();
        let said =
            |node: &Option<Node>| node.as_ref().and_then(Node::as_text).filter(|t| !t.is_empty()).map(str::to_owned);
        if let Some(title) = said(&self.title) {
            text.push_str(&format!("# {title}\n\n"));
        }
        if let Some(source) = said(&self.source) {
            text.push_str(&format!("Source: {source}\n\n"));
        }
        let before = text.matches('\n').count();
        for (line, criterion) in (before + 1..).zip(&self.criteria) {
            let start = text.len();
            text.push_str(&format!("- {}: {}", criterion.id, criterion.text));
            self.lines.push((line, start, text.len()));
            text.push('\n');
        }
        for (heading, rows) in [("Out of scope", &self.out_of_scope), ("Later", &self.later)] {
            if rows.is_empty() {
                continue;
            }
            text.push_str(&format!("\n## {heading}\n\n"));
            for row in rows {
                let field = |name| row.get(name).and_then(Node::as_text).unwrap_or_default();
                text.push_str(&format!("- {} ({})\n", field("text"), field("why")));
            }
        }
        self.document = text;
    }

    /// The criterion that a node names.
    pub(super) fn find(&self, node: &Node, what: &str, w: &mut Writing) -> Option<usize> {
        let text = w.text(node, what)?;
        let found = self.by_id.get(&text.to_ascii_lowercase()).copied();
        let exact = found.filter(|i| self.criteria.get(*i).is_some_and(|c| c.id.as_str() == text));
        if exact.is_none() {
            // A few hundred names are enough to search for a slip of the hand.
            let known = self.criteria.iter().take(200).map(|c| c.id.as_str());
            let help = match nearest(text, known) {
                Some(name) => format!("did you mean `{name}`?"),
                None => "name a criterion of this requirement".to_owned(),
            };
            let message = format!("{what} names `{}`, which is no criterion", shown(text));
            w.error(Code::StepReferenceUnknown, node.place, message, help);
        }
        exact
    }

    /// The matrix fields that come from the requirement: its own, then the criteria with the tests given.
    pub(super) fn rows(&self, test_ids: &[Vec<String>]) -> (Out, Vec<Node>) {
        let mut own = Out::new();
        own.extend(self.title.clone().map(|node| ("title", node)));
        own.extend(self.source.clone().map(|node| ("source", node)));
        own.extend(self.accepts_mock.clone().map(|node| ("acceptsMock", node)));
        let digest = Digest::of(self.document.as_bytes()).to_string();
        let row = |(i, criterion): (usize, &Criterion)| {
            let (line, start, end) = self.lines.get(i).copied().unwrap_or_default();
            criterion.row((line, start, end), &digest, test_ids.get(i).map(Vec::as_slice).unwrap_or_default())
        };
        (own, self.criteria.iter().enumerate().map(row).collect())
    }

    /// `outOfScope` and `later` of the matrix.
    pub(super) fn excluded(&self) -> Out {
        let list = |rows: &[Node]| {
            let place = rows.first().map_or(Place::default(), |row| row.place);
            Node::new(Value::List(rows.to_vec()), place)
        };
        vec![("outOfScope", list(&self.out_of_scope)), ("later", list(&self.later))]
    }
}

impl Criterion<'_> {
    /// The place of its id.
    pub(super) fn place(&self) -> Place {
        self.node.get("id").map_or(self.node.place, |node| node.place)
    }

    fn row(&self, (line, start, end): (usize, usize, usize), digest: &str, test_ids: &[String]) -> Node {
        let place = self.node.place;
        let needs_place = self.node.get("needs").map_or(place, |node| node.place);
        let mut out: Out = vec![
            ("id", Node::text(self.id.as_str(), self.place())),
            ("source", Node::text(format!("requirement.md line {line}"), place)),
            ("text", Node::text(self.text.clone(), self.said.place)),
            ("risk", Node::text("", place)),
            ("test_ids", texts(test_ids, place)),
            ("status", Node::text("Untested", place)),
            ("needs", texts(&self.needs, needs_place)),
        ];
        out.extend(self.node.get("about").map(|node| ("about", node.clone())));
        out.push(("source_span", Node::new(Value::List(vec![number(start, place), number(end, place)]), place)));
        out.push(("source_sha256", Node::text(digest, place)));
        Node::map(out, place)
    }
}

/// A list of texts.
pub(super) fn texts(items: &[String], place: Place) -> Node {
    Node::new(Value::List(items.iter().map(|item| Node::text(item.clone(), place)).collect()), place)
}

/// A number.
pub(super) fn number(n: usize, place: Place) -> Node {
    let token = crate::json::Number::parse(&n.to_string());
    Node::new(token.map_or(Value::Null, Value::Number), place)
}

/// Reports two ids that are one, or differ in case only.
pub(super) fn repeated(known: &Id, id: &Id, what: &str, place: Place, w: &mut Writing) {
    if known == id {
        w.error(Code::IdDuplicate, place, format!("two {what} have the id `{id}`"), "rename one of them");
    } else {
        let message = format!("the ids `{known}` and `{id}` of two {what} differ in case only");
        w.error(Code::IdConfusable, place, message, "rename one of them");
    }
}
