//! Bodies in parts (RFC 7578), with a border that the derivation finds again: it is made from the parts themselves.

use super::{Unready, http::file};
use crate::evaluate::Files;
use crate::ids::Digest;
use crate::plan::{BodyPart, PartContent};
use crate::vars::{Vars, resolve_sent, text_of};

/// A body and its media type, which names the border.
pub(super) fn body(parts: &[BodyPart], vars: &Vars, files: &Files<'_>) -> Result<(Vec<u8>, String), Unready> {
    let mut filled = Vec::with_capacity(parts.len());
    for part in parts {
        filled.push(match &part.content {
            PartContent::Value(value) => (head(part, None), text_of(&resolve_sent(value, vars)?).into_bytes()),
            PartContent::File { path, filename } => (head(part, Some(filename)), file(path, files)?),
        });
    }
    let border = border(&filled);
    let mut body = Vec::new();
    for (head, bytes) in &filled {
        body.extend_from_slice(format!("--{border}\r\n{head}\r\n\r\n").as_bytes());
        body.extend_from_slice(bytes);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{border}--\r\n").as_bytes());
    Ok((body, format!("multipart/form-data; boundary={border}")))
}

/// The header lines of a part.
fn head(part: &BodyPart, filename: Option<&str>) -> String {
    let mut head = format!("Content-Disposition: form-data; name=\"{}\"", quoted(&part.name));
    if let Some(filename) = filename {
        head.push_str(&format!("; filename=\"{}\"", quoted(filename)));
    }
    let media = part.media.as_deref().or(filename.map(|_| "application/octet-stream"));
    if let Some(media) = media {
        head.push_str(&format!("\r\nContent-Type: {media}"));
    }
    head
}

/// A name as browsers write it (WHATWG HTML, "multipart form data"): what would end it is percent-encoded.
fn quoted(name: &str) -> String {
    name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A")
}

/// The digest of all parts cannot stand in one of them, so no value of an answer can close its part.
fn border(parts: &[(String, Vec<u8>)]) -> String {
    let digests: Vec<String> =
        parts.iter().map(|(head, bytes)| format!("{} {}", Digest::of(head.as_bytes()), Digest::of(bytes))).collect();
    format!("probity-{}", &Digest::of(digests.join("\n").as_bytes()).to_string()[..32])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    fn value(name: &str, value: impl Into<Json>) -> BodyPart {
        BodyPart { name: name.into(), content: PartContent::Value(value.into()), media: None }
    }

    fn made(parts: &[BodyPart], a: &str) -> (String, String) {
        let vars = Vars::new(&[("a".into(), a.into())]);
        let files = |name: &str| (name == "doc.pdf").then(|| b"%PDF".to_vec());
        let (bytes, media) = body(parts, &vars, &files).unwrap();
        (String::from_utf8(bytes).unwrap(), media)
    }

    #[test]
    fn parts_are_framed_in_order() {
        let file = PartContent::File { path: "doc.pdf".into(), filename: "a \"b\"\r\nc".into() };
        let parts = [
            value("note", Json::map([("$var", "a")])),
            BodyPart { media: Some("a/b".into()), ..value("n", 1u64) },
            BodyPart { name: "doc".into(), content: file, media: None },
        ];
        let (body, media) = made(&parts, "x");
        let border = media.strip_prefix("multipart/form-data; boundary=").unwrap();
        assert_eq!(border.len(), 40);
        assert_eq!(
            body,
            format!(
                "--{border}\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nx\r\n\
                 --{border}\r\nContent-Disposition: form-data; name=\"n\"\r\nContent-Type: a/b\r\n\r\n1\r\n\
                 --{border}\r\nContent-Disposition: form-data; name=\"doc\"; filename=\"a %22b%22%0D%0Ac\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n%PDF\r\n--{border}--\r\n"
            )
        );
    }

    #[test]
    fn the_border_is_found_again_and_no_value_can_name_it() {
        let parts = [value("note", Json::map([("$var", "a")]))];
        let (first, media) = made(&parts, "x");
        assert_eq!((first, media.clone()), made(&parts, "x"));
        let border = media.split('=').next_back().unwrap();
        let (body, other) = made(&parts, &format!("\r\n--{border}--\r\n"));
        assert!(!other.ends_with(border), "a value that names a border changes it");
        assert!(body.contains(border));
    }

    #[test]
    fn a_file_that_was_not_sealed_is_refused() {
        let file = PartContent::File { path: "gone".into(), filename: "gone".into() };
        let parts = [BodyPart { name: "doc".into(), content: file, media: None }];
        assert!(matches!(body(&parts, &Vars::default(), &|_| None), Err(Unready::Refused(_))));
    }
}
