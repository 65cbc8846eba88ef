//! The YAML loader: from serde-saphyr's parser events to nodes, with a stack of its own, so that depth costs no stack.
//!
//! It reads events and not serde values, because only events tell a quoted `"1"` from a plain `1`, a written `null` from
//! nothing, an alias from a copy, and carry the place of each key.

use std::collections::HashMap;

use probity_core::codes::Code;
use probity_core::diagnostic::Diagnostics;
use probity_core::document::{Key, Lines, Node, Place, Value};
use serde_saphyr::granit_parser::{Event, Options, Parser, ScalarStyle, Span, StructureStyle, Tag};

use super::scalar::{self, CoreTag};
use super::{MAX_DEPTH, MAX_NODES, MAX_REPEATED, shown, syntax};

/// After so many errors the rest is not worth reading.
const MAX_ERRORS: usize = 20;

/// Reads one YAML document; what is wrong goes into `diags`.
pub(super) fn read(text: &str, diags: &mut Diagnostics) -> Option<Node> {
    let mut options = Options::default();
    options.disallow_directives = true;
    options.set_emit_comments(false);
    let mut loader = Loader::new(text, diags);
    for event in Parser::new_from_str_with_options(text, options) {
        let step = match event {
            Ok((event, span)) => loader.event(&event, &span),
            Err(error) => {
                loader.syntax(&error);
                Err(Stop)
            }
        };
        if step.is_err() || loader.diags.len() >= MAX_ERRORS {
            return None;
        }
    }
    Some(loader.root.unwrap_or_else(|| Node::new(Value::Null, loader.lines.place(0, 0))))
}

/// The document cannot be read further; the reason is among the diagnostics.
struct Stop;

/// A list or map whose end has not come yet.
struct Open {
    place: Place,
    anchor: usize,
    flow: bool,
    kind: Kind,
}

enum Kind {
    List(Vec<Node>),
    Map {
        pairs: Vec<(Key, Node)>,
        key: Option<Key>,
        seen: HashMap<String, Place>,
        /// The last value was not written at all, as in `{name}`.
        bare: bool,
    },
}

/// A node that an alias may repeat.
struct Anchored {
    node: Node,
    weight: Weight,
}

/// What a node costs when it is repeated.
#[derive(Clone, Copy, Default)]
struct Weight {
    nodes: usize,
    bytes: usize,
    height: usize,
}

struct Loader<'a> {
    text: &'a str,
    lines: Lines<'a>,
    diags: &'a mut Diagnostics,
    stack: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    documents: usize,
    nodes: usize,
    copied_bytes: usize,
    root: Option<Node>,
}

impl<'a> Loader<'a> {
    fn new(text: &'a str, diags: &'a mut Diagnostics) -> Self {
        Self {
            text,
            lines: Lines::new(text),
            diags,
            stack: Vec::new(),
            anchors: HashMap::new(),
            documents: 0,
            nodes: 0,
            copied_bytes: 0,
            root: None,
        }
    }

    fn event(&mut self, event: &Event<'_>, span: &Span) -> Result<(), Stop> {
        let place = self.place(span);
        match event {
            Event::DocumentStart(..) => self.document(place),
            Event::Scalar(text, style, anchor, tag) => self.scalar(text, *style, *anchor, tag.as_deref(), place),
            Event::SequenceStart(style, anchor, tag) => {
                self.collection_tag(tag.as_deref(), CoreTag::List, place);
                self.open(*style, *anchor, Kind::List(Vec::new()), place)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.collection_tag(tag.as_deref(), CoreTag::Map, place);
                let kind = Kind::Map { pairs: Vec::new(), key: None, seen: HashMap::new(), bare: false };
                self.open(*style, *anchor, kind, place)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(place),
            Event::Alias(id) => self.alias(*id, place),
            _ => Ok(()),
        }
    }

    fn place(&self, span: &Span) -> Place {
        let range = span.byte_range().unwrap_or(0..0);
        self.lines.place(range.start, range.end)
    }

    fn document(&mut self, place: Place) -> Result<(), Stop> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        let help = "keep one document in one file; inside a block of text indent `---`";
        self.diags.error(Code::SyntaxError, place, "a second document in one file", help);
        Err(Stop)
    }

    /// Whether the next node is a key.
    fn at_key(&self) -> bool {
        matches!(self.stack.last(), Some(Open { kind: Kind::Map { key: None, .. }, .. }))
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        place: Place,
    ) -> Result<(), Stop> {
        let plain = style == ScalarStyle::Plain;
        let written = !plain || place.start < place.end;
        if self.at_key() {
            if let Some(tag) = tag {
                self.refuse_tag(tag, place);
            }
            return self.key(text, plain, written, anchor, place);
        }
        let value = match tag {
            Some(tag) => self.tagged(tag, text, written, place),
            None if !written => Value::Null,
            None if plain => scalar::plain(text),
            None => Value::Text(text.to_owned()),
        };
        self.spend(1, 0, place)?;
        self.node(Node::new(value, place), anchor, written)
    }

