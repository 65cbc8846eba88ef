//! Forgeries of what came over the wire: codings that are undone again, and which of several tries decides.

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::journal::Kind;
use probity_core::json::Json;

use super::drawn;
use super::forgery::{Forgery, at_text, put_text, set, value_at};
use super::good::{coded, cut_off};
use crate::derive::verify_snapshot;

fn blob(bytes: &[u8]) -> Json {
    Json::map([("bytes", Json::from(bytes.len())), ("sha256", Digest::of(bytes).into())])
}

/// The position of the evidence of a step with this role.
fn evidence(f: &Forgery, role: &str) -> usize {
    let about = |at: &usize| {
        f.entries[*at].kind == Kind::EvidenceCaptured
            && f.entries[*at].body.get("role").and_then(Json::as_text) == Some(role)
    };
    (0..f.entries.len()).find(about).unwrap()
}

#[test]
fn the_decoded_body_is_decoded_again() {
    // The checks read another body than the one that came, and everything else is written to match.
    let mut f = Forgery::of(coded());
    let at = evidence(&f, "body");
    let text = at_text(&f, at).replace("true", "true ");
    put_text(f.body(at), &text);
    let commit = f.commit("A-1.1");
    set(f.body(commit), "observation.hops.0.decoded", blob(text.as_bytes()));
    f.refused(Code::DecodedDiffers);

    // What came is called what was read, so that there is nothing to undo.
    let mut f = Forgery::of(coded());
    let commit = f.commit("A-1.1");
    let decoded = value_at(f.body(commit), "observation.hops.0.decoded");
    set(f.body(commit), "observation.hops.0.wire", decoded.clone());
    f.refused(Code::DecodedDiffers);

    // The same, without saying that it was decoded.
    let mut f = Forgery::of(coded());
    let commit = f.commit("A-1.1");
    set(f.body(commit), "observation.hops.0.wire", decoded);
    set(f.body(commit), "observation.hops.0.decoded", Json::Null);
    f.refused(Code::DecodedDiffers);

    // Another coding is named.
    let mut f = Forgery::of(coded());
    let commit = f.commit("A-1.1");
    let headers = value_at(f.body(commit), "observation.hops.0.headers");
    let changed = headers.as_list().unwrap().iter().map(|pair| match pair.as_list() {
        Some([name, _]) if name.as_text() == Some("content-encoding") => Json::list([name.clone(), "deflate".into()]),
        _ => pair.clone(),
    });
    let changed = Json::List(changed.collect());
    assert_ne!(changed, headers);
    set(f.body(commit), "observation.hops.0.headers", changed);
    f.refused(Code::DecodedDiffers);
}

#[test]
fn the_try_that_decides_is_the_last_whole_one() {
    // As it was made: failed, by the answer that was whole.
    let good = cut_off();
    let verified = verify_snapshot(&good.snapshot, Some(&good.list), None, Vec::new(), None);
    let reason = &verified.judged.as_ref().unwrap().reasons()[0];
    assert_eq!(reason.code, Code::RequirementFailed, "{}", drawn(&verified));
    let mut f = Forgery::of(good);
    let commit = f.commit("A-1.1");
    let codes = |f: &mut Forgery| -> Vec<Json> {
        (0..3).map(|n| value_at(f.body(commit), &format!("observation.tries.{n}.code"))).collect()
    };
    assert_eq!(codes(&mut f), [Json::Null, "answer_incomplete".into(), "answer_incomplete".into()]);

    // The cut answers are said to decide, so that the failure is a gap.
    let failure = Json::map([("code", "answer_incomplete"), ("message", "cut off")]);
    set(f.body(commit), "observation.failure", failure.clone());
    f.refused(Code::IntentDiffers);

    // With the facts of the last try in place of the whole one.
    let mut f = Forgery::of(good);
    let last = value_at(f.body(commit), "observation.tries.2");
    let digest = last.get("body").unwrap().clone();
    set(f.body(commit), "observation.failure", failure);
    set(f.body(commit), "observation.total_us", last.get("total_us").unwrap().clone());
    set(f.body(commit), "observation.hops.0.complete", false);
    set(f.body(commit), "observation.hops.0.wire", Json::map([("bytes", Json::from(9)), ("sha256", digest)]));
    f.refused(Code::IntentDiffers);

    // A try that was not cut off is put behind the one that decides.
    let mut f = Forgery::of(good);
    set(f.body(commit), "observation.tries.2.code", "target_unreachable");
    f.refused(Code::IntentDiffers);

    // The whole answer is made the right one: then what was cut off came after it all the same.
    let mut f = Forgery::of(good);
    let at = f
        .entries
        .iter()
        .position(|entry| entry.kind == Kind::EvidenceCaptured && entry.body.to_string().contains("pending"));
    let text = at_text(&f, at.unwrap()).replace("pending", "ready");
    put_text(f.body(at.unwrap()), &text);
    set(f.body(commit), "observation.hops.0.wire", blob(text.as_bytes()));
    set(f.body(commit), "observation.tries.0.body", Digest::of(text.as_bytes()));
    let verified = verify_snapshot(&f.completed(), None, None, Vec::new(), None);
    assert_eq!(verified.exit(), 5, "{}", drawn(&verified));
}
