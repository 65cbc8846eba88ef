//! What a step saves for later steps, and what it records for success policies.

use super::reading::{Reading, field, pair_place};
use crate::codes::Code;
use crate::document::{Key, Node, Value};
use crate::inert::shortened;
use crate::path::Path;
use crate::plan::{Save, SaveFrom};
use crate::shape::camel;
use crate::vars::is_name;

impl Reading<'_> {
    /// The `extract…` fields, in written order.
    pub(super) fn saves(&mut self, step: &Node) -> Vec<Save> {
        let mut saves: Vec<Save> = Vec::new();
        for (field, map) in step.as_map().unwrap_or_default() {
            let kind = camel(&field.name);
            if !kind.starts_with("extract") {
                continue;
            }
            for (key, value) in map.as_map().unwrap_or_default() {
                self.variable_name(key);
                let from = match kind.as_ref() {
                    "extractJson" | "extractStdoutJson" => self.extracted_path(value).map(SaveFrom::Json),
                    "extractResponseHeader" => self.extracted_header(value),
                    _ => value.as_text().and_then(|text| self.pattern(text, Some(1), value.place)).map(SaveFrom::Text),
                };
                if saves.iter().any(|save| save.name == key.name) {
                    let message = format!("the step saves `{}` twice", key.name);
                    self.error(Code::DuplicateKey, key.place, message, "use another name for one of them");
                }
                saves.extend(from.map(|from| Save { name: key.name.to_string(), from, place: pair_place(key, value) }));
            }
        }
        saves
    }

    /// `record: {name: path}`.
    pub(super) fn records(&mut self, step: &Node) -> Vec<(String, Path)> {
        let mut records = Vec::new();
        for (key, value) in field(step, "record").and_then(Node::as_map).unwrap_or_default() {
            if !is_name(&key.name) {
                let message = "a recorded value has no usable name";
                self.error(Code::VarNameInvalid, key.place, message, "use letters, digits and underscore");
            }
            let path = value.as_text().and_then(|text| self.single_path(text, value));
            records.extend(path.map(|path| (key.name.to_string(), path)));
        }
        records
    }

    /// Checks the name of a variable that the plan sets.
    pub(super) fn variable_name(&mut self, key: &Key) {
        if !is_name(&key.name) {
            let message = format!("`{}` is no name of a variable", shortened(&key.name, 60));
            self.error(Code::VarNameInvalid, key.place, message, "use letters, digits and underscore, no digit first");
        } else if key.name.starts_with("qa_") {
            let message = format!("`{}` belongs to the engine", key.name);
            self.error(Code::VarReserved, key.place, message, "choose a name that does not begin with qa_");
        }
    }

    fn extracted_header(&mut self, value: &Node) -> Option<SaveFrom> {
        let key = Key { name: value.as_text()?.into(), place: value.place };
        self.header_name(&key).then_some(SaveFrom::Header(key.name.into()))
    }

    /// A path, or the reference tool's map around one.
    fn extracted_path(&mut self, value: &Node) -> Option<Path> {
        let pairs = match &value.value {
            Value::Text(text) => return self.single_path(text, value),
            _ => value.as_map()?,
        };
        for (key, detail) in pairs {
            let plain = match key.name.as_str() {
                "path" => detail.as_text().is_some(),
                "from" => detail.as_text() == Some("first"),
                "required" => detail.as_bool() == Some(true),
                _ => false,
            };
            if !plain {
                let message = format!("`{}` of an extraction is not supported by this build", key.name);
                self.error(Code::NotSupported, key.place, message, "write the one path whose value is meant");
                return None;
            }
        }
        match value.get("path") {
            Some(path) => self.single_path(path.as_text()?, path),
            None => {
                self.error(Code::MissingField, value.place, "the extraction has no `path`", "add it");
                None
            }
        }
    }

    /// A path that selects one value at most.
    pub(super) fn single_path(&mut self, text: &str, node: &Node) -> Option<Path> {
        let path = self.path(text, node.place)?;
        if path.is_plural() {
            let message = format!("`{path}` may select many values, and one is needed");
            self.error(Code::PathNotSingular, node.place, message, "name one value, as in items[0].id");
            return None;
        }
        Some(path)
    }
}
