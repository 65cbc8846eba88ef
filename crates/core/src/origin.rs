//! Origins: where a run may go (threats.md R4). Every target is compared by scheme, host and port.

use std::fmt;

use url::Url;

use crate::environment::Origin;

/// Why a text names no origin that a run may touch.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OriginError {
    /// It is no absolute URL.
    #[error("is no absolute URL: {0}")]
    Unreadable(String),
    /// Another scheme than http and https.
    #[error("has the scheme `{0}`; only http and https are requested")]
    Scheme(String),
    /// A user name or password stands in it.
    #[error("carries credentials; they belong into auth, by reference")]
    Credentials,
    /// A fragment stands in it, which no server ever sees.
    #[error("carries a fragment")]
    Fragment,
    /// It has no host.
    #[error("has no host")]
    Host,
}

impl Origin {
    /// The origin of an absolute http or https URL.
    ///
    /// # Errors
    /// Says which rule the text breaks; credentials and fragments are refused, not dropped.
    pub fn of(url: &str) -> Result<Self, OriginError> {
        Self::parse(url).map(|(origin, _)| origin)
    }

    /// The same with the URL, parsed.
    ///
    /// # Errors
    /// As [`Origin::of`].
    pub(crate) fn parse(url: &str) -> Result<(Self, Url), OriginError> {
        if url.contains(|c: char| c.is_control() || c == ' ' || c == '\\') {
            return Err(OriginError::Unreadable("a space, control character or backslash stands in it".to_owned()));
        }
        let parsed = Url::parse(url).map_err(|e| OriginError::Unreadable(e.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(OriginError::Scheme(parsed.scheme().to_owned()));
        }
        // `http://@host` parses to empty credentials, so the text is looked at too.
        let authority = url.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or(""));
        if !parsed.username().is_empty() || parsed.password().is_some() || authority.contains('@') {
            return Err(OriginError::Credentials);
        }
        if parsed.fragment().is_some() {
            return Err(OriginError::Fragment);
        }
        let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or(OriginError::Host)?;
        let port = parsed.port_or_known_default().ok_or(OriginError::Host)?;
        Ok((Self { scheme: parsed.scheme().to_owned(), host: host.to_owned(), port }, parsed))
    }

    /// Whether an absolute URL lies inside this origin.
    #[must_use]
    pub fn contains(&self, url: &str) -> bool {
        Self::of(url).is_ok_and(|origin| origin == *self)
    }

    /// Whether an absolute URL lies inside one of these origins.
    #[must_use]
    pub fn allowed(origins: &[Self], url: &str) -> bool {
        Self::of(url).is_ok_and(|origin| origins.contains(&origin))
    }
}

/// `http://127.0.0.1:8123`, the default port left out.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        match (self.scheme.as_str(), self.port) {
            ("http", 80) | ("https", 443) => Ok(()),
            (_, port) => write!(f, ":{port}"),
        }
    }
}

/// Where a target with placeholders goes, as far as its literal text decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A path below the environment's own URL.
    Path,
    /// An absolute URL on this origin.
    On(Origin),
}

/// Why a target is refused before any value is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// A placeholder stands where scheme, host or port are.
    #[error("has a placeholder where scheme, host or port stand")]
    Breakout,
    /// White space, a control character or a backslash.
    #[error("holds a space, a backslash or a control character")]
    Character,
    /// A fragment.
    #[error("has a fragment, which is never sent")]
    Fragment,
    /// `//…`
    #[error("begins with //, which would name a host")]
    Slashes,
    /// Neither a path nor a URL.
    #[error("is neither a path that begins with / nor an absolute URL")]
    Neither,
    /// The origin cannot be used.
    #[error("{0}")]
    Origin(OriginError),
}

/// Where a target goes: `/path` with placeholders, or an absolute URL whose path and query may hold them.
///
/// # Errors
/// Says which rule the target breaks.
pub fn destination(target: &str) -> Result<Destination, TargetError> {
    if target.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(TargetError::Character);
    }
    if target.contains('#') {
        return Err(TargetError::Fragment);
    }
    if target.starts_with("//") {
        return Err(TargetError::Slashes);
    }
    if target.starts_with('/') {
        return Ok(Destination::Path);
    }
    if target.starts_with('{') {
        return Err(TargetError::Breakout);
    }
    let (scheme, rest) = target.split_once("://").ok_or(TargetError::Neither)?;
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    if scheme.contains(['{', '}']) || authority.contains(['{', '}']) {
        return Err(TargetError::Breakout);
    }
    Origin::of(&format!("{scheme}://{authority}/")).map(Destination::On).map_err(TargetError::Origin)
}

