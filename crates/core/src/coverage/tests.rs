//! What is a unit, what claims one, and what does not.

use super::*;
use crate::json::{Json, Limits, read};
use proptest::prelude::*;

fn row(id: &str, text: &str) -> Criterion {
    Criterion {
        id: Id::parse(id).unwrap(),
        text: text.to_owned(),
        source: String::new(),
        needs: Vec::new(),
        about_status: false,
        test_ids: Vec::new(),
        planned_status: "Untested".to_owned(),
        span: None,
        source_sha256: None,
        place: Place::default(),
    }
}

fn matrix(rows: Vec<Criterion>) -> Matrix {
    Matrix { criteria: rows, ..Matrix::default() }
}

fn texts(requirement: &str) -> Vec<String> {
    units(requirement).into_iter().map(|unit| unit.text).collect()
}

/// Ids of the rows that claim each unit.
fn claimed(requirement: &str, rows: &[(&str, &str)]) -> Vec<String> {
    let rows = rows.iter().map(|(id, text)| row(id, text)).collect();
    let ids =
        |unit: &UnitCoverage| unit.matches.iter().map(|m| m.requirement_id.to_string()).collect::<Vec<_>>().join(" ");
    coverage(requirement, &matrix(rows)).units.iter().map(ids).collect()
}

#[test]
fn units_are_lines_and_sentences() {
    let text = "# Orders\nSource: an issue\n\nPlacing answers 201. It stores\nthe total.\n- first item\n  goes on\n- [ ] second\n\
        prose beside the list\n1. third\n\n## 背景\n用户打开页面。显示“待办”。\n\n```sh\nmake test\n```\n| a | b |\n|---|---|\n| c | d |\n\
        ---\nNotes:\n\n## Later\n- export\n### details\nmore\n## Next\n- back again\n";
    assert_eq!(
        texts(text),
        [
            "Placing answers 201.",
            "It stores the total.",
            "first item goes on",
            "second",
            "prose beside the list",
            "third",
            "用户打开页面。",
            "显示“待办”。",
            "make test",
            "| a | b |",
            "| c | d |",
            "back again",
        ]
    );
    let all = split(text);
    assert_eq!(all.excluded.iter().map(|unit| unit.text.as_str()).collect::<Vec<_>>(), ["export", "more"]);
    assert!(all.excluded.iter().all(|unit| unit.aside == Some(Aside::Later)));
    let labels: Vec<_> = all.units.iter().map(|unit| unit.source.as_str()).take(5).collect();
    assert_eq!(labels, ["line 4 sentence 1", "line 4 sentence 2", "line 6", "line 8", "line 9"]);
    let count = |reason| all.ignored.iter().filter(|piece| piece.reason == reason).count();
    assert_eq!(count(Reason::Heading), 5);
    assert_eq!(count(Reason::SourceLine), 1);
    assert_eq!(count(Reason::Label), 1);
    assert_eq!(count(Reason::NoWords), 4);
}

/// Requirements that other intakes split wrongly, with the number of units that they have.
#[test]
fn units_are_counted_as_people_do() {
    let table = [
        ("- POST /api/projects returns 201 and project_id; GET /api/projects/{project_id} returns 200.\n", 2),
        ("- 在 /drafts 页面点击“回滚；取消”按钮，页面显示“已恢复”。\n", 1),
        ("- 用户在 /feed 页面滚动后刷新浏览器，滚动位置恢复；此为前端页面状态。不调用接口。\n", 2),
        ("- ORDER-1: The list; and all of it.\n", 1),
        ("Not a PR review. The page src/notes.ts documents GET /api/notes which returns 200.\n", 2),
        ("The dashboard at /status must show \"All systems normal\".\n\n- GET /api/health returns 200.\n", 2),
        ("用户打开 /todo 页面，显示“待办”。点击“新建”按钮调用接口 POST /api/todos。\n", 2),
        ("", 0),
    ];
    for (text, count) in table {
        assert_eq!(units(text).len(), count, "{:?}", texts(text));
    }
}

#[test]
fn lines_are_counted_with_blank_ones() {
    let text = "- GET /api/one returns 200.\n\n- GET /api/two returns 200.\n- GET /api/three returns 200.\n";
    assert_eq!(units(text).iter().map(|unit| unit.line).collect::<Vec<_>>(), [1, 3, 4]);
    // Labels that leave blank lines out must not claim another line.
    let scaffold = |n: usize, path: &str| Criterion {
        source: format!("requirement.md line {n}"),
        ..row(&format!("R{n}"), &format!("GET /api/{path} returns 200."))
    };
    let found = coverage(text, &matrix(vec![scaffold(1, "one"), scaffold(3, "three")]));
    assert_eq!(found.uncovered().map(|unit| unit.unit.line).collect::<Vec<_>>(), [3]);
    let reworded = Criterion { text: "GET /api/three answers with 200".to_owned(), ..scaffold(3, "") };
    let found = coverage(text, &matrix(vec![scaffold(1, "one"), reworded]));
    assert_eq!(found.uncovered().map(|unit| unit.unit.line).collect::<Vec<_>>(), [3]);
}

