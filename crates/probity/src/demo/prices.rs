//! What the shop sells. Money is counted in cents.

/// What one of each costs, in cents.
const PRICES: [(&str, u32); 4] = [("MUG-1", 999), ("CAP-2", 1_450), ("PEN-3", 120), ("BAG-4", 2_495)];

/// The most pieces in one order.
pub(crate) const MOST: u32 = 100;

/// What so many pieces cost, in cents; `None` for what the shop does not sell.
pub(crate) fn total(sku: &str, qty: u32) -> Option<u32> {
    let (_, price) = PRICES.iter().find(|(known, _)| *known == sku)?;
    price.checked_mul(qty)
}

/// An amount as answers and files write it: 2997 cents are 29.97. The nearest double of a whole number of cents is
/// written back with exactly these digits.
pub(crate) fn amount(cents: u32) -> f64 {
    f64::from(cents) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_exact() {
        assert_eq!(total("MUG-1", 3), Some(2_997));
        assert_eq!(total("mug-1", 3), None);
        assert_eq!(total("MUG-1", u32::MAX), None);
        for cents in 0..300_000 {
            let text = serde_json::to_string(&amount(cents)).unwrap();
            let digits: String = format!("{}.{:02}", cents / 100, cents % 100);
            let shortest = digits.strip_suffix('0').filter(|d| !d.ends_with('.')).unwrap_or(&digits);
            assert_eq!(text, shortest);
        }
    }
}
