//! What a text says, as far as words can tell: tokens, figures (numbers, HTTP methods, paths, identifiers) and
//! negations.

use std::collections::HashMap;

use crate::ids::Id;

/// Numbers of tokens, the same for one spelling without case.
#[derive(Default)]
pub(super) struct Lexicon(HashMap<String, u32>);

/// What a text says.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Words {
    /// Tokens in order.
    pub(super) run: Vec<u32>,
    /// The same, sorted.
    sorted: Vec<u32>,
    /// Numbers, HTTP methods, paths and identifiers, sorted, each once.
    figures: Vec<String>,
    /// How many negations there are.
    pub(super) negations: usize,
}

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

const COUNTS: [&str; 14] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "twice", "hundred",
    "thousand",
];

const NEGATIONS: [&str; 12] =
    ["not", "no", "never", "cannot", "without", "none", "neither", "nor", "nothing", "nobody", "unless", "except"];

const NEGATING: [char; 7] = ['不', '无', '未', '没', '勿', '非', '禁'];

impl Lexicon {
    /// Reads a text.
    pub(super) fn words(&mut self, text: &str) -> Words {
        let mut words = Words::default();
        for token in tokens(text) {
            let plain = token.to_lowercase().replace('’', "'");
            let mut chars = plain.chars();
            let negating = matches!((chars.next(), chars.next()), (Some(c), None) if NEGATING.contains(&c));
            if negating || NEGATIONS.contains(&plain.as_str()) || plain.ends_with("n't") {
                words.negations += 1;
            }
            let identifier = plain.starts_with('/') || plain.contains('_');
            if identifier || METHODS.contains(&token) || COUNTS.contains(&plain.as_str()) {
                words.figures.push(plain.clone());
            }
            words.figures.extend(numbers(&plain));
            let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
            words.run.push(*self.0.entry(plain).or_insert(next));
        }
        words.sorted = words.run.clone();
        words.sorted.sort_unstable();
        words.figures.sort_unstable();
        words.figures.dedup();
        words
    }
}

impl Words {
    /// How many tokens of this stand in `other` too, each as often as it stands.
    pub(super) fn shared(&self, other: &Self) -> usize {
        let (mut i, mut j, mut shared) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.sorted.get(i), other.sorted.get(j)) {
            shared += usize::from(a == b);
            i += usize::from(a <= b);
            j += usize::from(b <= a);
        }
        shared
    }

    /// Whether the tokens of this stand in `other` one behind the other. Linear (Knuth, Morris, Pratt), since both texts
    /// may be long and repetitive.
    pub(super) fn stands_in(&self, other: &Self) -> bool {
        let run = &self.run;
        let advance = |falls: &[usize], mut at: usize, token: u32| {
            while at > 0 && run.get(at) != Some(&token) {
                at = falls.get(at - 1).copied().unwrap_or_default();
            }
            at + usize::from(run.get(at) == Some(&token))
        };
        let mut falls: Vec<usize> = Vec::with_capacity(run.len());
        for (i, token) in run.iter().enumerate() {
            let before = falls.last().copied().unwrap_or_default();
            falls.push(if i == 0 { 0 } else { advance(&falls, before, *token) });
        }
        let mut at = 0;
        !run.is_empty()
            && other.run.iter().any(|token| {
                at = advance(&falls, at, *token);
                at == run.len()
            })
    }

    /// The first number, method or identifier of this that `other` lacks.
    pub(super) fn figure_missing_in<'a>(&'a self, other: &Self) -> Option<&'a str> {
        self.figures.iter().find(|figure| other.figures.binary_search(figure).is_err()).map(String::as_str)
    }
}

/// Tokens: a CJK character, or a run of letters, digits and what joins them in names, paths and numbers.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '/');
        let first = rest.chars().next()?;
        let end = if is_cjk(first) {
            first.len_utf8()
        } else {
            rest.find(|c: char| is_cjk(c) || !(c.is_alphanumeric() || joins(c))).unwrap_or(rest.len())
        };
        let (token, behind) = rest.split_at(end);
        rest = behind;
        let token = token.trim_end_matches(['.', ':', '-', ',', '\'', '’']);
        Some(token.strip_suffix('/').filter(|path| !path.is_empty()).unwrap_or(token))
    })
    .filter(|token| !token.is_empty())
}

