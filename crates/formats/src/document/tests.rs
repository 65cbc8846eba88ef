use std::time::{Duration, Instant};

use probity_core::document::{Place, Value};
use proptest::prelude::*;

use super::*;

const PLAN: &str = r#"schemaVersion: 2
requirement:
  title: Order total
  criteria:
    - {id: ORDER-1, needs: api, text: "Placing an order answers 201."}
environment: &env local
cases:
  - id: ORDER-001
    covers: [ORDER-1]   # one
    steps:
      - http: POST /api/orders
        json: {sku: MUG-1, qty: 3, note: "{qa_marker}", total: 29.97}
        expect: {status: 201, json: {'id': {type: string}}}
        where: *env
      - run: [python3, "tools/read_order.py"]
        text: |
          two
          lines
"#;

fn yaml(text: &str) -> Node {
    read("a.yaml", text.as_bytes()).unwrap()
}

fn errors(name: &str, bytes: &[u8]) -> Vec<(Code, u32, u32, String, String)> {
    let diagnostics = read(name, bytes).unwrap_err();
    assert!(diagnostics.iter().all(|d| d.file == name));
    diagnostics
        .into_iter()
        .map(|d| {
            let Place { line, column, .. } = d.place.unwrap();
            (d.code, line, column, d.message, d.help.unwrap())
        })
        .collect()
}

/// Line, column and written text of a place.
fn written(text: &str, place: Place) -> (u32, u32, &str) {
    (place.line, place.column, &text[place.bytes()])
}

/// Every node lies inside the text and inside its parent, and its column is where the text says it is.
fn check_places(text: &str, node: &Node, bounds: &Place, through_alias: bool) {
    let place = node.place;
    let bytes = place.bytes();
    assert!(bytes.start <= bytes.end && bytes.end <= text.len());
    assert!(through_alias || (bounds.start <= place.start && place.end <= bounds.end), "{place:?} outside {bounds:?}");
    assert_eq!(Lines::new(text).place(bytes.start, bytes.end), place);
    let alias = through_alias || text[bytes.start..].starts_with('*');
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| check_places(text, item, &place, alias)),
        Value::Map(pairs) => {
            for (key, value) in pairs {
                assert!(alias || (place.start <= key.place.start && key.place.end <= place.end));
                check_places(text, value, &place, alias);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Text(_) => {}
    }
}

#[test]
fn nodes_and_keys_know_where_they_stand() {
    let text = PLAN;
    let plan = yaml(text);
    check_places(text, &plan, &plan.place, false);
    let case = &plan.get("cases").unwrap().as_list().unwrap()[0];
    assert_eq!((case.place.line, case.place.column), (8, 5));
    let step = &case.get("steps").unwrap().as_list().unwrap()[0];
    let total = step.get("json").unwrap().get("total").unwrap();
    assert_eq!(written(text, total.place), (12, 64, "29.97"));
    let (key, id) = &step.get("expect").unwrap().get("json").unwrap().as_map().unwrap()[0];
    assert_eq!(written(text, key.place), (13, 38, "'id'"));
    assert_eq!(written(text, id.place), (13, 44, "{type: string}"));
    assert_eq!(written(text, step.get("where").unwrap().place), (14, 16, "*env"));
    assert_eq!(step.get("where").unwrap().as_text(), Some("local"));
}

#[test]
fn byte_order_mark_line_ends_and_wide_letters_keep_places_right() {
    let text = "\u{feff}a: 1\r\nb: [ä, x]\r\nc:\r\n";
    let node = yaml(text);
    assert_eq!(written(text, node.get("a").unwrap().place), (1, 4, "1"));
    assert_eq!(written(text, node.get("b").unwrap().as_list().unwrap()[1].place), (2, 8, "x"));
    // What is not written stands where its key stands.
    assert_eq!(written(text, node.get("c").unwrap().place), (3, 1, "c"));
    let same = read("a.JSON", "\u{feff}{\r\n\"ä\": x}".as_bytes()).unwrap_err();
    assert_eq!(same[0].place.map(|p| (p.line, p.column)), Some((2, 6)));
}

