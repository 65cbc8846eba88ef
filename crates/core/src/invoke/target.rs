//! The target: a URL parsed with holes and filled component by component, its origin compared afterwards (B15).

use url::Url;
use url::form_urlencoded::byte_serialize;

use super::{Unready, target_refused, template_refused, text};
use crate::environment::{Environment, Origin};
use crate::json::Json;
use crate::vars::{Part, VarError, Vars, parts, text_of};

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// The absolute URL of a request.
///
/// # Errors
/// A value that would change more than its own component; a target outside the environment.
pub(super) fn resolve(
    target: &str,
    query: &[(String, Json)],
    vars: &Vars,
    environment: &Environment,
    base_url: Option<&str>,
) -> Result<String, Unready> {
    let pieces = parts(target).map_err(VarError::from)?;
    let (base, rest) = base(&pieces, environment, base_url)?;
    let (path, asked) = split_query(rest)?;
    let mut url = base.origin.to_string();
    url.push_str(&base.prefix);
    let segments = fill_path(&path, vars, &mut url)?;
    fill_query(&asked, query, vars, &mut url)?;
    // What is kept is what a client would send: the parsed form.
    check(&url, &base, segments, environment).map(String::from)
}

/// What stands before the template's path: nothing in it comes from a value.
struct Base {
    origin: Origin,
    /// Path of the environment's url, without the slash at its end.
    prefix: String,
}

type Pieces<'a> = Vec<Part<'a>>;

fn base<'a>(
    pieces: &[Part<'a>],
    environment: &Environment,
    base_url: Option<&str>,
) -> Result<(Base, Pieces<'a>), Unready> {
    let Some((Part::Text(first), rest)) = pieces.split_first() else {
        return Err(template_refused("The target begins with a value; scheme, host and port are never filled."));
    };
    let joined = |text: &'a str| std::iter::once(Part::Text(text)).chain(rest.iter().copied()).collect();
    if first.starts_with('/') {
        let url = environment.url.as_deref().or(base_url);
        let url = url.ok_or_else(|| target_refused("The target is a path, and no environment gives its origin."))?;
        let (origin, parsed) = Origin::parse(url).map_err(|e| target_refused(format!("The environment's url {e}.")))?;
        if parsed.query().is_some() {
            return Err(target_refused("The environment's url has a query; paths cannot be added to it."));
        }
        let prefix = parsed.path().trim_end_matches('/').to_owned();
        return Ok((Base { origin, prefix }, joined(first)));
    }
    let authority = first.find("://").map(|at| at + 3);
    let authority = authority.ok_or_else(|| template_refused("The target is neither a path nor an absolute URL."))?;
    let end = first[authority..].find(['/', '?', '#', '\\']).map(|at| authority + at);
    // Without a path the authority runs to the end of the literal text, and a hole would continue it.
    let end = match end {
        Some(end) => end,
        None if rest.is_empty() => first.len(),
        None => return Err(template_refused("A value stands in the host or port of the target.")),
    };
    let origin = Origin::of(&first[..end]).map_err(|e| target_refused(format!("The target {e}.")))?;
    Ok((Base { origin, prefix: String::new() }, joined(&first[end..])))
}

/// Splits at the first literal `?`; a literal `#` is refused, and values can hold neither.
fn split_query<'a>(pieces: Pieces<'a>) -> Result<(Pieces<'a>, Pieces<'a>), Unready> {
    let (mut path, mut query, mut in_query) = (Vec::new(), Vec::new(), false);
    for piece in pieces {
        match piece {
            Part::Text(text) if text.contains('#') => {
                return Err(template_refused("The target carries a fragment, which no server ever sees."));
            }
            Part::Text(text) if !in_query && text.contains('?') => {
                in_query = true;
                let (before, after) = text.split_once('?').unwrap_or((text, ""));
                path.push(Part::Text(before));
                query.push(Part::Text(after));
            }
            piece if in_query => query.push(piece),
            piece => path.push(piece),
        }
    }
    Ok((path, query))
}

