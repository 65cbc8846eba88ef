//! Plans drafted from requests that somebody has already: a curl command, a HAR file, a Hurl file, an OpenAPI document.
//! A draft claims what it checks, a status, and says in comments what else was seen: what a system answered once is no
//! requirement (plan.md, provenance). Secrets never get into it.

mod curl;
mod har;
mod hurl;
mod openapi;

use std::fmt::Write as _;

use probity_core::header::{is_credential, is_the_clients};
use probity_core::inert::is_unsafe;
use probity_core::json::Json;
use probity_core::secret::{find, is_secret_name};
use url::Url;

pub(crate) use curl::read as curl;
pub(crate) use har::read as har;
pub(crate) use hurl::read as hurl;
pub(crate) use openapi::read as openapi;

/// A draft takes so many requests.
pub(crate) const MOST: usize = 50;

/// A request, with what is known of its answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Request {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Option<Body>,
    /// Credentials that stood apart from the headers.
    pub auth: Option<Auth>,
    /// The status that came, or that is promised.
    pub status: Option<u16>,
    /// The JSON that was answered.
    pub observed: Option<Json>,
    pub insecure: bool,
    pub follow: bool,
    /// The proxy that it goes through, as it was written.
    pub proxy: Option<String>,
    /// Whether that proxy is shown credentials that stood apart from its URL.
    pub proxy_auth: bool,
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    Json(Json),
    Form(Vec<(String, String)>),
    Text(String),
}

/// How a credential is placed; its value stays where it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Auth {
    Basic,
    Bearer,
}

/// What was read: requests, and what cannot be carried over.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub requests: Vec<Request>,
    pub notes: Vec<String>,
}

/// Writes the plan. What is left out on the way is added to the notes.
pub(crate) fn plan(title: &str, source: &mut Source) -> String {
    let mut text = format!("schemaVersion: 2\nrequirement:\n  title: {}\n  criteria:\n", quoted(title));
    let (mut criteria, mut cases) = (String::new(), String::new());
    if source.requests.len() > MOST {
        source.notes.push(format!("{} requests after the first {MOST}", source.requests.len() - MOST));
        source.requests.truncate(MOST);
    }
    let Source { requests, notes } = source;
    for (n, request) in (1..).zip(requests) {
        let (status, says) = match request.status {
            Some(status) => (status.to_string(), format!("Call {n} answers with status {status}.")),
            None => {
                notes.push(format!("call {n}: what it should answer; any of 200, 201, 202, 204 is taken"));
                let says = format!("Call {n} answers with status 200, 201, 202 or 204.");
                ("[200, 201, 202, 204]".to_owned(), says)
            }
        };
        let _ = writeln!(criteria, "    - {{id: CALL-{n}, needs: api, about: status, text: {}}}", quoted(&says));
        let _ = writeln!(cases, "  - id: CALL-{n:03}\n    title: {}", quoted(&named(request)));
        let _ = writeln!(cases, "    covers: [CALL-{n}]\n    steps:");
        step(&mut cases, n, request, notes);
        let _ = writeln!(cases, "        expect:\n          status: {status}");
        if let Some(seen) = request.observed.as_ref().and_then(shape) {
            let _ = writeln!(
                cases,
                "          # from: observed. Answered once, which makes it no requirement: say in the text"
            );
            let _ = writeln!(
                cases,
                "          # what must hold, take `about: status` away there, and then take from this:"
            );
            let _ = writeln!(cases, "          # json: {seen}");
        }
    }
    text.push_str(&criteria);
    text.push_str("cases:\n");
    text.push_str(&cases);
    text
}

/// Method and path, without what may hold a secret.
fn named(request: &Request) -> String {
    let path = Url::parse(&request.url).map_or_else(|_| request.url.clone(), |url| url.path().to_owned());
    format!("{} {path}", request.method).chars().take(120).collect()
}

