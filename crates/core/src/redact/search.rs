//! Finding what is known in bytes, in whatever spelling it comes back.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::SEARCHABLE;
use super::spelling::Spelling;

/// How often spellings are undone one inside the other: JSON in JSON, an escaped URL in a form.
const NESTED: usize = 2;

/// Something that was found: where, and the number of the secret.
pub(super) type Hit = (Range<usize>, usize);

/// The secrets that are searched for, by number. They come one after another, so the automata are kept in tiers that
/// are merged when two have grown to the same size: each form is built into one of them a few times only.
#[derive(Clone, Default)]
pub(super) struct Search {
    tiers: Vec<Tier>,
}

#[derive(Clone)]
struct Tier {
    automaton: AhoCorasick,
    /// The forms, with the number of the secret.
    forms: Vec<(Vec<u8>, usize)>,
}

impl Search {
    pub(super) const fn is_empty(&self) -> bool {
        self.tiers.is_empty()
    }

    /// Adds a secret.
    pub(super) fn add(&mut self, value: &str, number: usize) {
        let mut forms: Vec<(Vec<u8>, usize)> = forms(value).into_iter().map(|form| (form, number)).collect();
        while let Some(last) = self.tiers.pop_if(|last| last.forms.len() < 2 * forms.len()) {
            forms.extend(last.forms);
        }
        let automaton =
            AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(forms.iter().map(|(form, _)| form));
        // An automaton is refused beyond 2^31 states only; secrets and their number are bounded far below.
        if let Ok(automaton) = automaton {
            self.tiers.push(Tier { automaton, forms });
        }
    }

    /// Whether something is found.
    pub(super) fn any(&self, bytes: &[u8]) -> bool {
        !self.is_empty() && !self.hits(bytes).is_empty()
    }

    /// Everything that is found, in order and without overlaps.
    pub(super) fn hits(&self, bytes: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        if !self.is_empty() {
            self.spelled(bytes, NESTED, &mut hits);
        }
        apart(hits)
    }

    fn spelled(&self, bytes: &[u8], nested: usize, hits: &mut Vec<Hit>) {
        for tier in &self.tiers {
            let found = tier.automaton.find_overlapping_iter(bytes);
            hits.extend(found.map(|one| (one.range(), tier.forms[one.pattern().as_usize()].1)));
        }
        for spelling in Spelling::in_bytes(bytes).into_iter().filter(|_| nested > 0) {
            let Some(plain) = spelling.undone(bytes) else { continue };
            let mut inner = Vec::new();
            self.spelled(&plain.bytes, nested - 1, &mut inner);
            hits.extend(inner.into_iter().map(|(range, number)| (plain.source(&range), number)));
        }
    }

    /// Where the last bytes are the beginning of something: bytes that were cut may end in the middle of a secret.
    pub(super) fn cut_short(&self, bytes: &[u8]) -> Option<Hit> {
        let ends = |form: &[u8]| {
            let longest = (form.len() - 1).min(bytes.len());
            (SEARCHABLE..=longest).rev().find(|length| bytes.ends_with(&form[..*length]))
        };
        let forms = self.tiers.iter().flat_map(|tier| &tier.forms);
        let found = forms.filter_map(|(form, number)| Some((ends(form)?, *number))).max()?;
        Some((bytes.len() - found.0..bytes.len(), found.1))
    }
}

/// In order; those that overlap become one, so that nothing of the second stays.
fn apart(mut hits: Vec<Hit>) -> Vec<Hit> {
    hits.sort_by_key(|(range, number)| (range.start, std::cmp::Reverse(range.end), *number));
    let mut apart: Vec<Hit> = Vec::with_capacity(hits.len());
    for (range, number) in hits {
        match apart.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push((range, number)),
        }
    }
    apart
}

/// The forms that are no spelling of a text: itself, base64 at each of its three phases and in both alphabets, hex.
fn forms(value: &str) -> Vec<Vec<u8>> {
    let hex: String = value.bytes().map(|b| format!("{b:02x}")).collect();
    let mut forms = vec![value.as_bytes().to_vec(), hex.to_uppercase().into_bytes(), hex.into_bytes()];
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
    forms.sort();
    forms.dedup();
    forms
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn search(values: &[&str]) -> Search {
        let mut search = Search::default();
        values.iter().enumerate().for_each(|(number, value)| search.add(value, number));
        search
    }

    #[test]
    fn every_spelling_is_found() {
        let secret = "s3cr\"t/välue+1!";
        let search = search(&["another secret", secret]);
        let percent: String = secret.bytes().map(|b| format!("%{b:02X}")).collect();
        let json = format!("\"{}\"", secret.replace('"', "\\\"").replace('/', "\\/"));
        for form in [
            secret.to_owned(),
            percent.clone(),
            percent.to_lowercase(),
            "s3cr%22t/v%C3%a4lue+1!".to_owned(),
            percent.replace('%', "%25"),
            json.clone(),
            json.replace('\\', "\\\\").replace('"', "\\\""),
            "s3cr\\u0022t\\u002fv\\u00e4lue+1!".to_owned(),
            secret.replace('"', "&quot;").replace('/', "&#x2F;"),
            STANDARD.encode(secret),
            STANDARD.encode(format!("u:{secret}")),
            STANDARD.encode(format!("us:{secret}:x")).replace('+', "-").replace('/', "_"),
            secret.bytes().map(|b| format!("{b:02x}")).collect(),
        ] {
            let hits = search.hits(format!("before {form} after").as_bytes());
            assert!(matches!(hits.as_slice(), [(_, 1)]), "{form} {hits:?}");
            // What goes in base64 leaves the characters that its neighbours share.
            assert!(hits[0].0.start <= 7 + 8 && hits[0].0.end + 12 >= 7 + form.len(), "{form} {hits:?}");
        }
        assert!(search.hits(b"before and after").is_empty());
    }

    #[test]
    fn overlaps_are_one_and_nothing_stays_of_them() {
        let search = search(&["abcdefgh", "efghijkl", "abcdefghij"]);
        assert_eq!(search.hits(b"-abcdefghijkl-"), [(1..13, 2)]);
        assert_eq!(search.hits(b"abcdefgh abcdefgh").len(), 2);
    }

    #[test]
    fn what_was_cut_in_the_middle_is_found() {
        let search = search(&["abcdefghijkl", "abcdefghxyz"]);
        assert_eq!(search.cut_short(b"token abcdefghi"), Some((6..15, 0)));
        assert_eq!(search.cut_short(b"token abcdefg"), None);
    }

    proptest! {
        /// However many came before, in whatever order: each is found.
        #[test]
        fn each_of_many_is_found(values in prop::collection::btree_set("[a-z0-9]{8,12}", 1..40)) {
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            let search = search(&values);
            prop_assert!(search.tiers.len() <= 7);
            for value in values {
                let text = format!("<{value}>");
                prop_assert!(search.any(text.as_bytes()));
            }
        }
    }
}
