//! Source units: the lines and sentences of a requirement that imply behaviour (harness-planning.md 2.1).
//!
//! Nothing is lost: every byte of the text lies in exactly one unit or in one ignored piece with its reason. Prose is cut
//! into sentences, beside a list too; a list item at its semicolons, unless it begins with an id, as criteria do; table
//! rows and code lines are a unit each. Where markup leaves doubt,
//! a text counts as a unit: too many are noticed, too few are not.

use super::sentences::{Cut, sentences};
use crate::ids::Id;

/// A line or sentence of the requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceUnit {
    /// `S1`, `S2`, … in order; `X1`, … for those that are put aside.
    pub id: String,
    /// `line 3`, or `line 3 sentence 2` where several begin on one line. Lines count from 1, blank ones too.
    pub source: String,
    /// Its text without list marker.
    pub text: String,
    /// Byte span in requirement.md, list marker included, line end not.
    pub span: (usize, usize),
    /// Where the text begins behind a list marker.
    pub text_start: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Units of one paragraph or list item have one number.
    pub block: usize,
    /// Whether it stands under a heading that puts it aside.
    pub aside: Option<Aside>,
}

/// Why a unit needs no criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aside {
    /// Not ours: `## Out of scope`, `## Non-goals`, `## 非目标`, or a row of the matrix.
    OutOfScope,
    /// Ours and put off: `## Later`, or a row of the matrix. The whole cannot pass.
    Later,
}

impl Aside {
    /// As JSON has it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OutOfScope => "out_of_scope",
            Self::Later => "later",
        }
    }
}

/// A piece of the text that implies no behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// Byte span.
    pub span: (usize, usize),
    /// Why.
    pub reason: Reason,
}

/// Why a piece is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// White space between pieces.
    Blank,
    /// A heading.
    Heading,
    /// `Source: …` at the head.
    SourceLine,
    /// A word such as `Notes:` alone on its line.
    Label,
    /// Rules, fences and other lines without a word.
    NoWords,
}

impl Reason {
    /// As JSON has it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Blank => "blank",
            Self::Heading => "heading",
            Self::SourceLine => "source_line",
            Self::Label => "label",
            Self::NoWords => "no_words",
        }
    }
}

/// A requirement in its pieces, each list in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Units that a criterion must claim.
    pub units: Vec<SourceUnit>,
    /// Units that stand under a heading that puts them aside.
    pub excluded: Vec<SourceUnit>,
    /// The rest.
    pub ignored: Vec<Ignored>,
}

/// Cuts a requirement into its pieces.
#[must_use]
pub fn split(text: &str) -> Split {
    let mut splitter = Splitter { text, ..Splitter::default() };
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        splitter.line(number, at, line);
        at += line.len();
    }
    splitter.flush();
    splitter.finish()
}

const LABELS: [&str; 12] = [
    "背景",
    "说明",
    "备注",
    "目标",
    "目的",
    "note",
    "notes",
    "context",
    "background",
    "scope",
    "requirements",
    "acceptance criteria",
];

/// What is being read.
#[derive(Clone, Copy, Default)]
struct Open {
    start: usize,
    text_start: usize,
    end: usize,
    item: bool,
}

#[derive(Default)]
struct Splitter<'t> {
    text: &'t str,
    found: Vec<SourceUnit>,
    ignored: Vec<Ignored>,
    open: Option<Open>,
    in_code: bool,
    blocks: usize,
    /// Level and kind of the section that puts its units aside.
    section: Option<(usize, Aside)>,
    /// Where each line begins.
    lines: Vec<usize>,
}

