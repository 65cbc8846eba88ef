//! A call as data: how the journal keeps it, and how it is named.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::ids::{Digest, Id};
use crate::json::{Json, Map, canonical};
use crate::observe::{CommandCall, Field, HttpCall, LogCall, SecretUse};
use crate::plan::{HttpVersion, KeySource};

/// Bodies up to this many bytes stand in the entry, longer ones by digest.
const INLINE: usize = 4096;

/// A call with every reference resolved and every credential named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// An HTTP request.
    Http(HttpCall),
    /// A command.
    Command(CommandCall),
    /// A look at a log.
    Log(LogCall),
}

impl Call {
    /// The call as the body of an intent: texts, whole numbers, lists and maps only, so that it has a canonical form.
    ///
    /// Bodies are `{"text"}` or `{"base64"}` up to 4096 bytes, else `{"sha256", "bytes"}`; credentials are
    /// `{"$env": NAME, "as": "plain"|"basic"|"bearer"}`. What a plan may leave out (the ways to the target) is left out
    /// here as well.
    #[must_use]
    pub fn to_json(&self) -> Json {
        match self {
            Self::Http(call) => http(call),
            Self::Command(call) => command(call),
            Self::Log(call) => Json::map([
                ("kind", Json::from("log")),
                ("service", (&call.service).into()),
                ("timeout_ms", whole(call.timeout_ms)),
            ]),
        }
    }

    /// The digest of the canonical form.
    #[must_use]
    pub fn digest(&self) -> Digest {
        call_digest(&self.to_json())
    }
}

/// Digest of a call in the form that [`Call::to_json`] gives.
pub(crate) fn call_digest(call: &Json) -> Digest {
    // That form is canonical by construction; its plain text would serve as well.
    Digest::of(&canonical(call).unwrap_or_else(|_| call.to_string().into_bytes()))
}

/// The idempotency key of an action: digest of the run's nonce, case, step and resolved call (design.md section 3).
#[must_use]
pub fn idempotency_key(nonce: &str, scenario: &Id, step: &Id, call: &Digest) -> Digest {
    let parts = Json::list([Json::from(nonce), scenario.into(), step.into(), (*call).into()]);
    Digest::of(&canonical(&parts).unwrap_or_else(|_| parts.to_string().into_bytes()))
}

fn http(call: &HttpCall) -> Json {
    let mut map = Map::new();
    map.push("kind", "http");
    map.push("method", call.method.as_str());
    map.push("url", call.url.as_str());
    map.push("headers", fields(&call.headers));
    map.push("body", call.body.as_deref().map(bytes));
    map.push("timeout_ms", whole(call.timeout_ms));
    map.push("follow_redirects", call.follow_redirects);
    map.push("cookies", call.cookies);
    map.push("decompress", call.decompress);
    map.push("max_body", whole(call.max_body));
    map.push("insecure", call.insecure);
    map.push("ca", call.ca.as_deref().map(by_digest));
    map.push("origins", Json::list(call.origins.iter().map(ToString::to_string)));
    if call.version != HttpVersion::Auto {
        map.push("version", call.version.as_str());
    }
    if let Some(client) = &call.client {
        let key = match &client.key {
            KeySource::Env(name) => Json::map([("$env", name.as_str())]),
            KeySource::File(path) => Json::map([("file", path.as_str())]),
        };
        map.push("client", Json::map([("cert", by_digest(&client.cert)), ("key", key)]));
    }
    if let Some(proxy) = &call.proxy {
        let auth = proxy.auth.as_ref().map_or(Json::Null, |(placed, variable)| secret(*placed, variable));
        map.push("proxy", Json::map([("url", Json::from(proxy.origin.to_string())), ("auth", auth)]));
    }
    if let Some(socket) = &call.unix_socket {
        map.push("unix_socket", socket.as_str());
    }
    Json::Map(map)
}

/// A credential by name.
fn secret(placed: SecretUse, variable: &str) -> Json {
    let placed = match placed {
        SecretUse::Plain => "plain",
        SecretUse::Basic => "basic",
        SecretUse::Bearer => "bearer",
    };
    Json::map([("$env", variable), ("as", placed)])
}

fn command(call: &CommandCall) -> Json {
    let mut map = Map::new();
    map.push("kind", "command");
    map.push("argv", Json::list(&call.argv));
    map.push("cwd", call.cwd.as_str());
    map.push("env", fields(&call.env));
    map.push("stdin", call.stdin.as_deref().map(bytes));
    map.push("timeout_ms", whole(call.timeout_ms));
    Json::Map(map)
}

/// Pairs as lists of two: names may repeat, and their order is part of the call.
fn fields(pairs: &[(String, Field)]) -> Json {
    Json::list(pairs.iter().map(|(name, field)| {
        let value = match field {
            Field::Text(text) => Json::from(text),
            Field::Secret(placed, variable) => secret(*placed, variable),
        };
        Json::list([Json::from(name), value])
    }))
}

