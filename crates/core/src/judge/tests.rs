//! Answers that are refused, orders that are drawn, and what votes come to.

use proptest::prelude::*;

use super::*;
use crate::codes::Code;
use crate::ids::Digest;
use crate::json::{Json, Limits, Number, read};
use crate::success_policy::{Row, Want};
use crate::verdict::QaVerdict;

const NONCE: &str = "0123456789abcdef0123456789abcdef";

fn answered(fields: &str) -> Result<Answer, AnswerFault> {
    let text = format!(r#"{{"protocol":"{PROTOCOL}","nonce":"{NONCE}",{fields}}}"#);
    Answer::read(text.as_bytes(), NONCE, &["x1".to_owned(), "x2".to_owned()])
}

#[test]
fn an_answer_is_read_as_it_stands() {
    let text =
        r#""verdict":"fail","confidence":0.93,"evidence":["x2"],"reason":"no total","measures":{"changed_ppm":12}"#;
    let answer = answered(text).unwrap();
    assert_eq!(answer.verdict, QaVerdict::Fail);
    assert_eq!(answer.confidence.token(), "0.93");
    assert_eq!((answer.evidence, answer.reason.as_deref()), (vec!["x2".to_owned()], Some("no total")));
    assert_eq!(answer.measures, [("changed_ppm".into(), Json::from(12))]);
    for least in ["0", "-0", "0.0", "1", "1.000", "10e-1"] {
        assert!(answered(&format!(r#""verdict":"pass","confidence":{least},"evidence":["x1"]"#)).is_ok(), "{least}");
    }
    assert!(answered(r#""verdict":"undetermined","confidence":0,"evidence":[]"#).is_ok());
}

#[test]
fn anything_else_is_refused_by_name() {
    let malformed = Code::JudgeAnswerMalformed;
    for (fields, code) in [
        (r#""verdict":"pass","confidence":1,"evidence":["x3"]"#, Code::JudgeCitesUnknown),
        (r#""verdict":"pass","confidence":1,"evidence":["e1"]"#, Code::JudgeCitesUnknown),
        (r#""verdict":"pass","confidence":1,"evidence":[]"#, Code::JudgeCitesNothing),
        (r#""verdict":"fail","confidence":1,"evidence":[]"#, Code::JudgeCitesNothing),
        (r#""verdict":"pass","confidence":1,"evidence":["x1","x1"]"#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":"x1""#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":[1]"#, malformed),
        (r#""verdict":"pass","confidence":1"#, malformed),
        (r#""verdict":"pass","evidence":["x1"]"#, malformed),
        (r#""confidence":1,"evidence":["x1"]"#, malformed),
        (r#""verdict":"PASS","confidence":1,"evidence":["x1"]"#, malformed),
        (r#""verdict":"error","confidence":1,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":1.0001,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":-0.1,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":95,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":1e400,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":1e99999999999999999999,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":0.00000000000000000000000000000000000000001,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":NaN,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":Infinity,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":"1","evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":null,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","verdict":"fail","confidence":1,"evidence":["x1"]"#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"note":"hm""#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"reason":7"#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"reason":"\ud800""#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"measures":[1]"#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"measures":{"a":1e999}"#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"measures":{"a b":1}"#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"measures":{"a":1,"a":2}"#, malformed),
        (r#""verdict":"pass","confidence":1,"evidence":["x1"],"measures":{"a":[1]}"#, malformed),
    ] {
        let fault = answered(fields).unwrap_err();
        assert_eq!(fault.code, code, "{fields}: {}", fault.message);
    }
    let fields = r#""verdict":"pass","confidence":1,"evidence":["x1"]"#;
    let long = format!(r#"{fields},"reason":"{}""#, "x".repeat(4001));
    assert_eq!(answered(&long).unwrap_err().code, malformed);
    let whole = |protocol: &str, nonce: &str| format!(r#"{{"protocol":"{protocol}","nonce":"{nonce}",{fields}}}"#);
    for (text, code) in [
        (whole("probity/judge/2", NONCE), malformed),
        (whole(PROTOCOL, "0123"), Code::JudgeAnswerForeign),
        (format!("{0}\n{0}", whole(PROTOCOL, NONCE)), malformed),
        (format!("I think so.\n{}", whole(PROTOCOL, NONCE)), malformed),
        ("[]".to_owned(), malformed),
        (" \n".to_owned(), malformed),
        (format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), malformed),
        (" ".repeat(MOST_ANSWER) + &whole(PROTOCOL, NONCE), malformed),
    ] {
        let fault = Answer::read(text.as_bytes(), NONCE, &["x1".to_owned()]).unwrap_err();
        assert_eq!(fault.code, code, "{}", fault.message);
    }
    assert_eq!(Answer::read(b"\xff", NONCE, &[]).unwrap_err().code, malformed);
}

#[test]
fn a_question_has_one_form_and_neutral_names() {
    let exhibit = |role, bytes: &[u8]| Exhibit { role, media: "text/plain".to_owned(), bytes: bytes.to_vec() };
    let question = Question {
        criterion: "The total is shown.".to_owned(),
        exhibits: vec![exhibit(Role::Evidence, b"total 29.97"), exhibit(Role::Baseline, b"")],
    };
    let text = String::from_utf8(question.document(NONCE)).unwrap();
    assert_eq!(
        text,
        format!(
            r#"{{"criterion":"The total is shown.","exhibits":[{{"data":"dG90YWwgMjkuOTc=","media":"text/plain","name":"x1","role":"evidence","sha256":"{}","size":11}},{{"data":"","media":"text/plain","name":"x2","role":"baseline","sha256":"{}","size":0}}],"nonce":"{NONCE}","protocol":"probity/judge/1"}}"#,
            Digest::of(b"total 29.97"),
            Digest::of(b"")
        )
    );
    assert_eq!(question.judged(), [0]);
    assert_eq!(question.with(0, exhibit(Role::Image, b"")).judged(), [0]);
    let mutant = question.exhibits[0].mutant(Mutation::Blank).unwrap();
    assert_eq!((mutant.role, mutant.bytes.len()), (Role::Evidence, 0));
    assert_eq!(question.exhibits[1].mutant(Mutation::Blank), None);
}

fn ballot(asked: Asked, said: &str) -> Ballot {
    let (verdict, confidence) = said.split_once(' ').unwrap_or((said, "0.9"));
    let answer = match QaVerdict::parse(verdict) {
        Some(verdict) => Ok(Answer {
            verdict,
            confidence: Number::parse(confidence).unwrap(),
            evidence: vec!["x1".to_owned()],
            reason: None,
            measures: vec![("changed_ppm".into(), Json::from(confidence.len())), ("exit_code".into(), Json::from(0))],
        }),
        None => Err(AnswerFault { code: Code::JudgeCallFailed, message: "it hung".to_owned() }),
    };
    let ended = Ended { exit: Some(0), termination: "exited".to_owned(), ..Ended::default() };
    Ballot { asked, nonce: NONCE.to_owned(), question: Digest::zero(), answer, ended }
}

/// Votes, then what was said of a mutant.
fn concluded(votes: &[&str], mutant: &str) -> Conclusion {
    let mut ballots: Vec<Ballot> = votes.iter().map(|said| ballot(Asked::Original, said)).collect();
    ballots.push(ballot(Asked::Mutant(0), mutant));
    conclude(&ballots, None)
}

#[test]
fn votes_come_to_what_all_of_them_say() {
    let brief = |conclusion: Conclusion| {
        let confidence = conclusion.confidence.map(|number| number.token().to_owned()).unwrap_or_default();
        let code = conclusion.reason.map(|(code, _)| code.as_str()).unwrap_or_default();
        format!("{} {confidence} {code} {}", conclusion.verdict.as_str(), conclusion.void.is_some())
    };
    for (votes, mutant, comes_to) in [
        (&["pass"][..], "fail", "pass 0.9  false"),
        (&["pass", "pass 0.85", "pass 1"], "fail", "pass 0.85  false"),
        (&["pass", "pass 0.85", "hung"], "undetermined", "pass 0.85  false"),
        (&["fail 0.7"], "fail", "fail 0.7  false"),
        (&["undetermined 0.2"], "fail", "undetermined 0.2 judge_undecided false"),
        (&["pass", "fail", "pass"], "fail", "undetermined  judge_disagrees false"),
        (&["pass", "undetermined"], "fail", "undetermined  judge_disagrees false"),
        (&["hung", "hung"], "fail", "error  judge_call_failed false"),
        // The judge passes what is bad, or cannot be asked about it.
        (&["pass", "pass"], "pass 0.1", "error  judge_control_failed true"),
        (&["fail"], "pass", "error  judge_control_failed true"),
        (&["pass"], "hung", "error  judge_control_failed true"),
    ] {
        assert_eq!(brief(concluded(votes, mutant)), comes_to, "{votes:?} {mutant}");
    }
    let alone = conclude(&[ballot(Asked::Original, "pass")], None);
    assert_eq!(brief(alone), "error  judge_control_missing true");
    let known = |bad: &str, good: &str| {
        let ballots = [("pass", Asked::Original), (bad, Asked::KnownBad(0)), (good, Asked::KnownGood(0))];
        brief(conclude(&ballots.map(|(said, asked)| ballot(asked, said)), None))
    };
    assert_eq!(known("fail", "pass"), "pass 0.9  false");
    assert_eq!(known("pass", "pass"), "error  judge_control_failed true");
    for good in ["fail", "undetermined", "hung"] {
        assert_eq!(known("fail", good), "error  judge_control_failed true");
    }
    let good = [ballot(Asked::Original, "pass"), ballot(Asked::Mutant(0), "fail")];
    assert_eq!(brief(conclude(&good, Some("the run folder"))), "error  judge_wrote true");
}

fn record(ballots: Vec<Ballot>) -> Record {
    Record {
        judge: Made {
            name: "look".to_owned(),
            by: "vision-3".to_owned(),
            run: vec!["./look".to_owned()],
            files: vec![("./look".to_owned(), Digest::zero())],
            pinned: true,
        },
        requirement: Some("ORDER-2".to_owned()),
        criterion: "The total is shown.".to_owned(),
        authors: vec!["coder-7".to_owned()],
        shown: vec![],
        known: vec![],
        seed: Digest::zero(),
        mutation: Mutation::Blank,
        isolation: "none",
        run: None,
        ballots,
        at: ["2026-11-30T14:24:02.123Z", "2026-11-30T14:24:03.123Z"].map(str::to_owned),
        ms: 1000,
    }
}

#[test]
fn a_row_is_read_by_success_policies_and_keeps_every_vote() {
    let ballots =
        vec![ballot(Asked::Mutant(0), "fail"), ballot(Asked::Original, "pass"), ballot(Asked::Original, "hung")];
    let record = record(ballots);
    let line = row(&record, &conclude(&record.ballots, None)).to_string();
    let read_back = Row::read(line.as_bytes(), &Want::everything()).unwrap();
    assert_eq!(read_back.run.class.as_str(), "pass");
    assert_eq!(read_back.run.confidence.unwrap().token(), "0.9");
    assert_eq!(read_back.requirement.as_deref(), Some("ORDER-2"));
    assert!(read_back.run.at.is_some());
    assert!(read_back.run.facts.get("changed_ppm").is_some());
    // What a run says of itself, no judge says for it.
    assert!(read_back.run.facts.get("exit_code").is_none());
    let value = read(line.as_bytes(), &Limits::default()).unwrap();
    let votes = value.get("raw_result").unwrap().get("votes").unwrap().as_list().unwrap();
    let brief = |vote: &Json| {
        let text = |name: &str| vote.get(name).and_then(Json::as_text).unwrap_or_default().to_owned();
        format!("{} {} {}", text("asked"), text("verdict"), vote.get("counts").and_then(Json::as_bool).unwrap())
    };
    assert_eq!(
        votes.iter().map(brief).collect::<Vec<_>>(),
        ["mutant fail false", "original pass true", "original error false"]
    );
}

#[test]
fn a_void_vote_is_kept_and_measures_nothing() {
    let record = record(vec![ballot(Asked::Mutant(0), "pass"), ballot(Asked::Original, "pass")]);
    let conclusion = conclude(&record.ballots, None);
    let row = row(&record, &conclusion);
    assert_eq!(row.get("verdict").and_then(Json::as_text), Some("error"));
    let raw = row.get("raw_result").unwrap();
    assert_eq!(raw.get("void").and_then(Json::as_text), Some("judge_control_failed"));
    assert_eq!(raw.get("changed_ppm"), None);
    assert!(
        raw.get("votes").unwrap().as_list().unwrap().iter().all(|vote| vote.get("counts") == Some(&Json::Bool(false)))
    );
}

#[test]
fn a_judge_is_its_words_and_its_bytes() {
    let made = record(vec![]).judge;
    let other = |change: fn(&mut Made)| {
        let mut other = made.clone();
        change(&mut other);
        other.digest()
    };
    assert_eq!(other(|made| made.pinned = false), made.digest());
    assert_ne!(other(|made| made.run.push(String::new())), made.digest());
    assert_ne!(other(|made| made.files[0].1 = Digest::of(b"")), made.digest());
    assert_ne!(other(|made| drop(made.files.pop())), made.digest());
}

#[test]
fn the_order_does_not_tell_what_is_asked() {
    let once = [Asked::Original, Asked::Mutant(0)];
    let first: Vec<Asked> = (0..64_u8).map(|n| calls(&Digest::of(&[n]), 1, &once)[0].asked).collect();
    let originals = first.iter().filter(|asked| **asked == Asked::Original).count();
    assert!((16..=48).contains(&originals), "{originals}");
    let drawn = |n: u8| Mutation::drawn(&Digest::of(&[n]), &Mutation::ALL);
    assert!(Mutation::ALL.iter().all(|one| (0..64).any(|n| drawn(n) == *one)));
    assert_eq!(Mutation::drawn(&Digest::zero(), &[]), Mutation::Blank);
}

proptest! {
    #[test]
    fn every_call_is_made_once_a_vote_under_a_nonce_of_its_own(seed: [u8; 32], votes in 0_usize..9, mutants in 0_usize..5) {
        let once: Vec<Asked> = (0..mutants).map(Asked::Mutant).chain([Asked::Original]).collect();
        let seed = Digest::from_bytes(seed);
        let made = calls(&seed, votes, &once);
        prop_assert_eq!(&made, &calls(&seed, votes, &once));
        for asked in &once {
            prop_assert_eq!(made.iter().filter(|call| call.asked == *asked).count(), votes);
        }
        let nonces: std::collections::BTreeSet<_> = made.iter().map(|call| &call.nonce).collect();
        prop_assert_eq!(nonces.len(), made.len());
    }

    #[test]
    fn no_answer_panics(text in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Answer::read(&text, NONCE, &[]).is_err());
    }

    /// The order of ballots does not change what they come to.
    #[test]
    fn ballots_come_to_the_same_in_every_order(said in proptest::collection::vec(0_usize..6, 1..6), turn in 0_usize..6) {
        let words = ["pass", "pass 0.5", "fail", "undetermined", "hung", "fail 0.2"];
        let mut ballots: Vec<Ballot> = said.iter().map(|at| ballot(Asked::Original, words[*at])).collect();
        ballots.push(ballot(Asked::Mutant(0), words[said[0]]));
        let one = conclude(&ballots, None);
        let turn = turn % ballots.len();
        ballots.rotate_left(turn);
        prop_assert_eq!(one, conclude(&ballots, None));
    }
}
