//! Whatever a document says, decoding ends and says what is wrong.

use proptest::prelude::*;

use super::*;

/// Documents made of the words of the plan language, so that they reach deep into the decoders.
fn document() -> impl Strategy<Value = Json> {
    let word = prop::sample::select(vec![
        "api",
        "command",
        "pollApi",
        "/a",
        "/{a}",
        "http://{a}",
        "$..a",
        "a[0]",
        "missing",
        "(",
        "C",
        "",
        "GET",
        "marker",
    ]);
    let leaf = prop_oneof![
        word.prop_map(Json::from),
        (-2_i64..300).prop_map(Json::from),
        any::<bool>().prop_map(Json::from),
        Just(Json::Null),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        let name = prop::sample::select(vec![
            "id",
            "steps",
            "action",
            "path",
            "url",
            "method",
            "headers",
            "query",
            "json",
            "expectJson",
            "expectStatus",
            "expectResponseHeaders",
            "extractJson",
            "obligations",
            "kind",
            "$var",
            "env",
            "op",
            "value",
            "not",
            "gt",
            "any",
            "auth",
            "bearer",
            "command",
            "vars",
            "mutation",
            "requirements",
            "tests",
            "environment",
            "identity",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
            prop::collection::btree_map(name, inner, 0..6).prop_map(Json::map),
        ]
    })
}

proptest! {
    #[test]
    fn is_decoded_or_refused_with_a_reason(steps in prop::collection::vec(document(), 1..4), other in document()) {
        let plan_text = Json::map([
            ("schemaVersion", Json::from(2)),
            ("vars", other.clone()),
            ("scenarios", Json::list([Json::map([("id", Json::from("C")), ("steps", steps.into())])])),
        ]);
        for document in [&plan_text, &other] {
            let node = Node::from_json(document, Place::default());
            for decode in [plan, plan_expanded] {
                let mut diags = Diagnostics::about("test");
                prop_assert!(decode(&node, &mut diags).is_some() || diags.has_errors());
            }
            let mut diags = Diagnostics::about("test");
            prop_assert!(matrix(&node, &mut diags).is_some() || diags.has_errors());
            let mut diags = Diagnostics::about("test");
            prop_assert!(crate::settings::profile(&node, &mut diags).is_some() || diags.has_errors());
            let mut diags = Diagnostics::about("test");
            prop_assert!(crate::settings::environment(None, &node, &mut diags).is_some() || diags.has_errors());
            let mut diags = Diagnostics::about("test");
            prop_assert!(expect(&node, &mut diags).is_some() || diags.has_errors());
        }
    }
}
