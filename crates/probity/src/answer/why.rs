//! The answer of `why`: the gaps with what closes them.

use std::path::Path;

use probity_core::json::Json;
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use super::finding::told;
use super::site::Site;
use super::{LARGEST, clip, remedy, share, size};

/// The whole answer.
pub(crate) fn why(verified: &Verified, dir: &Path, exit: u8) -> Json {
    let site = Site::of(dir);
    let gaps: Vec<Json> = verified.judged.as_ref().map_or_else(Vec::new, |judged| {
        let gap = |(position, reason)| {
            let mut fields = told(judged, reason).to_json(position + 1);
            if let Json::Map(map) = &mut fields {
                map.push("order", position + 1);
                map.push("remedy", remedy::of(judged, reason, &site).to_json());
            }
            fields
        };
        judged.reasons().iter().enumerate().map(gap).collect()
    });
    let status = match (&verified.judged, verified.closed) {
        (Some(judged), true) => judged.status().as_str(),
        _ => "open",
    };
    let build = |taken: usize| {
        Json::map([
            ("schema", Json::from("probity/why/1")),
            ("exit", exit.into()),
            ("run", clip(verified.run.as_deref().unwrap_or(&site.name), 150).into()),
            ("status", status.into()),
            ("can_claim_pass", (verified.status() == Some(Status::Passed)).into()),
            ("gaps", Json::List(gaps[..taken].to_vec())),
            // Every reason is worked out in one pass; others may appear when these are gone.
            ("others_known", false.into()),
            ("left_out", Json::map([("gaps", gaps.len() - taken)])),
        ])
    };
    let room = LARGEST.saturating_sub(size(&build(0)) + 50);
    build(share(room, &[&gaps])[0])
}
