//! `examples/` against the software that they are about: real servers from the registries, which nobody here wrote.
//!
//! `cargo xtask test` brings that software into .tools and leaves these tests out where it is not to be had.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod example;
mod guarded;

use example::{Example, Finding};
use guarded::Project;

#[test]
fn needs_httpbin_what_an_http_client_meets() {
    let example =
        Example::start("httpbin", &[("HTTPBIN_LOGIN", "ada:engine-1843"), ("HTTPBIN_TOKEN", "no-real-token")]);
    example.passes("httpbin", 9);
    example.fails(
        "wrong",
        &["PAGE"],
        &Finding { criterion: "HOPS", what: "redirect", expected: "\"/get\"", saw: "\"/relative-redirect/1\"" },
    );
    example.comes_to("late", 5, "inconclusive", "answer_incomplete");
    let refused = example.comes_to("echo", 3, "blocked", "plan_validation_failed");
    assert!(refused.contains("expectation_echo"), "{refused}");
    example.comes_to_without_credentials("httpbin", 3, "blocked", "credential_missing");
}

#[test]
fn needs_json_server_posts_reach_the_disk() {
    let example = Example::start("json-server", &[]);
    example.passes("posts", 6);
    example.fails(
        "wrong",
        &["READ"],
        &Finding { criterion: "DISK", what: "stdout json post.year", expected: "1844", saw: "1843" },
    );
    // Both plans took away what they made.
    let left: serde_json::Value = serde_json::from_str(&example.read("data/db.json")).unwrap();
    assert_eq!(left["posts"].as_array().unwrap().len(), 1, "{left}");
}

#[test]
fn needs_django_a_session_from_login_to_logout() {
    let example = Example::start("django-admin", &[("DJANGO_PASSWORD", "marble-harbour-52")]);
    example.passes("admin", 7);
    example.comes_to_without_credentials("admin", 3, "blocked", "credential_missing");
    example.fails(
        "wrong",
        &["LOGIN"],
        &Finding {
            criterion: "LOGOUT",
            what: "redirect",
            expected: "\"/admin/auth/group/\"",
            saw: "\"/admin/login/?next=/admin/\"",
        },
    );
}

#[test]
fn needs_playwright_the_write_guard_stops_and_observes() {
    let project = Project::new();
    let (passed, said) = project.run("read-only", r#"{"policy": "read-only"}"#);
    assert!(passed, "{said}");
    let records = project.records();
    let expected: &[(&str, &[&str])] = &[
        ("READ-1", &[]),
        ("READ-2", &["block Delete", "block ", "block Remove", "block Submit order", "block Delete by dragging"]),
        ("READ-3", &["block POST /api/orders", "block BEACON /api/beacon", "block POST /api/orders"]),
        ("READ-4", &["block WEBSOCKET /api/live", "block POST /api/from-worker", "block GET /api/popup"]),
        ("READ-5", &[]),
        ("READ-6", &["block POST /api/orders"]),
        ("READ-7", &["block POST /api/orders"]),
    ];
    for (id, expected) in expected {
        let record = &records[*id];
        assert_eq!(&guarded::happened(record), expected, "{id}: {record}");
        assert_eq!((record["installed"].as_bool(), record["policy"].as_str()), (Some(true), Some("read-only")), "{id}");
        assert_eq!(
            (record["write_signatures"].as_u64(), &record["prefix"]),
            (Some(1), &serde_json::Value::Null),
            "{id}"
        );
    }
    assert_eq!(records.len(), expected.len());

    let (passed, said) = project.run("scoped-write", r#"{"policy": "scoped-write", "prefix": "QA_T_"}"#);
    assert!(passed, "{said}");
    let records = project.records();
    let happened = |id: &str| guarded::happened(&records[id]);
    assert_eq!(happened("SCOPE-1"), ["block Delete"]);
    assert_eq!(happened("SCOPE-2"), ["block Delete"]);
    assert_eq!(records["SCOPE-2"]["scope_urls"], serde_json::json!(["127\\.0\\.0\\.1"]));
    assert_eq!(happened("SCOPE-3"), ["block Delete"]);
    assert_eq!(happened("SCOPE-4"), ["observe POST /api/orders"]);
}

#[test]
fn needs_playwright_a_guard_that_is_not_told_what_to_do_lets_no_test_begin() {
    let project = Project::new();
    let refused = [
        ("x", "QA_PILOT_MUTATION is no JSON"),
        (r#"{"policy": "readonly"}"#, "names no policy of"),
        (r#"{"policy": "scoped-write", "prefix": "a"}"#, "scoped-write needs a prefix"),
        (r#"{"policy": "read-only", "prefix": "abc"}"#, "a prefix means nothing under read-only"),
    ];
    for (policy, why) in refused {
        let (passed, said) = project.run("read-only", policy);
        assert!(!passed && said.contains(why), "{policy}: {said}");
    }
}

#[test]
fn needs_playwright_init_says_what_it_wrote_and_takes_no_others_place() {
    let project = Project::new();
    let said = |words: &[&str]| {
        let ran = project.probity(words);
        (ran.status.code(), String::from_utf8(ran.stdout).unwrap() + &String::from_utf8(ran.stderr).unwrap())
    };
    let (code, again) = said(&["playwright", "init"]);
    assert_eq!(code, Some(0), "{again}");
    assert!(again.starts_with("unchanged tests/write-guard.mjs\nunchanged tests/write-guard.fixture.ts\n"), "{again}");
    project.write("tests/write-guard.mjs", "// mine\n");
    let (code, refused) = said(&["playwright", "init"]);
    assert_eq!(
        (code, refused.contains("error[file_exists]: tests/write-guard.mjs is there and differs")),
        (Some(2), true),
        "{refused}"
    );
    let (code, replaced) = said(&["playwright", "init", "--replace", "--format", "json"]);
    assert_eq!(code, Some(0), "{replaced}");
    let answer: serde_json::Value = serde_json::from_str(&replaced).unwrap();
    assert_eq!(answer["written"], serde_json::json!(["tests/write-guard.mjs"]));
}
