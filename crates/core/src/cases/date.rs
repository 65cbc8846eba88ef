//! Dates as JavaScript's own reader of ISO 8601 takes them.

use std::sync::LazyLock;

use regex::Regex;

static ISO: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let time = r"(?:[T ]([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?";
    Regex::new(&format!(r"^[0-9]{{4}}(?:-([0-9]{{2}})(?:-([0-9]{{2}}){time})?)?$")).ok()
});

/// Whether the text is a date, with or without a time.
pub(super) fn is_date(text: &str) -> bool {
    let Some(found) = ISO.as_ref().and_then(|iso| iso.captures(text.trim())) else { return false };
    let within = |group: usize, least: u8, most: u8| {
        found.get(group).is_none_or(|part| part.as_str().parse().is_ok_and(|n: u8| (least..=most).contains(&n)))
    };
    within(1, 1, 12) && within(2, 1, 31) && within(3, 0, 24) && within(4, 0, 59) && within(5, 0, 59)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn dates() {
        for text in [
            "2026",
            "2026-10",
            "2026-10-01",
            "2026-10-01T09:00:00Z",
            "2026-10-01 09:00",
            "2026-10-01T09:00:00.123+02:00",
        ] {
            assert!(is_date(text), "{text}");
        }
        for text in ["", "yesterday-ish", "2026-13-01", "2026-10-32", "2026-10-01T25:00Z", "26-10-01", "2026-10-01T"] {
            assert!(!is_date(text), "{text}");
        }
    }
}
