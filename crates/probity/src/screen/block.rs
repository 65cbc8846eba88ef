//! A block of lines: drawn inert, wrapped at the width of the screen, coloured in its verdict word only.

use probity_core::codes::Who;
use probity_core::inert::inert;
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use crate::answer::next::{How, Move};
use crate::out::Out;

/// As many characters of one text are drawn.
const LONGEST: usize = 1200;

/// A block while it is put together.
pub(crate) struct Block {
    text: String,
    width: usize,
    color: bool,
}

/// What a verdict word means, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Fine.
    Good,
    /// Not fine.
    Bad,
    /// Not known.
    Open,
}

impl Tone {
    /// Of a status.
    pub(crate) const fn of(status: Status) -> Self {
        match status {
            Status::Passed => Self::Good,
            Status::Failed => Self::Bad,
            Status::Blocked | Status::Inconclusive | Status::Untested => Self::Open,
        }
    }
}

impl Block {
    /// An empty block.
    pub(crate) fn new(out: Out) -> Self {
        Self { text: String::new(), width: out.width.max(60), color: out.color }
    }

    /// The line with the verdict.
    pub(crate) fn verdict(&mut self, word: &str, tone: Tone, rest: &str) {
        let from = self.text.len();
        let indent = word.chars().count() + 2;
        self.line(0, indent, &format!("{word}  {rest}"));
        if self.color {
            let code = match tone {
                Tone::Good => "32",
                Tone::Bad => "31",
                Tone::Open => "33",
            };
            self.text.replace_range(from..from + word.len(), &format!("\x1b[1;{code}m{word}\x1b[0m"));
        }
    }

    /// A line that goes on `hang` columns in where it must be wrapped. What is written into it is drawn inert.
    pub(crate) fn line(&mut self, indent: usize, hang: usize, text: &str) {
        // Long texts have their place in reports and in evidence.
        let mut text = text.to_owned();
        if let Some((at, _)) = text.char_indices().nth(LONGEST) {
            text.truncate(at);
            text.push_str(" ...");
        }
        for (position, part) in wrap(&safe(&text), self.width, indent, hang).into_iter().enumerate() {
            let columns = if position == 0 { indent } else { hang };
            let line = format!("{}{part}", " ".repeat(columns));
            self.text.push_str(line.trim_end());
            self.text.push('\n');
        }
    }

    /// A row: a word, then what it says from a column on.
    pub(crate) fn row(&mut self, indent: usize, word: &str, column: usize, text: &str) {
        let gap = column.saturating_sub(indent + word.chars().count()).max(2);
        let hang = indent + word.chars().count() + gap;
        self.line(indent, hang, &format!("{word}{}{text}", " ".repeat(gap)));
    }

    /// Text as it must be pasted: every line on its own, none wrapped.
    pub(crate) fn paste(&mut self, indent: usize, text: &str) {
        for line in text.lines() {
            self.text.push_str(&" ".repeat(indent));
            self.text.push_str(&safe(line));
            self.text.push('\n');
        }
    }

    /// The moves.
    pub(crate) fn next(&mut self, moves: &[Move]) {
        for (position, one) in moves.iter().enumerate() {
            let word = if position == 0 { "next" } else { "" };
            let who = whose(one.who);
            let head = format!("{word:<10}{who:<8}");
            match &one.how {
                How::Command(command, note) => {
                    let room = self.width.saturating_sub(head.len() + command.chars().count() + 4);
                    let note = note.split(". ").next().unwrap_or_default().trim_end_matches('.');
                    let fits = !note.is_empty() && note.chars().count() <= room;
                    let text = if fits { format!("{command:<38}  {note}") } else { command.clone() };
                    let text = if text.chars().count() + head.len() > self.width { command.clone() } else { text };
                    self.paste(0, &format!("{head}{text}"));
                }
                How::Line(file, line, text) => {
                    let at = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
                    if text.contains('\n') {
                        self.line(0, 18, &format!("{head}add to {at}:"));
                        self.paste(18, text);
                    } else {
                        self.line(0, 18, &format!("{head}{at}: {text}"));
                    }
                }
                How::Hint(text) => self.line(0, 18, &format!("{head}{text}")),
            }
        }
    }

