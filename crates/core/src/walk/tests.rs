use super::*;
use crate::lint::testing::{World, used};

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

/// A plan of cases of these names, each with the cases that it starts from.
fn plan(cases: &[(&str, &[&str])]) -> (Plan, Matrix) {
    let mut world = World::sound();
    let one = world.plan.scenarios[0].clone();
    world.plan.scenarios = cases
        .iter()
        .map(|(name, uses)| Scenario { id: id(name), uses: uses.iter().map(|n| used(n)).collect(), ..one.clone() })
        .collect();
    (world.plan, world.matrix)
}

fn order(plan: &Plan, matrix: &Matrix, only: &[&str]) -> Option<Vec<String>> {
    let only: Vec<String> = only.iter().map(|&text| text.to_owned()).collect();
    selected(plan, matrix, &only).map(|cases| cases.iter().map(|case| case.id.to_string()).collect())
}

#[test]
fn a_case_comes_after_what_it_starts_from_and_else_stays_where_it_is() {
    for (cases, expected) in [
        (&[("A", &[][..]), ("B", &[]), ("C", &[])][..], &["A", "B", "C"][..]),
        (&[("A", &["C"]), ("B", &[]), ("C", &[])], &["B", "C", "A"]),
        (&[("A", &["B"]), ("B", &["C"]), ("C", &[])], &["C", "B", "A"]),
        (&[("A", &["gone", "A"]), ("B", &[])], &["A", "B"]),
        (&[("A", &["B"]), ("B", &["A"]), ("C", &["A"]), ("D", &[])], &["D", "A", "B", "C"]),
    ] {
        let (plan, matrix) = plan(cases);
        assert_eq!(order(&plan, &matrix, &[]).unwrap(), expected, "{cases:?}");
    }
    let (plan, _) = plan(&[("A", &["B"]), ("B", &["A"]), ("C", &["A"]), ("D", &[])]);
    assert_eq!(Order::of(&plan).circular, [0, 1].into(), "C only comes after the circle");
}

#[test]
fn a_value_that_is_named_orders_too() {
    let (mut plan, matrix) = plan(&[("A", &[]), ("B", &[]), ("C", &[])]);
    let crate::plan::Action::Http(http) = &mut plan.scenarios[0].steps[1].action else { panic!() };
    http.target = "/orders/{C.order}".to_owned();
    assert_eq!(order(&plan, &matrix, &[]).unwrap(), ["B", "C", "A"]);
}

#[test]
fn a_selection_pulls_in_what_it_starts_from() {
    let (plan, matrix) = plan(&[("A", &["B"]), ("B", &["C"]), ("C", &[]), ("D", &["A"])]);
    assert_eq!(order(&plan, &matrix, &["a"]).unwrap(), ["C", "B", "A"]);
    assert_eq!(order(&plan, &matrix, &["C"]).unwrap(), ["C"]);
    assert_eq!(order(&plan, &matrix, &["gone"]), None);
}

#[test]
fn the_lineage_is_short_and_in_the_order_of_running() {
    let (plan, _) = plan(&[("A", &["B", "C"]), ("B", &["C"]), ("C", &[])]);
    assert_eq!(Order::of(&plan).lineage(&id("A")), [2, 1]);
    let names: Vec<String> = (0..200).map(|n| format!("X{n}")).collect();
    let uses: Vec<[&str; 1]> = (0..200).map(|n| [names[(n + 1) % 200].as_str()]).collect();
    let cases: Vec<(&str, &[&str])> = names.iter().zip(&uses).map(|(n, u)| (n.as_str(), &u[..])).collect();
    let (plan, matrix) = self::plan(&cases);
    assert_eq!(Order::of(&plan).lineage(&id("X0")).len(), MOST_USED + 1);
    assert_eq!(order(&plan, &matrix, &[]).unwrap().len(), 200);
}

/// Begins all that may, then ends the first that began and goes on; gives what began, with `|` where one ended.
fn goes(plan: &Plan, matrix: &Matrix) -> String {
    let mut queue = Queue::of(plan, selected(plan, matrix, &[]).unwrap());
    let mut under_way = std::collections::VecDeque::new();
    let mut text = String::new();
    loop {
        while let Some(case) = queue.begin() {
            text.push_str(case.id.as_str());
            under_way.push_back(case.id.clone());
        }
        let Some(first) = under_way.pop_front() else { return text };
        queue.ended(&first);
        text.push('|');
    }
}

#[test]
fn cases_begin_beside_each_other_and_after_what_they_come_after() {
    for (cases, expected) in [
        (&[("A", &[][..]), ("B", &[]), ("C", &[])][..], "ABC|||"),
        (&[("A", &["C"]), ("B", &[]), ("C", &[])], "BC||A|"),
        (&[("A", &["B"]), ("B", &["C"]), ("C", &[]), ("D", &["C"])], "C|BD|A||"),
        // A circle is let through by the run that wants it: one of it begins all the same.
        (&[("A", &["B"]), ("B", &["A"]), ("C", &["A"])], "A|BC||"),
    ] {
        let (plan, matrix) = plan(cases);
        assert_eq!(goes(&plan, &matrix), expected, "{cases:?}");
    }
}

#[test]
fn a_case_that_looks_into_logs_is_alone() {
    let (mut plan, matrix) = plan(&[("A", &[]), ("B", &[]), ("C", &[]), ("D", &[])]);
    let look = crate::plan::LogStep { service: id("shop"), poll: None };
    plan.scenarios[1].steps[0].action = crate::plan::Action::Log(look);
    assert_eq!(goes(&plan, &matrix), "A|B|CD||");
}

#[test]
fn what_follows_always_comes_after() {
    let (plan, _) = plan(&[("A", &["B"]), ("B", &["C"]), ("C", &[]), ("D", &["C"])]);
    let order = Order::of(&plan);
    for (later, earlier, follows) in
        [(0, 1, true), (0, 2, true), (3, 2, true), (0, 3, false), (3, 1, false), (2, 0, false)]
    {
        assert_eq!(order.follows(later, earlier), follows, "{later} after {earlier}");
    }
}
