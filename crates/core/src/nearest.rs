//! The nearest known name, for "did you mean".

/// The candidate nearest to `text`, if one is near enough to be a slip of the hand.
#[must_use]
pub fn nearest<'a>(text: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = text.to_lowercase();
    let bound = (text.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&folded, &candidate.to_lowercase()), candidate))
        .filter(|(d, _)| *d <= bound)
        .min_by_key(|(d, _)| *d)
        .map(|(_, candidate)| candidate)
}

/// Edit distance in which a swap of neighbours counts as one.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len() > 64 || b.len() > 64 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    rows[0] = (0..=b.len()).collect();
    for i in 1..=a.len() {
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut best = (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = best;
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_and_nothing_else() {
        let known = ["status", "headers", "json", "jsonAny", "text", "notText"];
        assert_eq!(nearest("staus", known), Some("status"));
        assert_eq!(nearest("stauts", known), Some("status"));
        assert_eq!(nearest("Header", known), Some("headers"));
        assert_eq!(nearest("body", known), None);
        assert_eq!(nearest("", known), None);
    }
}
