//! What went wrong, on one line.

/// Most characters of a failure summary, the ellipsis among them (design.md section 8).
const LONGEST: usize = 500;

/// The text without colours, on one line, of bearable length.
pub(super) fn one_line(message: &str) -> String {
    let plain = without_colours(message);
    let line = plain.split('\n').map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST {
        return line;
    }
    line.chars().take(LONGEST - 1).chain(['\u{2026}']).collect()
}

/// Without ESC `[`, digits and `;`, and a letter; other escapes stay.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        let after = &rest[at + 2..];
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        let letter = after[end..].starts_with(|c: char| c.is_ascii_alphabetic());
        out.push_str(&rest[..at]);
        if !letter {
            out.push_str("\u{1b}[");
        }
        rest = if letter { &after[end + 1..] } else { after };
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_and_lines_go() {
        assert_eq!(one_line("\u{1b}[31mError:\u{1b}[0m a\n\n  b \u{1b}[1;2Kc"), "Error: a b c");
        assert_eq!(one_line("\u{1b}[?25l kept"), "\u{1b}[?25l kept");
        assert_eq!(one_line(" \n "), "");
    }

    #[test]
    fn the_ellipsis_is_among_the_500() {
        assert_eq!(one_line(&"é".repeat(500)), "é".repeat(500));
        let cut = one_line(&"é".repeat(501));
        assert!(cut.chars().count() == 500 && cut.ends_with('\u{2026}'), "{cut}");
    }
}
