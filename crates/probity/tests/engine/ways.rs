//! The ways by which a request travels, each as a whole run: written, sent, recorded, verified.

use std::path::PathBuf;

use probity_testkit::server::{Certificate, Server};

use crate::lab::{Lab, Ran, bodies, done, journal_text, outcome, reasons, steps};

const NAMES: [&str; 2] = ["localhost", "127.0.0.1"];

/// A case of one step.
fn one_step(step: &str) -> String {
    format!("\ncases:\n  - id: WAY-1\n    title: it answers\n    covers: [C-1]\n    steps:\n      - {step}\n")
}

/// The peer and the version of the only answer.
fn peer(dir: &std::path::Path) -> (serde_json::Value, String) {
    let hop = bodies(dir, "action.commit")[0]["observation"]["hops"][0].clone();
    (hop["peer"].clone(), hop["version"].as_str().unwrap().to_owned())
}

/// Runs it anew, in a folder of runs of its own.
fn again(lab: &Lab, variables: &[(&str, &str)]) -> (Ran, PathBuf) {
    let _ = std::fs::remove_dir_all(lab.dir.path().join("probity-runs"));
    let mut command = lab.command(&["run"]);
    for name in ["LAB_KEY", "LAB_PROXY"] {
        command.env_remove(name);
    }
    let ran = done(&command.envs(variables.iter().copied()).output().unwrap());
    (ran, lab.only())
}

/// Whatever a run comes to, its folder is intact.
fn verifies(lab: &Lab) {
    let verified = done(&lab.command(&["verify", "--integrity-only"]).output().unwrap());
    assert_eq!(verified.exit, 0, "{}", verified.said());
}

#[test]
fn http_2_is_asked_for_and_expected() {
    let step = "{http: GET /version, httpVersion: 2, expect: {status: 200, httpVersion: 2, json: {build: \"1\"}}}";
    let lab = Lab::new(&one_step(step));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(peer(&dir).1, "2");
    assert_eq!(bodies(&dir, "action.intent")[0]["call"]["version"], "2");
    let shown = done(&lab.command(&["show", "WAY-1.1"]).output().unwrap());
    assert!(shown.stdout.contains("HTTP/2") && shown.stdout.contains("--http2-prior-knowledge"), "{}", shown.said());
    verifies(&lab);

    let lab = Lab::new(&one_step("{http: GET /version, expect: {httpVersion: 2, json: {build: \"1\"}}}"));
    let (ran, dir) = lab.one();
    assert_eq!((ran.exit, outcome(&dir).as_str()), (1, "failed"), "{}", ran.said());
}

#[test]
fn a_multipart_body_is_sent_and_found_again() {
    let step = "{http: POST /echo, multipart: {note: \"n {qa_marker}\", doc: {file: doc.txt, type: text/plain}}, \
                expect: {status: 200, json: {method: POST, body: {contains: \"the document\"}}}}";
    let lab = Lab::new(&one_step(step));
    lab.write("doc.txt", "the document\n");
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let hit = lab.server.hits().pop().unwrap();
    let media = hit.header("content-type").unwrap();
    let border = media.strip_prefix("multipart/form-data; boundary=").unwrap();
    let body = String::from_utf8(hit.body.clone()).unwrap();
    assert!(body.starts_with(&format!("--{border}\r\n")) && body.ends_with(&format!("--{border}--\r\n")), "{body}");
    assert!(body.contains("name=\"doc\"; filename=\"doc.txt\"\r\nContent-Type: text/plain\r\n\r\nthe document\n\r\n"));
    let sealed = bodies(&dir, "input.sealed");
    assert!(sealed.iter().any(|input| input["role"] == "file" && input["name"] == "doc.txt"), "the file is sealed");
    verifies(&lab);

    let gone = Lab::new(&one_step(step));
    let ran = gone.run(&[]);
    assert!(ran.exit == 3 && ran.said().contains("doc.txt"), "{}", ran.said());
}

