//! Tables of fields: which fields each place of a document takes, what they mean, and which shape their values have.
//!
//! Decoders check a document against them, editors show their docs, and the JSON Schemas are made from them, so
//! that a field is described in one place.

mod check;
mod matrix;
mod profile;
mod seed;
mod written;

use std::borrow::Cow;

pub use check::check;
pub use matrix::{CRITERION_ROW, MATRIX, TEST_ROW};
pub use profile::{ENVIRONMENT, PROFILE, SERVICE};
pub use seed::{API_STEP, COMMAND_STEP, LOG_STEP as LOG_ACTION, POLL_STEP, SCENARIO, SEED_PLAN, SEED_STEP};
pub use written::{CASE, CRITERION, EXCLUDED, HTTP_EXPECT, HTTP_STEP, LOG_EXPECT, LOG_STEP, POLL, REQUIREMENT};
pub use written::{OPERATORS, SHOWS_DETAIL, STEP, WRITTEN_PLAN};
pub use written::{RUN_EXPECT, RUN_STEP};

/// A field of a table.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name as documents write it.
    pub name: &'static str,
    /// What it means, in sentences: the hover text of editors.
    pub doc: &'static str,
    /// What its value looks like.
    pub shape: Shape,
    /// Whether it must stand.
    pub required: bool,
}

/// The fields of one kind of map.
#[derive(Debug)]
pub struct Table {
    /// A short name, as messages use it: `an http step` → `http step`.
    pub name: &'static str,
    /// What such a map is.
    pub doc: &'static str,
    /// The fields, in parts so that tables share them.
    pub parts: &'static [&'static [Field]],
    /// Whether `snake_case` is read for `camelCase` and the other way round (seed form).
    pub both_cases: bool,
    /// Names that begin so are anybody's, with any data.
    pub free_prefix: Option<&'static str>,
}

/// A verb of a step, or an action of the seed form.
#[derive(Clone, Copy, Debug)]
pub struct Verb {
    /// As plans write it.
    pub name: &'static str,
    /// The fields of its step; `None` where this build has no probe for it.
    pub table: Option<&'static Table>,
}

/// What a value looks like.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A text.
    Text,
    /// An id.
    Id,
    /// A truth value.
    Bool,
    /// A duration with its unit.
    Duration,
    /// A size with its unit.
    Size,
    /// A number of any kind.
    Number,
    /// A whole number inside a range.
    Integer(i64, i64),
    /// The version of the document: this number and no other.
    Version(i64),
    /// One of these words.
    Words(&'static [&'static str]),
    /// A list.
    List(&'static Shape),
    /// A list with at least one item.
    Some(&'static Shape),
    /// A map with any keys.
    Map(&'static Shape),
    /// The first of these that takes a value of its type.
    Either(&'static [Shape]),
    /// A map with these fields.
    Table(&'static Table),
    /// A map with exactly one of these keys, which is its verb.
    Verbs(&'static [Verb]),
    /// A map whose `action` is one of these.
    Actions(&'static [Verb]),
    /// Any data; references may stand in it.
    Data,
    /// An expectation `E` (plan.md, "Expectations"); checked by `decode::expect`.
    Expectation,
}

impl Table {
    /// The fields of all parts.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field> {
        self.parts.iter().flat_map(|part| part.iter())
    }

    /// The field of this name, in either spelling where the table reads both.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static Field> {
        let same = |field: &&Field| field.name == name || (self.both_cases && same_name(field.name, name));
        self.fields().find(same)
    }
}

/// `snake_case` as `camelCase`; other names stay.
#[must_use]
pub fn camel(name: &str) -> Cow<'_, str> {
    if !name.trim_start_matches('_').contains('_') {
        return Cow::Borrowed(name);
    }
    let mut out = String::with_capacity(name.len());
    let mut raise = false;
    for c in name.chars() {
        match c {
            '_' if !out.is_empty() => raise = true,
            _ if raise => {
                out.extend(c.to_uppercase());
                raise = false;
            }
            _ => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Whether two names are one, in `snake_case` or `camelCase`.
#[must_use]
pub fn same_name(a: &str, b: &str) -> bool {
    // Both spellings begin alike but for underscores, which is what most names differ in already.
    let first = |name: &str| name.bytes().find(|b| *b != b'_');
    a == b || (first(a) == first(b) && (a.contains('_') || b.contains('_')) && camel(a) == camel(b))
}

/// A field that may be left out.
const fn may(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, doc, shape, required: false }
}

/// A field that must stand.
const fn must(name: &'static str, shape: Shape, doc: &'static str) -> Field {
    Field { name, doc, shape, required: true }
}

/// A table with one spelling.
const fn table(name: &'static str, doc: &'static str, parts: &'static [&'static [Field]]) -> Table {
    Table { name, doc, parts, both_cases: false, free_prefix: None }
}

/// A table that reads both spellings.
const fn seed_table(name: &'static str, doc: &'static str, parts: &'static [&'static [Field]]) -> Table {
    Table { name, doc, parts, both_cases: true, free_prefix: None }
}

/// One text or several.
const TEXTS: Shape = Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)]);
/// One id or several.
const IDS: Shape = Shape::List(&Shape::Id);
/// A text, number, truth value or reference.
const VALUE: Shape = Shape::Either(&[Shape::Text, Shape::Number, Shape::Bool, Shape::Map(&Shape::Data)]);
/// A text or a reference.
const TEXT_OR_REFERENCE: Shape = Shape::Either(&[Shape::Text, Shape::Map(&Shape::Data)]);
/// Texts that must (not) be contained: a text or reference, or a list of them.
const CONTAINED: Shape = Shape::Either(&[Shape::Text, Shape::Map(&Shape::Data), Shape::Some(&TEXT_OR_REFERENCE)]);
/// `{PATH: E}`.
const JSON_CHECKS: Shape = Shape::Map(&Shape::Expectation);
/// `[{PATH: E}, …]`.
const JSON_ALTERNATIVES: Shape = Shape::Some(&JSON_CHECKS);
/// One HTTP status or several.
const STATUSES: Shape = Shape::Either(&[Shape::Integer(100, 599), Shape::Some(&Shape::Integer(100, 599))]);
/// One exit code or several.
const EXITS: Shape = Shape::Either(&[Shape::Integer(-255, 255), Shape::Some(&Shape::Integer(-255, 255))]);
/// An HTTP version in an expectation; YAML reads it as a number.
const SEEN_VERSION: Shape = Shape::Either(&[Shape::Number, Shape::Words(&["1.1", "2"])]);
/// An HTTP version to ask for.
const ASKED_VERSION: Shape = Shape::Either(&[Shape::Number, Shape::Words(&["auto", "1.1", "2"])]);
/// Greatest duration in ms that a plan may name: a day.
const DAY_MS: i64 = 86_400_000;
/// Greatest size in bytes that a plan may name: 1 GiB.
const GIB: i64 = 1 << 30;

