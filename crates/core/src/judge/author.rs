//! Who is who: nobody judges their own work (threats.md E25).

use std::collections::BTreeSet;

/// Whether two descriptions of a person or program may mean the same one: the whole text, the name before an address, or
/// the address, compared without case and without regard to blanks.
///
/// What people write of themselves is taken as it is: this finds carelessness, and no lie.
#[must_use]
pub fn same_person(a: &str, b: &str) -> bool {
    !names(a).is_disjoint(&names(b))
}

/// `Ann Lee <ann@shop.test>` is three names.
fn names(text: &str) -> BTreeSet<String> {
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let (name, address) = match text.split_once('<') {
        Some((name, rest)) => (name, rest.split('>').next().unwrap_or_default()),
        None => (text, ""),
    };
    [text, name, address].into_iter().map(plain).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_person_is_known_by_name_and_address() {
        for (a, b) in [
            ("coder-7", "CODER-7"),
            ("Ann  Lee", " ann lee "),
            ("Ann Lee <ann@shop.test>", "ANN@shop.test"),
            ("Ann Lee <ann@shop.test>", "Ann Lee"),
            ("<ann@shop.test>", "A. Lee <ann@shop.test>"),
            ("ÄNNE", "änne"),
        ] {
            assert!(same_person(a, b) && same_person(b, a), "{a} {b}");
        }
        for (a, b) in [("coder-7", "coder-8"), ("Ann <a@x>", "Bob <b@x>"), ("", ""), ("Ann", "Ann Lee"), ("<>", "<>")] {
            // An empty address is none, but the same text is the same.
            assert_eq!(same_person(a, b), a == b && !a.is_empty(), "{a} {b}");
        }
    }
}
