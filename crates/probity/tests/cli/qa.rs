//! `probity qa`: what must hold, what is recorded of it, what gates say, and what leaves an index and enters another.

mod gates;
mod moving;
mod postgres;
mod recording;
mod running;

use regex::Regex;

use crate::place::{Place, Ran};

/// A day ahead, whenever the tests run: what is waived until then is not past.
pub(crate) fn soon() -> String {
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(20 * 24);
    at.strftime("%Y-%m-%d").to_string()
}

/// What was said, with what differs from time to time named.
pub(crate) fn calm(text: &str) -> String {
    let mut text = text.replace(&soon(), "2026-12-24");
    for (pattern, name) in [
        (r"\b\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-4]\dZ", "2026-11-30T14:24:02Z"),
        (r"\b\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d  ", "2026-11-30T14:24  "),
        (r"\b(decision|waiver|reported)-[0-9a-f]{32}\b", "$1-7f3a91c2"),
        (r"sha256 [0-9a-f]{16}\.\.", "sha256 7f3a91c2d4e8b016.."),
        (r"at 127\.0\.0\.1:\d+", "at 127.0.0.1:8123"),
    ] {
        text = Regex::new(pattern).unwrap().replace_all(&text, name).into_owned();
    }
    text
}

/// `probity qa …` in a place.
pub(super) fn qa(place: &Place, words: &str) -> Ran {
    place.probity(&format!("qa {words}"))
}

/// The same, which must come to this exit code.
pub(super) fn must(place: &Place, code: i32, words: &str) -> Ran {
    let ran = qa(place, words);
    assert_eq!(ran.code, code, "{words}\n{ran}");
    ran
}

/// A place with a requirement R that counts reported runs.
pub(super) fn with_r(policy: &str) -> Place {
    let place = Place::without_service();
    place.write("policy.json", policy);
    must(&place, 0, "require R --policy policy.json --accept-reported --by ann");
    place
}

/// What the gate says of commit c1: its exit, and the code of the first that blocks.
pub(super) fn gate(place: &Place, more: &str) -> (i32, String) {
    let ran = qa(place, &format!("gate --commit c1 {more} --format json"));
    let answer = ran.json();
    assert_eq!(
        (answer["exit"].as_i64(), answer["ok"].as_bool()),
        (Some(ran.code.into()), Some(ran.code == 0)),
        "{ran}"
    );
    (ran.code, answer["blocking"][0]["code"].as_str().unwrap_or_default().to_owned())
}
