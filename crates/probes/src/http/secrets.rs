//! Credentials, kept apart from everything that is recorded.

use std::collections::BTreeMap;
use std::fmt;

/// The credentials of a run: the variable's name and its value. Nothing prints a value.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// No credentials.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds a credential, or replaces the one of that name.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value of a credential.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Secrets {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::Secrets;

    #[test]
    fn debugging_shows_names_only() {
        let secrets: Secrets = [("TOKEN", "s3cr3t-value")].into_iter().collect();
        assert_eq!(format!("{secrets:?}"), r#"{"TOKEN"}"#);
        assert_eq!(secrets.get("TOKEN"), Some("s3cr3t-value"));
        assert_eq!(secrets.get("OTHER"), None);
    }
}
