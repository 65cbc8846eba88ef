//! One run for each way in which a run can end.

use std::time::Duration;

use probity_testkit::server::{Act, Server, closed_port};

use crate::lab::{Lab, bodies, done, journal_text, outcome, reasons, steps};

/// Everything that this build can show, in two cases.
pub(crate) const WHOLE: &str = "
cases:
  - id: ITEM-001
    title: an item is kept
    covers: [C-1, C-2]
    steps:
      - http: POST /items
        json: {name: mug, note: \"{qa_marker}\", at: \"{qa_started_at}\", by: \"{qa_run_id}\"}
        expect: {status: 201, json: {id: {type: string}, name: mug}}
        save: {item: id}
      - http: GET /items/{item}
        expect: {status: 200, json: {name: mug, note: \"{qa_marker}\"}}
        shows: [persistence, marker]
      - http: GET /bytes?6000
        expect: {status: 200, text: xxxx}
        covers: [C-1]
    cleanup:
      - {http: \"DELETE /items/{item}\", expect: {status: [204, 404]}}
      - {http: \"GET /items/{item}\", expect: {status: 404}, shows: absence}
  - id: ITEM-002
    title: a program counts
    covers: [C-3]
    steps:
      - run: [sh, tools/count.sh]
        expect: {exit: 0, text: \"1 line\"}
";

#[test]
fn everything_passes() {
    let lab = Lab::new(WHOLE);
    lab.write("tools/count.sh", "echo '1 line'\n");
    let (ran, dir) = lab.one();
    assert_eq!(ran.exit, 0, "{}", ran.said());
    assert_eq!(outcome(&dir), "passed");
    assert_eq!(reasons(&dir), Vec::<String>::new());
}
