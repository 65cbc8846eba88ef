//! Every vector: as it stands, shuffled, and through counts of parts that are merged.

use crate::json::{Json, Limits, read};
use crate::success_policy::{Outcome, Policy, Reason, Row, Run, SEMANTICS, State, Want, conclude, evaluate};

struct Vector {
    name: String,
    policy: Vec<u8>,
    runs: Vec<Run>,
    outcome: String,
    reason: String,
}

fn vectors() -> Vec<Vector> {
    let text = include_bytes!("../../../fixtures/policy/open.json");
    let file = read(text, &Limits::default()).unwrap();
    assert_eq!(file.get("semantics").and_then(Json::as_text), Some(SEMANTICS));
    let count = file.get("count").and_then(Json::as_u64);
    let vectors: Vec<Vector> = file.get("vectors").and_then(Json::as_list).unwrap().iter().map(vector).collect();
    assert_eq!(count, Some(vectors.len() as u64));
    vectors
}

fn vector(json: &Json) -> Vector {
    let text = |json: &Json, name: &str| json.get(name).and_then(Json::as_text).unwrap().to_owned();
    let policy = match json.get("policy").unwrap() {
        Json::Null => Vec::new(),
        Json::Text(column) => column.clone().into_bytes(),
        object => object.to_string().into_bytes(),
    };
    let runs = json.get("runs").and_then(Json::as_list).unwrap();
    let expected = json.get("expected").unwrap();
    Vector {
        name: text(json, "name"),
        policy,
        runs: runs.iter().map(|run| Row::read(run.to_string().as_bytes(), &Want::everything()).unwrap().run).collect(),
        outcome: text(expected, "outcome"),
        reason: text(expected, "reason"),
    }
}

/// Numbers that look thrown, the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % n.max(1)
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            let other = self.below(at + 1);
            items.swap(at, other);
        }
    }
}

fn check(vector: &Vector, how: &str, evaluate: impl Fn(&Policy, &[Run]) -> Reason) {
    let reason =
        Policy::read(&vector.policy).map_or_else(|invalid| invalid.reason, |policy| evaluate(&policy, &vector.runs));
    let said = (reason.outcome().as_str(), reason.as_str());
    assert_eq!(said, (vector.outcome.as_str(), vector.reason.as_str()), "{} {how}", vector.name);
}

#[test]
fn every_vector_as_it_stands() {
    let vectors = vectors();
    assert!(vectors.len() >= 140);
    vectors.iter().for_each(|vector| check(vector, "as it stands", |policy, runs| evaluate(policy, runs)));
    let outcomes = |outcome: Outcome| vectors.iter().filter(|vector| vector.outcome == outcome.as_str()).count();
    assert!(Outcome::ALL.into_iter().all(|outcome| outcomes(outcome) > 10));
}

#[test]
fn every_vector_shuffled() {
    let mut dice = Dice(1);
    for mut vector in vectors() {
        for round in 0..8 {
            dice.shuffle(&mut vector.runs);
            check(&vector, &format!("shuffled {round}"), |policy, runs| evaluate(policy, runs));
        }
    }
}

#[test]
fn every_vector_in_parts() {
    let mut dice = Dice(2);
    for vector in vectors() {
        for round in 0..8 {
            let cuts = [dice.below(vector.runs.len() + 1), dice.below(vector.runs.len() + 1)];
            let (from, to) = (cuts[0].min(cuts[1]), cuts[0].max(cuts[1]));
            check(&vector, &format!("in parts {round}"), |policy, runs| {
                let mut parts = [&runs[from..to], &runs[to..], &runs[..from]].map(|part| State::of(policy, part));
                let [whole, rest @ ..] = &mut parts;
                rest.iter().for_each(|part| whole.merge(part));
                assert_eq!(*whole, State::of(policy, runs), "{}", vector.name);
                conclude(policy, whole)
            });
        }
    }
}
