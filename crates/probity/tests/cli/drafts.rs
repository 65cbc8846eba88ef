//! `plan new`: from a source to a plan that can be checked and run.

use crate::place::Place;

#[test]
fn a_draft_passes_the_check_and_can_be_run() {
    let place = Place::undeclared();
    let source = format!("curl -s '{}/version' -H 'Authorization: Bearer abcdefghijklmnopqrstuvwxyz'", place.origin());
    place.write("request.txt", &source);
    let ran = place.probity("plan new --from curl request.txt -o version.probity.yaml");
    assert_eq!((ran.code, ran.stdout.as_str()), (0, "wrote version.probity.yaml\n"), "{ran}");
    assert!(
        ran.stderr.contains("warning: not carried over, or to look at: call 1: its credentials; set API_TOKEN"),
        "{ran}"
    );
    assert_eq!(place.probity("plan check").code, 0);
    let ran = place.probity_with("run", &[("API_TOKEN", "abcdefghijklmnopqrstuvwxyz")]);
    // Nobody has said what the service is, so it is no pass; the call itself was answered.
    assert_eq!(ran.code, 5, "{ran}");
    assert!(ran.stdout.contains("1 of 1 criterion held"), "{ran}");
    assert_eq!(
        place.server.as_ref().unwrap().hits()[0].header("authorization"),
        Some("Bearer abcdefghijklmnopqrstuvwxyz")
    );
    // A file that is there stays.
    assert_eq!(place.probity("plan new --from curl request.txt -o version.probity.yaml").code, 2);
}

#[test]
fn what_cannot_be_drafted_from_is_refused_by_name() {
    let place = Place::undeclared();
    for (kind, text, says) in [
        ("curl", "wget http://127.0.0.1", "does not begin with `curl`"),
        ("har", "{}", "no log.entries"),
        ("openapi", "openapi: 2.0", "no OpenAPI 3"),
        ("openapi", "a: [", "error["),
        ("curl", "curl ftp://127.0.0.1/x", "error["),
    ] {
        place.write("source", text);
        let ran = place.probity(&format!("plan new --from {kind} source"));
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{kind}: {ran}");
        assert!(ran.stderr.contains(says), "{kind}: {ran}");
    }
    assert_eq!(place.probity("plan new --from har missing").code, 2);
}
