//! The parser's complaints in plain words, with what to do. The common slips are recognised by what stands there.

use probity_core::codes::Code;
use serde_saphyr::granit_parser::ErrorKind;

/// One complaint.
pub(super) struct Slip {
    pub(super) code: Code,
    /// Where it is, in bytes; often better than where the parser noticed.
    pub(super) at: usize,
    pub(super) message: String,
    pub(super) help: String,
}

/// What the parser's error at byte `at` of `text` means for whoever wrote it.
pub(super) fn explain(kind: &ErrorKind, text: &str, at: usize) -> Slip {
    let at = floor_boundary(text, at);
    if breaks_structure(kind)
        && let Some(slip) = missing_space(text, at)
    {
        return slip;
    }
    if *kind == ErrorKind::TabInPlainScalar
        && let Some(tab) = indenting_tab(text, at)
    {
        return Slip { at: tab, ..explain(&ErrorKind::TabInIndentation, text, tab) };
    }
    let (message, help) = words(kind, text, at);
    let at = if is_tab(kind) { first_tab(text, at) } else { at };
    let code = match kind {
        ErrorKind::RecursionLimitExceeded => Code::DocumentTooLarge,
        _ => Code::SyntaxError,
    };
    Slip { code, at, message, help: help.to_owned() }
}

/// Whether the parser lost the thread of lines, keys and values, which a missing space often causes.
fn breaks_structure(kind: &ErrorKind) -> bool {
    use ErrorKind as E;
    matches!(
        kind,
        E::SimpleKeyExpected
            | E::MappingValueNotAllowed
            | E::ExpectedBlockMappingKey
            | E::InvalidIndentation
            | E::ExpectedBlockSequenceEntry
            | E::InvalidSimpleKey
            | E::ExpectedDocumentStart
            | E::InvalidColonPlacement
            | E::InvalidMappingValueWhitespace
    )
}

fn is_tab(kind: &ErrorKind) -> bool {
    use ErrorKind as E;
    matches!(kind, E::TabInBlockIndentation | E::TabNotAllowed | E::TabInIndentation | E::TabAtBlockScalarStart)
}

/// The first tab after an unquoted text begins, if it indents a line that was meant as the next.
fn indenting_tab(text: &str, at: usize) -> Option<usize> {
    let tab = at + text[at..].find('\t')?;
    let (line, start) = line_at(text, tab);
    (start > at && line[..tab - start].trim().is_empty()).then_some(tab)
}

/// The tab itself, where the parser names what follows it.
fn first_tab(text: &str, at: usize) -> usize {
    let (line, start) = line_at(text, at);
    line.find('\t').map_or(at, |tab| start + tab)
}

fn words(kind: &ErrorKind, text: &str, at: usize) -> (String, &'static str) {
    use ErrorKind as E;
    let (message, help) = match kind {
        kind if is_tab(kind) => ("a tab where YAML wants spaces", "indent with spaces only"),
        E::TabInPlainScalar => ("a tab inside an unquoted text", "use a space, or put the text in quotes"),
        E::InvalidBlockEntryWhitespace => ("no space after `-`", "write `- ` before a list item"),
        E::UnclosedQuotedScalar => ("a quote that is never closed", "close it; inside '...' a quote is written twice"),
        E::DocumentIndicatorInQuotedScalar => ("a quote that is not closed before `---` or `...`", "close it"),
        E::InvalidTrailingSingleQuotedScalar => {
            ("text after the closing quote", "inside '...' write '' for a quote, or put the whole text in \"...\"")
        }
        E::InvalidTrailingDoubleQuotedScalar => {
            ("text after the closing quote", "inside \"...\" write \\\" for a quote, or put the whole text in '...'")
        }
        E::UnknownQuotedScalarEscape | E::InvalidQuotedScalarHexEscape | E::InvalidUnicodeEscape => (
            "an escape that YAML does not know inside \"...\"",
            "write \\\\ for a backslash, or use '...', where it is plain",
        ),
        E::InvalidLowSurrogateHexEscape | E::InvalidLowSurrogate | E::MissingLowSurrogate | E::UnpairedLowSurrogate => {
            ("half of a surrogate pair", "write both halves, or the character itself")
        }
        E::InvalidQuotedScalarIndent => {
            ("a quoted text whose next line is not indented", "indent it more than its key, or close the quote")
        }
        E::ExpectedFlowSequenceSeparator | E::ExpectedFlowMappingSeparator => return flow(text, at),
        E::UnclosedFlowCollection { open } => {
            return (format!("`{open}` is never closed"), "close it, or put the text in quotes if it is text");
        }
        E::UnexpectedEofFlowSequence | E::UnexpectedEofFlowMapping | E::UnexpectedEofImplicitFlowMapping => {
            ("the end of the text inside `[...]` or `{...}`", "close every bracket")
        }
        E::MisplacedFlowCollectionEnd => {
            ("a closing bracket that nothing opened", "remove it, or put the text in quotes")
        }
        E::MismatchedFlowCollectionEnd { open, close } => {
            return (format!("`{open}` is closed by `{close}`"), "close it with its own bracket");
        }
        E::InvalidFlowScalarIndent => {
            ("a line inside `[...]` or `{...}` that is not indented", "indent it, or close the bracket before")
        }
        E::BlockEntryInFlowCollection | E::PlainScalarStartsWithDashFlowIndicator => {
            ("`-` at the beginning of an item inside `[...]` or `{...}`", "leave it out, or put it in quotes")
        }
        E::UnexpectedCharacter { character } => {
            let shown = super::shown(&character.to_string());
            return (format!("`{shown}` cannot begin an unquoted text"), "put the text in quotes");
        }
        E::UnknownAnchor => {
            ("an alias whose anchor does not stand before it", "if `*` begins a text, put the text in quotes")
        }
        E::MissingAnchorOrAliasName => ("`&` or `*` without a name", "if it begins a text, put the text in quotes"),
        E::DirectiveDisallowed => ("a line that begins with `%`", "remove it; this is YAML 1.2 without directives"),
        E::BomInsideDocument => ("a byte-order mark inside the text", "remove it; it is invisible in most editors"),
        E::MappingValueNotAllowed | E::InvalidColonPlacement | E::InvalidMappingValueWhitespace => {
            return colon(text, at);
        }
        E::SimpleKeyExpected | E::InvalidSimpleKey => (
            "a line that is neither `key: value` nor a list item",
            "write `key: value`, or indent it as part of the line above",
        ),
        E::ExpectedBlockMappingKey | E::InvalidIndentation | E::ExpectedBlockSequenceEntry | E::ExpectedNodeContent => {
            ("a line that does not fit what stands above it", "indent it exactly as the other keys or items beside it")
        }
        E::MappingKeyNotAllowed | E::BlockSequenceEntryNotAllowed => {
            ("a list or map that begins in the middle of a line", "begin it on a line of its own")
        }
        E::CommentNotSeparated => ("`#` directly after a value", "put a space before it, or put the text in quotes"),
        E::CommentInterceptedScalar => {
            ("a comment in the middle of an unquoted text", "move it, or put the text in quotes")
        }
        E::InvalidBlockScalarIndent => {
            ("a line of a text block that is indented less than its first", "indent all its lines alike")
        }
        E::InvalidBlockScalarHeader | E::ZeroBlockScalarIndent => {
            ("something after `|` or `>`", "begin the text on the next line, or put the text in quotes")
        }
        E::RecursionLimitExceeded => return (format!("nesting deeper than {}", super::MAX_DEPTH), "nest less"),
        E::UndeclaredTagHandle
        | E::ExpectedTagBang
        | E::InvalidGlobalTagCharacter
        | E::InvalidTagTerminator
        | E::UnclosedVerbatimTag
        | E::InvalidTagEscape
        | E::MissingTagUri => ("a tag that cannot be read", "remove it; if `!` begins a text, put the text in quotes"),
        other => return (format!("this is not well-formed YAML: {other}"), "repair this line"),
    };
    (message.to_owned(), help)
}

