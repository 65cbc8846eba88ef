//! Texts with holes, and texts that are shown.

use probity_core::inert::{inert, is_unsafe, markdown};
use probity_core::json::Json;
use probity_core::vars::{Part, Vars, fill, parts};

pub(crate) const WORDS: &[&str] = &[
    "{",
    "}",
    "{{",
    "{a}",
    "{CASE-1.a}",
    "{qa_marker}",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{200b}",
    "::error::",
    "@name",
    "`",
    "<b>",
    "\r",
    "\0",
    "\u{feff}",
    "![a](b)",
    "|",
];

pub(crate) fn words(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    template(&text);
    let drawn = inert(&text);
    assert!(!drawn.chars().any(|c| c != '\n' && is_unsafe(c)), "{drawn:?}");
    assert!(drawn.len() <= text.len() * 10 + 16);
    assert_eq!(inert(&drawn), drawn, "drawn twice is drawn once");
    assert!(markdown(&text).len() <= text.len() * 12 + 16);
    for secret in probity_core::secret::find(&text) {
        assert!(secret.start < secret.end && text.get(secret.start..secret.end).is_some());
    }
}

fn template(text: &str) {
    let Ok(found) = parts(text) else { return };
    let whole: usize = found
        .iter()
        .map(|part| match part {
            Part::Text(text) => text.len() + usize::from(text.ends_with('{')),
            Part::Hole(name) => name.len() + 2,
        })
        .sum();
    assert_eq!(whole, text.len(), "{text:?}");
    let names = found.iter().filter_map(|part| if let Part::Hole(name) = part { Some(*name) } else { None });
    let constants: Vec<(String, Json)> = names.map(|name| (name.to_owned(), Json::from("{a}"))).collect();
    // A value is data: what looks like a hole in it stays as it is.
    let filled = fill(text, &Vars::new(&constants)).expect("every hole has a value");
    let expected: String = found
        .iter()
        .map(|part| if let Part::Text(text) = part { (*text).to_owned() } else { "{a}".to_owned() })
        .collect();
    assert_eq!(filled, expected);
}
