mod schema;

use insta::assert_snapshot;
use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::*;
use probity_core::inert::inert_lines;

fn case_of(name: &str, outcome: Outcome) -> Case {
    Case { name: name.into(), classname: "order".into(), time_ms: None, outcome, stdout: None }
}

fn error(code: &str) -> Outcome {
    Outcome::Error { code: code.into(), message: "why".into(), detail: String::new() }
}

fn report_of(cases: Vec<Case>) -> Report {
    Report { name: "probity".into(), suites: vec![Suite { name: "Order total".into(), cases, ..Suite::default() }] }
}

/// What a strict reader finds: element names with their attributes, and texts.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Element(String, Vec<(String, String)>),
    Text(String),
}

fn attributes(element: &BytesStart<'_>) -> Vec<(String, String)> {
    element
        .attributes()
        .map(|a| {
            let a = a.unwrap();
            let name = a.key.as_ref().to_owned();
            let raw = a.value.to_string();
            (name, quick_xml::escape::unescape(&raw).unwrap().into_owned())
        })
        .collect()
}

fn read_back(xml: &str) -> Vec<Seen> {
    let mut reader = Reader::from_str(xml);
    let mut seen = Vec::new();
    let mut text = String::new();
    loop {
        let event = reader.read_event().unwrap();
        match &event {
            Event::Text(t) => text.push_str(t),
            Event::GeneralRef(r) => text.push_str(&quick_xml::escape::unescape(&format!("&{};", &**r)).unwrap()),
            Event::CData(c) => text.push_str(c),
            _ => {
                if !text.trim().is_empty() {
                    seen.push(Seen::Text(std::mem::take(&mut text)));
                }
                text.clear();
            }
        }
        match &event {
            Event::Start(e) | Event::Empty(e) => {
                seen.push(Seen::Element(e.name().as_ref().to_owned(), attributes(e)));
            }
            Event::DocType(_) | Event::PI(_) => panic!("nothing of the sort is written"),
            Event::Eof => return seen,
            _ => {}
        }
    }
}

fn attribute<'a>(seen: &'a Seen, name: &str) -> Option<&'a str> {
    match seen {
        Seen::Element(_, attributes) => attributes.iter().find(|(n, _)| n == name).map(|(_, v)| v.as_str()),
        Seen::Text(_) => None,
    }
}

#[test]
fn writes_every_outcome() {
    let failed = Outcome::Failed {
        code: "requirement_failed".into(),
        message: "saw 29.96, expected 29.97".into(),
        detail: "stdout json total\n<29.96> & \x1b[31mred\ttab".into(),
    };
    let mut report = report_of(vec![
        Case { time_ms: Some(1234), stdout: Some("two\nlines ]]>".into()), ..case_of("ORDER-1", Outcome::Passed) },
        case_of("ORDER-2", failed),
        case_of("ORDER-3", error("preflight_blocked")),
        case_of("ORDER-4", Outcome::Skipped { message: "\"later\"".into() }),
    ]);
    report.suites[0].timestamp = Some("2026-11-30T14:24:02Z".into());
    report.suites[0].properties = vec![("seal".into(), "214:7f3a91c2d4e8b016".into())];
    assert_eq!(report.tests(), 4);
    let xml = report.to_xml().unwrap();
    assert_eq!(xml, report.to_xml().unwrap());
    assert_snapshot!(xml, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <testsuites name="probity" tests="4" failures="1" errors="1">
        <testsuite name="Order total" tests="4" skipped="1" errors="1" failures="1" timestamp="2026-11-30T14:24:02Z">
            <properties>
                <property name="seal" value="214:7f3a91c2d4e8b016"/>
            </properties>
            <testcase name="ORDER-1" classname="order" time="1.234">
                <system-out>two
    lines ]]&gt;</system-out>
            </testcase>
            <testcase name="ORDER-2" classname="order">
                <failure message="saw 29.96, expected 29.97" type="requirement_failed">stdout json total
    &lt;29.96&gt; &amp; \x1b[31mred\ttab</failure>
            </testcase>
            <testcase name="ORDER-3" classname="order">
                <error message="why" type="preflight_blocked"/>
            </testcase>
            <testcase name="ORDER-4" classname="order">
                <skipped message="&quot;later&quot;"/>
            </testcase>
        </testsuite>
    </testsuites>
    "#);
}

/// Elements with the attributes that the schema of Jenkins (junit-10.xsd) knows, the required ones first.
const SCHEMA: [(&str, usize, &[&str]); 9] = [
    ("testsuites", 0, &["name", "time", "tests", "failures", "errors", "disabled"]),
    (
        "testsuite",
        2,
        &["name", "tests", "failures", "errors", "skipped", "time", "timestamp", "hostname", "id", "package"],
    ),
    ("properties", 0, &[]),
    ("property", 2, &["name", "value"]),
    ("testcase", 1, &["name", "classname", "time", "group"]),
    ("skipped", 0, &["message", "type"]),
    ("error", 0, &["message", "type"]),
    ("failure", 0, &["message", "type"]),
    ("system-out", 0, &[]),
];

