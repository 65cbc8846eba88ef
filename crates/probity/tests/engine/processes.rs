//! Runs that are stopped, killed, locked or out of their budget, and the process vectors of the reference.
//!
//! Vectors 400, 402 and 407 cannot occur: an operating system's lock is neither lost nor malformed, and nothing of a lost
//! run is tried again.

use std::process::Child;
use std::time::Duration;

use probity_testkit::server::{Act, Server};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::lab::{Lab, Ran, bodies, came_to, done, journal_text, outcome, reasons, steps};
use crate::outcomes::WHOLE;

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

fn vector(id: &str) -> Value {
    let path = format!("{}/tests/fixtures/vectors/{id}.json", env!("CARGO_MANIFEST_DIR"));
    let vector: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    vector["expected_upstream"].clone()
}

/// An item is made, something slow goes on, the item is taken away.
const SLOW: &str = "
cases:
  - id: SLOW-1
    title: something slow
    covers: [C-1]
    steps:
      - {http: POST /items, json: {name: mug}, expect: {status: 201, json: {name: mug}}, save: {item: id}}
      - {http: GET /slow?400, expect: {status: 200, text: slow}}
      - {http: GET /bytes?9000, expect: {status: 200, text: xx}}
    cleanup:
      - {http: \"DELETE /items/{item}\", expect: {status: 204}}
";

fn deletes(lab: &Lab) -> usize {
    lab.server.hits().iter().filter(|hit| hit.method == "DELETE").count()
}

#[test]
fn an_interrupt_cleans_up_and_closes_as_cancelled() {
    let lab = Lab::new(&SLOW.replace("400", "8000"));
    for (name, how) in [("interrupt", Signal::INT), ("terminate", Signal::TERM)] {
        let child = lab.start_until(&[], "/slow?8000");
        signal(&child, how);
        let ran = done(&child.wait_with_output().unwrap());
        assert_eq!(ran.exit, 130, "{name} {}", ran.said());
        let dir = lab.only();
        assert!(reasons(&dir).contains(&"run_cancelled".to_owned()), "{:?}", reasons(&dir));
        assert_eq!((bodies(&dir, "run.cancelled").len(), outcome(&dir).as_str()), (1, "inconclusive"));
        let codes: Vec<String> = steps(&dir).into_iter().map(|step| format!("{} {}", step.1, step.2)).collect();
        assert_eq!(codes, ["passed -", "error cancelled", "skipped step_skipped", "passed -"]);
        std::fs::remove_dir_all(dir).unwrap();
    }
    assert_eq!(deletes(&lab), 2);
}

#[test]
fn an_interrupt_ends_repeated_runs() {
    let lab = Lab::new(&SLOW.replace("400", "8000"));
    let child = lab.start_until(&["--repeat", "5"], "/slow?8000");
    signal(&child, Signal::INT);
    let ran = done(&child.wait_with_output().unwrap());
    assert_eq!((ran.exit, lab.runs().len()), (130, 1), "{}", ran.said());
    assert_eq!(deletes(&lab), 1);
}

#[test]
fn an_interrupt_in_the_last_step_does_not_cut_the_identity() {
    let lab = Lab::new(
        "\ncases:\n  - {id: S-1, title: slow, covers: [C-1], steps: [{http: GET /slow?8000, expect: {status: 200, text: slow}}]}\n",
    );
    let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write(
        "probity.yaml",
        &settings.replace("disposable", "disposable, identity: {http: GET /version, json: build}"),
    );
    let child = lab.start_until(&[], "/slow?8000");
    signal(&child, Signal::INT);
    assert_eq!(done(&child.wait_with_output().unwrap()).exit, 130);
    let dir = lab.only();
    assert_eq!(outcome(&dir), "inconclusive");
    assert!(!reasons(&dir).contains(&"subject_changed".to_owned()), "{:?}", reasons(&dir));
}

#[test]
fn an_interrupt_between_two_tries_is_no_failure() {
    let lab = Lab::new(
        "\ncases:\n  - {id: P-1, title: poll, covers: [C-1], steps: [{http: GET /poll/99, poll: {every: 20s, for: 60s}, expect: {status: 200, json: {state: ready}}}]}\n",
    );
    let child = lab.start_until(&[], "evidence.captured");
    signal(&child, Signal::INT);
    let begun = std::time::Instant::now();
    assert_eq!(done(&child.wait_with_output().unwrap()).exit, 130);
    assert!(begun.elapsed() < Duration::from_secs(10), "the pause was waited for");
    let dir = lab.only();
    assert_eq!(steps(&dir)[0].2, "cancelled");
    assert_eq!(outcome(&dir), "inconclusive");
}

#[test]
fn a_budget_that_ends_leaves_its_reserve_to_cleanup() {
    for limits in ["limits: {probes: 2}", "limits: {probes: 3}", "limits: {time: 4s}"] {
        let lab = Lab::new(&SLOW.replace("400", "3000"));
        let settings = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
        lab.write("probity.yaml", &format!("{settings}{limits}\n"));
        let (ran, dir) = lab.one();
        assert_eq!(ran.exit, 5, "{limits}: {}", ran.said());
        assert!(reasons(&dir).contains(&"budget_exceeded".to_owned()), "{:?}", reasons(&dir));
        assert_eq!(deletes(&lab), 1, "{limits}: {:?}", steps(&dir));
    }
}

#[test]
fn vector_401_a_second_writer_is_kept_out() {
    let required = vector("401-competing-writer");
    let lab = Lab::new(&SLOW.replace("400", "1500"));
    let first = lab.start_until(&[], "/slow?1500");
    let dir = lab.only();
    let before = journal_text(&dir);
    let run = dir.file_name().unwrap().to_str().unwrap().to_owned();
    let second = lab.run(&["--resume", &run]);
    assert!(second.exit == 3 && second.stderr.contains("run_locked"), "{}", second.said());
    assert_eq!(required["first_lease_bytes_unchanged"], true);
    assert_eq!(journal_text(&dir), before, "the second one wrote nothing");
    let first = done(&first.wait_with_output().unwrap());
    assert_eq!(first.exit, 0, "{}", first.said());
    assert!(!journal_text(&dir).contains("\"resumed\""));
    // A holder that was killed needs no take-over: the lock went with it.
    let mut child = lab.command(&["run"]).spawn().unwrap();
    lab.wait(|| lab.runs().len() == 2 && came_to(&lab.runs()[1], "/slow?1500"));
    child.kill().unwrap();
    child.wait().unwrap();
    let ran = lab.run(&["--resume", lab.runs()[1].file_name().unwrap().to_str().unwrap()]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
}

fn of_script(script: &str, limit: &str, settings: &str) -> (Lab, Value, Vec<String>, i32) {
    let lab = Lab::new(&format!(
        "\ncases:\n  - {{id: P-1, title: program, covers: [C-3], steps: [{{run: [sh, tools/it.sh]{limit}, expect: {{exit: 0, text: done}}}}]}}\n"
    ));
    lab.write("tools/it.sh", script);
    let text = std::fs::read_to_string(lab.dir.path().join("probity.yaml")).unwrap();
    lab.write("probity.yaml", &format!("{text}{settings}"));
    let (ran, dir) = lab.one();
    let commit = bodies(&dir, "action.commit")[0].clone();
    let found = reasons(&dir);
    assert_eq!(outcome(&dir), "inconclusive", "{}", ran.said());
    (lab, commit, found, ran.exit)
}

#[test]
fn vector_403_an_output_flood_is_inconclusive() {
    let required = vector("403-output-flood");
    let script = "echo done\nwhile :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done\n";
    let (_lab, commit, reasons, exit) = of_script(script, "", "limits: {output: 64KiB}\n");
    assert_eq!((exit, commit["status"].as_str(), commit["code"].as_str()), (5, Some("error"), Some("output_limit")));
    assert!(reasons.contains(&"output_limit".to_owned()), "{reasons:?}");
    assert_eq!(commit["observation"]["termination"], required["termination_reason"]);
    assert!(
        commit["output_bytes"].as_u64().unwrap() > commit["observation"]["stdout"]["kept"]["bytes"].as_u64().unwrap()
    );
}

#[test]
fn vector_404_exit_0_of_a_stopped_program_is_no_success() {
    let required = vector("404-term-trapped");
    let script = "trap '' TERM\necho done\ni=0; while [ $i -lt 50 ]; do sleep 0.01; i=$((i+1)); done\nexit 0\n";
    let (_lab, commit, reasons, exit) = of_script(script, ", timeout: 80ms", "");
    assert_eq!(
        (exit, commit["status"].as_str(), commit["code"].as_str()),
        (5, Some("error"), Some("answer_incomplete"))
    );
    assert!(reasons.contains(&"answer_incomplete".to_owned()), "{reasons:?}");
    assert_eq!(commit["observation"]["termination"], required["termination_reason"]);
    assert_eq!(commit["observation"]["term_sent"], required["term_sent"]);
}

#[test]
fn vector_405_a_process_that_is_left_over_is_inconclusive() {
    let required = vector("405-grandchild-left");
    let (_lab, commit, reasons, exit) = of_script("sleep 60 >/dev/null 2>&1 &\necho done\n", "", "");
    assert_eq!((exit, commit["status"].as_str(), commit["code"].as_str()), (5, Some("error"), Some("group_leftover")));
    assert!(reasons.contains(&"group_leftover".to_owned()), "{reasons:?}");
    assert_eq!(required["process_group_cleanup"], true);
    assert_eq!(commit["observation"]["termination"], "process_group_cleanup");
}

#[test]
fn vector_406_a_request_that_may_have_had_an_effect_is_not_sent_again() {
    let required = vector("406-crash-after-intent-nonidempotent");
    let script = vec![Act::Read, Act::Hang];
    // The bare connection of the preflight sends nothing, so its script waits for ever as well.
    let lab = Lab::with(Server::scripted(vec![script]), SLOW);
    let mut child = lab.start_until(&[], "action.intent");
    lab.wait(|| !lab.server.hits().is_empty());
    child.kill().unwrap();
    child.wait().unwrap();
    let sent = lab.server.hits().len();
    let dir = lab.only();
    assert_eq!(bodies(&dir, "action.commit").len(), 0);
    let ran = lab.run(&["--resume", dir.file_name().unwrap().to_str().unwrap()]);
    assert_eq!(ran.exit, required["runner_exit_code"].as_i64().unwrap() as i32, "{}", ran.said());
    assert!(reasons(&dir).contains(&required["code"].as_str().unwrap().to_owned()), "{:?}", reasons(&dir));
    assert_eq!(lab.server.hits().len() - sent, required["requests_sent_after_restart"].as_u64().unwrap() as usize);
    assert_eq!(outcome(&dir), "blocked");
    // A closed run is never written again.
    let closed = journal_text(&dir);
    let again = lab.run(&["--resume", dir.file_name().unwrap().to_str().unwrap()]);
    assert_eq!((again.exit, journal_text(&dir)), (3, closed));
}

#[test]
fn vector_409_a_script_that_changed_is_not_started() {
    let required = vector("409-command-file-changed");
    let lab = Lab::new(
        "
cases:
  - id: P-1
    title: program
    covers: [C-3]
    steps:
      - {http: GET /slow?600, expect: {status: 200, text: slow}, covers: []}
      - {run: [sh, tools/it.sh], expect: {exit: 0, text: done}}
",
    );
    lab.write("tools/it.sh", "echo done\n");
    let child = lab.start_until(&[], "/slow?600");
    lab.write("tools/it.sh", "touch spawned\necho done\n");
    let ran = done(&child.wait_with_output().unwrap());
    assert_eq!(ran.exit, required["runner_exit_code"].as_i64().unwrap() as i32, "{}", ran.said());
    assert_eq!(lab.dir.path().join("spawned").exists(), required["spawned"].as_bool().unwrap());
    assert!(reasons(&lab.only()).contains(&"command_changed".to_owned()));
}

#[test]
fn a_lost_run_is_cleaned_up_and_closed() {
    let lab = Lab::new(&SLOW.replace("400", "8000"));
    let mut child = lab.start_until(&[], "/slow?8000");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(deletes(&lab), 0);
    let dir = lab.only();
    let ran = lab.run(&["--resume", dir.file_name().unwrap().to_str().unwrap()]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert_eq!(deletes(&lab), 1);
    assert!(reasons(&dir).contains(&"attempt_lost".to_owned()), "{:?}", reasons(&dir));
    let gets = lab.server.hits().iter().filter(|hit| hit.path() == "/slow").count();
    // Killed right after its intent, the step may not have left.
    assert!(gets <= 1, "nothing but cleanup is sent");
    let last = steps(&dir).pop().unwrap();
    assert_eq!((last.0.as_str(), last.1.as_str()), ("SLOW-1.4", "passed"));
}

#[test]
fn cleanup_of_a_lost_run_starts_no_program_that_changed() {
    let plan = format!("{SLOW}      - {{run: [sh, tools/it.sh], expect: {{exit: 0}}}}\n").replace("400", "8000");
    for changed in [true, false] {
        let lab = Lab::new(&plan);
        lab.write("tools/it.sh", "echo done\n");
        let mut child = lab.start_until(&[], "/slow?8000");
        child.kill().unwrap();
        child.wait().unwrap();
        if changed {
            lab.write("tools/it.sh", "touch spawned\n");
        }
        let dir = lab.only();
        let ran = lab.run(&["--resume", dir.file_name().unwrap().to_str().unwrap()]);
        let last = steps(&dir).pop().unwrap();
        assert_eq!(last.2 == "command_changed", changed, "{last:?} {}", ran.said());
        assert!(ran.exit != 6 && !lab.dir.path().join("spawned").exists(), "{}", ran.said());
    }
}

#[test]
fn a_run_from_elsewhere_sends_nothing_when_it_is_taken_up() {
    let lab = Lab::new(&SLOW.replace("400", "8000"));
    let mut child = lab.start_until(&[], "/slow?8000");
    child.kill().unwrap();
    child.wait().unwrap();
    let dir = lab.only();
    let elsewhere = lab.dir.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let moved = elsewhere.join(dir.file_name().unwrap());
    std::fs::rename(&dir, &moved).unwrap();
    let ran = lab.run(&["--resume", moved.to_str().unwrap()]);
    assert_eq!(ran.exit, 5, "{}", ran.said());
    assert_eq!((deletes(&lab), outcome(&moved).as_str()), (0, "inconclusive"));
}

/// A program that writes where the run is written down: where the system allows it, it cannot; elsewhere it is found out.
#[test]
fn a_program_does_not_write_into_its_run() {
    let evil = || {
        let lab = Lab::new(
            "
cases:
  - id: EVIL-1
    title: a program that writes where it should not
    covers: [C-3]
    steps:
      - {run: [sh, tools/evil.sh], expect: {exit: 0, text: tried it}}
",
        );
        lab.write(
            "tools/evil.sh",
            "for file in probity-runs/*/journal.jsonl probity-runs/index.jsonl; do echo '{}' >> \"$file\"; done 2>/dev/null
mkdir probity-runs/*/evidence/zz 2>/dev/null
touch mine && echo tried it
",
        );
        lab
    };
    let found_out = |lab: &Lab, ran: &Ran| {
        assert!(lab.dir.path().join("mine").is_file(), "{}", ran.said());
        assert!(ran.exit == 6 && ran.stderr.contains("index_broken"), "{}", ran.said());
        assert_eq!(bodies(&lab.only(), "run.opened")[0]["isolation"], "none");
    };
    let lab = evil();
    let ran = lab.run(&[]);
    if bodies(&lab.only(), "run.opened")[0]["isolation"] == "none" {
        return found_out(&lab, &ran);
    }
    assert!(lab.dir.path().join("mine").is_file(), "{}", ran.said());
    assert!(ran.exit == 0 && ran.stdout.contains("isolation mount_namespace"), "{}", ran.said());
    assert!(!lab.only().join("evidence/zz").exists(), "{}", ran.said());
    assert_eq!(done(&lab.command(&["verify"]).output().unwrap()).exit, 0);
    // The same without the right to mount.
    let lab = evil();
    let program = lab.command(&[]).get_program().to_owned();
    let mut without = std::process::Command::new("setpriv");
    without.args(["--bounding-set=-sys_admin", "--"]).arg(program).arg("run").current_dir(lab.dir.path());
    let ran = done(&without.output().unwrap());
    found_out(&lab, &ran);
}

#[test]
fn killed_at_any_moment_it_has_an_answer_and_never_a_pass() {
    let plan = WHOLE.replace("GET /bytes?6000", "GET /slow?60").replace("text: xxxx", "text: slow");
    let mut seen = std::collections::BTreeMap::new();
    for moment in 0..48 {
        let lab = Lab::new(&plan);
        lab.write("tools/count.sh", "sleep 0.05; echo '1 line'\n");
        let mut child = lab.command(&["run"]).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(moment * moment / 3));
        child.kill().unwrap();
        child.wait().unwrap();
        let runs = lab.runs();
        let closed = runs.first().is_some_and(|dir| {
            journal_text(dir).contains("\"kind\":\"run.closed\"") && journal_text(dir).ends_with('\n')
        });
        let opened = runs.first().is_some_and(|dir| journal_text(dir).contains('\n'));
        let sent = lab.settled();
        let name = runs.first().map_or("20", |dir| dir.file_name().unwrap().to_str().unwrap()).to_owned();
        let ran = lab.run(&["--resume", &name]);
        *seen.entry((opened, closed, ran.exit)).or_insert(0) += 1;
        match (opened, closed) {
            (_, true) => assert_eq!(ran.exit, 0, "{}", ran.said()),
            (true, false) => assert!(matches!(ran.exit, 3 | 5), "{}", ran.said()),
            (false, false) => assert!(ran.exit == 2 && ran.stderr.contains('['), "{}", ran.said()),
        }
        let after: Vec<String> = lab.server.hits()[sent..].iter().map(|hit| hit.method.clone()).collect();
        assert!(after.iter().all(|method| method == "DELETE" || method == "GET"), "{after:?}");
        if opened {
            let again = lab.run(&["--resume", &name]);
            assert_eq!(again.exit, ran.exit, "{}", again.said());
        }
    }
    assert!(seen.len() >= 3, "{seen:?}");
}
