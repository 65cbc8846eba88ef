//! A pattern of JavaScript (ECMA-262, with its Annex B, without the flags u and v) in the words of the engine here.
//!
//! The pattern is known to be one, so tokens are taken one after another: groups need no tree.

use std::fmt::Write as _;

/// White space of JavaScript.
const SPACE: &str = r"\x{9}-\x{d}\x{20}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";
/// Any character, and none.
const ANY: &str = r"[\x{0}-\x{10ffff}]";
const NONE: &str = r"[^\x{0}-\x{10ffff}]";

/// The pattern in other words; `None` where the engine has none for it.
pub(super) fn translate(chars: Vec<char>, names: Vec<Option<String>>, ignore_case: bool) -> Option<String> {
    let mut at = Translator { chars, names, ignore_case, next: 0, out: String::new() };
    at.pattern().map(|()| at.out)
}

/// The groups of a pattern.
pub(super) struct Groups {
    /// Those that capture, each with its name if it has one.
    pub(super) names: Vec<Option<String>>,
    /// How deep they lie in each other.
    pub(super) deepest: usize,
}

impl Groups {
    pub(super) fn of(chars: &[char]) -> Self {
        let (mut names, mut at, mut in_class) = (Vec::new(), 0, false);
        let (mut depth, mut deepest) = (0_usize, 0);
        while let Some(c) = chars.get(at) {
            match c {
                '\\' => at += 1,
                '[' => in_class = true,
                ']' => in_class = false,
                '(' if !in_class => {
                    depth += 1;
                    deepest = deepest.max(depth);
                    match (chars.get(at + 1), chars.get(at + 2), chars.get(at + 3)) {
                        (Some('?'), Some('<'), Some(third)) if !['=', '!'].contains(third) => {
                            names.push(Some(chars[at + 3..].iter().take_while(|c| **c != '>').collect()));
                        }
                        (Some('?'), ..) => {}
                        _ => names.push(None),
                    }
                }
                ')' if !in_class => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
        }
        Self { names, deepest }
    }
}

struct Translator {
    chars: Vec<char>,
    names: Vec<Option<String>>,
    ignore_case: bool,
    next: usize,
    out: String,
}

/// What an escape stands for.
enum Escaped {
    /// One character.
    Char(char),
    /// Half of a character, which no text here holds.
    Half,
    /// The inside of a class, which may be negated.
    Class(&'static str, bool),
}

impl Translator {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.next + ahead).copied()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(ahead, c)| self.peek(ahead) == Some(c))
    }

    fn pattern(&mut self) -> Option<()> {
        while let Some(c) = self.peek(0) {
            match c {
                '(' => self.group()?,
                ')' | '|' | '*' | '+' | '?' => self.copy(1),
                '{' => match self.quantifier() {
                    Some(length) => self.copy(length),
                    None => self.literal_here(),
                },
                '^' => self.put(r"\A"),
                '$' => self.put(r"\z"),
                '.' => self.put(r"[^\x{a}\x{d}\x{2028}\x{2029}]"),
                '[' => self.class(),
                '\\' => self.escape(),
                _ => self.literal_here(),
            }
        }
        Some(())
    }

    /// Takes one character, for which this stands.
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
        self.next += 1;
    }

    fn copy(&mut self, length: usize) {
        self.out.extend(&self.chars[self.next..self.next + length]);
        self.next += length;
    }

    fn literal_here(&mut self) {
        if let Some(c) = self.peek(0) {
            self.literal(c);
            self.next += 1;
        }
    }

    /// How long `{2}`, `{2,}` or `{2,3}` here is; anything else is a brace and nothing more.
    fn quantifier(&self) -> Option<usize> {
        let rest = &self.chars[self.next..];
        let end = rest.iter().position(|c| *c == '}')?;
        let inside: String = rest[1..end].iter().collect();
        let (least, most) = inside.split_once(',').unwrap_or((&inside, ""));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        (!least.is_empty() && digits(least) && digits(most)).then_some(end + 1)
    }

    fn group(&mut self) -> Option<()> {
        for opening in ["(?:", "(?=", "(?!", "(?<=", "(?<!"] {
            if self.starts_with(opening) {
                self.copy(opening.len());
                return Some(());
            }
        }
        if self.starts_with("(?<") {
            while self.peek(0).is_some_and(|c| c != '>') {
                self.next += 1;
            }
        } else if self.starts_with("(?") {
            return None;
        }
        self.put("(");
        Some(())
    }

    fn escape(&mut self) {
        self.next += 1;
        match self.peek(0) {
            // Of two neighbours, one is a word character. JavaScript's are ASCII.
            Some('b') => self.put(&boundary(true)),
            Some('B') => self.put(&boundary(false)),
            Some('k') if self.names.iter().any(Option::is_some) => self.named_reference(),
            Some('1'..='9') => self.numbered(),
            _ => match self.escaped(false) {
                Escaped::Char(c) => self.literal(c),
                Escaped::Half => self.out.push_str(NONE),
                Escaped::Class(inside, negated) => {
                    let _ = write!(self.out, "[{}{inside}]", if negated { "^" } else { "" });
                }
            },
        }
    }

    /// `\k<name>`: what the groups of that name captured, of which one took part at most.
    fn named_reference(&mut self) {
        let name: String = self.chars[self.next..].iter().skip(2).take_while(|c| **c != '>').collect();
        self.next += name.chars().count() + 3;
        let groups: Vec<usize> = (1..=self.names.len()).filter(|n| self.names[n - 1].as_ref() == Some(&name)).collect();
        groups.into_iter().for_each(|group| self.reference(group));
    }

    /// `\1` is what a group captured where there are so many; else an octal number, or the digit.
    fn numbered(&mut self) {
        let digits: String = self.chars[self.next..].iter().take_while(|c| c.is_ascii_digit()).collect();
        match digits.parse::<usize>() {
            Ok(group) if group <= self.names.len() => {
                self.next += digits.len();
                self.reference(group);
            }
            _ => {
                if let Escaped::Char(c) = self.escaped(false) {
                    self.literal(c);
                }
            }
        }
    }

    /// What a group captured, or nothing where it took no part.
    fn reference(&mut self, group: usize) {
        let flag = if self.ignore_case { "i" } else { "" };
        let _ = write!(self.out, r"(?({group})(?{flag}:\{group})|)");
    }

    /// What stands after a backslash, which is taken.
    fn escaped(&mut self, in_class: bool) -> Escaped {
        let Some(c) = self.peek(0) else { return Escaped::Char('\\') };
        self.next += 1;
        let plain = match c {
            'd' | 'D' => return Escaped::Class("0-9", c == 'D'),
            'w' | 'W' => return Escaped::Class("0-9A-Za-z_", c == 'W'),
            's' | 'S' => return Escaped::Class(SPACE, c == 'S'),
            'b' if in_class => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            '0'..='7' => self.octal(c),
            'x' => self.hex(2).map_or('x', |code| char::from_u32(code).unwrap_or('x')),
            'u' => return self.unit(),
            'c' => return self.control(in_class),
            other => other,
        };
        Escaped::Char(plain)
    }

    /// Up to three octal digits that make a byte.
    fn octal(&mut self, first: char) -> char {
        let mut code = first.to_digit(8).unwrap_or(0);
        for _ in 0..2 {
            match self.peek(0).and_then(|c| c.to_digit(8)) {
                Some(digit) if code * 8 + digit <= 0o377 => {
                    code = code * 8 + digit;
                    self.next += 1;
                }
                _ => break,
            }
        }
        char::from_u32(code).unwrap_or('\0')
    }

    /// So many hexadecimal digits, which are taken where they stand.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let code = (0..count).try_fold(0, |code, ahead| Some(code * 16 + self.peek(ahead)?.to_digit(16)?))?;
        self.next += count;
        Some(code)
    }

    /// `\u0041`, or two halves of a character.
    fn unit(&mut self) -> Escaped {
        let Some(unit) = self.hex(4) else { return Escaped::Char('u') };
        let start = self.next;
        if (0xd800..0xdc00).contains(&unit) && self.starts_with(r"\u") {
            self.next += 2;
            if let Some(low) = self.hex(4).filter(|low| (0xdc00..0xe000).contains(low)) {
                let code = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(code).map_or(Escaped::Half, Escaped::Char);
            }
            self.next = start;
        }
        char::from_u32(unit).map_or(Escaped::Half, Escaped::Char)
    }

    /// `\cA`; without a letter it is a backslash, and the c stands for itself.
    fn control(&mut self, in_class: bool) -> Escaped {
        match self.peek(0) {
            Some(c) if c.is_ascii_alphabetic() || (in_class && (c.is_ascii_digit() || c == '_')) => {
                self.next += 1;
                Escaped::Char(char::from_u32(u32::from(c) % 32).unwrap_or('\0'))
            }
            _ => {
                self.next -= 1;
                Escaped::Char('\\')
            }
        }
    }

    fn literal(&mut self, c: char) {
        if self.ignore_case && c.is_ascii_alphabetic() {
            let (lower, upper) = (c.to_ascii_lowercase(), c.to_ascii_uppercase());
            let _ = write!(self.out, "[{lower}{upper}]");
        } else if self.ignore_case && !c.is_ascii() {
            let _ = write!(self.out, r"(?i:\x{{{:x}}})", u32::from(c));
        } else {
            let _ = write!(self.out, r"\x{{{:x}}}", u32::from(c));
        }
    }

    fn class(&mut self) {
        self.next += 1;
        let negated = self.peek(0) == Some('^');
        self.next += usize::from(negated);
        let (mut inside, mut wide) = (String::new(), false);
        while let Some(c) = self.peek(0).filter(|c| *c != ']') {
            self.next += 1;
            let first = if c == '\\' { self.escaped(true) } else { Escaped::Char(c) };
            let ranged = self.peek(0) == Some('-') && self.peek(1).is_some_and(|c| c != ']');
            let last = if ranged {
                self.next += 2;
                match self.chars.get(self.next - 1) {
                    Some('\\') => self.escaped(true),
                    Some(c) => Escaped::Char(*c),
                    None => Escaped::Half,
                }
            } else {
                Escaped::Half
            };
            match (first, ranged, last) {
                (Escaped::Char(from), true, Escaped::Char(to)) => wide |= self.range(&mut inside, from, to),
                (first, ranged, last) => {
                    // A class is no end of a range, so the dash stands for itself.
                    for item in [first, if ranged { Escaped::Char('-') } else { Escaped::Half }, last] {
                        wide |= self.item(&mut inside, &item);
                    }
                }
            }
        }
        self.next += 1;
        let text = match (inside.is_empty(), negated) {
            (true, true) => ANY.to_owned(),
            (true, false) => NONE.to_owned(),
            (false, negated) => format!("[{}{inside}]", if negated { "^" } else { "" }),
        };
        let _ = if wide { write!(self.out, "(?i:{text})") } else { write!(self.out, "{text}") };
    }

    fn item(&self, inside: &mut String, item: &Escaped) -> bool {
        match item {
            Escaped::Char(c) => self.range(inside, *c, *c),
            Escaped::Half => false,
            Escaped::Class(class, false) => {
                inside.push_str(class);
                false
            }
            Escaped::Class(class, true) => {
                let _ = write!(inside, "[^{class}]");
                false
            }
        }
    }

    /// Adds a range, with ASCII letters of the other case where case is ignored; says whether the engine has to ignore the
    /// case of others.
    fn range(&self, inside: &mut String, from: char, to: char) -> bool {
        let mut add = |from: u32, to: u32| {
            let _ = write!(inside, r"\x{{{from:x}}}-\x{{{to:x}}}");
        };
        let (from, to) = (u32::from(from), u32::from(to));
        add(from, to);
        if self.ignore_case {
            for (first, last, other) in [(b'a', b'z', b'A'), (b'A', b'Z', b'a')] {
                let (first, last, other) = (u32::from(first), u32::from(last), u32::from(other));
                let (low, high) = (from.max(first), to.min(last));
                if low <= high {
                    add(low - first + other, high - first + other);
                }
            }
        }
        self.ignore_case && to > 0x7f
    }
}

/// A place between a word character and what is none, or any other place.
fn boundary(there: bool) -> String {
    let (word, before, after) = ("[0-9A-Za-z_]", "(?<=[0-9A-Za-z_])", "(?<![0-9A-Za-z_])");
    let (same, other) = if there { ("!", "=") } else { ("=", "!") };
    format!("(?:{before}(?{same}{word})|{after}(?{other}{word}))")
}
