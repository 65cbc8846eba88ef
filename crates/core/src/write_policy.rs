//! The write policy of a plan: which steps write, and which of the writes are allowed (plan.md "`mutation`").
//!
//! It is decided three times: on the plan, by the lint; on the resolved call, before it leaves; and again in the
//! derivation. The last two are one function over one call. A redirect is a request of its own and is decided in the
//! same way before it is followed.

use std::collections::BTreeSet;

use url::Url;

use crate::allow::only_reads;
use crate::checked::CheckedPlan;
use crate::environment::AllowedCommand;
use crate::inputs::body_of;
use crate::invoke::Call;
use crate::js_pattern::{Found, JsPattern};
use crate::json::Json;
use crate::lint::RESERVED;
use crate::observe::{CommandCall, HttpCall};
use crate::plan::{Action, HttpStep, Step, WritePolicy};
use crate::vars::{Vars, holes, resolve, text_of, variables};

/// Whether a step writes: by its method, or as a command that is not listed as reading. Signatures of the profile
/// come first: an allowed one lets a request through, a write signature marks one that looks harmless.
#[must_use]
pub fn writes(step: &Step, commands: &[AllowedCommand], signatures: Option<&Json>) -> bool {
    match &step.action {
        Action::Http(http) => {
            let target = [http.target.as_str()];
            if is_bare(http) && signed(signatures, "allow_signatures", &http.method, &target, None) {
                return false;
            }
            by_method(&http.method) || signed(signatures, "write_signatures", &http.method, &target, None)
        }
        Action::Command(command) => command.shell || !only_reads(&command.argv, commands),
        Action::Log(_) => false,
    }
}

fn by_method(method: &str) -> bool {
    !matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE")
}

/// Nothing in it comes from elsewhere: an allowance may be decided by its text.
fn is_bare(http: &HttpStep) -> bool {
    http.body.is_none() && holes(&http.target).is_empty()
}

/// The same of a step with its values in place: what writes by the plan writes, and a value or a body may make a write
/// of a request that looks harmless.
fn call_writes(step: &Step, call: &Call, commands: &[AllowedCommand], signatures: Option<&Json>) -> bool {
    writes(step, commands, signatures)
        || match (&step.action, call) {
            (Action::Http(http), Call::Http(call)) => {
                let url = Url::parse(&call.url).ok();
                let path = url.as_ref().map_or("", Url::path);
                let asked = url.as_ref().and_then(Url::query).map_or_else(String::new, |q| format!("{path}?{q}"));
                let targets = [http.target.as_str(), call.url.as_str(), path, asked.as_str()];
                let allowed =
                    is_bare(http) && signed(signatures, "allow_signatures", &http.method, &targets[..1], None);
                let body = Some(String::from_utf8_lossy(call.body.as_deref().unwrap_or_default()));
                !allowed && signed(signatures, "write_signatures", &http.method, &targets, body.as_deref())
            }
            (Action::Command(_), Call::Command(call)) => {
                let argv: Vec<Json> = call.argv.iter().map(Json::from).collect();
                !only_reads(&argv, commands)
            }
            (Action::Log(_), Call::Log(_)) => false,
            // A call is always of its step's kind.
            _ => true,
        }
}

/// Whether a signature of the list matches one of the targets, and the body where it asks for one; a body that is not
/// known yet matches none. Patterns that cannot be read, or not decided, match no allowance and every write.
fn signed(signatures: Option<&Json>, list: &str, method: &str, targets: &[&str], body: Option<&str>) -> bool {
    let entries = signatures.and_then(|rules| rules.get(list)).and_then(Json::as_list).unwrap_or_default();
    let unread = list == "write_signatures";
    let matches = |pattern: &str, texts: &[&str]| {
        JsPattern::read(pattern, false).map_or(unread, |pattern| {
            texts.iter().any(|text| match pattern.finds(text) {
                Found::Yes => true,
                Found::No => false,
                Found::Undecided => unread,
            })
        })
    };
    entries.iter().any(|entry| {
        let named = entry.get("method").and_then(Json::as_text).unwrap_or_default();
        let url = entry.get("url").and_then(Json::as_text).is_some_and(|pattern| matches(pattern, targets));
        let fits = match (entry.get("body").and_then(Json::as_text), body) {
            (Some(pattern), Some(body)) => matches(pattern, &[body]),
            (Some(_), None) => false,
            (None, _) => entry.get("body").is_none(),
        };
        (named == "*" || named == method) && url && fits
    })
}

