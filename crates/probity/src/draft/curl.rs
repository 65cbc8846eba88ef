//! A curl command, as browsers copy it.

use super::{Auth, Body, Request, Source};

/// Options with a value that change nothing of what is sent.
const WITH_VALUE: [&str; 8] =
    ["-o", "--output", "-w", "--write-out", "-m", "--max-time", "--connect-timeout", "--retry"];

/// Options without a value that change nothing of what is sent.
const ALONE: [&str; 12] = [
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-v",
    "--verbose",
    "-i",
    "--include",
    "--compressed",
    "-f",
    "--fail",
    "-sS",
];

/// Reads it.
///
/// # Errors
/// In words, what is wrong with it.
pub(crate) fn read(text: &str) -> Result<Source, String> {
    // A line that goes on ends in a backslash, in a shell and here.
    let words = shlex::split(&text.replace("\\\r\n", " ").replace("\\\n", " "));
    let words = words.ok_or_else(|| "a quote is not closed".to_owned())?;
    let mut words = words.into_iter().peekable();
    if words.next().as_deref() != Some("curl") {
        return Err("it does not begin with `curl`".to_owned());
    }
    let mut reading = Reading::default();
    while let Some(word) = words.next() {
        // `-XPOST` is `-X POST`.
        let short = word.len() > 2 && word.starts_with('-') && !word.starts_with("--") && word.is_char_boundary(2);
        let (option, attached) = match short {
            true if "XHdubAeFxU".contains(&word[1..2]) => (word[..2].to_owned(), Some(word[2..].to_owned())),
            _ => (word, None),
        };
        let mut value = || attached.clone().or_else(|| words.next()).ok_or_else(|| format!("{option} has no value"));
        match option.as_str() {
            "-X" | "--request" => reading.request.method = value()?.to_ascii_uppercase(),
            "-H" | "--header" => reading.header(&value()?),
            "-A" | "--user-agent" => reading.request.headers.push(("User-Agent".to_owned(), value()?)),
            "-e" | "--referer" => reading.request.headers.push(("Referer".to_owned(), value()?)),
            "-b" | "--cookie" => reading.request.headers.push(("Cookie".to_owned(), value()?)),
            "-d" | "--data" | "--data-ascii" | "--data-raw" | "--data-binary" | "--data-urlencode" => {
                reading.data.push(value()?);
            }
            "--json" => {
                reading.json = true;
                reading.data.push(value()?);
            }
            "-u" | "--user" => {
                value()?;
                reading.request.auth = Some(Auth::Basic);
            }
            "-x" | "--proxy" => reading.request.proxy = Some(value()?),
            "-U" | "--proxy-user" => {
                value()?;
                reading.request.proxy_auth = true;
            }
            "--url" => reading.request.url = value()?,
            "-I" | "--head" => reading.request.method = "HEAD".to_owned(),
            "-G" | "--get" => reading.get = true,
            "-k" | "--insecure" => reading.request.insecure = true,
            "-L" | "--location" => reading.request.follow = true,
            other if WITH_VALUE.contains(&other) => drop(value()?),
            other if ALONE.contains(&other) => {}
            other if other.starts_with('-') => reading.notes.push(format!("the option {other}")),
            url if reading.request.url.is_empty() => reading.request.url = url.to_owned(),
            more => reading.notes.push(format!("`{more}`, a second URL or the value of an option that is not known")),
        }
    }
    reading.end()
}

#[derive(Default)]
struct Reading {
    request: Request,
    data: Vec<String>,
    json: bool,
    get: bool,
    notes: Vec<String>,
}

impl Reading {
    fn header(&mut self, line: &str) {
        match line.split_once(':') {
            Some((name, value)) if !value.trim().is_empty() => {
                self.request.headers.push((name.trim().to_owned(), value.trim().to_owned()));
            }
            _ => self.notes.push(format!("the header line `{}`", line.split(':').next().unwrap_or_default())),
        }
    }

    fn end(mut self) -> Result<Source, String> {
        if self.request.url.is_empty() {
            return Err("it names no URL".to_owned());
        }
        if !self.request.url.contains("://") {
            self.request.url = format!("http://{}", self.request.url);
        }
        let files = self.data.iter().filter(|data| data.starts_with('@')).count();
        if files > 0 {
            self.notes.push("a body from a file; name it under bodyFile".to_owned());
            self.data.retain(|data| !data.starts_with('@'));
        }
        if !self.data.is_empty() && self.get {
            let joint = if self.request.url.contains('?') { '&' } else { '?' };
            self.request.url = format!("{}{joint}{}", self.request.url, self.data.join("&"));
        } else if !self.data.is_empty() {
            self.request.body = Some(body(&self.data.join("&"), self.json, &self.request.headers));
        }
        if self.request.method.is_empty() {
            let sends = self.request.body.is_some() || files > 0;
            self.request.method = if sends { "POST" } else { "GET" }.to_owned();
        }
        Ok(Source { requests: vec![self.request], notes: self.notes })
    }
}

/// A body by its content type, else by what it looks like.
pub(super) fn body(text: &str, json: bool, headers: &[(String, String)]) -> Body {
    let media = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let media = media.map_or("", |(_, value)| value.as_str());
    // A plan adds some levels of its own to those of the body.
    let limits = probity_core::json::Limits { depth: 48, nodes: 100_000 };
    let read = || probity_core::json::read(text.as_bytes(), &limits).ok();
    if json || media.contains("json") || (media.is_empty() && text.trim_start().starts_with(['{', '['])) {
        return read().map_or_else(|| Body::Text(text.to_owned()), Body::Json);
    }
    if media.is_empty() || media.contains("x-www-form-urlencoded") {
        let pairs = url::form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        return Body::Form(pairs);
    }
    Body::Text(text.to_owned())
}
