//! `examples/` against the software that they are about: real servers from the registries, which nobody here wrote.
//!
//! `cargo xtask test` brings that software into .tools and leaves these tests out where it is not to be had.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod example;

use example::{Example, Finding};

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
