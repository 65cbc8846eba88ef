//! Cases side by side: that they are, and that each comes to what it would have come to alone.

use std::collections::BTreeSet;
use std::path::Path;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::lab::{Lab, Ran, bodies, done, journal, journal_text, outcome, reasons, steps};
use crate::stage::{Stage, cut, whole};

/// One step a case, under the first criterion.
fn case(id: &str, more: &str, step: &str) -> String {
    format!("  - {{id: {id}, title: of {id}, covers: [C-1], {more}steps: [{step}]}}\n")
}

fn cases(all: &[String]) -> String {
    format!("\ncases:\n{}", all.concat())
}

fn staged(stage: &Stage, cases: &str) -> Lab {
    let lab = Lab::new(cases);
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &settings.replace(&lab.server.origin(), &stage.origin));
    lab
}

fn verify(lab: &Lab) -> Ran {
    done(&lab.command(&["verify"]).output().unwrap())
}

/// The steps, each with the entries of its intent and its commit.
pub(crate) fn spans(dir: &Path) -> Vec<(String, usize, usize)> {
    let entries = journal(dir);
    let of = |kind: &str, step: &Value| {
        entries.iter().position(|entry| entry["kind"] == kind && entry["body"]["step"] == *step).unwrap()
    };
    let intents = entries.iter().filter(|entry| entry["kind"] == "action.intent");
    intents
        .map(|entry| {
            let step = &entry["body"]["step"];
            (step.as_str().unwrap().to_owned(), of("action.intent", step), of("action.commit", step))
        })
        .collect()
}

fn span(dir: &Path, step: &str) -> (usize, usize) {
    let found = spans(dir).into_iter().find(|(other, ..)| other == step);
    let (_, from, to) = found.unwrap_or_else(|| panic!("{step} has a record"));
    (from, to)
}

/// How many actions were under way at once at the most.
fn most_at_once(dir: &Path) -> usize {
    let (mut now, mut most) = (0, 0);
    for entry in journal(dir) {
        match entry["kind"].as_str() {
            Some("action.intent") => now += 1,
            Some("action.commit") => now -= 1,
            _ => {}
        }
        most = most.max(now);
    }
    most
}

#[test]
fn cases_that_wait_for_each_other_pass_side_by_side() {
    let stage = Stage::start(|name, asked| {
        let other = if name == "GET /a" { "GET /b" } else { "GET /a" };
        if asked.wait(other, 1) { whole(200, "", "{\"met\":true}") } else { whole(500, "", "{}") }
    });
    let meet = |path: &str| format!("{{http: GET {path}, expect: {{status: 200, json: {{met: true}}}}}}");
    let lab = staged(&stage, &cases(&[case("A-1", "", &meet("/a")), case("B-1", "", &meet("/b"))]));
    let ran = lab.run(&["--jobs", "2"]);
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(most_at_once(&lab.only()), 2);
    assert_eq!(verify(&lab).exit, 0, "{}", verify(&lab).said());
    assert_eq!(bodies(&lab.only(), "run.opened")[0]["options"]["jobs"], 2);
}

#[test]
fn alone_they_would_wait_in_vain() {
    let stage = Stage::start(|name, asked| {
        let other = if name == "GET /a" { "GET /b" } else { "GET /a" };
        if asked.wait(other, 1) { whole(200, "", "{\"met\":true}") } else { whole(500, "", "{}") }
    });
    let meet =
        |path: &str| format!("{{http: GET {path}, timeout: 300ms, expect: {{status: 200, json: {{met: true}}}}}}");
    let lab = staged(&stage, &cases(&[case("A-1", "", &meet("/a")), case("B-1", "", &meet("/b"))]));
    let ran = lab.run(&[]);
    assert_eq!((ran.exit, most_at_once(&lab.only())), (5, 1), "{}", ran.said());
}