#[test]
fn a_unix_socket_of_the_project_is_spoken_to() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_at(&folder.path().join("s"));
    let lab = Lab::with(server, &one_step("{http: GET /version, unixSocket: run/s, expect: {json: {build: \"1\"}}}"));
    std::fs::create_dir(lab.dir.path().join("run")).unwrap();
    std::fs::rename(folder.path().join("s"), lab.dir.path().join("run/s")).unwrap();
    // Nobody answers at the origin itself.
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &settings.replace(&lab.server.origin(), "http://shop.invalid"));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(peer(&dir).0["address"], "unix:run/s");
    assert!(!journal_text(&dir).contains(lab.dir.path().to_str().unwrap()), "no path of this machine");
    verifies(&lab);

    std::fs::remove_file(lab.dir.path().join("run/s")).unwrap();
    let (ran, dir) = again(&lab, &[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert!(reasons(&dir).contains(&"target_unreachable".to_owned()));
}

#[test]
fn a_proxy_of_the_plan_is_gone_through_and_printed() {
    let proxy = Server::proxy(Some("Basic bG9naW46cHJveHktc2VjcmV0"));
    let step = format!(
        "{{http: GET /echo, proxy: {{url: \"{}\", auth: {{basic: {{env: LAB_PROXY}}}}}}, expect: {{json: {{method: GET}}}}}}",
        proxy.origin()
    );
    let lab = Lab::new(&one_step(&step));
    let refused = lab.run(&[]);
    assert!(
        refused.exit == 3 && refused.said().contains("is not among the environment's origins"),
        "{}",
        refused.said()
    );
    assert_eq!(proxy.connections(), 0);

    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &settings.replace("data:", &format!("origins: [\"{}\"], data:", proxy.origin())));
    let ignored = ("http_proxy", "http://127.0.0.1:1");
    let (ran, dir) = again(&lab, &[ignored, ("LAB_PROXY", "login:proxy-secret")]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(peer(&dir).0["proxy"], proxy.origin().as_str());
    assert_eq!(proxy.hits().len(), 1);
    assert!(lab.server.hits()[0].header("proxy-authorization").is_some(), "this proxy hands everything on");
    let text = journal_text(&dir);
    assert!(!text.contains("proxy-secret") && !text.contains("cHJveHktc2VjcmV0"), "{text}");
    let summary = std::fs::read_to_string(dir.join("report.md")).unwrap();
    assert!(summary.contains("requests go through the proxy"), "{summary}");
    verifies(&lab);

    for (secret, code) in
        [(&[("LAB_PROXY", "login:wrong-secret")][..], "target_unreachable"), (&[], "credential_missing")]
    {
        let (ran, dir) = again(&lab, secret);
        assert_eq!(ran.exit, 3, "{}", ran.said());
        assert!(reasons(&dir).contains(&code.to_owned()), "{}", ran.said());
    }
}

#[test]
fn a_client_certificate_is_shown_and_its_key_is_kept_nowhere() {
    let authority = Certificate::authority(&["clients.test"]);
    let mine = authority.issue(&["me.test"]);
    let step = |key: &str| {
        one_step(&format!(
            "{{http: GET /version, tls: {{ca: ca.pem, cert: me.pem, key: {key}}}, expect: {{json: {{build: \"1\"}}}}}}"
        ))
    };
    for key in ["me.key", "{env: LAB_KEY}"] {
        let server = Server::start_tls_asking(Certificate::self_signed(&NAMES), &authority);
        let lab = Lab::with(server, &step(key));
        lab.write("ca.pem", &lab.server.pem());
        lab.write("me.pem", mine.pem());
        lab.write("me.key", mine.private_pem());
        let (ran, dir) = again(&lab, &[("LAB_KEY", mine.private_pem())]);
        assert_eq!(ran.exit, 0, "{}", ran.said());
        let (peer, version) = peer(&dir);
        assert_eq!((peer["tls"]["anchor"].as_str(), version.as_str()), (Some("file"), "2"));
        let middle = mine.private_pem().lines().nth(1).unwrap();
        for entry in std::fs::read_dir(&dir).unwrap().chain(std::fs::read_dir(dir.join("evidence")).unwrap()) {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&bytes).contains(middle), "the key is kept");
        }
        verifies(&lab);

        std::fs::remove_file(lab.dir.path().join("me.key")).unwrap();
        let (ran, dir) = again(&lab, &[]);
        assert_eq!(ran.exit, 3, "{}", ran.said());
        assert_eq!(steps(&dir)[0].2, "credential_missing");
    }
    let lab = Lab::new(&step("me.key"));
    lab.write("ca.pem", mine.pem());
    lab.write("me.key", mine.private_pem());
    lab.write("me.pem", &format!("{}{}", mine.private_pem(), mine.pem()));
    let ran = lab.run(&[]);
    assert!(ran.exit == 2 && ran.said().contains("me.pem holds a private key"), "{}", ran.said());
    assert!(lab.runs().is_empty());
}

#[test]
fn unchecked_certificates_cap_the_claim_unless_the_environment_declares_them() {
    let step = one_step("{http: GET /version, tls: {insecure: true}, expect: {json: {build: \"1\"}}}");
    let lab = Lab::with(Server::start_tls_with(Certificate::expired(&["other.test"])), &step);
    let (ran, dir) = lab.one();
    assert_eq!((ran.exit, reasons(&dir).contains(&"capped_tls_unchecked".to_owned())), (5, true), "{}", ran.said());
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &settings.replace("data:", "tls: {insecure: true}, data:"));
    let (ran, _) = again(&lab, &[]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert!(ran.said().contains("certificates are not checked"), "{}", ran.said());
}

#[test]
fn a_private_authority_is_trusted_and_a_stranger_blocks() {
    let authority = Certificate::authority(&["ca.test"]);
    let server = Server::start_tls_with(authority.issue(&NAMES));
    let lab = Lab::with(server, &one_step("{http: GET /version, tls: {ca: ca.pem}, expect: {json: {build: \"1\"}}}"));
    lab.write("ca.pem", authority.pem());
    let (ran, _) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    lab.write("ca.pem", Certificate::authority(&["ca.test"]).pem());
    let (ran, dir) = again(&lab, &[]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    assert!(reasons(&dir).contains(&"tls_failed".to_owned()));
}

#[test]
fn codings_are_kept_as_they_came_and_undone() {
    for coding in ["br", "zstd"] {
        let lab = Lab::new(&one_step(&format!("{{http: GET /{coding}, expect: {{json: {{coded: true}}}}}}")));
        let (ran, dir) = lab.one();
        assert_eq!(ran.exit, 0, "{}", ran.said());
        let hop = bodies(&dir, "action.commit")[0]["observation"]["hops"][0].clone();
        assert_ne!(hop["wire"], hop["decoded"]);
        verifies(&lab);

        let lab = Lab::new(&one_step(&format!("{{http: GET /bomb/{coding}?16, expect: {{text: x}}}}")));
        let (ran, dir) = lab.one();
        assert_eq!((ran.exit, outcome(&dir).as_str()), (5, "inconclusive"), "{}", ran.said());
        let step = steps(&dir).remove(0);
        assert_eq!((step.1.as_str(), step.2.as_str()), ("error", "capture_capped"));
        verifies(&lab);
    }
}