/// Inside brackets something follows a value that is not `,` or the closing bracket.
fn flow(text: &str, at: usize) -> (String, &'static str) {
    match text[at..].chars().next() {
        Some(c @ ('{' | '[')) => (
            format!("`{c}` inside an unquoted text inside brackets"),
            "put the whole text in quotes, as in \"GET /orders/{order}\"",
        ),
        Some(':') => ("a second `:` after one key".to_owned(), "put the value in quotes, or begin a new pair with `,`"),
        _ => (
            "neither `,` nor a closing bracket after a value".to_owned(),
            "separate items with `,` and close the bracket",
        ),
    }
}

/// A `:` stands where no key can end.
fn colon(text: &str, at: usize) -> (String, &'static str) {
    let (line, start) = line_at(text, at);
    let before = &line[..at - start];
    if before.contains(": ") {
        return ("`: ` inside an unquoted text".to_owned(), "put the text in quotes");
    }
    let above = text[..start.saturating_sub(1)].lines().next_back().unwrap_or_default();
    if indent(line) > indent(above) && !above.trim_end().ends_with(':') {
        return (
            "a key that is indented under a line which already has a value".to_owned(),
            "indent it as the line above, or give the line above no value",
        );
    }
    ("a `:` where no key ends".to_owned(), "put the text in quotes, or indent the key as those beside it")
}

/// `key:value` or `-item` on the line of the error or the one above it.
fn missing_space(text: &str, at: usize) -> Option<Slip> {
    let (line, start) = line_at(text, at);
    let above = (start > 0).then(|| line_at(text, start - 1));
    [Some((line, start)), above].into_iter().flatten().find_map(|(line, start)| {
        let (offset, what) = squeezed(line)?;
        let (message, help) = match what {
            Squeezed::Colon => ("no space after the colon of a key", "write `key: value`"),
            Squeezed::Dash => ("no space after `-`", "write `- ` before a list item"),
        };
        Some(Slip { code: Code::SyntaxError, at: start + offset, message: message.to_owned(), help: help.to_owned() })
    })
}

enum Squeezed {
    Colon,
    Dash,
}

/// Where a line begins as `key:value` or `-item` does, with nothing that could make it mean something else.
fn squeezed(line: &str) -> Option<(usize, Squeezed)> {
    let mut rest = line.trim_start_matches(' ');
    while let Some(item) = rest.strip_prefix("- ") {
        rest = item.trim_start_matches(' ');
    }
    let offset = line.len() - rest.len();
    if rest.starts_with('-') && rest[1..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '{' | '"' | '\'')) {
        return Some((offset, Squeezed::Dash));
    }
    let name = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$')))?;
    let after = rest[name..].strip_prefix(':')?;
    let joined =
        name > 0 && !after.starts_with([' ', '\t', '\r', ':', '/']) && !after.is_empty() && !after.contains(": ");
    joined.then_some((offset + name, Squeezed::Colon))
}

/// The line that holds a byte, without its end, and where it begins.
fn line_at(text: &str, at: usize) -> (&str, usize) {
    let start = text[..at].rfind('\n').map_or(0, |p| p + 1);
    let end = text[at..].find('\n').map_or(text.len(), |p| at + p);
    (text[start..end].trim_end_matches('\r'), start)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}
