//! A request as a `curl` line that can be tried by hand. Credentials stand in it as `$NAME`.

use probity_core::observe::{Field, HttpCall, SecretUse};
use probity_core::plan::HttpVersion;

use crate::answer::site::{quoted, word};

/// The largest body that stands in the line.
const LARGEST: usize = 2048;

/// The line. A body that is long or no plain text is named, not shown.
pub(crate) fn curl(call: &HttpCall) -> String {
    let mut words = vec!["curl".to_owned(), "-sS".to_owned(), "-i".to_owned()];
    if call.method != "GET" {
        words.extend(["-X".to_owned(), word(&call.method)]);
    }
    for (name, field) in &call.headers {
        match field {
            Field::Text(value) => words.extend(["-H".to_owned(), quoted(&format!("{name}: {value}"))]),
            Field::Secret(SecretUse::Plain, variable) => {
                words.extend(["-H".to_owned(), format!("\"{name}: ${variable}\"")]);
            }
            Field::Secret(SecretUse::Bearer, variable) => {
                words.extend(["-H".to_owned(), format!("\"{name}: Bearer ${variable}\"")]);
            }
            Field::Secret(SecretUse::Basic, variable) => words.extend(["-u".to_owned(), format!("\"${variable}\"")]),
        }
    }
    words.extend(way(call));
    if let Some(body) = &call.body {
        let text = std::str::from_utf8(body).ok().filter(|text| body.len() <= LARGEST && !text.contains(unfit));
        words.push("--data-binary".to_owned());
        words.push(text.map_or_else(|| "@BODY".to_owned(), quoted));
    }
    words.push(quoted(&call.url));
    words.join(" ")
}

/// How it gets there. Files that the call holds the bytes of are named, not shown.
fn way(call: &HttpCall) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut add = |more: &[&str]| words.extend(more.iter().map(|&word| word.to_owned()));
    match call.version {
        HttpVersion::Auto => {}
        HttpVersion::One => add(&["--http1.1"]),
        HttpVersion::Two if call.url.starts_with("https:") => add(&["--http2"]),
        HttpVersion::Two => add(&["--http2-prior-knowledge"]),
    }
    if call.insecure {
        add(&["--insecure"]);
    } else if call.ca.is_some() {
        add(&["--cacert", "CA"]);
    }
    if call.client.is_some() {
        add(&["--cert", "CERT", "--key", "KEY"]);
    }
    if let Some(socket) = &call.unix_socket {
        add(&["--unix-socket", &word(socket)]);
    }
    if let Some(proxy) = &call.proxy {
        add(&["--proxy", &quoted(&proxy.origin.to_string())]);
        match &proxy.auth {
            None => {}
            Some((SecretUse::Basic, variable)) => add(&["--proxy-user", &format!("\"${variable}\"")]),
            Some((SecretUse::Bearer, variable)) => {
                add(&["--proxy-header", &format!("\"proxy-authorization: Bearer ${variable}\"")]);
            }
            Some((SecretUse::Plain, variable)) => {
                add(&["--proxy-header", &format!("\"proxy-authorization: ${variable}\"")]);
            }
        }
    }
    words
}

/// Characters that would not survive being shown.
fn unfit(c: char) -> bool {
    c != '\n' && probity_core::inert::is_unsafe(c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_core::environment::Origin;
    use probity_core::observe::{ClientIdentity, ProxyCall};
    use probity_core::plan::KeySource;

    #[test]
    fn secrets_stay_names_and_quotes_hold() {
        let call = HttpCall {
            method: "POST".into(),
            headers: vec![
                ("x-note".into(), Field::Text("it's".into())),
                ("authorization".into(), Field::Secret(SecretUse::Bearer, "SHOP_TOKEN".into())),
                ("x-key".into(), Field::Secret(SecretUse::Plain, "KEY".into())),
                ("authorization".into(), Field::Secret(SecretUse::Basic, "LOGIN".into())),
            ],
            body: Some(b"{\"a\":1}".to_vec()),
            timeout_ms: 1,
            cookies: true,
            max_body: 1,
            ..HttpCall::get("http://a:1/x?q=1", Vec::new())
        };
        assert_eq!(
            curl(&call),
            "curl -sS -i -X POST -H 'x-note: it'\\''s' -H \"authorization: Bearer $SHOP_TOKEN\" \
             -H \"x-key: $KEY\" -u \"$LOGIN\" --data-binary '{\"a\":1}' 'http://a:1/x?q=1'"
        );
        let far = HttpCall {
            method: "GET".into(),
            url: "https://a/".into(),
            headers: Vec::new(),
            body: None,
            ca: Some(b"pem".to_vec()),
            version: HttpVersion::Two,
            client: Some(Box::new(ClientIdentity { cert: b"pem".to_vec(), key: KeySource::Env("K".into()) })),
            proxy: Some(Box::new(ProxyCall {
                origin: Origin::of("http://p:1").unwrap(),
                auth: Some((SecretUse::Basic, "P".into())),
            })),
            ..call.clone()
        };
        assert_eq!(
            curl(&far),
            "curl -sS -i --http2 --cacert CA --cert CERT --key KEY --proxy 'http://p:1' --proxy-user \"$P\" 'https://a/'"
        );
        let near = HttpCall {
            url: "http://a/".into(),
            unix_socket: Some("run/s".into()),
            client: None,
            proxy: None,
            ca: None,
            ..far
        };
        assert_eq!(curl(&near), "curl -sS -i --http2-prior-knowledge --unix-socket run/s 'http://a/'");
        let hostile = HttpCall { body: Some(b"\x1b[2J".to_vec()), ..call };
        assert!(curl(&hostile).contains("@BODY"));
    }
}
