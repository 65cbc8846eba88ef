//! The grammar of expectations (plan.md, "Expectations").

use super::reading::Reading;
use super::reference::{Use, is_reference};
use crate::codes::Code;
use crate::document::{Key, Node, Value};
use crate::expect::{Comparison, Expect, JsonType, Op};
use crate::inert::shortened;
use crate::json::Json;
use crate::nearest::nearest;
use crate::path::Path;
use crate::shape::OPERATORS;

impl Reading<'_> {
    /// Reads `E`. `at` is the path that it stands under, for the help of a misplaced map.
    pub(super) fn expect(&mut self, node: &Node, at: Option<&str>) -> Option<Expect> {
        let pairs = match &node.value {
            Value::Text(text) => {
                let word = match text.as_str() {
                    "exists" => Some(Op::Exists),
                    "missing" => Some(Op::Missing),
                    "notNull" => Some(Op::NotNull),
                    _ => None,
                };
                return Some(Expect(vec![word.unwrap_or_else(|| Op::Equals(Json::from(text)))]));
            }
            Value::Map(pairs) if !is_reference(pairs, self.forms, Use::Expected) => pairs,
            _ => return Some(Expect(vec![Op::Equals(self.data(node, Use::Expected))])),
        };
        if pairs.is_empty() {
            let help = "name an operator, or write {equals: {}} to compare with an empty map";
            self.error(Code::ExpectationMalformed, node.place, "an empty map expects nothing", help);
            return None;
        }
        if let Some((op, value)) = seed_form(pairs) {
            return self.seed_op(op, value).map(|op| Expect(vec![op]));
        }
        // Every operator is looked at, so that all that is wrong is named at once.
        let ops: Vec<Option<Op>> = pairs.iter().map(|(key, value)| self.op(key, value, node, at)).collect();
        ops.into_iter().collect::<Option<Vec<Op>>>().map(Expect)
    }

    /// Reads `PATH: E`, where a path that may select many needs an operator for many.
    pub(super) fn expect_at(&mut self, key: &Key, node: &Node) -> Option<(Path, Expect)> {
        let path = self.path(&key.name, key.place);
        let expect = self.expect(node, Some(&key.name));
        let (path, expect) = (path?, expect?);
        let for_many = |op: &Op| matches!(op, Op::Any(_) | Op::All(_) | Op::Count(_));
        if path.is_plural() && !expect.0.iter().all(for_many) {
            let help = "use any, all or count, or name one value";
            let message = format!("`{path}` may select many values, and the operator needs one");
            self.error(Code::PathNotSingular, key.place, message, help);
            return None;
        }
        Some((path, expect))
    }

    /// `{op, value}` of the seed form.
    fn seed_op(&mut self, op: &Node, value: Option<&Node>) -> Option<Op> {
        let Some(name) = op.as_text() else {
            let message = format!("`op` is a {}, and should be the name of an operator", op.kind());
            self.error(Code::ExpectationMalformed, op.place, message, "write {op: equals, value: …}");
            return None;
        };
        let key = Key { name: name.into(), place: op.place };
        let yes = Node::new(Value::Bool(true), op.place);
        match value {
            Some(value) if !matches!(name, "exists" | "missing" | "notNull") => self.op(&key, value, op, None),
            None if !matches!(name, "exists" | "missing" | "notNull") => {
                let message = format!("`op: {name}` has no `value`");
                self.error(Code::ExpectationMalformed, op.place, message, "add what it compares with as `value`");
                None
            }
            Some(value) => self.op(&key, value, op, None),
            None => self.op(&key, &yes, op, None),
        }
    }

    fn op(&mut self, key: &Key, node: &Node, whole: &Node, at: Option<&str>) -> Option<Op> {
        match key.name.as_str() {
            "equals" => Some(Op::Equals(self.data(node, Use::Expected))),
            "oneOf" => self.some_items(key, node).map(|items| Op::OneOf(self.all_data(items))),
            "not" => self.expect(node, at).map(|inner| Op::Not(Box::new(inner))),
            "anyOf" => {
                let read: Vec<Option<Expect>> =
                    self.some_items(key, node)?.iter().map(|item| self.expect(item, at)).collect();
                read.into_iter().collect::<Option<Vec<Expect>>>().map(Op::AnyOf)
            }
            "type" => self.json_type(node).map(Op::Type),
            "contains" | "includes" => self.element(key, node).map(|data| Op::Contains(data, true)),
            "notContains" => self.element(key, node).map(|data| Op::Contains(data, false)),
            "startsWith" => self.text_operand(key, node).map(Op::StartsWith),
            "endsWith" => self.text_operand(key, node).map(Op::EndsWith),
            "matches" => match node.as_text() {
                Some(text) => self.pattern(text, None, node.place).map(Op::Matches),
                None => self.malformed(key, node, "a pattern in quotes"),
            },
            "gt" | "gte" | "lt" | "lte" => self.compare(key, node),
            "length" => self.amount(key, node).map(Op::Length),
            "count" => self.amount(key, node).map(Op::Count),
            "schema" => match node.as_text() {
                Some(file) => Some(Op::Schema(file.to_owned())),
                None => self.malformed(key, node, "the name of a file"),
            },
            "exists" => self.yes(key, node, "missing").map(|()| Op::Exists),
            "missing" => self.yes(key, node, "exists").map(|()| Op::Missing),
            "notNull" => self.yes(key, node, "equals: null").map(|()| Op::NotNull),
            "any" => self.expect(node, None).map(|inner| Op::Any(Box::new(inner))),
            "all" => self.expect(node, None).map(|inner| Op::All(Box::new(inner))),
            _ => self.unknown_operator(key, node, whole, at),
        }
    }

    fn unknown_operator(&mut self, key: &Key, node: &Node, whole: &Node, at: Option<&str>) -> Option<Op> {
        let help = match (nearest(&key.name, OPERATORS.fields().map(|field| field.name)), at) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(path)) => format!(
                "write `{}: {}` to look deeper, or `{path}: {{equals: {}}}` to compare with the map",
                joined(path, &key.name),
                flow(&node.to_json()),
                flow(&whole.to_json()),
            ),
            (None, None) => format!("write {{equals: {}}} to compare with the map", flow(&whole.to_json())),
        };
        self.error(Code::UnknownOperator, key.place, format!("`{}` is no operator", shortened(&key.name, 60)), help);
        None
    }

    fn malformed<T>(&mut self, key: &Key, node: &Node, wanted: &str) -> Option<T> {
        let message = format!("`{}` has a {}, and takes {wanted}", key.name, node.kind());
        self.error(Code::ExpectationMalformed, node.place, message, format!("write {wanted}"));
        None
    }

    fn some_items<'n>(&mut self, key: &Key, node: &'n Node) -> Option<&'n [Node]> {
        match node.as_list() {
            Some(items) if !items.is_empty() => Some(items),
            _ => self.malformed(key, node, "a list with at least one item"),
        }
    }

    fn all_data(&mut self, items: &[Node]) -> Vec<Json> {
        items.iter().map(|item| self.data(item, Use::Expected)).collect()
    }

    /// DATA: a scalar, a list or a reference.
    fn element(&mut self, key: &Key, node: &Node) -> Option<Json> {
        match &node.value {
            Value::Map(pairs) if !is_reference(pairs, self.forms, Use::Expected) => {
                self.malformed(key, node, "a value or a list; for a map in a list write {any: {equals: {…}}}")
            }
            _ => Some(self.data(node, Use::Expected)),
        }
    }

    /// A text or a reference.
    fn text_operand(&mut self, key: &Key, node: &Node) -> Option<Json> {
        match &node.value {
            Value::Text(_) => Some(node.to_json()),
            Value::Map(pairs) if is_reference(pairs, self.forms, Use::Expected) => Some(self.data(node, Use::Expected)),
            _ => self.malformed(key, node, "a text"),
        }
    }

    /// A number or a reference.
    fn number_operand(&mut self, key: &Key, node: &Node) -> Option<Json> {
        match &node.value {
            Value::Number(_) => Some(node.to_json()),
            Value::Map(pairs) if is_reference(pairs, self.forms, Use::Expected) => Some(self.data(node, Use::Expected)),
            _ => self.malformed(key, node, "a number"),
        }
    }

    fn compare(&mut self, key: &Key, node: &Node) -> Option<Op> {
        let comparison = comparison(&key.name)?;
        self.number_operand(key, node).map(|number| Op::Compare(comparison, number))
    }

    /// `N` or `{gt: N, …}`.
    pub(super) fn amount(&mut self, key: &Key, node: &Node) -> Option<Vec<Op>> {
        let pairs = match &node.value {
            Value::Map(pairs) if !pairs.is_empty() && !is_reference(pairs, self.forms, Use::Expected) => pairs,
            _ => return self.number_operand(key, node).map(|number| vec![Op::Equals(number)]),
        };
        let read: Vec<Option<Op>> = pairs
            .iter()
            .map(|(inner, value)| match comparison(&inner.name) {
                Some(_) => self.compare(inner, value),
                None => {
                    let message = format!("`{}` is no way to compare an amount", shortened(&inner.name, 60));
                    self.error(Code::UnknownOperator, inner.place, message, "use gt, gte, lt or lte, or a number");
                    None
                }
            })
            .collect();
        read.into_iter().collect()
    }

    fn json_type(&mut self, node: &Node) -> Option<JsonType> {
        let found = match node.as_text() {
            Some("object") => Some(JsonType::Object),
            Some("array") => Some(JsonType::Array),
            Some("string") => Some(JsonType::String),
            Some("number") => Some(JsonType::Number),
            Some("integer") => Some(JsonType::Integer),
            Some("boolean") => Some(JsonType::Boolean),
            Some("null") => Some(JsonType::Null),
            // YAML reads an unquoted null so.
            None if node.value == Value::Null => Some(JsonType::Null),
            _ => None,
        };
        if found.is_none() {
            let help = "use object, array, string, number, integer, boolean or null (in quotes)";
            self.error(Code::ExpectationMalformed, node.place, "`type` names no type of JSON", help);
        }
        found
    }

    /// `exists: true` and its like; `false` would be another operator.
    fn yes(&mut self, key: &Key, node: &Node, opposite: &str) -> Option<()> {
        if node.as_bool() == Some(true) {
            return Some(());
        }
        let message = format!("`{}` takes true only", key.name);
        self.error(Code::ExpectationMalformed, node.place, message, format!("for the opposite write {opposite}"));
        None
    }
}