#[test]
fn nothing_stands_in_it_that_the_shared_schema_does_not_know() {
    let outcomes = [
        Outcome::Passed,
        Outcome::Skipped { message: "later".into() },
        error("preflight_blocked"),
        Outcome::Failed { code: "c".into(), message: "m".into(), detail: "d".into() },
    ];
    let cases = outcomes.into_iter().map(|outcome| Case {
        time_ms: Some(5),
        stdout: Some("o".into()),
        ..case_of("a skipped=\"1\"", outcome)
    });
    let mut report = report_of(cases.collect());
    report.suites[0].timestamp = Some("2026-11-30T14:24:02Z".into());
    report.suites[0].properties = vec![("seal".into(), "1".into())];
    let seen = read_back(&report.to_xml().unwrap());
    let names: Vec<&str> =
        seen.iter().filter_map(|s| if let Seen::Element(name, _) = s { Some(name.as_str()) } else { None }).collect();
    for element in &seen {
        let Seen::Element(name, attributes) = element else { continue };
        let (_, required, known) = SCHEMA.iter().find(|(element, ..)| element == name).unwrap();
        for (attribute, _) in attributes {
            assert!(known.contains(&attribute.as_str()), "{name} {attribute}");
        }
        for attribute in &known[..*required] {
            assert!(attributes.iter().any(|(name, _)| name == attribute), "{name} {attribute}");
        }
    }
    // Properties come before cases, a result before what was written.
    assert_eq!(names[..5], ["testsuites", "testsuite", "properties", "property", "testcase"]);
    assert_eq!(names[names.len() - 3..], ["testcase", "failure", "system-out"]);
    let counts = |element: &Seen| {
        ["tests", "failures", "errors", "skipped"].map(|name| attribute(element, name).map(str::to_owned))
    };
    let some = |n: u8| Some(n.to_string());
    assert_eq!(counts(&seen[0]), [some(4), some(1), some(1), None]);
    assert_eq!(counts(&seen[1]), [some(4), some(1), some(1), some(1)]);
}

#[test]
fn what_did_not_pass_is_never_green() {
    let not_passed = |_: &Suite| Some(("capped_mock_data".to_owned(), "mock data".to_owned()));
    let skipped = Outcome::Skipped { message: String::new() };
    for green in [vec![], vec![case_of("A", Outcome::Passed)], vec![case_of("A", skipped)]] {
        let count = green.len();
        let report = report_of(green.clone()).with_verdict(not_passed);
        let verdict = report.suites[0].cases.last().unwrap();
        assert_eq!((report.tests(), verdict.name.as_str()), (count + 1, "verdict"));
        assert!(matches!(&verdict.outcome, Outcome::Error { code, .. } if code == "capped_mock_data"));
        let seen = read_back(&report.to_xml().unwrap());
        assert_eq!(attribute(&seen[0], "errors"), Some("1"));
        // One that passed gains nothing.
        assert_eq!(report_of(green.clone()).with_verdict(|_| None), report_of(green));
    }
    // One that shows its reason already gains nothing either.
    let red = report_of(vec![case_of("A", Outcome::Passed), case_of("B", error("capture_capped"))]);
    assert_eq!(red.clone().with_verdict(not_passed), red);
}

proptest! {
    #[test]
    fn any_text_reads_back_as_drawn(text in any::<String>(), odd in "[\\x00-\\x1f\u{7f}-\u{9f}\u{fffe}\u{ffff}\u{202e}<>&'\"\\]]{0,12}") {
        let text = format!("{text}{odd}");
        let outcome = Outcome::Failed { code: "c".into(), message: text.clone(), detail: format!("d{text}d") };
        let mut report = report_of(vec![Case { stdout: Some(format!("o{text}o")), ..case_of(&text, outcome) }]);
        report.suites[0].properties = vec![("p".into(), text.clone())];
        let xml = report.to_xml().unwrap();
        prop_assert!(!xml.contains(|c| c != '\n' && is_unsafe(c)));

        let seen = read_back(&xml);
        let drawn = inert(&text);
        let of = |name: &str| seen.iter().find(|s| matches!(s, Seen::Element(n, _) if n == name)).unwrap();
        prop_assert_eq!(attribute(of("testcase"), "name"), Some(&*drawn));
        prop_assert_eq!(attribute(of("property"), "value"), Some(&*drawn));
        prop_assert_eq!(attribute(of("failure"), "message"), Some(&*drawn));
        let kept = inert_lines(&text).replace('\t', "\\t");
        prop_assert!(seen.contains(&Seen::Text(format!("d{kept}d"))), "{}", xml);
        prop_assert!(seen.contains(&Seen::Text(format!("o{kept}o"))), "{}", xml);
    }
}
