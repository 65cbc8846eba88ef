//! Secrets that show by where they stand: under a secret's name in JSON, in a form or a URL, in the header of a
//! credential, in a cookie, in the field of a page; and texts that can hardly be anything else.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use regex::Regex;

use crate::header;
use crate::json::{Json, Limits, read};
use crate::secret::{self, is_secret_name};

/// Something that is a secret where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The name that it stands under.
    pub(super) name: String,
    /// Its text, every spelling undone.
    pub(super) value: String,
    /// Whether it stands as a JSON number.
    pub(super) number: bool,
}

impl Found {
    fn text(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into(), number: false }
    }
}

/// Words without which nothing of a text can be a secret by its looks or its name; lower case.
const HINTS: [&str; 10] = ["token", "secret", "pass", "pwd", "key", "bearer", "eyj", "jwt", "csrf", "xsrf"];

static HINTED: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::builder().ascii_case_insensitive(true).build(HINTS).ok());

/// Whether a closer look can find something.
fn is_hinted(bytes: &[u8]) -> bool {
    HINTED.as_ref().is_none_or(|hints| hints.is_match(bytes))
}

/// In a body or an output: JSON, a form, a page, running text, whatever it says it is.
pub(super) fn body(bytes: &[u8], media: &str, found: &mut Vec<Found>) {
    if !is_hinted(bytes) {
        return;
    }
    json(bytes, found);
    // Characters that are no text end a word like any other sign.
    let text = String::from_utf8_lossy(bytes);
    let form = media.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded");
    let document = text.trim_start().starts_with(['{', '[']);
    // In a form and in a document the structure tells names from values.
    running(&text, !(form || document), found);
    if form {
        pairs(&text, found);
    }
    if text.contains('<') {
        markup(&text, found);
    }
}

/// In a header line, of a request or of an answer.
pub(super) fn header(name: &str, value: &str, found: &mut Vec<Found>) {
    let named = |wanted: &str| name.eq_ignore_ascii_case(wanted);
    if named("set-cookie") {
        found.extend(cookie(value.split(';').next().unwrap_or_default()));
    } else if named("cookie") {
        found.extend(value.split(';').filter_map(cookie));
    } else if named("authorization") || named("proxy-authorization") {
        credentials(name, value, found);
    } else if header::is_credential(name) || (is_hinted(name.as_bytes()) && is_secret_name(name)) {
        found.push(Found::text(name, value.trim()));
    } else if is_hinted(value.as_bytes()) {
        url(value, found);
        running(value, false, found);
    }
}

fn cookie(pair: &str) -> Option<Found> {
    let (name, value) = pair.split_once('=')?;
    Some(Found::text(name.trim(), value.trim().trim_matches('"')))
}

/// `Basic` and `user:password` in base64, or a scheme and its token.
fn credentials(name: &str, value: &str, found: &mut Vec<Found>) {
    let (scheme, token) = value.trim().split_once(' ').unwrap_or(("", value));
    found.push(Found::text(name, token.trim()));
    if scheme.eq_ignore_ascii_case("basic")
        && let Ok(plain) = STANDARD.decode(token.trim())
        && let Some((_, password)) = String::from_utf8_lossy(&plain).split_once(':')
    {
        found.push(Found::text(name, password));
    }
}

/// In the query, the fragment and the user's part of a URL.
pub(super) fn url(text: &str, found: &mut Vec<Found>) {
    if let Some((_, rest)) = text.split_once("://")
        && let Some((user, _)) = rest.split(['/', '?', '#']).next().and_then(|authority| authority.rsplit_once('@'))
        && let Some((_, password)) = user.split_once(':')
    {
        found.push(Found::text("password", percent(password)));
    }
    for part in text.split(['?', '#', '>', '"']).skip(1) {
        pairs(part, found);
    }
}

/// `name=value&name=value`
fn pairs(text: &str, found: &mut Vec<Found>) {
    for (name, value) in url::form_urlencoded::parse(text.trim().as_bytes()) {
        if is_secret_name(&name) {
            found.push(Found::text(&name, value));
        }
    }
}

fn percent(text: &str) -> String {
    // A plus is itself in the user's part of a URL.
    let spelled = format!("x={}", text.replace('+', "%2B"));
    let mut pairs = url::form_urlencoded::parse(spelled.as_bytes());
    pairs.next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}

/// Texts that look like secrets by themselves; `named`: also because of the name before them.
fn running(text: &str, named: bool, found: &mut Vec<Found>) {
    for one in secret::find(text).into_iter().filter(|one| named || one.kind != secret::SecretKind::Named) {
        let name = match one.kind {
            secret::SecretKind::Jwt => "jwt",
            secret::SecretKind::Bearer => "bearer",
            secret::SecretKind::Named => "named",
        };
        let value = &text[one.start..one.end];
        if value.contains('%') {
            found.push(Found::text(name, percent(value)));
        }
        found.push(Found::text(name, value));
    }
}

