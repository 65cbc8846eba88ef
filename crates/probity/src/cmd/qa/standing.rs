//! Where requirements stand: what the index knows of each, looked at as the gate looks at it.

use probity_core::qa::gate::{Asked, Gate, Select, Standing};
use probity_core::qa::{Phase, Source, Sums, Tree};
use probity_store::index::{Head, Index, IndexError};

use super::{Desk, now};
use crate::cli::qa::{Fresh, SelectName};
use crate::out::Out;

/// What is asked of every requirement, from what was typed.
pub(super) fn asked(desk: &Desk, fresh: &Fresh, phase: Option<Phase>, out: Out) -> Result<Asked, u8> {
    let select = match fresh.select {
        SelectName::Latest => Select::Latest,
        SelectName::Any => Select::Any,
    };
    let commits = desk.commits(&fresh.commit, out)?;
    Ok(Asked { phase, commits, select, max_attempts: fresh.max_attempts, now: now() })
}

/// Looks at the requirements that are named, or at all of them; everything is read as of one moment.
pub(super) fn look(index: &mut Index, ids: &[String], asked: &Asked) -> Result<Gate, IndexError> {
    let standings = index.at_once(|index| {
        let heads = heads(index, ids)?;
        let due = heads.into_iter().filter(|head| asked.phase.is_none_or(|phase| head.version.terms.phase == phase));
        due.map(|head| standing(index, head, asked)).collect::<Result<Vec<_>, _>>()
    })?;
    Ok(Gate::of(&standings, asked))
}

/// The requirements that are named, or all of them.
pub(super) fn heads(index: &mut Index, ids: &[String]) -> Result<Vec<Head>, IndexError> {
    if ids.is_empty() { index.heads() } else { ids.iter().map(|id| index.head(id)).collect() }
}

fn standing(index: &mut Index, head: Head, asked: &Asked) -> Result<Standing, IndexError> {
    let Head { requirement, version, runs } = head;
    let mut states: Vec<(Source, Tree, Sums)> = Vec::new();
    for commit in &asked.commits {
        states.extend(index.states(&version, commit)?);
    }
    let waivers = index.waivers(&requirement.id)?;
    let mut standing = Standing { version, runs, states, first: Vec::new(), waivers };
    if standing.needs_runs(asked.max_attempts) {
        let most = usize::try_from(asked.max_attempts.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let reported = standing.version.terms.accept_reported;
        for commit in &asked.commits {
            standing.first.extend(index.first_runs(&requirement.id, commit, most, reported)?);
        }
        standing.first.sort_by_key(|run| run.n);
    }
    Ok(standing)
}
