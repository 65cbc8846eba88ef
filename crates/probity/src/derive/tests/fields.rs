//! Every field of every entry, replaced by another value, with every id written again: which ones the derivation sees,
//! and which ones only an anchor protects.

use std::collections::BTreeSet;

use probity_core::codes::Code;
use probity_core::finding::Weight;
use probity_core::journal::Kind;
use probity_core::json::Json;
use probity_core::judged::Judged;

use super::forgery::Forgery;
use super::good::whole;
use crate::derive::verify_snapshot;

/// What nothing in a run contradicts: facts about the machine, the wire and the moment that stand once. Where somebody
/// rewrites all ids and no run list, seal or signature is at hand, they are worth what the folder is worth.
const UNSEEN: &[&str] = &[
    "action.commit observation.hops.*.headers.*.*",
    "action.commit observation.hops.*.peer.address",
    "action.commit observation.hops.*.peer.resent",
    "action.commit observation.hops.*.peer.reused",
    "action.commit observation.hops.*.phases.body_us",
    "action.commit observation.hops.*.phases.connect_us",
    "action.commit observation.hops.*.phases.dns_us",
    "action.commit observation.hops.*.phases.first_byte_us",
    "action.commit observation.hops.*.phases.tls_us",
    "action.commit observation.hops.*.reason",
    "action.commit observation.hops.*.sent_headers.*.*",
    "action.commit observation.hops.*.version",
    "action.commit observation.total_us",
    "evidence.captured media",
    "evidence.captured redactions",
    "input.sealed name",
    "input.sealed redactions",
    "run.opened attempt",
    "run.opened challenge",
    "run.opened executable",
    "run.opened options.jobs",
    "run.opened tool",
    "runtime.observed observation.hops.*.headers.*.*",
    "runtime.observed observation.hops.*.peer.address",
    "runtime.observed observation.hops.*.peer.resent",
    "runtime.observed observation.hops.*.peer.reused",
    "runtime.observed observation.hops.*.phases.body_us",
    "runtime.observed observation.hops.*.phases.connect_us",
    "runtime.observed observation.hops.*.phases.dns_us",
    "runtime.observed observation.hops.*.phases.first_byte_us",
    "runtime.observed observation.hops.*.phases.tls_us",
    "runtime.observed observation.hops.*.reason",
    "runtime.observed observation.hops.*.sent_headers.*.*",
    "runtime.observed observation.hops.*.status",
    "runtime.observed observation.hops.*.version",
    "runtime.observed observation.total_us",
    "runtime.observed origin",
];

/// The places of all leaves.
fn leaves(json: &Json, place: &str, found: &mut Vec<String>) {
    let below = |key: &str| if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") };
    match json {
        Json::Map(map) if !map.is_empty() => map.iter().for_each(|(key, value)| leaves(value, &below(key), found)),
        Json::List(items) if !items.is_empty() => {
            items.iter().enumerate().for_each(|(i, value)| leaves(value, &below(&i.to_string()), found));
        }
        _ => found.push(place.to_owned()),
    }
}

/// Another value of the same type.
fn other(json: &Json) -> Json {
    match json {
        Json::Bool(b) => (!b).into(),
        Json::Number(_) => (json.as_u64().unwrap_or(0) + 1).into(),
        Json::Text(text) => format!("{text}x").into(),
        Json::Null => "x".into(),
        _ => Json::list(["x"]),
    }
}

/// The place without positions, under its kind.
fn named(kind: &str, place: &str) -> String {
    let parts: Vec<&str> = place.split('.').map(|part| if part.parse::<u32>().is_ok() { "*" } else { part }).collect();
    format!("{kind} {}", parts.join("."))
}

#[test]
fn every_field_is_seen_or_known_to_stand_alone() {
    let mut unseen = BTreeSet::new();
    let mut cases = 0;
    let count = Forgery::of(whole()).entries.len();
    for at in 0..count {
        let mut places = Vec::new();
        let entry = Forgery::of(whole()).entries[at].clone();
        leaves(&entry.body, "", &mut places);
        for place in places {
            let mut forgery = Forgery::of(whole());
            let value = other(&super::forgery::value_at(forgery.body(at), &place));
            super::forgery::set(forgery.body(at), &place, value);
            if forgery.chained() == whole().snapshot.journal() {
                continue;
            }
            cases += 1;
            let verified = verify_snapshot(&forgery.snapshot(), None, None, Vec::new(), None);
            let seen = verified.findings.iter().any(|finding| {
                // Views and outcome can be written to match, but for an outcome that the rest does not give.
                let views = matches!(finding.code, Code::ViewDiffers | Code::ViewMissing);
                let outcome = finding.code == Code::OutcomeDiffers && entry.kind != Kind::RunClosed;
                let breaks = finding.weight == Weight::Integrity && !views && !outcome;
                breaks || finding.code == Code::RunnerDisagrees
            });
            let passes = verified.judged.as_ref().is_some_and(Judged::can_claim_pass);
            if !seen && passes {
                unseen.insert(named(entry.kind.as_str(), &place));
            }
        }
    }
    assert!(cases > 500, "{cases}");
    let known: BTreeSet<String> = UNSEEN.iter().map(|place| (*place).to_owned()).collect();
    let news: Vec<_> = unseen.difference(&known).collect();
    let gone: Vec<_> = known.difference(&unseen).collect();
    assert!(news.is_empty() && gone.is_empty(), "not seen: {news:#?}\nseen after all: {gone:#?}");
}
