//! How a request travels: its proxy, its Unix socket, the certificate that it shows; and bodies in parts.

use super::reading::{Reading, field, text};
use super::reference::Use;
use crate::codes::Code;
use crate::document::{Node, Value};
use crate::environment::Origin;
use crate::header;
use crate::plan::{BodyPart, ClientCertificate, KeySource, PartContent, Proxy};
use crate::recorded::leaves_folder;

impl Reading<'_> {
    /// `proxy: http://HOST:PORT`, or `{url, auth}`.
    pub(super) fn proxy(&mut self, step: &Node) -> Option<Proxy> {
        let node = field(step, "proxy")?;
        let url = if node.as_text().is_some() { Some(node) } else { field(node, "url") }?;
        let written = url.as_text()?;
        let bare = |origin: &Origin| origin.scheme == "http" && written.trim_end_matches('/').matches('/').count() == 2;
        let origin = Origin::of(written).ok().filter(|origin| bare(origin) && !written.contains(['{', '?', '#']));
        let auth = field(node, "auth").and_then(|auth| self.credentials(auth, false));
        if origin.is_none() {
            let help = "write http://HOST:PORT; credentials go into proxy.auth: {basic: {env: NAME}}";
            self.error(Code::UrlMalformed, url.place, "the proxy is no http URL of host and port alone", help);
        }
        Some(Proxy { origin: origin?, auth })
    }

    /// `unixSocket: NAME`, a name inside the project.
    pub(super) fn unix_socket(&mut self, step: &Node) -> Option<String> {
        let node = field(step, "unixSocket")?;
        let name = self.inside(node, "the socket")?;
        if let Some(proxy) = field(step, "proxy") {
            let message = "the request has two ways to its target, `unixSocket` and `proxy`";
            self.error(Code::UnknownField, proxy.place, message, "keep one of them");
        }
        Some(name)
    }

    /// A name that stays inside the project and in which nothing is filled.
    fn inside(&mut self, node: &Node, what: &str) -> Option<String> {
        let name = node.as_text()?;
        if leaves_folder(name) {
            let help = "name a file below the project's folder, relative to it";
            self.error(Code::CommandPathOutside, node.place, format!("{what} lies outside the project"), help);
            return None;
        }
        Some(name.to_owned())
    }

    /// `tls: {cert, key}`: both or none.
    pub(super) fn client_certificate(&mut self, tls: &Node) -> Option<ClientCertificate> {
        let (cert, key) = match (text(tls, "cert"), field(tls, "key")) {
            (None, None) => return None,
            (Some(cert), Some(key)) => (cert, key),
            (cert, _) => {
                let (has, lacks) = if cert.is_some() { ("cert", "key") } else { ("key", "cert") };
                let message = format!("`tls` has a `{has}` and no `{lacks}`");
                self.error(Code::MissingField, tls.place, message, "write both: the certificate and its key");
                return None;
            }
        };
        let key = match &key.value {
            Value::Text(_) => KeySource::File(self.inside(key, "the key")?),
            _ => KeySource::Env(self.variable(key)?),
        };
        Some(ClientCertificate { cert, key })
    }

    /// The parts of a `multipart` body; a list makes a part of each item.
    pub(super) fn parts(&mut self, step: &Node, node: &Node) -> Vec<BodyPart> {
        let own = field(step, "headers").and_then(Node::as_map).unwrap_or_default();
        if let Some((key, _)) = own.iter().find(|(key, _)| key.name.eq_ignore_ascii_case("content-type")) {
            let message = "`content-type` names the border of the parts and belongs to the client";
            self.error(Code::HeaderForbidden, key.place, message, "remove it");
        }
        let mut parts = Vec::new();
        for (key, value) in node.as_map().unwrap_or_default() {
            for item in value.as_list().unwrap_or(std::slice::from_ref(value)) {
                parts.extend(self.part(&key.name, item));
            }
        }
        if node.as_map().is_some_and(<[_]>::is_empty) {
            self.error(Code::MissingField, node.place, "`multipart` has no part", "name a field and its value");
        }
        parts
    }

    fn part(&mut self, name: &str, node: &Node) -> Option<BodyPart> {
        let media = field(node, "type").filter(|_| is_part(node));
        if let Some(wrong) = media.filter(|media| !media.as_text().is_some_and(header::is_media_type)) {
            self.error(Code::ValueOutOfRange, wrong.place, "the type of a part is no media type", "write image/png");
        }
        let content = match (field(node, "file"), field(node, "value")) {
            (Some(_), Some(value)) if is_part(node) => {
                let message = "a part has a `file` and a `value`";
                self.error(Code::UnknownField, value.place, message, "keep one of them");
                return None;
            }
            (Some(file), None) if is_part(node) => {
                let path = file.as_text()?.to_owned();
                let last = path.rsplit('/').next().unwrap_or_default().to_owned();
                PartContent::File { filename: text(node, "filename").unwrap_or(last), path }
            }
            (None, Some(_)) if field(node, "filename").is_some() => {
                let message = "`filename` names a `file`, and the part has none";
                self.error(Code::UnknownField, node.place, message, "remove it, or name a file");
                return None;
            }
            (None, Some(value)) if is_part(node) => PartContent::Value(self.single(value, Use::Sent)),
            _ => PartContent::Value(self.single(node, Use::Sent)),
        };
        Some(BodyPart { name: name.to_owned(), content, media: media.and_then(Node::as_text).map(str::to_owned) })
    }
}

/// Whether a map is a part and no reference.
fn is_part(node: &Node) -> bool {
    node.as_map().is_some_and(|map| map.iter().any(|(key, _)| matches!(key.name.as_str(), "file" | "value")))
}
