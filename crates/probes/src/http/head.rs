//! The head of an answer as raw bytes: recorded up to its empty line, then read as lines.

use rustls::AlertDescription;

/// More of a head is not kept; hyper gives up before that.
const MAX_KEPT: usize = 512 << 10;

/// Bytes of an HTTP/2 connection that are looked at: room for the settings of a server, and for its goodbye.
const GLANCE: usize = 256;

/// Collects the bytes of one final head. Interim heads (1xx) before it are dropped, and counted.
#[derive(Debug)]
pub(super) struct Recorder {
    bytes: Vec<u8>,
    limit: usize,
    /// The bytes are frames and no lines.
    framed: bool,
    interim: usize,
    refusal: Option<AlertDescription>,
    line_start: usize,
    /// The empty line has come.
    whole: bool,
    any: bool,
}

/// A head, read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Lines {
    /// The reason phrase.
    pub(super) reason: String,
    /// Names and values as they came, Latin-1.
    pub(super) headers: Vec<(String, String)>,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            bytes: Vec::new(),
            limit: MAX_KEPT,
            framed: false,
            interim: 0,
            refusal: None,
            line_start: 0,
            whole: false,
            any: false,
        }
    }
}

impl Recorder {
    /// One that keeps the first bytes of a connection and no head.
    pub(super) fn glance() -> Self {
        Self { limit: GLANCE, framed: true, ..Self::default() }
    }

    /// Starts over, for the next answer on the connection.
    pub(super) fn arm(&mut self) {
        *self = Self { limit: self.limit, framed: self.framed, ..Self::default() };
    }

    /// Notes that the server refused, by TLS, what it had been shown.
    pub(super) fn refuse(&mut self, alert: AlertDescription) {
        self.refusal = Some(alert);
    }

    /// The alert by which the server refused.
    pub(super) fn refusal(&self) -> Option<AlertDescription> {
        self.refusal
    }

    /// How many interim heads came before this one.
    pub(super) fn interim(&self) -> usize {
        self.interim
    }

    /// Whether any byte came since the last start.
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// The bytes of the head so far.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Takes bytes that came.
    pub(super) fn feed(&mut self, new: &[u8]) {
        self.any = true;
        if self.whole {
            return;
        }
        let room = self.limit.saturating_sub(self.bytes.len());
        let mut at = self.bytes.len();
        self.bytes.extend_from_slice(new.get(..room).unwrap_or(new));
        if self.framed {
            return;
        }
        while let Some(step) = self.bytes.get(at..).and_then(|tail| tail.iter().position(|b| *b == b'\n')) {
            let end = at + step + 1;
            let line = self.bytes.get(self.line_start..end).unwrap_or_default();
            let blank = line == b"\n" || line == b"\r\n";
            match (blank, self.line_start) {
                (false, _) => (self.line_start, at) = (end, end),
                // Empty lines before a head mean nothing.
                (true, 0) => at = self.drop_front(end),
                (true, _) if interim(&self.bytes) => {
                    self.interim += 1;
                    at = self.drop_front(end);
                }
                (true, _) => {
                    self.bytes.truncate(end);
                    self.whole = true;
                    return;
                }
            }
        }
    }

    fn drop_front(&mut self, end: usize) -> usize {
        self.bytes.drain(..end);
        self.line_start = 0;
        0
    }

    /// Reads the recorded head; `None` when it is not whole.
    pub(super) fn lines(&self) -> Option<Lines> {
        if !self.whole {
            return None;
        }
        let mut lines = self.bytes.split(|b| *b == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let mut status = lines.next()?.splitn(3, |b| *b == b' ');
        let reason = status.nth(2).map(latin1).unwrap_or_default();
        let mut headers: Vec<(String, String)> = Vec::new();
        for line in lines {
            match (line.first(), headers.last_mut()) {
                (None, _) => return Some(Lines { reason, headers }),
                // A folded line goes on with the value before it (RFC 9112 section 5.2).
                (Some(b' ' | b'\t'), Some((_, value))) => {
                    value.push(' ');
                    value.push_str(&latin1(trim(line)));
                }
                _ => {
                    let colon = line.iter().position(|b| *b == b':')?;
                    let (name, value) = line.split_at(colon);
                    headers.push((latin1(name), latin1(trim(value.get(1..)?))));
                }
            }
        }
        None
    }
}

fn interim(head: &[u8]) -> bool {
    let code = head.split(|b| *b == b' ').nth(1).unwrap_or_default();
    code.len() >= 3 && code.starts_with(b"1") && !code.starts_with(b"101")
}

fn trim(bytes: &[u8]) -> &[u8] {
    let blank = |b: &u8| matches!(b, b' ' | b'\t');
    let start = bytes.iter().position(|b| !blank(b)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|b| !blank(b)).map_or(start, |i| i + 1);
    bytes.get(start..end).unwrap_or_default()
}

/// Bytes as text, each byte one character.
pub(super) fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// Text as bytes, each character one byte; `None` when a character needs more.
pub(super) fn to_latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 All good\r\nSet-Cookie: a=1\r\nX-Odd:  \
        caf\xe9 \r\nset-COOKIE: b=2\r\nX-Fold: one\r\n\ttwo\r\nEmpty:\r\n\r\nbody\r\n\r\n";

    fn expected() -> Lines {
        let pairs =
            [("Set-Cookie", "a=1"), ("X-Odd", "café"), ("set-COOKIE", "b=2"), ("X-Fold", "one two"), ("Empty", "")];
        Lines {
            reason: "All good".to_owned(),
            headers: pairs.into_iter().map(|(n, v)| (n.to_owned(), v.to_owned())).collect(),
        }
    }

    #[test]
    fn order_and_spelling_stay_however_the_bytes_arrive() {
        for size in [1, 2, 3, 7, ANSWER.len()] {
            let mut recorder = Recorder::default();
            ANSWER.chunks(size).for_each(|part| recorder.feed(part));
            assert_eq!(recorder.lines(), Some(expected()), "in pieces of {size}");
            assert!(!recorder.bytes().ends_with(b"body\r\n\r\n"), "the body is no part of the head");
        }
    }

    #[test]
    fn a_head_that_is_cut_is_none() {
        let mut recorder = Recorder::default();
        recorder.feed(b"HTTP/1.1 200 OK\r\nA: b\r\n");
        assert_eq!(recorder.lines(), None);
        recorder.arm();
        assert!(!recorder.any());
    }

    #[test]
    fn an_endless_head_is_not_kept() {
        let mut recorder = Recorder::default();
        for _ in 0..200 {
            recorder.feed(&[b'x'; 8192]);
        }
        assert_eq!(recorder.bytes().len(), MAX_KEPT);
    }

    #[test]
    fn latin1_goes_both_ways() {
        assert_eq!(to_latin1("é"), Some(vec![0xe9]));
        assert_eq!(latin1(&[0xe9]), "é");
        assert_eq!(to_latin1("€"), None);
    }
}
