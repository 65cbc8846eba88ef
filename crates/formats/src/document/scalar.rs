//! What an unquoted word is: YAML 1.2's core schema, narrowed to the numbers that JSON has.

use probity_core::document::Value;
use probity_core::json::Number;

/// The value of a plain (unquoted) scalar. `no`, `on`, `yes` are texts, and so is every spelling of a number that JSON
/// does not have: another reader may take `0x10`, `1_000` or `012` for other numbers than the writer meant.
pub(super) fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => Number::parse(text).map_or_else(|| Value::Text(text.to_owned()), Value::Number),
    }
}

/// Which values an explicit core tag may stand before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CoreTag {
    Text,
    Null,
    Bool,
    Int,
    Float,
    List,
    Map,
}

impl CoreTag {
    /// The tag of this suffix (`str` of `!!str`).
    pub(super) fn parse(suffix: &str) -> Option<Self> {
        Some(match suffix {
            "str" => Self::Text,
            "null" => Self::Null,
            "bool" => Self::Bool,
            "int" => Self::Int,
            "float" => Self::Float,
            "seq" => Self::List,
            "map" => Self::Map,
            _ => return None,
        })
    }

    /// The scalar under this tag, if the tag says no more than what stands there.
    pub(super) fn apply(self, text: &str) -> Option<Value> {
        let value = plain(text);
        match (self, &value) {
            (Self::Text, _) => Some(Value::Text(text.to_owned())),
            (Self::Null, Value::Null) | (Self::Bool, Value::Bool(_)) | (Self::Float, Value::Number(_)) => Some(value),
            (Self::Int, Value::Number(number)) if !number.token().contains(['.', 'e', 'E']) => Some(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_numbers_are_numbers() {
        for token in ["0", "-0", "1.10", "1e400", "-12.5E+3", "18446744073709551617"] {
            assert!(matches!(plain(token), Value::Number(n) if n.token() == token), "{token}");
        }
        for text in ["0x10", "0o7", "1_000", ".5", "5.", "012", "+1", ".inf", "-.INF", ".nan", "1:30", "2026-11-30"] {
            assert_eq!(plain(text), Value::Text(text.to_owned()), "{text}");
        }
    }

    #[test]
    fn only_core_words_are_words() {
        for text in ["no", "No", "yes", "on", "off", "y", "n", "nULL", "tRUE"] {
            assert_eq!(plain(text), Value::Text(text.to_owned()));
        }
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Value::Null);
        }
        assert_eq!(plain("TRUE"), Value::Bool(true));
        assert_eq!(plain("False"), Value::Bool(false));
    }

    #[test]
    fn a_core_tag_may_say_what_stands_there() {
        assert_eq!(CoreTag::Text.apply("1.10"), Some(Value::Text("1.10".into())));
        assert_eq!(CoreTag::Int.apply("1.5"), None);
        assert_eq!(CoreTag::Bool.apply("yes"), None);
        assert!(CoreTag::Int.apply("15").is_some() && CoreTag::Float.apply("15").is_some());
        assert_eq!(CoreTag::parse("binary"), None);
    }
}