    fn key(&mut self, text: &str, plain: bool, written: bool, anchor: usize, place: Place) -> Result<(), Stop> {
        if !written {
            self.diags.error(Code::SyntaxError, place, "no key before `:`", "write the key, or \"\" for an empty one");
            return Err(Stop);
        }
        if anchor != 0 {
            let help = "put the anchor before the value";
            self.diags.error(Code::SyntaxError, place, "an anchor before a key", help);
        }
        if plain && text == "<<" {
            let help = "write the fields out; two versions of YAML read merge keys in two ways";
            self.diags.error(Code::SyntaxError, place, "a merge key `<<`", help);
        }
        let Some(Open { kind: Kind::Map { key, seen, .. }, .. }) = self.stack.last_mut() else { return Ok(()) };
        *key = Some(Key { name: text.into(), place });
        if let Some(first) = seen.get(text) {
            let message = format!(
                "the key `{}` for the second time in one map; it stands first at line {}, column {}",
                shown(text),
                first.line,
                first.column
            );
            self.diags.error(Code::DuplicateKey, place, message, "remove one of the two");
        } else {
            seen.insert(text.to_owned(), place);
        }
        Ok(())
    }

    fn open(&mut self, style: StructureStyle, anchor: usize, kind: Kind, place: Place) -> Result<(), Stop> {
        if self.at_key() {
            let what = if matches!(kind, Kind::List(_)) { "a list" } else { "a map" };
            let help = "keys are texts; if `{name}` or `[...]` is text, put it in quotes";
            self.diags.error(Code::SyntaxError, place, format!("{what} where a key should stand"), help);
            return Err(Stop);
        }
        if self.stack.len() >= MAX_DEPTH {
            let message = format!("nesting deeper than {MAX_DEPTH}");
            self.diags.error(Code::DocumentTooLarge, place, message, "nest less");
            return Err(Stop);
        }
        let flow = style == StructureStyle::Flow;
        if !flow {
            self.tab_before(place);
        }
        self.spend(1, 0, place)?;
        self.stack.push(Open { place, anchor, flow, kind });
        Ok(())
    }

    /// A list or map in block form that stands behind a tab: its depth would depend on how wide a tab is.
    fn tab_before(&mut self, place: Place) {
        let before = &self.text[..place.bytes().start];
        let line = before.rfind('\n').map_or(0, |p| p + 1);
        if let Some(tab) = before[line..].find('\t') {
            let place = self.lines.place(line + tab, line + tab + 1);
            self.diags.error(Code::SyntaxError, place, "a tab where YAML wants spaces", "indent with spaces only");
        }
    }

    fn close(&mut self, end: Place) -> Result<(), Stop> {
        let Some(Open { mut place, anchor, flow, kind }) = self.stack.pop() else { return Ok(()) };
        if flow {
            place.end = end.end;
        }
        let value = match kind {
            Kind::List(items) => Value::List(items),
            Kind::Map { pairs, bare, .. } => {
                if flow && bare {
                    self.bare_reference(&pairs, place);
                }
                Value::Map(pairs)
            }
        };
        if !flow {
            // The parser ends a block where the next thing begins; the last child says where it really ends.
            let last = match &value {
                Value::List(items) => items.last().map(|n| n.place.end),
                Value::Map(pairs) => pairs.last().map(|(k, n)| n.place.end.max(k.place.end)),
                _ => None,
            };
            place.end = last.unwrap_or(place.end).max(place.start);
        }
        self.node(Node::new(value, place), anchor, true)
    }

    /// `{name}` without quotes: well-formed, and never what was meant (plan.md, rule 4).
    fn bare_reference(&mut self, pairs: &[(Key, Node)], place: Place) {
        let [(key, _)] = pairs else { return };
        let bytes = place.bytes();
        let inside = self.text.get(bytes.start + 1..bytes.end.saturating_sub(1)).unwrap_or_default().trim();
        let named = inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && inside.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
        if named && inside == key.name {
            let message = format!("`{{{}}}` without quotes is a map, not a reference", shown(inside));
            let help = format!("write \"{{{}}}\"", shown(inside));
            self.diags.error(Code::ReferenceMalformed, place, message, help);
        }
    }

