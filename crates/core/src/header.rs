//! Names of request headers: which a plan may not write, which carry credentials.

/// Headers that route or frame a message, or put another method or target in its place (harness-proof.md 1.2,
/// threats.md B17).
const CLIENTS: [&str; 19] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "te",
    "trailer",
    "upgrade",
    "expect",
    "http2-settings",
    "forwarded",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-url",
    "x-original-host",
    "x-rewrite-url",
    "x-host",
];

/// Headers whose value is a credential (harness-proof.md 1.2).
const CREDENTIALS: [&str; 7] =
    ["api-key", "authorization", "cookie", "proxy-authorization", "x-access-token", "x-api-key", "x-auth-token"];

/// Whether this is the name of a header: a token (RFC 9110, 5.6.2) of at most 256 characters.
#[must_use]
pub fn is_name(name: &str) -> bool {
    (1..=256).contains(&name.len()) && name.bytes().all(is_token)
}

/// A character of a token (RFC 9110, 5.6.2).
#[must_use]
pub fn is_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
}

/// Whether this is a media type: two tokens, perhaps with parameters, on one line of printable ASCII.
#[must_use]
pub fn is_media_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end();
    let named = essence.split_once('/').is_some_and(|(kind, sub)| is_name(kind) && is_name(sub));
    named && text.len() <= 256 && text.bytes().all(|b| (b' '..=b'~').contains(&b))
}

/// Whether a header belongs to the client alone, and is never written by a plan; names have no case. Pseudo headers
/// (`:path`) do, and everything that speaks of proxies.
#[must_use]
pub fn is_the_clients(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    CLIENTS.contains(&name.as_str()) || [":", "proxy-", "x-forwarded-"].iter().any(|start| name.starts_with(start))
}

/// Whether a header of this name carries a credential, without case.
#[must_use]
pub fn is_credential(name: &str) -> bool {
    CREDENTIALS.iter().any(|known| known.eq_ignore_ascii_case(name.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_apart() {
        for (name, token, clients, credential) in [
            ("accept", true, false, false),
            ("Host", true, true, false),
            ("x-host-name", true, false, false),
            ("X-Forwarded-For", true, true, false),
            ("Proxy-Authorization", true, true, true),
            (":authority", false, true, false),
            ("Authorization", true, false, true),
            ("X-API-Key", true, false, true),
            ("x-request-id", true, false, false),
            ("", false, false, false),
            ("a b", false, false, false),
            ("a{b}", false, false, false),
        ] {
            assert_eq!(
                (is_name(name), is_the_clients(name), is_credential(name)),
                (token, clients, credential),
                "{name}"
            );
        }
        for (media, fine) in [
            ("image/png", true),
            ("text/plain; charset=\"utf-8\"", true),
            ("image", false),
            ("image/", false),
            ("a/b\r\nx: y", false),
            ("a/b; c=é", false),
        ] {
            assert_eq!(is_media_type(media), fine, "{media}");
        }
        assert!(is_name(&"a".repeat(256)) && !is_name(&"a".repeat(257)));
    }
}
