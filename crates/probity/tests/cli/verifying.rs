//! `verify` and the commands that read a run: demands, trust, broken and foreign folders.

use crate::place::{PASSES, Place};

fn passed() -> Place {
    let place = Place::with_service().plan(PASSES);
    assert_eq!(place.probity("run").code, 0);
    place
}

#[test]
fn demands_are_met_or_refused() {
    let place = passed();
    let seal = place.probity("verify --format json").json()["seal"].as_str().unwrap().to_owned();
    let digest = probity_core::ids::Digest::of(PASSES.as_bytes());
    std::fs::create_dir(place.path().join("seed")).unwrap();
    let expanded = place.probity("plan expand --format json").json();
    place.write("requirement.md", expanded["requirement"].as_str().unwrap());
    std::fs::copy(place.run_folder().join("test-plan.json"), place.path().join("seed/test-plan.json")).unwrap();
    let met = [
        format!("--seal {seal}"),
        format!("--plan {digest}"),
        "--plan order.probity.yaml".to_owned(),
        "--plan seed".to_owned(),
        "--requirement requirement.md".to_owned(),
        "--environment local".to_owned(),
        "--max-age 1d".to_owned(),
        "--index probity-runs/index.jsonl".to_owned(),
    ];
    for flag in met {
        let ran = place.probity(&format!("verify {flag}"));
        assert_eq!(ran.code, 0, "{flag}: {ran}");
    }
    let unmet = [
        ("--seal 18:0000000000000000", "seal"),
        ("--plan 0000000000000000000000000000000000000000000000000000000000000000", "plan"),
        ("--plan probity.yaml", "plan"),
        ("--requirement order.probity.yaml", "requirement"),
        ("--environment staging", "environment"),
        ("--subject 2026.11", "subject"),
        ("--max-age 0s", "max-age"),
        ("--require-signature", "require-signature"),
    ];
    for (flag, name) in unmet {
        let ran = place.probity(&format!("verify {flag}"));
        assert_eq!(ran.code, 6, "{flag}: {ran}");
        assert!(ran.stdout.contains("exit 6") && !ran.stdout.contains("\nPASSED"), "{flag}: {ran}");
        let answer = place.probity(&format!("verify {flag} --integrity-only --format json"));
        assert_eq!(answer.code, 6, "{flag}");
        let answer = answer.json();
        let demand = answer["demands"].as_array().unwrap().iter().find(|demand| demand["name"] == name).unwrap();
        assert_eq!((demand["met"].as_bool(), answer["can_claim_pass"].as_bool()), (Some(false), Some(false)), "{flag}");
        assert_eq!(answer["findings"][0]["code"], "demand_unmet", "{flag}");
        assert_eq!(answer["status"], serde_json::Value::Null, "{flag}");
    }
    for flag in ["--plan absent.yaml", "--index absent", "--allowed-signers absent", "--max-age soon", "--seal x"] {
        assert_eq!(place.probity(&format!("verify {flag}")).code, 2, "{flag}");
    }
}

#[test]
fn the_environment_says_nothing_of_what_is_trusted() {
    let place = passed();
    let tried = [
        ("PROBITY_ALLOWED_SIGNERS", "/dev/null"),
        ("PROBITY_REQUIRE_SIGNATURE", "false"),
        ("PROBITY_SUBJECT", "anything"),
        ("PROBITY_MAX_AGE", "0s"),
        ("PROBITY_PLAN", "anything"),
    ];
    for words in ["verify", "verify --require-signature --max-age 1d"] {
        let clean = place.probity(words);
        let tempted = place.probity_with(words, &tried);
        assert_eq!((clean.code, &clean.stdout), (tempted.code, &tempted.stdout), "{words}");
        for (name, _) in tried {
            let named = |line: &str| line.starts_with("warning: trust_from_environment: ") && line.contains(name);
            assert!(tempted.stderr.lines().any(named), "{name}: {tempted}");
        }
        assert_eq!(clean.stderr, "");
    }
}