impl Splitter<'_> {
    fn line(&mut self, number: usize, at: usize, line: &str) {
        self.lines.push(at);
        // A byte-order mark is no letter of the requirement.
        let bom = if number == 1 && line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        let rest = &line[bom..];
        let start = at + bom + (rest.len() - rest.trim_start().len());
        let body = rest.trim();
        let end = start + body.len();
        if body.is_empty() {
            return self.flush();
        }
        if let Some(info) = ["```", "~~~"].into_iter().find_map(|fence| body.strip_prefix(fence)) {
            self.in_code = !self.in_code;
            self.flush();
            // The word behind a fence names a language; more than a word is text.
            return if info.split_whitespace().nth(1).is_some() {
                self.whole(start, start, end);
            } else {
                self.ignore(start, end, Reason::NoWords);
            };
        }
        let indent = start - at - bom;
        match heading(body).filter(|_| !self.in_code && indent < 4) {
            Some((level, title)) => {
                self.flush();
                self.enter(level, title);
                self.ignore(start, end, Reason::Heading);
            }
            None => self.content(start, end, body, indent),
        }
    }

    /// A line that is neither blank nor fence nor heading.
    fn content(&mut self, start: usize, end: usize, body: &str, indent: usize) {
        if !body.contains(char::is_alphanumeric) {
            self.flush();
            return self.ignore(start, end, Reason::NoWords);
        }
        let marker = marker(body);
        if self.in_code || (marker == 0 && body.starts_with('|')) {
            self.flush();
            return self.whole(start, start, end);
        }
        let inner = &body[marker..];
        if LABELS.contains(&inner.trim_matches([':', '：', '*', '_', ' ']).to_lowercase().as_str()) {
            self.flush();
            return self.ignore(start, end, Reason::Label);
        }
        let head = self.found.is_empty() && self.open.is_none();
        if head && ["Source:", "来源:", "来源："].iter().any(|label| body.starts_with(label)) {
            return self.ignore(start, end, Reason::SourceLine);
        }
        if marker > 0 {
            self.flush();
            self.open = Some(Open { start, text_start: start + marker, end, item: true });
            return;
        }
        match &mut self.open {
            Some(open) if !open.item || indent >= 2 => open.end = end,
            _ => {
                self.flush();
                self.open = Some(Open { start, text_start: start, end, item: false });
            }
        }
    }

    /// Closes the paragraph or list item that is being read.
    fn flush(&mut self) {
        let Some(open) = self.open.take() else { return };
        self.blocks += 1;
        let text = self.text.get(open.text_start..open.end).unwrap_or_default();
        let pieces = match open.item {
            true if has_id(text) => vec![(0, text.len())],
            true => sentences(text, Cut::Clauses),
            false => sentences(text, Cut::Sentences),
        };
        // The list marker belongs to the first clause.
        let mut before = Some(open.start);
        for (start, end) in pieces {
            let start = open.text_start + start;
            self.piece(before.take().unwrap_or(start), start, open.text_start + end);
        }
        if let Some(start) = before {
            self.ignore(start, open.end, Reason::NoWords);
        }
    }

    /// A piece that is a block of its own.
    fn whole(&mut self, start: usize, text_start: usize, end: usize) {
        self.blocks += 1;
        self.piece(start, text_start, end);
    }

    fn piece(&mut self, start: usize, text_start: usize, end: usize) {
        let text = self.text.get(text_start..end).unwrap_or_default();
        if !text.contains(char::is_alphanumeric) {
            return self.ignore(start, end, Reason::NoWords);
        }
        let line = self.lines.partition_point(|begin| *begin <= start);
        let begin = line.checked_sub(1).and_then(|i| self.lines.get(i)).copied().unwrap_or_default();
        self.found.push(SourceUnit {
            id: String::new(),
            source: String::new(),
            text: text.split_whitespace().collect::<Vec<_>>().join(" "),
            span: (start, end),
            text_start,
            line,
            column: self.text.get(begin..start).unwrap_or_default().chars().count() + 1,
            block: self.blocks,
            aside: self.section.map(|(_, aside)| aside),
        });
    }

    fn ignore(&mut self, start: usize, end: usize, reason: Reason) {
        self.ignored.push(Ignored { span: (start, end), reason });
    }

    /// Enters the section of a heading; one that puts aside lasts until a heading of its level or above. The title of
    /// the document (level 1) never puts aside, or a requirement could be called away.
    fn enter(&mut self, level: usize, title: &str) {
        if self.section.is_some_and(|(own, _)| level > own) {
            return;
        }
        let title = title.trim_matches([' ', '\t', '#', ':', '：', '*', '_']).to_lowercase();
        let aside = match title.as_str() {
            "out of scope" | "non-goals" | "非目标" => Some(Aside::OutOfScope),
            "later" => Some(Aside::Later),
            _ => None,
        };
        self.section = aside.filter(|_| level > 1).map(|aside| (level, aside));
    }

    /// Gives names, and accounts for the white space between pieces.
    fn finish(mut self) -> Split {
        name(&mut self.found);
        let (mut excluded, mut units): (Vec<_>, Vec<_>) = self.found.into_iter().partition(|unit| unit.aside.is_some());
        (1..).zip(&mut units).for_each(|(n, unit)| unit.id = format!("S{n}"));
        (1..).zip(&mut excluded).for_each(|(n, unit)| unit.id = format!("X{n}"));
        let mut spans: Vec<_> = units.iter().chain(&excluded).map(|unit| unit.span).collect();
        spans.extend(self.ignored.iter().map(|piece| piece.span));
        spans.push((self.text.len(), self.text.len()));
        spans.sort_unstable();
        let mut at = 0;
        for (start, end) in spans {
            if at < start {
                self.ignored.push(Ignored { span: (at, start), reason: Reason::Blank });
            }
            at = end;
        }
        self.ignored.sort_unstable_by_key(|piece| piece.span);
        Split { units, excluded, ignored: self.ignored }
    }
}

/// Labels by line; by sentence where several units begin on one line.
fn name(units: &mut [SourceUnit]) {
    for same in units.chunk_by_mut(|a, b| a.line == b.line) {
        let many = same.len() > 1;
        for (n, unit) in (1..).zip(same) {
            unit.source = if many { format!("line {} sentence {n}", unit.line) } else { format!("line {}", unit.line) };
        }
    }
}

/// Whether a list item begins with an id and a colon.
fn has_id(item: &str) -> bool {
    item.split_once(": ").is_some_and(|(id, _)| Id::parse(id).is_ok())
}

/// Level and title of an ATX heading.
fn heading(body: &str) -> Option<(usize, &str)> {
    let title = body.trim_start_matches('#');
    let level = body.len() - title.len();
    let heading = (1..=6).contains(&level) && (title.is_empty() || title.starts_with([' ', '\t']));
    heading.then_some((level, title))
}

/// Length of a list marker with the white space and checkbox behind it; 0 if there is none.
fn marker(body: &str) -> usize {
    let digits = body.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &body[digits..];
    let (rest, tight) = match (digits, rest.chars().next()) {
        (0, Some('-' | '*' | '+')) => (&rest[1..], false),
        (1..=9, Some('.' | ')')) => (&rest[1..], false),
        (1..=9, Some('、')) => (&rest['、'.len_utf8()..], true),
        _ => return 0,
    };
    if !tight && !rest.starts_with([' ', '\t']) {
        return 0;
    }
    let mut inner = rest.trim_start();
    for checkbox in ["[ ] ", "[x] ", "[X] "] {
        inner = inner.strip_prefix(checkbox).map_or(inner, str::trim_start);
    }
    body.len() - inner.len()
}
