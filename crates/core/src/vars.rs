//! Variables of one case, and the references that are filled from them (plan.md rule 4).

use std::collections::BTreeMap;
use std::fmt;

use crate::json::{Json, Map};

/// The longest text, in bytes, that filling a template may give.
pub const MAX_FILLED: usize = 16 * 1024 * 1024;

/// The variables of one case: constants, what the engine sets, and what steps saved.
/// Those of another case stand under `CASE.name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vars(BTreeMap<String, Json>);

impl Vars {
    /// The variables that a case begins with.
    #[must_use]
    pub fn new(constants: &[(String, Json)]) -> Self {
        Self(constants.iter().cloned().collect())
    }

    /// The value of a variable, if it came to be.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.0.get(name)
    }

    /// Gives a variable its value; an earlier one is replaced.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        self.0.insert(name.into(), value.into());
    }

    /// Names and values, ordered by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    fn need(&self, name: &str) -> Result<&Json, VarError> {
        self.get(name).ok_or_else(|| VarError::Missing(name.to_owned()))
    }
}

/// Why a reference cannot be filled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VarError {
    /// The variable never came to be.
    #[error("the variable `{0}` has no value")]
    Missing(String),
    /// A reference to the environment where no credential belongs.
    #[error("`{0}` refers to the environment, which is for credentials only")]
    Environment(String),
    /// A reference that is none of the closed forms.
    #[error("the reference {0} cannot be read")]
    Malformed(String),
    /// The filled text would be longer than [`MAX_FILLED`].
    #[error("the filled text would be longer than {MAX_FILLED} bytes")]
    TooLong,
}

