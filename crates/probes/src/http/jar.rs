//! The cookies of a case (RFC 6265).

use std::convert::Infallible;

use cookie_store::{CookieStore, RawCookie};
use url::Url;

/// More cookies than this are not kept; browsers stop earlier.
const MAX_COOKIES: usize = 1000;

/// Longer cookies are not kept, as in browsers.
const MAX_COOKIE: usize = 4096;

/// The cookies.
#[derive(Clone, Debug, Default)]
pub struct Jar(CookieStore);

impl Jar {
    /// What several cases left, together; of two that replace each other, the one of the later case.
    #[must_use]
    pub fn of<'a>(jars: impl IntoIterator<Item = &'a Self>) -> Self {
        let cookies = jars.into_iter().flat_map(|jar| jar.0.iter_any()).cloned().map(Ok::<_, Infallible>);
        Self(CookieStore::from_cookies(cookies, false).unwrap_or_default())
    }

    /// Takes the `Set-Cookie` lines of an answer from `url`. Lines that are no cookie, or one for another site, are
    /// left out.
    pub fn take<'a>(&mut self, lines: impl Iterator<Item = &'a str>, url: &Url) {
        // What no header line may hold would come back in one (RFC 6265bis, 5.6).
        let fine = |line: &&str| line.len() <= MAX_COOKIE && !line.chars().any(|c| c.is_control() && c != '\t');
        for line in lines.filter(fine) {
            if self.0.iter_any().count() >= MAX_COOKIES {
                return;
            }
            if let Ok(cookie) = RawCookie::parse(line) {
                let _ = self.0.insert_raw(&cookie, url);
            }
        }
    }

    /// The value of the `Cookie` line for `url`, longer paths first (RFC 6265 section 5.4), equal ones by name.
    #[must_use]
    pub fn line(&self, url: &Url) -> Option<String> {
        let mut cookies = self.0.matches(url);
        cookies.sort_by(|a, b| b.path.len().cmp(&a.path.len()).then_with(|| a.name().cmp(b.name())));
        let pairs: Vec<String> = cookies.iter().map(|c| format!("{}={}", c.name(), c.value())).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn cookies_go_back_where_they_came_from() {
        let mut jar = Jar::default();
        let from = url("http://shop.example:81/shop/cart");
        let lines = [
            "b=2; Path=/",
            "a=1; Path=/shop",
            "gone=1; Max-Age=0",
            "odd",
            "far=1; Domain=a.example",
            "s=1; Secure",
            "nul=\0",
            "esc=\u{1b}[2J",
            "two=1\rlines=2",
        ];
        jar.take(lines.into_iter(), &from);
        assert_eq!(jar.line(&from).as_deref(), Some("a=1; b=2"));
        assert_eq!(jar.line(&url("http://shop.example:81/")).as_deref(), Some("b=2"));
        assert_eq!(jar.line(&url("http://b.example:81/")), None);
    }

    #[test]
    fn jars_are_put_together_and_the_later_one_counts() {
        let from = url("http://127.0.0.1:81/");
        let (mut first, mut second) = (Jar::default(), Jar::default());
        first.take(["a=1", "b=1"].into_iter(), &from);
        second.take(["b=2", "c=2"].into_iter(), &from);
        assert_eq!(Jar::of([&first, &second]).line(&from).as_deref(), Some("a=1; b=2; c=2"));
        assert_eq!(Jar::of([]).line(&from), None);
    }

    #[test]
    fn the_jar_has_a_bottom() {
        let mut jar = Jar::default();
        let from = url("http://127.0.0.1/");
        for i in 0..MAX_COOKIES + 5 {
            jar.take([format!("c{i}=1").as_str()].into_iter(), &from);
        }
        jar.take([format!("long={}", "x".repeat(MAX_COOKIE)).as_str()].into_iter(), &from);
        assert_eq!(jar.0.iter_any().count(), MAX_COOKIES);
    }
}
