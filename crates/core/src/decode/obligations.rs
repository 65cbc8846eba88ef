//! What a step must show beyond its checks (plan.md rule 7).

use super::reading::{Reading, field, text, texts};
use super::reference::Use;
use crate::codes::Code;
use crate::document::Node;
use crate::plan::{Obligation, ObligationKind};
use crate::vars::is_name;

impl Reading<'_> {
    pub(super) fn obligations(&mut self, step: &Node) -> Vec<Obligation> {
        let items = field(step, "obligations").and_then(Node::as_list).unwrap_or_default();
        items.iter().filter_map(|item| self.obligation(item)).collect()
    }

    fn obligation(&mut self, node: &Node) -> Option<Obligation> {
        let kind = ObligationKind::parse(&text(node, "kind")?)?;
        let path = match field(node, "path") {
            Some(path) => self.single_path(path.as_text()?, path),
            None => None,
        };
        let values = field(node, "values").and_then(Node::as_list).unwrap_or_default();
        let values: Vec<_> = values.iter().map(|value| self.data(value, Use::Expected)).collect();
        let of = texts(node, "of");
        let misplaced = match kind {
            ObligationKind::Terminal if field(node, "path").is_none() || values.is_empty() => Some((
                "`terminal` lacks its path or values",
                "write {terminal: {path: state, values: [ready, failed]}}",
            )),
            ObligationKind::Terminal if !of.is_empty() => Some(("`of` belongs to persistence", "remove it")),
            ObligationKind::Terminal => None,
            _ if field(node, "path").is_some() || !values.is_empty() => {
                Some(("`path` and `values` belong to terminal", "remove them, or expect the value"))
            }
            ObligationKind::Persistence => None,
            _ if !of.is_empty() => Some(("`of` belongs to persistence", "remove it")),
            _ => None,
        };
        if let Some((what, help)) = misplaced {
            self.error(Code::ObligationMisplaced, node.place, what, help);
        }
        if let Some(name) = of.iter().find(|name| !is_name(name)) {
            let message = format!("`{name}` in `of` is no name of a variable");
            self.error(Code::VarNameInvalid, node.place, message, "name a variable that a step saves");
        }
        Some(Obligation { kind, path, values, of, place: node.place })
    }
}
