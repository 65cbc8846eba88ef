//! JSON of any size, read once from front to back. Nothing is held but what the caller keeps: a value that is not wanted
//! costs no memory, however large it is. A lone surrogate becomes U+FFFD, for titles and messages that end in the middle
//! of one are real.

use std::io::Read;

/// Greatest nesting that is read.
const DEEPEST: usize = 512;
/// Most names of one object that are told apart.
const MOST_NAMES: usize = 4096;

/// Why a stream cannot be read further.
#[derive(Debug, thiserror::Error)]
pub enum StreamFault {
    /// It ends in the middle.
    #[error("the text ends in the middle of a value, after {0} bytes")]
    Cut(u64),
    /// It holds nothing.
    #[error("the text holds nothing ({0} bytes)")]
    Empty(u64),
    /// It is not JSON, or not what was expected there.
    #[error("{what} at line {line}, byte {offset}")]
    Malformed {
        /// What is wrong.
        what: &'static str,
        /// Line, from 1.
        line: u64,
        /// Byte, from 0.
        offset: u64,
    },
    /// A single part is larger than it may be.
    #[error("{what} at byte {offset}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Byte, from 0.
        offset: u64,
    },
    /// Reading failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// A reader of one document.
pub struct Stream<R> {
    source: R,
    buffer: Box<[u8]>,
    at: usize,
    filled: usize,
    before: u64,
    line: u64,
    depth: usize,
}

impl<R: Read> Stream<R> {
    /// Over these bytes. The reader buffers for itself.
    pub fn new(source: R) -> Self {
        let buffer = vec![0; 64 * 1024].into_boxed_slice();
        Self { source, buffer, at: 0, filled: 0, before: 0, line: 1, depth: 0 }
    }

    fn offset(&self) -> u64 {
        self.before + self.at as u64
    }

    fn malformed<T>(&self, what: &'static str) -> Result<T, StreamFault> {
        Err(StreamFault::Malformed { what, line: self.line, offset: self.offset() })
    }

    fn fill(&mut self) -> Result<bool, StreamFault> {
        while self.at == self.filled {
            self.before += self.filled as u64;
            self.at = 0;
            self.filled = 0;
            match self.source.read(&mut self.buffer) {
                Ok(0) => return Ok(false),
                Ok(n) => self.filled = n,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    fn peek(&mut self) -> Result<u8, StreamFault> {
        if self.fill()? { Ok(self.buffer[self.at]) } else { Err(StreamFault::Cut(self.offset())) }
    }

    fn next(&mut self) -> Result<u8, StreamFault> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }

    /// The next byte that is no white space.
    fn token(&mut self) -> Result<u8, StreamFault> {
        loop {
            match self.peek()? {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' => {}
                byte => return Ok(byte),
            }
            self.at += 1;
        }
    }

    /// Reads the document, which is an object, with `member` called for each of its names.
    ///
    /// # Errors
    /// The first fault.
    pub fn document(
        &mut self,
        member: &mut dyn FnMut(&mut Self, &str) -> Result<(), StreamFault>,
    ) -> Result<(), StreamFault> {
        match self.token() {
            Ok(b'{') => {}
            Ok(_) => return self.malformed("the text is no JSON object"),
            Err(StreamFault::Cut(bytes)) => return Err(StreamFault::Empty(bytes)),
            Err(fault) => return Err(fault),
        }
        self.object(member)?;
        match self.token() {
            Err(StreamFault::Cut(_)) => Ok(()),
            Ok(_) => self.malformed("something follows the document"),
            Err(fault) => Err(fault),
        }
    }

    fn deeper(&mut self) -> Result<(), StreamFault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(StreamFault::TooLarge { what: "lists and objects nest too deep", offset: self.offset() });
        }
        Ok(())
    }

    /// Reads an object; another value is skipped. `member` reads the value of each name. A name that comes twice is
    /// refused: two readers could read two reports.
    ///
    /// # Errors
    /// The first fault.
    pub fn object(
        &mut self,
        member: &mut dyn FnMut(&mut Self, &str) -> Result<(), StreamFault>,
    ) -> Result<(), StreamFault> {
        if self.token()? != b'{' {
            return self.skip();
        }
        self.at += 1;
        self.deeper()?;
        let mut names: Vec<String> = Vec::new();
        if self.token()? == b'}' {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            if self.token()? != b'"' {
                return self.malformed("the name of a member is missing");
            }
            let name = self.text(1024)?;
            if names.contains(&name) {
                return self.malformed("a name comes twice in one object");
            }
            if self.token()? != b':' {
                return self.malformed("a colon is missing");
            }
            self.at += 1;
            member(self, &name)?;
            if names.len() >= MOST_NAMES {
                return Err(StreamFault::TooLarge { what: "an object has too many members", offset: self.offset() });
            }
            names.push(name);
            if self.ends(b'}')? {
                return Ok(());
            }
        }
    }

    /// Reads a list; another value is skipped. `item` reads each of its values.
    ///
    /// # Errors
    /// The first fault.
    pub fn list(&mut self, item: &mut dyn FnMut(&mut Self) -> Result<(), StreamFault>) -> Result<(), StreamFault> {
        if self.token()? != b'[' {
            return self.skip();
        }
        self.at += 1;
        self.deeper()?;
        if self.token()? == b']' {
            self.at += 1;
            self.depth -= 1;
            return Ok(());
        }
        loop {
            item(self)?;
            if self.ends(b']')? {
                return Ok(());
            }
        }
    }