#[test]
fn commands_run_side_by_side_too() {
    let script = "touch here-$1; n=0; while [ ! -e here-$2 ]; do n=$((n+1)); [ $n -gt 400 ] && exit 1; sleep 0.05; done; echo met\n";
    let step = |own: &str, other: &str| {
        format!("{{run: [sh, tools/meet.sh, {own}, {other}], expect: {{exit: 0, text: met}}}}")
    };
    let all = cases(&[case("A-1", "", &step("a", "b")), case("B-1", "", &step("b", "a"))]).replace("C-1", "C-3");
    let lab = Lab::new(&all);
    lab.write("tools/meet.sh", script);
    let ran = lab.run(&["--jobs", "2"]);
    assert_eq!((ran.exit, most_at_once(&lab.only())), (0, 2), "{}", ran.said());
    assert_eq!(verify(&lab).exit, 0);
}

#[test]
fn a_case_begins_after_what_it_uses_has_ended_and_nobody_else_waits() {
    // The first answers only once a case that does not use it was asked for.
    let stage = Stage::start(|name, asked| {
        if name == "GET /first" && !asked.wait("GET /free", 1) {
            return whole(500, "", "{}");
        }
        whole(200, "", "{\"id\":\"17\"}")
    });
    let get = |path: &str| format!("{{http: \"GET {path}\", expect: {{status: 200, json: {{id: \"17\"}}}}}}");
    let first = case("FIRST-1", "", &get("/first").replace("}}}", "}}, save: {id: id}}"));
    let first = first.replace("steps:", "cleanup: [{http: DELETE /first, expect: {status: 200}}], steps:");
    let lab = staged(
        &stage,
        &cases(&[
            case("NAMES-1", "", &get("/named/{FIRST-1.id}")),
            case("USES-1", "uses: [FIRST-1], ", &get("/used/{id}")),
            first,
            case("FREE-1", "", &get("/free")),
        ]),
    );
    let ran = lab.run(&["--jobs", "8"]);
    let dir = lab.only();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    let (cleaned, free) = (span(&dir, "FIRST-1.2").1, span(&dir, "FREE-1.1"));
    for after in ["USES-1.1", "NAMES-1.1"] {
        assert!(span(&dir, after).0 > cleaned, "{after}: {:?}", spans(&dir));
    }
    assert!(free.0 < span(&dir, "FIRST-1.1").1, "{:?}", spans(&dir));
    assert_eq!(verify(&lab).exit, 0, "{}", verify(&lab).said());
}

#[test]
fn a_case_that_fails_disturbs_no_other() {
    let get = |path: &str| format!("{{http: GET {path}, expect: {{status: 200, text: x}}}}");
    let two = |path: &str| format!("{}, {}", get(path), get("/bytes?20"));
    let all = [
        case("GOOD-1", "", &two("/bytes?10")),
        case("BAD-1", "cleanup: [{http: DELETE /items/1, expect: {status: 404}}], ", &two("/status/500")),
        case("GOOD-2", "", &two("/slow?150").replacen("text: x", "text: slow", 1)),
        case("LATE-1", "", &two("/slow?9000").replacen("/slow?9000,", "/slow?9000, timeout: 100ms,", 1)),
    ];
    let lab = Lab::new(&cases(&all));
    let ran = lab.run(&["--jobs", "4"]);
    let dir = lab.only();
    assert_eq!(ran.exit, 1, "{}", ran.said());
    let found: BTreeSet<String> =
        steps(&dir).into_iter().map(|(step, status, ..)| format!("{step} {status}")).collect();
    let expected = [
        "BAD-1.1 failed",
        "BAD-1.2 skipped",
        "BAD-1.3 passed",
        "GOOD-1.1 passed",
        "GOOD-1.2 passed",
        "GOOD-2.1 passed",
        "GOOD-2.2 passed",
        "LATE-1.1 error",
        "LATE-1.2 skipped",
    ];
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected);
    assert_eq!(verify(&lab).exit, 1, "{}", verify(&lab).said());
    // Each case has its line, whole, when it ends.
    let lines: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("-1  ") || line.contains("-2  ")).collect();
    assert_eq!(lines.len(), 4, "{}", ran.stderr);
    assert!(lines.iter().all(|line| line.ends_with("passed") || line.contains(" at step 1")), "{lines:?}");
}