/// The values of a step that may carry the prefix or name an object: query and body, argv and stdin. One in a header
/// names no object.
#[must_use]
pub fn scoped_data(step: &Step) -> Vec<&Json> {
    match &step.action {
        Action::Http(http) => {
            let query = http.query.iter().map(|(_, value)| value);
            query.chain(http.body.iter().flat_map(body_of)).collect()
        }
        Action::Command(command) => command.argv.iter().skip(1).chain(&command.stdin).collect(),
        Action::Log(_) => Vec::new(),
    }
}

/// The variables in them, and in the path.
#[must_use]
pub fn scoped_variables(step: &Step) -> BTreeSet<&str> {
    let mut scoped: BTreeSet<&str> = scoped_data(step).into_iter().flat_map(variables).collect();
    if let Action::Http(http) = &step.action {
        scoped.extend(holes(&http.target));
    }
    scoped
}

/// Whether a text can be the prefix of `scoped-write`: at least 3 letters, digits, `_` or `-`, and holes for values of
/// the engine. Any other value might be chosen by whoever answers.
#[must_use]
pub fn is_prefix(template: &str) -> bool {
    prefix_of(template, &Vars::new(&RESERVED.map(|name| (name.to_owned(), name.into())))).is_some()
}

/// The prefix with the engine's values in place.
fn prefix_of(template: &str, vars: &Vars) -> Option<String> {
    let engine: Vec<(String, Json)> =
        RESERVED.iter().filter_map(|name| Some(((*name).to_owned(), vars.get(name)?.clone()))).collect();
    let filled = resolve(&Json::map([("$template", template)]), &Vars::new(&engine)).ok()?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    filled.as_text().filter(|prefix| prefix.len() >= 3 && prefix.bytes().all(plain)).map(str::to_owned)
}

/// The variables of a case that allowed writes saved, as they stand.
#[derive(Clone, Debug, Default)]
pub struct Ours(BTreeSet<String>);

impl Ours {
    /// Takes what a step saves. What a step saves that does not write is nobody's own, whatever its name held before.
    pub fn take<'n>(&mut self, writes: bool, names: impl IntoIterator<Item = &'n str>) {
        for name in names {
            if writes {
                self.0.insert(name.to_owned());
            } else {
                self.0.remove(name);
            }
        }
    }

    /// Whether a variable is one of them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Why the write policy stops a call, if it does: decided on what would leave, with every value in place.
#[must_use]
pub fn stopped(checked: &CheckedPlan, step: &Step, call: &Call, vars: &Vars, ours: &Ours) -> Option<String> {
    let profile = checked.profile();
    let writes = || call_writes(step, call, &profile.commands, profile.mutation.as_ref());
    let Some(mutation) = &checked.plan().mutation else {
        let production = checked.environment().kind.as_deref() == Some("production");
        return (production && writes())
            .then(|| "the environment is production and the plan declares no write policy".to_owned());
    };
    match mutation.policy {
        WritePolicy::Unrestricted => None,
        WritePolicy::ReadOnly => writes().then(|| format!("{} writes, and the policy is read-only", step.id)),
        WritePolicy::ScopedWrite => {
            let prefix = mutation.prefix.as_deref().and_then(|template| prefix_of(template, vars));
            let carried = prefix.as_deref().is_some_and(|prefix| carries(call, prefix));
            let fine = carried || scoped_variables(step).iter().any(|name| owned(name, vars, ours).is_some());
            (!fine && writes()).then(|| not_scoped(&format!("what {} would send", step.id), prefix.as_deref()))
        }
    }
}

/// What a variable holds that an allowed write saved; nothing where that is empty.
fn owned(name: &str, vars: &Vars, ours: &Ours) -> Option<String> {
    vars.get(name).filter(|_| ours.has(name)).map(text_of).filter(|text| !text.is_empty())
}

fn not_scoped(what: &str, prefix: Option<&str>) -> String {
    let prefix = prefix.unwrap_or("of the policy");
    format!("{what} holds neither the prefix {prefix} nor an id saved from an allowed write of this case")
}