    fn alias(&mut self, id: usize, place: Place) -> Result<(), Stop> {
        if self.at_key() {
            self.diags.error(Code::SyntaxError, place, "an alias where a key should stand", "write the key out");
            return Err(Stop);
        }
        let Some(Anchored { node, weight }) = self.anchors.get(&id) else {
            let help = "write the value out";
            self.diags.error(Code::SyntaxError, place, "an anchor that holds its own alias", help);
            return Err(Stop);
        };
        let weight = *weight;
        if self.stack.len() + weight.height > MAX_DEPTH {
            let message = format!("nesting deeper than {MAX_DEPTH}, through an alias");
            self.diags.error(Code::DocumentTooLarge, place, message, "write the values out");
            return Err(Stop);
        }
        let value = node.value.clone();
        self.spend(weight.nodes, weight.bytes, place)?;
        // The use is what a reader looks for; what lies below it points at where it was written.
        self.node(Node::new(value, place), 0, true)
    }

    /// Puts a finished node where it belongs.
    fn node(&mut self, node: Node, anchor: usize, written: bool) -> Result<(), Stop> {
        if anchor != 0 {
            let weight = weigh(&node);
            self.spend(weight.nodes, weight.bytes, node.place)?;
            self.anchors.insert(anchor, Anchored { node: node.clone(), weight });
        }
        match self.stack.last_mut() {
            None => self.root = Some(node),
            Some(Open { kind: Kind::List(items), .. }) => items.push(node),
            Some(Open { kind: Kind::Map { pairs, key, bare, .. }, .. }) => {
                let Some(key) = key.take() else { return Ok(()) };
                *bare = !written;
                // A value that is not written has no place of its own: the key is what a reader can look at.
                let place = if written { node.place } else { key.place };
                pairs.push((key, Node { place, ..node }));
            }
        }
        Ok(())
    }

    /// Counts values and repeated text against the limits.
    fn spend(&mut self, nodes: usize, bytes: usize, place: Place) -> Result<(), Stop> {
        self.nodes += nodes;
        self.copied_bytes += bytes;
        let message = if self.nodes > MAX_NODES {
            format!("more than {MAX_NODES} values, counting what anchors repeat")
        } else if self.copied_bytes > MAX_REPEATED {
            format!("anchors that repeat more than {MAX_REPEATED} bytes of text")
        } else {
            return Ok(());
        };
        self.diags.error(Code::DocumentTooLarge, place, message, "split the document, or write fewer aliases");
        Err(Stop)
    }

    fn tagged(&mut self, tag: &Tag, text: &str, written: bool, place: Place) -> Value {
        let text = if written { text } else { "" };
        // `!` alone says "as it stands": a text.
        let value = if tag.suffix() == "!" && tag.handle().is_empty() {
            Some(Value::Text(text.to_owned()))
        } else {
            tag.core_suffix().and_then(CoreTag::parse).and_then(|core| core.apply(text))
        };
        value.unwrap_or_else(|| {
            self.refuse_tag(tag, place);
            Value::Null
        })
    }

    fn collection_tag(&mut self, tag: Option<&Tag>, expected: CoreTag, place: Place) {
        if let Some(tag) = tag
            && tag.core_suffix().and_then(CoreTag::parse) != Some(expected)
        {
            self.refuse_tag(tag, place);
        }
    }

    fn refuse_tag(&mut self, tag: &Tag, place: Place) {
        let message = format!("the tag `{}`, which means nothing here", shown(&tag.original()));
        self.diags.error(Code::SyntaxError, place, message, "remove it; if `!` begins a text, put the text in quotes");
    }

    fn syntax(&mut self, error: &serde_saphyr::granit_parser::ScanError) {
        let at = error.marker().byte_offset().unwrap_or(0).min(self.text.len());
        let slip = syntax::explain(error.kind(), self.text, at);
        let end =
            self.text[slip.at..].chars().next().filter(|c| *c != '\n').map_or(slip.at, |c| slip.at + c.len_utf8());
        let help = match self.stack.last() {
            Some(Open { flow: true, place, .. }) => {
                format!("{}; the bracket of line {}, column {} is still open", slip.help, place.line, place.column)
            }
            _ => slip.help,
        };
        self.diags.error(slip.code, self.lines.place(slip.at, end), slip.message, help);
    }
}

/// What repeating this node costs. Depth is bounded by [`MAX_DEPTH`], so the recursion is too.
fn weigh(node: &Node) -> Weight {
    let mut weight = Weight { nodes: 1, bytes: 0, height: 0 };
    let mut add = |child: &Node, key: usize| {
        let below = weigh(child);
        weight.nodes += below.nodes;
        weight.bytes += below.bytes + key;
        weight.height = weight.height.max(below.height);
    };
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| add(item, 0)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| add(value, key.name.len())),
        Value::Text(text) => weight.bytes = text.len(),
        Value::Number(number) => weight.bytes = number.token().len(),
        Value::Null | Value::Bool(_) => {}
    }
    weight.height += usize::from(matches!(node.value, Value::List(_) | Value::Map(_)));
    weight
}
