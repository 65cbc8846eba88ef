//! Inside GitHub Actions: annotations, step summary, outputs, and nothing captured that the runner obeys.

use crate::place::{PASSES, Place, Ran, fails};

fn run(place: &Place, words: &str) -> Ran {
    let path = |name: &str| place.path().join(name).to_str().unwrap().to_owned();
    let (workspace, summary, output) = (path("."), path("summary.md"), path("output"));
    place.probity_with(
        words,
        &[
            ("GITHUB_ACTIONS", "true"),
            ("GITHUB_WORKSPACE", &workspace),
            ("GITHUB_STEP_SUMMARY", &summary),
            ("GITHUB_OUTPUT", &output),
        ],
    )
}

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path().join(name)).unwrap()
}

/// Lines that the runner obeys.
fn commands(ran: &Ran) -> Vec<&str> {
    let lines = ran.stdout.lines().chain(ran.stderr.lines());
    lines.filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect()
}

#[test]
fn a_failure_stands_at_its_line_of_the_plan() {
    let place = Place::with_service().plan(&fails());
    let ran = run(&place, "run");
    assert_eq!(ran.code, 1, "{ran}");
    let commands = commands(&ran);
    let [stop, go, error] = commands.as_slice() else { panic!("{ran}") };
    let token = stop.strip_prefix("::stop-commands::").unwrap();
    assert!(token.len() == 32 && *go == format!("::{token}::"), "{ran}");
    assert_eq!(
        *error,
        "::error title=ORDER-2%3A requirement_failed,file=order.probity.yaml,line=20,col=38::expected json total = 29.97, \
         saw 29.96"
    );
    assert!(!ran.stdout.contains("::"), "standard output belongs to the answer: {ran}");
    let summary = read(&place, "summary.md");
    assert!(summary.starts_with("### FAILED Order total\n"), "{summary}");
    assert!(summary.contains("```text\nexpected  json total = 29.97\nsaw       29.96\n```\n"), "{summary}");
    let output = read(&place, "output");
    let folder = place.run_folder().canonicalize().unwrap();
    let run_id = folder.file_name().unwrap().to_str().unwrap();
    for line in
        ["exit=1", "status=failed", &format!("run={run_id}"), &format!("report={}/report.html", folder.display())]
    {
        assert!(output.lines().any(|one| one == line), "{line}: {output}");
    }
    let seal = output.lines().find_map(|line| line.strip_prefix("seal=")).unwrap();
    assert!(ran.stdout.contains(&format!("seal {seal}  exit 1")), "{ran}");
}

#[test]
fn a_pass_says_so_and_annotates_nothing() {
    let place = Place::with_service().plan(PASSES);
    let ran = run(&place, "run --format json");
    assert_eq!(ran.json()["status"], "passed");
    assert_eq!(commands(&ran).len(), 2, "{ran}");
    assert!(read(&place, "summary.md").starts_with("### PASSED Order total\n"));
    assert!(read(&place, "output").contains("status=passed\n"));
    // Elsewhere nothing of it happens.
    let ran = place.probity_with("run", &[("GITHUB_ACTIONS", "false")]);
    assert_eq!(commands(&ran), [""; 0], "{ran}");
}

#[test]
fn at_most_ten_of_a_kind_and_one_mebibyte() {
    let steps: String = (0..30)
        .map(|n| format!("  - {{id: C-{n}, title: t, covers: [R-{n}], steps: [{{http: GET /items/none, expect: {{status: 200, text: x}}}}]}}\n"))
        .collect();
    let criteria: String =
        (0..30).map(|n| format!("    - {{id: R-{n}, needs: api, text: \"Item {n} is there.\"}}\n")).collect();
    let place = Place::with_service().plan(&format!(
        "schemaVersion: 2\nrequirement:\n  title: Many\n  criteria:\n{criteria}environment: local\ncases:\n{steps}"
    ));
    // Another command of the same step has used most of the room already.
    place.write("summary.md", &"x".repeat((1 << 20) - 3000));
    let ran = run(&place, "run");
    assert_eq!(ran.code, 1, "{ran}");
    let errors: Vec<&str> = commands(&ran).into_iter().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), 10, "{ran}");
    assert!(errors[9].contains("21 more"), "{}", errors[9]);
    let summary = read(&place, "summary.md");
    assert!(summary.len() <= 1 << 20 && summary.contains("left out for size"), "{}", summary.len());
}

#[test]
fn nothing_captured_is_a_command_or_markup() {
    let hostile = "::error::owned\\n::set-output name=x::y\\n```\\n@team <img src=x> ##[error]z %0A::error::w";
    let plan = fails()
        .replace("title: Order total", "title: \"::error::title @team `x` <b>\"")
        .replace("sku: MUG-1, total: 29.96, note", &format!("sku: \"{hostile}\", total: 29.96, note"))
        .replace("sku: \"{shown}\"", "sku: nothing");
    let place = Place::with_service().plan(&plan.replace("json: {total: 29.97, sku: nothing}", "json: {sku: nothing}"));
    let ran = run(&place, "run");
    assert_eq!(ran.code, 1, "{ran}");
    let commands = commands(&ran);
    assert!(commands.len() == 3 && commands[2].starts_with("::error title=ORDER-2"), "{ran}");
    let summary = read(&place, "summary.md");
    let mut fence = None;
    for line in summary.lines() {
        match fence {
            None if line.starts_with("```") => fence = Some(line.trim_end_matches("text")),
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None => assert!(!line.contains("<b>") && !line.contains(" @team") && !line.contains("<img"), "{line}"),
        }
    }
    assert_eq!(fence, None, "{summary}");
    for line in read(&place, "output").lines() {
        assert!(
            line.split_once('=').is_some_and(|(name, _)| ["exit", "status", "run", "seal", "report"].contains(&name))
        );
    }
}
