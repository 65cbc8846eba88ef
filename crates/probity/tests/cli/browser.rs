//! The report in a real browser: what was captured neither runs nor fetches, and the program's own script does run.

use std::path::Path;
use std::process::Command;

use probity_testkit::server::{Act, Server};
use regex::Regex;

use crate::place::{Place, fails};

/// A page as Chromium has it after its scripts ran.
fn dom(page: &Path, anchor: &str) -> String {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium")
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"])
        .args(["--disable-extensions", "--disable-component-update", "--disable-sync", "--virtual-time-budget=3000"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--dump-dom")
        .arg(format!("file://{}{anchor}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(dom.contains("</html>"), "{}", String::from_utf8_lossy(&output.stderr));
    dom
}

/// What tries to run, to be drawn and to be fetched, in several ways; `trap` is where a fetch would arrive.
fn payload(trap: &str) -> String {
    format!(
        "</pre></title></script><script id=z>document.documentElement.dataset.owned=1</script><img src=\"{trap}/img\" \
         onerror=\"document.documentElement.dataset.owned=2\"><svg onload=\"document.documentElement.dataset.owned=3\">\
         <image href=\"{trap}/svg\"/></svg><link rel=stylesheet href=\"{trap}/css\"><style media=all>@import url({trap}/imp);\
         body{{background:url({trap}/bg)}}</style><iframe src=\"{trap}/frame\"></iframe><a href=\"javascript:alert(1)\">x\
         </a><meta http-equiv=refresh content=\"0;url={trap}/meta\">' onmouseover='x' \" autofocus onfocus=\"x"
    )
}

#[test]
fn needs_chromium_nothing_captured_runs_or_is_fetched() {
    let trap = Server::start();
    let payload = payload(&trap.origin());
    let quoted = serde_json::to_string(&payload).unwrap();
    // Braces open a reference in an expectation.
    let literal = quoted.replace('{', "{{");
    let body = format!("{{\"name\":{quoted},\"html\":{quoted}}}");
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nx-note: <script>document.documentElement.dataset.owned=4</script>\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    let server = Server::scripted(vec![vec![Act::Read, Act::Send((head + &body).into_bytes())]]);
    let place = Place::undeclared();
    place.write(
        "order.probity.yaml",
        &format!(
            "schemaVersion: 2\nrequirement:\n  title: {quoted}\n  source: \"javascript:alert(1)\"\n  criteria:\n    - {{id: A-1, \
             needs: api, text: {quoted}}}\n  outOfScope: [{{text: {quoted}, why: {quoted}}}]\nenvironment: {{name: local, kind: \
             local, url: \"{}\", data: disposable}}\ncases:\n  - id: C-1\n    title: {quoted}\n    covers: [A-1]\n    steps:\n      - \
             {{http: GET /x, expect: {{json: {{name: fine, html: {literal}}}}}}}\n",
            server.origin()
        ),
    );
    let ran = place.probity("run");
    assert_eq!(ran.code, 1, "{ran}");

    // The trap does catch: the same payload in a page of its own runs and fetches. It would also lead away from there.
    let bare = place.path().join("bare.html");
    let staying = payload.split("<meta").next().unwrap();
    std::fs::write(&bare, format!("<!doctype html><html><body>{staying}</body></html>")).unwrap();
    assert!(dom(&bare, "").contains("data-owned"), "the payload must be able to act");
    let caught = trap.connections();
    assert!(caught > 0, "the payload must be able to fetch");

    assert_eq!(place.probity("run").code, 1);
    place.probity("report --as html -o one.html");
    let runs = std::fs::read_dir(place.path().join("probity-runs")).unwrap().map(|entry| entry.unwrap());
    let names = runs.map(|entry| entry.file_name().into_string().unwrap()).filter(|name| name.contains("-order-"));
    let ran = place.probity(&format!("report {} --as html -o several.html", names.collect::<Vec<_>>().join(" ")));
    assert_eq!(ran.code, 0, "{ran}");
    let links = Regex::new("<a [^>]*href=\"([^\"]*)\"").unwrap();
    for name in ["one.html", "several.html"] {
        let dom = dom(&place.path().join(name), "");
        assert!(!dom.contains("data-owned"), "{name}");
        assert_eq!(trap.connections(), caught, "{name} fetched something");
        let count = |tag: &str| dom.matches(tag).count();
        let program = ["<script", "<style", "<title", "<meta"].map(count);
        assert_eq!(program, [1, 1, 1, 5], "{name}");
        for tag in ["<img", "<svg", "<image", "<link", "<iframe", "<form", "<base"] {
            assert_eq!(count(tag), 0, "{name}: {tag}");
        }
        let mut targets = links.captures_iter(&dom).map(|found| found[1].to_owned());
        assert!(targets.all(|target| target.starts_with(['#'])), "{name}: a link leads away");
        // Its own script ran: it brings the tools out.
        assert!(dom.contains("<p class=\"tools\">"), "{name}");
        assert!(dom.contains("&lt;script id=z&gt;document.documentElement.dataset.owned=1&lt;/script&gt;"), "{name}");
    }
}

/// Presses keys and writes down what came of it.
const HAND: &str = "<script>(() => { const press = (key) => dispatchEvent(new KeyboardEvent('keydown', { key }));
const at = () => document.activeElement.closest('.row').id; const seen = [];
press('n'); seen.push(at()); press('n'); seen.push(at()); press('n'); seen.push(at());
press('e'); seen.push(document.getElementById('_evidence').open);
const input = document.querySelector('input'); press('/'); seen.push(document.activeElement === input);
input.value = 'order-1'; input.dispatchEvent(new Event('input')); seen.push(document.querySelector('output').textContent);
input.blur(); press('?'); seen.push(document.querySelector('dialog').open);
document.documentElement.dataset.seen = seen.join('|'); })()</script>";

#[test]
fn needs_chromium_keys_and_anchors_lead_through_the_page() {
    let place = Place::with_service().plan(&fails());
    assert_eq!(place.probity("run").code, 1);
    let page = place.run_folder().join("report.html");
    let folded = "<details class=\"row\" data-s=\"passed\" id=\"e1\"";
    assert!(dom(&page, "").contains(&format!("{folded}>")));
    assert!(dom(&page, "#e1").contains(&format!("{folded} open=\"\">")), "an anchor opens what it leads to");

    // The page's policy would stop a second script, so the hand works on a copy without it.
    let text = std::fs::read_to_string(&page).unwrap();
    let policy = text.find("<meta http-equiv=\"Content-Security-Policy\"").unwrap();
    let end = policy + text[policy..].find('>').unwrap() + 1;
    let body = text.rfind("</body>").unwrap();
    let with_hand = [&text[..policy], &text[end..body], HAND, &text[body..]].concat();
    let copy = place.path().join("hand.html");
    std::fs::write(&copy, with_hand).unwrap();
    let dom = dom(&copy, "");
    let seen = dom.split("data-seen=\"").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(seen, "ORDER-2|e2|ORDER-2|true|true|1 of 5 rows|true");
}