/// Text that stands in JSON under a secret's name, wherever in the bytes JSON stands: in lines, in a script of a page,
/// in a document that was cut. Under such a name every text counts, at any depth.
fn json(bytes: &[u8], found: &mut Vec<Found>) {
    let mut at = 0;
    // The secret's name that is open, and the brackets that are open in it.
    let mut inside: Option<(String, usize)> = None;
    while let Some(jump) =
        memchr::memchr3(b'"', b'{', b'[', &bytes[at..]).into_iter().chain(closing(bytes, at, &inside)).min()
    {
        at += jump;
        match (bytes[at], &mut inside) {
            (b'"', _) => {
                let (end, whole) = quoted(bytes, at);
                let after = end + blank(&bytes[end..]);
                if bytes.get(after) == Some(&b':') {
                    let name = decoded(&bytes[at..end]);
                    at = after + 1 + blank(&bytes[after + 1..]);
                    if inside.is_none() && name.as_deref().is_some_and(is_secret_name) {
                        let name = name.unwrap_or_default().into_owned();
                        at = under(name, bytes, at, &mut inside, found);
                    }
                    continue;
                }
                if let Some((name, _)) = &inside {
                    found.extend(value(name, &bytes[at..end], whole));
                }
                at = end;
            }
            (b'{' | b'[', Some((_, depth))) => {
                *depth += 1;
                at += 1;
            }
            (b'}' | b']', Some((_, depth))) => {
                *depth -= 1;
                if *depth == 0 {
                    inside = None;
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Where the next bracket closes, while it matters.
fn closing(bytes: &[u8], at: usize, inside: &Option<(String, usize)>) -> Option<usize> {
    inside.as_ref().and_then(|_| memchr::memchr2(b'}', b']', &bytes[at..]))
}

/// The value under a secret's name; gives where to go on.
fn under(name: String, bytes: &[u8], at: usize, inside: &mut Option<(String, usize)>, found: &mut Vec<Found>) -> usize {
    match bytes.get(at) {
        Some(b'"') => {
            let (end, whole) = quoted(bytes, at);
            found.extend(value(&name, &bytes[at..end], whole));
            end
        }
        Some(b'{' | b'[') => {
            *inside = Some((name, 1));
            at + 1
        }
        Some(b'0'..=b'9' | b'-') => {
            let number = |b: &&u8| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E');
            let end = at + bytes[at..].iter().take_while(number).count();
            let value = String::from_utf8_lossy(&bytes[at..end]).into_owned();
            found.push(Found { name, value, number: true });
            end
        }
        _ => at,
    }
}

fn value(name: &str, literal: &[u8], whole: bool) -> Option<Found> {
    let literal = if whole { Cow::Borrowed(literal) } else { Cow::Owned([literal, b"\""].concat()) };
    decoded(&literal).map(|value| Found::text(name, value))
}

/// Where a quoted text ends, and whether it does; the offset behind the quote.
fn quoted(bytes: &[u8], at: usize) -> (usize, bool) {
    let mut end = at + 1;
    while let Some(jump) = memchr::memchr2(b'"', b'\\', &bytes[end.min(bytes.len())..]) {
        end += jump;
        if bytes[end] == b'"' {
            return (end + 1, true);
        }
        end += 2;
    }
    (bytes.len(), false)
}

fn decoded(literal: &[u8]) -> Option<Cow<'_, str>> {
    match read(literal, &Limits::default()).ok()? {
        Json::Text(text) => Some(Cow::Owned(text)),
        _ => None,
    }
}

fn blank(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// A field of a page (`<input name=… value=…>`, `<meta name=… content=…>`), and an element that has a secret's name.
fn markup(text: &str, found: &mut Vec<Found>) {
    static PATTERNS: LazyLock<Option<[Regex; 3]>> = LazyLock::new(|| {
        Some([
            Regex::new(r"(?is)<(?:input|meta|param|button)\b([^>]*)").ok()?,
            Regex::new(r#"(?is)([a-z][a-z-]*)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))"#).ok()?,
            Regex::new(r"(?is)<([a-z_][\w:.-]*)(?:\s[^>]*)?>([^<>]+)</").ok()?,
        ])
    });
    let Some([tag, attribute, element]) = PATTERNS.as_ref() else { return };
    for one in tag.captures_iter(text) {
        let (mut names, mut values, mut hidden) = (Vec::new(), Vec::new(), false);
        for pair in attribute.captures_iter(&one[1]) {
            let value = pair.iter().skip(2).flatten().next().map(|value| value.as_str()).unwrap_or_default();
            match pair[1].to_ascii_lowercase().as_str() {
                "name" | "id" | "property" | "http-equiv" => names.push(value),
                "value" | "content" => values.push(value),
                "type" => hidden = value.eq_ignore_ascii_case("password"),
                _ => {}
            }
        }
        let name = names.iter().find(|name| is_secret_name(name)).copied().or(hidden.then_some("password"));
        let values = values.into_iter().map(plain);
        found.extend(name.into_iter().flat_map(|name| values.clone().map(|value| Found::text(name, value))));
    }
    for one in element.captures_iter(text).filter(|one| is_secret_name(one[1].rsplit(':').next().unwrap_or_default())) {
        found.push(Found::text(&one[1], plain(one[2].trim())));
    }
}

/// A text of a page with its entities undone.
fn plain(text: &str) -> String {
    let undone = super::spelling::Spelling::Html.undone(text.as_bytes());
    undone.map_or_else(|| text.to_owned(), |plain| String::from_utf8_lossy(&plain.bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn in_body(text: &str, media: &str) -> Vec<(String, String)> {
        let mut found = Vec::new();
        body(text.as_bytes(), media, &mut found);
        found.into_iter().map(|found| (found.name, found.value)).collect()
    }

    #[test]
    fn secrets_of_bodies() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
        let cases: [(&str, &str, &[&str]); 15] = [
            (r#"{"id": 7, "access_token": "abc\/def\u0041"}"#, "application/json", &["abc/defA"]),
            (r#"{"a":[{"Password":"x y z"}],"title":"password"}"#, "", &["x y z"]),
            (r#"{"secret":{"kid":"one","values":["two",{"v":"three"}]},"b":"four"}"#, "", &["one", "two", "three"]),
            (r#"{"api_key": 1234567890, "key": 5}"#, "", &["1234567890"]),
            (r#"{"token": null, "secret": true, "password": ""}"#, "", &[""]),
            ("{\"token\":\"a1\"}\n{\"token\":\"b2\"}\n", "application/x-ndjson", &["a1", "b2"]),
            (r#"<script>window.x = {"csrfToken": "q9q9"}</script>"#, "text/html", &["q9q9"]),
            (r#"{"rows":[1,2],"refresh_token":"cut of"#, "application/json", &["cut of"]),
            ("a=1&client_secret=x%2Fy+z&b=2", "application/x-www-form-urlencoded", &["x/y z"]),
            ("a=1&client_name=x", "application/x-www-form-urlencoded", &[]),
            (r#"<input type="hidden" name="csrfmiddlewaretoken" value="a&amp;b">"#, "text/html", &["a&b"]),
            (r#"<INPUT VALUE='pw' type=password name=p><input name=q value=z>"#, "text/html", &["pw"]),
            (
                r#"<meta content="m3ta" name="csrf-token"><a:Password>open sesame</a:Password>"#,
                "",
                &["m3ta", "open sesame"],
            ),
            ("log: Authorization: Bearer abcdefghijklmnop, next", "text/plain", &["abcdefghijklmnop"]),
            (jwt, "text/plain", &[jwt]),
        ];
        for (text, media, wanted) in cases {
            let found = in_body(text, media);
            let values: Vec<&str> = found.iter().map(|(_, value)| value.as_str()).collect();
            for one in wanted {
                assert!(values.contains(one), "{text}: {found:?}");
            }
            // Running text may show the same once more.
            assert!(values.iter().all(|value| wanted.iter().any(|one| one.contains(value))), "{text}: {found:?}");
        }
    }

    #[test]
    fn secrets_of_headers_and_urls() {
        for (name, value, wanted) in [
            ("Set-Cookie", "sid=\"abc=def\"; Path=/; HttpOnly", vec![("sid", "abc=def")]),
            ("cookie", "a=1; b=2", vec![("a", "1"), ("b", "2")]),
            ("Authorization", "Bearer abc", vec![("Authorization", "abc")]),
            ("Authorization", "Basic dTpwdw==", vec![("Authorization", "dTpwdw=="), ("Authorization", "pw")]),
            ("X-Api-Key", " k ", vec![("X-Api-Key", "k")]),
            ("X-CSRF-Token", "t", vec![("X-CSRF-Token", "t")]),
            ("Location", "/cb?code=1&access_token=a%2Bb#id_token=c", vec![("access_token", "a+b"), ("id_token", "c")]),
            ("Link", "</next?page_token=5>; rel=next", vec![]),
            ("Content-Type", "text/html", vec![]),
        ] {
            let mut found = Vec::new();
            header(name, value, &mut found);
            let found: Vec<(&str, &str)> = found.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
            assert_eq!(found, wanted, "{name}: {value}");
        }
        for (text, wanted) in [
            ("https://u:p%40w+1@a.test/x", vec!["p@w+1"]),
            ("https://a.test/x?q=a@b:c", vec![]),
            ("https://a.test/?password=x", vec!["x"]),
        ] {
            let mut found = Vec::new();
            url(text, &mut found);
            assert_eq!(found.iter().map(|one| one.value.as_str()).collect::<Vec<_>>(), wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..80), text in r#"[\[\]{}":,a\\<>=&token]{0,60}"#) {
            let mut found = Vec::new();
            json(&bytes, &mut found);
            body(format!("token {text}").as_bytes(), "application/x-www-form-urlencoded", &mut found);
            header("location", &text, &mut found);
        }

        #[test]
        fn a_text_under_a_secret_s_name_is_found(value in any::<String>(), before in "[a-z0-9,:{}\\[\\]]{0,20}") {
            let document = format!("{before}{}", Json::map([("api_key", value.as_str())]));
            let mut found = Vec::new();
            json(document.as_bytes(), &mut found);
            prop_assert!(found.iter().any(|one| one.value == value), "{document}");
        }
    }
}