/// Three cases that have made something and are at something slow, and one that has not begun.
fn three_under_way() -> String {
    let step = "{http: POST /items, json: {name: mug}, expect: {status: 201, json: {name: mug}}, save: {item: id}}, \
                {http: GET /slow?60000, timeout: 50s, expect: {status: 200, text: slow}}";
    let cleanup = "cleanup: [{http: \"DELETE /items/{item}\", expect: {status: 204}}], ";
    cases(&["A-1", "B-1", "C-1", "D-1"].map(|id| case(id, cleanup, step)))
}

fn slow(lab: &Lab) -> usize {
    lab.server.hits().iter().filter(|hit| hit.target.starts_with("/slow")).count()
}

#[test]
fn an_interrupt_stops_and_cleans_up_all_that_is_under_way() {
    let lab = Lab::new(&three_under_way());
    let child = lab.command(&["run", "--jobs", "3"]).spawn().unwrap();
    lab.wait(|| slow(&lab) == 3);
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let ran = done(&child.wait_with_output().unwrap());
    let dir = lab.only();
    assert_eq!(ran.exit, 130, "{}", ran.said());
    assert!(reasons(&dir).contains(&"run_cancelled".to_owned()), "{:?}", reasons(&dir));
    assert_eq!((bodies(&dir, "run.cancelled").len(), outcome(&dir).as_str()), (1, "inconclusive"));
    let cancelled = journal(&dir).iter().position(|entry| entry["kind"] == "run.cancelled").unwrap();
    for (step, from, _) in spans(&dir).into_iter().filter(|(_, from, _)| *from > cancelled) {
        let left = journal(&dir)[from]["body"]["call"].is_null();
        assert!(left || step.ends_with(".3"), "{step} was sent after the wish");
    }
    for id in ["A-1", "B-1", "C-1"] {
        let of: Vec<String> = steps(&dir)
            .into_iter()
            .filter(|step| step.0.starts_with(id))
            .map(|step| format!("{} {}", step.1, step.2))
            .collect();
        assert_eq!(of, ["passed -", "error cancelled", "passed -"], "{id}");
    }
    // What had not begun made nothing, so nothing is taken away.
    let last: Vec<bool> = steps(&dir).into_iter().filter(|step| step.0.starts_with("D-1")).map(|step| step.3).collect();
    assert_eq!(last, [false; 3]);
    assert_eq!(lab.server.hits().iter().filter(|hit| hit.method == "DELETE").count(), 3);
    assert_eq!(verify(&lab).exit, 5, "{}", verify(&lab).said());
}