/// The parts of `{op, value}`, if a map is one.
fn seed_form(pairs: &[(Key, Node)]) -> Option<(&Node, Option<&Node>)> {
    let get = |name: &str| pairs.iter().find(|(key, _)| key.name == name).map(|(_, value)| value);
    let only = pairs.iter().all(|(key, _)| key.name == "op" || key.name == "value");
    only.then(|| get("op")).flatten().map(|op| (op, get("value")))
}

fn comparison(name: &str) -> Option<Comparison> {
    match name {
        "gt" => Some(Comparison::Gt),
        "gte" => Some(Comparison::Gte),
        "lt" => Some(Comparison::Lt),
        "lte" => Some(Comparison::Lte),
        _ => None,
    }
}

/// A path one name deeper.
fn joined(path: &str, name: &str) -> String {
    let plain = !name.is_empty() && !name.contains(['.', '[', '\'', '\\', '*']) && !name.starts_with('$');
    if plain {
        return shortened(&format!("{path}.{name}"), 60).into_owned();
    }
    let root = if path.starts_with('$') { path.to_owned() } else { format!("$.{path}") };
    shortened(&format!("{root}['{}']", name.replace('\\', "\\\\").replace('\'', "\\'")), 60).into_owned()
}

/// Data in YAML's flow style, as people write it in plans.
fn flow(json: &Json) -> String {
    let simple = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let text = match json {
        Json::Map(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| {
                    let key = if simple(key) { key.to_owned() } else { Json::from(key).to_string() };
                    format!("{key}: {}", flow(value))
                })
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Json::List(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    };
    shortened(&text, 60).into_owned()
}