const fn joins(c: char) -> bool {
    matches!(c, '_' | ':' | '/' | '.' | '-' | '\'' | '’' | ',')
}

const fn is_cjk(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{323af}')
}

/// The numbers of a token: digits with points between them; commas between digits are left out.
fn numbers(token: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut number = String::new();
    let mut chars = token.chars().peekable();
    while let Some(c) = chars.next() {
        let digit = as_digit(c);
        let next = chars.peek().copied().and_then(as_digit).is_some();
        match (digit, c) {
            (Some(digit), _) => number.push(digit),
            (None, '.') if !number.is_empty() && next => number.push('.'),
            (None, ',') if !number.is_empty() && next => {}
            _ => found.extend((!number.is_empty()).then(|| std::mem::take(&mut number))),
        }
    }
    found.extend((!number.is_empty()).then_some(number));
    found
}

/// A digit, full-width ones as their plain sisters.
fn as_digit(c: char) -> Option<char> {
    match c {
        '0'..='9' => Some(c),
        '０'..='９' => char::from_u32(c as u32 - '０' as u32 + '0' as u32),
        _ => None,
    }
}

/// An id in front of a text, as in `ORDER-1: text`, and the text behind it.
pub(super) fn label(text: &str) -> (Option<&str>, &str) {
    match text.split_once(": ").or_else(|| text.split_once('：')) {
        Some((id, rest))
            if id.contains(|c: char| c.is_ascii_digit())
                && rest.contains(char::is_alphanumeric)
                && Id::parse(id).is_ok() =>
        {
            (Some(id), rest)
        }
        _ => (None, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_tokens_figures_and_negations() {
        let all = |text| tokens(text).collect::<Vec<_>>();
        assert_eq!(all("GET /api/orders answers 201, don't."), ["GET", "/api/orders", "answers", "201", "don't"]);
        assert_eq!(all("返回 404"), ["返", "回", "404"]);
        let mut lexicon = Lexicon::default();
        let mut figures = |text: &str| lexicon.words(text).figures;
        assert_eq!(figures("POST 1,000 items at 29.97 within two s"), ["1000", "29.97", "post", "two"]);
        assert_eq!(figures("GET /api/orders/{order_id}"), ["/api/orders", "get", "order_id"]);
        assert_eq!(figures("v2 and ４０４"), ["2", "404"]);
        let mut negations = |text: &str| lexicon.words(text).negations;
        assert_eq!(negations("must not, can't, never"), 3);
        assert_eq!(negations("must note nothing"), 1);
        assert_eq!(negations("不得请求"), 1);
    }

    #[test]
    fn compares() {
        let mut lexicon = Lexicon::default();
        let mut words = |text: &str| lexicon.words(text);
        let (unit, row) = (words("Orders answer 201"), words("All: orders answer 201 and an id"));
        assert_eq!(unit.shared(&row), 3);
        assert!(unit.stands_in(&row) && !row.stands_in(&unit));
        assert_eq!(unit.figure_missing_in(&row), None);
        assert_eq!(unit.figure_missing_in(&words("orders answer 202")), Some("201"));
        assert_eq!(words("a a b").shared(&words("a b b")), 2);
        assert!(!words("").stands_in(&row));
        assert!(words("a b a b c").stands_in(&words("a b a b a b c")));
        assert!(!words("a b a b c").stands_in(&words("a b a b a b b c")));
    }

    #[test]
    fn labels() {
        assert_eq!(label("ORDER-1: text"), (Some("ORDER-1"), "text"));
        assert_eq!(label("Note: text"), (None, "Note: text"));
        assert_eq!(label("A1: -"), (None, "A1: -"));
        assert_eq!(label("at 10:30 x"), (None, "at 10:30 x"));
    }
}
