//! What is written keeps the schema that readers of JUnit share (that of Jenkins, and the stricter one of Ant), written
//! down here as rules: which attributes and children an element has, in which order, and that counts are right.

use proptest::prelude::*;
use quick_xml::Reader;
use quick_xml::events::Event;

use super::{attributes, case_of, error};
use crate::junit::{Outcome, Report, Suite};

/// An element with its attributes and children.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
}

impl Element {
    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn count(&self, name: &str) -> usize {
        usize::from(self.name == name) + self.children.iter().map(|child| child.count(name)).sum::<usize>()
    }
}

fn tree(xml: &str) -> Element {
    let mut reader = Reader::from_str(xml);
    let mut open = vec![Element { name: String::new(), attributes: Vec::new(), children: Vec::new() }];
    loop {
        match reader.read_event().unwrap() {
            Event::Start(start) => {
                let (name, attributes) = (start.name().as_ref().to_owned(), attributes(&start));
                open.push(Element { name, attributes, children: Vec::new() });
            }
            Event::Empty(start) => {
                let (name, attributes) = (start.name().as_ref().to_owned(), attributes(&start));
                open.last_mut().unwrap().children.push(Element { name, attributes, children: Vec::new() });
            }
            Event::End(_) => {
                let done = open.pop().unwrap();
                open.last_mut().unwrap().children.push(done);
            }
            Event::Eof => return open.pop().unwrap().children.pop().unwrap(),
            _ => {}
        }
    }
}

