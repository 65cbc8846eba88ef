//! `qa import`: takes in what `qa export --as jsonl` wrote; everything or nothing, and each thing once.

use std::path::Path;

use probity_core::codes::Code;
use probity_core::json::Json;
use probity_core::qa::line::{FORM, Line};

use super::{Desk, Exit, fail_index, no_secret, read_text, see};
use crate::answer::document;
use crate::cli::qa::ImportArgs;
use crate::cmd::{fail, fail_with};
use crate::out::Out;

/// The largest export that is read, in bytes.
const LARGEST: u64 = 256 << 20;

pub(super) fn import(args: &ImportArgs, out: Out) -> Exit {
    let text = read_text(&args.file, LARGEST, out)?;
    let name = if args.file == Path::new("-") { "standard input".to_owned() } else { args.file.display().to_string() };
    let mut lines = Vec::new();
    let mut places = Vec::new();
    for (position, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let place = format!("{name}:{}", position + 1);
        let read = Line::read(line.as_bytes()).map_err(|why| unfit(out, &place, &why))?;
        if lines.is_empty() != (read == Line::Form) {
            return Err(unfit(out, &place, &format!("the form {FORM} stands in the first line, and nowhere else")));
        }
        no_secret(&place, line, out)?;
        lines.push(read);
        places.push(position + 1);
    }
    if lines.is_empty() {
        return Err(unfit(out, &name, "there is no line"));
    }
    let desk = Desk::of(&args.at, out)?;
    let mut index = desk.create(out)?;
    let taken = index.take(&lines, &see).map_err(|(position, error)| {
        let line = places.get(position).copied().unwrap_or_default();
        let (code, message) = (error.code(), format!("{name}:{line}: {error}; nothing was imported"));
        if code == Code::IndexUnreachable {
            return fail_index(out, &error);
        }
        fail_with(out, code, &message, code.explanation().remedy, crate::cmd::USAGE)
    })?;
    if out.json {
        out.data(&document(&Json::map([
            ("schema", Json::from("probity/qa-import/1")),
            ("exit", 0.into()),
            ("new", taken.new.into()),
            ("same", taken.same.into()),
        ])));
    } else {
        out.data(&format!("IMPORTED  {} new rows, {} that were there\nexit 0\n", taken.new, taken.same));
    }
    Ok(0)
}

fn unfit(out: Out, place: &str, why: &str) -> u8 {
    let code = Code::ImportUnfit;
    fail(out, code, &format!("{place}: {why}"), code.explanation().remedy)
}
