//! One good run, and everything that can be done to its folder: every change is refused, and by name.
//!
//! * [`bytes`]: what somebody does who knows nothing of the format, or whose disk fails.
//! * [`received`]: forgeries of what came over the wire: codings, and the tries of a polling step.
//! * [`interleaved`]: the entries of cases in every order that side by side could have given them.
//! * [`known`]: what a process knows already of a run that it closes.
//! * [`services`]: forgeries of the receipts of services.
//! * [`forged`]: what somebody does who writes every id again, and the views too.

mod bytes;
mod fields;
mod forged;
mod forgery;
mod good;
mod interleaved;
mod known;
mod received;
#[path = "../../tests/engine/serve.rs"]
mod serve;
mod services;

use std::fmt::Write as _;

use probity_core::codes::Code;
use probity_core::finding::Weight;
use probity_core::ids::Digest;
use probity_core::judged::Judged;
use probity_core::step::Evidence;
use probity_core::verify::Verified;
use probity_core::views::{Taker, Written};

use super::views;

/// The codes that break a run, and those of the notes.
fn codes(verified: &Verified, weight: Weight) -> Vec<Code> {
    verified.findings.iter().filter(|finding| finding.weight == weight).map(|finding| finding.code).collect()
}

/// Demands that a verification came to 6 with this code among its findings.
#[track_caller]
fn refused(verified: &Verified, code: Code) {
    let found = codes(verified, Weight::Integrity);
    assert!(verified.exit() == 6 && found.contains(&code), "expected {code}:\n{}", drawn(verified));
    assert_eq!(verified.status(), None);
}

/// Every view of a judged run, whole: name and bytes.
fn drawn_views(judged: &Judged, evidence: &dyn Evidence) -> Vec<(String, Vec<u8>)> {
    #[derive(Default)]
    struct Whole(Vec<(String, Vec<u8>)>);
    impl Taker for Whole {
        fn begin(&mut self, name: &str) {
            self.0.push((name.to_owned(), Vec::new()));
        }

        fn piece(&mut self, bytes: &[u8]) {
            self.0.last_mut().unwrap().1.extend_from_slice(bytes);
        }

        fn end(&mut self, view: Written) {
            let (name, bytes) = self.0.last().unwrap();
            assert_eq!((&view.name, view.bytes, view.sha256), (name, bytes.len() as u64, Digest::of(bytes)));
        }
    }
    let mut whole = Whole::default();
    views(judged, evidence, &mut whole);
    whole.0
}

fn drawn(verified: &Verified) -> String {
    let mut text = format!("exit {}, closed {}\n", verified.exit(), verified.closed);
    for f in &verified.findings {
        let _ = writeln!(
            text,
            "{:?} {} {:?} {:?} {} (expected {:?}, saw {:?})",
            f.weight, f.code, f.entry, f.file, f.message, f.expected, f.saw
        );
    }
    for reason in verified.judged.iter().flat_map(Judged::reasons) {
        let _ = writeln!(text, "reason {} {:?} {}", reason.code, reason.weight, reason.message);
    }
    text
}