/// An element: attributes that it must have, those that it may have, and its children in order, each with whether there
/// may be many.
type Rule = (&'static str, &'static [&'static str], &'static [&'static str], &'static [(&'static str, bool)]);

const RULES: [Rule; 9] = [
    ("testsuites", &[], &["name", "tests", "failures", "errors", "time", "disabled"], &[("testsuite", true)]),
    (
        "testsuite",
        &["name", "tests", "failures", "errors"],
        &["skipped", "disabled", "time", "timestamp", "hostname", "id", "package"],
        &[("properties", false), ("testcase", true), ("system-out", false), ("system-err", false)],
    ),
    ("properties", &[], &[], &[("property", true)]),
    ("property", &["name", "value"], &[], &[]),
    (
        "testcase",
        &["name", "classname"],
        &["time", "assertions", "status"],
        &[("skipped", false), ("error", false), ("failure", false), ("system-out", false), ("system-err", false)],
    ),
    ("failure", &["type"], &["message"], &[]),
    ("error", &["type"], &["message"], &[]),
    ("skipped", &[], &["message", "type"], &[]),
    ("system-out", &[], &[], &[]),
];

fn broken(element: &Element) -> Vec<String> {
    let name = element.name.as_str();
    let Some((_, must, may, children)) = RULES.iter().find(|(known, ..)| *known == name) else {
        return vec![format!("no rule knows <{name}>")];
    };
    let mut found: Vec<String> =
        must.iter().filter(|must| element.get(must).is_none()).map(|must| format!("<{name}> lacks {must}")).collect();
    for (attribute, value) in &element.attributes {
        if !must.contains(&attribute.as_str()) && !may.contains(&attribute.as_str()) {
            found.push(format!("<{name}> has {attribute}"));
        }
        let number = ["tests", "failures", "errors", "skipped", "disabled", "assertions"].contains(&attribute.as_str());
        if number && value.parse::<u32>().is_err() {
            found.push(format!("{attribute} is {value}"));
        }
        let decimal = !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        if attribute == "time" && !(decimal && value.matches('.').count() <= 1) {
            found.push(format!("time is {value}"));
        }
    }
    let mut last = 0;
    for child in &element.children {
        match children.iter().position(|(known, _)| *known == child.name) {
            None => found.push(format!("<{name}> holds <{}>", child.name)),
            Some(at) if at < last => found.push(format!("<{}> stands too late in <{name}>", child.name)),
            Some(at) => last = at,
        }
        found.extend(broken(child));
    }
    for (child, many) in *children {
        if !many && element.children.iter().filter(|other| other.name == *child).count() > 1 {
            found.push(format!("<{name}> holds <{child}> twice"));
        }
    }
    found.extend(miscounted(element));
    found
}

/// Counts that are not those of the cases; outcomes that exclude each other.
fn miscounted(element: &Element) -> Vec<String> {
    let mut found = Vec::new();
    if ["testsuites", "testsuite"].contains(&element.name.as_str()) {
        for (attribute, counted) in
            [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
        {
            let said = element.get(attribute).and_then(|value| value.parse().ok());
            if said.is_some_and(|said: usize| said != element.count(counted)) {
                found.push(format!(
                    "{attribute} of {} is {said:?}, there are {}",
                    element.name,
                    element.count(counted)
                ));
            }
        }
    }
    let outcomes = |child: &&Element| ["skipped", "error", "failure"].contains(&child.name.as_str());
    if element.name == "testcase" && element.children.iter().filter(outcomes).count() > 1 {
        found.push("a case has two outcomes".to_owned());
    }
    found
}

fn outcomes() -> Vec<Outcome> {
    let failed = |detail: &str| Outcome::Failed { code: "a".into(), message: "b".into(), detail: detail.into() };
    vec![
        Outcome::Passed,
        failed(""),
        failed("more\nthan one line"),
        error("blocked"),
        Outcome::Skipped { message: "left out".into() },
    ]
}

fn report(chosen: &[(usize, bool)], text: &str, properties: usize) -> Report {
    let cases = chosen.iter().map(|(outcome, out)| {
        let mut case = case_of(text, outcomes().remove(outcome % outcomes().len()));
        case.stdout = out.then(|| text.to_owned());
        case.time_ms = out.then_some(1_234_567);
        case
    });
    let suite = Suite {
        name: text.to_owned(),
        timestamp: Some("2026-11-30T14:24:02.123Z".to_owned()),
        properties: (0..properties).map(|n| (format!("p{n}"), text.to_owned())).collect(),
        cases: cases.collect(),
    };
    Report { name: text.to_owned(), suites: vec![suite.clone(), Suite::default(), suite] }
}

proptest! {
    #[test]
    fn every_report_keeps_the_schema(
        chosen in proptest::collection::vec((0..5_usize, any::<bool>()), 0..6),
        text in "\\PC{0,20}",
        properties in 0..3_usize,
        verdict in any::<bool>(),
    ) {
        let report = report(&chosen, &text, properties);
        let report = report.with_verdict(|_| verdict.then(|| ("not_passed".to_owned(), text.clone())));
        let xml = report.to_xml().unwrap();
        let root = tree(&xml);
        prop_assert_eq!(&root.name, "testsuites");
        prop_assert_eq!(broken(&root), Vec::<String>::new(), "{}", xml);
        prop_assert_eq!(root.count("testcase"), report.tests());
    }
}

#[test]
fn each_rule_of_the_schema_can_refuse() {
    let good = report(&[(0, true), (1, false), (3, false), (4, false)], "a", 1).to_xml().unwrap();
    assert_eq!(broken(&tree(&good)), Vec::<String>::new(), "{good}");
    for (what, from, to) in [
        ("an attribute that nobody knows", "<testcase ", "<testcase line=\"3\" "),
        ("a name that is missing", "<testsuite name=\"a\"", "<testsuite"),
        ("a type that is missing", " type=\"a\"", ""),
        ("a wrong count", "failures=\"1\"", "failures=\"7\""),
        ("a count that is no number", "errors=\"1\"", "errors=\"one\""),
        ("a time that is none", "time=\"", "time=\"1,"),
        ("an element that nobody knows", "<system-out>", "<output/><system-out>"),
        ("two outcomes", "<failure ", "<error type=\"x\"/><failure "),
    ] {
        assert!(good.contains(from), "{what}: {good}");
        let bad = good.replacen(from, to, 1);
        assert_ne!(broken(&tree(&bad)), Vec::<String>::new(), "{what}: {bad}");
    }
}
