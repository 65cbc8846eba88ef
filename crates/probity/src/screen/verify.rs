//! The block of `verify`.

use std::path::Path;

use probity_core::codes::Code;
use probity_core::finding::{Finding, Weight};
use probity_core::judged::{DERIVATION, Judged};
use probity_core::verdict::Status;
use probity_core::verify::{Anchor, Verified};

use super::block::{Block, Tone};
use super::run::{counted, split, weakening};
use crate::answer::facts::Cleanup;
use crate::answer::next;
use crate::answer::site::Site;
use crate::answer::verify::evidence_of;
use crate::cmd::verify::Demand;
use crate::out::Out;

/// As many findings are drawn.
const DRAWN: usize = 20;

/// Column of what a row says.
const COLUMN: usize = 14;

/// The block.
pub(crate) fn verify(verified: &Verified, dir: &Path, demands: &[Demand], exit: u8, out: Out) -> String {
    let site = Site::of(dir);
    let run = verified.run.clone().unwrap_or_else(|| site.name.clone());
    let mut block = Block::new(out);
    if verified.only_views_differ() {
        stale(&mut block, verified, &run);
    } else if !verified.is_intact() {
        broken(&mut block, verified, &run);
    } else if !verified.closed {
        open(&mut block, verified, &run);
    } else {
        intact(&mut block, verified, demands, &run);
    }
    self::demands(&mut block, demands);
    verdict(&mut block, verified, demands);
    block.next(&next::of(verified, &site));
    block.end(verified, &site.name, exit)
}

fn checked_by() -> String {
    format!("checked offline by probity {}", env!("CARGO_PKG_VERSION"))
}

fn row(block: &mut Block, word: &str, text: &str) {
    block.row(2, word, COLUMN, text);
}

fn intact(block: &mut Block, verified: &Verified, demands: &[Demand], run: &str) {
    let unmet = demands.iter().filter(|demand| !demand.met).count();
    let unmet = match unmet {
        0 => String::new(),
        1 => ", but 1 demand is NOT MET".to_owned(),
        count => format!(", but {count} demands are NOT MET"),
    };
    let tone = if unmet.is_empty() { Tone::Good } else { Tone::Bad };
    block.verdict("INTACT", tone, &format!("{run}   {}{unmet}", checked_by()));
    row(block, "journal", &format!("{}, one chain, closed", entries(verified)));
    tail(block, verified);
    evidence(block, verified);
    if let Some(judged) = &verified.judged {
        sealed(block, judged);
        derived(block, verified);
        row(block, "weakening", &weakening(judged));
    }
    row(block, "signature", "none: the parts agree with each other; who made them is not shown");
    notes(block, verified);
}

fn entries(verified: &Verified) -> String {
    match verified.checked.entries {
        1 => "1 entry".to_owned(),
        count => format!("{count} entries"),
    }
}

fn tail(block: &mut Block, verified: &Verified) {
    let seal = verified.seal.as_ref().map_or_else(String::new, ToString::to_string);
    let text = match verified.anchor {
        Anchor::Index => format!("seal {seal} equals the run list: nothing cut"),
        Anchor::Seal => format!("seal {seal} is the one that was given: nothing cut"),
        Anchor::Nothing => "NOT ANCHORED: no run list or seal at hand; a cut end could not be told".to_owned(),
    };
    row(block, "tail", &text);
}

fn evidence(block: &mut Block, verified: &Verified) {
    let count = verified.checked.evidence;
    let noun = if count == 1 { "piece" } else { "pieces" };
    row(block, "evidence", &format!("{count} {noun} re-hashed, {}", bytes(verified.checked.bytes)));
}

/// `83 bytes`, `1.9 MiB`
pub(crate) fn bytes(count: u64) -> String {
    match count {
        1 => "1 byte".to_owned(),
        0..10_240 => format!("{count} bytes"),
        10_240..1_048_576 => format!("{} KiB", count / 1024),
        _ => format!("{}.{} MiB", count >> 20, ((count % (1 << 20)) * 10) >> 20),
    }
}

fn sealed(block: &mut Block, judged: &Judged) {
    let recorded = judged.audited().recorded();
    let mut roles: Vec<&str> = recorded.inputs().iter().map(|input| input.role.as_str()).collect();
    roles.dedup();
    row(block, "inputs", &format!("{}: sealed before the first action", roles.join(", ")));
    let services = recorded.services();
    if !services.is_empty() {
        let ready = services.iter().filter(|record| record.settled.is_some()).count();
        let ended = services.iter().filter(|record| record.down.is_some()).count();
        row(block, "services", &format!("{} begun, {ready} there, {ended} shown to have ended", services.len()));
    }
    let intents = recorded.actions().len();
    let commits = recorded.actions().iter().filter(|action| action.commit.is_some()).count();
    let cleanup = match Cleanup::of(judged) {
        Cleanup::None => "nothing to clean up",
        Cleanup::Complete => "cleanup complete",
        Cleanup::Incomplete => "cleanup INCOMPLETE",
    };
    row(block, "actions", &format!("{intents} intents, {commits} commits; {cleanup}"));
}

fn derived(block: &mut Block, verified: &Verified) {
    let counts = verified.checked;
    let text = if verified.derivation == Some(DERIVATION) {
        format!("by rules {DERIVATION}, the same as the run's: {} views equal byte for byte", counts.views)
    } else {
        let theirs = verified.derivation.map_or_else(|| "unknown".to_owned(), |version| version.to_string());
        format!("by rules {DERIVATION}, the run's are {theirs}; {} views NOT COMPARED", counts.views_skipped)
    };
    row(block, "derived", &text);
}