#[test]
fn integrity_alone_can_be_asked_for() {
    let place = Place::with_service().plan(&crate::place::fails());
    place.probity("run");
    assert_eq!(place.probity("verify").code, 1);
    assert_eq!(place.probity("verify --integrity-only").code, 0);
}

#[test]
fn a_broken_run_is_shown_by_no_command() {
    let place = passed();
    let journal = place.run_folder().join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.replacen("MUG-1", "MUG-2", 1)).unwrap();
    for words in ["verify", "verify --integrity-only", "why", "show ORDER-1", "report", "report --as junit"] {
        let ran = place.probity(words);
        assert_eq!(ran.code, 6, "{words}: {ran}");
        assert!(ran.stdout.starts_with("BROKEN  "), "{words}: {ran}");
        assert!(ran.stdout.trim_end().ends_with("exit 6"), "{words}: {ran}");
        let answer = place.probity(&format!("{words} --format json"));
        assert_eq!((answer.code, &answer.json()["intact"]), (6, &false.into()), "{words}");
    }
}

#[test]
fn edited_views_are_refused_by_verify_and_read_by_nobody() {
    let place = passed();
    let view = place.run_folder().join("report.md");
    let right = std::fs::read_to_string(&view).unwrap();
    std::fs::write(&view, "# all is well\n").unwrap();
    assert_eq!(place.probity("verify").code, 6);
    let report = place.probity("report");
    assert_eq!((report.code, report.stdout.as_str()), (0, right.as_str()));
    assert!(report.stderr.starts_with("warning: "), "{report}");
    let again = place.probity(&format!("run --resume {}", place.run_folder().file_name().unwrap().to_str().unwrap()));
    assert_eq!(again.code, 0, "{again}");
    assert_eq!(place.probity("verify").code, 0);
}

#[test]
fn a_report_is_written_to_a_file() {
    let place = passed();
    assert_eq!(place.probity("report --as junit -o out.xml").code, 0);
    let xml = std::fs::read_to_string(place.path().join("out.xml")).unwrap();
    assert!(xml.contains("<testsuites") && xml.contains("failures=\"0\""), "{xml}");
    assert_eq!(place.probity("report -o absent/out.md").code, 2);
}

#[test]
fn a_run_is_found_by_folder_and_from_elsewhere() {
    let place = passed();
    let folder = place.run_folder();
    let name = folder.file_name().unwrap().to_str().unwrap();
    for run in [name.to_owned(), name[..12].to_owned(), format!("probity-runs/{name}"), folder.display().to_string()] {
        assert_eq!(place.probity(&format!("verify {run}")).code, 0, "{run}");
    }
    std::fs::rename(&folder, place.path().join("elsewhere")).unwrap();
    let ran = place.probity("verify ./elsewhere --format json");
    let answer = ran.json();
    assert_eq!(
        (ran.code, &answer["anchored_by"], &answer["status"]),
        (0, &"nothing".into(), &"passed".into()),
        "{ran}"
    );
    assert_eq!(answer["findings"][0]["code"], "not_anchored");
}

#[test]
fn the_subject_is_what_the_running_system_names() {
    let place = Place::with_service().plan(PASSES);
    let settings = std::fs::read_to_string(place.path().join("probity.yaml")).unwrap();
    let identity = ", identity: {http: GET /version, json: build}}";
    place.write(
        "probity.yaml",
        &settings.trim_end().replace("data: disposable}", &format!("data: disposable{identity}")),
    );
    let ran = place.probity("run");
    assert!(ran.stdout.contains("the service named build 1 before and after"), "{ran}");
    assert_eq!(place.probity("verify --subject 1").code, 0);
    let other = place.probity("verify --subject 2");
    assert_eq!(other.code, 6);
    assert!(other.stdout.contains("demand_unmet   --subject\n      expected  2\n      saw       1\n"), "{other}");
}

