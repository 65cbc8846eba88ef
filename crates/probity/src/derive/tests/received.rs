//! Forgeries of what came over the wire: codings that are undone again.

use probity_core::codes::Code;
use probity_core::ids::Digest;
use probity_core::journal::Kind;
use probity_core::json::Json;

use super::forgery::{Forgery, at_text, put_text, set, value_at};
use super::good::coded;

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