fn bytes(bytes: &[u8]) -> Json {
    if bytes.len() > INLINE {
        return by_digest(bytes);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Json::map([("text", text)]),
        Err(_) => Json::map([("base64", STANDARD.encode(bytes))]),
    }
}

fn by_digest(bytes: &[u8]) -> Json {
    Json::map([("sha256", Json::from(Digest::of(bytes))), ("bytes", bytes.len().into())])
}

/// A number that may be beyond what the canonical form holds becomes its text.
fn whole(n: u64) -> Json {
    if n < 1 << 53 { n.into() } else { n.to_string().into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::Origin;
    use crate::observe::{ClientIdentity, ProxyCall};

    fn call() -> HttpCall {
        HttpCall {
            method: "POST".into(),
            url: "http://a:1/x".into(),
            headers: vec![
                ("a".into(), Field::Text("b".into())),
                ("authorization".into(), Field::Secret(SecretUse::Bearer, "TOKEN".into())),
            ],
            body: Some(b"{\"n\":1.5}".to_vec()),
            timeout_ms: u64::MAX,
            follow_redirects: 3,
            cookies: true,
            decompress: true,
            max_body: 10,
            insecure: false,
            ca: Some(b"pem".to_vec()),
            client: Some(Box::new(ClientIdentity { cert: b"cert".to_vec(), key: KeySource::File("k.pem".into()) })),
            version: HttpVersion::Two,
            proxy: Some(Box::new(ProxyCall {
                origin: Origin::of("http://p:1").unwrap(),
                auth: Some((SecretUse::Basic, "P".into())),
            })),
            unix_socket: Some("s".into()),
            origins: vec![Origin::of("http://a:1").unwrap()],
        }
    }

    #[test]
    fn has_a_canonical_form() {
        let json = Call::Http(call()).to_json();
        assert!(canonical(&json).is_ok());
        assert_eq!(
            json.get("headers").unwrap().to_string(),
            r#"[["a","b"],["authorization",{"$env":"TOKEN","as":"bearer"}]]"#
        );
        assert_eq!(json.get("body").unwrap().to_string(), r#"{"text":"{\"n\":1.5}"}"#);
        assert_eq!(json.get("origins").unwrap().to_string(), r#"["http://a:1"]"#);
        assert_eq!(json.get("client").unwrap().get("key").unwrap().to_string(), r#"{"file":"k.pem"}"#);
        assert_eq!(json.get("proxy").unwrap().to_string(), r#"{"url":"http://p:1","auth":{"$env":"P","as":"basic"}}"#);
        assert_eq!(bytes(&[0xff]).to_string(), r#"{"base64":"/w=="}"#);
        assert!(bytes(&[b'a'; INLINE]).get("text").is_some());
        assert_eq!(bytes(&[b'a'; INLINE + 1]).get("bytes").unwrap().to_string(), "4097");
    }

    #[test]
    fn every_part_changes_the_digest() {
        let base = Call::Http(call()).digest();
        let changes: [fn(&mut HttpCall); 18] = [
            |c| c.method = "PUT".into(),
            |c| c.url.push('y'),
            |c| c.headers.swap(0, 1),
            |c| c.body = None,
            |c| c.timeout_ms = 1,
            |c| c.follow_redirects = 0,
            |c| c.cookies = false,
            |c| c.decompress = false,
            |c| c.max_body = 11,
            |c| c.insecure = true,
            |c| c.ca = None,
            |c| c.origins.clear(),
            |c| c.client = None,
            |c| c.client.as_mut().unwrap().key = KeySource::Env("k.pem".into()),
            |c| c.version = HttpVersion::Auto,
            |c| c.proxy = None,
            |c| c.proxy.as_mut().unwrap().auth = None,
            |c| c.unix_socket = None,
        ];
        for (i, change) in changes.into_iter().enumerate() {
            let mut other = call();
            change(&mut other);
            assert_ne!(Call::Http(other).digest(), base, "{i}");
        }
        assert_eq!(Call::Http(call()).digest(), base);
    }

    #[test]
    fn keys_bind_run_case_step_and_call() {
        let (a, b) = (Id::parse("A").unwrap(), Id::parse("B").unwrap());
        let key = idempotency_key("n", &a, &b, &Digest::of(b"x"));
        assert_eq!(key, idempotency_key("n", &a, &b, &Digest::of(b"x")));
        for other in [
            idempotency_key("m", &a, &b, &Digest::of(b"x")),
            idempotency_key("n", &b, &a, &Digest::of(b"x")),
            idempotency_key("n", &a, &b, &Digest::of(b"y")),
        ] {
            assert_ne!(key, other);
        }
    }
}
