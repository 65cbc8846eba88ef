//! What plans are drafted from. A draft that is made can be read, whatever it was made from.

use probity_core::allow::FileFact;
use probity_core::checked::{Ask, Given, check};
use probity_formats::document::read;

use crate::program::draft::{self, Source};

pub(crate) const CURL: &[&str] = &[
    "curl ",
    "http://127.0.0.1/",
    " -X ",
    "POST",
    " -H ",
    "'a: b'",
    "'Authorization: Bearer abcdefghijklmnopqrstuvwxyz'",
    " -d ",
    "'{\"a\":1}'",
    " --json ",
    " -F a=@b",
    " -G",
    " -k",
    " --proxy ",
    "http://u:p@proxy.test:1",
    " -u a:b",
    "\\\n",
    "\"",
    "'",
    "{x}",
    "\u{1b}[2J",
    "\u{202e}",
    "\r",
    " -b 'c=d'",
    " -L",
    " -",
];
pub(crate) const HURL: &[&str] = &[
    "GET http://127.0.0.1/\n",
    "POST ",
    "HTTP 200\n",
    "[QueryStringParams]\n",
    "[FormParams]\n",
    "[Asserts]\n",
    "[Captures]\n",
    "[BasicAuth]\n",
    "a: b\n",
    "```json\n",
    "```\n",
    "{\"a\":1}\n",
    "{{host}}",
    "# c\n",
    "\n",
    "jsonpath \"$.a\" == 1\n",
    "\u{202e}",
    "base64,AA==;\n",
    "hex,00;\n",
];
pub(crate) const HAR: &[&str] = &[
    "{\"log\":{\"entries\":[",
    "{\"request\":{\"method\":\"GET\",\"url\":\"http://127.0.0.1/\"",
    "\"headers\":[{\"name\":\"a\",\"value\":\"b\"}]",
    "\"postData\":{\"mimeType\":\"application/json\",\"text\":\"{}\"}",
    "\"response\":{\"status\":200,\"content\":{\"text\":\"{}\"}}",
    "\"params\":[",
    "]",
    "}",
    ",",
    "null",
    "\"encoding\":\"base64\"",
    "\"\\ud800\"",
    "1e400",
];
pub(crate) const OPENAPI: &[&str] = &[
    "{\"openapi\":\"3.1.0\",",
    "\"servers\":[{\"url\":\"http://127.0.0.1\"}]",
    "\"paths\":{\"/a/{id}\":{\"get\":{\"responses\":{\"200\":{}}",
    "\"parameters\":[",
    "{\"name\":\"id\",\"in\":\"path\",\"required\":true,\"example\":\"a b\"}",
    "{\"$ref\":\"#/components/schemas/A\"}",
    "\"components\":{\"schemas\":{\"A\":",
    "\"default\":1",
    "\"enum\":[",
    "}",
    "]",
    ",",
    "\"post\":",
    "\"2XX\":{}",
    "\"variables\":{",
];

pub(crate) fn curl(bytes: &[u8]) {
    of_text(bytes, draft::curl);
}

pub(crate) fn hurl(bytes: &[u8]) {
    of_text(bytes, draft::hurl);
}

pub(crate) fn har(bytes: &[u8]) {
    of_text(bytes, draft::har);
}

pub(crate) fn openapi(bytes: &[u8]) {
    match read("a.yaml", bytes) {
        Ok(node) => drafted(draft::openapi(&node.to_json()), bytes.len()),
        Err(found) => super::documents::told(&found, bytes.len()),
    }
}

fn of_text(bytes: &[u8], reader: fn(&str) -> Result<Source, String>) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        drafted(reader(text), bytes.len());
    }
}

fn drafted(source: Result<Source, String>, length: usize) {
    let mut source = match source {
        Ok(source) => source,
        Err(message) => return assert!(!message.is_empty() && message.len() <= 4096 + 4 * length, "{message}"),
    };
    let text = draft::plan("A draft", &mut source);
    assert!(text.len() <= (64 << 10) + 200 * length, "{} bytes out of {length}", text.len());
    let name = "draft.probity.yaml";
    let node = read(name, text.as_bytes()).unwrap_or_else(|found| panic!("{found:?}\n{text}"));
    // What a source holds goes into values and nowhere else.
    let known = ["schemaVersion", "requirement", "cases"];
    assert!(
        node.as_map().is_some_and(|pairs| pairs.iter().all(|(key, _)| known.contains(&key.name.as_str()))),
        "{text}"
    );
    let given = Given::Written(name, text.as_bytes());
    if let Err(found) =
        check(&Ask { given, profile: None, environment: None, files: &|_| FileFact::Missing, parse: &read })
    {
        super::documents::told(&found, text.len());
    }
}