/// The origins that the plan's steps name literally, in order: the set of an undeclared environment
/// (design.md section 10).
#[must_use]
pub fn literal_origins(plan: &crate::plan::Plan) -> Vec<Origin> {
    let mut origins = Vec::new();
    let steps = plan.scenarios.iter().flat_map(|scenario| &scenario.steps).filter_map(|step| match &step.action {
        crate::plan::Action::Http(http) => Some(http),
        crate::plan::Action::Command(_) | crate::plan::Action::Log(_) => None,
    });
    let literal = |target: &str| match destination(target) {
        Ok(Destination::On(origin)) => Some(origin),
        Ok(Destination::Path) | Err(_) => None,
    };
    let named = steps.flat_map(|http| [literal(&http.target), http.proxy.as_ref().map(|proxy| proxy.origin.clone())]);
    for origin in plan.base_url.as_deref().and_then(literal).into_iter().chain(named.flatten()) {
        if !origins.contains(&origin) {
            origins.push(origin);
        }
    }
    origins
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes() {
        for (url, shown) in [
            ("http://127.0.0.1:8123", "http://127.0.0.1:8123"),
            ("HTTP://Example.COM:80/a?b", "http://example.com"),
            ("https://example.com:443", "https://example.com"),
            ("https://example.com:80/", "https://example.com:80"),
            ("http://[::1]:9/x", "http://[::1]:9"),
            ("http://0x7f.1/", "http://127.0.0.1"),
        ] {
            let origin = Origin::of(url).unwrap();
            assert_eq!(origin.to_string(), shown, "{url}");
            assert_eq!(Origin::of(shown), Ok(origin), "{url}");
        }
    }

    #[test]
    fn refuses_by_rule() {
        for (url, wanted) in [
            ("ftp://a/", OriginError::Scheme("ftp".into())),
            ("data:text/html,x", OriginError::Scheme("data".into())),
            ("http://u@a/", OriginError::Credentials),
            ("http://u:p@a/", OriginError::Credentials),
            ("http://@a/", OriginError::Credentials),
            ("http://a/#f", OriginError::Fragment),
        ] {
            assert_eq!(Origin::of(url), Err(wanted), "{url}");
        }
        for bad in ["", "/a", "//a/b", "a:80", "http://", "http:///", "http://a b/", "http:\\\\a", "http://a/\n"] {
            assert!(Origin::of(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn lies_inside_or_not() {
        let origins = [Origin::of("http://a:1").unwrap(), Origin::of("https://b").unwrap()];
        for inside in ["http://a:1/x", "https://b:443/y?z", "https://B/"] {
            assert!(Origin::allowed(&origins, inside), "{inside}");
        }
        for outside in
            ["http://a/", "https://a:1/", "http://b/", "http://a:1@evil/", "http://a:1.evil/", "//b/", "https://b.evil"]
        {
            assert!(!Origin::allowed(&origins, outside), "{outside}");
        }
        assert!(origins[0].contains("http://a:1/") && !origins[0].contains("https://b/"));
    }

    #[test]
    fn the_literal_part_of_a_target_decides_where_it_goes() {
        let on = |url: &str| Ok(Destination::On(Origin::of(url).unwrap()));
        let cases = [
            ("/api/{id}?x={y}", Ok(Destination::Path)),
            ("http://LOCALHOST:8123/a/{id}", on("http://localhost:8123")),
            ("https://shop.test", on("https://shop.test")),
            ("https://shop.test?q={x}", on("https://shop.test")),
            ("http://[::1]:80/", on("http://[::1]")),
            ("http://127.1/", on("http://127.0.0.1")),
            ("http://{host}/", Err(TargetError::Breakout)),
            ("http://a.test:{port}/", Err(TargetError::Breakout)),
            ("http://a.test{x}/", Err(TargetError::Breakout)),
            ("{base}/api", Err(TargetError::Breakout)),
            ("{scheme}://a.test/", Err(TargetError::Breakout)),
            ("//evil.test/", Err(TargetError::Slashes)),
            ("api", Err(TargetError::Neither)),
            ("", Err(TargetError::Neither)),
            ("data:x", Err(TargetError::Neither)),
            ("/a#b", Err(TargetError::Fragment)),
            ("/a\\b", Err(TargetError::Character)),
            ("/a b", Err(TargetError::Character)),
            ("http://u:p@a.test/", Err(TargetError::Origin(OriginError::Credentials))),
            ("file:///etc/passwd", Err(TargetError::Origin(OriginError::Scheme("file".into())))),
        ];
        for (target, expected) in cases {
            assert_eq!(destination(target), expected, "{target}");
        }
        assert!(destination("http:///x").is_err());
    }
}
