//! Captured bytes with the parts marked that checks looked at.

use probity_core::document::{Node, Value};
use probity_core::evaluate::{Bytes, CheckResult, Document, Truth, Way};
use probity_core::json::{Limits, read_placed};
use probity_core::path::Path;
use probity_core::verdict::Status;

use super::write::{A, Html};
use crate::answer::finding::expected;
use crate::screen::verify::bytes as size;

/// The largest body that stands whole on the page; of larger ones the asserted parts are cut out.
pub(super) const WHOLE: usize = 64 << 10;
/// The largest body that is read as JSON to find the parts.
const READ: usize = 1 << 20;
/// As many bytes stand before and after an asserted part that is cut out.
const AROUND: usize = 240;
/// As many parts are cut out, and marked in all.
const PARTS: usize = 8;
const MARKS: usize = 200;

/// A part that a check looked at.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mark {
    from: usize,
    to: usize,
    truth: Truth,
    title: String,
}

/// The colour of a check.
pub(super) const fn state(truth: Truth) -> Status {
    match truth {
        Truth::Holds => Status::Passed,
        Truth::Fails => Status::Failed,
        Truth::Unknown => Status::Inconclusive,
    }
}

/// Draws a body of `total` bytes: whole up to `largest` bytes, else its asserted parts. `bytes` may be its beginning
/// where no check looks into it. `rest` says where all of it lies.
pub(super) fn body(html: &mut Html, bytes: &[u8], total: usize, checks: &[&CheckResult], largest: usize, rest: &str) {
    if total == 0 {
        return html.say("p", "none", "empty");
    }
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // A beginning may end inside a character.
        Err(e) if bytes.len() < total && e.error_len().is_none() => {
            std::str::from_utf8(&bytes[..e.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return html.say("p", "none", &format!("{}, no text; {rest}", size(total as u64))),
    };
    let marks = marks(text, checks);
    if total <= largest {
        return html.el("pre", &[], |html| part(html, text, &marks, 0, text.len()));
    }
    html.el("pre", &[], |html| {
        let mut end = 0;
        for (from, to) in windows(text, &marks) {
            if from > end {
                html.say("i", "", &format!("[{} left out]", size((from - end) as u64)));
                html.lines("\n");
            }
            part(html, text, &marks, from, to);
            html.lines("\n");
            end = to;
        }
        if end < total {
            html.say("i", "", &format!("[{} left out]", size((total - end) as u64)));
        }
    });
    html.say("p", "none", &format!("{} in all; {rest}", size(total as u64)));
}

/// The parts of a text that are cut out: around each mark, those that touch as one; without a mark the beginning.
fn windows(text: &str, marks: &[Mark]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    // What does not hold is what the reader came for.
    let mut wanted: Vec<&Mark> = marks.iter().collect();
    wanted.sort_by_key(|mark| (mark.truth == Truth::Holds, mark.from));
    let mut spans: Vec<(usize, usize)> =
        wanted.iter().take(PARTS).map(|mark| (mark.from, mark.to.min(mark.from + 2 * AROUND))).collect();
    if spans.is_empty() {
        spans.push((0, AROUND));
    }
    spans.sort_unstable();
    for (from, to) in spans {
        let from = boundary(text, from.saturating_sub(AROUND));
        let to = boundary(text, (to + AROUND).min(text.len()));
        match found.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => found.push((from, to)),
        }
    }
    found
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The text between two places, its marks in it.
fn part(html: &mut Html, text: &str, marks: &[Mark], from: usize, to: usize) {
    let mut at = from;
    for mark in marks.iter().filter(|mark| mark.to > from && mark.from < to) {
        let (begin, end) = (mark.from.max(at), mark.to.min(to));
        html.lines(&text[at..begin]);
        let attributes = [A::State(state(mark.truth)), A::Title(&mark.title)];
        html.el("mark", &attributes, |html| html.lines(&text[begin..end]));
        at = end;
    }
    html.lines(&text[at..to]);
}

/// Where checks looked, in order and apart from each other; where two overlap, the one that does not hold.
pub(super) fn marks(text: &str, checks: &[&CheckResult]) -> Vec<Mark> {
    let looks = checks.iter().any(|check| check.path.is_some()) && text.len() <= READ;
    let document = looks.then(|| Document::read(Bytes { kept: text.as_bytes(), complete: true }).ok()).flatten();
    let placed = document.as_ref().and_then(|_| read_placed(text.as_bytes(), &Limits::default()).ok());
    let mut found: Vec<Mark> = Vec::new();
    for check in checks.iter().take(MARKS) {
        let spans = match (&check.path, &document, &placed) {
            (Some(path), Some(document), Some(placed)) => of_path(path, document, placed),
            (None, ..) => of_text(text, check),
            _ => Vec::new(),
        };
        for (from, to) in spans {
            found.push(Mark { from, to, truth: check.truth, title: expected(check) });
        }
    }
    // Stable: of two on one place the first that does not hold stays.
    found.sort_by_key(|mark| mark.truth == Truth::Holds);
    let mut apart: Vec<Mark> = Vec::new();
    for mark in found {
        if mark.to > mark.from && apart.iter().all(|other| mark.to <= other.from || mark.from >= other.to) {
            apart.push(mark);
        }
    }
    apart.sort_by_key(|mark| mark.from);
    apart
}

/// The places of a path's values. The whole document is not marked.
fn of_path(path: &str, document: &Document, placed: &Node) -> Vec<(usize, usize)> {
    let located = Path::parse(path).ok().and_then(|path| document.locate(&path).ok()).unwrap_or_default();
    let places = located.iter().take(PARTS).filter(|spot| !spot.way.is_empty());
    let nodes = places.filter_map(|spot| follow(placed, &spot.way)).map(|node| node.place.bytes());
    nodes.map(|bytes| (bytes.start, bytes.end)).collect()
}

fn follow<'a>(node: &'a Node, way: &[Way]) -> Option<&'a Node> {
    way.iter().try_fold(node, |node, step| match (step, &node.value) {
        (Way::Index(index), Value::List(items)) => items.get(*index),
        (Way::Key(key), Value::Map(_)) => node.get(key),
        _ => None,
    })
}