fn step(out: &mut String, n: usize, request: &Request, notes: &mut Vec<String>) {
    let mut auth = request.auth;
    let url = target(n, &request.url, &mut auth, notes);
    let _ = writeln!(out, "      - http: {}", quoted(&escaped(&format!("{} {url}", request.method))));
    let mut headers = Vec::new();
    let json = matches!(request.body, Some(Body::Json(_)));
    let form = matches!(request.body, Some(Body::Form(_)));
    let mut taken: Vec<String> = Vec::new();
    for (name, value) in &request.headers {
        let lower = name.to_ascii_lowercase();
        let bearer = value.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("bearer "));
        let basic = value.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic "));
        if lower == "authorization" && (bearer || basic) {
            auth = Some(if bearer { Auth::Bearer } else { Auth::Basic });
        } else if is_the_clients(name) || name.starts_with(':') || (lower == "content-type" && (json || form)) {
            let own = ["host", "content-length", "content-type", "connection", "accept-encoding"];
            if !own.contains(&lower.as_str()) && !name.starts_with(':') {
                notes.push(format!("call {n}: the header {name}, which belongs to the client"));
            }
        } else if name.len() > LONGEST_KEY {
            notes.push(format!("call {n}: a header whose name has {} bytes", name.len()));
        } else if taken.contains(&lower) {
            notes.push(format!("call {n}: a second line of the header {name}"));
        } else if is_credential(name) || is_secret_name(name) || !find(&format!("{name}: {value}")).is_empty() {
            headers.push(format!("{}: {{env: {}}}", quoted(name), variable(name)));
            notes.push(format!("call {n}: the value of {name}; set {} where probity is started", variable(name)));
            taken.push(lower);
        } else {
            headers.push(format!("{}: {}", quoted(name), quoted(&escaped(value))));
            taken.push(lower);
        }
    }
    if let Some(auth) = auth {
        let (how, name) = match auth {
            Auth::Basic => ("basic", "API_USER_AND_PASSWORD"),
            Auth::Bearer => ("bearer", "API_TOKEN"),
        };
        let _ = writeln!(out, "        auth: {{{how}: {{env: {name}}}}}");
        notes.push(format!("call {n}: its credentials; set {name} where probity is started"));
    }
    if !headers.is_empty() {
        let _ = writeln!(out, "        headers: {{{}}}", headers.join(", "));
    }
    match &request.body {
        Some(Body::Json(value)) => match unsayable(value) {
            Some(why) => notes.push(format!("call {n}: its body, in which {why}")),
            None => drop(writeln!(out, "        json: {}", on_a_line(&without_secrets(n, value, notes)))),
        },
        Some(Body::Form(pairs)) => {
            let pairs = pairs.iter().map(|(name, value)| (name.as_str(), Json::from(value.as_str())));
            let pairs = Json::map(pairs);
            match unsayable(&pairs) {
                Some(why) => notes.push(format!("call {n}: its form, in which {why}")),
                None => drop(writeln!(out, "        form: {}", on_a_line(&without_secrets(n, &pairs, notes)))),
            }
        }
        Some(Body::Text(text)) if find(text).is_empty() => {
            let _ = writeln!(out, "        body: {}", quoted(&escaped(text)));
        }
        Some(Body::Text(_)) => notes.push(format!("call {n}: its body, which holds what looks like a secret")),
        None => {}
    }
    if let Some(proxy) = &request.proxy {
        through(out, n, proxy, request.proxy_auth, notes);
    }
    if request.insecure {
        out.push_str("        tls: {insecure: true}\n");
    }
    if request.follow {
        out.push_str("        followRedirects: 5\n");
    }
}

/// The proxy, with credentials named and not written; `HOST:PORT` is one that speaks HTTP, as for curl.
fn through(out: &mut String, n: usize, proxy: &str, auth: bool, notes: &mut Vec<String>) {
    let text = if proxy.contains("://") { proxy.to_owned() } else { format!("http://{proxy}") };
    let url = Url::parse(&text).ok().filter(|url| url.scheme() == "http");
    let Some((url, host)) = url.as_ref().and_then(|url| Some((url, url.host_str()?))) else {
        notes.push(format!("call {n}: its proxy, which is no http URL"));
        return;
    };
    // Without a port curl takes 1080; port 80 is none to a reader of URLs.
    let eighty = text.trim_end_matches('/').ends_with(":80");
    let address = format!("http://{host}:{}", url.port().unwrap_or(if eighty { 80 } else { 1080 }));
    if auth || !url.username().is_empty() || url.password().is_some() {
        let _ = writeln!(
            out,
            "        proxy: {{url: {}, auth: {{basic: {{env: PROXY_USER_AND_PASSWORD}}}}}}",
            quoted(&address)
        );
        notes.push(format!(
            "call {n}: the credentials of its proxy; set PROXY_USER_AND_PASSWORD where probity is started"
        ));
    } else {
        let _ = writeln!(out, "        proxy: {}", quoted(&address));
    }
}

