//! A request as a `curl` line that can be tried by hand. Credentials stand in it as `$NAME`.

use probity_core::observe::{Field, HttpCall, SecretUse};

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
    if call.insecure {
        words.push("--insecure".to_owned());
    }
    if let Some(body) = &call.body {
        let text = std::str::from_utf8(body).ok().filter(|text| body.len() <= LARGEST && !text.contains(unfit));
        words.push("--data-binary".to_owned());
        words.push(text.map_or_else(|| "@BODY".to_owned(), quoted));
    }
    words.push(quoted(&call.url));
    words.join(" ")
}

/// Characters that would not survive being shown.
fn unfit(c: char) -> bool {
    c != '\n' && probity_core::inert::is_unsafe(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_stay_names_and_quotes_hold() {
        let call = HttpCall {
            method: "POST".into(),
            url: "http://a:1/x?q=1".into(),
            headers: vec![
                ("x-note".into(), Field::Text("it's".into())),
                ("authorization".into(), Field::Secret(SecretUse::Bearer, "SHOP_TOKEN".into())),
                ("x-key".into(), Field::Secret(SecretUse::Plain, "KEY".into())),
                ("authorization".into(), Field::Secret(SecretUse::Basic, "LOGIN".into())),
            ],
            body: Some(b"{\"a\":1}".to_vec()),
            timeout_ms: 1,
            follow_redirects: 0,
            cookies: true,
            decompress: true,
            max_body: 1,
            insecure: false,
            ca: None,
            origins: Vec::new(),
        };
        assert_eq!(
            curl(&call),
            "curl -sS -i -X POST -H 'x-note: it'\\''s' -H \"authorization: Bearer $SHOP_TOKEN\" \
             -H \"x-key: $KEY\" -u \"$LOGIN\" --data-binary '{\"a\":1}' 'http://a:1/x?q=1'"
        );
        let hostile = HttpCall { body: Some(b"\x1b[2J".to_vec()), ..call };
        assert!(curl(&hostile).contains("@BODY"));
    }
}
