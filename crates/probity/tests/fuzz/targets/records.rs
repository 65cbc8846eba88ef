//! What lies on a disk: journals, run lists, files of keys.

use probity_core::journal::body::{
    ActionCommit, ActionIntent, Body, BudgetEnded, EvidenceCaptured, InputSealed, PlanChecked, RunCancelled, RunClosed,
    RuntimeObserved,
};
use probity_core::journal::chain::Chain;
use probity_core::journal::opened::RunOpened;
use probity_core::journal::{Entry, Kind};
use probity_core::json::{Json, Limits, read};
use probity_formats::allowed_signers;
use probity_store::list;

pub(crate) const JOURNAL: &[&str] = &[
    "\n",
    "{\"at\":\"",
    "\"body\":{",
    "\"gen\":1",
    "\"id\":\"",
    "\"kind\":\"run.opened\"",
    "\"kind\":\"run.closed\"",
    "\"prev\":\"",
    "\"seq\":0",
    "\"v\":1}",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "\"content\":{\"file\":\"../../etc/hostname\"}",
    "\"content\":null",
    "\"base64\":\"AA==\"",
    "9007199254740993",
    "-0",
    "1.5",
    "\"\\ud800\"",
    "[[[[[[[[[[[[[[[[",
    "null",
    "\"observation\":{\"kind\":\"http\"",
    "\"event\":\"closed\"",
];
pub(crate) const SIGNERS: &[&str] = &[
    "a@b.test ",
    "namespaces=\"a,b\" ",
    "cert-authority ",
    "valid-before=\"20261130\" ",
    "ssh-ed25519 ",
    "AAAAC3NzaC1lZDI1NTE5AAAA",
    "\"",
    "\n",
    "#",
    ",",
    "*",
    "\\",
];

/// A journal, a line, and the body of each: what was read is written as it stood.
pub(crate) fn journal(bytes: &[u8]) {
    let mut entries = Vec::new();
    let chain = Chain::read(bytes, |entry, id| entries.push((entry, id)));
    let whole: usize = entries.iter().map(|(entry, _)| entry.line().expect("a line").0.len()).sum();
    assert!(whole + chain.torn <= bytes.len());
    let mut at = 0;
    for (entry, id) in &entries {
        let (line, right) = entry.line().expect("a line");
        assert_eq!((&bytes[at..at + line.len()], right), (line.as_slice(), *id));
        at += line.len();
    }
    assert!(at == bytes.len() || !chain.findings.is_empty(), "{} bytes are passed over", bytes.len() - at);
    for line in bytes.split(|byte| *byte == b'\n').take(64) {
        if let Ok(Json::Map(map)) = read(line, &Limits { depth: 64, nodes: 100_000 }) {
            sealed_again(&map);
            map.get("body").into_iter().for_each(bodies);
        }
    }
}

/// The same entry with the id that it should have: so that what stands behind the chain is reached too.
fn sealed_again(map: &probity_core::json::Map) {
    let text = |key: &str| map.get(key).and_then(Json::as_text).unwrap_or_default().to_owned();
    let number = |key: &str| map.get(key).and_then(Json::as_u64).unwrap_or(1).min(1 << 52);
    let Some(kind) = Kind::parse(&text("kind")) else { return };
    let body = map.get("body").cloned().unwrap_or(Json::Null);
    let (run, at, prev) = (text("run"), text("at"), probity_core::ids::Digest::zero());
    let entry = Entry { run, generation: 1, seq: 0, at, mono: number("mono"), kind, body, prev };
    let Ok((line, id)) = entry.line() else { return };
    match Entry::read(&line[..line.len() - 1]) {
        // Fields may stand in another order in memory, never on the disk.
        Ok((again, known)) => assert_eq!((again.line(), known), (Ok((line.clone(), id)), id)),
        Err(fault) => assert!(entry.body.as_map().is_none() || !fault.to_string().is_empty()),
    }
    if let Some(recorded) = probity_core::recorded::Recorded::fold(&line).1 {
        assert!(!recorded.run().is_empty() || recorded.inputs().is_empty());
    }
}

/// A body that is read writes back to itself, whatever kind it is taken for.
fn bodies(body: &Json) {
    fn one<B: Body>(body: &Json) {
        if let Some(read) = B::read(body.clone()) {
            let written = read.write();
            let again = B::read(written.clone()).expect("what was written is read");
            assert_eq!(again.write(), written);
        }
    }
    one::<RunOpened>(body);
    one::<InputSealed>(body);
    one::<PlanChecked>(body);
    one::<ActionIntent>(body);
    one::<ActionCommit>(body);
    one::<EvidenceCaptured>(body);
    one::<RuntimeObserved>(body);
    one::<BudgetEnded>(body);
    one::<RunCancelled>(body);
    one::<RunClosed>(body);
}

/// A run list that is read is written as it stood.
pub(crate) fn run_list(bytes: &[u8]) {
    match list::read(bytes) {
        Ok(lines) => {
            let written: Vec<u8> = lines.iter().flat_map(|line| line.to_bytes().expect("a line")).collect();
            assert_eq!(written, bytes);
        }
        Err(fault) => assert!(fault.line > 0 && !fault.message.is_empty() && fault.message.len() < 4096),
    }
}

/// Keys: a fault has its line and repeats nothing of the file.
pub(crate) fn allowed_signers(bytes: &[u8]) {
    match allowed_signers::read(bytes) {
        Ok(signers) => {
            assert!(
                !signers.is_empty()
                    && signers.iter().all(|signer| !signer.principals.is_empty() && !signer.key.is_empty())
            );
        }
        Err(fault) => {
            assert!(fault.line > 0 && fault.message.len() < 1000, "{fault}");
            assert!(fault.line <= 1 + bytes.iter().filter(|byte| **byte == b'\n').count(), "{fault}");
        }
    }
}
