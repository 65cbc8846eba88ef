//! The request as it leaves: credentials placed, framing ours, and beside each line what evidence may show of it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, HOST, HeaderName, HeaderValue, PROXY_AUTHORIZATION,
    TRANSFER_ENCODING, UPGRADE, USER_AGENT,
};
use http::{Method, Request, Uri, Version};
use http_body_util::Full;
use probity_core::observe::{Failure, FailureKind, Field, HttpCall, SecretUse};
use url::{Position, Url};

use super::Secrets;
use super::head::to_latin1;
use crate::net::failed;

const AGENT: &str = concat!("probity/", env!("CARGO_PKG_VERSION"));

/// Headers that frame or route a message: the client alone writes them (threats.md R18).
const OURS: [HeaderName; 4] = [HOST, CONTENT_LENGTH, TRANSFER_ENCODING, UPGRADE];

/// A request that can be sent, and sent again.
pub(super) struct Outgoing {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) body: Option<Bytes>,
    lines: Vec<Line>,
    /// Credentials for the proxy, and what is shown of them.
    proxy: Option<(HeaderValue, String)>,
}

/// How a request is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// HTTP/1.1, the target by its path.
    Origin,
    /// HTTP/1.1 to a proxy, the target by its whole URL.
    Absolute,
    /// HTTP/2.
    Two,
}

impl Form {
    /// For a connection of that version, to a proxy or not.
    pub(super) const fn of(two: bool, asks_proxy: bool) -> Self {
        match (two, asks_proxy) {
            (true, _) => Self::Two,
            (false, true) => Self::Absolute,
            (false, false) => Self::Origin,
        }
    }

    /// A name as it goes out.
    fn spelled(self, name: &HeaderName) -> String {
        if self == Self::Two { name.as_str().to_owned() } else { title(name) }
    }
}

struct Line {
    name: HeaderName,
    value: HeaderValue,
    /// The value with credentials replaced.
    shown: String,
    /// Whether it may not go to another origin.
    bound: bool,
}

/// What was sent, as evidence shows it.
pub(super) type Shown = Vec<(String, String)>;

impl Outgoing {
    /// Prepares a call.
    ///
    /// # Errors
    /// `template_refused` for what cannot stand in a request, `credential_missing`, `target_refused` for a URL that is
    /// none of http or https.
    pub(super) fn prepare(call: &HttpCall, secrets: &Secrets) -> Result<Self, Failure> {
        let method = Method::from_bytes(call.method.as_bytes())
            .ok()
            .filter(|method| method != Method::CONNECT)
            .ok_or_else(|| failed(FailureKind::TemplateRefused, format!("{:?} is no method to send", call.method)))?;
        let mut url = Url::parse(&call.url)
            .map_err(|e| failed(FailureKind::TargetRefused, format!("the target is not an absolute URL: {e}")))?;
        url.set_fragment(None);
        if !url.username().is_empty() || url.password().is_some() {
            let message = "the target's URL carries credentials; name them under auth";
            return Err(failed(FailureKind::TargetRefused, message));
        }
        let mut lines = Vec::with_capacity(call.headers.len() + 2);
        for (name, field) in &call.headers {
            insert(&mut lines, line(name, field, secrets)?);
        }
        for (name, value) in [(USER_AGENT, AGENT), (ACCEPT, "*/*")] {
            if !lines.iter().any(|line| line.name == name) {
                let line = Line { name, value: HeaderValue::from_static(value), shown: value.to_owned(), bound: false };
                insert(&mut lines, line);
            }
        }
        let auth = call.proxy.as_ref().and_then(|proxy| proxy.auth.as_ref());
        let proxy = auth.map(|(how, variable)| placed(*how, variable, secrets)).transpose()?;
        Ok(Self { method, url, body: call.body.clone().map(Bytes::from), lines, proxy })
    }

    /// Credentials for the proxy.
    pub(super) fn proxy_authorization(&self) -> Option<&HeaderValue> {
        self.proxy.as_ref().map(|(value, _)| value)
    }

    /// Whether sending it twice comes to the same as sending it once. PUT and DELETE do so for the server's state, not
    /// for its answer, which is what a plan looks at.
    pub(super) fn repeatable(&self) -> bool {
        [Method::GET, Method::HEAD, Method::OPTIONS].contains(&self.method)
    }

