//! The shadow of a value for crates that know `serde_json` only, with what the shadow cannot show.

use serde_json::{Number as Rounded, Value};

use crate::json::{Json, Number};
use crate::number::significant_digits;

/// A `serde_json` value and what was lost on the way to it.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// The value.
    pub(super) value: Value,
    /// A key stands twice somewhere; the last value is in the shadow.
    pub(super) repeated_key: bool,
    /// A text with an unpaired surrogate stands somewhere.
    pub(super) broken_text: bool,
    /// A number with more than fifteen significant digits or a great exponent: doubles may merge it with another.
    pub(super) rounded: bool,
}

impl Shadow {
    pub(super) fn of(json: &Json) -> Self {
        let mut shadow = Self::default();
        shadow.value = shadow.cast(json);
        shadow
    }

    fn cast(&mut self, json: &Json) -> Value {
        match json {
            Json::Null => Value::Null,
            Json::Bool(b) => Value::Bool(*b),
            Json::Number(number) => self.number(number),
            Json::Text(text) => Value::String(text.clone()),
            Json::BrokenText(text) => {
                self.broken_text = true;
                Value::String(text.clone())
            }
            Json::List(items) => Value::Array(items.iter().map(|item| self.cast(item)).collect()),
            Json::Map(map) => {
                let object: serde_json::Map<_, _> =
                    map.iter().map(|(key, item)| (key.to_owned(), self.cast(item))).collect();
                self.repeated_key |= object.len() != map.len();
                Value::Object(object)
            }
        }
    }

    fn number(&mut self, number: &Number) -> Value {
        let double = number.token().parse::<f64>().unwrap_or(f64::INFINITY);
        // Fifteen digits survive the way into a double and back, away from its ends.
        let safe = significant_digits(number) == 0 || (1e-290..1e290).contains(&double.abs());
        self.rounded |= significant_digits(number) > 15 || !safe;
        if let Some(n) = number.as_i64() {
            return n.into();
        }
        if let Some(n) = number.as_u64() {
            return n.into();
        }
        Rounded::from_f64(double).map_or(Value::Null, Value::Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read};

    #[test]
    fn says_what_is_lost() {
        let of = |text: &str| Shadow::of(&read(text.as_bytes(), &Limits::default()).unwrap());
        let fine = of(r#"{"a":[1,2.5,-0,null,"x",123456789012345]}"#);
        assert!(!fine.repeated_key && !fine.broken_text && !fine.rounded);
        for text in ["1234567890123456", "1e400", "-1e400", "1e-400", "0.1234567890123456"] {
            assert!(of(text).rounded, "{text}");
        }
        assert!(of(r#"[{"a":1,"a":2}]"#).repeated_key);
        assert!(of(r#"["\ud800"]"#).broken_text);
    }
}
