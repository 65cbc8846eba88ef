//! The few parts of a certificate that are wanted even when nobody vouches for it: its public key and its validity.
//! A walk over DER (X.690, RFC 5280 section 4.1) that never leaves its slice.

use probity_core::ids::Digest;

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The parts, borrowed from the certificate.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// SubjectPublicKeyInfo, its tag and length included.
    pub(crate) key: &'a [u8],
    /// Seconds since 1970: not before, not after.
    pub(crate) validity: (i64, i64),
}

struct Element<'a> {
    tag: u8,
    content: &'a [u8],
    whole: &'a [u8],
    rest: &'a [u8],
}

fn element(input: &[u8]) -> Option<Element<'_>> {
    let (&tag, after_tag) = input.split_first()?;
    if tag & 0x1f == 0x1f {
        return None;
    }
    let (&first, mut after) = after_tag.split_first()?;
    let length = if first < 0x80 {
        usize::from(first)
    } else {
        let count = usize::from(first & 0x7f);
        if count == 0 || count > 4 {
            return None;
        }
        let (bytes, tail) = after.split_at_checked(count)?;
        after = tail;
        bytes.iter().fold(0usize, |sum, b| (sum << 8) | usize::from(*b))
    };
    let (content, rest) = after.split_at_checked(length)?;
    let whole = input.get(..input.len() - rest.len())?;
    Some(Element { tag, content, whole, rest })
}

fn sequence(input: &[u8]) -> Option<Element<'_>> {
    element(input).filter(|e| e.tag == SEQUENCE)
}

/// Walks a certificate. `None` when it is not one.
pub(crate) fn parts(certificate: &[u8]) -> Option<Parts<'_>> {
    let tbs = sequence(sequence(certificate)?.content)?;
    let mut at = tbs.content;
    let first = element(at)?;
    if first.tag == VERSION {
        at = first.rest;
    }
    let serial = element(at)?;
    let algorithm = sequence(serial.rest)?;
    let issuer = sequence(algorithm.rest)?;
    let validity = sequence(issuer.rest)?;
    let subject = sequence(validity.rest)?;
    let key = sequence(subject.rest)?;
    let from = element(validity.content)?;
    let to = element(from.rest)?;
    Some(Parts { key: key.whole, validity: (seconds(&from)?, seconds(&to)?) })
}

/// The digest by which a peer's key is known; of the whole certificate when that cannot be walked.
pub(crate) fn key_digest(certificate: &[u8]) -> Digest {
    Digest::of(parts(certificate).map_or(certificate, |p| p.key))
}

fn seconds(time: &Element<'_>) -> Option<i64> {
    let digits = time.content.strip_suffix(b"Z")?;
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let number = |bytes: &[u8]| bytes.iter().fold(0i64, |n, d| n * 10 + i64::from(d - b'0'));
    let (year, rest) = match time.tag {
        UTC_TIME => {
            let (year, rest) = digits.split_at_checked(2)?;
            let year = number(year);
            (if year < 50 { 2000 + year } else { 1900 + year }, rest)
        }
        GENERALIZED_TIME => {
            let (year, rest) = digits.split_at_checked(4)?;
            (number(year), rest)
        }
        _ => return None,
    };
    if rest.len() != 10 {
        return None;
    }
    let field = |i: usize| rest.get(i * 2..i * 2 + 2).map(number);
    let (month, day) = (field(0)?, field(1)?);
    if !(1..=12).contains(&month) {
        return None;
    }
    Some(days(year, month, day) * 86_400 + field(2)? * 3600 + field(3)? * 60 + field(4)?)
}

/// Days from 1970-01-01 in the Gregorian calendar; years are counted from March, so that a leap day comes last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + (153 * m + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use probity_testkit::server::Certificate;

    #[test]
    fn a_certificate_gives_its_key_and_validity() {
        let certificate = Certificate::self_signed(&["localhost"]);
        let parts = parts(certificate.der()).unwrap();
        assert_eq!(parts.key, certificate.public_key());
        assert!(parts.validity.0 < parts.validity.1);
        assert_eq!(key_digest(certificate.der()), Digest::of(certificate.public_key()));
    }

    #[test]
    fn anything_shorter_is_refused_and_nothing_panics() {
        let certificate = Certificate::self_signed(&["localhost"]);
        for end in 0..certificate.der().len() {
            assert!(parts(&certificate.der()[..end]).is_none(), "{end}");
        }
        for at in 0..certificate.der().len() {
            for value in [0x00, 0x1f, 0x7f, 0x80, 0x84, 0xff] {
                let mut bent = certificate.der().to_vec();
                bent[at] = value;
                let _ = parts(&bent);
            }
        }
    }

    #[test]
    fn times_are_read() {
        let at = |tag, text: &'static str| seconds(&Element { tag, content: text.as_bytes(), whole: &[], rest: &[] });
        assert_eq!(at(UTC_TIME, "700101000000Z"), Some(0));
        assert_eq!(at(UTC_TIME, "240301000000Z"), Some(1_709_251_200));
        assert_eq!(at(GENERALIZED_TIME, "20240229235959Z"), Some(1_709_251_199));
        for bad in ["", "Z", "7001010000Z", "70010100000xZ", "701301000000Z", "700101000000"] {
            assert_eq!(at(UTC_TIME, bad), None, "{bad}");
        }
    }
}
