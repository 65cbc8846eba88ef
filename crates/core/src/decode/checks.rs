//! The `expect…` fields of a seed-form step as checks, in the order in which they are written.

use super::reading::{Reading, pair_place};
use super::reference::Use;
use crate::codes::Code;
use crate::document::{Key, Node, Place, Value};
use crate::expect::{Channel, Check, Expect, Op, What};
use crate::json::Json;
use crate::path::Path;
use crate::shape::camel;

impl Reading<'_> {
    /// The checks of a step whose fields fit their table.
    pub(super) fn checks(&mut self, step: &Node) -> Vec<Check> {
        let mut checks = Vec::new();
        for (key, value) in step.as_map().unwrap_or_default() {
            let name = camel(&key.name);
            if name.starts_with("expect") {
                self.check(&name, key, value, &mut checks);
            }
        }
        // They are kept for each step of a plan.
        checks.shrink_to_fit();
        checks
    }

    fn check(&mut self, name: &str, key: &Key, node: &Node, out: &mut Vec<Check>) {
        use Channel::{Body, Log, Request, Stderr, Stdout};
        let whole = pair_place(key, node);
        let one = match name {
            "expectStatus" | "expectStatusAny" => Some(What::Status(numbers(node))),
            "expectExitCode" => Some(What::Exit(numbers(node))),
            "expectResponseHeaders" | "expectResponseHeader" => return self.headers(node, out),
            "expectResponseHeaderContains" => return self.headers_contain(node, out),
            "expectResponseHeaderMatches" => return self.headers_match(node, out),
            "expectJson" => return self.json(Body, node, out),
            "expectStdoutJson" => return self.json(Stdout, node, out),
            "expectStderrJson" => return self.json(Stderr, node, out),
            "expectRequestJson" => return self.json(Request, node, out),
            "expectJsonAny" => self.json_any(Body, node),
            "expectStdoutJsonAny" => self.json_any(Stdout, node),
            "expectResponseTextContains" => Some(self.contained(Body, node, true)),
            "expectResponseTextNotContains" => Some(self.contained(Body, node, false)),
            "expectStdoutContains" => Some(self.contained(Stdout, node, true)),
            "expectStdoutNotContains" => Some(self.contained(Stdout, node, false)),
            "expectStderrContains" => Some(self.contained(Stderr, node, true)),
            "expectStderrNotContains" => Some(self.contained(Stderr, node, false)),
            "expectLogContains" => Some(self.contained(Log, node, true)),
            "expectLogNotContains" => Some(self.contained(Log, node, false)),
            "expectRequestTextContains" => Some(self.contained(Request, node, true)),
            "expectRequestTextNotContains" => Some(self.contained(Request, node, false)),
            "expectResponseText" => self.whole_text(Body, node),
            "expectStdoutText" => self.whole_text(Stdout, node),
            "expectStderrText" => self.whole_text(Stderr, node),
            "expectLogText" => self.whole_text(Log, node),
            "expectRequestText" => self.whole_text(Request, node),
            "expectTimeMs" => whole_number(node).map(What::Time),
            "expectSize" => self.amount(key, node).map(What::Size),
            "expectRedirect" => Some(What::Redirect(self.data(node, Use::Expected))),
            "expectHttpVersion" => self.seen_version(node).map(|version| What::HttpVersion(version.to_owned())),
            "expectSchema" => node.as_text().map(|file| What::Schema(Body, file.to_owned())),
            "expectStdoutSchema" => node.as_text().map(|file| What::Schema(Stdout, file.to_owned())),
            _ => None,
        };
        out.extend(one.map(|what| Check { what, place: whole }));
    }

    fn json(&mut self, channel: Channel, node: &Node, out: &mut Vec<Check>) {
        // A check for each path, so that each says where it was written.
        for (key, value) in self.expecting_pairs(node) {
            if let Some(pair) = self.expect_at(key, value) {
                out.push(Check { what: What::Json(channel, vec![pair]), place: pair_place(key, value) });
            }
        }
    }

    fn json_any(&mut self, channel: Channel, node: &Node) -> Option<What> {
        let alternatives: Vec<Vec<(Path, Expect)>> = node
            .as_list()?
            .iter()
            .map(|item| {
                let pairs = self.expecting_pairs(item);
                pairs.iter().filter_map(|(key, value)| self.expect_at(key, value)).collect()
            })
            .collect();
        Some(What::JsonAny(channel, alternatives))
    }

    /// The pairs of a map that must expect something.
    fn expecting_pairs<'n>(&mut self, node: &'n Node) -> &'n [(Key, Node)] {
        let pairs = node.as_map().unwrap_or_default();
        if pairs.is_empty() {
            let help = "name a path and what stands there, or remove the field";
            self.error(Code::ExpectationMalformed, node.place, "an empty map expects nothing", help);
        }
        pairs
    }

    fn contained(&mut self, channel: Channel, node: &Node, wanted: bool) -> What {
        What::Contains(channel, self.texts_expected(node), wanted)
    }

    fn texts_expected(&mut self, node: &Node) -> Vec<Json> {
        let items = match &node.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(node),
        };
        items.iter().map(|item| self.text_expected(item)).collect()
    }

    /// A text or a reference; a map that is neither is named.
    fn text_expected(&mut self, node: &Node) -> Json {
        let data = self.data(node, Use::Expected);
        if matches!(&data, Json::Map(map) if !map.iter().any(|(key, _)| key.starts_with('$'))) {
            let help = "write a text, or operators under the field for the whole text";
            self.error(Code::ExpectationMalformed, node.place, "a map stands where a text should", help);
        }
        data
    }

    fn whole_text(&mut self, channel: Channel, node: &Node) -> Option<What> {
        let expect = self.expect(node, None)?;
        self.texts_only(&expect, "the whole text", node.place).then_some(What::Text(channel, expect))
    }

    fn headers(&mut self, node: &Node, out: &mut Vec<Check>) {
        for (key, value) in self.expecting_pairs(node) {
            let named = self.header_name(key);
            let Some(expect) = self.expect(value, None) else { continue };
            if self.texts_only(&expect, &format!("the header `{}`", key.name), value.place) && named {
                out.push(Check { what: What::Header(key.name.to_string(), expect), place: pair_place(key, value) });
            }
        }
    }

    fn headers_contain(&mut self, node: &Node, out: &mut Vec<Check>) {
        for (key, value) in self.expecting_pairs(node) {
            let named = self.header_name(key);
            let ops = self.texts_expected(value).into_iter().map(|text| Op::Contains(text, true)).collect();
            if named {
                let what = What::Header(key.name.to_string(), Expect(ops));
                out.push(Check { what, place: pair_place(key, value) });
            }
        }
    }

    fn headers_match(&mut self, node: &Node, out: &mut Vec<Check>) {
        for (key, value) in self.expecting_pairs(node) {
            let named = self.header_name(key);
            let Some(pattern) = value.as_text().and_then(|text| self.pattern(text, None, value.place)) else {
                continue;
            };
            if named {
                let what = What::Header(key.name.to_string(), Expect(vec![Op::Matches(pattern)]));
                out.push(Check { what, place: pair_place(key, value) });
            }
        }
    }

    /// Headers and whole texts are texts: to compare one with a number could never hold.
    fn texts_only(&mut self, expect: &Expect, what: &str, place: Place) -> bool {
        let Some(operand) = expect.0.iter().find_map(not_text) else { return true };
        let help = match &operand {
            Some(Json::Number(_) | Json::Bool(_)) => {
                format!("put it in quotes: \"{}\"", operand.as_ref().map(Json::to_string).unwrap_or_default())
            }
            _ => "use equals, contains, startsWith, endsWith or matches with texts".into(),
        };
        self.error(
            Code::ExpectationMalformed,
            place,
            format!("{what} is a text, and is compared with something else"),
            help,
        );
        false
    }

    /// `1.1` or `2`, as YAML reads them.
    fn seen_version(&mut self, node: &Node) -> Option<&'static str> {
        let token = match &node.value {
            Value::Number(number) => number.token(),
            _ => node.as_text()?,
        };
        match token {
            "1.1" => Some("1.1"),
            "2" => Some("2"),
            _ => {
                let message = format!("`{token}` is no HTTP version that can be told apart");
                self.error(Code::ValueOutOfRange, node.place, message, "write 1.1 or 2");
                None
            }
        }
    }
}

