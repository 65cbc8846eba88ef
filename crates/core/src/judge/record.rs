//! A judgement as a QA run: one line that success policies read, in which every vote stands.

use super::ballot::{Ballot, Conclusion};
use super::measures;
use super::order::Asked;
use super::{Mutation, PROTOCOL, Question, Role};
use crate::codes::Code;
use crate::ids::Digest;
use crate::json::{Json, Map};
use crate::verdict::QaVerdict;

/// Everything that a judgement consists of.
#[derive(Clone, Debug)]
pub struct Record {
    /// The judge.
    pub judge: Made,
    /// The requirement or criterion that is judged, by its id, if it has one.
    pub requirement: Option<String>,
    /// What must hold.
    pub criterion: String,
    /// Who made what is judged.
    pub authors: Vec<String>,
    /// What was shown, in the order of its names.
    pub shown: Vec<HandedIn>,
    /// What a person knows to be bad or good, and where it came from.
    pub known: Vec<(Asked, HandedIn)>,
    /// What the order, the nonces and the mutation were drawn from.
    pub seed: Digest,
    /// How bad evidence was made.
    pub mutation: Mutation,
    /// `mount_namespace` or `none`.
    pub isolation: &'static str,
    /// The run that evidence was taken from: its id and its seal.
    pub run: Option<(String, String)>,
    /// Each call in the order in which it was made.
    pub ballots: Vec<Ballot>,
    /// When the judgement began and ended, as `2026-11-30T14:24:02.123Z`.
    pub at: [String; 2],
    /// How long it took in ms.
    pub ms: u64,
}

/// The bytes that a judge consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// Who answers for it.
    pub by: String,
    /// Program and arguments as written.
    pub run: Vec<String>,
    /// The program, its interpreter, and the files that its arguments name, each as written, with their digests.
    pub files: Vec<(String, Digest)>,
    /// Whether the settings file says which digest it must have.
    pub pinned: bool,
}

impl Made {
    /// The digest of all of it: what `pin` is compared with.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut parts: Vec<Vec<u8>> = vec![PROTOCOL.as_bytes().to_vec()];
        let mut add = |text: &[u8]| parts.extend([(text.len() as u64).to_be_bytes().to_vec(), text.to_vec()]);
        add(&(self.run.len() as u64).to_be_bytes());
        self.run.iter().for_each(|word| add(word.as_bytes()));
        for (name, digest) in &self.files {
            add(name.as_bytes());
            add(digest.as_bytes());
        }
        Digest::of_parts(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }
}

/// Something that was shown, as it came in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandedIn {
    /// What it is there for.
    pub role: Role,
    /// Its media type.
    pub media: String,
    /// Where it came from: a file as it was named, or a handle of the run.
    pub from: String,
    /// Digest of the bytes as they came in.
    pub came: Digest,
    /// Digest of the bytes as the judge got them: pixels alone, secrets replaced.
    pub shown: Digest,
    /// Secrets that were replaced.
    pub redactions: u64,
}

/// The QA run of a judgement.
#[must_use]
pub fn row(record: &Record, conclusion: &Conclusion) -> Json {
    let mut row = Map::new();
    if let Some(requirement) = &record.requirement {
        row.push("requirement", requirement.as_str());
    }
    row.push("verdict", conclusion.verdict.as_str());
    row.push("verdict_reason", conclusion.reason.as_ref().map(|(code, message)| format!("{code} {message}")));
    row.push("score", Json::Null);
    row.push("confidence", conclusion.confidence.clone().map(Json::Number));
    row.push("performed_by", format!("judge:{}", record.judge.name));
    row.push("raw_result", raw_result(record, conclusion));
    row.push("started_at", record.at[0].as_str());
    row.push("completed_at", record.at[1].as_str());
    row.push("created_at", record.at[1].as_str());
    row.push("duration_ms", record.ms);
    Json::Map(row)
}

/// Keys that are ours, here or in the raw result of a run (`success_policy::qa_run`); a measure of such a name stays in its
/// vote, so that no judge says what a program ended with.
const OURS: [&str; 16] = [
    "class",
    "protocol",
    "judge",
    "criterion",
    "authors",
    "shown",
    "known",
    "run",
    "seed",
    "mutation",
    "isolation",
    "void",
    "votes",
    "criteria",
    "exit_code",
    "http_status",
];

