//! Paths into JSON values (plan.md, "PATH").

use std::fmt;

/// A path as plans write it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// As it was written.
    pub text: String,
    /// As it is walked.
    pub steps: PathSteps,
}

/// How a path is walked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSteps {
    /// `$`, or names joined by `.`: digits index a list and name a key in a map.
    Names(Vec<String>),
    /// A JSONPath query (RFC 9535) beyond that; `plural` when it may select more than one node.
    Query {
        /// Whether it may select more than one node.
        plural: bool,
    },
}

/// Why a text is no path: a fragment that says what is wrong, and what to write.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct PathError {
    /// What is wrong, as a fragment.
    pub what: String,
    /// What to do.
    pub help: String,
}

/// Longest path, in bytes.
pub(crate) const LONGEST: usize = 1024;
/// Deepest nesting of brackets and parentheses in a query; the parser of queries is recursive.
pub(crate) const DEEPEST: usize = 16;

impl Path {
    /// Reads a path: `$…` as RFC 9535 with at most one `..`, else names joined by dots.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(fault("the path is empty", "write $ for the whole document"));
        }
        if text.len() > LONGEST {
            return Err(fault(format!("the path is longer than {LONGEST} bytes"), "name a shorter path"));
        }
        let steps = if text.starts_with('$') { query(text)? } else { PathSteps::Names(names(text)?) };
        Ok(Self { text: text.to_owned(), steps })
    }

    /// Whether the path may select more than one node.
    #[must_use]
    pub const fn is_plural(&self) -> bool {
        matches!(self.steps, PathSteps::Query { plural: true })
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn fault(what: impl Into<String>, help: impl Into<String>) -> PathError {
    PathError { what: what.into(), help: help.into() }
}

/// Reads `a.b[3].c`.
fn names(text: &str) -> Result<Vec<String>, PathError> {
    let mut names = Vec::with_capacity(1 + text.bytes().filter(|byte| matches!(byte, b'.' | b'[')).count());
    for part in text.split('.') {
        let (name, mut rest) = part.split_at(part.find('[').unwrap_or(part.len()));
        if name.is_empty() {
            return Err(fault(
                format!("`{text}` has an empty name"),
                "join names by single dots; an index at the start is written $[0] or 0",
            ));
        }
        if name == "*" {
            // As a name it would be a key that hardly any document has, and `missing` would hold for ever.
            return Err(fault(
                format!("`{text}` has `*` as a name"),
                "write a query, as in $.items[*].id, or $['*'] for a key of that name",
            ));
        }
        if name.starts_with('$') {
            return Err(fault(format!("the name `{name}` begins with `$`"), "write it as $['…']"));
        }
        names.push(name.to_owned());
        while !rest.is_empty() {
            let (index, after) = rest
                .strip_prefix('[')
                .and_then(|inner| inner.split_once(']'))
                .filter(|(index, _)| is_index(index))
                .ok_or_else(|| {
                    fault(
                        format!("`{rest}` is not an index"),
                        "write name[3] for an element; a name that holds `[` is written $['…']",
                    )
                })?;
            names.push(index.to_owned());
            rest = after;
        }
    }
    Ok(names)
}

fn is_index(text: &str) -> bool {
    let plain = !text.is_empty() && text.len() <= 15 && text.bytes().all(|b| b.is_ascii_digit());
    plain && (text == "0" || !text.starts_with('0'))
}

/// Reads `$…`. What consists of names and indexes becomes names, since it is walked the same way.
fn query(text: &str) -> Result<PathSteps, PathError> {
    let outline = outline(text);
    if outline.depth > DEEPEST {
        return Err(fault(format!("the query nests deeper than {DEEPEST}"), "write a simpler path"));
    }
    if outline.descents > 1 {
        return Err(fault("the query has more than one `..`", "name the way to the value, with one `..` at most"));
    }
    serde_json_path::JsonPath::parse(text)
        .map_err(|error| fault(format!("`{text}` is not a JSONPath query: {error}"), "see RFC 9535"))?;
    Ok(singular(text).unwrap_or(PathSteps::Query { plural: true }))
}

struct Outline {
    depth: usize,
    descents: usize,
}

/// Counts what bounds a query, outside of its quoted texts.
fn outline(text: &str) -> Outline {
    let mut outline = Outline { depth: 0, descents: 0 };
    let (mut depth, mut quote, mut previous) = (0_usize, None, ' ');
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(_), '\\') => {
                chars.next();
            }
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[' | '(') => {
                depth += 1;
                outline.depth = outline.depth.max(depth);
            }
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            (None, '.') if previous == '.' => outline.descents += 1,
            (None, _) => {}
        }
        previous = if quote.is_none() { c } else { ' ' };
    }
    outline
}

