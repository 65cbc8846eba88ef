//! Judges that do not do what they should. What one does over the cart is its vote; over a bad cart it behaves.

use super::{Court, HEAD, code, script, votes};
use crate::place::{PASSES, Place};

/// A judge that does this over the cart, and answers well over a mutant.
fn only(what: &str) -> Court {
    Court::with(&script(what, "say fail 0.9"), ", timeout: 2s")
}

/// An answer with these fields, as a shell line.
fn answers(fields: &str) -> String {
    format!("printf '%s\\n' \"{},{}}}\"", HEAD.replace('"', "\\\""), fields.replace('"', "\\\""))
}

#[test]
fn what_is_no_answer_is_no_vote() {
    let cited = r#""evidence":["x1"]"#;
    let answer = |rest: &str| answers(&format!(r#"{rest},{cited}"#));
    for (what, why) in [
        ("sleep 60".to_owned(), "judge_call_failed"),
        ("trap '' TERM; while :; do sleep 1; done".to_owned(), "judge_call_failed"),
        ("yes".to_owned(), "judge_call_failed"),
        ("yes >&2".to_owned(), "judge_call_failed"),
        ("head -c 300000 /dev/zero".to_owned(), "judge_call_failed"),
        ("say pass 1; exit 3".to_owned(), "judge_call_failed"),
        ("say pass 1; kill -9 $$".to_owned(), "judge_call_failed"),
        ("say pass 1; sleep 60 &".to_owned(), "judge_call_failed"),
        ("say pass 1; say pass 1".to_owned(), "judge_answer_malformed"),
        ("echo 'I am sure:'; say pass 1".to_owned(), "judge_answer_malformed"),
        (":".to_owned(), "judge_answer_malformed"),
        ("say pass 1e400".to_owned(), "judge_answer_malformed"),
        ("say pass 95".to_owned(), "judge_answer_malformed"),
        ("say pass NaN".to_owned(), "judge_answer_malformed"),
        ("say PASS 1".to_owned(), "judge_answer_malformed"),
        ("printf '\\377'".to_owned(), "judge_answer_malformed"),
        (answer(r#""verdict":"pass","verdict":"fail","confidence":1"#), "judge_answer_malformed"),
        (answer(r#""verdict":"pass","confidence":1,"trust":"me""#), "judge_answer_malformed"),
        ("nonce=00; say pass 1".to_owned(), "judge_answer_foreign"),
        (answers(r#""verdict":"pass","confidence":1,"evidence":["x7"]"#), "judge_cites_unknown"),
        (answers(r#""verdict":"pass","confidence":1,"evidence":["cart.txt"]"#), "judge_cites_unknown"),
        (answers(r#""verdict":"pass","confidence":1,"evidence":[]"#), "judge_cites_nothing"),
    ] {
        let (exit, row) = only(&what).row("");
        assert_eq!((exit, row["verdict"].as_str(), code(&row)), (3, Some("error"), why), "{what}");
        assert_eq!(votes(&row), ["mutant - fail".to_owned(), format!("original - {why}")], "{what}");
    }
}

#[test]
fn a_judge_that_cannot_be_asked_about_a_mutant_has_no_vote() {
    let court = Court::with(&script("say pass 1", "sleep 60"), ", timeout: 300ms");
    let (exit, row) = court.row("");
    assert_eq!((exit, code(&row)), (3, "judge_control_failed"));
    assert_eq!(votes(&row), ["mutant - judge_call_failed", "original - pass"]);
}

#[test]
fn a_judge_that_is_not_there_or_not_allowed_is_named() {
    let court = Court::new("");
    let settings = std::fs::read_to_string(court.0.path().join("probity.yaml")).unwrap();
    court.0.write("probity.yaml", &settings.replace("[sh, look.sh]", "[no-such-judge]"));
    let ran = court.ask("--evidence cart.txt");
    assert_eq!((ran.code, ran.stderr.contains("judge_call_failed")), (2, true), "{ran}");
    court.0.write("probity.yaml", &settings.replace("[sh, look.sh]", "[sh, -c, 'say pass']"));
    let ran = court.ask("--evidence cart.txt");
    assert_eq!((ran.code, ran.stderr.contains("command_shell")), (2, true), "{ran}");
}

#[test]
fn a_judge_that_changes_itself_is_not_started_again() {
    // Whichever call comes first changes the script, and the second finds it changed.
    let court = Court::new(&script("echo '# more' >> look.sh; say pass 1", "echo '# more' >> look.sh; say fail 1"));
    let (exit, row) = court.row("");
    assert_eq!(exit, 3);
    let failed: Vec<String> = votes(&row).into_iter().filter(|vote| vote.ends_with("judge_call_failed")).collect();
    assert_eq!(failed.len(), 1, "{row}");
}

#[test]
fn secrets_in_what_a_judge_writes_are_replaced() {
    let what = format!(
        "echo \"key is $VISION_KEY\" >&2; {}",
        answers(
            r#""verdict":"pass","confidence":1,"evidence":["x1"],"reason":"I used $VISION_KEY and password=hunter2hunter2x and Bearer abcdefghijklmnop0123","measures":{"note":"$VISION_KEY"}"#
        )
    );
    let court = Court::with(&script(&what, "say fail 1"), ", env: {VISION_KEY: {env: SHOP_VISION_KEY}}");
    let secret = "sk-4f9a8b7c6d5e4f3a2b1c";
    let ran = court.ask_with("--evidence cart.txt -o -", &[("SHOP_VISION_KEY", secret)]);
    assert_eq!(ran.code, 0, "{ran}");
    for hidden in [secret, "hunter2hunter2x", "abcdefghijklmnop0123"] {
        assert!(!ran.stdout.contains(hidden) && !ran.stderr.contains(hidden), "{hidden}: {ran}");
    }
    assert!(ran.stdout.contains("I used "), "{ran}");
    // Without the credential nothing is started.
    let ran = court.ask("--evidence cart.txt -o -");
    assert_eq!((ran.code, ran.stdout.contains("SHOP_VISION_KEY")), (3, true), "{ran}");
}

#[test]
fn secrets_in_what_a_judge_is_shown_are_replaced() {
    let court = Court::new(&script("say pass 0.9", "say fail 0.9"));
    court.0.write("cart.txt", "total 29.97\nAuthorization: Bearer abcdefghijklmnop0123\n");
    court.0.write("look.sh", &court_that_fails_on("abcdefghijklmnop0123"));
    let (exit, row) = court.row("");
    assert_eq!((exit, &row["raw_result"]["shown"][0]["redactions"]), (0, &1.into()), "{row}");
}

/// Fails where it sees this text.
fn court_that_fails_on(text: &str) -> String {
    script(
        &format!(
            "if printf %s \"$question\" | sed 's/.*\"data\":\"\\([^\"]*\\)\".*/\\1/' | base64 -d | grep -q {text}; then say fail 1; else say pass 1; fi"
        ),
        "say fail 1",
    )
}

#[test]
fn a_judge_does_not_write_into_the_run_that_it_judges() {
    let place = Place::with_service().plan(&PASSES.replace("29.96", "29.97"));
    assert_eq!(place.probity("run").code, 0);
    let run = place.run_folder();
    let wrote =
        script("echo '{}' >> probity-runs/index.jsonl; touch probity-runs/*/report-2.md; say pass 1", "say fail 1");
    place.write("look.sh", &wrote.replace("say pass 1", "2>/dev/null; say pass 1"));
    let settings = std::fs::read_to_string(place.path().join("probity.yaml")).unwrap();
    place.write("probity.yaml", &format!("{settings}judges: {{look: {{run: [sh, look.sh], by: vision-3}}}}\n"));
    let name = run.file_name().unwrap().to_str().unwrap().to_owned();
    let words = format!("judge run look --author coder-7 --run {name} --requirement ORDER-2 --evidence e2 -o -");
    let ran = place.probity(&words);
    let row = ran.json();
    if row["raw_result"]["isolation"] == "mount_namespace" {
        assert_eq!((ran.code, run.join("report-2.md").exists()), (0, false), "{ran}");
        assert_eq!(place.probity("verify").code, 0);
        // What the judge cannot do, another program does while the judge runs: nothing tells the two apart.
        let beside = format!("touch {}/report-2.md", run.display());
        let mut other = std::process::Command::new("sh")
            .args([
                "-c",
                &format!(
                    "while [ ! -e {0}/asked ]; do sleep 0.01; done; {beside}; touch {0}/done",
                    place.path().display()
                ),
            ])
            .spawn()
            .unwrap();
        place.write(
            "look.sh",
            &script("touch asked; while [ ! -e done ]; do sleep 0.01; done; say pass 1", "say fail 1"),
        );
        let ran = place.probity(&words);
        other.wait().unwrap();
        found_out(&ran);
    } else {
        found_out(&ran);
    }
}

fn found_out(ran: &crate::place::Ran) {
    let row = ran.json();
    assert_eq!((ran.code, code(&row)), (3, "judge_wrote"), "{ran}");
    assert!(votes(&row).iter().all(|vote| vote.contains(" - ")), "{ran}");
}

#[test]
fn what_a_judge_says_is_drawn_inert() {
    let court = only(&answers(
        r#""verdict":"undetermined","confidence":0,"evidence":[],"reason":"\\u001b[2J\\n::error::owned ##[error]x \\u202e""#,
    ));
    let ran = court.ask("--evidence cart.txt");
    assert_eq!(ran.code, 5, "{ran}");
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains('\u{202e}') && !ran.stdout.contains("##["), "{ran}");
    assert!(ran.stdout.lines().all(|line| !line.trim_start().starts_with("::")), "{ran}");
}

#[test]
fn an_interrupted_judgement_leaves_nothing() {
    use rustix::process::{Pid, Signal, kill_process};
    let court = Court::new(&script("touch asked; sleep 60", "touch asked; sleep 60"));
    let words = "judge run look --author coder-7 --criterion total --evidence cart.txt -o runs.jsonl";
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_probity"))
        .args(words.split_whitespace())
        .current_dir(court.0.path())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !court.0.path().join("asked").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!court.0.path().join("runs.jsonl").exists());
}
