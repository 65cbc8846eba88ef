//! `guard`: the decisions of the write guard, for whoever wants to know them without a browser.

use std::path::Path;

use probity_core::codes::Code;
use probity_core::guard::decide_all;
use probity_formats::document::{self, MAX_BYTES};

use super::{fail, fail_documents, read_most};
use crate::cli::guard::{DecideArgs, GuardCommand};
use crate::out::Out;

/// Does what was asked.
pub(crate) fn guard(command: &GuardCommand, out: Out) -> u8 {
    let GuardCommand::Decide(args) = command;
    decide(args, out).unwrap_or_else(|exit| exit)
}

fn decide(args: &DecideArgs, out: Out) -> Result<u8, u8> {
    let stdin = args.file == Path::new("-");
    let name = if stdin { "stdin.json".to_owned() } else { args.file.display().to_string() };
    // One byte more than a document may have is refused with its reason.
    let bytes = read_most(&args.file, MAX_BYTES as u64).map_err(|error| {
        fail(
            out,
            Code::DocumentUnreadable,
            &format!("{name}: {error}"),
            "name a file that holds a JSON list of questions",
        )
    })?;
    let questions =
        document::read(&name, &bytes).map_err(|found| fail_documents(out, &found, Path::new(".")))?.to_json();
    let answers = decide_all(&questions).map_err(|message| {
        let help = "each question has kind, config, input and state; probity guard decide --help shows one";
        fail(out, Code::WrongType, &format!("{name}: {message}"), help)
    })?;
    out.data(&answers.pretty());
    Ok(0)
}
