//! `policy import`: other forms of success policies, carried over or refused with the reason.

use std::io::Write as _;

use probity_core::codes::Code;
use probity_core::json::Json;
use probity_core::success_policy::import as carry_over;

use super::source;
use crate::answer::{clip, document, texts};
use crate::cli::policy::ImportArgs;
use crate::cmd::{fail, fail_with};
use crate::out::Out;

/// Carries one over: 0, or 1 where version 1 cannot say it.
pub(super) fn import(args: &ImportArgs, out: Out) -> u8 {
    let source = match source(&args.file, out) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    let imported = match carry_over(&source.text) {
        Ok(imported) => imported,
        Err(why) => {
            let message = format!("{}: {}", source.name, why.0);
            return fail_with(out, Code::ImportByHand, &message, Code::ImportByHand.explanation().remedy, 1);
        }
    };
    let policy = format!("{}\n", imported.policy);
    if let Some(file) = &args.output {
        let written = std::fs::OpenOptions::new().write(true).create_new(true).open(file);
        if let Err(error) = written.and_then(|mut file| file.write_all(policy.as_bytes())) {
            let there = error.kind() == std::io::ErrorKind::AlreadyExists;
            let code = if there { Code::FileExists } else { Code::FolderUnwritable };
            return fail(out, code, &format!("{}: {error}", file.display()), code.explanation().remedy);
        }
    }
    if out.json {
        out.data(&document(&Json::map([
            ("schema", Json::from("probity/policy-import/1")),
            ("exit", 0.into()),
            ("dialect", imported.dialect.words().into()),
            ("policy", if args.output.is_none() { imported.policy } else { Json::Null }),
            ("written", args.output.as_ref().map(|file| clip(&file.display().to_string(), 300)).into()),
            ("notes", texts(&imported.notes, 300)),
        ])));
        return 0;
    }
    imported.notes.iter().for_each(|note| out.warn(note));
    match &args.output {
        Some(file) => out.data(&format!("wrote {}\n", probity_core::inert::inert(&file.display().to_string()))),
        None => out.data(&policy),
    }
    0
}
