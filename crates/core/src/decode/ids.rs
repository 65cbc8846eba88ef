//! Ids that must differ, without regard to case (design.md section 2).

use std::collections::HashMap;

use super::reading::Reading;
use crate::codes::Code;
use crate::document::Place;
use crate::ids::Id;

/// The ids of one kind that were met so far.
pub(super) struct Known {
    /// What they are ids of, for messages: `case`, `step`.
    kind: &'static str,
    seen: HashMap<String, (Id, u32)>,
}

impl Known {
    pub(super) fn new(kind: &'static str) -> Self {
        Self { kind, seen: HashMap::new() }
    }

    /// Adds an id and says whether another has it already.
    pub(super) fn add(&mut self, reading: &mut Reading<'_>, id: &Id, place: Place) {
        let Some((first, line)) = self.seen.get(&id.folded()) else {
            self.seen.insert(id.folded(), (id.clone(), place.line));
            return;
        };
        let kind = self.kind;
        if first == id {
            let message = format!("two {kind}s have the id `{id}`; the first stands in line {line}");
            reading.error(Code::IdDuplicate, place, message, "rename one of them");
        } else {
            let message = format!("the {kind} ids `{first}` (line {line}) and `{id}` differ in case only");
            reading.error(Code::IdConfusable, place, message, "rename one of them");
        }
    }
}
