//! Facts that the verifier demands of a run, beyond that it is intact.

use std::path::Path;

use jiff::Timestamp;
use probity_core::codes::Code;
use probity_core::environment::Environment;
use probity_core::finding::Finding;
use probity_core::ids::Digest;
use probity_core::journal::Seal;
use probity_core::journal::body::Role;
use probity_core::json::Json;
use probity_core::judged::{Judged, Subject};
use probity_core::verify::Verified;
use probity_formats::allowed_signers::{self, Signer};

use crate::answer::clip;
use crate::cli::VerifyArgs;

/// The largest file that is compared.
const LARGEST: u64 = 64 << 20;

/// A demand and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Demand {
    /// The flag without its hyphens.
    pub name: &'static str,
    /// What was demanded.
    pub wanted: String,
    /// What the run has.
    pub found: Option<String>,
    /// Whether that is it.
    pub met: bool,
}

impl Demand {
    fn of(name: &'static str, wanted: impl Into<String>, found: Option<String>, met: bool) -> Self {
        Self { name, wanted: wanted.into(), found, met }
    }

    /// `{name, wanted, found, met}`
    pub(crate) fn to_json(&self) -> Json {
        Json::map([
            ("name", Json::from(self.name)),
            ("wanted", clip(&self.wanted, 200).into()),
            ("found", self.found.as_ref().map(|found| clip(found, 200)).into()),
            ("met", self.met.into()),
        ])
    }

    /// The finding of a demand that is not met.
    pub(crate) fn finding(&self) -> Finding {
        let found = self.found.clone().unwrap_or_else(|| "nothing".to_owned());
        Finding::integrity(Code::DemandUnmet, format!("--{} is not met", self.name)).values(self.wanted.clone(), found)
    }
}

/// Everything that was demanded, read from the command line.
pub(super) struct Wanted {
    plan: Option<(String, Digest)>,
    requirement: Option<(String, Digest)>,
    subject: Option<String>,
    environment: Option<String>,
    max_age: Option<(String, u64)>,
    signature: bool,
}

impl Wanted {
    /// Reads the flags.
    ///
    /// # Errors
    /// A file that cannot be read, a duration that is none.
    pub(super) fn of(args: &VerifyArgs) -> Result<Self, String> {
        let document = |flag: &str, text: &Option<String>, base: &str| {
            text.as_ref().map(|text| digest_of(flag, text, base).map(|digest| (text.clone(), digest))).transpose()
        };
        if let Some(file) = &args.allowed_signers {
            signers(file)?;
        }
        let age = |text: &String| {
            let ms =
                age_ms(text).ok_or_else(|| format!("--max-age {text}: write a whole number with s, m, h, d or w"))?;
            Ok::<_, String>((text.clone(), ms))
        };
        Ok(Self {
            plan: document("plan", &args.plan, "test-plan.json")?,
            requirement: document("requirement", &args.requirement, "requirement.md")?,
            subject: args.subject.clone(),
            environment: args.environment.clone(),
            max_age: args.max_age.as_ref().map(age).transpose()?,
            signature: args.require_signature,
        })
    }

    /// Holds the demands against a run. Where nothing could be worked out, none is met.
    pub(super) fn check(&self, verified: &Verified) -> Vec<Demand> {
        let judged = verified.judged.as_ref();
        let mut demands = Vec::new();
        if let Some((text, digest)) = &self.requirement {
            demands.push(sealed_input("requirement", text, digest, judged, &[Role::Requirement]));
        }
        if let Some((text, digest)) = &self.plan {
            // The file as it was written and the plan that it stands for say the same.
            demands.push(sealed_input("plan", text, digest, judged, &[Role::Written, Role::Plan]));
        }
        if let Some(wanted) = &self.environment {
            let environment = judged.map(|judged| judged.audited().checked().environment());
            let found = environment.and_then(|environment| environment.name.clone());
            let confirmed = environment.is_some_and(Environment::is_confirmed);
            let met = found.as_ref() == Some(wanted) && confirmed;
            demands.push(Demand::of("environment", wanted, found, met));
        }
        if let Some(wanted) = &self.subject {
            demands.push(subject(wanted, judged));
        }
        if let Some((text, limit)) = &self.max_age {
            let age = judged.and_then(|judged| age_of(judged.audited().recorded().last_at()));
            let met = age.is_some_and(|age| is_young(age, *limit));
            let found = age.map(|age| format!("{} by the run's own clock", drawn_age(age)));
            demands.push(Demand::of("max-age", text, found, met));
        }
        if self.signature {
            demands.push(Demand::of("require-signature", "a signature", None, false));
        }
        demands
    }
}

/// The seal as a demand; whether it is met, the comparison of the journal's end has found out already.
pub(super) fn sealed(seal: &Seal, verified: &Verified) -> Demand {
    let found = verified.seal.as_ref().map(ToString::to_string);
    Demand::of("seal", seal.to_string(), found, verified.seal.as_ref() == Some(seal))
}

