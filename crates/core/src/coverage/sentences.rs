//! Cutting prose into sentences, in Latin and in CJK punctuation.

/// Words whose full stop ends no sentence.
const ABBREVIATIONS: [&str; 5] = ["e.g", "i.e", "vs", "cf", "approx"];

/// Where a text is cut.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// Behind every sentence, as in prose.
    Sentences,
    /// Behind `;` and `；` alone, as in a list item.
    Clauses,
}

/// Byte spans of the sentences of a paragraph, or of the clauses of a list item, without the white space around them.
///
/// A sentence ends behind `。！？；`, and behind `.`, `!`, `?`, `;` where white space or the end follows; never inside
/// quotes or code spans. Closing quotes and brackets belong to the sentence before them.
pub(super) fn sentences(text: &str, cut: Cut) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut quotes = Quotes::default();
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        quotes.see(c);
        if !quotes.outside() || !ends(text, start, at, c, cut) {
            continue;
        }
        let mut end = at + c.len_utf8();
        while let Some((at, c)) = chars.next_if(|(_, c)| is_closer(*c)) {
            end = at + c.len_utf8();
        }
        push(text, start, end, &mut found);
        start = end;
    }
    push(text, start, text.len(), &mut found);
    found
}

fn push(text: &str, start: usize, end: usize, found: &mut Vec<(usize, usize)>) {
    let piece = text.get(start..end).unwrap_or_default();
    let trimmed = piece.trim();
    if !trimmed.is_empty() {
        let start = start + (piece.len() - piece.trim_start().len());
        found.push((start, start + trimmed.len()));
    }
}

const fn is_closer(c: char) -> bool {
    matches!(c, '）' | ')' | ']' | '】' | '”' | '」' | '』' | '’')
}

/// Whether the character at a place ends a sentence that began at `start`.
fn ends(text: &str, start: usize, at: usize, c: char, cut: Cut) -> bool {
    match c {
        _ if cut == Cut::Clauses && !matches!(c, ';' | '；') => false,
        '。' | '！' | '？' | '；' => true,
        '.' | '!' | '?' | ';' => {
            let behind = text.get(at + 1..).unwrap_or_default().trim_start_matches(is_closer);
            let word = text.get(start..at).unwrap_or_default().rsplit(char::is_whitespace).next().unwrap_or_default();
            let word = word.trim_start_matches('(');
            let abbreviation = c == '.' && ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word));
            !abbreviation && (behind.is_empty() || behind.starts_with(char::is_whitespace))
        }
        _ => false,
    }
}

/// Which quotes are open.
#[derive(Default)]
struct Quotes {
    depth: usize,
    straight: bool,
    code: bool,
}

impl Quotes {
    fn see(&mut self, c: char) {
        match c {
            '`' => self.code = !self.code,
            _ if self.code => {}
            '"' => self.straight = !self.straight,
            '“' | '「' | '『' => self.depth += 1,
            '”' | '」' | '』' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    const fn outside(&self) -> bool {
        self.depth == 0 && !self.straight && !self.code
    }
}

#[cfg(test)]
mod tests {
    use super::{Cut, sentences};

    #[test]
    fn cuts_where_sentences_end() {
        let cut = |text: &str| {
            sentences(text, Cut::Sentences).into_iter().map(|(a, b)| text[a..b].to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(cut("One. Two!  Three? Four"), ["One.", "Two!", "Three?", "Four"]);
        assert_eq!(cut("GET /a.json answers 1.5; then 2."), ["GET /a.json answers 1.5;", "then 2."]);
        assert_eq!(
            cut("Codes, e.g. 404, are shown (see i.e. this.) Next."),
            ["Codes, e.g. 404, are shown (see i.e. this.)", "Next."]
        );
        assert_eq!(
            cut("用户打开页面。显示“待办。新建”！点击按钮；完成"),
            ["用户打开页面。", "显示“待办。新建”！", "点击按钮；", "完成"]
        );
        assert_eq!(cut("Shows \"Done. Next\" and `a. b`. End"), ["Shows \"Done. Next\" and `a. b`.", "End"]);
        assert_eq!(cut("a line\nand its end.\nNext"), ["a line\nand its end.", "Next"]);
        assert!(cut("  ").is_empty());
    }
}
