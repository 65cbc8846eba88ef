//! The answer of `policy what-if`.

use probity_core::json::Json;
use probity_core::success_policy::Reason;

use super::policy::counts;
use super::{LARGEST, clip, share, size};
use crate::cmd::policy::WhatIf;

/// `{now, then}` where the runs belong to one requirement, `flips[]`, and runs that would count otherwise.
pub(crate) fn what_if(answer: &WhatIf<'_>, exit: u8) -> Json {
    let flips: Vec<Json> = answer
        .flips()
        .map(|(id, now, then)| {
            Json::map([
                ("requirement", id.as_ref().map(|id| clip(id, 150)).into()),
                ("now", said(now)),
                ("then", said(then)),
            ])
        })
        .collect();
    let runs: Vec<Json> = answer
        .turned
        .iter()
        .map(|one| {
            let truth = |holds: Option<bool>| holds.map_or(Json::Null, Json::from);
            Json::map([("run", Json::from(clip(&one.name, 150))), ("now", truth(one.now)), ("then", truth(one.then))])
        })
        .collect();
    let warned: Vec<Json> = answer
        .noticed
        .iter()
        .map(|(code, message)| Json::map([("code", Json::from(code.as_str())), ("message", clip(message, 300).into())]))
        .collect();
    let single = answer.pairs.values().next().filter(|_| answer.pairs.len() == 1);
    let side = |reason: Reason, state| {
        Json::map([
            ("outcome", Json::from(reason.outcome().as_str())),
            ("reason", reason.as_str().into()),
            ("counts", counts(state)),
        ])
    };
    let semantics = match &answer.then.policy {
        Ok(policy) => policy.semantics(),
        Err(invalid) => invalid.semantics,
    };
    let reasons = single.map(|pair| answer.reasons(pair));
    let build = |taken: &[usize]| {
        Json::map([
            ("schema", Json::from("probity/policy-what-if/1")),
            ("exit", exit.into()),
            ("semantics", semantics.into()),
            ("policy_sha256", Json::map([("now", answer.now.sha256()), ("then", answer.then.sha256())])),
            ("added", answer.added.into()),
            ("requirements", answer.pairs.len().into()),
            ("now", single.zip(reasons).map(|(pair, (now, _))| side(now, &pair.now)).into()),
            ("then", single.zip(reasons).map(|(pair, (_, then))| side(then, &pair.then)).into()),
            ("flips", Json::List(flips[..taken[0]].to_vec())),
            ("runs", Json::List(runs[..taken[1]].to_vec())),
            ("warnings", Json::List(warned[..taken[2]].to_vec())),
            (
                "left_out",
                Json::map([
                    ("flips", Json::from(flips.len() - taken[0])),
                    ("runs", (answer.turns - taken[1] as u64).into()),
                    ("warnings", (warned.len() - taken[2]).into()),
                ]),
            ),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(&[0, 0, 0])) + 60);
    build(&share(room, &[&flips, &runs, &warned]))
}

fn said(reason: Reason) -> Json {
    Json::map([("outcome", reason.outcome().as_str()), ("reason", reason.as_str())])
}