    /// After a value: whether the list or object ends, or another value comes.
    fn ends(&mut self, close: u8) -> Result<bool, StreamFault> {
        match self.token()? {
            b',' => {
                self.at += 1;
                Ok(false)
            }
            byte if byte == close => {
                self.at += 1;
                self.depth -= 1;
                Ok(true)
            }
            _ => self.malformed("a comma or the end of a list or object is missing"),
        }
    }

    /// A text, of which at most so many bytes are kept; `None` of another value, which is skipped.
    ///
    /// # Errors
    /// The first fault.
    pub fn optional_text(&mut self, most: usize) -> Result<Option<String>, StreamFault> {
        if self.token()? == b'"' {
            return self.text(most).map(Some);
        }
        self.skip()?;
        Ok(None)
    }

    /// A number; `None` of another value, which is skipped.
    ///
    /// # Errors
    /// The first fault.
    pub fn optional_number(&mut self) -> Result<Option<f64>, StreamFault> {
        if matches!(self.token()?, b'-' | b'0'..=b'9') {
            let token = self.word(64)?;
            return match token.parse() {
                Ok(number) => Ok(Some(number)),
                Err(_) => self.malformed("a number cannot be read"),
            };
        }
        self.skip()?;
        Ok(None)
    }

    /// Letters, digits and signs that stand together.
    fn word(&mut self, most: usize) -> Result<String, StreamFault> {
        let mut word = String::new();
        // The document is an object, so no word is its end.
        loop {
            let byte = self.peek()?;
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')) {
                break;
            }
            if word.len() >= most {
                return self.malformed("a number or word is too long");
            }
            word.push(char::from(byte));
            self.at += 1;
        }
        Ok(word)
    }

    /// A text whose quote is next.
    fn text(&mut self, most: usize) -> Result<String, StreamFault> {
        self.at += 1;
        let mut bytes: Vec<u8> = Vec::new();
        let mut units: Vec<u16> = Vec::new();
        loop {
            self.fill()?;
            let plain = self.buffer[self.at..self.filled].iter().position(|b| *b == b'"' || *b == b'\\' || *b < 0x20);
            let run = plain.unwrap_or(self.filled - self.at);
            if run > 0 {
                flush(&mut units, &mut bytes);
                let kept = run.min(most.saturating_sub(bytes.len()));
                bytes.extend_from_slice(&self.buffer[self.at..self.at + kept]);
                self.at += run;
                continue;
            }
            match self.next()? {
                b'"' => break,
                b'\\' => match self.escape()? {
                    Ok(unit) => units.push(unit),
                    Err(byte) => {
                        flush(&mut units, &mut bytes);
                        bytes.push(byte);
                    }
                },
                _ => return self.malformed("a control character stands in a text"),
            }
            if bytes.len() + units.len() > most {
                bytes.truncate(most);
                units.clear();
            } else if units.len() > 1024 {
                // A pair is never taken apart: the first half of one waits for the second.
                let waits = units.last().copied().filter(|unit| (0xd800..0xdc00).contains(unit));
                units.truncate(units.len() - usize::from(waits.is_some()));
                flush(&mut units, &mut bytes);
                units.extend(waits);
            }
        }
        flush(&mut units, &mut bytes);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// What an escape stands for: a UTF-16 unit, or a byte.
    fn escape(&mut self) -> Result<Result<u16, u8>, StreamFault> {
        Ok(Err(match self.next()? {
            byte @ (b'"' | b'\\' | b'/') => byte,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let mut unit = 0;
                for _ in 0..4 {
                    let Some(digit) = char::from(self.next()?).to_digit(16) else {
                        return self.malformed("an escape is not four hexadecimal digits");
                    };
                    unit = unit * 16 + digit as u16;
                }
                return Ok(Ok(unit));
            }
            _ => return self.malformed("an escape is not known"),
        }))
    }

    /// Passes over a value, whatever it is.
    ///
    /// # Errors
    /// The first fault.
    pub fn skip(&mut self) -> Result<(), StreamFault> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.token()? {
                b'{' => {
                    self.at += 1;
                    self.deeper()?;
                    if self.token()? == b'}' {
                        self.at += 1;
                        self.depth -= 1;
                    } else {
                        open.push(b'}');
                        self.name()?;
                        continue;
                    }
                }
                b'[' => {
                    self.at += 1;
                    self.deeper()?;
                    if self.token()? == b']' {
                        self.at += 1;
                        self.depth -= 1;
                    } else {
                        open.push(b']');
                        continue;
                    }
                }
                b'"' => drop(self.text(0)?),
                b'-' | b'0'..=b'9' => drop(self.optional_number()?),
                _ => {
                    if !matches!(self.word(8)?.as_str(), "true" | "false" | "null") {
                        return self.malformed("a value is missing");
                    }
                }
            }
            loop {
                let Some(close) = open.last().copied() else { return Ok(()) };
                if !self.ends(close)? {
                    if close == b'}' {
                        self.name()?;
                    }
                    break;
                }
                open.pop();
            }
        }
    }

    /// The name of a member that nobody reads, and its colon.
    fn name(&mut self) -> Result<(), StreamFault> {
        if self.token()? != b'"' {
            return self.malformed("the name of a member is missing");
        }
        self.text(0)?;
        if self.token()? != b':' {
            return self.malformed("a colon is missing");
        }
        self.at += 1;
        Ok(())
    }
}

/// Writes gathered UTF-16 units as UTF-8; half a pair becomes U+FFFD.
fn flush(units: &mut Vec<u16>, bytes: &mut Vec<u8>) {
    if !units.is_empty() {
        bytes.extend_from_slice(String::from_utf16_lossy(units).as_bytes());
        units.clear();
    }
}

#[cfg(test)]
mod tests;
