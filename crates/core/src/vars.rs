//! Variables of one case, and the references that are filled from them (plan.md rule 4).

use std::collections::BTreeMap;
use std::fmt;

use crate::inert::shortened;
use crate::json::{Json, Map};

/// The longest text, in bytes, that filling a template may give.
pub const MAX_FILLED: usize = 16 * 1024 * 1024;

/// The variables of one case: constants, what the engine sets, and what steps saved.
/// Those of another case stand under `CASE.name`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vars {
    values: BTreeMap<String, Json>,
    /// Credentials for what is sent; what is written down names them.
    credentials: BTreeMap<String, String>,
}

impl Vars {
    /// The variables that a case begins with.
    #[must_use]
    pub fn new(constants: &[(String, Json)]) -> Self {
        Self { values: constants.iter().cloned().collect(), credentials: BTreeMap::new() }
    }

    /// The value of a variable, if it came to be.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.values.get(name)
    }

    /// Gives a variable its value; an earlier one is replaced.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Json>) {
        self.values.insert(name.into(), value.into());
    }

    /// Gives a credential its value, for data that is sent.
    pub fn set_credential(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.credentials.insert(name.into(), value.into());
    }

    /// Names and values, ordered by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json)> {
        self.values.iter().map(|(name, value)| (name.as_str(), value))
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

    /// The variables that it takes values from.
    #[must_use]
    pub fn variables(self) -> Vec<&'a str> {
        match self {
            Self::Var(name) => vec![name],
            Self::Template(template) => holes(template),
            Self::Env(_) => Vec::new(),
        }
    }

    /// The environment variable that it takes its value from.
    #[must_use]
    pub const fn environment(self) -> Option<&'a str> {
        match self {
            Self::Env(name) => Some(name),
            Self::Var(_) | Self::Template(_) => None,
        }
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

/// The part of a template that begins with a `{` which opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed<'a>(pub &'a str);

impl From<Malformed<'_>> for VarError {
    fn from(Malformed(part): Malformed<'_>) -> Self {
        Self::Malformed(cut(part))
    }
}

/// The pieces of a template. `{name}` and `{CASE.name}` are holes, `{{` is a literal `{`; a lone `}` is itself.
///
/// # Errors
/// A `{` that begins neither.
pub fn parts(template: &str) -> Result<Vec<Part<'_>>, Malformed<'_>> {
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
        let name = after.split_once('}').map(|(name, _)| name).filter(|name| is_variable(name));
        let Some(name) = name else { return Err(Malformed(&rest[at..])) };
        parts.push(Part::Hole(name));
        rest = &after[name.len() + 1..];
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    Ok(parts)
}

