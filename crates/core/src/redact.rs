//! Credentials that probity itself places never reach a file: whatever a target echoes of them is replaced before
//! anything is hashed (threats.md R13).
//!
//! A placeholder carries a digest keyed for the run, so that two places that held one secret still compare equal.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::ids::Digest;
use crate::json::Json;
use crate::plan::Plan;
use crate::vars::Reference;

/// A secret shorter than this is replaced only where probity placed it, never by search: it would hide evidence.
pub const SEARCHABLE: usize = 8;

/// How a placeholder begins.
pub const PLACEHOLDER: &str = "[secret:";

/// Replaces secrets in bytes.
#[derive(Clone, Default)]
pub struct Redactor {
    /// Needles, longest first, with their placeholders.
    needles: Vec<(Vec<u8>, String)>,
}

impl std::fmt::Debug for Redactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Redactor({} forms)", self.needles.len())
    }
}

impl Redactor {
    /// For these secrets, by the name of their variable. `key` is random, made for the run and then dropped.
    #[must_use]
    pub fn new(key: &[u8; 32], secrets: &[(String, String)]) -> Self {
        let mut needles = Vec::new();
        for (name, value) in secrets.iter().filter(|(_, value)| value.len() >= SEARCHABLE) {
            let keyed = Digest::of(&[key.as_slice(), value.as_bytes()].concat());
            let placeholder = format!("{PLACEHOLDER}{name}:{}]", &keyed.to_string()[..8]);
            needles.extend(forms(value).into_iter().map(|form| (form, placeholder.clone())));
        }
        needles.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        needles.dedup();
        Self { needles }
    }

