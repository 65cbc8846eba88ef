//! Expected outcomes: whether anybody could hold a result against them.

use std::sync::LazyLock;

use regex::Regex;

use crate::codes::Code;
use crate::document::Node;
use crate::refuse::{Refusals, join};

/// Shortest outcome, in characters.
const SHORTEST: usize = 10;

/// What a check could hold on to: quoted text, a digit, an element of the screen.
static ANCHOR: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let nouns = "button|link|field|input|dialog|modal|toast|banner|panel|section|form|row|column|table|list|badge|chip|icon|\
                 menu|tab|card|header|label|message|error|tooltip|checkbox|dropdown|url|route|title|heading|count|total|\
                 number|value|text|item|summary";
    let quoted = "\"[^\"]+\"|'[^']+'|\u{201c}[^\u{201d}]+\u{201d}|\u{2018}[^\u{2019}]+\u{2019}";
    Regex::new(&format!(r"(?i){quoted}|[0-9]|\b(?:(?:{nouns})s?|checkboxes|entry|entries|summaries)\b")).ok()
});

/// Words that say that it works and not how one would see it.
static VAGUE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\bwork(?:s|ing)\s+(?:fine|correctly|properly|as expected)\b",
        r"|\bas expected\b",
        r"|\blooks?\s+(?:ok|okay|fine|right|correct|good)\b",
        r"|\bis\s+(?:ok|okay|fine|correct)\b",
        r"|\b(?:is|was|are|were)\s+successful\b",
        r"|\bsuccessfully\b",
        r"|\bno\s+(?:issue|error|problem)s?\b",
        r"|\bbehaves?\s+(?:properly|correctly)\b",
        r"|\bdisplayed correctly\b",
    ))
    .ok()
});

/// `works`, and what follows it.
static WORKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\bworks\b(\s+(?:out|with|like|around)\b)?").ok());

/// Words about network traffic.
static NETWORK: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?i)\bAPI (?:call|request|response)s?\b",
        r"|\bnetwork (?:requests?|responses?|calls?|activity|tabs?)\b",
        r"|\bHTTP (?:request|response|call|status)(?:e?s)?\b",
        r"|\bpayloads?\b|\bendpoints?\b|\bXHR\b",
        r"|\bstatus [1-5][0-9]{2}\b|\b[1-5]xx\b",
        r"|\b(?:waits?\s+for|intercepts?|mocks?|stubs?)\s+(?:the\s+)?(?:request|response|fetch|calls?)\b",
        r"|\b(?:request|response)\s+(?:(?:is|was)\s+)?(?:sent|returned|received|made)\b",
    ))
    .ok()
});

fn matches(pattern: &Option<Regex>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

fn is_vague(text: &str) -> bool {
    let bare = WORKS.as_ref().is_some_and(|works| works.captures_iter(text).any(|found| found.get(1).is_none()));
    text.trim().chars().count() < SHORTEST || matches(&VAGUE, text) || bare
}

/// Checks the outcomes of a case, which are texts.
pub(super) fn outcomes(expected: &[Node], path: &str, forbids_network: bool, refusals: &mut Refusals<'_>) {
    let mut left = 0;
    for (position, node) in expected.iter().enumerate() {
        let text = node.as_text().unwrap_or_default();
        let subject = format!("{path}.expected[{position}]");
        if !matches(&ANCHOR, text) {
            let message = "the outcome names nothing that a check could hold on to";
            let help = "quote the text that appears, or name the element or the number";
            refusals.warn(Code::OutcomeUnanchored, &subject, node.place, message, help);
        }
        if is_vague(text) {
            let message = "the outcome states nothing that can be seen";
            let help = "name the text, the number or the element that a person would look at";
            refusals.refuse(Code::OutcomeVague, &subject, node.place, message, help);
        } else if forbids_network && matches(&NETWORK, text) {
            let message = "the outcome speaks of network traffic, which assertions.network_events forbids";
            let help = "say what the screen shows once the request is through";
            refusals.refuse(Code::OutcomeOnNetwork, &subject, node.place, message, help);
        } else {
            left += 1;
        }
    }
    if left == 0 {
        let place = expected.first().map_or_else(Default::default, |node| node.place);
        let message = "no expected outcome of the case can be checked";
        refusals.refuse(Code::NoOutcomeLeft, &join(path, "expected"), place, message, "write at least one that can");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vague_outcomes() {
        for text in ["It works", "Order placed successfully", "The form is ok now", "Looks good to the buyer", "tiny"] {
            assert!(is_vague(text), "{text}");
        }
        for text in ["A successful payment shows 12", "The offer works out at 12 euros", "No error row appears: 0 rows"]
        {
            assert_eq!(is_vague(text), text.starts_with("No error"), "{text}");
        }
    }

    #[test]
    fn network_outcomes() {
        for text in
            ["HTTP statuses are listed", "the response was received", "XHR done", "it mocks the fetch", "a 4xx page"]
        {
            assert!(matches(&NETWORK, text), "{text}");
        }
        for text in ["The request form appears", "Status 600 is shown", "The fetch button is off"] {
            assert!(!matches(&NETWORK, text), "{text}");
        }
    }

    #[test]
    fn anchors() {
        for text in ["It shows 'Done'", "three entries", "7 left", "two Checkboxes", "He sees \u{201c}Fine\u{201d}"] {
            assert!(matches(&ANCHOR, text), "{text}");
        }
        assert!(!matches(&ANCHOR, "The spinner goes away quickly"));
    }
}
