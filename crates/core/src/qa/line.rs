//! The lines in which everything of an index leaves it and enters another: one JSON object each, named by its `row`.

use super::{
    Artifact, Blocking, Decision, NewRun, Origin, Phase, QaRun, Requirement, Said, Source, Terms, Tree, Version, Waiver,
};
use crate::ids::{Digest, Id};
use crate::json::{Json, Limits, Map, Number, read};
use crate::verdict::QaVerdict;

/// The form of the lines; the first line says it.
pub const FORM: &str = "probity/qa-export/1";

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// The first.
    Form,
    /// A requirement; its versions follow.
    Requirement(Requirement),
    /// A version.
    Version(Version),
    /// A run, with its artifacts.
    Run(Box<QaRun>),
    /// A waiver.
    Waiver(Waiver),
    /// A decision.
    Decision(Decision),
}

const LIMITS: Limits = Limits { depth: 20, nodes: 100_000 };

impl Line {
    /// Writes the line, without its end.
    #[must_use]
    pub fn write(&self) -> String {
        match self {
            Self::Form => Json::map([("row", Json::from("form")), ("form", FORM.into())]),
            Self::Requirement(one) => Json::map([
                ("row", Json::from("requirement")),
                ("id", one.id.as_str().into()),
                ("kind", one.kind.as_str().into()),
                ("source", one.origin.as_str().into()),
                ("by", one.by.as_str().into()),
                ("at", one.at.into()),
            ]),
            Self::Version(one) => version(one),
            Self::Run(one) => run(one),
            Self::Waiver(one) => Json::map([
                ("row", Json::from("waiver")),
                ("key", one.key.as_str().into()),
                ("requirement", one.requirement.as_str().into()),
                ("version", one.version.into()),
                ("commit", one.commit.clone().into()),
                ("until", one.until.into()),
                ("by", one.by.as_str().into()),
                ("reason", one.reason.as_str().into()),
                ("at", one.at.into()),
            ]),
            Self::Decision(one) => Json::map([
                ("row", Json::from("decision")),
                ("key", one.key.as_str().into()),
                ("phase", one.phase.as_str().into()),
                ("ok", one.ok.into()),
                ("sha256", one.sha256.to_string().into()),
                ("body", one.body.as_str().into()),
                ("at", one.at.into()),
            ]),
        }
        .to_string()
    }

    /// Reads a line.
    ///
    /// # Errors
    /// What is wrong with it, as a sentence without a full stop.
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let value = read(text, &LIMITS).map_err(|error| error.what)?;
        let Json::Map(map) = &value else { return Err("a line is a JSON object".to_owned()) };
        if map.has_repeated_key() {
            return Err("a key stands twice".to_owned());
        }
        let mut fields = Fields { map, used: 1 };
        let line = match fields.text("row")?.as_str() {
            "form" => match fields.text("form")?.as_str() {
                FORM => Self::Form,
                other => return Err(format!("the form is {other}, and this program knows {FORM}")),
            },
            "requirement" => Self::Requirement(Requirement {
                id: fields.id("id")?,
                kind: fields.text("kind")?,
                origin: fields.word("source", Origin::parse)?,
                by: fields.text("by")?,
                at: fields.int("at")?,
            }),
            "version" => Self::Version(read_version(&mut fields)?),
            "run" => Self::Run(Box::new(read_run(&mut fields)?)),
            "waiver" => Self::Waiver(Waiver {
                key: fields.text("key")?,
                requirement: fields.id("requirement")?,
                version: fields.int("version")?,
                commit: fields.maybe("commit")?,
                until: fields.int("until")?,
                by: fields.text("by")?,
                reason: fields.text("reason")?,
                at: fields.int("at")?,
            }),
            "decision" => Self::Decision(Decision {
                key: fields.text("key")?,
                phase: fields.text("phase")?,
                ok: fields.bool("ok")?,
                sha256: fields.word("sha256", Digest::parse)?,
                body: fields.text("body")?,
                at: fields.int("at")?,
            }),
            other => return Err(format!("there are no rows {other}")),
        };
        if fields.used < map.len() + 1 {
            return Err("it has a field that no such row has".to_owned());
        }
        Ok(line)
    }
}

fn version(one: &Version) -> Json {
    Json::map([
        ("row", Json::from("version")),
        ("requirement", one.requirement.as_str().into()),
        ("version", one.version.into()),
        ("success_policy", one.terms.policy.clone().into()),
        ("phase", one.terms.phase.as_str().into()),
        ("blocking_mode", one.terms.blocking.as_str().into()),
        ("target_env", one.terms.target_env.clone().into()),
        ("plan", one.terms.plan.clone().into()),
        ("accept_reported", one.terms.accept_reported.into()),
        ("by", one.by.as_str().into()),
        ("reason", one.reason.clone().into()),
        ("at", one.at.into()),
    ])
}

fn read_version(fields: &mut Fields<'_>) -> Result<Version, String> {
    let terms = Terms {
        policy: fields.maybe("success_policy")?,
        phase: fields.word("phase", Phase::parse)?,
        blocking: fields.word("blocking_mode", Blocking::parse)?,
        target_env: fields.maybe("target_env")?,
        plan: fields.maybe("plan")?,
        accept_reported: fields.bool("accept_reported")?,
    };
    Ok(Version {
        requirement: fields.id("requirement")?,
        version: fields.int("version")?,
        policy_sha256: terms.policy_sha256(),
        terms,
        by: fields.text("by")?,
        reason: fields.maybe("reason")?,
        at: fields.int("at")?,
    })
}