/// Findings that break nothing and that no row says already.
fn notes(block: &mut Block, verified: &Verified) {
    let said = |code| matches!(code, Code::NotAnchored | Code::NotClosed);
    let notes = verified.findings.iter().filter(|f| f.weight == Weight::Note && !said(f.code));
    for one in notes.take(DRAWN) {
        finding(block, verified, one, 2);
    }
}

fn finding(block: &mut Block, verified: &Verified, one: &Finding, indent: usize) {
    let about = one.file.iter().cloned().chain(one.entry.map(|seq| format!("entry {seq}")));
    let about: Vec<String> = about.chain(evidence_of(verified, one)).collect();
    let about = if about.is_empty() { String::new() } else { format!("   {}", about.join("   ")) };
    block.line(indent, indent + 4, &format!("{}   {}{about}", one.code, one.message));
    if let (Some(expected), Some(saw)) = (&one.expected, &one.saw) {
        block.row(indent + 4, "expected", indent + 14, expected);
        block.row(indent + 4, "saw", indent + 14, saw);
    }
}

fn integrity(block: &mut Block, verified: &Verified) {
    let broken: Vec<&Finding> = verified.findings.iter().filter(|f| f.weight == Weight::Integrity).collect();
    for one in broken.iter().take(DRAWN) {
        finding(block, verified, one, 2);
    }
    if broken.len() > DRAWN {
        block.line(2, 2, &format!("and {} more findings", broken.len() - DRAWN));
    }
}

fn broken(block: &mut Block, verified: &Verified, run: &str) {
    let count = verified.findings.iter().filter(|finding| finding.weight == Weight::Integrity).count();
    let noun = if count == 1 { "finding" } else { "findings" };
    block.verdict("BROKEN", Tone::Bad, &format!("{run}   {count} {noun}; there is no verdict to speak of"));
    integrity(block, verified);
    let counts = verified.checked;
    let sound =
        format!("{} read, {} pieces of evidence re-hashed, {} views", entries(verified), counts.evidence, counts.views);
    block.row(2, "sound", COLUMN, &sound);
    block.row(2, "lost", COLUMN, "every criterion: one run, one proof");
    block.row(2, "meaning", COLUMN, "the folder is not what was written when the run was closed; find a whole copy");
}

fn stale(block: &mut Block, verified: &Verified, run: &str) {
    let count = verified.findings.iter().filter(|finding| finding.weight == Weight::Integrity).count();
    let noun = if count == 1 { "view is" } else { "views are" };
    block.verdict("STALE-VIEWS", Tone::Open, &format!("{run}   {count} {noun} not what the journal gives"));
    integrity(block, verified);
    tail(block, verified);
    evidence(block, verified);
    block.row(
        2,
        "meaning",
        COLUMN,
        "views only; the authorities are untouched. Line-end conversion and formatters cause most of these",
    );
}

fn open(block: &mut Block, verified: &Verified, run: &str) {
    block.verdict("OPEN", Tone::Open, &format!("{run}   the run was never closed; there is no verdict"));
    if let Some(judged) = &verified.judged {
        let last = judged.audited().recorded().actions().last();
        if let Some(action) = last.filter(|action| action.commit.is_none()) {
            let again = if action.intent.idempotent { "idempotent" } else { "not idempotent" };
            let what = format!("last action   {} {} ({again})", action.intent.action, action.intent.step);
            block.line(2, 6, &format!("not_closed   {what}"));
            block.line(6, 6, "no commit follows: whether it took effect is not known; it will not be sent again");
        } else {
            block.line(2, 6, "not_closed   the journal ends without run.closed");
        }
    }
    row(block, "journal", &format!("{}, one chain", entries(verified)));
    evidence(block, verified);
    row(block, "tail", "no seal at hand: a crash and a cut look alike; with one: verify --seal");
    notes(block, verified);
    row(block, "not tried", "views and outcome: they need a closed run");
}

fn demands(block: &mut Block, demands: &[Demand]) {
    for one in demands {
        if one.met {
            block.row(2, "demand", COLUMN, &format!("--{} {}: met", one.name, one.wanted));
        } else {
            let found = one.found.as_deref().unwrap_or("nothing");
            block.row(2, "DEMAND", COLUMN, &format!("demand_unmet   --{}", one.name));
            block.row(6, "expected", 16, &one.wanted);
            block.row(6, "saw", 16, found);
        }
    }
}

/// The verdict below the block, where there is one to speak of.
fn verdict(block: &mut Block, verified: &Verified, demands: &[Demand]) {
    if demands.iter().any(|demand| !demand.met) {
        block.line(0, 4, "no verdict  a demand is not met, so nothing is claimed here");
        return;
    }
    let Some(judged) = verified.judged.as_ref().filter(|_| verified.closed) else { return };
    if !verified.is_intact() && !verified.only_views_differ() {
        return;
    }
    let claims = judged.claims();
    let strength = split(claims);
    let status = judged.status();
    let ids: Vec<&str> = judged
        .criteria()
        .iter()
        .filter(|criterion| criterion.status != Status::Passed)
        .take(20)
        .map(|criterion| criterion.id.as_str())
        .collect();
    let ids = if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(" ")) };
    let text = format!("worked out again from the bytes: {}{ids}; {strength}; unsigned", counted(judged));
    block.verdict(&status.as_str().to_uppercase(), Tone::of(status), &text);
    let mut codes: Vec<&str> = judged.reasons().iter().map(|reason| reason.code.as_str()).collect();
    codes.dedup();
    if !codes.is_empty() {
        codes.truncate(DRAWN);
        block.line(6, 6, &codes.join(", "));
    }
}
