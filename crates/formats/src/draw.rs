//! Diagnostics as people read them: code and message, the place, the line with a marker, what to do.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::document::Place;

use probity_core::inert::{inert, inert_lines};

/// How to draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// With terminal colours.
    pub color: bool,
    /// Frames in ASCII only. What is quoted keeps its letters.
    pub ascii: bool,
    /// Columns to fill.
    pub width: usize,
}

/// Draws diagnostics in the order given, a blank line between two of them. `source` gives the text of a file by the name
/// that a diagnostic carries; without it, or without a place, no line is quoted. Whatever the document or its name holds
/// is drawn inert (threats.md R15).
#[must_use]
pub fn draw(diagnostics: &[Diagnostic], source: &dyn Fn(&str) -> Option<String>, style: Style) -> String {
    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let decor = if style.ascii { DecorStyle::Ascii } else { DecorStyle::Unicode };
    let renderer = renderer.term_width(style.width.max(40)).decor_style(decor);
    let blocks: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| without_gaps(&renderer.render(&[group(diagnostic, source, style.width.max(40))])))
        .collect();
    blocks.join("\n")
}

/// The drawing without the line that the renderer puts between a place and a quote that is given apart from it.
fn without_gaps(drawing: &str) -> String {
    let mut out = String::with_capacity(drawing.len() + 1);
    for line in drawing.lines().filter(|line| !is_gap(line)) {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Whether a line holds nothing but the mark of a gap, colours aside. A quoted line always has its number.
fn is_gap(line: &str) -> bool {
    let mut bare = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\x1b' {
            chars.by_ref().find(|c| *c == 'm');
        } else {
            bare.push(c);
        }
    }
    matches!(bare.trim(), ":::" | "\u{2e2c}")
}

fn group<'a>(diagnostic: &'a Diagnostic, source: &dyn Fn(&str) -> Option<String>, width: usize) -> Group<'a> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(level.primary_title(inert(&diagnostic.message)).id(diagnostic.code.as_str()));
    let file = inert(&diagnostic.file);
    if let Some(place) = diagnostic.place {
        let quote = source(&diagnostic.file).and_then(|text| Quote::new(&text, place, width));
        let line = place.line as usize;
        let origin = Origin::path(file.clone()).line(line).char_column(place.column as usize);
        group = match quote {
            None => group.element(origin),
            Some(quote) => {
                let snippet = Snippet::source(quote.line)
                    .line_start(line)
                    .annotation(AnnotationKind::Primary.span(quote.start..quote.end));
                // A line that is quoted as it stands gives its own column; of a changed one the column is told apart.
                if quote.as_written {
                    group.element(snippet.path(file))
                } else {
                    group.element(origin).element(snippet)
                }
            }
        };
    } else if !file.is_empty() {
        group = group.element(Origin::path(file));
    }
    if let Some(subject) = &diagnostic.subject {
        group = group.element(Level::NOTE.message(format!("this is about {}", inert(subject))));
    }
    match &diagnostic.help {
        Some(help) => group.element(Level::HELP.message(inert_lines(help))),
        None => group,
    }
}

/// The line of a place, made inert and cut to what a reader can take in, with the marked bytes of it.
struct Quote {
    line: String,
    start: usize,
    end: usize,
    /// Nothing before the mark was changed, so its column in the quote is its column in the file.
    as_written: bool,
}

impl Quote {
    fn new(text: &str, place: Place, width: usize) -> Option<Self> {
        let bytes = place.bytes();
        let from = text.get(..bytes.start)?.rfind('\n').map_or(0, |p| p + 1);
        let to = text[bytes.start..].find('\n').map_or(text.len(), |p| bytes.start + p);
        let skipped = if from == 0 && text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let line = text.get(from + skipped..to)?;
        let line = line.strip_suffix('\r').unwrap_or(line);
        let end_of_line = from + skipped + line.len();
        let start = bytes.start.clamp(from + skipped, end_of_line);
        let end = bytes.end.clamp(start, end_of_line);
        let before = text.get(from + skipped..start)?;
        let marked = text.get(start..end).unwrap_or_default();
        let after = &text[start + marked.len()..end_of_line];

        let before_cut = last_characters(before, width);
        let (left, marked, right) =
            (inert(before_cut), inert(first_characters(marked, width)), inert(first_characters(after, width)));
        let dots = if before_cut.len() < before.len() { "..." } else { "" };
        let start = dots.len() + left.len();
        Some(Self {
            as_written: start == before.len() && left == before && before.chars().count() + 1 == place.column as usize,
            line: format!("{dots}{left}{marked}{right}"),
            start,
            end: start + marked.len(),
        })
    }
}

fn first_characters(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(at, _)| &text[..at])
}

