//! JSON answers: fields, sizes, exit codes.

use insta::assert_snapshot;

use crate::place::{PASSES, Place, fails};

#[test]
fn a_passed_run() {
    let ran = Place::with_service().plan(PASSES).probity("run --format json");
    assert_eq!(ran.code, 0);
    assert_snapshot!(ran.answer(), @r#"
    {
      "assurance": "unsigned",
      "attempt": {
        "n": 1,
        "series": "5e71e55e71e55e71",
        "this_subject": null
      },
      "can_claim_pass": true,
      "claims": {
        "observed": 6,
        "reported": 0,
        "witnessed": 0
      },
      "conditions": [
        "isolation none",
        "disposable data"
      ],
      "counts": {
        "blocked": 0,
        "failed": 0,
        "inconclusive": 0,
        "passed": 2,
        "untested": 0
      },
      "criteria": [
        {
          "evidence": [
            "e1"
          ],
          "id": "ORDER-1",
          "needs": [
            "api"
          ],
          "status": "passed"
        },
        {
          "evidence": [
            "e2"
          ],
          "id": "ORDER-2",
          "needs": [
            "persistence"
          ],
          "status": "passed"
        }
      ],
      "dir": "probity-runs/20261130T142402Z-order-7f3a91c2",
      "environment": {
        "data": "disposable",
        "declared": "profile",
        "kind": "local",
        "name": "local",
        "url": "http://127.0.0.1:8123"
      },
      "exit": 0,
      "findings": [],
      "left_out": {
        "criteria": 0,
        "findings": 0
      },
      "may_say": "Order total: 2 of 2 criteria were shown by evidence in one run (seal 18:7f3a91c2d4e8b016, unsigned).",
      "more": {
        "criteria": null,
        "findings": null
      },
      "must_not_say": [
        "that anything beyond these criteria works",
        "that the verdict is signed or independent"
      ],
      "next": [
        {
          "cmd": "probity report",
          "do": "look",
          "file": null,
          "hint": "the report",
          "line": null,
          "text": null,
          "who": "agent",
          "why": "passed"
        },
        {
          "cmd": "probity verify --seal 18:7f3a91c2d4e8b016",
          "do": "look",
          "file": null,
          "hint": "checks it, anywhere",
          "line": null,
          "text": null,
          "who": "agent",
          "why": "passed"
        }
      ],
      "plan": {
        "changed_since_base": null,
        "file": "order.probity.yaml",
        "sha256": "0000000000000000000000000000000000000000000000000000000000000000"
      },
      "requirement": {
        "sha256": "0000000000000000000000000000000000000000000000000000000000000000",
        "source": null,
        "title": "Order total"
      },
      "run": "20261130T142402Z-order-7f3a91c2",
      "schema": "probity/run/1",
      "scope": {
        "asked": 2,
        "later": 0,
        "of": 2,
        "out_of_scope": 1
      },
      "seal": "18:7f3a91c2d4e8b016",
      "status": "passed",
      "subject": {
        "build": null,
        "dirty": null,
        "git": null,
        "source": "declared",
        "tree": null
      },
      "weakenings": []
    }
    "#);
}

#[test]
fn a_failed_run_and_its_verification() {
    let place = Place::with_service().plan(&fails());
    let ran = place.probity("run --format json");
    assert_eq!(ran.code, 1);
    let answer = ran.json();
    assert_eq!(answer["criteria"][0]["id"], "ORDER-2", "non-passes first");
    assert_snapshot!(serde_json::to_string_pretty(&answer["findings"]).unwrap(), @r#"
    [
      {
        "case": "ORDER-001",
        "code": "requirement_failed",
        "evidence": [
          "e2"
        ],
        "expected": "29.97",
        "expected_from": null,
        "help": "Look at expected and saw; repair the product, or correct the plan if the requirement says otherwise.",
        "id": "f1",
        "message": "json total is not what was expected",
        "place": {
          "column": 38,
          "file": "order.probity.yaml",
          "line": 20
        },
        "probe": "http",
        "saw": "29.96",
        "severity": "fail",
        "step": "ORDER-001.2",
        "subject": "ORDER-2",
        "what": "json total",
        "who": "product"
      }
    ]
    "#);
    assert_snapshot!(serde_json::to_string_pretty(&answer["next"]).unwrap(), @r#"
    [
      {
        "cmd": "probity show ORDER-2",
        "do": "look",
        "file": null,
        "hint": "request, answer and checks side by side",
        "line": null,
        "text": null,
        "who": "agent",
        "why": "requirement_failed"
      },
      {
        "cmd": "probity run order.probity.yaml",
        "do": "run",
        "file": null,
        "hint": "after the repair",
        "line": null,
        "text": null,
        "who": "agent",
        "why": "requirement_failed"
      }
    ]
    "#);
    assert_snapshot!(serde_json::to_string_pretty(&answer["must_not_say"]).unwrap(), @r#"
    [
      "that Order total is done, passed or verified",
      "that the failure is flaky or unrelated"
    ]
    "#);
    let verified = place.probity("verify --format json");
    assert_eq!(verified.code, 1);
    assert_snapshot!(verified.answer(), @r#"
    {
      "anchored_by": "index",
      "assurance": "unsigned",
      "attempt": {
        "n": 1,
        "series": "5e71e55e71e55e71",
        "this_subject": null
      },
      "can_claim_pass": false,
      "checked": {
        "bytes": 4000,
        "entries": 18,
        "evidence": 8
      },
      "claims": {
        "observed": 3,
        "reported": 0,
        "witnessed": 0
      },
      "closed": true,
      "demands": [],
      "derivation": {
        "mine": 3,
        "run": 3,
        "views_compared": 17,
        "views_skipped": 0
      },
      "dir": "probity-runs/20261130T142402Z-order-7f3a91c2",
      "exit": 1,
      "findings": [],
      "intact": true,
      "left_out": {
        "findings": 0,
        "reasons": 0
      },
      "reasons": [
        {
          "case": "ORDER-001",
          "code": "requirement_failed",
          "evidence": [
            "e2"
          ],
          "expected": "29.97",
          "expected_from": null,
          "help": "Look at expected and saw; repair the product, or correct the plan if the requirement says otherwise.",
          "id": "f1",
          "message": "json total is not what was expected",
          "place": {
            "column": 38,
            "file": "order.probity.yaml",
            "line": 20
          },
          "probe": "http",
          "saw": "29.96",
          "severity": "fail",
          "step": "ORDER-001.2",
          "subject": "ORDER-2",
          "what": "json total",
          "who": "product"
        }
      ],
      "run": "20261130T142402Z-order-7f3a91c2",
      "schema": "probity/verify/1",
      "seal": "18:7f3a91c2d4e8b016",
      "status": "failed",
      "weakenings": []
    }
    "#);
}

#[test]
fn a_blocked_run() {
    let ran = Place::without_service().plan(PASSES).probity("run --format json");
    assert_eq!(ran.code, 3);
    let answer = ran.json();
    assert_eq!(answer["findings"][0]["code"], "preflight_blocked");
    assert_eq!(answer["findings"][0]["who"], "service");
    assert_eq!(
        answer["may_say"].as_str().unwrap().split(" (").next(),
        Some("Order total: it could not be tested; nothing is known about it")
    );
}

#[test]
fn the_gaps_of_an_undeclared_environment() {
    let place = Place::undeclared();
    let plan = PASSES.replace("environment: local\n", "").replace(" /items", &format!(" {}/items", place.origin()));
    let place = place.plan(&plan);
    assert_eq!(place.probity("run --format json").code, 5);
    let why = place.probity("why --format json");
    assert_eq!(why.code, 0);
    assert_snapshot!(why.answer(), @r#"
    {
      "can_claim_pass": false,
      "exit": 0,
      "gaps": [
        {
          "case": null,
          "code": "environment_unconfirmed",
          "evidence": [],
          "expected": null,
          "expected_from": null,
          "help": "Declare the environment in probity.yaml with kind, url and data.",
          "id": "f1",
          "message": "nobody has said what http://127.0.0.1:8123 is and whose data it holds",
          "order": 1,
          "place": null,
          "probe": null,
          "remedy": {
            "cmd": null,
            "file": "probity.yaml",
            "kind": "line",
            "line": null,
            "text": "default_environment: local\nenvironments:\n  local: {kind: local, url: \"http://127.0.0.1:8123\", data: DATA}"
          },
          "saw": null,
          "severity": "gap",
          "step": null,
          "subject": "run",
          "what": null,
          "who": "person"
        }
      ],
      "left_out": {
        "gaps": 0
      },
      "others_known": false,
      "run": "20261130T142402Z-order-7f3a91c2",
      "schema": "probity/why/1",
      "status": "inconclusive"
    }
    "#);
}

#[test]
fn a_criterion_with_its_step() {
    let place = Place::with_service().plan(&fails());
    place.probity("run");
    let shown = place.probity("show order-2 --format json");
    assert_eq!(shown.code, 0);
    assert_snapshot!(shown.answer(), @r#"
    {
      "criterion": {
        "needs": [
          "persistence"
        ],
        "tests": [
          {
            "id": "ORDER-001.ORDER-2.persistence",
            "status": "failed"
          }
        ],
        "text": "The stored total equals the total that was shown."
      },
      "exit": 0,
      "id": "ORDER-2",
      "kind": "criterion",
      "left_out": {
        "steps": 0
      },
      "run": "20261130T142402Z-order-7f3a91c2",
      "schema": "probity/show/1",
      "status": "failed",
      "steps": [
        {
          "checks": [
            {
              "class": "observed",
              "expected": "29.97",
              "expected_from": null,
              "holds": "false",
              "op": "equals",
              "provenance": "literal",
              "saw": "29.96",
              "what": "json total"
            },
            {
              "class": "observed",
              "expected": "29.96 (number)",
              "expected_from": "shown",
              "holds": "false",
              "op": "equals",
              "provenance": "earlier",
              "saw": "\"MUG-1\" (text)",
              "what": "json sku"
            },
            {
              "class": "observed",
              "expected": "200",
              "expected_from": null,
              "holds": "true",
              "op": "equals",
              "provenance": "literal",
              "saw": "200",
              "what": "status"
            }
          ],
          "curl": "curl -sS -i -H 'user-agent: probity' -H 'accept: */*' 'http://127.0.0.1:8123/items/1'",
          "evidence": [
            {
              "bytes": 82,
              "file": null,
              "id": "e2",
              "media": "application/json",
              "redactions": 0,
              "role": "body",
              "sha256": "0000000000000000000000000000000000000000000000000000000000000000"
            }
          ],
          "got": {
            "body": {
              "bytes": 82,
              "cut": false,
              "evidence": "e2",
              "from": 0,
              "text": "{\"id\":\"1\",\"sku\":\"MUG-1\",\"total\":29.96,\"note\":\"QA_MARKER_0123456789abcdef01234567\"}"
            },
            "headers": [
              "content-type: application/json",
              "content-length: 82",
              "date: Mon, 30 Nov 2026 14:24:02 GMT"
            ],
            "hops": [],
            "peer": "127.0.0.1:8123",
            "phases": {
              "body_us": 1,
              "connect_us": 1,
              "dns_us": 1,
              "first_byte_us": 1,
              "tls_us": 1
            },
            "proxy": null,
            "status": 200,
            "tls": null,
            "version": "1.1"
          },
          "id": "ORDER-001.2",
          "left_out": {
            "checks": 0
          },
          "ms": 1,
          "place": {
            "column": 9,
            "file": "order.probity.yaml",
            "line": 19
          },
          "reason": {
            "code": "requirement_failed",
            "message": "expected json total equals 29.97, saw 29.96"
          },
          "sent": {
            "body": null,
            "headers": [
              "User-Agent: probity",
              "Accept: */*",
              "Host: 127.0.0.1:8123"
            ],
            "line": "GET http://127.0.0.1:8123/items/1"
          },
          "started": "2026-11-30T14:24:02.123Z",
          "status": "failed",
          "tries": 1,
          "verb": "GET /items/{order}"
        }
      ]
    }
    "#);
}

#[test]
fn errors_are_answers_too() {
    let place = Place::with_service().plan(&fails());
    assert_snapshot!(place.probity("verify --format json"), @r#"
    exit 2
    --- stdout
    {"schema":"probity/error/1","exit":2,"error":{"code":"run_unknown","message":"there is no run in [folder]/probity-runs","help":"make one with probity run, or name the folder of runs with --out","place":null},"others":[],"left_out":{"errors":0}}
    --- stderr
    "#);
    assert_snapshot!(place.probity("run absent.probity.yaml --format json"), @r#"
    exit 2
    --- stdout
    {"schema":"probity/error/1","exit":2,"error":{"code":"plan_not_found","message":"there is no such file or folder","help":"Name a file that ends in .probity.yaml, a folder that holds one, or write one with probity init.","place":{"file":"absent.probity.yaml","line":null,"column":null}},"others":[],"left_out":{"errors":0}}
    --- stderr
    "#);
    assert_snapshot!(place.probity("run --bogus --format json"), @r#"
    exit 2
    --- stdout
    {"schema":"probity/error/1","exit":2,"error":{"code":"usage_error","message":"unexpected argument '--bogus' found","help":"see --help","place":null},"others":[],"left_out":{"errors":0}}
    --- stderr
    "#);
    place.write("order.probity.yaml", "schemaVersion: 2\ncases: [\n");
    assert_snapshot!(place.probity("run --format json"), @r#"
    exit 2
    --- stdout
    {"schema":"probity/error/1","exit":2,"error":{"code":"syntax_error","message":"`[` is never closed","help":"close it, or put the text in quotes if it is text; the bracket of line 2, column 8 is still open","place":{"file":"order.probity.yaml","line":2,"column":8}},"others":[],"left_out":{"errors":0}}
    --- stderr
    "#);
    assert_snapshot!(place.probity("explain step_asserts_nothin --format json"), @r#"
    exit 2
    --- stdout
    {"schema":"probity/error/1","exit":2,"error":{"code":"code_unknown","message":"step_asserts_nothin: there is no such code","help":"did you mean step_asserts_nothing?","place":null},"others":[],"left_out":{"errors":0}}
    --- stderr
    "#);
}

#[test]
fn several_runs_are_one_answer() {
    let place = Place::with_service().plan(PASSES);
    place.write("other.probity.yaml", &fails());
    let ran = place.probity("run --format json");
    let answer = ran.json();
    assert_eq!((ran.code, &answer["schema"], &answer["status"]), (1, &"probity/runs/1".into(), &"failed".into()));
    assert_eq!(answer["runs"][0]["plan"], "other.probity.yaml", "the worst first");
    assert_eq!(answer["runs"][0]["first"]["code"], "requirement_failed");
    assert_eq!(answer["counts"]["passed"], 1);
}

#[test]
fn an_answer_is_small_however_much_failed() {
    let place = Place::with_service();
    let mut criteria = String::new();
    let mut cases = String::new();
    for n in 1..=40 {
        criteria += &format!(
            "    - {{id: BUILD-{n}, needs: api, text: \"The build that is running is number {n} of them.\"}}\n"
        );
        cases += &format!(
            "  - id: CASE-{n}\n    title: build {n}\n    covers: [BUILD-{n}]\n    steps:\n      \
             - {{http: GET /version, expect: {{json: {{build: \"number {n}\"}}}}}}\n"
        );
    }
    let plan = format!(
        "schemaVersion: 2\nrequirement:\n  title: Builds\n  criteria:\n{criteria}environment: local\ncases:\n{cases}"
    );
    let place = place.plan(&plan);
    let ran = place.probity("run --format json");
    assert_eq!(ran.code, 1, "{ran}");
    for words in [
        "run --format json",
        "verify --format json",
        "why --format json",
        "report --as json",
        "show BUILD-7 --format json",
    ] {
        let ran = place.probity(words);
        assert!(ran.stdout.len() <= 8192, "{words}: {}", ran.stdout.len());
        assert!(ran.stdout.len() > 1000, "{words}: {ran}");
    }
    let answer = ran.json();
    let shown = answer["findings"].as_array().unwrap().len() as u64;
    assert!(shown >= 5, "{shown}");
    assert_eq!(shown + answer["left_out"]["findings"].as_u64().unwrap(), 40);
    let listed = answer["criteria"].as_array().unwrap().len() as u64;
    assert_eq!(listed + answer["left_out"]["criteria"].as_u64().unwrap(), 40);
    assert_eq!(answer["more"]["findings"], "probity why");
    assert!(place.probity("show BUILD-7 --format json --max-bytes 1000").stdout.len() > 500);
}

#[test]
fn a_step_with_much_to_tell_fits_all_the_same() {
    let place = Place::with_service();
    let long = "\\u0001".repeat(120);
    let checks: String = (1..=30).map(|n| format!("k{n}: \"{n} {long}\", ")).collect();
    let values: String = (1..=30).map(|n| format!("k{n}: \"{long}\", ")).collect();
    let plan = PASSES
        .replace("json: {sku: MUG-1, total: 29.96,", &format!("json: {{{values}sku: MUG-1, total: 29.96,"))
        .replace("json: {id: exists, total: 29.96}", &format!("json: {{{checks}id: exists, total: 29.96}}"));
    let place = place.plan(&plan);
    assert_eq!(place.probity("run").code, 1);
    let shown = place.probity("show ORDER-1 --format json");
    assert!(shown.stdout.len() <= 8192, "{}", shown.stdout.len());
    let answer = shown.json();
    assert!(answer["steps"][0]["left_out"]["checks"].as_u64().unwrap() > 0);
    assert_eq!(answer["steps"][0]["checks"][0]["holds"], "false");
}
