//! HTML that is safe by construction (threats.md R15, D5).
//!
//! Tags, classes and fixed words are part of the program (`&'static str`). Everything else becomes escaped text, drawn
//! inert, so that nothing captured can be an element, an attribute or a line that reads backwards. No attribute of
//! [`A`] runs, loads or styles anything; a link leads to a part of the page, or to http and https.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use probity_core::inert::{inert, inert_lines};
use probity_core::verdict::Status;
use sha2::{Digest as _, Sha256};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// HTML while it is written.
#[derive(Default)]
pub(super) struct Html(String);

/// An attribute of an element.
#[derive(Clone, Copy)]
pub(super) enum A<'a> {
    /// A class of the style sheet.
    Class(&'static str),
    /// The status that colour and mark are taken from.
    State(Status),
    /// A name to lead to.
    Id(&'a str),
    /// Leads to a name on this page.
    To(&'a str),
    /// What a pointer that rests on it is told.
    Title(&'a str),
    /// A fold that stands open.
    Open,
    /// A fold whose `pre` is copied when it is opened.
    Copy,
}

impl Html {
    /// An element with what is in it.
    pub(super) fn el(&mut self, tag: &'static str, attributes: &[A<'_>], inside: impl FnOnce(&mut Self)) {
        self.0.push('<');
        self.0.push_str(tag);
        for attribute in attributes {
            self.attribute(*attribute);
        }
        self.0.push('>');
        inside(self);
        self.0.push_str("</");
        self.0.push_str(tag);
        self.0.push('>');
    }

    /// An element that holds one line of text.
    pub(super) fn say(&mut self, tag: &'static str, class: &'static str, text: &str) {
        let attributes = [A::Class(class)];
        self.el(tag, if class.is_empty() { &[] } else { &attributes }, |html| html.text(text));
    }

    /// One line of text.
    pub(super) fn text(&mut self, text: &str) {
        escape(&inert(text), &mut self.0);
    }

    /// Text whose line ends stay.
    pub(super) fn lines(&mut self, text: &str) {
        escape(&inert_lines(text), &mut self.0);
    }

    /// A link out of the page, if it is one of http or https; else its text.
    pub(super) fn link(&mut self, url: &str, text: &str) {
        let target = url::Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(target) = target else { return self.text(text) };
        self.0.push_str("<a rel=\"noopener noreferrer\" href=\"");
        escape(target.as_str(), &mut self.0);
        self.0.push_str("\">");
        self.text(text);
        self.0.push_str("</a>");
    }

    /// What another writer wrote.
    pub(super) fn append(&mut self, other: &Self) {
        self.0.push_str(&other.0);
    }

    /// Fixed HTML of the program itself.
    pub(super) fn fixed(&mut self, html: &'static str) {
        self.0.push_str(html);
    }

    /// How many bytes were written.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    fn attribute(&mut self, attribute: A<'_>) {
        let (name, value) = match attribute {
            A::Class(class) => ("class", class),
            A::State(status) => ("data-s", status.as_str()),
            A::Id(id) => ("id", id),
            A::To(id) => ("href=\"#", id),
            A::Title(text) => ("title", text),
            A::Open => return self.0.push_str(" open"),
            A::Copy => return self.0.push_str(" data-copy"),
        };
        self.0.push(' ');
        self.0.push_str(name);
        if !name.ends_with('#') {
            self.0.push_str("=\"");
        }
        escape(&inert(value), &mut self.0);
        self.0.push('"');
    }
}

/// A whole page. Its policy lets nothing run but the program's own script, and nothing be fetched at all.
pub(super) fn document(title: &str, body: impl FnOnce(&mut Html)) -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let mut html = Html(String::with_capacity(64 << 10));
    html.0.push_str(&format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action \
         'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" \
         content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n",
        hash(SCRIPT),
        hash(STYLE)
    ));
    html.say("title", "", title);
    html.0.push_str(&format!("\n<style>{STYLE}</style></head>\n<body>"));
    body(&mut html);
    html.0.push_str(&format!("\n<script>{SCRIPT}</script></body></html>\n"));
    html.0
}

fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        out.push_str(&rest[..at]);
        out.push_str(match rest.as_bytes()[at] {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            _ => "&#39;",
        });
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// A number of bytes that one part of the page may take, so that a page of any run stays small enough to open.
pub(super) struct Room(pub(super) usize);

impl Room {
    /// Appends a piece, if there is still room for it.
    pub(super) fn take(&mut self, html: &mut Html, piece: &Html) -> bool {
        let Some(left) = self.0.checked_sub(piece.len()) else { return false };
        self.0 = left;
        html.append(piece);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What could act, in every place where text can stand.
    const HOSTILE: &str = "</title><script>x</script>\" onload='x' &amp; \u{202e}\u{1b}]";

    #[test]
    fn nothing_leaves_its_place() {
        let page = document(HOSTILE, |html| {
            html.el("p", &[A::Id(HOSTILE), A::To(HOSTILE), A::Title(HOSTILE)], |html| html.text(HOSTILE));
            html.el("pre", &[], |html| html.lines(HOSTILE));
            html.link(HOSTILE, HOSTILE);
        });
        assert_eq!(page.matches("<script").count(), 1, "{page}");
        assert_eq!(page.matches("</title>").count(), 1);
        assert!(!page.contains("onload='x'") && !page.contains('\u{202e}') && !page.contains('\u{1b}'));
        assert!(page.contains("&lt;/title&gt;&lt;script&gt;x&lt;/script&gt;&quot; onload=&#39;x&#39; &amp;amp;"));
    }

    #[test]
    fn links_lead_to_http_and_nowhere_else() {
        for (url, links) in [
            ("https://example.com/a?b=\"c\"", true),
            ("http://127.0.0.1:1/", true),
            ("javascript:alert(1)", false),
            ("JavaScript:alert(1)", false),
            (" data:text/html,x", false),
            ("file:///etc/passwd", false),
            ("//example.com", false),
            ("issue 42", false),
        ] {
            let mut html = Html::default();
            html.link(url, "t");
            assert_eq!(html.0.contains("<a "), links, "{url}: {}", html.0);
            assert_eq!(html.0.matches('"').count(), if links { 4 } else { 0 }, "{}", html.0);
        }
    }

    #[test]
    fn the_policy_names_what_stands_in_the_page() {
        let page = document("t", |_| {});
        for (name, text) in [("script-src", SCRIPT), ("style-src", STYLE)] {
            let hash = STANDARD.encode(Sha256::digest(text));
            assert!(page.contains(&format!("{name} 'sha256-{hash}'")), "{name}");
            assert!(page.contains(&format!(">{text}</")), "{name}");
            assert!(!text.contains("</"), "{name} would end its own element");
        }
        for word in ["innerHTML", "eval", "http:", "https:", "@import", "url("] {
            assert!(!SCRIPT.contains(word) && !STYLE.contains(word), "{word}");
        }
    }

    #[test]
    fn a_room_that_is_full_takes_nothing() {
        let (mut html, mut piece) = (Html::default(), Html::default());
        piece.text("12345");
        let mut room = Room(9);
        assert!(room.take(&mut html, &piece) && !room.take(&mut html, &piece));
        assert_eq!(html.0, "12345");
    }
}