fn raw_result(record: &Record, conclusion: &Conclusion) -> Json {
    let judge = &record.judge;
    let mut raw = Map::new();
    raw.push("class", "reported");
    raw.push("protocol", PROTOCOL);
    let described =
        Json::map([
            ("name", Json::from(judge.name.as_str())),
            ("by", judge.by.as_str().into()),
            ("run", Json::list(judge.run.iter())),
            ("digest", judge.digest().into()),
            ("pinned", judge.pinned.into()),
            (
                "files",
                Json::list(judge.files.iter().map(|(name, digest)| {
                    Json::map([("name", Json::from(name.as_str())), ("sha256", (*digest).into())])
                })),
            ),
        ]);
    raw.push("judge", described);
    raw.push("criterion", record.criterion.as_str());
    raw.push("authors", Json::list(record.authors.iter()));
    raw.push(
        "shown",
        Json::list(record.shown.iter().enumerate().map(|(at, one)| shown(Question::name(at).into(), one))),
    );
    raw.push("known", Json::list(record.known.iter().map(|(asked, one)| shown(asked.as_str().into(), one))));
    let run = record.run.as_ref();
    raw.push("run", run.map(|(id, seal)| Json::map([("id", Json::from(id)), ("seal", seal.into())])));
    raw.push("seed", record.seed);
    raw.push("mutation", record.mutation.as_str());
    raw.push("isolation", record.isolation);
    raw.push("void", conclusion.void.map(Code::as_str));
    raw.push("votes", Json::list(record.ballots.iter().map(|ballot| vote(ballot, conclusion.void))));
    let says = |ballot: &&Ballot| ballot.answer.as_ref().is_ok_and(|answer| answer.verdict == conclusion.verdict);
    if conclusion.void.is_none() && conclusion.verdict != QaVerdict::Error {
        let counted = record.ballots.iter().filter(|ballot| ballot.asked == Asked::Original).filter(says);
        let agreed = measures::agreed(&counted.collect::<Vec<_>>());
        agreed
            .into_iter()
            .filter(|(name, _)| !OURS.contains(&name.as_str()))
            .for_each(|(name, value)| raw.push(name, value));
    }
    Json::Map(raw)
}

fn shown(name: Json, one: &HandedIn) -> Json {
    Json::map([
        ("name", name),
        ("role", one.role.as_str().into()),
        ("media", one.media.as_str().into()),
        ("from", one.from.as_str().into()),
        ("sha256", one.came.into()),
        ("shown_sha256", one.shown.into()),
        ("redactions", one.redactions.into()),
    ])
}

/// A call: whether its answer counts, what it was, and how the program ended.
fn vote(ballot: &Ballot, void: Option<Code>) -> Json {
    let mut vote = Map::new();
    vote.push("asked", ballot.asked.as_str());
    vote.push(
        "about",
        match ballot.asked {
            Asked::Mutant(at) => Json::from(Question::name(at)),
            Asked::KnownBad(at) | Asked::KnownGood(at) => (at + 1).into(),
            Asked::Original => Json::Null,
        },
    );
    let counts = ballot.asked == Asked::Original && void.is_none() && ballot.answer.is_ok();
    vote.push("counts", counts);
    match &ballot.answer {
        Ok(answer) => {
            vote.push("verdict", answer.verdict.as_str());
            vote.push("confidence", answer.confidence.clone());
            vote.push("evidence", Json::list(answer.evidence.iter()));
            vote.push("reason", answer.reason.clone());
            vote.push("measures", Json::map(answer.measures.iter().map(|(name, value)| (name.clone(), value.clone()))));
        }
        Err(fault) => {
            vote.push("verdict", QaVerdict::Error.as_str());
            vote.push("code", fault.code.as_str());
            vote.push("message", fault.message.as_str());
        }
    }
    let ended = &ballot.ended;
    vote.push("question_sha256", ballot.question);
    vote.push("nonce", ballot.nonce.as_str());
    vote.push("exit", ended.exit);
    vote.push("signal", ended.signal);
    vote.push("termination", ended.termination.as_str());
    vote.push("duration_ms", ended.ms);
    vote.push("answer_sha256", ended.stdout.map(|(digest, _)| Json::from(digest)));
    vote.push("answer_bytes", ended.stdout.map(|(_, bytes)| bytes));
    vote.push("stderr", ended.stderr.as_str());
    vote.push("redactions", ended.redactions);
    Json::Map(vote)
}
