//! Content codings, undone one after the other and never beyond a cap.

use probity_core::observe::{Failure, FailureKind};

use super::stage::Coding;
use crate::net::failed;

/// More codings on one body are taken for an attack.
const MAX_CODINGS: usize = 8;

/// Undoes the codings that the `Content-Encoding` values name, the last one first. `None`: there was nothing to undo.
///
/// # Errors
/// `answer_incomplete` for a coding that is not known or a body that is not in it; `capture_capped` when any stage
/// gives more than `cap` bytes.
pub(super) fn undo<'a>(
    values: impl Iterator<Item = &'a str>,
    wire: &[u8],
    cap: u64,
) -> Result<Option<Vec<u8>>, Failure> {
    let codings = named(values)?;
    if wire.is_empty() {
        return Ok(None);
    }
    let mut decoded: Option<Vec<u8>> = None;
    for coding in codings.iter().rev() {
        let mut out = Vec::new();
        let done = coding.undo(decoded.as_deref().unwrap_or(wire), &mut out, cap.saturating_add(1));
        let name = coding.name();
        if out.len() as u64 > cap {
            let message = format!("the body grew beyond {cap} bytes when its {name} coding was undone (maxBody)");
            return Err(failed(FailureKind::CaptureCapped, message));
        }
        if let Err(e) = done {
            let message = format!("the answer's body is not whole {name}: {e}");
            return Err(failed(FailureKind::AnswerIncomplete, message));
        }
        decoded = Some(out);
    }
    Ok(decoded)
}

/// As much of a coded body as can be read, for whoever looks for something in it: a body that is cut or was not
/// decoded still holds what was sent. Empty where the coding is not known.
#[must_use]
pub fn glimpse(headers: &[(String, String)], wire: &[u8], cap: u64) -> Vec<u8> {
    let values = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
    let Ok(codings) = named(values.map(|(_, value)| value.as_str())) else { return Vec::new() };
    let mut seen: Option<Vec<u8>> = None;
    for coding in codings.iter().rev() {
        let mut out = Vec::new();
        // What came before an error stays in the buffer.
        let _ = coding.undo(seen.as_deref().unwrap_or(wire), &mut out, cap);
        seen = Some(out);
    }
    seen.unwrap_or_default()
}

fn named<'a>(values: impl Iterator<Item = &'a str>) -> Result<Vec<Coding>, Failure> {
    let mut codings = Vec::new();
    for name in values.flat_map(|value| value.split(',')).map(str::trim).filter(|name| !name.is_empty()) {
        match Coding::named(name) {
            Some(coding) => codings.push(coding),
            None if name.eq_ignore_ascii_case("identity") => {}
            None => {
                let name: String = name.chars().take(40).collect();
                let message = format!(
                    "the answer is in the content coding {name:?}, which is not known here; ask for gzip, deflate, br, \
                     zstd or identity with an Accept-Encoding header, or set decompress: false"
                );
                return Err(failed(FailureKind::AnswerIncomplete, message));
            }
        }
        if codings.len() > MAX_CODINGS {
            let message = format!("the answer names more than {MAX_CODINGS} content codings");
            return Err(failed(FailureKind::AnswerIncomplete, message));
        }
    }
    Ok(codings)
}

#[cfg(test)]
mod tests {
    use probity_testkit::server::routes::{brotli, gzip, zlib, zstd};

    use super::*;

    #[test]
    fn codings_are_undone_from_the_last() {
        let skippable = [b"\x50\x2a\x4d\x18\x02\0\0\0xx".as_slice(), &zstd(b"hello")].concat();
        let cases: [(&[&str], Vec<u8>); 11] = [
            (&["gzip"], gzip(b"hello")),
            (&["X-GZip"], gzip(b"hello")),
            (&["deflate"], zlib(b"hello")),
            (&["deflate, gzip"], gzip(&zlib(b"hello"))),
            (&["gzip", "identity", "gzip"], gzip(&gzip(b"hello"))),
            (&["gzip"], [gzip(b"hel"), gzip(b"lo")].concat()),
            (&["br"], brotli(b"hello")),
            (&["zstd"], zstd(b"hello")),
            (&["ZSTD"], [zstd(b"hel"), zstd(b"lo")].concat()),
            (&["zstd"], skippable),
            (&["br", "zstd"], zstd(&brotli(b"hello"))),
        ];
        for (values, wire) in cases {
            assert_eq!(undo(values.iter().copied(), &wire, 100), Ok(Some(b"hello".to_vec())), "{values:?}");
        }
        assert_eq!(undo(["identity"].into_iter(), b"hello", 100), Ok(None));
        assert_eq!(undo(["gzip"].into_iter(), b"", 100), Ok(None));
    }

