//! Runs out of the index of QA runs, of one requirement.

use probity_core::qa::{NewRun, QaRun, Tree};
use probity_core::success_policy::{Class, Facts, Given, Origin, Row, Run, Time, Want};
use probity_store::find;
use probity_store::index::{Index, IndexError, Target};

use super::{Sieve, Unread};
use crate::answer::qa::time;
use crate::cli::policy::Judged;
use crate::cmd::{here, qa};
use crate::out::Out;

/// Opens the index that was named.
fn open(args: &Judged, said: &str, out: Out) -> Result<Index, u8> {
    let project = here(out)?;
    let runs = find::runs_root(args.out.as_deref(), &project.root);
    let target: Result<Target, IndexError> = qa::target(Some(said), &runs);
    target.and_then(|target| Index::open(&target)).map_err(|error| qa::fail_index(out, &error))
}

/// The text of the success policy that counts now.
///
/// # Errors
/// The exit code, after the reason was given.
pub(crate) fn policy(args: &Judged, said: &str, out: Out) -> Result<(String, Vec<u8>), u8> {
    let id = args.requirement.clone().unwrap_or_default();
    let head = open(args, said, out)?.head(&id).map_err(|error| qa::fail_index(out, &error))?;
    Ok((id, head.version.terms.policy.unwrap_or_default().into_bytes()))
}

/// Hands on every run of the requirement, or those of the commits that were named.
pub(super) fn read(args: &Judged, said: &str, want: &Want, out: Out, sieve: &mut Sieve<'_>) -> Result<(), Unread> {
    let failed = |error: IndexError| Unread::Told(qa::fail_index(out, &error));
    let id = args.requirement.clone().unwrap_or_default();
    let mut commits = Vec::new();
    for named in &args.commit {
        commits.push(qa::commit(&here(out).map_err(Unread::Told)?.root, named, out).map_err(Unread::Told)?);
    }
    let mut index = open(args, said, out).map_err(Unread::Told)?;
    index.head(&id).map_err(failed)?;
    let mut after = 0;
    loop {
        let page = index.runs_after(&id, after).map_err(failed)?;
        let Some(last) = page.last() else { return Ok(()) };
        after = last.n;
        for run in page {
            let of = |commit: &String| commits.contains(commit);
            if commits.is_empty() || run.new.said.commit.as_ref().is_some_and(of) {
                // They are all of the one requirement that is asked for.
                let _ = sieve.row(row(run, want));
            }
        }
    }
}

/// A run of the index as a row.
pub(crate) fn row(run: QaRun, want: &Want) -> Row {
    let QaRun { new, n, at, .. } = run;
    let origin = Some(Box::new(origin(&new)));
    let said = new.said;
    Row {
        run: Run {
            class: said.verdict.map_or(Class::Pending, Class::Known),
            score: said.score,
            confidence: said.confidence,
            facts: said.raw.map(|raw| Facts::read(raw.as_bytes(), want)).unwrap_or_default(),
            at: u64::try_from(at).ok().map(Time::of_micros),
        },
        requirement: Some(new.requirement.as_str().into()),
        name: Some(n.to_string()),
        at: Some(time(at)),
        note: said.reason,
        origin,
    }
}

/// Where a run of the index comes from. What was run on a changed work tree is no commit by itself.
fn origin(run: &NewRun) -> Origin {
    let said = &run.said;
    let commit = match &said.commit {
        Some(_) if said.tree == Tree::Dirty => Given::Unfit,
        Some(commit) => Given::Value(commit.as_str().into()),
        None => Given::Missing,
    };
    let judge = run.by.strip_prefix("judge:").map_or(Given::Missing, |judge| Given::Value(judge.into()));
    let confidence = match &said.confidence {
        Some(number) => number.token().parse().map_or(Given::Unfit, Given::Value),
        None => Given::Missing,
    };
    Origin { commit, performed_by: Given::Value(run.by.as_str().into()), judge, confidence }
}