/// The subject is the build that the running system named, compared as text. Where it named none and nothing but
/// commands was asked, it is what the run started: 64 digits are then compared with the sealed digest of each program
/// and script.
fn subject(wanted: &str, judged: Option<&Judged>) -> Demand {
    let demand = |found, met| Demand::of("subject", wanted, found, met);
    let Some(judged) = judged else { return demand(None, false) };
    if let Subject::Identity(build) = judged.subject() {
        let met = build == wanted;
        return demand(Some(build), met);
    }
    let started = judged.started();
    let asked = Digest::parse(wanted).and_then(|digest| started.iter().find(|one| one.sha256 == digest));
    let found = asked.or(started.first()).map(|one| format!("{} sha256 {}", one.name, one.sha256));
    demand(found, asked.is_some())
}

fn sealed_input(name: &'static str, text: &str, digest: &Digest, judged: Option<&Judged>, roles: &[Role]) -> Demand {
    let inputs = judged.map_or(&[][..], |judged| judged.audited().recorded().inputs());
    let mine = || inputs.iter().filter(|input| roles.contains(&input.role));
    let met = mine().any(|input| input.sha256 == *digest);
    let found = mine().next().map(|input| format!("{} sha256 {}", input.name, input.sha256));
    let own = digest.to_string();
    let wanted = if text == own { format!("sha256 {own}") } else { format!("{text} sha256 {own}") };
    Demand::of(name, wanted, found, met)
}

/// Reads the file of those whose signatures are believed. A run holds none yet that could be held against it.
fn signers(file: &Path) -> Result<Vec<Signer>, String> {
    let refused = |why: String| format!("--allowed-signers {}: {why}", file.display());
    let facts = std::fs::metadata(file).map_err(|e| refused(e.to_string()))?;
    if !facts.is_file() || facts.len() > allowed_signers::LARGEST as u64 {
        return Err(refused("it is no regular file, or too large".to_owned()));
    }
    let bytes = std::fs::read(file).map_err(|e| refused(e.to_string()))?;
    allowed_signers::read(&bytes).map_err(|fault| {
        refused(format!("{fault}; a line is PRINCIPALS [OPTIONS] KEY-TYPE KEY, as ssh-keygen(1) describes"))
    })
}

/// A digest as it was typed, or that of a file; of a folder, that of the file of this name in it.
fn digest_of(flag: &str, text: &str, name: &str) -> Result<Digest, String> {
    if let Some(digest) = Digest::parse(text) {
        return Ok(digest);
    }
    let path = Path::new(text);
    let path = if path.is_dir() { path.join(name) } else { path.to_path_buf() };
    let unreadable = |why: String| format!("--{flag} {text}: neither a digest nor a file that can be read: {why}");
    let facts = std::fs::metadata(&path).map_err(|e| unreadable(e.to_string()))?;
    if !facts.is_file() || facts.len() > LARGEST {
        return Err(unreadable("it is no regular file, or too large".to_owned()));
    }
    std::fs::read(&path).map(|bytes| Digest::of(&bytes)).map_err(|e| unreadable(e.to_string()))
}

/// An age in ms: `90s`, `15m`, `24h`, `7d`, `2w`.
fn age_ms(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let factor = match unit {
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 604_800_000,
        _ => return None,
    };
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    number.parse::<u64>().ok()?.checked_mul(factor)
}

/// How long ago a time of the journal was, in ms; below zero for a time that has not come yet.
fn age_of(at: &str) -> Option<i128> {
    let then: Timestamp = at.parse().ok()?;
    let now = Timestamp::now();
    Some(i128::from(now.as_millisecond()) - i128::from(then.as_millisecond()))
}

/// A time that has not come yet is no age at all: one of the two clocks is wrong.
fn is_young(age: i128, limit: u64) -> bool {
    u64::try_from(age).is_ok_and(|age| age <= limit)
}

fn drawn_age(ms: i128) -> String {
    let (sign, s) = if ms < 0 { ("in the future by ", -ms / 1000) } else { ("", ms / 1000) };
    match s {
        0..120 => format!("{sign}{s} s"),
        120..7200 => format!("{sign}{} min", s / 60),
        7200..172_800 => format!("{sign}{} h", s / 3600),
        _ => format!("{sign}{} days", s / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        assert_eq!(age_ms("7d"), Some(604_800_000));
        assert_eq!(age_ms("90s"), Some(90_000));
        for bad in ["", "d", "7", "-1d", "1.5h", "7 d", "+7d", "1y", "99999999999999999999d", "\u{e9}"] {
            assert_eq!(age_ms(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_time_to_come_is_no_young_age() {
        let age = age_of("2999-01-01T00:00:00.000Z").unwrap();
        assert!(!is_young(age, u64::MAX), "{age}");
        assert!(is_young(5, 5) && !is_young(6, 5));
        assert_eq!(age_of("yesterday"), None);
        assert!(drawn_age(age).starts_with("in the future by "));
        assert_eq!(drawn_age(90_000), "90 s");
    }
}
