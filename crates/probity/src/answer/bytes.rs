//! Captured bytes in an answer: at most 512 of them, round the part that a check looked at.

use probity_core::evaluate::CheckResult;
use probity_core::json::Json;

use super::clip;

/// As many bytes of a body are shown.
pub(crate) const SHOWN: usize = 512;

/// A part of captured bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// How many bytes there are in all.
    pub bytes: usize,
    /// Where the part begins.
    pub from: usize,
    /// The part; `None` where the bytes are no text.
    pub text: Option<String>,
    /// Whether something is left out.
    pub cut: bool,
}

impl Excerpt {
    /// The part round what the checks looked at: the first that does not hold, else the first that has a path.
    pub(crate) fn of(bytes: &[u8], checks: &[&CheckResult]) -> Self {
        let whole = bytes.len();
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Self { bytes: whole, from: 0, text: None, cut: whole > 0 };
        };
        if whole <= SHOWN {
            return Self { bytes: whole, from: 0, text: Some(text.to_owned()), cut: false };
        }
        let at = checks.iter().find_map(|check| position(text, check)).unwrap_or(0);
        let mut from = at.saturating_sub(SHOWN / 4).min(whole - SHOWN);
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = from + SHOWN;
        while !text.is_char_boundary(to) {
            to -= 1;
        }
        Self { bytes: whole, from, text: text.get(from..to).map(str::to_owned), cut: true }
    }

    /// `{evidence, bytes, from, text, cut}`
    pub(crate) fn to_json(&self, evidence: &str) -> Json {
        Json::map([
            ("evidence", Json::from(evidence)),
            ("bytes", self.bytes.into()),
            ("from", self.from.into()),
            ("text", self.text.as_ref().map(|text| clip(text, 3 * SHOWN)).into()),
            ("cut", self.cut.into()),
        ])
    }
}

/// Where in a body a check looked: at the last name of its path, else at the value that it saw.
fn position(text: &str, check: &CheckResult) -> Option<usize> {
    let name = check.path.as_deref().and_then(|path| {
        let mut parts = path.split(['.', '[', ']', '\'', '"', '$']);
        parts.rfind(|part| !part.is_empty() && part.parse::<usize>().is_err())
    });
    let named = name.and_then(|name| text.find(&format!("\"{name}\"")));
    let value = check.saw.trim_matches('"');
    named.or_else(|| (value.len() > 2).then(|| text.find(value)).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_body_is_whole_and_binary_has_no_text() {
        assert_eq!(Excerpt::of(b"{}", &[]), Excerpt { bytes: 2, from: 0, text: Some("{}".to_owned()), cut: false });
        assert_eq!(Excerpt::of(&[0xff, 0xfe], &[]), Excerpt { bytes: 2, from: 0, text: None, cut: true });
    }

    #[test]
    fn a_long_body_is_cut_at_characters() {
        let body = "é".repeat(400) + "x";
        let excerpt = Excerpt::of(body.as_bytes(), &[]);
        assert!(excerpt.cut && excerpt.text.is_some_and(|text| text.len() <= SHOWN));
    }
}
