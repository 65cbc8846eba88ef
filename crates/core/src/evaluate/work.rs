//! How much work a JSON Schema asks for over a value, worked out before it is done.
//!
//! A validator goes through every way in which subschemas lead to one another, and a few hundred bytes of schema can
//! make those ways double at each level. Counting them is cheap, since each subschema and value is counted once.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// The most work that is done, in looks of a subschema at a value.
const MOST: u64 = 4_000_000;
/// The most steps of the count itself.
const STEPS: usize = 2_000_000;
/// The deepest nesting of looks; validators are recursive.
const DEEPEST: usize = 256;

/// Why a value is not held against a schema.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The schema itself cannot be used: what it does, after its name.
    Schema(String),
    /// Too much work, as a sentence.
    Work(String),
}

/// Refuses what would take too long.
pub(super) fn bounded(schema: &Value, instance: &Value) -> Result<(), Refusal> {
    let graph = Graph::of(schema).map_err(Refusal::Schema)?;
    let mut count = Count { graph: &graph, known: HashMap::new(), steps: 0 };
    let work = count.looks(0, instance, 0)?;
    if work > MOST {
        return Err(Refusal::Work(format!("the schema would look at the value more than {MOST} times")));
    }
    Ok(())
}

/// One subschema: where it leads.
#[derive(Debug, Default)]
struct Node<'a> {
    /// Values in its own keywords, which each look may compare with.
    weight: u64,
    /// Whether a look reads texts to their end.
    reads_text: bool,
    /// Subschemas for the same value.
    here: Vec<usize>,
    /// Subschemas for one property.
    named: Vec<(&'a str, usize)>,
    /// Subschemas for any element or property.
    each: Vec<usize>,
    /// Whether what was evaluated is asked again.
    asks_again: bool,
}

/// The subschemas of a document.
struct Graph<'a> {
    nodes: Vec<Node<'a>>,
}

/// Keywords whose value is a schema (or a list of them) for the same value, for each part of it.
const HERE: [&str; 7] = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else"];
const EACH: [&str; 8] = [
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];
/// Keywords whose value maps names to schemas.
const MAPS_HERE: [&str; 2] = ["dependentSchemas", "dependencies"];
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

struct Builder<'a> {
    /// Schemas by address: references name the same place again and again.
    known: HashMap<*const Value, usize>,
    /// Schemas that are still to be looked through, with the root of their resource.
    open: Vec<(usize, &'a Value, &'a Value)>,
    nodes: Vec<Node<'a>>,
    resources: HashMap<&'a str, &'a Value>,
    anchors: HashMap<&'a str, Vec<(&'a Value, &'a Value)>>,
}

impl<'a> Graph<'a> {
    fn of(root: &'a Value) -> Result<Self, String> {
        let mut builder = Builder {
            known: HashMap::new(),
            open: Vec::new(),
            nodes: Vec::new(),
            resources: HashMap::new(),
            anchors: HashMap::new(),
        };
        builder.name(root, root);
        builder.node(root, root);
        while let Some((at, schema, resource)) = builder.open.pop() {
            builder.nodes[at] = builder.look_through(schema, resource)?;
        }
        Ok(Self { nodes: builder.nodes })
    }
}

impl<'a> Builder<'a> {
    /// Notes every name that a reference may use.
    fn name(&mut self, value: &'a Value, resource: &'a Value) {
        match value {
            Value::Object(map) => {
                let text = |key: &str| map.get(key).and_then(Value::as_str);
                let resource = if let Some(id) = text("$id").or_else(|| text("id")).filter(|id| !id.starts_with('#')) {
                    self.resources.insert(id.trim_end_matches('#'), value);
                    value
                } else {
                    resource
                };
                for anchor in ["$anchor", "$dynamicAnchor"].into_iter().filter_map(text) {
                    self.anchors.entry(anchor).or_default().push((value, resource));
                }
                map.values().for_each(|value| self.name(value, resource));
            }
            Value::Array(items) => items.iter().for_each(|value| self.name(value, resource)),
            _ => {}
        }
    }

    fn node(&mut self, schema: &'a Value, resource: &'a Value) -> usize {
        let next = self.nodes.len();
        let at = *self.known.entry(std::ptr::from_ref(schema)).or_insert(next);
        if at == next {
            self.nodes.push(Node::default());
            self.open.push((at, schema, resource));
        }
        at
    }

    fn list(&mut self, value: &'a Value, resource: &'a Value) -> Vec<usize> {
        match value {
            Value::Array(items) => items.iter().map(|item| self.node(item, resource)).collect(),
            one => vec![self.node(one, resource)],
        }
    }

