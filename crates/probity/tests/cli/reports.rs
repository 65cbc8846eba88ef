//! Reports of a run: one HTML file, CTRF, JUnit, next probes, and `open`.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::place::{PASSES, Place, fails};

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).unwrap()
}

/// The four verdicts, each as the folder of its run, with the place that it lies in.
fn four() -> [(&'static str, Place); 4] {
    let passed = Place::with_service().plan(PASSES);
    let failed = Place::with_service().plan(&fails());
    let blocked = Place::without_service().plan(PASSES);
    // Every test passes, and the claim is capped all the same.
    let later = "  later: [{text: \"Discounts apply once.\", why: \"next month\"}]\nenvironment: local\n";
    let capped = Place::with_service().plan(&PASSES.replace("environment: local\n", later));
    let places = [("passed", passed), ("failed", failed), ("blocked", blocked), ("inconclusive", capped)];
    for ((word, place), code) in places.iter().zip([0, 1, 3, 5]) {
        let ran = place.probity("run");
        assert_eq!(ran.code, code, "{word}: {ran}");
    }
    places
}

#[test]
fn the_page_is_the_view_and_the_view_is_the_page() {
    for (word, place) in four() {
        let folder = place.run_folder();
        let ran = place.probity("report --as html -o page.html");
        assert_eq!(ran.code, 0, "{ran}");
        assert_eq!(read(place.path(), "page.html"), read(&folder, "report.html"), "{word}");
        // Nothing of where it was made stands in it: a copy elsewhere verifies too.
        let away = tempfile::tempdir().unwrap();
        let copy = away.path().join(folder.file_name().unwrap());
        copied(&folder, &copy);
        let ran = place.probity(&format!("verify {} --integrity-only", copy.display()));
        assert_eq!(ran.code, 0, "{word}: {ran}");
        assert!(!read(&folder, "report.html").contains(place.path().to_str().unwrap()));
    }
}

fn copied(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let name = to.join(entry.file_name());
        if entry.path().is_dir() {
            copied(&entry.path(), &name);
        } else {
            std::fs::copy(entry.path(), name).unwrap();
        }
    }
}

/// The text between two marks.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).unwrap().0
}

#[test]
fn the_first_screen_says_what_a_reviewer_asks() {
    for (word, place) in four() {
        let folder = place.run_folder();
        let page = read(&folder, "report.html");
        let seal = between(&place.probity("verify").stdout, "  seal ", " ").to_owned();
        let start = page.find("<section class=\"first\"").unwrap();
        let (head, rest) = page.split_at(start);
        let first = &rest[..rest.find("id=\"_criteria\"").unwrap()];
        for fact in [
            &word.to_uppercase(),
            "Order total",
            "local http://127.0.0.1:",
            "disposable data",
            &seal,
            "unsigned",
            "attempt 1",
        ] {
            assert!(head.contains(fact), "{word}: {fact}");
        }
        let issue = between(first, "copy for the issue</summary><pre>", "</pre>");
        assert!(issue.lines().count() <= 6 && issue.contains(&seal), "{issue}");
        match word {
            "passed" => assert!(first.contains("claims: ") && first.contains("Refunds come later."), "{first}"),
            "failed" => {
                assert!(between(first, "<dt>expected</dt>", "</dd>").contains("json total = 29.97"), "{first}");
                assert!(between(first, "<dt>saw</dt>", "</dd>").contains("29.96"), "{first}");
                assert!(first.contains("<mark data-s=\"failed\" title=\"json total = 29.97\">29.96</mark>"), "{first}");
                assert!(first.contains(">curl</summary>"), "{first}");
            }
            _ => assert!(first.contains("<ol class=\"why\">"), "{first}"),
        }
        let code = if word == "blocked" { "preflight_blocked" } else { "capped_criteria_put_off" };
        assert_eq!(first.contains(code), matches!(word, "blocked" | "inconclusive"), "{word}");
        let requirement = between(&page, "<pre class=\"requirement\">", "</pre>");
        assert!(requirement.contains("class=\"unit aside\""), "{requirement}");
        let state = if word == "inconclusive" { "passed" } else { word };
        assert!(requirement.contains(&format!("data-s=\"{state}\" href=\"#ORDER-2\"")), "{requirement}");
    }
}

#[test]
fn a_credential_stands_in_no_page() {
    let plan = PASSES.replace("        json: {sku", "        auth: {bearer: {env: SHOP_TOKEN}}\n        json: {sku");
    let place = Place::with_service().plan(&plan);
    let ran = place.probity_with("run", &[("SHOP_TOKEN", "tok-9f8e7d6c5b4a3f2e")]);
    assert_eq!(ran.code, 0, "{ran}");
    for view in ["report.html", "ctrf.json", "next-probes.json", "junit.xml"] {
        assert!(!read(&place.run_folder(), view).contains("tok-9f8e7d6c5b4a3f2e"), "{view}");
    }
    let page = read(&place.run_folder(), "report.html");
    assert!(page.contains("&quot;authorization: Bearer $SHOP_TOKEN&quot;"), "the curl line names it");
}

