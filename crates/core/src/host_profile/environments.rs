//! `environments`: which system a run touches, and whether its evidence may leave the machine.

use crate::codes::Code;
use crate::document::{Key, Node, Place, Value};
use crate::refuse::{Refusals, join, unknown, written};

use super::{apps, looks};

/// Shortest description of the account that a run signs in with on production, in characters.
const SHORTEST_ACCOUNT: usize = 20;
/// Fields of the reference tool.
const REFERENCE: [&str; 6] = ["kind", "apps", "allow_production", "evidence_upload", "test_account", "sha_source"];
/// Fields that are ours alone.
const OWN: [&str; 6] = ["name", "url", "origins", "data", "identity", "tls"];
const KINDS: [&str; 5] = ["qa", "staging", "production", "local", "ci"];

/// What kind of environment it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Real users are on it.
    Production,
    /// Anything else.
    Other,
}

impl Kind {
    /// The kind of this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        KINDS.contains(&word).then_some(if word == "production" { Self::Production } else { Self::Other })
    }
}

/// Where evidence goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EvidenceUpload {
    /// To the tracker, as attachments.
    Tracker,
    /// It stays; the tracker is told its path and digest, and what failed.
    Reference,
    /// It stays, and nothing of what it shows is told.
    Local,
}

impl EvidenceUpload {
    /// The mode of this word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Tracker, Self::Reference, Self::Local].into_iter().find(|mode| mode.as_str() == word)
    }

    /// As files write it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tracker => "tracker",
            Self::Reference => "reference",
            Self::Local => "local",
        }
    }
}

/// Where the evidence of an environment goes: the one place that decides it (report-and-gate section 1.4). Without a
/// tracker, and on production, it stays whatever is written.
#[must_use]
pub fn effective_evidence_upload(tracked: bool, kind: Kind, declared: Option<EvidenceUpload>) -> EvidenceUpload {
    match (tracked, kind) {
        (false, _) | (_, Kind::Production) => EvidenceUpload::Local,
        (true, Kind::Other) => declared.unwrap_or(EvidenceUpload::Reference),
    }
}

/// Checks the environments.
pub(super) fn environments(node: &Node, tracked: bool, refusals: &mut Refusals<'_>) {
    let Some(all) = refusals.map(node, "", "environments") else { return };
    let pairs = all.as_map().unwrap_or_default();
    match pairs.len() {
        0 => {
            let help = "declare at least one";
            refusals.refuse(Code::ValueOutOfRange, "environments", all.place, "no environment is declared", help);
        }
        1 => {
            let message = "only one environment is declared: testing and release share it";
            refusals.warn(Code::ProfileWeak, "environments", all.place, message, "declare a second if there is one");
        }
        _ => {}
    }
    for (name, one) in pairs {
        let path = format!("environments.{}", name.name);
        if one.as_map().is_none() {
            refusals.not_a_map(one, &path);
            continue;
        }
        environment(node, one, &path, tracked, refusals);
    }
}

fn environment(profile: &Node, one: &Node, path: &str, tracked: bool, refusals: &mut Refusals<'_>) {
    addresses(profile, one, path, refusals);
    let kind = refusals.must_word(one, path, "kind", &KINDS);
    if let Some(retired) = one.get("allow_production") {
        let help = "declare kind: production instead";
        let subject = join(path, "allow_production");
        refusals.refuse(Code::FieldRetired, &subject, retired.place, "allow_production does nothing any more", help);
    }
    evidence_upload(one, path, kind, tracked, refusals);
    test_account(one, path, kind, refusals);
    if let Some(kind) = kind.filter(|kind| *kind != "production") {
        for (app, address) in one.get("apps").and_then(Node::as_map).unwrap_or_default() {
            if address.as_text().is_some_and(looks::like_production) {
                let subject = format!("{path}.apps.{}", app.name);
                let message = format!("the address looks like production, and kind says {kind}");
                let help = "write kind: production if real users are on it";
                refusals.warn(Code::LooksLikeProduction, &subject, address.place, message, help);
            }
        }
    }
    sha_source(one, path, refusals);
    for (key, _) in
        unknown(one, &[&REFERENCE[..], &OWN[..]].concat()).into_iter().filter(|(k, _)| !k.name.starts_with("x_"))
    {
        let message = format!("nothing reads {} of an environment", crate::inert::shortened(&key.name, 60));
        let help = "remove it, or begin its name with x_";
        refusals.warn(Code::FieldIgnored, &join(path, &key.name), key.place, message, help);
    }
}

fn addresses(profile: &Node, one: &Node, path: &str, refusals: &mut Refusals<'_>) {
    let Some(map) = refusals.map(one, path, "apps") else { return };
    let pairs = map.as_map().unwrap_or_default();
    if pairs.is_empty() {
        let subject = join(path, "apps");
        refusals.refuse(Code::ValueOutOfRange, &subject, map.place, "no app has an address here", "write app: URL");
    }
    for (app, address) in pairs {
        let subject = format!("{path}.apps.{}", app.name);
        if apps::count(profile) > 0 && !apps::declares(profile, &app.name) {
            let message = "the app is not declared";
            refusals.refuse(Code::ValueOutOfRange, &subject, app.place, message, "declare it under apps");
        }
        if !address.as_text().is_some_and(is_address) {
            not_an_address(address, &subject, refusals);
        }
    }
}

fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}

fn not_an_address(node: &Node, subject: &str, refusals: &mut Refusals<'_>) {
    let message = format!("{} is no http or https URL", written(node));
    refusals.refuse(Code::UrlMalformed, subject, node.place, message, "write it with scheme and host");
}

fn evidence_upload(one: &Node, path: &str, kind: Option<&str>, tracked: bool, refusals: &mut Refusals<'_>) {
    let subject = join(path, "evidence_upload");
    let Some(node) = one.get("evidence_upload") else { return };
    let mode = node.as_text().and_then(EvidenceUpload::parse);
    if mode.is_none() {
        let message = format!("{} is not one of tracker, reference, local", written(node));
        let help = "write one of tracker, reference, local, or leave it out";
        refusals.refuse(Code::ValueOutOfRange, &subject, node.place, message, help);
    }
    if !tracked && mode == Some(EvidenceUpload::Tracker) {
        let message = "there is no tracker, so evidence stays on the machine";
        refusals.warn(Code::FieldIgnored, &subject, node.place, message, "write local, or leave it out");
    }
    if kind == Some("production") && mode.is_some_and(|mode| mode != EvidenceUpload::Local) {
        let message = format!("{} would let evidence of production leave the machine", written(node));
        refusals.refuse(Code::EvidenceUploadRefused, &subject, node.place, message, "write local, or leave it out");
    }
}

fn test_account(one: &Node, path: &str, kind: Option<&str>, refusals: &mut Refusals<'_>) {
    let production = kind == Some("production");
    let node = one.get("test_account");
    if node.is_none() && !production {
        return;
    }
    let long = |text: &str| text.trim().chars().count() >= SHORTEST_ACCOUNT;
    if node.and_then(Node::as_text).is_some_and(long) {
        return;
    }
    let place: Place = node.map_or(one.place, |node| node.place);
    let message = if production {
        format!(
            "production needs the account that runs sign in with, described in at least {SHORTEST_ACCOUNT} characters"
        )
    } else {
        format!("the description of the account has fewer than {SHORTEST_ACCOUNT} characters")
    };
    let help = "say which account it is, whose data it sees and what it may do";
    let code = if node.is_none() { Code::MissingField } else { Code::ValueOutOfRange };
    refusals.refuse(code, &join(path, "test_account"), place, message, help);
}

fn sha_source(one: &Node, path: &str, refusals: &mut Refusals<'_>) {
    let Some(source) = refusals.map(one, path, "sha_source") else { return };
    let path = join(path, "sha_source");
    match source.get("url") {
        Some(url) if url.as_text().is_some_and(is_address) => {}
        Some(url) => not_an_address(url, &join(&path, "url"), refusals),
        None => {
            let message = "the address that tells the build is missing";
            refusals.refuse(
                Code::MissingField,
                &join(&path, "url"),
                source.place,
                message,
                "write url: and an http URL",
            );
        }
    }
    let format = refusals.word(source.get("format"), &join(&path, "format"), &["commit", "build-id"]);
    if let (Some("build-id"), Some(node)) = (format, source.get("format")) {
        let message = "a build id does not lead to a commit, so nobody can see what was tested";
        refusals.warn(Code::ProfileWeak, &join(&path, "format"), node.place, message, "serve the commit if you can");
    }
    let (json, regex) = (source.get("json_path"), source.get("regex"));
    if json.is_some() == regex.is_some() {
        let message = "exactly one of json_path and regex says where the build stands";
        refusals.refuse(Code::ValueOutOfRange, &path, source.place, message, "write one of the two");
    }
    if let Some(json) = json {
        refusals.text_at(json, &join(&path, "json_path"));
    }
    if let Some(regex) = regex {
        refusals.pattern(regex, &join(&path, "regex"), false, true);
    }
}

/// The fields of an environment that the reference tool does not know.
pub(super) fn own_part(one: &Node) -> Node {
    let ours = |key: &Key| OWN.contains(&key.name.as_str()) || key.name.starts_with("x_");
    Node::new(
        Value::Map(one.as_map().unwrap_or_default().iter().filter(|(k, _)| ours(k)).cloned().collect()),
        one.place,
    )
}

/// Writes where evidence goes into the environment.
pub(super) fn write_effective(one: &mut Node, tracked: bool) {
    let kind = one.get("kind").and_then(Node::as_text).and_then(Kind::of).unwrap_or(Kind::Production);
    let declared = one.get("evidence_upload").and_then(Node::as_text).and_then(EvidenceUpload::parse);
    let mode = Value::Text(effective_evidence_upload(tracked, kind, declared).as_str().to_owned());
    let place = one.place;
    let Value::Map(pairs) = &mut one.value else { return };
    match pairs.iter_mut().find(|(key, _)| key.name == "evidence_upload") {
        Some((_, node)) => node.value = mode,
        None => pairs.push((Key { name: "evidence_upload".into(), place }, Node::new(mode, place))),
    }
}
