//! Where an index is: a file of SQLite, or a database of PostgreSQL by its URL. A URL is a secret: nothing here shows more
//! of it than host, port and database.

use std::fmt;
use std::path::{Path, PathBuf};

use url::Url;

use super::IndexError;

/// The folder of the index and of artifacts, in the folder of runs. No run has such a name: ids begin with a letter or
/// a digit.
pub const FOLDER: &str = "_qa";

/// The file of the index in it.
const FILE: &str = "index.sqlite";

/// Where an index is.
#[derive(Clone, PartialEq, Eq)]
pub enum Target {
    /// A file.
    File(PathBuf),
    /// A database.
    Database(Url),
}

impl Target {
    /// The index of a folder of runs.
    #[must_use]
    pub fn beside(runs: &Path) -> Self {
        Self::File(runs.join(FOLDER).join(FILE))
    }

    /// What a flag or a variable says: `postgres://…`, or a file.
    ///
    /// # Errors
    /// `index_url` where it is a URL and none that can be used.
    pub fn parse(text: &str) -> Result<Self, IndexError> {
        let refuse = |why: &str| Err(IndexError::Url { why: why.to_owned() });
        if !text.contains("://") {
            return if text.trim().is_empty() { refuse("it is empty") } else { Ok(Self::File(PathBuf::from(text))) };
        }
        // The parser's own message may quote the text, and with it a password.
        let Ok(url) = Url::parse(text) else { return refuse("it is no URL") };
        match url.scheme() {
            "postgres" | "postgresql" => Ok(Self::Database(url)),
            "sqlite" => refuse("for SQLite name the file alone"),
            _ => refuse("its scheme is not postgres"),
        }
    }

    /// The URL that the driver reads.
    pub(super) fn driver_url(&self, create: bool) -> String {
        match self {
            Self::File(path) => {
                let mut text = "sqlite://".to_owned();
                for byte in path.as_os_str().as_encoded_bytes() {
                    match byte {
                        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => text.push(*byte as char),
                        _ => text.push_str(&format!("%{byte:02X}")),
                    }
                }
                text + if create { "?mode=rwc" } else { "?mode=rw" }
            }
            Self::Database(url) => url.as_str().to_owned(),
        }
    }

    /// Parts of the URL that no message may hold.
    pub(super) fn secrets(&self) -> Vec<String> {
        match self {
            Self::File(_) => Vec::new(),
            Self::Database(url) => {
                let asked =
                    url.query_pairs().filter(|(name, _)| name == "password").map(|(_, value)| value.into_owned());
                let plain = url.password().map(str::to_owned);
                let decoded = plain.as_deref().map(decoded);
                plain.into_iter().chain(decoded).chain(asked).filter(|secret| !secret.is_empty()).collect()
            }
        }
    }
}

/// With percent signs undone.
fn decoded(text: &str) -> String {
    url::form_urlencoded::parse(format!("p={}", text.replace('+', "%2B")).as_bytes())
        .next()
        .map_or_else(String::new, |(_, value)| value.into_owned())
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Database(url) => {
                write!(f, "postgres://{}", url.host_str().unwrap_or("local"))?;
                if let Some(port) = url.port() {
                    write!(f, ":{port}")?;
                }
                write!(f, "{}", url.path())
            }
        }
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_shows_nowhere() {
        let text = "postgres://qa:s3cr%2Bet@db.example:5433/index?password=other&sslmode=require";
        let target = Target::parse(text).unwrap();
        assert_eq!(target.to_string(), "postgres://db.example:5433/index");
        assert_eq!(format!("{target:?}"), target.to_string());
        assert_eq!(target.secrets(), ["s3cr%2Bet", "s3cr+et", "other"]);
        assert_eq!(target.driver_url(false), text);
    }

    #[test]
    fn what_is_no_index_is_refused_without_repeating_it() {
        for bad in ["", " ", "mysql://u:hunter22@h/d", "postgres://u:hunter22@[bad/d", "sqlite://x"] {
            let error = Target::parse(bad).unwrap_err().to_string();
            assert!(!error.contains("hunter22"), "{error}");
        }
    }

    #[test]
    fn odd_paths_reach_the_driver_whole() {
        let target = Target::File(PathBuf::from("/a b/q?x#y%20é/index.sqlite"));
        assert_eq!(target.driver_url(true), "sqlite:///a%20b/q%3Fx%23y%2520%C3%A9/index.sqlite?mode=rwc");
        assert_eq!(Target::beside(Path::new("runs")), Target::File(PathBuf::from("runs/_qa/index.sqlite")));
    }
}
