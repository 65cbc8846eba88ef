use super::*;
use crate::environment::IdentityRead;
use crate::journal::Kind;
use crate::journal::body::Content;
use crate::journal::observation::{Blob, HopObserved, HttpObserved, Observation};
use crate::json::Json;
use crate::observe::Hop;

fn entry(kind: Kind, body: Json) -> Entry {
    let run = "20261130T142402Z-x-00000000".to_owned();
    let at = "2026-11-30T14:24:02.123Z".to_owned();
    Entry { run, generation: 1, seq: 1, at, mono: 1, kind, body, prev: Digest::zero() }
}

/// What an identity probe leaves: the captured body and the observation.
fn probe(phase: &str, body: &[u8], status: u16) -> [Entry; 2] {
    let blob = Blob::of(body);
    let captured = EvidenceCaptured {
        intent: 0,
        role: "identity".into(),
        sha256: blob.sha256,
        bytes: blob.bytes,
        media: "application/json".into(),
        redactions: 0,
        content: Content::inline(body).unwrap_or(Content::Absent),
    };
    let hop = Hop { status, complete: true, ..Hop::default() };
    let hops = vec![HopObserved { hop, wire: blob, decoded: None }];
    let observation = Box::new(Observation::Http(HttpObserved { hops, ..HttpObserved::default() }));
    let observed = RuntimeObserved::Identity { phase: phase.into(), call: Json::map([("a", "b")]), observation };
    [entry(Kind::EvidenceCaptured, captured.write()), entry(Kind::RuntimeObserved, observed.write())]
}

fn told(probes: &[[Entry; 2]]) -> Option<String> {
    let declared = environment::Identity { target: "/version".into(), read: IdentityRead::Json("build".into()) };
    build_told(&declared, &probes.concat())
}

#[test]
fn a_build_is_told_where_before_and_after_agree() {
    let one = br#"{"build":"1"}"#;
    assert_eq!(told(&[probe("before", one, 200), probe("after", one, 200)]).as_deref(), Some("1"));
    // The same bytes are captured once.
    let [captured, before] = probe("before", one, 200);
    let [_, after] = probe("after", one, 200);
    let declared = environment::Identity { target: "/".into(), read: IdentityRead::Regex("\"(\\d)\"".into()) };
    assert_eq!(build_told(&declared, &[captured.clone(), before.clone(), after]).as_deref(), Some("1"));
    let refused: &[(&str, Vec<[Entry; 2]>)] = &[
        ("nothing", vec![]),
        ("before alone", vec![probe("before", one, 200)]),
        ("after alone", vec![probe("after", one, 200)]),
        ("another after", vec![probe("before", one, 200), probe("after", br#"{"build":"2"}"#, 200)]),
        ("an error", vec![probe("before", one, 200), probe("after", one, 500)]),
        ("no build", vec![probe("before", b"{}", 200), probe("after", b"{}", 200)]),
        ("twice", vec![probe("before", one, 200), probe("before", one, 200), probe("after", one, 200)]),
        ("bytes elsewhere", vec![probe("before", &[b' '; 5000], 200), probe("after", &[b' '; 5000], 200)]),
    ];
    for (name, probes) in refused {
        assert_eq!(told(probes), None, "{name}");
    }
    // Bytes that are not those of their digest are nobody's word.
    let mut changed = captured;
    if let Json::Map(map) = &mut changed.body {
        let content = map.iter_mut().find(|(key, _)| *key == "content").unwrap().1;
        *content = Json::map([("text", "{\"build\":\"9\"}")]);
    }
    assert_eq!(told(&[[changed, before], probe("after", br#"{"build":"9"}"#, 200)]), None);
}
