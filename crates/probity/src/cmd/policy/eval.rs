//! `policy eval`: what runs come to under a policy.

use probity_core::success_policy::{State, Want};

use super::judged_source;
use crate::answer;
use crate::answer::policy::Judgement;
use crate::cli::policy::EvalArgs;
use crate::out::Out;
use crate::qa_runs::{self, Whose};
use crate::screen;

/// Evaluates. Lines are counted as they are read, and none is kept.
pub(super) fn eval(args: &EvalArgs, out: Out) -> u8 {
    let source = match judged_source(&args.judged, out) {
        Ok(source) => source,
        Err(exit) => return exit,
    };
    let policy = match &source.policy {
        Ok(policy) => policy,
        Err(invalid) => return super::explain::invalid(&source, invalid, "probity/policy-eval/1", out),
    };
    let want = Want::names(policy.names());
    let mut state = State::default();
    let mut add = |row: probity_core::success_policy::Row| state.add(policy.see(&row.run));
    let offered = match qa_runs::read(&args.judged, Whose::One, &want, out, &mut add) {
        Ok(offered) => offered,
        Err(unread) => return unread.tell(out),
    };
    let judgement = Judgement::of(&source, policy, state, &offered);
    if out.json {
        out.data(&answer::document(&judgement.to_json("probity/policy-eval/1", &[], None)));
    } else {
        out.data(&screen::policy::eval(&judgement, out));
    }
    judgement.exit()
}