#[test]
fn nothing_is_called_away() {
    // A title, a source line below the head, a tag, and words behind a fence are no hiding places.
    assert_eq!(texts("# Out of scope\n- must hold\n"), ["must hold"]);
    assert_eq!(texts("- a b\nSource: must hold\n"), ["a b", "Source: must hold"]);
    assert_eq!(texts("#urgent must hold"), ["#urgent must hold"]);
    assert_eq!(texts("``` must hold\nx\n```"), ["``` must hold", "x"]);
    assert_eq!(texts("## Later\n\n# Part two\nmust hold"), ["must hold"]);
    assert_eq!(texts("must hold\n---\n"), ["must hold"]);
    assert_eq!(texts("<!-- must hold -->"), ["<!-- must hold -->"]);
    assert_eq!(texts("```\n# must hold\n```"), ["# must hold"]);
}

#[test]
fn expanded_plans_bind_exactly() {
    let requirement =
        "# T\n\n- A-1: Orders answer 201; they have an id. And 2.\n- A-2: Nothing else.\n\n## Later\n\n- More. (why)\n";
    let spans: Vec<_> = units(requirement).iter().map(|unit| unit.span).collect();
    assert_eq!(spans.len(), 2);
    assert_eq!(&requirement[spans[0].0..spans[0].1], "- A-1: Orders answer 201; they have an id. And 2.");
    let digest = Some(Digest::of(requirement.as_bytes()).to_string());
    let bound = |id: &str, span| Criterion { span: Some(span), source_sha256: digest.clone(), ..row(id, "any words") };
    let whole = coverage(requirement, &matrix(vec![bound("A-1", spans[0]), bound("A-2", spans[1])]));
    assert!(whole.passed() && whole.findings.is_empty(), "{:?}", whole.findings);
    assert_eq!(whole.excluded.len(), 1);

    let less = coverage(requirement, &matrix(vec![bound("A-1", spans[0])]));
    assert!(!less.passed());
    assert_eq!(less.uncovered().map(|unit| unit.unit.id.as_str()).collect::<Vec<_>>(), ["S2"]);
    assert_eq!(less.findings[0].code, Code::SourceUncovered);
    assert_eq!(less.findings[0].place.unwrap().line, 4);

    // Half a line leaves the other half; two halves are a whole.
    let (start, end) = spans[0];
    let middle = start + requirement[start..].find(';').unwrap();
    let half = coverage(requirement, &matrix(vec![bound("A-1", (start, middle)), bound("A-2", spans[1])]));
    assert_eq!(half.uncovered().count(), 1);
    let halves = vec![bound("A-1", (start, middle)), bound("A-3", (middle, end)), bound("A-2", spans[1])];
    assert!(coverage(requirement, &matrix(halves)).passed());

    // No row claims two lines, and none binds to another text.
    let wide = coverage(requirement, &matrix(vec![bound("A-1", (0, requirement.len()))]));
    assert_eq!(wide.uncovered().count(), 2);
    let mut stale = bound("A-2", spans[1]);
    stale.source_sha256 = Some(Digest::of(b"other").to_string());
    let stale = coverage(requirement, &matrix(vec![bound("A-1", spans[0]), stale]));
    assert_eq!(stale.uncovered().count(), 1);
    assert!(stale.findings.iter().any(|f| f.code == Code::SourceWeaklyMapped && f.subject.as_deref() == Some("A-2")));
}

#[test]
fn what_expansion_writes_is_covered() {
    let plan = crate::written::expand(
        &crate::written::tests::document(
            r#"{"schemaVersion": 2, "requirement": {"title": "Later", "criteria": [
                {"id": "Notes", "needs": "api", "text": "Source: a; b. C？ `d\n- e"},
                {"id": "C-2", "needs": "api", "text": "Source: a; b. C？ `d"}]}, "cases": []}"#,
        ),
        &mut crate::diagnostic::Diagnostics::about("p"),
    )
    .unwrap();
    let rows = plan.matrix.get("requirements").unwrap().to_json();
    let rows = rows.as_list().unwrap().iter().map(|json| {
        let span = json.get("source_span").unwrap().as_list().unwrap();
        let at = |i: usize| usize::try_from(span[i].as_u64().unwrap()).unwrap();
        let text = |name: &str| json.get(name).unwrap().as_text().unwrap();
        Criterion {
            span: Some((at(0), at(1))),
            source_sha256: Some(text("source_sha256").to_owned()),
            ..row(text("id"), text("text"))
        }
    });
    let coverage = coverage(&plan.requirement, &matrix(rows.collect()));
    assert!(coverage.passed() && coverage.findings.is_empty(), "{:?}", coverage.findings);
    assert_eq!(coverage.units.len(), 2);
}

