//! `qa flaky`: how steady requirements are, whose runs end in errors, and what judges are worth.

use probity_core::codes::Code;
use probity_core::flake::{Flakes, analyse};
use probity_core::success_policy::{Row, Want};
use probity_store::index::IndexError;

use super::{Desk, Exit, fail_index, standing};
use crate::cli::policy::Judged;
use crate::cli::qa::FlakyArgs;
use crate::out::Out;
use crate::qa_runs::{self, Whose};
use crate::{answer, screen};

/// Rows, and what was noticed of run folders while they were read.
#[derive(Default)]
struct Rows {
    rows: Vec<Row>,
    noticed: Vec<(Code, String)>,
}

/// Says it: 0 whatever is found, since nothing is judged here.
pub(super) fn flaky(args: &FlakyArgs, out: Out) -> Exit {
    let want = Want::names([]).and_origin();
    let rows = if args.runs.is_empty() { of_index(args, &want, out)? } else { of_sources(args, &want, out)? };
    let flakes: Flakes = analyse(&rows.rows);
    if out.json {
        out.data(&answer::document(&answer::flaky::flaky(&flakes, &rows.noticed)));
    } else {
        out.data(&screen::flaky::flaky(&flakes, &rows.noticed, out));
    }
    Ok(0)
}

fn of_sources(args: &FlakyArgs, want: &Want, out: Out) -> Result<Rows, u8> {
    let sources = Judged {
        // No policy is asked; where runs come from is said in the same words.
        policy: None,
        runs: args.runs.clone(),
        index: None,
        commit: Vec::new(),
        requirement: args.requirement.clone(),
        out: args.at.out.clone(),
    };
    let mut rows = Rows::default();
    let offered = qa_runs::read(&sources, Whose::Any, want, out, &mut |row| rows.rows.push(row));
    rows.noticed = offered.map_err(|unread| unread.tell(out))?.noticed;
    Ok(rows)
}

fn of_index(args: &FlakyArgs, want: &Want, out: Out) -> Result<Rows, u8> {
    let mut index = Desk::of(&args.at, out)?.open(out)?;
    let mut rows = Rows::default();
    let mut read = || -> Result<(), IndexError> {
        for head in standing::heads(&mut index, args.requirement.as_slice())? {
            let mut after = 0;
            loop {
                let page = index.runs_after(&head.requirement.id, after)?;
                let Some(last) = page.last() else { break };
                after = last.n;
                rows.rows.extend(page.into_iter().map(|run| qa_runs::index::row(run, want)));
            }
        }
        Ok(())
    };
    read().map_err(|error| fail_index(out, &error))?;
    Ok(rows)
}
