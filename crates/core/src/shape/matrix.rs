//! Tables of the matrix (harness-planning.md 1.2).

use super::written::EXCLUDED;
use super::{IDS, SCHEMA_VERSION, Shape, TEXTS, Table, may, must, seed_table};

/// A matrix.
pub static MATRIX: Table = seed_table(
    "matrix",
    "Criteria, and the tests that show them.",
    &[&[
        SCHEMA_VERSION,
        may("title", Shape::Text, "What the requirement is about, in a few words."),
        may("source", Shape::Text, "Where the requirement comes from."),
        may("acceptsMock", Shape::Bool, "Whether mock data will do. Without it, mock data caps the claim."),
        must("requirements", Shape::List(&Shape::Table(&CRITERION_ROW)), "The criteria in order."),
        must("tests", Shape::List(&Shape::Table(&TEST_ROW)), "The tests in order."),
        may("outOfScope", Shape::List(&Shape::Table(&EXCLUDED)), "Lines that are not ours, with the reason."),
        may("later", Shape::List(&Shape::Table(&EXCLUDED)), "Lines that are ours and put off, with the reason."),
        may("metadata", Shape::Map(&Shape::Data), "Kept, and changes nothing."),
    ]],
);

const STATUS: Shape = Shape::Words(&["Untested", "Blocked", "Passed", "Failed", "Inconclusive"]);
const STATUS_DOC: &str = "The status before anything ran: `Untested` or `Blocked`. A verdict never comes from it.";

/// A row of `requirements`.
pub static CRITERION_ROW: Table = seed_table(
    "requirement row",
    "One part of the requirement that can be checked.",
    &[&[
        must("id", Shape::Id, "The criterion's id."),
        may("source", Shape::Text, "Where its text stands, such as `requirement.md line 3`."),
        may("text", Shape::Text, "What must hold, in the words of the requirement."),
        may("risk", TEXTS, "Tags of what may go wrong. Kept, and changes nothing."),
        may("test_ids", IDS, "The tests that show it."),
        may("status", STATUS, STATUS_DOC),
        may("needs", TEXTS, "Layers of evidence that must show it."),
        may("about", Shape::Words(&["status"]), "`status`: a status alone is what the criterion is about."),
        may(
            "source_span",
            Shape::List(&Shape::Integer(0, i64::MAX)),
            "First byte of its line in requirement.md, and the byte after the last: binds it exactly.",
        ),
        may("source_sha256", Shape::Text, "SHA-256 of the requirement.md that the span was taken from."),
        may("notes", TEXTS, "Remarks. Kept, and change nothing."),
        may(
            "inherited_api_paths",
            Shape::List(&Shape::Text),
            "Paths taken over from earlier lines. Kept, and change nothing.",
        ),
        may("inherited_api_method", Shape::Text, "Method taken over from earlier lines. Kept, and changes nothing."),
        may(
            "inherited_entry_points",
            Shape::List(&Shape::Text),
            "Pages taken over from earlier lines. Kept, and change nothing.",
        ),
    ]],
);

/// A row of `tests`.
pub static TEST_ROW: Table = seed_table(
    "test row",
    "A test: a case, a criterion and a layer of evidence.",
    &[&[
        must("id", Shape::Id, "The test's id."),
        may("requirement_ids", IDS, "The criteria that it shows."),
        may("type", Shape::Text, "The layer that it works on: `api`, `command`, `persistence`, …"),
        may("steps", TEXTS, "What is done, in words."),
        may("expected", Shape::Text, "What must come out, in words."),
        may("required_evidence", TEXTS, "Layers of evidence that it needs."),
        may("status", STATUS, STATUS_DOC),
        may("title", Shape::Text, "What the test shows, in a few words."),
        may("risk", TEXTS, "Tags of what may go wrong. Kept, and changes nothing."),
        may("notes", TEXTS, "Remarks. Kept, and change nothing."),
    ]],
);