/// A line, a row, and whether the row claims the line.
#[test]
fn words_claim_what_they_say() {
    let table = [
        ("Placing an order answers 201 with its id", "Placing an order answers 201 with its id", true),
        ("Placing an order answers 201 with its id", "placing an order: answers 201 with the id", true),
        ("Placing an order answers 201 with its id", "Placing an order answers 202 with its id", false),
        ("Placing an order answers 201 with its id", "Placing an order answers with its id", false),
        ("POST /api/orders answers with the new id", "PUT /api/orders answers with the new id", false),
        ("A guest must see the order list page", "A guest must not see the order list page", false),
        ("A guest must not see the order list page", "A guest must see the order list page", false),
        ("A guest can't see the order list page", "A guest can see the order list page", false),
        ("Stock is never below zero after two orders", "Stock is never below zero after three orders", false),
        ("取消后不得请求接口", "取消后不得请求接口", true),
        ("取消后不得请求接口", "取消后必须请求接口", false),
        ("返回 404 状态码", "返回 403 状态码", false),
        ("Limit is 1,000 rows a page", "limit is 1000 rows a page", true),
        ("OK here", "everything is OK here and there", false),
        ("Orders are listed newest first", "Refunds go to the same card", false),
    ];
    for (line, text, claims) in table {
        assert_eq!(claimed(&format!("- {line}"), &[("R1", text)]), [if claims { "R1" } else { "" }], "{line} / {text}");
    }
    let two = "- A guest must not see the list\n- see the list";
    assert_eq!(claimed(two, &[("R1", "A guest must not see the list")]), ["R1", ""], "a part may say the opposite");
    let found = coverage("- A guest must see the list", &matrix(vec![row("R1", "A guest must not see the list")]));
    assert!(
        found.findings[0].message.contains("R1 says nearly the same with another negation"),
        "{:?}",
        found.findings
    );
}

#[test]
fn a_row_names_its_line() {
    let by_source = |source: &str, text: &str| {
        let row = Criterion { source: source.to_owned(), ..row("R9", text) };
        coverage("# T\n\n- The order total is kept in the store\n- Refunds\n", &matrix(vec![row])).units[0].covered
    };
    assert!(by_source("requirement.md line 3 clause 1", "Kept order total"));
    assert!(!by_source("requirement.md line 33", "Kept order total"));
    assert!(!by_source("requirement.md line 3", "Users may log in"), "a wrong label is no claim");
    assert_eq!(claimed("- R1: The total is kept for a year", &[("R1", "Keeps the total a year")]), ["R1"]);
    assert_eq!(claimed("- R1: The total is kept for a year", &[("R2", "Keeps the total a year")]), [""]);
}

#[test]
fn taking_a_row_away_always_shows() {
    let text = "Intro\n\n- List orders of the shop by date\n- List orders of the shop by name\n\nOrders have ids. These ids always differ.";
    let rows = [
        ("R0", "Intro"),
        ("R1", "List the orders of the shop by date"),
        ("R2", "List the orders of the shop by name"),
        ("R3", "Orders have ids. These ids always differ."),
    ];
    assert!(coverage(text, &matrix(rows.map(|(id, text)| row(id, text)).to_vec())).passed());
    for gone in 0..rows.len() {
        let mut left = rows.to_vec();
        left.remove(gone);
        assert!(claimed(text, &left).contains(&String::new()), "without {}", rows[gone].0);
    }
}

#[test]
fn rows_of_the_matrix_put_lines_aside() {
    let excluded = |text: &str| Excluded { text: text.to_owned(), why: "w".to_owned(), place: Place::default() };
    let mut matrix = matrix(vec![row("R1", "Orders have ids")]);
    matrix.later.push(excluded("Exports  are signed"));
    let found = coverage("- Orders have ids\n- Exports are signed\n", &matrix);
    assert!(found.passed());
    assert_eq!(found.excluded[0].aside, Some(Aside::Later));
    matrix.later[0].text = "Exports".to_owned();
    assert!(!coverage("- Orders have ids\n- Exports are signed\n", &matrix).passed());
}

#[test]
fn nothing_is_no_pass() {
    for text in ["", "# Title\n\n", "## Later\n- a b c\n"] {
        let found = coverage(text, &matrix(vec![row("R1", "a b c")]));
        assert!(!found.passed() && found.findings[0].code == Code::SourceUncovered, "{text}");
    }
}

