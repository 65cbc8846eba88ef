//! `import playwright`: the uniform report of a finished Playwright run.

mod files;

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};

use probity_core::codes::Code;
use probity_core::diagnostic::{Diagnostic, Severity};
use probity_core::inert::inert;
use probity_core::json::{self, Json, Limits, Map};
use probity_core::playwright::{Gathered, Lookup, Report, report};
use probity_formats::json_stream::StreamFault;
use probity_formats::playwright::{Part, read};

use self::files::Files;
use super::plan::counted;
use super::{fail, fail_with};
use crate::answer::refused::refused;
use crate::cli::playwright::PlaywrightArgs;
use crate::out::Out;

/// Largest metadata, map or record that is read, in bytes.
pub(super) const LARGEST: u64 = 8 * 1024 * 1024;
/// Most titles without a case that are listed on the screen.
const MOST_TITLES: usize = 20;
const INTEGRITY: u8 = 6;

/// Writes the report: 0, or 2 where something cannot be read, 6 where the report is empty or cut.
pub(crate) fn playwright(args: &PlaywrightArgs, out: Out) -> u8 {
    match import(args, out) {
        Ok(()) => 0,
        Err(exit) => exit,
    }
}

fn import(args: &PlaywrightArgs, out: Out) -> Result<(), u8> {
    let meta = object(&args.meta, Code::MetaMalformed, out)?;
    let folder = std::path::absolute(&args.meta).ok().and_then(|meta| meta.parent().map(Path::to_path_buf));
    let folder = folder.unwrap_or_default();
    let target = args.output.clone().unwrap_or_else(|| folder.join("report.json"));
    let specs = args.specs.as_ref().map(|file| object(file, Code::MetaMalformed, out)).transpose()?;
    let recorded = folder.join("spec-shas.json");
    let recorded = recorded.exists().then(|| object(&recorded, Code::MetaMalformed, out)).transpose()?;
    let files = Files::new(folder, recorded, specs);
    let gathered = gather(&args.results, &files, out)?;
    let look = Lookup {
        relative: &|path| files.relative(path),
        digest: &|path| files.digest(path),
        record: &|path| files.record(path),
        spec_sha: &|case| files.spec_sha(case),
    };
    let made = report(gathered, &meta, &look);
    write(&target, &made.json.pretty(), out)?;
    let mut warnings = files.into_warnings();
    warnings.extend(unmapped(&made, &args.results));
    if out.json {
        out.data(&answer(&made, &target, &warnings));
    } else {
        say(&made, &target, &warnings, out);
    }
    Ok(())
}

/// A JSON object in a file of bearable size.
fn object(file: &Path, code: Code, out: Out) -> Result<Map, u8> {
    let name = file.display();
    let bytes = files::bytes(file).map_err(|error| {
        fail(out, Code::DocumentUnreadable, &format!("{name}: {error}"), "check the path and its permissions")
    })?;
    match json::read(&bytes, &Limits::default()) {
        Ok(Json::Map(map)) => Ok(map),
        Ok(other) => {
            Err(fail(out, code, &format!("{name} holds a {}, not an object", other.kind()), code.explanation().remedy))
        }
        Err(error) => Err(fail(out, code, &format!("{name}: {error}"), code.explanation().remedy)),
    }
}

fn gather(results: &Path, files: &Files, out: Out) -> Result<Gathered, u8> {
    let name = results.display();
    let open = File::open(results).map_err(|error| {
        fail(out, Code::DocumentUnreadable, &format!("{name}: {error}"), "check the path and its permissions")
    })?;
    let mut gathered = Gathered::default();
    let read = read(open, &mut |part| match part {
        Part::Spec(spec) => {
            files.look_at(&spec);
            gathered.spec(&spec);
        }
        Part::Error(message) => gathered.error(&message),
        Part::Version(version) => gathered.version(version),
        Part::Started(at) => gathered.started(at),
    });
    match read {
        Ok(()) => Ok(gathered),
        Err(fault) => {
            let (code, exit) = match &fault {
                StreamFault::Empty(_) => (Code::ReportEmpty, INTEGRITY),
                StreamFault::Cut(_) => (Code::ReportCut, INTEGRITY),
                StreamFault::Malformed { .. } => (Code::ReportMalformed, super::USAGE),
                StreamFault::TooLarge { .. } => (Code::ReportTooLarge, super::USAGE),
                StreamFault::Io(_) => (Code::DocumentUnreadable, super::USAGE),
            };
            Err(fail_with(out, code, &format!("{name}: {fault}"), code.explanation().remedy, exit))
        }
    }
}