#[test]
fn another_program_s_word_is_counted_as_reported() {
    let place = Place::with_service();
    std::fs::create_dir(place.path().join("tools")).unwrap();
    place.write("tools/total.sh", "#!/bin/sh\nprintf '{\"total\": 29.97}'\n");
    let script = place.path().join("tools/total.sh");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let plan = "schemaVersion: 2\nrequirement:\n  title: Totals\n  criteria:\n    - {id: T-1, needs: command, text: \"The tool prints the total.\"}\n\
                environment: local\ncases:\n  - id: C-1\n    title: the tool\n    covers: [T-1]\n    steps:\n      \
                - {run: [tools/total.sh], expect: {json: {total: 29.96}}}\n";
    let place = place.plan(plan);
    let ran = place.probity("run");
    assert_eq!(ran.code, 1, "{ran}");
    assert!(ran.stdout.contains("run: tools/total.sh"), "{ran}");
    assert!(ran.stdout.contains("expected  stdout json total = 29.96\n      saw       29.97\n"), "{ran}");
    let shown = place.probity("show C-1.1 --format json").json();
    let step = &shown["steps"][0];
    assert_eq!(step["sent"]["argv"][0], "tools/total.sh");
    assert_eq!(step["got"]["stdout"]["text"], "{\"total\": 29.97}");
    assert_eq!((&step["checks"][0]["class"], &step["curl"]), (&"reported".into(), &serde_json::Value::Null));
    place.write("order.probity.yaml", &plan.replace("29.96", "29.97"));
    let passed = place.probity("run");
    assert!(
        passed.stdout.contains("2 claims: 2 reported") || passed.stdout.contains("1 claim: 1 reported"),
        "{passed}"
    );
}

