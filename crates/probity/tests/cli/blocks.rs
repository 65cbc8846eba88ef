//! What people see beside the blocks of docs/output.md: progress, errors, edges.

use insta::assert_snapshot;

use crate::place::{PASSES, Place, fails};

#[test]
fn progress_goes_to_standard_error() {
    let ran = Place::with_service().plan(&fails()).probity("run");
    assert_eq!(ran.code, 1);
    assert_snapshot!(ran, @r#"
    exit 1
    --- stdout
    FAILED  Order total: 1 of 2 criteria failed, 1 passed; unsigned; attempt 1 of its series
      FAILED  ORDER-2  persistence  The stored total equals the total that was shown.  e2
          requirement_failed   order.probity.yaml:20   GET /items/{order}   e2
          expected  json total = 29.97
          saw       29.96
      passed  ORDER-1
      not claimed   1 line is out of scope: "Refunds come later."
    strength  3 claims: 3 observed; no weakening; cleanup complete; unsigned
    subject   no work tree; the service names no build
    terms     isolation none; disposable data
    next      product probity show ORDER-2                    request, answer and checks side by side
              yours   probity run order.probity.yaml          after the repair
    run 20261130T142402Z-order-7f3a91c2  seal 18:7f3a91c2d4e8b016  exit 1
    --- stderr
    probity 0.1.0  order.probity.yaml  on local http://127.0.0.1:8123 (disposable data)
      ORDER-001     the total survives storage                 3 steps  0.1s  FAILED at step 2
    "#);
    let blocked = Place::without_service().plan(PASSES).probity("run");
    assert_snapshot!(blocked, @r#"
    exit 3
    --- stdout
    BLOCKED  Order total: nothing was tested; 2 of 2 criteria blocked; unsigned; attempt 1 of its series
      preflight_blocked   http://127.0.0.1:8123: no connection to 127.0.0.1:8123: connection refused
          needed by  all 3 steps, through environment local
          this says nothing about the product: no answer was seen
      BLOCKED  ORDER-1  ORDER-2
      not claimed   1 line is out of scope: "Refunds come later."
    strength  0 claims; no weakening; nothing to clean up; unsigned
    subject   no work tree; the service names no build
    terms     isolation none; disposable data
    next      service probity run order.probity.yaml          once the service answers
              yours   probity.yaml: services: [{id: NAME, start: [PROGRAM], port: 8123}]
              yours   probity why                             every gap with what closes it
    run 20261130T142402Z-order-7f3a91c2  seal 9:7f3a91c2d4e8b016  exit 3
    --- stderr
    probity 0.1.0  order.probity.yaml  on local http://127.0.0.1:8123 (disposable data)
      preflight  BLOCKED before the first step
    "#);
}

#[test]
fn an_agent_sees_the_block_alone() {
    let place = Place::with_service().plan(PASSES);
    let ran = place.probity_with("run", &[("PROBITY_AGENT", "1")]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("PASSED  "), "{ran}");
}

#[test]
fn colour_is_for_the_verdict_alone() {
    let place = Place::with_service().plan(PASSES);
    let ran = place.probity("run --color always");
    assert!(ran.stdout.starts_with("\u{1b}[1;32mPASSED\u{1b}[0m  "), "{ran}");
    assert_eq!(ran.stdout.matches('\u{1b}').count(), 2, "{ran}");
}

#[test]
fn usage_errors() {
    let place = Place::with_service();
    assert_snapshot!(place.probity("run --bogus"), @r"
    exit 2
    --- stdout
    --- stderr
    error: unexpected argument '--bogus' found

      tip: to pass '--bogus' as a value, use '-- --bogus'

    Usage: probity run [OPTIONS] [PLAN|DIR]...

    For more information, try '--help'.
    ");
    assert_snapshot!(place.probity("run"), @r"
    exit 2
    --- stdout
    --- stderr
    error[plan_not_found]: the folder holds no plan
    --> .
     = help: Name a file that ends in .probity.yaml, a folder that holds one, or write one with probity init.
    ");
    assert_snapshot!(place.probity("verify nothing"), @r"
    exit 2
    --- stdout
    --- stderr
    error[run_unknown]: there is no run `nothing` in [folder]/probity-runs
     |
     = help: Name a run folder, a prefix of its id, or leave it out for the newest.
    ");
    assert_snapshot!(place.probity("explain nothing_like_it"), @r"
    exit 2
    --- stdout
    --- stderr
    error[code_unknown]: nothing_like_it: there is no such code
     |
     = help: See probity explain --all.
    ");
    let place = place.plan(PASSES);
    place.probity("run");
    assert_snapshot!(place.probity("show ORDER-9"), @r"
    exit 2
    --- stdout
    --- stderr
    error[id_unknown]: ORDER-9: the run has no criterion, case, step or evidence of this id
     |
     = help: did you mean ORDER-1?
    ");
    assert_snapshot!(place.probity("run --only NOTHING"), @r"
    exit 4
    --- stdout
    --- stderr
    error[nothing_selected]: NOTHING names no case, criterion or test of the plan
     |
     = help: Name a case that the plan has.
    ");
    assert_snapshot!(place.probity("verify --seal 12"), @r"
    exit 2
    --- stdout
    --- stderr
    error[usage_error]: --seal 12: this is no seal
     |
     = help: a seal is an entry count and 16 digits: 214:7f3a91c2d4e8b016
    ");
    assert_snapshot!(place.probity("verify --max-age 7"), @r"
    exit 2
    --- stdout
    --- stderr
    error[usage_error]: --max-age 7: write a whole number with s, m, h, d or w
     |
     = help: see probity verify --help
    ");
}

#[test]
fn a_part_never_passes_the_whole() {
    let place = Place::with_service().plan(PASSES);
    let more = "  - id: ORDER-002\n    title: another\n    covers: [ORDER-1]\n    steps:\n      \
                - {http: GET /version, expect: {json: {build: \"1\"}}}\n";
    let place = place.plan(&format!("{PASSES}{more}"));
    let ran = place.probity("run --only ORDER-001");
    assert_eq!(ran.code, 5);
    assert_snapshot!(ran.out(), @r#"
    INCONCLUSIVE  Order total: 1 of 2 criteria untested, 1 passed; unsigned; attempt 1 of its series
      1  requirement_untested   nothing tested the criterion   ORDER-1
           yours    probity run order.probity.yaml
                    the whole plan
      2  capped_partial_selection   1 of 2 cases were selected
           yours    probity run order.probity.yaml
                    the whole plan
      no other gap is known; close these and run again
      UNTESTED  ORDER-1
      passed  ORDER-2
      not claimed   1 line is out of scope: "Refunds come later."
    strength  6 claims: 6 observed; WEAKENED: partial_selection (1 of 2 cases were selected); cleanup
              complete; unsigned
    subject   no work tree; the service names no build
    terms     isolation none; disposable data
    next      yours   probity run order.probity.yaml          the whole plan
    run 20261130T142402Z-order-7f3a91c2  seal 18:7f3a91c2d4e8b016  exit 5
    "#);
}

#[test]
fn a_step_that_waits_on_a_missing_value_is_told_with_the_first_failure() {
    let plan = PASSES
        .replace("{id: exists, total: 29.96}", "{order_number: exists}")
        .replace("order: id", "order: order_number");
    let ran = Place::with_service().plan(&plan).probity("run");
    assert_eq!(ran.code, 1);
    assert_snapshot!(ran.out(), @r#"
    FAILED  Order total: 1 of 2 criteria failed, 1 inconclusive; unsigned; attempt 1 of its series
      FAILED  ORDER-1  api          Placing an order answers 201 with its id and total.  e1
          requirement_failed   order.probity.yaml:16   POST /items   e1
          expected  json order_number exists
          saw       nothing
      INCONCLUSIVE  ORDER-2  persistence  The stored total equals the total that was shown.  e2
          requirement_inconclusive   what was seen of the criterion is not enough
      not claimed   1 line is out of scope: "Refunds come later."
    strength  0 claims; no weakening; nothing to clean up; unsigned
    subject   no work tree; the service names no build
    terms     isolation none; disposable data
    next      product probity show ORDER-1                    request, answer and checks side by side
              yours   probity run order.probity.yaml          after the repair
    run 20261130T142402Z-order-7f3a91c2  seal 16:7f3a91c2d4e8b016  exit 1
    "#);
}
