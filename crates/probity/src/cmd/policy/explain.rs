//! `policy explain`: the outcome with each run, how sure one may be, and what would turn it (ux.md 1.4).

use std::cmp::Reverse;

use probity_core::success_policy::{Invalid, Policy, Row, Run, Seen, State, Want};

use super::{Source, judged_source};
use crate::answer;
use crate::answer::policy::Judgement;
use crate::cli::policy::ExplainArgs;
use crate::out::Out;
use crate::qa_runs::{self, Whose};
use crate::screen;

/// So many of the newest runs are kept to be shown.
const KEPT: usize = 200;
/// And so many where all are asked for.
const ALL: usize = 100_000;

/// A run that is shown.
pub(crate) struct Shown {
    /// The run.
    pub run: Run,
    /// What it is under the policy.
    pub seen: Seen,
    /// Its name, or its number in the order in which it was read.
    pub name: String,
    /// Its time as it was written.
    pub at: Option<String>,
    /// Why its verdict is what it is.
    pub note: Option<String>,
    number: u64,
}

/// Explains.
pub(super) fn explain(args: &ExplainArgs, out: Out) -> u8 {
    let source = match judged_source(&args.judged, out) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    let policy = match &source.policy {
        Ok(policy) => policy,
        Err(policy) => return invalid(&source, policy, "probity/policy-explain/1", out),
    };
    let want = Want::names(policy.names()).and_words();
    let mut newest =
        Newest { policy, state: State::default(), kept: Vec::new(), most: if args.all { ALL } else { KEPT } };
    let offered = match qa_runs::read(&args.judged, Whose::One, &want, out, &mut |row| newest.take(row)) {
        Ok(offered) => offered,
        Err(unread) => return unread.tell(out),
    };
    newest.sort();
    let all = newest.state.runs();
    let mut judgement = Judgement::of(&source, policy, newest.state, &offered);
    let against = newest.kept.iter().find(|shown| shown.seen.holds == Some(false));
    judgement.against = against.filter(|_| offered.folders).map(|shown| shown.name.clone());
    if out.json {
        let rows: Vec<_> = newest.kept.iter().map(|shown| answer::policy::run(policy, shown)).collect();
        out.data(&answer::document(&judgement.to_json("probity/policy-explain/1", &rows, Some(all))));
    } else {
        out.data(&screen::policy::explain(&judgement, &newest.kept, args.all, out));
    }
    judgement.exit()
}

/// Says that a policy is none, in the form of the answer that was asked for.
pub(super) fn invalid(source: &Source, invalid: &Invalid, schema: &str, out: Out) -> u8 {
    if out.json {
        out.data(&answer::document(&answer::policy::invalid(source, invalid, schema)));
    } else {
        out.data(&screen::policy::invalid(source, invalid, out));
    }
    invalid.reason.outcome().exit()
}

/// Counts all runs and keeps the newest.
struct Newest<'a> {
    policy: &'a Policy,
    state: State,
    kept: Vec<Shown>,
    most: usize,
}

impl Newest<'_> {
    fn take(&mut self, row: Row) {
        let seen = self.policy.see(&row.run);
        self.state.add(seen);
        let number = self.state.runs();
        let name = row.name.unwrap_or_else(|| format!("#{number}"));
        self.kept.push(Shown { run: row.run, seen, name, at: row.at, note: row.note, number });
        if self.kept.len() >= 2 * self.most {
            self.sort();
        }
    }

    /// The newest first; what has no time comes last, and of one time the one that was read later is first.
    fn sort(&mut self) {
        self.kept.sort_by_key(|shown| Reverse((shown.seen.at, shown.number)));
        self.kept.truncate(self.most);
    }
}
