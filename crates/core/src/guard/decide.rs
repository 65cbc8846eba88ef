//! The decisions.

use super::config::{Fault, Guard, Signature};
use crate::js_pattern::{Found, JsPattern};
use crate::json::Json;

/// How much of a label is quoted, in characters.
const QUOTED: usize = 80;

/// What the guard does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Allow,
    /// It lets it go and writes it down.
    Observe,
    /// It stops it and writes it down.
    Block,
}

impl Action {
    /// As records write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Observe => "observe",
            Self::Block => "block",
        }
    }
}

/// A decision, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What.
    pub action: Action,
    /// Why.
    pub reason: String,
}

fn because(action: Action, reason: impl Into<String>) -> Decision {
    Decision { action, reason: reason.into() }
}

/// A text of a map; nothing where it is absent or no text.
fn text<'j>(of: &'j Json, key: &str) -> Option<&'j str> {
    of.get(key).and_then(Json::as_text)
}

impl Guard {
    /// A control that is about to be activated: `{label, icons, pageUrl, ownRowText}` under `{policy, prefix, scopeUrl}`.
    #[must_use]
    pub fn control(&self, input: &Json, state: &Json) -> Decision {
        let label = text(input, "label").unwrap_or_default();
        let icons = input.get("icons").and_then(Json::as_list).unwrap_or_default();
        let icon = icons
            .iter()
            .filter_map(Json::as_text)
            .find(|icon| self.icons.iter().any(|bad| icon.starts_with(bad.as_str())));
        let what = if self.words.iter().any(|word| word.finds(label) != Found::No) {
            format!("control \"{}\"", label.chars().take(QUOTED).collect::<String>())
        } else if let Some(icon) = icon {
            format!("icon {icon}")
        } else {
            return because(Action::Allow, "not a write control");
        };
        match text(state, "policy") {
            Some("unrestricted") => because(Action::Allow, format!("{what}: the policy is unrestricted")),
            Some("scoped-write") => {
                let scope = text(state, "scopeUrl").and_then(|scope| JsPattern::read(scope, false).ok());
                let page = text(input, "pageUrl").unwrap_or_default();
                let row = text(input, "ownRowText").unwrap_or_default();
                if scope.is_some_and(|scope| scope.finds(page) == Found::Yes) {
                    because(Action::Allow, format!("{what}: the page lies in the scope"))
                } else if text(state, "prefix").is_some_and(|prefix| !prefix.is_empty() && row.contains(prefix)) {
                    because(Action::Allow, format!("{what}: its row holds the prefix"))
                } else {
                    because(Action::Block, format!("{what}: neither its row nor the page is the test's own"))
                }
            }
            Some("read-only") => because(Action::Block, format!("{what}: the policy is read-only")),
            _ => because(Action::Block, format!("{what}: the policy is unknown")),
        }
    }

    /// A request that is about to leave: `{method, url, body}` under `{policy}`. One that no write signature matches is
    /// let go: a host that wants it otherwise writes signatures as wide as its channels.
    #[must_use]
    pub fn request(&self, input: &Json, state: &Json) -> Decision {
        let method = text(input, "method").unwrap_or_default().to_uppercase();
        let (url, body) = (text(input, "url").unwrap_or_default(), text(input, "body"));
        let Some(n) = self.writes.iter().position(|one| one.matches(&method, url, body) != Found::No) else {
            return because(Action::Allow, "no write signature matches");
        };
        if let Some(n) = self.allows.iter().position(|one| one.matches(&method, url, body) == Found::Yes) {
            return because(Action::Allow, format!("allow_signatures[{n}] matches"));
        }
        let what = format!("write_signatures[{n}] matches");
        match text(state, "policy") {
            Some("scoped-write" | "unrestricted") => because(Action::Observe, what),
            Some("read-only") => because(Action::Block, format!("{what}, and the policy is read-only")),
            _ => because(Action::Block, format!("{what}, and the policy is unknown")),
        }
    }
}

impl Signature {
    /// Whether a request is of this kind. A pattern that cannot be decided leaves that open.
    fn matches(&self, method: &str, url: &str, body: Option<&str>) -> Found {
        if self.method != "*" && self.method != method {
            return Found::No;
        }
        let inside = match (&self.body, body) {
            (None, _) => Found::Yes,
            (Some(pattern), Some(body)) => pattern.finds(body),
            (Some(_), None) => Found::No,
        };
        match (self.url.finds(url), inside) {
            (Found::No, _) | (_, Found::No) => Found::No,
            (Found::Yes, Found::Yes) => Found::Yes,
            _ => Found::Undecided,
        }
    }
}

/// Answers each question of a list `[{kind: control|request|config, config, input, state}]`: `{action, reason}`, for a
/// configuration what was read of it, or `{throws}` where no guard could stand on it.
///
/// # Errors
/// When it is no list of such questions: which entry, and what about it.
pub fn decide_all(questions: &Json) -> Result<Json, String> {
    let list = questions.as_list().ok_or("a list of questions is expected: [{kind, config, input, state}]")?;
    let answers = list.iter().enumerate().map(|(n, question)| {
        answer(question).ok_or_else(|| format!("question {n} has no kind of control, request or config"))
    });
    Ok(Json::List(answers.collect::<Result<_, _>>()?))
}

fn answer(question: &Json) -> Option<Json> {
    let kind = text(question, "kind").filter(|kind| ["control", "request", "config"].contains(kind))?;
    let guard = match Guard::read(question.get("config")) {
        Ok(guard) => guard,
        Err(faults) => return Some(Json::map([("throws", faults.iter().map(said).collect::<Vec<_>>().join("; "))])),
    };
    let nothing = Json::Null;
    let (input, state) = (question.get("input").unwrap_or(&nothing), question.get("state").unwrap_or(&nothing));
    let decision = match kind {
        "control" => guard.control(input, state),
        "request" => guard.request(input, state),
        _ => {
            let count = |n: usize| Json::from(n as u64);
            return Some(Json::map([
                ("ok", Json::Bool(true)),
                ("writes", count(guard.writes.len())),
                ("allows", count(guard.allows.len())),
                ("icons", count(guard.icons.len())),
            ]));
        }
    };
    Some(Json::map([("action", decision.action.as_str()), ("reason", decision.reason.as_str())]))
}

fn said(fault: &Fault) -> String {
    if fault.subject.is_empty() { fault.message.clone() } else { format!("{} {}", fault.subject, fault.message) }
}
