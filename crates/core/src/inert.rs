//! Captured text, made harmless for the place where it is shown (threats.md R15, D6, D7).
//!
//! A program's output, a title, a header may hold bytes that repaint a terminal, turn a line around, hide what stands
//! there, or mention people in a tracker. Nothing is dropped: what cannot be shown as it is, is drawn as ASCII.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Text for one line: control characters, bidirectional controls, zero-width and other invisible characters are drawn
/// as ASCII (`\x1b`, `\u{202e}`), line ends and tabs too (`\n`, `\t`).
#[must_use]
pub fn inert(text: &str) -> Cow<'_, str> {
    drawn(text, is_unsafe)
}

/// Text of several lines: as [`inert`], but line feeds and tabs stay.
#[must_use]
pub fn inert_lines(text: &str) -> Cow<'_, str> {
    drawn(text, |c| !matches!(c, '\n' | '\t') && is_unsafe(c))
}

/// Whether a character does something other than showing itself.
///
/// C0, DEL, C1, line and paragraph separators; bidirectional marks, embeddings, overrides and isolates; zero-width and
/// filler characters; variation selectors but the two that choose between text and emoji; interlinear and tag
/// characters; noncharacters.
#[must_use]
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}' | '\u{ffff}'
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// One character, drawn as ASCII.
pub(crate) fn escape(c: char, out: &mut String) {
    let _ = match c {
        '\n' => write!(out, "\\n"),
        '\t' => write!(out, "\\t"),
        '\r' => write!(out, "\\r"),
        c if u32::from(c) < 0x80 => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

fn drawn(text: &str, refused: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&refused) else { return Cow::Borrowed(text) };
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(&text[..first]);
    for c in text[first..].chars() {
        if refused(c) { escape(c, &mut out) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// At most `most` characters of a text, for a message: where more follow, an ellipsis says so.
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// One-line text inside Markdown: line ends become spaces, what is invisible is drawn, and whatever Markdown or a
/// tracker would act on (emphasis, code, links, images, HTML, tables, lists, mentions, issue numbers) is neutralised.
///
/// Markup characters get a backslash, `&`, `<`, `>` and `:` become character references. Trackers look for mentions and
/// numbers in what Markdown has made of the text, so `@` and `#` stand in code of their own, where they do not look.
#[must_use]
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut chars = text.trim().chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            ':' => out.push_str("&#58;"),
            '@' | '#' => {
                out.push('`');
                out.push(c);
                while let Some(next) = chars.next_if(|c| matches!(c, '@' | '#')) {
                    out.push(next);
                }
                out.push('`');
            }
            c if MARKUP.contains(c) => {
                out.push('\\');
                out.push(c);
            }
            c if is_unsafe(c) => {
                out.push('\\');
                escape(c, &mut out);
            }
            c => out.push(c),
        }
    }
    out
}

/// What Markdown gives a meaning to and a backslash takes it from.
const MARKUP: &str = "|`*_~[](){}!\\+-=.$\"'";

/// A fenced Markdown block that holds the text, whatever it holds: the fence is longer than any run of backticks inside.
/// Ends with a line end.
#[must_use]
pub fn fence(text: &str) -> String {
    let body = inert_lines(text);
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    let line_end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    format!("{fence}text\n{body}{line_end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn cuts_between_characters_and_says_so() {
        for (text, most, short) in [("", 0, ""), ("é", 1, "é"), ("éa", 1, "é…"), ("abc", 3, "abc"), ("abcd", 0, "…")]
        {
            assert_eq!(shortened(text, most), short, "{text}");
        }
    }

    #[test]
    fn draws_what_would_act() {
        assert_eq!(inert("\x1b[2J\x07\u{7f}\u{9b}"), "\\x1b[2J\\x07\\x7f\\u{9b}");
        assert_eq!(inert("a\r\nb\tc"), "a\\r\\nb\\tc");
        assert_eq!(inert("user\u{202e}nimda\u{2066}\u{200f}"), "user\\u{202e}nimda\\u{2066}\\u{200f}");
        assert_eq!(
            inert("ze\u{200b}ro\u{feff}\u{2028}\u{e0041}\u{fe01}"),
            "ze\\u{200b}ro\\u{feff}\\u{2028}\\u{e0041}\\u{fe01}"
        );
        assert_eq!(inert_lines("a\r\nb\tc\u{b}"), "a\\r\nb\tc\\x0b");
        assert!(matches!(inert("Größe 寸 ✅ ❤\u{fe0f}"), Cow::Borrowed(_)));
    }

    #[test]
    fn markdown_is_text() {
        assert_eq!(markdown("a | `b` <img src=x> @team #12"), "a \\| \\`b\\` &lt;img src\\=x&gt; `@`team `#`12");
        assert_eq!(markdown("![x](http://e.x/)\n- y"), "\\!\\[x\\]\\(http&#58;//e\\.x/\\) \\- y");
        assert_eq!(markdown("\x1b]8;;"), "\\\\x1b\\]8;;");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("a"), "```text\na\n```\n");
        assert_eq!(fence("x\n````\n"), "`````text\nx\n````\n`````\n");
        assert_eq!(fence(""), "```text\n```\n");
    }

    proptest! {
        #[test]
        fn nothing_unsafe_remains(text in any::<String>(), odd in prop::collection::vec(odd_character(), 0..20)) {
            let text: String = text.chars().chain(odd).chain("end".chars()).collect();
            let one_line = inert(&text);
            prop_assert!(!one_line.contains(is_unsafe));
            let lines = inert_lines(&text);
            prop_assert!(!lines.contains(|c| c != '\n' && c != '\t' && is_unsafe(c)));
            let inline = markdown(&text);
            prop_assert!(!inline.contains(is_unsafe) && !inline.contains(['<', '>', '\n']));
        }

        #[test]
        fn every_mark_in_markdown_is_escaped(text in "[a|`*_\\[\\]!\\\\@# ]{0,30}") {
            let inline = markdown(&text);
            let mut chars = inline.chars();
            while let Some(c) = chars.next() {
                if c == '\\' {
                    prop_assert!(chars.next().is_some());
                } else if c == '`' {
                    let code: String = chars.by_ref().take_while(|c| *c != '`').collect();
                    prop_assert!(!code.is_empty() && code.chars().all(|c| "@#".contains(c)), "{}", inline);
                } else {
                    prop_assert!(!"|*_[]!@#".contains(c), "{}", inline);
                }
            }
        }

        #[test]
        fn a_fence_cannot_be_closed_from_inside(text in "[`a\n~]{0,60}") {
            let block = fence(&text);
            let lines: Vec<&str> = block.lines().collect();
            let fence = lines[lines.len() - 1];
            prop_assert!(fence.len() >= 3 && fence.chars().all(|c| c == '`'));
            for line in &lines[1..lines.len() - 1] {
                prop_assert!(!line.contains(fence), "{}", block);
            }
        }
    }

    fn odd_character() -> impl Strategy<Value = char> {
        prop_oneof![
            proptest::char::range('\0', '\u{ff}'),
            proptest::char::range('\u{2000}', '\u{2070}'),
            proptest::char::range('\u{e0000}', '\u{e01ef}'),
        ]
    }
}
