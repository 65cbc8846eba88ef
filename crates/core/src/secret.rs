//! Text that looks like a secret: what would be kept and signed if nobody stopped it (harness-planning.md 4.1,
//! harness-proof.md 1.2 and 1.12).
//!
//! Two ways of looking. In running text only what can hardly be anything else counts: a JWT, a bearer token, and a
//! value that is given to a secret's name and does not read like a word or a path. Where the structure is known (a
//! field of a body, a header), the name alone decides: [`is_secret_name`], [`crate::header::is_credential`].

/// What a stretch of text looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretKind {
    /// Three dotted parts of base64url of which the first begins with `eyJ`.
    Jwt,
    /// `Bearer` and at least 16 characters.
    Bearer,
    /// A value of at least 8 characters given to a name such as `password` or `api_key`.
    Named,
}

impl SecretKind {
    /// As messages name it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Jwt => "a JSON Web Token",
            Self::Bearer => "a bearer token",
            Self::Named => "a password, key or token written out",
        }
    }
}

/// A stretch of text that looks like a secret; offsets are bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Secret {
    /// What it looks like.
    pub kind: SecretKind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset after its last byte.
    pub end: usize,
}

/// Shortest value that counts as a secret, in bytes; a shorter one is no protection and would hide evidence.
pub const SHORTEST: usize = 8;

/// Everything in a text that looks like a secret, in order, without overlaps.
#[must_use]
pub fn find(text: &str) -> Vec<Secret> {
    let mut found = jwts(text);
    found.extend(bearers(text));
    found.extend(named(text));
    found.sort_by_key(|s| (s.start, s.kind));
    let mut end = 0;
    found.retain(|s| {
        let apart = s.start >= end;
        if apart {
            end = s.end;
        }
        apart
    });
    found
}

/// The last letters of every name below: password, passwd and pwd, passphrase, secret, key, jwt, csrf and xsrf, token.
const ENDS: [&[u8; 2]; 8] = [b"rd", b"wd", b"se", b"et", b"ey", b"wt", b"rf", b"en"];

/// Whether a field or variable of this name holds a secret: its last word is `password`, `secret`, `token` and the
/// like, or `key` after `api`, `access`, `private` and the like. Page tokens and idempotency keys are none.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    // Most names are ruled out by their end, without taking them apart.
    let mut ends = name.bytes().rev().filter(u8::is_ascii_alphanumeric).map(|b| b.to_ascii_lowercase());
    let end = [ends.next(), ends.next()].map(Option::unwrap_or_default);
    ENDS.iter().any(|known| [known[1], known[0]] == end) && is_secret_by_words(name)
}

fn is_secret_by_words(name: &str) -> bool {
    let words = words(name);
    let Some((last, before)) = words.split_last() else { return false };
    let before = before.last().map_or("", String::as_str);
    match last.as_str() {
        "password" | "passwd" | "pwd" | "passphrase" | "secret" | "apikey" | "accesskey" | "secretkey"
        | "privatekey" | "jwt" | "csrf" | "xsrf" => true,
        "key" => {
            matches!(before, "api" | "access" | "secret" | "private" | "auth" | "signing" | "encryption" | "license")
        }
        // `token`, and names that are written in one: `csrftoken`, `userpassword`, `clientsecret`.
        word => {
            let token = word.strip_suffix("token").map(|start| if start.is_empty() { before } else { start });
            let page = |start: &str| {
                ["page", "next", "continuation", "cursor", "sync", "max"].iter().any(|known| start.ends_with(known))
            };
            token.is_some_and(|start| !page(start)) || word.ends_with("password") || word.ends_with("secret")
        }
    }
}

/// The words of a name in `snake_case`, `kebab-case` or `camelCase`, lower case.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open = false;
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() {
            open = false;
            continue;
        }
        if !open || (c.is_ascii_uppercase() && was_lower) {
            words.push(String::new());
            open = true;
        }
        was_lower = !c.is_ascii_uppercase();
        if let Some(word) = words.last_mut() {
            word.push(c.to_ascii_lowercase());
        }
    }
    words
}