fn last_characters(text: &str, most: usize) -> &str {
    text.char_indices().rev().nth(most).map_or(text, |(at, c)| &text[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document;
    use insta::assert_snapshot;
    use probity_core::codes::Code;
    use proptest::prelude::*;

    const PLAIN: Style = Style { color: false, ascii: true, width: 100 };

    fn drawn(text: &str, style: Style) -> String {
        let diagnostics = document::read("a.yaml", text.as_bytes()).unwrap_err();
        draw(&diagnostics, &|name| (name == "a.yaml").then(|| text.to_owned()), style)
    }

    fn diagnostic(message: &str, place: Option<Place>) -> Diagnostic {
        Diagnostic {
            code: Code::WrongType,
            severity: Severity::Warning,
            file: "a\x1b.yaml".into(),
            place,
            subject: Some("ORDER-1".into()),
            message: message.into(),
            help: Some("first this\nthen that".into()),
        }
    }

    #[test]
    fn points_at_the_line() {
        assert_snapshot!(drawn("cases:\n  - id: A\n    title:gone\n    steps: []\n", PLAIN), @r#"
        error[syntax_error]: no space after the colon of a key
         --> a.yaml:3:10
          |
        3 |     title:gone
          |          ^
          |
          = help: write `key: value`
        "#);
        assert_snapshot!(drawn("a: 1\nb: 2\r\na: 3\r\nb: 4\n", Style { ascii: false, ..PLAIN }), @r#"
        error[duplicate_key]: the key `a` for the second time in one map; it stands first at line 1, column 1
          ╭▸ a.yaml:3:1
          │
        3 │ a: 3
          │ ━
          │
          ╰ help: remove one of the two

        error[duplicate_key]: the key `b` for the second time in one map; it stands first at line 2, column 1
          ╭▸ a.yaml:4:1
          │
        4 │ b: 4
          │ ━
          │
          ╰ help: remove one of the two
        "#);
    }

    #[test]
    fn without_a_place_or_source_no_line_is_quoted() {
        assert_snapshot!(draw(&[diagnostic("odd \u{202e}text", None)], &|_| None, PLAIN), @r#"
        warning[wrong_type]: odd \u{202e}text
        --> a\x1b.yaml
         = note: this is about ORDER-1
         = help: first this
                 then that
        "#);
        let place = Place { start: 4, end: 5, line: 2, column: 1 };
        assert_snapshot!(draw(&[diagnostic("odd", Some(place))], &|_| None, PLAIN), @r#"
        warning[wrong_type]: odd
        --> a\x1b.yaml:2:1
         = note: this is about ORDER-1
         = help: first this
                 then that
        "#);
        let past = draw(&[diagnostic("odd", Some(place))], &|_| Some("ab".into()), PLAIN);
        assert_eq!(past, draw(&[diagnostic("odd", Some(place))], &|_| None, PLAIN));
        assert_eq!(draw(&[], &|_| None, PLAIN), "");
    }

    #[test]
    fn what_would_act_is_drawn() {
        assert_snapshot!(drawn("a: \"x\u{202e}y\u{200b}\" z\n", PLAIN), @r#"
        error[syntax_error]: text after the closing quote
         --> a.yaml:1:11
          |
        1 | a: "x\u{202e}y\u{200b}" z
          |                         ^
          |
          = help: inside "..." write \" for a quote, or put the whole text in '...'
        "#);
        assert_snapshot!(drawn("a:\n\tb: 1\n", PLAIN), @r#"
        error[syntax_error]: a tab where YAML wants spaces
         --> a.yaml:2:1
          |
        2 | \tb: 1
          | ^^
          |
          = help: indent with spaces only
        "#);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("a: [{}, @x, {}]\n", "1, ".repeat(500_000), "2, ".repeat(100));
        assert_snapshot!(drawn(&text, PLAIN), @r#"
        error[document_too_large]: more than 500000 values, counting what anchors repeat
         --> a.yaml:1:1499999
          |
        1 | ..., 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, , @x, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2...
          |                                                ^
          |
          = help: split the document, or write fewer aliases
        "#);
    }

    #[test]
    fn colour_is_escape_sequences() {
        let colored = drawn("a: @\n", Style { color: true, ..PLAIN });
        assert!(colored.contains("\x1b["));
        let changed = drawn("a:\n\tb: 1\n", Style { color: true, ascii: false, ..PLAIN });
        assert!(!changed.contains('\u{2e2c}') && changed.contains("\\tb: 1"), "{changed}");
        let place = Place { start: 0, end: 1, line: 1, column: 1 };
        let hostile = draw(&[diagnostic("\x1b]8;;x\x07", Some(place))], &|_| Some("\x1b[2J".into()), PLAIN);
        assert!(!hostile.contains('\x1b') && hostile.contains("\\x1b]8;;x\\x07"));
    }

    proptest! {
        #[test]
        fn any_place_in_any_text(text in any::<String>(), start in 0..80_usize, end in 0..80_usize, line in 0..5_usize) {
            let place = Place::new(start, end, line, start);
            let drawing = draw(&[diagnostic(&text, Some(place))], &|_| Some(text.clone()), PLAIN);
            prop_assert!(!drawing.contains(|c| c != '\n' && probity_core::inert::is_unsafe(c)), "{drawing}");
        }
    }
}