/// A reference in data: a map whose only key says what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference<'a> {
    /// `{"$var": name}`: the value with its type.
    Var(&'a str),
    /// `{"$template": text}`: a text with holes.
    Template(&'a str),
    /// `{"$env": NAME}`: a credential.
    Env(&'a str),
}

impl<'a> Reference<'a> {
    /// Reads one value; `None` when it is plain data.
    ///
    /// # Errors
    /// A single `$var`, `$template` or `$env` whose operand is no text.
    pub fn of(value: &'a Json) -> Result<Option<Self>, VarError> {
        let Some(map) = value.as_map().filter(|map| map.len() == 1) else { return Ok(None) };
        let Some((key, operand)) = map.iter().next() else { return Ok(None) };
        let make: fn(&'a str) -> Self = match key {
            "$var" => Self::Var,
            "$template" => Self::Template,
            "$env" => Self::Env,
            _ => return Ok(None),
        };
        operand.as_text().map(|text| Some(make(text))).ok_or_else(|| VarError::Malformed(shown(value)))
    }
}

/// A piece of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Text as it stands.
    Text(&'a str),
    /// The name of a variable.
    Hole(&'a str),
}

/// The pieces of a template. `{name}` and `{CASE.name}` are holes, `{{` is a literal `{`; a lone `}` is itself.
///
/// # Errors
/// A `{` that begins neither.
pub fn parts(template: &str) -> Result<Vec<Part<'_>>, VarError> {
    let mut parts = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find('{') {
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('{') {
            parts.push(Part::Text(&rest[..=at]));
            rest = after;
            continue;
        }
        if at > 0 {
            parts.push(Part::Text(&rest[..at]));
        }
        let name = after.split_once('}').map(|(name, _)| name).filter(|name| is_name(name));
        let Some(name) = name else { return Err(VarError::Malformed(cut(&rest[at..]))) };
        parts.push(Part::Hole(name));
        rest = &after[name.len() + 1..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(parts)
}

/// Whether this may stand in a hole: `[A-Za-z_][A-Za-z0-9_]*`, perhaps after the id of a case and a dot.
fn is_name(text: &str) -> bool {
    let (case, name) = text.rsplit_once('.').map_or((None, text), |(case, name)| (Some(case), name));
    let identifier = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    identifier && case.is_none_or(|case| crate::ids::Id::parse(case).is_ok())
}

/// Replaces every reference inside a value, at any depth. Filled values are data and are not read again.
///
/// # Errors
/// The first reference that cannot be filled; `$env` always, since credentials never become data.
pub fn resolve(value: &Json, vars: &Vars) -> Result<Json, VarError> {
    match Reference::of(value)? {
        Some(Reference::Var(name)) => return vars.need(name).cloned(),
        Some(Reference::Template(template)) => return fill(template, vars).map(Json::Text),
        Some(Reference::Env(name)) => return Err(VarError::Environment(name.to_owned())),
        None => {}
    }
    match value {
        Json::List(items) => items.iter().map(|item| resolve(item, vars)).collect::<Result<_, _>>().map(Json::List),
        Json::Map(map) => {
            let pairs: Result<Map, VarError> =
                map.iter().map(|(key, item)| resolve(item, vars).map(|item| (key.to_owned(), item))).collect();
            pairs.map(Json::Map)
        }
        plain => Ok(plain.clone()),
    }
}

/// Fills a template into a text.
///
/// # Errors
/// A hole that is malformed or whose variable has no value; a text beyond [`MAX_FILLED`].
pub fn fill(template: &str, vars: &Vars) -> Result<String, VarError> {
    let mut filled = Filled(String::new());
    for part in parts(template)? {
        let written = match part {
            Part::Text(text) => fmt::Write::write_str(&mut filled, text),
            Part::Hole(name) => match vars.need(name)? {
                Json::Text(text) => fmt::Write::write_str(&mut filled, text),
                other => fmt::write(&mut filled, format_args!("{other}")),
            },
        };
        written.map_err(|_| VarError::TooLong)?;
    }
    Ok(filled.0)
}

struct Filled(String);

impl fmt::Write for Filled {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > MAX_FILLED {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

/// A value as text in a template: a text as itself, a number as its token, `true`, `false` and `null` as words,
/// a list or map as compact JSON.
#[must_use]
pub fn text_of(value: &Json) -> String {
    match value {
        Json::Text(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The names that a value's `$var` and `$template` references use, in the order in which they stand, each once.
#[must_use]
pub fn references(value: &Json) -> Vec<String> {
    let mut names = Vec::new();
    collect(value, &mut names);
    names
}

fn collect(value: &Json, names: &mut Vec<String>) {
    match Reference::of(value) {
        Ok(Some(Reference::Var(name))) => add(names, name),
        Ok(Some(Reference::Template(template))) => template_names(template).iter().for_each(|name| add(names, name)),
        Ok(Some(Reference::Env(_))) => {}
        Ok(None) | Err(_) => match value {
            Json::List(items) => items.iter().for_each(|item| collect(item, names)),
            Json::Map(map) => map.iter().for_each(|(_, item)| collect(item, names)),
            _ => {}
        },
    }
}

/// The names that a template uses, in order, each once; none of a malformed one.
#[must_use]
pub fn template_names(template: &str) -> Vec<String> {
    let mut names = Vec::new();
    for part in parts(template).unwrap_or_default() {
        if let Part::Hole(name) = part {
            add(&mut names, name);
        }
    }
    names
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

fn shown(value: &Json) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("`{short}…`") } else { format!("`{short}`") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Limits, read};
    use proptest::prelude::*;

    fn json(text: &str) -> Json {
        read(text.as_bytes(), &Limits::default()).unwrap()
    }

    fn vars() -> Vars {
        let mut vars = Vars::new(&[("sku".into(), "MUG-1".into()), ("n".into(), json("10.0"))]);
        vars.set("list", json(r#"[1,{"a":null}]"#));
        vars.set("yes", true);
        vars.set("gone", Json::Null);
        vars.set("A-1.b.id", "other case");
        vars.set("sneaky", json(r#"{"$var":"sku"}"#));
        vars
    }

    #[test]
    fn fills_templates() {
        for (template, filled) in [
            ("", ""),
            ("plain }", "plain }"),
            ("{sku}", "MUG-1"),
            ("a{n}b{yes}{gone}", "a10.0btruenull"),
            ("{{sku}", "{sku}"),
            ("{{{sku}}", "{MUG-1}"),
            ("{list}", r#"[1,{"a":null}]"#),
            ("{A-1.b.id}!", "other case!"),
        ] {
            assert_eq!(fill(template, &vars()).as_deref(), Ok(filled), "{template}");
        }
        for bad in ["{", "{}", "{sku", "{a b}", "{1a}", "{a-b}", "{.a}", "{a.}", "{-a.b}", "x{ sku}"] {
            assert!(matches!(fill(bad, &vars()), Err(VarError::Malformed(_))), "{bad}");
        }
        assert_eq!(fill("{nope}", &vars()), Err(VarError::Missing("nope".into())));
        let mut large = Vars::default();
        large.set("x", "x".repeat(MAX_FILLED / 2));
        assert!(fill("{x}{x}", &large).is_ok());
        assert_eq!(fill("{x}{x}.", &large), Err(VarError::TooLong));
    }

    #[test]
    fn resolves_at_any_depth_and_keeps_types() {
        let data = json(r#"{"a":[{"$var":"n"},{"$template":"<{sku}>"}],"b":{"$var":"list"},"c":{"$var":"x","y":1}}"#);
        assert_eq!(
            resolve(&data, &vars()).unwrap().to_string(),
            r#"{"a":[10.0,"<MUG-1>"],"b":[1,{"a":null}],"c":{"$var":"x","y":1}}"#
        );
        assert_eq!(references(&data), ["n", "sku", "list"]);
        assert_eq!(resolve(&json(r#"{"$var":"sneaky"}"#), &vars()).unwrap(), json(r#"{"$var":"sku"}"#));
        assert_eq!(resolve(&json(r#"[{"$env":"T"}]"#), &vars()), Err(VarError::Environment("T".into())));
        assert_eq!(resolve(&json(r#"[{"$var":"no"}]"#), &vars()), Err(VarError::Missing("no".into())));
        assert!(matches!(resolve(&json(r#"{"$var":1}"#), &vars()), Err(VarError::Malformed(_))));
    }

    proptest! {
        #[test]
        fn text_without_braces_is_itself(text in "[^{]*") {
            prop_assert_eq!(fill(&text, &Vars::default()), Ok(text));
        }

        #[test]
        fn doubling_braces_quotes_any_text(text in any::<String>()) {
            prop_assert_eq!(fill(&text.replace('{', "{{"), &Vars::default()), Ok(text));
        }
    }
}