#[test]
fn a_long_body_is_cut_to_what_was_asserted() {
    let plan =
        PASSES.replace("note: \"{qa_marker}\"}", &format!("note: \"{{qa_marker}}\", pad: {}}}", "p".repeat(70_000)));
    let place = Place::with_service().plan(&plan);
    assert_eq!(place.probity("run").code, 0);
    let page = read(&place.run_folder(), "report.html");
    assert!(page.len() < 120_000, "{}", page.len());
    assert!(page.contains(" left out]") && page.contains("all of it is evidence/"));
    assert!(page.contains("<mark data-s=\"passed\" title=\"json total = 29.96\">29.96</mark>"));
}

#[test]
fn several_runs_make_one_page() {
    let place = Place::with_service().plan(PASSES);
    place.probity("run");
    let good = place.run_folder().file_name().unwrap().to_str().unwrap().to_owned();
    place.write("order.probity.yaml", &fails().replace("title: Order total", "title: Other <b>total"));
    place.probity("run");
    let runs = std::fs::read_dir(place.path().join("probity-runs")).unwrap();
    let names = runs.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let bad = names.filter(|name| name.contains("-order-")).find(|name| *name != good).unwrap();
    let ran = place.probity(&format!("report {good} {bad} {good} --as html"));
    assert_eq!(ran.code, 0, "{ran}");
    let page = ran.stdout;
    assert!(page.contains("FAILED</b> 2 requirements in 2 runs") && page.contains("1 failed, 1 passed"), "{page}");
    let (other, order) = (page.find("Other &lt;b&gt;total").unwrap(), page.find(">Order total<").unwrap());
    assert!(other < order, "the worst stands first");
    assert!(page.contains("expected") && page.contains(&bad) && page.contains(&good));
    for words in [format!("report {good} {bad}"), format!("report {good} {bad} --as junit")] {
        assert_eq!(place.probity(&words).code, 2, "{words}");
    }
    assert_eq!(place.probity(&format!("report {good} nothing-of-the-sort --as html")).code, 2);
}

#[test]
fn of_several_attempts_the_newest_counts() {
    let place = Place::with_service().plan(&fails());
    let bad = place.probity("run --format json").json()["run"].as_str().unwrap().to_owned();
    place.write("order.probity.yaml", PASSES);
    let good = place.probity("run --format json").json()["run"].as_str().unwrap().to_owned();
    for words in [format!("{bad} {good}"), format!("{good} {bad}")] {
        let page = place.probity(&format!("report {words} --as html")).stdout;
        assert!(page.contains("PASSED</b> 1 requirement in 2 runs"), "{page}");
        assert!(page.contains("attempt 1 of its series") && page.contains("attempt 2 of its series"));
        assert!(page.contains(">FAILED</b>"), "an attempt that failed stays in sight");
    }
}

/// Fields of CTRF 1.0 that stand in what we write, with those that must.
const TEST: [&str; 10] =
    ["name", "status", "duration", "rawStatus", "suite", "type", "tags", "message", "trace", "filePath"];
const SUMMARY: [&str; 8] = ["tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"];

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn ctrf_is_strict_and_never_green_without_a_pass() {
    for (word, place) in four() {
        let folder = place.run_folder();
        let ctrf = json(&folder, "ctrf.json");
        assert_eq!((ctrf["reportFormat"].as_str(), ctrf["specVersion"].as_str()), (Some("CTRF"), Some("1.0.0")));
        let results = &ctrf["results"];
        assert_eq!(keys(results), BTreeSet::from(["tool", "summary", "tests", "environment", "extra"]));
        let summary = &results["summary"];
        assert_eq!(keys(summary), BTreeSet::from(SUMMARY));
        let tests = results["tests"].as_array().unwrap();
        for test in tests {
            assert!(keys(test).iter().all(|key| TEST.contains(key) || *key == "line"), "{test}");
            assert!(test["duration"].is_u64() && !test["name"].as_str().unwrap().is_empty(), "{test}");
        }
        let of = |status: &str| tests.iter().filter(|test| test["status"] == status).count() as u64;
        for status in ["passed", "failed", "skipped", "pending", "other"] {
            assert_eq!(summary[status], of(status), "{word}: {status}");
        }
        assert_eq!(summary["tests"], tests.len() as u64);
        assert!(summary["stop"].as_u64() >= summary["start"].as_u64() && summary["start"].as_u64() > Some(1 << 40));
        let (passed, failed, other) = match word {
            "passed" => (2, 0, 0),
            "failed" => (1, 1, 0),
            "blocked" => (0, 1, 2),
            _ => (2, 1, 0),
        };
        assert_eq!((of("passed"), of("failed"), of("other")), (passed, failed, other), "{word}: {ctrf}");
        let last = tests.last().unwrap();
        assert_eq!(last["name"] == "verdict", matches!(word, "blocked" | "inconclusive"), "{word}");
        if word == "blocked" {
            assert_eq!((&tests[0]["status"], &tests[0]["rawStatus"]), (&"other".into(), &"blocked".into()));
        }
        // The answer on standard output is the view.
        assert_eq!(place.probity("report --as ctrf").stdout, read(&folder, "ctrf.json"));
        let junit = read(&folder, "junit.xml");
        let bad = junit.matches("<failure ").count() + junit.matches("<error ").count();
        assert_eq!(bad > 0, word != "passed", "{word}: {junit}");
        assert!(!junit.contains("<skipped") && junit.contains("<property name=\"seal\""), "{junit}");
    }
}

