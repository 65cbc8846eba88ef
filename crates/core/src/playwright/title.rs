//! Titles of specs: which case or fixture they are.

use std::sync::LazyLock;

use regex::Regex;

static CASE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^([A-Z0-9]+-[A-Z0-9]+-[0-9]{3})(?:[^A-Za-z0-9_]|$)").ok());
static FIXTURE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^FIXTURE ([a-z0-9-]+)( teardown)?$").ok());

/// What a title names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Named<'t> {
    Case(&'t str),
    Fixture { name: &'t str, teardown: bool },
    Nothing,
}

/// What a title names; a case is looked for first.
pub(super) fn named(title: &str) -> Named<'_> {
    if let Some(id) = CASE.as_ref().and_then(|case| case.captures(title)).and_then(|found| found.get(1)) {
        return Named::Case(id.as_str());
    }
    match FIXTURE.as_ref().and_then(|fixture| fixture.captures(title)) {
        Some(found) => {
            Named::Fixture { name: found.get(1).map_or("", |name| name.as_str()), teardown: found.get(2).is_some() }
        }
        None => Named::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles() {
        for (title, id) in
            [("A-B-001: x", "A-B-001"), ("A-B-001-x", "A-B-001"), ("A-B-001", "A-B-001"), ("A-B-001é", "A-B-001")]
        {
            assert_eq!(named(title), Named::Case(id), "{title}");
        }
        for title in
            ["A-B-0012", "A-B-001_x", " A-B-001", "a-B-001", "A-001", "FIXTURE Shared", "FIXTURE p cleanup", "FIXTURE"]
        {
            assert_eq!(named(title), Named::Nothing, "{title}");
        }
        assert_eq!(named("FIXTURE cart teardown"), Named::Fixture { name: "cart", teardown: true });
        assert_eq!(named("FIXTURE teardown"), Named::Fixture { name: "teardown", teardown: false });
    }
}
