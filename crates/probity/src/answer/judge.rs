//! A judgement as a JSON answer. The QA run holds all of it; the answer what a reader needs first.

use probity_core::json::Json;
use probity_core::judge::Ballot;

use super::{LARGEST, clip, share, size, texts};
use crate::cmd::judge::Judged;

/// The answer of `judge run`.
pub(crate) fn run(judged: &Judged) -> Json {
    let (record, conclusion) = (&judged.record, &judged.conclusion);
    let votes: Vec<Json> = judged.calls(false).chain(judged.calls(true)).map(|ballot| vote(judged, ballot)).collect();
    let reason = conclusion.reason.as_ref();
    let build = |taken: usize| {
        Json::map([
            ("schema", Json::from("probity/judge-run/1")),
            ("exit", judged.exit().into()),
            ("verdict", conclusion.verdict.as_str().into()),
            ("confidence", conclusion.confidence.clone().into()),
            (
                "reason",
                reason
                    .map(|(code, message)| {
                        Json::map([
                            ("code", Json::from(code.as_str())),
                            ("message", clip(message, 600).into()),
                            ("help", code.explanation().remedy.into()),
                        ])
                    })
                    .into(),
            ),
            ("void", conclusion.void.is_some().into()),
            ("class", "reported".into()),
            ("requirement", record.requirement.as_ref().map(|id| clip(id, 150)).into()),
            ("criterion", clip(&record.criterion, 600).into()),
            ("authors", texts(record.authors.iter().take(10), 80)),
            (
                "judge",
                Json::map([
                    ("name", Json::from(record.judge.name.as_str())),
                    ("by", clip(&record.judge.by, 150).into()),
                    ("digest", record.judge.digest().into()),
                    ("pinned", record.judge.pinned.into()),
                ]),
            ),
            ("mutation", record.mutation.as_str().into()),
            ("isolation", record.isolation.into()),
            ("votes", Json::List(votes[..taken].to_vec())),
            ("written", judged.written.as_ref().map(|file| clip(file, 300)).into()),
            ("left_out", Json::map([("votes", votes.len() - taken)])),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0)) + 30);
    build(share(room, &[&votes])[0])
}

fn vote(judged: &Judged, ballot: &Ballot) -> Json {
    let answer = ballot.answer.as_ref();
    let counts =
        judged.conclusion.void.is_none() && ballot.asked == probity_core::judge::Asked::Original && answer.is_ok();
    let fault = answer.err();
    Json::map([
        ("asked", Json::from(ballot.asked.as_str())),
        ("counts", counts.into()),
        ("verdict", answer.map_or("error", |answer| answer.verdict.as_str()).into()),
        ("confidence", answer.ok().map(|answer| answer.confidence.clone()).into()),
        ("evidence", answer.map_or(Json::Null, |answer| texts(answer.evidence.iter().take(20), 20))),
        ("reason", answer.ok().and_then(|answer| answer.reason.as_ref()).map(|reason| clip(reason, 300)).into()),
        ("code", fault.map(|fault| fault.code.as_str()).into()),
        ("message", fault.map(|fault| clip(&fault.message, 300)).into()),
    ])
}
