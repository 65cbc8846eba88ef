//! JavaScript's regular expressions, as host profiles write them, within a budget of steps (design.md section 8).
//!
//! Whether a pattern is one says a parser of that language. It is run after a translation by an engine that takes linear
//! time where the pattern allows it and counts its steps where it does not. What cannot be decided within them is said to be
//! undecided, and whoever asks takes the careful side.
//!
//! Patterns stand without flags but `i`, as in `new RegExp(source, "i")`. Text is read character by character, where
//! JavaScript reads halves of those beyond U+FFFF: `^.$` matches one emoji here and not there.

mod translate;

use std::fmt;

use translate::Groups;

/// Steps back that one search may take.
const STEPS: usize = 200_000;
/// Bytes that a compiled piece of a pattern may take.
const SIZE: usize = 1 << 20;
/// Bytes of a pattern.
const LENGTH: usize = 8 * 1024;
/// Groups that may lie in each other: parsers go into each by calling themselves.
const DEPTH: usize = 32;

/// A pattern.
#[derive(Clone)]
pub struct JsPattern {
    source: String,
    groups: usize,
    /// `None` where no engine here can run it.
    engine: Option<fancy_regex::Regex>,
}

/// What a search came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The text holds a match.
    Yes,
    /// It holds none.
    No,
    /// The budget was spent before that was known.
    Undecided,
}

impl JsPattern {
    /// Reads a pattern; the error says what about it is none.
    pub fn read(source: &str, ignore_case: bool) -> Result<Self, String> {
        if source.len() > LENGTH {
            return Err(format!("a pattern has at most {LENGTH} bytes"));
        }
        let chars: Vec<char> = source.chars().collect();
        let Groups { names, deepest } = Groups::of(&chars);
        if deepest > DEPTH {
            return Err(format!("groups lie in each other at most {DEPTH} deep"));
        }
        let flags = if ignore_case { "i" } else { "" };
        regress::Regex::with_flags(source, flags).map_err(|error| error.text)?;
        let groups = names.len();
        let engine = translate::translate(chars, names, ignore_case).and_then(|text| {
            fancy_regex::RegexBuilder::new(&text).backtrack_limit(STEPS).delegate_size_limit(SIZE).build().ok()
        });
        Ok(Self { source: source.to_owned(), groups, engine })
    }

    /// As it was written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// How many groups capture.
    #[must_use]
    pub const fn groups(&self) -> usize {
        self.groups
    }

    /// Whether a text holds a match.
    #[must_use]
    pub fn finds(&self, text: &str) -> Found {
        match self.engine.as_ref().map(|engine| engine.is_match(text)) {
            Some(Ok(true)) => Found::Yes,
            Some(Ok(false)) => Found::No,
            Some(Err(_)) | None => Found::Undecided,
        }
    }

    /// What the first group captures in the first match; nothing where there is none, or that is undecided.
    #[must_use]
    pub fn first_group<'t>(&self, text: &'t str) -> Option<&'t str> {
        let captures = self.engine.as_ref()?.captures(text).ok()??;
        captures.get(1).map(|group| group.as_str())
    }
}

impl fmt::Debug for JsPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "/{}/", self.source)
    }
}

#[cfg(test)]
mod tests;