    /// The bytes with every form of every secret replaced, and how many there were.
    #[must_use]
    pub fn apply(&self, bytes: Vec<u8>) -> (Vec<u8>, u64) {
        if !self.needles.iter().any(|(needle, _)| find(&bytes, needle).is_some()) {
            return (bytes, 0);
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut count = 0;
        let mut at = 0;
        while at < bytes.len() {
            match self.needles.iter().find(|(needle, _)| bytes[at..].starts_with(needle)) {
                Some((needle, placeholder)) => {
                    out.extend_from_slice(placeholder.as_bytes());
                    at += needle.len();
                    count += 1;
                }
                None => {
                    out.push(bytes[at]);
                    at += 1;
                }
            }
        }
        (out, count)
    }

    /// The text with every form of every secret replaced.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let (bytes, _) = self.apply(text.as_bytes().to_vec());
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// The secrets that can be searched for, and the names of the others, each once: those shorter than [`SEARCHABLE`],
/// or equal to a value that the plan expects, so that replacing them would hide evidence (`secret_too_common`).
#[must_use]
pub fn searchable(plan: &Plan, secrets: Vec<(String, String)>) -> (Vec<(String, String)>, BTreeSet<String>) {
    let expected = expected_literals(plan);
    let (kept, common): (Vec<_>, Vec<_>) =
        secrets.into_iter().partition(|(_, value)| value.len() >= SEARCHABLE && !expected.contains(value));
    (kept, common.into_iter().map(|(name, _)| name).collect())
}

/// Every text and number that the checks of a plan write out, at any depth.
#[must_use]
pub fn expected_literals(plan: &Plan) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for step in plan.scenarios.iter().flat_map(|scenario| &scenario.steps) {
        let operands = step.checks.iter().flat_map(|check| check.what.operands());
        let ends = step.obligations.iter().flat_map(|obligation| &obligation.values);
        operands.chain(ends).for_each(|value| literals(value, &mut found));
    }
    found
}

fn literals(value: &Json, found: &mut BTreeSet<String>) {
    match value {
        Json::Text(text) => {
            found.insert(text.clone());
        }
        Json::Number(number) => {
            found.insert(number.token().to_owned());
        }
        Json::List(items) => items.iter().for_each(|item| literals(item, found)),
        Json::Map(map) if matches!(Reference::of(value), Ok(None)) => {
            map.iter().for_each(|(_, item)| literals(item, found));
        }
        Json::Map(_) | Json::Null | Json::Bool(_) | Json::BrokenText(_) => {}
    }
}

/// The forms in which a secret comes back: itself, percent-encoded, inside JSON, in base64 at each of its three
/// phases, in hex.
fn forms(value: &str) -> Vec<Vec<u8>> {
    let percent: String = url::form_urlencoded::byte_serialize(value.as_bytes()).collect();
    let json = Json::from(value).to_string();
    let hex: String = value.bytes().map(|b| format!("{b:02x}")).collect();
    let mut forms = vec![
        value.as_bytes().to_vec(),
        lower_escapes(&percent).replace('+', "%20").into_bytes(),
        lower_escapes(&percent).into_bytes(),
        percent.replace('+', "%20").into_bytes(),
        percent.into_bytes(),
        json.as_bytes()[1..json.len() - 1].to_vec(),
        hex.to_uppercase().into_bytes(),
        hex.into_bytes(),
    ];
    for phase in 0..3 {
        // The characters that depend on the neighbours are left out at both ends.
        let padded = [vec![0; phase], value.as_bytes().to_vec()].concat();
        let encoded = STANDARD.encode(&padded).trim_end_matches('=').to_owned();
        let start = [0, 2, 3][phase];
        let end = encoded.len() - usize::from(padded.len() % 3 != 0);
        if end > start + SEARCHABLE {
            forms.push(encoded.as_bytes()[start..end].to_vec());
            // The alphabet for URLs (RFC 4648 section 5).
            forms.push(encoded[start..end].replace('+', "-").replace('/', "_").into_bytes());
        }
    }
    forms
}

/// `%2F` as `%2f`, everything else as it stands.
fn lower_escapes(percent: &str) -> String {
    let mut left = 0;
    let lower = |c: char| {
        left = if c == '%' { 3 } else { usize::saturating_sub(left, 1) };
        if left > 0 { c.to_ascii_lowercase() } else { c }
    };
    percent.chars().map(lower).collect()
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut from = 0;
    while let Some(p) = haystack[from..].iter().position(|b| *b == first) {
        if haystack[from + p..].starts_with(needle) {
            return Some(from + p);
        }
        from += p + 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redactor() -> Redactor {
        Redactor::new(&[7; 32], &[("TOKEN".into(), "s3cr\"t value!".into()), ("PIN".into(), "1234".into())])
    }

    #[test]
    fn every_form_is_replaced() {
        let secret = "s3cr\"t value!";
        for form in [
            secret.to_owned(),
            Json::from(secret).to_string(),
            "s3cr%22t%20value%21".to_owned(),
            "s3cr%22t+value%21".to_owned(),
            lower_escapes("s3cr%22t%20value%2F").replace("%2f", "%21"),
            STANDARD.encode(secret),
            STANDARD.encode(format!("u:{secret}")),
            STANDARD.encode(format!("us:{secret}:x")),
            secret.bytes().map(|b| format!("{b:02x}")).collect(),
        ] {
            let (bytes, count) = redactor().apply(format!("before {form} after").into_bytes());
            assert!(count > 0, "{form}");
            let text = String::from_utf8(bytes).unwrap();
            assert!(text.contains("[secret:TOKEN:") && text.ends_with(" after"), "{text}");
        }
    }

    #[test]
    fn escapes_and_alphabets_in_their_second_spelling_are_replaced() {
        assert_eq!(lower_escapes("A%2FB%C3%A4CD"), "A%2fB%c3%a4CD");
        let redactor = Redactor::new(&[7; 32], &[("T".into(), "~~~???/ABCDEF".into())]);
        for form in ["%7e%7e%7e%3f%3f%3f%2fABCDEF", "~~~%3f%3f%3f%2fABCDEF", "fn5-Pz8_L0FCQ0RFRg", "fn5+Pz8/L0FCQ0RFRg"]
        {
            let count = redactor.apply(form.as_bytes().to_vec()).1;
            assert_eq!(count > 0, !form.starts_with('~'), "{form}");
        }
    }

    #[test]
    fn short_secrets_are_not_searched_for() {
        assert_eq!(redactor().apply(b"id 1234".to_vec()), (b"id 1234".to_vec(), 0));
    }

    #[test]
    fn values_that_the_plan_expects_are_too_common() {
        let mut world = crate::lint::testing::World::sound();
        let what = crate::expect::What::Contains(
            crate::expect::Channel::Body,
            vec!["delivered".into(), Json::list([Json::from(12_345_678)]), Json::map([("$var", "unwritten")])],
            true,
        );
        world.plan.scenarios[0].steps[0].checks.push(crate::expect::Check { what, place: Default::default() });
        let secret = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let secrets = [
            secret("A", "delivered"),
            secret("B", "12345678"),
            secret("C", "short"),
            secret("D", "delivered or not"),
            secret("E", "unwritten"),
            secret("A", "short"),
        ];
        let (kept, common) = searchable(&world.plan, secrets.to_vec());
        assert_eq!(kept, secrets[3..5]);
        assert_eq!(common.into_iter().collect::<Vec<_>>(), ["A", "B", "C"]);
    }

    #[test]
    fn equal_secrets_have_equal_placeholders_and_keys_matter() {
        let once = redactor().text("s3cr\"t value!");
        assert_eq!(redactor().text("s3cr\"t value!"), once);
        let other = Redactor::new(&[8; 32], &[("TOKEN".into(), "s3cr\"t value!".into())]);
        assert_ne!(other.text("s3cr\"t value!"), once);
    }

    proptest! {
        #[test]
        fn nothing_of_the_secret_stays(prefix in ".{0,20}", suffix in ".{0,20}", secret in "[!-~]{8,40}") {
            let redactor = Redactor::new(&[1; 32], &[("S".into(), secret.clone())]);
            let (bytes, count) = redactor.apply(format!("{prefix}{secret}{suffix}").into_bytes());
            prop_assert!(count >= 1);
            prop_assert!(find(&bytes, secret.as_bytes()).is_none() || "[secret:S:".contains(&secret));
        }
    }
}