/// The operand that is no text, list of texts or reference, if an operator has one; the inner `None` stands for an
/// operator that never fits a text.
fn not_text(op: &Op) -> Option<Option<Json>> {
    match op {
        Op::Equals(data) | Op::Contains(data, _) => text_data(data),
        Op::OneOf(items) => items.iter().find_map(text_data),
        Op::Not(inner) | Op::Any(inner) | Op::All(inner) => inner.0.iter().find_map(not_text),
        Op::AnyOf(alternatives) => alternatives.iter().flat_map(|inner| &inner.0).find_map(not_text),
        Op::Type(_) | Op::Compare(..) | Op::Schema(_) => Some(None),
        Op::StartsWith(_) | Op::EndsWith(_) | Op::Matches(_) | Op::Length(_) | Op::Count(_) => None,
        Op::Exists | Op::Missing | Op::NotNull => None,
    }
}

fn text_data(data: &Json) -> Option<Option<Json>> {
    match data {
        Json::Text(_) => None,
        // An error in a reference was named already, and stands as null.
        Json::Map(map) if map.iter().any(|(key, _)| key.starts_with('$')) => None,
        Json::List(items) => items.iter().find_map(text_data),
        other => Some(Some(other.clone())),
    }
}

fn whole_number(node: &Node) -> Option<u64> {
    match &node.value {
        Value::Number(number) => number.as_u64(),
        _ => None,
    }
}

/// A number, or the numbers of a list; the shape check has named those that do not fit.
fn numbers<T: TryFrom<i64>>(node: &Node) -> Vec<T> {
    let items = match &node.value {
        Value::List(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let number = |item: &Node| match &item.value {
        Value::Number(number) => number.as_i64().and_then(|n| T::try_from(n).ok()),
        _ => None,
    };
    items.iter().filter_map(number).collect()
}
