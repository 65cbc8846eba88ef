//! One good run, and everything that can be done to its folder: every change is refused, and by name.
//!
//! * [`bytes`]: what somebody does who knows nothing of the format, or whose disk fails.
//! * [`received`]: forgeries of what came over the wire: codings, and the tries of a polling step.
//! * [`known`]: what a process knows already of a run that it closes.
//! * [`services`]: forgeries of the receipts of services.
//! * [`forged`]: what somebody does who writes every id again, and the views too.

mod bytes;
mod fields;
mod forged;
mod forgery;
mod good;
mod known;
mod received;
#[path = "../../tests/engine/serve.rs"]
mod serve;
mod services;

use std::fmt::Write as _;

use probity_core::codes::Code;
use probity_core::finding::Weight;
use probity_core::judged::Judged;
use probity_core::verify::Verified;

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
