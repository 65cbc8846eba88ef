//! Content codings, undone one after the other and never beyond a cap: by the client as an answer comes, and by the
//! derivation to see that the bytes which checks read are those that came.

mod stage;

use std::io::Read;

use self::stage::Coding;
use crate::observe::{Failure, FailureKind};

/// More codings on one body are taken for an attack.
const MAX_CODINGS: usize = 8;

/// Undoes the codings that the `Content-Encoding` values name, the last one first. `None`: there was nothing to undo.
///
/// # Errors
/// `answer_incomplete` for a coding that is not known or a body that is not in it; `capture_capped` when any stage
/// gives more than `cap` bytes.
pub fn undo<'a>(values: impl Iterator<Item = &'a str>, wire: &[u8], cap: u64) -> Result<Option<Vec<u8>>, Failure> {
    let codings = named(values)?;
    if wire.is_empty() {
        return Ok(None);
    }
    let mut decoded: Option<Vec<u8>> = None;
    for coding in codings.iter().rev() {
        let reader = coding.undone(decoded.as_deref().unwrap_or(wire));
        let out = read(reader, coding.name(), cap)?;
        decoded = Some(out);
    }
    Ok(decoded)
}

/// As much of a coded body as can be read, for whoever looks for something in it: a body that is cut or was not
/// decoded still holds what was sent. Empty where the coding is not known.
#[must_use]
pub fn glimpse(headers: &[(String, String)], wire: &[u8], cap: u64) -> Vec<u8> {
    let Ok(codings) = named(values(headers)) else { return Vec::new() };
    let mut seen: Option<Vec<u8>> = None;
    for coding in codings.iter().rev() {
        let mut out = Vec::new();
        // What came before an error stays in the buffer.
        let _ = coding.undone(seen.as_deref().unwrap_or(wire)).take(cap).read_to_end(&mut out);
        seen = Some(out);
    }
    seen.unwrap_or_default()
}

/// The values of `Content-Encoding` among header lines.
pub fn values(headers: &[(String, String)]) -> impl Iterator<Item = &str> {
    headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("content-encoding")).map(|(_, value)| value.as_str())
}

/// Whether there is a coding to undo before the body of an answer can be read, as far as they are known.
#[must_use]
pub fn is_coded(headers: &[(String, String)]) -> bool {
    named(values(headers)).is_ok_and(|codings| !codings.is_empty())
}

/// Whether undoing the codings of `wire` gives exactly `decoded`, with no stage beyond `cap` bytes. Nothing is held
/// in memory, and no more is undone than `decoded` has.
#[must_use]
pub fn gives(headers: &[(String, String)], wire: &[u8], decoded: &[u8], cap: u64) -> bool {
    let Ok(codings) = named(values(headers)) else { return false };
    let mut reader: Box<dyn Read + '_> = Box::new(wire);
    for coding in codings.iter().rev() {
        reader = Box::new(coding.undone(reader).take(cap));
    }
    let mut left = decoded;
    let mut piece = [0; 8192];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return left.is_empty(),
            Ok(count) => match left.strip_prefix(&piece[..count]) {
                Some(rest) => left = rest,
                None => return false,
            },
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
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
                return Err(Failure { kind: FailureKind::AnswerIncomplete, message });
            }
        }
        if codings.len() > MAX_CODINGS {
            let message = format!("the answer names more than {MAX_CODINGS} content codings");
            return Err(Failure { kind: FailureKind::AnswerIncomplete, message });
        }
    }
    Ok(codings)
}

fn read(reader: impl Read, name: &str, cap: u64) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    if let Err(e) = reader.take(cap.saturating_add(1)).read_to_end(&mut out) {
        let message = format!("the answer's body is not whole {name}: {e}");
        return Err(Failure { kind: FailureKind::AnswerIncomplete, message });
    }
    if out.len() as u64 > cap {
        let message = format!("the body grew beyond {cap} bytes when its {name} coding was undone (maxBody)");
        return Err(Failure { kind: FailureKind::CaptureCapped, message });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn brotli(mut bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let params = brotli::enc::BrotliEncoderParams { quality: 5, ..Default::default() };
        brotli::BrotliCompress(&mut bytes, &mut out, &params).unwrap();
        out
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

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
    fn what_was_undone_can_be_compared() {
        let coded = |value: &str| [("Content-Encoding".to_owned(), value.to_owned())];
        let big = vec![7; 100_000];
        for (value, wire) in [
            ("gzip", gzip(&big)),
            ("deflate", zlib(&big)),
            ("deflate, gzip", gzip(&zlib(&big))),
            ("gzip", [gzip(&big[..5]), gzip(&big[5..])].concat()),
            ("br", brotli(&big)),
            ("zstd", zstd(&big)),
            ("zstd", [zstd(&big[..5]), zstd(&big[5..])].concat()),
            ("gzip, br, zstd", zstd(&brotli(&gzip(&big)))),
            ("identity", big.clone()),
        ] {
            assert!(gives(&coded(value), &wire, &big, 100_000), "{value}");
            assert!(!gives(&coded(value), &wire, &big[1..], 100_000), "{value}: fewer");
            assert!(!gives(&coded(value), &wire, &[&big[..], b"x"].concat(), 100_000), "{value}: more");
            let mut other = big.clone();
            other[99_999] = 8;
            assert!(!gives(&coded(value), &wire, &other, 100_000), "{value}: other");
            assert_eq!(is_coded(&coded(value)), value != "identity");
        }
        for (value, wire) in [("gzip", gzip(&big)), ("br", brotli(&big)), ("zstd", zstd(&big))] {
            assert!(!gives(&coded(value), &wire, &big, 99_999), "{value}: beyond the cap");
            assert!(!gives(&coded(value), &big, &big, 100_000), "{value}: not coded");
            assert!(!gives(&coded(value), &wire[..wire.len() - 9], &big, 100_001), "{value}: cut");
        }
        assert!(!gives(&coded("compress"), &big, &big, 100_000) && !is_coded(&coded("compress")));
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
