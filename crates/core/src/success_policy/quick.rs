//! The short cut for plain rows, of which files have millions: nothing escaped, nothing nested but a flat raw result. What
//! it does not know at once it leaves to the reader, so it can only be quicker, never otherwise; a test holds the two
//! against each other.

use smol_str::SmolStr;

use super::row::{NAME, NOTE, REQUIREMENT, Row, Want};
use super::run::{Class, Fact, Facts, Run, Time};
use crate::json::Number;

/// A row, if it is a plain one.
pub(super) fn row(text: &[u8], want: &Want) -> Option<Row> {
    // Where a run comes from stands in fields that are not among those below.
    if want.origin {
        return None;
    }
    let mut scan = Scan { text, at: 0 };
    let run = Run { class: Class::Pending, score: None, confidence: None, facts: Facts::default(), at: None };
    let mut row = Row { run, requirement: None, name: None, at: None, note: None, origin: None };
    let mut seen = 0_u16;
    scan.space();
    scan.map(|name, scan| {
        let field = field(name)?;
        let bit = 1 << field;
        // A field that stands twice is refused, in words.
        if seen & bit != 0 {
            return None;
        }
        seen |= bit;
        match field {
            0 => row.run.class = Class::of(scan.scalar()?.text_or_null()?),
            1 => row.run.score = scan.scalar()?.number()?,
            2 => row.run.confidence = scan.scalar()?.number()?,
            3 => row.run.facts = scan.facts(want)?,
            4 => {
                let at = scan.scalar()?.text_or_null()?;
                row.run.at = at.and_then(Time::parse);
                row.at = at.filter(|_| want.words).map(str::to_owned);
            }
            5 => row.requirement = scan.scalar()?.label().map(SmolStr::from),
            6 => row.name = scan.scalar()?.label().filter(|_| want.words).map(str::to_owned),
            _ => row.note = scan.scalar()?.label().filter(|_| want.words).map(str::to_owned),
        }
        Some(())
    })?;
    scan.space();
    (scan.at == text.len() && seen & 1 != 0).then_some(row)
}

fn field(name: &str) -> Option<u32> {
    Some(match name {
        "verdict" => 0,
        "score" => 1,
        "confidence" => 2,
        "raw_result" => 3,
        "created_at" => 4,
        // Of two names for one thing the reader decides which one counts.
        _ if name == REQUIREMENT[0] => 5,
        _ if name == NAME[0] => 6,
        _ if name == NOTE => 7,
        _ => return None,
    })
}

/// A value without parts.
#[derive(Clone, Copy)]
enum Scalar<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(&'a str),
}

impl<'a> Scalar<'a> {
    /// The outer `None` leaves it to the reader.
    #[expect(clippy::option_option, reason = "not plain, and null, are two things")]
    fn text_or_null(self) -> Option<Option<&'a str>> {
        match self {
            Self::Null => Some(None),
            Self::Text(text) => Some(Some(text)),
            Self::Bool(_) | Self::Number(_) => None,
        }
    }

    #[expect(clippy::option_option, reason = "not plain, and null, are two things")]
    fn number(self) -> Option<Option<Number>> {
        match self {
            Self::Null => Some(None),
            Self::Number(token) => Some(Some(Number::parse(token)?)),
            Self::Bool(_) | Self::Text(_) => None,
        }
    }

    fn label(self) -> Option<&'a str> {
        match self {
            Self::Number(text) | Self::Text(text) => Some(text),
            Self::Null | Self::Bool(_) => None,
        }
    }

    fn fact(self) -> Option<Fact> {
        match self {
            Self::Null => None,
            Self::Bool(b) => Some(Fact::Bool(b)),
            Self::Number(token) => Number::parse(token).map(Fact::Number),
            Self::Text(text) => Some(Fact::Text(text.to_owned())),
        }
    }
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> Option<()> {
        (self.peek()? == byte).then(|| self.at += 1)
    }

    /// The pairs of a map; `take` takes the value of each.
    fn map(&mut self, mut take: impl FnMut(&'a str, &mut Self) -> Option<()>) -> Option<()> {
        self.eat(b'{')?;
        self.space();
        if self.eat(b'}').is_some() {
            return Some(());
        }
        loop {
            self.space();
            let name = self.string()?;
            self.space();
            self.eat(b':')?;
            self.space();
            take(name, self)?;
            self.space();
            if self.eat(b'}').is_some() {
                return Some(());
            }
            self.eat(b',')?;
        }
    }

    /// A text in which nothing is escaped.
    fn string(&mut self) -> Option<&'a str> {
        self.eat(b'"')?;
        let rest = &self.text[self.at..];
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f))?;
        if rest[end] != b'"' {
            return None;
        }
        self.at += end + 1;
        std::str::from_utf8(&rest[..end]).ok()
    }

    fn scalar(&mut self) -> Option<Scalar<'a>> {
        match self.peek()? {
            b'"' => self.string().map(Scalar::Text),
            b'n' => self.word(b"null", Scalar::Null),
            b't' => self.word(b"true", Scalar::Bool(true)),
            b'f' => self.word(b"false", Scalar::Bool(false)),
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    fn word(&mut self, word: &[u8], value: Scalar<'a>) -> Option<Scalar<'a>> {
        self.text[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }

    /// A number without an exponent, and short enough for a double.
    fn number(&mut self) -> Option<Scalar<'a>> {
        let from = self.at;
        let _ = self.eat(b'-');
        let whole = self.digits();
        if whole == 0 || (whole > 1 && self.text[self.at - whole] == b'0') {
            return None;
        }
        if self.eat(b'.').is_some() && self.digits() == 0 {
            return None;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) || self.at - from > 100 {
            return None;
        }
        std::str::from_utf8(&self.text[from..self.at]).ok().map(Scalar::Number)
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - from
    }

    /// A raw result: nothing, or a flat map.
    fn facts(&mut self, want: &Want) -> Option<Facts> {
        if self.peek()? != b'{' {
            // A text may hold a map: the reader looks into it.
            return self.scalar()?.text_or_null()?.is_none().then(Facts::default);
        }
        let mut facts: Vec<(SmolStr, Option<Fact>)> = Vec::new();
        self.map(|name, scan| {
            let value = scan.scalar()?;
            if want.takes(name) {
                facts.push((name.into(), value.fact()));
            }
            Some(())
        })?;
        Some(facts.into_iter().collect())
    }
}
