//! Every vector of the semantics through the index: by counts that are kept as runs come in, by the typed columns that runs
//! were taken apart into, and by counting again under a later version.

use probity_core::json::{Json, Limits, read};
use probity_core::qa::intake::{self, as_run};
use probity_core::qa::{Counted, NewRun, Source, Sums, Tree};
use probity_core::success_policy::{Policy, Reason, State, conclude, evaluate};
use probity_core::verdict::QaVerdict;
use probity_store::index::Index;

use crate::lab::{Lab, record, requirement, run, see, terms};

struct Vector {
    name: String,
    policy: String,
    runs: Vec<Json>,
    expected: (String, String),
}

fn vectors() -> Vec<Vector> {
    let file = read(include_bytes!("../../../core/fixtures/policy/open.json"), &Limits::default()).unwrap();
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_text).unwrap().to_owned();
    let vector = |json: &Json| Vector {
        name: text(json, "name"),
        policy: match json.get("policy").unwrap() {
            Json::Null => String::new(),
            Json::Text(column) => column.clone(),
            object => object.to_string(),
        },
        runs: json.get("runs").and_then(Json::as_list).unwrap().to_vec(),
        expected: (text(json.get("expected").unwrap(), "outcome"), text(json.get("expected").unwrap(), "reason")),
    };
    let vectors: Vec<Vector> = file.get("vectors").and_then(Json::as_list).unwrap().iter().map(vector).collect();
    assert_eq!(file.get("count").and_then(Json::as_u64), Some(vectors.len() as u64));
    vectors
}

/// A row of a vector as it comes into an index. A verdict that is none is an error there: no column takes another word.
fn taken(id: &str, position: usize, row: &Json) -> NewRun {
    let mut one = run(&format!("{id}-{position}"), QaVerdict::Error);
    one.requirement = id.to_owned();
    one.said.verdict = match row.get("verdict").unwrap() {
        Json::Text(word) => Some(QaVerdict::parse(word).unwrap_or(QaVerdict::Error)),
        _ => None,
    };
    let number = |name: &str| match row.get(name) {
        Some(Json::Number(number)) => Some(number.clone()),
        _ => None,
    };
    one.said.score = number("score");
    one.said.confidence = number("confidence");
    one.said.raw = match row.get("raw_result").unwrap() {
        Json::Null => None,
        Json::Text(text) => Some(intake::raw(text).unwrap()),
        object => Some(intake::raw(&object.to_string()).unwrap()),
    };
    // Parts of both kinds, whose counts are added up.
    if position.is_multiple_of(2) {
        one.source = Source::Observed;
        one.run = Some("run".to_owned());
        one.seal = Some("1:0".to_owned());
        one.said.tree = Tree::Clean;
    }
    one
}

fn kept(index: &mut Index, id: &str, policy: &str) -> Reason {
    let version = index.head(id).unwrap().version;
    let mut sums = Sums::default();
    index.states(&version, "c1").unwrap().iter().for_each(|(_, _, part)| sums.merge(part));
    match Policy::read(policy.as_bytes()) {
        Ok(policy) => conclude(&policy, &State::of_sums(&sums)),
        Err(invalid) => invalid.reason,
    }
}

fn columns(index: &mut Index, id: &str, policy: &str) -> Reason {
    let runs: Vec<Counted> = index.first_runs(id, "c1", 1000, true).unwrap();
    let runs: Vec<_> = runs.iter().map(as_run).collect();
    Policy::read(policy.as_bytes()).map_or_else(|invalid| invalid.reason, |policy| evaluate(&policy, &runs))
}

pub(crate) fn every_vector_by_counts_by_columns_and_counted_again(lab: &Lab) {
    let mut index = lab.open();
    for (number, vector) in vectors().iter().enumerate() {
        for backwards in [false, true] {
            let id = format!("V{number}-{backwards}");
            index.require(&requirement(&id), &terms(&vector.policy), None, &see).unwrap();
            let mut runs: Vec<NewRun> = vector.runs.iter().enumerate().map(|(n, row)| taken(&id, n, row)).collect();
            if backwards {
                runs.reverse();
            }
            for (at, one) in runs.iter().enumerate() {
                record(&mut index, one, i64::try_from(at).unwrap()).unwrap();
            }
            let expect = |how: &str, reason: Reason| {
                let said = (reason.outcome().as_str().to_owned(), reason.as_str().to_owned());
                assert_eq!(said, vector.expected, "{} {how} {backwards}", vector.name);
            };
            expect("by counts", kept(&mut index, &id, &vector.policy));
            expect("by columns", columns(&mut index, &id, &vector.policy));
            let mut later = terms(&vector.policy);
            later.plan = Some("another".to_owned());
            index.require(&requirement(&id), &later, Some("moved"), &see).unwrap();
            expect("counted again", kept(&mut index, &id, &vector.policy));
        }
    }
}

/// What a database counts over the typed columns by itself is what core counts.
pub(crate) fn sums_of_sql_are_those_of_core(lab: &Lab) {
    let mut index = lab.with(r#"{"type":"statistical","min_runs":1,"min_pass_rate":0.5}"#);
    for (at, verdict) in [0, 1, 0, 2, 3, 0, 1].into_iter().enumerate() {
        record(&mut index, &run(&format!("k{at}"), QaVerdict::ALL[verdict]), 5).unwrap();
    }
    let version = index.head("R").unwrap().version;
    let counts = index.states(&version, "c1").unwrap()[0].2.counts;
    for (position, word) in ["pass", "fail", "undetermined", "error"].into_iter().enumerate() {
        let sum = format!("SELECT CAST(SUM(CASE WHEN verdict = '{word}' THEN 1 ELSE 0 END) AS BIGINT) FROM qa_runs");
        assert_eq!(lab.sql(&sum).unwrap(), [counts[position].to_string()], "{word}");
    }
    assert_eq!(lab.sql("SELECT CAST(COUNT(*) AS BIGINT) FROM qa_states").unwrap(), ["1"]);
}
