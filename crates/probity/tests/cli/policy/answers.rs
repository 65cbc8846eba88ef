//! What the commands say beside the blocks of docs/policies.md: JSON answers, refusals, edges.

use insta::assert_snapshot;

use super::{Files, SEVEN_OF_TEN, runs};

#[test]
fn the_answer_of_eval() {
    let files = Files::new(SEVEN_OF_TEN, &runs(&[("\"pass\"", 6), ("\"fail\"", 3), ("\"error\"", 1), ("null", 1)]));
    let ran = files.policy("eval JUDGED --format json");
    assert_eq!(ran.code, 1);
    assert_snapshot!(ran.answer(), @r#"
    {
      "counts": {
        "against": 4,
        "completed": 10,
        "error": 1,
        "fail": 3,
        "for": 6,
        "pass": 6,
        "pending": 1,
        "runs": 11,
        "undetermined": 0
      },
      "exit": 1,
      "explanation": {
        "at_half": {
          "chance": 0.1719,
          "needed": 7,
          "of": 10
        },
        "bound": 0.7,
        "contradicted": false,
        "interval": {
          "high": 0.8318,
          "level": 0.95,
          "low": 0.3127
        },
        "message": "6 of 10 measured runs passed = 0.60, bound 0.7",
        "other_requirements": 0,
        "policy": {
          "min_pass_rate": 0.7,
          "min_runs": 10,
          "type": "statistical"
        },
        "type": "statistical",
        "value": 0.6,
        "would_turn": [
          {
            "by": {
              "against": 0,
              "any": 0,
              "for": 4
            },
            "to": "satisfied"
          }
        ]
      },
      "left_out": {
        "runs": 0,
        "warnings": 0
      },
      "next": [
        {
          "cmd": null,
          "do": "fix",
          "file": null,
          "hint": "look at the runs that failed; more passes raise the rate again",
          "line": null,
          "text": null,
          "who": "agent",
          "why": "pass_rate_below"
        }
      ],
      "outcome": "failed",
      "policy_sha256": "0000000000000000000000000000000000000000000000000000000000000000",
      "reason": "pass_rate_below",
      "requirement": "CHECKOUT-FLOW",
      "schema": "probity/policy-eval/1",
      "semantics": "success_policy-eval/v1",
      "warnings": [
        {
          "code": "error_counts",
          "message": "1 run in error, which counts as a failure; without there would be 9 runs: too few to judge"
        }
      ]
    }
    "#);
}

#[test]
fn the_answer_of_explain_shows_runs_as_far_as_there_is_room() {
    let policy = "{\"type\": \"threshold\", \"metric\": \"score\", \"threshold\": 3.5, \"operator\": \"gte\"}";
    let lines: String =
        (0..300).map(|n| format!("{{\"id\":\"run-{n}\",\"verdict\":\"pass\",\"score\":{}.5}}\n", n % 3)).collect();
    let files = Files::new(policy, &lines);
    let ran = files.policy("explain JUDGED --format json");
    let answer = ran.json();
    assert!(ran.stdout.len() <= 8192, "{}", ran.stdout.len());
    let shown = answer["explanation"]["runs"].as_array().unwrap().len() as u64;
    assert!(shown > 20 && answer["left_out"]["runs"] == 300 - shown, "{shown} {}", answer["left_out"]);
    assert_snapshot!(serde_json::to_string_pretty(&answer["explanation"]["runs"][0]).unwrap(), @r#"
    {
      "at": null,
      "class": "pass",
      "for": false,
      "looked": [
        {
          "bound": ">= 3.5",
          "holds": false,
          "value": "2.5",
          "what": "score"
        }
      ],
      "note": null,
      "run": "run-299"
    }
    "#);
}

#[test]
fn an_invalid_policy_judges_nothing() {
    let files = Files::new("{\"type\": \"statistical\", \"min_runs\": 10,\n \"min_pas_rate\": 0.7}", "no runs at all");
    assert_snapshot!(files.policy("eval JUDGED"), @r#"
    exit 2
    --- stdout
    INVALID  policy.json   no run was judged; an invalid policy opens no gate
      unknown_field   policy.json:2:2   statistical has no field min_pas_rate
           "min_pas_rate": 0.7}
           ^^^^^^^^^^^^^^
          did you mean min_pass_rate?
      not checked  anything after the first fault
    next      yours   correct the file: a new policy version; old decisions stay as they are
    exit 2
    --- stderr
    "#);
    let ran = files.policy("explain JUDGED --format json");
    assert_eq!(ran.code, 2);
    assert_snapshot!(serde_json::to_string_pretty(&ran.json()["explanation"]).unwrap(), @r#"
    {
      "field": "min_pas_rate",
      "help": "did you mean min_pass_rate?",
      "message": "statistical has no field min_pas_rate",
      "place": {
        "column": 2,
        "file": "policy.json",
        "line": 2
      }
    }
    "#);
    assert_snapshot!(files.policy("check policy.json runs.jsonl"), @r#"
    exit 1
    --- stdout
    error[unknown_field]: statistical has no field min_pas_rate
     --> policy.json:2:2
      |
    2 |  "min_pas_rate": 0.7}
      |  ^^^^^^^^^^^^^^
      |
      = note: this is about min_pas_rate
      = help: did you mean min_pass_rate?

    ERRORS  policy.json: 1 error
    error[not_json]: a word that is not true, false or null
     --> runs.jsonl:1:1
      |
    1 | no runs at all
      | ^
      |
      = help: prose says nothing that can be evaluated; see probity policy import

    warning[legacy_dialect]: this is prose
     --> runs.jsonl:1:1
      |
    1 | no runs at all
      | ^
      |
      = help: carry it over: probity policy import FILE

    ERRORS  runs.jsonl: 1 error; 1 warning
    --- stderr
    "#);
    let answer = files.policy("check policy.json --format json").json();
    assert_snapshot!(serde_json::to_string_pretty(&answer["findings"]).unwrap(), @r#"
    [
      {
        "code": "unknown_field",
        "help": "did you mean min_pass_rate?",
        "message": "statistical has no field min_pas_rate",
        "place": {
          "column": 2,
          "file": "policy.json",
          "line": 2
        },
        "severity": "error",
        "subject": "min_pas_rate",
        "who": "agent"
      }
    ]
    "#);
}

#[test]
fn runs_are_refused_with_their_place() {
    let files = Files::new(SEVEN_OF_TEN, "{\"verdict\": \"pass\"}\n\n  {\"verdict\": \"pass\", \"confidense\": 1}\n");
    assert_snapshot!(files.policy("eval JUDGED"), @r#"
    exit 2
    --- stdout
    --- stderr
    error[unknown_field]: a run has no field confidense
     --> runs.jsonl:3:23
      |
    3 |   {"verdict": "pass", "confidense": 1}
      |                       ^
      |
      = help: did you mean confidence?
    "#);
    files.write("runs.json", "[\n  {\"verdict\": \"pass\"},\n  {\"verdict\": pass}\n]");
    assert_snapshot!(files.policy("eval --policy policy.json --runs runs.json"), @r#"
    exit 2
    --- stdout
    --- stderr
    error[syntax_error]: a character that begins no JSON value
     --> runs.json:3:15
      |
    3 | {"verdict": pass}
      |             ^
      |
      = help: write one run as a JSON object on each line, or all of them as one JSON array
    "#);
    let place = |text: &str| {
        files.write("runs.json", text);
        let ran = files.policy("eval --policy policy.json --runs runs.json --format json");
        let error = &ran.json()["error"];
        (
            ran.code,
            error["code"].as_str().unwrap().to_owned(),
            error["place"]["line"].as_u64(),
            error["place"]["column"].as_u64(),
        )
    };
    let refused = |code: &str, line: u64, column: u64| (2, code.to_owned(), Some(line), Some(column));
    assert_eq!(place("[1,\n{}]"), refused("wrong_type", 1, 2));
    assert_eq!(place("[{\"verdict\":null}, {}]"), refused("missing_field", 1, 20));
    assert_eq!(place("[{\"verdict\":null},]"), refused("syntax_error", 1, 19));
    assert_eq!(place("[{\"verdict\":null}"), refused("syntax_error", 1, 18));
    assert_eq!(place("{\"verdict\":null}\n{\"verdict\":null}}"), refused("syntax_error", 2, 17));
    assert_eq!(place("{\"verdict\":null,\n\"score\":1}"), refused("syntax_error", 1, 17));
    assert_eq!(place("{\"verdict\":\"pass\",\"verdict\":\"fail\"}"), refused("duplicate_key", 1, 1));
    assert_snapshot!(files.policy("eval --policy policy.json --runs nothing.jsonl"), @r"
    exit 2
    --- stdout
    --- stderr
    error[document_unreadable]: there is neither a file nor a run of this name
    --> nothing.jsonl
     = help: name a file of JSON lines or a JSON array, a run folder, or a run
    ");
    assert_snapshot!(files.policy("eval --policy nothing.json --runs runs.json"), @r"
    exit 2
    --- stdout
    --- stderr
    error[document_unreadable]: nothing.json: No such file or directory (os error 2)
     |
     = help: name a file that holds the text of the policy column; an empty one means no policy
    ");
}

#[test]
fn one_policy_judges_one_requirement() {
    let files = Files::new(
        "",
        "{\"requirement\":\"A\",\"verdict\":\"pass\"}\n{\"requirement\":\"B\",\"verdict\":\"fail\"}\n{\"verdict\":\"fail\"}\n",
    );
    assert_snapshot!(files.policy("eval JUDGED"), @r"
    exit 2
    --- stdout
    --- stderr
    error[runs_mixed]: runs of A and of B
    --> runs.jsonl
     = help: choose one: --requirement A
    ");
    assert_snapshot!(files.policy("eval JUDGED --requirement B"), @r"
    exit 1
    --- stdout
    FAILED  B   deterministic, criteria verdict_pass   policy e3b0..55, v1
      reason      no_match   the one measured run is not what the policy asks for
      counted     0 for, 1 against   left out  0
      offered     1 run; 2 of other requirements are left out
    next      product look at the newest run, repair the product, and run again; one run that is what is
                      asked for is enough
    exit 1
    --- stderr
    ");
}

#[test]
fn what_if() {
    let files = Files::new(SEVEN_OF_TEN, &runs(&[("\"pass\"", 6), ("\"fail\"", 3)]));
    assert_snapshot!(files.policy("what-if JUDGED --add pass"), @r"
    exit 0
    --- stdout
    SATISFIED  CHECKOUT-FLOW   would be; nothing is written
      then    pass_rate_met   7 of 10 measured runs passed = 0.70, bound 0.7
      now     undetermined: insufficient_runs   9 measured runs, 10 needed
      added   1 hypothetical run
    exit 0
    --- stderr
    ");
    assert_snapshot!(files.policy("what-if JUDGED --set min_runs=5 --set min_pass_rate=0.9"), @r"
    exit 1
    --- stdout
    FAILED  CHECKOUT-FLOW   would be; nothing is written
      then    pass_rate_below   6 of 9 measured runs passed = 0.67, bound 0.9
      now     undetermined: insufficient_runs   9 measured runs, 10 needed
    exit 1
    --- stderr
    ");
    let ran = files.policy("what-if JUDGED --add 1*pass --format json");
    assert_snapshot!(ran.answer(), @r#"
    {
      "added": 1,
      "exit": 0,
      "flips": [
        {
          "now": {
            "outcome": "undetermined",
            "reason": "insufficient_runs"
          },
          "requirement": "CHECKOUT-FLOW",
          "then": {
            "outcome": "satisfied",
            "reason": "pass_rate_met"
          }
        }
      ],
      "left_out": {
        "flips": 0,
        "runs": 0,
        "warnings": 0
      },
      "now": {
        "counts": {
          "against": 3,
          "completed": 9,
          "error": 0,
          "fail": 3,
          "for": 6,
          "pass": 6,
          "pending": 0,
          "runs": 9,
          "undetermined": 0
        },
        "outcome": "undetermined",
        "reason": "insufficient_runs"
      },
      "policy_sha256": {
        "now": "0000000000000000000000000000000000000000000000000000000000000000",
        "then": "0000000000000000000000000000000000000000000000000000000000000000"
      },
      "requirements": 1,
      "runs": [],
      "schema": "probity/policy-what-if/1",
      "semantics": "success_policy-eval/v1",
      "then": {
        "counts": {
          "against": 3,
          "completed": 10,
          "error": 0,
          "fail": 3,
          "for": 7,
          "pass": 7,
          "pending": 0,
          "runs": 10,
          "undetermined": 0
        },
        "outcome": "satisfied",
        "reason": "pass_rate_met"
      },
      "warnings": []
    }
    "#);
    for bad in ["--add 0*pass", "--add maybe", "--add pass@high", "--add {}", "--set x", "--instead nothing.json"] {
        assert_eq!(files.policy(&format!("what-if JUDGED {bad}")).code, 2, "{bad}");
    }
    assert_eq!(files.policy("what-if JUDGED --set min_runs=0").code, 2);
}

#[test]
fn a_new_policy_over_many_requirements_names_what_flips() {
    let line = |requirement: &str, exit: u8| {
        format!("{{\"requirement\":\"{requirement}\",\"verdict\":\"pass\",\"raw_result\":{{\"exit_code\":{exit}}}}}\n")
    };
    let files = Files::new("", &(line("A", 0) + &line("B", 1) + &line("C", 0) + &line("B", 1)));
    files.write("new.json", "{\"type\": \"deterministic\", \"check\": \"exit_code\", \"expected\": 0}");
    assert_snapshot!(files.policy("what-if JUDGED --instead new.json"), @r"
    exit 1
    --- stdout
    WHAT-IF  1 of 3 requirements would flip; nothing is written
        B                   satisfied matched, then failed no_match
      runs    2 would count otherwise
        #2                  for, then against
        #4                  for, then against
    exit 1
    --- stderr
    ");
    assert_snapshot!(files.policy("what-if JUDGED --add pass"), @r"
    exit 2
    --- stdout
    --- stderr
    error[runs_mixed]: runs are added, and it is not said to which requirement
     |
     = help: Choose one with --requirement.
    ");
}

#[test]
fn import_carries_over_or_says_why_not() {
    let files = Files::new("{\"min_runs\": 10, \"min_pass\": 7}", "");
    assert_snapshot!(files.policy("import policy.json"), @r#"
    exit 0
    --- stdout
    {"type":"statistical","min_runs":10,"min_pass_rate":0.7}
    --- stderr
    warning: a rate holds for more than 10 runs as well
    "#);
    assert_snapshot!(files.policy("import policy.json --format json"), @r#"
    exit 0
    --- stdout
    {"schema":"probity/policy-import/1","exit":0,"dialect":"min_runs with min_pass","policy":{"type":"statistical","min_runs":10,"min_pass_rate":0.7},"written":null,"notes":["a rate holds for more than 10 runs as well"]}
    --- stderr
    "#);
    assert_eq!(files.policy("import policy.json -o new.json").code, 0);
    assert_eq!(files.policy("check new.json").code, 0);
    assert_eq!(files.policy("import policy.json -o new.json").code, 2);
    files.write("policy.json", "{\"type\": \"threshold\", \"metric\": \"score\", \"min\": 3, \"max\": 5}");
    assert_snapshot!(files.policy("import policy.json"), @r"
    exit 1
    --- stdout
    --- stderr
    error[import_by_hand]: policy.json: a threshold has one bound here, and two cannot be said together
     |
     = help: Write a policy that says what is meant.
    ");
}

#[test]
fn the_schema_is_the_one_that_is_kept() {
    let files = Files::new("", "");
    assert_eq!(files.policy("schema").stdout, include_str!("../../../../../schemas/success-policy.schema.json"));
}
