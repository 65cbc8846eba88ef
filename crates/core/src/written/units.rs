//! Durations and sizes as plans write them: a whole number and its unit (plan.md rule 9).

/// Why a text is no duration or size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitError {
    /// A number alone.
    Missing,
    /// Something else than a whole number with a known unit, or more than 64 bits hold.
    Malformed,
}

/// Milliseconds of `200ms`, `5s`, `2m`, `1h`.
pub(super) fn duration_ms(text: &str) -> Result<u64, UnitError> {
    measure(text, &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000)])
}

/// Bytes of `500B`, `64KiB`, `10MiB`, `1GiB`.
pub(super) fn size_bytes(text: &str) -> Result<u64, UnitError> {
    measure(text, &[("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)])
}

fn measure(text: &str, units: &[(&str, u64)]) -> Result<u64, UnitError> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    if unit.is_empty() && !digits.is_empty() {
        return Err(UnitError::Missing);
    }
    let scale = units.iter().find(|(name, _)| *name == unit).ok_or(UnitError::Malformed)?.1;
    digits.parse::<u64>().ok().and_then(|n| n.checked_mul(scale)).ok_or(UnitError::Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes_carry_units() {
        for (text, ms) in [("200ms", 200), ("5s", 5_000), ("2m", 120_000), ("1h", 3_600_000), ("0s", 0)] {
            assert_eq!(duration_ms(text), Ok(ms), "{text}");
        }
        assert_eq!(duration_ms("5"), Err(UnitError::Missing));
        for bad in ["", "s", "-5s", "5 s", "1e3s", "1.5s", "99999999999999999999s", "5S"] {
            assert_eq!(duration_ms(bad), Err(UnitError::Malformed), "{bad}");
        }
        for (text, bytes) in [("64KiB", 65_536), ("10MiB", 10_485_760), ("7B", 7)] {
            assert_eq!(size_bytes(text), Ok(bytes), "{text}");
        }
        for bad in ["KiB", "1KiBs", "18446744073709551615GiB", "1kb"] {
            assert_eq!(size_bytes(bad), Err(UnitError::Malformed), "{bad}");
        }
    }
}
