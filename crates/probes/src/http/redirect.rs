//! Where a redirect leads, and whether that is inside the environment.

use probity_core::environment::Origin;
use probity_core::observe::{Failure, FailureKind, Hop};
use url::Url;

use super::head::to_latin1;
use crate::net::failed;

/// The URL that an answer leads to. `None` when it is no redirect: another status, no `Location`, or one that is no
/// URL (then the answer stands as it is).
pub(super) fn target(hop: &Hop, from: &Url) -> Option<Url> {
    if !matches!(hop.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let (_, location) = hop.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("location"))?;
    // Bytes beyond ASCII are UTF-8 where they can be, as browsers read them.
    let text = to_latin1(location).and_then(|bytes| String::from_utf8(bytes).ok());
    let mut url = from.join(text.as_deref().unwrap_or(location)).ok()?;
    url.set_fragment(None);
    // Credentials inside a Location are not ours to use.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(url)
}

/// The origin of a URL; `None` for schemes other than http and https.
pub(super) fn origin(url: &Url) -> Option<Origin> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let port = url.port_or_known_default()?;
    Some(Origin { scheme: url.scheme().to_owned(), host: url.host_str()?.to_owned(), port })
}

/// Checks that a URL lies inside the origins, before anything leaves (threats.md R4).
///
/// # Errors
/// `target_refused`, naming scheme, host and port.
pub(super) fn inside(url: &Url, origins: &[Origin], what: &str) -> Result<Origin, Failure> {
    let Some(origin) = origin(url) else {
        let message = format!("{what} has the scheme {}; only http and https are sent", url.scheme());
        return Err(failed(FailureKind::TargetRefused, message));
    };
    if origins.contains(&origin) {
        return Ok(origin);
    }
    let Origin { scheme, host, port } = origin;
    let message = format!("{what} lies outside the environment's origins: {scheme}://{host}:{port}; nothing was sent");
    Err(failed(FailureKind::TargetRefused, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(status: u16, location: &str) -> Hop {
        Hop { status, headers: vec![("LOCATION".to_owned(), location.to_owned())], ..Hop::default() }
    }

    #[test]
    fn locations_are_resolved() {
        let from = Url::parse("http://a.example/x/y?q#f").unwrap();
        let cases = [
            ("z", "http://a.example/x/z"),
            ("/z?w=1#g", "http://a.example/z?w=1"),
            ("//b.example:81", "http://b.example:81/"),
            ("https://u:p@a.example/", "https://a.example/"),
            ("/caf\u{c3}\u{a9}", "http://a.example/caf%C3%A9"),
            ("/caf\u{e9}", "http://a.example/caf%C3%A9"),
            ("", "http://a.example/x/y?q"),
        ];
        for (location, expected) in cases {
            assert_eq!(target(&hop(302, location), &from).unwrap().as_str(), expected, "{location}");
        }
        assert!(target(&hop(302, "http://"), &from).is_none());
        for status in [200, 201, 300, 304, 305, 306] {
            assert!(target(&hop(status, "/z"), &from).is_none(), "{status}");
        }
    }

    #[test]
    fn only_declared_origins_are_inside() {
        let origins = [Origin { scheme: "http".to_owned(), host: "a.example".to_owned(), port: 80 }];
        let check = |text: &str| inside(&Url::parse(text).unwrap(), &origins, "the target").is_ok();
        assert!(check("http://A.example/x"));
        assert!(check("http://a.example:80/x"));
        for outside in [
            "https://a.example/",
            "http://a.example:81/",
            "http://a.example./",
            "http://b.example/",
            "http://a.example@b.example/",
            "ftp://a.example/",
            "file:///etc/passwd",
            "data:text/html,x",
        ] {
            assert!(!check(outside), "{outside}");
        }
    }
}
