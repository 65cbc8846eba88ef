//! `qa waive`: somebody's word that a requirement need not hold for a while.

use jiff::Timestamp;
use probity_core::codes::Code;
use probity_core::qa::Waiver;

use super::{Desk, Exit, fail_index, fresh_key, id, now, words};
use crate::cli::qa::WaiveArgs;
use crate::cmd::fail;
use crate::out::{self, Out};
use crate::{answer, screen};

/// A waiver lasts no longer than so many days.
const LONGEST: i64 = 366;

pub(super) fn waive(args: &WaiveArgs, out: Out) -> Exit {
    let requirement = id(&args.id, out)?;
    let (by, reason) = (words("by", &args.by, out)?, words("reason", &args.reason, out)?);
    let at = now();
    let until = until(&args.until, at, out)?;
    let desk = Desk::of(&args.at, out)?;
    let commit = args.commit.as_deref().map(|named| desk.commit(named, out)).transpose()?;
    let mut index = desk.open(out)?;
    // The index sets the version: the one that counts when the waiver is written.
    let mut waiver = Waiver { key: fresh_key("waiver-"), requirement, version: 0, commit, until, by, reason, at };
    waiver.version = index.waive(&waiver).map_err(|error| fail_index(out, &error))?;
    if let Some(name) = out::agent() {
        out.warn(&format!("{name} is set: a waiver is for a person to give"));
    }
    if out.json {
        out.data(&answer::document(&answer::qa::waived(&waiver)));
    } else {
        out.data(&screen::qa::waived(&waiver, out));
    }
    Ok(0)
}

/// A day, to its end in UTC, or a time in UTC; ahead, and at most a year.
fn until(text: &str, now: i64, out: Out) -> Result<i64, u8> {
    let refuse = |code: Code, message: String, help: &str| fail(out, code, &message, help);
    // A day lasts to its end.
    let written = if text.len() == 10 { format!("{text}T23:59:59Z") } else { text.to_owned() };
    let read = written.parse::<Timestamp>().ok();
    let Some(end) = read else {
        let help = "write a day such as 2026-12-24, or a time such as 2026-12-24T18:00:00Z";
        return Err(refuse(Code::ValueOutOfRange, format!("--until {text} is neither a day nor a time in UTC"), help));
    };
    let end = end.as_microsecond();
    if end <= now || end > now.saturating_add(LONGEST * 86_400_000_000) {
        let which = if end <= now { "is past" } else { "is more than a year ahead" };
        return Err(refuse(Code::WaiverEnds, format!("--until {text} {which}"), Code::WaiverEnds.explanation().remedy));
    }
    Ok(end)
}
