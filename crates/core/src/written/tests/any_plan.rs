//! What always holds, whatever the document says.

use proptest::prelude::*;

use super::*;

/// Names that steer expansion into its corners, and some that do not.
fn any_text() -> impl Strategy<Value = String> {
    let known: Vec<&str> = "schemaVersion requirement criteria id needs text about outOfScope later why cases covers steps cleanup \
        uses notClaimed criterion kind http run action expect status json text size poll every save header shows terminal \
        values of auth bearer env $env $var stdin vars C-1 api GET_/a {x} {{ 5s <unwritten>"
        .split_whitespace()
        .collect();
    prop_oneof![
        4 => proptest::sample::select(known).prop_map(|word| word.replace('_', " ")),
        1 => "\\PC{0,8}",
    ]
}

fn any_json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        Just(Json::from(2u8)),
        any_text().prop_map(Json::Text),
    ];
    leaf.prop_recursive(7, 120, 8, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::List),
            proptest::collection::btree_map(any_text(), inner, 0..8).prop_map(Json::map),
        ]
    })
}

/// Sound plans in which one part is anything.
fn any_plan() -> impl Strategy<Value = Json> {
    (any_json(), 0..5u8).prop_map(|(part, spot)| {
        let criterion = Json::map([("id", Json::from("C-1")), ("needs", "api".into()), ("text", "t".into())]);
        let wrap = |case: Json, criteria: Json| {
            Json::map([
                ("schemaVersion", Json::from(2u8)),
                ("requirement", Json::map([("criteria", criteria)])),
                ("cases", Json::list([case])),
            ])
        };
        let case = |steps: Json| Json::map([("id", Json::from("K")), ("covers", "C-1".into()), ("steps", steps)]);
        match spot {
            0 => part,
            1 => wrap(part, Json::list([criterion])),
            2 => wrap(case(part), Json::list([criterion])),
            3 => wrap(case(Json::list([part])), Json::list([criterion])),
            _ => wrap(case(Json::list::<Json>([])), Json::list([criterion, part])),
        }
    })
}

proptest! {
    #[test]
    fn expansion_never_panics_and_is_deterministic(json in any_plan()) {
        let document = node(&json, &mut 0);
        let once = || {
            let mut diags = Diagnostics::about("p");
            (expand(&document, &mut diags), diags.into_sorted())
        };
        let (first, second) = (once(), once());
        prop_assert!(first.0.is_some() || !first.1.is_empty(), "refused without a word");
        prop_assert_eq!(first, second);
    }
}