/// How a well-formed query is walked, if it consists of names and indexes only.
fn singular(text: &str) -> Option<PathSteps> {
    let mut rest = text.strip_prefix('$')?.trim_start();
    let (mut names, mut plain) = (Vec::new(), true);
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[', ' ', '\t', '\r', '\n']).unwrap_or(after.len());
            let (name, tail) = after.split_at(end);
            if name.is_empty() || name == "*" {
                return None;
            }
            names.push(name.to_owned());
            rest = tail.trim_start();
        } else {
            let inner = rest.strip_prefix('[')?.trim_start();
            let tail = if inner.starts_with(['\'', '"']) {
                let (name, tail) = quoted(inner)?;
                // `['0']` names a key and never an element, which names cannot say.
                plain &= !is_index(&name);
                names.push(name);
                tail
            } else {
                let end = inner.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(inner.len());
                let (index, tail) = inner.split_at(end);
                index.parse::<i64>().ok()?;
                plain &= is_index(index);
                names.push(index.to_owned());
                tail
            };
            rest = tail.trim_start().strip_prefix(']')?.trim_start();
        }
    }
    Some(if plain { PathSteps::Names(names) } else { PathSteps::Query { plural: false } })
}

/// The text inside the quotes at the start, and what follows them.
fn quoted(text: &str) -> Option<(String, &str)> {
    let open = text.chars().next()?;
    let mut end = None;
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == open => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let end = end?;
    let inner = &text[1..end];
    // JSON escapes, except that each kind of quote escapes itself only.
    let json = if open == '\'' { inner.replace("\\'", "'").replace('"', "\\\"") } else { inner.to_owned() };
    let name: String = serde_json::from_str(&format!("\"{json}\"")).ok()?;
    Some((name, &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names_of(text: &str) -> Vec<String> {
        match Path::parse(text).unwrap().steps {
            PathSteps::Names(names) => names,
            PathSteps::Query { .. } => panic!("{text} is a query"),
        }
    }

    #[test]
    fn names_and_indexes() {
        let none: [&str; 0] = [];
        assert_eq!(names_of("$"), none);
        for (text, expected) in [
            ("id", vec!["id"]),
            ("a.b", vec!["a", "b"]),
            ("a.0.b", vec!["a", "0", "b"]),
            ("a[3]", vec!["a", "3"]),
            ("a[3][0].b", vec!["a", "3", "0", "b"]),
            ("0.id", vec!["0", "id"]),
            ("contains", vec!["contains"]),
            ("content type", vec!["content type"]),
            ("größe", vec!["größe"]),
            ("$.a.b[0]", vec!["a", "b", "0"]),
            ("$['a.b']", vec!["a.b"]),
            ("$[\"a[0]\"].c", vec!["a[0]", "c"]),
            ("$['it\\'s \"x\"']", vec!["it's \"x\""]),
            ("$['\\u00e9']", vec!["é"]),
            ("$ .a [ 'b' ]", vec!["a", "b"]),
        ] {
            assert_eq!(names_of(text), expected, "{text}");
        }
    }

    #[test]
    fn queries() {
        for (text, plural) in [
            ("$[-1]", false),
            ("$['0']", false),
            ("$.a[-1].b", false),
            ("$.*", true),
            ("$[*]", true),
            ("$..a", true),
            ("$.a[0,1]", true),
            ("$['a','b']", true),
            ("$.a[1:3]", true),
            ("$.a[?@.b == 'x..y..z']", true),
            ("$.a[?@.b > 1].c", true),
        ] {
            assert_eq!(Path::parse(text).unwrap().steps, PathSteps::Query { plural }, "{text}");
        }
    }

    #[test]
    fn refusals() {
        let deep = format!("$[?{}@.a{}]", "(".repeat(400), ")".repeat(400));
        for text in [
            "",
            ".",
            "a.",
            ".a",
            "a..b",
            "[0]",
            "a[",
            "a[x]",
            "a[01]",
            "a[-1]",
            "a[0]b",
            "a.$b",
            "items.*.id",
            "$.",
            "$a",
            "$[",
            "$..a..b",
            "$[?@..a..b]",
            "$['a]",
            "$.a[01]",
            &deep,
            &"a".repeat(1025),
        ] {
            assert!(Path::parse(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,40}", tail in "[$.\\[\\]'\"*0-9a\\\\?@() -]{0,24}") {
            let _ = Path::parse(&text);
            let _ = Path::parse(&format!("${tail}"));
        }

        #[test]
        fn brackets_name_what_dots_name(names in prop::collection::vec("[a-z][a-z0-9_]{0,5}", 1..5)) {
            let brackets: String = names.iter().map(|name| format!("['{name}']")).collect();
            prop_assert_eq!(names_of(&names.join(".")), names.clone());
            prop_assert_eq!(names_of(&format!("$.{}", names.join("."))), names.clone());
            prop_assert_eq!(names_of(&format!("${brackets}")), names);
        }
    }
}