#[test]
fn killed_with_several_under_way_it_is_cleaned_up_and_says_what_is_not_known() {
    // One of three is at something that may not be sent again.
    let all = three_under_way();
    let (before, rest) = all.split_at(all.find("  - {id: B-1").unwrap());
    let rest = rest.replacen("http: GET /slow", "http: POST /slow", 1);
    let lab = Lab::new(&format!("{before}{rest}"));
    let mut child = lab.command(&["run", "--jobs", "3"]).spawn().unwrap();
    lab.wait(|| slow(&lab) == 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let dir = lab.only();
    let open = bodies(&dir, "action.intent").len() - bodies(&dir, "action.commit").len();
    assert_eq!((open, verify(&lab).exit), (3, 5), "{}", verify(&lab).said());
    let ran = lab.run(&["--resume", &dir.file_name().unwrap().to_string_lossy()]);
    assert_eq!(ran.exit, 3, "{}", ran.said());
    let codes = reasons(&dir);
    for code in ["action_reconciliation_required", "attempt_lost"] {
        assert!(codes.contains(&code.to_owned()), "{code}: {codes:?}");
    }
    assert_eq!(lab.server.hits().iter().filter(|hit| hit.method == "DELETE").count(), 3, "{}", ran.said());
    assert_eq!(slow(&lab), 3, "nothing is sent again");
    assert_eq!(verify(&lab).exit, 3, "{}", verify(&lab).said());
}

#[test]
fn the_probes_of_a_run_are_exactly_kept_by_eight_at_once() {
    let get = "{http: GET /bytes?10, expect: {status: 200, text: x}}";
    let poll = "{http: GET /status/404, poll: {every: 50ms, for: 30s}, expect: {status: 200}}";
    let all: Vec<String> = (0..20)
        .map(|n| case(&format!("X-{n}"), "", &if n % 3 == 0 { format!("{get}, {poll}") } else { [get; 3].join(", ") }))
        .collect();
    let lab = Lab::new(&cases(&all));
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &format!("{settings}limits: {{probes: 33, jobs: 8}}\n"));
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 5, "{}", ran.said());
    let probes: u64 = bodies(&dir, "action.commit").iter().map(|commit| commit["probes"].as_u64().unwrap()).sum();
    assert_eq!((probes, lab.settled()), (33, 33));
    assert_eq!(bodies(&dir, "budget.exceeded").len(), 1);
    assert!(most_at_once(&dir) > 1);
    assert_eq!(verify(&lab).exit, 5, "{}", verify(&lab).said());
}

#[test]
fn the_output_of_a_run_is_kept_by_commands_side_by_side() {
    let step = "{run: [sh, tools/much.sh], expect: {exit: 0, text: x}}";
    let all: Vec<String> = (0..6).map(|n| case(&format!("X-{n}"), "", step)).collect();
    let lab = Lab::new(&cases(&all).replace("C-1", "C-3"));
    lab.write("tools/much.sh", "head -c 1000000 /dev/zero | tr '\\\\0' x; sleep 1\n");
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &format!("{settings}limits: {{output: 4MiB}}\n"));
    let ran = lab.run(&["--jobs", "6"]);
    let dir = lab.only();
    assert_eq!(ran.exit, 5, "{}", ran.said());
    let limited = steps(&dir).iter().filter(|step| step.2 == "output_limit").count();
    assert!(limited > 0, "{:?}", steps(&dir));
    assert_eq!(verify(&lab).exit, 5, "{}", verify(&lab).said());
}

#[test]
fn what_one_case_learns_does_not_stand_in_what_another_has_read() {
    const SECRET: &str = "Zq8vT3nLw0Xk6RbY";
    // A's first answer says it in a header, in which nobody would look for a secret; B's says that it is one while A asks
    // again; the rest of A's answers are cut off, so that the first is what A saw.
    let stage = Stage::start(|name, asked| match name {
        "GET /job" if asked.all().iter().filter(|one| *one == "GET /job").count() == 1 => {
            whole(200, &format!("x-note: {SECRET}\r\n"), "{\"state\":\"pending\"}")
        }
        "GET /job" => {
            asked.wait("GET /after", 1);
            cut("{\"state\":")
        }
        "POST /login" => {
            asked.wait("GET /job", 2);
            whole(200, "", &format!("{{\"access_token\":\"{SECRET}\"}}"))
        }
        _ => whole(200, "", "{\"ok\":true}"),
    });
    let job = "{http: GET /job, poll: {every: 50ms, for: 60s, tries: 2}, expect: {status: 200, json: {state: ready}}}";
    let login = "{http: POST /login, expect: {status: 200, json: {access_token: {type: string}}}}, \
                 {http: GET /after, expect: {status: 200, json: {ok: true}}}";
    let lab = staged(&stage, &cases(&[case("A-1", "", job), case("B-1", "", login)]));
    let ran = lab.run(&["--jobs", "2"]);
    let dir = lab.only();
    assert_eq!(ran.exit, 1, "{}", ran.said());
    let commit = bodies(&dir, "action.commit").into_iter().find(|commit| commit["step"] == "A-1.1").unwrap();
    assert!(commit.to_string().contains("x-note"), "{commit}");
    assert!(!journal_text(&dir).contains(SECRET), "{commit}");
    assert!(!reasons(&dir).contains(&"secret_kept".to_owned()), "{:?}", reasons(&dir));
    assert_eq!(verify(&lab).exit, 1, "{}", verify(&lab).said());
}

