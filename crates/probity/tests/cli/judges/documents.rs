//! The exchange and the scripts that docs/judges.md shows.

use std::path::PathBuf;

use probity_core::json::{Json, Limits, canonical, read};
use probity_core::judge::{Answer, Exhibit, Question, Role};
use probity_testkit::server::{Act, Server};

use super::{Court, votes};
use crate::place::Place;

fn text() -> String {
    std::fs::read_to_string(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/judges.md")).unwrap()
}

/// What stands in the block below a mark.
fn block(mark: &str) -> String {
    let text = text();
    let rest = text.split_once(&format!("<!-- {mark} -->\n```")).unwrap().1;
    let rest = rest.split_once('\n').unwrap().1;
    rest.split_once("```\n").unwrap().0.to_owned()
}

fn json(mark: &str) -> Json {
    read(block(mark).as_bytes(), &Limits::default()).unwrap()
}

#[test]
fn the_question_and_the_answer_are_what_is_asked_and_read() {
    let (question, cart) = (json("question"), block("file: cart.txt"));
    let nonce = question.get("nonce").and_then(Json::as_text).unwrap();
    let criterion = question.get("criterion").and_then(Json::as_text).unwrap().to_owned();
    let exhibit = Exhibit { role: Role::Evidence, media: "text/plain".to_owned(), bytes: cart.into_bytes() };
    let asked = Question { criterion, exhibits: vec![exhibit] }.document(nonce);
    assert_eq!(canonical(&question).unwrap(), asked);
    let answer = Answer::read(block("answer").as_bytes(), nonce, &["x1".to_owned()]).unwrap();
    // The script that is shown answers just so.
    let place = Place::without_service();
    place.write("total.sh", &block("file: total.sh"));
    place.write("question.json", std::str::from_utf8(&asked).unwrap());
    let script = std::process::Command::new("sh")
        .args(["total.sh"])
        .current_dir(place.path())
        .stdin(std::fs::File::open(place.path().join("question.json")).unwrap())
        .output()
        .unwrap();
    assert_eq!(Answer::read(&script.stdout, nonce, &["x1".to_owned()]), Ok(answer));
}

/// The way to a model, over loopback.
#[test]
fn needs_python_the_skeleton_asks_a_model() {
    // A program of that name may be a script that looks for the real one by variables that no judge inherits.
    let asked =
        std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    let python = String::from_utf8(asked.stdout).unwrap();
    let said = r#"{"verdict":"fail","confidence":0.7,"evidence":["x1"],"reason":"No cart is shown."}"#;
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", said.len());
    let server = Server::scripted(vec![vec![Act::Read, Act::Send((head + said).into_bytes())]; 2]);
    let court = Court::new("");
    court.0.write("model.py", &block("file: model.py"));
    let settings = std::fs::read_to_string(court.0.path().join("probity.yaml")).unwrap();
    let env = format!("env: {{MODEL_URL: \"{}/judge\", MODEL_KEY: {{env: MODEL_KEY}}}}", server.origin());
    court.0.write(
        "probity.yaml",
        &settings.replace("[sh, look.sh], by", &format!("[\"{}\", model.py], {env}, by", python.trim())),
    );
    let ran = court.ask_with("--evidence cart.txt -o -", &[("MODEL_KEY", "sk-4f9a8b7c6d5e4f3a2b1c")]);
    assert_eq!(ran.code, 1, "{ran}");
    assert_eq!(votes(&ran.json()), ["mutant - fail", "original counts fail"]);
}