fn run(one: &QaRun) -> Json {
    let said = &one.new.said;
    let artifact = |artifact: &Artifact| {
        Json::map([
            ("name", Json::from(artifact.name.as_str())),
            ("kind", artifact.kind.as_str().into()),
            ("sha256", artifact.sha256.to_string().into()),
            ("size", artifact.size.into()),
            ("media", artifact.media.as_str().into()),
        ])
    };
    Json::map([
        ("row", Json::from("run")),
        ("requirement", one.new.requirement.as_str().into()),
        ("n", one.n.into()),
        ("key", one.new.key.as_str().into()),
        ("version", one.version.into()),
        ("performed_by", one.new.by.as_str().into()),
        ("source", one.new.source.as_str().into()),
        ("run", one.new.run.clone().into()),
        ("seal", one.new.seal.clone().into()),
        ("commit", said.commit.clone().into()),
        ("tree", said.tree.as_str().into()),
        ("verdict", said.verdict.map(QaVerdict::as_str).into()),
        ("verdict_reason", said.reason.clone().into()),
        ("score", said.score.clone().map_or(Json::Null, Json::from)),
        ("confidence", said.confidence.clone().map_or(Json::Null, Json::from)),
        // As text: what is in it must come back byte for byte.
        ("raw_result", said.raw.clone().into()),
        ("duration_ms", said.duration_ms.into()),
        ("artifacts", Json::list(said.artifacts.iter().map(artifact))),
        ("at", one.at.into()),
    ])
}

fn read_run(fields: &mut Fields<'_>) -> Result<QaRun, String> {
    let said = Said {
        verdict: fields.maybe_word("verdict", QaVerdict::parse)?,
        reason: fields.maybe("verdict_reason")?,
        score: fields.number("score")?,
        confidence: fields.number("confidence")?,
        raw: fields.maybe("raw_result")?,
        commit: fields.maybe("commit")?,
        tree: fields.word("tree", Tree::parse)?,
        duration_ms: fields.maybe_int("duration_ms")?,
        artifacts: fields.artifacts()?,
    };
    let new = NewRun {
        requirement: fields.id("requirement")?,
        key: fields.text("key")?,
        by: fields.text("performed_by")?,
        source: fields.word("source", Source::parse)?,
        run: fields.maybe("run")?,
        seal: fields.maybe("seal")?,
        said,
    };
    Ok(QaRun { new, n: fields.int("n")?, version: fields.int("version")?, at: fields.int("at")? })
}

/// The fields of a line, each of which must stand there.
struct Fields<'a> {
    map: &'a Map,
    used: usize,
}

impl<'a> Fields<'a> {
    fn take(&mut self, name: &str) -> Result<&'a Json, String> {
        self.used += 1;
        self.map.get(name).ok_or_else(|| format!("{name} is missing"))
    }

    fn text(&mut self, name: &str) -> Result<String, String> {
        self.maybe(name)?.ok_or_else(|| format!("{name} is null"))
    }

    fn maybe(&mut self, name: &str) -> Result<Option<String>, String> {
        match self.take(name)? {
            Json::Null => Ok(None),
            Json::Text(text) if !text.contains('\0') => Ok(Some(text.clone())),
            _ => Err(format!("{name} is no text that a column holds")),
        }
    }

    fn id(&mut self, name: &str) -> Result<String, String> {
        let text = self.text(name)?;
        Id::parse(&text).map(|_| text).map_err(|_| format!("{name} is no id"))
    }

    fn word<T>(&mut self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, String> {
        parse(&self.text(name)?).ok_or_else(|| format!("{name} holds a word that it does not take"))
    }

    fn maybe_word<T>(&mut self, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>, String> {
        let text = self.maybe(name)?;
        text.map(|text| parse(&text).ok_or_else(|| format!("{name} holds a word that it does not take"))).transpose()
    }

    fn int(&mut self, name: &str) -> Result<i64, String> {
        self.maybe_int(name)?.ok_or_else(|| format!("{name} is null"))
    }

    fn maybe_int(&mut self, name: &str) -> Result<Option<i64>, String> {
        match self.take(name)? {
            Json::Null => Ok(None),
            Json::Number(number) => number.as_i64().map(Some).ok_or_else(|| format!("{name} is no whole number")),
            _ => Err(format!("{name} is no number")),
        }
    }

    fn number(&mut self, name: &str) -> Result<Option<Number>, String> {
        match self.take(name)? {
            Json::Null => Ok(None),
            Json::Number(number) => Ok(Some(number.clone())),
            _ => Err(format!("{name} is no number")),
        }
    }

    fn bool(&mut self, name: &str) -> Result<bool, String> {
        self.take(name)?.as_bool().ok_or_else(|| format!("{name} is neither true nor false"))
    }

    fn artifacts(&mut self) -> Result<Vec<Artifact>, String> {
        let items = self.take("artifacts")?.as_list().ok_or("artifacts is no list")?;
        let artifact = |item: &Json| {
            let map = item.as_map().ok_or("an artifact is a JSON object")?;
            let mut fields = Fields { map, used: 0 };
            Ok(Artifact {
                name: fields.text("name")?,
                kind: fields.text("kind")?,
                sha256: fields.word("sha256", Digest::parse)?,
                size: fields.int("size")?,
                media: fields.text("media")?,
            })
        };
        items.iter().map(artifact).collect()
    }
}
