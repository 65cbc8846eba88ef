//! A Hurl file: its requests in order, with the status that each expects. Asserts and captures are said, not carried.

use super::curl::body;
use super::{Auth, Body, Request, Source};

/// Where the reader stands in an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Headers,
    Query,
    Form,
    /// Credentials: their values are passed over.
    Credentials,
    Body,
    Answer,
    Other,
}

/// An entry while it is read.
struct Entry {
    request: Request,
    query: Vec<(String, String)>,
    form: Vec<(String, String)>,
    body: String,
    part: Part,
}

/// Reads it.
///
/// # Errors
/// In words, what is wrong with it.
pub(crate) fn read(text: &str) -> Result<Source, String> {
    let mut source = Source::default();
    let mut entry: Option<Entry> = None;
    for (number, line) in (1..).zip(text.lines()) {
        let plain = line.trim();
        let in_body = entry.as_ref().is_some_and(|entry| entry.part == Part::Body);
        if let Some((method, url)) = begins(plain) {
            end(entry.take(), &mut source);
            let request = Request { method: method.to_owned(), url: url.to_owned(), ..Request::default() };
            let (query, form, body) = (Vec::new(), Vec::new(), String::new());
            entry = Some(Entry { request, query, form, body, part: Part::Headers });
            continue;
        }
        if (plain.is_empty() || plain.starts_with('#')) && !in_body {
            continue;
        }
        let Some(entry) = &mut entry else { return Err(format!("line {number} belongs to no request")) };
        entry.line(plain, line, &mut source.notes);
    }
    end(entry, &mut source);
    if source.requests.is_empty() {
        let why = source.notes.first().map_or_else(|| "it holds no request".to_owned(), Clone::clone);
        return Err(why);
    }
    Ok(source)
}

/// A line that begins a request: a method and an absolute URL.
fn begins(line: &str) -> Option<(&str, &str)> {
    let (method, url) = line.split_once(' ')?;
    let url = url.trim();
    let named = !method.is_empty() && method.bytes().all(|b| b.is_ascii_uppercase());
    let absolute = url.starts_with("http://") || url.starts_with("https://") || url.starts_with("{{");
    (named && absolute).then_some((method, url))
}

impl Entry {
    fn line(&mut self, plain: &str, line: &str, notes: &mut Vec<String>) {
        let named = format!("{} {}", self.request.method, self.request.url);
        let head = plain == "HTTP" || plain.starts_with("HTTP ") || plain.starts_with("HTTP/");
        if head && self.part != Part::Answer {
            self.part = Part::Answer;
            self.request.status = plain.split_whitespace().nth(1).and_then(|code| code.parse().ok());
            return;
        }
        if plain.starts_with('[')
            && plain.ends_with(']')
            && plain[1..plain.len() - 1].bytes().all(|b| b.is_ascii_alphabetic())
        {
            self.part = match &plain[1..plain.len() - 1] {
                "QueryStringParams" | "Query" => Part::Query,
                "FormParams" | "Form" => Part::Form,
                "BasicAuth" => Part::Credentials,
                other => {
                    notes.push(format!("{named}: its section {other}"));
                    Part::Other
                }
            };
            return;
        }
        let pair = plain.split_once(':').map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned()));
        match (self.part, pair) {
            (Part::Headers, _) if plain.starts_with(['{', '[', '`', '<', '"']) => {
                self.part = Part::Body;
                self.body.push_str(line);
            }
            (Part::Body, _) => {
                self.body.push('\n');
                self.body.push_str(line);
            }
            (Part::Headers, Some(pair)) => self.request.headers.push(pair),
            (Part::Query, Some(pair)) => self.query.push(pair),
            (Part::Form, Some(pair)) => self.form.push(pair),
            (Part::Credentials, Some(_)) => self.request.auth = Some(Auth::Basic),
            (Part::Answer | Part::Other, _) => {}
            (_, None) => notes.push(format!("{named}: the line `{}`", plain.chars().take(60).collect::<String>())),
        }
    }
}

/// Takes an entry into the source, unless it needs a value that the file alone does not give.
fn end(entry: Option<Entry>, source: &mut Source) {
    let Some(Entry { mut request, query, form, body: text, .. }) = entry else { return };
    let named = format!("{} {}", request.method, request.url);
    let open = {
        let values = request.headers.iter().chain(&query).chain(&form).map(|(_, value)| value.as_str());
        values.chain([request.url.as_str(), text.as_str()]).any(|text| text.contains("{{"))
    };
    if open {
        source.notes.push(format!("{named}: it needs a variable; save the value in an earlier step of the plan"));
        return;
    }
    if !query.is_empty() {
        let joint = if request.url.contains('?') { '&' } else { '?' };
        let pairs = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        request.url = format!("{}{joint}{pairs}", request.url);
    }
    let text = text.trim();
    if !form.is_empty() {
        request.body = Some(Body::Form(form));
    } else if text.starts_with(['{', '[']) {
        request.body = Some(body(text, true, &request.headers));
    } else if !text.is_empty() {
        source.notes.push(format!("{named}: its body, which is no JSON"));
    }
    source.requests.push(request);
}
