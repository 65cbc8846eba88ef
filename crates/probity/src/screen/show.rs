//! The block of `show`: request, answer and checks side by side.

use std::path::Path;

use probity_core::evaluate::Truth;
use probity_core::judged::{Judged, drawn_action, place_of};
use probity_core::step::Evidence;
use probity_core::verdict::Status;
use probity_core::verify::Verified;

use super::block::{Block, Tone};
use super::verify::bytes;
use crate::answer::bytes::Excerpt;
use crate::answer::finding::{expected, handle, origin, provenance_word};
use crate::answer::show::{Got, Sent, Subject, captured, curl_of, got, sent, step_word};
use crate::answer::site::Site;
use crate::out::Out;

/// As many steps are drawn.
const DRAWN: usize = 20;

/// Columns of the words in a step.
const INDENT: usize = 6;
const COLUMN: usize = 16;

/// The block.
pub(crate) fn show(
    verified: &Verified,
    judged: &Judged,
    subject: &Subject,
    evidence: &dyn Evidence,
    dir: &Path,
    out: Out,
) -> String {
    let mut block = Block::new(out);
    // The words of a run's verdict, for parts of it too.
    let word = match subject.status {
        Status::Untested => Status::Inconclusive.as_str(),
        other => other.as_str(),
    };
    block.verdict(&word.to_uppercase(), Tone::of(subject.status), &head(judged, subject));
    for position in subject.steps.iter().take(DRAWN) {
        step(&mut block, judged, *position, evidence);
    }
    if subject.steps.is_empty() {
        block.line(2, 2, "UNTESTED  no step of this run belongs to it");
    }
    if subject.steps.len() > DRAWN {
        block.line(2, 2, &format!("and {} more steps", subject.steps.len() - DRAWN));
    }
    let site = Site::of(dir);
    block.end(verified, &site.name, 0)
}

fn head(judged: &Judged, subject: &Subject) -> String {
    match subject.criterion {
        Some(position) => {
            let planned = &judged.audited().checked().matrix().criteria[position];
            let untested = if subject.status == Status::Untested { "  (untested)" } else { "" };
            format!("{}  {}  {}{untested}", subject.id, planned.needs.join(" "), planned.text)
        }
        None => {
            let title = subject.steps.first().map_or("", |position| judged.step(*position).0.title.as_str());
            format!("{}  {title}", subject.id)
        }
    }
}

fn step(block: &mut Block, judged: &Judged, position: usize, evidence: &dyn Evidence) {
    let audited = &judged.audited().steps()[position];
    let (_, planned) = judged.step(position);
    let word = step_word(judged, position);
    let at = place_of(planned)
        .map_or_else(String::new, |at| format!("   {}:{}", judged.audited().checked().file(), at.line));
    let parts = format!("{word}  {}  {}{at}   {}", planned.id, drawn_action(planned), handle(position));
    block.line(2, 10, &parts);
    if let Some(reason) = &audited.judgement.reason {
        block.line(INDENT, COLUMN, &format!("{}   {}", reason.code, reason.message));
    }
    if let Some(sent) = sent(audited) {
        draw_sent(block, &sent);
    }
    if let Some(got) = got(judged, audited, evidence) {
        draw_got(block, &got);
    }
    checks(block, judged, position);
    if let Some(strength) = audited.strength {
        block.row(INDENT, "strength", COLUMN, strength.words());
    }
    for obliged in &audited.obliged {
        let word = if obliged.met { "shown" } else { "NOT SHOWN" };
        block.row(INDENT, word, COLUMN, &format!("{}: {}", obliged.kind.as_str(), obliged.why));
    }
    for one in captured(judged, audited) {
        let text = format!("{}  {}, {}{}", one.sha256, one.role, bytes(one.bytes), replaced(one.redactions));
        block.row(INDENT, "sha256", COLUMN, &text);
    }
    if let Some(line) = curl_of(audited) {
        // Not wrapped: it is there to be pasted. Line ends inside a body are drawn.
        block.paste(INDENT, &format!("{:<width$}{}", "curl", line.replace('\n', "\\n"), width = COLUMN - INDENT));
    }
}

fn draw_sent(block: &mut Block, sent: &Sent) {
    match sent {
        Sent::Http { line, headers, body } => {
            block.row(INDENT, "sent", COLUMN, line);
            self::headers(block, headers);
            excerpt(block, "", body.as_ref());
        }
        Sent::Command { argv, cwd, stdin } => {
            block.row(INDENT, "sent", COLUMN, &format!("{}   in {cwd}", argv.join(" ")));
            excerpt(block, "stdin", stdin.as_ref());
        }
        Sent::Log { service } => block.row(INDENT, "looked", COLUMN, &format!("into the log of {service}")),
    }
}