#[test]
fn the_view_has_the_fields_of_the_reference() {
    let mut found = coverage(
        "# T\n- Orders answer 201\n- Refunds answer 204\n## Later\n- x y\n",
        &matrix(vec![row("R1", "Orders answer 201")]),
    );
    found.allow_unmapped = true;
    assert!(found.execution_allowed() && !found.passed());
    let expected = r#"{
        "schema_version": 1,
        "requirement_unit_count": 2, "source_unit_audited_count": 2, "source_unit_total_count": 2,
        "source_unit_omitted_count": 0, "source_units_truncated": false, "max_units": 0,
        "matrix_requirement_count": 1, "covered_count": 1, "uncovered_count": 1, "coverage_complete": false,
        "allow_unmapped_source": true, "execution_allowed": true, "passed": false,
        "coverage": [
            {"id": "S1", "source": "line 2", "text": "Orders answer 201", "covered": true,
             "matches": [{"requirement_id": "R1", "requirement_status": "Untested", "method": "text_contains", "score": 1}],
             "source_span": [4, 23]},
            {"id": "S2", "source": "line 3", "text": "Refunds answer 204", "covered": false, "matches": [],
             "source_span": [24, 44]}],
        "errors": ["line 3: `Refunds answer 204` maps to no criterion"],
        "warnings": ["line 2: `Orders answer 201` is mapped to R1 by its words alone (text_contains)",
                     "line 3: `Refunds answer 204` maps to no criterion"],
        "input_artifact_errors": [],
        "excluded": [{"id": "X1", "source": "line 5", "text": "x y", "reason": "later", "source_span": [54, 59]}],
        "ignored": [{"reason": "heading", "source_span": [0, 3]}, {"reason": "heading", "source_span": [45, 53]}]
    }"#;
    let expected: Json = read(expected.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(found.to_json().pretty(), expected.pretty());
}

#[test]
fn a_thousand_lines_are_quick_and_ten_million_pairs_are_refused() {
    let lines = |n: usize| {
        (0..n).map(|i| format!("- Order number {i} answers with its own id and total\n")).collect::<String>()
    };
    let rows = |n: usize| {
        (0..n).map(|i| row(&format!("R{i}"), &format!("Order number {i} answers with its id and total"))).collect()
    };
    assert!(coverage(&lines(300), &matrix(rows(300))).passed());
    let large = coverage(&lines(8_000), &matrix(rows(8_000)));
    assert!(!large.passed() && large.findings[0].message.contains("too large"));
}

fn any_line() -> impl Strategy<Value = String> {
    let pieces = vec![
        "- ",
        "* ",
        "1. ",
        "2、",
        "# ",
        "## Later",
        "## Out of scope",
        "非目标",
        "```",
        "| a |",
        "---",
        "Source: ",
        "Notes:",
        "\n",
        "\r\n",
        "\n\n",
        "  ",
        "\t",
        "words here",
        "。",
        "；",
        ". ",
        "; ",
        "“",
        "”",
        "\"",
        "`",
        "订单",
        "\u{feff}",
        "é",
        "201",
        "[ ] ",
    ];
    prop_oneof![4 => proptest::sample::select(pieces).prop_map(str::to_owned), 1 => "\\PC{0,6}"]
}

proptest! {
    #[test]
    fn every_byte_lies_in_one_piece(lines in proptest::collection::vec(any_line(), 0..40)) {
        let text = lines.concat();
        let split = split(&text);
        let mut spans: Vec<_> = split.units.iter().chain(&split.excluded).map(|unit| unit.span).collect();
        spans.extend(split.ignored.iter().map(|piece| piece.span));
        spans.sort_unstable();
        let mut at = 0;
        for (start, end) in spans {
            prop_assert_eq!(start, at);
            prop_assert!(start < end && text.is_char_boundary(start) && text.is_char_boundary(end));
            at = end;
        }
        prop_assert_eq!(at, text.len());
        for piece in &split.ignored {
            let inner = &text[piece.span.0..piece.span.1];
            if matches!(piece.reason, Reason::Blank | Reason::NoWords) {
                let rest = inner.trim_start_matches(|c: char| c.is_ascii_digit());
                prop_assert!(!rest.contains(char::is_alphanumeric) || rest.starts_with("```"), "lost {:?}", inner);
            }
        }
        for unit in split.units.iter().chain(&split.excluded) {
            prop_assert!(unit.text.contains(char::is_alphanumeric) && unit.line > 0 && unit.column > 0);
        }
    }

    #[test]
    fn a_unit_that_is_a_row_is_covered(lines in proptest::collection::vec(any_line(), 0..40)) {
        let text = lines.concat();
        let rows: Vec<_> = units(&text).iter().enumerate().map(|(i, unit)| row(&format!("R{i}"), &unit.text)).collect();
        let found = coverage(&text, &matrix(rows));
        prop_assert_eq!(found.uncovered().count(), 0);
    }
}