#[test]
fn the_name_says_which_format() {
    assert!(read("a.json", b"a: 1").is_err());
    for name in ["a.yaml", "a.yml", "a.probity.yaml", "dir.json/a"] {
        assert_eq!(read(name, b"a: 1").unwrap().to_json().to_string(), r#"{"a":1}"#, "{name}");
    }
}

#[test]
fn slips_are_named_in_plain_words() {
    for (text, line, column, message, help) in [
        ("a:\n  b: 1\n\tc: 2\n", 3, 1, "a tab where YAML wants spaces", "spaces only"),
        ("a: 1\nb:2\nc: 3\n", 2, 2, "no space after the colon of a key", "`key: value`"),
        ("- a\n-b\n", 2, 1, "no space after `-`", "`- `"),
        ("a: 'x\n", 1, 4, "a quote that is never closed", "close it"),
        ("a: [GET /{id}, 2]\n", 1, 10, "`{` inside an unquoted text", "quotes"),
        ("a: {b: 1 c: 2}\n", 1, 11, "a second `:` after one key", "line 1, column 4"),
        ("a: {{b}}\n", 1, 5, "a map where a key should stand", "quotes"),
        ("a: see: b\n", 1, 7, "`: ` inside an unquoted text", "quotes"),
        ("a: \"\\d\"\n", 1, 4, "an escape that YAML does not know", "backslash"),
        ("a: `x`\n", 1, 4, "cannot begin an unquoted text", "quotes"),
        ("a: %x\n", 1, 4, "cannot begin an unquoted text", "quotes"),
        ("a: *x\n", 1, 4, "an alias whose anchor", "quotes"),
        ("a: [1\n", 1, 4, "never closed", "close it"),
        ("a: 1\n  b: 2\n", 2, 4, "indented under a line which already has a value", "indent it"),
        (": 1\n", 1, 1, "no key before `:`", "write the key"),
        ("&k a: 1\n", 1, 4, "an anchor before a key", "before the value"),
        ("!t a: 1\n", 1, 4, "the tag `!t`", "remove it"),
        ("a: !!int x\n", 1, 10, "the tag `!!int`", "remove it"),
        ("a: !!seq {}\n", 1, 10, "the tag `!!seq`", "remove it"),
    ] {
        let found = errors("a.yaml", text.as_bytes());
        let (code, l, c, m, h) = &found[0];
        assert_eq!((*code, *l, *c), (Code::SyntaxError, line, column), "{text:?}: {m}");
        assert!(m.contains(message), "{text:?}: {m}");
        assert!(h.contains(help), "{text:?}: {h}");
    }
}

#[test]
fn a_bare_reference_is_refused_and_a_map_is_not() {
    for bare in ["a: {name}", "a: { name }", "a: [{CASE-1.name}]", "{name}"] {
        assert_eq!(errors("a.yaml", bare.as_bytes())[0].0, Code::ReferenceMalformed, "{bare}");
    }
    for fine in
        ["a: \"{name}\"", "a: {name: }", "a: {name: null}", "a: {b, c}", "a: {}", "a: {\"name\"}", "a: /x/{name}"]
    {
        assert!(read("a.yaml", fine.as_bytes()).is_ok(), "{fine}");
    }
}

#[test]
fn several_errors_are_told_at_once_but_not_all() {
    let found = errors("a.yaml", b"a: 1\na: 2\nb: !x y\na: 3\n");
    let places: Vec<_> = found.iter().map(|e| (e.0, e.1)).collect();
    assert_eq!(places, [(Code::DuplicateKey, 2), (Code::SyntaxError, 3), (Code::DuplicateKey, 4)]);
    assert!(found[2].3.contains("line 1, column 1"));
    assert_eq!(errors("a.yaml", "a: 1\n".repeat(1000).as_bytes()).len(), 20);
}

#[test]
fn limits_hold_on_both_sides() {
    let limit = |name: &str, text: &str| read(name, text.as_bytes()).map_err(|d| d[0].code).map(|_| ());
    let too_large = Err(Code::DocumentTooLarge);
    for name in ["a.yaml", "a.json"] {
        let list = |n: usize| format!("[{}]", vec!["0"; n].join(", "));
        assert_eq!(limit(name, &list(MAX_NODES - 1)), Ok(()));
        assert_eq!(limit(name, &list(MAX_NODES)), too_large);
        let text = |n: usize| format!("\"{}\"", "x".repeat(n - 2));
        assert_eq!(limit(name, &text(MAX_BYTES)), Ok(()));
        assert_eq!(limit(name, &text(MAX_BYTES + 1)), too_large);
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert_eq!(limit(name, &deep(MAX_DEPTH)), Ok(()));
        assert_eq!(limit(name, &deep(MAX_DEPTH + 1)), too_large);
    }
}

#[test]
fn hostile_documents_end_soon() {
    // Enough for what is quadratic to show, and quick where it is not.
    const SIZE: usize = MAX_BYTES / 16;
    let nested_anchors: String = (0..60).map(|i| format!("&a{i} [")).collect();
    let texts = [
        format!("{nested_anchors}{}{}", "x, ".repeat(40_000), "]".repeat(60)),
        format!("a: &a [{}]\nb: [{}]\n", "x, ".repeat(900), "*a, ".repeat(60_000)),
        "[".repeat(SIZE),
        "{".repeat(SIZE),
        "- ".repeat(SIZE / 2),
        "? ".repeat(SIZE / 2),
        "a: ".repeat(SIZE / 3),
        "&a ".repeat(SIZE / 3),
        "!a ".repeat(SIZE / 3),
        "\"".repeat(SIZE),
        "#".repeat(SIZE),
        "#\n".repeat(SIZE / 2),
        "\n".repeat(SIZE),
        " ".repeat(SIZE),
        "x\n".repeat(SIZE / 2),
        format!("[{}", "x\n".repeat(SIZE / 2 - 1)),
        format!("|\n{}", " x\n".repeat(SIZE / 3 - 1)),
        format!("{{{}", "a,".repeat(SIZE / 2 - 1)),
        format!("[{}", "\"a\":".repeat(SIZE / 4 - 1)),
        "---\n".repeat(SIZE / 4),
        (0..20_000).fold(String::new(), |text, i| text + &format!("k{i}: 1\n")),
    ];
    for text in &texts {
        for name in ["a.yaml", "a.json"] {
            let begun = Instant::now();
            let _ = read(name, text.as_bytes());
            let took = begun.elapsed();

            assert!(took < Duration::from_secs(5), "{name} {:?}... took {took:?}", &text[..20]);
        }
    }
}

/// Pieces that a YAML reader takes special care of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-:?,{}\\[\\]&*!|>'\"%@`#<= \\n\\t\\r~\\\\a1.]{1,6}",
        prop::sample::select(vec![
            "\n  ", "\n- ", ": ", "&a ", "*a ", "!!str ", "<<: *a", "---", "...", "\r\n", "\u{feff}", "ä", "\u{2028}",
            "|-\n", "\"\\u12", "{a}",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

fn check(name: &str, bytes: &[u8]) {
    match read(name, bytes) {
        Ok(node) => {
            let text = std::str::from_utf8(bytes).unwrap();
            check_places(text, &node, &Place::new(0, text.len(), 1, 1), false);
        }
        Err(diagnostics) => {
            assert!(!diagnostics.is_empty() && diagnostics.len() <= 25);
            for d in diagnostics {
                let place = d.place.unwrap();
                assert!(
                    place.start <= place.end && place.bytes().end <= bytes.len() && place.line > 0 && place.column > 0
                );
                assert!(!d.message.is_empty() && !d.message.ends_with('.') && d.help.is_some());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check("a.yaml", &bytes);
        check("a.json", &bytes);
    }

    #[test]
    fn any_pieces_are_read_or_refused(pieces in prop::collection::vec(piece(), 0..30)) {
        let text = pieces.concat();
        check("a.yaml", text.as_bytes());
        check("a.json", text.as_bytes());
    }

    #[test]
    fn a_mutated_plan_is_read_or_refused(
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize, piece()), 1..5),
    ) {
        let mut bytes = PLAN.as_bytes().to_vec();
        for (at, drop, piece) in edits {
            let at = at.index(bytes.len().max(1)).min(bytes.len());
            let end = (at + drop).min(bytes.len());
            bytes.splice(at..end, piece.bytes());
        }
        check("a.yaml", &bytes);
    }

    #[test]
    fn json_reads_alike_in_both_formats(value in json_value()) {
        // JSON on one line is YAML too; what differs is refused by one of the two, never read as another value.
        let json = read("a.json", value.as_bytes()).unwrap();
        let yaml = read("a.yaml", value.as_bytes()).unwrap();
        prop_assert_eq!(json, yaml);
    }
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        any::<i64>().prop_map(|n| n.to_string()),
        (any::<i32>(), 0..99_u8).prop_map(|(a, b)| format!("{a}.{b}0e{b}")),
        "[a-zäö0-9 :#{},~-]{0,12}".prop_map(|s| format!("\"{s}\"")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|v| format!("[{}]", v.join(", "))),
            prop::collection::btree_map("[a-z]{1,4}", inner, 0..4).prop_map(|m| {
                let pairs: Vec<String> = m.iter().map(|(k, v)| format!("\"{k}\": {v}")).collect();
                format!("{{{}}}", pairs.join(", "))
            }),
        ]
    })
}