/// A key of a map that stands in one line: YAML reads no more than 1024 characters of it, and each may be escaped.
const LONGEST_KEY: usize = 160;

/// Why no plan can say a value, in words, if none can.
fn unsayable(value: &Json) -> Option<&'static str> {
    match value {
        Json::Map(map) if map.has_repeated_key() => Some("a key stands twice"),
        Json::Map(map) if map.iter().any(|(key, _)| key.len() > LONGEST_KEY) => Some("a key is very long"),
        Json::Map(map) => map.iter().find_map(|(_, item)| unsayable(item)),
        Json::List(items) => items.iter().find_map(unsayable),
        _ => None,
    }
}

/// The URL without credentials, fragment, and parameters that hold a secret.
fn target(n: usize, text: &str, auth: &mut Option<Auth>, notes: &mut Vec<String>) -> String {
    let Ok(mut url) = Url::parse(text) else { return text.to_owned() };
    if !url.username().is_empty() || url.password().is_some() {
        *auth = auth.or(Some(Auth::Basic));
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    url.set_fragment(None);
    let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
    let secret =
        |(name, value): &(String, String)| is_secret_name(name) || !find(&format!("{name}={value}")).is_empty();
    if pairs.iter().any(secret) {
        url.set_query(None);
        for pair in &pairs {
            if secret(pair) {
                notes.push(format!("call {n}: the parameter {}, which holds what looks like a secret", pair.0));
            } else {
                url.query_pairs_mut().append_pair(&pair.0, &pair.1);
            }
        }
    }
    url.to_string()
}

/// A value whose secrets are left out and whose braces are no references.
fn without_secrets(n: usize, value: &Json, notes: &mut Vec<String>) -> Json {
    match value {
        Json::Map(map) => Json::map(
            map.iter()
                .filter_map(|(name, item)| {
                    if is_secret_name(name) {
                        notes.push(format!("call {n}: {name} in its body, which looks like a secret"));
                        return None;
                    }
                    Some((name.to_owned(), without_secrets(n, item, notes)))
                })
                .collect::<Vec<_>>(),
        ),
        Json::List(items) => Json::List(items.iter().map(|item| without_secrets(n, item, notes)).collect()),
        Json::Text(text) if !find(text).is_empty() => {
            notes.push(format!("call {n}: a text of its body, which looks like a secret"));
            Json::from("left-out")
        }
        Json::Text(text) => Json::from(escaped(text)),
        other => other.clone(),
    }
}

/// The variable for a credential header.
fn variable(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' };
    let name: String = name.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) { format!("_{name}") } else { name }
}

/// As text in double quotes, which YAML reads as JSON does.
fn quoted(text: &str) -> String {
    on_a_line(&Json::from(text))
}

/// A value in one line, in which nothing acts on who reads it: what JSON may hold as it is and YAML may not, and what
/// turns a line around, is escaped. Such characters stand in texts only.
fn on_a_line(value: &Json) -> String {
    let mut line = String::new();
    for c in value.to_string().chars() {
        match u16::try_from(u32::from(c)) {
            Ok(unit) if is_unsafe(c) => {
                let _ = write!(line, "\\u{unit:04x}");
            }
            _ => line.push(c),
        }
    }
    line
}

/// Braces that are meant as such.
fn escaped(text: &str) -> String {
    text.replace('{', "{{")
}

/// The types of an answer's first fields, never their values: those may be secrets, and one answer is no rule.
pub(crate) fn shape(value: &Json) -> Option<String> {
    let plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let kind = |value: &Json| match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::Text(_) | Json::BrokenText(_) => "string",
        Json::List(_) => "array",
        Json::Map(_) => "object",
    };
    match value {
        Json::Map(map) => {
            let rows: Vec<String> = map
                .iter()
                .filter(|(name, _)| plain(name))
                .take(8)
                .map(|(name, value)| format!("{name}: {{type: {}}}", kind(value)))
                .collect();
            (!rows.is_empty()).then(|| format!("{{{}}}", rows.join(", ")))
        }
        Json::List(_) => Some("{$: {type: array}}".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
