//! Numbers compared as decimals, from their tokens (threats.md R14): nothing is rounded and no exponent expanded.

use std::cmp::Ordering;

use crate::json::Number;

/// Compares two numbers by value: `10.0` equals `10`, `-0` equals `0`, `18446744073709551617` is not `…616`.
#[must_use]
pub fn compare(a: &Number, b: &Number) -> Ordering {
    let (a, b) = (Decimal::of(a.token()), Decimal::of(b.token()));
    match (a.sign(), b.sign()) {
        (x, y) if x != y => x.cmp(&y),
        (0, _) => Ordering::Equal,
        (1, _) => a.magnitude(&b),
        _ => b.magnitude(&a),
    }
}

/// Whether the value is whole: `10.0` and `1e2` are, `1e-1` is not.
#[must_use]
pub fn is_integer(number: &Number) -> bool {
    let decimal = Decimal::of(number.token());
    decimal.digits.is_empty() || {
        // The value is d₀.d₁d₂… × 10^exponent, so it is whole if the exponent reaches the last digit.
        let places = Exponent::of(false, &(decimal.digits.len() - 1).to_string());
        decimal.exponent.compare(&places) != Ordering::Less
    }
}

/// How many significant digits the value has.
#[must_use]
pub(crate) fn significant_digits(number: &Number) -> usize {
    Decimal::of(number.token()).digits.len()
}

/// A value as sign, significant digits without zeros at either end, and the power of ten of the first digit.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: Exponent,
}

impl Decimal {
    fn of(token: &str) -> Self {
        let (negative, token) = token.strip_prefix('-').map_or((false, token), |rest| (true, rest));
        let (mantissa, exponent) = token.split_once(['e', 'E']).unwrap_or((token, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        let Some(first) = all.iter().position(|d| *d != b'0') else {
            return Self { negative: false, digits: Vec::new(), exponent: Exponent::of(false, "0") };
        };
        let last = all.iter().rposition(|d| *d != b'0').unwrap_or(first);
        let (down, exponent) = match exponent.as_bytes().first() {
            Some(b'-') => (true, &exponent[1..]),
            Some(b'+') => (false, &exponent[1..]),
            _ => (false, exponent),
        };
        let mut exponent = Exponent::of(down, exponent);
        exponent.shift(whole.len(), first + 1);
        Self { negative, digits: all[first..=last].to_vec(), exponent }
    }

    fn sign(&self) -> i8 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => -1,
        }
    }

    fn magnitude(&self, other: &Self) -> Ordering {
        self.exponent.compare(&other.exponent).then_with(|| self.digits.cmp(&other.digits))
    }
}

/// A whole number of any size: its exponent may have more digits than any machine integer.
#[derive(Clone, PartialEq, Eq)]
struct Exponent {
    negative: bool,
    /// Decimal digits without leading zeros; empty for zero.
    digits: Vec<u8>,
}

impl Exponent {
    fn of(negative: bool, digits: &str) -> Self {
        let digits = digits.trim_start_matches('0').bytes().collect::<Vec<u8>>();
        Self { negative: negative && !digits.is_empty(), digits }
    }

    /// Adds `up` and takes off `down`.
    fn shift(&mut self, up: usize, down: usize) {
        // Tokens are bounded by documents, so their lengths fit with room to spare.
        let by = i128::try_from(up).unwrap_or(i128::MAX / 4) - i128::try_from(down).unwrap_or(i128::MAX / 4);
        if self.digits.len() <= 30 {
            let magnitude = std::str::from_utf8(&self.digits).ok().and_then(|d| d.parse().ok()).unwrap_or(0_i128);
            let sum = if self.negative { by - magnitude } else { by + magnitude };
            *self = Self::of(sum < 0, &sum.unsigned_abs().to_string());
        } else {
            // Far from zero: the sign stays, and only the magnitude grows or shrinks.
            let grows = (by < 0) == self.negative;
            self.carry(by.unsigned_abs(), grows);
        }
    }

    fn carry(&mut self, mut by: u128, grows: bool) {
        for digit in self.digits.iter_mut().rev() {
            if by == 0 {
                break;
            }
            let (old, step) = (u128::from(*digit - b'0'), by % 10);
            by /= 10;
            let new = if grows { old + step } else { old + 10 - step };
            // A sum of ten or more carries; a difference under ten has borrowed.
            by += u128::from((new >= 10) == grows);
            *digit = b'0' + u8::try_from(new % 10).unwrap_or(0);
        }
        if by > 0 {
            let mut digits = by.to_string().into_bytes();
            digits.append(&mut self.digits);
            self.digits = digits;
        }
        let zeros = self.digits.iter().take_while(|d| **d == b'0').count();
        self.digits.drain(..zeros);
    }

