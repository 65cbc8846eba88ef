//! What is refused before any judge is asked.

use insta::assert_snapshot;

use super::{Court, honest};

#[test]
fn nobody_judges_their_own_work() {
    let court = Court::new(&honest());
    for author in ["vision-3", "VISION-3", " Vision-3 ", "vision-3 <bot@shop.test>"] {
        let words = [
            "judge",
            "run",
            "look",
            "--author",
            "coder-7",
            "--author",
            author,
            "--criterion",
            "x",
            "--evidence",
            "cart.txt",
        ];
        let ran = court.0.probity_words(words, &[]);
        assert_eq!((ran.code, ran.stderr.contains("judge_is_author")), (2, true), "{ran}");
    }
    let ran = court.0.probity("judge run look --criterion x --evidence cart.txt");
    assert_eq!((ran.code, ran.stderr.contains("--author")), (2, true), "{ran}");
}

#[test]
fn a_pinned_judge_is_the_pinned_one() {
    let court = Court::new(&honest());
    let list = |court: &Court| court.0.probity("judge list --format json").json();
    let digest = list(&court)["judges"][0]["digest"].as_str().unwrap().to_owned();
    court.declare(&format!(", pin: {digest}"));
    assert_eq!(list(&court)["judges"][0]["pinned"], true);
    let (exit, row) = court.row("");
    assert_eq!((exit, &row["raw_result"]["judge"]["pinned"]), (0, &true.into()));
    court.0.write("look.sh", &format!("{}# changed\n", honest()));
    let ran = court.ask("--evidence cart.txt");
    assert_eq!((ran.code, ran.stderr.contains("error[judge_changed]")), (6, true), "{ran}");
    assert_eq!(list(&court)["judges"][0]["pinned"], false);
    // Other arguments are another judge.
    court.0.write("look.sh", &honest());
    let settings = std::fs::read_to_string(court.0.path().join("probity.yaml")).unwrap();
    court.0.write("probity.yaml", &settings.replace("[sh, look.sh]", "[sh, look.sh, --kind]"));
    assert_eq!(court.ask("--evidence cart.txt").code, 6);
}

#[test]
fn what_cannot_be_asked_or_shown_is_refused_by_name() {
    let court = Court::new(&honest());
    court.0.write("open.jsonl", "{\"verdict\":\"pass\"}");
    let giant = std::fs::File::create(court.0.path().join("giant.log")).unwrap();
    giant.set_len((32 << 20) + 1).unwrap();
    for (words, why) in [
        ("--evidence none.txt", "exhibit_unreadable"),
        ("--evidence .", "exhibit_unreadable"),
        ("--evidence giant.log", "exhibit_unreadable"),
        ("--image cart.txt", "exhibit_unreadable"),
        ("--evidence cart.txt --baseline cart.txt", "exhibit_unreadable"),
        ("", "nothing is shown"),
        ("--evidence cart.txt --evidence wrong.txt --known-bad wrong.txt", "more than one thing"),
        ("--evidence cart.txt --votes 0", "invalid value"),
        (
            "--evidence cart.txt --votes 50 --known-bad wrong.txt --known-bad wrong.txt --known-good cart.txt",
            "more than 200 times",
        ),
        ("--evidence cart.txt -o open.jsonl", "folder_unwritable"),
        ("--evidence cart.txt --run nowhere", "run_unknown"),
    ] {
        let ran = court.ask(words);
        assert_eq!((ran.code, ran.stderr.contains(why)), (2, true), "{words}: {ran}");
    }
    assert_eq!(std::fs::read_to_string(court.0.path().join("open.jsonl")).unwrap(), "{\"verdict\":\"pass\"}");
    let ran = court.0.probity("judge run lok --author a --criterion x --evidence cart.txt");
    assert_snapshot!(ran, @r"
    exit 2
    --- stdout
    --- stderr
    error[judge_unknown]: there is no judge lok
     |
     = help: did you mean look?
    ");
    let words = [
        "judge",
        "run",
        "look",
        "--author",
        "a",
        "--evidence",
        "cart.txt",
        "--criterion",
        "api_key=8f14e45fceea167a5a36dedd is shown",
    ];
    let ran = court.0.probity_words(words, &[]);
    assert_eq!((ran.code, ran.stderr.contains("secret_literal")), (2, true), "{ran}");
    let ran = court.0.probity("judge run look --author a --requirement A-1 --evidence cart.txt");
    assert_eq!((ran.code, ran.stderr.contains("what must hold is not said")), (2, true), "{ran}");
}

#[test]
fn judges_are_listed_with_their_digests() {
    let court = Court::new(&honest());
    assert_snapshot!(court.0.probity("judge list"), @r"
    exit 0
    --- stdout
    look        sh look.sh   by vision-3   not pinned
      controls  blank
      digest    0000000000000000000000000000000000000000000000000000000000000000
    pixels      probity judge pixels   by probity   not pinned
      controls  blank
      digest    0000000000000000000000000000000000000000000000000000000000000000
    --- stderr
    ");
    let settings = court.0.probity("settings").stdout;
    assert!(settings.contains("judges.look") && settings.contains("by vision-3, not pinned"), "{settings}");
}
