//! `qa list`: runs, the newest first.

use super::{Desk, Exit, fail_index};
use crate::cli::qa::ListArgs;
use crate::out::Out;
use crate::{answer, screen};

pub(super) fn list(args: &ListArgs, out: Out) -> Exit {
    let desk = Desk::of(&args.at, out)?;
    let mut index = desk.open(out)?;
    let runs = index.newest_runs(args.id.as_deref(), usize::from(args.limit));
    let runs = runs.map_err(|error| fail_index(out, &error))?;
    if out.json {
        out.data(&answer::document(&answer::qa::list(&runs)));
    } else {
        out.data(&screen::qa::list(&runs, out));
    }
    Ok(0)
}
