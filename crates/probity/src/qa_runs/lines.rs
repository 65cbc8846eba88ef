//! Files of QA runs: JSON lines, and JSON arrays.

use std::io::{BufRead, BufReader, Read};

use probity_core::codes::Code;
use probity_core::success_policy::{Row, RowFault, Want};

use super::{Sieve, Unread, faulty, mixed, unreadable};

/// The longest line, in bytes: a run with its raw result.
const LONGEST: usize = 4 << 20;
/// The largest array; lines have no such bound.
const LARGEST: usize = 64 << 20;

pub(super) fn read(file: &str, want: &Want, sieve: &mut Sieve<'_>) -> Result<(), Unread> {
    let failed = |error: std::io::Error| unreadable(file, &format!("it cannot be read: {error}"));
    let source: Box<dyn Read> = if file == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        Box::new(std::fs::File::open(file).map_err(failed)?)
    };
    let mut source = BufReader::with_capacity(1 << 18, source);
    let lead = lead(&mut source).map_err(failed)?;
    if source.fill_buf().map_err(failed)?.first() == Some(&b'[') {
        let mut text = lead;
        let most = LARGEST + 1 - text.len().min(LARGEST);
        source.take(most as u64).read_to_end(&mut text).map_err(failed)?;
        return array(file, &text, want, sieve);
    }
    let first = 1 + lead.iter().filter(|byte| **byte == b'\n').count();
    let begun = lead.iter().rev().take_while(|byte| **byte != b'\n').count();
    lines(file, source, (first, begun), want, sieve)
}

/// White space at the beginning, taken off.
fn lead(source: &mut impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut lead = Vec::new();
    loop {
        let buffer = source.fill_buf()?;
        let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let done = blank < buffer.len() || buffer.is_empty() || lead.len() > LONGEST;
        lead.extend_from_slice(&buffer[..blank]);
        source.consume(blank);
        if done {
            return Ok(lead);
        }
    }
}

/// Lines, one run each; blank ones are none. `first` is the number of the first line, and how much of it was taken off.
fn lines(
    file: &str,
    mut source: impl BufRead,
    first: (usize, usize),
    want: &Want,
    sieve: &mut Sieve<'_>,
) -> Result<(), Unread> {
    let (mut number, mut column) = (first.0, first.1 + 1);
    let mut line = Vec::new();
    loop {
        line.clear();
        let got = source.by_ref().take(LONGEST as u64 + 1).read_until(b'\n', &mut line);
        got.map_err(|error| unreadable(file, &format!("it cannot be read: {error}")))?;
        if line.is_empty() {
            return Ok(());
        }
        let text = line.strip_suffix(b"\n").unwrap_or(&line);
        if text.len() > LONGEST {
            let fault = too_large(format!("a line of more than {LONGEST} bytes"));
            return Err(faulty(file, &text[..100], number, column, &fault));
        }
        if !text.trim_ascii().is_empty() {
            let row = Row::read(text, want).map_err(|fault| faulty(file, text, number, column, &fault))?;
            sieve.row(row).map_err(|both| mixed(file, both))?;
        }
        (number, column) = (number + 1, 1);
    }
}

fn array(file: &str, text: &[u8], want: &Want, sieve: &mut Sieve<'_>) -> Result<(), Unread> {
    if text.len() > LARGEST {
        let fault = RowFault {
            help: "write one run on each line instead".to_owned(),
            ..too_large(format!("an array of more than {LARGEST} bytes"))
        };
        return Err(faulty(file, &text[..100], 1, 1, &fault));
    }
    let mut at = Position { upto: 0, line: 1, column: 1 };
    for range in elements(text).map_err(|offset| {
        let message = "an array that is not well-formed around its runs".to_owned();
        let help = "write one run as a JSON object on each line, or all of them as one JSON array".to_owned();
        faulty(file, text, 1, 1, &RowFault { code: Code::SyntaxError, offset, message, help })
    })? {
        let element = &text[range.clone()];
        at.go(text, range.start);
        let row = Row::read(element, want).map_err(|fault| faulty(file, element, at.line, at.column, &fault))?;
        sieve.row(row).map_err(|both| mixed(file, both))?;
    }
    Ok(())
}

/// Line and column of an offset, counted on from the one before.
struct Position {
    upto: usize,
    line: usize,
    column: usize,
}

impl Position {
    fn go(&mut self, text: &[u8], to: usize) {
        for byte in &text[self.upto..to] {
            if *byte == b'\n' {
                (self.line, self.column) = (self.line + 1, 1);
            } else if !(0x80..0xc0).contains(byte) {
                // A character, not one of its later bytes.
                self.column += 1;
            }
        }
        self.upto = to;
    }
}

/// Where the elements of an array stand, white space left out. What is inside of them is for their reader to judge.
///
/// # Errors
/// The offset where the array itself is not one.
fn elements(text: &[u8]) -> Result<Vec<std::ops::Range<usize>>, usize> {
    let mut found = Vec::new();
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let (mut depth, mut quoted, mut escaped, mut from, mut end) = (0_usize, false, false, start + 1, None);
    for (at, byte) in text.iter().enumerate().skip(start) {
        match byte {
            _ if end.is_some() && !byte.is_ascii_whitespace() => return Err(at),
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            b',' | b']' | b'}' if depth == 1 => {
                let element = trimmed(text, from, at);
                // Nothing between the brackets is no element; nothing between commas is a fault of one.
                if *byte == b',' || !element.is_empty() || !found.is_empty() {
                    found.push(element);
                }
                from = at + 1;
                if *byte == b'}' {
                    return Err(at);
                }
                if *byte == b']' {
                    end = Some(at);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if end.is_some() { Ok(found) } else { Err(text.len()) }
}

fn trimmed(text: &[u8], from: usize, to: usize) -> std::ops::Range<usize> {
    let blank = |byte: &u8| byte.is_ascii_whitespace();
    let lead = text[from..to].iter().take_while(|byte| blank(byte)).count();
    let tail = text[from + lead..to].iter().rev().take_while(|byte| blank(byte)).count();
    from + lead..to - tail
}

fn too_large(message: String) -> RowFault {
    RowFault {
        code: Code::DocumentTooLarge,
        offset: 0,
        message,
        help: "keep what is large elsewhere, under its digest".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Result<Vec<&str>, usize> {
        Ok(elements(text.as_bytes())?.into_iter().map(|range| &text[range]).collect())
    }

    #[test]
    fn an_array_is_cut_at_its_commas() {
        assert_eq!(cut("[]"), Ok(vec![]));
        assert_eq!(cut(" [ ] \n"), Ok(vec![]));
        assert_eq!(cut(r#"[{"a":[1,2]}, "x,]\"", 3 ]"#), Ok(vec![r#"{"a":[1,2]}"#, r#""x,]\"""#, "3"]));
        // An element that is none is an empty text, which its reader refuses.
        assert_eq!(cut("[1,]"), Ok(vec!["1", ""]));
        assert_eq!(cut("[,1]"), Ok(vec!["", "1"]));
        for (bad, at) in [("[1", 2), ("[1] 2", 4), ("[1}", 2), ("[\"a", 3), ("[{]", 3)] {
            assert_eq!(cut(bad), Err(at), "{bad}");
        }
    }
}
