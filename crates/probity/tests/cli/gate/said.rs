//! What the commands say of host profiles, cases and reports that are wrong, and of reports that are no reports.

use insta::assert_snapshot;

use super::Folder;

const META: &str = r#"{"run_id": "r", "run_kind": "verdict", "feature": "orders"}"#;

fn import(results: &[u8]) -> (i32, String) {
    let folder = Folder::new();
    folder.write("run/results.json", results);
    folder.write("run/meta.json", META);
    let came = folder.run(&["import", "playwright", "run/results.json", "run/meta.json"]);
    let written = folder.path().join("run/report.json").exists();
    assert_eq!(written, came.code == 0, "{}", came.stderr);
    (came.code, came.stdout + &came.stderr)
}

#[test]
fn reports_that_are_none() {
    for (bytes, exit, code) in [
        (&b""[..], 6, "report_empty"),
        (b"  \n", 6, "report_empty"),
        (b"{\"suites\": [{\"specs\": [{\"title\": \"A-B-0", 6, "report_cut"),
        (b"[]", 2, "report_malformed"),
        (b"PK\x03\x04rest of a zip", 2, "report_malformed"),
        (b"{\"suites\": [], \"suites\": []}", 2, "report_malformed"),
    ] {
        let (came, said) = import(bytes);
        assert!(came == exit && said.contains(code), "{bytes:?}: {came} {said}");
    }
    let deep = "{\"suites\":[".repeat(200) + "]";
    let (came, said) = import(deep.as_bytes());
    assert!(came == 2 && said.contains("report_too_large"), "{said}");
}

#[test]
fn facts_beside_the_verdicts_are_said() {
    let (code, said) = import(
        br#"{"suites": [{"specs": [
            {"title": "A-B-001 declared to fail", "tests": [{"expectedStatus": "failed", "results": [
                {"status": "failed", "duration": 3, "error": {"message": "\u001b[31mboom\u001b[0m"}}]}]},
            {"title": "no case", "tests": []}]}],
            "errors": [{"message": "global teardown failed"}]}"#,
    );
    assert_eq!(code, 0);
    assert_snapshot!(said, @r"
    note: A-B-001: The spec says of itself that it fails (test.fail), and it did. Its verdict is what happened; it never shows that a criterion holds. [expected_failure]
    note: 1 error outside of every test; such a run cannot be published
    wrote @CWD@/run/report.json: 1 case (0 pass, 1 fail, 0 flaky, 0 blocked), 0 fixture specs
    warning: run/results.json: 1 specs name neither a case nor a fixture, and are left out [specs_unmapped]
      - no case
    ");
}

#[test]
fn a_report_from_another_machine_finds_its_files() {
    let folder = Folder::new();
    folder.write("r1/meta.json", META);
    folder.write("r1/test-results/a/trace.zip", "trace");
    let spec = |path: &str| {
        format!(
            r#"{{"suites": [{{"specs": [{{"title": "A-B-001", "tests": [{{"results": [{{"status": "passed",
            "attachments": [{{"name": "trace", "path": "{path}"}}]}}]}}]}}]}}]}}"#
        )
    };
    for path in ["/elsewhere/r1/test-results/a/trace.zip", r"C:\\work\\test-results\\a\\trace.zip"] {
        folder.write("r1/results.json", spec(path));
        let came = folder.run(&["import", "playwright", "r1/results.json", "r1/meta.json"]);
        assert_eq!((came.code, came.stderr.as_str()), (0, ""), "{}", came.stdout);
        assert_eq!(folder.json("r1/report.json")["cases"][0]["trace"], "test-results/a/trace.zip");
    }
    folder.write("r1/results.json", spec("/elsewhere/r1/../../etc/passwd"));
    let came = folder.run(&["import", "playwright", "r1/results.json", "r1/meta.json"]);
    assert!(came.stderr.contains("trace_unreadable"), "{}", came.stderr);
}

#[test]
fn a_profile_that_is_refused_is_drawn() {
    let folder = Folder::new();
    folder.write("p.yaml", "project: shop\ntracker: jira\nenvironment: {}\n");
    let came = folder.run(&["profile", "show", "p.yaml"]);
    assert_eq!(came.code, 1);
    for text in [
        "error[value_out_of_range]: tracker: \"jira\" is not one of clickup, none",
        "error[unknown_field]: environment: the key environment is not known here",
        "did you mean environments?",
        "--> p.yaml:2:10",
        "REFUSED  p.yaml: ",
    ] {
        assert!(came.stdout.contains(text), "{text}\n{}", came.stdout);
    }
    let json = folder.run(&["profile", "show", "p.yaml", "--format", "json"]);
    assert!(json.stdout.len() <= 8192 + 1, "{}", json.stdout.len());
}
