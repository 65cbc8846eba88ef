//! A HAR 1.2 file, as browsers save it: its requests in order, with the status and the form of each answer.

use probity_core::json::{Json, Limits, read as read_json};

use super::curl::body;
use super::{Request, Source};

/// Headers that a browser adds by itself.
const BROWSERS: [&str; 9] =
    ["accept", "accept-language", "cache-control", "dnt", "origin", "pragma", "priority", "referer", "user-agent"];

/// Reads it.
///
/// # Errors
/// In words, what is wrong with it.
pub(crate) fn read(text: &str) -> Result<Source, String> {
    let limits = Limits { depth: 128, nodes: 4_000_000 };
    let har = read_json(text.as_bytes(), &limits).map_err(|e| e.to_string())?;
    let entries = har.get("log").and_then(|log| log.get("entries")).and_then(Json::as_list);
    let entries = entries.ok_or_else(|| "it has no log.entries".to_owned())?;
    let mut source = Source::default();
    let (mut pages, mut browsers) = (0, 0);
    for entry in entries {
        let (Some(asked), answer) = (entry.get("request"), entry.get("response")) else { continue };
        let word = |value: &Json, name: &str| value.get(name).and_then(Json::as_text).unwrap_or_default().to_owned();
        let url = word(asked, "url");
        let media = answer.and_then(|a| a.get("content")).map(|content| word(content, "mimeType")).unwrap_or_default();
        let http = url.starts_with("http://") || url.starts_with("https://");
        // What a page is drawn with belongs to no requirement of an interface.
        if !http || ["image/", "font/", "text/css", "javascript", "video/", "audio/"].iter().any(|m| media.contains(m))
        {
            pages += 1;
            continue;
        }
        let pairs = asked.get("headers").and_then(Json::as_list).unwrap_or_default();
        let all: Vec<(String, String)> = pairs.iter().map(|pair| (word(pair, "name"), word(pair, "value"))).collect();
        let added = |name: &str| {
            let name = name.to_ascii_lowercase();
            BROWSERS.contains(&name.as_str()) || name.starts_with("sec-")
        };
        browsers += all.iter().filter(|(name, _)| added(name)).count();
        let sent = asked.get("postData").map(|data| word(data, "text")).filter(|text| !text.is_empty());
        let content = answer.and_then(|answer| answer.get("content")).map(|content| word(content, "text"));
        let status = answer.and_then(|a| a.get("status")).and_then(Json::as_u64).and_then(|n| u16::try_from(n).ok());
        source.requests.push(Request {
            method: word(asked, "method").to_ascii_uppercase(),
            url,
            body: sent.map(|text| body(&text, false, &all)),
            headers: all.into_iter().filter(|(name, _)| !added(name)).collect(),
            status: status.filter(|status| (100..600).contains(status)),
            observed: content.and_then(|text| read_json(text.as_bytes(), &limits).ok()),
            ..Request::default()
        });
    }
    if pages > 0 {
        source.notes.push(format!("{pages} requests for images, styles, scripts and the like"));
    }
    if browsers > 0 {
        source.notes.push(format!("{browsers} header lines that a browser adds by itself"));
    }
    if source.requests.is_empty() {
        return Err("it holds no request to an interface".to_owned());
    }
    Ok(source)
}
