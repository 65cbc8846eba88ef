//! The same program on PostgreSQL, which is named by a URL that shows up nowhere.

use probity_testkit::postgres::{PASSWORD, Postgres};

use super::moving::full;
use super::soon;
use crate::place::{PASSES, Place};

#[test]
fn needs_postgres_everything_through_the_program() {
    let server = Postgres::start();
    let url = server.database("program");
    let place = Place::with_service().plan(PASSES);
    let said = std::cell::RefCell::new(String::new());
    let must = |code: i32, words: &str| {
        let ran = place.probity_with(words, &[("PROBITY_QA_INDEX", &url)]);
        said.borrow_mut().extend([ran.stdout.as_str(), ran.stderr.as_str()]);
        assert_eq!(ran.code, code, "{words}\n{ran}");
        ran
    };
    must(2, "qa gate");
    must(0, "qa require R --plan order.probity.yaml --by ann");
    must(5, "qa gate --commit c1");
    must(0, "run");
    must(0, "qa require R --accept-reported --by ann --reason manual");
    must(0, "qa record R --verdict fail --reason boom --score 3.5 --confidence 0.9 --commit c1 --by bo");
    must(7, "qa gate --commit c1");
    must(0, &format!("qa waive R --by ann --reason x --until {}", soon()));
    must(0, "qa gate --commit c1");
    let list = must(0, "qa list R --format json").json();
    assert_eq!((&list["runs"][0]["verdict"], &list["runs"][1]["source"]), (&"fail".into(), &"observed".into()));
    must(0, "qa record R --run 2");
    must(0, "qa status --commit c1");
    must(0, "settings");
    must(2, "qa list NONE");
    must(0, "qa export --as csv");
    assert!(!said.borrow().contains(PASSWORD), "{said:?}");
    // A server that is away: three, and no password.
    drop(server);
    must(3, "qa gate --commit c1");
    let ran = must(0, "run");
    assert_eq!(ran.stderr.matches("warning: not_indexed").count(), 1, "{ran}");
    assert!(!said.borrow().contains(PASSWORD), "{said:?}");
}

#[test]
fn needs_postgres_an_index_moves_there_and_back() {
    let server = Postgres::start();
    let url = server.database("moving");
    let place = full();
    let first = place.probity("qa export").stdout;
    place.write("all.jsonl", &first);
    let at = |words: &str| place.probity_with(words, &[("PROBITY_QA_INDEX", url.as_str())]);
    let imported = at("qa import all.jsonl");
    assert_eq!(imported.code, 0, "{imported}");
    assert_eq!(at("qa export").stdout, first);
    assert_eq!(at("qa export --as csv").stdout, place.probity("qa export --as csv").stdout);
}