    /// The request for the wire, and what evidence shows of its headers. Cookies of the jar follow those that the plan
    /// writes, in one line (RFC 6265 section 5.4).
    ///
    /// # Errors
    /// `target_refused` when the URL's path cannot be sent.
    pub(super) fn request(&self, cookies: Option<&str>, form: Form) -> Result<(Request<Full<Bytes>>, Shown), Failure> {
        let target = match form {
            Form::Absolute | Form::Two => Uri::try_from(self.url.as_str()),
            // From the path on, which is where the query stands as well; a fragment was taken off.
            Form::Origin => Uri::try_from(&self.url[Position::BeforePath..]),
        };
        let target =
            target.map_err(|e| failed(FailureKind::TargetRefused, format!("the target's path cannot be sent: {e}")))?;
        let body = self.body.clone().unwrap_or_default();
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = target;
        if form == Form::Two {
            *request.version_mut() = Version::HTTP_2;
        }
        let headers = request.headers_mut();
        headers.reserve(self.lines.len() + 3);
        let mut shown = Vec::with_capacity(self.lines.len() + 3);
        let mut jar = cookies;
        // A connection is no matter of a request in HTTP/2 (RFC 9113 section 8.2.2).
        for line in self.lines.iter().filter(|line| form != Form::Two || line.name != CONNECTION) {
            let cookies = if line.name == COOKIE { jar.take() } else { None };
            match cookies.and_then(|extra| joined(line, extra)) {
                Some((value, text)) => {
                    headers.append(line.name.clone(), value);
                    shown.push((form.spelled(&line.name), text));
                }
                None => {
                    headers.append(line.name.clone(), line.value.clone());
                    shown.push((form.spelled(&line.name), line.shown.clone()));
                }
            }
        }
        let mut own = |name: HeaderName, text: String| {
            if let Some(value) = to_latin1(&text).and_then(|bytes| HeaderValue::from_bytes(&bytes).ok()) {
                shown.push((form.spelled(&name), text));
                headers.append(name, value);
            }
        };
        if form != Form::Two {
            own(HOST, authority(&self.url));
        }
        if let Some(cookies) = jar {
            own(COOKIE, cookies.to_owned());
        }
        match &self.body {
            Some(body) => own(CONTENT_LENGTH, body.len().to_string()),
            None if [Method::POST, Method::PUT, Method::PATCH].contains(&self.method) => {
                own(CONTENT_LENGTH, "0".to_owned());
            }
            None => {}
        }
        if form == Form::Two {
            shown.push((":authority".to_owned(), authority(&self.url)));
        }
        if let Some((value, text)) = self.proxy.as_ref().filter(|_| form == Form::Absolute) {
            shown.push((title(&PROXY_AUTHORIZATION), text.clone()));
            request.headers_mut().append(PROXY_AUTHORIZATION, value.clone());
        }
        Ok((request, shown))
    }

    /// Turns towards the next URL of a redirect chain: the method as browsers rewrite it, without body then; nothing
    /// that is bound to one origin goes to another, and none of it comes back on a way back.
    pub(super) fn turn(&mut self, status: u16, to: Url) {
        let rewritten = match status {
            303 => self.method != Method::HEAD && self.method != Method::GET,
            301 | 302 => self.method == Method::POST,
            _ => false,
        };
        if rewritten {
            self.method = Method::GET;
            self.body = None;
            self.lines.retain(|line| !line.name.as_str().starts_with("content-"));
        }
        if self.url.origin() != to.origin() {
            self.lines.retain(|line| !line.bound);
        }
        self.url = to;
    }
}

/// Adds a line where hyper will write it: lines of one name stand together, at the place of the first.
fn insert(lines: &mut Vec<Line>, line: Line) {
    match lines.iter().rposition(|other| other.name == line.name) {
        Some(last) => lines.insert(last + 1, line),
        None => lines.push(line),
    }
}

fn joined(line: &Line, extra: &str) -> Option<(HeaderValue, String)> {
    let mut bytes = line.value.as_bytes().to_vec();
    bytes.extend_from_slice(b"; ");
    bytes.extend(to_latin1(extra)?);
    let mut value = HeaderValue::from_bytes(&bytes).ok()?;
    value.set_sensitive(line.value.is_sensitive());
    Some((value, format!("{}; {extra}", line.shown)))
}

fn line(name: &str, field: &Field, secrets: &Secrets) -> Result<Line, Failure> {
    let refused = |why: &str| Err(failed(FailureKind::TemplateRefused, format!("the header {name:?} {why}")));
    let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
        return refused("is no header name");
    };
    if OURS.contains(&parsed) {
        return refused("is written by the client alone: it frames or routes the request");
    }
    let bound = [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION].contains(&parsed);
    match field {
        Field::Text(text) => {
            if parsed == CONNECTION && !text.eq_ignore_ascii_case("close") {
                return refused("may only say close");
            }
            let Some(bytes) = to_latin1(text) else {
                return refused("holds characters beyond Latin-1; encode them as its receiver expects");
            };
            let Ok(value) = HeaderValue::from_bytes(&bytes) else {
                return refused("holds a line break or another control character");
            };
            Ok(Line { name: parsed, value, shown: text.clone(), bound })
        }
        Field::Secret(how, variable) => {
            let (value, shown) = placed(*how, variable, secrets)?;
            Ok(Line { name: parsed, value, shown, bound: true })
        }
    }
}

fn placed(how: SecretUse, variable: &str, secrets: &Secrets) -> Result<(HeaderValue, String), Failure> {
    let Some(secret) = secrets.get(variable) else {
        let message = format!("the credential {variable} is not set in the environment");
        return Err(failed(FailureKind::CredentialMissing, message));
    };
    let (scheme, text) = match how {
        SecretUse::Plain => ("", secret.to_owned()),
        SecretUse::Basic => ("Basic ", format!("Basic {}", STANDARD.encode(secret))),
        SecretUse::Bearer => ("Bearer ", format!("Bearer {secret}")),
    };
    let bytes = to_latin1(&text).unwrap_or_else(|| text.into_bytes());
    let Ok(mut value) = HeaderValue::from_bytes(&bytes) else {
        let message = format!("the credential {variable} holds a line break or another character that no header takes");
        return Err(failed(FailureKind::CredentialMissing, message));
    };
    value.set_sensitive(true);
    Ok((value, format!("{scheme}{{env:{variable}}}")))
}

/// Host and, unless it is the scheme's own, port.
fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// The spelling in which hyper writes a name.
fn title(name: &HeaderName) -> String {
    let mut start = true;
    let spell = |c: char| {
        let spelled = if start { c.to_ascii_uppercase() } else { c };
        start = c == '-';
        spelled
    };
    name.as_str().chars().map(spell).collect()
}

#[cfg(test)]
#[path = "outgoing_tests.rs"]
mod tests;