    fn look_through(&mut self, schema: &'a Value, resource: &'a Value) -> Result<Node<'a>, String> {
        let mut node = Node { weight: 1, ..Node::default() };
        let Value::Object(map) = schema else { return Ok(node) };
        let resource = if map.contains_key("$id") || map.contains_key("id") { schema } else { resource };
        for (key, value) in map {
            match key.as_str() {
                key if HERE.contains(&key) => node.here.extend(self.list(value, resource)),
                key if EACH.contains(&key) => node.each.extend(self.list(value, resource)),
                key if MAPS_HERE.contains(&key) => {
                    for schema in members(value).filter(|(_, schema)| !schema.is_array()) {
                        node.here.push(self.node(schema.1, resource));
                    }
                }
                "properties" => {
                    for (name, schema) in members(value) {
                        let at = self.node(schema, resource);
                        node.named.push((name, at));
                    }
                }
                "patternProperties" => {
                    node.reads_text = true;
                    for (_, schema) in members(value) {
                        let at = self.node(schema, resource);
                        node.each.push(at);
                    }
                }
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    let name = value.as_str().ok_or("has a reference that is no text")?;
                    node.here.extend(self.reference(name, resource)?);
                }
                "pattern" | "format" | "minLength" | "maxLength" => node.reads_text = true,
                key if DEFINITIONS.contains(&key) => {}
                _ => node.weight = node.weight.saturating_add(size(value)),
            }
            node.asks_again |= key.starts_with("unevaluated");
        }
        Ok(node)
    }

    /// The schemas that a reference may mean. Nothing is fetched: what is not in the file is refused.
    fn reference(&mut self, name: &str, resource: &'a Value) -> Result<Vec<usize>, String> {
        let (id, fragment) = name.split_once('#').unwrap_or((name, ""));
        let resource = if id.is_empty() { Some(resource) } else { self.resources.get(id).copied() };
        let outside = || format!("refers to {name:?}, which is not in the file");
        let resource = resource.ok_or_else(outside)?;
        if fragment.contains('%') {
            return Err(format!("refers to {name:?} with percent-encoding; write the name as it is"));
        }
        if fragment.is_empty() || fragment.starts_with('/') {
            let target = resource.pointer(fragment).ok_or_else(outside)?;
            return Ok(vec![self.node(target, resource)]);
        }
        let found = self.anchors.get(fragment).cloned().ok_or_else(outside)?;
        Ok(found.into_iter().map(|(schema, resource)| self.node(schema, resource)).collect())
    }
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(name, value)| (name.as_str(), value))
}

fn size(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(size).sum::<u64>() + 1,
        Value::Object(map) => map.values().map(size).sum::<u64>() + 1,
        _ => 1,
    }
}

struct Count<'a> {
    graph: &'a Graph<'a>,
    /// Looks by subschema and value; `None` while they are being counted.
    known: HashMap<(usize, *const Value), Option<u64>>,
    steps: usize,
}

