//! The closed table of extensions that evidence files may have. What a browser or a desktop would run when the file
//! is opened ends in `.txt` (threats.md R15).

/// Every extension that evidence may have.
pub const EXTENSIONS: [&str; 23] = [
    "bin", "css.txt", "csv.txt", "gif", "gz", "html.txt", "jpg", "js.txt", "json", "jsonl", "md.txt", "mp4", "pdf",
    "png", "sh.txt", "svg.txt", "tar", "txt", "webm", "webp", "xml.txt", "yaml", "zip",
];

/// The extension for a media type as a `Content-Type` header writes it; parameters and case do not matter. An
/// unknown type is `bin`, an unknown text is `txt`.
///
/// ```
/// assert_eq!(probity_store::media::extension_for("application/problem+json; charset=utf-8"), "json");
/// assert_eq!(probity_store::media::extension_for("image/svg+xml"), "svg.txt");
/// ```
#[must_use]
pub fn extension_for(media: &str) -> &'static str {
    let essence = media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "application/json" | "text/json" => "json",
        "application/x-ndjson" | "application/jsonl" | "application/json-seq" => "jsonl",
        "text/html" | "application/xhtml+xml" => "html.txt",
        "image/svg+xml" => "svg.txt",
        "text/javascript"
        | "application/javascript"
        | "application/x-javascript"
        | "text/ecmascript"
        | "application/ecmascript" => "js.txt",
        "text/xml" | "application/xml" => "xml.txt",
        "text/css" => "css.txt",
        "text/csv" => "csv.txt",
        "text/markdown" => "md.txt",
        "text/x-shellscript" | "application/x-sh" => "sh.txt",
        "application/yaml" | "text/yaml" | "application/x-yaml" => "yaml",
        "application/x-www-form-urlencoded" => "txt",
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "video/webm" => "webm",
        "video/mp4" => "mp4",
        "application/pdf" => "pdf",
        "application/zip" => "zip",
        "application/gzip" | "application/x-gzip" => "gz",
        "application/x-tar" => "tar",
        other if other.ends_with("+json") => "json",
        other if other.ends_with("+xml") => "xml.txt",
        other if other.starts_with("text/") => "txt",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn active_types_end_in_txt_and_all_stand_in_the_table() {
        let table = [
            ("application/json", "json"),
            ("Application/JSON;charset=utf-8", "json"),
            ("application/vnd.api+json", "json"),
            ("text/html; charset=utf-8", "html.txt"),
            ("application/xhtml+xml", "html.txt"),
            ("image/svg+xml", "svg.txt"),
            ("application/atom+xml", "xml.txt"),
            ("text/javascript", "js.txt"),
            ("text/css", "css.txt"),
            ("text/event-stream", "txt"),
            ("text/plain", "txt"),
            ("image/png", "png"),
            ("application/octet-stream", "bin"),
            ("", "bin"),
            ("../../etc/passwd", "bin"),
        ];
        for (media, extension) in table {
            assert_eq!(extension_for(media), extension, "{media}");
            assert!(EXTENSIONS.contains(&extension), "{extension}");
        }
        for active in ["html", "svg", "js", "xml", "css", "csv", "sh", "md"] {
            assert!(!EXTENSIONS.contains(&active), "{active}");
        }
        assert!(EXTENSIONS.is_sorted());
    }
}
