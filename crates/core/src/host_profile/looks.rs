//! Addresses that look like production. A look is a hint and never decides: the declared kind does.

use std::sync::LazyLock;

use regex::Regex;

/// Words with which hosts of other environments begin.
static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let words = "qa|staging|stage|stg|test|testing|dev|develop|development|uat|sandbox|preview|demo|local";
    Regex::new(&format!(r"(?i)^(www\.)?({words})[.-]")).ok()
});
static WORD: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?i)(?-u:\b)(prod|production|live)(?-u:\b)").ok());
static APEX: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)^https?://(www\.)?[a-z0-9-]+\.(com|io|app|net|org|co|ai|dev)/?$").ok());

fn matches(regex: &Option<Regex>, text: &str) -> bool {
    regex.as_ref().is_some_and(|regex| regex.is_match(text))
}

/// Whether the address looks like production: its host has the word, or it is a bare apex domain.
pub(super) fn like_production(address: &str) -> bool {
    let host = url::Url::parse(address).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    (matches(&WORD, &host) && !matches(&OTHER, &host)) || matches(&APEX, address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks() {
        for (address, looks) in [
            ("https://demo.com/", true),
            ("https://www.shop.io", true),
            ("https://live.example.com", true),
            ("https://app-prod.example.com/x", true),
            ("https://qa.prod.example.com", false),
            ("https://www.staging-live.example.com", false),
            ("https://alive.example.com", false),
            ("https://shop.example.com", false),
            ("https://shop.com/path", false),
        ] {
            assert_eq!(like_production(address), looks, "{address}");
        }
    }
}
