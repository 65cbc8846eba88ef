//! What a guard goes by: the `mutation` block of a host profile.

use crate::js_pattern::JsPattern;
use crate::json::Json;

/// The write policies.
pub const POLICIES: [&str; 3] = ["read-only", "scoped-write", "unrestricted"];

/// Words of controls that write, whatever the profile says; a whole word, in any case.
const WORDS: [&str; 22] = [
    "save",
    "delete",
    "remove",
    "publish",
    "share",
    "submit",
    "send",
    "archive",
    "upload",
    "import",
    "rename",
    "duplicate",
    "update",
    "confirm",
    "pay",
    "purchase",
    "invite",
    "reset",
    "restore",
    "approve",
    "reject",
    "log out|sign out",
];

/// How class names of icons begin on controls that write.
const ICONS: [&str; 9] = [
    "mdi-delete",
    "mdi-trash",
    "mdi-pencil",
    "mdi-content-save",
    "mdi-share",
    "mdi-upload",
    "mdi-send",
    "mdi-archive",
    "mdi-logout",
];

/// Methods of a signature.
const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "*"];

/// Something about the configuration that cannot be gone by: no guard stands on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: `write_signatures[0].url`; empty for the whole.
    pub subject: String,
    /// What.
    pub message: String,
}

/// One kind of request.
#[derive(Clone, Debug)]
pub struct Signature {
    /// Its method, in capitals; `*` is any.
    pub method: String,
    /// What its URL holds.
    pub url: JsPattern,
    /// What its body holds, where that matters.
    pub body: Option<JsPattern>,
}

/// A configuration that was read.
#[derive(Clone, Debug)]
pub struct Guard {
    /// Texts of controls that write.
    pub words: Vec<JsPattern>,
    /// How class names of icons begin on controls that write.
    pub icons: Vec<String>,
    /// Requests that write.
    pub writes: Vec<Signature>,
    /// Requests that do not, even where a write signature matches.
    pub allows: Vec<Signature>,
}

impl Guard {
    /// Reads the block; without one the shipped controls remain, and no signature.
    ///
    /// # Errors
    /// Everything about it that cannot be gone by.
    pub fn read(config: Option<&Json>) -> Result<Self, Vec<Fault>> {
        let mut faults = Vec::new();
        let empty = Json::map(Vec::<(&str, Json)>::new());
        let config = config.filter(|config| **config != Json::Null).unwrap_or(&empty);
        let guard = Reader { faults: &mut faults }.guard(config);
        if faults.is_empty() { Ok(guard) } else { Err(faults) }
    }
}

struct Reader<'f> {
    faults: &'f mut Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, subject: &str, message: impl Into<String>) {
        self.faults.push(Fault { subject: subject.to_owned(), message: message.into() });
    }

    fn guard(&mut self, config: &Json) -> Guard {
        let shipped = format!(r"\b(?:{})\b", WORDS.join("|"));
        let mut words: Vec<JsPattern> = JsPattern::read(&shipped, true).into_iter().collect();
        let mut icons: Vec<String> = ICONS.map(str::to_owned).into();
        if !matches!(config, Json::Map(_)) {
            self.fault("", "the configuration is a mapping");
        }
        let controls = present(config, "deny_controls");
        if let Some(controls) = controls {
            if !matches!(controls, Json::Map(_)) {
                self.fault("deny_controls", "is a mapping of text and icons");
            }
            for (at, text) in self.list(controls, "text", "deny_controls.text") {
                words.extend(self.pattern(Some(text), &at, true));
            }
            for (at, icon) in self.list(controls, "icons", "deny_controls.icons") {
                match icon.as_text().filter(|icon| !icon.is_empty()) {
                    Some(icon) => icons.push(icon.to_owned()),
                    None => self.fault(&at, "is the beginning of a class name, and not empty"),
                }
            }
        }
        let writes = self.signatures(config, "write_signatures");
        let allows = self.signatures(config, "allow_signatures");
        Guard { words, icons, writes, allows }
    }

    /// The entries of a list that may be absent or null, each with its subject.
    fn list<'j>(&mut self, of: &'j Json, key: &str, subject: &str) -> Vec<(String, &'j Json)> {
        let Some(value) = present(of, key) else { return Vec::new() };
        if value.as_list().is_none() {
            self.fault(subject, "is a list");
        }
        let entries = value.as_list().unwrap_or_default().iter().enumerate();
        entries.map(|(n, entry)| (format!("{subject}[{n}]"), entry)).collect()
    }

    fn pattern(&mut self, source: Option<&Json>, subject: &str, ignore_case: bool) -> Option<JsPattern> {
        let Some(source) = source.and_then(Json::as_text).filter(|source| !source.is_empty()) else {
            self.fault(subject, "is a regular expression, and not empty");
            return None;
        };
        match JsPattern::read(source, ignore_case) {
            Ok(pattern) => Some(pattern),
            Err(why) => {
                self.fault(subject, format!("is no regular expression of JavaScript: {why}"));
                None
            }
        }
    }

    fn signatures(&mut self, config: &Json, list: &str) -> Vec<Signature> {
        let mut read = Vec::new();
        for (at, entry) in self.list(config, list, list) {
            let method = entry.get("method").and_then(Json::as_text).filter(|method| METHODS.contains(method));
            if method.is_none() {
                self.fault(&format!("{at}.method"), format!("is one of {}", METHODS.join(" ")));
            }
            let url = self.pattern(entry.get("url"), &format!("{at}.url"), false);
            let body = present(entry, "body").map(|body| self.pattern(Some(body), &format!("{at}.body"), false));
            if let (Some(method), Some(url), None | Some(Some(_))) = (method, url, &body) {
                read.push(Signature { method: method.to_owned(), url, body: body.flatten() });
            }
        }
        read
    }
}

/// A field that is there and not null.
fn present<'j>(of: &'j Json, key: &str) -> Option<&'j Json> {
    of.get(key).filter(|value| **value != Json::Null)
}