/// Runs of bytes that satisfy `keep`, as offsets. All bytes asked for are ASCII, so the offsets are borders.
fn runs(text: &str, keep: impl Fn(u8) -> bool) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for (i, b) in text.bytes().enumerate() {
        match (keep(b), start) {
            (true, None) => start = Some(i),
            (false, Some(from)) => {
                runs.push((from, i));
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        runs.push((from, text.len()));
    }
    runs
}

fn jwts(text: &str) -> Vec<Secret> {
    let token = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let mut found = Vec::new();
    for (start, end) in runs(text, token) {
        let run = &text[start..end];
        let Some(at) = run.find("eyJ") else { continue };
        let parts: Vec<&str> = run[at..].split('.').collect();
        if parts.len() >= 3 && parts[0].len() >= 8 && parts[1].len() >= 4 && parts[2].len() >= 4 {
            found.push(Secret { kind: SecretKind::Jwt, start: start + at, end });
        }
    }
    found
}

fn bearers(text: &str) -> Vec<Secret> {
    const WORD: &str = "bearer";
    let folded = text.to_ascii_lowercase();
    let mut found = Vec::new();
    for (at, _) in folded.match_indices(WORD) {
        let rest = &text[at + WORD.len()..];
        let value = rest.trim_start_matches([' ', '\t']);
        if value.len() == rest.len() {
            continue;
        }
        let length = value
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-'))
            .count();
        if length >= 16 {
            let start = at + WORD.len() + (rest.len() - value.len());
            found.push(Secret { kind: SecretKind::Bearer, start, end: start + length });
        }
    }
    found
}

fn named(text: &str) -> Vec<Secret> {
    let name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    runs(text, name)
        .into_iter()
        .filter(|(start, end)| is_secret_name(&text[*start..*end]))
        .filter_map(|(_, end)| {
            let start = assigned(text, end)?;
            let value = value_at(&text[start..]);
            looks_random(value).then_some(Secret { kind: SecretKind::Named, start, end: start + value.len() })
        })
        .collect()
}

/// Where the value begins that is given to the name which ends at `end`: after an optional quote and `:` or `=`.
fn assigned(text: &str, end: usize) -> Option<usize> {
    let quote = ['"', '\'', '`'];
    let rest = text[end..].trim_start_matches(quote).trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix([':', '='])?;
    let rest = rest.trim_start_matches([' ', '\t']);
    let rest = rest.strip_prefix(quote).unwrap_or(rest);
    Some(text.len() - rest.len())
}

fn value_at(text: &str) -> &str {
    let end = text.find(|c: char| c.is_whitespace() || "\"'`,;)]}&".contains(c)).unwrap_or(text.len());
    &text[..end]
}

/// Whether a value reads like a secret and not like a reference, a word of the plan language or a path: long
/// enough, more than one distinct character, and a digit or a sign that names and paths do not have.
fn looks_random(value: &str) -> bool {
    if value.len() < SHORTEST || value.starts_with(['{', '$', '<', '*', '[', '(', '/']) {
        return false;
    }
    let first = value.chars().next();
    if value.chars().all(|c| Some(c) == first) || value.contains("://") {
        return false;
    }
    let word = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '-' | '[' | ':' | '/');
    // `data.items.0.token` is a path although it has a digit: its parts are names or small numbers.
    let path = value.contains('.')
        && value.split('.').all(|part| {
            part.bytes().all(|b| b.is_ascii_digit()) || part.chars().all(|c| c.is_ascii_alphabetic() || c == '_')
        });
    !path && value.chars().any(|c| !word(c)) && value.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Ruling a name out by its end rules out no name of a secret.
        #[test]
        fn no_name_of_a_secret_is_ruled_out_by_its_end(
            before in "[a-zA-Z_-]{0,6}",
            word in "(?i)(password|passwd|pwd|passphrase|secret|(api|access|secret|private)?_?key|jwt|csrf|xsrf|token)",
            after in "[-_. ä]{0,2}",
            other in "\\PC{0,12}",
        ) {
            for name in [format!("{before}{word}{after}"), format!("{word}{other}"), other] {
                prop_assert_eq!(is_secret_name(&name), is_secret_by_words(&name), "{}", name);
            }
        }
    }

    #[test]
    fn finds_what_looks_like_a_secret_and_nothing_else() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
        let cases: [(&str, Option<SecretKind>); 30] = [
            (jwt, Some(SecretKind::Jwt)),
            ("see eyJhbGciOi.short", None),
            ("Authorization: Bearer abcdefghijklmnop", Some(SecretKind::Bearer)),
            ("authorization: bearer\tabcdefghijklmnop", Some(SecretKind::Bearer)),
            ("Bearer abcdefghijklmno", None),
            ("the bearer of this letter is my friend", None),
            ("password: hunter2hunter2", Some(SecretKind::Named)),
            ("{\"apiKey\": \"s3cr3t-value\"}", Some(SecretKind::Named)),
            ("?access_token=0123456789abcdef", Some(SecretKind::Named)),
            ("client_secret = 'a1b2c3d4e5'", Some(SecretKind::Named)),
            ("X-Api-Key: 9f8e7d6c5b", Some(SecretKind::Named)),
            ("password: hunt2", None),
            ("save: {token: access_token}", None),
            ("save: {token: data.items.0.token}", None),
            ("json: {token: {type: string}}", None),
            ("json: {token: notNull}", None),
            ("token: \"{login_token1}\"", None),
            ("token: ${TOKEN_1234}", None),
            ("password: ********", None),
            ("password: <yours1234>", None),
            ("next_page_token: abc123abc123", None),
            ("Idempotency-Key: 5f0c1f0e-aaaa-4bbb", None),
            ("sort_key: created_at_2020", None),
            ("max_tokens: 1000000000", None),
            ("the token: is returned once", None),
            ("token_type: bearer12345", None),
            ("secret: https://example.test/vault1", None),
            ("密码 password：abcdefg1", None),
            ("", None),
            ("password:", None),
        ];
        for (text, expected) in cases {
            let found = find(text);
            assert_eq!(found.first().map(|s| s.kind), expected, "{text}");
            for secret in found {
                assert!(text.get(secret.start..secret.end).is_some_and(|s| s.len() >= SHORTEST), "{text}");
            }
        }
    }

    #[test]
    fn names_of_secrets() {
        for yes in [
            "password",
            "userPassword",
            "API_KEY",
            "x-api-key",
            "accessToken",
            "client_secret",
            "apikey",
            "pwd",
            "csrfmiddlewaretoken",
            "X-CSRF-Token",
            "clientsecret",
            "id_token",
            "jwt",
        ] {
            assert!(is_secret_name(yes), "{yes}");
        }
        for no in [
            "",
            "key",
            "primary_key",
            "tokens",
            "nextPageToken",
            "nextpagetoken",
            "token_type",
            "passwordless",
            "monkey",
            "title",
            "session_id",
        ] {
            assert!(!is_secret_name(no), "{no}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_survived(text in "\\PC*") {
            for secret in find(&text) {
                proptest::prop_assert!(text.is_char_boundary(secret.start) && text.is_char_boundary(secret.end));
            }
        }

        #[test]
        fn a_bearer_token_is_found_wherever_it_stands(before in "[a-z ]{0,20}", token in "[A-Za-z0-9]{16,40}") {
            let text = format!("{before} Bearer {token}");
            proptest::prop_assert!(find(&text).iter().any(|s| text[s.start..s.end].ends_with(&token)));
        }
    }
}
