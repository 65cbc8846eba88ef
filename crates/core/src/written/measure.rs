//! Durations and sizes as nodes: with units in the written form, whole ms and bytes in the seed form.

use super::fields::{Writing, shown};

use crate::codes::Code;
use crate::document::{Node, Value};
use crate::json::Json;
use crate::units::{UnitError, duration_ms, size_bytes};

/// A duration as a number of ms.
pub(super) fn duration(node: &Node, what: &str, w: &mut Writing) -> Option<Node> {
    measure(node, what, duration_ms, "200ms, 5s, 2m, 1h", w)
}

/// A size as a number of bytes.
pub(super) fn size(node: &Node, what: &str, w: &mut Writing) -> Option<Node> {
    measure(node, what, size_bytes, "500B, 64KiB, 10MiB, 1GiB", w)
}

fn measure(
    node: &Node,
    what: &str,
    read: fn(&str) -> Result<u64, UnitError>,
    examples: &str,
    w: &mut Writing,
) -> Option<Node> {
    let help = format!("write a whole number with its unit, as in {examples}");
    let (token, error) = match &node.value {
        Value::Text(text) => match read(text) {
            Ok(amount) => return number(amount, node),
            Err(error) => (text.as_str(), error),
        },
        Value::Number(token) => (token.token(), UnitError::Missing),
        _ => {
            w.wrong_type(node, what, &format!("one of the form {examples}"));
            return None;
        }
    };
    match error {
        UnitError::Missing => {
            w.error(Code::UnitMissing, node.place, format!("{what} is {} without a unit", shown(token)), help);
        }
        UnitError::Malformed | UnitError::TooLarge => {
            w.error(Code::WrongType, node.place, format!("{what} is `{}`, which cannot be read", shown(token)), help);
        }
    }
    None
}

fn number(amount: u64, node: &Node) -> Option<Node> {
    match Json::from(amount) {
        Json::Number(token) => Some(Node::new(Value::Number(token), node.place)),
        _ => None,
    }
}