static CREDENTIAL: Table = table(
    "credential",
    "A credential by reference; the value never stands in the plan.",
    &[&[
        may("env", Shape::Text, "Name of the environment variable that holds the credential where probity is started."),
        may(
            "$env",
            Shape::Text,
            "Name of the environment variable that holds the credential where probity is started.",
        ),
    ]],
);

static AUTH: Table = table(
    "auth",
    "Credentials of the request: exactly one of basic and bearer.",
    &[&[
        may("basic", Shape::Table(&CREDENTIAL), "HTTP Basic; the variable holds `user:password`."),
        may("bearer", Shape::Table(&CREDENTIAL), "`Authorization: Bearer`; the variable holds the token."),
    ]],
);

static TLS: Table = table(
    "tls",
    "How the TLS connection is checked.",
    &[&[
        may("ca", Shape::Text, "PEM file inside the project with the issuers to trust beside the usual ones."),
        may("cert", Shape::Text, "PEM file inside the project with the certificate that the client shows. Needs key."),
        may(
            "key",
            FILE_OR_CREDENTIAL,
            "Its private key (PEM): a file inside the project, or {env: NAME}. Neither its bytes nor their digest are \
             kept.",
        ),
        may(
            "insecure",
            Shape::Bool,
            "Do not check certificates. Caps the claim unless the environment itself declares it.",
        ),
    ]],
);

static PROXY: Table = table(
    "proxy",
    "A proxy: https and HTTP/2 go through a tunnel (CONNECT), http is asked for by its whole URL.",
    &[&[
        must("url", Shape::Text, "`http://HOST:PORT`. Its origin must be one of the environment's."),
        may("auth", Shape::Table(&AUTH), "Credentials for the proxy: {basic: {env: NAME}} or {bearer: {env: NAME}}."),
    ]],
);

static PART: Table = table(
    "part",
    "A part of a multipart body: a file or a value.",
    &[&[
        may("file", Shape::Text, "File inside the project whose bytes are the part."),
        may("filename", Shape::Text, "The name under which the file is sent. By default the last part of its path."),
        may("value", VALUE, "The text of the part; needed only beside type."),
        may("type", Shape::Text, "Media type of the part. By default none, and application/octet-stream for a file."),
        may("$var", Shape::Text, "A variable whose value is the text of the part."),
        may("$template", Shape::Text, "A text with variables in it that is the text of the part."),
        may("$env", Shape::Text, "The environment variable that is the text of a part with a secret's name."),
    ]],
);

const PART_OR_VALUE: Shape = Shape::Either(&[Shape::Text, Shape::Number, Shape::Bool, Shape::Table(&PART)]);

const PART_OR_PARTS: Shape =
    Shape::Either(&[Shape::Text, Shape::Number, Shape::Bool, Shape::Table(&PART), Shape::Some(&PART_OR_VALUE)]);

const URL_OR_PROXY: Shape = Shape::Either(&[Shape::Text, Shape::Table(&PROXY)]);

const FILE_OR_CREDENTIAL: Shape = Shape::Either(&[Shape::Text, Shape::Table(&CREDENTIAL)]);