    fn compare(&self, other: &Self) -> Ordering {
        let magnitude = |a: &Self, b: &Self| a.digits.len().cmp(&b.digits.len()).then_with(|| a.digits.cmp(&b.digits));
        match (self.negative, other.negative) {
            (false, false) => magnitude(self, other),
            (true, true) => magnitude(other, self),
            (a, b) => b.cmp(&a),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cmp(a: &str, b: &str) -> Ordering {
        compare(&Number::parse(a).unwrap(), &Number::parse(b).unwrap())
    }

    #[test]
    fn compares_what_doubles_cannot() {
        use Ordering::{Equal, Greater, Less};
        let huge = "9".repeat(40);
        let power = format!("1{}", "0".repeat(40));
        for (a, b, order) in [
            ("10.0", "10", Equal),
            ("-0", "0", Equal),
            ("0e999999999", "-0.00", Equal),
            ("1e2", "100", Equal),
            ("0.00120e5", "120", Equal),
            ("18446744073709551617", "18446744073709551616", Greater),
            ("9007199254740993", "9007199254740992", Greater),
            ("1234567890123456.78", "1234567890123456.70", Greater),
            ("1e400", "1e401", Less),
            ("1e400", "10e399", Equal),
            ("1e999999999", "1e999999998", Greater),
            ("-1e400", "-1e401", Greater),
            ("-1", "1e-400", Less),
            ("1e-400", "0", Greater),
            ("1e-401", "1e-400", Less),
            ("29.97", "29.970000000000001", Less),
            ("2", "10", Less),
            ("0.1", "0.09", Greater),
            (&format!("10e{huge}"), &format!("1e{power}"), Equal),
            (&format!("1e{huge}"), &format!("1e{power}"), Less),
            (&format!("0.1e{power}"), &format!("1e{huge}"), Equal),
            (&format!("10e-{power}"), &format!("1e-{huge}"), Equal),
            (&format!("0.1e-{huge}"), &format!("1e-{power}"), Equal),
            (&format!("1e-{power}"), &format!("1e-{huge}"), Less),
        ] {
            assert_eq!(cmp(a, b), order, "{a} {b}");
            assert_eq!(cmp(b, a), order.reverse(), "{b} {a}");
        }
    }

    #[test]
    fn knows_whole_numbers() {
        for (token, whole) in [
            ("10", true),
            ("10.0", true),
            ("-0.0", true),
            ("1e2", true),
            ("1.25e2", true),
            ("1.25e1", false),
            ("100e-2", true),
            ("1e-1", false),
            ("0e-5", true),
            ("1e999999999999", true),
            ("1e-999999999999", false),
        ] {
            assert_eq!(is_integer(&Number::parse(token).unwrap()), whole, "{token}");
        }
    }

    /// The token of `n × 10^-places`, with `zeros` written at the end and the exponent form on demand.
    fn token(n: i64, places: usize, zeros: usize, exponent: bool) -> String {
        if exponent {
            return format!("{n}{}e-{}", "0".repeat(zeros), places + zeros).replace("-00", "-0");
        }
        let digits = format!("{:0>width$}", n.unsigned_abs(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if n < 0 { "-" } else { "" };
        let fraction = format!("{fraction}{}", "0".repeat(zeros));
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }

    proptest! {
        #[test]
        fn agrees_with_scaled_integers(
            a in -100_000_i64..100_000, b in -100_000_i64..100_000,
            pa in 0_usize..6, pb in 0_usize..6, za in 0_usize..4, ea: bool, eb: bool,
        ) {
            let scaled = |n: i64, p: usize| i128::from(n) * 10_i128.pow(u32::try_from(6 - p).unwrap());
            let a_token = if a == 0 && ea { "0e3".to_owned() } else { token(a, pa, za, ea) };
            let b_token = if b == 0 && eb { "-0.0E+2".to_owned() } else { token(b, pb, 0, eb) };
            prop_assert_eq!(cmp(&a_token, &b_token), scaled(a, pa).cmp(&scaled(b, pb)), "{} {}", a_token, b_token);
        }

        #[test]
        fn agrees_with_integers(a: i128, b: i128) {
            prop_assert_eq!(cmp(&a.to_string(), &b.to_string()), a.cmp(&b));
        }

        #[test]
        fn the_point_may_move(a: i64, by in 1_usize..20, huge in "[1-9][0-9]{0,60}") {
            let zeros = "0".repeat(by);
            prop_assume!(a != 0);
            prop_assert_eq!(cmp(&format!("{a}{zeros}e-{by}"), &a.to_string()), Ordering::Equal);
            prop_assert_eq!(cmp(&format!("{a}e{huge}"), &format!("{a}.0e{huge}")), Ordering::Equal);
            prop_assert_eq!(cmp(&format!("1e{huge}"), &format!("2e{huge}")), Ordering::Less);
        }
    }
}
