//! Credentials that probity places never reach the disk, however the server sends them back.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use probity_testkit::server::routes::gzip;
use probity_testkit::server::{Act, Server};

use crate::lab::{Lab, steps};

const SECRET: &str = "s3cr3t/T0ken+value?x~9";

const PLAN: &str = "
cases:
  - id: LOGIN-1
    title: with a token
    covers: [C-1]
    steps:
      - {http: GET /echo, auth: {bearer: {env: LAB_TOKEN}}, followRedirects: 3, expect: {status: 200}}
      - {http: GET /echo, auth: {basic: {env: LAB_LOGIN}}, followRedirects: 3, expect: {status: 200, json: {method: GET}}}
";

/// The spellings in which a secret comes back.
pub(crate) fn forms(secret: &str) -> Vec<Vec<u8>> {
    let hex: String = secret.bytes().map(|b| format!("{b:02x}")).collect();
    let percent: String = url_encoded(secret);
    let lower = percent.replace("%2F", "%2f").replace("%2B", "%2b").replace("%3F", "%3f").replace("%7E", "%7e");
    let mut forms = vec![secret.to_owned(), hex.to_uppercase(), hex, lower, percent];
    for phase in 0..3 {
        let bytes = [vec![b'x'; phase], secret.as_bytes().to_vec()].concat();
        let text = STANDARD.encode(&bytes);
        forms.push(text[4..text.len() - 4].to_owned());
        forms.push(text[4..text.len() - 4].replace('+', "-").replace('/', "_"));
    }
    forms.into_iter().map(String::into_bytes).collect()
}

fn url_encoded(text: &str) -> String {
    text.bytes()
        .map(|b| if b.is_ascii_alphanumeric() { char::from(b).to_string() } else { format!("%{b:02X}") })
        .collect()
}

/// Every file below a folder, with its bytes.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files(&entry));
        } else {
            found.push((entry.display().to_string(), std::fs::read(&entry).unwrap()));
        }
    }
    found
}

#[track_caller]
fn nothing_leaks(lab: &Lab) {
    let mut looked = 0;
    for (name, bytes) in files(&lab.dir.path().join("probity-runs")) {
        for form in forms(SECRET) {
            let found = bytes.windows(form.len()).any(|window| window == form);
            assert!(!found, "{} in {name}", String::from_utf8_lossy(&form));
        }
        // A coded body would hide it.
        let coded = bytes.windows(2).any(|window| window == [0x1f, 0x8b]);
        assert!(!coded, "{name} holds gzip");
        looked += 1;
    }
    assert!(looked > 5);
}

fn run(lab: &Lab) -> String {
    let mut command = lab.command(&["run"]);
    command.env("LAB_TOKEN", SECRET).env("LAB_LOGIN", format!("someone:{SECRET}"));
    crate::lab::done(&command.output().unwrap()).said()
}

#[test]
fn an_echo_of_everything() {
    let lab = Lab::new(PLAN);
    let said = run(&lab);
    let sent = lab.server.hits();
    assert!(sent[0].header("authorization").unwrap().contains(SECRET), "it was sent");
    nothing_leaks(&lab);
    assert!(!said.contains(SECRET), "{said}");
}

#[test]
fn echoes_in_every_place_of_an_answer() {
    let s = SECRET;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n";
    let coded = |body: &[u8]| {
        let head = format!("{head}Content-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
        [head.as_bytes(), body].concat()
    };
    let whole = gzip(format!("before {s} after").as_bytes());
    let plain = |text: &str| format!("{head}Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes();
    let answers: Vec<(&str, Vec<u8>)> = vec![
        ("body", plain(&format!("it is {s}"))),
        ("base64", plain(&STANDARD.encode(format!("a:{s}").as_bytes()))),
        ("base64url", plain(&STANDARD.encode(format!("ab:{s}").as_bytes()).replace('+', "-").replace('/', "_"))),
        ("lower percent", plain(&url_encoded(s).replace("%2F", "%2f").replace("%2B", "%2b").replace("%3F", "%3f").replace("%7E", "%7e"))),
        ("gzip", coded(&whole)),
        ("cut gzip", coded(&whole[..whole.len() - 6])),
        ("header", format!("{head}X-Echo: {s}\r\nContent-Length: 2\r\n\r\nok").into_bytes()),
        ("reason", format!("HTTP/1.1 200 {s}\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok").into_bytes()),
        ("type", format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/plain; x=\"{s}\"\r\nContent-Length: 2\r\n\r\nok").into_bytes()),
        ("location", format!("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: /next?t={s}\r\nContent-Length: 0\r\n\r\n").into_bytes()),
        ("cookie", format!("HTTP/1.1 302 Found\r\nConnection: close\r\nSet-Cookie: t={s}; Path=/\r\nLocation: /next\r\nContent-Length: 0\r\n\r\n").into_bytes()),
        ("trailer", format!("HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nok\r\n0\r\nX-T: {s}\r\n\r\n").into_bytes()),
        ("broken head", format!("HTTP/1.1 200 OK\r\nbad {s}\r\n\r\n").into_bytes()),
        ("other scheme", format!("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: ftp://{s}/\r\nContent-Length: 0\r\n\r\n").into_bytes()),
        ("elsewhere", format!("HTTP/1.1 302 Found\r\nConnection: close\r\nLocation: http://10.0.0.1/?{s}\r\nContent-Length: 0\r\n\r\n").into_bytes()),
    ];
    for (place, bytes) in answers {
        // The bare connection of the preflight counts first.
        let lab = Lab::with(Server::scripted(vec![vec![Act::Read, Act::Send(bytes)]]), PLAN);
        let said = run(&lab);
        let dir = lab.only();
        assert!(steps(&dir)[0].3, "{place}: it was sent");
        assert!(!said.contains(SECRET), "{place}: {said}");
        assert!(!said.contains("exit 6"), "{place}: {said}");
        nothing_leaks(&lab);
    }
}

#[test]
fn a_program_that_prints_its_environment() {
    // What stands beside the secret can be seen in what is kept; what holds of the secret itself was seen once.
    for (expected, exit, words) in [
        ("said", "exit 0", "2 reported"),
        ("{matches: '^said [^ ]{12,}$'}", "exit 5", "witnessed_only"),
        ("{matches: '^said secret'}", "exit 1", "requirement_failed"),
    ] {
        let lab = Lab::new(&format!(
            "
cases:
  - id: ENV-1
    title: with a token
    covers: [C-3]
    steps:
      - {{run: [sh, tools/env.sh], env: {{TOKEN: {{env: LAB_TOKEN}}}}, expect: {{exit: 0, text: {expected}}}}}
"
        ));
        lab.write("tools/env.sh", "printf 'said %s' \"$TOKEN\"; echo $TOKEN >&2\n");
        let said = run(&lab);
        assert!(said.starts_with(exit) && said.contains(words), "{expected}: {said}");
        nothing_leaks(&lab);
    }
}