#[test]
fn next_probes_follow_from_what_did_not_pass() {
    for (word, place) in four() {
        let folder = place.run_folder();
        let next = json(&folder, "next-probes.json");
        let rows = next["recommendations"].as_array().unwrap();
        assert_eq!(next["summary"]["recommendation_count"], rows.len());
        for (sum, view) in
            [("defects", "defects.json"), ("results", "results.json"), ("ledger", "evidence-ledger.json")]
        {
            let digest = probity_core::ids::Digest::of(read(&folder, view).as_bytes()).to_string();
            assert_eq!(next["generated_from_hashes"][format!("{sum}_sha256")], digest, "{view}");
        }
        let field = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        let told: Vec<String> =
            rows.iter().map(|row| ["finding_id", "priority", "layer"].map(|name| field(row, name)).join(" ")).collect();
        match word {
            "failed" => {
                assert_eq!(told, ["D1 P1 persistence"]);
                assert_eq!(rows[0]["plan_step_hint"]["path"], "/items/{order}");
                assert_eq!((&rows[0]["id"], &rows[0]["evidence_ids"][0]), (&"NP1".into(), &"E2".into()));
            }
            "blocked" => assert_eq!(
                told,
                ["OPEN-ORDER-001.ORDER-1.api P2 api", "OPEN-ORDER-001.ORDER-2.persistence P2 persistence"]
            ),
            _ => assert_eq!(told, [""; 0]),
        }
    }
}

#[test]
fn open_shows_only_what_the_journal_gives() {
    let place = Place::with_service().plan(PASSES);
    place.probity("run");
    let file = place.run_folder().canonicalize().unwrap().join("report.html");
    let ran = place.probity("open");
    assert_eq!((ran.code, ran.stdout.trim_end()), (0, file.to_str().unwrap()), "without a display the path is told");
    assert!(ran.stderr.contains("open the file by hand"), "{ran}");

    // A stand-in for the system's opener writes down what it was given.
    let bin = place.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let opener = bin.join("xdg-open");
    std::fs::write(&opener, "#!/bin/sh\nprintf '%s' \"$1\" > opened.tmp && mv opened.tmp opened\n").unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let display = [("PATH", path.as_str()), ("DISPLAY", ":0")];
    let answer = place.probity_with("open --format json", &display).json();
    assert_eq!((&answer["opened"], &answer["file"]), (&true.into(), &file.to_str().unwrap().into()), "{answer}");
    let deadline = Instant::now() + Duration::from_secs(20);
    while !place.path().join("opened").exists() && Instant::now() < deadline {
        std::thread::yield_now();
    }
    assert_eq!(read(place.path(), "opened"), file.to_str().unwrap());
    std::fs::remove_file(place.path().join("opened")).unwrap();

    // Another view that differs hinders nothing; an edited report is not opened.
    std::fs::write(place.run_folder().join("report.md"), "edited").unwrap();
    assert_eq!(place.probity("open").code, 0);
    std::fs::write(&file, "<script>alert(1)</script>").unwrap();
    let ran = place.probity_with("open", &display);
    assert!(ran.code == 6 && ran.stderr.contains("view_differs") && ran.stdout.is_empty(), "{ran}");
    assert!(!place.path().join("opened").exists());
    assert_eq!(place.probity("open nothing-of-the-sort").code, 2);
}

#[test]
fn a_page_of_any_run_stays_small_enough_to_open() {
    let long = "the total of this order stays what it was when it was shown, ".repeat(80);
    let rows = |line: &dyn Fn(usize) -> String| (0..600).map(line).collect::<String>();
    let criteria = rows(&|n| format!("    - {{id: R-{n}, needs: api, text: \"Order {n}: {long}\"}}\n"));
    let cases = rows(&|n| {
        format!(
            "  - {{id: C-{n}, title: t, covers: [R-{n}], steps: [{{http: GET /orders/{n}, expect: {{status: 200, text: x}}}}]}}\n"
        )
    });
    let place = Place::without_service().plan(&format!(
        "schemaVersion: 2\nrequirement:\n  title: Many\n  criteria:\n{criteria}environment: local\ncases:\n{cases}"
    ));
    let ran = place.probity("run");
    assert_eq!(ran.code, 3, "{ran}");
    let page = read(&place.run_folder(), "report.html");
    assert!(page.len() < 4_700_000, "{}", page.len());
    assert!(page.contains(" more, all in evidence-ledger.json of the run"), "what is left out is said");
    assert!(page.contains("bytes more, in requirement.md of the run"), "what is left out is said");
}