    #[test]
    fn what_cannot_be_undone_is_named() {
        let kind = |value: &str, wire: &[u8], cap| undo([value].into_iter(), wire, cap).unwrap_err();
        let unknown = kind("compress", b"x", 100);
        assert_eq!(unknown.kind, FailureKind::AnswerIncomplete);
        assert!(unknown.message.contains("\"compress\""), "{}", unknown.message);
        assert_eq!(kind("gzip", b"plain", 100).kind, FailureKind::AnswerIncomplete);
        let cut = gzip(b"hello");
        assert_eq!(kind("gzip", &cut[..cut.len() - 9], 100).kind, FailureKind::AnswerIncomplete);
        for (name, whole) in [("deflate", zlib(b"hello")), ("br", brotli(b"hello")), ("zstd", zstd(b"hello"))] {
            for end in 1..whole.len() {
                assert_eq!(kind(name, &whole[..end], 100).kind, FailureKind::AnswerIncomplete, "{name} {end}");
            }
            assert_eq!(kind(name, b"plain text", 100).kind, FailureKind::AnswerIncomplete, "{name}");
            let more = [whole.as_slice(), b"more"].concat();
            assert!(name == "deflate" || kind(name, &more, 100).kind == FailureKind::AnswerIncomplete, "{name}");
        }
        assert_eq!(kind(&["gzip"; 9].join(","), &cut, 100).kind, FailureKind::AnswerIncomplete);
        assert_eq!(kind("gzip", &gzip(&[0; 1000]), 999).kind, FailureKind::CaptureCapped);
        assert!(undo(["gzip"].into_iter(), &gzip(&[0; 1000]), 1000).is_ok());
    }

    #[test]
    fn a_cut_body_can_be_glimpsed() {
        let headers = [("Content-Encoding".to_owned(), "gzip".to_owned())];
        let cut = gzip(b"hello, hello, hello");
        assert_eq!(glimpse(&headers, &cut[..cut.len() - 4], 100), b"hello, hello, hello");
        assert_eq!(glimpse(&headers, &cut, 5), b"hello");
        assert_eq!(glimpse(&[], &cut, 100), b"");
    }

    #[test]
    fn no_input_makes_a_decoder_panic() {
        for (name, whole) in [("br", brotli(b"hello, hello")), ("zstd", zstd(b"hello, hello"))] {
            for at in 0..whole.len() {
                for value in 0..=255 {
                    let mut bent = whole.clone();
                    bent[at] = value;
                    let _ = undo([name].into_iter(), &bent, 1 << 16);
                }
            }
        }
    }

    #[test]
    fn a_bomb_stops_at_the_cap_in_every_coding() {
        let zeros = vec![0; 4 << 20];
        for (name, bomb) in [("br", brotli(&zeros)), ("zstd", zstd(&zeros)), ("deflate", zlib(&zeros))] {
            let capped = undo([name].into_iter(), &bomb, (4 << 20) - 1).unwrap_err();
            assert_eq!(capped.kind, FailureKind::CaptureCapped, "{name}");
            assert_eq!(undo([name].into_iter(), &bomb, 4 << 20), Ok(Some(zeros.clone())), "{name}");
        }
    }

    /// A frame that asks for a window of 128 MiB, in 18 bytes.
    #[test]
    fn a_window_beyond_what_http_allows_is_refused() {
        let frame = b"\x28\xb5\x2f\xfd\0\x88\x01\0\0";
        let refused = undo(["zstd"].into_iter(), frame, 100).unwrap_err();
        assert!(refused.message.contains("indow"), "{}", refused.message);
    }

    #[test]
    fn a_bomb_inside_a_bomb_stops_at_the_cap() {
        let bomb = gzip(&gzip(&vec![0; 4 << 20]));
        let failure = undo(["gzip, gzip"].into_iter(), &bomb, 1 << 20).unwrap_err();
        assert_eq!(failure.kind, FailureKind::CaptureCapped);
    }
}
