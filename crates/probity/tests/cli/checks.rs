//! `plan check`, `plan expand`, `explain`.

use insta::assert_snapshot;

use crate::place::{PASSES, Place};

#[test]
fn errors_of_a_plan() {
    let plan = PASSES.replace("json: {id: exists, total: 29.96}", "json: {id: {gte: 0, like: x}}");
    let place = Place::with_service().plan(&plan);
    assert_snapshot!(place.probity("plan check"), @r#"
    exit 2
    --- stdout
    --- stderr
    error[unknown_operator]: `like` is no operator
      --> order.probity.yaml:16:51
       |
    16 |         expect: {status: 201, json: {id: {gte: 0, like: x}}}
       |                                                   ^^^^
       |
       = note: this is about ORDER-001.1
       = help: write `id.like: "x"` to look deeper, or `id: {equals: {gte: 0, like: "x"}}` to compare with the map
    "#);
    let plan = PASSES
        .replace("    cleanup:\n      - {http: \"DELETE /items/{order}\", expect: {status: 204}}\n", "")
        .replace("status: 201, json: {id: exists, total: 29.96}", "status: 201");
    let place = Place::with_service().plan(&plan);
    let checked = place.probity("plan check --format json");
    assert_eq!(checked.code, 1);
    assert_snapshot!(checked.answer(), @r#"
    {
      "coverage": {
        "covered": 2,
        "excluded": 1,
        "uncovered": [],
        "units": 2
      },
      "exit": 1,
      "findings": [
        {
          "code": "status_only",
          "help": "Check the answer itself, or say about: status on the criterion if that is all it is about.",
          "message": "criterion ORDER-1 rests on a status or exit code alone: no step of test ORDER-001.ORDER-1.api checks what the answer holds",
          "place": {
            "column": 9,
            "file": "order.probity.yaml",
            "line": 14
          },
          "severity": "error",
          "subject": "ORDER-001.1",
          "who": "agent"
        }
      ],
      "left_out": {
        "findings": 0,
        "plans": 0,
        "uncovered": 0
      },
      "ok": false,
      "plans": [
        "order.probity.yaml"
      ],
      "schema": "probity/plan-check/1"
    }
    "#);
}

#[test]
fn a_plan_that_is_fine() {
    let place = Place::with_service().plan(PASSES);
    assert_eq!(place.probity("plan check").code, 0);
    let answer = place.probity("plan check --format json").json();
    assert_eq!((answer["ok"].as_bool(), answer["coverage"]["units"].as_u64()), (Some(true), Some(2)));
}

#[test]
fn the_seed_form_is_shown_and_can_be_checked() {
    let place = Place::with_service().plan(PASSES);
    let shown = place.probity("plan expand");
    assert!(shown.stdout.starts_with("==> requirement.md <==\n# Order total\n"), "{shown}");
    let answer = place.probity("plan expand --format json").json();
    std::fs::create_dir(place.path().join("seed")).unwrap();
    place.write("seed/requirement.md", answer["requirement"].as_str().unwrap());
    place.write("seed/test-matrix.json", &answer["matrix"].to_string());
    place.write("seed/test-plan.json", &answer["test_plan"].to_string());
    let checked = place.probity("plan check seed");
    assert_eq!(checked.code, 0, "{checked}");
    assert_eq!(place.probity("run seed").code, 0);
}

#[test]
fn every_code_is_explained() {
    let place = Place::with_service();
    assert_snapshot!(place.probity("explain tail_cut"), @r"
    exit 0
    --- stdout
    tail_cut   integrity
      meaning   The run list or the seal names more entries than the journal has.
      yours     Fetch the run folder again.
    --- stderr
    ");
    let all = place.probity("explain --all --format json").json();
    let codes = all["codes"].as_array().unwrap();
    assert_eq!(codes.len(), probity_core::codes::Code::ALL.len());
    let list = place.probity("explain --all").stdout;
    assert_eq!(list.lines().filter(|line| !line.starts_with(' ')).count(), codes.len());
    assert!(list.lines().all(|line| line.len() <= 100), "{list}");
    let page = place.probity("explain --all --markdown").stdout;
    assert!(page.starts_with("<!-- Made by "), "{page}");
    assert_eq!(page.lines().filter(|line| line.starts_with("| `")).count(), codes.len());
}

#[test]
fn credentials_that_are_not_set_here_are_named() {
    let header = "headers: {x-key: {env: SHOP_KEY}}, auth: {bearer: {env: SHOP_TOKEN}}";
    let plan = PASSES
        .replace(
            "- http: POST /items\n",
            &format!("- http: POST /items\n        {}\n", header.replace(", auth", "\n        auth")),
        )
        .replace(
            "http: \"DELETE /items/{order}\"",
            "http: \"DELETE /items/{order}\", headers: {x-key: {env: SHOP_KEY}}",
        );
    let place = Place::with_service().plan(&plan);
    let checked = place.probity_with("plan check", &[("SHOP_TOKEN", "t0ken-value-of-test")]);
    assert_eq!(checked.code, 0, "{checked}");
    assert!(
        checked.stdout.contains("warning[env_missing]: the environment variable SHOP_KEY is not set here"),
        "{checked}"
    );
    assert!(checked.stdout.contains("order.probity.yaml:14:"), "{checked}");
    assert!(checked.stdout.contains("1 warning;") && !checked.stdout.contains("SHOP_TOKEN is not set"), "{checked}");
    assert!(!checked.stdout.contains("t0ken"), "{checked}");
    let both = [("SHOP_TOKEN", "t0ken-value-of-test"), ("SHOP_KEY", "")];
    let set = place.probity_with("plan check --format json", &both);
    assert_eq!((set.code, set.json()["findings"].as_array().map(Vec::len)), (0, Some(0)), "{set}");
    let unset = place.probity("plan check --format json").json();
    let codes = unset["findings"].as_array().unwrap().iter().map(|f| (f["code"].as_str(), f["severity"].as_str()));
    assert_eq!(codes.collect::<Vec<_>>(), [(Some("env_missing"), Some("warning")); 2]);
    // The run is blocked where it comes to it; what was set where the plan was checked is no part of its record.
    let ran = place.probity("run");
    assert_eq!(ran.code, 3, "{ran}");
    assert!(ran.stdout.contains("credential_missing") && !ran.stdout.contains("env_missing"), "{ran}");
    assert_eq!(place.probity_with("verify", &[("SHOP_KEY", "x"), ("SHOP_TOKEN", "y")]).code, 3);
}

#[test]
fn a_value_is_no_part_of_an_argument() {
    let step = |argv: &str| {
        PASSES.replace(
            "    cleanup:\n",
            &format!("      - {{run: [cat, {argv}], expect: {{exit: 0}}, covers: []}}\n    cleanup:\n"),
        )
    };
    let place = Place::with_service().plan(&step("\"--show={order}\""));
    let refused = place.probity("plan check");
    assert_eq!(refused.code, 1, "{refused}");
    assert!(
        refused.stdout.contains("error[template_breakout]: argument 1 is put together from text and a value"),
        "{refused}"
    );
    let place = place.plan(&step("\"{order}\""));
    assert!(!place.probity("plan check").stdout.contains("template_breakout"));
}

#[test]
fn finer_types_of_the_seed_form_are_shown_like_the_layer_that_they_belong_to() {
    let place = Place::with_service().plan(PASSES);
    let answer = place.probity("plan expand --format json").json();
    std::fs::create_dir(place.path().join("seed")).unwrap();
    place.write("seed/requirement.md", answer["requirement"].as_str().unwrap());
    let plan = answer["test_plan"].to_string();
    for (first, second) in [("api_followup", "db"), ("api_poll", "database")] {
        let mut matrix = answer["matrix"].clone();
        for criterion in matrix["requirements"].as_array_mut().unwrap() {
            criterion.as_object_mut().unwrap().remove("needs");
        }
        let tests = matrix["tests"].as_array_mut().unwrap();
        (tests[0]["type"], tests[1]["type"]) = (first.into(), second.into());
        place.write("seed/test-matrix.json", &matrix.to_string());
        place.write("seed/test-plan.json", &plan);
        let ran = place.probity("run seed");
        assert_eq!(ran.code, 0, "{first}, {second}: {ran}");
        assert!(ran.stdout.contains("2 of 2 criteria"), "{ran}");
        // Without the obligation nothing shows that it was stored.
        let mut bare: serde_json::Value = serde_json::from_str(&plan).unwrap();
        bare["scenarios"][0]["steps"][1].as_object_mut().unwrap().remove("obligations");
        place.write("seed/test-plan.json", &bare.to_string());
        let refused = place.probity("plan check seed");
        assert!(refused.code == 1 && refused.stdout.contains("needs_unmet"), "{refused}");
    }
}

#[test]
fn an_echo_of_two_values_supports_no_test() {
    let plan = |body: &str| {
        let step = "{http: POST /echo, body: \"BODY\", expect: {json: {body: \"{a}-{b}\"}}}".replace("BODY", body);
        format!(
            "schemaVersion: 2\nrequirement:\n  title: Echo\n  criteria:\n    - {{id: E-1, needs: api, text: \"The answer is \
             right.\"}}\nenvironment: local\nvars: {{a: one, b: two}}\ncases:\n  - id: C-1\n    title: echo\n    covers: \
             [E-1]\n    steps:\n      - {step}\n"
        )
    };
    let place = Place::with_service().plan(&plan("{a}-{b}"));
    let claims = |words: &str| place.probity(words).json()["claims"]["observed"].as_u64();
    // All that is left is that the answer is no error, which an empty one is neither: nothing is claimed.
    assert_eq!(claims("run --allow plan_errors --format json"), Some(0));
    // One of them was not sent by its variable: what comes back says something.
    place.write("order.probity.yaml", &plan("{a}-two"));
    assert_eq!(claims("run --format json"), Some(2));
}
