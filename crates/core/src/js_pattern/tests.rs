use super::*;
use proptest::prelude::*;

fn finds(pattern: &str, text: &str) -> Found {
    JsPattern::read(pattern, false).unwrap().finds(text)
}

#[test]
fn patterns_mean_what_they_mean_in_javascript() {
    let table: &[(&str, bool, &str, bool)] = &[
        ("/graphql$", false, "https://h/graphql", true),
        ("/graphql$", false, "https://h/graphql\n", false),
        (r"\/api\/", false, "https://h/api/1", true),
        (r"\d", false, "\u{0665}", false),
        (r"\w", false, "é", false),
        (r"\s", false, "\u{feff}", true),
        (r"\bsave\b", true, "Save changes", true),
        (r"\bsave\b", true, "Saved", false),
        (r"\bsave\b", true, "ésaveé", true),
        (r"\Bb", false, "ab", true),
        (r"\Bb", false, "a b", false),
        ("^a.c$", false, "a\u{2028}c", false),
        ("a[^]c", false, "a\nc", true),
        ("a[]", false, "a", false),
        ("s", true, "\u{17f}", false),
        ("k", true, "\u{212a}", false),
        ("[a-f]X", true, "Fx", true),
        ("[^a-f]", true, "ABC", false),
        ("Ä", true, "ä", true),
        ("[à-ö]", true, "É", true),
        ("a{,2}", false, "a{,2}", true),
        ("a{2}b", false, "aab", true),
        ("x{1", false, "x{1", true),
        (r"\u{3}", false, "uuu", true),
        (r"\ud83d\ude00", false, "😀", true),
        (r"\ud83d", false, "😀", false),
        (r"[\w-.]+@", false, "a-b.c@", true),
        (r"[+--]", false, ",", true),
        (r"[a&&b]", false, "&", true),
        (r"[[a]", false, "[", true),
        (r"\x41\u0042\103", false, "ABC", true),
        (r"\cJ", false, "\n", true),
        (r"\8", false, "8", true),
        (r"(a)|b\1c", false, "bc", true),
        (r"(a|b)\1", false, "abb", true),
        (r"(?<x>a|b)\k<x>", false, "ab", false),
        (r"(?<=/)v\d(?!\d)", false, "/v1/", true),
        (r"(?<!/)v\d", false, "/v1/", false),
        (r"^(?:GET|POST) ", false, "POST /", true),
        ("a]}b", false, "a]}b", true),
    ];
    for (pattern, ignore_case, text, expected) in table {
        let read = JsPattern::read(pattern, *ignore_case).unwrap();
        let expected = if *expected { Found::Yes } else { Found::No };
        assert_eq!(read.finds(text), expected, "/{pattern}/ over {text:?}");
    }
}

#[test]
fn what_is_no_pattern_is_refused() {
    for pattern in ["(", "[", "a**", "(?<n>a)(?<n>b)", r"\", "[b-a]", "(?<", "a{2,1}"] {
        assert!(JsPattern::read(pattern, false).is_err(), "{pattern}");
    }
    assert!(JsPattern::read(&"a".repeat(LENGTH + 1), false).is_err());
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), ")".repeat(depth));
    assert!(JsPattern::read(&nested(DEPTH), false).is_ok_and(|read| read.finds("a") == Found::Yes));
    assert!(JsPattern::read(&nested(DEPTH + 1), false).is_err_and(|why| why.contains("32 deep")));
    assert!(JsPattern::read(&"(".repeat(LENGTH), false).is_err());
    // What is no group does not count.
    assert!(JsPattern::read(&r"\([(]".repeat(DEPTH + 1), false).is_ok());
}

#[test]
fn groups_are_counted_and_the_first_is_captured() {
    let read = JsPattern::read(r#"(?:"build":\s*)"([0-9a-f]{7,40})(?<rest>[^"]*)""#, false).unwrap();
    assert_eq!(read.groups(), 2);
    assert_eq!(read.first_group(r#"{"build": "41b7d02-dirty"}"#), Some("41b7d02"));
    for (pattern, groups) in
        [("x", 0), ("(x)", 1), ("(?:x)", 0), ("(?<n>x)", 1), ("(?<=x)y", 0), ("(?<!x)", 0), ("[(]x", 0), (r"\(x", 0)]
    {
        assert_eq!(JsPattern::read(pattern, false).unwrap().groups(), groups, "{pattern}");
    }
}

#[test]
fn what_would_take_forever_is_undecided() {
    let text = "a".repeat(40);
    assert_eq!(finds(r"^(?:(a+)+\1)+$", &format!("{text}!")), Found::Undecided);
    assert_eq!(finds("^(a+)+$", &format!("{text}!")), Found::No, "linear, for it looks nowhere and refers to nothing");
    assert_eq!(finds("(?:a{1000}){1000}", "b"), Found::Undecided, "too large to be compiled");
}

/// Patterns out of pieces that are legal anywhere.
fn pattern() -> impl Strategy<Value = String> {
    let atom = prop::sample::select(vec![
        "a", "b", "A", "Z", "1", "_", "-", " ", "é", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", ".", "[ab]", "[^a]",
        "[a-c1]", r"[\w-]", r"[^\s]", "[A-é]", r"\x61", r"\u0062", r"\.", r"\/", "{", "}", "]", "(?:ab|a)", "(a|b1)",
        r"\b", r"\B", "^", "$", "(?=a)", "(?!b)", "(?<=a)", "(?<!1)", "|",
    ]);
    let quantified =
        (atom, prop::sample::select(vec!["", "", "", "*", "+", "?", "{2}", "{1,2}", "*?"])).prop_map(|(atom, many)| {
            let bare = ["^", "$", r"\b", r"\B", "|"].contains(&atom)
                || atom.starts_with("(?=")
                || atom.starts_with("(?!")
                || atom.starts_with("(?<");
            if bare { atom.to_owned() } else { format!("{atom}{many}") }
        });
    prop::collection::vec(quantified, 1..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    /// The parser comes with an engine, without a budget: both find the same.
    #[test]
    fn agrees_with_the_engine_of_the_language(pattern in pattern(), text in "[abAZ1_é \\n{}.-]{0,8}", ignore_case: bool) {
        let oracle = regress::Regex::with_flags(&pattern, if ignore_case { "i" } else { "" });
        match JsPattern::read(&pattern, ignore_case) {
            Ok(read) => {
                let expected = if oracle.unwrap().find(&text).is_some() { Found::Yes } else { Found::No };
                prop_assert_eq!(read.finds(&text), expected, "/{}/ over {:?}", pattern, text);
            }
            Err(_) => prop_assert!(oracle.is_err()),
        }
    }

    #[test]
    fn no_text_makes_it_panic(pattern in "\\PC{0,24}", text in "\\PC{0,16}") {
        if let Ok(read) = JsPattern::read(&pattern, true) {
            let _ = read.finds(&text);
        }
    }
}