/// Where a text that is looked for stands.
fn of_text(text: &str, check: &CheckResult) -> Vec<(usize, usize)> {
    let wanted = check.expected.trim_matches('"');
    if !matches!(check.op.as_str(), "contains" | "notContains" | "equals" | "startsWith" | "endsWith")
        || wanted.is_empty()
    {
        return Vec::new();
    }
    text.match_indices(wanted).take(PARTS).map(|(at, found)| (at, at + found.len())).collect()
}

#[cfg(test)]
mod tests {
    use probity_core::document::Place;

    use super::*;

    fn check(op: &str, path: Option<&str>, expected: &str, truth: Truth) -> CheckResult {
        CheckResult {
            what: "json".into(),
            op: op.into(),
            expected: expected.into(),
            expected_from: None,
            saw: "".into(),
            truth,
            why: None,
            cause: None,
            channel: None,
            path: path.map(Into::into),
            alternative: None,
            hidden: false,
            check: 0,
            place: Place::default(),
        }
    }

    fn marked<'a>(text: &'a str, checks: &[CheckResult]) -> Vec<(&'a str, Truth)> {
        let checks: Vec<&CheckResult> = checks.iter().collect();
        marks(text, &checks).iter().map(|mark| (&text[mark.from..mark.to], mark.truth)).collect()
    }

    #[test]
    fn the_value_at_a_path_is_marked_and_no_equal_one_elsewhere() {
        let text = r#"{"a": 29.96, "items": [{"total": 29.96}, {"total": "ü"}]}"#;
        let total = |path, truth| check("equals", Some(path), "29.97", truth);
        assert_eq!(marked(text, &[total("items.0.total", Truth::Fails)]), [("29.96", Truth::Fails)]);
        assert_eq!(
            marked(text, &[total("$.items[*].total", Truth::Holds), total("a", Truth::Unknown)]),
            [("29.96", Truth::Unknown), ("29.96", Truth::Holds), ("\"ü\"", Truth::Holds)]
        );
        for nothing in ["b", "$", "items.7.total", "]["] {
            assert_eq!(marked(text, &[total(nothing, Truth::Fails)]), []);
        }
        // What two readers could read in two ways is not pointed into.
        assert_eq!(marked(r#"{"a": 1, "a": 2}"#, &[total("a", Truth::Fails)]), []);
        assert_eq!(marked("no json", &[total("a", Truth::Fails)]), []);
    }

    #[test]
    fn texts_are_marked_and_the_one_that_does_not_hold_wins() {
        let holds = check("contains", None, "\"one line\"", Truth::Holds);
        let fails = check("notContains", None, "\"line\"", Truth::Fails);
        assert_eq!(marked("one line", std::slice::from_ref(&holds)), [("one line", Truth::Holds)]);
        assert_eq!(marked("one line", &[holds, fails]), [("line", Truth::Fails)]);
        assert_eq!(marked("aaa", &[check("contains", None, "", Truth::Holds)]), []);
    }

    #[test]
    fn a_long_body_is_cut_to_its_parts() {
        let text =
            format!("{{\"pad\": \"{}\", \"total\": 29.96, \"more\": \"{}\"}}", "é".repeat(40_000), "x".repeat(9000));
        let one = check("equals", Some("total"), "29.97", Truth::Fails);
        let mut html = Html::default();
        body(&mut html, text.as_bytes(), text.len(), &[&one], WHOLE, "all of it is e1");
        assert!(html.len() < 2000);
        let cut = windows(&text, &marks(&text, &[&one]));
        assert_eq!(cut.len(), 1);
        assert!(text[cut[0].0..cut[0].1].contains("\"total\": 29.96, "));
        assert_eq!(windows(&text, &[]).len(), 1);
    }

    #[test]
    fn a_beginning_says_how_much_there_is() {
        let drawn = |bytes: &[u8], total| {
            super::super::write::document("t", |html| body(html, bytes, total, &[], 64, "all of it is e1"))
        };
        let beginning = format!("{}\u{e4}", "x".repeat(3199));
        // Cut inside the last character, which has two bytes.
        let cut = drawn(&beginning.as_bytes()[..3200], 9_000_000);
        assert!(
            cut.contains("left out]") && cut.contains(&format!("{} in all; all of it is e1", size(9_000_000))),
            "{cut}"
        );
        // The whole of it gives the same but for what it counts.
        let whole = "x".repeat(9_000_000);
        assert_eq!(drawn(whole.as_bytes(), whole.len()), cut);
        assert!(drawn(b"\xff\xfe", 9_000_000).contains(&format!("{}, no text; all of it is e1", size(9_000_000))));
    }
}
