//! `qa record`: a run that somebody made, which is their word, or one of probity's, which can be verified.

use probity_core::codes::Code;
use probity_core::json::Number;
use probity_core::qa::intake::{self, LARGEST_RAW, Unfit};
use probity_core::qa::{NewRun, Said, Source, Tree};
use probity_core::verdict::QaVerdict;
use probity_store::find;
use probity_store::index::Recorded;

use super::follow::{self, Silent};
use super::{Desk, Exit, artifact, fail_index, fail_unfit, fresh_key, id, no_secret, read_text, words};
use crate::cli::qa::{RecordArgs, VerdictName};
use crate::cmd::{fail, fail_store, fail_with};
use crate::engine::git;
use crate::out::Out;
use crate::{answer, derive, screen};

pub(super) fn record(args: &RecordArgs, out: Out) -> Exit {
    let requirement = id(&args.id, out)?;
    let desk = Desk::of(&args.at, out)?;
    let (run, recorded) = match &args.run {
        Some(run) => observed(&requirement, run, &desk, out)?,
        None => reported(requirement, args, &desk, out)?,
    };
    if out.json {
        out.data(&answer::document(&answer::qa::recorded(&run, recorded)));
    } else {
        out.data(&screen::qa::recorded(&run, recorded, out));
    }
    Ok(0)
}

fn observed(requirement: &str, run: &str, desk: &Desk, out: Out) -> Result<(NewRun, Recorded), u8> {
    let mut index = desk.open(out)?;
    let head = index.head(requirement).map_err(|error| fail_index(out, &error))?;
    let dir = find::locate(&desk.runs, Some(run)).map_err(|error| fail_store(out, &error))?;
    let verified = derive::verify(&dir, None, None);
    let run = follow::of_run(requirement, &head.version.terms, &verified).map_err(|silent| match silent {
        Silent::Broken => {
            let why =
                verified.findings.first().map_or_else(String::new, |one| format!(": {} {}", one.code, one.message));
            let code = Code::RunNotProved;
            fail_with(out, code, &format!("the run does not verify{why}"), code.explanation().remedy, 6)
        }
        Silent::Open => {
            let code = Code::RunPending;
            fail_with(out, code, "the run was never closed, so it has no verdict", code.explanation().remedy, 5)
        }
        Silent::Elsewhere(on, wanted) => {
            let on = if on.is_empty() { "an environment without a name".to_owned() } else { on };
            let message = format!("the run was made on {on}, and {requirement} asks for {wanted}");
            fail(out, Code::UsageError, &message, &format!("run it there: probity run --env {wanted}"))
        }
    })?;
    let recorded = follow::enter(&mut index, &run).map_err(|error| fail_index(out, &error))?;
    Ok((run, recorded))
}

fn reported(requirement: String, args: &RecordArgs, desk: &Desk, out: Out) -> Result<(NewRun, Recorded), u8> {
    let by = words("by", args.by.as_deref().unwrap_or_default(), out)?;
    let reason = args.reason.as_deref().map(|why| words("reason", why, out)).transpose()?;
    let key = args.key.as_deref().map(|key| words("key", key, out)).transpose()?;
    if key.as_ref().is_some_and(|key| key.len() > 200) {
        return Err(fail(out, Code::ValueOutOfRange, "--key has more than 200 bytes", "choose a shorter one"));
    }
    let score = number("--score", args.score.as_deref(), intake::score, out)?;
    let confidence = number("--confidence", args.confidence.as_deref(), intake::confidence, out)?;
    let raw = raw(args, out)?;
    let read = artifact::read(&args.artifact, out)?;
    let (commit, tree) = commit(args, desk, out)?;
    let mut index = desk.open(out)?;
    // Asked before anything is kept: nothing is left behind for a requirement that is not there.
    index.head(&requirement).map_err(|error| fail_index(out, &error))?;
    let artifacts = artifact::keep(desk, read, out)?;
    let said = Said {
        verdict: args.verdict.map(verdict),
        reason,
        score,
        confidence,
        raw,
        commit,
        tree,
        duration_ms: args.duration_ms.map(i64::from),
        artifacts,
    };
    let key = key.unwrap_or_else(|| fresh_key("reported-"));
    let run = NewRun { requirement, key, by, source: Source::Reported, run: None, seal: None, said };
    let recorded = follow::enter(&mut index, &run).map_err(|error| fail_index(out, &error))?;
    Ok((run, recorded))
}

fn number(
    flag: &str,
    text: Option<&str>,
    read: impl Fn(&str) -> Result<Number, Unfit>,
    out: Out,
) -> Result<Option<Number>, u8> {
    text.map(|text| read(text).map_err(|unfit| fail_unfit(out, flag, &unfit))).transpose()
}

fn raw(args: &RecordArgs, out: Out) -> Result<Option<String>, u8> {
    let Some(file) = &args.raw else { return Ok(None) };
    let text = read_text(file, LARGEST_RAW as u64, out)?;
    let name = file.display().to_string();
    no_secret(&name, &text, out)?;
    let raw = intake::raw(&text).map_err(|unfit| fail_unfit(out, &name, &unfit))?;
    intake::metrics(Some(&raw)).map_err(|unfit| fail_unfit(out, &name, &unfit))?;
    Ok(Some(raw))
}

/// The commit that was tested: the one that was named, else the one that is checked out and nothing else.
fn commit(args: &RecordArgs, desk: &Desk, out: Out) -> Result<(Option<String>, Tree), u8> {
    if let Some(named) = &args.commit {
        return Ok((Some(desk.commit(named, out)?), Tree::Declared));
    }
    let root = &desk.project.root;
    let Some(commit) = git::commit(root, "HEAD") else { return Ok((None, Tree::Declared)) };
    if git::dirty(root) {
        let code = Code::CommitDirty;
        return Err(fail(out, code, &format!("the work tree differs from {commit}"), code.explanation().remedy));
    }
    Ok((Some(commit), Tree::Clean))
}

const fn verdict(name: VerdictName) -> QaVerdict {
    match name {
        VerdictName::Pass => QaVerdict::Pass,
        VerdictName::Fail => QaVerdict::Fail,
        VerdictName::Undetermined => QaVerdict::Undetermined,
        VerdictName::Error => QaVerdict::Error,
    }
}