    /// The last line; never cut. `name` stands for the run where its journal does not say.
    pub(crate) fn end(self, verified: &Verified, name: &str, exit: u8) -> String {
        let tail = match &verified.seal {
            // The end of an open run proves nothing, so there is nothing to paste.
            Some(seal) if !verified.closed => format!("entries {}", seal.entries),
            Some(seal) => format!("seal {seal}"),
            None => "no seal".to_owned(),
        };
        self.last(verified.run.as_deref().unwrap_or(name), &tail, exit)
    }

    fn last(mut self, run: &str, tail: &str, exit: u8) -> String {
        self.text.push_str(&format!("run {}  {tail}  exit {exit}\n", safe(run)));
        self.text
    }

    /// The block without a last line of its own.
    pub(crate) fn done(self) -> String {
        self.text
    }
}

/// Whose move it is, as the screen says it.
pub(crate) const fn whose(who: Who) -> &'static str {
    match who {
        Who::Agent => "yours",
        other => other.as_str(),
    }
}

/// A text made harmless for one line of a terminal or of a CI log: what GitHub's runner takes for a command at the
/// beginning of a line, or anywhere in one, is broken up (threats.md R15, D7).
pub(crate) fn safe(text: &str) -> String {
    let drawn = inert(text).replace("##[", "#\\x23[");
    match drawn.trim_start().strip_prefix("::") {
        Some(rest) => format!("{}\\x3a:{rest}", &drawn[..drawn.len() - drawn.trim_start().len()]),
        None => drawn,
    }
}

/// Splits a text at spaces so that each line fits; a word that is longer than a line is cut into pieces.
fn wrap(text: &str, width: usize, indent: usize, hang: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut column = indent;
    let mut fresh = true;
    for word in text.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        if !fresh && column + length > width {
            lines.push(String::new());
            (column, fresh) = (hang, true);
        }
        if fresh && lines.len() > 1 && word.trim().is_empty() {
            continue;
        }
        // A line must not begin with what a CI runner would obey.
        let word = if fresh && lines.len() > 1 { safe(word) } else { word.to_owned() };
        for c in word.chars() {
            if column >= width && c != ' ' {
                lines.push(String::new());
                column = hang;
            }
            if let Some(last) = lines.last_mut() {
                last.push(c);
            }
            column += 1;
        }
        fresh = false;
    }
    // A piece of a long word may begin so too.
    lines.into_iter().enumerate().map(|(n, line)| if n > 0 { safe(&line) } else { line }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block {
        Block { text: String::new(), width: 60, color: false }
    }

    #[test]
    fn no_line_acts() {
        let mut block = block();
        block.line(2, 4, &format!("::error::x {} ::set-output \u{1b}[2J \u{202e} ##[error]y\r\n::z", "w".repeat(40)));
        let text = block.done();
        for line in text.lines() {
            assert!(!line.trim_start().starts_with("::"), "{text}");
            assert!(line.chars().count() <= 66, "{text}");
        }
        assert!(!text.contains("##[") && !text.contains('\u{1b}') && !text.contains('\u{202e}'), "{text}");
    }

    #[test]
    fn a_long_word_is_cut_and_may_not_act_either() {
        let mut block = block();
        block.line(0, 4, &format!("{}::error::boom", "w".repeat(60)));
        assert_eq!(block.done(), format!("{}\n    \\x3a:error::boom\n", "w".repeat(60)));
    }

    #[test]
    fn long_lines_hang() {
        let mut block = block();
        block.row(2, "passed", 10, &"word ".repeat(20));
        let text = block.done();
        assert!(text.starts_with("  passed  word word"));
        assert!(text.lines().skip(1).all(|line| line.starts_with("          word")), "{text}");
    }

    #[test]
    fn the_last_line_is_never_cut() {
        let run = "r".repeat(128);
        assert_eq!(block().last(&run, "seal 214:7f3a91c2d4e8b016", 0).lines().count(), 1);
    }

    #[test]
    fn only_the_verdict_is_coloured() {
        let mut block = Block { text: String::new(), width: 60, color: true };
        block.verdict("PASSED", Tone::Good, "all of it");
        assert_eq!(block.done(), "\x1b[1;32mPASSED\x1b[0m  all of it\n");
    }
}
