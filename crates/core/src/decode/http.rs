//! The request of a seed-form step with the action `api`, `pollApi` or `cleanupApi`.

use super::reading::{Reading, entry, field, flag, number, text};
use super::reference::Use;
use crate::codes::Code;
use crate::document::{Key, Node, Place, Value};
use crate::header;
use crate::json::Json;
use crate::origin::{Destination, OriginError, TargetError, destination};
use crate::plan::{Auth, Body, HttpStep, HttpVersion, Poll};
use crate::vars::is_name;

/// Cap of a body where the step names none: 10 MiB.
const MAX_BODY: u64 = 10 << 20;

impl Reading<'_> {
    /// The request; `None` where something it needs is missing, which is named.
    pub(super) fn http(&mut self, step: &Node, polls: bool) -> Option<HttpStep> {
        let method = self.method(step);
        let target = self.target(step);
        let query = self.pairs(step, "query", Use::Data);
        let (headers, bearer) = self.headers_to_send(step);
        let body = self.body(step);
        let auth = self.auth(step, bearer);
        let http_version = self.asked_version(step);
        let poll = polls.then(|| self.poll(step));
        let proxy = self.proxy(step).map(Box::new);
        let unix_socket = self.unix_socket(step);
        if let Some((key, value)) = entry(step, "encodePathVars")
            && value.as_bool() == Some(false)
        {
            let help = "values in paths are always percent-encoded";
            self.error(Code::NotSupported, key.place, "`encodePathVars: false` is not supported", help);
        }
        let tls = field(step, "tls");
        let client = tls.and_then(|tls| self.client_certificate(tls)).map(Box::new);
        Some(HttpStep {
            method: method?,
            target: target?,
            query,
            headers,
            body,
            auth,
            follow_redirects: number(step, "followRedirects").and_then(|n| u8::try_from(n).ok()).unwrap_or(0),
            cookies: flag(step, "cookies").unwrap_or(true),
            decompress: flag(step, "decompress").unwrap_or(true),
            max_body: number(step, "maxBodyBytes").unwrap_or(MAX_BODY),
            http_version,
            insecure: tls.and_then(|tls| flag(tls, "insecure")).unwrap_or(false),
            ca: tls.and_then(|tls| text(tls, "ca")),
            client,
            proxy,
            unix_socket,
            poll,
            capture_request: flag(step, "captureRequestBody").or_else(|| flag(step, "captureRequest")).unwrap_or(false),
        })
    }

    /// Names a field of the language that this build does not perform.
    pub(super) fn refuse_field(&mut self, node: &Node, name: &str) {
        if let Some((key, _)) = entry(node, name) {
            let help = "remove it, or use a build that performs it";
            self.error(Code::NotSupported, key.place, format!("`{name}` is not supported by this build"), help);
        }
    }

    fn method(&mut self, step: &Node) -> Option<String> {
        let Some(node) = field(step, "method") else { return Some("GET".into()) };
        let method = node.as_text()?.to_ascii_uppercase();
        if method.contains(['{', '}']) {
            let help = "write the method out; values may not choose what is done";
            self.error(Code::TemplateBreakout, node.place, "the method holds a placeholder", help);
            return None;
        }
        if method.is_empty() || method.len() > 32 || !method.bytes().all(header::is_token) {
            let help = "write a method such as GET, POST, PUT, PATCH or DELETE";
            self.error(Code::ValueOutOfRange, node.place, "the method is no HTTP method", help);
            return None;
        }
        if method == "CONNECT" {
            let help = "name the target itself";
            self.error(Code::NotSupported, node.place, "CONNECT opens a tunnel and is not supported", help);
            return None;
        }
        Some(method)
    }

    fn target(&mut self, step: &Node) -> Option<String> {
        let names = ["path", "pathTemplate", "url", "urlTemplate"];
        let found: Vec<(&str, &Node)> = names.iter().filter_map(|name| Some((*name, field(step, name)?))).collect();
        let (name, node) = match found.as_slice() {
            [] => {
                let help = "add `path` (below the environment's url) or an absolute `url`";
                self.error(Code::MissingField, step.place, "the request has no target", help);
                return None;
            }
            [one] => *one,
            [(first, _), (second, node), ..] => {
                let message = format!("the request has two targets, `{first}` and `{second}`");
                self.error(Code::UnknownField, node.place, message, "keep one of them");
                return None;
            }
        };
        let target = node.as_text()?;
        if let Some((code, what, help)) = target_fault(target, name.starts_with("path")) {
            self.error(code, node.place, what, help);
            return None;
        }
        self.template(target, node.place).then(|| target.to_owned())
    }

    /// Pairs of a query or form; a list makes a pair of each item.
    fn pairs(&mut self, step: &Node, name: &str, r#use: Use) -> Vec<(String, Json)> {
        let mut pairs = Vec::new();
        for (key, value) in field(step, name).and_then(Node::as_map).unwrap_or_default() {
            match value.as_list() {
                Some(items) => {
                    pairs.extend(items.iter().map(|item| (key.name.to_string(), self.single(item, r#use))));
                }
                None => pairs.push((key.name.to_string(), self.single(value, r#use))),
            }
        }
        pairs
    }

    /// A scalar or a reference; another map is named.
    pub(super) fn single(&mut self, node: &Node, r#use: Use) -> Json {
        let data = self.data(node, r#use);
        if matches!(&data, Json::Map(map) if !map.iter().any(|(key, _)| key.starts_with('$'))) {
            let help = "write a text, or a map whose only key is $var, $template or (for credentials) $env";
            self.error(Code::WrongType, node.place, "a map stands where one value should", help);
        }
        data
    }

    /// The header lines, and the variable of a bearer token that stands in one of them.
    fn headers_to_send(&mut self, step: &Node) -> (Vec<(String, Json)>, Option<String>) {
        let (mut headers, mut bearer): (Vec<(String, Json)>, _) = (Vec::new(), None);
        for (key, value) in field(step, "headers").and_then(Node::as_map).unwrap_or_default() {
            // Pseudo headers are no tokens and have a code of their own, so they are asked about first.
            if !self.header_allowed(key) || !self.header_name(key) {
                continue;
            }
            if headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(&key.name)) {
                let message = format!("the header `{}` stands twice", key.name);
                self.error(Code::DuplicateKey, key.place, message, "remove one of the two");
            }
            if let Some(variable) = self.bearer_header(key, value) {
                bearer = Some(variable);
                continue;
            }
            if value.as_text().is_some_and(|text| text.contains(|c: char| c != '\t' && c.is_control())) {
                let message = format!("the header `{}` holds a control character", key.name);
                self.error(Code::ValueOutOfRange, value.place, message, "write one line of text");
            }
            let value = self.single(value, Use::Credential);
            headers.push((key.name.to_string(), value));
        }
        (headers, bearer)
    }

    /// `authorization: {env: NAME, prefix: "Bearer "}`, which means `auth: {bearer: {env: NAME}}`.
    fn bearer_header(&self, key: &Key, value: &Node) -> Option<String> {
        let pairs = value.as_map().filter(|pairs| pairs.len() == 2)?;
        let get = |name: &str| pairs.iter().find(|(key, _)| key.name == name).and_then(|(_, node)| node.as_text());
        let variable = get("$env").or_else(|| get("env"))?;
        let means = self.forms == super::reading::Forms::Any
            && key.name.eq_ignore_ascii_case("authorization")
            && get("prefix") == Some("Bearer ")
            && is_name(variable);
        means.then(|| variable.to_owned())
    }

    /// Whether a header's name is a token (RFC 9110, 5.1).
    pub(super) fn header_name(&mut self, key: &Key) -> bool {
        let fine = header::is_name(&key.name);
        if !fine {
            let help = "use letters, digits and hyphens";
            self.error(Code::ValueOutOfRange, key.place, "the name of a header is no name that HTTP knows", help);
        }
        fine
    }

    fn header_allowed(&mut self, key: &Key) -> bool {
        let forbidden = header::is_the_clients(&key.name);
        if forbidden {
            let message = format!("`{}` routes or frames the message and belongs to the client", key.name);
            self.error(Code::HeaderForbidden, key.place, message, "remove it");
        }
        !forbidden
    }

    fn body(&mut self, step: &Node) -> Option<Body> {
        let names = ["json", "form", "multipart", "body", "bodyFile"];
        let found: Vec<(&str, &Node)> = names.iter().filter_map(|name| Some((*name, field(step, name)?))).collect();
        if let [(first, _), (second, node), ..] = found.as_slice() {
            let message = format!("the request has two bodies, `{first}` and `{second}`");
            self.error(Code::UnknownField, node.place, message, "keep one of them");
        }
        let (name, node) = found.first()?;
        Some(match *name {
            "json" => Body::Json(self.data(node, Use::Sent)),
            "form" => Body::Form(self.pairs(step, "form", Use::Sent)),
            "multipart" => Body::Multipart(self.parts(step, node)),
            "body" => Body::Text(self.single(node, Use::Data)),
            _ => Body::File(node.as_text()?.to_owned()),
        })
    }

    fn auth(&mut self, step: &Node, bearer: Option<String>) -> Option<Auth> {
        match field(step, "auth") {
            Some(node) => self.credentials(node, bearer.is_some()),
            None => bearer.map(Auth::Bearer),
        }
    }

    /// `{basic: {env: NAME}}` or `{bearer: {env: NAME}}`, where no other credential stands already.
    pub(super) fn credentials(&mut self, node: &Node, another: bool) -> Option<Auth> {
        let credential = |kind: &str| Some((kind == "basic", node.get(kind)?));
        let (basic, credential) = match (credential("basic"), credential("bearer")) {
            (Some(one), None) | (None, Some(one)) if !another => one,
            _ => {
                let help = "write {basic: {env: NAME}} or {bearer: {env: NAME}}";
                self.error(Code::WrongType, node.place, "`auth` has not exactly one credential", help);
                return None;
            }
        };
        // A credential of another type was named by the shape check.
        credential.as_map()?;
        let name = self.variable(credential)?;
        Some(if basic { Auth::Basic(name) } else { Auth::Bearer(name) })
    }

    /// The variable of `{env: NAME}`.
    pub(super) fn variable(&mut self, node: &Node) -> Option<String> {
        let name = node.get("$env").or_else(|| node.get("env")).and_then(Node::as_text);
        let name = name.filter(|name| is_name(name) && node.as_map().is_some_and(|map| map.len() == 1));
        if name.is_none() {
            let message = "a credential is not a reference to one environment variable";
            self.error(Code::ReferenceMalformed, node.place, message, "write {env: NAME}");
        }
        name.map(str::to_owned)
    }

    fn asked_version(&mut self, step: &Node) -> HttpVersion {
        let Some(node) = field(step, "httpVersion") else { return HttpVersion::Auto };
        let token = match &node.value {
            Value::Number(number) => number.token(),
            _ => node.as_text().unwrap_or_default(),
        };
        match token {
            "auto" => HttpVersion::Auto,
            "1.1" => HttpVersion::One,
            "2" => HttpVersion::Two,
            _ => {
                let message = format!("`{token}` is no HTTP version that can be asked for");
                self.error(Code::ValueOutOfRange, node.place, message, "write auto, 1.1 or 2");
                HttpVersion::Auto
            }
        }
    }

    pub(super) fn poll(&mut self, step: &Node) -> Poll {
        let every_ms = number(step, "pollIntervalMs").unwrap_or(1000);
        let for_ms = number(step, "pollTimeoutMs").unwrap_or(30_000);
        if for_ms < every_ms {
            let place = field(step, "pollTimeoutMs").map_or(step.place, |node| node.place);
            let message = format!("the time for all tries ({for_ms} ms) is shorter than the pause ({every_ms} ms)");
            self.error(Code::ValueOutOfRange, place, message, "give it more time, or a shorter pause");
        }
        let tries = for_ms.div_ceil(every_ms.max(1)).saturating_add(1);
        let tries = number(step, "maxAttempts").unwrap_or(tries);
        Poll { every_ms, for_ms, tries: u32::try_from(tries).unwrap_or(u32::MAX) }
    }

    /// Where a field's value stands; the step itself if it has none.
    pub(super) fn place_of(step: &Node, name: &str) -> Place {
        field(step, name).map_or(step.place, |node| node.place)
    }
}

/// What is wrong with a target: its code, what it is, and what to write.
fn target_fault(target: &str, is_path: bool) -> Option<(Code, String, &'static str)> {
    if target.len() > 8192 {
        let what = "the target is longer than 8192 bytes".to_owned();
        return Some((Code::UrlMalformed, what, "put what is long into the body"));
    }
    let fault = match destination(target) {
        Ok(Destination::Path) if is_path => return None,
        Ok(Destination::On(_)) if !is_path => return None,
        Ok(Destination::Path) => "the URL is a path".to_owned(),
        Ok(Destination::On(_)) => "the path is a whole URL".to_owned(),
        Err(TargetError::Breakout) => {
            let help = "write scheme, host and port out; values may stand in the path and the query";
            return Some((
                Code::TemplateBreakout,
                "the target lets a value choose where the request goes".into(),
                help,
            ));
        }
        Err(TargetError::Origin(OriginError::Credentials)) => {
            let help = "write auth: {basic: {env: NAME}}";
            return Some((Code::UrlMalformed, "the URL carries credentials".to_owned(), help));
        }
        Err(TargetError::Character) => {
            let what = format!("the target {}", TargetError::Character);
            return Some((Code::UrlMalformed, what, "percent-encode it: a space is %20"));
        }
        Err(error) => format!("the target {error}"),
    };
    let help = if is_path { "begin it with one /, or write an absolute URL as url" } else { "write https://host/path" };
    Some((Code::UrlMalformed, fault, help))
}