#[test]
fn two_hundred_cases_come_to_what_they_come_to_one_after_another() {
    let all: Vec<String> = (0..200)
        .map(|n| {
            let status = if n == 77 { 500 } else { 200 };
            let get = format!("{{http: GET /status/{status}, expect: {{status: 200}}}}");
            let more = format!("{{http: GET /bytes?{}, expect: {{status: 200, text: x}}}}", 10 + n);
            case(&format!("X-{n}"), "", &format!("{more}, {get}"))
        })
        .collect();
    let lab = Lab::new(&cases(&all));
    let mut seen = Vec::new();
    for jobs in ["1", "8"] {
        let ran = lab.run(&["--jobs", jobs]);
        assert_eq!(ran.exit, 1, "{}", ran.said());
        assert_eq!(verify(&lab).exit, 1, "{}", verify(&lab).said());
        let dir = lab.only();
        seen.push((views(&dir), most_at_once(&dir)));
        std::fs::remove_dir_all(dir).unwrap();
    }
    let (eight, one) = (seen.pop().unwrap(), seen.pop().unwrap());
    assert!(one.1 == 1 && eight.1 > 1, "{} and {} at once", one.1, eight.1);
    assert_eq!(one.0, eight.0);
}

/// Views of a run, without what is its own: its id, its marker, its times.
fn views(dir: &Path) -> Vec<(String, String)> {
    let opened = &bodies(dir, "run.opened")[0];
    let own = [dir.file_name().unwrap().to_str().unwrap(), opened["marker"].as_str().unwrap()];
    let times =
        regex::Regex::new(r#""\d{4}-\d\d-\d\dT[^"]*"|\w{3}, [^"]* GMT|"(total|time|duration)\w*": ?\d+"#).unwrap();
    let mut found = Vec::new();
    for name in ["results.json", "evidence-ledger.json", "requirement-coverage.json", "qa-verdict.json", "defects.json"]
    {
        let mut text = std::fs::read_to_string(dir.join(name)).unwrap();
        for word in own {
            text = text.replace(word, "OWN");
        }
        found.push((name.to_owned(), times.replace_all(&text, "TIME").into_owned()));
    }
    found
}

#[test]
fn how_many_is_said_by_a_flag_a_variable_or_the_settings() {
    let lab = Lab::new(&cases(&[case("A-1", "", "{http: GET /bytes?10, expect: {status: 200, text: x}}")]));
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    let sealed = || {
        let dir = lab.only();
        let jobs = bodies(&dir, "run.opened")[0]["options"]["jobs"].as_u64().unwrap();
        std::fs::remove_dir_all(dir).unwrap();
        jobs
    };
    let with = |args: &[&str], variable: Option<&str>| {
        let mut command = lab.command(&[&["run"], args].concat());
        variable.map(|value| command.env("PROBITY_JOBS", value));
        done(&command.output().unwrap())
    };
    assert_eq!((with(&[], None).exit, sealed()), (0, 1));
    lab.write("probity.yaml", &format!("{settings}limits: {{jobs: 5}}\n"));
    assert_eq!((with(&[], None).exit, sealed()), (0, 5));
    assert_eq!((with(&[], Some("6")).exit, sealed()), (0, 6));
    assert_eq!((with(&["--jobs", "7"], Some("6")).exit, sealed()), (0, 7));
    for wrong in ["0", "65", "many"] {
        let ran = with(&["--jobs", wrong], None);
        assert!(ran.exit == 2 && ran.stderr.contains("--jobs"), "{wrong}: {}", ran.said());
    }
    lab.write("probity.yaml", &format!("{settings}limits: {{jobs: 65}}\n"));
    assert_eq!((with(&[], None).exit, lab.runs().len()), (2, 0));
}