/// Writes the path and says how many segments it wrote.
fn fill_path(pieces: &[Part<'_>], vars: &Vars, url: &mut String) -> Result<usize, Unready> {
    let mut segments = vec![(String::new(), false)];
    for piece in pieces {
        match piece {
            Part::Text(text) => {
                for (i, literal) in text.split('/').enumerate() {
                    if i > 0 {
                        segments.push((String::new(), false));
                    }
                    if let Some((segment, _)) = segments.last_mut() {
                        encode_literal(literal, segment);
                    }
                }
            }
            Part::Hole(name) => {
                if let Some((segment, holed)) = segments.last_mut() {
                    *holed = true;
                    encode(&text(&reference(name), vars)?, segment);
                }
            }
        }
    }
    let (before, mut segments) = (segments.remove(0), segments);
    if before != (String::new(), false) {
        return Err(template_refused("The path does not begin with a slash."));
    }
    if segments.is_empty() {
        segments.push((String::new(), false));
    }
    for (segment, holed) in &segments {
        if *holed && segment.is_empty() {
            return Err(template_refused("An empty value in the path would name another place."));
        }
        if is_dots(segment) {
            return Err(template_refused("A segment `.` or `..` in the path would name another place."));
        }
        url.push('/');
        url.push_str(segment);
    }
    Ok(segments.len())
}

fn fill_query(pieces: &[Part<'_>], pairs: &[(String, Json)], vars: &Vars, url: &mut String) -> Result<(), Unready> {
    let mut written = String::new();
    for piece in pieces {
        match piece {
            Part::Text(text) => encode_literal(text, &mut written),
            Part::Hole(name) => written.extend(byte_serialize(text(&reference(name), vars)?.as_bytes())),
        }
    }
    for (name, value) in pairs {
        if !written.is_empty() {
            written.push('&');
        }
        let value = crate::vars::resolve(value, vars)?;
        written.extend(byte_serialize(name.as_bytes()));
        written.push('=');
        written.extend(byte_serialize(text_of(&value).as_bytes()));
    }
    if !written.is_empty() {
        url.push('?');
        url.push_str(&written);
    }
    Ok(())
}

/// Looks at the finished URL as a stranger would: did the values stay in their places?
fn check(url: &str, base: &Base, segments: usize, environment: &Environment) -> Result<Url, Unready> {
    let (origin, parsed) = Origin::parse(url).map_err(|e| match Url::parse(url) {
        Err(e) => template_refused(format!("The target cannot be read: {e}.")),
        Ok(_) => template_refused(format!("The filled target {e}.")),
    })?;
    if origin != base.origin {
        return Err(template_refused(format!("A value moved the target from {} to {origin}.", base.origin)));
    }
    let wanted = segments + base.prefix.matches('/').count();
    if parsed.path_segments().map_or(0, Iterator::count) != wanted {
        return Err(template_refused("A value changed the number of segments of the path."));
    }
    if !environment.origins.contains(&origin) {
        return Err(target_refused(format!("The target lies at {origin}, outside the environment's origins.")));
    }
    Ok(parsed)
}

fn reference(name: &str) -> Json {
    Json::map([("$var", name)])
}

/// Whether a segment is `.` or `..` to a URL parser, percent-encoded or not.
fn is_dots(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

/// A value in a path segment: everything but the unreserved characters of RFC 3986 is encoded.
fn encode(value: &str, out: &mut String) {
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            percent(byte, out);
        }
    }
}

/// Literal text keeps what a URL may hold; a `%` that begins no escape is itself data, so that no value completes one.
fn encode_literal(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    for (i, byte) in bytes.iter().enumerate() {
        let escape = *byte == b'%' && bytes.len() > i + 2 && bytes[i + 1..i + 3].iter().all(u8::is_ascii_hexdigit);
        if escape || byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/?[]|".contains(byte) {
            out.push(char::from(*byte));
        } else {
            percent(*byte, out);
        }
    }
}

fn percent(byte: u8, out: &mut String) {
    out.push('%');
    out.push(char::from(HEX[usize::from(byte >> 4)]));
    out.push(char::from(HEX[usize::from(byte & 15)]));
}