#[test]
fn attempts_of_the_same_build_are_counted() {
    use probity_testkit::server::{Act, Server};
    let declared = |place: &Place, url: &str, identity: &str| {
        let environment = format!("{{kind: local, url: \"{url}\", data: disposable{identity}}}");
        let settings = format!("version: 1\ndefault_environment: local\nenvironments:\n  local: {environment}\n");
        place.write("probity.yaml", &settings);
    };
    let place = Place::with_service().plan(PASSES);
    let origin = place.origin();
    let attempt =
        |place: &Place, words: &str| place.probity(&format!("{words} --format json")).json()["attempt"].clone();
    let is = |attempt: &serde_json::Value, n: u64, of_subject: Option<u64>| {
        assert_eq!((attempt["n"].as_u64(), attempt["this_subject"].as_u64()), (Some(n), of_subject), "{attempt}");
    };
    let identity = ", identity: {http: GET /version, json: build}";
    declared(&place, &origin, identity);
    is(&attempt(&place, "run"), 1, Some(1));
    is(&attempt(&place, "run"), 2, Some(2));
    let first = place.run_folders()[0].clone();
    let said = place.probity("run");
    assert!(said.stdout.contains("attempt 3 of its series, 3 of them with this subject"), "{said}");
    // Another build answers: a server of its own, with answers in the order in which they are asked for.
    let answer = |status: &str, body: &str| {
        let length = body.len();
        let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
        vec![Act::Read, Act::say(&(head + body))]
    };
    let build = || answer("200 OK", r#"{"build":"2"}"#);
    let other = Server::scripted(vec![Vec::new(), build(), answer("500 No", ""), build()]);
    declared(&place, &other.origin(), identity);
    is(&attempt(&place, "run"), 4, Some(1));
    declared(&place, &origin, identity);
    is(&attempt(&place, "run"), 5, Some(4));
    is(&attempt(&place, &format!("verify {}", first.display())), 1, Some(1));
    let newest = place.run_folders().pop().unwrap();
    is(&attempt(&place, "verify"), 5, Some(4));
    // Who names no build cannot be counted, and neither can those after it.
    declared(&place, &origin, "");
    is(&attempt(&place, "run"), 6, None);
    declared(&place, &origin, identity);
    is(&attempt(&place, "run"), 7, None);
    // A run that is gone, or that is no plain folder, makes the number unknown for those after it.
    let verify = format!("verify {}", newest.display());
    is(&attempt(&place, &verify), 5, Some(4));
    std::fs::rename(&first, place.path().join("away")).unwrap();
    is(&attempt(&place, &verify), 5, None);
    std::os::unix::fs::symlink(place.path().join("away"), &first).unwrap();
    is(&attempt(&place, &verify), 5, None);
    std::fs::remove_file(&first).unwrap();
    std::fs::rename(place.path().join("away"), &first).unwrap();
    is(&attempt(&place, &verify), 5, Some(4));
    // A run list that does not know this run counts nothing.
    std::fs::rename(place.path().join("probity-runs/index.jsonl"), place.path().join("list")).unwrap();
    is(&attempt(&place, &verify), 5, None);
}

#[test]
fn the_subject_of_commands_is_what_was_started() {
    use probity_core::ids::Digest;
    let place = Place::with_service();
    std::fs::create_dir(place.path().join("tools")).unwrap();
    let script = "printf '{\"total\": 29.97}'\n";
    place.write("tools/total.sh", script);
    let plan = |step: &str| {
        format!(
            "schemaVersion: 2\nrequirement:\n  title: Totals\n  criteria:\n    - {{id: T-1, needs: command, text: \"The \
             tool prints the total.\"}}\nenvironment: local\ncases:\n  - id: C-1\n    title: the tool\n    covers: \
             [T-1]\n    steps:\n      - {{run: [sh, tools/total.sh], expect: {{json: {{total: 29.97}}}}}}\n{step}"
        )
    };
    let place = place.plan(&plan(""));
    let ran = place.probity("run --format json").json();
    assert_eq!(ran["status"], "passed", "{ran}");
    let script = Digest::of(script.as_bytes());
    assert_eq!(place.probity(&format!("verify --subject {script}")).code, 0);
    let shell = std::fs::read_to_string(place.run_folder().join("journal.jsonl")).unwrap();
    let entries = shell.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let mut programs = entries.filter(|entry| entry["body"]["role"] == "program");
    let program = programs.next().unwrap()["body"]["sha256"].as_str().unwrap().to_owned();
    assert_eq!(place.probity(&format!("verify --subject {program}")).code, 0);
    // The plan is sealed too, and was not started; names are no digests.
    let text = std::fs::read(place.path().join("order.probity.yaml")).unwrap();
    for other in [Digest::of(&text).to_string(), "tools/total.sh".to_owned(), "sh".to_owned()] {
        let unmet = place.probity(&format!("verify --subject {other}"));
        assert_eq!(unmet.code, 6, "{unmet}");
        assert!(unmet.stdout.contains("saw       sh sha256 "), "{unmet}");
    }
    // Where a service answers, a helper program is not what was tested.
    place.write(
        "order.probity.yaml",
        &plan("      - {http: GET /version, expect: {json: {build: \"1\"}}, covers: []}\n"),
    );
    assert_eq!(place.probity("run").code, 0);
    let unmet = place.probity(&format!("verify --subject {script}"));
    assert_eq!(unmet.code, 6, "{unmet}");
    assert!(unmet.stdout.contains("saw       nothing"), "{unmet}");
}

#[test]
fn allowed_signers_are_read_and_still_sign_nothing() {
    let place = passed();
    let key = "AAAAC3NzaC1lZDI1NTE5AAAAIAcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcH";
    place.write("signers", &format!("# CI\nci@example.org namespaces=\"probity-run@v1\" ssh-ed25519 {key}\n"));
    assert_eq!(place.probity("verify --allowed-signers signers").code, 0);
    let demanded = place.probity("verify --allowed-signers signers --require-signature");
    assert_eq!(demanded.code, 6, "{demanded}");
    place.write("wrong", &format!("ci@example.org ssh-ed25519 {key}\nci@example.org {key}\n"));
    for (file, why) in [("wrong", "line 2: "), ("absent", "No such file"), ("probity-runs", "no regular file")] {
        let refused = place.probity(&format!("verify --allowed-signers {file}"));
        assert_eq!(refused.code, 2, "{refused}");
        assert!(
            refused.stderr.contains(&format!("--allowed-signers {file}: ")) && refused.stderr.contains(why),
            "{refused}"
        );
    }
}
