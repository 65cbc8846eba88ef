//! Values of other cases, named as `{CASE.name}`.

use super::builder::{World, equals, http, id, save, var};
use crate::codes::Code;
use crate::plan::Scenario;

/// Case A makes an order, asks for it and saves what it was answered; case B, which names A's values, asks this.
fn world(change: impl FnOnce(&mut World)) -> Vec<String> {
    let mut world = World::sound();
    let mut post = http("A.1", "POST", "/orders");
    post.saves = vec![save("order", "id")];
    let mut get = http("A.2", "GET", "/orders/{order}");
    get.idempotent = true;
    get.saves = vec![save("total", "total")];
    world.plan.scenarios[0].steps = vec![post, get];
    world.second();
    let mut again = http("B.1", "GET", "/orders/{A.order}");
    again.idempotent = true;
    again.checks = vec![equals("total", var("A.total"))];
    second(&mut world).steps = vec![again];
    change(&mut world);
    let found = world.findings();
    found.into_iter().filter(|f| f.code == Code::ExpectationSelfDerived).map(|f| f.message).collect()
}

fn second(world: &mut World) -> &mut Scenario {
    &mut world.plan.scenarios[1]
}

#[test]
fn a_value_of_another_case_that_put_the_same_question_is_refused() {
    let refused = |what: &str, change: fn(&mut World)| {
        let found = world(change);
        assert_eq!(found.len(), 1, "{what}: {found:?}");
        assert!(found[0].starts_with("A.total was saved by A.2, which puts the same question"), "{found:?}");
    };
    refused("in its own words", |_| {});
    refused("within a text", |w| {
        second(w).steps[0].checks = vec![equals("total", crate::json::Json::map([("$template", "EUR {A.total}")]))];
    });
    refused("another read before it", |w| {
        let mut read = http("B.0", "GET", "/version");
        read.idempotent = true;
        second(w).steps.insert(0, read);
    });
    refused("through a case that it starts from", |w| {
        second(w).uses.push(super::builder::used("A"));
        let crate::plan::Action::Http(http) = &mut second(w).steps[0].action else { return };
        http.target = "/orders/{order}".into();
    });
}

#[test]
fn a_value_of_another_case_that_asked_something_else_proves_something() {
    let passes = |what: &str, change: fn(&mut World)| assert_eq!(world(change), Vec::<String>::new(), "{what}");
    passes("another place", |w| {
        let crate::plan::Action::Http(http) = &mut second(w).steps[0].action else { return };
        http.target = "/stored/{A.order}".into();
    });
    passes("an order of its own", |w| {
        let mut post = http("B.0", "POST", "/orders");
        post.saves = vec![save("order", "id")];
        second(w).steps.insert(0, post);
        let crate::plan::Action::Http(http) = &mut second(w).steps[1].action else { return };
        http.target = "/orders/{order}".into();
    });
    passes("something was changed in between, here", |w| {
        second(w).steps.insert(0, http("B.0", "POST", "/orders/{A.order}/pay"));
    });
    passes("something was changed in between, there", |w| {
        let mut delete = http("A.3", "DELETE", "/orders/{order}");
        delete.idempotent = true;
        w.plan.scenarios[0].steps.push(delete);
    });
    passes("another header", |w| {
        let crate::plan::Action::Http(http) = &mut second(w).steps[0].action else { return };
        http.headers.push(("accept".into(), "text/plain".into()));
    });
    passes("the answer of the write itself", |w| {
        w.plan.scenarios[0].steps[1].saves.clear();
        w.plan.scenarios[0].steps[0].saves.push(save("total", "total"));
    });
    passes("of a case that is not there", |w| w.plan.scenarios[0].id = id("Z"));
}

#[test]
fn a_change_by_a_case_that_nothing_orders_is_not_in_between() {
    // Case D writes, and stands between them in the plan.
    let between = |w: &mut World, uses: &[&str], then: bool| {
        let mut writes = Scenario { id: id("D"), ..w.plan.scenarios[0].clone() };
        writes.steps = vec![http("D.1", "POST", "/sweep")];
        writes.uses = uses.iter().map(|name| super::builder::used(name)).collect();
        w.plan.scenarios.insert(1, writes);
        if then {
            w.plan.scenarios[2].uses.push(super::builder::used("D"));
        }
    };
    assert_eq!(world(|w| between(w, &[], false)).len(), 1, "it may be run before or after both");
    assert_eq!(world(|w| between(w, &["A"], false)).len(), 1, "it may be run after both");
    assert_eq!(world(|w| between(w, &[], true)).len(), 1, "it may be run before both");
    assert_eq!(world(|w| between(w, &["A"], true)), Vec::<String>::new(), "it lies in between");
}