/// Writes the report beside its place and moves it there: nobody ever reads half of one.
fn write(target: &Path, text: &str, out: Out) -> Result<(), u8> {
    let mut beside = target.as_os_str().to_owned();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, target));
    written.map_err(|error| {
        let _ = std::fs::remove_file(&beside);
        let message = format!("{}: {error}", target.display());
        fail(out, Code::FolderUnwritable, &message, "check permissions and space, or choose another file with -o")
    })
}

fn unmapped(made: &Report, results: &Path) -> Option<Diagnostic> {
    let count = made.unmapped.len();
    (count > 0).then(|| {
        let message = format!("{count} specs name neither a case nor a fixture, and are left out");
        warning(Code::SpecsUnmapped, &results.display().to_string(), message)
    })
}

/// A warning about a file.
fn warning(code: Code, file: &str, message: String) -> Diagnostic {
    let help = Some(code.explanation().remedy.to_owned());
    Diagnostic { code, severity: Severity::Warning, file: file.to_owned(), place: None, subject: None, message, help }
}

fn answer(made: &Report, target: &Path, warnings: &[Diagnostic]) -> String {
    const MOST: usize = 40;
    let annotations = made.annotations.iter().take(MOST).map(|one| {
        Json::map([
            ("case", Json::from(one.case.as_str())),
            ("code", one.code.as_str().into()),
            ("message", one.code.explanation().meaning.into()),
        ])
    });
    refused(
        "probity/import playwright/1",
        0,
        warnings,
        vec![
            ("report", target.display().to_string().as_str().into()),
            ("summary", Json::map(made.counts.map(|(verdict, count)| (verdict.as_str(), count)))),
            ("fixtures", made.fixtures.into()),
            ("errors", made.errors.into()),
            ("unmapped_specs", made.unmapped.len().into()),
            ("annotations", Json::list(annotations)),
            ("annotations_left_out", made.annotations.len().saturating_sub(MOST).into()),
        ],
    )
}

fn say(made: &Report, target: &Path, warnings: &[Diagnostic], out: Out) {
    for one in warnings {
        out.warn(&inert(&format!("{}: {} [{}]", one.file, one.message, one.code)));
    }
    for title in made.unmapped.iter().take(MOST_TITLES) {
        out.talk(&format!("  - {}", inert(&probity_core::inert::shortened(title, 200))));
    }
    if made.unmapped.len() > MOST_TITLES {
        out.talk(&format!("  and {} more", made.unmapped.len() - MOST_TITLES));
    }
    let [pass, fail, flaky, blocked] = made.counts.map(|(_, count)| count);
    let mut text = String::new();
    for one in &made.annotations {
        let _ = writeln!(text, "note: {}: {} [{}]", inert(&one.case), one.code.explanation().meaning, one.code);
    }
    if made.errors > 0 {
        let errors = counted(made.errors, "error").unwrap_or_default();
        let _ = writeln!(text, "note: {errors} outside of every test; such a run cannot be published");
    }
    let of = |count, noun: &str| counted(count, noun).unwrap_or_else(|| format!("0 {noun}s"));
    let _ = writeln!(
        text,
        "wrote {}: {} ({pass} pass, {fail} fail, {flaky} flaky, {blocked} blocked), {}",
        inert(&target.display().to_string()),
        of(pass + fail + flaky + blocked, "case"),
        of(made.fixtures, "fixture spec")
    );
    out.data(&text);
}
