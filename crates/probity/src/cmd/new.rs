//! `plan new`: drafts a plan from requests that somebody has already, and gives it only if it passes the check.

use std::io::Write as _;
use std::path::Path;

use probity_core::allow::FileFact;
use probity_core::checked::{Ask, Given, check};
use probity_core::codes::Code;
use probity_core::diagnostic::Severity;
use probity_core::json::Json;

use super::{fail, fail_documents, read_most};
use crate::answer::document;
use crate::cli::{DraftFrom, NewArgs};
use crate::draft;
use crate::out::Out;

/// The largest source.
const LARGEST: u64 = 64 << 20;

/// Drafts a plan.
pub(crate) fn new(args: &NewArgs, out: Out) -> u8 {
    let name = args.file.as_ref().map_or_else(|| "standard input".to_owned(), |file| file.display().to_string());
    let bytes = match bytes(args.file.as_deref()) {
        Ok(bytes) => bytes,
        Err(message) => {
            let help = format!("give a file that can be read, of at most {} MiB", LARGEST >> 20);
            return fail(out, Code::DocumentUnreadable, &format!("{name}: {message}"), &help);
        }
    };
    let Ok(text) = std::str::from_utf8(&bytes) else {
        return fail(out, Code::DocumentUnreadable, &format!("{name} is not text in UTF-8"), "save it as UTF-8");
    };
    let (title, read) = match args.from {
        DraftFrom::Curl => ("A curl command", draft::curl(text)),
        DraftFrom::Har => ("A recorded session", draft::har(text)),
        DraftFrom::Hurl => ("The requests of a Hurl file", draft::hurl(text)),
        DraftFrom::Openapi => match crate::derive::parse(&name, &bytes) {
            Ok(node) => ("What an OpenAPI document promises", draft::openapi(&node.to_json())),
            Err(found) => return fail_documents(out, &found, Path::new(".")),
        },
    };
    let mut source = match read {
        Ok(source) => source,
        Err(why) => {
            let help = "see the examples of probity plan new --help";
            return fail(out, Code::DocumentUnreadable, &format!("{name} cannot be drafted from: {why}"), help);
        }
    };
    let plan = draft::plan(title, &mut source);
    let checked = check(&Ask {
        given: Given::Written("draft.probity.yaml", plan.as_bytes()),
        profile: None,
        environment: None,
        files: &|_| FileFact::Missing,
        parse: &crate::derive::parse,
    });
    let errors: Vec<_> = match &checked {
        Ok(checked) => checked.errors().cloned().collect(),
        Err(found) => found.clone(),
    };
    if !errors.is_empty() {
        // What the check refuses is not handed out; it says which request is at fault.
        return fail_documents(out, &errors, Path::new("."));
    }
    let warnings = checked
        .iter()
        .flat_map(probity_core::checked::CheckedPlan::findings)
        .filter(|f| f.severity == Severity::Warning);
    source.notes.extend(warnings.map(|finding| finding.message.clone()));
    if let Some(file) = &args.output
        && let Err(error) = write(file, &plan)
    {
        let code =
            if error.kind() == std::io::ErrorKind::AlreadyExists { Code::FileExists } else { Code::FolderUnwritable };
        return fail(out, code, &format!("{}: {error}", file.display()), code.explanation().remedy);
    }
    for note in &source.notes {
        out.warn(&format!("not carried over, or to look at: {}", probity_core::inert::inert(note)));
    }
    if out.json {
        out.data(&document(&Json::map([
            ("schema", Json::from("probity/plan-new/1")),
            ("exit", 0.into()),
            ("plan", if args.output.is_none() { plan.as_str().into() } else { Json::Null }),
            ("written", args.output.as_ref().map(|file| file.display().to_string()).into()),
            ("notes", source.notes.into()),
        ])));
    } else {
        match &args.output {
            Some(file) => out.data(&format!("wrote {}\n", file.display())),
            None => out.data(&plan),
        }
    }
    0
}

/// The source, bounded.
fn bytes(file: Option<&Path>) -> Result<Vec<u8>, String> {
    match read_most(file.unwrap_or(Path::new("-")), LARGEST) {
        Ok(bytes) if bytes.len() as u64 > LARGEST => Err(format!("it is larger than {} MiB", LARGEST >> 20)),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(error.to_string()),
    }
}

/// Writes a file that is not there yet.
fn write(file: &Path, text: &str) -> std::io::Result<()> {
    std::fs::OpenOptions::new().write(true).create_new(true).open(file)?.write_all(text.as_bytes())
}