/// A request that an answer asks for: where a redirect leads.
#[derive(Clone, Copy, Debug)]
pub struct Redirected<'a> {
    /// The method that it would have.
    pub method: &'a str,
    /// Its absolute URL.
    pub url: &'a str,
    /// The body of the call, where it goes along.
    pub body: Option<&'a [u8]>,
}

/// Why the write policy stops a redirect, if it does. Whoever answered chose the URL, so no allowance of the profile
/// counts for it, and an id names an object there only as a whole segment of the path or a whole value of the query.
#[must_use]
pub fn redirect_stopped(
    checked: &CheckedPlan,
    step: &Step,
    to: &Redirected<'_>,
    vars: &Vars,
    ours: &Ours,
) -> Option<String> {
    let writes = || redirect_writes(to, checked.profile().mutation.as_ref());
    let what = format!("the redirect of {} to {} {}", step.id, to.method, to.url);
    let Some(mutation) = &checked.plan().mutation else {
        let production = checked.environment().kind.as_deref() == Some("production");
        return (production && writes())
            .then(|| format!("{what} writes; the environment is production and the plan declares no write policy"));
    };
    match mutation.policy {
        WritePolicy::Unrestricted => None,
        WritePolicy::ReadOnly => writes().then(|| format!("{what} writes, and the policy is read-only")),
        WritePolicy::ScopedWrite => {
            let prefix = mutation.prefix.as_deref().and_then(|template| prefix_of(template, vars));
            let carried = prefix.as_deref().is_some_and(|prefix| sent_holds(to.url, to.body, prefix));
            let fine = carried || names_ours(step, to, vars, ours);
            (!fine && writes()).then(|| not_scoped(&what, prefix.as_deref()))
        }
    }
}

fn redirect_writes(to: &Redirected<'_>, signatures: Option<&Json>) -> bool {
    let url = Url::parse(to.url).ok();
    let path = url.as_ref().map_or("", Url::path);
    let asked = url.as_ref().and_then(Url::query).map_or_else(String::new, |query| format!("{path}?{query}"));
    let body = String::from_utf8_lossy(to.body.unwrap_or_default());
    by_method(to.method)
        || signed(signatures, "write_signatures", to.method, &[to.url, path, asked.as_str()], Some(&*body))
}

/// Whether a redirect names an object that this case made: in its URL, or in a body that goes along.
fn names_ours(step: &Step, to: &Redirected<'_>, vars: &Vars, ours: &Ours) -> bool {
    let url = Url::parse(to.url).ok();
    let in_url = |id: &str| {
        let Some(url) = &url else { return false };
        let decoded = |segment: &str| percent_encoding::percent_decode_str(segment).eq(id.bytes());
        url.path_segments().is_some_and(|mut segments| segments.any(decoded))
            || url.query_pairs().any(|(_, value)| value == id)
    };
    let in_body: BTreeSet<&str> = match &step.action {
        Action::Http(http) if to.body.is_some() => http.body.iter().flat_map(body_of).flat_map(variables).collect(),
        _ => BTreeSet::new(),
    };
    ours.0
        .iter()
        .filter_map(|name| Some((name, owned(name, vars, ours)?)))
        .any(|(name, id)| in_body.contains(name.as_str()) || in_url(&id))
}

/// Whether the prefix stands in path, query or body, as they leave; its letters are never encoded there. Host and
/// fragment are no part of it.
fn carries(call: &Call, prefix: &str) -> bool {
    match call {
        Call::Http(HttpCall { url, body, .. }) => sent_holds(url, body.as_deref(), prefix),
        Call::Command(CommandCall { argv, stdin, .. }) => {
            let mut words = argv.iter().skip(1).map(String::as_bytes).chain(stdin.as_deref());
            words.any(|word| held(word, prefix))
        }
        Call::Log(_) => false,
    }
}

fn held(bytes: &[u8], prefix: &str) -> bool {
    memchr::memmem::find(bytes, prefix.as_bytes()).is_some()
}

fn sent_holds(url: &str, body: Option<&[u8]>, prefix: &str) -> bool {
    let url = Url::parse(url).ok();
    let path = url.as_ref().is_some_and(|url| held(url.path().as_bytes(), prefix));
    let query = url.as_ref().and_then(Url::query).is_some_and(|query| held(query.as_bytes(), prefix));
    path || query || body.is_some_and(|body| held(body, prefix))
}

#[cfg(test)]
mod tests;
