//! The JSON answers (ux.md section 3), and what both they and the screen say of a run.
//!
//! One document on standard output, at most 8 KiB unless asked, worst first; what was left out is counted. Captured
//! text stands in JSON strings, where everything that could act on a terminal is escaped.

pub(crate) mod attempt;
pub(crate) mod bytes;
pub(crate) mod error;
pub(crate) mod facts;
pub(crate) mod finding;
pub(crate) mod flaky;
pub(crate) mod judge;
pub(crate) mod next;
pub(crate) mod policy;
pub(crate) mod qa;
pub(crate) mod refused;
pub(crate) mod remedy;
pub(crate) mod run;
pub(crate) mod show;
pub(crate) mod site;
pub(crate) mod statistics;
pub(crate) mod verify;
pub(crate) mod what_if;
pub(crate) mod why;

use std::fmt::Write as _;

use probity_core::inert::is_unsafe;
use probity_core::json::Json;
use probity_core::verify::Verified;

/// The largest answer in bytes.
pub(crate) const LARGEST: usize = 8192;

/// The assurance of every run until runs are signed (design.md section 7).
pub(crate) const ASSURANCE: &str = "unsigned";

/// The exit code of a run that was just made: as verify's, but an interrupted run says so.
pub(crate) fn exit(verified: &Verified) -> u8 {
    match &verified.judged {
        Some(judged) if verified.is_intact() && verified.closed => judged.exit(),
        _ => verified.exit(),
    }
}

/// A value as a document: one line, ASCII wherever a character would act instead of showing itself.
pub(crate) fn document(value: &Json) -> String {
    let mut out = String::new();
    for c in value.to_string().chars() {
        // Outside of strings JSON has none of these, so each stands where an escape may stand.
        if is_unsafe(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    // GitHub's runner takes this for the beginning of a command wherever it stands.
    let mut out = out.replace("##[", "#\\u0023[");
    out.push('\n');
    out
}

/// Size of a value in an answer, in bytes.
pub(crate) fn size(value: &Json) -> usize {
    document(value).len()
}

/// A text of at most so many bytes in an answer; a longer one is cut and ends in an ellipsis.
pub(crate) fn clip(text: &str, largest: usize) -> String {
    if size(&Json::from(text)) <= largest {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 6;
    for c in text.chars() {
        used += size(&Json::from(c.to_string())) - 3;
        if used > largest {
            break;
        }
        out.push(c);
    }
    out + "..."
}

/// Takes from the front of several lists in turn as long as everything fits into `room` bytes; gives how many of each
/// were taken. A list whose next item does not fit is over, so no list has a hole.
pub(crate) fn share(room: usize, lists: &[&[Json]]) -> Vec<usize> {
    let mut taken = vec![0; lists.len()];
    let mut over = vec![false; lists.len()];
    let mut left = room;
    while over.iter().any(|over| !over) {
        for (position, list) in lists.iter().enumerate().filter(|(position, _)| !over[*position]).collect::<Vec<_>>() {
            match list.get(taken[position]).map(size) {
                Some(size) if size <= left => {
                    left -= size;
                    taken[position] += 1;
                }
                _ => over[position] = true,
            }
        }
    }
    taken
}

/// Texts of a list, each of at most so many bytes.
pub(crate) fn texts<T: ToString>(items: impl IntoIterator<Item = T>, largest: usize) -> Json {
    Json::List(items.into_iter().map(|item| clip(&item.to_string(), largest).into()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_an_answer_acts_on_a_terminal() {
        let text = document(&Json::from("\u{1b}[2J\u{202e}\u{9b}\u{7f}\u{e0041}é"));
        assert_eq!(text, "\"\\u001b[2J\\u202e\\u009b\\u007f\\udb40\\udc41é\"\n");
        assert!(
            probity_core::json::read(text.trim().as_bytes(), &probity_core::json::Limits { depth: 2, nodes: 9 })
                .is_ok()
        );
    }

    #[test]
    fn clipping_counts_bytes_as_they_are_written() {
        assert_eq!(clip("short", 20), "short");
        let cut = clip(&"\u{1b}".repeat(100), 64);
        assert!(size(&Json::from(cut.as_str())) <= 64, "{}", size(&Json::from(cut.as_str())));
        assert!(cut.ends_with("..."));
    }

    #[test]
    fn lists_share_the_room_and_have_no_holes() {
        let small: Vec<Json> = (0..10).map(|_| Json::from(1)).collect();
        let large = vec![Json::from("x".repeat(50).as_str()), Json::from(1)];
        assert_eq!(share(20, &[&small, &large]), [10, 0]);
        assert_eq!(share(60, &[&large, &small]), [2, 2]);
    }
}