/// Whether this is an identifier, as variables have: `[A-Za-z_][A-Za-z0-9_]*`, at most 128 characters.
#[must_use]
pub fn is_name(text: &str) -> bool {
    text.len() <= 128
        && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Whether this names a variable: `name`, or `CASE.name` for another case's.
#[must_use]
pub fn is_variable(text: &str) -> bool {
    let (case, name) = text.rsplit_once('.').map_or((None, text), |(case, name)| (Some(case), name));
    is_name(name) && case.is_none_or(|case| crate::ids::Id::parse(case).is_ok())
}

/// Replaces every reference inside a value, at any depth. Filled values are data and are not read again.
///
/// # Errors
/// The first reference that cannot be filled; `$env` always, since credentials never become data.
pub fn resolve(value: &Json, vars: &Vars) -> Result<Json, VarError> {
    filled(value, vars, &|name| Err(VarError::Environment(name.to_owned())))
}

/// The same for data that is sent, where credentials may stand: `{env:NAME}` in what is written down, the value in what
/// is sent.
///
/// # Errors
/// The first reference that cannot be filled.
pub fn resolve_sent(value: &Json, vars: &Vars) -> Result<Json, VarError> {
    filled(value, vars, &|name| {
        Ok(vars.credentials.get(name).map_or_else(|| format!("{ENV_START}{name}}}").into(), Json::from))
    })
}

/// How a credential begins that is named where its value is sent: `{env:NAME}`.
pub const ENV_START: &str = "{env:";

fn filled(value: &Json, vars: &Vars, env: &dyn Fn(&str) -> Result<Json, VarError>) -> Result<Json, VarError> {
    match Reference::of(value)? {
        Some(Reference::Var(name)) => return vars.need(name).cloned(),
        Some(Reference::Template(template)) => return fill(template, vars).map(Json::Text),
        Some(Reference::Env(name)) => return env(name),
        None => {}
    }
    match value {
        Json::List(items) => items.iter().map(|item| filled(item, vars, env)).collect::<Result<_, _>>().map(Json::List),
        Json::Map(map) => {
            let pairs: Result<Map, VarError> =
                map.iter().map(|(key, item)| filled(item, vars, env).map(|item| (key.to_owned(), item))).collect();
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

/// The names of the variables that a template uses, in order; none of a malformed one.
#[must_use]
pub fn holes(template: &str) -> Vec<&str> {
    if !template.contains('{') {
        return Vec::new();
    }
    let parts = parts(template).unwrap_or_default();
    parts.into_iter().filter_map(|part| if let Part::Hole(name) = part { Some(name) } else { None }).collect()
}

/// Every reference that a value holds, at any depth, in the order in which they stand.
#[must_use]
pub fn references(value: &Json) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect<'a>(value: &'a Json, found: &mut Vec<Reference<'a>>) {
    match (Reference::of(value), value) {
        (Ok(Some(reference)), _) => found.push(reference),
        (_, Json::List(items)) => items.iter().for_each(|item| collect(item, found)),
        (_, Json::Map(map)) => map.iter().for_each(|(_, item)| collect(item, found)),
        _ => {}
    }
}

/// The names of the variables that a value refers to, in order, each once.
#[must_use]
pub fn variables(value: &Json) -> Vec<&str> {
    let mut names = Vec::new();
    for reference in references(value) {
        for name in reference.variables() {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names
}

/// The names of the environment variables that a value refers to, in order.
#[must_use]
pub fn environment_names(value: &Json) -> Vec<&str> {
    references(value).into_iter().filter_map(Reference::environment).collect()
}

/// Whether no value of a variable or of the environment goes into it.
#[must_use]
pub fn is_literal(value: &Json) -> bool {
    references(value).into_iter().all(|reference| matches!(reference, Reference::Template(t) if holes(t).is_empty()))
}

fn shown(value: &Json) -> String {
    cut(&value.to_string())
}

fn cut(text: &str) -> String {
    format!("`{}`", shortened(text, 40))
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
    fn holes_are_names_in_single_braces() {
        let cases: [(&str, &[&str]); 7] = [
            ("/a/{id}/b/{CASE-1.x}", &["id", "CASE-1.x"]),
            ("{{id}} {id}", &["id"]),
            ("{{{id}", &["id"]),
            ("{", &[]),
            ("{a b}{c}", &[]),
            ("{\"a\":1}", &[]),
            ("", &[]),
        ];
        for (text, names) in cases {
            assert_eq!(holes(text), names, "{text}");
        }
    }

    #[test]
    fn resolves_at_any_depth_and_keeps_types() {
        let data = json(r#"{"a":[{"$var":"n"},{"$template":"<{sku}>"}],"b":{"$var":"list"},"c":{"$var":"x","y":1}}"#);
        assert_eq!(
            resolve(&data, &vars()).unwrap().to_string(),
            r#"{"a":[10.0,"<MUG-1>"],"b":[1,{"a":null}],"c":{"$var":"x","y":1}}"#
        );
        assert_eq!(variables(&data), ["n", "sku", "list"]);
        assert!(environment_names(&data).is_empty() && !is_literal(&data));
        let mixed =
            json(r#"[{"$env":"E"},{"x":{"$template":"{b}-{A.c}-{b}"}},{"$var":"no","d":1},"{plain}",{"$var":1}]"#);
        assert_eq!((variables(&mixed), environment_names(&mixed)), (vec!["b", "A.c"], vec!["E"]));
        for (text, literal) in [(r#"{"$template":"a{{b"}"#, true), ("[1]", true), (r#"[{"$env":"E"}]"#, false)] {
            assert_eq!(is_literal(&json(text)), literal, "{text}");
        }
        assert_eq!(resolve(&json(r#"{"$var":"sneaky"}"#), &vars()).unwrap(), json(r#"{"$var":"sku"}"#));
        let credential = json(r#"[{"$env":"T"}]"#);
        assert_eq!(resolve(&credential, &vars()), Err(VarError::Environment("T".into())));
        let mut sent = vars();
        assert_eq!(resolve_sent(&credential, &sent).unwrap(), json(r#"["{env:T}"]"#));
        sent.set_credential("T", "t0ken");
        assert_eq!(resolve_sent(&credential, &sent).unwrap(), json(r#"["t0ken"]"#));
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
