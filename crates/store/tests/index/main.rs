//! The index of QA runs on both real engines: SQLite in a temporary folder, PostgreSQL started here.

#![expect(clippy::unwrap_used, clippy::unreachable, reason = "tests")]

mod kept;
mod lab;
mod many;
mod rows;
mod sure;
mod vectors;

use lab::Lab;
use probity_testkit::postgres::Postgres;

type Test = fn(&Lab);

/// Everything that must hold on either engine; each has a database of its own.
const ALL: [(&str, Test); 15] = [
    ("versions", rows::a_change_is_a_version_with_a_reason),
    ("confusable", rows::ids_differ_in_more_than_case),
    ("record", rows::what_goes_in_comes_out),
    ("keys", rows::a_key_stands_for_one_run),
    ("pending", rows::a_run_without_verdict_is_completed_once),
    ("refused", rows::rows_out_of_range_are_refused),
    ("kept", rows::nothing_recorded_is_changed_or_removed),
    ("counts", sure::counts_equal_the_whole_evaluation),
    ("recount", sure::a_new_version_counts_what_is_there),
    ("writers", many::writers_at_once_lose_nothing),
    ("makers", many::makers_at_once_make_it_once),
    ("vectors", vectors::every_vector_by_counts_by_columns_and_counted_again),
    ("sums", vectors::sums_of_sql_are_those_of_core),
    ("columns", kept::no_column_of_evidence_is_changed_and_no_row_removed),
    ("plans", many::recording_and_gates_look_up_by_keys),
];

#[test]
fn sqlite() {
    for (_, test) in ALL {
        test(&Lab::sqlite());
    }
}

#[test]
fn needs_postgres_all_of_it() {
    let postgres = Postgres::start();
    for (name, test) in ALL {
        test(&Lab::postgres(&postgres, name));
    }
}
