//! Laws that hold for every expectation.

use super::*;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        (-3_i64..3).prop_map(Json::from),
        "[ab]{0,2}".prop_map(Json::from),
        Just(Json::BrokenText("\u{fffd}".into())),
    ];
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Json::List),
            proptest::collection::vec(("[ab]", inner), 0..3).prop_map(Json::map),
        ]
    })
}

fn op() -> impl Strategy<Value = Op> {
    let leaf = prop_oneof![
        value().prop_map(Op::Equals),
        value().prop_map(|v| Op::Contains(v, true)),
        value().prop_map(|v| Op::Contains(v, false)),
        (-3_i64..3).prop_map(|n| Op::Compare(Comparison::Gte, n.into())),
        Just(Op::Exists),
        Just(Op::NotNull),
        Just(Op::Type(JsonType::Integer)),
        "[ab]".prop_map(|t| Op::StartsWith(t.into())),
    ];
    leaf.prop_recursive(3, 8, 3, |inner| {
        let expect = proptest::collection::vec(inner, 1..3).prop_map(Expect).boxed();
        prop_oneof![
            expect.clone().prop_map(|e| Op::Not(Box::new(e))),
            expect.clone().prop_map(|e| Op::Any(Box::new(e))),
            expect.clone().prop_map(|e| Op::All(Box::new(e))),
            proptest::collection::vec(expect, 0..3).prop_map(Op::AnyOf),
        ]
    })
}

fn truth(document: &str, op: Op) -> Truth {
    at(document, "v", vec![op]).truth
}

proptest! {
    #[test]
    fn only_missing_holds_on_nothing(op in op()) {
        prop_assert_ne!(truth("{}", op), Holds);
    }

    #[test]
    fn not_turns_two_values_and_keeps_the_third(op in op(), value in value()) {
        let document = Json::map([("v", value)]).to_string();
        let turned = match truth(&document, op.clone()) {
            Holds => Fails,
            Fails => Holds,
            NotKnown => NotKnown,
        };
        prop_assert_eq!(truth(&document, Op::Not(expect(op))), turned);
    }

    #[test]
    fn equality_is_reflexive_and_order_free(value in value()) {
        let flawless = json(&value.to_string());
        if compare::flaw(&flawless).is_none() {
            let document = Json::map([("v", flawless.clone())]).to_string();
            prop_assert_eq!(truth(&document, Op::Equals(flawless)), Holds);
        }
    }

    #[test]
    fn cut_bytes_never_show_an_absence(text in "[ab]{0,6}", needle in "[ab]{1,2}", op in op()) {
        let cut = Seen { body: Some(Bytes { kept: text.as_bytes(), complete: false }), ..Seen::default() };
        let absent = run(What::Contains(Channel::Body, vec![needle.into()], false), &cut);
        prop_assert_ne!(verdict_of(&absent), Holds);
        let negated = run(What::Text(Channel::Body, Expect(vec![Op::Not(expect(op))])), &cut);
        prop_assert_ne!(verdict_of(&negated), Holds);
    }

    #[test]
    fn any_bytes_are_judged(kept in proptest::collection::vec(any::<u8>(), 0..64), complete: bool, op in op()) {
        let seen = Seen { body: Some(Bytes { kept: &kept, complete }), ..Seen::default() };
        let _ = run(What::Json(Channel::Body, vec![(path("$..a"), Expect(vec![op.clone()]))]), &seen);
        let _ = run(What::Text(Channel::Body, Expect(vec![op])), &seen);
    }
}