/// What an http step sends and how, in both forms.
const SENT: &[Field] = &[
    may("json", Shape::Data, "Body, sent as application/json. References are filled in."),
    may(
        "form",
        Shape::Map(&Shape::Either(&[VALUE, Shape::List(&VALUE)])),
        "Body, sent as application/x-www-form-urlencoded.",
    ),
    may(
        "multipart",
        Shape::Map(&PART_OR_PARTS),
        "Body, sent as multipart/form-data: a value, {file: NAME} or a list of them for each field.",
    ),
    may("body", TEXT_OR_REFERENCE, "Body as text, sent as it stands."),
    may("bodyFile", Shape::Text, "File inside the project whose bytes are the body."),
    may("auth", Shape::Table(&AUTH), "Credentials: {basic: {env: NAME}} or {bearer: {env: NAME}}."),
    may("followRedirects", Shape::Integer(0, 20), "How many redirects are followed. By default 0."),
    may("cookies", Shape::Bool, "Whether the case's cookies are sent and kept. By default true."),
    may(
        "httpVersion",
        ASKED_VERSION,
        "`auto`, `1.1` or `2`. By default auto: 2 where TLS agrees on it, else 1.1. With 2, http is HTTP/2 from the start.",
    ),
    may("tls", Shape::Table(&TLS), "How the TLS connection is checked."),
    may(
        "proxy",
        URL_OR_PROXY,
        "A proxy: `http://HOST:PORT`, or {url, auth}. Those of environment variables are never used.",
    ),
    may(
        "unixSocket",
        Shape::Text,
        "Unix socket inside the project that is spoken to. The URL still names the target, inside the environment.",
    ),
    may("decompress", Shape::Bool, "Whether content codings are undone; both forms are kept. By default true."),
];

static MUTATION: Table = table(
    "mutation",
    "The write policy of the plan: which requests and commands may change data. Absent: unrestricted, which a \
     production environment refuses.",
    &[&[
        must(
            "policy",
            Shape::Words(&["read-only", "scoped-write", "unrestricted"]),
            "`read-only`: nothing writes. `scoped-write`: each write carries the prefix, or names an object that an \
             earlier write of the case made. `unrestricted`: anything.",
        ),
        may(
            "prefix",
            TEXT_OR_REFERENCE,
            "Under `scoped-write`: text that path, query or body of each writing request must hold.",
        ),
    ]],
);

const GRANTS: Field = may(
    "grants",
    Shape::List(&Shape::Words(&["shell"])),
    "What the plan permits beyond the default. `shell`: commands with `shell: true` may run.",
);

const SCHEMA_VERSION: Field = must("schemaVersion", Shape::Version(2), "The version of the plan language. Always 2.");

#[cfg(test)]
mod tests {
    use super::*;

    /// All tables that can be reached from the roots.
    fn reached() -> Vec<&'static Table> {
        fn walk(shape: Shape, seen: &mut Vec<&'static Table>) {
            match shape {
                Shape::List(inner) | Shape::Some(inner) | Shape::Map(inner) => walk(*inner, seen),
                Shape::Either(shapes) => shapes.iter().for_each(|inner| walk(*inner, seen)),
                Shape::Verbs(verbs) | Shape::Actions(verbs) => {
                    verbs.iter().filter_map(|verb| verb.table).for_each(|inner| walk(Shape::Table(inner), seen));
                }
                Shape::Table(inner) if !seen.iter().any(|known| std::ptr::eq(*known, inner)) => {
                    seen.push(inner);
                    inner.fields().for_each(|field| walk(field.shape, seen));
                }
                _ => {}
            }
        }
        let mut seen = Vec::new();
        for root in [&WRITTEN_PLAN, &SEED_PLAN, &MATRIX, &PROFILE] {
            walk(Shape::Table(root), &mut seen);
        }
        seen
    }

    #[test]
    fn every_table_and_field_is_described_once() {
        let tables = reached();
        assert!(tables.len() > 20);
        for table in &tables {
            assert!(table.doc.ends_with('.'), "{}", table.name);
            let mut names: Vec<Cow<str>> = table.fields().map(|field| camel(field.name)).collect();
            names.sort();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "a field stands twice in {}", table.name);
            for field in table.fields() {
                assert!(
                    field.doc.ends_with(['.', '…']) && field.doc.len() > 12,
                    "{}.{}: {}",
                    table.name,
                    field.name,
                    field.doc
                );
            }
        }
        let mut names: Vec<&str> = tables.iter().map(|table| table.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count, "two tables share a name");
    }

    #[test]
    fn spellings() {
        for (from, to) in [("test_ids", "testIds"), ("testIds", "testIds"), ("id", "id"), ("_x", "_x"), ("a_", "a")] {
            assert_eq!(camel(from), to);
        }
        assert_eq!(SCENARIO.field("continue_on_failure").unwrap().name, "continueOnFailure");
        assert!(CASE.field("not_claimed").is_none());
    }
}