impl Count<'_> {
    fn looks(&mut self, at: usize, value: &Value, depth: usize) -> Result<u64, Refusal> {
        self.step(1)?;
        let key = (at, std::ptr::from_ref(value));
        match self.known.get(&key) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Err(Refusal::Schema("refers back to itself without going into the value".to_owned())),
            None => {}
        }
        if depth > DEEPEST {
            return Err(Refusal::Work(format!("schema and value nest more than {DEEPEST} levels deep")));
        }
        self.known.insert(key, None);
        let looks = self.count(at, value, depth + 1)?;
        self.known.insert(key, Some(looks));
        Ok(looks)
    }

    fn step(&mut self, steps: usize) -> Result<(), Refusal> {
        self.steps += steps;
        if self.steps > STEPS {
            return Err(Refusal::Work(format!("schema and value meet in more than {STEPS} places")));
        }
        Ok(())
    }

    fn count(&mut self, at: usize, value: &Value, depth: usize) -> Result<u64, Refusal> {
        let graph = self.graph;
        let node = &graph.nodes[at];
        let mut looks = node.weight;
        if let (true, Value::String(text)) = (node.reads_text, value) {
            looks = looks.saturating_add(text.len() as u64 / 256);
        }
        let times = if node.asks_again { 3 } else { 1 };
        for inner in &node.here {
            looks = looks.saturating_add(self.looks(*inner, value, depth)?.saturating_mul(times));
        }
        if let Value::Object(map) = value {
            self.step(node.named.len())?;
            for (name, inner) in &node.named {
                if let Some(part) = map.get(*name) {
                    looks = looks.saturating_add(self.looks(*inner, part, depth)?);
                }
            }
        }
        if !node.each.is_empty() {
            let parts: Vec<&Value> = match value {
                Value::Object(map) => map.values().collect(),
                Value::Array(items) => items.iter().collect(),
                _ => Vec::new(),
            };
            for inner in &node.each {
                for part in &parts {
                    looks = looks.saturating_add(self.looks(*inner, part, depth)?.saturating_mul(times));
                }
            }
        }
        Ok(looks)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn nested(depth: usize) -> Value {
        (0..depth).fold(json!(1), |inner, _| json!({"x": inner}))
    }

    fn looks(schema: &Value, instance: &Value) -> Result<u64, Refusal> {
        let graph = Graph::of(schema).unwrap();
        let mut count = Count { graph: &graph, known: HashMap::new(), steps: 0 };
        count.looks(0, instance, 0)
    }

    #[test]
    fn ways_that_double_are_counted_and_refused() {
        let twice = json!({"$defs": {"a": {"properties": {"x": {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}}}},
            "$ref": "#/$defs/a"});
        assert_eq!(bounded(&twice, &nested(10)), Ok(()));
        assert!(matches!(bounded(&twice, &nested(40)), Err(Refusal::Work(_))));
        let (ten, eleven) = (looks(&twice, &nested(10)).unwrap(), looks(&twice, &nested(11)).unwrap());
        assert!(eleven > 2 * ten - 10, "{ten} {eleven}");
        // A chain of definitions doubles without any recursion.
        let mut defs = Map::new();
        for i in 0..30 {
            let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
            defs.insert(format!("d{i}"), json!({"allOf": [next, next]}));
        }
        defs.insert("d30".to_owned(), json!(true));
        let chain = json!({"$defs": defs, "$ref": "#/$defs/d0"});
        assert!(matches!(bounded(&chain, &json!(1)), Err(Refusal::Work(_))));
    }

    #[test]
    fn trees_and_lists_of_ordinary_size_pass() {
        let tree = json!({"$id": "https://example.test/tree", "type": "object", "properties": {
            "left": {"$ref": "#"}, "right": {"$ref": "https://example.test/tree"}, "name": {"pattern": "^a+$"}}});
        let full = |depth: usize| (0..depth).fold(json!({}), |inner, _| json!({"left": inner, "right": inner}));
        assert_eq!(bounded(&tree, &full(10)), Ok(()));
        let rows = json!({"items": {"$ref": "#row"}, "$defs": {"row": {"$anchor": "row", "required": ["a"],
            "properties": {"a": {"type": "integer"}}, "unevaluatedProperties": false}}});
        assert_eq!(bounded(&rows, &Value::Array(vec![json!({"a": 1}); 10_000])), Ok(()));
        assert_eq!(bounded(&json!(true), &json!(1)), Ok(()));
    }

    #[test]
    fn schemas_that_cannot_be_used_are_named() {
        for schema in [
            json!({"$ref": "#"}),
            json!({"$ref": "#/$defs/a", "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}}}),
            json!({"$ref": "#/$defs/none"}),
            json!({"$ref": "#none"}),
            json!({"$ref": "https://example.test/other.json"}),
            json!({"$ref": "https://json-schema.org/draft/2020-12/schema"}),
            json!({"$ref": 1}),
        ] {
            assert!(matches!(bounded(&schema, &json!({})), Err(Refusal::Schema(_))), "{schema}");
        }
        let deep = json!({"properties": {"x": {"$ref": "#"}}});
        assert!(matches!(bounded(&deep, &nested(DEEPEST)), Err(Refusal::Work(_))));
        let many = json!({"items": {"allOf": vec![json!({"$ref": "#/$defs/a"}); 5000]}, "$defs": {"a": true}});
        assert!(matches!(bounded(&many, &Value::Array(vec![json!(0); 1000])), Err(Refusal::Work(_))));
        let wide = json!({"items": {"enum": vec![0; 5000]}});
        assert!(matches!(bounded(&wide, &Value::Array(vec![json!(0); 1000])), Err(Refusal::Work(_))));
    }

    proptest! {
        /// Whatever the schema does, the count itself ends after as many steps as there are pairs.
        #[test]
        fn counting_is_bounded(edges in prop::collection::vec((0..6usize, 0..6usize, 0..3u8), 0..24), depth in 0..60usize) {
            let mut defs: Vec<Vec<Value>> = vec![Vec::new(); 6];
            for (from, to, kind) in edges {
                let target = json!({"$ref": format!("#/$defs/d{to}")});
                defs[from].push(match kind {
                    0 => json!({"properties": {"x": target}}),
                    1 => json!({"additionalProperties": target}),
                    _ => target,
                });
            }
            let defs: Map<String, Value> =
                defs.into_iter().enumerate().map(|(i, all)| (format!("d{i}"), json!({"allOf": all}))).collect();
            let schema = json!({"$defs": defs, "$ref": "#/$defs/d0"});
            let graph = Graph::of(&schema).unwrap();
            let mut count = Count { graph: &graph, known: HashMap::new(), steps: 0 };
            let instance = nested(depth);
            let _ = count.looks(0, &instance, 0);
            prop_assert!(count.known.len() <= graph.nodes.len() * (depth + 1));
        }
    }
}
