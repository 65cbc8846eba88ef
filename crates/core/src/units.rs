//! Durations and sizes as people write them: a whole number and its unit (plan.md rule 9).

/// Why a text is no duration or size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// A number alone; nobody can tell 5 s from 5 ms by looking at it.
    #[error("has no unit")]
    Missing,
    /// Something other than a whole number and a known unit.
    #[error("is not a whole number with one of its units")]
    Malformed,
    /// More than 64 bits hold, in ms or bytes.
    #[error("is too large")]
    TooLarge,
}

const DURATIONS: [(&str, u64); 4] = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)];
const SIZES: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// How durations may be written, for messages.
pub const DURATION_HELP: &str = "write a whole number with ms, s, m or h, as in 200ms, 5s, 2m";
/// How sizes may be written, for messages.
pub const SIZE_HELP: &str = "write a whole number with B, KiB, MiB or GiB, as in 500B, 64KiB, 10MiB";

/// A duration in ms: `200ms`, `5s`, `2m`, `1h`.
///
/// # Errors
/// Says whether the unit is missing, the text is something else, or the value does not fit.
pub fn duration_ms(text: &str) -> Result<u64, UnitError> {
    measure(text, &DURATIONS)
}

/// A size in bytes: `500B`, `64KiB`, `10MiB`, `1GiB`.
///
/// # Errors
/// Says whether the unit is missing, the text is something else, or the value does not fit.
pub fn size_bytes(text: &str) -> Result<u64, UnitError> {
    measure(text, &SIZES)
}

fn measure(text: &str, units: &[(&str, u64)]) -> Result<u64, UnitError> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    if digits.is_empty() {
        return Err(UnitError::Malformed);
    }
    if unit.is_empty() {
        return Err(UnitError::Missing);
    }
    let (_, factor) = units.iter().find(|(name, _)| *name == unit).ok_or(UnitError::Malformed)?;
    let number: u64 = digits.parse().map_err(|_| UnitError::TooLarge)?;
    number.checked_mul(*factor).ok_or(UnitError::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, expected) in [
            ("200ms", Ok(200)),
            ("0ms", Ok(0)),
            ("5s", Ok(5000)),
            ("2m", Ok(120_000)),
            ("1h", Ok(3_600_000)),
            ("5", Err(UnitError::Missing)),
            ("", Err(UnitError::Malformed)),
            ("s", Err(UnitError::Malformed)),
            ("1.5s", Err(UnitError::Malformed)),
            ("5 s", Err(UnitError::Malformed)),
            ("-5s", Err(UnitError::Malformed)),
            ("5S", Err(UnitError::Malformed)),
            ("5min", Err(UnitError::Malformed)),
            ("٥s", Err(UnitError::Malformed)),
            ("18446744073709551615ms", Ok(u64::MAX)),
            ("18446744073709551616ms", Err(UnitError::TooLarge)),
            ("18446744073709551615s", Err(UnitError::TooLarge)),
        ] {
            assert_eq!(duration_ms(text), expected, "{text}");
        }
    }

    #[test]
    fn sizes() {
        for (text, expected) in [
            ("500B", Ok(500)),
            ("64KiB", Ok(65_536)),
            ("10MiB", Ok(10_485_760)),
            ("1GiB", Ok(1_073_741_824)),
            ("64", Err(UnitError::Missing)),
            ("64KB", Err(UnitError::Malformed)),
            ("64kib", Err(UnitError::Malformed)),
            ("5s", Err(UnitError::Malformed)),
            ("99999999999GiB", Err(UnitError::TooLarge)),
        ] {
            assert_eq!(size_bytes(text), expected, "{text}");
        }
    }
}