fn draw_got(block: &mut Block, got: &Got<'_>) {
    match got {
        Got::Http(http, last, body) => {
            for hop in http.hops.iter().take(http.hops.len().saturating_sub(1)) {
                block.row(INDENT, "hop", COLUMN, &format!("{}   {}", hop.hop.status, hop.hop.url));
            }
            let hop = &last.hop;
            let mut tries = if http.tries.len() > 1 { format!("   {} tries", http.tries.len()) } else { String::new() };
            match http.cut_off() {
                0 => {}
                1 => tries.push_str(", the last cut off"),
                count => tries.push_str(&format!(", the last {count} cut off")),
            }
            let version = if hop.version == "1.1" { String::new() } else { format!("HTTP/{}   ", hop.version) };
            let proxy = hop.peer.proxy.as_ref().map_or_else(String::new, |proxy| format!(" through the proxy {proxy}"));
            let peer = format!("from {}{proxy}", hop.peer.address);
            let text = format!("{version}{} {}   {}   {peer}{tries}", hop.status, hop.reason, time(http.total_us));
            block.row(INDENT, "got", COLUMN, &text);
            if let Some(tls) = &hop.peer.tls {
                let text = format!("TLS {}   {}   anchor {}   key {}", tls.version, tls.suite, tls.anchor, tls.key);
                block.row(INDENT, "", COLUMN, &text);
            }
            let phases = [
                ("dns", hop.phases.dns_us),
                ("connect", hop.phases.connect_us),
                ("tls", hop.phases.tls_us),
                ("first byte", hop.phases.first_byte_us),
                ("body", hop.phases.body_us),
            ];
            let named = phases.iter().filter(|(_, us)| *us > 0).map(|(name, us)| format!("{name} {}", time(*us)));
            let named: Vec<String> = named.collect();
            if !named.is_empty() {
                block.row(INDENT, "", COLUMN, &named.join(", "));
            }
            headers(block, &hop.headers);
            excerpt(block, "", body.as_ref());
        }
        Got::Command(command, stdout, stderr) => {
            let result = &command.result;
            let exit = result.exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit {code}"));
            block.row(INDENT, "got", COLUMN, &format!("{exit}, {}   {}", result.termination, time(result.total_us)));
            excerpt(block, "stdout", stdout.as_ref());
            excerpt(block, "stderr", stderr.as_ref());
        }
        Got::Log(log, text) => {
            let whole = if log.complete { "" } else { ", not all of them kept" };
            let written = log.to.saturating_sub(log.from);
            let tries = if log.tries > 1 { format!("   {} tries", log.tries) } else { String::new() };
            let text_row = format!("{} since the case began{whole}{tries}", bytes(written));
            block.row(INDENT, "got", COLUMN, &text_row);
            excerpt(block, "log", text.as_ref());
        }
    }
}

fn headers(block: &mut Block, pairs: &[(String, String)]) {
    for (name, value) in pairs.iter().take(16) {
        block.row(INDENT, "", COLUMN, &format!("{name}: {value}"));
    }
}

fn excerpt(block: &mut Block, word: &str, excerpt: Option<&Excerpt>) {
    let Some(excerpt) = excerpt.filter(|excerpt| excerpt.bytes > 0) else { return };
    match &excerpt.text {
        Some(text) => {
            let before = if excerpt.from > 0 { "... " } else { "" };
            let after = if excerpt.cut { " ..." } else { "" };
            block.row(INDENT, word, COLUMN, &format!("{before}{text}{after}"));
        }
        None => block.row(INDENT, word, COLUMN, &format!("{}, no text", bytes(excerpt.bytes as u64))),
    }
}

fn checks(block: &mut Block, judged: &Judged, position: usize) {
    let (scenario, planned) = judged.step(position);
    for check in &judged.audited().steps()[position].judgement.checks {
        let from = origin(judged, scenario, planned, check)
            .unwrap_or_else(|| provenance_word(judged, scenario, planned, check).to_owned());
        let from = if check.hidden { format!("{from}; witnessed: it looks behind a placeholder") } else { from };
        match check.truth {
            Truth::Holds => block.row(INDENT, "holds", COLUMN, &format!("{}    ({from})", expected(check))),
            Truth::Fails | Truth::Unknown => {
                let word = if check.truth == Truth::Fails { "FAILS" } else { "UNKNOWN" };
                let why = check.why.as_ref().map_or_else(String::new, |why| format!("    ({why})"));
                block.row(INDENT, word, COLUMN, &check.what);
                block.row(COLUMN, "expected", COLUMN + 10, &format!("{}    ({from})", expected(check)));
                block.row(COLUMN, "saw", COLUMN + 10, &format!("{}{why}", check.saw));
            }
        }
    }
}

/// What redaction did to some bytes, as the end of a list.
pub(crate) fn replaced(secrets: u64) -> String {
    match secrets {
        0 => String::new(),
        1 => ", 1 secret replaced".to_owned(),
        more => format!(", {more} secrets replaced"),
    }
}

/// Microseconds in a readable unit.
pub(crate) fn time(us: u64) -> String {
    match us {
        0..1000 => format!("{us} us"),
        1000..10_000 => format!("{}.{} ms", us / 1000, us % 1000 / 100),
        10_000..1_000_000 => format!("{} ms", us / 1000),
        _ => format!("{}.{} s", us / 1_000_000, us % 1_000_000 / 100_000),
    }
}
