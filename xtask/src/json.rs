//! JSON as `cargo metadata` writes it. Trusted input: no limits, and numbers are kept as their text.

use std::str::Chars;

/// A JSON value.
#[derive(Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Map(Vec<(String, Json)>),
}

impl Json {
    /// Reads a whole text; `None` where it is not JSON.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { rest: text.chars() };
        let value = reader.value()?;
        reader.peek().is_none().then_some(value)
    }

    /// The value under a key; null where there is none.
    pub(crate) fn get(&self, key: &str) -> &Self {
        match self {
            Self::Map(pairs) => pairs.iter().find(|(name, _)| name == key).map_or(&Self::Null, |(_, value)| value),
            _ => &Self::Null,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn items(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

struct Reader<'a> {
    rest: Chars<'a>,
}

impl Reader<'_> {
    /// The next character that is no white space, without taking it.
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.as_str().trim_start().chars();
        self.rest.clone().next()
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        (self.peek()? == wanted).then(|| self.rest.next()).map(|_| ())
    }

    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.rest = self.rest.as_str().strip_prefix(word)?.chars();
        Some(value)
    }

    fn value(&mut self) -> Option<Json> {
        match self.peek()? {
            '{' => self.map(),
            '[' => self.list(),
            '"' => self.string().map(Json::Text),
            't' => self.word("true", Json::Bool(true)),
            'f' => self.word("false", Json::Bool(false)),
            'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Option<Json> {
        let text = self.rest.as_str();
        let end = text.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(text.len());
        self.rest = text[end..].chars();
        (end > 0).then(|| Json::Number(text[..end].to_owned()))
    }

    fn list(&mut self) -> Option<Json> {
        self.take('[')?;
        let mut items = Vec::new();
        while self.peek()? != ']' {
            if !items.is_empty() {
                self.take(',')?;
            }
            items.push(self.value()?);
        }
        self.take(']')?;
        Some(Json::List(items))
    }

    fn map(&mut self) -> Option<Json> {
        self.take('{')?;
        let mut pairs = Vec::new();
        while self.peek()? != '}' {
            if !pairs.is_empty() {
                self.take(',')?;
            }
            let key = self.string()?;
            self.take(':')?;
            pairs.push((key, self.value()?));
        }
        self.take('}')?;
        Some(Json::Map(pairs))
    }

    fn string(&mut self) -> Option<String> {
        self.take('"')?;
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.escape()?),
                other => text.push(other),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        Some(match self.rest.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let digits = self.rest.as_str().get(..4)?;
                self.rest = self.rest.as_str()[4..].chars();
                char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_cargo_writes() {
        let json = Json::read(r#" {"a":[1,-2.5e3,true,null],"b":{"c":"d\"\u0041\n"}} "#).unwrap();
        assert_eq!(json.get("a").items()[1], Json::Number("-2.5e3".into()));
        assert_eq!(json.get("b").get("c").text(), Some("d\"A\n"));
        assert_eq!(json.get("nothing"), &Json::Null);
    }

    #[test]
    fn refuses_what_is_no_json() {
        for text in ["", "{", "[1,]", "{\"a\"}", "[1] 2", "tru", "\"open"] {
            assert_eq!(Json::read(text), None, "{text}");
        }
    }
}
